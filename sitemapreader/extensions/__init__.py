"""What an entry says beyond the protocol: one module for a namespace, and the table that finds it."""

from __future__ import annotations

from . import alternate, image, mobile, news, video
from .element import Context, Element, Reader

__all__ = ["NAMESPACES", "USUAL_PREFIXES", "Context", "Element", "Reader"]


def skip(element: Element, context: Context) -> None:
    """Known, and of no interest."""


_READERS: dict[str, Reader] = {
    "www.google.com/schemas/sitemap-image/1.1": image.read,
    "www.google.com/schemas/sitemap-video/1.1": video.read,
    "www.google.com/schemas/sitemap-news/0.9": news.read,
    "www.google.com/schemas/sitemap-news/0.84": news.read,
    "www.google.com/schemas/sitemap-mobile/1.0": mobile.read,
    "www.google.com/schemas/sitemap-pagemap/1.0": skip,
    "www.w3.org/1999/xhtml": alternate.read,
}

# A namespace is a name, not an address, but files spell it as if the scheme and a final slash made no difference.
NAMESPACES: dict[str, Reader] = {
    f"{scheme}://{name}{end}": read
    for name, read in _READERS.items()
    for scheme in ("http", "https")
    for end in ("", "/")
}
"""Readers by namespace URI, in every spelling that is known."""

USUAL_PREFIXES = {
    "image": "http://www.google.com/schemas/sitemap-image/1.1",
    "video": "http://www.google.com/schemas/sitemap-video/1.1",
    "news": "http://www.google.com/schemas/sitemap-news/0.9",
    "mobile": "http://www.google.com/schemas/sitemap-mobile/1.0",
    "xhtml": "http://www.w3.org/1999/xhtml",
    "pagemap": "http://www.google.com/schemas/sitemap-pagemap/1.0",
    "atom": "http://www.w3.org/2005/Atom",
    "dc": "http://purl.org/dc/elements/1.1/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
}
"""What a prefix means in a document that forgot to declare it."""
