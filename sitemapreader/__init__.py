"""Reads sitemaps for people who crawl: a lazy stream of normalized entries, and the truth about its completeness."""

from typing import TYPE_CHECKING, Any

from .diagnostics import Code, Diagnostic, Outcome, Severity
from .errors import DiagnosticError, FetchError, SitemapError
from .fetch import VERSION as __version__
from .limits import Limits
from .model import Alternate, ChangeFreq, Entry, Format, Image, News, SitemapRef, Video
from .policy import Policy, Scope
from .reading import AsyncReading, Reading, aread, read
from .report import Report, SitemapReport
from .sitemap import Sitemap, parse
from .walk import Walk

if TYPE_CHECKING:
    from .client import mirror_client

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
    "Reading",
    "Report",
    "Scope",
    "Severity",
    "Sitemap",
    "SitemapError",
    "SitemapRef",
    "SitemapReport",
    "Video",
    "Walk",
    "__version__",
    "aread",
    "mirror_client",
    "parse",
    "read",
]


def __getattr__(name: str) -> Any:
    """`mirror_client` needs httpx, which costs more to import than all the rest: it is fetched when it is asked for."""
    if name == "mirror_client":
        from .client import mirror_client  # noqa: PLC0415

        return mirror_client
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
