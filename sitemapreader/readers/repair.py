"""What can be put right in a damaged item without guessing, at the level of bytes.

`WAYS` are tried in order until one gives an item that parses: as written, with unambiguous repairs, without the
extension markup that is broken, and at last nothing but the whole fields. No way makes up a character of a URL: a field
that is cut or has a stray ``<`` in it fails, and its item is lost.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple
from xml.parsers.expat import ExpatError

from ..diagnostics import Code
from . import resync
from .grammar import Document
from .guard import guarded_parser
from .lenient import reread

SECTIONS = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}
OPENER = re.compile(rb"<!\[CDATA\[|<!--")
CDATA = re.compile(rb"<!\[CDATA\[(.*?)\]\]>", re.S)
AMPERSAND = re.compile(rb"&(?:#[0-9]{1,9};|#[xX][0-9A-Fa-f]{1,8};|[A-Za-z][A-Za-z0-9]{0,40};)?")
CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]|\xed[\xa0-\xbf][\x80-\xbf]")
XML_CHARACTERS = (range(0x20, 0xD800), range(0xE000, 0xFFFE), range(0x10000, 0x110000))
RUN = re.compile(rb"[<>]|[^<>]+")
UNFINISHED_TAG = re.compile(rb"(</?[A-Za-z_][\w.:-]*)(\s*)(?=<)")
PREDEFINED = {b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&apos;"}
MOST_EXTENSIONS = 100
"""Extension elements of one damaged item that are looked at one by one."""
PREFIXED_TAG = re.compile(rb"<([A-Za-z_][\w.-]*):([\w.-]+)(?:\s[^<>]*)?>")
WHOLE_TAG = re.compile(rb"<[\w.:-]+(?:\s+[\w.:-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'))*\s*>")
SOURCE_BLOCK = re.compile(rb"<source[\s>](?:[^<]|<(?!/source))*</source\s*>")
PROMISE = re.compile(rb"</|[=:/]")
ITEM_TAG = re.compile(rb"<((?:[\w.-]+:)?)([\w.-]+)")


class Way(NamedTuple):
    """One way to read a damaged item."""

    change: Callable[[bytes, Document], bytes | None]
    """The item as this way reads it; None if it has nothing to change."""
    code: Code | None = None
    """What to report if it works."""
    detail: str = ""


def decoded(piece: bytes) -> bytes:
    """`piece` in UTF-8: what is not is told run by run, between tags, and is windows-1252 if that is printable."""
    try:
        piece.decode()
    except UnicodeDecodeError:
        return b"".join(_as_utf8(run) for run in RUN.findall(piece))
    return piece


def _as_utf8(run: bytes) -> bytes:
    """What cannot be decoded either way is marked, and lost if it is a URL."""
    for encoding in ("utf-8", "cp1252"):
        try:
            return run.decode(encoding).encode()
        except UnicodeDecodeError:
            continue
    return run.decode("utf-8", "replace").encode()


def mended(piece: bytes) -> bytes:
    """`piece` with the repairs that leave no choice: ampersands, references, control characters, comments, tag ends."""
    sections = _sections(CONTROLS.sub(b"", piece))
    return b"".join(section if section.startswith(b"<![CDATA[") else _markup(section) for section in sections)


def _markup(markup: bytes) -> bytes:
    return AMPERSAND.sub(_reference, UNFINISHED_TAG.sub(rb"\1>\2", markup))


def _sections(piece: bytes) -> Iterator[bytes]:
    """CDATA sections and what is between them, without the comments; one that has no end is text."""
    at = 0
    last = {opener: piece.rfind(closer) for opener, closer in SECTIONS.items()}
    while opener := OPENER.search(piece, at):
        yield piece[at : opener.start()]
        at = opener.end()
        if at > last[opener[0]]:
            yield opener[0]
            continue
        closer = SECTIONS[opener[0]]
        end = piece.find(closer, at) + len(closer)
        if closer == b"]]>":
            yield piece[opener.start() : end]
        at = end
    yield piece[at:]


def _reference(match: re.Match[bytes]) -> bytes:
    """What an ampersand stands for: itself unless it begins a reference that ends in a semicolon."""
    reference = match[0]
    if reference == b"&":
        return b"&amp;"
    if reference in PREDEFINED:
        return reference
    text = reference.decode()
    if text.startswith("&#"):
        number = int(text[3:-1], 16) if text[2] in "xX" else int(text[2:-1])
        legal = number in (9, 10, 13) or any(number in characters for characters in XML_CHARACTERS)
        return f"&#{number};".encode() if legal else b""
    meant = html.unescape(text)
    return reference if meant == text else html.escape(meant, quote=False).encode()


def _repaired(piece: bytes, _document: Document) -> bytes | None:
    changed = mended(piece)
    return changed if changed != piece else None


def _without_broken_extensions(piece: bytes, document: Document) -> bytes | None:
    """The item without the prefixed elements that do not parse; an item's own prefix is none."""
    piece = mended(piece)
    own = (ITEM_TAG.match(piece) or [b"", b""])[1].rstrip(b":")
    kept, at, dropped = [], 0, False
    if len(PREFIXED_TAG.findall(piece)) > MOST_EXTENSIONS:
        return None
    while match := PREFIXED_TAG.search(piece, at):
        if match[1] == own:
            kept.append(piece[at : match.end()])
            at = match.end()
            continue
        closer = re.compile(rb"</" + re.escape(match[1] + b":" + match[2]) + rb"\s*>").search(piece, match.end())
        closed = match[0].endswith(b"/>") or closer is None
        end = match.end() if closed or closer is None else closer.end()
        kept.append(piece[at : match.start()])
        if _parses(piece[match.start() : end], document):
            kept.append(piece[match.start() : end])
        else:
            dropped = True
        at = end
    rest = re.sub(rb"</(?!" + re.escape(own) + rb":)[\w.-]+:[\w.-]+\s*>", b"", piece[at:]) if dropped else piece[at:]
    return b"".join(kept) + rest if dropped else None


