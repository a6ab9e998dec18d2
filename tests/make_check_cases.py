"""Writes testdata/check: a small site for each rule of `check` that breaks this rule alone, and one that breaks none.

Run it after a new rule: ``python tests/make_check_cases.py``. The same bytes come out each time.
"""

from __future__ import annotations

import gzip
from pathlib import Path

CASES = Path(__file__).parent.parent / "testdata" / "check"
NAMESPACES = {
    "image": "http://www.google.com/schemas/sitemap-image/1.1",
    "video": "http://www.google.com/schemas/sitemap-video/1.1",
    "news": "http://www.google.com/schemas/sitemap-news/0.9",
    "xhtml": "http://www.w3.org/1999/xhtml",
}
PROTOCOL = "http://www.sitemaps.org/schemas/sitemap/0.9"
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
SITE = "https://a.example/"
ROBOTS = f"User-agent: *\nAllow: /\n\nSitemap: {SITE}sitemap.xml\n"
Files = dict[str, str | bytes]


def url(more: str = "", loc: str = f"{SITE}1") -> str:
    return f"<url><loc>{loc}</loc>{more}</url>\n"


def urlset(*items: str, using: str = "", namespace: str = PROTOCOL) -> str:
    prefixes = "".join(f' xmlns:{prefix}="{NAMESPACES[prefix]}"' for prefix in using.split())
    return f'{HEAD}<urlset xmlns="{namespace}"{prefixes}>\n{"".join(items)}</urlset>\n'


def index(*locs: str) -> str:
    sitemaps = "".join(f"<sitemap><loc>{SITE}{loc}</loc></sitemap>\n" for loc in locs)
    return f'{HEAD}<sitemapindex xmlns="{PROTOCOL}">\n{sitemaps}</sitemapindex>\n'


def site(sitemap: str | bytes, **more: str | bytes) -> Files:
    return {"robots.txt": ROBOTS, "sitemap.xml": sitemap, **more}


def packed(sitemap: str) -> Files:
    body = gzip.compress(sitemap.encode(), mtime=0)
    return {"robots.txt": ROBOTS.replace(".xml", ".xml.gz"), "sitemap.xml.gz": body}


def link(hreflang: str, loc: str = f"{SITE}1") -> str:
    return f'<xhtml:link rel="alternate" hreflang="{hreflang}" href="{loc}"/>'


def video(*without: str) -> str:
    tags = {
        "thumbnail_loc": f"{SITE}1.jpg",
        "title": "Film",
        "description": "What it shows",
        "content_loc": f"{SITE}1.mp4",
        "duration": "60",
    }
    inner = "".join(f"<video:{tag}>{text}</video:{tag}>" for tag, text in tags.items() if tag not in without)
    return f"<video:video>{inner}</video:video>"


def news(title: str = "<news:title>News</news:title>", date: str = "2999-01-01") -> str:
    publication = "<news:name>The Paper</news:name><news:language>en</news:language>"
    return (
        f"<news:news><news:publication>{publication}</news:publication>"
        f"<news:publication_date>{date}</news:publication_date>{title}</news:news>"
    )


def image(inner: str = f"<image:loc>{SITE}1.png</image:loc>") -> str:
    return f"<image:image>{inner}</image:image>"


def pages(number: int, more: str = "") -> list[str]:
    return [url(more, f"{SITE}{at}") for at in range(number)]


GOOD: Files = {
    "robots.txt": f"Sitemap: {SITE}index.xml\nSitemap: {SITE}pages.txt\n",
    "index.xml": index("maps/pages.xml", "maps/media.xml"),
    "pages.txt": f"{SITE}about\n{SITE}contact\n",
    "maps/pages.xml": urlset(
        url("<lastmod>2024-05-01T10:00:00+02:00</lastmod><changefreq>weekly</changefreq><priority>0.8</priority>"),
        url(link("en", f"{SITE}en") + link("de-AT", f"{SITE}at") + link("x-default", f"{SITE}en"), f"{SITE}en"),
        url(link("en", f"{SITE}en") + link("de-AT", f"{SITE}at"), f"{SITE}at"),
        url(loc=f"{SITE}2?a=1&amp;b=2"),
        using="xhtml",
    ),
    "maps/media.xml": urlset(
        url(image(), f"{SITE}3"), url(video(), f"{SITE}4"), url(news(), f"{SITE}5"), using="image video news"
    ),
}

