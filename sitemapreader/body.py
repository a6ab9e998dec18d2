"""A body on its way: written as it comes by whoever fetches it, read by whoever parses it, held as it was sent.

The connection is free as soon as the body is there, however slowly its entries are asked for. What the reader has not
taken is held in memory up to a bound, and beyond that in a temporary file.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from .diagnostics import Code, Outcome

if TYPE_CHECKING:
    import asyncio

HELD = 1024 * 1024
"""Bytes of one body in memory."""
PIECE = 64 * 1024
"""Bytes read from a file at a time."""


class Fault(NamedTuple):
    """No response, or no more of one."""

    code: Code
    reason: str
    passing: bool = True
    """It may pass: to try again makes sense."""

    @property
    def outcome(self) -> Outcome:
        """How a document ends for it."""
        return Outcome.REFUSED if self.code in (Code.URL_SCHEME, Code.POLICY_ADDRESS) else Outcome.FAILED


class Body:
    """What one side adds and the other takes; either may be ahead, in threads or in asyncio."""

    def __init__(self, limit: int, signal: threading.Event | asyncio.Event | None = None) -> None:
        """`limit`: bytes as sent, beyond which nothing is kept. `signal` wakes the reader; one of its own kind."""
        self._limit = limit
        self._signal = signal or threading.Event()
        self._lock = threading.Lock()
        self._chunks: deque[bytes] = deque()
        self._held = 0
        self._file: BinaryIO | None = None
        self._taken = self._filed = 0
        self.size = 0
        """Bytes that came."""
        self.ended = False
        self.fault: Fault | None = None
        """Why it ended early, if it did; final once it has ended."""
        self.wanted = True
        """Somebody still reads it."""

    # ----------------------------------------------------------------------------------------------------- writing
    def add(self, chunk: bytes) -> bool:
        """Keep a chunk; False if there is no need for another."""
        if not chunk:  # which would be the end
            return self.wanted
        with self._lock:
            if not self.wanted:
                return False
            self.size += len(chunk)
            if self._file or self._held + len(chunk) > HELD:
                self._put_aside(chunk)
            else:
                self._chunks.append(chunk)
                self._held += len(chunk)
        self._signal.set()
        if self.size <= self._limit:
            return True
        self.end(Fault(Code.LIMIT_SIZE, "more compressed bytes than max_bytes", passing=False))
        return False

    def _put_aside(self, chunk: bytes) -> None:
        import tempfile  # as asyncio, it takes longer to import than what is read needs

        self._file = self._file or tempfile.TemporaryFile()  # noqa: SIM115, it is closed by give_up
        self._file.seek(self._filed)
        self._file.write(chunk)
        self._filed += len(chunk)

    def end(self, fault: Fault | None = None) -> None:
        """There is no more of it; what is told first counts."""
        if not self.ended:
            self.fault = fault
            self.ended = True
        self._signal.set()

    # ----------------------------------------------------------------------------------------------------- reading
    def get(self) -> bytes:
        """The next of what came, waiting for it; empty at the end."""
        while (chunk := self._pop()) is None:
            self._signal.wait()
        return chunk

    async def aget(self) -> bytes:
        """The same in asyncio."""
        while (chunk := self._pop()) is None:
            await cast("asyncio.Event", self._signal).wait()
        return chunk

    def _pop(self) -> bytes | None:
        """What is there; None if the reader has to wait for the signal."""
        self._signal.clear()
        ended = self.ended
        with self._lock:
            if self._chunks:
                chunk = self._chunks.popleft()
                self._held -= len(chunk)
                return chunk
            if self._file and self._taken < self._filed:
                self._file.seek(self._taken)
                chunk = self._file.read(min(PIECE, self._filed - self._taken))
                self._taken += len(chunk)
                return chunk
        return b"" if ended else None

    def give_up(self) -> None:
        """Nobody reads it any more."""
        with self._lock:
            self.wanted = False
            self._chunks.clear()
            if self._file:
                self._file.close()
                self._file = None


class File:
    """A body that is a local file, read as it is asked for."""

    def __init__(self, file: Path | BinaryIO) -> None:
        """Raises OSError if there is no such file."""
        self._owned = isinstance(file, Path)
        self._file = file.open("rb") if isinstance(file, Path) else file
        self.fault: Fault | None = None

    def get(self) -> bytes:
        """The next piece; empty at the end."""
        try:
            return self._file.read(PIECE)
        except (OSError, ValueError) as error:
            self.fault = Fault(Code.NETWORK, str(error))
            return b""

    async def aget(self) -> bytes:
        """The same in asyncio."""
        import asyncio

        return await asyncio.to_thread(self.get)

    def give_up(self) -> None:
        """Close it, if it was opened here."""
        if self._owned:
            self._file.close()


def pieces(body: Body | File) -> Iterator[bytes]:
    """What is left of a body, which is given up when the reader ends."""
    try:
        while chunk := body.get():
            yield chunk
    finally:
        body.give_up()