def _parses(markup: bytes, document: Document) -> bool:
    """Whether a piece of markup is well-formed where it stands."""
    expat = guarded_parser()
    try:
        expat.Parse(resync.start_tags(document, around=markup) + markup + b"</resync>", True)
    except ExpatError:
        return False
    return True


def _whole_fields(piece: bytes, document: Document) -> bytes | None:
    """The item with nothing but the fields that stand whole in it."""
    if resync.is_littered(piece):
        return None
    piece = mended(piece)
    closed = piece.rfind(b"</source") + 1  # behind it no block ends, and each opener would be searched to the end
    piece = SOURCE_BLOCK.sub(b"", piece[: closed + 20]) + piece[closed + 20 :] if closed else piece
    tag = ITEM_TAG.match(piece)
    grammar = document.vocabulary.items.get(tag[2].decode().lower()) if tag else None
    if not tag or not grammar or b"xmlns" in piece:
        return None  # a namespace of its own changes what a field's name means
    piece = CDATA.sub(lambda match: html.escape(match[1].decode("utf-8", "replace"), quote=False).encode(), piece)
    prefix = re.escape(tag[1])
    names = "|".join(grammar.fields).encode()
    field = rb"<%b(%b)(?:\s[^<>]*)?(?:/>|(?<!/)>[^<]*</%b\1\s*>)" % (prefix, names, prefix)
    found = list(re.finditer(field, piece, re.I))
    if not any(match[1].decode().lower() in grammar.essential for match in found):
        return None
    name = tag[1] + tag[2]
    opened, end = b"<" + name + b">", b"</" + name + b">"
    start = WHOLE_TAG.match(piece)
    if start and start[0] != opened and _parses(start[0] + end, document):
        opened = start[0]
    return opened + b"".join(match[0] for match in found) + end


def is_promising(piece: bytes) -> bool:
    """Whether there may be a whole field in it, or a URL in an attribute or in the item itself."""
    return PROMISE.search(piece) is not None


AS_WRITTEN = Way(lambda piece, _document: piece)
WAYS = (
    Way(_repaired, Code.XML_REPAIRED, "ampersands, references, control characters, comments or a tag's end put right"),
    Way(_without_broken_extensions, Code.VALUE_INVALID, "extension markup that is broken"),
    Way(_whole_fields, Code.ENTRY_SALVAGED, "only the whole fields of a broken item"),
    Way(reread, Code.ENTRY_SALVAGED, "a broken feed item, as feedparser reads it"),
)
