"""Atom 1.0 (RFC 4287) and 0.3.

The page is the first ``<link>`` of an entry whose ``rel`` is absent or ``alternate``; self, edit, replies and enclosure
are others. Without one, ``<id>`` if it is an http(s) URL. What stands in ``<source>`` is another feed's.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Code, Reporter
from ..extensions import Element
from ..normalize import Raw
from .grammar import Grammar, Vocabulary
from .plain_feed import PlainFeed
from .rss import base_of, dates, is_http

DATES = ("created", "issued", "published", "modified", "updated")
"""The fields that can give lastmod, the better one last: those of 0.3 mean what those of 1.0 do."""
ALTERNATE = {"alternate", "http://www.iana.org/assignments/relation/alternate"}


def compose(item: Element, bases: tuple[str, ...], number: int, report: Reporter) -> Iterator[Raw]:
    """The raw item of an entry; one without a usable link is reported."""
    inner = (*bases, *base_of(item))
    link = next((child for child in item.children if _leads_to_page(child)), None)
    if link is not None:
        page, inner = link.attributes["href"], (*inner, *base_of(link))
    else:
        page = next((child.text for child in item.children if child.name == "id" and is_http(child.text)), "")
    if page:
        yield Raw(loc=page, lastmod=dates(item, DATES), bases=inner, number=number)
    else:
        report(Code.MISSING_LOC, "an entry without a link to a page", f"item {number}")


def _leads_to_page(child: Element) -> bool:
    relation = child.attributes.get("rel", "alternate").strip().lower()
    return child.name == "link" and relation in ALTERNATE and bool(child.attributes.get("href", "").strip())


ENTRY = Grammar(
    fields={name: name for name in ("link", "id", *DATES)},
    compose=compose,
    essential=frozenset({"link", "id"}),
)

NAMESPACES = frozenset({"https://www.w3.org/2005/Atom", "http://www.w3.org/2005/Atom/"})
SPECIFIED = frozenset({"http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"})

ATOM = Vocabulary(
    items={"entry": ENTRY},
    roots={"feed": "feed"},
    containers=frozenset({"feed"}),
    specified=SPECIFIED,
    namespaces=NAMESPACES,
    shapes={
        "feed": PlainFeed(
            "entry",
            around=(),
            link_is_text=False,
            dates=("published", "updated"),
            odd=frozenset({"entry", "created", "issued", "modified"}),
            nests=True,
            home=SPECIFIED | NAMESPACES,
        )
    },
)
