"""What can be seen of an entry by itself: a table of looks, each for the rules it speaks of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from ..model import Entry
from ..records import Image, News, Video
from . import hreflang

TOO_LONG = 2048
"""Characters of a URL that are too many; more are reported as it is read."""
NEWS_AGE = timedelta(days=2)
GIVEN_UP: dict[type, tuple[str, ...]] = {
    Image: ("title", "caption", "geo_location", "license"),
    Video: ("category", "gallery_loc", "price", "tvshow"),
    News: ("genres", "keywords", "stock_tickers", "access", "geo_locations"),
}
"""Fields of tags that Google took from its pages: in 2022 those of images and videos, those of articles before."""

Look = Callable[[Entry, datetime], Iterator[tuple[str, str]]]
"""Gives rule and detail of what is wrong with an entry, as seen at a moment."""


def _url(entry: Entry, now: datetime) -> Iterator[tuple[str, str]]:
    if len(entry.loc) == TOO_LONG:
        yield "url-length", "2,048 characters"


def _lastmod(entry: Entry, now: datetime) -> Iterator[tuple[str, str]]:
    # A day is over last in the zone that is farthest west of the one it is written in.
    if entry.lastmod is not None and entry.lastmod > now + timedelta(days=1):
        yield "lastmod-future", f"{entry.lastmod_text} for {entry.loc}"


def _news(entry: Entry, now: datetime) -> Iterator[tuple[str, str]]:
    for news in entry.news:
        publication = news.publication
        tags = {
            "publication name": publication and publication.name,
            "publication language": publication and publication.language,
            "publication_date": news.publication_date,
            "title": news.title,
        }
        if missing := [tag for tag, value in tags.items() if not value]:
            yield "news-tags", f"no {', no '.join(missing)} for {entry.loc}"
        if news.publication_date is not None and news.publication_date < now - NEWS_AGE:
            yield "news-age", f"{news.publication_date:%Y-%m-%d} for {entry.loc}"


def _videos(entry: Entry, now: datetime) -> Iterator[tuple[str, str]]:
    for video in entry.videos:
        tags = {
            "thumbnail_loc": video.thumbnail_loc,
            "title": video.title,
            "description": video.description,
            "content_loc or player_loc": video.content_loc or video.player_loc,
        }
        if missing := [tag for tag, value in tags.items() if not value]:
            yield "video-tags", f"no {', no '.join(missing)} for {entry.loc}"


def _given_up(entry: Entry, now: datetime) -> Iterator[tuple[str, str]]:
    for item in entry.extensions:
        names = [name for name in GIVEN_UP.get(type(item), ()) if getattr(item, name)]
        if names:
            yield "extension-given-up", f"{item.kind}: {', '.join(names)} for {entry.loc}"


def _alternates(entry: Entry, now: datetime) -> Iterator[tuple[str, str]]:
    for alternate in entry.alternates:
        # A link for another device has a media query and needs no language.
        wrong = None if alternate.media and not alternate.hreflang else hreflang.fault(alternate.hreflang)
        if wrong:
            yield "hreflang-code", f"{wrong} for {entry.loc}"


LOOKS: tuple[Look, ...] = (_url, _lastmod)
"""For every entry."""
EXTENSION_LOOKS: tuple[Look, ...] = (_news, _videos, _given_up, _alternates)
"""For those with extensions."""


def look(entry: Entry, now: datetime) -> Iterator[tuple[str, str]]:
    """Rule and detail of all that is wrong with an entry."""
    for one in (*LOOKS, *EXTENSION_LOOKS) if entry.extensions else LOOKS:
        yield from one(entry, now)
