"""What a reader of an extension is given, and what it is: the contract of this package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..records import Extension


@dataclass(slots=True)
class Element:
    """An XML element inside an entry, as parsed: names and text as written, references decoded once."""

    uri: str
    """Namespace URI, empty where there is none."""
    name: str
    """Local name."""
    attributes: dict[str, str] = field(default_factory=dict)
    """By local name; ``uri}name`` where an attribute has a namespace."""
    text: str = ""
    """All character data of the element and its descendants, in order."""
    children: list[Element] = field(default_factory=list)
    overlong: bool = False
    """The text was longer than is read, and is left out."""


class Context(Protocol):
    """What a reader may ask and say while it reads one element."""

    def url(self, text: str) -> str | None:
        """`text` as an absolute, normalised http(s) URL, or None; reports nothing."""

    def invalid(self, detail: str) -> None:
        """Report a value that is left out, as ``value-invalid``."""


Reader = Callable[[Element, Context], "Extension | None"]
"""Reads a child of an entry. None: nothing to keep; the reader has reported it if that is a fault."""
