"""Memory between runs: what `changes` and `gone` say day by day, and that no kill loses or makes up a change."""

from __future__ import annotations

import asyncio
import copy
import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from changing import START, Changes, Site, difference, made

import sitemapreader as sr
from sitemapreader import ledger, state
from sitemapreader.state import Mark, State

NOTHING: Changes = {"new": set(), "changed": set(), "gone": set()}
ONCE = sr.Limits(retries=0)


@pytest.fixture
def file(tmp_path: Path) -> State:
    return State(tmp_path / "site.db")


def in_threads(site: Site, file: State, **options: Any) -> tuple[dict[str, set[str]], sr.Report]:
    found: dict[str, set[str]] = {mark.value: set() for mark in Mark}
    with site.client() as client, sr.read(START, state=file, client=client, limits=ONCE, **options) as reading:
        for change in reading.changes():
            found[change.mark.value].add(change.loc)
        if reading.report.complete:
            found["gone"] = {change.loc for change in reading.gone()}
        else:
            with pytest.raises(sr.StateError, match="not complete"):
                next(reading.gone())
    return found, reading.report


def in_tasks(site: Site, file: State, **options: Any) -> tuple[dict[str, set[str]], sr.Report]:
    async def run() -> tuple[dict[str, set[str]], sr.Report]:
        found: dict[str, set[str]] = {mark.value: set() for mark in Mark}
        async with (
            site.async_client() as client,
            sr.aread(START, state=file, client=client, limits=ONCE, **options) as reading,
        ):
            async for change in reading.changes():
                found[change.mark.value].add(change.loc)
            if reading.report.complete:
                found["gone"] = {change.loc for change in reading.gone()}
        return found, reading.report

    return asyncio.run(run())


Read = Callable[..., tuple[dict[str, set[str]], sr.Report]]
read = pytest.fixture(params=[in_threads, in_tasks], ids=["read", "aread"])(lambda request: request.param)


def changes(found: dict[str, set[str]]) -> Changes:
    return {name: found[name] for name in NOTHING}


@pytest.mark.parametrize("seed", range(4))
def test_every_day_has_exactly_its_changes(read: Read, file: State, seed: int) -> None:
    choice = random.Random(seed)
    first = made(choice)
    found, report = read(first, file)
    assert report.complete and changes(found) == {**NOTHING, "new": {*first.pages}}

    second = first.next_day(choice)
    found, report = read(second, file)
    assert report.complete and changes(found) == difference(first.pages, second.pages)

    # A child is broken: what it lists stays as it was known, and nothing is gone yet.
    third = second.next_day(choice)
    third.broken = {"map-2.xml"}
    found, report = read(third, file)
    seen = {loc: date for name, pages in third.sitemaps.items() if name != "map-2.xml" for loc, date in pages.items()}
    assert not report.complete
    assert changes(found) == {**difference(second.pages, {**second.pages, **seen}), "gone": set()}

    # It is back: what it did not say yesterday is said today, and so is what was not known to be gone.
    third.broken, third.unmodified = set(), []
    found, report = read(third, file)
    late = difference({**second.pages, **seen}, third.pages)
    assert report.complete and changes(found) == late
    assert sorted(third.unmodified) == [name for name in third.sitemaps if name != "map-2.xml"]

    # Nothing has changed, and servers say so.
    third.unmodified = []
    found, report = read(third, file)
    assert report.complete and not any(found.values())
    assert sorted(third.unmodified) == list(third.sitemaps)

    fourth = third.next_day(choice)
    found, report = read(fourth, file)
    assert report.complete and changes(found) == difference(third.pages, fourth.pages)


