"""The table of hostile files: what each must lead to, and what it may cost. A row is a case; its name is unique."""

from __future__ import annotations

from typing import NamedTuple

from hostile import files
from hostile.files import MIB, Make, between, damaged, damaged_item, entry, in_loc, many, numbered, rss, within, zipped

SITE = "https://www.example.com"


class Promise(NamedTuple):
    """What comes of a file."""

    outcomes: frozenset[str]
    least: int
    most: int
    """Items, entries and sitemaps together."""
    complete: bool | None
    """None: both are right."""
    codes: tuple[str, ...]
    """Diagnostics there must be."""


def ok(items: int, *codes: str, complete: bool | None = None) -> Promise:
    """Read to its end."""
    return Promise(frozenset({"OK"}), items, items, complete, codes)


def cut(items: int, *codes: str) -> Promise:
    """Ended early, behind so many items."""
    return Promise(frozenset({"TRUNCATED"}), items, items, False, codes)


def nothing(*codes: str) -> Promise:
    """Refused, or no sitemap."""
    return Promise(frozenset({"FAILED", "NOT_A_SITEMAP", "REFUSED"}), 0, 0, False, codes)


def either(least: int, most: int, *codes: str) -> Promise:
    """Any verdict is right, as long as it comes."""
    return Promise(frozenset({"OK", "TRUNCATED", "FAILED", "NOT_A_SITEMAP", "REFUSED"}), least, most, None, codes)


class Case(NamedTuple):
    """One file and what is promised of it."""

    name: str
    make: Make
    promise: Promise
    seconds: float = 1
    """Of reading, without the making of the file."""
    mib: int = 16
    """Growth of the process while it reads."""
    path: str = "/sitemap.xml"
    forbidden: str = ""
    """What may stand in no URL and no diagnostic."""
    headers: tuple[tuple[str, str], ...] = ()
    """Of the answer the file comes in; such a case is read by a Walk."""


def declares(name: str, subset: bytes, *, root: bytes = b"urlset", used: bytes = b"&x;") -> Case:
    """A document that declares something: no entry, no time, no memory, no file, no connection."""
    make = lambda: files.with_subset(subset, root=root, used=used)  # noqa: E731
    return Case(name, make, nothing("dtd-forbidden"), forbidden="boom")


