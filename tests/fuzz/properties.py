"""What must hold for any input, and how an input is written. No fuzzer is needed for either.

An input is eight bytes of choices, which a fuzzer turns like the rest, and the body. The choices name the limits, the
Content-Type, the URL or base, and the places at which the body is cut.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass
from datetime import UTC
from itertools import pairwise
from typing import Any, NamedTuple
from unittest import mock

import sitemapreader as sr
from sitemapreader import payload, urls
from sitemapreader.diagnostics import RULES

HEADER = 8
SECONDS = 3.0
"""Processor time that one parse may take, also when instrumented; an honest one takes a few milliseconds."""
SITE = "https://shop.example/"
SPELLED = re.compile(rb"%(?:EF|BF|BD)", re.I)
"""U+FFFD, or part of it, as an escape that stays as written."""
LIMITS = (
    sr.Limits(max_bytes=1 << 20),
    sr.Limits(max_bytes=1 << 20),
    sr.Limits(max_bytes=1 << 20, max_token=100, max_diagnostics=2),
    sr.Limits(max_bytes=1000, max_entries_per_sitemap=3),
)
ROOMY = 2
"""The first of LIMITS that do not touch a document of a few thousand bytes."""
TYPES = (None, "application/xml", "text/xml; charset=windows-1252", "text/plain; charset=utf-16", "text/html;charset=x")


class Violation(AssertionError):
    """A property does not hold; `kind` says which."""

    def __init__(self, kind: str, detail: object) -> None:
        super().__init__(kind, detail)
        self.kind = kind


def require(holds: object, kind: str, detail: object = "") -> None:
    if not holds:
        raise Violation(kind, detail)


class Case(NamedTuple):
    """An input taken apart."""

    body: bytes
    choice: bytes
    """Two bytes that choose from tables."""
    cuts: tuple[int, int, int]
    """Positions in the body, in order."""

    @property
    def limits(self) -> sr.Limits:
        return LIMITS[self.choice[0] % len(LIMITS)]

    @property
    def is_roomy(self) -> bool:
        return self.choice[0] % len(LIMITS) < ROOMY

    @property
    def content_type(self) -> str | None:
        return TYPES[(self.choice[0] >> 2) % len(TYPES)]

    @property
    def chunks(self) -> list[bytes]:
        return [self.body[start:end] for start, end in pairwise((0, *self.cuts, len(self.body)))]


def case(data: bytes) -> Case:
    head, body = data[:HEADER].ljust(HEADER, b"\0"), data[HEADER:]
    first, second, third = sorted(int.from_bytes(head[at : at + 2], "big") % (len(body) + 1) for at in (2, 4, 6))
    return Case(body, head[:2], (first, second, third))


@dataclass(frozen=True)
class Result:
    """All that a parse tells."""

    items: list[sr.Entry | sr.SitemapRef]
    format: sr.Format | None
    outcome: sr.Outcome | None
    complete: bool
    diagnostics: tuple[sr.Diagnostic, ...]
    counts: dict[sr.Code, int]

    @property
    def locs(self) -> list[str]:
        return [item.loc for item in self.items]

    @property
    def links(self) -> list[str]:
        """The URLs in extensions."""
        entries = [item for item in self.items if isinstance(item, sr.Entry)]
        found = [image.loc for entry in entries for image in entry.images]
        found += [alternate.href for entry in entries for alternate in entry.alternates]
        videos = [video for entry in entries for video in entry.videos]
        return found + [link for video in videos for link in (video.content_loc, video.thumbnail_loc) if link]


def read(body: Any, url: str, *, content_type: str | None = None, limits: sr.Limits = LIMITS[0]) -> Result:
    """Parse to the end, within the time an input may take; whatever is raised is a finding."""
    start = time.process_time()
    sitemap = sr.parse(body, url, content_type=content_type, limits=limits)
    items = list(sitemap)
    seconds = time.process_time() - start
    require(seconds < SECONDS, "time is bounded", f"{seconds:.1f} s")
    counts = {code: number for code, number in sitemap.counts.items() if number}
    return Result(items, sitemap.format, sitemap.outcome, sitemap.complete, sitemap.diagnostics, counts)


# ------------------------------------------------------------------------------------------------------ properties
def is_canonical(url: str) -> bool:
    return url.startswith(("http://", "https://")) and url.isascii() and url.isprintable() and " " not in url


def has_sound_items(result: Result, url: str) -> None:
    for item in result.items:
        require(is_canonical(item.loc), "loc is absolute http(s) in printable ASCII", item.loc)
        again = urls.resolve(item.loc, SITE)
        require(again.url == item.loc, "resolve is idempotent on locs", (item.loc, again))
        require(item.lastmod is None or item.lastmod.tzinfo is UTC, "lastmod is in UTC or None", item.lastmod)
        json.dumps(item.to_dict())
        if isinstance(item, sr.SitemapRef):
            require(item.trail == (url,), "ref knows its parent", item)
        else:
            has_sound_fields(item, url)
    for link in result.links:
        require(is_canonical(link), "extension URL is absolute http(s) in printable ASCII", link)


def has_sound_fields(entry: sr.Entry, url: str) -> None:
    require(entry.sitemap == url, "entry knows its sitemap", entry)
    require(entry.priority is None or 0 <= entry.priority <= 1, "priority is 0.0 to 1.0 or None", entry.priority)
    require((entry.lastmod_precision is None) == (entry.lastmod is None), "precision comes with lastmod", entry)


def has_nothing_made_up(result: Result, body: bytes) -> None:
    """No URL has a replacement character in it, unless the document spells one."""
    if body.startswith(payload.GZIP) or SPELLED.search(body.replace(b"\0", b"")):
        return
    made_up = [url for url in result.locs + result.links if "%EF%BF%BD" in url.upper()]
    require(not made_up, "no URL with U+FFFD", made_up)


def has_sound_verdict(result: Result, limits: sr.Limits) -> None:
    require(result.outcome is not None, "outcome is known at the end")
    require(not result.complete or result.outcome is sr.Outcome.OK, "complete only with OK", result.outcome)
    flawed = any(RULES[code].incomplete for code in result.counts)
    require(result.complete is not flawed, "complete exactly if nothing is lost", result.counts)
    require(result.format or not result.items, "items come from a known format", result.items)
    require(len(result.diagnostics) <= limits.max_diagnostics, "diagnostics are bounded", len(result.diagnostics))
    for found in result.diagnostics:
        shown = f"{found}{found.detail}{found.where}"
        require(shown.isascii() and shown.isprintable(), "diagnostics are printable", found)
        require(len(found.detail) <= 200, "details are short", found)


def is_same_in_chunks(whole: Result, given: Case, url: str) -> None:
    chunked = read(given.chunks, url, content_type=given.content_type, limits=given.limits)
    require(chunked == whole, "the same in chunks", (given.cuts, chunked, whole))


def is_strict_where_lenient_reports_errors(whole: Result, given: Case, url: str) -> None:
    try:
        list(sr.parse(given.body, url, content_type=given.content_type, limits=given.limits, strict=True))
        raised = False
    except sr.DiagnosticError:
        raised = True
    errors = any(code.severity is sr.Severity.ERROR for code in whole.counts)
    require(raised is errors, "strict raises exactly at errors", whole.counts)


def is_same_in_small_blocks(whole: Result, given: Case, url: str) -> None:
    """The readers get blocks of 4 KiB and more; that a document is read alike wherever they end shows with small ones.

    What the encoding is depends on the first block, and what junk ahead of the root hides on how much of it is there,
    so this is for documents where neither leaves a doubt.
    """
    body = given.body
    if not body.isascii() or b"\0" in body or b"encoding" in body or not given.is_roomy:
        return
    if sr.Code.LEADING_CONTENT in whole.counts:
        return
    size = 1 + given.choice[1] % 100
    with mock.patch.multiple(payload, FIRST_BLOCK=size, BLOCK=2 * size):
        cut = read(body, url, content_type=given.content_type, limits=given.limits)
    differ = ", ".join(sorted(code.value for code in cut.counts.keys() ^ whole.counts.keys()))
    require(cut.items == whole.items, f"the same items in small blocks ({differ})", (size, cut.locs, whole.locs))
    require(cut.outcome is whole.outcome, f"the same outcome in small blocks ({differ})", (cut.outcome, whole.outcome))


def is_prefix_when_cut(whole: Result, given: Case, url: str) -> None:
    """Of a document without a fault that is cut, what comes out is the beginning of what the whole gives."""
    is_xml = whole.format in (sr.Format.URLSET, sr.Format.SITEMAPINDEX)
    if not (is_xml and whole.complete and given.is_roomy and whole.counts.keys() <= {sr.Code.CONTENT_MISMATCH}):
        return
    part = read(given.body[: given.cuts[0]], url, content_type=given.content_type, limits=given.limits)
    require(part.locs == whole.locs[: len(part.locs)], "a cut document gives a prefix", (part.locs, whole.locs))
    require(not part.complete or part.items == whole.items, "a cut document is complete only if nothing is cut", part)
