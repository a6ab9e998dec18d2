"""Spiders as people write them, each on a base that is given: Scrapy's SitemapSpider or ours."""

from __future__ import annotations

import asyncio
from typing import Any

from scrapy import Request, Spider
from scrapy.http.request import NO_CALLBACK
from scrapy.spiders.sitemap import iterloc
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.sitemap import Sitemap

from sitemapreader.scrapy import iter_requests


def plain(base: Any) -> Any:
    """Says of each page what it knows."""

    class Plain(base):
        def parse(self, response: Any) -> Any:
            yield {
                "url": response.url,
                "entry": response.meta.get("sitemap_entry"),
                "referer": response.request.headers.get("Referer", b"").decode(),
                "depth": response.meta["depth"],
            }

    return Plain


def ruled(base: Any) -> Any:
    """Several rules, of which the first that matches wins; a callback by name and one by itself."""

    class Ruled(plain(base)):
        sitemap_rules = (("/product/", "parse_product"), ("/p", "parse_other"))

        def parse_product(self, response: Any) -> Any:
            yield {"product": response.url}

        def parse_other(self, response: Any) -> Any:
            yield {"other": response.url}

    return Ruled


def filtering(base: Any) -> Any:
    """Drops by date, rewrites, repeats, and makes entries of its own, as the kind of the document is."""

    class Filtering(plain(base)):
        def sitemap_filter(self, entries: Any) -> Any:
            self.crawler.stats.inc_value(f"filtered/{entries.type}")
            for entry in entries:
                if entries.type == "sitemapindex":
                    if entry.get("lastmod", "") >= "2026":
                        yield entry
                elif "drop" in entry["loc"]:
                    continue
                elif "/old" in entry["loc"]:
                    entry["loc"] = entry["loc"].replace("/old", "/new")
                    yield entry
                elif "twice" in entry["loc"]:
                    yield entry
                    entry["loc"] += "?again"
                    yield entry
                elif "own" in entry["loc"]:
                    yield {"loc": entry["loc"] + "/made", "priority": entry.get("priority", "none")}
                else:
                    self.crawler.stats.inc_value("undated", "lastmod" not in entry)
                    yield entry

    return Filtering


def replacing(base: Any) -> Any:
    """Overrides the callback, to add to each request; tells pages by their callback."""

    class Replacing(plain(base)):
        def _parse_sitemap(self, response: Any) -> Any:
            for request in super()._parse_sitemap(response):
                if request.callback == self.parse:
                    request = request.replace(cookies={"seen": "1"}, meta={**request.meta, "page": True})
                yield request

    return Replacing


def batching(base: Any) -> Any:
    """Makes requests of its own from the body, one for three pages."""

    class Batching(plain(base)):
        def _parse_sitemap(self, response: Any) -> Any:
            locs = list(iterloc(Sitemap(self._get_sitemap_body(response))))
            for at in range(0, len(locs), 3):
                yield Request(f"{locs[at]}?{len(locs[at : at + 3])}", self.parse)

    return Batching


def unwrapping(base: Any) -> Any:
    """Gets the document out of another one."""

    class Unwrapping(plain(base)):
        def _get_sitemap_body(self, response: Any) -> Any:
            _before, mark, body = response.body.partition(b"---")
            return body if mark else None

    return Unwrapping


def swapping(base: Any) -> Any:
    """Gives the callback another body than came, and is called from one of its own."""

    class Swapping(plain(base)):
        async def start(self) -> Any:
            for url in self.sitemap_urls:
                yield Request(url, self.parse_wrapped)

        def parse_wrapped(self, response: Any) -> Any:
            yield from self._parse_sitemap(response.replace(body=response.body.replace(b"&nbsp;", b"")))

    return Swapping


def starting(base: Any) -> Any:
    """Starts with requests of its own."""

    class Starting(plain(base)):
        async def start(self) -> Any:
            async for request in super().start():
                yield request.replace(headers={"X-Start": "1"})
            yield Request(self.more, self._parse_sitemap)

    return Starting


