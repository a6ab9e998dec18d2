"""Servers that fail, lie, stall and lead astray: how each reading ends, what came out of it, and what was asked.

Each test runs with `read` and with `aread`; after each, no thread, task or socket is left.
"""

from __future__ import annotations

import asyncio
import gc
import gzip
import os
import signal
import stat
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from email.utils import formatdate
from itertools import islice, pairwise
from typing import Any, NamedTuple

import pytest
from faults.server import Connection, Page, Reply, Server, chunked, drip, endless, head, raw, reset, silent

import sitemapreader as sr
from sitemapreader import addresses

PATIENT = {"timeout": 30, "retries": 0}
QUICK = {"timeout": 0.6}
"""For what ends at the timeout only; anything else has time, however slow the machine."""
ANY = sr.Policy(scope=sr.Scope.ANY)
GRACE = 2.0
"""Seconds in which what is being closed may be gone."""


class Got(NamedTuple):
    """What a reading came to."""

    locs: list[str]
    report: sr.Report
    error: sr.FetchError | None

    @property
    def first(self) -> sr.SitemapReport:
        return self.report.sitemaps[0]

    @property
    def codes(self) -> set[str]:
        return {code.value for code in self.report.counts}


Read = Callable[..., Got]


def sockets() -> int:
    """Open sockets of this process."""
    count = 0
    for name in os.listdir("/dev/fd"):
        try:
            count += stat.S_ISSOCK(os.fstat(int(name)).st_mode)
        except OSError:  # the one of the listing
            continue
    return count


def threads() -> set[threading.Thread]:
    """Threads but those of the server."""
    return {thread for thread in threading.enumerate() if thread.name not in ("faults", "MainThread")}


def read_in_threads(start: str, take: int | None, options: dict[str, Any]) -> Got:
    locs, error, before = [], None, threads()
    with sr.read(start, **options) as reading:
        try:
            locs += [entry.loc for entry in islice(reading, take)]
        except sr.FetchError as caught:
            error = caught
    ends = time.monotonic() + GRACE
    while threads() - before and time.monotonic() < ends:
        time.sleep(0.01)
    assert threads() - before == set()
    return Got(locs, reading.report, error)


def read_in_tasks(start: str, take: int | None, options: dict[str, Any]) -> Got:
    async def run() -> Got:
        locs: list[str] = []
        error = None
        async with sr.aread(start, **options) as reading:
            try:
                async for entry in reading:
                    locs.append(entry.loc)
                    if len(locs) == take:
                        break
            except sr.FetchError as caught:
                error = caught
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return Got(locs, reading.report, error)

    return asyncio.run(run())


@pytest.fixture(params=[read_in_threads, read_in_tasks], ids=["read", "aread"])
def read(request: pytest.FixtureRequest) -> Read:
    def run(start: str, *, take: int | None = None, scope: sr.Scope = sr.Scope.ANY, **options: Any) -> Got:
        limits = sr.Limits(**{**PATIENT, **options.pop("limits", {})})
        options = {"policy": sr.Policy(scope=scope), "limits": limits, **options}
        return request.param(start, take, options)  # type: ignore[no-any-return]

    return run


@pytest.fixture
def server() -> Iterator[Server]:
    before = sockets()
    with Server() as made:
        yield made
    gc.collect()
    ends = time.monotonic() + GRACE
    while sockets() > before and time.monotonic() < ends:
        time.sleep(0.01)
    assert sockets() <= before


def urlset(*names: str) -> bytes:
    return f"<urlset>{''.join(f'<url><loc>https://a.example/{name}</loc></url>' for name in names)}</urlset>".encode()


def index(*locs: str) -> bytes:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{loc}</loc></sitemap>' for loc in locs)}</sitemapindex>".encode()


def locs(*names: str) -> list[str]:
    return [f"https://a.example/{name}" for name in names]


MAP = "/sitemap.xml"
TWO = urlset("1", "2")
CUT = TWO[: TWO.index(b"/2")]


# ------------------------------------------------------------------------------------------------- one document, alone
class Ending(NamedTuple):
    """What is promised for a document."""

    outcome: str
    names: str = ""
    """Entries, each of one letter."""
    codes: str = ""
    tries: int = 1
    complete: bool = False


