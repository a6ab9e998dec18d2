"""The part of a document that a reader still holds; positions are those in the document."""

from __future__ import annotations


class Held:
    """Grows by `data` at its end, and forgets at its beginning."""

    def __init__(self, line: int) -> None:
        """`line`: number of the line that the document begins in."""
        self.data = b""
        self.start = 0
        """Position of the first byte of `data`."""
        self._line, self._line_at = line, 0
        """Number of a line, and a position in it."""
        self._last_line = line
        """Number of the line at the end."""

    def add(self, block: bytes) -> None:
        """Hold more of the document."""
        self.data += block
        self._last_line += _line_ends(block)

    @property
    def end(self) -> int:
        """Position behind the last byte."""
        return self.start + len(self.data)

    def piece(self, start: int, end: int) -> bytes:
        """The bytes between two positions."""
        return self.data[start - self.start : end - self.start]

    def line_at(self, position: int) -> int:
        """The number of the line there; counted from the last that was asked for, since they are near each other."""
        known, asked = max(0, self._line_at - self.start), max(0, position - self.start)
        lines = _line_ends(self.data[min(known, asked) : max(known, asked)])
        self._line += lines if position >= self._line_at else -lines
        self._line_at = position
        return self._line

    def forget(self, until: int) -> None:
        """Hold no more of what is before a position."""
        if until > self.start:
            self.data = self.data[until - self.start :]
            self.start = until
            if until > self._line_at:
                self._line, self._line_at = self._last_line - _line_ends(self.data), until


def _line_ends(data: bytes) -> int:
    # `count` looks at each byte, this jumps from one to the next.
    return len(data) - len(data.replace(b"\n", b""))
