"""What a document is, told by its first bytes: by content, never by name or type.

XML is told by its root element, searched past comments, processing instructions and a DOCTYPE, and past junk or unknown
wrappers as far as HEAD reaches. A namespace or a tag that is merely mentioned makes no sitemap.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..diagnostics import Code
from ..model import Format
from .guard import declares

HEAD = 64 * 1024
"""Bytes that are looked at."""
TEXT_HEAD = 4 * 1024
MOST_ROOTS = 20
"""Beginnings of documents that are looked at before there is none."""
BLANKS = b" \t\r\n\x0b\x0c\xef\xbb\xbf\x00"
XML_FORMATS = {
    "urlset": Format.URLSET,
    "sitemapindex": Format.SITEMAPINDEX,
    "rss": Format.RSS,
    "rdf": Format.RSS,
    "feed": Format.ATOM,
}
ARCHIVES = (
    (b"PK\x03\x04", "zip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf", "7z"),
    (b"%PDF", "pdf"),
    (b"\x89PNG", "png"),
    (b"GIF8", "gif"),
    (b"\xff\xd8\xff", "jpeg"),
)
TAR_MAGIC = slice(257, 263)
TAG_NAME = re.compile(rb"<((?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*))")
ROOT = re.compile(rb"<!--|<\?xml\s|<(?:[\w.-]{1,40}:)?(?:" + "|".join(XML_FORMATS).encode() + rb")(?=[\s/>])", re.I)
DOCTYPE = re.compile(rb"""<!DOCTYPE\s*+([\w.:-]*+)(?:[^>\["']|"[^"]*+"|'[^']*+')*+""", re.I)
DECLARATION = re.compile(rb"<\?xml\s")
URL_LINE = re.compile(rb"(?:^|[\r\n])[ \t\xa0\xc2\xef\xbb\xbf]*https?://", re.I)
DIRECTIVE_LINE = re.compile(
    rb"(?:\s|#[^\r\n]*+)*+(?:user-?agent|site-?map|(?:dis)?allow|crawl-delay|host|clean-param|request-rate)[ \t]*:",
    re.I,
)


class Detected(NamedTuple):
    """What a document was found to be."""

    format: Format | None
    start: int = 0
    """Where it begins: for XML, the start tag of its root."""
    preamble: bytes = b""
    """Markup that was passed over, which may declare namespaces."""
    findings: tuple[tuple[Code, str], ...] = ()
    markup: bool = False
    """It begins as markup does."""
    wrapped: bool = False
    """Its root stands in an element that is no part of it."""
    line: int = 1
    """The line it begins in."""


class _More(Exception):
    """The head is too short to tell."""


def detect(head: bytes, *, is_robots: bool, final: bool) -> Detected | None:
    """What the document that begins with `head` is; None if more of it is needed.

    `is_robots`: it was asked for as robots.txt. `final`: there is no more of it, or no more is looked at.
    """
    blanks = len(head) - len(head.lstrip(BLANKS))
    body = head[blanks:]
    final = final or len(head) >= HEAD
    try:
        is_markup = body.startswith(b"<")
        found = _markup(head, blanks, final=final) if is_markup else _plain(head, is_robots=is_robots, final=final)
    except _More:
        return None
    if is_markup and is_robots and found.format is None and found.findings[0][0] is not Code.DTD_FORBIDDEN:
        return Detected(Format.ROBOTS, markup=True)
    return found._replace(line=1 + head.count(b"\n", 0, found.start))


def archive(head: bytes) -> str | None:
    """What archive or binary format a body is, by its first bytes; None if it is none that is known."""
    name = next((name for magic, name in ARCHIVES if head.startswith(magic)), None)
    is_tar = head[TAR_MAGIC] in (b"ustar\0", b"ustar ") and b"\0" in head[:100]  # the name is padded with zeros
    return name or ("tar" if is_tar else None)


def nothing(detail: str) -> Detected:
    """The document is no sitemap."""
    return Detected(None, findings=((Code.NOT_A_SITEMAP, detail),))


def _plain(head: bytes, *, is_robots: bool, final: bool) -> Detected:
    """Text, robots.txt, or markup behind junk."""
    if is_robots or DIRECTIVE_LINE.match(head.lstrip(BLANKS)):
        return Detected(Format.ROBOTS)
    root = _next_root(head, 0, final=final)
    listed = URL_LINE.search(head[:TEXT_HEAD])
    if listed and not (root is not None and root < listed.start()):
        return Detected(Format.TEXT)
    if root is not None:
        found = _markup(head, root, final=final)
        return found._replace(findings=((Code.LEADING_CONTENT, "junk before the document"), *found.findings))
    if not final:
        raise _More
    if b"\0" in head:
        return nothing("binary")
    return nothing("json" if head.lstrip(BLANKS)[:1] in (b"{", b"[") else "text without URLs")


def _markup(head: bytes, begin: int, *, final: bool, passed: int = 0) -> Detected:
    """A document that is markup from `begin` on: the format of its root, `passed` of which were something else."""
    at, findings = _prolog(head, begin, final=final)
    if isinstance(findings, Detected):
        return findings
    name = TAG_NAME.match(head, at)
    if not final and (name is None or name.end() == len(head)) and len(head) - at < 200:
        raise _More
    local = name[2].decode().lower() if name else ""
    if declares(head[begin:at]):
        return _refused(local)
    if local in XML_FORMATS:
        return Detected(XML_FORMATS[local], at, b"", tuple(findings), markup=True)
    if local in ("html", "head", "body"):
        return nothing("html")
    inner = _next_root(head, at + 1, final=final)
    if inner is None or passed == MOST_ROOTS:
        if not final and passed < MOST_ROOTS:
            raise _More
        return nothing(f"root element {local}" if local else "markup without a root element")
    skipped = head[at:inner]
    found = _markup(head, inner, final=final, passed=passed + 1)
    wrapped = name is not None and not DECLARATION.match(head, inner) and _is_open(skipped, name[1])
    finding = (
        (Code.NONSTANDARD_MARKUP, f"inside {local}") if wrapped else (Code.LEADING_CONTENT, "junk before the document")
    )
    return found._replace(preamble=skipped, findings=(*findings, finding, *found.findings), wrapped=wrapped)


def _is_open(markup: bytes, name: bytes) -> bool:
    """Whether the element that `markup` begins with goes on behind it."""
    return not re.match(rb"<[^<>]*/>", markup) and b"</" + name not in markup


def _prolog(head: bytes, begin: int, *, final: bool) -> tuple[int, list[tuple[Code, str]] | Detected]:
    """Where the first start tag is, and what was found on the way there; a refusal if the DOCTYPE asks for one."""
    findings: list[tuple[Code, str]] = []
    at = begin
    blanks = head[:begin].strip(b"\xef\xbb\xbf\x00")
    if blanks.isspace() and DECLARATION.match(head, at):
        findings.append((Code.LEADING_CONTENT, "blanks before the XML declaration"))
    while at < len(head):
        if head[at : at + 1].isspace():
            at += 1
        elif head.startswith(b"<?", at):
            if DECLARATION.match(head, at) and at > begin:
                findings.append((Code.LEADING_CONTENT, "content before the XML declaration"))
            end = re.compile(rb"\?>|>(?=\s*<)").search(head, at)
            at = _behind(end.end() if end else -1, final=final, head=head)
        elif head.startswith(b"<!--", at):
            at = _behind(head.find(b"-->", at + 4) + 3, final=final, head=head, missing=2)
        elif doctype := DOCTYPE.match(head, at):
            opened = head[doctype.end() : doctype.end() + 1]
            if opened == b"[":
                return at, _refused(doctype[1].decode().lower())
            findings.append((Code.DOCTYPE, doctype[1].decode()))
            at = _behind(head.find(b">", doctype.end()) + 1, final=final, head=head, missing=0)
        else:
            break
    if at >= len(head) and not final:
        raise _More
    return at, findings


def _behind(end: int, *, final: bool, head: bytes, missing: int = -1) -> int:
    """The position behind a piece of the prolog, or the end of the head if the piece has no end."""
    if end != missing:
        return end
    if not final:
        raise _More
    return len(head)


def _refused(name: str) -> Detected:
    detail = "a DOCTYPE with an internal subset"
    return Detected(XML_FORMATS.get(name), findings=((Code.DTD_FORBIDDEN, detail),), markup=True)


def _next_root(head: bytes, at: int, *, final: bool) -> int | None:
    """Where the next root of a known format, or an XML declaration, begins outside of comments."""
    while match := ROOT.search(head, at):
        if match[0] != b"<!--":
            return match.start()
        end = head.find(b"-->", match.end())
        if end < 0 and not final:
            raise _More
        at = end + 3 if end >= 0 else match.end()
    return None
