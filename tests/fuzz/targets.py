"""Targets: what is fuzzed, what is checked, and the seeds to start from. The tests run each check over its seeds.

The seeds are the documents of the readers' cases, or the URLs and dates in them.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

import httpx

import sitemapreader as sr
from sitemapreader import model, payload, urls, values

from . import properties
from .properties import HEADER, LIMITS, SECONDS, SITE, Case, Result, case, is_canonical, read, require

READERS = Path(__file__).parents[2] / "testdata" / "readers"
BASES = (
    f"{SITE}a/b.xml?c#d",
    "http://user:pw@shop.example:8080",
    "https://[::1]/",
    "file:///tmp/sitemap.xml",
    "",
    "//x",
)
SPELLING = {sr.Code.URL_TOO_LONG, sr.Code.DOUBLE_ESCAPED}
"""What a canonical URL may still be reported for."""
PRECISIONS = ("year", "month", "day", "minute", "second", "fraction")


def document(given: Case, url: str) -> Result:
    whole = read(given.body, url, content_type=given.content_type, limits=given.limits)
    properties.has_sound_items(whole, url)
    properties.has_nothing_made_up(whole, given.body)
    properties.has_sound_verdict(whole, given.limits)
    properties.is_same_in_chunks(whole, given, url)
    properties.is_strict_where_lenient_reports_errors(whole, given, url)
    return whole


def check_markup(data: bytes) -> None:
    given, url = case(data), f"{SITE}sitemap.xml"
    whole = document(given, url)
    properties.is_same_in_small_blocks(whole, given, url)
    properties.is_prefix_when_cut(whole, given, url)


def check_text(data: bytes) -> None:
    given, url = case(data), f"{SITE}sitemap.txt"
    whole = document(given, url)
    properties.is_same_in_small_blocks(whole, given, url)


def check_robots(data: bytes) -> None:
    given, url = case(data), f"{SITE}robots.txt"
    whole = document(given, url)
    properties.is_same_in_small_blocks(whole, given, url)
    if whole.format is sr.Format.ROBOTS:
        require(all(isinstance(item, sr.SitemapRef) for item in whole.items), "robots.txt lists sitemaps", whole.items)
        require(len({url, *whole.locs}) == 1 + len(whole.locs), "robots.txt lists each sitemap once", whole.locs)


def check_gzip(data: bytes) -> None:
    given, url = case(data), f"{SITE}sitemap.xml.gz"
    how = given.choice[1]
    codings = ("gzip", "deflate", "br", "gzip, gzip", "deflate, gzip", "gzip, x", "zstd,,identity", "")
    received(given.body, url, codings[how % len(codings)])
    if how & 1:  # as it is: damage that the seeds and the fuzzer bring
        document(given, url)
        return
    start, end = given.body[: given.cuts[1]], given.body[given.cuts[1] :]
    packed = b"".join(gzip.compress(part, 1, mtime=0) for part in ((start, end) if how & 2 else (given.body,)))
    packed = gzip.compress(packed, 1, mtime=0) if how & 4 else packed
    at = given.cuts[0] % len(packed)
    changes = {0: packed, 8: packed[:at], 16: packed[:at] + b"\xff" + packed[at + 1 :], 24: packed + b"more"}
    whole = document(given._replace(body=changes[how & 24]), url)
    if given.body.startswith(payload.GZIP) or not given.is_roomy:
        return
    plain = read(given.body, url, content_type=given.content_type, limits=given.limits)
    if how & 24 in (0, 24):
        same = whole.items == plain.items and whole.outcome is plain.outcome
        require(same, "the same when compressed", (whole, plain))
    elif how & 24 == 8:
        require(not whole.complete, "a body cut within its compression is not complete", whole)


def received(body: bytes, url: str, coding: str) -> None:
    """The same bytes through a walk, where the headers may say how they are coded."""
    walk = sr.Walk(url, limits=LIMITS[0], policy=sr.Policy(scope=sr.Scope.ANY))
    ref = walk.next()
    assert ref is not None
    headers = {"content-encoding": coding} if coding else {}
    for entry in walk.receive(ref, body, headers=headers):
        require(is_canonical(entry.loc), "loc is absolute http(s) in printable ASCII", entry.loc)


def check_url(data: bytes) -> None:
    given = case(data)
    text = given.body.decode("utf-8", "surrogateescape" if given.choice[1] & 1 else "replace")
    which = given.choice[0] % (len(BASES) + 1)
    base, text = (BASES[which], text) if which < len(BASES) else (text[: given.cuts[1]], text[given.cuts[1] :])
    start = time.process_time()
    url, findings = urls.resolve(text, base)
    require(time.process_time() - start < SECONDS, "time is bounded", len(text))
    require(len({code for code, _ in findings}) == len(findings), "each code once", findings)
    for function in (urls.masked, urls.split, urls.host, urls.place, urls.directory):
        function(text)
    if url is not None:
        require("%EF%BF%BD" not in url or "%" in base + text, "no URL with U+FFFD", url)
        is_one_url_to_all(url)
        is_judged(url, base)


def is_one_url_to_all(url: str) -> None:
    """What leaves the library is canonical, and the host is the same to whoever fetches it."""
    require(is_canonical(url), "URL is absolute http(s) in printable ASCII", url)
    again = urls.resolve(url, SITE)
    require(again.url == url, "resolve is idempotent", (url, again))
    require({code for code, _ in again.findings} <= SPELLING, "a canonical URL is not reported", again)
    parts, theirs = urls.split(url), urlsplit(url)
    bare = parts.host.strip("[]")
    require(bare and urls.host(url) == parts.host, "host is one", (url, parts))
    require(theirs.hostname == bare, "host is the same to urllib", (url, theirs.hostname, bare))
    require(theirs.port == parts.port, "port is the same to urllib", url)
    try:
        fetched = httpx.URL(url)
    except httpx.InvalidURL:
        return
    require(fetched.raw_host.decode() == bare, "host is the same to httpx", (url, fetched.raw_host, bare))


def is_judged(url: str, base: str) -> None:
    """Every scope has an answer; wider ones keep what narrower ones keep."""
    source = sr.policy.Source(url=urls.resolve(base, base).url or SITE)
    kept = [sr.Policy(scope=scope).judge(source)(sr.Entry(url)) is None for scope in sr.Scope]
    require(kept == sorted(kept), "each scope is wider than the one before", (url, source, kept))


def check_lastmod(data: bytes) -> None:
    given = case(data)
    text = given.body.decode("utf-8", "surrogateescape" if given.choice[1] & 1 else "replace").strip()
    start = time.process_time()
    readings = [values.lastmod(text), values.feed_date(text)]
    require(time.process_time() - start < SECONDS, "time is bounded", len(text))
    for moment, code in readings:
        require((moment is None) == (code is sr.Code.LASTMOD_INVALID), "None exactly if invalid", (text, moment, code))
        if moment is not None:
            is_moment(moment, text)
    root, item, name = (("urlset", "url", "lastmod"), ("rss", "item", "pubDate"))[given.choice[0] & 1]
    where = f"<loc>{SITE}a</loc>" if item == "url" else f"<link>{SITE}a</link>"
    body = f"<{root}><{item}>{where}<{name}>{escape(text)}</{name}></{item}></{root}>"
    url = f"{SITE}sitemap.xml"
    properties.has_sound_items(read(body.encode("utf-8", "surrogateescape"), url), url)


def is_moment(moment: datetime, text: str) -> None:
    require(moment.tzinfo is UTC, "lastmod is in UTC or None", (text, moment))
    require(values.lastmod(moment.isoformat()) == (moment, None), "ISO form is read back", (text, moment))
    require(model.precision(text) in PRECISIONS, "precision is known", text)
    for since in (moment, moment.date()):
        sr.Policy(since=since).judge(sr.policy.Source(url=SITE))(sr.Entry(SITE, moment, lastmod_text=text))
    try:
        theirs = datetime.fromisoformat(text)
    except ValueError:
        return
    zone = theirs.utcoffset() or timedelta()
    same = theirs.replace(tzinfo=None) - zone == moment.replace(tzinfo=None)
    require(same, "as datetime reads it", (text, moment, theirs))


# ----------------------------------------------------------------------------------------------------------- seeds
LOC = re.compile(rb"<(?:[\w.-]+:)?(?:loc|link|guid|id)[^<>]*>([^<]*)<|href=\"([^\"]*)\"", re.I)
DATE = re.compile(rb"<(?:[\w.-]+:)?(?:lastmod|pubdate|date|updated|published|[\w-]*date)>([^<]*)<", re.I)


def files(*patterns: str) -> Iterator[bytes]:
    """The bodies of the readers' cases."""
    paths = sorted(path for pattern in patterns for path in READERS.glob(pattern) if path.suffix != ".json")
    return (path.read_bytes() for path in paths)