def hooked(base: Any) -> Any:
    """Makes its page requests by the hook."""

    class Hooked(plain(base)):
        def sitemap_request(self, url: str, callback: Any, entry: Any) -> Any:
            if "skip" in url:
                return None
            images = [image.loc for image in entry.entry.images]
            return Request(url, callback, headers={"X-Lastmod": entry.get("lastmod", "none")}, cb_kwargs={"n": images})

        def parse(self, response: Any, n: Any) -> Any:
            for item in super().parse(response):
                yield item | {"images": n, "sent": response.request.headers["X-Lastmod"].decode()}

    return Hooked


def polite(base: Any) -> Any:
    """Follows links from pages, to see how deep it gets."""

    class Polite(plain(base)):
        def parse(self, response: Any) -> Any:
            yield from super().parse(response)
            for link in response.css("a::attr(href)").getall():
                yield response.follow(link)

    return Polite


def failing(base: Any) -> Any:
    """Has a fault of its own, which is not to be hidden, and yields items beside requests."""

    class Failing(plain(base)):
        def _parse_sitemap(self, response: Any) -> Any:
            for number, request in enumerate(super()._parse_sitemap(response)):
                yield request
                yield {"number": number}
                if number == self.fails_at:
                    raise KeyError("of the spider")

    return Failing


def custom(base: Any) -> Any:
    """No SitemapSpider at all."""

    class Custom(Spider):
        async def start(self) -> Any:
            for url in self.sitemap_urls:
                yield Request(url, self.parse_map, errback=self.failed)

        def parse_map(self, response: Any) -> Any:
            yield from iter_requests(self, response)

        def failed(self, failure: Any) -> None:
            self.crawler.stats.inc_value("own/failed")

        def parse(self, response: Any) -> Any:
            yield {"url": response.url, "entry": response.meta["sitemap_entry"]}

    return Custom


def batching_relative(base: Any) -> Any:
    """As above, for bodies whose locs are relative."""

    class BatchingRelative(plain(base)):
        def _parse_sitemap(self, response: Any) -> Any:
            for loc in iterloc(Sitemap(self._get_sitemap_body(response))):
                yield Request(response.urljoin(f"{loc}?1"), self.parse)

    return BatchingRelative


def inventing(base: Any) -> Any:
    """Its filter makes up what is no URL."""

    class Inventing(plain(base)):
        def sitemap_filter(self, entries: Any) -> Any:
            yield {"loc": "no/scheme"}
            yield {"loc": "http://127.0.0.1:99999/"}
            yield {"loc": None}
            yield from entries

    return Inventing


def fetching(base: Any) -> Any:
    """Fetches files for each page by itself, past the scheduler."""

    class Fetching(plain(base)):
        async def parse(self, response: Any) -> Any:
            engine = self.crawler.engine
            for number in range(3):
                request = Request(f"{response.url}/{number}.png", callback=NO_CALLBACK)
                if hasattr(engine, "download_async"):
                    await engine.download_async(request)
                else:
                    await maybe_deferred_to_future(engine.download(request))
            yield {"url": response.url}

    return Fetching


# ----------------------------------------------------------------------------------------------------------- components
class Exchange:
    """A spider middleware that passes other requests on than it gets, keeps those, and drops some."""

    def __init__(self) -> None:
        self.kept: list[Any] = []

    async def process_spider_output(self, response: Any, result: Any, spider: Any = None) -> Any:
        async for output in result:
            self.kept.append(output)
            if not isinstance(output, Request):
                yield output
            elif "drop" not in output.url:
                yield output.replace()


class Detain:
    """A downloader middleware that keeps requests for a while, between the scheduler and the downloader."""

    async def process_request(self, request: Any, spider: Any = None) -> None:
        await asyncio.sleep(0.05)
