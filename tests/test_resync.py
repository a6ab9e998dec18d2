"""Going on behind faults: wherever a block of the input ends, and however many faults there are."""

from __future__ import annotations

import pytest

import sitemapreader as sr
from sitemapreader.payload import FIRST_BLOCK

URL = "https://a.example/sitemap.xml"
HEAD = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' + "<!-- été à Zürich -->".encode()
LAST = b"<url><loc>https://a.example/last</loc></url>"
BROKEN = {
    "an attribute without quotes": b"<url id=14><loc>https://a.example/x</loc></url>",
    "an ampersand in an attribute": b'<url id="a&b"><loc>https://a.example/x</loc></url>',
    "an ampersand in loc": b"<url><loc>https://a.example/x?a&b</loc></url>",
    "an item that is not closed": b"<url><loc>https://a.example/x</loc>",
    "a start tag that is not closed": b"<url\n<loc>https://a.example/x</loc></url>",
    "a loc with markup in it": b"<url><loc>https://a.example/<x</loc></url>",
    "a stray end tag": b"<url><loc>https://a.example/x</loc></url></url>",
    "a prefix that is not declared": b"<url><loc>https://a.example/x</loc><image:image/></url>",
    "a prefix that nobody knows": b"<url><loc>https://a.example/x</loc><foo:bar/></url>",
    "bytes that are not UTF-8": b"<url><loc>https://a.example/caf\xe9</loc></url>",
    "an HTML entity": b"<url><loc>https://a.example/caf&eacute;</loc></url>",
    "a comment with hyphens": b"<!-- a -- b <url><loc>https://a.example/hidden</loc></url> -->",
    "a root that ends too early": b"<url><loc>https://a.example/x</loc></url></urlset>",
    "a root in the root": b"</urlset>" + HEAD,
}


def read(padding: int, item: bytes) -> tuple[list[str], object, bool, dict[str, int]]:
    body = HEAD + b"<!--" + b"x" * padding + b"-->" + item + LAST + b"</urlset>"
    sitemap = sr.parse(body, URL)
    locs = [item.loc for item in sitemap]
    return locs, sitemap.outcome, sitemap.complete, {code.value: n for code, n in sitemap.counts.items()}


@pytest.mark.parametrize("item", BROKEN.values(), ids=BROKEN)
def test_a_fault_is_read_alike_wherever_a_block_ends(item: bytes) -> None:
    around = FIRST_BLOCK - len(HEAD) - 7  # so many bytes of padding end the first block just before the item
    wanted = read(0, item)
    assert wanted[0][-1] == "https://a.example/last"
    assert all(read(around - at, item) == wanted for at in range(-1, len(item) + len(LAST) + 10))


ROOTS = {
    "a control character in the namespace": b'<urlset xmlns="http\x01://x">',
    "a prefix that is no name": b'<urlset xmlns:1a="x">',
    "a reserved prefix": b'<urlset xmlns:xml="foo">',
    "the separator of expat": b'<urlset xmlns:a="a}b">',
    "an attribute twice": b'<urlset x="1" x="2">',
    "a root whose prefix means nothing": b'<a:urlset xmlns:a="" x="1" x="2">',
}


@pytest.mark.parametrize("root", ROOTS.values(), ids=ROOTS)
def test_a_broken_root_costs_no_item(root: bytes) -> None:
    name = root[1:].split()[0]
    items = b"<url><loc>https://a.example/x?a&b</loc></url>" + LAST
    sitemap = sr.parse(root + items + b"</" + name + b">", URL)
    assert [item.loc for item in sitemap] == ["https://a.example/x?a&b", "https://a.example/last"]
    assert sitemap.complete


@pytest.mark.parametrize(
    "item", [b"<url><!-- <loc>https://a.example/x</loc></url>", b"<url><loc><![CDATA[https://a.example/x</loc></url>"]
)
def test_openers_that_nothing_closes_are_searched_once(item: bytes) -> None:
    sitemap = sr.parse(HEAD + item * 2000 + LAST + b"</urlset>", URL)
    assert [entry.loc for entry in sitemap][-1] == "https://a.example/last"
    assert not sitemap.complete or sitemap.entries == 2001


@pytest.mark.parametrize(
    "body",
    [
        b"<rss<!--<rss >",
        b"<urlset <!--<urlset>",
        b'ry<urlset xmln<url>\xff\x7f\xff\xff\xff<urlset xmlns="http://">bahtml>\x00ery.exam',
        b'<xml:urlset xmlns:xml="foo"><url>&</url>',
        b'<xmlns:urlset x="1"><url>&</url>',
    ],
)
def test_every_fault_is_left_behind(body: bytes) -> None:
    sitemap = sr.parse(body, URL)
    assert list(sitemap) == []
    assert not sitemap.complete


def test_a_comment_that_a_block_cuts_hides_a_root() -> None:
    rss = b"<rss><channel><item><link>https://a.example/x</link></item></channel></rss>"
    for padding in range(FIRST_BLOCK - 100, FIRST_BLOCK):
        sitemap = sr.parse(b"<x>" + b" " * padding + b"<!-- <feed> made by hand -->" + rss + b"</x>", URL)
        assert [item.loc for item in sitemap] == ["https://a.example/x"]
        assert sitemap.format is sr.Format.RSS


def test_a_url_with_mustard_in_it_makes_no_tar_archive() -> None:
    start = HEAD + b"<url><loc>https://a.example/"
    body = start + b"m" * (256 - len(start)) + b"mustard</loc></url></urlset>"
    assert body[257:262] == b"ustar"
    assert len(list(sr.parse(body, URL))) == 1


@pytest.mark.parametrize("before", [b"", b'<?xml version="1.0"?>\n<!-- a\n b -->\n\n', b"\n\nNotice: junk\n"])
@pytest.mark.parametrize("items", [0, 3, 400])
def test_a_fault_is_placed_in_the_line_it_stands_in(before: bytes, items: int) -> None:
    good = b"<url><loc>https://a.example/whole</loc></url>\n" * items
    body = before + b"<urlset>\n" + good + b"<url><loc>https://a.example/?a&b</loc></url>\n</urlset>"
    sitemap = sr.parse(body, URL)
    assert len(list(sitemap)) == items + 1
    [place] = [found.where for found in sitemap.diagnostics if found.code is sr.Code.XML_MALFORMED]
    line = body[: body.index(b"?a&b")].count(b"\n") + 1
    assert place == f"line {line}"
