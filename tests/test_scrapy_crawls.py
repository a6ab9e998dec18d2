"""Crawls with our base that a table cannot say: what pages are told, what is kept in memory, what resumes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("scrapy")

from crawls.cases import IMAGE, PICTURE, index, urlset
from crawls.harness import crawl, job, serve
from faults.server import Page, Server


class Pages(dict[str, Page]):
    """Any path that is no document is a page."""

    def get(self, path: str, default: Any = None) -> Any:
        return super().get(path, b"<html></html>" if "/p/" in path else default)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(Pages()) as made:
        yield made


def test_pages_are_told_their_entry_and_come_from_their_sitemap(server: Server) -> None:
    inner = "<loc>{0}/p/a</loc><lastmod>2026-03-04</lastmod><changefreq>daily</changefreq><priority>0.5</priority>"
    serve({"/sitemap.xml": urlset(inner + PICTURE, attributes=IMAGE)}, server)
    (result,) = crawl(job("plain", sitemap_urls=[server.url("/sitemap.xml")]))
    entry = {
        "loc": server.url("/p/a"),
        "lastmod": "2026-03-04T00:00:00+00:00",
        "changefreq": "daily",
        "priority": 0.5,
        "sitemap": server.url("/sitemap.xml"),
        "lastmod_text": "2026-03-04",
        "images": [{"loc": server.url("/i.png")}],
    }
    referer = server.url("/sitemap.xml")
    assert result["items"] == [{"url": server.url("/p/a"), "entry": entry, "referer": referer, "depth": 1}]


def test_the_hook_makes_page_requests_and_the_entry_still_rides_along(server: Server) -> None:
    inner = f"<loc>{{0}}/p/a</loc><lastmod>2026-03</lastmod>{PICTURE}"
    serve({"/sitemap.xml": urlset(inner, "{0}/p/skip", attributes=IMAGE)}, server)
    (result,) = crawl(job("hooked", sitemap_urls=[server.url("/sitemap.xml")]))
    (item,) = result["items"]
    assert (item["sent"], item["images"]) == ("2026-03", [server.url("/i.png")])
    assert item["entry"]["lastmod_text"] == "2026-03"


def test_sitemap_requests_say_where_they_come_from_and_page_requests_nothing_of_it(server: Server) -> None:
    serve({"/sitemap.xml": index("{0}/1.xml"), "/1.xml": urlset("{0}/p/a")}, server)
    (result,) = crawl(job("replacing", sitemap_urls=[server.url("/sitemap.xml")]))
    start, child, page = (meta for _, _, meta in result["scheduled"])
    assert start["sitemap_trail"] == [] and child["sitemap_trail"] == [server.url("/sitemap.xml")]
    assert start["allow_offsite"] is child["allow_offsite"] is True
    assert set(page) == {"sitemap_entry", "page"}
    assert server.log[-1].headers["cookie"] == "seen=1"


def test_a_spider_that_closes_early_has_scheduled_little(server: Server) -> None:
    serve({"/sitemap.xml": urlset(*[f"{{0}}/p/{n}" for n in range(50_000)])}, server)
    settings = {"CLOSESPIDER_ITEMCOUNT": 3, "SITEMAPREADER_WINDOW": 200}
    (result,) = crawl(job("plain", settings=settings, sitemap_urls=[server.url("/sitemap.xml")]))
    assert result["reason"] == "closespider_itemcount"
    # How many pages are fetched until it is closed depends on the machine; how many more are made does not.
    assert 3 <= len(result["items"]) <= result["left"]
    assert result["stats"]["sitemap/requests"] <= len(result["scheduled"]) <= result["left"] + 201
    assert result["most_waiting"] <= 201


def test_requests_wait_in_the_sitemap_rather_than_in_the_scheduler(server: Server) -> None:
    serve({"/sitemap.xml": urlset(*[f"{{0}}/p/{n}" for n in range(200)])}, server)
    settings = {"SITEMAPREADER_WINDOW": 20}
    urls = [server.url("/sitemap.xml")]
    bounded, unbounded = crawl(
        job("plain", settings=settings, sitemap_urls=urls),
        job("plain", settings={"SITEMAPREADER_WINDOW": 0}, sitemap_urls=urls),
    )
    assert len(bounded["items"]) == len(unbounded["items"]) == 200
    assert bounded["most_waiting"] <= 21
    assert [url for url, _, _ in bounded["scheduled"]] == [url for url, _, _ in unbounded["scheduled"]]


def test_requests_on_their_way_from_an_empty_scheduler_make_room_once(server: Server) -> None:
    serve({"/sitemap.xml": urlset(*[f"{{0}}/p/{n}" for n in range(400)])}, server)
    # All of a window are taken out before the first of them comes to the downloader, where they would be counted again.
    settings = {
        "SITEMAPREADER_WINDOW": 20,
        "CONCURRENT_REQUESTS": 32,
        "DOWNLOADER_MIDDLEWARES": {"spiders.Detain": 1},
    }
    (result,) = crawl(job("plain", settings=settings, sitemap_urls=[server.url("/sitemap.xml")]))
    assert len(result["items"]) == 400
    assert result["most_waiting"] <= 21


def test_files_that_a_spider_fetches_by_itself_make_no_room(server: Server) -> None:
    serve({"/sitemap.xml": urlset(*[f"{{0}}/p/{n}" for n in range(200)])}, server)
    settings = {"SITEMAPREADER_WINDOW": 20}
    (result,) = crawl(job("fetching", settings=settings, sitemap_urls=[server.url("/sitemap.xml")]))
    assert len(result["items"]) == 200
    assert result["most_waiting"] <= 21


@pytest.mark.parametrize("way", ["exchanged", "exchanged behind it", "dropped", "offsite"])
def test_requests_that_never_come_to_the_scheduler_hold_nothing_up(server: Server, way: str) -> None:
    host = "{1}" if way == "offsite" else "{0}"
    name = "drop" if way == "dropped" else "p"
    listed = [*[f"{host}/p/{name}{n}" for n in range(300)], *[f"{{0}}/p/{n}" for n in range(30)]]
    serve({"/sitemap.xml": urlset(*listed)}, server)
    # Where it is held up it goes on at Scrapy's heartbeat, every five seconds, or never.
    settings: dict[str, Any] = {"SITEMAPREADER_WINDOW": 4, "CLOSESPIDER_TIMEOUT": 100}
    if way != "offsite":
        placed = {"sitemapreader.scrapy.Window": 0} if "behind" in way else {}
        settings["SPIDER_MIDDLEWARES"] = {"spiders.Exchange": -1, **placed}
    attributes = {"sitemap_urls": [server.url("/sitemap.xml")], "allowed_domains": ["127.0.0.1"]}
    (result,) = crawl(job("plain", settings=settings, **attributes))
    assert result["reason"] == "finished"
    assert len(result["items"]) == (330 if "exchanged" in way else 30)


def test_no_further_sitemap_is_fetched_while_many_have_pages_left(server: Server) -> None:
    names = [f"/{n}.xml" for n in range(40)]
    listed = {name: urlset(*[f"{{0}}/p{name}/{n}" for n in range(10)]) for name in names}
    serve({"/sitemap.xml": index(*[f"{{0}}{name}" for name in names]), **listed}, server)
    settings = {"SITEMAPREADER_WINDOW": 16}
    (result,) = crawl(job("plain", settings=settings, sitemap_urls=[server.url("/sitemap.xml")]))
    assert len(result["items"]) == 40 * 10
    last_map = max(n for n, path in enumerate(server.paths) if path.count("/") == 1)
    assert last_map > 40 * 10 // 2, "the last sitemap was fetched when most pages were done"


def test_a_crawl_that_was_stopped_goes_on(server: Server, tmp_path: Path) -> None:
    names = ["/1.xml", "/2.xml", "/3.xml"]
    listed = {
        name: urlset(*[f"<loc>{{0}}/p{name}/{n}</loc><priority>0.5</priority>" for n in range(100)]) for name in names
    }
    serve({"/robots.txt": "".join(f"Sitemap: {{0}}{name}\n" for name in names), **listed}, server)
    settings = {"JOBDIR": str(tmp_path), "SITEMAPREADER_WINDOW": 10, "CONCURRENT_REQUESTS": 2}
    start = [server.url("/robots.txt")]
    (first,) = crawl(job("plain", settings={**settings, "CLOSESPIDER_ITEMCOUNT": 30}, sitemap_urls=start))
    (second,) = crawl(job("plain", settings=settings, sitemap_urls=start))
    assert (first["reason"], second["reason"]) == ("closespider_itemcount", "finished")
    pages = [item["url"] for item in first["items"] + second["items"]]
    # How many more come than were asked for is Scrapy's: the pages that were in its queues when it began to close.
    assert 30 <= len(first["items"]) < 300
    assert sorted(pages) == sorted(server.url(f"/p{name}/{n}") for name in names for n in range(100))
    assert all(item["entry"]["priority"] == 0.5 for item in second["items"])
    assert all(item["entry"]["loc"] == item["url"] for item in second["items"])


@pytest.mark.parametrize("size", [1000, 0])
def test_a_body_larger_than_scrapy_takes_at_a_time_stops_nothing(server: Server, size: int) -> None:
    padding = f"<!--{'x' * 1_500_000}-->"
    listed = urlset(*[f"{{0}}/p/{n}" for n in range(100)]) + padding * 5
    serve({"/sitemap.xml": listed}, server)
    settings = {"SITEMAPREADER_WINDOW": size and 20}
    (result,) = crawl(job("plain", settings=settings, sitemap_urls=[server.url("/sitemap.xml")]))
    assert len(result["items"]) == 100
