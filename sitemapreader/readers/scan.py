"""Plain items by the hundred: one regular expression finds what nearly all generators write.

Contract: what is accepted gives the very items that expat and the grammar give for it, and no diagnostic before its
values are looked at. Whatever is not recognised whole is refused, and read by the run of expat beside; nothing is
guessed, and what expat would refuse is refused. What plain items look like is said by the Shape that each root has:
`plain` for sitemaps, `plain_feed` for feeds.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..normalize import Table
from .plain import Level

if TYPE_CHECKING:
    from .grammar import Document

WAITING = 128 * 1024
"""Bytes without the end of an item, from which on it is not waited for."""
LEAST_TOKEN = 4 * WAITING
"""Where tokens are limited to less, expat counts their bytes."""
WORTH_IT, PATIENCE, MOST_RESTS = 4, 8, 16
"""Plain items in a row for which it pays to look; how often there may be fewer; how many blocks to rest then."""

START_TAG = re.compile(
    rb"""<([A-Za-z]+)(?:[ \t\r\n]+[A-Za-z:_.-]+[ \t\r\n]*=[ \t\r\n]*(?:"[^"<]*"|'[^'<]*'))*[ \t\r\n]*>"""
)
"""The start tag of a root without a prefix."""


class Shape(Protocol):
    """What plain items look like under one root."""

    @property
    def item(self) -> str:
        """The name of their element."""

    @property
    def around(self) -> tuple[str, ...]:
        """The elements that stand around them within the root, outermost first."""

    def form(self, namespaces: Mapping[str, str]) -> Form:
        """How they look in a document with these prefixes."""


class Form(Protocol):
    """Plain items as regular expressions know them."""

    def levels(self, text: str) -> Sequence[Level]:
        """The patterns to try on `text`, which is bytes decoded as Latin-1: the strictest and fastest first.

        None if `text` as a whole holds what they do not look at.
        """

    def table(self, rows: Sequence[tuple[str, ...]], number: int, level: int) -> Table | None:
        """The items in the groups that a pattern of `level` has found; `number` is the first one's.

        None if a URL among them is not plain, which an exact pattern would not have taken.
        """


class Found(NamedTuple):
    """What the scanner made of the bytes it was shown."""

    table: Table | None
    """The plain items they begin with."""
    length: int
    """Bytes of those."""
    odd: int
    """Bytes behind them, up to the end of an item, that are for expat; 0: that end is not there yet."""


class Scanner:
    """Reads the plain items of one document."""

    def __init__(self, shape: Shape, namespaces: Mapping[str, str]) -> None:
        self.inside = len(shape.around)
        """How many elements deep in the root the items stand."""
        self._namespaces = dict(namespaces)
        self._form = shape.form(namespaces)
        self._level = 0
        """The strictest pattern that is worth trying: it is the fastest, too."""
        self._end = f"</{shape.item}>".encode()
        self._loose = self._rest = self._rests = self._doubts = 0
        self._buffer: bytes | None = None
        self._begin, self._text = 0, ""
        """What it reads in, and from where on, and the text of that; the levels are for it."""
        self._levels: Sequence[Level] = ()
        self._is_exact = False
        """There is a URL in it that is not plain."""

    @classmethod
    def of(cls, document: Document) -> Scanner | None:
        """A scanner for what stands in a document's root, if that may be plain."""
        shape = document.vocabulary.shapes.get(document.root_name)
        if shape is None or document.limits.max_token < LEAST_TOKEN:
            return None
        is_default = document.root_uri == document.namespaces.get("", "")  # so that items are in it too
        around = [container.name for container in document.ancestors]
        is_plain = (
            is_default and document.root_tag == document.root_name and around == [document.root_tag, *shape.around]
        )
        return cls(shape, document.namespaces) if is_plain else None

    @property
    def is_resting(self) -> bool:
        """Nearly all items are odd here: trying costs time and gains nothing."""
        return self._rest > 0

    def begin_block(self) -> None:
        """There is more input."""
        self._rest = max(self._rest - 1, 0)
        self._buffer, self._text = None, ""

    def check(self, document: Document) -> None:
        """Rest for good if prefixes have come to mean something else, or relative URLs."""
        if document.namespaces != self._namespaces or any(container.base for container in document.ancestors):
            self._rest = sys.maxsize

    def end_of_item(self, buffer: bytes, at: int) -> int:
        """Position behind the next end tag of an item, 0 if there is none."""
        found = buffer.find(self._end, at)
        return found + len(self._end) if found >= 0 else 0

    def last_end(self, buffer: bytes, at: int) -> int:
        """The same for the last one."""
        found = buffer.rfind(self._end, at)
        return found + len(self._end) if found >= 0 else 0

    def scan(self, buffer: bytes, at: int, number: int) -> Found:
        """Read on from `at`, between two items, behind the item with this `number`."""
        if buffer is not self._buffer or at >= self._begin + len(self._text):
            end = self.last_end(buffer, at)
            if not end:
                return Found(None, 0, 0)
            self._look(buffer, at, end)
        first = 0
        begin, end = at - self._begin, len(self._text)
        for level in range(self._level, len(self._levels)):
            if level > self._level:  # behind an odd item or two, a stricter one may go on
                first = self.end_of_item(buffer, at)
                second = self.end_of_item(buffer, first)
                end = min(end, second - self._begin) if second else end
            *rows, last = self._levels[level][self._is_exact]().findall(self._text, begin, end)
            rest = len(last[-1])
            if not rest:
                rows.append(last)
            if rows:
                table = self._form.table(rows, number + 1, level)
                if table is None:
                    self._is_exact = True
                    self._doubts += 1
                    return self.scan(buffer, at, number)
                self._learn(level, len(rows))
                return Found(table, end - begin - rest, 0)
        self._tire()
        return Found(None, 0, (first or self.end_of_item(buffer, at)) - at)

    def _look(self, buffer: bytes, begin: int, end: int) -> None:
        """Take as many of the items that end up to `end` as hold nothing that nobody can be sure of."""
        first = self.end_of_item(buffer, begin)
        while True:
            text = str(memoryview(buffer)[begin:end], "latin-1")  # a character for each byte
            levels = self._form.levels(text) if _is_sound(text) else ()
            if levels or end == first:
                break
            half = buffer.rfind(self._end, first, (first + end) // 2)
            end = half + len(self._end) if half >= 0 else first
        self._buffer, self._begin, self._text, self._levels = buffer, begin, text, levels
        self._is_exact = self._doubts >= PATIENCE

    def _learn(self, level: int, plain: int) -> None:
        """So many items in a row were plain at a level: begin there, if it takes what stricter ones do not."""
        if not self._is_exact:
            self._doubts = 0
        if level or plain >= WORTH_IT:
            self._rests = 0
            self._loose = self._loose + 1 if level else 0
        if self._loose >= PATIENCE:
            self._level = level

    def _tire(self) -> None:
        """An item was odd: rest if there is hardly another kind, each time longer."""
        self._rests += 1
        self._rest = min(self._rests // PATIENCE, MOST_RESTS)


def _is_sound(text: str) -> bool:
    """Whether expat takes every character of its bytes for one."""
    if text.isascii():
        return True
    try:
        decoded = text.encode("latin-1").decode()
    except UnicodeDecodeError:
        return False
    return "\ufffe" not in decoded and "\uffff" not in decoded
