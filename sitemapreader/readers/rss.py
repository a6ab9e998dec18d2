"""RSS: 2.0 and 0.9x (``<rss>``) and 0.90 and 1.0 (``<rdf:RDF>``), whose items are read alike.

The page is the first ``<link>`` of an item; without one, ``<guid>`` unless ``isPermaLink="false"``, or ``rdf:about``,
if that is an http(s) URL (https://www.rssboard.org/rss-specification). A link to the feed itself is no page.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Code, Reporter
from ..extensions import Element
from ..normalize import Raw
from .grammar import XML_BASE, Grammar, Vocabulary
from .plain_feed import PlainFeed

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
DUBLIN_CORE = "http://purl.org/dc/elements/1.1/"
DATES = ("date", "pubDate")
"""The fields that can give lastmod, the better one last."""


def compose(item: Element, bases: tuple[str, ...], number: int, report: Reporter) -> Iterator[Raw]:
    """The raw item of a feed item; one without a usable link is reported."""
    inner = (*bases, *base_of(item))
    link = next(
        (child for child in item.children if child.name == "link" and (child.text.strip() or child.overlong)), None
    )
    if link is not None and not link.overlong:
        page, inner = link.text, (*inner, *base_of(link))
    else:
        page = "" if link is not None else _identifier(item)
    if page:
        yield Raw(loc=page, lastmod=dates(item, DATES), bases=inner, number=number)
    elif link is not None:
        report(Code.URL_TOO_LONG, "a link longer than max_token is left out", f"item {number}")
    else:
        report(Code.MISSING_LOC, "an item without a link", f"item {number}")


def _identifier(item: Element) -> str:
    """The item's identifier, if it is the page's URL too."""
    for child in item.children:
        permanent = child.attributes.get("isPermaLink", "true").strip().lower() != "false"
        if child.name == "guid" and permanent and is_http(child.text):
            return child.text
    about = item.attributes.get(f"{RDF}}}about", "")
    return about if is_http(about) else ""


def is_http(text: str) -> bool:
    """Whether a text is an absolute URL that can be fetched."""
    return text.strip().lower().startswith(("http://", "https://"))


def base_of(element: Element) -> tuple[str, ...]:
    """The element's ``xml:base``, if it has one."""
    base = element.attributes.get(XML_BASE)
    return (base,) if base else ()


def dates(item: Element, names: tuple[str, ...]) -> list[str]:
    """The texts of the date fields of an item, the better ones last."""
    found = [child for child in item.children if child.name in names]
    return [child.text for child in sorted(found, key=lambda child: names.index(child.name))]


ITEM = Grammar(
    fields={"link": "link", "guid": "guid", "pubdate": "pubDate"},
    compose=compose,
    essential=frozenset({"link", "guid"}),
    foreign={(DUBLIN_CORE, "date"): "date"},
)

NAMESPACES = frozenset(
    {
        "http://channel.netscape.com/rdf/simple/0.9/",
        "http://purl.org/rss/2.0/",
        "http://backend.userland.com/rss",
        "http://backend.userland.com/rss2",
        "http://blogs.law.harvard.edu/tech/rss",
    }
)
SPECIFIED = frozenset({"", RDF, "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"})

RSS = Vocabulary(
    items={"item": ITEM},
    roots={"rss": "rss", "rdf": "RDF"},
    containers=frozenset({"rss", "rdf", "channel"}),
    specified=SPECIFIED,
    namespaces=NAMESPACES,
    shapes={
        "rss": PlainFeed(
            "item",
            around=("channel",),
            link_is_text=True,
            dates=(f"{DUBLIN_CORE}}}date", "pubDate"),
            odd=frozenset({"item"}),
            nests=False,
            home=SPECIFIED | NAMESPACES,
        )
    },
)
