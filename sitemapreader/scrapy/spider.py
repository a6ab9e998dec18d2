"""`SitemapSpider`: Scrapy's own, with this library's reader in the place of Scrapy's."""

from __future__ import annotations

# Tools that provide what callbacks ask for, such as scrapy-poet, evaluate annotations: these names have to be there.
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, Self

import scrapy.spiders
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.spidermiddlewares.httperror import HttpError

from ..diagnostics import Outcome, printable
from ..errors import STATUSES
from ..limits import Limits
from ..model import Format
from ..policy import Policy
from .account import account_of
from .document import Document, unpacked
from .options import limits_of, meta_of, options_of
from .requests import is_robots, iter_requests, requested_url, sitemap_request
from .window import NEAREST, Window

SPIDER = SETTINGS_PRIORITIES["spider"]


class SitemapSpider(scrapy.spiders.SitemapSpider):
    """Change the import of a spider that has Scrapy's SitemapSpider as its base, and it reads what it did, and more.

    https://docs.scrapy.org/en/latest/topics/spiders.html#sitemapspider says what the attributes mean. Page requests
    carry ``meta["sitemap_entry"]``, the entry as plain values. Content decides what a document is; faults cost what is
    faulty, never the rest or an exception, and are in the stats (``sitemap/...``) and the log.
    """

    sitemap_policy: Policy | None = None
    """Which entries are kept and which sitemaps followed, before rules and `sitemap_filter` are asked."""
    sitemap_limits: Limits | None = None
    """Bounds on bytes, entries, depth and the number of sitemaps."""
    _max_size: int = 0
    _warn_size: int = 0

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Add the `Window` nearest to the engine, unless the project has placed it."""
        super().update_settings(settings)
        name = "SPIDER_MIDDLEWARES"
        settings.setdefault_in_component_priority_dict(name, Window, NEAREST)
        # CrawlerProcess.crawl with a crawler that is made already puts the project's settings over it again, defaults
        # included: a value of their priority would be gone.
        settings.set(name, settings.getdict(name), priority=max(settings.getpriority(name) or 0, SPIDER))

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """As in Scrapy, which sets the sizes; settings are tried now, so that a wrong one ends the crawl at once."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        options_of(spider)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """The requests for `sitemap_urls`."""
        if own := _start_requests_of(self):
            for output in own():
                yield output
            return
        account = account_of(self)
        limits = limits_of(self, account.options, {})
        for url in self.sitemap_urls:
            request = sitemap_request(
                account, url, trail=[], limits=limits, callback=self._parse_sitemap, errback=self._sitemap_failed
            )
            if request is not None:
                yield request

    def sitemap_request(self, url: str, callback: Callable[..., Any], entry: dict[str, Any]) -> Request | None:
        """The request for a page; None: there is none. To be overridden: for headers, cookies, a proxy, a priority.

        `entry` is what `sitemap_filter` gave, its record in ``entry.entry``. ``meta["sitemap_entry"]`` is added to what
        is returned.
        """
        return Request(url, callback=callback)

    sitemap_request.makes_plain_requests = True  # type: ignore[attr-defined]

    def _parse_sitemap(self, response: Response) -> Iterable[Request]:
        """The callback of requests for sitemaps. A generator: what it gives is read from the body as it is taken."""
        body: bytes | str | None = None
        if getattr(self._get_sitemap_body, "__func__", None) is not SitemapSpider._get_sitemap_body:
            body = None if is_robots(response) else self._get_sitemap_body(response)
            if not body and not is_robots(response):
                account_of(self).ignored(response, "_get_sitemap_body gave none")
                return
        if isinstance(body, str):  # as Scrapy's reader takes it, whatever encoding the text declares
            body = b"\xef\xbb\xbf" + body.removeprefix("\ufeff").encode("utf-8", "replace")
        yield from iter_requests(self, response, body=body, callback=self._parse_sitemap)

    def _get_sitemap_body(self, response: Response) -> bytes | None:
        """The document as it was written, uncompressed; None if it is no sitemap, or larger than is allowed."""
        limits = limits_of(self, account_of(self).options, meta_of(response))
        document = Document(response.body, url=response.url, requested=requested_url(response), limits=limits)
        return unpacked(response.body, limits.max_bytes) if document.format not in (None, Format.ROBOTS) else None

    def _sitemap_failed(self, failure: Any) -> None:
        """The errback of requests for sitemaps: a sitemap that could not be had is counted, with a line in the log."""
        account = account_of(self)
        outcome, reason = _verdict(failure.value)
        account.fetched(failure.request)
        account.count(f"failed/{outcome.value}")
        url = failure.request.url
        account.incomplete(
            "No sitemap from %(url)s (%(outcome)s: %(reason)s)", url=url, outcome=outcome.value, reason=reason
        )


def _start_requests_of(spider: Any) -> Callable[[], Iterable[Any]] | None:
    """The spider's own `start_requests`, as was usual up to Scrapy 2.12; None where Scrapy heeds it no more: 2.16."""
    theirs = getattr(scrapy.spiders.SitemapSpider, "start_requests", None)
    own: Callable[[], Iterable[Any]] | None = getattr(spider, "start_requests", None)
    return own if theirs is not None and getattr(own, "__func__", own) is not theirs else None


def _verdict(error: BaseException) -> tuple[Outcome, str]:
    """What the failure of a request amounts to, and why in words."""
    if isinstance(error, HttpError):
        status = error.response.status
        return STATUSES.get(status, Outcome.FAILED), ", ".join((f"HTTP {status}", *_asked_to_wait(error.response)))
    if isinstance(error, IgnoreRequest):
        return Outcome.REFUSED, printable(str(error)) or "the request was ignored"
    return Outcome.FAILED, printable(f"{type(error).__name__}: {error}")


def _asked_to_wait(response: Response) -> Iterator[str]:
    # Scrapy's retries do not wait for it, and a callback must not sleep.
    if told := response.headers.get("Retry-After"):
        yield printable(f"Retry-After {told.decode('latin-1')}")
