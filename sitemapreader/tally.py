"""What the entries of a site amount to: counts by document, path, month and value, in memory that is bounded."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from . import urls
from .model import Entry
from .seen import MOST, Seen

MOST_SECTIONS = 10_000
"""Different first path segments that are counted; those of further ones are put together."""
OTHERS = "..."


class Tally:
    """Counts entries; `to_dict` gives the result as plain values."""

    def __init__(self, *, seen: int = MOST) -> None:
        """`seen`: URLs that are remembered to find those listed more than once."""
        self.entries = 0
        self.sitemaps: Counter[str] = Counter()
        self.sections: Counter[str] = Counter()
        """By origin and first path segment: ``https://example.com/blog/``; pages of the root by the root."""
        self.months: Counter[str] = Counter()
        """By month of lastmod, in the zone it is written in: ``2026-03``."""
        self.undated = 0
        self.oldest: datetime | None = None
        self.newest: datetime | None = None
        self.changefreq: Counter[str] = Counter()
        self.priority: Counter[str] = Counter()
        """By one decimal."""
        self.extensions: Counter[str] = Counter()
        """Images, videos, articles and alternates."""
        self.extended: Counter[str] = Counter()
        """Entries that have any of them."""
        self.repeated = 0
        """Entries whose URL the same document has listed before."""
        self.across = 0
        """Entries whose URL another document has listed before."""
        self._seen = Seen(seen)

    @property
    def uncompared(self) -> int:
        """Entries that no later one was compared with."""
        return self._seen.dropped

    def add(self, entry: Entry) -> None:
        """Count an entry."""
        self.entries += 1
        self.sitemaps[entry.sitemap] += 1
        section = _section(entry.loc)
        if section not in self.sections and len(self.sections) >= MOST_SECTIONS:
            section = OTHERS
        self.sections[section] += 1
        self._date(entry.lastmod)
        if entry.changefreq is not None:
            self.changefreq[entry.changefreq.value] += 1
        if entry.priority is not None:
            self.priority[f"{entry.priority:.1f}"] += 1
        if entry.extensions:
            kinds = Counter(item.kind for item in entry.extensions)
            self.extensions.update(kinds)
            self.extended.update(kinds.keys())
        elsewhere = self._seen.add(entry.loc, entry.sitemap)
        if elsewhere is not None:
            self.across += elsewhere
            self.repeated += not elsewhere

    def _date(self, date: datetime | None) -> None:
        if date is None:
            self.undated += 1
            return
        self.months[f"{date.year:04}-{date.month:02}"] += 1
        self.oldest = date if self.oldest is None else min(self.oldest, date)
        self.newest = date if self.newest is None else max(self.newest, date)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "entries": self.entries,
            "sitemaps": dict(self.sitemaps),
            "sections": dict(self.sections.most_common()),
            "lastmod": {
                "undated": self.undated,
                "oldest": self.oldest and self.oldest.isoformat(),
                "newest": self.newest and self.newest.isoformat(),
                "months": dict(sorted(self.months.items())),
            },
            "changefreq": dict(self.changefreq.most_common()),
            "priority": dict(sorted(self.priority.items(), reverse=True)),
            "extensions": {
                kind: {"entries": self.extended[kind], "items": number}
                for kind, number in self.extensions.most_common()
            },
            "duplicates": {
                "in_one_sitemap": self.repeated,
                "across_sitemaps": self.across,
                "uncompared": self.uncompared,
            },
        }


def _section(loc: str) -> str:
    origin = urls.origin(loc)
    segment, slash, _ = urls.split(loc).path[1:].partition("/")
    return f"{origin}/{segment}/" if slash else f"{origin}/"
