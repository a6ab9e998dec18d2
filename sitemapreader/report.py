"""What a reading amounts to: one row for each document, and the verdict over all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple

from . import display
from .diagnostics import RULES, Code, Diagnostic, Diagnostics, Outcome
from .model import Entry, Format, plain

MOST_DAYS = 10_000
"""Days that entries are counted by, before they are put together to months."""


class Validators(NamedTuple):
    """What a server calls one state of a document, to ask it later for another only (RFC 9110, 8.8)."""

    etag: str | None
    """As sent, quotes included."""
    last_modified: str | None


class Progress(NamedTuple):
    """How far a reading is, as `on_progress` is told."""

    event: str
    """``started``, ``reading`` or ``finished``, which each document is once and may be often between."""
    url: str
    """The document that it is about."""
    documents: int
    """Documents that are read or have failed."""
    known: int
    """Documents that are to be read, as far as is known, those included."""
    entries: int
    """Entries delivered."""
    bytes: int
    """Decompressed bytes read."""


@dataclass(slots=True)
class SitemapReport:
    """What became of one document. Complete rows are final; a row without outcome was not read to its end."""

    url: str
    """Where it was found in the end."""
    requested: str
    """Where it was asked for."""
    format: Format | None = None
    outcome: Outcome | None = None
    complete: bool = False
    status: int | None = None
    """HTTP status, None where there was no response."""
    entries: int = 0
    """Entries the document lists, those the policy dropped included."""
    refs: int = 0
    """Sitemaps the document names."""
    bytes: int = 0
    """Decompressed size of what was read."""
    depth: int = 0
    parent: str | None = None
    """URL of the document that names it, None for the start and for what was tried."""
    lastmod: datetime | None = None
    """What its index says of it."""
    etag: str | None = None
    """The validator as sent, quotes included."""
    last_modified: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    counts: Counter[Code] = field(default_factory=Counter)
    speculative: bool = False
    """Nothing named it: it was tried, it is a page that led to the sitemaps, or a robots.txt that the site does not
    have. It does not touch the verdict."""

    @property
    def reason(self) -> str:
        """Why it is not complete, in words; empty if it is."""
        if self.complete:
            return ""
        lossy = [found for found in self.diagnostics if RULES[found.code].incomplete] or self.diagnostics[-1:]
        return lossy[0].detail or lossy[0].code.value if lossy else "not read to its end"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "url": self.url,
            "requested": self.requested,
            "format": plain(self.format),
            "outcome": plain(self.outcome),
            "complete": self.complete,
            "status": self.status,
            "entries": self.entries,
            "refs": self.refs,
            "bytes": self.bytes,
            "depth": self.depth,
            "parent": self.parent,
            "lastmod": plain(self.lastmod),
            "etag": self.etag,
            "last_modified": self.last_modified,
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
            "counts": {code.value: n for code, n in self.counts.items()},
        }


class Report:
    """The verdict over a reading, kept up to date while it goes on."""

    def __init__(self, start: str, *, keep: int) -> None:
        self.sitemaps: list[SitemapReport] = []
        """One row for each document, in the order they were read."""
        self.entries = 0
        """Entries delivered; while they are read, up to a block of the document ahead of who reads them."""
        self._days: Counter[int] = Counter()
        self._months: Counter[str] = Counter()
        self.rejected: Counter[Code] = Counter()
        """Entries and child sitemaps that the policy kept out, by reason."""
        self.finished = False
        """The reading came to its end."""
        self.recent_only = False
        """All that was found are feeds that a page links to, which list its latest pages; so it is not complete."""
        self._walk = Diagnostics(start, keep=keep)

    @property
    def complete(self) -> bool:
        """A sitemap was read, and every document that the user, a robots.txt or an index names was read whole.

        Pages that a policy keeps out, and URLs nobody could fetch, take nothing from it. Whoever deletes pages that a
        sitemap no longer lists may do so only if this is true and the policy narrows nothing.
        """
        rows = [row for row in self.sitemaps if not row.speculative]
        read = any(map(_is_sitemap, rows))
        lost = self._walk.incomplete or self.recent_only or not all(row.complete for row in rows)
        return self.finished and read and not lost

    @property
    def found_none(self) -> bool:
        """Everything was read or is known to be absent, and nothing of it is a sitemap."""
        rows = self.sitemaps
        if not rows or self._walk.incomplete or any(map(_is_sitemap, rows)):
            return False
        return all(row.complete or row.outcome in (Outcome.ABSENT, Outcome.NOT_A_SITEMAP) for row in rows)

    @property
    def failed(self) -> list[SitemapReport]:
        """The documents that were not read whole; each row has the `reason`, and the `parent` that names it."""
        return [row for row in self.sitemaps if row.outcome is not None and not (row.complete or row.speculative)]

    @property
    def validators(self) -> dict[str, Validators]:
        """By URL, what to give to the next reading, as its `validators`, to read only what has changed.

        An index and a robots.txt are not among them: that they are unchanged says nothing of what they name.
        """
        return {
            row.requested: Validators(row.etag, row.last_modified)
            for row in self.sitemaps
            if row.complete and not row.refs and row.format is not Format.ROBOTS and (row.etag or row.last_modified)
        }

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What was found, by document in the order of reading, then what concerns the reading as a whole."""
        return [diagnostic for row in self.sitemaps for diagnostic in row.diagnostics] + self._walk.kept

    @property
    def counts(self) -> Counter[Code]:
        """How often each code was reported, over all documents."""
        return sum((row.counts for row in self.sitemaps), Counter(self._walk.counts))

    @property
    def months(self) -> dict[str, int]:
        """The entries delivered by month of lastmod, as written: ``2026-03``; those without a date are in none."""
        self._fold()
        return dict(sorted(self._months.items()))

    def add(self, entries: list[Entry]) -> None:
        """Count entries that are delivered."""
        self.entries += len(entries)
        # A day is had in half the time of year and month, which every reading would pay for.
        self._days.update([moment.toordinal() for entry in entries if (moment := entry.lastmod) is not None])
        if len(self._days) > MOST_DAYS:
            self._fold()

    def _fold(self) -> None:
        for day, number in self._days.items():
            self._months[date.fromordinal(day).isoformat()[:7]] += number
        self._days.clear()

    @property
    def walk(self) -> Diagnostics:
        """Takes what concerns no single document, such as a child that is not fetched."""
        return self._walk

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "complete": self.complete,
            "entries": self.entries,
            "rejected": {code.value: n for code, n in self.rejected.items()},
            "sitemaps": [row.to_dict() for row in self.sitemaps],
            "diagnostics": [diagnostic.to_dict() for diagnostic in self._walk.kept],
        }

    def __repr__(self) -> str:
        verdict = "complete" if self.complete else "not complete"
        return f"<Report {verdict}, {self.entries} entries from {len(self.sitemaps)} documents>"

    def _repr_html_(self) -> str:
        return display.report(self, outline(self.sitemaps))


class Branch(NamedTuple):
    """A document in the tree of those that name each other."""

    row: SitemapReport
    lasts: tuple[bool, ...]
    """For each level from the roots down to this document: whether the branch is the last of its parent."""


def outline(rows: Iterable[SitemapReport]) -> Iterator[Branch]:
    """The tree of documents from the top down, each with its children behind it."""
    rows = list(rows)
    known = {row.requested for row in rows}
    children: defaultdict[str | None, list[SitemapReport]] = defaultdict(list)
    for row in rows:
        children[row.parent if row.parent in known and row.parent != row.requested else None].append(row)
    todo: list[Branch] = []
    _push(todo, children[None], ())
    while todo:
        branch = todo.pop()
        yield branch
        _push(todo, children[branch.row.requested], branch.lasts)


def _push(todo: list[Branch], rows: list[SitemapReport], above: tuple[bool, ...]) -> None:
    todo.extend(Branch(row, (*above, at == 0)) for at, row in enumerate(reversed(rows)))


def _is_sitemap(row: SitemapReport) -> bool:
    """Whether a document is one, or was when it was read last and has not changed since."""
    return row.format not in (None, Format.ROBOTS) or row.outcome is Outcome.NOT_MODIFIED
