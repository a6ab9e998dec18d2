"""Races `parse` against what people use, and against expat alone, on documents that are made here.

``python tests/benchmarks/race.py [--rounds 7] [--only plain,rich] [--write]``

Every measurement is a process: the document lies in memory, one small document is read to warm up, then each entry is
taken. Rounds are interleaved, so that what slows the machine down slows all racers. `--write` puts the table into
docs/performance.md. Peers that are not installed are left out: ``pip install -e '.[bench]'``.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
MARKS = (f"<!-- printed by tests/benchmarks/race.py with Python 3.{sys.version_info[1]} -->", "<!-- end -->")
URL = "https://www.shop.example/sitemap.xml"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
PREFIXES = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
NEWS = b'<urlset xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" '
WORDS = ("amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty", "kiosk", "maple")


# ------------------------------------------------------------------------------------------------------- the documents
def page(choice: random.Random, n: int, language: str = "en") -> str:
    query = f"?size={n % 60}&amp;colour={choice.choice(WORDS)}" if choice.random() < 0.1 else ""
    return f"https://www.shop.example/{language}/{'-'.join(choice.choices(WORDS, k=5))}-{n}{query}"


def date(choice: random.Random) -> str:
    day = f"2026-{choice.randint(1, 12):02d}-{choice.randint(1, 28):02d}"
    clock = f"T{choice.randint(0, 23):02d}:{choice.randint(0, 59):02d}:{choice.randint(0, 59):02d}+00:00"
    return day if choice.random() < 0.15 else day + clock


def urlset(count: int, more: Callable[[random.Random, int], str] = lambda choice, n: "", odd: float = 0) -> bytes:
    choice = random.Random(count)
    items = []
    for n in range(count):
        fields = [
            f"<loc>{page(choice, n)}</loc>",
            f"<lastmod>{date(choice)}</lastmod>",
            f"<changefreq>{choice.choice(('daily', 'weekly', 'monthly'))}</changefreq>",
            f"<priority>0.{choice.randint(1, 9)}</priority>",
        ]
        if choice.random() < odd:
            fields = strange(choice, fields)
        items.append("  <url>\n    " + "\n    ".join(fields) + f"\n{more(choice, n)}  </url>\n")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NS} {PREFIXES}>\n{"".join(items)}</urlset>\n'.encode()


def strange(choice: random.Random, fields: list[str]) -> list[str]:
    """The fields of an item in one of the ways that are not the usual one."""
    kind = choice.randrange(4)
    if kind == 0:
        loc = fields[0][5:-6].replace("&amp;", "&")
        return [f"<loc><![CDATA[{loc}]]></loc>", *fields[1:]]
    if kind == 1:
        return [fields[0], "<!-- made by hand -->", *fields[1:]]
    if kind == 2:
        return [fields[0], fields[1].replace("<lastmod>", '<lastmod type="w3c">'), *fields[2:]]
    return choice.sample(fields, len(fields))


def extensions(choice: random.Random, n: int) -> str:
    links = "".join(
        f'    <xhtml:link rel="alternate" hreflang="{language}" href="{page(choice, n, language)}"/>\n'
        for language in ("de", "en", "es", "fr", "it")
    )
    images = "".join(
        f"    <image:image>\n      <image:loc>https://cdn.shop.example/{n}-{k}.jpg</image:loc>\n"
        f"      <image:title>{' '.join(choice.choices(WORDS, k=3))}</image:title>\n    </image:image>\n"
        for k in range(2)
    )
    return links + images


def index(count: int) -> bytes:
    choice = random.Random(count)
    items = "".join(
        f"  <sitemap>\n    <loc>https://www.shop.example/maps/{n:05d}.xml.gz</loc>\n"
        f"    <lastmod>{date(choice)}</lastmod>\n  </sitemap>\n"
        for n in range(count)
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex {NS}>\n{items}</sitemapindex>\n'.encode()


def text(count: int) -> bytes:
    choice = random.Random(count)
    return "".join(page(choice, n).replace("&amp;", "&") + "\n" for n in range(count)).encode()


def rss(count: int) -> bytes:
    choice = random.Random(count)

    def words(length: int) -> str:
        return " ".join(choice.choices(WORDS, k=length))

    items = "".join(
        f"<item>\n<title>{words(5)}</title>\n<link>{page(choice, n)}</link>\n"
        f"<pubDate>Tue, {n % 28 + 1:02d} Dec 2026 10:{n % 60:02d}:00 +0000</pubDate>\n"
        f'<guid isPermaLink="false">{n}</guid>\n<description><![CDATA[<p>{words(300)}</p>]]></description>\n</item>\n'
        for n in range(count)
    )
    return f'<?xml version="1.0"?>\n<rss version="2.0"><channel><title>Shop</title>\n{items}</channel></rss>\n'.encode()


def atom(count: int) -> bytes:
    choice = random.Random(count)

    def words(length: int) -> str:
        return " ".join(choice.choices(WORDS, k=length))

    items = "".join(
        f"<entry>\n<title>{words(5)}</title>\n<link rel='alternate' type='text/html' href='{page(choice, n)}'/>\n"
        f"<id>urn:uuid:{n}</id>\n<updated>2026-12-{n % 28 + 1:02d}T10:{n % 60:02d}:00Z</updated>\n"
        f"<author><name>Jo Doe</name></author>\n"
        f'<content type="html">&lt;p&gt;{words(300)}&lt;/p&gt;</content>\n</entry>\n'
        for n in range(count)
    )
    return f'<?xml version="1.0"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:x</id>\n{items}</feed>\n'.encode()


def news(choice: random.Random, n: int) -> str:
    fields = {
        "publication": "<news:name>The Shop Times</news:name><news:language>en</news:language>",
        "publication_date": date(choice),
        "title": " ".join(choice.choices(WORDS, k=8)),
        "keywords": ", ".join(choice.choices(WORDS, k=4)),
    }
    inside = "".join(f"      <news:{name}>{value}</news:{name}>\n" for name, value in fields.items())
    return f"    <news:news>\n{inside}    </news:news>\n"


DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "plain": lambda: urlset(50_000),
    "rich": lambda: urlset(50_000, extensions),
    "rich (all taken)": lambda: urlset(50_000, extensions),
    "news": lambda: urlset(1000, news).replace(b"<urlset ", NEWS),
    "1 % odd": lambda: urlset(50_000, odd=0.01),
    "all odd": lambda: urlset(50_000, odd=1),
    "index": lambda: index(50_000),
    "text": lambda: text(50_000),
    "rss": lambda: rss(5000),
    "atom": lambda: atom(5000),
}


# ---------------------------------------------------------------------------------------------------------- the racers
def ours(data: bytes, *, is_all_taken: bool = False) -> int:
    import sitemapreader

    count = 0
    for entry in sitemapreader.parse(data, URL):
        count += 1
        entry.loc, entry.lastmod  # noqa: B018, to take them is what is measured
        if is_all_taken:
            entry.extensions  # noqa: B018, they are made for that
    return count


def usp(data: bytes) -> int:
    from usp.fetch_parse import SitemapFetcher
    from usp.web_client import abstract_client

    class Response(abstract_client.AbstractWebClientSuccessResponse):  # type: ignore[misc]
        status_code = lambda self: 200  # noqa: E731
        status_message = lambda self: "OK"  # noqa: E731
        header = lambda self, name: None  # noqa: E731
        raw_data = lambda self: data  # noqa: E731
        url = lambda self: URL  # noqa: E731

    class Client(abstract_client.AbstractWebClient):  # type: ignore[misc]
        def set_max_response_data_length(self, length: int) -> None:
            pass

        def get(self, url: str) -> Any:
            if url != URL:
                raise abstract_client.NoWebClientException
            return Response()

    count = 0
    for found in SitemapFetcher(url=URL, recursion_level=0, web_client=Client()).sitemap().all_pages():
        count += 1
        found.url, found.last_modified  # noqa: B018
    return count


def scrapy(data: bytes) -> int:
    from scrapy.utils.sitemap import Sitemap

    count = 0
    for found in Sitemap(data):
        count += 1
        found["loc"], found.get("lastmod")
    return count


def iterparse(data: bytes) -> int:
    from xml.etree.ElementTree import iterparse

    return _iterated(iterparse, data)


def defused(data: bytes) -> int:
    from defusedxml.ElementTree import iterparse

    return _iterated(iterparse, data)


def _iterated(iterparse: Any, data: bytes) -> int:
    """What a careful script does by itself: the texts of each item, and nothing looked at."""
    count, events = 0, iterparse(BytesIO(data), events=("start", "end"))
    _, root = next(events)
    for event, element in events:
        if event == "end" and element.tag.rpartition("}")[2] in ("url", "sitemap", "item", "entry"):
            fields = {child.tag: child.text for child in element}
            count += bool(fields)
            root.clear()
    return count


def expat(data: bytes) -> int:
    from xml.parsers.expat import ParserCreate

    parser = ParserCreate()
    for at in range(0, len(data), 65536):
        parser.Parse(data[at : at + 65536], False)
    parser.Parse(b"", True)
    return 0


RACERS = {
    "sitemapreader": ours,
    "ultimate-sitemap-parser": usp,
    "scrapy": scrapy,
    "iterparse": iterparse,
    "defusedxml": defused,
    "expat": expat,
}
NOT_READ = {
    ("text", "iterparse"),
    ("text", "defusedxml"),
    ("index", "ultimate-sitemap-parser"),
    ("text", "scrapy"),
    ("text", "expat"),
    ("rss", "scrapy"),
    ("atom", "scrapy"),
}
"""What a racer does not read, or reads by fetching each child."""
TAKEN = "rich-(all-taken)"
"""The file of the document of which links and pictures are asked for, too."""


def measure(racer: str, path: Path) -> None:
    """Run in a process of its own: prints what it took."""
    logging.disable(logging.CRITICAL)
    data = path.read_bytes()
    if racer != "expat":
        RACERS[racer](urlset(3))
    gc.collect()
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    count = ours(data, is_all_taken=True) if path.name == TAKEN and racer == "sitemapreader" else RACERS[racer](data)
    seconds = time.process_time() - began
    growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(json.dumps({"count": count, "seconds": seconds, "growth": growth}))


def first(data: bytes) -> int:
    """Bytes that `parse` has read when its first entry is there."""
    import sitemapreader

    file = BytesIO(data)
    next(sitemapreader.parse(file, URL))
    return file.tell()


def race(name: str, rounds: int, folder: Path) -> str:
    """A row of the table."""
    path = folder / name.replace(" ", "-").replace("%", "percent")
    path.write_bytes(DOCUMENTS[name]())
    taken: dict[str, list[dict[str, float]]] = {racer: [] for racer in RACERS if (name, racer) not in NOT_READ}
    for _ in range(rounds):
        for racer in list(taken):
            command = [sys.executable, __file__, "--measure", racer, str(path)]
            ran = subprocess.run(command, capture_output=True, text=True)
            if ran.returncode:
                print(f"{racer} is left out: {ran.stderr.strip().splitlines()[-1]}", file=sys.stderr)
                del taken[racer]
            else:
                taken[racer].append(json.loads(ran.stdout))

    def ratio(one: str, other: str) -> str:
        pairs = zip(taken.get(one, ()), taken.get(other, ()), strict=False)
        ratios = [first["seconds"] / second["seconds"] for first, second in pairs]
        return f"{statistics.median(ratios):.1f}" if ratios else "-"

    own = taken["sitemapreader"]
    growth = statistics.median(one["growth"] for one in own)
    data = path.read_bytes()
    peers = (ratio(racer, "sitemapreader") for racer in RACERS if racer not in ("sitemapreader", "expat"))
    cells = (name, f"{own[0]['count']:,}", f"{len(data) / 1e6:.1f}", *peers, ratio("sitemapreader", "expat"))
    return f"| {' | '.join(cells)} | {growth:.1f} | {first(data) / len(data):.1%} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", help="names of documents, with commas between")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    parser.add_argument("--measure", nargs=2, metavar=("RACER", "FILE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        measure(args.measure[0], Path(args.measure[1]))
        return
    lines = [
        "| document | items | MB | x ultimate-sitemap-parser | x Scrapy | x iterparse | x defusedxml | of expat "
        "| growth, MiB | first entry after |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    with tempfile.TemporaryDirectory() as folder:
        for name in args.only.split(",") if args.only else DOCUMENTS:
            lines.append(race(name, args.rounds, Path(folder)))
            print(lines[-1], flush=True)
    if args.write:
        table = "\n".join(lines)
        pattern = re.compile(f"{re.escape(MARKS[0])}.*?{re.escape(MARKS[1])}", re.DOTALL)
        page_text = PAGE.read_text("utf-8")
        PAGE.write_text(pattern.sub(lambda _: f"{MARKS[0]}\n\n{table}\n\n{MARKS[1]}", page_text), "utf-8")


if __name__ == "__main__":
    main()
