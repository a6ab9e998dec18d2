"""The drop-in for Scrapy without a crawl: what stays as it is upstream, options, policy and limits, and laziness."""

from __future__ import annotations

import asyncio
import gzip
import inspect
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints

import pytest

pytest.importorskip("scrapy")

import scrapy
from itemadapter import ItemAdapter, is_item
from scrapy.http import Response, TextResponse, XmlResponse
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager
from scrapy.spiders import SitemapSpider as Theirs
from scrapy.spiders.sitemap import iterloc
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.request import request_from_dict
from scrapy.utils.sitemap import Sitemap

import sitemapreader as sr
import sitemapreader.scrapy as sr_scrapy
from sitemapreader.scrapy import Entries, SitemapSpider, iter_requests
from sitemapreader.scrapy.account import account_of
from sitemapreader.scrapy.document import Document

URL = "https://a.example/sitemap.xml"
HEAD = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


def urlset(*locs: str) -> bytes:
    return HEAD + "".join(f"<url><loc>{loc}</loc></url>" for loc in locs).encode() + b"</urlset>"


def response(body: bytes, url: str = URL, kind: type[Response] = Response, **meta: Any) -> Response:
    return kind(url, body=body, request=scrapy.Request(url, meta=meta))


def urls(spider: Any, answer: Response) -> list[str]:
    return [request.url for request in spider._parse_sitemap(answer)]


def with_crawler(settings: dict[str, Any], **attributes: Any) -> Any:
    """A spider as Scrapy makes it, from what a spider needs of a crawler: one of Scrapy's wants a reactor."""
    crawler = SimpleNamespace(settings=Settings(settings), signals=SignalManager())
    crawler.stats = MemoryStatsCollector(crawler)
    return type("Made", (SitemapSpider,), {"name": "made", **attributes}).from_crawler(crawler)


# --------------------------------------------------------------------------------------------------- as it is upstream
def test_it_is_a_subclass_and_its_attributes_are_those_of_upstream() -> None:
    assert issubclass(SitemapSpider, Theirs)
    for name in ("sitemap_urls", "sitemap_rules", "sitemap_follow", "sitemap_alternate_links"):
        assert getattr(SitemapSpider, name) == getattr(Theirs, name)
        assert name not in vars(SitemapSpider)


def test_rules_are_compiled_and_callbacks_found_when_the_spider_is_made() -> None:
    class Shop(SitemapSpider):
        name = "shop"
        sitemap_rules = (("/a", "parse_a"), (re.compile("/b"), "parse"))

        def parse_a(self, response: Any) -> None: ...

    spider = Shop()
    assert spider._cbs == [(re.compile("/a"), spider.parse_a), (re.compile("/b"), spider.parse)]
    assert spider._follow == [re.compile("")]


@pytest.mark.parametrize("base", [Theirs, SitemapSpider])
def test_anything_that_searches_is_a_pattern(base: Any) -> None:
    class Shop(base):
        name = "shop"
        sitemap_rules = ((SimpleNamespace(search=lambda url: "/p" in url), "parse"),)
        sitemap_follow = (SimpleNamespace(search=lambda url: "shop" in url),)

    body = urlset("https://a.example/p", "https://a.example/q")
    assert urls(Shop(), response(body, kind=XmlResponse)) == ["https://a.example/p"]
    children = b"<sitemapindex><sitemap><loc>https://a.example/shop.xml</loc></sitemap></sitemapindex>"
    assert urls(Shop(), response(children, kind=XmlResponse)) == ["https://a.example/shop.xml"]


@pytest.mark.parametrize("start", ["", "\ufeff", '<?xml version="1.0" encoding="iso-8859-1"?>'])
def test_a_body_of_the_spiders_own_may_be_text(start: str) -> None:
    class Shop(SitemapSpider):
        name = "shop"

        def _get_sitemap_body(self, response: Any) -> Any:
            return start + HEAD.decode() + "<url><loc>https://a.example/stra\u00dfe</loc></url></urlset>"

    assert urls(Shop(), response(b"elsewhere")) == ["https://a.example/stra%C3%9Fe"]


