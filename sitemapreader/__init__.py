"""Reads sitemaps for people who crawl: a lazy stream of normalized entries, and the truth about its completeness."""

from typing import TYPE_CHECKING, Any

from .diagnostics import Code, Diagnostic, Outcome, Severity
from .errors import DiagnosticError, FetchError, SitemapError, StateError
from .fetch import VERSION as __version__
from .limits import Limits
from .model import Alternate, ChangeFreq, Entry, Format, Image, News, SitemapRef, Video
from .policy import Policy, Scope
from .reading import AsyncReading, Reading, aread, read
from .report import Progress, Report, SitemapReport, Validators
from .sitemap import Sitemap, parse
from .walk import Walk

if TYPE_CHECKING:
    from .client import async_mirror_client, mirror_client

__all__ = [
    "Alternate",
    "AsyncReading",
    "ChangeFreq",
    "Code",
    "Diagnostic",
    "DiagnosticError",
    "Entry",
    "FetchError",
    "Format",
    "Image",
    "Limits",
    "News",
    "Outcome",
    "Policy",
    "Progress",
    "Reading",
    "Report",
    "Scope",
    "Severity",
    "Sitemap",
    "SitemapError",
    "SitemapRef",
    "SitemapReport",
    "StateError",
    "Validators",
    "Video",
    "Walk",
    "__version__",
    "aread",
    "async_mirror_client",
    "mirror_client",
    "parse",
    "read",
]


def __getattr__(name: str) -> Any:
    """The mirrors need httpx, which costs more to import than all the rest: it waits until they are asked for."""
    if name in ("async_mirror_client", "mirror_client"):
        from . import client

        return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
