"""A spider middleware that lets a sitemap's requests out as the scheduler has room, instead of all at once.

Scrapy takes what a callback gives as fast as it comes: a site of a million pages would be a million requests in the
scheduler. Here the first requests of a document go on at once, and the rest of its iterator is put aside until few
enough requests wait. It cannot wait inside of the callback's output: Scrapy counts the body as being processed until
that ends, and downloads nothing while much is.

Contract: documents take turns; requests for sitemaps stay back while many documents have pages left, so that the bodies
in memory stay few. Each document that is put aside has an output at hand, so that going on always makes progress.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from typing import Any, Self
from weakref import WeakSet

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import deferred_from_coro

from .account import Account, account_of, is_for_sitemap
from .options import meta_of

DOCUMENTS = 16
"""Documents on their way or with pages left, while which no further sitemap is fetched: CONCURRENT_REQUESTS is 16."""
NEAREST = -1_000_000
"""Its order among spider middlewares: those between it and the engine would not see what was put aside."""
END = object()


class Aside:
    """What is left of the output for one document."""

    def __init__(self, outputs: AsyncIterator[Any], response: Response) -> None:
        self.outputs = outputs
        self.response = response
        self.ahead: list[Any] = []
        """The next output, once it was looked at."""

    async def look(self) -> bool:
        """Whether there is another output."""
        if not self.ahead:
            output = await anext(self.outputs, END)
            self.ahead += [] if output is END else [output]
        return bool(self.ahead)

    @property
    def has_sitemap(self) -> bool:
        """The next output is a request for a sitemap."""
        return isinstance(self.ahead[0], Request) and is_for_sitemap(self.ahead[0])


class Window:
    """Of one crawl. `SitemapSpider` adds it to the settings, nearest to the engine.

    A project that places it by itself has to give it the lowest number of all: middlewares below it do not see what was
    put aside.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._account: Account
        self._size = 0
        self._on_way: WeakSet[Request] = WeakSet()
        """Requests that were let out and have not come to the scheduler. A middleware may put others in their place."""
        self._scheduled = 0
        """Requests in the scheduler and on their way from it to the downloader, whoever made them.

        Too many if some never come there, until the scheduler says it is empty.
        """
        self._aside: deque[Aside] = deque()
        self._busy = False
        self._again = False
        """There was room for more while a turn was being taken."""
        self._closed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """As Scrapy makes its components."""
        window = cls(crawler)
        for handler, signal in (
            (window.opened, signals.spider_opened),
            (window.scheduled, signals.request_scheduled),
            (window.left, signals.request_reached_downloader),
            (window.dropped, signals.request_dropped),
            (window.emptied, signals.scheduler_empty),
            (window.idle, signals.spider_idle),
            (window.closed, signals.spider_closed),
        ):
            crawler.signals.connect(handler, signal=signal)
        return window

    # ------------------------------------------------------------------------------------------------------- signals
    def opened(self, spider: Any) -> None:
        """The spider's options are known."""
        self._account = account_of(spider)
        self._size = self._account.options.window

    def scheduled(self, request: Request) -> None:
        """One request more waits."""
        self._on_way.discard(request)
        self._scheduled += 1

    def left(self, request: Request) -> None:
        """One request fewer waits; unless it is of a pipeline or a middleware, which did not wait."""
        if request.callback is not NO_CALLBACK:
            self.dropped()

    def dropped(self) -> None:
        """One request fewer waits."""
        self._scheduled = max(self._scheduled - 1, 0)
        self._go_on()

    def emptied(self) -> None:
        """No request waits but those that are on their way: they will be counted when they come to the downloader."""
        if self._crawler.engine:
            self._scheduled = min(self._scheduled, len(self._crawler.engine.downloader.active))
        self._go_on()

    def idle(self) -> None:
        """The crawl is not over while there is something left."""
        if self._aside or self._busy:
            self._account.fetching = 0
            self._on_way.clear()
            self._go_on()
            raise DontCloseSpider

    async def closed(self) -> None:
        """What is left is given up."""
        self._closed = True
        while self._aside:
            outputs = self._aside.popleft().outputs
            if hasattr(outputs, "aclose"):
                await outputs.aclose()

    # ------------------------------------------------------------------------------------------------------- outputs
    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any], spider: Any = None
    ) -> AsyncIterator[Any]:
        """Of the output for a sitemap what there is room for; all of any other."""
        self._account.fetched(response.request)
        outputs = self._let_out(Aside(result, response)) if self._size and self._is_sitemap(response) else result
        async for output in outputs:
            yield output

    def _is_sitemap(self, response: Response) -> bool:
        callback = getattr(self._crawler.spider, "_parse_sitemap", None)
        is_callback = response.request is not None and callback is not None and response.request.callback == callback
        return is_callback or "sitemap_trail" in meta_of(response)

    async def _let_out(self, aside: Aside) -> AsyncIterator[Any]:
        """The share of one document; then it is put aside, if there is more of it."""
        share = max(self._room() // (len(self._aside) + 1), 1)
        while share > 0 and await aside.look() and not (aside.has_sitemap and self._is_full()):
            share -= max(self._size // DOCUMENTS, 1) if aside.has_sitemap else 1
            self._account.fetching += aside.has_sitemap
            output = aside.ahead.pop()
            if isinstance(output, Request):
                self._on_way.add(output)
            yield output
        if await aside.look() and not self._closed:
            self._aside.append(aside)

    def _room(self) -> int:
        return self._size - self._scheduled - len(self._on_way)

    def _is_full(self) -> bool:
        return self._account.fetching + sum(not aside.has_sitemap for aside in self._aside) >= DOCUMENTS

    def _go_on(self) -> None:
        if self._room() < self._size // 2 or self._closed:
            return
        if self._busy:
            self._again = True
        elif self._aside:
            self._busy = True
            deferred_from_coro(self._turn())

    async def _turn(self) -> None:
        """Each document lets its share out, through the part of Scrapy that takes the output of callbacks."""
        scraper: Any = self._crawler.engine.scraper if self._crawler.engine else None
        try:
            for _ in range(len(self._aside)):
                if self._closed or self._room() <= 0:
                    break
                aside = self._aside.popleft()
                outputs = self._let_out(aside)
                await scraper.handle_spider_output_async(outputs, aside.response.request, aside.response)
        finally:
            again, self._busy, self._again = self._again, False, False
        if again:
            self._go_on()
