"""Data for Google's custom search: known, and of no interest to crawlers."""

from __future__ import annotations

from .element import Context, Element


def read(element: Element, context: Context) -> None:
    """Nothing is kept, and nothing is wrong."""
