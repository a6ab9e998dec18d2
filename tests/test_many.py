"""Many sites at a time: all are read, each has its row, none keeps the others, and hosts are asked with care."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import httpx
import pytest
from faults.server import Connection, Page, Server, drip, endless, head, reset, silent

import sitemapreader as sr
from sitemapreader import Status
from sitemapreader.crew import Crew
from sitemapreader.fetch import HOSTS, Manners, Pace
from sitemapreader.state import State

QUICK = sr.Limits(timeout=3, retries=0, deadline=6.0, max_bytes=5_000_000)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        yield made


def urlset(*locs: str) -> bytes:
    return f"<urlset>{''.join(f'<url><loc>{loc}</loc></url>' for loc in locs)}</urlset>".encode()


def sites(handler: dict[str, int], **extra: httpx.Response) -> httpx.Client:
    """A client that knows hosts with so many pages each, in /sitemap.xml."""

    def answer(request: httpx.Request) -> httpx.Response:
        host, path = request.url.host, request.url.path
        if host in extra:
            return extra[host]
        if path == "/robots.txt" and host in handler:
            return httpx.Response(200, text=f"Sitemap: https://{host}/sitemap.xml")
        if path == "/sitemap.xml" and host in handler:
            return httpx.Response(200, content=urlset(*(f"https://{host}/{n}" for n in range(handler[host]))))
        return httpx.Response(404)

    return httpx.Client(transport=httpx.MockTransport(answer))


def test_every_site_is_read_and_every_start_has_a_row() -> None:
    pages = {f"s{n}.example": n * 10 for n in range(40)}
    starts = [*pages, "none.example", "blocked.example", "http://[", "ftp://x.example/", "s3.example"]
    found: defaultdict[str, list[str]] = defaultdict(list)
    blocked = {"blocked.example": httpx.Response(403)}
    with sites(pages, **blocked) as client, sr.read_many(starts, client=client, limits=QUICK, jobs=5) as readings:
        for start, entry in readings:
            found[start].append(entry.loc)
    assert sorted(site.start for site in readings.sites) == sorted(starts)
    for host, number in pages.items():
        times = 2 if host == "s3.example" else 1
        assert Counter(found[host]) == {f"https://{host}/{n}": times for n in range(number)}
    rows = {site.start: site for site in readings.sites}
    assert {rows[host].status for host in pages} == {Status.COMPLETE}
    assert {host: rows[host].entries for host in pages} == pages
    assert [rows[start].status.value for start in starts[-5:-1]] == ["no-sitemap", "unreadable", "invalid", "invalid"]
    assert "HTTP 403" in rows["blocked.example"].reason
    assert rows["s1.example"].to_dict() == {
        **{"start": "s1.example", "status": "complete", "entries": 10, "documents": 2, "reason": "", "file": ""},
        **{"bytes": rows["s1.example"].bytes, "seconds": rows["s1.example"].seconds},
    }


@pytest.mark.slow
def test_slow_and_hostile_sites_hold_up_nobody(server: Server) -> None:
    hostile: dict[str, Page] = {
        "/drip.xml": drip(head() + b"<urlset>", 0.05),
        "/silent.xml": silent(),
        "/reset.xml": reset(),
        "/bomb.xml": endless(b"<urlset>", b"<url><loc>https://a.example/x</loc></url>" * 100),
        "/html.xml": b"<!doctype html><p>Hello",
        "/dtd.xml": b'<!DOCTYPE urlset [<!ENTITY a "b">]><urlset/>',
    }
    good = {f"/good{n}.xml": urlset(f"{server.url('/')}{n}") for n in range(12)}
    server.pages = {**hostile, **good}
    starts = [server.url(path) for path in (*hostile, *good)]
    done: list[str] = []
    with sr.read_many(starts, jobs=6, limits=QUICK, policy=sr.Policy(scope=sr.Scope.ANY)) as readings:
        for _, _ in readings:
            done = [site.start for site in readings.sites]
    rows = {site.start.rpartition("/")[2]: site for site in readings.sites}
    assert len(rows) == len(starts) and done
    assert all(rows[path[1:]].status is Status.COMPLETE and rows[path[1:]].entries == 1 for path in good)
    assert {rows[path[1:]].status for path in hostile} <= {Status.INCOMPLETE, Status.UNREADABLE, Status.NO_SITEMAP}
    assert all(rows[path[1:]].reason for path in hostile)


def test_a_host_is_asked_by_so_many_at_a_time_over_all_sites(server: Server) -> None:
    server.pages = {f"/{n}.xml": [sleepy(urlset(f"{server.url('/')}{n}"))] for n in range(12)}
    starts = [server.url(f"/{n}.xml") for n in range(12)]
    limits = sr.Limits(per_host=2, retries=0)
    with sr.read_many(starts, jobs=8, limits=limits, concurrency=4) as readings:
        assert len(list(readings)) == 12
    assert server.most_open == 2


def sleepy(body: bytes) -> Page:
    def answer(connection: Connection) -> None:
        connection.nap(0.2)
        connection.send(head(200, {"Content-Length": str(len(body))}) + body)

    return answer


def test_pauses_are_kept_over_all_sites(server: Server) -> None:
    server.pages = {f"/{n}.xml": urlset() for n in range(4)}
    starts = [server.url(f"/{n}.xml") for n in range(4)]
    with sr.read_many(starts, jobs=4, limits=sr.Limits(interval=0.3, retries=0)) as readings:
        assert list(readings) == []
    times = sorted(asked.time for asked in server.log)
    assert len(times) == 4 and times[-1] - times[0] > 0.6  # they may be late


def test_no_site_is_begun_after_the_deadline(server: Server) -> None:
    server.pages = {f"/{n}.xml": silent() for n in range(30)}
    starts = [server.url(f"/{n}.xml") for n in range(30)]
    with sr.read_many(starts, jobs=2, deadline=0.5, limits=sr.Limits(retries=0)) as readings:
        assert list(readings) == []
    assert len(readings.sites) == 30
    assert Counter(site.status for site in readings.sites) == {Status.UNREADABLE: 2, Status.NOT_READ: 28}


def test_starts_are_taken_as_there_is_room_and_leaving_ends_it() -> None:
    taken = 0

    def starts() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield f"s{taken}.example"

    pages = {f"s{n}.example": 500 for n in range(1000)}
    before = threading.active_count()
    with sites(pages) as client, sr.read_many(starts(), client=client, jobs=3) as readings:
        assert len(list(islice(readings, 2000))) == 2000
    assert taken < 40
    ends = time.monotonic() + 2
    while threading.active_count() > before and time.monotonic() < ends:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_what_a_policy_or_the_starts_raise() -> None:
    def include(url: str) -> bool:
        return 1 // (len(url) - len("https://s1.example/0")) > -1

    pages = {"s1.example": 1, "second.example": 3}
    with sites(pages) as client, sr.read_many(pages, client=client, policy=sr.Policy(include=include)) as readings:
        assert len(list(readings)) == 3
    rows = {site.start: site for site in readings.sites}
    assert rows["s1.example"].status is Status.ERROR and "ZeroDivisionError" in rows["s1.example"].reason

    def starts() -> Iterator[str]:
        yield "s1.example"
        raise LookupError("no more")

    with sites(pages) as client, sr.read_many(starts(), client=client) as readings, pytest.raises(LookupError):
        list(readings)
    with pytest.raises(ValueError, match="jobs"):
        sr.read_many([], jobs=0)
    with pytest.raises(ValueError, match="concurrency"):
        sr.read_many(pages, concurrency=0)


def test_a_state_remembers_all_of_them(tmp_path: Path) -> None:
    state = State(tmp_path / "all.db")
    days = {f"s{n}.example": 5 for n in range(10)}
    for _ in range(2):
        with sites(days) as client, sr.read_many(days, client=client, state=state) as readings:
            assert len(list(readings)) == 50
        assert {site.status for site in readings.sites} == {Status.COMPLETE}
    assert sum(1 for host in days for _ in state.pages(host)) == 50


def test_a_state_remembers_no_entry_that_nobody_had(tmp_path: Path) -> None:
    state = State(tmp_path / "all.db")
    hosts = [f"s{n}.example" for n in range(6)]

    def answer(request: httpx.Request) -> httpx.Response:
        if request.headers.get("if-none-match") == '"1"':
            return httpx.Response(304)
        body = urlset(*(f"https://{request.url.host}/{n}" for n in range(5)))
        return httpx.Response(200, content=body, headers={"ETag": '"1"'})

    had: Counter[str] = Counter()
    for most in (1, 3, 12, 100):
        with httpx.Client(transport=httpx.MockTransport(answer)) as client:
            starts = [f"https://{host}/map.xml" for host in hosts]
            with sr.read_many(starts, client=client, state=state, jobs=3) as readings:
                had.update(entry.loc for _, entry in islice(readings, most))
                time.sleep(0.1)  # in which threads may go on
    assert had.keys() == {f"https://{host}/{n}" for host in hosts for n in range(5)}
    assert {site.status for site in readings.sites} == {Status.COMPLETE}


def test_what_is_left_after_it_was_closed_ends() -> None:
    pages = {f"s{n}.example": 3 for n in range(50)}
    with sites(pages) as client, sr.read_many(pages, client=client, jobs=2) as readings:
        next(readings)
    rest: list[object] = []
    thread = threading.Thread(target=lambda: rest.extend(readings), daemon=True)
    thread.start()
    thread.join(5)
    assert not thread.is_alive() and len(rest) < 10

    with Server() as server:
        server.pages = {"/silent.xml": silent()}
        with sr.read_many([server.url("/silent.xml")], limits=sr.Limits(retries=0)) as readings:
            thread = threading.Thread(target=lambda: rest.extend(readings), daemon=True)
            thread.start()
            time.sleep(0.2)
            readings.close()  # by somebody else than who waits
            thread.join(5)
    assert not thread.is_alive()


def test_a_start_that_is_no_text_or_no_name_of_a_file_has_its_row_like_others() -> None:
    odd: list[str] = ["a" * 300, "b/" * 3000 + ".example", None, 5, "\0"]  # type: ignore[list-item]
    pages = {f"s{n}.example": 1 for n in range(9)}
    starts = [*odd, *pages]
    with sites(pages) as client, sr.read_many(starts, client=client, jobs=2, limits=QUICK) as readings:
        assert len(list(readings)) == 9
    assert Counter(map(str, starts)) == Counter(str(site.start) for site in readings.sites)
    bad = {str(site.start): site.status for site in readings.sites if site.start not in pages}
    assert [bad[str(start)].value for start in odd] == ["invalid", "no-sitemap", "invalid", "invalid", "invalid"]


def test_what_work_raises_ends_a_crew() -> None:
    def work(task: int, crew: Crew[int, int]) -> None:
        crew.give(task // (task - 5))

    with Crew(range(10), work, 2) as crew, pytest.raises(ZeroDivisionError):
        list(crew)


def test_manners_forget_hosts_that_nobody_waits_for() -> None:
    pace = Pace(0.0)
    for n in range(HOSTS + 10):
        pace.turn(f"h{n}")
    assert len(pace._next) < 20
    manners = Manners(0.0)
    slot = manners.slot("a", 1)
    assert manners.slot("a", 9) is slot
    del slot
    assert len(manners._slots) == 0
