"""Plain items of sitemaps and indexes: ``<url>`` and ``<sitemap>`` as nearly all generators write them.

Tags without attributes, the fields of the protocol in any order behind loc, values of printable ASCII, white space
between them, and URLs that `urls.resolve` leaves as they are; the last pattern takes some more. So there is nothing to
decode but ``&amp;``, nothing to trim, and nothing an item could hide behind. The first pattern does not look at the
URLs: those of all items together are looked at in half the time. See `scan` for the contract.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from ..extensions import NAMESPACES
from ..markup import SPACE, URL
from ..normalize import Table
from ..urls import CLEAN, are_clean

if TYPE_CHECKING:
    from ..extensions.plain import PlainExtensions

# Every character that a repeated part may take ends it for the next: there is one way to match, and no way back.
_VALUE = "[!-%'-;=?-~]*+"
_NEVER = "(?!)"
MOST = 400
"""Fields and extensions of one item; one with more is odd."""
_GAP = r"(?:[ \t\r\n]++|<!--(?:[^\x00-\x08\x0b\x0c\x0e-\x1f-]|-(?!-))*+-->)*+"
_ATTRIBUTE = r"""(?: (?!xml)[A-Za-z]++="[^<&\"\x00-\x1f]*+")?+"""
BARE_URL = CLEAN.pattern.replace(r"\[\]", "")
"""In CDATA; of brackets, the end of that is made."""
RUN, WORD, BARE_WORD = "[^<]++", r"[^< \t\r\n]++", r"[^<\] \t\r\n]++"
"""URLs that are yet to be looked at; where there may be space around them, and in CDATA."""
_OTHER_REFERENCE = re.compile("&(?!amp;)")
REST = "((?s:.)++)"
"""What is not read: the last alternative of a pattern, and its last group. Of all ways to say so, `re` skips this."""


Compile = Callable[[], re.Pattern[str]]
"""Gives a pattern; it is compiled when it is first wanted, which takes as long as a hundred items."""


class Level(NamedTuple):
    """Patterns for items of one kind: one takes any URL, for all to be looked at together, the other only plain ones.

    Each matches one item after the other; what is left, from the first odd item on, is the last group.
    """

    any_url: Compile
    exact: Compile


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
        if not self.has_extensions or NAMESPACES.keys().isdisjoint(namespaces.values()):
            return _Form(self, None)
        from ..extensions.plain import plain_extensions

        return _Form(self, plain_extensions(namespaces))


class _Form:
    """A scan.Form."""

    def __init__(self, shape: PlainItems, extensions: PlainExtensions | None) -> None:
        self._shape = shape
        self._extensions = extensions
        any_order = partial(_in_any_order, shape, extensions)
        strict = any_order if extensions else partial(_in_order, shape)
        loose = partial(any_order, is_loose=True)
        self._levels = (
            Level(partial(strict, RUN), partial(strict, URL)),
            Level(partial(loose, WORD, BARE_WORD), partial(loose, URL, BARE_URL)),
        )

    def levels(self, text: str) -> Sequence[Level]:
        """A strict one and a loose one."""
        return self._levels

    def table(self, rows: Sequence[tuple[str, ...]], number: int, level: int) -> Table | None:
        """The items that one of them has found."""
        columns: list[Sequence[str]] = list(zip(*rows, strict=True))
        extensions: list[str] = []
        bare: Sequence[str] = ()
        if level or self._extensions:
            contents, locs, bare, marks, *columns = columns
            if self._extensions:
                extensions = [content if mark else "" for content, mark in zip(contents, marks, strict=True)]
        else:
            locs, *columns = columns
        found = dict(zip(self._shape.fields, columns, strict=False))  # the last group is the rest
        urls = clean(locs, bare if level else ())
        if urls is None:
            return None
        return Table(
            urls,
            found.get("lastmod", ()),
            found.get("changefreq", ()),
            found.get("priority", ()),
            number=number,
            is_sitemap=self._shape.item == "sitemap",
            extensions=extensions,
            read=self._extensions.read if self._extensions else None,
        )


def clean(locs: Sequence[str], bare: Sequence[str] = ()) -> Sequence[str] | None:
    """What they mean, if all are URLs that `urls.resolve` leaves as they are; `bare`: in CDATA, where loc is empty."""
    if bare:
        locs = [loc or url.replace("&", "&amp;") for loc, url in zip(locs, bare, strict=True)]
    text = "\n".join(locs)
    if "&" in text:
        if _OTHER_REFERENCE.search(text):
            return None
        locs = [loc.replace("&amp;", "&") if "&" in loc else loc for loc in locs]
        text = "\n".join(locs)
    return locs if are_clean(text, len(locs)) else None


@cache
def _in_order(shape: PlainItems, url: str) -> re.Pattern[str]:
    """Fields in the protocol's order, and no space within their tags: the groups are loc and those."""
    fields = "".join(rf"(?:<{name}>({_VALUE})</{name}>{SPACE}|)" for name in shape.fields)
    return re.compile(f"{SPACE}(?:<{shape.item}>{SPACE}<loc>({url})</loc>{SPACE}{fields}</{shape.item}>|{REST})")


@cache
def _in_any_order(
    shape: PlainItems, extensions: PlainExtensions | None, url: str, bare_url: str = "", *, is_loose: bool = False
) -> re.Pattern[str]:
    """Fields in any order, each once, with extensions between; if it `is_loose`, an attribute each, space in the tags,
    comments between, and loc in CDATA.

    The groups are the content of the item, loc as text, loc in CDATA, a mark if there are extensions, and the fields.
    """
    space, gap, attribute = (SPACE, _GAP, _ATTRIBUTE) if is_loose else ("", SPACE, "")
    bare = rf"<!\[CDATA\[{SPACE}({bare_url}){SPACE}\]\]>" if is_loose else f"{_NEVER}()"
    parts = [f"(?(2){_NEVER}|(?(3){_NEVER}|<loc{attribute}>{space}(?:({url})|{bare}){space}</loc>))"]
    parts.append(extensions.pattern if extensions else f"{_NEVER}()")
    parts += [
        f"(?({group}){_NEVER}|<{name}{attribute}>{space}({_VALUE}){space}</{name}>)"
        for group, name in enumerate(shape.fields, start=5)
    ]
    content = f"((?:(?:{'|'.join(parts)}){gap}){{0,{MOST}}}+)(?(2)|(?(3)|{_NEVER}))"
    return re.compile(f"{gap}(?:<{shape.item}{attribute}>{gap}{content}</{shape.item}>|{REST})")
