"""Text sitemaps: one absolute URL a line (https://www.sitemaps.org/protocol.html, "other sitemap formats").

Contract: as for every reader, `feed` and `close` return the raw items that the input completes. Lines end at LF, CR or
CRLF only. A relative line is no URL here: prose would turn into pages.
"""

from __future__ import annotations

import re

from ..diagnostics import Code
from ..limits import Limits
from ..normalize import Finds, Piece, Raw, Table
from ..urls import are_clean

LINE_END = re.compile(rb"\r\n|\r|\n")
NO_LINE_END = re.compile("[\0\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
"""Some call these line ends; inside a URL they are damage."""
PLAIN_TOKEN = 64 * 1024
"""Where lines are limited to less, each is looked at."""
AROUND = " \t\xa0\u200b\u200c\u200d\u2060\ufeff"


class Lines:
    """Cuts a stream of blocks into numbered lines; of one longer than `limit` bytes nothing is kept."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pending = b""
        self._overlong = False
        self.number = 0

    def feed(self, block: bytes) -> list[bytes | None]:
        """The lines that end in `block`; None for one that is too long."""
        data = self._pending + block
        held = b"\r" if data.endswith(b"\r") else b""  # it may be half of a CRLF
        *lines, self._pending = LINE_END.split(data[: len(data) - len(held)])
        found: list[bytes | None] = [line if len(line) <= self._limit else None for line in lines]
        if found and self._overlong:
            found[0], self._overlong = None, False
        if len(self._pending) > self._limit:
            self._pending, self._overlong = b"", True
        self._pending += held
        return found

    def feed_plain(self, block: bytes) -> list[str]:
        """The same for lines that are URLs as `urls.resolve` leaves them; empty, and nothing taken, if one is not."""
        data = self._pending + block
        end = data.rfind(b"\n") + 1
        if not end or self._overlong:
            return []
        # What is not ASCII becomes characters that no URL has.
        text = data[: end - 1].decode("latin-1").replace("\r\n", "\n").removesuffix("\r")
        lines = text.split("\n")
        if not are_clean(text, len(lines)):
            return []
        self._pending = data[end:]
        return lines

    def close(self) -> list[bytes | None]:
        """The last line, if it has no end."""
        last, self._pending = self._pending, b""
        if self._overlong or last:
            return [None if self._overlong or len(last) > self._limit else last]
        return []


class TextReader:
    """Reads one text sitemap."""

    def __init__(self, limits: Limits) -> None:
        self._finds = Finds()
        self._report = self._finds.report
        self._lines = Lines(limits.max_token)
        self._may_be_plain = limits.max_token >= PLAIN_TOKEN
        self._number = 0

    def feed(self, block: bytes) -> list[Piece]:
        """Raw items of the lines that end in `block`."""
        plain = self._lines.feed_plain(block) if self._may_be_plain else []
        if not plain:
            return self._read(self._lines.feed(block))
        table = Table(plain, number=self._number + 1, unit="line")
        self._number += len(plain)
        return [table]

    def close(self, *, cut: bool = False) -> list[Piece]:
        """The last line's; where the input is cut, that line is too."""
        return [] if cut else self._read(self._lines.close())

    def _read(self, lines: list[bytes | None]) -> list[Piece]:
        for line in lines:
            self._number += 1
            if line is None:
                self._report(Code.URL_TOO_LONG, "a line longer than max_token is left out", self._where)
            elif line and (url := self._url(line)):
                self._finds.pieces.append(Raw(loc=url, number=self._number, unit="line"))
        return self._finds.take()

    @property
    def _where(self) -> str:
        return f"line {self._number}"

    def _url(self, line: bytes) -> str | None:
        """The URL a line begins with, or None after a report."""
        try:
            text = line.decode()
        except UnicodeDecodeError:
            self._report(Code.ENCODING_ERROR, "a line that is not UTF-8", self._where)
            text = line.decode("cp1252", "replace")
        text = text.strip(AROUND)
        if not text:
            return None
        url, *rest = re.split("[ \t]+", text, maxsplit=1)
        if not url.lower().startswith(("http://", "https://")):
            self._report(Code.LINE_IGNORED, text, self._where)
            return None
        if NO_LINE_END.search(url):
            self._report(Code.URL_INVALID, f"control character in {url}", self._where)
            return None
        if rest:
            self._report(Code.LINE_IGNORED, f"after the URL: {rest[0]}", self._where)
        return url
