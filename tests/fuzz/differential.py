"""The scanner against expat: documents of every kind, plain, odd and broken, must be read alike with and without it.

    python tests/fuzz/differential.py --documents 1000000 [--seed 7] [--findings DIR]

Documents are made of pieces, most of them plain, then damaged at random, cut into random chunks and read in small
blocks, so that a block ends anywhere. Each seed makes the same documents again; a document that is read differently is
written to `fuzz-findings`. The tests run some thousand of them.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[1]))

import sitemapreader as sr
from sitemapreader import payload
from sitemapreader.readers import scan

URL = "https://www.shop.example/maps/sitemap.xml"
NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
LOCS = (
    *(
        "https://www.shop.example/{n}",
        "https://www.shop.example/p/{n}.html?a=1&amp;b={n}",
        "http://shop.example/{n}#top",
    ),
    "https://www.shop.example/caf%C3%A9/{n}",
    "https://xn--bcher-kva.example/{n}",
    "https://www.shop.example/a[{n}]",
)
ODD_LOCS = (
    "/relative/{n}",
    "//shop.example/{n}",
    "HTTPS://Shop.Example/{n}",
    "https://shop.example:443/{n}",
    "",
    " ",
    *(
        "https://shop.example/a b/{n}",
        "https://shop.example/?a&b={n}",
        "https://shop.example/&amp;amp;{n}",
        "ftp://x/{n}",
    ),
    *(
        "https://shop.example/caf\xe9/{n}",
        "https://shop.example/{n}%",
        "https://shop.example/&#x41;{n}",
        "http://[::1/{n}",
    ),
    "https://shop.example",
    "https://shop.example/\x01{n}",
    "https://shop.example/{n}]]>",
    "https://a..b/{n}",
    "{n}",
    *(
        "https://user:pw@shop.example/{n}",
        "https://shop.example/<b>{n}</b>",
        "https://shop.example/" + "x" * 2100 + "{n}",
    ),
    *(
        "<![CDATA[https://shop.example/{n}?a&b]]>",
        "https://shop.example/<!-- no -->{n}",
        "\n  https://shop.example/{n}\n",
    ),
    *(
        "https://shop.example/\r\n{n}",
        "https://shop.example/&eacute;{n}",
        "\u200bhttps://shop.example/{n}",
        "javascript:{n}",
    ),
)
DATES = ("2024-05-01", "2024-05-01T10:00:00+00:00", "2024-05-01T10:00:00Z", "2024-12-31T23:59:59.123+05:30")
ODD_DATES = (
    *(
        "2024",
        "2024-05",
        "2024-02-30",
        "2024-05-01T10:00",
        "2024-05-01 10:00:00",
        "2024-05-01T24:00:00Z",
        "",
        " ",
        "now",
    ),
    *(
        "2024-05-01T10:00:00+0100",
        "2024-05-01t10:00:00z",
        "0000-00-00",
        "9999-12-31T23:59:59-10:00",
        "20240501",
        "&amp;",
    ),
    "2024-05-01T10:00:60Z",
    "2024-05-01T10:00:00+24:00",
    "2024-05-01T10:00:00." + "1" * 120 + "Z",
    "\n2024-05-01 ",
    "Wed, 01 May 2024 10:00:00 GMT",
    "2024-05-01T10:00:00+00:60",
    "0001-01-01T00:00:00+10:00",
    "<b>2024-05-01</b>",
)
FREQS, ODD_FREQS = (
    ("daily", "weekly", "never"),
    ("Daily", " monthly ", "mothly", "", "weekly,daily", "daily>", "d&amp;"),
)
PRIORITIES, ODD_PRIORITIES = (
    ("0.5", "1.0", "0.64"),
    ("", "1.1", "-0", ".5", "1.", "0,8", "NaN", "1e-1", "0.5 ", "5" * 150),
)
VALUES = {"loc": (LOCS, ODD_LOCS), "lastmod": (DATES, ODD_DATES), "changefreq": (FREQS, ODD_FREQS)}
VALUES["priority"] = (PRIORITIES, ODD_PRIORITIES)
EXTRAS = (
    *(
        "<!-- c -->",
        "<!-- </url> -->",
        "<?pi <url> ?>",
        "<x/>",
        "<x><url></x>",
        "text",
        "&amp;",
        "<![CDATA[</url>]]>",
        "]]>",
    ),
    *(
        "<image:image><image:loc>https://i.example/a.png</image:loc></image:image>",
        "<image:loc>https://i.example/</image:loc>",
    ),
    '<xhtml:link rel="alternate" hreflang="de" href="https://shop.example/de"/>',
    "<url>",
    "</url>",
    "<loc>x</loc>",
    *(
        "<news:news><news:title>T</news:title></news:news>",
        "<video:video/>",
        "</urlset>",
        "<sitemap>",
        "</sitemap>",
        "&lt;",
    ),
    *(
        "<lastmod/>",
        "<priority>0.1</priority>",
        '<loc a="b">https://shop.example/l</loc>',
        "<LOC>https://shop.example/u</LOC>",
    ),
)
LINKS = (
    '<xhtml:link rel="alternate" hreflang="de" href="https://shop.example/de/{n}"/>',
    '<xhtml:link rel="alternate" hreflang="x-default" href="https://shop.example/?a=1&amp;b={n}" />',
)
IMAGES = (
    "<image:image><image:loc>https://i.example/{n}.png</image:loc></image:image>",
    "<image:image> <image:loc> https://i.example/{n}.png </image:loc> <image:title>A {n}</image:title></image:image>",
    "<image:image><image:loc>https://i.example/{n}?a&amp;b</image:loc><image:caption>\u00fcber &lt;b&gt; &amp; "
    "&quot;c&quot;</image:caption><image:title>  two\n words ]] \u00a0</image:title></image:image>",
    "<image:image><image:loc>https://i.example/{n}</image:loc><image:title></image:title></image:image>",
)
NEWS = (
    "<news:news><news:publication><news:name>T \u00fc</news:name><news:language>en</news:language></news:publication>"
    "<news:publication_date>2024-02-29T10:00:00+01:00</news:publication_date><news:title>A &amp; {n}</news:title>"
    "<news:keywords>a, b ,c</news:keywords></news:news>",
    "<news:news> <news:title><![CDATA[ <b> & ]] > </news:news> {n} ]]> x</news:title>\n"
    "<news:publication_date> 2024-12-31 </news:publication_date> <news:genres>Blog, Opinion</news:genres>"
    "<news:access>Registration</news:access></news:news>",
    "<news:news></news:news>",
    "<news:news><news:publication></news:publication><news:keywords></news:keywords></news:news>",
)
VIDEOS = (
    "<video:video><video:thumbnail_loc>https://v.example/{n}.jpg?a=1&amp;b=2</video:thumbnail_loc>"
    "<video:title>T {n}</video:title><video:description><![CDATA[a <i>b</i> & c]]></video:description>"
    '<video:player_loc allow_embed="yes" autoplay="a=1&amp;b">https://v.example/p?a&amp;b</video:player_loc>'
    "<video:duration>600</video:duration><video:tag>a</video:tag><video:tag> b  c </video:tag></video:video>",
    "<video:video>\n<video:content_loc> https://v.example/{n}.mp4 </video:content_loc><video:rating>4.25</video:rating>"
    "<video:view_count>007</video:view_count><video:live>No</video:live><video:family_friendly>yes</video:family_friendly>"
    "<video:publication_date>2024-05-01T10:00Z</video:publication_date><video:title>a</video:title>"
    "<video:title>b</video:title></video:video>",
)
ODD_MORE = (
    "<news:news><news:publication_date>2024-02-30</news:publication_date></news:news>",
    "<news:news><news:publication_date></news:publication_date></news:news>",
    "<news:news><news:publication_date>2024-04-31T10:00:00+14:59</news:publication_date></news:news>",
    "<news:news><news:genres>Blog,Rant</news:genres></news:news>",
    "<news:news><news:stock_tickers>a,b,c,d,e,f</news:stock_tickers></news:news>",
    "<news:news><news:access>None</news:access></news:news>",
    "<news:news><news:Title>x</news:Title><news:title/></news:news>",
    "<news:news><title>x</title></news:news>",
    "<news:news><news:publication><news:publication/></news:publication></news:news>",
    "<news:news><news:title>&nbsp;</news:title></news:news>",
    "<news:news><news:title>]]></news:title></news:news>",
    "<video:video><video:duration>28801</video:duration></video:video>",
    "<video:video><video:duration>-1</video:duration></video:video>",
    "<video:video><video:rating>5.1</video:rating></video:video>",
    "<video:video><video:thumbnail_loc>/v.jpg</video:thumbnail_loc></video:video>",
    "<video:video><video:live>maybe</video:live></video:video>",
    "<video:video><video:price currency='EUR'>1.99</video:price></video:video>",
    "<video:video><video:player_loc allow_embed='maybe'>https://v.example/p</video:player_loc></video:video>",
    "<video:video><video:restriction relationship='allow'>DE AT</video:restriction></video:video>",
    "<video:video/>",
    "<video:Video><video:title>x</video:title></video:Video>",
)
ODD_EXTENSIONS = (
    '<xhtml:link hreflang="de" rel="alternate" href="https://shop.example/de/{n}"/>',
    '<xhtml:link rel="alternate" hreflang="de" href="/de/{n}"/>',
    '<xhtml:link rel="alternate" hreflang="de" href="android-app://x/{n}"/>',
    "<xhtml:link rel='alternate' hreflang='de' href='https://shop.example/de/{n}'/>",
    '<xhtml:link rel="alternate" hreflang="de" href="https://shop.example/de/{n}"></xhtml:link>',
    '<xhtml:link rel="alternate" hreflang="de" hreflang="fr" href="https://shop.example/{n}"/>',
    '<xhtml:link rel="alternate" hreflang="" href="https://shop.example/de/{n}"/>',
    "<image:image><image:loc>/{n}.png</image:loc></image:image>",
    "<image:image><image:title>T</image:title><image:loc>https://i.example/{n}</image:loc></image:image>",
    "<image:image><image:loc>https://i.example/{n}</image:loc><image:title>a &nbsp; b</image:title></image:image>",
    "<image:image><image:loc>https://i.example/{n}</image:loc><image:title>]]></image:title></image:image>",
    "<image:image><image:loc>https://i.example/{n}</image:loc><image:title><b>x</b></image:title></image:image>",
    "<image:image><image:loc>https://i.example/{n}</image:loc><image:title>\uffff\x07</image:title></image:image>",
    "<image:image><image:loc>https://i.example/{n}</image:loc><image:title><![CDATA[ & ]]></image:title></image:image>",
    "<image:image><image:loc>https://i.example/{n}</image:loc><image:title>a</image:title><image:title>b</image:title>"
    "</image:image>",
    "<image:image xmlns:image='urn:other'><image:loc>https://i.example/{n}</image:loc></image:image>",
    "<image:image><image:loc>https://i.example/{n}</image:loc><image:license>https://l.example/</image:license>"
    "</image:image>",
    '<i:image xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><i:loc>https://i.example/{n}</i:loc></i:image>',
)
PREFIXES = (
    ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
    ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">',
    ' xmlns:image="https://www.google.com/schemas/sitemap-image/1.1/" xmlns:xhtml="http://www.w3.org/1999/xhtml/">',
    ' xmlns:image="urn:image" xmlns:xhtml="http://www.w3.org/1999/xhtml">',
    ' xmlns:xhtml="http://www.google.com/schemas/sitemap-image/1.1" xmlns:image="http://www.w3.org/1999/xhtml">',
)
SPACES = ("", "\n", "\n    ", " ", "\t", "\r\n  ", "\n\n")
ROOTS = (
    *(
        f'<urlset xmlns="{NS}">',
        f'<urlset xmlns="{NS}"\n xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">',
    ),
    "<urlset>",
    f"<urlset xmlns='{NS}' a='>'>",
    f'<urlset xmlns="{NS.replace("http", "https")}">',
    "<URLSET>",
    *(
        f'<s:urlset xmlns:s="{NS}">',
        f'<urlset xmlns="{NS}" xml:base="https://base.example/">',
        '<urlset xmlns="urn:x">',
    ),
)


FEED_ROOTS = (
    '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>T</title>',
    '<rss version="2.0"><channel><link>https://blog.example/</link>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:gd="http://schemas.google.com/g/2005"><id>urn:x</id>',
)
ODD_FEED_ROOTS = (
    '<rss xmlns:dc="urn:other" xmlns:d="http://purl.org/dc/elements/1.1/"><channel xml:base="https://base.example/">',
    '<rss xmlns="http://backend.userland.com/rss2" xmlns:a="http://purl.org/rss/1.0/"><channel>',
    '<rss><channel xmlns:dc="http://purl.org/dc/elements/1.1/"><item>',
    "<rss><channel/>",
    "<rss>",
    "<RSS><Channel>",
    '<feed xmlns="http://purl.org/atom/ns#" xmlns:a="http://www.w3.org/2005/Atom">',
    '<feed xmlns:gd="http://schemas.google.com/g/2005">',
    '<a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns="http://www.w3.org/2005/Atom">',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://base.example/x/">',
)
RSS_PARTS = (
    "<title>A {n} &amp; b</title>",
    "<pubDate>Sat, 25 Jan 2025 12:26:56 +0000</pubDate>",
    "<pubDate>Sun, 5 May 2024 01:02:03 GMT</pubDate>",
    "<dc:date>2024-05-01T10:00:00+02:00</dc:date>",
    "<dc:creator><![CDATA[Jo]]></dc:creator>",
    "<description><![CDATA[<p>a & b &nbsp; <b>c</b> ]] > &#8230; <item> </item></p>]]></description>",
    "<content:encoded>&lt;p&gt; ] x &#039;y&#x27; &#8217;</content:encoded>",
    '<guid isPermaLink="false">https://blog.example/?p={n}</guid>',
    '<enclosure url="https://blog.example/a.mp3?a=1&amp;b=2" length="1" type="audio/mpeg"/>',
    "<category>one</category>",
    '<category domain="x"><![CDATA[two]]> and <![CDATA[three]]></category>',
    '<atom:link rel="self" href="/x" />',
    "<author/>",
)
ATOM_PARTS = (
    "<title type='text'>A {n} &lt;b&gt;</title>",
    "<updated>2024-05-01T10:00:00Z</updated>",
    "<published>2024-04-01T10:00:00.5+02:00</published>",
    "<id>urn:uuid:{n}</id>",
    "<link rel='self' href='https://blog.example/feed/{n}'/>",
    '<link rel="edit" href="https://blog.example/edit" title="x"/>',
    "<author><name>Jo</name><uri>https://x.example/</uri></author>",
    "<author> <name>Jo</name> and <gd:image rel='x' width='1' src='y'/></author>",
    '<content type="html">&lt;p&gt;x ] y&lt;/p&gt;</content>',
    '<content type="html"><![CDATA[ <entry> &nbsp; </entry> ]]></content>',
    '<category term="a" scheme="b" label="c"/>',
    "<summary/>",
)
RSS_LINKS = (
    "<link>https://blog.example/{n}</link>",
    "<link> https://blog.example/{n}?a=1&amp;b=2\n</link>",
    "<link><![CDATA[https://blog.example/{n}?a=1&b=2]]></link>",
)
ATOM_LINKS = (
    '<link rel="alternate" type="text/html" href="https://blog.example/{n}?a=1&amp;b"/>',
    "<link href='https://blog.example/{n}' rel='alternate' title='x'/>",
    '<link href="https://blog.example/{n}" />',
)
ODD_PARTS = (
    "<link/>",
    "<link>/relative</link>",
    "<link>https://blog.example/l</link>",
    '<link rel="alternate">https://blog.example/l</link>',
    "<link> </link>",
    "<Link>https://blog.example/u</Link>",
    "<link><![CDATA[https://blog.example/?a&amp;b]]></link>",
    "<link>https://blog.example/&lt;</link>",
    '<link href="/r"/>',
    '<link rel="Alternate" href="https://blog.example/a"/>',
    '<link rel=" alternate" href="https://blog.example/a"/>',
    '<link rel="" href="https://blog.example/a"/>',
    '<link rel="http://www.iana.org/assignments/relation/alternate" href="https://blog.example/a"/>',
    '<link href="https://blog.example/a" rel="alternate" href="https://blog.example/b"/>',
    '<link title=\' href="https://blog.example/t" \' href="https://blog.example/a"/>',
    '<link title="a>b" rel="self" href="https://blog.example/a"/>',
    "<link title=\"it's\" rel='self' href='https://blog.example/a'/>",
    '<link\trel="self"\n href="https://blog.example/a"/>',
    '<link xml:base="https://other.example/" href="https://blog.example/a"/>',
    '<link xml:base="hs://other.example/" href="https://blog.example/a"/>',
    '<content xml:base="hs://other.example/">x</content>',
    '<link href="https://blog.example/a\'b"/>',
    '<link hreflang="de" href = "https://blog.example/a" />',
    '<link href=\'https://blog.example/a" title="x"/>',
    '<x a=\'1" b="2"/>',
    "<guid>https://blog.example/g</guid>",
    "<guid>x<b>y</b></guid>",
    "<id>https://blog.example/i</id>",
    "<pubDate>yesterday</pubDate>",
    "<pubDate></pubDate>",
    "<pubDate>2024-05-01</pubDate>",
    "<pubDate>Sat, 25 Jan 2025 12:26:60 +0000</pubDate>",
    "<pubDate>31 Feb 2025 12:26:00 +0000</pubDate>",
    "<pubDate> Sat, 25 Jan 2025 12:26:56 EST </pubDate>",
    "<pubDate>1 Jan 0001 00:00:00 +0100</pubDate>",
    "<PubDate>Sat, 25 Jan 2025 12:26:56 +0000</PubDate>",
    "<dc:date>never</dc:date>",
    "<dc:Date>2024-05-01</dc:Date>",
    "<d:date>2024-05-01</d:date>",
    "<updated>never</updated>",
    "<updated a='b'>2024-05-01T10:00:00Z</updated>",
    "<published>2023-04-01</published>",
    "<issued>2023-04-01</issued>",
    "<modified>2025-04-01</modified>",
    "<a:link>https://blog.example/p</a:link>",
    "<a:updated>2021-01-01</a:updated>",
    "<atom:updated>2021-01-01</atom:updated>",
    "<x a='1' a='2'/>",
    "<x a='1' b='2' c='3' a='4'/>",
    "<x a='1' b='2' c='3' d='4' e='5'/>",
    "<x a='1'b='2'/>",
    "<x a='<'/>",
    "<x a='&nbsp;'/>",
    "<x xmlns='urn:x'/>",
    "<x xmlns:dc='urn:x'><dc:date>2020-01-01</dc:date></x>",
    "<x xml:lang='de' lang='de'/>",
    "<y:x/>",
    "<x>&nbsp;</x>",
    "<x>&#0;&#xFFFE;</x>",
    "<x>&#65535;</x>",
    "<x>]]></x>",
    "<x><![CDATA[ ]]></x>",
    "<x><![CDATA[ ]]>]]></x>",
    "<x><![CDATA[ <![CDATA[ ]]> ]]></x>",
    "<x><!-- <![CDATA[ --></x>",
    "<x><y><z/></y></x>",
    '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x</p></div></content>',
    "<x><y></x></y>",
    "<x><item>",
    "<x><item/></x>",
    "<x><entry><link href='https://blog.example/e'/></entry></x>",
    "<x></y>",
    "<1x/>",
    "<x.y-z>\x85\u2028</x.y-z>",
    "<x>\ufffe</x>",
    "<source><link>https://blog.example/s</link><updated>2020-01-01</updated></source>",
)


class Maker:
    """Makes documents from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.number = 0
        self.has_extensions = False

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def field(self, name: str, odd: float, space: str) -> str:
        plain, strange = VALUES[name]
        value = self.random.choice(strange if self.chance(odd) else plain).replace("{n}", str(self.number))
        inner = self.random.choice(SPACES) if self.chance(odd / 2) else ""
        tag = f"<{name}>" if not self.chance(odd / 8) else f"<{name} a='1'>"
        return f"{tag}{inner}{value}{inner}</{name}>{space}"

    def item(self, name: str, odd: float, space: str) -> str:
        self.number += 1
        known = ("lastmod",) if name == "sitemap" and not self.chance(odd) else ("lastmod", "changefreq", "priority")
        fields = [field for field in known if self.chance(0.7)]
        if self.chance(odd):
            self.random.shuffle(fields)
        fields.insert(self.random.randint(0, len(fields)) if self.chance(odd / 3) else 0, "loc")
        if self.chance(odd / 4):
            fields.insert(self.random.randint(0, len(fields)), self.random.choice([*VALUES]))
        parts = [self.field(field, odd, space) for field in fields]
        if self.has_extensions and name == "url":
            parts[1:1] = self.extensions(odd, space) if self.chance(0.3) else []
            parts += self.extensions(odd, space)
        if self.chance(odd):
            parts.insert(self.random.randint(0, len(parts)), self.random.choice(EXTRAS) + space)
        body = f"<{name}>{space}{''.join(parts)}</{name}>{space}"
        return body + (self.random.choice(EXTRAS) + space if self.chance(odd / 6) else "")

    def extensions(self, odd: float, space: str) -> list[str]:
        kinds = self.random.choice(((), LINKS, IMAGES, NEWS, VIDEOS, LINKS + IMAGES, IMAGES + NEWS + VIDEOS))
        count = self.random.randint(0, 4) if kinds else 0
        chosen = [self.random.choice(ODD_EXTENSIONS + ODD_MORE if self.chance(odd) else kinds) for _ in range(count)]
        return [text.replace("{n}", str(self.number)) + space for text in chosen]

    def document(self) -> bytes:
        body = (self.feed() if self.chance(0.4) else self.sitemap()).encode(
            "utf-8" if not self.chance(0.02) else "latin-1", "replace"
        )
        return self.damaged(body) if self.chance(0.4) else body

    def feed(self) -> str:
        """An RSS or Atom feed."""
        choice = self.random
        odd, space = choice.choice((0, 0, 0.02, 0.1, 0.5)), choice.choice(SPACES)
        root = choice.choice(FEED_ROOTS if not self.chance(odd / 2) else ODD_FEED_ROOTS)
        is_rss = "rss" in root.lower()
        name, parts, links = ("item", RSS_PARTS, RSS_LINKS) if is_rss else ("entry", ATOM_PARTS, ATOM_LINKS)
        items = (self.feed_item(name, parts, links, odd, space) for _ in range(choice.randint(0, 10)))
        end = ("</channel></rss>" if is_rss else "</feed>") if not self.chance(0.05) else ""
        head = choice.choice(("", '<?xml version="1.0"?>\n', "<!-- <item> -->"))
        return head + root + space + "".join(items) + end

    def feed_item(self, name: str, parts: Sequence[str], links: Sequence[str], odd: float, space: str) -> str:
        self.number += 1
        made = self.random.sample(parts, self.random.randint(0, 6))
        if not self.chance(odd / 3):
            made.insert(self.random.randint(0, len(made)), self.random.choice(links))
        for _ in range(self.random.choice((1, 1, 2)) if self.chance(odd) else 0):
            made.insert(self.random.randint(0, len(made)), self.random.choice(ODD_PARTS + EXTRAS))
        tag = f"<{name}>" if not self.chance(odd / 10) else f"<{name} xml:base='https://b.example/'>"
        body = space.join(part.replace("{n}", str(self.number)) for part in made)
        return f"{tag}{space}{body}{space}</{name}>{space}"

    def sitemap(self) -> str:
        """A urlset or an index."""
        choice = self.random
        index = self.chance(0.2)
        root = choice.choice(ROOTS) if self.chance(0.3) else ROOTS[0]
        root = root.replace("urlset", "sitemapindex") if index else root
        self.has_extensions = self.chance(0.4)
        if self.has_extensions and self.chance(0.9):
            root = root[:-1] + choice.choice(PREFIXES[: 1 if self.chance(0.7) else None])
        odd = choice.choice((0, 0, 0.02, 0.1, 0.5))
        space, name = choice.choice(SPACES), "sitemap" if index else "url"
        items = (
            self.item(name if not self.chance(odd / 20) else "url", odd, space) for _ in range(choice.randint(0, 14))
        )
        end = f"</{root.split('>')[0].split()[0].strip('<>')}>" if not self.chance(0.05) else ""
        head = choice.choice(("", '<?xml version="1.0"?>\n', '<?xml version="1.0" encoding="UTF-8"?><!-- c -->'))
        tail = choice.choice(EXTRAS) if self.chance(0.05) else ""
        return f"{head}{root}{choice.choice(SPACES)}{''.join(items)}{end}{tail}"

    def damaged(self, body: bytes) -> bytes:
        data = bytearray(body)
        for _ in range(self.random.choice((1, 1, 1, 2, 5))):
            at = self.random.randrange(len(data) + 1)
            kind = self.random.randrange(4)
            if kind == 0:
                del data[at : at + self.random.choice((1, 1, 3, 20))]
            elif kind == 1:
                data[at:at] = bytes((self.random.choice(b"<>&/\"'! ]-;x0\x00\x0b\x7f\x80\xc3\xff\r\n"),))
            elif kind == 2 and at < len(data):
                data[at] = self.random.randrange(256)
            else:
                begin = self.random.randrange(len(data) + 1)
                data[at:at] = data[begin : begin + self.random.choice((5, 40))]
        return bytes(data[: self.random.randrange(len(data) + 1)] if self.chance(0.1) else data)

    def chunks(self, body: bytes) -> list[bytes]:
        cuts = sorted(self.random.randrange(len(body) + 1) for _ in range(self.random.randint(0, 4)))
        return [body[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]

    def limits(self) -> sr.Limits:
        if self.chance(0.85):
            return sr.Limits()
        return sr.Limits(
            max_entries_per_sitemap=self.random.choice((None, 0, 3, 10)),
            max_token=self.random.choice((1 << 20, 1 << 20, 200, 2000)),
            max_diagnostics=self.random.choice((0, 2, 100)),
            max_bytes=self.random.choice((1 << 20, 700)),
        )


def result(chunks: list[bytes], limits: sr.Limits) -> tuple[object, ...]:
    """All that a reading says."""
    sitemap = sr.parse(iter(chunks), URL, limits=limits)
    items = list(sitemap)
    counts = sorted((code.value, n) for code, n in sitemap.counts.items())
    return (
        items,
        sitemap.diagnostics,
        counts,
        sitemap.outcome,
        sitemap.complete,
        sitemap.format,
        sitemap.entries,
        sitemap.refs,
    )


def compare(seed: int) -> tuple[bytes, object, object] | None:
    """The document of a seed and its two readings, if they differ."""
    maker = Maker(seed)
    body = maker.document()
    scanned, exact = both(maker.chunks(body), maker.limits(), block=maker.random.choice((4096, 37, 120, 400)))
    return (body, scanned, exact) if scanned != exact else None


def both(chunks: list[bytes], limits: sr.Limits, *, block: int) -> tuple[object, object]:
    """What a document says with and without the scanner, read in blocks of so many bytes."""
    with mock.patch.multiple(payload, FIRST_BLOCK=block, BLOCK=2 * block):
        scanned = result(chunks, limits)
        with mock.patch.object(scan.Scanner, "is_resting", True):
            return scanned, result(chunks, limits)


def differences(
    first: int, count: int, tell: Callable[[int], object] = lambda done: None
) -> Iterator[tuple[int, bytes]]:
    """The seeds and documents that are read differently."""
    for seed in range(first, first + count):
        found = compare(seed)
        if found:
            yield seed, found[0]
        tell(seed - first + 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first document")
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    args = parser.parse_args()
    began, found = time.monotonic(), 0

    def tell(done: int) -> None:
        if done % 50_000 == 0:
            print(f"{done} documents, {found} differences, {time.monotonic() - began:.0f} s", flush=True)

    for seed, body in differences(args.seed, args.documents, tell):
        found += 1
        args.findings.mkdir(parents=True, exist_ok=True)
        (args.findings / f"differential-{seed}.xml").write_bytes(body)
        print(f"seed {seed} differs", flush=True)
    print(
        f"DONE {args.documents} documents from seed {args.seed}: {found} differences, {time.monotonic() - began:.0f} s"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
