"""What a ledger compares with: where a document is found, how often it dates a page; what a failed writing leaves."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from changing import START, Site

import sitemapreader as sr
from sitemapreader import state
from sitemapreader.state import PAGES, State

ONCE = sr.Limits(retries=0)


@pytest.fixture
def file(tmp_path: Path) -> State:
    return State(tmp_path / "site.db")


def site(pages: dict[str, str]) -> httpx.Client:
    """Answers with what is at a path: markup, with an ETag, or where else it is."""

    def answer(request: httpx.Request) -> httpx.Response:
        body = pages.get(request.url.path)
        if body is None:
            return httpx.Response(404)
        if body.startswith("/"):
            return httpx.Response(302, headers={"Location": body})
        tag = f'"{len(body)}"'
        if request.headers.get("if-none-match") == tag:
            return httpx.Response(304, headers={"ETag": tag})
        return httpx.Response(200, text=body, headers={"ETag": tag})

    return httpx.Client(transport=httpx.MockTransport(answer))


def urlset(*locs: str, dates: tuple[str, ...] = ("",)) -> str:
    dated = [f"<url><loc>{loc}</loc><lastmod>{date}</lastmod></url>" for loc in locs for date in dates]
    return f"<urlset>{''.join(dated)}</urlset>"


def marks(client: httpx.Client, file: State, start: str = START) -> tuple[list[tuple[str, str]], sr.Report]:
    with client, sr.read(start, state=file, client=client, limits=ONCE) as reading:
        found = [(change.mark.value, change.loc.removeprefix(START)) for change in reading.changes()]
        if reading.report.complete:
            found += [(change.mark.value, change.loc.removeprefix(START)) for change in reading.gone()]
    return found, reading.report


@pytest.mark.parametrize(
    ("start", "pages"),
    [
        (START, {"/sitemap.xml": urlset(f"{START}x")}),
        (f"{START}blog/", {"/blog/": "<link rel=sitemap href=/m.xml>", "/m.xml": urlset(f"{START}x")}),
    ],
)
def test_a_sitemap_that_nothing_names_is_found_again_if_it_is_unchanged(
    file: State, start: str, pages: dict[str, str]
) -> None:
    assert marks(site(pages), file, start)[0] == [("new", "x")]
    for _ in range(2):
        found, report = marks(site(pages), file, start)
        assert report.complete and not report.found_none and found == []
        assert report.sitemaps[-1].outcome is sr.Outcome.NOT_MODIFIED
    assert [page.loc for page in file.pages(start)] == [f"{START}x"]


def test_what_a_page_links_to_as_its_feed_lists_the_latest_whether_it_was_read_or_is_unchanged() -> None:
    feed = "<rss version='2.0'><channel><item><link>https://site.example/x</link></item></channel></rss>"
    pages = {"/": "<link rel=alternate type=application/rss+xml href=/f>", "/f": feed}
    validators: dict[str, sr.Validators] = {f"{START}f": sr.Validators(f'"{len(feed)}"', None)}
    for known in ({}, validators):
        with site(pages) as client, sr.read(START, client=client, validators=known, limits=ONCE) as reading:
            assert len(list(reading)) == 1 - len(known)
        assert not reading.report.complete
        assert reading.report.sitemaps[-1].requested == f"{START}f"


def test_the_same_text_somewhere_else_lists_other_pages(file: State) -> None:
    pages = {"/m.xml": "/a/m.xml", "/a/m.xml": urlset("x", "y"), "/b/m.xml": urlset("x", "y") + " "}
    start = f"{START}m.xml"
    assert marks(site(pages), file, start)[0] == [("new", "a/x"), ("new", "a/y")]
    pages["/m.xml"], pages["/b/m.xml"] = "/b/m.xml", f"{pages['/a/m.xml']}"
    with closing(sqlite3.connect(file.path)) as connection, connection:
        connection.execute("UPDATE document SET etag = NULL")  # a server that knows no validators
    assert marks(site(pages), file, start)[0] == [("new", "b/x"), ("new", "b/y"), ("gone", "a/x"), ("gone", "a/y")]
    assert sorted(page.loc for page in file.pages(start)) == [f"{START}b/x", f"{START}b/y"]


def test_a_document_may_date_a_page_as_often_as_it_likes(file: State) -> None:
    dates = ["2026-01-01", "2026-01-02", "", "2026-01-03"]
    start = f"{START}m.xml"
    assert marks(site({"/m.xml": urlset(f"{START}x", dates=(*dates,))}), file, start)[0] == [("new", "x")] * 4
    # Other bytes each time, so that it is read.
    for n in range(1, 3):
        text = urlset(f"{START}x", dates=(*dates,)) + "\n" * n
        assert marks(site({"/m.xml": text}), file, start)[0] == [("unchanged", "x")] * 4
    (page,) = file.pages(start)
    assert page.lastmod and page.lastmod.day == 3
    edited = urlset(f"{START}x", dates=("2026-01-01", "2026-01-09"))
    assert marks(site({"/m.xml": edited}), file, start)[0] == [("unchanged", "x"), ("changed", "x")]
    back = urlset(f"{START}x", dates=("2026-01-02", "2026-01-09")) + "\n\n\n"
    assert marks(site({"/m.xml": back}), file, start)[0] == [("changed", "x"), ("unchanged", "x")]


def test_pages_come_without_being_sorted_first(file: State) -> None:
    with closing(sqlite3.connect(file.path)) as connection:
        plan = [row[-1] for row in connection.execute(f"EXPLAIN QUERY PLAN {PAGES}", (1,))]
    assert len(plan) == 3 and not any("TEMP" in step for step in plan)


# -------------------------------------------------------------------------------------------- when it cannot be written
def test_what_cannot_be_committed_leaves_the_file_unlocked(file: State, monkeypatch: pytest.MonkeyPatch) -> None:
    today = Site({"a.xml": {f"{START}x": "", f"{START}z": ""}})
    marks(today.client(), file)
    monkeypatch.setattr(state, "PATIENCE", 0.2)
    today.sitemaps["a.xml"][f"{START}y"] = ""
    looking = file.pages(START)
    next(looking)  # holds a lock for reading, which a commit waits for
    with today.client() as client, pytest.raises(sr.StateError, match="locked"):  # noqa: SIM117
        with sr.read(START, state=file, client=client, limits=ONCE) as reading:
            assert [change.loc for change in reading.changes()] == [f"{START}x", f"{START}z", f"{START}y"]
    looking.close()  # type: ignore[attr-defined]
    assert ("new", "y") in marks(today.client(), file)[0]
    assert reading.report.complete


def test_a_full_disk_loses_no_change(file: State) -> None:
    today = Site({f"{n}.xml": {f"{START}{n}/{page}": "" for page in range(300)} for n in range(4)})
    marks(today.client(), file)
    later = Site({**today.sitemaps, "new.xml": {f"{START}new/{page}": "" for page in range(3000)}})
    del later.sitemaps["2.xml"]
    pages = file.path.stat().st_size // 4096

    class Full(State):
        room = 0

        def connect(self) -> sqlite3.Connection:
            connection = super().connect()
            connection.execute(f"PRAGMA max_page_count = {pages + self.room}")
            return connection

    full = Full(file.path)
    for full.room in (0, 1, 7, 30):
        with pytest.raises(sr.StateError, match="full"):
            marks(later.client(), full)
        assert {page.loc for page in file.pages(START)} == today.pages.keys()
    found, report = marks(later.client(), file)
    assert report.complete
    assert {loc for mark, loc in found if mark == "new"} == {f"new/{page}" for page in range(3000)}
    assert {loc for mark, loc in found if mark == "gone"} == {f"2/{page}" for page in range(300)}
