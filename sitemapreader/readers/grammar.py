"""What the items of an XML format are made of, and what the parser runs over one document share.

A format is a Vocabulary: which elements are its roots and items, and a Grammar for each kind of item, which names the
children that matter and composes raw items of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..diagnostics import Reporter
from ..extensions import Element
from ..limits import Limits
from ..normalize import Finds, Raw
from .scan import Shape

MAX_PREFIXES = 100
LONGEST_NAMESPACE = 1000
XML_BASE = "http://www.w3.org/XML/1998/namespace}base"

Compose = Callable[[Element, tuple[str, ...], int, Reporter], Iterable[Raw]]
"""``compose(item, bases, number, report)``: the raw items that an item element amounts to."""


class Grammar(NamedTuple):
    """What one kind of item is made of."""

    fields: Mapping[str, str]
    """Children in the item's own vocabulary: lower-case local name to the name as it should be written."""
    compose: Compose
    essential: frozenset[str]
    """The fields, in lower case, that can hold the URL."""
    root: str = ""
    """The root, in lower case, that these items belong in; empty for any."""
    foreign: Mapping[tuple[str, str], str] = {}
    """Further children by namespace and local name, and the field each becomes."""
    extensions: bool = False
    own_text: bool = False
    """The text beside its children may be its URL."""


class NestedItem(Exception):
    """An item starts inside an item: one of the two is not closed where it should be."""


class Container(NamedTuple):
    """An element around the items."""

    name: str
    """Qualified, as written."""
    base: str = ""
    """Its ``xml:base``."""


class Vocabulary(NamedTuple):
    """What the documents with one root element are made of."""

    items: Mapping[str, Grammar]
    """By lower-case local name of the item element."""
    roots: Mapping[str, str]
    """Elements that are this kind of document: lower-case local name to the name as it should be written."""
    containers: frozenset[str]
    """Local names, in lower case, of the elements that may stand around an item."""
    specified: frozenset[str]
    """The namespaces the specifications give, empty for none."""
    namespaces: frozenset[str]
    """Further spellings that count as one of them, and are reported."""
    shapes: Mapping[str, Shape] = {}
    """By root, in lower case, the items that can be read without expat."""


@dataclass(slots=True)
class Document:
    """What the parser runs over one document share."""

    vocabulary: Vocabulary
    finds: Finds
    limits: Limits
    namespaces: dict[str, str] = field(default_factory=dict)
    """Prefixes declared around the items; the first MAX_PREFIXES, since each resync declares them anew."""
    ancestors: list[Container] = field(default_factory=list)
    """The containers that are open."""
    root_uri: str | None = None
    """Namespace of the root; None before there is one."""
    root_name: str = ""
    """Local name of the root, in lower case."""
    root_tag: str = ""
    """Qualified name of the first root, to open it again for what stands behind it."""
    root_closed: bool = False
    number: int = 0
    """Items started so far."""

    def declare(self, declared: Iterable[tuple[str, str]]) -> bool:
        """Remember what prefixes mean; whether there was room for any."""
        room = False
        for prefix, uri in declared:
            if len(prefix) + len(uri) > LONGEST_NAMESPACE:
                continue
            if prefix in self.namespaces or len(self.namespaces) < MAX_PREFIXES:
                room = True
                self.namespaces[prefix] = uri
        return room


class Role(NamedTuple):
    """What a child of an item is to the reader."""

    kind: str
    """``field``, ``extension``, ``item`` or ``skip``."""
    name: str


SKIP = Role("skip", "")


def split(tag: str) -> tuple[str, str, str]:
    """Namespace, local name and prefix of ``uri}local}prefix``, ``uri}local`` or ``local``."""
    uri, _, rest = tag.partition("}")
    if not rest:
        return "", tag, ""
    name, _, prefix = rest.partition("}")
    return uri, name, prefix


def attributes_of(flat: list[str]) -> dict[str, str]:
    """Attributes by ``local`` or ``uri}local``."""
    if not flat:
        return {}
    names = (name if "}" not in name else "}".join(name.split("}")[:2]) for name in flat[::2])
    return dict(zip(names, flat[1::2], strict=True))
