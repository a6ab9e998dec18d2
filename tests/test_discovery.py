"""What a start means, which places are tried, and the links of a web page."""

from __future__ import annotations

import gzip

import pytest

from sitemapreader.discovery import Guess, guesses, is_site, leads_to_site, may_be_page, page_links, start_url

PAGE = "https://a.example/blog/"


def links(markup: str, **headers: str) -> list[Guess]:
    return page_links(markup.encode(), PAGE, headers)


@pytest.mark.parametrize(
    ("start", "site", "page", "part"),
    [
        ("https://a.example/", True, True, True),
        ("https://a.example/blog/", False, True, True),
        ("https://a.example/about.html", False, True, False),
        ("https://a.example/about", False, True, False),
        ("https://a.example/sitemap.xml", False, False, False),
        ("https://a.example/sitemap.xml.GZ", False, False, False),
        ("https://a.example/robots.txt", False, False, False),
        ("https://a.example/feed.rss", False, False, False),
        ("https://a.example/?map=1", False, True, True),
        ("file:///tmp/a", False, False, False),
    ],
)
def test_what_a_start_may_be(start: str, site: bool, page: bool, part: bool) -> None:
    assert (is_site(start), may_be_page(start), leads_to_site(start)) == (site, page, part)


def test_a_bare_domain_is_asked_by_https() -> None:
    assert start_url(" A.example ") == "https://a.example/"


def test_guesses_are_the_usual_names_at_the_root_and_below_and_then_the_home_page() -> None:
    urls = [guess.url for guess in guesses(PAGE)]
    assert urls[:2] == ["https://a.example/sitemap.xml", "https://a.example/sitemap_index.xml"]
    assert urls[6] == "https://a.example/blog/sitemap.xml"
    assert len(urls) == 13 and urls[-1] == "https://a.example/"
    assert [guess.is_page for guess in guesses(PAGE)] == [False] * 12 + [True]


def test_links_to_sitemaps_and_feeds_come_in_order() -> None:
    found = links(
        '<html><head><LINK REL=Sitemap href=/map.xml><link href="feed/" type="application/rss+xml" rel="alternate">'
        "<link rel='alternate' type='application/atom+xml; charset=utf-8' href='https://b.example/atom?a=1&amp;b=2'/>"
        '<link rel="stylesheet" href="/x.css"><link rel="alternate" hreflang="de" href="/de/"></head>'
    )
    assert found == [
        Guess("https://a.example/map.xml"),
        Guess("https://a.example/blog/feed/", is_feed=True),
        Guess("https://b.example/atom?a=1&b=2", is_feed=True),
    ]


def test_anchors_and_what_is_hidden_are_no_links() -> None:
    assert not links(
        '<a rel="sitemap" href="/a.xml">map</a><!-- <link rel="sitemap" href="/b.xml"> -->'
        '<script>\'<link rel="sitemap" href="/c.xml">\'</script><template><link rel=sitemap href=/d.xml></template>'
        '<link rel="sitemap" href="javascript:void(0)"><link rel="sitemap"><!-- <link rel="sitemap" href="/e.xml">'
    )


def test_a_base_holds_for_what_follows_it() -> None:
    found = links('<base href="https://c.example/x/"><base href="/no/"><link rel="sitemap" href="m.xml">')
    assert found == [Guess("https://c.example/x/m.xml")]


def test_links_in_the_header_come_first_and_each_once() -> None:
    found = links(
        '<link rel="sitemap" href="/map.xml"><link rel="sitemap" href="/other.xml">',
        link='</map.xml>; rel="sitemap"; type="application/xml", </feed>; rel=alternate; type="application/rss+xml"',
    )
    assert found == [
        Guess("https://a.example/map.xml"),
        Guess("https://a.example/feed", is_feed=True),
        Guess("https://a.example/other.xml"),
    ]


def test_a_page_may_be_compressed_cut_or_of_any_bytes() -> None:
    markup = b'<link rel="sitemap" href="/map.xml">' + b"\xff\xfe" + b"x" * 1000
    packed = gzip.compress(markup)
    for body in (markup, packed, packed[:-12]):
        assert page_links(body, PAGE, {"content-encoding": "gzip"}) == [Guess("https://a.example/map.xml")]


@pytest.mark.parametrize("piece", ["<link ", "<!--", "<script", "<link a=", '<link rel="sitemap" ' * 3])
def test_a_page_that_is_made_to_be_slow_is_read_in_linear_steps(piece: str) -> None:
    assert links(piece * (256 * 1024 // len(piece))) == []
