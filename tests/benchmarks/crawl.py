"""A crawl by Scrapy of a site from loopback: our SitemapSpider beside Scrapy's own, in memory and to the first page.

``python tests/benchmarks/crawl.py [--children 20] [--entries 50000] [--pages 0]``

Prints for each, in a process of its own: seconds until the first page request leaves the scheduler and until the crawl
is over, pages, and the peak of resident memory. Sitemaps are fetched over HTTP; pages are answered in the process, as
empty, since it is the requests for them that are measured. A million of them take an hour: with ``--pages`` a crawl
ends after so many, by when Scrapy's own spider may not have taken all the memory that it would.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import runpy
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from scrapy.spiders import SitemapSpider as Theirs

from sitemapreader.scrapy import SitemapSpider as Ours


class Unbounded(Ours):
    """Ours, with all requests in the scheduler at once."""

    sitemapreader_window = 0


BASES = {"ours": Ours, "ours, no window": Unbounded, "theirs": Theirs}
SETTINGS = {"LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}


class Pages:
    """A downloader middleware that answers for all pages of the site."""

    began = first = 0.0
    asked = 0

    def process_request(self, request: Any, spider: Any = None) -> Response | None:
        """An empty page; nothing for a sitemap, which is fetched."""
        if not request.url.endswith(".html"):
            return None
        Pages.first = Pages.first or time.perf_counter() - Pages.began
        Pages.asked += 1
        return Response(request.url, request=request)


def crawl(base: str, host: str, most: str) -> None:
    """One crawl, what it took as JSON on stdout."""

    def parse(self: Any, response: Response) -> None:
        """Nothing comes of a page."""

    body = {"name": base, "sitemap_urls": [f"{host}/robots.txt"], "parse": parse}
    spider = type("Crawled", (BASES[base],), body)
    process = CrawlerProcess({**SETTINGS, "DOWNLOADER_MIDDLEWARES": {Pages: 1}, "CLOSESPIDER_PAGECOUNT": int(most)})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    Pages.began = time.perf_counter()
    process.crawl(spider)
    process.start()
    whole = time.perf_counter() - Pages.began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([Pages.first, whole, Pages.asked, before / 1024, peak / 1024]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--children", type=int, default=20)
    parser.add_argument("--entries", type=int, default=50_000)
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--bases", nargs="+", choices=BASES, help="all by default")
    parser.add_argument("--one", nargs=3, metavar=("BASE", "HOST", "PAGES"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        crawl(*args.one)
        return
    serve = runpy.run_path(str(Path(__file__).with_name("site.py")))["serve"]
    ours, theirs = multiprocessing.Pipe()
    fork = multiprocessing.get_context("fork")
    fork.Process(target=serve, args=(theirs, args.children, args.entries), daemon=True).start()
    host, _ = ours.recv()
    print("| base | first page, s | all, s | pages | memory before, MiB | peak, MiB |")
    print("|---|---|---|---|---|---|")
    for base in args.bases or BASES:
        command = [sys.executable, __file__, "--one", base, host, str(args.pages)]
        run = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True)
        first, whole, pages, before, peak = json.loads(run.stdout)
        print(f"| {base} | {first:.2f} | {whole:.1f} | {pages:,} | {before:.0f} | {peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()
