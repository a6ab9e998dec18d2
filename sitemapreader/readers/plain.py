"""Plain items of sitemaps and indexes: ``<url>`` and ``<sitemap>`` as nearly all generators write them.

Tags without attributes, the fields of the protocol in any order behind loc, values of printable ASCII, white space
between them, and URLs that `urls.resolve` leaves as they are; a second pattern takes some more. So there is nothing to
decode but ``&amp;``, nothing to trim, and nothing an item could hide behind. See `scan` for the contract.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

from ..extensions import NAMESPACES
from ..extensions.plain import SPACE, URL, PlainExtensions, plain_extensions
from ..normalize import Table
from ..urls import CLEAN

# Every character that a repeated part may take ends it for the next: there is one way to match, and no way back.
_VALUE = "[!-%'-;=?-~]*+"
_NEVER = "(?!)"
MOST = 400
"""Fields and extensions of one item; one with more is odd."""
_GAP = r"(?:[ \t\r\n]++|<!--(?:[^\x00-\x08\x0b\x0c\x0e-\x1f-]|-(?!-))*+-->)*+"
_ATTRIBUTE = r"""(?: (?!xml)[A-Za-z]++="[^<&\"\x00-\x1f]*+")?+"""
BARE_URL = CLEAN.pattern.replace(r"\[\]", "")
"""In CDATA; of brackets, the end of that is made."""
REST = "((?s:.)++)"
"""What is not read: the last alternative of a pattern, and its last group. Of all ways to say so, `re` skips this."""


Compile = Callable[[], re.Pattern[str]]
"""Gives a pattern; it is compiled when it is first wanted, which takes as long as a hundred items."""


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
        strict = partial(_in_any_order, shape, extensions, False) if extensions else partial(_in_order, shape)
        self._patterns = strict, partial(_in_any_order, shape, extensions, True)

    def patterns(self, data: bytes, text: str) -> Sequence[Compile]:
        """A strict one and a loose one."""
        return self._patterns

    def table(self, rows: Sequence[tuple[str, ...]], number: int, level: int) -> Table:
        """The items that one of them has found."""
        columns: list[Sequence[str]] = list(zip(*rows, strict=True))
        extensions: list[str] = []
        if level or self._extensions:
            contents, locs, bare, marks, *columns = columns
            locs = [loc or as_it_is for loc, as_it_is in zip(locs, bare, strict=True)] if level else locs
            if self._extensions:
                extensions = [content if mark else "" for content, mark in zip(contents, marks, strict=True)]
        else:
            locs, *columns = columns
        found = dict(zip(self._shape.fields, columns, strict=False))  # the last group is the rest
        return Table(
            [loc.replace("&amp;", "&") if "&" in loc else loc for loc in locs],
            found.get("lastmod", ()),
            found.get("changefreq", ()),
            found.get("priority", ()),
            number=number,
            is_sitemap=self._shape.item == "sitemap",
            extensions=extensions,
            read=self._extensions.read if self._extensions else None,
        )


@cache
def _in_order(shape: PlainItems) -> re.Pattern[str]:
    """Fields in the protocol's order, and no space within their tags: the groups are loc and those."""
    fields = "".join(rf"(?:<{name}>({_VALUE})</{name}>{SPACE})?+" for name in shape.fields)
    return re.compile(f"{SPACE}(?:<{shape.item}>{SPACE}<loc>({URL})</loc>{SPACE}{fields}</{shape.item}>|{REST})")


@cache
def _in_any_order(shape: PlainItems, extensions: PlainExtensions | None, is_loose: bool) -> re.Pattern[str]:
    """Fields in any order, each once, with extensions between; if it `is_loose`, an attribute each, space in the tags,
    comments between, and loc in CDATA.

    The groups are the content of the item, loc as text, loc in CDATA, a mark if there are extensions, and the fields.
    """
    space, gap, attribute = (SPACE, _GAP, _ATTRIBUTE) if is_loose else ("", SPACE, "")
    bare = rf"<!\[CDATA\[{SPACE}({BARE_URL}){SPACE}\]\]>" if is_loose else f"{_NEVER}()"
    parts = [f"(?(2){_NEVER}|(?(3){_NEVER}|<loc{attribute}>{space}(?:({URL})|{bare}){space}</loc>))"]
    parts.append(extensions.pattern if extensions else f"{_NEVER}()")
    parts += [
        f"(?({group}){_NEVER}|<{name}{attribute}>{space}({_VALUE}){space}</{name}>)"
        for group, name in enumerate(shape.fields, start=5)
    ]
    content = f"((?:(?:{'|'.join(parts)}){gap}){{0,{MOST}}}+)(?(2)|(?(3)|{_NEVER}))"
    return re.compile(f"{gap}(?:<{shape.item}{attribute}>{gap}{content}</{shape.item}>|{REST})")
