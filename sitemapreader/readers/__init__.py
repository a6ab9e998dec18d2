"""Formats: one file for each, and the table that finds the reader for what `detect` saw.

A reader has `feed(block)` and `close(cut=...)`, which return what the input completes, raw items and findings in the
order of the document; it raises Stop where a limit ends the document.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ..limits import Limits
from ..model import Format
from ..normalize import Piece
from .atom import ATOM
from .detect import Detected
from .grammar import Vocabulary
from .robots import RobotsReader
from .rss import RSS
from .sitemapindex import SITEMAPS
from .text import TextReader
from .xml import XmlReader

__all__ = ["FORMATS", "Reader"]


class Reader(Protocol):
    """What reads one document."""

    def feed(self, block: bytes) -> Sequence[Piece]:
        """Raw items that `block` completes."""

    def close(self, *, cut: bool = False) -> Sequence[Piece]:
        """Raw items that the end of the input completes; `cut`: it is known to be early."""


def _xml(vocabulary: Vocabulary) -> Callable[[Detected, Limits], Reader]:
    return lambda detected, limits: XmlReader(
        vocabulary, limits, preamble=detected.preamble, wrapped=detected.wrapped, line=detected.line
    )


FORMATS: dict[Format, Callable[[Detected, Limits], Reader]] = {
    Format.URLSET: _xml(SITEMAPS),
    Format.SITEMAPINDEX: _xml(SITEMAPS),
    Format.RSS: _xml(RSS),
    Format.ATOM: _xml(ATOM),
    Format.TEXT: lambda detected, limits: TextReader(limits),
    Format.ROBOTS: lambda detected, limits: RobotsReader(limits, markup=detected.markup),
}
"""How a document of each format is read, from the place on where `detect` says it begins."""
