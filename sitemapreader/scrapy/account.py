"""What became of a spider's sitemaps: in stats, in the log, and in the set of those it knows."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from .. import urls
from ..diagnostics import Code, Outcome, printable
from .document import Document
from .options import Options, meta_of, options_of

IGNORED = (Outcome.NOT_A_SITEMAP, Outcome.EMPTY, Outcome.REFUSED)
logger = logging.getLogger(__name__)


class Account:
    """Of one spider in one crawl; made when the first sitemap is met."""

    def __init__(self, spider: Any) -> None:
        self._spider = spider
        self._crawler: Crawler | None = getattr(spider, "crawler", None)
        self.known: set[str] = set()
        """URLs of sitemaps, as they were asked for and where they were found."""
        self.requested = 0
        """Sitemaps asked for."""
        self.fetching = 0
        """Of those that other documents name, the ones on their way; too many if some are dropped without an error."""
        self.kept = 0
        """Entries that the policy has kept."""
        self.locs: set[int] = set()
        """Hashes of their URLs, if each is wanted once."""
        self._incomplete = 0
        self._open: dict[int, Counter[str]] = {}
        if self._crawler is not None:
            self._crawler.signals.connect(self.close, signal=signals.spider_closed)

    @cached_property
    def options(self) -> Options:
        """What is set; read when it is first needed, for a spider may set it up to then."""
        return options_of(self._spider)

    def count(self, name: str, number: int = 1) -> None:
        """Add to a stat, if there is a crawler that keeps any."""
        # Scrapy gives a crawler its stats once its spider is made, or later.
        if self._crawler is not None and self._crawler.stats is not None and number:
            self._crawler.stats.inc_value(f"sitemap/{name}", number)

    def warn(self, message: str, **values: object) -> None:
        """A line in the spider's log."""
        logger.warning(message, values, extra={"spider": self._spider})

    @contextmanager
    def reading(self, document: Document, response: Response) -> Iterator[Counter[str]]:
        """While a document is read, takes what is counted; then, if it was read to its end, its verdict is logged."""
        tally = self._open[id(document)] = Counter()
        try:
            yield tally
        finally:
            self._settle(id(document))
            if document.outcome is not None:
                self._judge(document, response)

    def _settle(self, number: int) -> None:
        for name, times in self._open.pop(number, Counter()).items():
            self.count(name, times)

    def _judge(self, document: Document, response: Response) -> None:
        outcome = document.outcome or Outcome.FAILED
        self.count("documents")
        self.count(f"documents/{document.format.value if document.format else 'unknown'}")
        for code, number in document.report.counts.items():
            self.count(f"diagnostics/{code.value}", number)
        self._warn_of_size(document, response)
        if document.complete:
            return
        if outcome in IGNORED or not document.found:
            self.count(f"failed/{outcome.value}")
            message = "Ignoring invalid sitemap: %(response)s (%(outcome)s: %(reason)s)"
        else:
            message = "Incomplete sitemap: %(response)s (%(outcome)s: %(reason)s)"
        self.incomplete(message, response=response, outcome=outcome.value, reason=document.reason)

    def _warn_of_size(self, document: Document, response: Response) -> None:
        """As upstream: a small body that is large once it is unpacked."""
        size: int = meta_of(response).get("download_warnsize", getattr(self._spider, "_warn_size", 0))
        if document.body_size < size <= document.size:
            self.warn(
                "%(response)s has %(size)d bytes after decompression, which is more than the download warning size"
                " (%(most)d).",
                response=response,
                size=document.size,
                most=size,
            )

    def incomplete(self, message: str, **values: object) -> None:
        """A document was not read in full, or not at all."""
        self._incomplete += 1
        self.count("incomplete")
        self.warn(message, **values)

    def refused(self, code: Code, url: str, reason: str) -> None:
        """A sitemap is not asked for: a bound is reached, or its URL is none."""
        self.count(f"rejected/{code.value}")
        message = "Sitemap %(url)s is not fetched: %(reason)s"
        self.incomplete(message, url=printable(url), reason=printable(reason))

    def ignored(self, response: Response, reason: str) -> None:
        """A document is not even looked at."""
        self.count("documents")
        self.count("documents/unknown")
        self.count(f"failed/{Outcome.NOT_A_SITEMAP.value}")
        message = "Ignoring invalid sitemap: %(response)s (%(reason)s)"
        self.incomplete(message, response=response, reason=reason)

    def invalid(self, url: str, error: Exception) -> None:
        """No request can be made of a URL."""
        self.count(f"diagnostics/{Code.URL_INVALID.value}")
        logger.info("No request for %s: %s", printable(url), printable(str(error)), extra={"spider": self._spider})

    def arrived(self, response: Response, requested: str) -> bool:
        """Whether a document is new: not one that was found before, where others led to."""
        url, asked = key(response.url), key(requested)
        is_new = url == asked or url not in self.known
        self.known.update((url, asked))
        return is_new

    def fetched(self, request: Request | None) -> None:
        """A sitemap is there, or it is known that it will not be."""
        if request is not None and is_for_sitemap(request):
            self.fetching = max(self.fetching - 1, 0)

    def close(self) -> None:
        """The crawl is over: count what was read of documents that are still open, and say if anything is missing."""
        for number in list(self._open):
            self._settle(number)
        if self._incomplete:
            self.warn("%(number)d sitemaps were not read in full; see the lines above", number=self._incomplete)


def account_of(spider: Any) -> Account:
    """The account of a spider of any class."""
    found: Account | None = spider.__dict__.get("_sitemapreader")
    if found is None:
        found = spider.__dict__["_sitemapreader"] = Account(spider)
    return found


def is_for_sitemap(request: Request) -> bool:
    """Whether a request is for a sitemap that another document names."""
    return bool(request.meta.get("sitemap_trail"))


def key(url: str) -> str:
    """A URL in the one spelling that it is compared in."""
    return urls.without_fragment(urls.resolve(url, url).url or url)
