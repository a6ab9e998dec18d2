"""Elements to fields by table: which tag is converted how.

A converter takes an element and its name for reports, such as ``video:duration``, and gives the value. A text that says
nothing gives None; one that cannot be understood gives None and is reported, and the fields beside it stay. A converter
that gives a tuple is for a field of many values: those of repeated tags are put together, where else the last one wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

from .. import values
from .element import Context, Element

T = TypeVar("T")

Converter = Callable[[Element, str, Context], Any]
Table = Mapping[str, Converter]
"""Converters by tag name, which is the field's name too."""


def collapsed(text: str) -> str:
    """`text` trimmed, with one blank for any white space inside."""
    return " ".join(text.split())


def read_fields(children: Iterable[Element], uri: str, name: str, context: Context, table: Table) -> dict[str, Any]:
    """The fields found in those `children` that are in the namespace `uri` and in the table, in any case."""
    found: dict[str, Any] = {}
    for child in children:
        tag = child.name.lower()
        convert = table.get(tag) if child.uri == uri else None
        value = convert(child, f"{name}:{tag}", context) if convert else None
        if isinstance(value, tuple):
            found.setdefault(tag, []).extend(value)
        elif value is not None:
            found[tag] = value
    return {tag: tuple(value) if isinstance(value, list) else value for tag, value in found.items()}


def understood(text: str, parse: Callable[[str], T | None], name: str, context: Context) -> T | None:
    """What `parse` makes of a text, reported if it can make nothing of it."""
    text = collapsed(text)
    value = parse(text) if text else None
    if text and value is None:
        context.invalid(f"{name}: {text[:100]!r}")
    return value


def parsed(parse: Callable[[str], Any], **bounds: float) -> Converter:
    """A converter for a text that `parse` understands or gives None for."""
    parse = partial(parse, **bounds) if bounds else parse
    return lambda element, name, context: understood(element.text, parse, name, context)


def text(element: Element, name: str, context: Context) -> str | None:
    """Any text."""
    return collapsed(element.text) or None


def url(element: Element, name: str, context: Context) -> str | None:
    """An http(s) URL."""
    return understood(element.text, context.url, name, context)


date = parsed(lambda text: values.lastmod(text)[0])
yes_no = parsed(values.yes_no)


def _spelling(known: tuple[str, ...]) -> Callable[[str], str | None]:
    canonical = {word.lower(): word for word in known}
    return lambda text: canonical.get(text.lower())


def word(*known: str) -> Converter:
    """One of the words `known`, in any case; the field has it as spelled here."""
    return parsed(_spelling(known))


def words(*known: str) -> Converter:
    """Words between commas; those not `known` are reported and left out."""
    parse = _spelling(known)

    def read(element: Element, name: str, context: Context) -> tuple[str, ...]:
        found = (understood(item, parse, name, context) for item in element.text.split(","))
        return tuple(item for item in found if item)

    return read


def listed(element: Element, name: str, context: Context) -> tuple[str, ...]:
    """Texts between commas."""
    return tuple(item for item in map(collapsed, element.text.split(",")) if item)


def tokens(element: Element, name: str, context: Context) -> tuple[str, ...] | None:
    """Words between blanks, as the protocol asks, or commas."""
    return tuple(element.text.replace(",", " ").split()) or None


def each(convert: Converter) -> Converter:
    """The tag may be repeated and each holds one value."""

    def read(element: Element, name: str, context: Context) -> tuple[Any, ...]:
        value = convert(element, name, context)
        return () if value is None else (value,)

    return read


def record(make: Callable[..., Any], table: Table) -> Converter:
    """A record of the child elements; None where none of them says anything."""

    def read(element: Element, name: str, context: Context) -> Any:
        found = read_fields(element.children, element.uri, name, context, table)
        return make(**found) if found else None

    return read


def attributed(make: Callable[..., Any], field: str, convert: Converter, **attributes: Converter) -> Converter:
    """A record of the element's own value, in `field`, and its attributes; None without the value."""

    def read(element: Element, name: str, context: Context) -> Any:
        value = convert(element, name, context)
        return None if value is None else make(**{field: value}, **read_attributes(element, name, context, attributes))

    return read


def read_attributes(element: Element, name: str, context: Context, table: Table) -> dict[str, Any]:
    """A value for each name in the table, None where the attribute is absent; names match in any case."""
    written = {key.lower(): value for key, value in element.attributes.items()}
    return {
        key: convert(Element(element.uri, key, text=written[key]), f"{name} {key}", context) if key in written else None
        for key, convert in table.items()
    }
