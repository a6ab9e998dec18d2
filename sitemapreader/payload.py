"""From bytes as fetched to bytes as written: compression by magic bytes, one budget, blocks at fixed places.

Contract: `feed` takes any chunking and gives blocks whose limits depend on the position alone, so that nothing that
reads them can tell how the bytes arrived. Memory is bounded by a block for each layer. After a fault that ends the
document `done` is true, what came before it has been given, and `fault` says what it is.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from .diagnostics import Code, Reporter

FIRST_BLOCK = 4 * 1024
"""Small at first, so that the first entry does not wait for much input; then as long as all before it, up to BLOCK."""
BLOCK = 64 * 1024
SLICE = 4 * 1024
MAX_CODINGS = 2
MAX_GZIP_LAYERS = 2
MAX_MEMBERS = 1000
MAX_EMPTY_MEMBERS = 200_000
"""Empty ones cost time and hold nothing; some appending writers leave many."""
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
GZIP_WBITS, ZLIB_WBITS, RAW_WBITS = 31, 15, -15
UNDECODABLE = {"br", "zstd"}
KNOWN_CODINGS = {"gzip", "x-gzip", "deflate", *UNDECODABLE}


class Grid:
    """Cuts a stream into blocks at positions that do not depend on how it arrives."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._size = FIRST_BLOCK
        self._cut = 0
        """Position of the last cut."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The blocks that `data` completes."""
        if not self._pending and len(data) == self._size:
            self._grow()
            yield bytes(data)  # no copy, if it is what it says
            return
        self._pending += data
        at = 0
        while len(self._pending) - at >= self._size:
            with memoryview(self._pending) as pending:
                block = bytes(pending[at : at + self._size])
            at += self._size
            self._grow()
            yield block
        del self._pending[:at]

    def _grow(self) -> None:
        self._cut += self._size
        self._size = min(self._cut, BLOCK)

    def rest(self) -> bytes:
        """What is left at the end."""
        rest = bytes(self._pending)
        self._pending.clear()
        return rest


class Budget:
    """Bytes that may still come out, over all layers."""

    def __init__(self, size: int) -> None:
        self.left = size

    def take(self, data: bytes) -> bytes:
        """`data`, or what of it the budget allows."""
        if len(data) > self.left:
            data = data[: self.left]
        self.left -= len(data)
        return data


class Stop(Exception):
    """The document ends here; carries the code and detail to report, and never leaves the library."""

    def __init__(self, code: Code, detail: str = "", where: str = "", *, carried: Sequence[Any] = ()) -> None:
        super().__init__(code, detail, where)
        self.code, self.detail, self.where = code, detail, where
        self.carried = carried
        """What was read before."""


