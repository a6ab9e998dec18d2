"""URLs that were met before, in bounded memory."""

from __future__ import annotations

MOST = 1_000_000
"""URLs that are remembered, at some 100 bytes each."""


class Seen:
    """Remembers the first `most` URLs by a hash of 64 bits, each with the document that listed it."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._numbers: dict[str, int] = {}
        self._first: dict[int, int] = {}
        self.dropped = 0
        """URLs that were not compared with later ones."""

    def add(self, loc: str, sitemap: str) -> bool | None:
        """Whether `loc` was met before: None: no, True: in another document, False: in the same."""
        number = self._numbers.setdefault(sitemap, len(self._numbers))
        key = hash(loc)
        first = self._first.get(key)
        if first is not None:
            return first != number
        if len(self._first) < self._most:
            self._first[key] = number
        else:
            self.dropped += 1
        return None
