"""Finding the way behind a fault, at the level of bytes: where reading can go on, and what names mean there.

Contract: a search never goes back, and no byte is searched twice for the end of a comment or CDATA section that has
none, so that a document costs a time that is linear in its size, however it is damaged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from ..extensions import USUAL_PREFIXES
from .grammar import Document, Vocabulary

PREFIXES = re.compile(rb"<([A-Za-z_][\w.-]{,99}):|\s([A-Za-z_][\w.-]{,99}):[\w.-]+\s*=")
RESERVED = {b"xml", b"xmlns", b"http://www.w3.org/XML/1998/namespace", b"http://www.w3.org/2000/xmlns/"}
UNFIT_URI = re.compile(rb"[\x00-\x1f}]|\xef\xbf[\xbe\xbf]|\xed[\xa0-\xbf]")
"""What expat takes in no namespace name, its own separator included."""
DECLARATIONS = re.compile(rb"""\sxmlns(?::([A-Za-z_][\w.-]*))?\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
CLOSERS = {"comment": b"-->", "cdata": b"]]>"}
LONGEST_TAG = 4 * 1024
_WRITTEN = {ord(character): f"&#{ord(character)};" for character in '&<>"\t\n\r'}
MOST_SECTIONS = 100


class Boundary(NamedTuple):
    """A place where a search for markup stopped."""

    kind: str
    """``item``, ``root`` or ``end`` of a root; ``more`` if the input so far does not tell."""
    start: int
    end: int
    """Where the next search begins."""


class Boundaries:
    """Finds the boundaries of one document; positions are those in the document."""

    def __init__(self, vocabulary: Vocabulary, *, patience: int) -> None:
        self._vocabulary = vocabulary
        self._patience = patience
        """Bytes within which a comment or CDATA section has to end; one that does not is text."""
        self._bare = dict.fromkeys(CLOSERS, (0, 0))
        """A stretch of the document without an end of each kind of section."""

    # Both cost a millisecond, and only a document that has a fault needs them.
    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        return pattern(self._vocabulary)

    @cached_property
    def _root(self) -> re.Pattern[bytes]:
        return root_pattern(self._vocabulary)

    def next(self, buffer: bytes, offset: int, begin: int, *, final: bool) -> Boundary:
        """The first at or behind `begin`, in a buffer that holds the document from `offset` on."""
        at = begin - offset
        while match := self._pattern.search(buffer, at):
            kind = match.lastgroup or ""
            if kind not in CLOSERS:
                return Boundary(kind, offset + match.start(), offset + match.end())
            closed = self._behind_section(kind, buffer, offset, match.end())
            if closed is None and not final and len(buffer) - match.start() <= self._patience:
                return Boundary("more", 0, offset + match.start())
            at = match.end() if closed is None else closed
        tag = buffer.rfind(b"<", max(at, len(buffer) - LONGEST_TAG))
        unfinished = tag >= 0 and b">" not in buffer[tag:]
        return Boundary("more", 0, offset + (tag if unfinished else len(buffer)))

    def item_tag(self, buffer: bytes, end: int, begin: int) -> int | None:
        """Where the last tag starts that begins at `end` or before it, if it is an item's, and not before `begin`."""
        for before in (end + 1, end):
            at = buffer.rfind(b"<", max(0, before - LONGEST_TAG), max(before, 0))
            match = self._pattern.match(buffer, at) if at >= 0 else None
            if match and match.lastgroup == "item" and at >= begin:
                return at
        return None

    def root_tag(self, buffer: bytes, begin: int, end: int) -> re.Match[bytes] | None:
        """The last start tag of a root that begins between two places in the buffer, finished or not."""
        found = None
        for match in self._root.finditer(buffer, max(begin, 0)):
            if match.start() > end:
                break
            found = match
        return found

    def _behind_section(self, kind: str, buffer: bytes, offset: int, begin: int) -> int | None:
        """Where the section that has begun before `begin` ends; None if the buffer does not have its end."""
        bare_from, bare_to = self._bare[kind]
        closer = CLOSERS[kind]
        known = bare_from <= offset + begin < bare_to
        end = buffer.find(closer, max(begin, bare_to - offset - len(closer) + 1) if known else begin)
        if end < 0:
            self._bare[kind] = (bare_from if known else offset + begin, offset + len(buffer))
            return None
        return end + len(closer)