def token(name: str, start: bytes, piece: bytes, end: bytes) -> Case:
    """A token of 16 MiB behind the first entry."""
    make = lambda: within(start, many(piece, 16 * MIB // len(piece)), end)  # noqa: E731
    return Case(name, make, cut(1, "limit-token"), seconds=3)


BOMB = files.laughs()
WORD = b'<!ENTITY x "boom">'
DECLARATIONS = (
    declares("entity bomb", BOMB),
    declares("entity bomb in an index", BOMB, root=b"sitemapindex"),
    declares("entity bomb in RSS", BOMB, root=b"rss"),
    declares("entity bomb in Atom", BOMB, root=b"feed"),
    declares("one entity, used 300,000 times", WORD, used=b"&x;" * 300_000),
    declares("chain of 60,000 entities", files.chain(60_000)),
    declares("external entity, a file", b'<!ENTITY x SYSTEM "file:///etc/passwd">'),
    declares("external entity, an address", b'<!ENTITY x SYSTEM "http://127.0.0.1:9/">'),
    declares("parameter entity", b'<!ENTITY % p SYSTEM "http://127.0.0.1:9/">%p;'),
    declares("attribute list only", b'<!ATTLIST loc a CDATA "boom">', used=b"x"),
    declares("60,000 attribute lists", b'<!ATTLIST loc a CDATA "boom">' * 60_000, used=b"x"),
    Case("entity bomb in gzip", lambda: zipped(files.with_subset(BOMB)), nothing("dtd-forbidden")),
    Case("entity bomb in UTF-16", lambda: files.utf_16(files.with_subset(BOMB)), nothing("dtd-forbidden")),
    Case("entity bomb behind a comment", lambda: files.behind_comment(files.with_subset(BOMB)), nothing()),
    Case("entity inside a wrapper", lambda: files.wrapped(files.with_subset(WORD)), either(0, 1), forbidden="boom"),
    Case("external DTD", lambda: files.with_external_subset("http://127.0.0.1:9/"), ok(2, "doctype", complete=True)),
)

LABELS = "é.".encode()
TOKENS = (
    token("comment of 16 MiB", b"<!--", b"x", b"-->"),
    token("processing instruction of 16 MiB", b"<?pi ", b"x", b"?>"),
    token("attribute of 16 MiB", b'<x a="', b"x", b'"/>'),
    token("16 MiB of attributes", b"<x ", b'a="b" ', b"/>"),
    token("tag of 16 MiB", b"<", b"x", b"/>"),
    token("end tag of 16 MiB", b"<x></x", b" ", b">"),
    token("start tag of an entry, 16 MiB", b"<url ", b" ", b">"),
    Case("gzip of one endless tag", lambda: zipped(within(b"<x", many(b" ", 64 * MIB), b"")), cut(1, "limit-token")),
    Case("one token in chunks of 64 bytes", lambda: files.small_chunks(), cut(1, "limit-token"), seconds=0.5),
    Case("loc of 16 MiB", lambda: in_loc(many(b"x", 16 * MIB)), ok(2, "url-too-long"), seconds=3),
    Case("loc of 16 MiB in CDATA", lambda: in_loc(files.cdata(16 * MIB)), ok(2, "url-too-long"), seconds=3),
    Case("loc of 1 MiB of percent signs", lambda: in_loc(many(b"%", MIB - 99)), either(2, 3), seconds=3, mib=128),
    Case("loc of 300,000 accents", lambda: in_loc(many(LABELS, 300_000)), either(2, 3), seconds=3, mib=128),
    Case("host of 300,000 labels", lambda: files.in_host(many(LABELS, 300_000)), ok(2), seconds=3, mib=96),
    Case("lastmod of 16 MiB", lambda: files.in_lastmod(many(b"1", 16 * MIB)), ok(3, "value-invalid"), seconds=3),
    Case("numbers of 100,000 digits", lambda: files.digits(100_000), ok(3, "value-invalid", complete=True)),
)

SPACE = 512 * MIB
GZIP = ("Content-Encoding", "gzip")
COMPRESSION = (
    Case("gzip bomb of 512 MiB", lambda: zipped(between(many(b" ", SPACE))), cut(1, "limit-size"), seconds=3),
    Case("gzip bomb in gzip", lambda: zipped(between(many(b" ", SPACE)), layers=2), cut(1, "limit-size"), seconds=3),
    Case(
        "bomb by Content-Encoding",
        lambda: zipped(between(many(b" ", SPACE))),
        cut(1, "limit-size"),
        seconds=3,
        headers=(GZIP,),
    ),
    Case("gzip nine times", lambda: zipped(between(()), layers=9), nothing("compression-error")),
    Case(
        "five content codings",
        lambda: zipped(between(()), layers=5),
        nothing("compression-error"),
        headers=(("Content-Encoding", "gzip, gzip, gzip, gzip, gzip"),),
    ),
    Case("gzip of 100,000 empty members", lambda: files.members(b"", 100_000), ok(2, complete=True), seconds=3),
    Case("gzip of 300,000 empty members", lambda: files.members(b"", 300_000), cut(1, "compression-error"), seconds=5),
    Case("gzip of 2,000 members", lambda: files.members(b" ", 2_000), cut(1, "compression-error")),
    Case("gzip without an end", lambda: zipped(between(()), end=False), either(0, 2, "truncated")),
)

IMAGE = b"<image:image><image:loc>https://i.example/x</image:loc></image:image>"
ALTERNATE = b'<xhtml:link rel="alternate" hreflang="de" href="https://d.example/"/>'
PREFIX = b' xmlns:n%d="urn:n"'
PAGE = b"<url><loc>https://www.example.com/%d</loc></url>"
SHAPES = (
    Case("nested 500,000 deep", lambda: between(many(b"<x>", 500_000)), cut(1, "limit-depth"), seconds=3),
    Case("entry nested 500,000 deep", lambda: entry(many(b"<image:x>", 500_000)), cut(1, "limit-depth"), seconds=3),
    Case("entries nested 5,000 deep", lambda: between(many(b"<url>", 5_000)), either(1, 2), seconds=3),
    Case("100,000 namespaces in a tag", lambda: within(b"<x", numbered(PREFIX, 100_000), b"/>"), cut(1, "limit-token")),
    Case("60,000 attributes of an entry", lambda: files.with_attributes(60_000), ok(3, complete=True), mib=64),
    Case("200,000 prefixes", lambda: between(numbered(b"<x" + PREFIX + b"/>", 200_000)), ok(2), seconds=4, mib=96),
    Case("50,000 undeclared prefixes", lambda: between(numbered(b"<n%d:x/>", 50_000)), either(1, 2), seconds=4),
    Case("10,000 prefixes, 1,000 faults", lambda: files.prefixes_and_faults(), either(0, 1_002), seconds=1.5, mib=64),
    Case("1,000,000 empty entries", lambda: between(many(b"<url/>", 1_000_000)), ok(2, "missing-loc"), seconds=15),
    Case("60,000 entries", lambda: between(numbered(PAGE, 59_998)), ok(60_000, "protocol-limit"), seconds=6),
    Case("100,000 images of an entry", lambda: entry(many(IMAGE, 100_000)), ok(3, "limit-extension"), seconds=6),
    Case(
        "100,000 alternates of an entry", lambda: entry(many(ALTERNATE, 100_000)), ok(3, "limit-extension"), seconds=6
    ),
    Case("200,000 tags of a video", lambda: files.with_tags(200_000), ok(3), seconds=6),
    Case("100,000 URLs of an entry", lambda: files.with_locs(100_000), either(3, 100_002), seconds=6, mib=96),
    Case("text between 500,000 elements", lambda: entry(many(b"some text<x/>", 500_000)), ok(3)),
)

AMPERSAND = b"<url><loc>https://www.example.com/?a=1&b=2</loc></url>"
NO_COMMENT_END = b"<url><!-- <loc>https://www.example.com/x</loc></url>"
NO_CDATA_END = b"<url><loc><![CDATA[https://www.example.com/x</loc></url>"
BROKEN = b"<item><title><b>x</title><link>https://www.example.com/%d</link></item>"
BASE = b'<x xml:base="a/"><item><link>b&c</link></item>'
FAULTS = (
    Case("10,000 bare ampersands", lambda: between(many(AMPERSAND, 10_000)), ok(10_002, "xml-repaired"), seconds=6),
    Case("20,000 open comments", lambda: between(many(NO_COMMENT_END, 20_000)), either(1, 20_002), seconds=8, mib=32),
    Case("20,000 open CDATA", lambda: between(many(NO_CDATA_END, 20_000)), either(1, 20_002), seconds=8, mib=32),
    *(
        Case(f"damaged entry, 500 kB of {piece}", lambda made=made: damaged(made()), either(1, 3), seconds=3, mib=96)
        for piece, made in files.LITTER.items()
    ),
    *(
        Case(
            f"damaged item, 500 kB of {piece}", lambda made=made: damaged_item(made()), either(0, 1), seconds=5, mib=128
        )
        for piece, made in files.LITTER.items()
    ),
    Case("damaged entry of 16 MiB", lambda: damaged(many(b"text ", 3_200_000)), ok(2, "entry-lost"), seconds=6),
    Case("8 MiB of junk behind a fault", lambda: within(b"<x", many(b"< ", 4 * MIB), b"<x/>"), ok(2), seconds=2, mib=8),
    Case(
        "8 MiB of comment starts behind a fault",
        lambda: within(b"<x", many(b"<!--", 2 * MIB), b""),
        either(1, 2),
        seconds=4,
    ),
    Case(
        "2,000 broken feed items", lambda: rss(numbered(BROKEN, 2_000)), ok(2_000, "entry-salvaged"), seconds=10, mib=32
    ),
    Case("2,000 bases in a feed", lambda: rss(many(BASE, 2_000)), either(0, 2_000), seconds=6),
)

ITEM = b"<item><title>x</title><link>https://www.example.com/%d</link></item>"
DIVERTED = b"<item><b>/etc/passwd<link>https://www.example.com/x</link></item><item><b><link>/etc/passwd</item>"
LINE = b"https://www.example.com/%d\n"
TEXT, ROBOTS = "/sitemap.txt", "/robots.txt"
CODECS = ("rot13", "hex", "zlib", "idna", "punycode", "unicode_escape", "undefined", "utf-7", "mbcs")
PLAIN = (
    Case("feed that is a path", lambda: files.small("/etc/passwd"), nothing("not-a-sitemap")),
    Case("feed that is a file URL", lambda: files.small("file:///etc/passwd"), nothing("not-a-sitemap")),
    Case("feed that is an address", lambda: files.small("http://127.0.0.1:9/"), either(0, 1)),
    Case("broken feed items that are paths", lambda: rss([DIVERTED]), either(0, 2), mib=32),
    Case(
        "feed behind 60,000 blank lines", lambda: files.framed(b"\n" * 60_000, rss([ITEM % 1]), b""), ok(1), seconds=2
    ),
    Case("feed of 20,000 items", lambda: rss(numbered(ITEM, 20_000)), ok(20_000, complete=True), seconds=10),
    Case("line of 16 MiB", lambda: files.lines(many(b"x", 16 * MIB)), ok(2, "url-too-long"), seconds=2, path=TEXT),
    Case("16 MiB of empty lines", lambda: files.lines(many(b"\n", 16 * MIB)), ok(2), seconds=6, path=TEXT),
    Case("1,000,000 lines", lambda: files.lines(numbered(LINE, 1_000_000)), ok(1_000_002), seconds=20, path=TEXT),
    Case(
        "300,000 lines that are no URL",
        lambda: files.lines(numbered(b"https://[%d\n", 300_000)),
        ok(2, "url-invalid"),
        seconds=10,
        path=TEXT,
    ),
    Case("comment line before the URLs", lambda: files.small("#" * 64 + f"\n{SITE}/x\n"), ok(1), path=TEXT),
    Case("8 MiB that are nothing", lambda: many(b"no sitemap ", 760_000), nothing("not-a-sitemap"), mib=8),
    Case("6,000 XML declarations", lambda: files.small("<a>" + "<?xml a?>b" * 6_000), nothing("not-a-sitemap")),
    Case("robots.txt of 8 MiB", lambda: files.robots(many(b"Allow: /\n", 930_000)), cut(1, "limit-size"), path=ROBOTS),
    Case(
        "robots.txt, one line of 480 kB",
        lambda: files.robots([b"Sitemap:" + b",sitemap" * 60_000]),
        either(1, 3),
        path=ROBOTS,
    ),
    Case("robots.txt, other line ends", lambda: files.robots_lines(), ok(2), path=ROBOTS, forbidden="evil.example"),
    *(
        Case(f"encoding {name}", lambda name=name: files.encoded(name), ok(1, "encoding-error"), mib=64)
        for name in CODECS
    ),
    Case("terminal escapes", lambda: between(files.escapes()), either(5, 8), forbidden="\x1b\x9b\u202e"),
)

CASES = {case.name: case for case in (*DECLARATIONS, *TOKENS, *COMPRESSION, *SHAPES, *FAULTS, *PLAIN)}
