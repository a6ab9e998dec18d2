"""What encoding a document is in, and the way from there to UTF-8.

Order: BOM, XML declaration, UTF-8 if the head decodes as it, the charset of the HTTP header, detection. A false Latin-1
header over a UTF-8 body is the common real case, and Latin-1 never contradicts any bytes: hence the header comes late.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from .diagnostics import Code, Reporter

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PATTERNS = (
    (re.compile(rb"[<\w#]\0\0\0[^\0]\0\0\0"), "utf-32-le"),
    (re.compile(rb"\0\0\0[<\w#]\0\0\0[^\0]"), "utf-32-be"),
    (re.compile(rb"[<\w#]\0[^\0]\0"), "utf-16-le"),
    (re.compile(rb"\0[<\w#]\0[^\0]"), "utf-16-be"),
)
_DECLARATION = re.compile(rb"""\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']\s*([^"'<>]{1,60}?)\s*["']""")
_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([^\s"';,]{1,60})""", re.I)
DETECTION_BYTES = 64 * 1024

# Python's codecs are more than charsets: rot13, zlib, idna (quadratic), unicode_escape, undefined ... are no encodings
# of a document. Canonical names, as codecs.lookup gives them.
_TEXT_ENCODINGS = (
    {"utf-8", "utf-8-sig", "ascii", "iso8859-1", "koi8-r", "koi8-u", "cp866", "cp932", "mac-roman"}
    | {"gb2312", "gbk", "gb18030", "cp949", "big5"}
    | {"euc_jp", "euc_kr", "shift_jis", "iso2022_jp", "utf-16", "utf-16-le", "utf-16-be", "utf-32"}
    | {"utf-32-le", "utf-32-be"}
    | {f"iso8859-{n}" for n in range(2, 17)}
    | {f"cp125{n}" for n in range(9)}
)


_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949"}
"""What documents that name the narrow set are written in, as the WHATWG's Encoding standard has it."""


class Encoding(NamedTuple):
    """The encoding of a document and the length of its byte order mark."""

    name: str
    skip: int = 0
    declared: bool = True
    """By the document itself: by BOM or XML declaration, or UTF-8."""


def canonical(label: str) -> str | None:
    """Python's name for a charset label, None if it names no encoding of text."""
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, UnicodeError, ValueError):
        return None
    return _WIDER.get(name, name) if name in _TEXT_ENCODINGS else None


def sniff(head: bytes, *, content_type: str | None, report: Reporter, fixed: bool = False) -> Encoding:
    """The encoding of a document that starts with `head`; what was wrong or guessed is reported.

    `fixed`: the format is UTF-8 by its specification, so that only a mark or a pattern of zero bytes says otherwise.
    """
    marked = _by_mark(head, report)
    if marked and marked.name != "utf-8":
        return marked
    skip = marked.skip if marked else 0
    body = head[skip:]
    if decodes(body, "utf-8") and marked:
        return marked
    by_pattern = next((name for pattern, name in _PATTERNS if pattern.match(body)), None)
    if by_pattern:
        return Encoding(by_pattern, skip)
    if fixed:
        return Encoding("utf-8", skip)
    if marked and not _mostly_utf8(body):
        report(Code.ENCODING_ERROR, "byte order mark of utf-8 over other bytes")
    declared = _declared(body, report)
    if declared:
        return Encoding(declared, skip)
    if _mostly_utf8(body):
        return Encoding("utf-8", skip)
    label = _CHARSET.search(content_type or "")
    named = canonical(label[1]) if label else None
    if named and not named.startswith("utf") and decodes(body, named):
        return Encoding(named, skip, declared=False)
    guess = _detect(body)
    report(Code.ENCODING_ERROR, f"undeclared encoding, read as {guess}")
    return Encoding(guess, skip, declared=False)


def _by_mark(head: bytes, report: Reporter) -> Encoding | None:
    """By byte order mark, if it tells the truth: in UTF-16 and UTF-32 the markup and URLs have zero bytes."""
    for mark, name in _BOMS:
        if head.startswith(mark):
            skip = len(mark)
            if name == "utf-8":
                while head.startswith(mark, skip):
                    skip += len(mark)
            elif len(head) > skip and b"\0" not in head[skip : skip + 64]:
                report(Code.ENCODING_ERROR, f"byte order mark of {name} over other bytes")
                return Encoding("utf-8", skip) if decodes(head[skip:], "utf-8") else None
            return Encoding(name, skip)
    return None


def _declared(body: bytes, report: Reporter) -> str | None:
    """By XML declaration, if it can be true."""
    match = _DECLARATION.match(body)
    if not match:
        return None
    label = match[1].decode("ascii", "replace")
    name = canonical(label)
    # Bytes in which the declaration can be read are not UTF-16 or UTF-32.
    if name in ("utf-8", "utf-8-sig", "ascii") and _mostly_utf8(body):
        if name == "ascii" and not body.isascii():
            report(Code.ENCODING_ERROR, "declared as ASCII, but UTF-8")
        return "utf-8"
    if name and not name.startswith("utf") and decodes(body, name):
        return name
    report(Code.ENCODING_ERROR, f"declared encoding {label} is {'contradicted by the bytes' if name else 'unknown'}")
    return None


def _mostly_utf8(data: bytes) -> bool:
    """Whether data is UTF-8, but for a few characters: those are the business of the entry they stand in."""
    if decodes(data, "utf-8"):
        return True
    text = data.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    right = sum(not char.isascii() for char in text) - wrong
    return right > 2 * wrong


def decodes(data: bytes, name: str) -> bool:
    """Whether `data`, possibly cut inside a character, is in the encoding."""
    try:
        codecs.getincrementaldecoder(name)("strict").decode(data)
    except (UnicodeError, ValueError):
        return False
    return True


def _detect(body: bytes) -> str:
    """By statistics: chardet's answer if it can be true, whatever its confidence (0.02 is usual for right ones)."""
    import chardet  # costs 30 ms; hardly ever needed

    try:
        label = chardet.detect(body[:DETECTION_BYTES]).get("encoding")
    except Exception:  # a detector may stumble over hostile bytes in any way: then there is no answer
        label = None
    name = canonical(label) if label else None
    if name == "ascii" or name is None or not decodes(body, name):
        name = "cp1252"
    return name if decodes(body, name) else "iso8859-1"


class Transcoder:
    """Bytes of an encoding to UTF-8, block by block, cuts inside characters included.

    What cannot be decoded becomes U+FFFD, which no URL that is delivered may hold.
    """

    def __init__(self, encoding: Encoding, report: Reporter) -> None:
        self._decoder = (
            None if encoding.name in ("utf-8", "utf-8-sig") else codecs.getincrementaldecoder(encoding.name)("replace")
        )
        self._report = report

    def feed(self, data: bytes, *, final: bool = False) -> bytes:
        """`data` as UTF-8; UTF-8 is passed on as it is, faults and all."""
        if self._decoder is None:
            return data
        text = self._decoder.decode(data, final)
        if "\ufffd" in text:
            self._report(Code.ENCODING_ERROR, "bytes that are not in the document's encoding")
        return text.encode("utf-8", "replace")
