"""Sites on loopback and what a crawl of each has to give: a table, a case a row.

In pages and in what is expected, ``{0}`` and ``{1}`` stand for the two hosts of the server.
"""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass, field
from typing import Any

from faults.server import Page, Reply, head, raw, reset

XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
PICTURE = "<image:image><image:loc>/i.png</image:loc></image:image>"
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*entries: str, attributes: str = "") -> str:
    """Entries as URLs, or as the markup inside of ``<url>``."""
    inner = "".join(f"<url>{e if e.startswith('<') else f'<loc>{e}</loc>'}</url>" for e in entries)
    return f"<urlset {NAMESPACE} {attributes}>{inner}</urlset>"


def index(*entries: str) -> str:
    """The same for children."""
    inner = "".join(f"<sitemap>{e if e.startswith('<') else f'<loc>{e}</loc>'}</sitemap>" for e in entries)
    return f"<sitemapindex {NAMESPACE}>{inner}</sitemapindex>"


@dataclass(frozen=True)
class Case:
    """A site, a spider, and what comes of it."""

    pages: dict[str, str | Page]
    """A text is a body in which hosts are filled in."""
    want: tuple[str, ...] = ()
    """Page requests that the spider makes, in order."""
    start: tuple[str, ...] = ("{0}/sitemap.xml",)
    spider: str = "plain"
    parity: bool = False
    """Scrapy's own spider makes the very same page requests."""
    stats: dict[str, Any] = field(default_factory=dict)
    """What is in the stats, among others; None: not there."""
    log: tuple[str, ...] = ()
    """Each stands in a warning, and there is no other warning."""
    asked: tuple[str, ...] = ()
    """What else the server is asked for, each once, as often as it stands here."""
    attributes: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    items: int | None = None
    """Items scraped, if they are not one for each page."""


def _plain(*entries: str, **rest: Any) -> dict[str, str | Page]:
    return {"/sitemap.xml": urlset(*entries), **rest}


A, B, C = "{0}/p/a", "{0}/p/b", "{0}/p/c"
GOOD = (A, B, C)
WARN_END = "1 sitemaps were not read in full"
NOT_ONE = {"sitemap/failed/not-a-sitemap": 1, "sitemap/incomplete": 1, "sitemap/documents": 1}


def _failed(outcome: str, page: Page, reason: str) -> Case:
    """One child of an index that cannot be had; its sibling can."""
    return Case(
        {"/sitemap.xml": index("{0}/bad.xml", "{0}/good.xml"), "/bad.xml": page, "/good.xml": urlset(A)},
        (A,),
        asked=("/good.xml", "/bad.xml"),
        stats={f"sitemap/failed/{outcome}": 1, "sitemap/incomplete": 1, "sitemap/documents": 2},
        log=(f"No sitemap from {{0}}/bad.xml ({outcome}: {reason}", WARN_END),
    )


def _ignored(outcome: str, page: Page, **rest: Any) -> Case:
    return Case(
        {"/sitemap.xml": page},
        stats={f"sitemap/failed/{outcome}": 1, "sitemap/incomplete": 1, "sitemap/documents": 1},
        log=(f"Ignoring invalid sitemap: <{rest.pop('status', 200)} {{0}}/sitemap.xml> ({outcome}: ", WARN_END),
        **rest,
    )


HTML = b"<!doctype html><html><body>Not here</body></html>"
PACKED = gzip.compress(b"<urlset><url><loc>/p/a</loc></url></urlset>")
GZIP = {"Content-Type": "application/gzip"}
XML = {"Content-Type": "application/xml"}
BIG = b"<urlset>" + b"".join(b"<url><loc>/p/%d</loc></url>" % n for n in range(300)) + b"</urlset>"
PACKED_BIG = gzip.compress(BIG)
CUT = PACKED_BIG[:-200]
WHOLE = zlib.decompressobj(31).decompress(CUT).count(b"</url>")
"""Entries that stand whole in what is left."""
MOST = len(PACKED_BIG) + 10
"""Bytes that are enough for the download, and not for what it unpacks to."""