@pytest.mark.parametrize("seed", range(4))
def test_many_days_by_the_books(file: State, seed: int) -> None:
    """Sitemaps come and go, fail and repeat each other's pages with other dates, against a model in plain sets."""
    choice = random.Random(seed)
    listings: dict[str, dict[str, str]] = {}
    dates: dict[str, str] = {}
    today: dict[str, dict[str, str]] = {}
    for _ in range(30):
        for _ in range(choice.randrange(4)):
            name = f"map-{choice.randrange(5)}.xml"
            if choice.random() < 0.2:
                today.pop(name, None)
                continue
            pages = today.setdefault(name, {})
            for _ in range(choice.randrange(1, 6)):
                pages[f"{START}{choice.randrange(30)}"] = choice.choice(("", "2026-01-01", "2026-01-02", "2026-01-03"))
            for loc in choice.sample(sorted(pages), min(len(pages), choice.randrange(4))):
                del pages[loc]
        site = Site(copy.deepcopy(today), conditional=choice.random() < 0.5)
        site.broken = {name for name in today if choice.random() < 0.1}
        expected: Changes = {"new": set(), "changed": set(), "gone": set()}
        fresh: dict[str, str] = {}
        for name, pages in today.items():
            for loc, date in pages.items() if name not in site.broken else ():
                if loc not in dates:
                    expected["new"].add(loc)
                elif date in ("", dates[loc], listings.get(name, {}).get(loc)):
                    continue
                else:
                    expected["changed"].add(loc)
                fresh[loc] = max(fresh.get(loc, ""), date)
        dates.update(fresh)
        listings.update({name: pages.copy() for name, pages in today.items() if name not in site.broken})
        if not site.broken:
            listings = {name: listings[name] for name in today}
            expected["gone"] = dates.keys() - {loc for pages in listings.values() for loc in pages}
            dates = {loc: date for loc, date in dates.items() if loc not in expected["gone"]}
        found, report = in_threads(site, file)
        assert report.complete is (not site.broken)
        assert changes(found) == expected


def test_a_server_that_knows_no_validators_makes_no_difference_but_for_what_is_marked(file: State) -> None:
    first = made(random.Random(1))
    first.conditional = False
    in_threads(first, file)
    second = first.next_day(random.Random(2))
    found, _ = in_threads(second, file)
    assert changes(found) == difference(first.pages, second.pages)
    assert found["unchanged"] == second.pages.keys() - found["new"] - found["changed"]


def test_marked_entries_are_the_entries(file: State) -> None:
    site = made(random.Random(1))
    with site.client() as client, sr.read(START, client=client) as reading:
        plain = list(reading)
    with site.client() as client, sr.read(START, client=client, state=file) as reading:
        assert [change.entry for change in reading.changes()] == plain
    assert plain[0].to_dict().items() < state.Change(Mark.NEW, plain[0]).to_dict().items()


def one(*pages: tuple[str, str]) -> Site:
    return Site({"a.xml": {START + loc: date for loc, date in pages}, "b.xml": {}})


def test_a_page_that_two_documents_date_differently_is_changed_only_when_one_of_the_dates_is_new(file: State) -> None:
    site = one(("x", "2026-01-01"))
    site.sitemaps["b.xml"][f"{START}x"] = "2026-02-02"
    site.conditional = False
    found, _ = in_threads(site, file)
    assert changes(found) == {**NOTHING, "new": {f"{START}x"}}
    assert changes(in_threads(site, file)[0]) == NOTHING
    site.sitemaps["a.xml"][f"{START}x"] = "2026-01-09"
    assert changes(in_threads(site, file)[0]) == {**NOTHING, "changed": {f"{START}x"}}
    assert changes(in_threads(site, file)[0]) == NOTHING
    del site.sitemaps["b.xml"][f"{START}x"]
    assert changes(in_threads(site, file)[0]) == NOTHING
    del site.sitemaps["a.xml"][f"{START}x"]
    assert changes(in_threads(site, file)[0]) == {**NOTHING, "gone": {f"{START}x"}}


def test_a_page_that_an_unchanged_document_lists_is_not_gone(file: State) -> None:
    site = one(("x", ""), ("y", ""))
    site.sitemaps["b.xml"][f"{START}x"] = ""
    in_threads(site, file)
    site.sitemaps["a.xml"] = {f"{START}z": ""}
    found, _ = in_threads(site, file)
    assert site.unmodified == ["b.xml"]
    assert changes(found) == {"new": {f"{START}z"}, "changed": set(), "gone": {f"{START}y"}}


def test_the_pages_of_a_sitemap_that_is_named_no_more_are_gone(file: State) -> None:
    site = made(random.Random(1))
    in_threads(site, file)
    lost = {*site.sitemaps.pop("map-3.xml")}
    assert changes(in_threads(site, file)[0]) == {**NOTHING, "gone": lost}
    assert changes(in_threads(site, file)[0]) == NOTHING


