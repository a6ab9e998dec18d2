"""Plain items of feeds: ``<item>`` and ``<entry>`` as blogs write them, most of which is text that nobody asks for.

An item is a row of elements, of which a link and the dates matter: each of those once, the link a URL that
`urls.resolve` leaves as it is. All others are skipped, but looked at as closely as expat does: tags that are closed,
one level of elements within them, attributes with different names, prefixes that are declared, characters and
references that XML has. What would change the meaning of an item makes it odd. See `scan` for the contract.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import count
from typing import NamedTuple

from ..markup import SPACE, URL
from ..normalize import Table
from .plain import BARE_URL, BARE_WORD, REST, WORD, Level, clean

_CONTROLS = bytes((*range(9), 11, 12, *range(14, 32)))
"""Which are no characters of XML."""
_NUMBERS = (
    "#0{0,5}+(?:3[2-9]|[4-9][0-9]|[1-9][0-9]{2,3})|"
    "#x0{0,5}+(?:[2-9A-Fa-f][0-9A-Fa-f]|[1-9A-Fa-f][0-9A-Fa-f]{2}|[1-9A-Ca-c][0-9A-Fa-f]{3})"
)
# Searched for by their first characters, which is many times as fast as for both.
_STRAY = re.compile(f"&(?!(?:amp|lt|gt|quot|apos|{_NUMBERS});)")
_DECLARATION = re.compile("<(?=[!?])")
_END_OF_SECTION = re.compile(r"\](?=\]>)")
_CDATA = r"<!\[CDATA\[(?:[^\]]++|\](?!\]>))*+\]\]>"
_SECTION = re.compile(_CDATA)
_BLANK, _BLANKS, _DARK = r"[ \t\r\n]", r"[ \t\r\n]++", r"[^<> \t\r\n]"
_AHEAD = f"{_DARK}*+(?:{_BLANKS}{_DARK}++)*?{_BLANKS}"
"""Up to any word further on in the same tag: from word to word, which are few, and not from character to character."""
_NAME = "[A-Za-z_][A-Za-z0-9_.-]*+"
_END_OF_NAME = r" \t\r\n/>"
_QUOTED = """(?:"[^"<>]*+"|'[^'<>]*+')"""
_SIMPLY_QUOTED = """(?:"[^"'<>]*+"|'[^"'<>]*+')"""
"""Without a quote in it: what looks like an attribute, in a tag that has only those, is one."""
MOST_ATTRIBUTES = 16
"""Of one element; one with more is odd."""
_DATE = "[0-9A-Za-z,:+][0-9A-Za-z,:+. -]*+"
_NEVER = "(?!)"


class PlainFeed(NamedTuple):
    """The shape of plain items in one kind of feed."""

    item: str
    around: tuple[str, ...]
    link_is_text: bool
    """Of ``<link>``, the text is the page, and not the attribute ``href``."""
    dates: tuple[str, str]
    """The elements that give lastmod, the better one last; one of another namespace is ``uri}name``."""
    odd: frozenset[str]
    """Further elements that the exact reader looks at, in lower case."""
    nests: bool
    """Elements that are skipped may have some within, as ``<author>`` has; that costs time to prepare for."""
    home: frozenset[str]
    """The namespaces in which names mean what they do without a prefix."""

    def form(self, namespaces: Mapping[str, str]) -> _Form:
        """How those look in a document with these prefixes."""
        return _Form(self, tuple(namespaces.items()))


class _Form:
    """A scan.Form."""

    def __init__(self, shape: PlainFeed, namespaces: tuple[tuple[str, str], ...]) -> None:
        self._shape = shape
        self._namespaces = namespaces

    def levels(self, text: str) -> Sequence[Level]:
        """One, where all characters and references are some that there are, and none where they may not be."""
        if len(text.encode("latin-1").translate(None, _CONTROLS)) != len(text):
            return ()
        has_sections = "]" in text and _END_OF_SECTION.search(text) is not None
        if _STRAY.search(text):
            outside = _SECTION.sub("", text)
            if not has_sections or _STRAY.search(outside) or _DECLARATION.search(outside):
                return ()
        pattern = partial(_pattern, self._shape, self._namespaces, has_sections)
        return (Level(partial(pattern, takes_any_url=True), pattern),)

    def table(self, rows: Sequence[tuple[str, ...]], number: int, level: int) -> Table | None:
        """The items that one of them has found."""
        worse, better, locs, in_section, *_ = zip(*rows, strict=True)
        pages = clean(locs, in_section)
        if pages is None:
            return None
        dates, spares = [date.rstrip() for date in better], [date.rstrip() for date in worse]
        for at, date in enumerate(dates):
            if not date:
                dates[at], spares[at] = spares[at], ""
        return Table(pages, dates, number=number, spares=spares)