ROUTES = {
    "urlset": Case(_plain(*GOOD), GOOD, parity=True, stats={"sitemap/entries": 3, "sitemap/documents/urlset": 1}),
    "index": Case(
        {"/sitemap.xml": index("{0}/1.xml", "{0}/2.xml"), "/1.xml": urlset(A), "/2.xml": urlset(B, C)},
        GOOD,
        parity=True,
        asked=("/1.xml", "/2.xml"),
        stats={"sitemap/documents/sitemapindex": 1, "sitemap/documents/urlset": 2},
    ),
    "robots": Case(
        {
            "/robots.txt": "User-agent: *\nDisallow: /x\nSitemap: {0}/1.xml\nsitemap:/2.xml\n",
            "/1.xml": index("{0}/3.xml"),
            "/2.xml": urlset(B),
            "/3.xml": urlset(A),
        },
        (B, A),
        ("{0}/robots.txt",),
        parity=True,
        asked=("/1.xml", "/2.xml", "/3.xml"),
        stats={"sitemap/documents/robots": 1},
    ),
    "several starts, one twice": Case(
        {"/1.xml": urlset(A), "/2.xml": urlset(B)},
        (A, B),
        ("{0}/1.xml", "{0}/2.xml", "{0}/1.xml"),
        parity=True,
        asked=("/1.xml", "/2.xml"),
        stats={"sitemap/rejected/duplicate": 1},
    ),
    "rules": Case(
        _plain("{0}/product/1", A, "{0}/none", "{0}/p/product/2"),
        ("{0}/product/1", A, "{0}/p/product/2"),
        spider="ruled",
        parity=True,
        stats={"sitemap/unmatched": 1, "sitemap/entries": 4},
    ),
    "follow": Case(
        {"/sitemap.xml": index("{0}/shop.xml", "{0}/blog.xml"), "/shop.xml": urlset(A), "/blog.xml": urlset(B)},
        (A,),
        attributes={"sitemap_follow": ["/shop"]},
        parity=True,
        asked=("/shop.xml",),
        stats={"sitemap/unmatched": 1},
    ),
    "follow leaves robots alone": Case(
        {"/robots.txt": "Sitemap: {0}/1.xml\n", "/1.xml": urlset(A)},
        (A,),
        ("{0}/robots.txt",),
        attributes={"sitemap_follow": ["/shop"]},
        parity=True,
        asked=("/1.xml",),
    ),
    "follow for robots, if asked": Case(
        {"/robots.txt": "Sitemap: {0}/1.xml\nSitemap: {0}/shop.xml\n", "/1.xml": urlset(A), "/shop.xml": urlset(B)},
        (B,),
        ("{0}/robots.txt",),
        attributes={"sitemap_follow": ["/shop"]},
        settings={"SITEMAPREADER_FOLLOW_ROBOTS": "True"},
        asked=("/shop.xml",),
    ),
    "filter": Case(
        {
            "/sitemap.xml": index(
                "<loc>{0}/1.xml</loc><lastmod>2026-02-01</lastmod>",
                "<loc>{0}/2.xml</loc><lastmod>2025-02-01</lastmod>",
                "{0}/undated.xml",
            ),
            "/1.xml": urlset(
                "{0}/drop", "{0}/old", "{0}/twice", "<loc>{0}/own</loc><priority>0.7</priority>", "{0}/undated"
            ),
        },
        ("{0}/new", "{0}/twice", "{0}/twice?again", "{0}/own/made", "{0}/undated"),
        spider="filtering",
        parity=True,
        asked=("/1.xml",),
        stats={"filtered/sitemapindex": 1, "filtered/urlset": 1, "undated": 1},
    ),
    "filter sees feeds and lists as urlsets": Case(
        {"/a.txt": "{0}/drop\n{0}/old\n", "/b.rss": "<rss><channel><item><link>{0}/p/a</link></item></channel></rss>"},
        ("{0}/new", A),
        ("{0}/a.txt", "{0}/b.rss"),
        spider="filtering",
        asked=("/a.txt", "/b.rss"),
        stats={"filtered/urlset": 2, "sitemap/documents/text": 1, "sitemap/documents/rss": 1},
    ),
    "filter sees no robots.txt and nothing that is no sitemap": Case(
        {"/robots.txt": "Sitemap: {0}/page", "/sub/robots.txt": "Sitemap: {0}/page", "/page": "<html></html>"},
        (),
        ("{0}/robots.txt", "{0}/sub/robots.txt"),
        spider="filtering",
        asked=("/robots.txt", "/sub/robots.txt", "/page"),
        stats={"filtered/urlset": None, "filtered/sitemapindex": None, "sitemap/documents/robots": 2},
        log=("Ignoring invalid sitemap: <200 {0}/page> (not-a-sitemap: ", WARN_END),
    ),
    "the callback overridden": Case(
        {"/sitemap.xml": index("{0}/1.xml"), "/1.xml": urlset(*GOOD)},
        GOOD,
        spider="replacing",
        parity=True,
        asked=("/1.xml",),
    ),
    "batches from the body": Case(
        _plain(*GOOD, "{0}/p/d"),
        (A + "?3", "{0}/p/d?1"),
        spider="batching",
        parity=True,
        settings={"SITEMAPREADER_WINDOW": 0},
    ),
    "batches from a packed body": Case(
        {"/sitemap.xml.gz": Reply(headers=GZIP, body=PACKED)},
        ("{0}/p/a?1",),
        ("{0}/sitemap.xml.gz",),
        spider="batching_relative",
        parity=True,
    ),
    "the body overridden": Case(
        {"/sitemap.xml": "noise---" + urlset(*GOOD), "/2.xml": "noise"},
        GOOD,
        ("{0}/sitemap.xml", "{0}/2.xml"),
        spider="unwrapping",
        parity=True,
        asked=("/sitemap.xml", "/2.xml"),
        stats={"sitemap/failed/not-a-sitemap": 1},
        log=("Ignoring invalid sitemap: <200 {0}/2.xml>", WARN_END),
    ),
    "another body for the callback": Case(
        {"/sitemap.xml": urlset("{0}/p/a&nbsp;", B)}, (A, B), spider="swapping", parity=True
    ),
    "start overridden": Case(
        _plain(A, **{"/2.xml": urlset(B)}),
        (B, A),
        spider="starting",
        attributes={"more": "{0}/2.xml"},
        parity=True,
        asked=("/2.xml",),
    ),
    "the hook": Case(
        _plain(A, "{0}/p/skip", f"<loc>{B}</loc><lastmod>2026-03-04</lastmod>"),
        (A, B),
        spider="hooked",
    ),
    "the hook and an image": Case(
        {
            "/sitemap.xml": urlset(
                f"<loc>{A}</loc><image:image><image:loc>/i.png</image:loc></image:image>", attributes=IMAGE
            )
        },
        (A,),
        spider="hooked",
    ),
    "a spider of another class": Case(
        {"/robots.txt": "Sitemap: {0}/1.xml\nSitemap: {0}/404.xml\n", "/1.xml": urlset(*GOOD)},
        GOOD,
        ("{0}/robots.txt",),
        spider="custom",
        asked=("/1.xml", "/404.xml"),
        stats={"own/failed": 1, "sitemap/documents": 2},
    ),
    "alternates": Case(
        {
            "/sitemap.xml": urlset(
                "<loc>{0}/en</loc>"
                + "".join(f'<xhtml:link rel="alternate" hreflang="{n}" href="{{0}}/{n}"/>' for n in ("de", "fr")),
                attributes=XHTML,
            )
        },
        ("{0}/en", "{0}/de", "{0}/fr"),
        attributes={"sitemap_alternate_links": True},
        parity=True,
    ),
    "alternates that are wrong upstream": Case(
        {
            "/sitemap.xml": urlset(
                "<loc>{0}/en</loc>"
                + "".join(
                    f'<xhtml:link rel="alternate" hreflang="x" href="{href}"/>'
                    for href in ("{0}/en", "android-app://com.example/x", "/de/a")
                ),
                attributes=XHTML,
            )
        },
        ("{0}/en", "{0}/de/a"),
        attributes={"sitemap_alternate_links": True},
        stats={"sitemap/diagnostics/value-invalid": 1},
    ),
    "no alternates unless asked": Case(
        {"/sitemap.xml": urlset(f'<loc>{A}</loc><xhtml:link rel="alternate" href="{B}"/>', attributes=XHTML)},
        (A,),
        parity=True,
    ),
    "a rule in letters of the page": Case(
        _plain("{0}/stra%C3%9Fe/1", "{0}/stra\u00dfe/2", A),
        ("{0}/stra%C3%9Fe/1", "{0}/stra%C3%9Fe/2"),
        attributes={"sitemap_rules": [("stra\u00dfe", "parse")]},
        stats={"sitemap/unmatched": 1},
    ),
    "gzip under a wrong type": Case({"/sitemap.xml": Reply(headers=XML, body=PACKED)}, (A,)),
    "gzip by name": Case(
        {
            "/sitemap.xml.gz": Reply(
                headers={"Content-Type": "application/gzip"}, body=gzip.compress(b"<urlset></urlset>")
            )
        },
        (),
        ("{0}/sitemap.xml.gz",),
        parity=True,
        asked=("/sitemap.xml.gz",),
    ),
    "gzip on the way": Case(
        {"/sitemap.xml.gz": Reply(headers={"Content-Encoding": "gzip"}, body=PACKED)},
        (A,),
        ("{0}/sitemap.xml.gz",),
        asked=("/sitemap.xml.gz",),
    ),
    "gzip twice": Case({"/sitemap.xml": gzip.compress(PACKED)}, (A,)),
    "gzip of several members": Case(
        {"/sitemap.xml": gzip.compress(b"<urlset><url><loc>/p/a</loc></url>") + gzip.compress(b"</urlset>")}, (A,)
    ),
    "gzip that is cut": Case(
        {"/sitemap.xml": CUT},
        tuple(f"{{0}}/p/{n}" for n in range(WHOLE)),
        stats={"sitemap/incomplete": 1, "sitemap/diagnostics/truncated": 1, "sitemap/documents/urlset": 1},
        log=("Incomplete sitemap: <200 {0}/sitemap.xml> (truncated: ", WARN_END),
    ),
    "text": Case({"/list": "{0}/p/a\n{0}/p/b\n"}, (A, B), ("{0}/list",), asked=("/list",)),
    "atom": Case(
        {"/feed": '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="{0}/p/a"/></entry></feed>'},
        (A,),
        ("{0}/feed",),
        asked=("/feed",),
        stats={"sitemap/documents/atom": 1},
    ),
    "rdf": Case(
        {
            "/feed": '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
            '<item rdf:about="{0}/p/a"><link>{0}/p/a</link></item></rdf:RDF>'
        },
        (A,),
        ("{0}/feed",),
        asked=("/feed",),
    ),
    "text/html with a query": Case(
        {
            "/map?type=xml": Reply(
                headers={"Content-Type": "text/html"}, body=b"<urlset><url><loc>/p/a</loc></url></urlset>"
            )
        },
        (A,),
        ("{0}/map?type=xml",),
        asked=("/map?type=xml",),
    ),
    "mixed children": Case(
        {
            "/sitemap.xml": f"<urlset {NAMESPACE}><url><loc>{A}</loc></url>"
            "<sitemap><loc>{0}/1.xml</loc></sitemap></urlset>",
            "/1.xml": urlset(B),
        },
        (B, A),
        asked=("/1.xml",),
    ),
}

