"""The records that come out: what a document lists, field by field, named as the protocol names them.

All are frozen and slotted. A field is None, or an empty tuple, where the document says nothing usable: no default of
the protocol is filled in. `to_dict` gives plain values, ready for JSON, without the fields that are None or empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

from . import display
from .records import Alternate, Extension, Image, News, Video, draft, plain


class Format(Enum):
    """What a document is, told by its content."""

    URLSET = "urlset"
    SITEMAPINDEX = "sitemapindex"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"
    ROBOTS = "robots"


class ChangeFreq(Enum):
    """How often the page is likely to change (https://www.sitemaps.org/protocol.html)."""

    ALWAYS = "always"
    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    YEARLY = "yearly"
    NEVER = "never"


ReadExtensions = Callable[[str], tuple[Extension, ...]]


class _Late:
    """What an entry has that was made with many others: the extensions are made when they are first asked for.

    Most crawlers never do, and of a page with translations and pictures they take the most time of all.
    """

    __slots__ = ("_late",)
    _late: tuple[ReadExtensions, str]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Only called for what is not set."""
            if name != "extensions":
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            read, text = self._late
            extensions = read(text)
            # Another thread may be here too: whatever it sees of this gives the same, or an equal, tuple.
            object.__setattr__(self, "extensions", extensions)
            object.__setattr__(self, "_late", (tuple, extensions))
            return extensions


@dataclass(frozen=True, slots=True)
class Entry(_Late):
    """A page that a sitemap lists."""

    loc: str
    """Absolute http(s) URL, percent-encoded ASCII."""
    lastmod: datetime | None = None
    """Aware; UTC where no zone is written, midnight where no time is. None where nothing usable is written."""
    changefreq: ChangeFreq | None = None
    priority: float | None = None
    """0.0 to 1.0."""
    extensions: tuple[Extension, ...] = ()
    """Images, videos, news and alternates in document order."""
    sitemap: str = ""
    """URL of the document that lists it."""
    lastmod_text: str | None = None
    """The date as written, trimmed."""
    __repr__, _repr_html_ = display.short, display.record

    @property
    def images(self) -> tuple[Image, ...]:
        """The pictures on the page."""
        return tuple(item for item in self.extensions if type(item) is Image)

    @property
    def videos(self) -> tuple[Video, ...]:
        """The videos on the page."""
        return tuple(item for item in self.extensions if type(item) is Video)

    @property
    def news(self) -> tuple[News, ...]:
        """The news article on the page; a tuple, since files are found with several."""
        return tuple(item for item in self.extensions if type(item) is News)

    @property
    def alternates(self) -> tuple[Alternate, ...]:
        """The page in other languages, the page itself included if the document does."""
        return tuple(item for item in self.extensions if type(item) is Alternate)

    @property
    def lastmod_precision(self) -> str | None:
        """``year month day minute second fraction``: how exact `lastmod` was written; None without lastmod."""
        if self.lastmod is None or self.lastmod_text is None:
            return None
        return precision(self.lastmod_text)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: the protocol's fields always, each kind of extension where there is one."""
        result: dict[str, Any] = {
            "loc": self.loc,
            "lastmod": plain(self.lastmod),
            "changefreq": plain(self.changefreq),
            "priority": self.priority,
            "sitemap": self.sitemap,
            "lastmod_text": self.lastmod_text,
        }
        for item in self.extensions:
            result.setdefault(item.kind, []).append(item.to_dict())
        return result


@dataclass(frozen=True, slots=True)
class SitemapRef:
    """A sitemap that an index or a robots.txt names."""

    loc: str
    """Absolute http(s) URL, percent-encoded ASCII. A fragment is no part of what is fetched."""
    lastmod: datetime | None = None
    """Aware, as in Entry."""
    lastmod_text: str | None = None
    trail: tuple[str, ...] = ()
    """URLs of its parents, root first."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "loc": self.loc,
            "lastmod": plain(self.lastmod),
            "lastmod_text": self.lastmod_text,
            "trail": list(self.trail),
        }


def precision(text: str) -> str:
    """How exact a date that was understood is written, told by its shape."""
    if ":" not in text:
        return {4: "year", 7: "month"}.get(len(text), "day")
    time = text.partition(":")[2]
    if ":" not in time[:3]:
        return "minute"
    return "fraction" if time[3:].lstrip("0123456789")[:1] in (".", ",") else "second"


_EntryDraft, _RefDraft = draft(Entry), draft(SitemapRef)


class _LateEntryDraft(_Late):
    """As `draft` makes them, of an entry whose extensions are yet to be made."""

    __slots__ = tuple(field.name for field in fields(Entry))

    def __init__(
        self,
        loc: str,
        lastmod: datetime | None,
        changefreq: ChangeFreq | None,
        priority: float | None,
        late: tuple[ReadExtensions, str],
        sitemap: str,
        lastmod_text: str | None,
    ) -> None:
        self.loc, self.lastmod, self.changefreq, self.priority = loc, lastmod, changefreq, priority
        self._late, self.sitemap, self.lastmod_text = late, sitemap, lastmod_text


def entries(*columns: Iterable[Any], late: bool = False) -> list[Entry]:
    """Entries of these values, a column for each field; `late`: those for extensions are what `_Late` asks for."""
    return _in_bulk(_LateEntryDraft if late else _EntryDraft, Entry, columns)


def sitemap_refs(*columns: Iterable[Any]) -> list[SitemapRef]:
    """The same of child sitemaps."""
    return _in_bulk(_RefDraft, SitemapRef, columns)


def _in_bulk(draft: Any, record: type, columns: tuple[Iterable[Any], ...]) -> list[Any]:
    made: list[Any] = list(map(draft, *columns))
    for item in made:
        item.__class__ = record
    return made
