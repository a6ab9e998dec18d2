"""The only door to expat: every parser comes from here, armed by defusedxml.

A DOCTYPE without internal subset is harmless and tolerated: nothing external is ever fetched. One with an internal
subset can declare entities (bombs, files, addresses) or attribute defaults, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.parsers.expat import ExpatError

from defusedxml.common import DTDForbidden
from defusedxml.ElementTree import DefusedXMLParser

Expat = Any
"""A pyexpat parser; the standard library has no public type for it."""

_NOBODY = object()
"""defusedxml's parser builds no tree with this as its target: the handlers are ours."""


def guarded_parser(on_doctype: Callable[[], object] | None = None) -> Expat:
    """An expat parser for UTF-8 that reports names as ``uri}local}prefix`` and refuses to declare anything.

    Parse raises ExpatError, or DTDForbidden (a ValueError) for an internal subset.
    """
    guard = DefusedXMLParser(target=_NOBODY, encoding="utf-8", forbid_dtd=True)
    expat = guard.parser

    def start_doctype(name: str, system: str | None, public: str | None, has_internal_subset: int) -> None:
        if has_internal_subset or on_doctype is None:
            raise DTDForbidden(name, system, public)
        on_doctype()

    expat.StartDoctypeDeclHandler = start_doctype
    expat.DefaultHandlerExpand = None
    expat.namespace_prefixes = True
    expat.ordered_attributes = True
    expat.buffer_text = True
    # Deferral (expat 2.6) hides how much input is pending; the time it saves on giant tokens is bounded by max_token.
    if hasattr(expat, "SetReparseDeferralEnabled"):
        expat.SetReparseDeferralEnabled(False)
    return expat


def declares(prolog: bytes) -> bool:
    """Whether a prolog, as far as it is well-formed, declares anything in a DOCTYPE."""
    if b"<!" not in prolog:
        return False
    try:
        guarded_parser(lambda: None).Parse(prolog, False)
    except DTDForbidden:
        return True
    except ExpatError:
        return False
    return False
