"""Links and pictures as nearly all generators write them: found by a regular expression, and made without elements.

Contract, as for `readers.scan`: what the pattern accepts, the readers of these extensions take without a word, and the
records made here are theirs. A link has its attributes in the order Google shows, a picture has loc first; URLs are
such that `urls.resolve` leaves them as they are. Patterns are for bytes that were decoded as Latin-1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from .. import urls
from ..model import DRAFTS, Alternate, Extension, Image
from . import alternate, image
from .element import Reader
from .fields import collapsed

SPACE = r"[ \t\r\n]*+"
URL = urls.CLEAN.pattern.replace("&(?!amp;)", "&amp;(?!amp;)")
TEXT = r"(?:[^<&\]\x00-\x08\x0b\x0c\x0e-\x1f]++|\](?!\]>)|&(?:amp|lt|gt|quot|apos);)*+"
"""What expat takes for text."""
MOST = 400
"""Extensions of one entry; one with more is odd."""


class PlainExtensions:
    """Those of documents that declare them by these prefixes."""

    def __init__(self, links: tuple[str, ...], images: tuple[str, ...]) -> None:
        shapes = [rf'<{p}:link rel="alternate" hreflang="[A-Za-z0-9-]++" href="{URL}" ?+/>' for p in links]
        shapes += [_image(prefix) for prefix in images]
        self.pattern = rf"(?:(?:{'|'.join(shapes)}){SPACE}){{0,{MOST}}}+"
        """Any number of them, up to a bound."""
        # Each match ends where the next begins, so that nothing is searched for.
        link = rf'<(?:{"|".join(links) or " "}):link rel="alternate" hreflang="([^"]*+)" href="([^"]*+)"[^<]*+'
        tag = rf"(?:{'|'.join(images) or ' '})"
        picture = rf"<{tag}:image>[^<]*+<{tag}:loc>{SPACE}([^<\s]*+)[^<]*+</[^<]*+"
        fields = rf"(?:<{tag}:title>([^<]*+)</[^<]*+)?+((?:<{tag}:[tc][^<]*+</[^<]*+)*+)</[^<]*+"
        self._each = re.compile(f"{link}|{picture}{fields}")

    def read(self, text: str) -> tuple[Extension, ...]:
        """The records of a text that the pattern has accepted, in its order."""
        made: list[Any] = []
        for hreflang, href, loc, title, others in self._each.findall(text):
            if href:
                record = _AlternateDraft(hreflang, href.replace("&amp;", "&") if "&" in href else href)
                record.__class__ = Alternate
            else:
                record = _ImageDraft(loc.replace("&amp;", "&") if "&" in loc else loc)
                if title:
                    record.title = collapsed(decoded(title)) or None
                for name, value in _FIELD.findall(others) if others else ():
                    setattr(record, name, collapsed(decoded(value)) or None)
                record.__class__ = Image
            made.append(record)
        return tuple(made)


_AlternateDraft, _ImageDraft = DRAFTS[Alternate], DRAFTS[Image]
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_REFERENCE = re.compile("&(amp|lt|gt|quot|apos);")
_FIELD = re.compile(r"<[A-Za-z_-]+:(title|caption)>([^<]*)<")


def _image(prefix: str) -> str:
    title, caption = (rf"<{prefix}:{name}>{TEXT}</{prefix}:{name}>{SPACE}" for name in ("title", "caption"))
    either = rf"(?:{title}(?:{caption})?+|{caption}(?:{title})?+)?+"
    return rf"<{prefix}:image>{SPACE}<{prefix}:loc>{SPACE}{URL}{SPACE}</{prefix}:loc>{SPACE}{either}</{prefix}:image>"


def decoded(text: str) -> str:
    """What a text means: its bytes as UTF-8, its references resolved once."""
    if not text.isascii():
        text = text.encode("latin-1").decode()
    return _REFERENCE.sub(lambda found: _CHARACTERS[found[1]], text) if "&" in text else text


def plain_extensions(declared: Mapping[str, str], readers: Mapping[str, Reader]) -> PlainExtensions | None:
    """Those of a document with these prefixes, by the readers of their namespaces; None if it has no use for any."""
    usual = [(prefix, readers.get(uri)) for prefix, uri in declared.items() if re.fullmatch("[A-Za-z_-]+", prefix)]
    links = tuple(prefix for prefix, reader in usual if reader is alternate.read)
    images = tuple(prefix for prefix, reader in usual if reader is image.read)
    return _for_prefixes(links, images) if links or images else None


@cache
def _for_prefixes(links: tuple[str, ...], images: tuple[str, ...]) -> PlainExtensions:
    return PlainExtensions(links, images)
