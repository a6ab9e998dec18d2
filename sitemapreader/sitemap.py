"""`parse`: one document that is there, as a lazy iterator of its items. The pull side of `parser`."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, BinaryIO

from . import display, urls
from .diagnostics import Code, Diagnostic, Diagnostics, Outcome
from .errors import raise_errors
from .limits import Limits, limits_or_default
from .model import Format, plain
from .parser import Item, SitemapParser

Body = bytes | bytearray | memoryview | BinaryIO | Iterable[bytes]

CHUNK = 64 * 1024


class Sitemap:
    """The pull side: a lazy, one-pass iterator over the items of one document, as `parse` returns it."""

    def __init__(
        self,
        body: Body,
        url: str,
        *,
        content_type: str | None = None,
        limits: Limits | None = None,
        strict: bool = False,
    ) -> None:
        limits = limits_or_default(limits)
        self.url = absolute(url)
        if content_type is not None and not isinstance(content_type, str):
            raise TypeError(f"content_type must be a str or None, not {type(content_type).__name__}")
        self._report = Diagnostics(self.url, keep=limits.max_diagnostics, handler=raise_errors if strict else None)
        self._parser = SitemapParser(self.url, report=self._report, limits=limits, content_type=content_type)
        self._chunks = chunks(body)
        self._batches = self._all()
        self._ahead: list[Sequence[Item]] = []
        # A chain of C, so that nothing of Python stands between an item that is made and the loop that takes it.
        self._items = chain.from_iterable(self._delivered())

    def _all(self) -> Iterator[Sequence[Item]]:
        for chunk in self._chunks:
            yield from self._parser.feed(chunk)
        yield from self._parser.close()

    def _delivered(self) -> Iterator[Sequence[Item]]:
        """The batches, first those that were looked at for the format."""
        while self._ahead:
            yield self._ahead.pop(0)
        for batch in self._batches:
            yield batch
            while self._ahead:
                yield self._ahead.pop(0)

    def __iter__(self) -> Iterator[Item]:
        return self._items

    def __next__(self) -> Item:
        """The next item; raises DiagnosticError at the first error if the reading is strict."""
        return next(self._items)

    def __repr__(self) -> str:
        state = self.outcome.value if self.outcome else "not read to its end"
        return f"<Sitemap {self.url} {state}, {self.entries} entries, {self.refs} sitemaps so far>"

    def _repr_html_(self) -> str:
        return display.record(self)

    def to_dict(self) -> dict[str, Any]:
        """What is known so far as plain values, ready for JSON; reads nothing."""
        return {
            "url": self.url,
            "format": plain(self._parser.format),
            "outcome": plain(self.outcome),
            "complete": self.complete,
            "entries": self.entries,
            "refs": self.refs,
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }

    def head(self, n: int = 5) -> list[Item]:
        """The next `n` items; those behind them stay for later."""
        return list(islice(self, n))

    @property
    def format(self) -> Format | None:
        """What the document is; reads as much of the body as that takes. None: not a sitemap."""
        while self._parser.format is None and self._parser.outcome is None:
            batch = next(self._batches, None)
            if batch is not None:
                self._ahead.append(batch)
        return self._parser.format

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; None until exhausted."""
        return self._parser.outcome

    @property
    def complete(self) -> bool:
        """Everything the document holds was delivered; False until exhausted."""
        return self._parser.complete and not self._ahead

    @property
    def entries(self) -> int:
        """Entries read so far."""
        return self._parser.entries

    @property
    def refs(self) -> int:
        """Child sitemaps read so far."""
        return self._parser.refs

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The first `limits.max_diagnostics` so far; `counts` has all."""
        return tuple(self._report.kept)

    @property
    def counts(self) -> Counter[Code]:
        """How often each code was reported so far."""
        return Counter(self._report.counts)


def parse(
    body: Body, url: str, *, content_type: str | None = None, limits: Limits | None = None, strict: bool = False
) -> Sitemap:
    """Read one document that you have: a sitemap, an index, a feed or a robots.txt. Never touches the network.

    `body` is bytes-like, a binary file object or an iterable of bytes; gzip and any text encoding are seen to. `url` is
    the absolute URL it came from: relative URLs are resolved against it, and a path of ``/robots.txt`` makes it a
    robots file. `content_type` is the header's value; only its charset matters, and only where the document says
    nothing.

    Returns a lazy iterator of Entry and SitemapRef in document order (https://www.sitemaps.org/protocol.html). Whatever
    is wrong with the document becomes a Diagnostic; with `strict` the first error is raised as DiagnosticError.
    Raises TypeError for another kind of body, or of pieces of one, and ValueError for a URL that is not absolute.
    """
    return Sitemap(body, url, content_type=content_type, limits=limits, strict=strict)


def absolute(url: str) -> str:
    """`url` in canonical form; raises ValueError if it is not absolute."""
    if not isinstance(url, str):
        raise TypeError(f"url must be a str, not {type(url).__name__}")
    if ":" not in url or url.startswith(("/", ":")):
        raise ValueError(f"url must be absolute: {url[:200]!r}")
    return urls.resolve(url, url).url or url


def chunks(body: Body) -> Iterator[bytes]:
    """A body in any form as chunks of bytes; raises TypeError for what is none."""
    if isinstance(body, bytes | bytearray | memoryview):
        view = memoryview(body).cast("B")
        return (bytes(view[at : at + CHUNK]) for at in range(0, len(view), CHUNK))
    if isinstance(body, str):
        raise TypeError("body must be bytes, not str: the encoding is part of what is read")
    if isinstance(body, io.TextIOBase):
        raise TypeError("body must be a binary file: this one is opened as text, which decodes it")
    if hasattr(body, "read"):
        read = body.read
        return iter(lambda: read(CHUNK), b"")
    if isinstance(body, Iterable):
        return _pieces(body)
    raise TypeError(f"body must be bytes, a binary file or an iterable of bytes, not {type(body).__name__}")


def _pieces(body: Iterable[bytes]) -> Iterator[bytes]:
    for piece in body:
        if not isinstance(piece, bytes | bytearray | memoryview):
            raise TypeError(f"body must give bytes, not {type(piece).__name__}")
        yield piece
