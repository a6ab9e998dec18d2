"""The page in other languages and for other devices: ``xhtml:link rel="alternate"``.

https://developers.google.com/search/docs/specialty/international/localized-versions
"""

from __future__ import annotations

from ..records import Alternate
from .element import Context, Element
from .fields import collapsed

NAMED = frozenset(("rel", "hreflang", "href", "media", "type"))
"""The attributes that are fields of their own, in any case."""


def read(element: Element, context: Context) -> Alternate | None:
    """A link to an alternate; without ``rel`` it is taken for one, since a sitemap has no use for other links."""
    if element.name.lower() != "link":
        return None
    given = {key.lower(): collapsed(value) for key, value in element.attributes.items()}
    if "alternate" not in (given.get("rel") or "alternate").lower().split():
        return None
    written = given.get("href", "")
    href = context.url(written) if written else None
    if href is None:
        context.invalid(f"xhtml:link href: {written[:100]!r}")
        return None
    others = tuple((key, value) for key, value in element.attributes.items() if key.lower() not in NAMED)
    return Alternate(given.get("hreflang") or None, href, given.get("media") or None, given.get("type") or None, others)
