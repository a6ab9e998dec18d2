"""One document, from its bytes to its items: payload, charset, detection, reader and normalizer in a row. No I/O."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from . import urls
from .charset import Transcoder, sniff
from .diagnostics import Code, Diagnostic, Diagnostics, Outcome
from .errors import raise_errors
from .limits import MIB, Limits
from .model import Entry, Format, SitemapRef
from .normalize import Normalizer, Raw
from .payload import Payload, Stop
from .readers import FORMATS, Reader
from .readers.detect import archive, detect

Body = bytes | bytearray | memoryview | BinaryIO | Iterable[bytes]
Item = Entry | SitemapRef
OnText = Callable[[str, bytes, str], object]
"""Is shown the text of a document block by block: its URL, the block as UTF-8, the encoding it was in."""

CHUNK = 64 * 1024
PROTOCOL_ITEMS = 50_000
PROTOCOL_BYTES = 50 * MIB
XML_TYPES = ("xml", "gzip", "octet-stream", "force-download", "x-download")
TEXT_TYPES = ("plain", *XML_TYPES[1:])


class SitemapParser:
    """The push side: bytes in by `feed`, items out. Iterate what `feed` and `close` return to the end, in order."""

    def __init__(
        self,
        url: str,
        *,
        report: Diagnostics,
        limits: Limits,
        requested: str = "",
        content_type: str | None = None,
        content_encoding: str = "",
        trail: tuple[str, ...] = (),
        on_text: OnText | None = None,
    ) -> None:
        self.url = url
        self.format: Format | None = None
        self.outcome: Outcome | None = None
        self.entries = 0
        self.refs = 0
        self.report = report
        self._limits = limits
        self._on_text = on_text
        self._trail = (*trail, requested or url)
        self._content_type = content_type
        self._coded = bool(content_encoding)
        self._is_robots = is_robots_url(requested or url)
        self._payload = Payload(max_bytes=limits.max_bytes, report=report, content_encoding=content_encoding)
        self._transcoder: Transcoder | None = None
        self._encoding = ""
        self._head = b""
        self._reader: Reader | None = None
        self._normalizer: Normalizer | None = None
        self._ended = False
        self._listed: set[str] = set()

    @property
    def size(self) -> int:
        """Decompressed bytes read so far."""
        return self._payload.size

    @property
    def complete(self) -> bool:
        """Everything the document holds was delivered."""
        return self.outcome is Outcome.OK and not self.report.incomplete

    def feed(self, data: bytes) -> Iterator[Item]:
        """The items that `data` completes."""
        if self._ended:
            return
        for block in self._payload.feed(data):
            yield from self._block(block)
            if self._ended:
                return

    def close(self, *, cut: bool = False) -> Iterator[Item]:
        """The items that the end of the input completes; `cut`: it is early, and that is reported already."""
        if self.outcome is not None:
            return
        # Behind the place where the reader has ended, nothing of the body matters, its faults included.
        for block in () if self._ended else self._payload.close():
            yield from self._block(block)
        if not self._ended:
            yield from self._finish(cut=cut or self._payload.stopped)
        self._settle()

    # ----------------------------------------------------------------------------------------------------- inside
    def _finish(self, *, cut: bool) -> Iterator[Item]:
        """The items of what is left in the stages, from the first to the last."""
        last = self._transcoder.feed(b"", final=True) if self._transcoder else b""
        if self._reader is None:
            self._head += last
            yield from self._start(final=True, cut=cut)
        else:
            yield from self._read(self._reader.feed, last)
        reader = self._reader
        if reader and not self._ended:
            yield from self._read(lambda _: reader.close(cut=cut), b"")

    def _block(self, block: bytes) -> Iterator[Item]:
        if self._ended:
            return
        if self._transcoder is None:
            if name := archive(block):
                self.report(Code.NOT_A_SITEMAP, name)
                self._ended = True
                return
            encoding = sniff(block, content_type=self._content_type, report=self.report, fixed=self._is_robots)
            self._transcoder = Transcoder(encoding, self.report)
            self._encoding = encoding.name
            block = block[encoding.skip :]
        data = self._transcoder.feed(block)
        if self._on_text:
            self._on_text(self.url, data, self._encoding)
        if self._reader:
            yield from self._read(self._reader.feed, data)
        else:
            self._head += data
            yield from self._start(final=False)

    def _start(self, *, final: bool, cut: bool = False) -> Iterator[Item]:
        """Find the reader by the head, as soon as that tells, and give it the head."""
        if not self._head.strip(b" \t\r\n\x0b\x0c\xef\xbb\xbf\x00"):
            if final and not cut:
                self.report(Code.EMPTY, "nothing but white space" if self._head else "no bytes")
            return
        detected = detect(self._head, is_robots=self._is_robots, final=final)
        if detected is None:
            return
        self.format = detected.format
        for code, detail in detected.findings:
            self.report(code, detail)
        head, self._head = self._head[detected.start :], b""
        if detected.format is None or self.report.counts[Code.DTD_FORBIDDEN]:
            self._ended = True
            return
        self._check_type(detected.format)
        self._reader = FORMATS[detected.format](detected, self.report, self._limits)
        self._normalizer = Normalizer(
            self.url, trail=self._trail, format=detected.format, report=self.report, limits=self._limits
        )
        yield from self._read(self._reader.feed, head)

    def _read(self, step: Callable[[bytes], list[Raw]], data: bytes) -> Iterator[Item]:
        """The items of one step of the reader; a Stop comes after those it carries."""
        try:
            raws, stop = step(data), None
        except Stop as error:
            raws, stop = list(error.carried), error
        yield from self._items(raws)
        if stop and not self._ended:
            self.report(stop.code, stop.detail, stop.where)
            self._ended = True
        if self._payload.size > PROTOCOL_BYTES:
            self._over_protocol("more than 50 MB")

    def _items(self, raws: list[Raw]) -> Iterator[Item]:
        assert self._normalizer is not None
        most = self._limits.max_entries_per_sitemap
        for raw in raws:
            if most is not None and self.entries + self.refs >= most:
                self.report(Code.LIMIT_ENTRIES, "more items than max_entries_per_sitemap")
                self._ended = True
                return
            item = self._normalizer.item(raw)
            if item is None or (self.format is Format.ROBOTS and self._is_repeated(item.loc, raw.where)):
                continue
            if isinstance(item, Entry):
                self.entries += 1
            else:
                self.refs += 1
            if self.entries + self.refs == PROTOCOL_ITEMS + 1:
                self._over_protocol("more than 50,000 items")
            yield item

    def _is_repeated(self, loc: str, where: str) -> bool:
        """Whether a robots.txt named this before; the first one counts, and itself is none."""
        loc = urls.without_fragment(loc)
        if loc in self._listed or loc == self.url:
            self.report(Code.DUPLICATE, loc, where)
            return True
        self._listed.add(loc)
        return False

    def _over_protocol(self, detail: str) -> None:
        if not self.report.counts[Code.PROTOCOL_LIMIT]:
            self.report(Code.PROTOCOL_LIMIT, detail)

    def _check_type(self, format: Format) -> None:
        """Say so where name or type contradict the bytes; they decide nothing."""
        is_text = format in (Format.TEXT, Format.ROBOTS)
        name = urls.split(self.url).path.rpartition("/")[2].lower()
        packed = self._payload.compressed and not self._coded
        kind = (self._content_type or "").partition(";")[0].strip().lower()
        if kind and not kind.endswith(TEXT_TYPES if is_text else XML_TYPES):
            self.report(Code.CONTENT_MISMATCH, f"Content-Type {kind} over {format.value}")
        elif name.endswith(".gz") and not self._payload.compressed:
            self.report(Code.CONTENT_MISMATCH, "a .gz name over a body that is not compressed")
        elif packed and (kind.endswith(("xml", "plain")) or ("." in name and not name.endswith(".gz"))):
            self.report(Code.CONTENT_MISMATCH, "a compressed body under the name or type of a plain one")
        if self._encoding != "utf-8" and (is_text or self._encoding.startswith("utf-32")):
            self.report(Code.ENCODING_NOT_UTF8, "not UTF-8")

    def _settle(self) -> None:
        outcome = self.report.outcome or Outcome.OK
        if outcome is Outcome.FAILED and self.entries + self.refs:
            outcome = Outcome.TRUNCATED
        self.outcome = outcome
        self._ended = True
        self._reader = None


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
        limits = limits or Limits()
        self.url = absolute(url)
        self._report = Diagnostics(self.url, keep=limits.max_diagnostics, handler=raise_errors if strict else None)
        self._parser = SitemapParser(self.url, report=self._report, limits=limits, content_type=content_type)
        self._chunks = chunks(body)
        self._items = self._all()
        self._ahead: deque[Item] = deque()

    def _all(self) -> Iterator[Item]:
        for chunk in self._chunks:
            yield from self._parser.feed(chunk)
        yield from self._parser.close()

    def __iter__(self) -> Sitemap:
        return self

    def __next__(self) -> Item:
        """The next item; raises DiagnosticError at the first error if the reading is strict."""
        return self._ahead.popleft() if self._ahead else next(self._items)

    def __repr__(self) -> str:
        state = self.outcome.value if self.outcome else "not read to its end"
        return f"<Sitemap {self.url} {state}, {self.entries} entries, {self.refs} sitemaps so far>"

    @property
    def format(self) -> Format | None:
        """What the document is; reads as much of the body as that takes. None: not a sitemap."""
        while self._parser.format is None and self._parser.outcome is None:
            item = next(self._items, None)
            if item is not None:
                self._ahead.append(item)
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
    Raises TypeError for another kind of body and ValueError for a URL that is not absolute.
    """
    return Sitemap(body, url, content_type=content_type, limits=limits, strict=strict)


