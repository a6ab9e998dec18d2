"""From the strings a reader hands over to the typed records users get: where dates and URLs are understood.

What a string says is taken or left; nothing is guessed, and whatever is put right or left out is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from . import urls, values
from .diagnostics import Code, Reporter
from .extensions import NAMESPACES, Element, reader
from .limits import Limits
from .model import ChangeFreq, Entry, Format, ReadExtensions, SitemapRef, entries, sitemap_refs

if TYPE_CHECKING:
    from .records import Extension

T = TypeVar("T", ChangeFreq, float)


@dataclass(slots=True)
class Raw:
    """An item as it is written: strings only."""

    loc: str
    is_sitemap: bool = False
    lastmod: list[str] = field(default_factory=list)
    """All dates that may stand for it; the last that can be understood does."""
    changefreq: str = ""
    priority: str = ""
    extensions: list[Element] = field(default_factory=list)
    bases: tuple[str, ...] = ()
    """``xml:base`` from the document inwards."""
    number: int = 0
    """Position in the document, from 1."""
    unit: str = "item"
    """What `number` counts: items or lines."""
    made: tuple[Extension, ...] = ()
    """Extensions that are records already."""

    @property
    def where(self) -> str:
        """The position as diagnostics name it."""
        return f"{self.unit} {self.number}"


class Table(NamedTuple):
    """Many items as they are written, a column for each field; an empty text where an item does not have it.

    Each loc is one that `urls.resolve` leaves as it is, unless it is too long; the other texts are trimmed.
    """

    locs: Sequence[str]
    lastmods: Sequence[str] = ()
    changefreqs: Sequence[str] = ()
    priorities: Sequence[str] = ()
    number: int = 1
    """Position of the first in the document."""
    is_sitemap: bool = False
    unit: str = "item"
    extensions: Sequence[str] = ()
    """As they are written."""
    read: ReadExtensions | None = None
    """Makes records of those; there is nothing in them to report."""
    spares: Sequence[str] = ()
    """The dates that stand for lastmod where the first ones cannot be understood."""

    def raws(self) -> Iterator[Raw]:
        """The items one by one."""
        nothing = [""] * len(self.locs)
        fields = (self.spares, self.lastmods, self.changefreqs, self.priorities)
        columns = (self.locs, *(column or nothing for column in fields))
        made = [self.read(text) for text in self.extensions if self.read] or [()] * len(self.locs)
        for at, (loc, spare, lastmod, changefreq, priority) in enumerate(zip(*columns, strict=True)):
            dates = [date for date in (spare, lastmod) if date]
            raw = Raw(loc, self.is_sitemap, dates, changefreq, priority, made=made[at])
            raw.number, raw.unit = self.number + at, self.unit
            yield raw


class Finding(NamedTuple):
    """Something to report, where it stands among the items."""

    code: Code
    detail: str = ""
    where: str = ""


Piece = Raw | Table | Finding


class Finds:
    """What a reader finds, in the order of the document, however much of it was looked at to find it."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []

    def report(self, code: Code, detail: str = "", where: str = "") -> None:
        """A Reporter."""
        self.pieces.append(Finding(code, detail, where))

    def take(self) -> list[Piece]:
        """What there is, which is then forgotten."""
        pieces, self.pieces = self.pieces, []
        return pieces