def section_around(buffer: bytes, begin: int, at: int) -> int | None:
    """Where the comment begins that `at` stands in, if it is one that begins behind `begin`."""
    start = buffer.rfind(b"<!--", max(begin, 0), max(at, 0))
    return start if start >= 0 and buffer.find(b"-->", start + 4, at) < 0 else None


def pattern(vocabulary: Vocabulary) -> re.Pattern[bytes]:
    """Finds the start tags of items and roots, the end tags of roots, and what may hide them."""
    items = "|".join(sorted(vocabulary.items))
    roots = "|".join(sorted(vocabulary.roots))
    prefix = r"(?:[\w.-]{1,40}:)?"
    return re.compile(
        rf"(?P<comment><!--)|(?P<cdata><!\[CDATA\[)|(?P<item><{prefix}(?:{items})(?=[\s/>]))"
        rf"|(?P<root><{prefix}(?:{roots})(?=[\s/>])[^<>]*>)|(?P<end></{prefix}(?:{roots})\s*>)".encode(),
        re.I,
    )


def root_pattern(vocabulary: Vocabulary) -> re.Pattern[bytes]:
    """Finds the start tag of a root as far as it goes, its qualified name and its attributes."""
    roots = "|".join(sorted(vocabulary.roots))
    return re.compile(rf"<((?:[A-Za-z_][\w.-]{{0,39}}:)?(?:{roots}))(?=[\s/><])([^<>]*)".encode(), re.I)


def declarations(markup: bytes) -> Iterator[tuple[str, str]]:
    """The namespace declarations in a piece of markup that expat did not read, by prefix."""
    for prefix, double, single in DECLARATIONS.findall(markup):
        uri = double or single
        if prefix not in RESERVED and uri not in RESERVED and not UNFIT_URI.search(uri) and (uri or not prefix):
            yield prefix.decode(), uri.decode("utf-8", "replace")


def prefixes(markup: bytes) -> set[str]:
    """The prefixes that a piece of markup uses."""
    return {(element or attribute).decode() for element, attribute in PREFIXES.findall(markup)} - {"xmlns", "xml"}


def bind(document: Document, markup: bytes) -> bool:
    """Give the prefixes that a piece of markup uses undeclared a meaning; False if that changes nothing."""
    unknown = sorted(prefixes(markup) - document.namespaces.keys())
    return document.declare((prefix, usual_meaning(prefix)) for prefix in unknown)


def usual_meaning(prefix: str) -> str:
    """The namespace of a prefix that nothing declares."""
    return USUAL_PREFIXES.get(prefix, f"urn:undeclared:{prefix}")


def start_tags(document: Document, *, around: bytes | None = None) -> bytes:
    """Start tags under which what is read behind a fault means what it means in its place.

    With `around`, those for no more than that piece of markup: one element with the declarations it needs.
    """
    open_here = document.ancestors if around is None else []
    needed = {name.partition(":")[0] for name, _ in open_here if ":" in name}
    needed |= {"", *document.namespaces} if around is None else {"", *prefixes(around)}
    namespaces = {
        prefix: document.namespaces.get(prefix) or usual_meaning(prefix) for prefix in needed - {"", "xml", "xmlns"}
    }
    if default := document.namespaces.get(""):
        namespaces[""] = default
    declared = "".join(f" xmlns{':' if prefix else ''}{prefix}={quoted(uri)}" for prefix, uri in namespaces.items())
    opened = "".join(f"<{name} xml:base={quoted(base)}>" if base else f"<{name}>" for name, base in open_here)
    return f"<resync{declared}>{opened}".encode()


def quoted(value: str) -> str:
    """An attribute's value as it is written, so that it is read as it is."""
    return f'"{value.translate(_WRITTEN)}"'


def is_littered(piece: bytes) -> bool:
    """Whether a damaged item opens so many sections that looking for the end of each would be quadratic."""
    return max(piece.count(b"<![CDATA["), piece.count(b"<source")) > MOST_SECTIONS
