"""Plain items of sitemaps and indexes: ``<url>`` and ``<sitemap>`` as nearly all generators write them.

Tags without attributes, the fields of the protocol in any order behind loc, values of printable ASCII, white space
between them, and URLs that `urls.resolve` leaves as they are; a second pattern takes some more. So there is nothing to
decode but ``&amp;``, nothing to trim, and nothing an item could hide behind. See `scan` for the contract.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from operator import add
from typing import NamedTuple

from ..extensions import NAMESPACES
from ..extensions.plain import SPACE, URL, PlainExtensions, plain_extensions
from ..normalize import Table
from ..urls import CLEAN

# Every character that a repeated part may take ends it for the next: there is one way to match, and no way back.
_VALUE = "[!-%'-;=?-~]*+"
_GAP = r"(?:[ \t\r\n]++|<!--(?:[^\x00-\x08\x0b\x0c\x0e-\x1f-]|-(?!-))*+-->)*+"
_ATTRIBUTE = r"""(?: (?!xml)[A-Za-z]++="[^<&\"\x00-\x1f]*+")?+"""
BARE_URL = CLEAN.pattern.replace(r"\[\]", "")
"""In CDATA; of brackets, the end of that is made."""
REST = "((?s:.)++)"
"""What is not read: the last alternative of a pattern, and its last group. Of all ways to say so, `re` skips this."""


class PlainItems(NamedTuple):
    """The shape of plain items under one root."""

    item: str
    fields: tuple[str, ...]
    """Those beside loc, each at most once and in any order."""
    has_extensions: bool = False

    @property
    def around(self) -> tuple[str, ...]:
        """None but the root, which is the vocabulary's."""
        return ()

    def form(self, namespaces: Mapping[str, str]) -> _Form:
        """How those look in a document with these prefixes."""
        return _Form(self, plain_extensions(namespaces, NAMESPACES) if self.has_extensions else None)


class _Form:
    """A scan.Form."""

    def __init__(self, shape: PlainItems, extensions: PlainExtensions | None) -> None:
        self._shape = shape
        self._extensions = extensions
        self._patterns = _patterns(shape, extensions)

    def patterns(self, data: bytes, text: str) -> Sequence[re.Pattern[str]]:
        """The strict one and the loose one."""
        return self._patterns

    def table(self, rows: Sequence[tuple[str, ...]], number: int, level: int) -> Table:
        """The items that one of them has found."""
        columns: list[Sequence[str]] = list(zip(*rows, strict=True))
        columns.pop()  # the rest, which has none of them
        slots = 2 * len(self._shape.fields) if level else 0
        ahead, columns = columns[:slots], columns[slots:]
        locs = [loc.replace("&amp;", "&") if "&" in loc else loc for loc in columns.pop(0)]
        if level:
            locs = [loc or as_it_is for loc, as_it_is in zip(locs, columns.pop(0), strict=True)]
        extensions: list[str] = []
        if self._extensions:
            before, behind = columns.pop(0), columns.pop()
            extensions = list(map(add, before, behind))
        fields = self._shape.fields
        columns = ahead + columns
        in_order = _in_order(fields, columns[::2], columns[1::2]) if level else columns
        found: dict[str, Sequence[str]] = dict(zip(fields, in_order, strict=True))
        return Table(
            locs,
            found.get("lastmod", ()),
            found.get("changefreq", ()),
            found.get("priority", ()),
            number=number,
            is_sitemap=self._shape.item == "sitemap",
            extensions=extensions,
            read=self._extensions.read if self._extensions else None,
        )


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
def _patterns(shape: PlainItems, extensions: PlainExtensions | None) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A strict one: fields in the protocol's order, and no space within their tags. And a loose one: fields in any
    order, before or behind loc, an attribute, comments between, and loc in CDATA.

    Each matches one item after the other; the rest of the text, from the first odd item on, is the last group.
    """
    more = f"({extensions.pattern})" if extensions else ""
    fields = "".join(rf"(?:<{name}>({_VALUE})</{name}>{SPACE})?+" for name in shape.fields)
    strict = rf"{SPACE}(?:<{shape.item}>{SPACE}<loc>({URL})</loc>{SPACE}{more}{fields}{more}</{shape.item}>|{REST})"
    count = len(shape.fields)
    first = 2 * count + (3 if extensions is None else 4)
    groups = [*range(1, 2 * count, 2), *range(first, first + 2 * count, 2)]
    slots = [
        rf"(?:<{_other_than(groups[:at])}({'|'.join(shape.fields)}){_ATTRIBUTE}>{SPACE}({_VALUE}){SPACE}</\{group}>{_GAP})?+"
        for at, group in enumerate(groups)
    ]
    loc = rf"<loc{_ATTRIBUTE}>{SPACE}(?:({URL})|<!\[CDATA\[{SPACE}({BARE_URL}){SPACE}\]\]>){SPACE}</loc>{_GAP}"
    item = f"{''.join(slots[:count])}{loc}{more}{''.join(slots[count:])}{more}"
    loose = rf"{_GAP}(?:<{shape.item}{_ATTRIBUTE}>{_GAP}{item}</{shape.item}>|{REST})"
    return re.compile(strict), re.compile(loose)


def _other_than(groups: Sequence[int]) -> str:
    """That what follows is none of what these groups hold: a field that stands twice makes an item odd."""
    held = "|".join(rf"\{group}" for group in groups)
    return rf"(?!(?:{held})\b)" if groups else ""
