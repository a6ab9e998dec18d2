"""The check of a site: is shown diagnostics, markup and entries as it is read, and the report at the end.

Memory does not grow with the number of entries: of each rule the faults are counted and the first places kept; what
compares entries with each other has a bound, and says so where it is reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from .. import urls
from ..diagnostics import RULES as CODES
from ..diagnostics import Code, Diagnostic, Outcome
from ..limits import MIB
from ..model import Entry, Format
from ..parser import is_robots_url
from ..policy import Judge, Policy, Scope, Source
from ..report import Report, SitemapReport
from ..seen import Seen
from .entries import look
from .hreflang import Returns
from .markup import Markup
from .rules import BY_CODE, BY_VALUE, RULES, Grade, Rule

PLACES = 20
"""Places that are kept of each rule; all are counted."""
MOST_OUTSIDE = 1_000
"""Pairs of a sitemap and an origin that it lists pages of without right, as far as the sitemap tells."""
MOST_ENTRIES, MOST_BYTES, MOST_NEWS = 50_000, 50 * MIB, 1_000


Vouches = Callable[[str, Collection[str]], bool]
"""``vouches(origin, urls)``: whether the robots.txt of an origin, or an index in it, names one of these sitemaps."""


class Place(NamedTuple):
    """Where a rule is broken."""

    url: str
    """The document."""
    where: str
    """``item 17``, ``line 4``, ``entry 9`` (of those that were delivered); empty for the whole document."""
    detail: str


@dataclass(slots=True)
class Finding:
    """A rule that is broken: how often, and where first."""

    name: str
    count: int = 0
    places: list[Place] = field(default_factory=list)

    @property
    def rule(self) -> Rule:
        """The row of the table."""
        return RULES[self.name]

    def add(self, place: Place) -> None:
        """It is broken once more."""
        self.count += 1
        if len(self.places) < PLACES:
            self.places.append(place)

    def merge(self, other: Finding) -> None:
        """Take over the count and the places of another."""
        self.count += other.count
        self.places += other.places[: PLACES - len(self.places)]


class Audit:
    """Call `diagnose`, `markup` and `add` while a site is read with ``Scope.ANY``, and `finish` at its end."""

    def __init__(self, *, now: datetime | None = None, seen: int = 1_000_000) -> None:
        """`now`: the moment that dates are compared with; `seen`: URLs remembered to find repeated ones."""
        self._now = now or datetime.now(UTC)
        self._found: dict[str, Finding] = {}
        self._once: Counter[tuple[str, Code]] = Counter()
        self._malformed: Diagnostic | None = None
        self.markup = Markup(self.report)
        self._seen, self._returns = Seen(seen), Returns()
        self._sitemap = ""
        self._entries = self._news = 0
        self._judge: Judge | None = None
        self._first = ""
        self._outside: dict[tuple[str, str], Finding] = {}

    @property
    def findings(self) -> list[Finding]:
        """The rules that are broken, the errors first, each grade in the order of the table."""
        found = (self._found[name] for name in RULES if name in self._found)
        return sorted(found, key=lambda finding: [*Grade].index(finding.rule.grade))

    @property
    def origins(self) -> list[str]:
        """Those of the pages that their sitemap may list only if a robots.txt there names it."""
        return list(dict.fromkeys(origin for _, origin in self._outside if origin))

    def report(self, name: str, url: str, where: str = "", detail: str = "") -> None:
        """A rule is broken somewhere."""
        self._found.setdefault(name, Finding(name)).add(Place(url, where, detail))

    # --------------------------------------------------------------------------------------------------- diagnostics
    def diagnose(self, diagnostic: Diagnostic) -> None:
        """Take a diagnostic of the reading."""
        # An ampersand makes a document ill-formed, and what is to be put right is the ampersand.
        malformed, self._malformed = self._malformed, None
        if malformed and not (diagnostic.code is Code.XML_REPAIRED and diagnostic.url == malformed.url):
            self._take(malformed)
        if diagnostic.code is Code.XML_MALFORMED:
            self._malformed = diagnostic
        else:
            self._take(diagnostic)

    def _take(self, diagnostic: Diagnostic) -> None:
        name = self._name(diagnostic)
        if name:
            self.report(name, diagnostic.url, diagnostic.where, diagnostic.detail)
            if CODES[diagnostic.code].once:
                self._once[name, diagnostic.code] += 1

    @staticmethod
    def _name(diagnostic: Diagnostic) -> str | None:
        code, detail = diagnostic.code, diagnostic.detail
        if code is Code.VALUE_INVALID:
            return next((rule for start, rule in BY_VALUE.items() if detail.startswith(start)), BY_CODE[code])
        if is_robots_url(diagnostic.url):
            # There need not be one; that it names nothing is a rule of its own.
            return {Code.ABSENT: None, Code.LINE_IGNORED: "robots-lines"}.get(code, BY_CODE.get(code))
        if code is Code.DUPLICATE and detail == diagnostic.url:  # an index that lists itself lists an index
            return "index-nesting"
        if code is Code.LIMIT_EXTENSION and not detail.endswith("image"):
            return "checked"
        return BY_CODE.get(code)

    # --------------------------------------------------------------------------------------------------- entries
    def add(self, entry: Entry, rows: list[SitemapReport]) -> None:
        """Take an entry; `rows`: the documents so far."""
        if entry.sitemap != self._sitemap:
            self._sitemap, self._entries, self._news = entry.sitemap, 0, 0
            self._judge = _judge(entry.sitemap, rows)
            self._first = self._first or entry.loc
        self._entries += 1
        where = f"entry {self._entries}"
        self._locate(entry, where)
        for name, detail in look(entry, self._now):
            self.report(name, entry.sitemap, where, detail)
        again = self._seen.add(entry.loc, entry.sitemap) is not None
        if again:
            self.report("repeated", entry.sitemap, where, entry.loc)
        if entry.extensions:
            self._extended(entry, where, again=again)

    def _locate(self, entry: Entry, where: str) -> None:
        outside = self._judge(entry) if self._judge else urls.origin(entry.loc) != urls.origin(self._first)
        if outside:
            key = (entry.sitemap, urls.origin(entry.loc))
            if key not in self._outside and len(self._outside) >= MOST_OUTSIDE:
                key = (entry.sitemap, "")
            self._outside.setdefault(key, Finding("location")).add(Place(entry.sitemap, where, entry.loc))

    def _extended(self, entry: Entry, where: str, *, again: bool) -> None:
        if not self._returns.add(entry, where, again=again):
            self.report("hreflang-self", entry.sitemap, where, entry.loc)
        self._news += len(entry.news)
        if self._news > MOST_NEWS >= self._news - len(entry.news):
            self.report("news-count", entry.sitemap, where, "more than 1,000 articles")

    # --------------------------------------------------------------------------------------------------- the end
    def finish(self, report: Report, vouches: Vouches = lambda origin, urls: False) -> None:
        """Judge what only the whole shows."""
        if self._malformed:
            self._take(self._malformed)
        for (name, code), kept in self._once.items():
            self._found[name].count += report.counts[code] - kept
        for diagnostic in report.walk.kept:
            self._take(diagnostic)
        for row in report.sitemaps:
            for name, detail in _document(row):
                self.report(name, row.url, "", detail)
        self._locations(report.sitemaps, vouches)
        self._indexes(report.sitemaps, vouches)
        for link in self._returns.missing():
            self.report("hreflang-return", link.sitemap, link.where, f"{link.href} does not list {link.page}")
        if self._returns.dropped:
            self.report("checked", report.sitemaps[0].url, "", f"{self._returns.dropped} links between alternates")
        if self._seen.dropped:
            self.report("checked", report.sitemaps[0].url, "", f"{self._seen.dropped} URLs for later repeats")

    def _locations(self, rows: list[SitemapReport], vouches: Vouches) -> None:
        """A sitemap may list pages of any origin whose robots.txt names it, or an index above it."""
        by_url, by_request = {row.url: row for row in rows}, {row.requested: row for row in rows}
        for (sitemap, origin), found in self._outside.items():
            row = by_url[sitemap]
            if not origin or not vouches(origin, {row.url, row.requested, *_trail(row, by_request)}):
                self._found.setdefault(found.name, Finding(found.name)).merge(found)

    def _indexes(self, rows: list[SitemapReport], vouches: Vouches) -> None:
        """A host whose robots.txt names an index lets it list sitemaps that lie there."""
        parents = {row.requested: row for row in rows if row.format is Format.SITEMAPINDEX}
        for row in rows:
            parent = parents.get(row.parent or "")
            if parent and row.format is Format.SITEMAPINDEX:
                self.report("index-nesting", parent.url, "", row.url)
            if parent and urls.host(parent.url) and not row.requested.startswith(urls.directory(parent.url)):
                there = urls.origin(row.requested)
                if there == urls.origin(parent.url) or not vouches(there, {parent.url, parent.requested}):
                    self.report("index-location", parent.url, "", row.requested)


def _judge(url: str, rows: list[SitemapReport]) -> Judge | None:
    """What tells whether an entry may stand in a document; None: it is a file, and has no place of its own."""
    row = next((row for row in reversed(rows) if row.url == url), rows[-1])
    if not urls.host(row.url):
        return None
    trail = tuple(_trail(row, {row.requested: row for row in rows}))
    return Policy(scope=Scope.PROTOCOL).judge(Source(url=row.url, requested=row.requested, trail=trail))


def _trail(row: SitemapReport, rows: dict[str, SitemapReport]) -> Iterable[str]:
    above: list[str] = []
    while row.parent and row.parent in rows and row.parent not in above:
        above.insert(0, row.parent)
        row = rows[row.parent]
    return above


def _document(row: SitemapReport) -> Iterator[tuple[str, str]]:
    listed = row.entries + row.refs
    if listed > MOST_ENTRIES:
        yield "entries", f"{listed:,}"
    if row.bytes > MOST_BYTES:
        yield "size", f"{row.bytes:,} bytes"
    # Of what was only tried, or is a robots.txt, nobody says that it is one.
    if row.outcome in (Outcome.NOT_A_SITEMAP, Outcome.EMPTY) and not (row.speculative or is_robots_url(row.url)):
        yield "is-sitemap", row.reason
    if row.complete and not listed and row.format not in (None, Format.ROBOTS):
        yield "listed", "lists nothing"
