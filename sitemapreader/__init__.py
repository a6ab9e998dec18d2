"""Reads sitemaps for people who crawl: a lazy stream of normalized entries, and the truth about its completeness."""

from typing import TYPE_CHECKING, Any

from .diagnostics import Code, Diagnostic, Outcome, Severity
from .errors import DiagnosticError, FetchError, SitemapError, StateError
from .fetch import VERSION as __version__
from .limits import Limits
from .model import ChangeFreq, Entry, Format, SitemapRef
from .policy import Policy, Scope
from .reading import AsyncReading, Reading, aread, read
from .records import Alternate, Image, News, Video
from .report import Progress, Report, SitemapReport, Validators
from .sitemap import Sitemap, parse
from .walk import Walk

if TYPE_CHECKING:
    from .client import async_mirror_client, mirror_client
    from .many import Readings, Site, Status, read_many

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
    "Readings",
    "Report",
    "Scope",
    "Severity",
    "Site",
    "Sitemap",
    "SitemapError",
    "SitemapRef",
    "SitemapReport",
    "StateError",
    "Status",
    "Validators",
    "Video",
    "Walk",
    "__version__",
    "aread",
    "async_mirror_client",
    "mirror_client",
    "parse",
    "read",
    "read_many",
]


_LATER = {
    **dict.fromkeys(("async_mirror_client", "mirror_client"), "client"),
    **dict.fromkeys(("Readings", "Site", "Status", "read_many"), "many"),
}
"""What is imported when it is asked for: httpx alone costs more than all the rest."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