@pytest.mark.skipif(not hasattr(Theirs, "start_requests"), reason="Scrapy calls no start_requests since 2.16")
@pytest.mark.parametrize("base", [Theirs, SitemapSpider])
def test_a_spider_that_starts_as_was_usual_before_does_so_still(base: Any) -> None:
    class Shop(base):
        name = "shop"
        sitemap_urls = (URL,)

        def start_requests(self) -> Any:
            yield from super().start_requests()
            yield scrapy.Request("https://a.example/more.xml", self._parse_sitemap)

    async def started(spider: Any) -> list[Any]:
        return [(request.url, request.callback == spider._parse_sitemap) async for request in spider.start()]

    assert asyncio.run(started(Shop())) == [(URL, True), ("https://a.example/more.xml", True)]


def test_page_requests_carry_the_very_callbacks_of_the_rules() -> None:
    spider = SitemapSpider("shop")
    (request,) = spider._parse_sitemap(response(urlset("https://a.example/p")))
    assert request.callback == spider.parse
    assert request.errback is None and not request.dont_filter and request.cb_kwargs == {}


def test_the_callback_is_a_generator_with_annotations_that_can_be_evaluated() -> None:
    assert inspect.isgeneratorfunction(SitemapSpider._parse_sitemap)
    assert get_type_hints(SitemapSpider._parse_sitemap)["response"] is Response


@pytest.mark.parametrize("body", [urlset("https://a.example/p"), gzip.compress(urlset("https://a.example/p"))])
@pytest.mark.parametrize("kind", [Response, TextResponse, XmlResponse])
def test_it_works_without_a_crawler_and_whatever_the_class_of_the_response_is(body: bytes, kind: Any) -> None:
    assert urls(SitemapSpider("shop"), response(body, kind=kind)) == ["https://a.example/p"]


def test_a_response_without_a_request_is_read() -> None:
    bare = Response(URL, body=urlset("/p"))
    assert [request.url for request in SitemapSpider("shop")._parse_sitemap(bare)] == ["https://a.example/p"]


def test_sizes_come_from_settings_or_attributes() -> None:
    spider = with_crawler({"DOWNLOAD_MAXSIZE": 1000, "DOWNLOAD_WARNSIZE": 500})
    assert (spider._max_size, spider._warn_size) == (1000, 500)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (gzip.compress(urlset("https://a.example/p")), ["https://a.example/p"]),
        (urlset("https://a.example/p", "https://a.example/q"), ["https://a.example/p", "https://a.example/q"]),
    ],
)
def test_the_body_is_what_scrapys_reader_takes(body: bytes, expected: list[str]) -> None:
    found = SitemapSpider("shop")._get_sitemap_body(response(body))
    assert found is not None
    assert list(iterloc(Sitemap(found))) == expected


@pytest.mark.parametrize(
    ("body", "url", "meta"),
    [
        (b"<!doctype html><html></html>", URL, {}),
        (b"", URL, {}),
        (b"Sitemap: /x", "https://a.example/robots.txt", {}),
        (gzip.compress(urlset("https://a.example/p") + b" " * 10_000), URL, {"download_maxsize": 5000}),
    ],
)
def test_the_body_of_what_is_no_sitemap_or_too_large_is_none(body: bytes, url: str, meta: dict[str, Any]) -> None:
    assert SitemapSpider("shop")._get_sitemap_body(response(body, url, **meta)) is None


def test_requests_can_be_stored_by_name_and_their_meta_pickled() -> None:
    spider = SitemapSpider("shop")
    body = b"<sitemapindex><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>"
    (child,) = spider._parse_sitemap(response(body))
    (page,) = spider._parse_sitemap(response(urlset("/p"), "https://a.example/1.xml"))
    for request in (child, page):
        stored = pickle.loads(pickle.dumps(request.to_dict(spider=spider)))
        again = request_from_dict(stored, spider=spider)
        assert (again.callback, again.errback, again.meta) == (request.callback, request.errback, request.meta)


