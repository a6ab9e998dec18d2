"""Pages for feature phones: Google's mobile sitemap extension, version 1.0, deprecated."""

from __future__ import annotations

from ..records import Mobile
from .element import Context, Element


def read(element: Element, context: Context) -> Mobile | None:
    """``mobile:mobile``, which holds nothing: that it is there is what it says."""
    return Mobile() if element.name.lower() == "mobile" else None
