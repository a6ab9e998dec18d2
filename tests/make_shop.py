"""Makes the mirrored shop under testdata/sites and the file of entries that a reader must find there.

Run as ``python tests/make_shop.py [FOLDER]``. The expected file is written from what the pages mean (shop_pages.py) and
never from the documents. Neither clock nor chance is used, so each run writes the same bytes.

A document's path below the host's folder is its path in the URL. ``PATH.headers`` holds ``Name: value`` lines that
replace the headers guessed from the suffix.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from shop_pages import (
    BERLIN,
    NEWEST,
    Page,
    berlin,
    brand_pages,
    category_pages,
    day,
    moment,
    news_pages,
    post_pages,
    product_pages,
    slug,
    text_pages,
    video_pages,
    zoneless,
    zulu,
)
from shop_words import POSTS_DE, POSTS_EN, SITE

HOST = SITE.removeprefix("https://")
SITES = Path(__file__).resolve().parent.parent / "testdata" / "sites"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
PREFIXES = {
    "image": "http://www.google.com/schemas/sitemap-image/1.1",
    "video": "http://www.google.com/schemas/sitemap-video/1.1",
    "news": "http://www.google.com/schemas/sitemap-news/0.9",
    "mobile": "http://www.google.com/schemas/sitemap-mobile/1.0",
    "xhtml": "http://www.w3.org/1999/xhtml",
}
ROBOTS = f"""\
# robots.txt of {HOST} - questions to webmaster@{HOST}
User-agent: *
Disallow: /warenkorb
Disallow: /en/cart
Disallow: /fr/panier
Disallow: /konto/       # login and orders
Disallow: /*?sort=
Allow: /konto/hilfe
Crawl-delay: 2

Sitemap: {SITE}/sitemap_index.xml

# Price comparison may take the pictures, nothing else.
User-agent: PreisRadar
User-agent: PreisRadar-Image
Allow: /img/
Disallow: /

sitemap : {SITE}/feeds.xml  # news, films, pages, magazine
"""
# How an item of the RSS feed names its page, where it does not do so plainly.
RSS_LINKS = {
    3: "<guid>{escaped}</guid>",
    7: "<link><![CDATA[{loc}]]></link>",
    11: '<guid isPermaLink="true">{escaped}</guid><description>Nur hier im Feed.</description>',
}
# What an entry of the Atom feed has beside or instead of its link, by position.
ATOM_LINKS = {
    4: '<id>{loc}</id><link rel="enclosure" type="audio/mpeg" href="/audio/{slug}.mp3"/>',
    6: '<link href="{slug}/"/>',
    9: '<link rel="edit" href="/cms/entry/{n}"/><link rel="replies" href="{slug}/comments.atom"/>'
    '<link rel="alternate" type="text/html" href="{slug}/"/><link rel="enclosure" href="/audio/{slug}.mp3"/>',
    12: '<link href="{loc}"/><source><id>tag:guides.example,2026:1</id><title>Guides</title>'
    '<link href="https://guides.example/"/><updated>2020-01-01T00:00:00Z</updated></source>',
    15: '<link rel="alternate" href="{loc}"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">'
    '<p>See also <a href="/en/journal/">the journal</a>.</p></div></content>',
}


class Document(NamedTuple):
    """A file of the site and the pages it lists; `headers` go into its sidecar."""

    path: str
    body: bytes
    pages: Sequence[Page] = ()
    headers: str = ""


def zipped(text: str) -> bytes:
    """Gzip whose header is the same on every system."""
    file = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as member:
        member.write(text.encode())
    return file.getvalue()


def url_xml(page: Page, gap: str) -> str:
    fields: dict[str, Any] = {
        "loc": escape(page.loc),
        "lastmod": page.lastmod and page.lastmod[0],
        "changefreq": page.changefreq,
        "priority": page.priority,
        **page.spelled,
    }
    rows = [f"<{name}>{value}</{name}>" for name, value in fields.items() if value is not None]
    return gap.join(["<url>", *rows, *(extra.xml for extra in page.extras)]) + gap.rstrip(" ") + "</url>\n"


def urlset(pages: Iterable[Page], *, gap: str = "\n  ", encoding: str = "UTF-8") -> str:
    urls = "".join(url_xml(page, gap) for page in pages)
    used = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in PREFIXES.items() if f"<{prefix}:" in urls)
    return f'<?xml version="1.0" encoding="{encoding}"?>\n<urlset xmlns="{SITEMAP}"{used}>\n{urls}</urlset>\n'


def index(path: str, children: Sequence[Document]) -> Document:
    rows = "".join(
        f"  <sitemap>\n    <loc>{SITE}/{child.path}</loc>\n    <lastmod>{zulu(moment(n))[0]}</lastmod>\n  </sitemap>\n"
        for n, child in enumerate(children)
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<?xml-stylesheet type="text/xsl" href="/sitemap.xsl"?>\n'
    note = "<!-- made nightly by the shop; children in order of weight -->\n"
    return Document(path, f'{head}{note}<sitemapindex xmlns="{SITEMAP}">\n{rows}</sitemapindex>\n'.encode())


def product_documents() -> Iterator[Document]:
    """One a department, each written by another export; the third is served under a type that hides the gzip."""
    for department, date in enumerate((day, berlin, zulu, zoneless, day)):
        pages = list(product_pages(department, date))
        headers = "Content-Type: application/xml\n" if department == 2 else ""
        yield Document(f"products-{department + 1}.xml.gz", zipped(urlset(pages, gap="")), pages, headers)


def shop_documents() -> Iterator[Document]:
    yield from product_documents()
    pages = list(category_pages())
    # The server says Latin-1 of everything, as old default configurations do; BOM and declaration are right.
    latin = "Content-Type: text/xml; charset=ISO-8859-1\n"
    yield Document("categories.xml", ("\ufeff" + urlset(pages, gap="")).encode(), pages, latin)
    pages = list(brand_pages())
    yield Document("brands.xml", urlset(pages, encoding="ISO-8859-1").encode("latin-1"), pages)
    pages = list(post_pages())
    # Named for gzip, and plain.
    yield Document("blog.xml.gz", urlset(pages).encode(), pages)


def feed_documents() -> Iterator[Document]:
    pages = list(news_pages())
    yield Document("news.xml", urlset(pages).replace("\n", "\r\n").encode(), pages)
    pages = list(video_pages())
    yield Document("videos.xml", urlset(pages).encode(), pages)
    lines = [f"{before}{page.spelled.get('loc', page.loc)}\n" for before, page in text_pages()]
    yield Document("pages.txt", "".join(lines).encode(), [page for _, page in text_pages()])
    yield rss()
    yield atom()


def rss() -> Document:
    items = [rss_item(n, *post) for n, post in enumerate(POSTS_DE)]
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/">\n<channel>\n<title>Nordkamm Magazin</title>\n'
        f"<link>{SITE}/de/magazin/</link>\n<description>Touren, Technik und Werkstatt</description>\n"
        f'<atom:link rel="self" type="application/rss+xml" href="{SITE}/blog/rss.xml"/>\n<language>de</language>\n'
        f"<lastBuildDate>{format_datetime(NEWEST.astimezone(BERLIN))}</lastBuildDate>\n<ttl>360</ttl>\n"
    )
    body = head + "".join(xml for xml, _ in items) + "</channel>\n</rss>\n"
    return Document("blog/rss.xml", body.encode(), [page for _, page in items], "Content-Type: text/html\n")


def rss_item(n: int, title: str, summary: str) -> tuple[str, Page]:
    loc = f"{SITE}/de/magazin/{slug(title)}/" + ("?ref=rss&copy=2" if n % 5 == 2 else "")
    plain = '<link>{escaped}</link>\n  <guid isPermaLink="false">magazin-{n}</guid>'
    link = RSS_LINKS.get(n, plain).format(loc=loc, escaped=escape(loc), n=n)
    tag, date = rss_date(n, NEWEST - timedelta(days=6 * n, minutes=17 * n))
    dated = f"  <{tag}>{date[0]}</{tag}>\n" if date else ""
    text = f"  <description><![CDATA[<p>{escape(summary)}</p>]]></description>\n" if "<description>" not in link else ""
    head = f"<item>\n  <title>{escape(title)}</title>\n  {link}\n  <dc:creator>Redaktion</dc:creator>\n"
    return f"{head}{dated}{text}</item>\n", Page(loc, date)


def rss_date(n: int, when: datetime) -> tuple[str, tuple[str, str] | None]:
    """The date of an item: none, Dublin Core's, in Berlin's zone or in Greenwich's."""
    if n == 13:
        return "pubDate", None
    if n == 5:
        return "dc:date", berlin(when)
    text = format_datetime(when, usegmt=True) if n % 4 == 1 else format_datetime(when.astimezone(BERLIN))
    return "pubDate", (text, when.isoformat())


def atom() -> Document:
    entries = [atom_entry(n, *post) for n, post in enumerate(POSTS_EN)]
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en" xml:base="{SITE}/en/journal/">\n'
        f"<title>Nordkamm Journal</title>\n<id>tag:{HOST},2019:journal</id>\n<updated>{zulu(NEWEST)[0]}</updated>\n"
        f'<link rel="self" href="{SITE}/blog/atom.xml"/>\n<link rel="alternate" href="{SITE}/en/journal/"/>\n'
        "<author><name>The shop floor</name></author>\n"
    )
    body = head + "".join(xml for xml, _ in entries) + "</feed>\n"
    return Document("blog/atom.xml", body.encode(), [page for _, page in entries])


def atom_entry(n: int, title: str, summary: str) -> tuple[str, Page]:
    archived = n == 6
    loc = f"{SITE}/en/journal/{'archive/2019/' if archived else ''}{slug(title)}/"
    plain = '<link href="{slug}/"/>' if n % 2 else '<link rel="alternate" type="text/html" href="{loc}"/>'
    link = ATOM_LINKS.get(n, plain).format(loc=loc, slug=slug(title), n=n)
    identity = "" if link.startswith("<id>") else f"<id>tag:{HOST},2026:journal-{n}</id>"
    when = NEWEST - timedelta(days=9 * n, minutes=23 * n)
    date = berlin(when) if n % 3 else zulu(when)
    published = date[0] if n == 8 else zulu(when - timedelta(days=2))[0]
    updated = "" if n == 8 else f"<updated>{date[0]}</updated>"
    dates = f"<published>{published}</published>{updated}"
    base = ' xml:base="archive/2019/"' if archived else ""
    head = f"<entry{base}>\n  <title>{escape(title)}</title>\n  {identity}{link}\n  {dates}\n"
    return f'{head}  <summary type="text">{escape(summary)}</summary>\n</entry>\n', Page(loc, date)


def documents() -> list[Document]:
    """All files in the order a reader comes to them."""
    shop, feeds = list(shop_documents()), list(feed_documents())
    robots = Document("robots.txt", ROBOTS.encode())
    return [robots, index("sitemap_index.xml", shop), *shop, index("feeds.xml", feeds), *feeds]


def expected(page: Page, sitemap: str) -> str:
    text, instant = page.lastmod or (None, None)
    entry: dict[str, Any] = {
        "loc": page.loc,
        "lastmod": instant,
        "changefreq": page.changefreq,
        "priority": page.priority,
        "sitemap": sitemap,
        "lastmod_text": text,
    }
    for extra in page.extras:
        entry.setdefault(extra.kind, []).append(extra.fields)
    return json.dumps(entry, ensure_ascii=False) + "\n"


def write(root: Path) -> None:
    """Write the site and the expected entries below `root`."""
    lines = []
    for document in documents():
        path = root / HOST / document.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(document.body)
        if document.headers:
            path.with_name(f"{path.name}.headers").write_bytes(document.headers.encode())
        lines += [expected(page, f"{SITE}/{document.path}") for page in document.pages]
    (root / f"{HOST}.jsonl").write_bytes("".join(lines).encode())


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else SITES)
