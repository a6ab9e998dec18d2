"""A walk that other HTTP clients fetch for: out of order, several at a time, pickled half way; the same as `read`."""

from __future__ import annotations

import asyncio
import gzip
import pickle
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple
from urllib.parse import urljoin

import aiohttp
import pytest
import urllib3
from faults.server import Page, Reply, Server

import sitemapreader as sr

AT_A_TIME = 4
ANY = sr.Policy(scope=sr.Scope.ANY)


class Answer(NamedTuple):
    """A response, its body as it was sent."""

    url: str
    status: int
    headers: dict[str, str]
    body: bytes


def urlset(*names: str) -> bytes:
    return f"<urlset>{''.join(f'<url><loc>https://a.example/{name}</loc></url>' for name in names)}</urlset>".encode()


@pytest.fixture
def server() -> Iterator[Server]:
    """A site of an index, children of several kinds and speeds, one that has moved and one that is gone."""
    with Server() as made:
        names = [f"/{n}.xml" for n in range(12)]
        listed = "".join(f"<sitemap><loc>{made.url(name)}</loc></sitemap>" for name in [*names, "/gone.xml"])
        site: dict[str, Page] = {
            name: Reply(body=urlset(f"{n}a", f"{n}b"), wait=0.01 * (n % 3)) for n, name in enumerate(names)
        }
        packed = gzip.compress(urlset("packed"))
        made.pages = site | {
            "/robots.txt": f"Sitemap: {made.url('/index.xml')}\n".encode(),
            "/index.xml": f"<sitemapindex>{listed}</sitemapindex>".encode(),
            "/3.xml": Reply(headers={"Content-Encoding": "gzip", "ETag": '"3"'}, body=packed),
            "/5.xml": Reply(301, {"Location": "/moved.xml"}),
            "/moved.xml": gzip.compress(urlset("moved")),
        }
        yield made


def settle(walk: sr.Walk, ref: sr.SitemapRef, answer: Answer) -> list[sr.Entry]:
    """What any crawler does with an answer."""
    if answer.status == 200:
        return list(walk.receive(ref, answer.body, url=answer.url, headers=answer.headers, status=answer.status))
    walk.fail(ref, sr.FetchError(ref.loc, sr.Outcome.ABSENT, answer.status))
    return []


def fetch_with_urllib3(pool: urllib3.PoolManager, url: str) -> Answer:
    response = pool.request("GET", url, decode_content=False, preload_content=False)
    body = response.read(decode_content=False)
    response.release_conn()
    for step in response.retries.history if response.retries else ():
        url = urljoin(url, step.redirect_location or "")
    return Answer(url, response.status, dict(response.headers), body)


async def fetch_with_aiohttp(session: aiohttp.ClientSession, url: str) -> Answer:
    async with session.get(url) as response:
        return Answer(str(response.url), response.status, dict(response.headers), await response.read())


def drive_urllib3(start: str) -> tuple[list[sr.Entry], sr.Report]:
    walk = sr.Walk(start, policy=ANY)
    entries: list[sr.Entry] = []
    running: dict[Future[Answer], sr.SitemapRef] = {}
    pickled = False
    with urllib3.PoolManager(maxsize=AT_A_TIME) as pool, ThreadPoolExecutor(AT_A_TIME) as threads:
        while not walk.done:
            while len(running) < AT_A_TIME and (ref := walk.next()) is not None:
                running[threads.submit(fetch_with_urllib3, pool, ref.loc)] = ref
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                entries += settle(walk, running.pop(future), future.result())
            if len(entries) > 8 and not pickled:
                walk, pickled = pickle.loads(pickle.dumps(walk)), True
    assert pickled
    return entries, walk.report


async def drive_aiohttp(start: str) -> tuple[list[sr.Entry], sr.Report]:
    walk = sr.Walk(start, policy=ANY)
    entries: list[sr.Entry] = []
    running: dict[asyncio.Task[Answer], sr.SitemapRef] = {}
    pickled = False
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        while not walk.done:
            while len(running) < AT_A_TIME and (ref := walk.next()) is not None:
                running[asyncio.create_task(fetch_with_aiohttp(session, ref.loc))] = ref
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                entries += settle(walk, running.pop(task), task.result())
            if len(entries) > 8 and not pickled:
                walk, pickled = pickle.loads(pickle.dumps(walk)), True
    assert pickled
    return entries, walk.report


FIELDS = (
    *("requested", "url", "format", "outcome", "complete", "status", "entries", "refs", "bytes", "depth", "parent"),
    *("etag", "counts"),
)


def rows(report: sr.Report) -> dict[str, list[Any]]:
    """What a report says of each document, whichever was read first."""
    return {row.requested: [getattr(row, field) for field in FIELDS] for row in report.sitemaps}


DRIVERS = {"urllib3": drive_urllib3, "aiohttp": lambda start: asyncio.run(drive_aiohttp(start))}


@pytest.mark.parametrize("drive", DRIVERS.values(), ids=DRIVERS)
def test_a_walk_with_another_client_gives_what_read_gives(drive: Any, server: Server) -> None:
    with sr.read(server.url("/"), policy=ANY) as reading:
        expected = list(reading)
    asked, server.log = server.paths, []
    entries, report = drive(server.url("/"))
    assert len(expected) == 2 * 10 + 2
    assert sorted(entry.loc for entry in entries) == sorted(entry.loc for entry in expected)
    by_document = {entry.sitemap: [e for e in entries if e.sitemap == entry.sitemap] for entry in entries}
    assert by_document == {entry.sitemap: [e for e in expected if e.sitemap == entry.sitemap] for entry in expected}
    assert rows(report) == rows(reading.report)
    assert report.complete is reading.report.complete is False
    assert sorted(server.paths) == sorted(asked)
    assert server.most_open <= AT_A_TIME
