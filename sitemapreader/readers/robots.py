"""robots.txt: nothing but its ``Sitemap:`` lines, which belong to no group (RFC 9309 and Google's robots.txt page).

The key is matched as Google's parser does, by a prefix in any case. Lines end at CR, LF or CRLF only: a Unicode line
separator in a Disallow value would let it name a sitemap.
"""

from __future__ import annotations

import re

from ..diagnostics import Code
from ..limits import Limits
from ..normalize import Finds, Piece, Raw
from ..payload import Stop
from .text import Lines

MAX_BYTES = 512_000
"""RFC 9309 asks for at least 500 KiB."""
DIRECTIVE = re.compile(r"site-?map[^\s:]*+[ \t]*+:[ \t]*(.*)", re.I | re.S)
TWO_TOKENS = re.compile(r"site-?map[^\s:]*+[ \t]++(\S+)", re.I)
SEPARATOR = re.compile(r"[ \t,]++(?:site-?map[^\s:,]*+[ \t]*+:[ \t]*)?", re.I)
HTTP = re.compile(r"https?://", re.I)
QUOTES = {'"': '"', "'": "'", "<": ">"}
MARKS = (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef")


class RobotsReader:
    """Reads one robots.txt; `markup`: it begins like HTML, in which only lines that are directives count."""

    def __init__(self, limits: Limits, *, markup: bool = False) -> None:
        self._finds = Finds()
        self._report = self._finds.report
        self._lines = Lines(limits.max_token)
        self._markup = markup
        self._left = MAX_BYTES
        self._number = 0
        self._found = False

    def feed(self, block: bytes) -> list[Piece]:
        """Raw items of the lines that end in `block`; raises Stop at the size limit."""
        data = block[: self._left]
        self._left -= len(data)
        self._read(self._lines.feed(data))
        found = self._finds.take()
        if len(data) < len(block):
            raise Stop(Code.LIMIT_SIZE, f"more than {MAX_BYTES:,} bytes of robots.txt", carried=found)
        return found

    def close(self, *, cut: bool = False) -> list[Piece]:
        """The last line's; where the input is cut, that line is too."""
        if not cut:
            self._read(self._lines.close())
        if self._markup and not self._found:
            self._report(Code.NOT_A_SITEMAP, "html")
        return self._finds.take()

    def _read(self, lines: list[bytes | None]) -> None:
        for line in lines:
            self._number += 1
            if line is None:
                self._report(Code.URL_TOO_LONG, "a line longer than max_token is left out", f"line {self._number}")
            for url in self._urls(line) if line else ():
                self._finds.pieces.append(Raw(loc=url, is_sitemap=True, number=self._number, unit="line"))
                self._found = True

    def _urls(self, line: bytes) -> list[str]:
        """The sitemaps a line names."""
        for mark in MARKS[: None if self._number == 1 else 1]:
            line = line.removeprefix(mark)
        line = line.partition(b"\0")[0].partition(b"#")[0].strip(b" \t\x0b\x0c")
        text = self._decode(line)
        named = DIRECTIVE.fullmatch(text) or TWO_TOKENS.fullmatch(text)
        if named:
            return self._values(named[1].strip(" \t"))
        if not self._markup and HTTP.match(text) and "sitemap" in text.lower() and not re.search(r"\s", text):
            return [text]
        return []

    def _decode(self, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError:
            self._report(Code.ENCODING_ERROR, "a line that is not UTF-8", f"line {self._number}")
            text = line.decode("utf-8", "surrogateescape")
            # RFC 9309, 2.2.2: octets that are not UTF-8 stand for themselves, percent-encoded.
            return re.sub("[\udc80-\udcff]", lambda match: f"%{ord(match[0]) - 0xDC00:02X}", text)

    def _values(self, value: str) -> list[str]:
        where = f"line {self._number}"
        unquoted = value[1:-1].strip(" \t") if len(value) > 1 and QUOTES.get(value[0]) == value[-1] else value
        if not unquoted:
            self._report(Code.LINE_IGNORED, "a Sitemap line without a value", where)
            return []
        if unquoted != value:
            self._report(Code.URL_REPAIRED, f"quotes: {value}", where)
        several = [token for token in SEPARATOR.split(unquoted) if token]
        return several if len(several) > 1 and all(HTTP.match(token) for token in several) else [unquoted]
