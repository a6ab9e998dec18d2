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
from ..urls import CLEAN

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
_GAP = r"(?:[ \t\r\n]++|<!--(?:[^\x00-\x08\x0b\x0c\x0e-\x1f-]|-(?!-))*+-->)*+"
_ATTRIBUTE = r"""(?: (?!xml)[A-Za-z]++="[^<&\"\x00-\x1f]*+")?+"""
_BARE_URL = CLEAN.pattern.replace(r"\[\]", "")
"""In CDATA; of brackets, the end of that is made."""
_REST = r"([\x00-\xff]++)"
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
        """The strictest pattern that is worth trying: it is the fastest, too."""
        self._end = f"</{shape.item}>".encode()
        self._loose = self._rest = self._rests = 0

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
        for level in range(self._level, len(self._patterns)):
            if level > self._level:  # behind an odd item or two, a stricter one may go on
                second = self.end_of_item(buffer, self.end_of_item(buffer, at))
                text = text[: second - at] if second else text
            *rows, last = self._patterns[level].findall(text)
            rest = len(last[-1])
            if not rest:
                rows.append(last)
            if rows:
                self._learn(level, len(rows))
                return Found(self._table(rows, number, loose=level > 0), len(text) - rest, 0)
        self._tire()
        return Found(None, 0, self.end_of_item(buffer, at) - at)

    def _learn(self, level: int, plain: int) -> None:
        """So many items in a row were plain at a level: begin there, if it takes what stricter ones do not."""
        if level or plain >= WORTH_IT:
            self._rests = 0
            self._loose = self._loose + 1 if level else 0
        if self._loose >= PATIENCE:
            self._level = level

    def _tire(self) -> None:
        """An item was odd: rest if there is hardly another kind, each time longer."""
        self._rests += 1
        self._rest = min(self._rests // PATIENCE, MOST_RESTS)

    def _table(self, rows: Sequence[tuple[str, ...]], number: int, *, loose: bool) -> Table:
        columns: list[Sequence[str]] = list(zip(*rows, strict=True))
        columns.pop()  # the rest, which has none of them
        slots = 2 * len(self._shape.fields) if loose else 0
        ahead, columns = columns[:slots], columns[slots:]
        locs = [loc.replace("&amp;", "&") if "&" in loc else loc for loc in columns.pop(0)]
        if loose:
            locs = [loc or as_it_is for loc, as_it_is in zip(locs, columns.pop(0), strict=True)]
        extensions: list[tuple[Extension, ...]] = []
        if self._extensions:
            read = self._extensions.read
            before, behind = columns.pop(0), columns.pop()
            extensions = [read(a + b) if a or b else () for a, b in zip(before, behind, strict=True)]
        fields = self._shape.fields
        columns = ahead + columns
        in_order = _in_order(fields, columns[::2], columns[1::2]) if loose else columns
        found: dict[str, Sequence[str]] = dict(zip(fields, in_order, strict=True))
        return Table(
            locs,
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


@cache
def _patterns(shape: Shape, extensions: PlainExtensions | None) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A strict one: fields in the protocol's order, and no space within their tags. And a loose one: fields in any
    order, before or behind loc, an attribute, comments between, and loc in CDATA.

    Each matches one item after the other; the rest of the text, from the first odd item on, is the last group.
    """
    more = f"({extensions.pattern})" if extensions else ""
    fields = "".join(rf"(?:<{name}>({_VALUE})</{name}>{SPACE})?+" for name in shape.fields)
    strict = rf"{SPACE}(?:<{shape.item}>{SPACE}<loc>({URL})</loc>{SPACE}{more}{fields}{more}</{shape.item}>|{_REST})"
    count = len(shape.fields)
    first = 2 * count + (3 if extensions is None else 4)
    groups = [*range(1, 2 * count, 2), *range(first, first + 2 * count, 2)]
    slots = [
        rf"(?:<{_other_than(groups[:at])}({'|'.join(shape.fields)}){_ATTRIBUTE}>{SPACE}({_VALUE}){SPACE}</\{group}>{_GAP})?+"
        for at, group in enumerate(groups)
    ]
    loc = rf"<loc{_ATTRIBUTE}>{SPACE}(?:({URL})|<!\[CDATA\[{SPACE}({_BARE_URL}){SPACE}\]\]>){SPACE}</loc>{_GAP}"
    item = f"{''.join(slots[:count])}{loc}{more}{''.join(slots[count:])}{more}"
    loose = rf"{_GAP}(?:<{shape.item}{_ATTRIBUTE}>{_GAP}{item}</{shape.item}>|{_REST})"
    return re.compile(strict), re.compile(loose)


def _other_than(groups: Sequence[int]) -> str:
    """That what follows is none of what these groups hold: a field that stands twice makes an item odd."""
    held = "|".join(rf"\{group}" for group in groups)
    return rf"(?!(?:{held})\b)" if groups else ""
