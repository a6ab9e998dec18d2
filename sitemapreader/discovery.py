"""Where a site's sitemaps are looked for: what the user's start means, robots.txt, and the places nothing names."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from . import urls
from .payload import Payload

WELL_KNOWN = (
    "sitemap.xml",
    "sitemap_index.xml",
    "sitemap-index.xml",
    "wp-sitemap.xml",
    "sitemap.xml.gz",
    "sitemap.txt",
)
"""Where sitemaps are that nothing names, the likeliest first."""
PAGE = 256 * 1024
"""Bytes of a web page in which links are looked for."""
FEEDS = ("application/rss+xml", "application/atom+xml")

_DOCUMENT = re.compile(r"\.(?:xml|txt|gz|rss|atom|rdf|json)$", re.I)
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style|template|noscript)\b.*?(?:</\1|\Z)", re.DOTALL | re.I)
_TAG = re.compile(r"<(link|base)\b([^<>]{0,4000})>", re.I)
_ATTRIBUTE = re.compile(r"""([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)
_PARAMETER = re.compile(r"""([\w*-]+)\s*=\s*(?:"([^"]*)"|([^\s",;]+))""")
_LINK = re.compile(r"""<([^<>]*)>((?:\s*;\s*[\w*-]+\s*=\s*(?:"[^"]*"|[^\s",;]*))*)""")


class Guess(NamedTuple):
    """A place that no sitemap and no robots.txt names."""

    url: str
    is_page: bool = False
    """A web page, in which links are looked for."""
    is_feed: bool = False
    """A feed, which lists the latest pages and not all."""


def start_url(start: str) -> str:
    """What the user asks for as a canonical URL; raises ValueError if it cannot be fetched."""
    if not isinstance(start, str):
        raise TypeError(f"start must be a str, not {type(start).__name__}")
    text = start.strip()
    if text.startswith("file:"):
        return text
    if "://" not in text:
        text = f"https://{text.removeprefix('//')}"
    url = urls.resolve(text, text).url
    if url is None:
        raise ValueError(f"not an http(s) URL or a host: {start[:200]!r}")
    return url


def is_site(start: str) -> bool:
    """Whether a start is a whole site rather than one document of it."""
    parts = urls.split(start)
    return parts.path == "/" and not parts.query


def may_be_page(start: str) -> bool:
    """Whether a start may be a web page that links to sitemaps: not if its name is one that only a document has."""
    parts = urls.split(start)
    return bool(parts.host) and not _DOCUMENT.search(parts.path)


def leads_to_site(start: str) -> bool:
    """Whether a start that is a web page stands for a part of a site, such as ``https://example.com/blog/``."""
    parts = urls.split(start)
    return bool(parts.host) and parts.path.endswith("/")


def robots_url(start: str) -> str:
    """The robots.txt of the start's host, whatever its path is (RFC 9309, 2.3)."""
    return f"{urls.origin(start)}/robots.txt"


def guesses(start: str) -> list[Guess]:
    """What to try, one after the other: the usual names at the root and in the start's folder, then the home page."""
    root = f"{urls.origin(start)}/"
    folders = dict.fromkeys((root, urls.directory(start)))
    return [*(Guess(folder + name) for folder in folders for name in WELL_KNOWN), Guess(root, is_page=True)]


def page_links(page: bytes, url: str, headers: Mapping[str, str]) -> list[Guess]:
    """The sitemaps and feeds that a web page at `url` links to, in order; anchors are no such links.

    `page` is its body as sent, or the beginning of it. Looks for ``rel="sitemap"``, in the Link header too (RFC 8288),
    and for ``rel="alternate"`` with the type of a feed (https://html.spec.whatwg.org/multipage/links.html).
    """
    payload = Payload(
        max_bytes=PAGE,
        report=lambda code, detail="", where="": None,
        content_encoding=headers.get("content-encoding", ""),
    )
    markup = b"".join([*payload.feed(page), *payload.close()]).decode("utf-8", "replace")
    found = [*_header_links(headers.get("link", ""), url), *_markup_links(_HIDDEN.sub("", markup), url)]
    return list(dict.fromkeys(found))


def _header_links(header: str, url: str) -> Iterator[Guess]:
    for target, parameters in _LINK.findall(header):
        yield from _link(target, url, {name.lower(): a or b for name, a, b in _PARAMETER.findall(parameters)})


def _markup_links(markup: str, url: str) -> Iterator[Guess]:
    base = url
    for name, text in _TAG.findall(markup):
        attributes = _attributes(text)
        target = attributes.get("href", "")
        if name.lower() == "link":
            yield from _link(target, base, attributes)
        elif base == url:  # the first one counts
            base = urls.resolve(target, url).url or url


def _attributes(text: str) -> dict[str, str]:
    return {name.lower(): html.unescape(a or b or c) for name, a, b, c in reversed(_ATTRIBUTE.findall(text))}


def _link(target: str, base: str, attributes: Mapping[str, str]) -> Iterator[Guess]:
    rels = attributes.get("rel", "").lower().split()
    is_feed = "alternate" in rels and attributes.get("type", "").partition(";")[0].strip().lower() in FEEDS
    if "sitemap" in rels or is_feed:
        found = urls.resolve(target, base).url
        if found:
            yield Guess(found, is_feed="sitemap" not in rels)
