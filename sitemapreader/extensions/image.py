"""Pictures on a page: Google's image sitemap extension, version 1.1.

https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps
"""

from __future__ import annotations

from ..records import Image
from .element import Context, Element
from .fields import Table, read_fields, text, url

TABLE: Table = {
    "loc": text,
    "title": text,
    "caption": text,
    "geo_location": text,
    "license": url,
}


def read(element: Element, context: Context) -> Image | None:
    """``image:image``, or an ``image:loc`` that stands directly in the entry."""
    name = element.name.lower()
    if name not in ("image", "loc"):
        return None
    children = [element] if name == "loc" else element.children
    found = read_fields(children, element.uri, "image", context, TABLE)
    written = found.pop("loc", "")
    loc = context.url(written) if written else None
    if loc is None:
        context.invalid(f"image:loc: {written[:100]!r}")
        return None
    return Image(loc, **found)