# ---------------------------------------------------------------------------------------------------------- entries
def entries(body: bytes) -> list[Any]:
    return list(Entries(Document(body, url=URL, requested=URL, limits=sr.Limits())))


def test_entries_are_dicts_of_texts_with_their_record_beside() -> None:
    body = (
        b'<urlset xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">'
        b"<url><loc>https://a.example/p</loc><lastmod>2026-03</lastmod><changefreq>daily</changefreq><priority>0.5"
        b'</priority><xhtml:link rel="alternate" hreflang="de" href="https://a.example/de"/><news:news/></url>'
        b"<url><loc>https://a.example/q</loc></url></urlset>"
    )
    full, bare = entries(body)
    texts = {"loc": "https://a.example/p", "lastmod": "2026-03", "changefreq": "daily", "priority": "0.5"}
    assert full == texts | {"alternate": ["https://a.example/de"], "news": ""}
    assert bare == {"loc": "https://a.example/q"}
    assert isinstance(full.entry, sr.Entry) and full.entry.lastmod is not None
    assert full == next(iter(Sitemap(body)))


def test_records_are_items_to_scrapy() -> None:
    (entry,) = entries(urlset("/p"))
    assert is_item(entry.entry)
    assert ItemAdapter(entry.entry)["loc"] == "https://a.example/p"


@pytest.mark.parametrize(
    ("body", "type", "format"),
    [
        (b"<urlset></urlset>", "urlset", sr.Format.URLSET),
        (b"<sitemapindex></sitemapindex>", "sitemapindex", sr.Format.SITEMAPINDEX),
        (b"https://a.example/p", "urlset", sr.Format.TEXT),
        (b"<rss><channel></channel></rss>", "urlset", sr.Format.RSS),
    ],
)
def test_entries_have_the_type_of_their_document(body: bytes, type: str, format: sr.Format) -> None:
    found = Entries(Document(body, url=URL, requested=URL, limits=sr.Limits()))
    assert (found.type, found.format, found.url) == (type, format, URL)


def test_entries_are_read_as_they_are_taken() -> None:
    body = urlset(*[f"https://a.example/p/{n}" for n in range(50_000)])
    document = Document(body, url=URL, requested=URL, limits=sr.Limits())
    found = Entries(document)
    assert found.type == "urlset"
    next(iter(found))
    assert document.size < len(body) // 100


def test_requests_are_made_as_they_are_taken() -> None:
    made = iter_requests(SitemapSpider("shop"), response(urlset("/a") + b"<!--" + b"x" * 500_000))
    assert next(made).url == "https://a.example/a"


# ---------------------------------------------------------------------------------------- options, policy and limits
def test_an_attribute_goes_before_a_setting_and_a_setting_is_read_as_scrapy_reads_them() -> None:
    spider = with_crawler(
        {"SITEMAPREADER_PRIORITY": "3", "SITEMAPREADER_MAX_DEPTH": "2", "SITEMAPREADER_DONT_FILTER": "False"},
        sitemapreader_max_depth=7,
    )
    options = account_of(spider).options
    assert (options.priority, options.max_depth, options.dont_filter, options.follow_robots) == (3, 7, False, False)


def test_attributes_are_read_as_settings_and_may_be_set_until_the_crawl_starts() -> None:
    spider = with_crawler({}, sitemapreader_window="20", sitemapreader_dont_filter="False")
    spider.sitemapreader_max_depth = "3"
    options = account_of(spider).options
    assert (options.window, options.dont_filter, options.max_depth) == (20, False, 3)


