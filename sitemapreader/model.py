"""The records that come out: what a document lists, field by field, named as the protocol names them.

All are frozen and slotted. A field is None, or an empty tuple, where the document says nothing usable: no default of
the protocol is filled in. `to_dict` gives plain values, ready for JSON, without the fields that are None or empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, make_dataclass
from datetime import datetime
from enum import Enum
from typing import Any, ClassVar, TypeVar

from . import display


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


@dataclass(frozen=True, slots=True)
class Image:
    """A picture on the page. Source: Google's image sitemap extension, deprecated tags included."""

    kind: ClassVar[str] = "images"
    loc: str
    title: str | None = None
    caption: str | None = None
    geo_location: str | None = None
    license: str | None = None
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class Restriction:
    """Countries or platforms that a video is allowed on or denied to, as the page names them."""

    relationship: str | None
    """``allow`` or ``deny``."""
    values: tuple[str, ...]
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class Price:
    """What a video costs. `value` is None where none is written or it is no number."""

    value: float | None
    currency: str | None = None
    type: str | None = None
    """``own``, ``rent`` or ``purchase``."""
    resolution: str | None = None
    """``hd`` or ``sd``."""
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class Uploader:
    """Who uploaded a video; `info` is a URL."""

    name: str
    info: str | None = None
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class Player:
    """The page that plays a video, and whether it may be embedded."""

    loc: str
    allow_embed: bool | None = None
    autoplay: str | None = None
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class Gallery:
    """The gallery a video stands in."""

    loc: str
    title: str | None = None
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class ContentSegment:
    """One piece of a video's file, and its length in seconds."""

    loc: str
    duration: int | None = None
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class TvShow:
    """The show a video belongs to."""

    show_title: str | None = None
    video_type: str | None = None
    episode_title: str | None = None
    season_number: int | None = None
    episode_number: int | None = None
    premier_date: datetime | None = None
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class VideoId:
    """An identifier of a video in somebody's numbering."""

    value: str
    type: str | None = None
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class Video:
    """A video on the page. Source: Google's video sitemap extension and its schema, deprecated tags included.

    `duration` is in seconds (0 to 28,800), `rating` from 0.0 to 5.0, dates are aware.
    """

    kind: ClassVar[str] = "videos"
    thumbnail_loc: str | None = None
    title: str | None = None
    description: str | None = None
    content_loc: str | None = None
    player_loc: Player | None = None
    duration: int | None = None
    expiration_date: datetime | None = None
    rating: float | None = None
    view_count: int | None = None
    publication_date: datetime | None = None
    family_friendly: bool | None = None
    tag: tuple[str, ...] = ()
    category: str | None = None
    restriction: Restriction | None = None
    platform: Restriction | None = None
    gallery_loc: Gallery | None = None
    price: tuple[Price, ...] = ()
    requires_subscription: bool | None = None
    uploader: Uploader | None = None
    live: bool | None = None
    content_segment_loc: tuple[ContentSegment, ...] = ()
    tvshow: TvShow | None = None
    id: tuple[VideoId, ...] = ()
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class Publication:
    """The publication a news article appears in; `language` is an ISO 639 code."""

    name: str | None = None
    language: str | None = None
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class News:
    """A news article. Source: Google's news sitemap extension, deprecated tags included."""

    kind: ClassVar[str] = "news"
    publication: Publication | None = None
    publication_date: datetime | None = None
    title: str | None = None
    genres: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    stock_tickers: tuple[str, ...] = ()
    access: str | None = None
    """``Subscription`` or ``Registration``."""
    geo_locations: str | None = None
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class Alternate:
    """The page in another language or for another device. Source: Google, "localized versions of your pages"."""

    kind: ClassVar[str] = "alternates"
    hreflang: str | None
    href: str
    """Absolute, percent-encoded ASCII."""
    media: str | None = None
    type: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    """Any other attribute as written, by name."""
    to_dict = to_dict


@dataclass(frozen=True, slots=True)
class Mobile:
    """The page is for feature phones (deprecated; an empty element is all there is)."""

    kind: ClassVar[str] = "mobile"
    to_dict = to_dict


Extension = Image | Video | News | Alternate | Mobile


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


Record = TypeVar("Record", Entry, SitemapRef, Alternate, Image)

# A frozen record takes five times as long to make, field by field past its own guard. So records that are made by the
# hundred are made as what they are without the guard, and then told what they are.
DRAFTS: dict[type, Any] = {
    record: make_dataclass(f"{record.__name__}Draft", [(f.name, f.type, f) for f in fields(record)], slots=True)
    for record in (Entry, SitemapRef, Alternate, Image)
}
"""For each of these, a class with its slots: an object of it may be told to be one of the record."""


def in_bulk(record: type[Record], *columns: Iterable[Any]) -> list[Record]:
    """The records of these values, a column for each field."""
    made: list[Any] = list(map(DRAFTS[record], *columns))
    for draft in made:
        draft.__class__ = record
    return made