def test_a_page_that_comes_back_is_new_if_it_was_said_to_be_gone_and_else_known(file: State) -> None:
    site = one(("x", "2026-01-01"), ("y", ""))
    in_threads(site, file)
    kept = site.sitemaps["a.xml"].copy()
    del site.sitemaps["a.xml"][f"{START}x"]
    site.broken = {"b.xml"}
    assert changes(in_threads(site, file)[0]) == NOTHING  # it may be in b.xml
    site.broken, site.sitemaps["a.xml"] = set(), kept
    assert changes(in_threads(site, file)[0]) == NOTHING
    site.sitemaps["a.xml"] = {f"{START}y": ""}
    assert changes(in_threads(site, file)[0]) == {**NOTHING, "gone": {f"{START}x"}}
    site.sitemaps["a.xml"] = kept
    assert changes(in_threads(site, file)[0]) == {**NOTHING, "new": {f"{START}x"}}


def test_a_document_that_is_cut_takes_nothing_away_and_is_asked_for_again(file: State) -> None:
    site = made(random.Random(1), sitemaps=2)
    in_threads(site, file)
    site.sitemaps["map-1.xml"] = {f"{START}first": "", **site.sitemaps["map-1.xml"]}
    site.cut = {"map-1.xml"}
    found, report = in_threads(site, file)
    assert not report.complete and changes(found) == {**NOTHING, "new": {f"{START}first"}}
    site.cut, site.unmodified = set(), []
    assert changes(in_threads(site, file)[0]) == NOTHING
    assert site.unmodified == ["map-0.xml"]


def test_dates_are_instants(file: State) -> None:
    in_threads(one(("x", "2026-01-01"), ("y", "2026-01-01T01:00:00+01:00"), ("z", "0001-01-01T00:00:00+14:00")), file)
    later = one(("x", "2026-01-01T00:00:00Z"), ("y", "2026-01-01T00:00Z"), ("z", "0001-01-01T00:00:00+14:00"))
    assert changes(in_threads(later, file)[0]) == NOTHING
    undated = one(("x", ""), ("y", "2026-01-01"))
    found, _ = in_threads(undated, file)
    assert changes(found) == {**NOTHING, "gone": {f"{START}z"}}  # no date is no news
    found, _ = in_threads(one(("x", "2026-01-01"), ("y", "2026-01-02")), file)
    assert changes(found) == {**NOTHING, "changed": {f"{START}y"}}


def test_what_the_index_dates_as_before_is_not_asked_for_if_the_policy_says_so(file: State) -> None:
    site = made(random.Random(1), sitemaps=3)
    site.dated = dict.fromkeys(site.sitemaps, "2026-01-01")
    policy = sr.Policy(skip_unchanged=True)
    in_threads(site, file, policy=policy)
    before, site.dated["map-1.xml"] = site.asked.copy(), "2026-01-02"
    found, report = in_threads(site, file, policy=policy)
    assert site.asked - before == {"robots.txt": 1, "index.xml": 1, "map-1.xml": 1}
    assert report.complete and changes(found) == NOTHING
    assert [row.outcome for row in report.sitemaps[2:]] == [sr.Outcome.NOT_MODIFIED] * 3


def test_a_document_that_failed_is_asked_for_however_the_index_dates_it(file: State) -> None:
    site = made(random.Random(1), sitemaps=2)
    site.dated = dict.fromkeys(site.sitemaps, "2026-01-01")
    policy = sr.Policy(skip_unchanged=True)
    in_threads(site, file, policy=policy)
    site.dated["map-1.xml"], site.broken = "2026-01-02", {"map-1.xml"}
    site.sitemaps["map-1.xml"][f"{START}late"] = ""
    assert changes(in_threads(site, file, policy=policy)[0]) == NOTHING
    site.broken = set()
    assert changes(in_threads(site, file, policy=policy)[0]) == {**NOTHING, "new": {f"{START}late"}}


def test_another_policy_is_another_memory(file: State) -> None:
    site = made(random.Random(1))
    in_threads(site, file)
    some = sr.Policy(include="/[0-2]/")
    kept = {loc for loc in site.pages if loc.startswith((f"{START}0/", f"{START}1/", f"{START}2/"))}
    assert changes(in_threads(site, file, policy=some)[0]) == {**NOTHING, "new": kept}
    assert changes(in_threads(site, file, policy=some)[0]) == NOTHING
    assert changes(in_threads(site, file)[0]) == NOTHING
    with pytest.raises(ValueError, match="since"):
        sr.read(START, state=file, policy=sr.Policy(since="2026-01-01"))
    with pytest.raises(ValueError, match="state"):
        sr.read(START, state=file, validators={})


