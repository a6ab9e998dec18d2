"""Formats: one file for each, and the table that finds the reader for what `detect` saw.

A reader has `feed(block)` and `close(cut=...)`, which return the raw items that the input completes; it raises Stop
where a limit ends the document.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ..diagnostics import Reporter
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


def _xml(vocabulary: Vocabulary) -> Callable[[Detected, Reporter, Limits], Reader]:
    return lambda detected, report, limits: XmlReader(
        vocabulary, report, limits, preamble=detected.preamble, wrapped=detected.wrapped, line=detected.line
    )


FORMATS: dict[Format, Callable[[Detected, Reporter, Limits], Reader]] = {
    Format.URLSET: _xml(SITEMAPS),
    Format.SITEMAPINDEX: _xml(SITEMAPS),
    Format.RSS: _xml(RSS),
    Format.ATOM: _xml(ATOM),
    Format.TEXT: lambda detected, report, limits: TextReader(report, limits),
    Format.ROBOTS: lambda detected, report, limits: RobotsReader(report, limits, markup=detected.markup),
}
"""How a document of each format is read, from the place on where `detect` says it begins."""
