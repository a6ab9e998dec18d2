"""The records that come out: what a document lists, field by field, named as the protocol names them.

All are frozen and slotted. A field is None, or an empty tuple, where the document says nothing usable: no default of
the protocol is filled in. `to_dict` gives plain values, ready for JSON, without the fields that are None or empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from enum import Enum
from functools import partial
from itertools import repeat, starmap
from typing import TYPE_CHECKING, Any

from . import display

if TYPE_CHECKING:
    from .records import Alternate, Extension, Image, News, Video
else:
    # Most sitemaps have none: they are imported with the first. Who resolves annotations meets Any in their place.
    Alternate = Extension = Image = News = Video = Any


def plain(value: Any) -> Any:
    """A field's value as JSON has it: records to dicts, dates to ISO 8601, enums to their words."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    return value.to_dict() if hasattr(value, "to_dict") else value


def to_dict(record: Any) -> dict[str, Any]:
    """The fields of a record that say something, as plain values."""
    values = ((field.name, getattr(record, field.name)) for field in fields(record))
    return {name: plain(value) for name, value in values if value is not None and value != () and value != {}}


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


ReadExtensions = Callable[[str], "tuple[Extension, ...]"]


@dataclass(frozen=True, slots=True)
class Entry:
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
        return self._of("images")

    @property
    def videos(self) -> tuple[Video, ...]:
        """The videos on the page."""
        return self._of("videos")

    @property
    def news(self) -> tuple[News, ...]:
        """The news article on the page; a tuple, since files are found with several."""
        return self._of("news")

    @property
    def alternates(self) -> tuple[Alternate, ...]:
        """The page in other languages, the page itself included if the document does."""
        return self._of("alternates")

    def _of(self, kind: str) -> tuple[Any, ...]:
        return tuple(item for item in self.extensions if item.kind == kind)

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


class _Late:
    """The field `extensions`: of entries that are made with many others, its value is made when it is first asked for.

    Most crawlers never do, and of a page with translations and pictures they take the most time of all. Until then a
    `partial` stands in the slot. Whatever else is asked for stays a look into a slot.
    """

    def __init__(self, slot: Any) -> None:
        self.slot = slot

    def __get__(self, entry: Entry | None, owner: type | None = None) -> Any:
        if entry is None:
            return self
        value = self.slot.__get__(entry)
        if type(value) is partial:
            # Another thread may be here too: whatever it sees of this gives the same, or an equal, tuple.
            value = value()
            self.slot.__set__(entry, value)
        return value

    def __set__(self, entry: Entry, value: tuple[Extension, ...]) -> None:
        self.slot.__set__(entry, value)


Entry.extensions = _Late(Entry.extensions)  # type: ignore[assignment, misc]


# A frozen record takes five times as long to make, field by field past its own guard. So records that are made by the
# hundred are made as what they are without the guard, and then told what they are.
def draft(record: type) -> Any:
    """A class with the slots of `record`: an object of it may be told to be one of that."""
    return type(f"{record.__name__}Draft", (), {"__slots__": tuple(field.name for field in fields(record))})


_EntryDraft, _RefDraft = draft(Entry), draft(SitemapRef)


def entries(
    locs: Sequence[str],
    lastmods: Iterable[datetime | None],
    changefreqs: Iterable[ChangeFreq | None],
    priorities: Iterable[float | None],
    lastmod_texts: Iterable[str | None],
    *,
    sitemap: str,
    extensions: Sequence[str],
    read: ReadExtensions | None,
) -> list[Entry]:
    """Entries of these values; the extensions are texts, empty where there are none, and `read` makes them."""
    made = _drafts(_EntryDraft, len(locs))
    columns = zip(made, locs, lastmods, changefreqs, priorities, lastmod_texts, strict=False)  # some are `repeat`
    item: Any
    # The head of a loop sets fields without a call for each item, which is the fastest way there is.
    for item, item.loc, item.lastmod, item.changefreq, item.priority, item.lastmod_text in columns:
        item.sitemap = sitemap
        item.extensions = ()
    if read:
        for item, text in zip(made, extensions, strict=True):
            if text:
                item.extensions = partial(read, text)
    for item in made:
        item.__class__ = Entry
    return made


def sitemap_refs(
    locs: Sequence[str],
    lastmods: Iterable[datetime | None],
    lastmod_texts: Iterable[str | None],
    *,
    trail: tuple[str, ...],
) -> list[SitemapRef]:
    """The same of child sitemaps."""
    made = _drafts(_RefDraft, len(locs))
    item: Any
    for item, item.loc, item.lastmod, item.lastmod_text in zip(made, locs, lastmods, lastmod_texts, strict=False):
        item.trail = trail
        item.__class__ = SitemapRef
    return made


def _drafts(draft: Any, number: int) -> list[Any]:
    return list(starmap(draft, repeat((), number)))