def test_policies_are_told_apart_by_what_they_keep() -> None:
    policies = [sr.Policy(), sr.Policy(include="a"), sr.Policy(include=["a", "b"]), sr.Policy(include=str.isascii)]
    policies += [sr.Policy(exclude="a"), sr.Policy(follow="a"), sr.Policy(scope=sr.Scope.ANY)]
    assert len({state.fingerprint(policy) for policy in policies}) == len(policies)
    assert state.fingerprint(sr.Policy(max_entries=3, skip_unchanged=True, unique=True)) == state.fingerprint(
        sr.Policy()
    )


# ----------------------------------------------------------------------------------------------- when it is remembered
def test_a_reading_that_is_not_taken_to_its_end_is_not_remembered(file: State) -> None:
    site = made(random.Random(1))
    with site.client() as client, sr.read(START, state=file, client=client) as reading:
        assert next(reading.changes()).mark is Mark.NEW
    with pytest.raises(sr.StateError, match="not at its end"):
        next(reading.gone())
    with site.client() as client, pytest.raises(ZeroDivisionError):  # noqa: SIM117
        with sr.read(START, state=file, client=client) as reading:
            assert len(list(reading)) == len(site.pages)
            raise ZeroDivisionError
    with site.client() as client, sr.read(START, state=file, client=client, policy=sr.Policy(max_entries=7)) as reading:
        assert [change.mark for change in reading.changes()] == [Mark.NEW] * 7
    found, _ = in_threads(site, file)
    assert len(found["new"]) == len(site.pages) - 7 and len(found["unchanged"]) == 7


def test_a_site_that_cannot_be_read_changes_nothing(file: State) -> None:
    site = made(random.Random(1))
    in_threads(site, file)
    site.broken = {"robots.txt", "index.xml", *site.sitemaps}
    with pytest.raises(sr.FetchError):
        in_threads(site, file)
    site.broken = set()
    assert changes(in_threads(site, file)[0]) == NOTHING


def test_one_document_that_is_unchanged_is_a_whole_reading(file: State) -> None:
    site = made(random.Random(1))
    for number in (50, 0):
        with site.client() as client, sr.read(f"{START}map-1.xml", state=file, client=client) as reading:
            assert len(list(reading.changes())) == number
            assert reading.report.complete and list(reading.gone()) == []
    assert len(list(file.pages(f"{START}map-1.xml"))) == 50
    with pytest.raises(ValueError, match="no state"):
        sr.read(START).changes()


def test_a_file_is_a_site_too(file: State, tmp_path: Path) -> None:
    path = tmp_path / "map.xml"
    path.write_bytes(made(random.Random(1)).body("map-0.xml") or b"")
    for number in (50, 0):
        with sr.read(path, state=file, policy=sr.Policy(scope=sr.Scope.ANY)) as reading:
            assert sum(change.mark is Mark.NEW for change in reading.changes()) == number


def test_without_with_it_is_remembered_when_iteration_ends(file: State) -> None:
    site = made(random.Random(1))
    with site.client() as client:
        assert len(list(sr.read(START, state=file, client=client))) == len(site.pages)
    assert changes(in_threads(site, file)[0]) == NOTHING


def test_of_two_readings_at_a_time_the_last_is_refused(file: State) -> None:
    site = made(random.Random(1))
    with site.client() as client, sr.read(START, state=file, client=client) as slow:
        next(slow)
        in_threads(site, file)
        with pytest.raises(sr.StateError, match="meanwhile"):
            list(slow)
    assert changes(in_threads(site, file)[0]) == NOTHING


def test_the_state_can_be_asked_later(file: State) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    first = made(random.Random(1))
    with pytest.raises(sr.StateError, match="never read"):
        next(file.gone(START))
    in_threads(first, file)
    second = first.next_day(random.Random(2))
    in_threads(second, file)
    gone = list(file.gone("site.example"))
    assert {change.loc for change in gone} == first.pages.keys() - second.pages.keys()
    assert all(change.mark is Mark.GONE and change.sitemap.startswith(f"{START}map-") for change in gone)
    assert {change.loc: change.entry.lastmod for change in gone} == {
        change.loc: datetime.fromisoformat(first.pages[change.loc]).replace(tzinfo=UTC)
        if first.pages[change.loc]
        else None
        for change in gone
    }
    pages = list(file.pages(START))
    assert {page.loc for page in pages} == second.pages.keys() and len(pages) == len(second.pages)
    seen = [time for page in pages for time in (page.first_seen, page.last_seen)]
    assert before <= min(seen) <= max(seen) <= datetime.now(UTC)
    second.broken = {"map-1.xml"}
    in_threads(second, file)
    with pytest.raises(sr.StateError, match="not complete"):
        next(file.gone(START))


