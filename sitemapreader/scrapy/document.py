"""One response as a document: its items as they are read, and its entries as the dicts that Scrapy's spiders know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..diagnostics import RULES, Code, Diagnostics, Outcome
from ..limits import Limits
from ..model import Entry, Format, SitemapRef
from ..parser import Item, SitemapParser
from ..payload import Payload
from ..records import Image, Mobile, News, Video
from ..sitemap import chunks

KINDS: dict[type, str] = {Image: "image", Video: "video", News: "news", Mobile: "mobile"}
"""Elements of which upstream shows that they are there: a key with an empty text."""


class Document:
    """Reads one body lazily; what was wrong is in `report`."""

    def __init__(
        self,
        body: bytes,
        *,
        url: str,
        requested: str,
        limits: Limits,
        content_type: str | None = None,
        cut: bool = False,
    ) -> None:
        """`url`: where it was found, `requested`: where it was asked for; `cut`: more should have come."""
        self.url = url
        self.body_size = len(body)
        self.report = Diagnostics(url, keep=limits.max_diagnostics)
        self._parser = SitemapParser(
            url, requested=requested, report=self.report, limits=limits, content_type=content_type
        )
        self._batches = self._read(body, cut)
        self._ahead: list[Sequence[Item]] = []

    def _read(self, body: bytes, cut: bool) -> Iterator[Sequence[Item]]:
        for chunk in chunks(body):
            yield from self._parser.feed(chunk)
        if cut and not self._parser.ended:
            self.report(Code.TRUNCATED, "the connection was closed early")
        yield from self._parser.close(cut=cut)

    def items(self) -> Iterator[Item]:
        """The items, in the order of the document; one pass."""
        while batch := self._next():
            yield from batch

    def _next(self) -> Sequence[Item] | None:
        return self._ahead.pop(0) if self._ahead else next(self._batches, None)

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
        """How it ended; None until it is read."""
        return self._parser.outcome

    @property
    def complete(self) -> bool:
        """Everything the document holds was delivered."""
        return self._parser.complete

    @property
    def size(self) -> int:
        """Decompressed bytes read so far."""
        return self._parser.size

    @property
    def found(self) -> int:
        """Items read so far."""
        return self._parser.entries + self._parser.refs

    @property
    def reason(self) -> str:
        """Why it is not complete, in words."""
        lossy = [found for found in self.report.kept if RULES[found.code].incomplete] or self.report.kept[-1:]
        return lossy[0].detail or lossy[0].code.value if lossy else "not read to its end"


class SitemapEntry(dict[str, Any]):
    """An entry as `sitemap_filter` gets it: a dict of texts, made to be changed, with the whole record beside it."""

    __slots__ = ("entry",)
    entry: Entry | SitemapRef
    """The record it is made of. What is done with the dict depends on which of the two it is."""


class Entries:
    """The entries of one document, for one pass; what `sitemap_filter` is given."""

    def __init__(self, document: Document, accepts: Callable[[Item], bool] = lambda item: True) -> None:
        self.url = document.url
        """Where the document was found."""
        self._document = document
        self._accepts = accepts

    @property
    def format(self) -> Format | None:
        """What the document is."""
        return self._document.format

    @property
    def type(self) -> str:
        """``sitemapindex`` or ``urlset``, which text sitemaps and feeds are too."""
        return "sitemapindex" if self.format is Format.SITEMAPINDEX else "urlset"

    def __iter__(self) -> Iterator[SitemapEntry]:
        return map(as_dict, filter(self._accepts, self._document.items()))


def as_dict(item: Item) -> SitemapEntry:
    """The texts of an item under the names of their elements; a key for nothing that the document does not have."""
    made = SitemapEntry(loc=item.loc)
    made.entry = item
    if item.lastmod_text:
        made["lastmod"] = item.lastmod_text
    if isinstance(item, SitemapRef):
        return made
    if item.changefreq:
        made["changefreq"] = item.changefreq.value
    if item.priority is not None:
        made["priority"] = str(item.priority)
    if item.extensions:
        made.update({KINDS[type(found)]: "" for found in item.extensions if type(found) in KINDS})
        if alternates := [found.href for found in item.alternates]:
            made["alternate"] = alternates
    return made


def unpacked(body: bytes, max_bytes: int) -> bytes | None:
    """A body without its compression; None if that is more than `max_bytes`."""
    payload = Payload(max_bytes=max_bytes, report=lambda code, detail="", where="": None)
    whole = b"".join([*payload.feed(body), *payload.close()])
    return None if payload.fault and payload.fault.code is Code.LIMIT_SIZE else whole
