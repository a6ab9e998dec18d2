"""Reads sitemaps for people who crawl: a lazy stream of normalized entries, and the truth about its completeness."""

from typing import TYPE_CHECKING, Any

from .diagnostics import Code, Diagnostic, Outcome, Severity
from .errors import DiagnosticError, FetchError, SitemapError, StateError
from .limits import Limits
from .model import ChangeFreq, Entry, Format, SitemapRef
from .sitemap import Sitemap, parse

if TYPE_CHECKING:
    from .client import async_mirror_client, mirror_client
    from .fetch import __version__
    from .many import Readings, Site, Status, read_many
    from .policy import Policy, Scope
    from .reading import AsyncReading, Reading, aread, read
    from .records import Alternate, Image, News, Video
    from .report import Progress, Report, SitemapReport, Validators
    from .walk import Walk

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

# Imported when they are asked for: who only parses needs nothing of the network, and httpx alone costs more than that;
# nor does a sitemap without extensions need their records.
_LATER = {
    "client": ("async_mirror_client", "mirror_client"),
    "fetch": ("__version__",),
    "many": ("Readings", "Site", "Status", "read_many"),
    "policy": ("Policy", "Scope"),
    "reading": ("AsyncReading", "Reading", "aread", "read"),
    "records": ("Alternate", "Image", "News", "Video"),
    "report": ("Progress", "Report", "SitemapReport", "Validators"),
    "walk": ("Walk",),
}
_MODULES = {name: module for module, names in _LATER.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return [*__all__]
