"""Reads sitemaps for people who crawl."""

from .diagnostics import Code, Diagnostic, Outcome, Severity
from .errors import DiagnosticError, FetchError, SitemapError
from .limits import Limits
from .model import Alternate, ChangeFreq, Entry, Format, Image, News, SitemapRef, Video
from .policy import Policy, Scope
from .sitemap import Sitemap, parse
