"""The drop-in for Scrapy: real crawls of the sites in `crawls.cases`, beside Scrapy's own spider where that is right.

All run side by side in one process, each against a server of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest

pytest.importorskip("scrapy")

from crawls.cases import FAULTS, ROUTES, Case
from crawls.harness import crawl, filled, job, serve
from faults.server import Server

CASES = ROUTES | FAULTS
PARITY = [name for name, case in CASES.items() if case.parity]

FOR_SITEMAPS = ("_parse_sitemap", "parse_map", "parse_wrapped")
"""Callbacks of requests that are not for pages."""


class Crawled(NamedTuple):
    """One crawl of one case."""

    case: Case
    server: Server
    result: dict[str, Any]

    @property
    def pages(self) -> list[str]:
        """URLs of the page requests as they were made, by document, since documents come in any order."""
        made = [
            row for row in self.result["scheduled"] if row[1] not in ("_parse_sitemap", "parse_map", "parse_wrapped")
        ]
        return [url for url, _, meta in sorted(made, key=lambda row: meta_sitemap(row[2]))]


def meta_sitemap(meta: dict[str, Any]) -> str:
    """The document that lists a page."""
    found: str = meta.get("sitemap_entry", {}).get("sitemap", "")
    return found


@pytest.fixture(scope="module")
def crawled() -> Iterator[dict[tuple[str, str], Crawled]]:
    """Every case on our base, and on Scrapy's those in which the two agree."""
    with ExitStack() as stack:
        keys = [(name, "ours") for name in CASES] + [(name, "theirs") for name in PARITY]
        servers = {key: stack.enter_context(Server()) for key in keys}
        jobs = []
        for (name, base), server in servers.items():
            case = CASES[name]
            serve({url.removeprefix("{0}").removeprefix("{1}"): b"<html></html>" for url in case.want}, server)
            serve(case.pages, server)
            attributes = filled({"sitemap_urls": case.start, **case.attributes}, server)
            jobs.append(job(case.spider, base, settings=case.settings, **attributes))
        results = crawl(*jobs)
        yield {key: Crawled(CASES[key[0]], servers[key], result) for key, result in zip(keys, results, strict=True)}


@pytest.mark.parametrize("name", CASES)
def test_page_requests_are_those_of_the_site(name: str, crawled: dict[tuple[str, str], Crawled]) -> None:
    case, server, result = crawled[name, "ours"]
    assert crawled[name, "ours"].pages == filled(case.want, server)
    assert result["reason"] == "finished"


@pytest.mark.parametrize("name", PARITY)
def test_scrapys_own_spider_makes_the_same(name: str, crawled: dict[tuple[str, str], Crawled]) -> None:
    ours, theirs = crawled[name, "ours"], crawled[name, "theirs"]
    assert sorted(theirs.pages) == sorted(filled(theirs.case.want, theirs.server))
    if len(ours.case.asked) + len(ours.case.start) == 1:
        assert theirs.pages == filled(theirs.case.want, theirs.server)


@pytest.mark.parametrize("name", CASES)
def test_stats_and_log_say_what_became_of_each_document(name: str, crawled: dict[tuple[str, str], Crawled]) -> None:
    case, server, result = crawled[name, "ours"]
    assert {key: result["stats"].get(key) for key in case.stats} == case.stats
    exceptions = {key for key in result["stats"] if key.startswith("spider_exceptions/")} - set(case.stats)
    assert exceptions <= ({"spider_exceptions/count"} if "spider_exceptions/KeyError" in case.stats else set())
    lines = [line for level, line in result["log"] if level == "WARNING"]
    assert len(lines) == len(case.log)
    for line, want in zip(lines, filled(case.log, server), strict=True):
        assert line.startswith(want)
    failed = sum(number for key, number in result["stats"].items() if key.startswith("sitemap/failed/"))
    assert failed <= result["stats"].get("sitemap/incomplete", 0)


@pytest.mark.parametrize("name", CASES)
def test_server_is_asked_for_what_the_documents_name_and_for_nothing_else(
    name: str, crawled: dict[tuple[str, str], Crawled]
) -> None:
    case, server, result = crawled[name, "ours"]
    scraped = case.items if case.items is not None else len(case.want)
    assert len(result["items"]) == scraped
    starts = [url for url in dict.fromkeys(case.start) if url.removeprefix("{0}") not in case.asked]
    pages = [url for url in filled(case.want, server) if not url.startswith(server.url("", other=True))]
    want = [url.removeprefix(server.url("")) for url in pages] + list(case.asked)
    want += [url.removeprefix("{0}") for url in starts if url.startswith("{0}")]
    # A request on a connection that was closed meanwhile is sent once more by some releases of Twisted.
    paths = list(dict.fromkeys(server.paths)) if name == "no answer" else server.paths
    assert Counter(paths) == Counter(want)