# ------------------------------------------------------------------------------------------------------------ the file
def test_what_is_no_state_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, but long enough to be looked at" * 50)
    with closing(sqlite3.connect(tmp_path / "other")) as other:
        other.execute("CREATE TABLE x (y)")
    with closing(sqlite3.connect(State(tmp_path / "newer").path)) as newer:
        newer.execute("PRAGMA user_version = 99")
    for name, reason in {"text": "not a database", "other": "not a state", "newer": "version 99", "": "unable"}.items():
        with pytest.raises(sr.StateError, match=reason):
            State(tmp_path / name)


def test_the_file_holds_what_the_documentation_says(file: State) -> None:
    site = made(random.Random(1), sitemaps=1, pages=3)
    in_threads(site, file)
    with closing(sqlite3.connect(file.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (state.VERSION,)
        rows = connection.execute("SELECT url, outcome, etag IS NOT NULL, length(hash) FROM document").fetchall()
        assert rows == [
            (f"{START}robots.txt", "ok", 0, None),
            (f"{START}index.xml", "ok", 0, None),
            (f"{START}map-0.xml", "ok", 1, 16),
        ]
        assert connection.execute("SELECT loc FROM entry ORDER BY loc").fetchall() == [(loc,) for loc in site.pages]


def test_sqlite_is_not_loaded_unless_there_is_a_state() -> None:
    code = "import sys, sitemapreader as sr; list(sr.read('testdata/sites/shop.example/robots.txt', limits=sr.Limits("
    code += "max_sitemaps=1))); print('sqlite3' in sys.modules)"
    root = Path(__file__).parent.parent
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=root).stdout
    assert printed == "False\n"


# --------------------------------------------------------------------------------------------------------------- kills
def victim(site: Site, path: Path, out: Path, steps: int) -> None:
    """Reads the site into the state, and kills itself at that step of SQLite; writes down how many there were."""
    done = 0

    def step() -> int:
        nonlocal done
        done += 1
        if done == steps:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    class Killing(State):
        def connect(self) -> sqlite3.Connection:
            connection = super().connect()
            connection.set_progress_handler(step, 50)
            return connection

    in_threads(site, Killing(path))
    out.write_text(str(done))


def run_victim(*arguments: Any, delay: float | None = None) -> int:
    process = multiprocessing.get_context("fork").Process(target=victim, args=arguments)
    process.start()
    if delay is not None:
        time.sleep(delay)
        process.kill()
    process.join()
    return process.exitcode or 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")  # threads of other tests may linger
def test_killed_at_fifty_random_points_no_change_is_lost_or_made_up(tmp_path: Path) -> None:
    choice = random.Random(8)
    first = made(choice, sitemaps=8, pages=150)
    second = first.next_day(choice, adds=40, edits=40, removals=40)
    second.sitemaps.pop("map-7.xml")
    expected = difference(first.pages, second.pages)
    base, path, out = tmp_path / "base.db", tmp_path / "site.db", tmp_path / "steps"
    in_threads(first, State(base))
    shutil.copy(base, path)
    began = time.monotonic()
    assert run_victim(second, path, out, 0) == 0
    duration, steps = time.monotonic() - began, int(out.read_text())
    killed = 0
    while killed < 50:
        shutil.copy(base, path)
        (tmp_path / "site.db-journal").unlink(missing_ok=True)
        # By turns where SQLite works, and at any time, which is also where it writes.
        at, delay = (0, choice.uniform(0, duration)) if killed % 2 else (choice.randrange(1, steps), None)
        code = run_victim(second, path, out, at, delay=delay)
        killed += code == -signal.SIGKILL
        found, report = in_threads(second, State(path))
        # Either the commit was reached, which is the last that is done, or nothing had happened.
        assert report.complete and changes(found) in (expected, NOTHING)
        assert changes(found) == (NOTHING if code == 0 else expected if at else changes(found))
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert changes(in_threads(second, State(path))[0]) == NOTHING
        assert {page.loc for page in State(path).pages(START)} == second.pages.keys()


def test_many_lookups_are_split(file: State, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "TOGETHER", 3)
    site = made(random.Random(1), sitemaps=2)
    in_threads(site, file)
    later = site.next_day(random.Random(3))
    assert changes(in_threads(later, file)[0]) == difference(site.pages, later.pages)
