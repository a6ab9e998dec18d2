"""Pins the public types. Checked by mypy, never run."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from datetime import date, datetime
from io import BytesIO
from re import compile as pattern
from typing import assert_type

import sitemapreader as sr
from sitemapreader.state import Change, Mark, Page, State


def parse_takes_bytes_files_and_chunks() -> None:
    sitemap = sr.parse(b"", "https://e.example/sitemap.xml")
    assert_type(sitemap, sr.Sitemap)
    sr.parse(bytearray(), "https://e.example/", content_type="text/xml", limits=sr.Limits(), strict=True)
    sr.parse(memoryview(b""), "https://e.example/")
    sr.parse(BytesIO(), "https://e.example/")
    sr.parse([b"", b""], "https://e.example/")
    sr.parse((chunk for chunk in (b"", b"")), "https://e.example/")
    for item in sitemap:
        assert_type(item, sr.Entry | sr.SitemapRef)
    assert_type(sitemap.format, sr.Format | None)
    assert_type(sitemap.outcome, sr.Outcome | None)
    assert_type(sitemap.complete, bool)
    assert_type(sitemap.diagnostics, tuple[sr.Diagnostic, ...])
    assert_type(sitemap.counts, Counter[sr.Code])


def read_gives_entries_and_a_report() -> None:
    with sr.read(
        "https://e.example",
        policy=sr.Policy(),
        limits=sr.Limits(),
        client=sr.mirror_client("sites"),
        headers={"User-Agent": "x"},
        concurrency=4,
        on_diagnostic=print,
    ) as reading:
        assert_type(reading, sr.Reading)
        entries: Iterator[sr.Entry] = reading
        assert_type(next(entries), sr.Entry)
        for entry in reading:
            assert_type(entry, sr.Entry)
    report_is_typed(reading.report)


async def aread_gives_the_same_asynchronously() -> None:
    async with sr.aread("https://e.example", policy=sr.Policy(), limits=sr.Limits(), concurrency=4) as reading:
        assert_type(reading, sr.AsyncReading)
        entries: AsyncIterator[sr.Entry] = reading
        assert_type(await anext(entries), sr.Entry)
        async for entry in reading:
            assert_type(entry, sr.Entry)
    assert_type(reading.report, sr.Report)


def walk_takes_any_fetcher() -> None:
    walk = sr.Walk("https://e.example", policy=sr.Policy(), limits=sr.Limits())
    assert_type(walk.next(), sr.SitemapRef | None)
    assert_type(walk.done, bool)
    ref = sr.SitemapRef("https://e.example/sitemap.xml")
    for entry in walk.receive(ref, b"", url="https://e.example/", headers={"ETag": '"1"'}):
        assert_type(entry, sr.Entry)
    walk.fail(ref, sr.FetchError(ref.loc, sr.Outcome.ABSENT, 404))
    walk.fail(ref, OSError())
    assert_type(walk.report, sr.Report)


def report_is_typed(report: sr.Report) -> None:
    assert_type(report.complete, bool)
    assert_type(report.entries, int)
    assert_type(report.rejected, Counter[sr.Code])
    assert_type(report.counts, Counter[sr.Code])
    for diagnostic in report.diagnostics:
        assert_type(diagnostic, sr.Diagnostic)
    for row in report.sitemaps:
        assert_type(row, sr.SitemapReport)
        assert_type(row.outcome, sr.Outcome | None)
        assert_type(row.format, sr.Format | None)
        assert_type(row.status, int | None)
        assert_type(row.lastmod, datetime | None)
        assert_type(row.parent, str | None)
        assert_type(row.etag, str | None)
        assert_type(row.last_modified, str | None)
        assert_type(row.counts, Counter[sr.Code])


def entry_is_typed(entry: sr.Entry) -> None:
    assert_type(entry.loc, str)
    assert_type(entry.lastmod, datetime | None)
    assert_type(entry.lastmod_text, str | None)
    assert_type(entry.lastmod_precision, str | None)
    assert_type(entry.changefreq, sr.ChangeFreq | None)
    assert_type(entry.priority, float | None)
    assert_type(entry.sitemap, str)
    assert_type(entry.images, tuple[sr.Image, ...])
    assert_type(entry.videos, tuple[sr.Video, ...])
    assert_type(entry.news, tuple[sr.News, ...])
    assert_type(entry.alternates, tuple[sr.Alternate, ...])


def ref_is_typed(ref: sr.SitemapRef) -> None:
    assert_type(ref.loc, str)
    assert_type(ref.lastmod, datetime | None)
    assert_type(ref.lastmod_text, str | None)
    assert_type(ref.trail, tuple[str, ...])


def diagnostic_is_typed(diagnostic: sr.Diagnostic, error: sr.FetchError, strict: sr.DiagnosticError) -> None:
    assert_type(diagnostic.code, sr.Code)
    assert_type(diagnostic.severity, sr.Severity)
    assert_type(diagnostic.where, str)
    assert_type(error.outcome, sr.Outcome)
    assert_type(error.status, int | None)
    assert_type(strict.diagnostic, sr.Diagnostic)


def policy_takes_rules_in_every_form() -> None:
    sr.Policy(include=r"/de/", exclude=pattern("x"), follow=[r"news", pattern("y"), str.isascii], since="2024-05")
    sr.Policy(scope=sr.Scope.ANY, include=lambda url: url.endswith("/"), since=date(2024, 5, 1), unique=True)
    sr.Policy(since=datetime.now().astimezone(), undated=False, skip_unchanged=True, max_entries=10)


def tables_and_heads_are_typed(reading: sr.Reading, sitemap: sr.Sitemap) -> None:
    assert_type(reading.head(3), list[sr.Entry])
    assert_type(sitemap.head(), list[sr.Entry | sr.SitemapRef])
    assert_type(reading.report.months, dict[str, int])


def a_state_marks_entries(state: State) -> None:
    with sr.read("https://e.example", state=state) as reading:
        for change in reading.changes():
            assert_type(change, Change)
            assert_type(change.mark, Mark)
            assert_type(change.entry, sr.Entry)
        assert_type(reading.gone(), Iterator[Change])
    assert_type(state.pages("https://e.example"), Iterator[Page])
    assert_type(state.gone("https://e.example", policy=sr.Policy()), Iterator[Change])


async def a_state_marks_entries_asynchronously(state: State) -> None:
    async with sr.aread("https://e.example", state=state) as reading:
        assert_type(reading.changes(), AsyncIterator[Change])


def many_sites_are_read_at_a_time() -> None:
    with sr.read_many(["https://e.example"], jobs=2, deadline=60) as readings:
        assert_type(readings, sr.Readings)
        for start, entry in readings:
            assert_type(start, str)
            assert_type(entry, sr.Entry)
    assert_type(readings.sites, list[sr.Site])
    assert_type(readings.sites[0].status, sr.Status)
