"""What can be put right in a damaged item without guessing, at the level of bytes.

`WAYS` are tried in order until one gives an item that parses: as written, with unambiguous repairs, without the
extension markup that is broken, and at last nothing but the whole fields. No way makes up a character of a URL: a field
that is cut or has a stray ``<`` in it fails, and its item is lost.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple
from xml.parsers.expat import ExpatError
from xml.sax.saxutils import quoteattr

from ..diagnostics import Code
from .grammar import Document
from .guard import guarded_parser
from .lenient import reread

OPENER = re.compile(rb"<!\[CDATA\[|<!--")
AMPERSAND = re.compile(rb"&(?:#[0-9]{1,9};|#[xX][0-9A-Fa-f]{1,8};|[A-Za-z][A-Za-z0-9]{0,40};)?")
CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]|\xed[\xa0-\xbf][\x80-\xbf]")
RUN = re.compile(rb"[<>]|[^<>]+")
UNFINISHED_TAG = re.compile(rb"(</?[A-Za-z_][\w.:-]*)(\s*)(?=<)")
PREDEFINED = {b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&apos;"}
MOST_EXTENSIONS = 100
"""Extension elements of one damaged item that are looked at one by one."""
PREFIXED_TAG = re.compile(rb"<([A-Za-z_][\w.-]*):([\w.-]+)(?:\s[^<>]*)?>")
KEPT_ATTRIBUTE = re.compile(rb"""\s(?:xml:base|rdf:about)\s*=\s*(?:"[^"<>]*"|'[^'<>]*')""")
"""Attributes of an item that its URL may depend on."""
SOURCE_BLOCK = re.compile(rb"<source[\s>](?:[^<]|<(?!/source))*</source\s*>")
ITEM_TAG = re.compile(rb"<((?:[\w.-]+:)?)([\w.-]+)")


class Way(NamedTuple):
    """One way to read a damaged item."""

    change: Callable[[bytes, Document], bytes | None]
    """The item as this way reads it; None if it has nothing to change."""
    code: Code | None = None
    """What to report if it works."""
    detail: str = ""


def start_tags(namespaces: Mapping[str, str], ancestors: Iterable[str]) -> bytes:
    """Start tags under which a piece of a document means what it means in its place."""
    declared = "".join(
        f" xmlns{':' if prefix else ''}{prefix}={quoteattr(uri)}"
        for prefix, uri in namespaces.items()
        if uri or not prefix
    )
    return f"<resync{declared}>{''.join(f'<{name}>' for name in ancestors)}".encode()


def mended(piece: bytes) -> bytes:
    """`piece` with the repairs that leave no choice: ampersands, references, control characters, encoding, tag ends."""
    runs = runs_of(CONTROLS.sub(b"", piece))
    return b"".join(_markup(run) if opener is None else _as_utf8(run) for opener, run in runs)


def runs_of(piece: bytes) -> Iterator[tuple[bytes | None, bytes]]:
    """Comments and CDATA sections with what opens them, and the markup between; an opener without end is text."""
    closers = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}
    last = {opener: piece.rfind(closer) for opener, closer in closers.items()}
    at = 0
    while found := OPENER.search(piece, at):
        end = found.end()
        if end <= last[found[0]]:
            end = piece.find(closers[found[0]], end) + 3
        yield None, piece[at : found.start()]
        yield found[0], piece[found.start() : end]
        at = end
    yield None, piece[at:]


def is_utf8(text: bytes) -> bool:
    """Whether text is UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _markup(markup: bytes) -> bytes:
    """Tags and text outside of comments and CDATA. What is not UTF-8 is told run by run, between tags."""
    if not markup.isascii():
        markup = b"".join(_as_utf8(run) for run in RUN.findall(markup))
    return AMPERSAND.sub(_reference, UNFINISHED_TAG.sub(rb"\1>\2", markup))


def _as_utf8(text: bytes) -> bytes:
    """Text that is not UTF-8 is windows-1252 if that is printable; else it is marked, and lost if it is a URL."""
    if is_utf8(text):
        return text
    try:
        return text.decode("cp1252").encode()
    except UnicodeDecodeError:
        return text.decode("utf-8", "replace").encode()


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
        legal = (
            number in (9, 10, 13)
            or 0x20 <= number <= 0xD7FF
            or 0xE000 <= number <= 0xFFFD
            or 0x10000 <= number <= 0x10FFFF
        )
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
        expat.Parse(start_tags(document.namespaces, ()) + markup + b"</resync>", True)
    except ExpatError:
        return False
    return True


def _whole_fields(piece: bytes, document: Document) -> bytes | None:
    """The item with nothing but the fields that stand whole in it."""
    piece = b"".join(run for opener, run in runs_of(mended(piece)) if _is_shown(opener, run))
    closed = piece.rfind(b"</source") + 1  # behind it no block ends, and each opener would be searched to the end
    piece = SOURCE_BLOCK.sub(b"", piece[: closed + 20]) + piece[closed + 20 :] if closed else piece
    tag = ITEM_TAG.match(piece)
    grammar = document.vocabulary.items.get(tag[2].decode().lower()) if tag else None
    if not tag or not grammar or b"xmlns" in piece:
        return None  # a namespace of its own changes what a field's name means
    names = "|".join(grammar.fields).encode()
    prefix = re.escape(tag[1])
    field = re.compile(
        rb"<"
        + prefix
        + rb"("
        + names
        + rb")(?:\s[^<>]*)?(?:/>|(?<!/)>[^<]*(?:<!\[CDATA\[[^<]*)*</"
        + prefix
        + rb"\1\s*>)",
        re.I,
    )
    found = list(field.finditer(piece))
    if not any(match[1].decode().lower() in grammar.essential for match in found):
        return None
    name = tag[1] + tag[2]
    kept = b"".join(KEPT_ATTRIBUTE.findall(piece[: piece.find(b">") + 1]))
    return b"<" + name + kept + b">" + b"".join(match[0] for match in found) + b"</" + name + b">"


def _is_shown(opener: bytes | None, run: bytes) -> bool:
    """Whether a run can hold or be part of a field: a comment cannot, nor CDATA with markup in it."""
    return opener is None or (opener != b"<!--" and b"<" not in run[len(opener) :])


WAYS = (
    Way(lambda piece, _document: piece),
    Way(_repaired, Code.XML_REPAIRED, "ampersands, references, control characters, encoding or a tag's end put right"),
    Way(_without_broken_extensions, Code.VALUE_INVALID, "extension markup that is broken"),
    Way(_whole_fields, Code.ENTRY_SALVAGED, "only the whole fields of a broken item"),
    Way(reread, Code.ENTRY_SALVAGED, "a broken feed item, as feedparser reads it"),
)
