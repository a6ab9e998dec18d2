"""A whole site from loopback, end to end: a robots.txt, an index, and gzip children behind a given latency.

``python tests/benchmarks/site.py [--children 20] [--entries 50000] [--latency 0.1] [--concurrency 4] [--rounds 3]
[--peer]``

Prints what each of `read` and `aread` took, until the first entry and in all, beside what the same bytes take to parse
alone in the same run. With enough latency the requests are the bound, else the parsing; a reading that overlaps the two
takes little more than the greater of both, which the last column shows. With `--peer`, ultimate-sitemap-parser reads
the site too, and the last line says how many times as long it takes.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import logging
import multiprocessing
import statistics
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection

import sitemapreader as sr


def documents(host: str, children: int, entries: int) -> dict[str, bytes]:
    """The site by path."""
    names = [f"/maps/{n:03d}.xml.gz" for n in range(children)]
    index = "".join(f"<sitemap><loc>{host}{name}</loc><lastmod>2026-11-30</lastmod></sitemap>" for name in names)
    namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    site = {
        "/robots.txt": f"User-agent: *\nSitemap: {host}/index.xml\n".encode(),
        "/index.xml": f"<sitemapindex {namespace}>{index}</sitemapindex>".encode(),
    }
    for at, name in enumerate(names):
        items = "".join(
            f"  <url>\n    <loc>{host}/shelf-{at}/item-{n * 7919 % 1_000_003:07d}.html</loc>\n"
            f"    <lastmod>2026-{n % 12 + 1:02d}-{n % 28 + 1:02d}T08:{n % 60:02d}:00+00:00</lastmod>\n"
            f"    <changefreq>weekly</changefreq>\n    <priority>0.{n % 10}</priority>\n  </url>\n"
            for n in range(entries)
        )
        whole = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {namespace}>\n{items}</urlset>\n'
        site[name] = gzip.compress(whole.encode(), 6)
    return site


def serve(pipe: Connection, children: int, entries: int) -> None:
    """A server in a process of its own; says its port, then its site, and takes latencies."""
    latency = 0.0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            time.sleep(latency)
            body = site.get(self.path)
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    host = f"http://127.0.0.1:{server.server_address[1]}"
    site = documents(host, children, entries)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pipe.send((host, site))
    while True:
        latency = pipe.recv()
        pipe.send("ready")


def parse_all(host: str, site: dict[str, bytes]) -> float:
    """Seconds that the documents take to parse one after the other."""
    began = time.perf_counter()
    for path, body in site.items():
        for _ in sr.parse(body, host + path):
            pass
    return time.perf_counter() - began


def read(host: str, concurrency: int, expected: int) -> tuple[float, float]:
    """Seconds to the first entry, and to the end."""
    began, first, count = time.perf_counter(), 0.0, 0
    with sr.read(host, concurrency=concurrency) as reading:
        for _ in reading:
            first = first or time.perf_counter() - began
            count += 1
    assert count == expected and reading.report.complete
    return first, time.perf_counter() - began


async def aread(host: str, concurrency: int, expected: int) -> tuple[float, float]:
    """The same in asyncio."""
    began, first, count = time.perf_counter(), 0.0, 0
    async with sr.aread(host, concurrency=concurrency) as reading:
        async for _ in reading:
            first = first or time.perf_counter() - began
            count += 1
    assert count == expected and reading.report.complete
    return first, time.perf_counter() - began


def peer(host: str, expected: int) -> float:
    """Seconds that ultimate-sitemap-parser takes."""
    from usp.tree import sitemap_tree_for_homepage

    logging.disable(logging.CRITICAL)
    began = time.perf_counter()
    tree = sitemap_tree_for_homepage(host + "/", use_known_paths=False)
    assert sum(1 for page in tree.all_pages() if page.url) == expected
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--children", type=int, default=20)
    parser.add_argument("--entries", type=int, default=50_000)
    parser.add_argument("--latency", type=float, nargs="+", default=[0.0, 0.1])
    parser.add_argument("--concurrency", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", action="store_true")
    args = parser.parse_args()
    ours, theirs = multiprocessing.Pipe()
    multiprocessing.Process(target=serve, args=(theirs, args.children, args.entries), daemon=True).start()
    host, site = ours.recv()
    expected = args.children * args.entries
    print("| latency | way | first entry | all | parse alone | requests alone | all / greater |")
    print("|---|---|---|---|---|---|---|")
    for latency in args.latency:
        ours.send(latency)
        ours.recv()
        turns = 2 + -(-args.children // args.concurrency)  # robots.txt and index, then so many at a time
        rounds: dict[str, list[tuple[float, float, float]]] = {"read": [], "aread": []}
        for _ in range(args.rounds):
            parsed = parse_all(host, site)
            rounds["read"].append((*read(host, args.concurrency, expected), parsed))
            rounds["aread"].append((*asyncio.run(aread(host, args.concurrency, expected)), parsed))
        for way, taken in rounds.items():
            first, whole, parsed = (statistics.median(column) for column in zip(*taken, strict=True))
            ratio = statistics.median(total / max(alone, turns * latency) for _, total, alone in taken)
            cells = f"{first:.2f} | {whole:.2f} | {parsed:.2f} | {turns * latency:.2f} | {ratio:.2f}"
            print(f"| {latency:.2f} | {way} | {cells} |")
        if args.peer:
            ratio = statistics.median(
                peer(host, expected) / read(host, args.concurrency, expected)[1] for _ in range(args.rounds)
            )
            print(f"latency {latency:.2f}: ultimate-sitemap-parser takes {ratio:.1f} times as long as read")


if __name__ == "__main__":
    main()