def compressed(data: bytes, wbits: int = 31) -> bytes:
    packer = zlib.compressobj(wbits=wbits)
    return packer.compress(data) + packer.flush()


GZ = gzip.compress(TWO)
LONG = gzip.compress(urlset(*(f"{n}" for n in range(5000))))
DOCUMENTS: dict[str, tuple[Page, Ending]] = {
    "a document": (TWO, Ending("OK", "12", complete=True)),
    "chunks": (chunked([TWO[:20], TWO[20:]]), Ending("OK", "12", complete=True)),
    "no length": (raw(head(), TWO), Ending("OK", "12", complete=True)),
    "an empty one": (b"", Ending("EMPTY", codes="empty")),
    "status 204": (204, Ending("EMPTY", codes="empty")),
    "a web page": (
        Reply(200, {"Content-Type": "application/xml"}, b"<!doctype html><p>Hello"),
        Ending("NOT_A_SITEMAP", codes="not-a-sitemap"),
    ),
    "JSON": (b'{"error": "no such page"}', Ending("NOT_A_SITEMAP", codes="not-a-sitemap")),
    "status 404": (404, Ending("ABSENT", codes="absent")),
    "status 410": (410, Ending("ABSENT", codes="absent")),
    "status 401": (401, Ending("BLOCKED", codes="blocked")),
    "status 403": (403, Ending("BLOCKED", codes="blocked")),
    "status 429": (429, Ending("BLOCKED", codes="blocked")),
    "status 451": (451, Ending("BLOCKED", codes="blocked")),
    "a challenge": (
        Reply(200, {"CF-Mitigated": "challenge"}, b"<html>Just a moment"),
        Ending("BLOCKED", codes="blocked"),
    ),
    "status 500": (500, Ending("FAILED", codes="http-status")),
    "status 206": (Reply(206, {}, TWO), Ending("FAILED", codes="http-status")),
    "status 304 that nobody asked for": (304, Ending("FAILED", codes="http-status")),
    "silence": (silent(), Ending("FAILED", codes="timeout")),
    "headers that drip": (drip(b"HTTP/1.1 200 OK\r\nX-Slow: y", 0.1), Ending("FAILED", codes="timeout")),
    "a head that stops": (silent(b"HTTP/1.1 200 OK\r\nX-"), Ending("FAILED", codes="timeout")),
    "a body that stops": (silent(head(), CUT), Ending("TRUNCATED", "1", "timeout")),
    "a reset before the head": (reset(), Ending("FAILED", codes="network")),
    "a reset in the head": (reset(b"HTTP/1.1 200 OK\r\nX-"), Ending("FAILED", codes="network")),
    "a reset in the body": (reset(head(200, {"Content-Length": "999"}), CUT), Ending("TRUNCATED", "1", "network")),
    "the end of the connection, at once": (raw(), Ending("FAILED", codes="network")),
    "no HTTP": (raw(b"SSH-2.0-OpenSSH_9.6\r\n"), Ending("FAILED", codes="network")),
    "a mebibyte of headers": (
        raw(b"HTTP/1.1 200 OK\r\n" + b"X-Y: " + b"z" * 1_000_000 + b"\r\n\r\n"),
        Ending("FAILED", codes="network"),
    ),
    "a length that is too long": (raw(head(200, {"Content-Length": "999"}), CUT), Ending("TRUNCATED", "1", "network")),
    "a length that is too short": (
        raw(head(200, {"Content-Length": str(len(CUT))}), TWO),
        Ending("TRUNCATED", "1", "truncated"),
    ),
    "a length that is no number": (raw(head(200, {"Content-Length": "-5"}), TWO), Ending("FAILED", codes="network")),
    "chunks that are cut": (chunked([CUT], end=b"400\r\nab"), Ending("TRUNCATED", "1", "network")),
    "chunks that are none": (chunked([CUT], end=b"what?\r\n"), Ending("TRUNCATED", "1", "network")),
    "gzip as it should be": (Reply(200, {"Content-Encoding": "gzip"}, GZ), Ending("OK", "12", complete=True)),
    "gzip that nobody names": (GZ, Ending("OK", "12", "content-mismatch", complete=True)),
    "gzip that is none": (
        Reply(200, {"Content-Encoding": "gzip"}, TWO),
        Ending("OK", "12", "content-mismatch", complete=True),
    ),
    "x-gzip": (Reply(200, {"Content-Encoding": "x-gzip"}, GZ), Ending("OK", "12", complete=True)),
    "gzip twice": (
        Reply(200, {"Content-Encoding": "gzip, gzip"}, gzip.compress(GZ)),
        Ending("OK", "12", complete=True),
    ),
    "deflate": (
        Reply(200, {"Content-Encoding": "deflate"}, compressed(TWO, 15)),
        Ending("OK", "12", complete=True),
    ),
    "raw deflate": (
        Reply(200, {"Content-Encoding": "deflate"}, compressed(TWO, -15)),
        Ending("OK", "12", complete=True),
    ),
    "an unknown coding": (
        Reply(200, {"Content-Encoding": "xml"}, TWO),
        Ending("OK", "12", "content-mismatch", complete=True),
    ),
    "brotli": (
        Reply(200, {"Content-Encoding": "br"}, b"\x0b\x02\x80abc\x03"),
        Ending("FAILED", codes="compression-error"),
    ),
    "gzip in members": (
        Reply(200, {"Content-Encoding": "gzip"}, gzip.compress(TWO[:30]) + gzip.compress(TWO[30:])),
        Ending("OK", "12", complete=True),
    ),
    "bytes behind gzip": (
        Reply(200, {"Content-Encoding": "gzip"}, GZ + b"<!-- cached -->"),
        Ending("OK", "12", "trailing-content", complete=True),
    ),
    "a redirect without a place": (302, Ending("FAILED", codes="redirect-limit")),
    "a redirect to a file": (Reply(302, {"Location": "file:///etc/passwd"}), Ending("REFUSED", codes="url-scheme")),
    "a redirect to ftp": (Reply(302, {"Location": "ftp://a.example/"}), Ending("REFUSED", codes="url-scheme")),
    "a redirect to nonsense": (Reply(302, {"Location": "http://[::1"}), Ending("FAILED")),
    "a redirect to itself": (Reply(302, {"Location": MAP}), Ending("FAILED", codes="redirect-limit")),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_ends_as_promised(name: str, read: Read, server: Server) -> None:
    page, ending = DOCUMENTS[name]
    server.pages = {MAP: page}
    got = read(server.url(MAP), limits=QUICK if "timeout" in ending.codes else {})
    assert (got.first.outcome, got.locs) == (sr.Outcome[ending.outcome], locs(*ending.names))
    assert got.codes >= set(ending.codes.split())
    assert got.report.complete is got.first.complete is ending.complete
    assert server.paths == [MAP] * ending.tries
    assert {asked.method for asked in server.log} == {"GET"}
    if not ending.complete:
        assert got.first.reason and got.report.failed == [got.first]
    assert (got.error is not None) is (
        ending.outcome in ("ABSENT", "BLOCKED", "REFUSED", "FAILED") and name != "brotli"
    )
    if got.error:
        assert (got.error.outcome, got.error.url) == (got.first.outcome, server.url(MAP))


# ------------------------------------------------------------------------------------------------------ time and size
def test_a_body_that_drips_ends_with_the_reading(read: Read, server: Server) -> None:
    server.pages = {MAP: drip(head() + CUT, 0.005)}
    began = time.monotonic()
    got = read(server.url(MAP), limits={"deadline": 1.5})
    assert time.monotonic() - began < 10
    assert got.first.outcome in (sr.Outcome.TRUNCATED, sr.Outcome.FAILED)
    assert "timeout" in got.codes
    assert not got.report.complete


def test_a_body_that_drips_ends_after_twenty_times_the_timeout(read: Read, server: Server) -> None:
    server.pages = {MAP: drip(head() + TWO[:40], 0.02)}
    got = read(server.url(MAP), limits={"timeout": 0.1})
    assert "timeout" in got.codes


def test_a_body_without_end_ends_at_its_limit(read: Read, server: Server) -> None:
    server.pages = {MAP: endless(b"<urlset>", b"<url><loc>https://a.example/p</loc></url>" * 100)}
    got = read(server.url(MAP), limits={"max_bytes": 100_000})
    assert got.first.outcome is sr.Outcome.TRUNCATED
    assert got.codes >= {"limit-size"}
    assert 2000 < len(got.locs) < 2500


def test_a_reader_that_leaves_early_stops_a_body_without_end(read: Read, server: Server) -> None:
    server.pages = {MAP: endless(b"<urlset>", b"<url><loc>https://a.example/p</loc></url>" * 100)}
    got = read(server.url(MAP), take=3)
    assert got.locs == locs("p", "p", "p")
    assert not got.report.complete


def test_the_first_entry_waits_for_no_last_byte(read: Read, server: Server) -> None:
    many = urlset(*(f"{n}" for n in range(400)))
    server.pages = {MAP: silent(head(), many[:-100])}
    assert read(server.url(MAP), take=1, limits={"timeout": 30}).locs == locs("0")


def test_a_slow_reader_holds_no_connection(server: Server) -> None:
    big = urlset(*(f"{'x' * 200}{n}" for n in range(20_000)))
    server.pages = {MAP: big}
    with sr.read(server.url(MAP), policy=ANY) as reading:
        next(reading)
        ends = time.monotonic() + GRACE
        while server._open and time.monotonic() < ends:
            time.sleep(0.01)
        assert server._open == 0
        assert sum(1 for _ in reading) == 19_999


# ------------------------------------------------------------------------------------------------------- trying again
def test_what_may_pass_is_tried_again(read: Read, server: Server) -> None:
    server.pages = {MAP: [503, raw(), TWO]}
    got = read(server.url(MAP), limits={"retries": 2})
    assert got.locs == locs("1", "2")
    assert got.report.complete
    assert server.paths == [MAP] * 3


def test_nothing_is_tried_again_after_some_of_it_came(read: Read, server: Server) -> None:
    server.pages = {MAP: [reset(head(200, {"Content-Length": "999"}), CUT), TWO]}
    got = read(server.url(MAP), limits={"retries": 2})
    assert got.locs == locs("1")
    assert server.paths == [MAP]


@pytest.mark.parametrize("after", ["1", lambda: formatdate(time.time() + 1.9, usegmt=True)], ids=["seconds", "date"])
def test_a_server_that_asks_for_a_pause_gets_it(after: Any, read: Read, server: Server) -> None:
    value = after() if callable(after) else after
    server.pages = {MAP: [Reply(429, {"Retry-After": value}), TWO]}
    got = read(server.url(MAP), limits={"retries": 1})
    assert got.locs == locs("1", "2")
    first, second = server.log
    assert second.time - first.time > 0.8


def test_a_pause_that_is_too_long_is_not_waited_for(read: Read, server: Server) -> None:
    server.pages = {MAP: Reply(503, {"Retry-After": "86400"})}
    got = read(server.url(MAP), limits={"retries": 2})
    assert got.error is not None and got.error.retry_after == 86400
    assert server.paths == [MAP]


# ------------------------------------------------------------------------------------------------------------- manners
OWN = {"User-Agent": "tests/1", "Accept-Language": "is", "Authorization": "Bearer x", "Cookie": "a=b", "X-Key": "k"}


def test_headers_go_where_they_should_and_nowhere_else(read: Read, server: Server) -> None:
    theirs = server.url("/theirs.xml", other=True)
    server.pages = {
        "/i.xml": Reply(
            body=index(server.url("/mine.xml"), theirs, server.url("/moved.xml")), headers={"Set-Cookie": "s=1"}
        ),
        "/mine.xml": TWO,
        "/theirs.xml": Reply(body=TWO, headers={"Set-Cookie": "t=1"}),
        "/moved.xml": Reply(302, {"Location": server.url("/there.xml", other=True)}),
        "/there.xml": TWO,
    }
    got = read(server.url("/i.xml"), headers=OWN)
    assert len(got.locs) == 6
    for asked in server.log:
        assert asked.headers["user-agent"] == "tests/1"
        assert asked.headers["accept-language"] == "is"
        assert asked.headers["accept-encoding"] == "gzip, deflate"
        at_home = asked.host == "127.0.0.1"
        assert asked.headers.get("authorization") == ("Bearer x" if at_home else None)
        assert asked.headers.get("cookie") == ("a=b" if at_home else None)
        assert asked.headers.get("x-key") == ("k" if at_home else None)
    assert {asked.host for asked in server.log} == {"127.0.0.1", "127.0.0.2"}


def test_no_cookie_is_kept(read: Read, server: Server) -> None:
    server.pages = {
        "/i.xml": Reply(body=index(server.url("/mine.xml")), headers={"Set-Cookie": "s=1; Path=/"}),
        "/mine.xml": TWO,
    }
    read(server.url("/i.xml"))
    assert [asked.headers.get("cookie") for asked in server.log] == [None, None]


def test_nothing_comes_from_the_environment(read: Read, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    server.pages = {MAP: TWO}
    assert read(server.url(MAP)).locs == locs("1", "2")


def children(server: Server, count: int, wait: float = 0.0) -> dict[str, Page]:
    """An index and its children, each of which has one entry."""
    names = [f"/{n}.xml" for n in range(count)]
    site: dict[str, Page] = {"/i.xml": index(*map(server.url, names))}
    return site | {name: Reply(body=urlset(name[1:-4]), wait=wait) for name in names}


def test_order_is_that_of_the_document_whichever_answers_first(read: Read, server: Server) -> None:
    server.pages = children(server, 8)
    for n in range(8):
        server.pages[f"/{n}.xml"] = Reply(body=urlset(f"{n}"), wait=0.02 * (8 - n))
    assert read(server.url("/i.xml")).locs == locs(*map(str, range(8)))


@pytest.mark.parametrize(("limits", "most"), [({}, 4), ({"per_host": 1}, 1), ({"per_host": 2}, 2)])
def test_few_requests_are_on_their_way_at_a_time(limits: dict[str, int], most: int, read: Read, server: Server) -> None:
    server.pages = children(server, 8, wait=0.2)
    assert len(read(server.url("/i.xml"), limits=limits).locs) == 8
    assert server.most_open == most


def test_requests_begin_an_interval_apart(read: Read, server: Server) -> None:
    server.pages = children(server, 4)
    read(server.url("/i.xml"), limits={"interval": 0.4})
    times = [asked.time for asked in server.log]
    assert len(times) == 5
    assert min(later - earlier for earlier, later in pairwise(times)) > 0.1  # they may be late


def test_nothing_is_fetched_for_a_reader_that_has_left(read: Read, server: Server) -> None:
    server.pages = children(server, 50)
    assert read(server.url("/i.xml"), take=2).locs == locs("0", "1")
    assert len(server.log) <= 1 + 4 + 2


# ------------------------------------------------------------------------------------------------------ trees of them
def test_a_dead_child_is_named_and_costs_itself_alone(read: Read, server: Server) -> None:
    server.pages = children(server, 5) | {"/1.xml": 500, "/2.xml": raw(), "/3.xml": b"<html>"}
    got = read(server.url("/i.xml"))
    assert got.locs == locs("0", "4")
    assert not got.report.complete
    assert [(row.requested, row.status, row.parent) for row in got.report.failed] == [
        (server.url("/1.xml"), 500, server.url("/i.xml")),
        (server.url("/2.xml"), None, server.url("/i.xml")),
        (server.url("/3.xml"), 200, server.url("/i.xml")),
    ]
    assert all(row.reason for row in got.report.failed)


@pytest.mark.parametrize("page", [reset(head(200, {"Content-Length": "999"}), CUT), silent(head(), CUT)])
def test_a_child_that_is_killed_gives_what_came_of_it(page: Page, read: Read, server: Server) -> None:
    server.pages = children(server, 3) | {"/1.xml": page}
    got = read(server.url("/i.xml"), limits={"timeout": 2})
    assert got.locs == locs("0", "1", "2")
    assert [row.outcome for row in got.report.failed] == [sr.Outcome.TRUNCATED]
    assert not got.report.complete


def test_a_connection_that_was_closed_meanwhile_is_given_up_for_a_new_one(read: Read, server: Server) -> None:
    server.pages = children(server, 4)
    server.drops_second = True
    got = read(server.url("/i.xml"), limits={"per_host": 1})
    assert got.locs == locs("0", "1", "2", "3")
    assert got.report.complete
    assert len(server.paths) > len(set(server.paths)) == 5


def test_a_new_connection_that_is_closed_is_a_failure(read: Read, server: Server) -> None:
    server.pages = children(server, 2) | {"/0.xml": raw()}
    got = read(server.url("/i.xml"))
    assert got.locs == locs("1")
    assert [row.requested for row in got.report.failed] == [server.url("/0.xml")]


def test_cycles_and_repeats_are_fetched_once(read: Read, server: Server) -> None:
    a, b = server.url("/a.xml"), server.url("/b.xml")
    server.pages = {"/a.xml": index(a, b, b + "#x", server.url("/c.xml")), "/b.xml": index(a), "/c.xml": TWO}
    got = read(a)
    assert got.locs == locs("1", "2")
    assert sorted(server.paths) == ["/a.xml", "/b.xml", "/c.xml"]
    assert got.report.complete


def test_a_chain_without_end_ends_at_its_limit(read: Read, server: Server) -> None:
    server.pages = {f"/{n}.xml": index(server.url(f"/{n + 1}.xml")) for n in range(30)}
    got = read(server.url("/0.xml"))
    assert server.paths == [f"/{n}.xml" for n in range(6)]
    assert "limit-depth" in got.codes
    assert not got.report.complete


def test_a_fan_ends_at_its_limit(read: Read, server: Server) -> None:
    server.pages = {"/i.xml": index(*(server.url(f"/{n}.xml") for n in range(20_000)))}
    got = read(server.url("/i.xml"), limits={"max_sitemaps": 5})
    assert len(server.log) == 5
    assert "limit-sitemaps" in got.codes


def test_redirects_are_followed_and_judged_anew(read: Read, server: Server) -> None:
    server.pages = {
        MAP: Reply(301, {"Location": "deep/er.xml"}),
        "/deep/er.xml": Reply(307, {"Location": server.url("/x.xml", other=True)}),
        "/x.xml": urlset("1"),
    }
    got = read(server.url(MAP))
    assert got.locs == locs("1")
    assert (got.first.requested, got.first.url) == (server.url(MAP), server.url("/x.xml", other=True))
    assert "cross-host" in got.codes


def test_a_chain_of_redirects_ends_at_its_limit(read: Read, server: Server) -> None:
    server.pages = {f"/{n}": Reply(302, {"Location": f"/{n + 1}"}) for n in range(30)}
    got = read(server.url("/0"))
    assert got.codes == {"redirect-limit"}
    assert len(server.log) == 11


# ----------------------------------------------------------------------------------------------------- where to look
def test_a_site_without_robots_txt_is_complete_and_one_that_hides_it_is_not(read: Read, server: Server) -> None:
    for status, complete in ((404, True), (503, False), (403, False)):
        server.pages = {"/robots.txt": status, MAP: TWO}
        got = read(server.url("/"))
        assert (got.locs, got.report.complete) == (locs("1", "2"), complete)


def test_guesses_are_quiet_and_made_once(read: Read, server: Server) -> None:
    server.pages = {"/sitemap.txt": b"https://a.example/1\n", MAP: 503, "/sitemap_index.xml": b"<html>soft 404"}
    got = read(server.url("/"), limits={"retries": 2})
    assert got.locs == locs("1")
    assert server.paths == [
        "/robots.txt",
        *("/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml", "/wp-sitemap.xml", "/sitemap.xml.gz"),
        "/sitemap.txt",
    ]
    assert got.report.complete
    assert got.codes <= {"absent", "content-mismatch"}


def test_a_blocked_guess_is_the_last(read: Read, server: Server) -> None:
    server.pages = {MAP: 403}
    got = read(server.url("/"))
    assert server.paths == ["/robots.txt", MAP]
    assert got.error is not None


def test_a_home_page_leads_on(read: Read, server: Server) -> None:
    page = b"<!doctype html><head><link rel=sitemap href=/maps>"
    server.pages = {"/": page, "/maps": TWO}
    got = read(server.url("/"))
    assert got.locs == locs("1", "2")
    assert server.paths[-2:] == ["/", "/maps"]


def test_a_feed_that_a_home_page_links_to_is_not_all(read: Read, server: Server) -> None:
    feed = b"<rss version='2.0'><channel><item><link>https://a.example/1</link></item></channel></rss>"
    server.pages = {
        "/": Reply(body=b"<!doctype html>", headers={"Link": '</feed>; rel="alternate"; type="application/rss+xml"'}),
        "/feed": feed,
    }
    got = read(server.url("/"))
    assert got.locs == locs("1")
    assert got.report.recent_only
    assert not got.report.complete


def test_a_host_that_does_not_answer_is_not_asked_for_more(read: Read, server: Server) -> None:
    server.pages = {"/robots.txt": silent(), MAP: silent(), "/sitemap_index.xml": TWO}
    got = read(server.url("/"), limits=QUICK)
    assert got.locs == []
    assert server.paths == ["/robots.txt", MAP]
    assert not got.report.complete


def test_little_is_read_of_a_guess_that_is_a_page(read: Read, server: Server) -> None:
    server.pages = {MAP: endless(b"<!doctype html>", b"<p>and so on</p>" * 1000), "/sitemap_index.xml": TWO}
    assert read(server.url("/")).locs == locs("1", "2")


# ------------------------------------------------------------------------------------------------ only what is changed
def conditional(etag: str, body: bytes) -> Callable[[Connection], None]:
    def answer(connection: Connection) -> None:
        if connection.asked.headers.get("if-none-match") == etag:
            connection.send(head(304, {"ETag": etag}))
        else:
            connection.send(head(200, {"ETag": etag, "Content-Length": str(len(body))}) + body)

    return answer


def test_what_has_not_changed_is_not_read_again(read: Read, server: Server) -> None:
    site = children(server, 3)
    server.pages = site | {f"/{n}.xml": conditional(f'"v{n}"', urlset(f"{n}")) for n in range(3)}
    first = read(server.url("/i.xml"))
    assert len(first.locs) == 3
    server.pages["/1.xml"] = conditional('W/"new"', urlset("x"))
    second = read(server.url("/i.xml"), validators=first.report.validators)
    assert second.locs == locs("x")
    outcomes = {row.requested: row.outcome for row in second.report.sitemaps}
    assert [outcomes[server.url(f"/{n}.xml")].name for n in range(3)] == ["NOT_MODIFIED", "OK", "NOT_MODIFIED"]  # type: ignore[union-attr]
    assert second.report.complete
    third = second.report.validators
    assert third[server.url("/0.xml")].etag == '"v0"' and third[server.url("/1.xml")].etag == 'W/"new"'


# ---------------------------------------------------------------------------------------------------------- addresses
def test_a_private_start_is_refused_if_that_is_asked_for(read: Read, server: Server) -> None:
    server.pages = {MAP: TWO}
    got = read(server.url(MAP), limits={"block_private": True})
    assert got.error is not None and got.error.outcome is sr.Outcome.REFUSED
    assert got.codes == {"policy-address"}
    assert server.log == []


@pytest.mark.parametrize(("block", "reached"), [(None, False), (False, True)])
def test_a_public_site_leads_to_no_private_address(
    block: bool | None, reached: bool, read: Read, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    # For this test, the first host is a public one.
    monkeypatch.setattr(addresses, "is_public", lambda address: address == "127.0.0.1")
    other = server.url("/2.xml", other=True)
    server.pages = {
        "/i.xml": index(server.url("/1.xml"), other, server.url("/moved.xml"), server.url("/3.xml")),
        "/1.xml": urlset("1"),
        "/2.xml": urlset("2"),
        "/moved.xml": Reply(302, {"Location": server.url("/2b.xml", other=True)}),
        "/2b.xml": urlset("b"),
        "/3.xml": urlset("3"),
    }
    got = read(server.url("/i.xml"), limits={"block_private": block})
    assert got.locs == (locs("1", "2", "b", "3") if reached else locs("1", "3"))
    assert ("127.0.0.2" in {asked.host for asked in server.log}) is reached
    if not reached:
        assert [(row.requested, row.outcome) for row in got.report.failed] == [
            (other, sr.Outcome.REFUSED),
            (server.url("/moved.xml"), sr.Outcome.REFUSED),
        ]


def test_each_address_of_a_name_is_judged(read: Read, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    port = int(server.url("").rpartition(":")[2])
    answers = [(2, 1, 6, "", (address, port)) for address in ("127.0.0.1", "127.0.0.9")]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: answers)
    monkeypatch.setattr(addresses, "is_public", lambda address: address == "127.0.0.1")
    server.pages = {MAP: TWO}
    got = read(f"http://shop.example:{port}{MAP}", limits={"block_private": True})
    assert got.codes == {"policy-address"}
    assert "127.0.0.9" in got.first.reason
    assert server.log == []


def test_a_name_is_connected_to_where_it_was_judged(
    read: Read, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, asked = int(server.url("").rpartition(":")[2]), []

    def look_up(host: str, *_: object, **__: object) -> list[Any]:
        if host.startswith("127."):  # as every connection to an address is
            return [(2, 1, 6, "", (host, port))]
        asked.append(host)
        return [(2, 1, 6, "", ("127.0.0.1" if len(asked) == 1 else "127.0.0.2", port))]

    monkeypatch.setattr("socket.getaddrinfo", look_up)
    server.pages = {MAP: TWO}
    assert read(f"http://shop.example:{port}{MAP}").locs == locs("1", "2")
    assert asked == ["shop.example"]
    assert server.log[0].headers["host"] == f"shop.example:{port}"


# --------------------------------------------------------------------------------------------------- side by side
def test_readings_side_by_side_share_nothing(server: Server) -> None:
    server.pages = children(server, 6, wait=0.02)
    barrier, results = threading.Barrier(4), {}

    def in_thread(name: str) -> list[str]:
        with sr.read(server.url("/i.xml"), headers={"X-Who": name}, policy=ANY) as reading:
            return [entry.loc for entry in reading]

    async def in_task(name: str) -> list[str]:
        async with sr.aread(server.url("/i.xml"), headers={"X-Who": name}, policy=ANY) as reading:
            return [entry.loc async for entry in reading]

    def run(name: str) -> None:
        barrier.wait()
        results[name] = in_thread(name) if name in "ab" else asyncio.run(in_task(name))

    running = [threading.Thread(target=run, args=(name,)) for name in "abcd"]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert results == dict.fromkeys("abcd", locs(*map(str, range(6))))
    whose = [asked.headers["x-who"] for asked in server.log]
    assert {name: whose.count(name) for name in "abcd"} == dict.fromkeys("abcd", 7)


# ------------------------------------------------------------------------------------------ in a process of its own
READING = """
import resource, sys
import sitemapreader as sr

def read(url):
    got = []
    with sr.read(url, policy=sr.Policy(scope=sr.Scope.ANY)) as reading:
        for entry in reading:
            got += [entry.loc] if not got else []
    return got, reading.report.sitemaps[0].outcome.name

read(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(*read(sys.argv[2]), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs this in the background has it ignored
from sitemapreader.cli import main
sys.exit(main())
"""


def bomb(mebibytes: int) -> bytes:
    """A sitemap of one entry and so many MiB of blanks, compressed."""
    packer = zlib.compressobj(9, wbits=31)
    parts = [packer.compress(TWO[: -len(b"</urlset>")])]
    blank = b" " * (1 << 20)
    parts += [packer.compress(blank) for _ in range(mebibytes)]
    return b"".join([*parts, packer.flush()])


@pytest.mark.parametrize("headers", [{"Content-Encoding": "gzip"}, {}], ids=["Content-Encoding", "gz"])
def test_a_bomb_costs_little_memory(headers: dict[str, str], server: Server) -> None:
    server.pages = {MAP: TWO, "/bomb.xml.gz": Reply(200, headers, bomb(512))}
    command = [sys.executable, "-c", READING, server.url(MAP), server.url("/bomb.xml.gz")]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    first, outcome, growth = ran.stdout.split()
    assert (first, outcome) == ("['https://a.example/1']", "TRUNCATED")
    assert int(growth) < 24 * 1024


@pytest.mark.parametrize(
    "page",
    [silent(), silent(head(), CUT), drip(head() + CUT, 0.05), Reply(503, {"Retry-After": "50"})],
    ids=["silence", "a body that stops", "a body that drips", "a pause"],
)
def test_an_interrupt_ends_the_command_line_at_once(page: Page, server: Server) -> None:
    server.pages = {MAP: page}
    command = [sys.executable, "-c", COMMAND, "dump", server.url(MAP), "--timeout", "60"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while not server.log:
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert time.monotonic() - began < 5
    assert b"Traceback" not in errors