@pytest.mark.parametrize("wrong", [{"sitemapreader_window": "many"}, {"sitemapreader_dont_filter": "perhaps"}])
def test_an_attribute_that_cannot_be_read_ends_the_crawl_at_its_start(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        with_crawler({}, **wrong)


def test_sitemap_requests_are_as_the_options_say() -> None:
    spider = with_crawler(
        {"SITEMAPREADER_PRIORITY": 3, "SITEMAPREADER_DONT_FILTER": 0, "SITEMAPREADER_ALLOW_OFFSITE": 0}
    )
    (child,) = spider._parse_sitemap(response(b"<sitemapindex><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>"))
    assert (child.priority, child.dont_filter, "allow_offsite" in child.meta) == (3, False, False)


@pytest.mark.parametrize(
    ("settings", "attributes", "meta", "read"),
    [
        ({}, {}, {}, True),
        ({"SITEMAPREADER_MAX_BYTES": 100}, {}, {}, False),
        ({"DOWNLOAD_MAXSIZE": 100}, {}, {}, False),
        ({"DOWNLOAD_MAXSIZE": 100, "SITEMAPREADER_MAX_BYTES": 100_000}, {}, {}, True),
        ({"DOWNLOAD_MAXSIZE": 100}, {"sitemap_limits": sr.Limits()}, {}, True),
        ({}, {"sitemap_limits": sr.Limits(max_bytes=100)}, {}, False),
        ({}, {}, {"download_maxsize": 100}, False),
        ({"SITEMAPREADER_MAX_BYTES": 100}, {}, {"download_maxsize": 100_000}, True),
    ],
)
def test_bytes_are_bounded_by_what_is_nearest(
    settings: dict[str, Any], attributes: dict[str, Any], meta: dict[str, Any], read: bool
) -> None:
    spider = with_crawler(settings, **attributes)
    answer = response(urlset(*[f"/p/{n}" for n in range(100)]), **meta)
    assert (len(urls(spider, answer)) == 100) is read


def test_a_policy_keeps_entries_and_sitemaps_out() -> None:
    policy = sr.Policy(include="/p/", follow="shop", unique=True, max_entries=2)
    spider = with_crawler({}, sitemap_policy=policy)
    locs = ("/p/1", "/x/2", "https://b.example/p/3", "/p/1", "/p/4", "/p/5")
    assert urls(spider, response(urlset(*locs))) == ["https://a.example/p/1", "https://a.example/p/4"]
    robots = response(b"Sitemap: /shop.xml\nSitemap: /blog.xml", "https://a.example/robots.txt")
    assert urls(spider, robots) == ["https://a.example/shop.xml"]
    stats = spider.crawler.stats
    rejected = {name: stats.get_value(f"sitemap/rejected/{name}") for name in ("policy-filter", "policy-scope")}
    assert rejected == {"policy-filter": 2, "policy-scope": 1}
    assert stats.get_value("sitemap/rejected/duplicate") == 1
    assert stats.get_value("sitemap/rejected/limit-entries") == 1


def test_no_policy_narrows_nothing() -> None:
    assert urls(SitemapSpider("shop"), response(urlset("https://b.example/p"))) == ["https://b.example/p"]


def test_a_spider_of_another_class_has_its_rules_and_its_callback() -> None:
    class Custom(scrapy.Spider):
        name = "custom"
        sitemap_rules = (("/p", "parse_page"),)

        def parse_page(self, response: Any) -> None: ...

        def parse_map(self, response: Any) -> Any:
            yield from iter_requests(self, response)

    spider = Custom()
    answer = response(urlset("/p", "/q"))
    assert answer.request is not None
    answer.request.callback = spider.parse_map
    (page,) = spider.parse_map(answer)
    assert page.callback == spider.parse_page
    index = response(b"<sitemapindex><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>", "https://a.example/i.xml")
    (child,) = iter_requests(spider, index, callback=spider.parse_map)
    assert child.callback == spider.parse_map


# ------------------------------------------------------------------------------------------------------------ the rest
def test_without_scrapy_nothing_else_is_missing() -> None:
    code = (
        "import sys; sys.modules['scrapy'] = None; import sitemapreader, sitemapreader.cli; import sitemapreader.scrapy"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert "ModuleNotFoundError: import of scrapy halted" in run.stderr


def test_the_reference_has_the_public_names() -> None:
    page = (Path(__file__).parent.parent / "docs" / "scrapy.md").read_text("utf-8")
    described = re.findall(r"^\.\. auto\w+:: (\w+)", page, re.M)
    assert sorted(described) == sorted(sr_scrapy.__all__)
