"""A farm of hosts on loopback addresses, most of them sites and some of them hostile, and what it was asked.

Runs in a process of its own (``python farm.py PORTFILE HOSTS HUGE PAUSE``), one address for each host from 127.0.9.1
on; each answer takes PAUSE seconds, so that requests to a host that overlap are seen to. `Farm` starts it and asks it.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

CHILD = 50_000
HOSTILE = ("silent", "drip", "reset", "bomb", "endless", "loop", "html", "dtd", "forbidden", "broken")
"""Every tenth host is one of these, by turns, and answers every request in its way."""
SPACING = 10


def address(number: int) -> str:
    return f"127.0.{9 + number // 250}.{1 + number % 250}"


def kind(number: int) -> str:
    """What a host is: the first is huge."""
    if number == 0:
        return "huge"
    return HOSTILE[number // SPACING % len(HOSTILE)] if number % SPACING == SPACING - 1 else "site"


def pages(number: int, huge: int) -> int:
    """How many pages a host lists, if it is a site."""
    return huge if number == 0 else 20 + number % 50


def document(base: str, number: int, path: str, huge: int) -> bytes | None:
    """What a site answers; its pages are in two sitemaps, or in as many as they need."""
    most = pages(number, huge)
    each = min(CHILD, -(-most // 2))
    if path == "/robots.txt":
        return f"Sitemap: {base}/index.xml\n".encode()
    if path == "/index.xml":
        items = (f"<sitemap><loc>{base}/{n}.xml</loc></sitemap>" for n in range(-(-most // each)))
        return f"<sitemapindex>{''.join(items)}</sitemapindex>".encode()
    name = path[1:].removesuffix(".xml")
    if not name.isdigit() or int(name) * each >= most:
        return None
    some = range(int(name) * each, min(most, (int(name) + 1) * each))
    urls = (f"<url><loc>{base}/page-{n}</loc><lastmod>2026-01-01</lastmod></url>" for n in some)
    return f"<urlset>{''.join(urls)}</urlset>".encode()


class Serving:
    """The farm, in its own process."""

    def __init__(self, huge: int, pause: float) -> None:
        self.size, self.pause = huge, pause
        self.asked: Counter[str] = Counter()
        self.open: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.readers: WeakKeyDictionary[asyncio.StreamWriter, asyncio.StreamReader] = WeakKeyDictionary()
        self.bomb_ = gzip.compress(b"<urlset>" + b" " * 300_000_000, 6)

    async def serve(self, hosts: int, portfile: Path) -> None:
        server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.numbers = {address(number): number for number in range(hosts)}
        others = [await asyncio.start_server(self.answer, host, self.port, backlog=200) for host in self.numbers]
        portfile.with_suffix(".new").write_text(str(self.port))
        portfile.with_suffix(".new").rename(portfile)
        await asyncio.gather(server.serve_forever(), *(other.serve_forever() for other in others))

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host = writer.get_extra_info("sockname")[0]
        self.readers[writer] = reader
        with suppress(OSError, asyncio.IncompleteReadError):
            while request := await reader.readuntil(b"\r\n\r\n"):
                path = request.split(b" ", 2)[1].decode()
                if host == "127.0.0.1":
                    body = json.dumps({"asked": self.asked, "most": self.most}).encode()
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                    continue
                self.asked[host] += 1
                self.open[host] += 1
                self.most[host] = max(self.most[host], self.open[host])
                try:
                    await asyncio.sleep(self.pause)
                    await getattr(self, kind(self.numbers[host]))(host, path, writer)
                    await writer.drain()
                finally:
                    self.open[host] -= 1
        writer.close()

    async def site(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        body = await asyncio.to_thread(document, f"http://{host}:{self.port}", self.numbers[host], path, self.size)
        status = b"200 OK" if body is not None else b"404 Not Found"
        writer.write(b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n" % (status, len(body or b"")) + (body or b""))

    huge = site

    async def silent(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        await self.readers[writer].read()  # until the other side has enough

    async def drip(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n<urlset>")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.1)

    async def reset(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()
        raise ConnectionAbortedError

    async def bomb(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(self.bomb_) + self.bomb_)

    async def endless(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n<urlset>")
        while True:
            writer.write(b"<url><loc>http://%s/again</loc></url>" % host.encode() * 100)
            await writer.drain()

    async def loop(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: %sx\r\nContent-Length: 0\r\n\r\n" % path.encode())

    async def html(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 24\r\n\r\n<!doctype html><p>Hello!")

    async def dtd(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        body = b'<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa">]><urlset><url><loc>&a;</loc></url></urlset>'
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    async def forbidden(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")

    async def broken(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")


class Farm:
    """A farm that runs; a context manager."""

    def __init__(self, folder: Path, *, hosts: int, huge: int, pause: float = 0.02) -> None:
        self.folder, self.hosts, self.size, self.pause = folder, hosts, huge, pause

    def __enter__(self) -> Farm:
        portfile = self.folder / "port"
        arguments = [str(portfile), str(self.hosts), str(self.size), str(self.pause)]
        self._process = subprocess.Popen([sys.executable, __file__, *arguments])
        until(portfile.exists, 30)
        self.port = int(portfile.read_text())
        self.starts = self.folder / "starts.txt"
        self.starts.write_text("".join(f"http://{address(n)}:{self.port}\n" for n in range(self.hosts)))
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def log(self) -> dict[str, dict[str, int]]:
        """How often each host was asked, and by how many at a time at most."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/")
        found: dict[str, dict[str, int]] = json.loads(connection.getresponse().read())
        connection.close()
        return found

    def sites(self) -> dict[str, int]:
        """The pages of each host that is a site."""
        return {address(n): pages(n, self.size) for n in range(self.hosts) if kind(n) in ("site", "huge")}


def until(ready: Callable[[], Any], seconds: float) -> None:
    """Wait for something to be so."""
    ends = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < ends, "it takes too long"
        time.sleep(0.02)


def workers(driver: int) -> list[int]:
    """The workers of a local cluster: what its driver has spawned."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            if (
                f"\nPPid:\t{driver}\n" in status.read_text()
                and b"spawn_main" in (status.parent / "cmdline").read_bytes()
            ):
                found.append(int(status.parent.name))
    return found


def resident(process: int) -> float:
    """Mebibytes of memory that a process has."""
    with suppress(OSError, IndexError, ValueError):
        text = Path(f"/proc/{process}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) / 1024
    return 0.0


if __name__ == "__main__":
    asyncio.run(Serving(int(sys.argv[3]), float(sys.argv[4])).serve(int(sys.argv[2]), Path(sys.argv[1])))
