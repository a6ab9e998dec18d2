"""Plain items by the hundred: one regular expression finds what nearly all generators write.

Contract: what is accepted gives the very items that expat and the grammar give for it, and no diagnostic before its
values are looked at. Whatever is not recognised whole is refused, and read by the run of expat beside; nothing is
guessed. A shape allows tags without attributes, the fields of the protocol in any order behind loc, values of printable
ASCII, white space between them, and URLs that `urls.resolve` leaves as they are. So there is nothing to decode but
``&amp;``, nothing to trim, and nothing an item could hide behind: comments, CDATA, entities and unknown elements make
it odd, and so does a value that expat would refuse.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ..extensions import NAMESPACES
from ..extensions.plain import SPACE, URL, PlainExtensions, plain_extensions
from ..model import Extension
from ..normalize import Table

if TYPE_CHECKING:
    from .grammar import Document

WAITING = 128 * 1024
"""Bytes without the end of an item, from which on it is not waited for."""
LEAST_TOKEN = 4 * WAITING
"""Where tokens are limited to less, expat counts their bytes."""
WORTH_IT, PATIENCE, MOST_RESTS = 4, 8, 16
"""Plain items in a row for which it pays to look; how often there may be fewer; how many blocks to rest then."""

# Every character that a repeated part may take ends it for the next: there is one way to match, and no way back.
_VALUE = "[!-%'-;=?-~]*+"
START_TAG = re.compile(
    rb"""<([A-Za-z]+)(?:[ \t\r\n]+[A-Za-z:_.-]+[ \t\r\n]*=[ \t\r\n]*(?:"[^"<]*"|'[^'<]*'))*[ \t\r\n]*>"""
)
"""The start tag of a root without a prefix."""


