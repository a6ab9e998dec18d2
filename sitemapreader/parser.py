"""One document, from its bytes to its items: payload, charset, detection, reader and normalizer in a row. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from . import urls
from .charset import Transcoder, sniff
from .diagnostics import Code, Diagnostics, Outcome
from .errors import DiagnosticError
from .limits import MIB, Limits
from .model import Entry, Format, SitemapRef
from .normalize import Normalizer, Piece, Raw, Table
from .payload import Payload, Stop
from .readers import FORMATS, Reader
from .readers.detect import archive, detect

Item = Entry | SitemapRef
OnText = Callable[[str, bytes, str], object]
"""Is shown the text of a document block by block: its URL, the block as UTF-8, the encoding it was in."""

PROTOCOL_ITEMS = 50_000
PROTOCOL_BYTES = 50 * MIB
XML_TYPES = ("xml", "gzip", "octet-stream", "force-download", "x-download")
TEXT_TYPES = ("plain", *XML_TYPES[1:])


class SitemapParser:
    """The push side: bytes in by `feed`, items out, some at a time; iterate what `feed` and `close` return."""

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
    def ended(self) -> bool:
        """Nothing more of the input makes any difference."""
        return self._ended or self._payload.done

    @property
    def complete(self) -> bool:
        """Everything the document holds was delivered."""
        return self.outcome is Outcome.OK and not self.report.incomplete

    def feed(self, data: bytes) -> Iterator[Sequence[Item]]:
        """The items that `data` completes, in order."""
        if self._ended:
            return
        for block in self._payload.feed(data):
            yield from self._block(block)
            if self._ended:
                return

    def close(self, *, cut: bool = False) -> Iterator[Sequence[Item]]:
        """The items that the end of the input completes; `cut`: it is early, and that is reported already."""
        if self.outcome is not None:
            return
        # Behind the place where the reader has ended, nothing of the body matters, its faults included.
        for block in () if self._ended else self._payload.close():
            yield from self._block(block)
        if not self._ended:
            fault = self._payload.fault
            yield from self._finish(cut=cut or fault is not None)
            if fault and not self._ended:
                self.report(fault.code, fault.detail, fault.where)
        self._settle()

    # ----------------------------------------------------------------------------------------------------- inside
    def _finish(self, *, cut: bool) -> Iterator[Sequence[Item]]:
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

    def _block(self, block: bytes) -> Iterator[Sequence[Item]]:
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

    def _start(self, *, final: bool, cut: bool = False) -> Iterator[Sequence[Item]]:
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
        self._reader = FORMATS[detected.format](detected, self._limits)
        self._normalizer = Normalizer(
            self.url, trail=self._trail, format=detected.format, report=self.report, limits=self._limits
        )
        yield from self._read(self._reader.feed, head)

    def _read(self, step: Callable[[bytes], Sequence[Piece]], data: bytes) -> Iterator[Sequence[Item]]:
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

    def _items(self, pieces: Iterable[Piece]) -> Iterator[Sequence[Item]]:
        """The items of what a reader found, as they come: those before an error that is raised come first."""
        made: list[Item] = []
        try:
            for piece in pieces:
                if isinstance(piece, Table):
                    self._add_table(piece, made)
                elif isinstance(piece, Raw):
                    self._add(piece, made)
                else:
                    self.report(*piece)
                if self._ended:
                    break
        except DiagnosticError:
            yield made
            raise
        if made:
            yield made

    def _add_table(self, table: Table, made: list[Item]) -> None:
        """Add the items of a table: all at once, or if there is something to report, one by one."""
        assert self._normalizer is not None
        items: Sequence[Item] | None = self._normalizer.table(table)
        if items is None:
            for raw in table.raws():
                if not self._ended:
                    self._add(raw, made)
            return
        most = self._limits.max_entries_per_sitemap
        if most is not None and self.entries + self.refs + len(items) > most:
            items = items[: most - self.entries - self.refs]
            self._count(items, table.is_sitemap)
            self.report(Code.LIMIT_ENTRIES, "more items than max_entries_per_sitemap")
            self._ended = True
        else:
            self._count(items, table.is_sitemap)
        made += items

    def _add(self, raw: Raw, made: list[Item]) -> None:
        """Add the item of one raw item, if it has one and it is not one too many."""
        assert self._normalizer is not None
        most = self._limits.max_entries_per_sitemap
        if most is not None and self.entries + self.refs >= most:
            self.report(Code.LIMIT_ENTRIES, "more items than max_entries_per_sitemap")
            self._ended = True
            return
        item = self._normalizer.item(raw)
        if item is None or (self.format is Format.ROBOTS and self._is_repeated(item.loc, raw.where)):
            return
        self._count((item,), isinstance(item, SitemapRef))
        made.append(item)

    def _count(self, items: Sequence[Item], are_sitemaps: bool) -> None:
        before = self.entries + self.refs
        if are_sitemaps:
            self.refs += len(items)
        else:
            self.entries += len(items)
        if before <= PROTOCOL_ITEMS < before + len(items):
            self._over_protocol("more than 50,000 items")

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


def is_robots_url(url: str) -> bool:
    """Whether a URL is that of a robots.txt (RFC 9309, 2.3)."""
    path = urls.split(url).path
    return path == "/robots.txt" or (path.startswith("file:") and path.endswith("/robots.txt"))
