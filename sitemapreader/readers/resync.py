"""Finding the way behind a fault, at the level of bytes: where the next item is, and what names mean there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .grammar import Vocabulary

RESERVED = {b"xml", b"xmlns", b"http://www.w3.org/XML/1998/namespace", b"http://www.w3.org/2000/xmlns/"}
UNFIT_URI = re.compile(rb"[\x00-\x1f}]|\xef\xbf[\xbe\xbf]|\xed[\xa0-\xbf]")
"""What expat takes in no namespace name, its own separator included."""
LONGEST_TAG_NAME = 128
"""Bytes that may be the beginning of a tag whose end is not there yet."""
PREFIXES = re.compile(rb"<([A-Za-z_][\w.-]*):|\s([A-Za-z_][\w.-]*):[\w.-]+\s*=")
DECLARATIONS = re.compile(rb"""\sxmlns(?::([A-Za-z_][\w.-]*))?\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
CLOSERS = {"comment": b"-->", "cdata": b"]]>"}


class Boundary(NamedTuple):
    """A place from which a document can be taken up again."""

    kind: str
    """``item``, ``root`` or ``end`` of a root."""
    start: int
    end: int


class Boundaries:
    """Finds the start tags of a vocabulary's items and roots, and the end tags of roots."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        items = "|".join(sorted(vocabulary.items))
        roots = "|".join(sorted(vocabulary.roots))
        prefix = r"(?:[\w.-]{1,40}:)?"
        self._pattern = re.compile(
            rf"(?P<comment><!--)|(?P<cdata><!\[CDATA\[)|(?P<item><{prefix}(?:{items})(?=[\s/>]))"
            rf"|(?P<root><{prefix}(?:{roots})(?=[\s/>])[^<>]*>)|(?P<end></{prefix}(?:{roots})\s*>)".encode(),
            re.I,
        )
        self.endless: set[str] = set()
        """Kinds of openers that nothing closes in the rest of the input."""

    def next(self, buffer: bytes, at: int, *, patience: int) -> Boundary | None:
        """The next boundary outside of comments and CDATA; None if there is none yet.

        A comment without end is text once there are more than `patience` bytes of it, or at the end of the input.
        """
        endless = self.endless if not patience else set()
        while match := self._pattern.search(buffer, at):
            kind = match.lastgroup or ""
            if kind not in CLOSERS:
                return Boundary(kind, match.start(), match.end())
            closer = -1 if kind in endless else buffer.find(CLOSERS[kind], match.end())
            if closer < 0 and len(buffer) - match.start() <= patience:
                return None
            if closer < 0:
                endless.add(kind)  # looked for once: it is nowhere behind this place
            at = closer + 3 if closer >= 0 else match.end()
        return None

    def opening_tag(self, buffer: bytes, stopped: int) -> int | None:
        """Where an item's start tag begins that has a fault at `stopped`."""
        end = stopped + 1
        # expat stops at a tag's start, within it, or at the next one where its own end is missing.
        for _ in range(2):
            end = buffer.rfind(b"<", 0, max(end, 0))
            match = self._pattern.match(buffer, end) if end >= 0 else None
            if match and match.lastgroup == "item":
                return end
        return None


def declarations(markup: bytes) -> Iterator[tuple[str, str]]:
    """The namespace declarations in a piece of markup that expat did not read, by prefix."""
    for prefix, double, single in DECLARATIONS.findall(markup):
        uri = double or single
        if prefix not in RESERVED and uri not in RESERVED and not UNFIT_URI.search(uri) and (uri or not prefix):
            yield prefix.decode(), uri.decode("utf-8", "replace")


def prefixes(markup: bytes) -> set[str]:
    """The prefixes that a piece of markup uses."""
    return {(element or attribute).decode() for element, attribute in PREFIXES.findall(markup)} - {"xmlns", "xml"}
