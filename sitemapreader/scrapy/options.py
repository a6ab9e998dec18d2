"""What can be set: ``SITEMAPREADER_*`` settings of a project, or attributes of a spider in lower case, which win."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from scrapy.http import Response
from scrapy.settings import BaseSettings

from ..limits import Limits

BOUNDS = {"max_bytes": "max_bytes", "max_depth": "max_depth", "max_sitemaps": "max_sitemaps"} | {
    "max_entries": "max_entries_per_sitemap"
}
"""Options that are bounds, and their fields of Limits."""


@dataclass(frozen=True, slots=True)
class Options:
    """The setting of each is its name in upper case behind ``SITEMAPREADER_``."""

    max_bytes: int | None = None
    """Decompressed bytes of one document. None: what Limits says, or DOWNLOAD_MAXSIZE if that is less."""
    max_depth: int | None = None
    """Indexes above a sitemap. This and the next two: None: what Limits says."""
    max_sitemaps: int | None = None
    """Sitemaps requested in one crawl."""
    max_entries: int | None = None
    """Items taken from one document."""
    follow_robots: bool = False
    """Apply `sitemap_follow` to what a robots.txt lists, too."""
    dont_filter: bool = True
    """Request sitemaps past Scrapy's duplicates filter, which would stop a crawl that is resumed."""
    allow_offsite: bool = True
    """Request sitemaps on hosts that are not in `allowed_domains`."""
    depth_reset: bool = False
    """Count DEPTH_LIMIT from the pages: they and the sitemaps have depth 0."""
    priority: int = 10
    """Of requests for sitemaps."""
    window: int = 1000
    """Requests that wait in the scheduler before a sitemap is read on. 0: all are scheduled at once."""


def options_of(spider: Any) -> Options:
    """What is set for a spider; raises ValueError for a setting that is no number."""
    settings = getattr(spider, "settings", None)
    return Options(**{field.name: _value(spider, settings, field.name, field.default) for field in fields(Options)})


def _value(spider: Any, settings: Any, name: str, default: Any) -> Any:
    key = f"SITEMAPREADER_{name.upper()}"
    own = getattr(spider, key.lower(), None)
    if own is not None:
        settings = BaseSettings({key: own})  # an argument of the spider's (-a) is a text, as a setting may be
    if settings is None or settings.get(key) is None:
        return default
    return settings.getbool(key) if isinstance(default, bool) else settings.getint(key)


def limits_of(spider: Any, options: Options, meta: dict[str, Any]) -> Limits:
    """The bounds for one response: an option goes before `sitemap_limits`, and its request's meta before both."""
    own: Limits | None = getattr(spider, "sitemap_limits", None)
    limits = own or Limits()
    given = {BOUNDS[name]: getattr(options, name) for name in BOUNDS}
    largest = getattr(spider, "_max_size", 0)
    if largest and own is None and options.max_bytes is None:
        given["max_bytes"] = min(largest, limits.max_bytes)
    given["max_bytes"] = meta.get("download_maxsize") or given["max_bytes"]
    return replace(limits, **{name: value for name, value in given.items() if value is not None})


def meta_of(response: Response) -> dict[str, Any]:
    """The request's meta; empty for a response that was made by hand."""
    return response.meta if response.request is not None else {}