class Normalizer:
    """Makes items of one document: the URL it was found at is the base of what it lists.

    `trail`: the document and its parents as they were asked for, root first.
    """

    def __init__(self, url: str, *, trail: tuple[str, ...], format: Format, report: Reporter, limits: Limits) -> None:
        self.url = url
        self.trail = trail
        self.report = report
        self.limits = limits
        is_feed = format in (Format.RSS, Format.ATOM)
        self._read_date = values.feed_date if is_feed else values.lastmod
        self._read_dates = values.feed_dates if is_feed else values.lastmods

    def item(self, raw: Raw) -> Entry | SitemapRef | None:
        """The record of a raw item; None, after a report, where no URL can be made of it."""
        loc = self._loc(raw)
        if loc is None:
            return None
        lastmod, text = self._lastmod(raw) if raw.lastmod else (None, None)
        if raw.is_sitemap:
            return SitemapRef(loc, lastmod, text, self.trail)
        return Entry(
            loc,
            lastmod,
            self._value(raw, "changefreq", raw.changefreq, values.changefreq) if raw.changefreq else None,
            self._value(raw, "priority", raw.priority, values.priority) if raw.priority else None,
            self._extensions(raw) if raw.extensions else raw.made,
            self.url,
            text,
        )

    def table(self, table: Table) -> list[Entry] | list[SitemapRef] | None:
        """The records of a table in which there is nothing to report; None if there may be."""
        locs = table.locs
        if max(map(len, locs)) > min(urls.LONG, self.limits.max_token):
            return None
        moments: Sequence[datetime | None] | repeat[None] | None = repeat(None)
        texts: Sequence[str | None] | repeat[None] = repeat(None)
        if any(table.lastmods):
            moments = self._read_dates(table.lastmods)
            texts = table.lastmods if "" not in table.lastmods else [text or None for text in table.lastmods]
        if moments is None:
            return None
        if table.is_sitemap:
            return sitemap_refs(locs, moments, texts, trail=self.trail)
        frequencies = values.changefreqs(table.changefreqs) if any(table.changefreqs) else repeat(None)
        priorities = values.priorities(table.priorities) if any(table.priorities) else repeat(None)
        if frequencies is None or priorities is None:
            return None
        columns = locs, moments, frequencies, priorities, texts
        return entries(*columns, sitemap=self.url, extensions=table.extensions, read=table.read)

    def _loc(self, raw: Raw) -> str | None:
        if "\ufffd" in raw.loc:
            self.report(Code.ENTRY_LOST, "a URL with bytes that could not be decoded", raw.where)
            return None
        base = self.url
        for inner in raw.bases:
            resolved = urls.resolve(inner, base)
            base = resolved.url or base
            if resolved.url is None and resolved.findings:
                code, detail = resolved.findings[0]
                self.report(code, f"xml:base {detail}", raw.where)
        url, findings = urls.resolve(raw.loc, base, limit=self.limits.max_token)
        for code, detail in findings:
            if code is not Code.URL_RELATIVE or not raw.bases:
                self.report(code, detail, raw.where)
        if url is None and not findings:
            self.report(Code.MISSING_LOC, "a blank URL", raw.where)
        return url

    def _lastmod(self, raw: Raw) -> tuple[datetime | None, str | None]:
        """The last date that can be understood, or the last that is written."""
        last: str | None = None
        for written in reversed(raw.lastmod):
            text = written.strip()
            if not text:
                continue
            moment, code = self._read_date(text)
            if code:
                self.report(code, text, raw.where)
            if moment:
                return moment, text
            last = last or text
        return None, last

    def _value(self, raw: Raw, name: str, text: str, parse: Callable[[str], T | None]) -> T | None:
        text = text.strip()
        value = parse(text) if text else None
        if value is None and text:
            self.report(Code.VALUE_INVALID, f"{name} {text}", raw.where)
        return value

    def _extensions(self, raw: Raw) -> tuple[Extension, ...]:
        place = _Place(self, raw)
        found = (reader(NAMESPACES[element.uri])(element, place) for element in raw.extensions)
        return tuple(extension for extension in found if extension is not None)


@dataclass(slots=True)
class _Place:
    """What extension readers may ask for: extensions.Context, for one entry."""

    normalizer: Normalizer
    raw: Raw

    def url(self, text: str) -> str | None:
        return urls.resolve(text, self.normalizer.url, limit=self.normalizer.limits.max_token).url

    def invalid(self, detail: str) -> None:
        self.normalizer.report(Code.VALUE_INVALID, detail, self.raw.where)