def found(pattern: re.Pattern[bytes]) -> Iterator[bytes]:
    """What the cases hold of one kind, each once."""
    texts = {part for body in files("*/*.xml") for match in pattern.finditer(body) for part in match.groups() if part}
    return iter(sorted(texts))


def lines() -> Iterator[bytes]:
    return (line for body in files("text/*.txt", "robots/*.txt") for line in body.splitlines() if 4 < len(line) < 3000)


class Target(NamedTuple):
    """What is fuzzed, and from where."""

    check: Callable[[bytes], None]
    bodies: Callable[[], Iterator[bytes]]
    longest: int = 10_000
    """Bytes of an input: enough for a first block and some of the second."""

    def seeds(self) -> list[bytes]:
        """Inputs to start from, each with choices of its own that are the same each time."""
        return [hashlib.sha1(body).digest()[:HEADER] + body for body in self.bodies()]


TARGETS: dict[str, Target] = {
    "xml": Target(check_markup, lambda: files("urlset/*", "sitemapindex/*", "extensions/*", "payload/*.xml")),
    "text": Target(check_text, lambda: files("text/*")),
    "feed": Target(check_markup, lambda: files("rss/*", "atom/*")),
    "robots": Target(check_robots, lambda: files("robots/*")),
    "gzip": Target(check_gzip, lambda: files("payload/*", "*/*.gz", "text/*")),
    "url": Target(check_url, lambda: iter([*found(LOC), *lines()]), 1000),
    "lastmod": Target(check_lastmod, lambda: found(DATE), 150),
}
