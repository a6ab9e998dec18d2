"""What a reading amounts to: one row for each document, and the verdict over all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from .diagnostics import Code, Diagnostic, Diagnostics, Outcome
from .model import Format, plain


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
    """Nothing named it: it was tried, or it is a page that led to the sitemaps. It does not touch the verdict."""

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
        """Entries delivered."""
        self.rejected: Counter[Code] = Counter()
        """Entries and child sitemaps that the policy kept out, by reason."""
        self.finished = False
        """The reading came to its end."""
        self._walk = Diagnostics(start, keep=keep)

    @property
    def complete(self) -> bool:
        """A sitemap was read, and every document that the user, a robots.txt or an index names was read whole.

        Pages that a policy keeps out, and URLs nobody could fetch, take nothing from it. Whoever deletes pages that a
        sitemap no longer lists may do so only if this is true and the policy narrows nothing.
        """
        rows = [row for row in self.sitemaps if not row.speculative]
        read = any(row.format not in (None, Format.ROBOTS) or row.outcome is Outcome.NOT_MODIFIED for row in rows)
        return self.finished and read and all(row.complete for row in rows) and not self._walk.incomplete

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What was found, by document in the order of reading, then what concerns the reading as a whole."""
        return [diagnostic for row in self.sitemaps for diagnostic in row.diagnostics] + self._walk.kept

    @property
    def counts(self) -> Counter[Code]:
        """How often each code was reported, over all documents."""
        return sum((row.counts for row in self.sitemaps), Counter(self._walk.counts))

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
