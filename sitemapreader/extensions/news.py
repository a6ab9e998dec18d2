"""News articles: Google's news sitemap extension, versions 0.9 and 0.84, with the tags it has since given up.

https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap
"""

from __future__ import annotations

from ..records import News, Publication
from .element import Context, Element
from .fields import Table, date, listed, read_fields, record, text, word, words

MOST_TICKERS = 5
"""The protocol's limit; more are kept and reported."""


def _stock_tickers(element: Element, name: str, context: Context) -> tuple[str, ...]:
    found = listed(element, name, context)
    if len(found) > MOST_TICKERS:
        context.invalid(f"{name}: {len(found)} of at most {MOST_TICKERS}")
    return found


TABLE: Table = {
    "publication": record(Publication, {"name": text, "language": text}),
    "publication_date": date,
    "title": text,
    "genres": words("PressRelease", "Satire", "Blog", "OpEd", "Opinion", "UserGenerated"),
    "keywords": listed,
    "stock_tickers": _stock_tickers,
    "access": word("Subscription", "Registration"),
    "geo_locations": text,
}


def read(element: Element, context: Context) -> News | None:
    """``news:news``, also where fields are missing: one or two news sitemaps in a hundred lack some."""
    if element.name.lower() != "news":
        return None
    return News(**read_fields(element.children, element.uri, "news", context, TABLE))