def absolute(url: str) -> str:
    """`url` in canonical form; raises ValueError if it is not absolute."""
    if not isinstance(url, str):
        raise TypeError(f"url must be a str, not {type(url).__name__}")
    if ":" not in url or url.startswith(("/", ":")):
        raise ValueError(f"url must be absolute: {url[:200]!r}")
    return urls.resolve(url, url).url or url


def is_robots_url(url: str) -> bool:
    """Whether a URL is that of a robots.txt (RFC 9309, 2.3)."""
    path = urls.split(url).path
    return path == "/robots.txt" or (path.startswith("file:") and path.endswith("/robots.txt"))


def chunks(body: Body) -> Iterator[bytes]:
    """A body in any form as chunks of bytes; raises TypeError for what is none."""
    if isinstance(body, bytes | bytearray | memoryview):
        view = memoryview(body).cast("B")
        return (bytes(view[at : at + CHUNK]) for at in range(0, len(view), CHUNK))
    if isinstance(body, str):
        raise TypeError("body must be bytes, not str: the encoding is part of what is read")
    if hasattr(body, "read"):
        read = body.read
        return iter(lambda: read(CHUNK), b"")
    if isinstance(body, Iterable):
        return iter(body)
    raise TypeError(f"body must be bytes, a binary file or an iterable of bytes, not {type(body).__name__}")
