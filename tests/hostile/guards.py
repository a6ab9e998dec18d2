"""The guards of the library, each with a way to turn it off and the case that shows that it is needed."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import sitemapreader as sr
from sitemapreader import charset, diagnostics, payload
from sitemapreader.readers import detect, grammar, guard, items, robots, text, xml

NEVER = 1 << 40


class Guard(NamedTuple):
    """One guard."""

    name: str
    case: str
    """Fails without it."""
    off: Callable[[], None]
    behind: str = ""
    """The guard before it, which has to be off for this one to be reached."""


def without(module: Any, name: str, value: object) -> Callable[[], None]:
    """Replaces what a module knows under a name; it must be there."""

    def off() -> None:
        assert hasattr(module, name)
        setattr(module, name, value)

    return off


def unlimited(name: str) -> Callable[[], None]:
    """Replaces the default of one of the Limits."""

    def off() -> None:
        assert sr.Limits.__init__.__kwdefaults__[name]
        sr.Limits.__init__.__kwdefaults__[name] = NEVER

    return off


def any_layers() -> None:
    payload.Layer.__init__.__kwdefaults__["allowed"] = NEVER


def any_codec(label: str) -> str | None:
    try:
        return codecs.lookup(label.strip()).name
    except LookupError:
        return None


def any_doctype(on_doctype: object = None) -> Any:
    expat = guarded(on_doctype)
    expat.StartDoctypeDeclHandler = expat.EntityDeclHandler = None
    return expat


guarded: Callable[..., Any] = guard.guarded_parser
NO_DOCTYPE = re.compile(rb"(?!)()")
ANY_DOCTYPE = re.compile(rb"<!DOCTYPE\s*+([\w.:-]*+)[^>\[]*(?:\[.*\])?", re.S)

GUARDS = (
    Guard("Limits.max_bytes", "gzip bomb of 512 MiB", unlimited("max_bytes")),
    Guard("Limits.max_token", "comment of 16 MiB", unlimited("max_token")),
    Guard("Limits.max_diagnostics", "300,000 lines that are no URL", unlimited("max_diagnostics")),
    Guard("detect.DOCTYPE", "entity bomb", without(detect, "DOCTYPE", NO_DOCTYPE)),
    Guard("detect.DOCTYPE, its subset", "", without(detect, "DOCTYPE", ANY_DOCTYPE)),
    Guard(
        "guard.guarded_parser",
        "entity bomb",
        without(guard, "guarded_parser", any_doctype),
        "detect.DOCTYPE, its subset",
    ),
    Guard("detect.HEAD", "8 MiB that are nothing", without(detect, "HEAD", NEVER)),
    Guard("detect.MOST_ROOTS", "6,000 XML declarations", without(detect, "MOST_ROOTS", NEVER)),
    Guard("grammar.MAX_PREFIXES", "10,000 prefixes, 1,000 faults", without(grammar, "MAX_PREFIXES", NEVER)),
    Guard("items.DIRECT_TEXT", "text between 500,000 elements", without(items, "DIRECT_TEXT", NEVER)),
    Guard("items.MAX_DEPTH", "nested 500,000 deep", without(items, "MAX_DEPTH", NEVER)),
    Guard("items.MAX_CHILDREN", "100,000 images of an entry", without(items, "MAX_CHILDREN", NEVER)),
    Guard("xml.LONGEST_TAG_NAME", "8 MiB of junk behind a fault", without(xml, "LONGEST_TAG_NAME", NEVER)),
    Guard("payload.MAX_GZIP_LAYERS", "gzip nine times", any_layers),
    Guard("payload.MAX_CODINGS", "five content codings", without(payload, "MAX_CODINGS", NEVER)),
    Guard("payload.MAX_MEMBERS", "gzip of 2,000 members", without(payload, "MAX_MEMBERS", NEVER)),
    Guard("payload.MAX_EMPTY_MEMBERS", "gzip of 300,000 empty members", without(payload, "MAX_EMPTY_MEMBERS", NEVER)),
    Guard("robots.MAX_BYTES", "robots.txt of 8 MiB", without(robots, "MAX_BYTES", NEVER)),
    Guard(
        "text.LINE_END",
        "robots.txt, other line ends",
        without(text, "LINE_END", re.compile("\r\n|\r|\n|\x85|\u2028".encode())),
    ),
    Guard("charset.canonical", "encoding rot13", without(charset, "canonical", any_codec)),
    Guard("diagnostics.printable", "terminal escapes", without(diagnostics, "printable", lambda text, limit=200: text)),
)
