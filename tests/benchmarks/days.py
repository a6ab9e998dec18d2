"""What it costs to remember: a site with millions of pages from loopback, read day by day with and without a state.

``python tests/benchmarks/days.py [--children 200] [--entries 50000] [--folder DIR]``

Each day is read by a process of its own: without a state; into a new state; again with nothing changed, which the
server says with 304; again with a hundredth of the pages edited, on a server that knows no validators, so that every
document is sent, read and compared; and a day on which a hundredth of the pages are gone and as many are new. Prints
seconds, pages a second, the peak of resident memory, and the size of the file.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path

import sitemapreader as sr
from sitemapreader.state import State

DAYS = ("plain", "first", "unchanged", "edited", "moved")


def document(host: str, child: int, entries: int, day: str) -> bytes:
    """A sitemap as it is on a day."""
    dates = {"edited": "2026-12-02", "moved": "2026-12-02"}
    lines = []
    for n in range(entries):
        kind = n % 100 == 7
        name = n + entries if kind and day == "moved" else n
        date = dates[day] if kind and day in dates else f"2026-{n % 12 + 1:02d}-{n % 28 + 1:02d}"
        lines.append(
            f"  <url>\n    <loc>{host}/shelf-{child}/item-{name * 7919 % 1_000_003:07d}.html</loc>\n"
            f"    <lastmod>{date}T08:{n % 60:02d}:00+00:00</lastmod>\n  </url>\n"
        )
    namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    return f'<?xml version="1.0"?>\n<urlset {namespace}>\n{"".join(lines)}</urlset>\n'.encode()


def serve(pipe: Connection, children: int, entries: int) -> None:
    """A server in a process of its own; says where it is, and takes the day."""
    day = ""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host = f"http://127.0.0.1:{self.server.server_address[1]}"
            tag = None
            if self.path == "/index.xml":
                items = "".join(f"<sitemap><loc>{host}/{n}.xml</loc></sitemap>" for n in range(children))
                body = f"<sitemapindex>{items}</sitemapindex>".encode()
            elif day == "unchanged":
                self.send_response(304 if self.headers.get("if-none-match") else 500)
                self.end_headers()
                return
            else:
                body = document(host, int(self.path[1:-4]), entries, day)
                tag = '"first"' if day == "first" else None
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            if tag:
                self.send_header("ETag", tag)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    pipe.send(f"http://127.0.0.1:{server.server_address[1]}/index.xml")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while True:
        day = pipe.recv()
        pipe.send("ready")


def read(start: str, path: str) -> None:
    """One reading, in a process of its own; prints what it took."""
    began, marks = time.perf_counter(), {"new": 0, "changed": 0, "unchanged": 0, "gone": 0}
    state = State(path) if path else None
    with sr.read(start, state=state, concurrency=2) as reading:
        if state is None:
            count = sum(1 for _ in reading)
        else:
            for change in reading.changes():
                marks[change.mark.value] += 1
            marks["gone"] = sum(1 for _ in reading.gone())
            count = reading.report.entries
    assert reading.report.complete
    whole = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"count": count, "seconds": whole, "peak": peak, **marks}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--children", type=int, default=200)
    parser.add_argument("--entries", type=int, default=50_000)
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where the state is written")
    parser.add_argument("--read", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.read:
        return read(*args.read)
    ours, theirs = multiprocessing.Pipe()
    multiprocessing.Process(target=serve, args=(theirs, args.children, args.entries), daemon=True).start()
    start = ours.recv()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        path = Path(folder) / "site.db"
        print("| day | new | changed | gone | seconds | pages/s | peak MB | file MB |", flush=True)
        print("|---|---|---|---|---|---|---|---|")
        for day in DAYS:
            ours.send(day)
            ours.recv()
            command = [sys.executable, __file__, "--read", start, "" if day == "plain" else str(path)]
            got = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            size = path.stat().st_size / 2**20 if path.exists() else 0
            speed = args.children * args.entries / got["seconds"]
            numbers = f"{got['new']:,} | {got['changed']:,} | {got['gone']:,} | {got['seconds']:.1f}"
            print(f"| {day} | {numbers} | {speed:,.0f} | {got['peak']} | {size:.0f} |", flush=True)


if __name__ == "__main__":
    main()