class Shape(NamedTuple):
    """What plain items look like under one root."""

    item: str
    fields: tuple[str, ...]
    """Those beside loc, each at most once and in any order."""
    extensions: bool = False


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
        self._shape = shape
        self._namespaces = dict(namespaces)
        self._extensions = plain_extensions(namespaces, NAMESPACES) if shape.extensions else None
        self._patterns = _patterns(shape, self._extensions)
        self._level = 0
        """The pattern that the last items took; a stricter one is faster."""
        self._is_careful = False
        """There was an odd item lately."""
        self._end = f"</{shape.item}>".encode()
        self._rest = self._rests = 0

    @classmethod
    def of(cls, document: Document) -> Scanner | None:
        """A scanner for what stands in a document's root, if that may be plain."""
        shape = document.vocabulary.shapes.get(document.root_name)
        tags = {document.root_tag, *(container.name for container in document.ancestors)}
        is_default = document.root_uri == document.namespaces.get("", "")  # so that items are in it too
        is_plain = is_default and tags == {document.root_name}
        fits = shape and is_plain and document.limits.max_token >= LEAST_TOKEN
        return cls(shape, document.namespaces) if shape and fits else None

    @property
    def is_resting(self) -> bool:
        """Nearly all items are odd here: trying costs time and gains nothing."""
        return self._rest > 0

    def begin_block(self) -> None:
        """There is more input."""
        self._rest = max(self._rest - 1, 0)

    def check(self, namespaces: Mapping[str, str]) -> None:
        """Rest for good if prefixes have come to mean something else."""
        if namespaces != self._namespaces:
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
        end = buffer.rfind(self._end, at)
        if end < 0:
            return Found(None, 0, 0)
        end += len(self._end)
        if not _is_sound(buffer[at:end]):
            return Found(None, 0, self.end_of_item(buffer, at) - at)
        text = buffer[at:end].decode("latin-1")  # a character for each byte
        while not self._is_careful:
            rows = self._patterns[self._level].all.findall(text)
            if not rows[-1][-1]:
                return Found(self._table(rows, number), len(text), 0)
            self._is_careful = self._level == len(self._patterns) - 1
            self._level += not self._is_careful
        return self._until_odd(text, number)

    def _until_odd(self, text: str, number: int) -> Found:
        """The same for what may not be plain throughout."""
        pattern = self._patterns[-1]
        match = pattern.run.match(text)
        length = match.end() if match else 0
        rows = pattern.all.findall(text, 0, length) if length else []
        behind = text.find(f"</{self._shape.item}>", length)
        self._is_careful = behind >= 0
        if self._is_careful:
            self._tire(len(rows))
        odd = behind + len(self._end) - length if self._is_careful else 0
        return Found(self._table(rows, number) if rows else None, length, odd)

    def _tire(self, plain: int) -> None:
        """So many items were plain before an odd one: rest if that is too few, each time longer."""
        if plain >= WORTH_IT:
            self._rests = 0
        else:
            self._rests += 1
            self._rest = min(self._rests // PATIENCE, MOST_RESTS)

    def _table(self, rows: Sequence[tuple[str, ...]], number: int) -> Table:
        locs, *columns, _ = zip(*rows, strict=True)
        fields = self._shape.fields
        extensions: list[tuple[Extension, ...]] = []
        if self._extensions:
            read = self._extensions.read
            ahead, behind = columns.pop(0), columns.pop()
            extensions = [read(a + b) if a or b else () for a, b in zip(ahead, behind, strict=True)]
        in_order = columns if len(columns) == len(fields) else _in_order(fields, columns[::2], columns[1::2])
        found: dict[str, Sequence[str]] = dict(zip(fields, in_order, strict=True))
        return Table(
            [loc.replace("&amp;", "&") if "&" in loc else loc for loc in locs],
            found.get("lastmod", ()),
            found.get("changefreq", ()),
            found.get("priority", ()),
            number=number + 1,
            is_sitemap=self._shape.item == "sitemap",
            extensions=extensions,
        )


def _is_sound(data: bytes) -> bool:
    """Whether expat takes every character of it for one."""
    if data.isascii():
        return True
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return False
    return "\ufffe" not in text and "\uffff" not in text


def _in_order(
    fields: Sequence[str], names: Sequence[Sequence[str]], texts: Sequence[Sequence[str]]
) -> list[Sequence[str]]:
    """A column for each field, of slots that each hold the name of a field and its text, or nothing."""
    held = [set(slot) - {""} for slot in names]
    if all(len(slot) <= 1 for slot in held) and sum(map(len, held)) == len(set().union(*held)):
        found = {name: text for slot, text in zip(held, texts, strict=True) for name in slot}
        nothing = [""] * len(texts[0])
        return [found.get(field, nothing) for field in fields]
    rows = [
        dict(zip(*row, strict=True)) for row in zip(zip(*names, strict=True), zip(*texts, strict=True), strict=True)
    ]
    return [[row.get(field, "") for row in rows] for field in fields]


class Pattern(NamedTuple):
    """How plain items are found."""

    all: re.Pattern[str]
    """Matches each with its loc and slots; the rest of the text, from the first odd item on, is the last group."""
    run: re.Pattern[str]
    """Matches all up to the first odd one."""


@cache
def _patterns(shape: Shape, extensions: PlainExtensions | None) -> tuple[Pattern, ...]:
    """The strictest first: fields in the protocol's order and no space within their tags; then those in any order."""
    strict = "".join(rf"(?:<{name}>({_VALUE})</{name}>{SPACE})?+" for name in shape.fields)
    slots, others, first = "", " ", 2 if extensions is None else 3
    for group in range(first, first + 2 * len(shape.fields), 2):
        name = rf"(?!(?:{others})>)({'|'.join(shape.fields)})"
        slots += rf"(?:<{name}>{SPACE}({_VALUE}){SPACE}</\{group}>{SPACE})?+"
        others += rf"|\{group}"
    more = f"({extensions.pattern})" if extensions else ""
    return tuple(
        _pattern(rf"<{shape.item}>{SPACE}<loc>{loc}</loc>{SPACE}{more}{fields}{more}</{shape.item}>")
        for loc, fields in ((f"({URL})", strict), (rf"{SPACE}({URL}){SPACE}", slots))
    )


def _pattern(item: str) -> Pattern:
    return Pattern(re.compile(rf"{SPACE}(?:{item}|([\x00-\xff]++))"), re.compile(rf"(?:{SPACE}{item})++"))
