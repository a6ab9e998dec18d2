"""Videos on a page: Google's video sitemap extension, version 1.1, with the tags of its schema and deprecated ones.

https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps
https://www.google.com/schemas/sitemap-video/1.1/sitemap-video.xsd
"""

from __future__ import annotations

import re

from .. import values
from ..records import ContentSegment, Gallery, Player, Price, Restriction, TvShow, Uploader, Video, VideoId
from .element import Context, Element
from .fields import (
    Table,
    attributed,
    date,
    each,
    parsed,
    read_attributes,
    read_fields,
    record,
    text,
    tokens,
    understood,
    url,
    word,
    yes_no,
)

LONGEST = 28_800
"""Seconds a video may last by the protocol: eight hours."""

_STREAM = re.compile(r"(?:rtmp[est]?|rtsp|mms|ftps?)://[!-~]+", re.IGNORECASE)
"""Files and players need not be on http, but what looks like a script or a local path is no place of a video."""


def _media(element: Element, name: str, context: Context) -> str | None:
    def parse(written: str) -> str | None:
        return written if _STREAM.fullmatch(written) else context.url(written)

    return understood(element.text, parse, name, context)


_amount = parsed(values.decimal, low=0)
_count = parsed(values.integer, low=0)
_duration = parsed(values.integer, low=0, high=LONGEST)


_PRICE: Table = {"currency": text, "type": word("own", "rent", "purchase"), "resolution": word("hd", "sd")}


def _price(element: Element, name: str, context: Context) -> tuple[Price, ...]:
    """Kept also without an amount, since ``<video:price type="rent"/>`` says that there is one."""
    price = Price(_amount(element, name, context), **read_attributes(element, name, context, _PRICE))
    return () if price == Price(None) else (price,)


_restriction = attributed(Restriction, "values", tokens, relationship=word("allow", "deny"))

TV_SHOW: Table = {
    "show_title": text,
    "video_type": word("full", "preview", "clip", "interview", "news", "other"),
    "episode_title": text,
    "season_number": _count,
    "episode_number": _count,
    "premier_date": date,
}

TABLE: Table = {
    "thumbnail_loc": url,
    "title": text,
    "description": text,
    "content_loc": _media,
    "player_loc": attributed(Player, "loc", _media, allow_embed=yes_no, autoplay=text),
    "duration": _duration,
    "expiration_date": date,
    "rating": parsed(values.decimal, low=0, high=5),
    "view_count": _count,
    "publication_date": date,
    "family_friendly": yes_no,
    "tag": each(text),
    "category": text,
    "restriction": _restriction,
    "platform": _restriction,
    "gallery_loc": attributed(Gallery, "loc", url, title=text),
    "price": _price,
    "requires_subscription": yes_no,
    "uploader": attributed(Uploader, "name", text, info=url),
    "live": yes_no,
    "content_segment_loc": each(attributed(ContentSegment, "loc", _media, duration=_count)),
    "tvshow": record(TvShow, TV_SHOW),
    "id": each(attributed(VideoId, "value", text, type=text)),
}


def read(element: Element, context: Context) -> Video | None:
    """``video:video``, also where fields are missing."""
    if element.name.lower() != "video":
        return None
    return Video(**read_fields(element.children, element.uri, "video", context, TABLE))
