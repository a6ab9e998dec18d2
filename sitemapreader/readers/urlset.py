"""``<url>`` and ``<urlset>``: pages, as https://www.sitemaps.org/protocol.html has them.

What real files add to the protocol: several loc in one item (each is an item; what stands ahead of the first belongs to
it, the rest to the loc before), and a URL directly in the item, without loc.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ..diagnostics import Code, Reporter
from ..extensions import Element
from ..normalize import Raw
from .grammar import Grammar

PROTOCOL = "http://www.sitemaps.org/schemas/sitemap/0.9"
NAMESPACES = frozenset(
    {PROTOCOL, "//www.sitemaps.org/schemas/sitemap/0.9"}
    | {
        f"{scheme}://{name}{end}"
        for scheme in ("http", "https")
        for name in (
            "www.sitemaps.org/schemas/sitemap/0.9",
            "sitemaps.org/schemas/sitemap/0.9",
            "www.google.com/schemas/sitemap/0.9",
            "www.google.com/schemas/sitemap/0.84",
            "www.google.com/schemas/sitemap/0.90",
        )
        for end in ("", "/")
    }
)
"""Spellings that are found and mean the protocol; all but the first are reported."""

FIELDS = ("lastmod", "changefreq", "priority")


def compose(item: Element, bases: tuple[str, ...], number: int, report: Reporter, *, is_sitemap: bool) -> Iterator[Raw]:
    """A raw item for each loc, with the fields that belong to it."""
    where = f"item {number}"
    raws: list[Raw] = []
    pending = Raw(loc="", is_sitemap=is_sitemap, number=number)
    for child in item.children:
        if child.uri or child.name != "loc":
            _add(raws[-1] if raws else pending, child)
        elif child.overlong:
            report(Code.URL_TOO_LONG, "a loc longer than max_token is left out", where)
        elif child.text.strip():
            raw = pending if not raws else Raw(loc="", is_sitemap=is_sitemap, number=number)
            raw.loc = child.text
            raws.append(raw)
    if len(raws) > 1:
        report(Code.DUPLICATE_LOC, f"{len(raws)} loc in one item", where)
    if not raws and not any(child.overlong for child in item.children):
        if not item.overlong and item.text.strip().lower().startswith(("http://", "https://")):
            report(Code.NONSTANDARD_MARKUP, "a URL without loc", where)
            pending.loc = item.text
            raws.append(pending)
        else:
            report(Code.MISSING_LOC, "an item without a loc", where)
    yield from raws


def _add(raw: Raw, child: Element) -> None:
    if child.uri:
        raw.extensions.append(child)
    elif child.name == "lastmod":
        raw.lastmod.append(child.text)
    elif child.name == "changefreq":
        raw.changefreq = child.text
    else:
        raw.priority = child.text


URL = Grammar(
    fields={"loc": "loc", "lastmod": "lastmod", "changefreq": "changefreq", "priority": "priority"},
    compose=partial(compose, is_sitemap=False),
    essential=frozenset({"loc"}),
    root="urlset",
    extensions=True,
    own_text=True,
)
