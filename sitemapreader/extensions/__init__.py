"""What an entry says beyond the protocol: one module for a kind of extension, and the table that finds it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from .element import Context, Element, Reader

__all__ = ["NAMESPACES", "USUAL_PREFIXES", "Context", "Element", "Reader", "reader"]

_KINDS = {
    "www.google.com/schemas/sitemap-image/1.1": "image",
    "www.google.com/schemas/sitemap-video/1.1": "video",
    "www.google.com/schemas/sitemap-news/0.9": "news",
    "www.google.com/schemas/sitemap-news/0.84": "news",
    "www.google.com/schemas/sitemap-mobile/1.0": "mobile",
    "www.google.com/schemas/sitemap-pagemap/1.0": "pagemap",
    "www.w3.org/1999/xhtml": "alternate",
}

# A namespace is a name, not an address, but files spell it as if the scheme and a final slash made no difference.
NAMESPACES = {
    f"{scheme}://{name}{end}": kind
    for name, kind in _KINDS.items()
    for scheme in ("http", "https")
    for end in ("", "/")
}
"""Kinds of extensions by namespace URI, in every spelling that is known."""

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


@cache
def reader(kind: str) -> Reader:
    """The `read` of the module of that name, which is imported when a document has the first: most have none."""
    return cast(Reader, import_module(f".{kind}", __name__).read)