FAULTS = {
    "a page as text/html": _ignored("not-a-sitemap", Reply(headers={"Content-Type": "text/html"}, body=HTML)),
    "a page as XML": _ignored("not-a-sitemap", Reply(headers=XML, body=HTML)),
    "no bytes": _ignored("empty", Reply(headers=XML)),
    "one newline": _ignored("empty", Reply(headers=XML, body=b"\n")),
    "204": _ignored("empty", Reply(204, {"Content-Length": "0"}), status=204),
    "an external entity": _ignored(
        "refused", Reply(body=b'<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset/>')
    ),
    "odd locs": Case(
        _plain(
            A,
            "/relative",
            "//{host}/scheme",
            "javascript:void(0)",
            "<loc></loc>",
            "http://127.0.0.1:99999/",
            "<priority>1</priority>",
            B,
        ),
        (A, "{0}/relative", "{0}/scheme", B),
        stats={
            "sitemap/diagnostics/url-scheme": 1,
            "sitemap/diagnostics/url-invalid": 1,
            "sitemap/diagnostics/missing-loc": 2,
            "sitemap/entries": 4,
        },
    ),
    "odd markup": Case(
        {
            "/sitemap.xml": f"<urlset {NAMESPACE}><url><loc>{{0}}/p?a=1&b=2</loc></url>"
            f"<url><loc>{{0}}/p?a=1&copy=3</loc></url><url><loc>{{0}}/p<b</loc></url><url><bad</url><url><loc>{A}</loc></url></urlset>"
        },
        ("{0}/p?a=1&b=2", "{0}/p?a=1&copy=3", A),
        stats={"sitemap/diagnostics/entry-lost": 2, "sitemap/incomplete": 1},
        log=("Incomplete sitemap: <200 {0}/sitemap.xml> (ok: ", WARN_END),
    ),
    "locs of a filter that are none": Case(
        _plain("{0}/p/a"), (A,), spider="inventing", stats={"sitemap/diagnostics/url-invalid": 2}
    ),
    "absent": _failed("absent", 404, "HTTP 404"),
    "forbidden": _failed("blocked", 403, "HTTP 403"),
    "error of the server": _failed("failed", 500, "HTTP 500"),
    "too many requests": _failed("blocked", Reply(429, {"Retry-After": "120"}), "HTTP 429, Retry-After 120"),
    "no answer": _failed("failed", reset(), ""),
    "wrongly said to be gzip": _failed(
        "failed", Reply(headers={"Content-Encoding": "gzip"}, body=b"<urlset></urlset>"), ""
    ),
    "a short body": Case(
        {
            "/sitemap.xml": raw(
                head(200, {"Content-Length": "1000"}) + b"<urlset><url><loc>/p/a</loc></url><url><loc>/p/cu"
            )
        },
        (A,),
        stats={"sitemap/diagnostics/truncated": 1, "sitemap/incomplete": 1, "sitemap/entries": 1},
        log=("Incomplete sitemap: <200 {0}/sitemap.xml> (truncated: the connection was closed early)", WARN_END),
    ),
    "an index of itself": Case(
        {"/sitemap.xml": index("{0}/sitemap.xml", "{0}/1.xml"), "/1.xml": urlset(A)},
        (A,),
        asked=("/1.xml",),
        stats={"sitemap/rejected/duplicate": 1},
    ),
    "two that name each other": Case(
        {"/sitemap.xml": index("{0}/b.xml#x"), "/b.xml": index("{0}/sitemap.xml", "{0}/1.xml"), "/1.xml": urlset(A)},
        (A,),
        asked=("/b.xml", "/1.xml"),
    ),
    "too deep": Case(
        {"/sitemap.xml": index("{0}/1.xml"), **{f"/{n}.xml": index(f"{{0}}/{n + 1}.xml") for n in range(1, 9)}},
        attributes={"sitemapreader_max_depth": 2},
        asked=("/1.xml", "/2.xml"),
        stats={"sitemap/rejected/limit-depth": 1},
        log=("Sitemap {0}/3.xml is not fetched: deeper than 2", WARN_END),
    ),
    "too many": Case(
        {"/sitemap.xml": index("{0}/1.xml", "{0}/2.xml"), "/1.xml": urlset(A)},
        (A,),
        settings={"SITEMAPREADER_MAX_SITEMAPS": "2"},
        asked=("/1.xml",),
        stats={"sitemap/rejected/limit-sitemaps": 1},
        log=("Sitemap {0}/2.xml is not fetched: more than 2", WARN_END),
    ),
    "too many entries": Case(
        _plain(*GOOD),
        (A, B),
        settings={"SITEMAPREADER_MAX_ENTRIES": 2},
        log=("Incomplete sitemap: <200 {0}/sitemap.xml> (truncated: ", WARN_END),
    ),
    "too large": Case(
        {"/sitemap.xml": PACKED_BIG},
        tuple(f"{{0}}/p/{n}" for n in range(BIG[:MOST].count(b"</loc>"))),
        settings={"DOWNLOAD_MAXSIZE": MOST},
        stats={"sitemap/diagnostics/limit-size": 1},
        log=("Incomplete sitemap: <200 {0}/sitemap.xml> (truncated: ", WARN_END),
    ),
    "large enough to be told of": Case(
        {"/sitemap.xml": PACKED_BIG},
        tuple(f"{{0}}/p/{n}" for n in range(300)),
        settings={"DOWNLOAD_WARNSIZE": MOST},
        log=(f"<200 {{0}}/sitemap.xml> has {len(BIG)} bytes after decompression",),
    ),
    "redirects": Case(
        {
            "/sitemap.xml": index("{0}/1.xml", "{0}/2.xml"),
            "/1.xml": Reply(301, {"Location": "/real.xml"}),
            "/2.xml": Reply(302, {"Location": "/real.xml"}),
            "/real.xml": urlset("a", "b"),
        },
        ("{0}/a", "{0}/b"),
        asked=("/1.xml", "/2.xml", "/real.xml", "/real.xml"),
        stats={"sitemap/rejected/duplicate": 1},
    ),
    "robots that moved": Case(
        {
            "/robots.txt": Reply(302, {"Location": "/robots.txt?v=1"}),
            "/robots.txt?v=1": "Sitemap: /1.xml",
            "/1.xml": urlset(A),
        },
        (A,),
        ("{0}/robots.txt",),
        asked=("/robots.txt", "/robots.txt?v=1", "/1.xml"),
    ),
    "robots as it is written": Case(
        {
            "/robots.txt": "\ufeffSitemap : {0}/1.xml # the first\rSitemap: {0}/2.xml\rSITEMAP: {0}/1.xml\r",
            "/1.xml": urlset(A),
            "/2.xml": urlset(B),
        },
        (A, B),
        ("{0}/robots.txt",),
        asked=("/1.xml", "/2.xml"),
    ),
    "robots in a folder": Case(
        {"/sub/robots.txt": "User-agent: *\nSitemap: {0}/1.xml\n", "/1.xml": urlset(A)},
        (A,),
        ("{0}/sub/robots.txt",),
        parity=True,
        asked=("/sub/robots.txt", "/1.xml"),
    ),
    "sitemaps on another host": Case(
        {"/robots.txt": "Sitemap: {1}/other.xml\n", "/other.xml": urlset(A, "{1}/p/offsite")},
        (A, "{1}/p/offsite"),
        ("{0}/robots.txt",),
        attributes={"allowed_domains": ["127.0.0.1"]},
        asked=("/other.xml",),
        items=1,
        stats={"offsite/filtered": 1},
    ),
    "robots.txt forbids": Case(
        {
            "/robots.txt": "User-agent: *\nDisallow: /1.xml\nSitemap: {0}/1.xml\nSitemap: {0}/2.xml\n",
            "/2.xml": urlset(A),
        },
        (A,),
        ("{0}/robots.txt",),
        settings={"ROBOTSTXT_OBEY": True},
        asked=("/robots.txt", "/robots.txt", "/2.xml"),
        stats={"sitemap/failed/refused": 1},
        log=("No sitemap from {0}/1.xml (refused: Forbidden by robots.txt)", WARN_END),
    ),
    "robots.txt forbids more than are fetched at a time": Case(
        {
            "/robots.txt": "User-agent: *\nDisallow: /no\n",
            "/sitemap.xml": index(*[f"{{0}}/no/{n}.xml" for n in range(40)], "{0}/1.xml"),
            "/1.xml": urlset(A),
        },
        (A,),
        settings={"ROBOTSTXT_OBEY": True},
        asked=("/robots.txt", "/1.xml"),
        stats={"sitemap/failed/refused": 40, "sitemap/incomplete": 40},
        log=(*["No sitemap from {0}/no/"] * 40, "40 sitemaps were not read in full"),
    ),
    "no URL to start with": Case(
        _plain(A),
        (A,),
        ("nowhere", "{0}/sitemap.xml"),
        stats={"sitemap/rejected/url-invalid": 1},
        log=("Sitemap nowhere is not fetched: ", WARN_END),
    ),
    "depth from the sitemap": Case(
        {"/sitemap.xml": index("{0}/1.xml"), "/1.xml": urlset(A)},
        (A,),
        settings={"DEPTH_LIMIT": 2},
        spider="polite",
        parity=True,
        asked=("/1.xml",),
        stats={"request_depth_max": 2},
    ),
    "depth from the page": Case(
        {"/sitemap.xml": index("{0}/1.xml"), "/1.xml": urlset(A), "/p/a": '<a href="/p/b">', "/p/b": '<a href="/p/c">'},
        (B, A),
        settings={"DEPTH_LIMIT": 1, "SITEMAPREADER_DEPTH_RESET": 1},
        spider="polite",
        asked=("/1.xml",),
        stats={"request_depth_max": 1},
    ),
    "faults of the spider": Case(
        _plain(*GOOD),
        (A, B),
        spider="failing",
        attributes={"fails_at": 1},
        parity=True,
        items=4,
        stats={"spider_exceptions/KeyError": 1},
    ),
    "a window": Case(
        {
            "/sitemap.xml": index(*[f"{{0}}/{n}.xml" for n in range(20)]),
            **{f"/{n}.xml": urlset(*[f"{{0}}/p/{n}-{m}" for m in range(5)]) for n in range(20)},
        },
        tuple(sorted(f"{{0}}/p/{n}-{m}" for n in range(20) for m in range(5))),
        settings={"SITEMAPREADER_WINDOW": 10},
        asked=tuple(f"/{n}.xml" for n in range(20)),
        stats={"sitemap/requests": 120, "sitemap/documents": 21},
    ),
    "a window, and faults and items behind it": Case(
        _plain(*GOOD, "{0}/p/d"),
        GOOD,
        spider="failing",
        attributes={"fails_at": 2},
        settings={"SITEMAPREADER_WINDOW": 1},
        items=6,
        stats={"spider_exceptions/KeyError": 1},
    ),
}
