"""Spiders as people write them, each on a base that is given: Scrapy's SitemapSpider or ours."""

from __future__ import annotations

from typing import Any


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