class Inflater:
    """Undoes one layer of gzip (all its members), zlib or raw deflate."""

    def __init__(self, wbits: int, report: Reporter) -> None:
        self._wbits = wbits
        self._report = report
        self._decoder = zlib.decompressobj(wbits)
        self._members = 1
        self._full = 0
        self._came = False
        """The member has held something."""
        self._between = b""
        self._trailing = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What `data` inflates to, in pieces of at most a block; raises Stop at damage, after what came before it."""
        # zlib copies what it does not use, at the end of each member: little at a time keeps many members linear.
        for at in range(0, len(data), SLICE):
            yield from self._feed(data[at : at + SLICE])

    def _feed(self, data: bytes) -> Iterator[bytes]:
        while data and not self._trailing:
            if self._decoder.eof:
                data = self._next_member(self._between + data)
                continue
            # A failing call takes its output with it: it is repeated from here byte by byte, to have all there is.
            saved = self._decoder.copy()
            try:
                output = self._decoder.decompress(data, BLOCK)
            except zlib.error as error:
                yield from salvage(saved, data)
                raise Stop(Code.COMPRESSION_ERROR, str(error)) from None
            if output:
                self._came = True
                yield output
            data = self._decoder.unused_data if self._decoder.eof else self._decoder.unconsumed_tail

    def _next_member(self, data: bytes) -> bytes:
        """Start the next member if `data` opens one; what follows the last member is ignored."""
        self._between = b""
        if self._wbits == GZIP_WBITS and len(data) < len(GZIP) and GZIP.startswith(data):
            self._between = data
            return b""
        if self._wbits == GZIP_WBITS and data.startswith(GZIP):
            self._members += 1
            self._full += self._came
            self._came = False
            if self._full > MAX_MEMBERS or self._members > MAX_EMPTY_MEMBERS:
                raise Stop(Code.COMPRESSION_ERROR, "too many gzip members")
            self._decoder = zlib.decompressobj(self._wbits)
            return data
        self._report(Code.TRAILING_CONTENT, "bytes after the end of the compressed data")
        self._trailing = True
        return b""

    def close(self) -> None:
        """Raises Stop if the data ended early."""
        if self._between:
            self._report(Code.TRAILING_CONTENT, "bytes after the end of the compressed data")
        elif not self._decoder.eof:
            raise Stop(Code.TRUNCATED, "the compressed data ends early")


def salvage(decoder: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """What comes out of `data` before the damage in it."""
    try:
        for byte in data:
            yield decoder.decompress(bytes((byte,)))
    except zlib.error:
        return


class Layer:
    """One layer of the body: an inflater with the next layer behind it, or the bytes themselves."""

    def __init__(
        self,
        budget: Budget,
        report: Reporter,
        *,
        codings: tuple[str, ...] = (),
        allowed: int = MAX_GZIP_LAYERS,
        inner: bool = False,
    ) -> None:
        self._budget = budget
        self._report = report
        self._codings = codings
        self._allowed = allowed
        self._inner = inner
        self._grid = Grid()
        self._inflater: Inflater | None = None
        self._next: Layer | None = None
        self._started = False
        self._refused = False

    @property
    def compressed(self) -> bool:
        """The layer is one of compression."""
        return self._inflater is not None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The blocks that `data` completes; raises Stop after the last of a document that ends in a fault."""
        for block in self._grid.feed(data):
            yield from self._block(block)

    def close(self) -> Iterator[bytes]:
        """What is left; raises Stop if there should be more."""
        rest = self._grid.rest()
        if rest:
            yield from self._block(rest)
        if self._inflater is None or self._next is None:
            return
        try:
            self._inflater.close()
        except Stop:
            yield from quietly(self._next.close())
            raise
        yield from self._next.close()

    def _block(self, block: bytes) -> Iterator[bytes]:
        if not self._started:
            self._started = self._refused = True
            self._start(block)
            self._refused = False
        if self._refused:
            return
        if self._inflater is None or self._next is None:
            yield from (block,) if self._inner else self._charge(block)
            return
        try:
            for piece in self._inflater.feed(block):
                for part in self._charge(piece):
                    yield from self._next.feed(part)
        except Stop:
            yield from quietly(self._next.close())
            raise

    def _charge(self, data: bytes) -> Iterator[bytes]:
        part = self._budget.take(data)
        if part:
            yield part
        if len(part) < len(data):
            raise Stop(Code.LIMIT_SIZE, "more decompressed bytes than max_bytes")

    def _start(self, head: bytes) -> None:
        """Decide by the first bytes what this layer is; what the headers say only breaks ties."""
        coding = self._codings[-1] if self._codings else ""
        if head.startswith(GZIP):
            allowed = self._allowed - (coding not in ("gzip", "x-gzip"))
            if allowed < 0:
                raise Stop(Code.COMPRESSION_ERROR, "too many layers of gzip")
            if allowed == 0:
                self._report(Code.CONTENT_MISMATCH, "gzip within gzip")
            self._open(GZIP_WBITS, allowed)
        elif coding == "deflate" and not plain_start(head):
            is_zlib = head[0] & 0x0F == 8 and int.from_bytes(head[:2].ljust(2), "big") % 31 == 0
            self._open(ZLIB_WBITS if is_zlib else RAW_WBITS, self._allowed)
        elif coding in UNDECODABLE and not plain_start(head):
            raise Stop(Code.COMPRESSION_ERROR, f"Content-Encoding {coding} cannot be undone")
        elif coding:
            self._report(Code.CONTENT_MISMATCH, f"Content-Encoding {coding} over a body that is not")

    def _open(self, wbits: int, allowed: int) -> None:
        self._inflater = Inflater(wbits, self._report)
        self._next = Layer(self._budget, self._report, codings=self._codings[:-1], allowed=allowed, inner=True)


def quietly(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks of a document that has a fault already: a second one says nothing new."""
    with contextlib.suppress(Stop):
        yield from blocks


def plain_start(head: bytes) -> bool:
    """Markup or a URL: no compressed data starts like this."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:4].lower().startswith((b"<", b"http"))


class Payload:
    """The whole body: any chunking in, blocks of the document as written out."""

    def __init__(self, *, max_bytes: int, report: Reporter, content_encoding: str = "") -> None:
        names = (name.strip().lower() for name in content_encoding.split(","))
        codings = tuple(name for name in names if name and name != "identity")
        self._budget = Budget(max_bytes)
        self._max_bytes = max_bytes
        self._report = report
        self.done = False
        self.fault: Stop | None = None
        """Why the end of the body is not the end of what it holds; to be reported behind what came before it."""
        if len(codings) > MAX_CODINGS:
            self._stop(Stop(Code.COMPRESSION_ERROR, "too many content codings"))
        known = tuple(name for name in codings if name in KNOWN_CODINGS)
        if known != codings:
            report(Code.CONTENT_MISMATCH, f"unknown Content-Encoding {content_encoding}")
        self._layer = Layer(self._budget, report, codings=known)

    @property
    def size(self) -> int:
        """Bytes that came out so far."""
        return self._max_bytes - self._budget.left

    @property
    def compressed(self) -> bool:
        """The body came compressed."""
        return self._layer.compressed

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The blocks that `data` completes."""
        if not self.done:
            yield from self._until_stop(self._layer.feed(data))

    def close(self) -> Iterator[bytes]:
        """What is left; to be called at the end of the input."""
        if not self.done:
            yield from self._until_stop(self._layer.close())
        self.done = True

    def _until_stop(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        try:
            yield from blocks
        except Stop as stop:
            self._stop(stop)

    def _stop(self, stop: Stop) -> None:
        self.done = True
        self.fault = stop
