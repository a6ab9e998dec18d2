"""The hostile files, made as they are read: each function gives the chunks of one, or of one kind."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator

CHUNK = 64 * 1024
MIB = 1024 * 1024
PROTOCOL = b"http://www.sitemaps.org/schemas/sitemap/0.9"
DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'
FIRST = b"<url><loc>https://www.example.com/first</loc></url>\n"
LAST = b"<url><loc>https://www.example.com/last</loc></url>\n"
EXTENSIONS = (
    b' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    b' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
)
Chunks = Iterator[bytes]


def small(text: str) -> Chunks:
    """A file of one chunk."""
    yield text.encode()


def many(piece: bytes, times: int) -> Chunks:
    """`piece` so many times, in chunks of about CHUNK."""
    each = max(1, CHUNK // len(piece))
    whole = piece * each
    for _ in range(times // each):
        yield whole
    yield piece * (times % each)


def numbered(piece: bytes, times: int) -> Chunks:
    """`piece` so many times, each with its number at the place of ``%d``."""
    for start in range(0, times, 1000):
        yield b"".join(piece % number for number in range(start, min(start + 1000, times)))


def between(middle: Iterable[bytes], *, attributes: bytes = b"") -> Chunks:
    """A urlset with `middle` between its first and its last entry."""
    yield DECLARATION + b'<urlset xmlns="' + PROTOCOL + b'"' + attributes + b">\n" + FIRST
    yield from middle
    yield LAST + b"</urlset>\n"


def framed(start: bytes, middle: Iterable[bytes], end: bytes) -> Chunks:
    """`middle` between two pieces."""
    yield start
    yield from middle
    yield end


def within(start: bytes, middle: Iterable[bytes], end: bytes, *, attributes: bytes = b"") -> Chunks:
    """A urlset with something large between its first and its last entry."""
    return between(framed(start, middle, end), attributes=attributes)


def in_loc(middle: Iterable[bytes]) -> Chunks:
    """A urlset with a large URL."""
    return within(b"<url><loc>https://www.example.com/", middle, b"</loc></url>\n")


def entry(middle: Iterable[bytes], *, attributes: bytes = EXTENSIONS) -> Chunks:
    """A urlset with an entry that has much in it beside its URL."""
    return within(b"<url><loc>https://www.example.com/large</loc>", middle, b"</url>\n", attributes=attributes)


def damaged(middle: Iterable[bytes]) -> Chunks:
    """A urlset with one entry that no repair makes well-formed, and that has much in it."""
    return within(b"<url></x><loc>https://www.example.com/damaged</loc>", middle, b"</url>\n")


def damaged_item(middle: Iterable[bytes]) -> Chunks:
    """A feed with one item without a whole link, so that feedparser is asked too."""
    return rss(framed(b"<item></x><link>https://www.example.com/damaged", middle, b"</item>"))


def rss(items: Iterable[bytes]) -> Chunks:
    """An RSS feed."""
    return framed(b'<rss version="2.0"><channel><title>Feed</title>', items, b"</channel></rss>\n")


def zipped(chunks: Iterable[bytes], *, layers: int = 1, end: bool = True) -> Chunks:
    """gzip over the chunks, compressed as they are read; without `end` the trailer is missing."""
    if layers > 1:
        chunks = zipped(chunks, layers=layers - 1)
    compressor = zlib.compressobj(6, wbits=31)
    for chunk in chunks:
        yield compressor.compress(chunk)
    if end:
        yield compressor.flush()


def members(content: bytes, times: int) -> Chunks:
    """gzip of a sitemap with so many members between its entries."""
    yield b"".join(zipped([DECLARATION + b"<urlset>" + FIRST]))
    yield from many(b"".join(zipped([content])), times)
    yield b"".join(zipped([LAST + b"</urlset>"]))


# ------------------------------------------------------------------------------------------------ one entry, one value
def small_chunks() -> Chunks:
    """A comment of 4 MiB, little by little."""
    for chunk in within(b"<!--", many(b"x", 4 * MIB), b"-->"):
        yield from (chunk[at : at + 64] for at in range(0, len(chunk), 64))


def cdata(size: int) -> Chunks:
    """One CDATA section."""
    return framed(b"<![CDATA[", many(b"x", size), b"]]>")


def in_host(middle: Iterable[bytes]) -> Chunks:
    """A urlset with a large host name."""
    return within(b"<url><loc>https://", middle, b"/</loc></url>\n")


def in_lastmod(middle: Iterable[bytes]) -> Chunks:
    """An entry with a large date."""
    return entry(framed(b"<lastmod>", middle, b"</lastmod>"))


def digits(length: int) -> Chunks:
    """An entry with numbers too long for `int`, which takes 4,300 digits."""
    number = b"9" * length
    tags = [b"<video:%b>%b</video:%b>" % (tag, number, tag) for tag in (b"duration", b"rating", b"view_count")]
    return entry([b"<priority>0.%b</priority>" % number, b"<video:video>", *tags, b"</video:video>"])


def with_attributes(count: int) -> Chunks:
    """An entry whose start tag is just within bounds."""
    return within(b"<url ", numbered(b' a%d="x"', count), b"><loc>https://www.example.com/large</loc></url>\n")


def with_tags(count: int) -> Chunks:
    """An entry with a large extension."""
    return entry(framed(b"<video:video>", many(b"<video:tag>x</video:tag>", count), b"</video:video>"))


def with_locs(count: int) -> Chunks:
    """An entry that is many."""
    return within(b"<url>", many(b"<loc>https://www.example.com/x</loc>", count), b"</url>\n")


def prefixes_and_faults() -> Chunks:
    """10,000 prefixes that each new start behind a fault may have to declare."""
    declared = b"".join(numbered(b' xmlns:n%d="urn:n"', 10_000))
    return between(many(b"<url><loc>https://www.example.com/?a&b</loc></url>\n", 1_000), attributes=declared)


LITTER = {
    "comment starts": lambda: many(b"<!--", 127_500),
    "CDATA starts": lambda: many(b"<![CDATA[", 56_500),
    "comment starts, one end": lambda: framed(b"", many(b"<!--", 127_500), b"-->"),
    "CDATA ends": lambda: many(b"]]>", 170_000),
    "ampersands": lambda: many(b"&", 510_000),
    "references": lambda: many(b"&eacute;", 63_500),
    "control characters": lambda: many(b"\x01", 510_000),
    "tags with a prefix": lambda: many(b"<a:b>", 102_000),
    "source elements": lambda: many(b"<source>", 63_500),
    "source elements, one end": lambda: framed(b"", many(b"<source>", 63_500), b"</sourced>"),
    "tags without an end": lambda: many(b"<loc ", 102_000),
    "fields without an end": lambda: many(b"<loc>x", 85_000),
    "fields with CDATA": lambda: many(b"<loc><![CDATA[", 36_000),
    "stray signs": lambda: many(b"<", 510_000),
    "quotes": lambda: many(b" a='", 127_500),
    "blanks in a tag": lambda: framed(b"<loc", many(b" ", 510_000), b"x"),
    "other bytes": lambda: many(b"\xff<b/>", 102_000),
}
"""What a repair may stumble over, by what there is so much of."""


# ------------------------------------------------------------------------------------------------------- declarations
def with_subset(subset: bytes, *, root: bytes = b"urlset", used: bytes = b"&x;") -> Chunks:
    """A document whose DOCTYPE declares something, and whose only URL uses it."""
    yield DECLARATION + b"<!DOCTYPE " + root + b" [" + subset + b"]>\n"
    entries = {
        b"rss": b"<rss><channel><item><link>https://www.example.com/%s</link></item></channel></rss>",
        b"feed": b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>https://www.example.com/%s</id></entry></feed>',
    }
    plain = b"<%s><url><loc>https://www.example.com/%%s</loc></url></%s>" % (root, root)
    yield entries.get(root, plain) % used


def laughs() -> bytes:
    """Ten levels of entities, each ten of the one before: 20 GB."""
    levels = [b'<!ENTITY a0 "boomboomboomboomboom">']
    levels += [b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 10)]
    return b"\n".join(levels) + b'<!ENTITY x "&a9;">'


def chain(length: int) -> bytes:
    """Each entity uses the next: recursion as deep as the chain is long (CVE-2024-8176)."""
    return b"".join(b'<!ENTITY e%d "&e%d;">' % (n, n + 1) for n in range(length)) + b'<!ENTITY x "&e0;">'


def with_external_subset(address: str) -> Chunks:
    """A sitemap whose DOCTYPE names a file somewhere, and declares nothing."""
    return framed(b'<!DOCTYPE urlset SYSTEM "%s">\n<urlset>' % address.encode(), [FIRST, LAST], b"</urlset>")


def utf_16(chunks: Iterable[bytes]) -> Chunks:
    """The same document in another encoding."""
    yield b"".join(chunks).decode().replace("UTF-8", "UTF-16").encode("utf-16")


def behind_comment(chunks: Iterable[bytes]) -> Chunks:
    """A document behind so much that the look at the head does not reach all of its prolog."""
    return framed(b"<!--" + b"x" * 70 * 1024 + b"-->", chunks, b"")


def wrapped(chunks: Iterable[bytes]) -> Chunks:
    """A document where none may stand."""
    return framed(b"<wrapper>", chunks, b"</wrapper>")


# --------------------------------------------------------------------------------------------------------------- text
def encoded(label: str) -> Chunks:
    """A sitemap that says it is in some encoding, with a byte in it that is not UTF-8."""
    return framed(DECLARATION.replace(b"UTF-8", label.encode()), [b"<urlset><!-- \xe9 -->", FIRST], b"</urlset>")


def robots(middle: Iterable[bytes]) -> Chunks:
    """A robots.txt with a sitemap before and behind `middle`."""
    line = b"Sitemap: https://www.example.com/%s.xml\n"
    return framed(b"User-agent: *\n" + line % b"first", middle, b"\n" + line % b"last")


def robots_lines() -> Chunks:
    """A robots.txt with the line ends of other texts in a value."""
    evil = "Sitemap: https://evil.example/"
    return robots(["\u2028".join(("Disallow: /", evil, evil + "\x85" + evil, "\x0b" + evil)).encode()])


def lines(middle: Iterable[bytes]) -> Chunks:
    """A text sitemap with a URL before and behind `middle`."""
    return framed(b"https://www.example.com/first\n", middle, b"\nhttps://www.example.com/last\n")


def escapes() -> Chunks:
    """Terminal escapes and bidirectional overrides wherever a document can have them and a reader may show them."""
    rude = "\x1b[31m\x9b2J\u202e".encode()
    for field in (b"lastmod", b"priority", b"changefreq"):
        yield b"<url><loc>https://www.example.com/%s</loc><%s>\xc2\x9b2J\xe2\x80\xae</%s></url>" % ((field,) * 3)
    yield b"<url><loc>https://www.example.com/%s</loc></url>" % rude
    yield b"<url><loc>javascript:%s</loc></url>" % rude.replace(b"\x1b", b"")
    yield b"<url><loc>https://%s.example/</loc></url>" % rude.replace(b"\x1b", b"")


Make = Callable[[], Iterable[bytes]]
"""Gives the chunks of one file."""