@cache
def _pattern(
    shape: PlainFeed, namespaces: tuple[tuple[str, str], ...], has_sections: bool, *, takes_any_url: bool = False
) -> re.Pattern[str]:
    """Groups 1 and 2 have the dates, 3 and 4 the page's URL; the others names that have to be different or alike."""
    text = rf"(?:[^<\]]++|\](?!\]>)|{_CDATA})*+" if has_sections else "[^<]*+"
    names = map("n{}".format, count())
    prefixes = {re.escape(prefix): uri for prefix, uri in namespaces if re.fullmatch(_NAME, prefix)}
    strange = [prefix for prefix, uri in prefixes.items() if uri not in (*shape.home, dict(namespaces).get("", ""), "")]
    inner = rf"(?!(?i:{shape.item})[{_END_OF_NAME}])(?:(?:{'|'.join(prefixes) or _NEVER}):)?+{_NAME}"

    def once(group: int, name: str, value: str) -> str:
        """An element that may not stand there twice."""
        return f"(?({group}){_NEVER}|<{name}>{SPACE}{value}{SPACE}</{name}>)"

    def element(name: str, content: str) -> str:
        """An element whose attributes mean nothing."""
        same = next(names)
        tag = f"<{_held(same, name, _END_OF_NAME)}{_attributes(names, _QUOTED)}{SPACE}"
        return rf"{tag}(?:/>|>{content}</(?P={same})>)"

    def tagged(date: str) -> list[str]:
        """How a date's element is written here."""
        uri, _, name = date.rpartition("}")
        return [f"{prefix}:{name}" for prefix in strange if prefixes[prefix] == uri] if uri else [name]

    tags = [tagged(date) for date in shape.dates]
    parts = [once(group, tag[0], f"({_DATE})") if tag else f"{_NEVER}()" for group, tag in enumerate(tags, start=1)]
    parts.append(_text_link(takes_any_url) if shape.link_is_text else _attribute_link(takes_any_url, names))
    looked_at = "|".join(("link", *shape.odd, *(tag for tags_ in tags for tag in tags_)))
    skipped = rf"(?!(?i:{looked_at})[{_END_OF_NAME}])(?:(?:{'|'.join(strange) or _NEVER}):)?+{_NAME}"
    content = f"{text}(?:{element(inner, text)}{text})*+" if shape.nests else text
    parts.append(element(skipped, content))
    has_page = f"(?(3)|(?(4)|{_NEVER}))"
    item = f"<{shape.item}>{SPACE}(?:(?:{'|'.join(parts)}){SPACE})*+{has_page}</{shape.item}>"
    return re.compile(f"{SPACE}(?:{item}|{REST})")


def _attributes(names: Iterator[str], value: str, *, but: str = "xmlns") -> str:
    """Attributes with different names, none of which begins in this way."""
    same = next(names)
    named = _held(same, f"(?!{but})(?:xml:)?+{_NAME}", "=")
    return f"(?:{_BLANKS}{named}={value}(?!{_AHEAD}(?P={same})=)){{0,{MOST_ATTRIBUTES}}}+"


def _held(group: str, name: str, end: str) -> str:
    """A group for a name. Once begun, it has to match: `re` keeps the beginning of one that fails with its old end."""
    return f"(?={name}[{end}])(?P<{group}>[^{end}]*+)"


def _text_link(takes_any_url: bool) -> str:
    """``<link>`` with the page as its text."""
    url, bare_url = (WORD, BARE_WORD) if takes_any_url else (URL, BARE_URL)
    value = rf"(?:({url})|<!\[CDATA\[{SPACE}({bare_url}){SPACE}\]\]>)"
    return f"(?(3){_NEVER}|(?(4){_NEVER}|<link>{SPACE}{value}{SPACE}</link>))"


def _attribute_link(takes_any_url: bool, names: Iterator[str]) -> str:
    """``<link/>`` with the page in ``href``, unless it is one of another relation; once there is a page, any."""
    url = "[^<>\"']++" if takes_any_url else URL.replace("'-;", "(-;")
    page = rf"""(?!{_AHEAD}rel=["'](?!alternate["']))(?={_AHEAD}href=["']({url})["'])(?:{_NEVER}())?"""
    other = rf"""(?={_AHEAD}rel=["'](?!alternate["'])[a-z-]++["'])"""
    attributes = _attributes(names, _SIMPLY_QUOTED, but="xmlns|xml:base")  # which is looked at, and reported if odd
    return rf"<link(?={_BLANK})(?(3)|(?:{page}|{other})){attributes}{SPACE}/>"