BROKEN: dict[str, Files] = {
    "fetchable": {**site(urlset(url())), "robots.txt": f"{ROBOTS}Sitemap: {SITE}gone.xml\n"},
    "is-sitemap": {
        **site(urlset(url()), **{"page.html": "<!doctype html><title>Home</title><p>Welcome\n"}),
        "robots.txt": f"{ROBOTS}Sitemap: {SITE}page.html\n",
    },
    "whole": site(urlset(url()).removesuffix("</urlset>\n")),
    "entries": packed(urlset(*pages(50_001))),
    "size": packed(urlset(url(), " " * (50 * 1024 * 1024))),
    "utf-8": site(
        urlset(url()).replace("UTF-8", "ISO-8859-1").replace("?>\n", "?>\n<!-- caf\xe9 -->\n").encode("latin-1")
    ),
    "well-formed": site(urlset(url(), url("<lastmod>2024-01-01", f"{SITE}2"), url("", f"{SITE}3"))),
    "around": site("\n" + urlset(url())),
    "doctype": site(urlset(url()).replace("<urlset", "<!DOCTYPE urlset>\n<urlset")),
    "namespace": site(urlset(url(), namespace="http://www.google.com/schemas/sitemap/0.84")),
    "listed": site(urlset()),
    "content-type": site(urlset(url()), **{"sitemap.xml.headers": "Content-Type: text/html\n"}),
    "text-lines": {"robots.txt": f"Sitemap: {SITE}sitemap.txt\n", "sitemap.txt": f"# pages\n{SITE}1\n"},
    "robots-lines": {**site(urlset(url())), "robots.txt": f"{ROBOTS}Sitemap:\n"},
    "known-tags": site(urlset(url("<title>Page</title>"))),
    "markup": site(urlset(url()).replace("loc>", "LOC>")),
    "loc": site(urlset(url(), "<url><lastmod>2024-01-01</lastmod></url>\n")),
    "lastmod": site(urlset(url("<lastmod>01.02.2024</lastmod>"))),
    "lastmod-future": site(urlset(url("<lastmod>2999-01-01</lastmod>"))),
    "changefreq": site(urlset(url("<changefreq>biweekly</changefreq>"))),
    "priority": site(urlset(url("<priority>high</priority>"))),
    "escaping": site(urlset(url(loc=f"{SITE}?a=1&b=2"))),
    "escaped-once": site(urlset(url(loc=f"{SITE}?a=1&amp;amp;b=2"))),
    "url-absolute": site(urlset(url(loc="/1"))),
    "url-valid": site(urlset(url(loc=f"{SITE}a page"))),
    "url-length": site(urlset(url(loc=SITE + "x" * (2048 - len(SITE))))),
    "location": site(urlset(url(), url(loc="https://b.example/1"))),
    "repeated": site(urlset(url(), url())),
    "index-nesting": site(index("inner.xml"), **{"inner.xml": index("1.xml"), "1.xml": urlset(url())}),
    "index-location": {
        **{"robots.txt": f"Sitemap: {SITE}maps/index.xml\n", "maps/index.xml": index("1.xml")},
        "1.xml": urlset(url()),
    },
    "listed-once": {**site(urlset(url())), "robots.txt": f"{ROBOTS}Sitemap: {SITE}sitemap.xml\n"},
    "robots": {"robots.txt": "User-agent: *\nAllow: /\n", "sitemap.xml": urlset(url())},
    "image-loc": site(urlset(url(image("<image:loc/>")), using="image")),
    "image-count": packed(urlset(url(image() * 1_001), using="image")),
    "video-tags": site(urlset(url(video("description")), using="video")),
    "news-tags": site(urlset(url(news(title="")), using="news")),
    "news-count": packed(urlset(*pages(1_001, news()), using="news")),
    "news-age": site(urlset(url(news(date="2020-01-01")), using="news")),
    "extension-value": site(urlset(url(video().replace(">60<", ">long<")), using="video")),
    "extension-given-up": site(
        urlset(url(image(f"<image:loc>{SITE}1.png</image:loc><image:title>Map</image:title>")), using="image")
    ),
    "hreflang-code": site(urlset(url(link("en-UK")), using="xhtml")),
    "hreflang-url": site(urlset(url(link("en") + link("de", "android-app://x")), using="xhtml")),
    "hreflang-self": site(urlset(url(link("en") + link("de", f"{SITE}2")), url(link("en"), f"{SITE}2"), using="xhtml")),
    "hreflang-return": site(
        urlset(url(link("en") + link("de", f"{SITE}2")), url(link("de", f"{SITE}2"), f"{SITE}2"), using="xhtml")
    ),
    "checked": packed(urlset(url(), f"<!--{'x' * 4_000_000}-->")),
}


def main() -> None:
    for rule, files in {"none": GOOD, **BROKEN}.items():
        for name, body in files.items():
            path = CASES / rule / "a.example" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body.encode() if isinstance(body, str) else body)


if __name__ == "__main__":
    main()
