"""The records of the extensions: what stands with a page, named as the schemas and guidelines name it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from .model import to_dict


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
