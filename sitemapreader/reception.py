"""One document on its way into a walk: its body piece by piece in, the entries that the policy keeps out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from . import urls
from .body import Fault
from .diagnostics import Code
from .discovery import PAGE
from .model import Entry
from .parser import Item, SitemapParser
from .policy import Source
from .report import SitemapReport

if TYPE_CHECKING:
    from .walk import Node, Walk


Batch = list[Entry]
"""Some entries at a time, in order; never none."""


def by_name(headers: Mapping[str, str] | None) -> dict[str, str]:
    """Headers by name in lower case; raises TypeError for names that are bytes, under which nothing would be found."""
    named = {name.lower(): value for name, value in (headers or {}).items()}
    if not all(isinstance(name, str) for name in named):
        raise TypeError("headers must have names of str, not bytes")
    return named


class Reception:
    """Feed it and close it; then the walk knows the document's children, and its row of the report is filled in."""

    def __init__(self, walk: Walk, node: Node, row: SitemapReport, headers: Mapping[str, str]) -> None:
        """`headers` of the response, by name in lower case."""
        self._walk = walk
        self._node = node
        self._row = row
        self._headers = headers
        self._report = walk.diagnostics(row.url)
        self._children = 0
        self._page = bytearray() if node.page else None
        self._repeated = not walk.arrived(row)
        if self._repeated:
            self._report(Code.DUPLICATE, f"{row.requested} is redirected here")
            row.speculative = True
        if urls.host(row.url) != urls.host(row.requested):
            self._report(Code.CROSS_HOST, f"redirected to {row.url}")
        trail = node.ref.trail
        self._judge = walk.policy.judge(
            Source(url=row.url, requested=row.requested, trail=trail, site=walk.start, hosts=self._hosts())
        )
        self._parser = SitemapParser(
            row.url,
            requested=row.requested,
            report=self._report,
            limits=walk.limits,
            content_type=headers.get("content-type"),
            content_encoding=headers.get("content-encoding", ""),
            trail=trail,
            on_text=walk.on_text,
        )

    def _hosts(self) -> frozenset[str]:
        """The site's hosts, for a document that is on one of them."""
        hosts = self._walk.hosts
        return hosts if urls.host(self._row.requested) in hosts else frozenset()

    def read(self, body: Iterator[bytes], *, fault: Callable[[], Fault | None] = lambda: None) -> Iterator[Batch]:
        """The entries of a body in chunks; `fault`, asked at its end: why that is early, if it is."""
        self.begin()
        try:
            for chunk in body:
                yield from self.feed(chunk)
                if self.ended:
                    break
            yield from self.close(fault=fault())
        finally:
            self.end()

    def begin(self) -> None:
        """The body is being read."""
        self._walk.began(self._node)

    def end(self) -> None:
        """The body is read, or given up."""
        self._fill()
        self._walk.ended(self._node)

    @property
    def ended(self) -> bool:
        """Nothing more of the body makes any difference."""
        wants_page = self._page is not None and len(self._page) < PAGE
        return self._repeated or (self._parser.ended and not wants_page)

    def feed(self, chunk: bytes) -> Iterator[Batch]:
        """The entries that `chunk` completes."""
        if self._repeated:
            return
        if self._page is not None and len(self._page) < PAGE:
            self._page += chunk[: PAGE - len(self._page)]
        before = self._parser.size
        yield from self._entries(self._parser.feed(chunk))
        self._walk.bytes += self._parser.size - before
        self._walk.progress("reading", self._row.requested)

    def close(self, *, fault: Fault | None = None) -> Iterator[Batch]:
        """The entries that the end of the body completes; `fault`: why it is early, if it is."""
        if self._repeated:
            return
        if fault and not self._parser.ended:
            self._report(fault.code, fault.reason)
        before = self._parser.size
        yield from self._entries(self._parser.close(cut=fault is not None))
        self._walk.bytes += self._parser.size - before
        self._fill()
        page = None if self._page is None else bytes(self._page)
        self._walk.closed(self._node, self._row, page, self._headers)

    def _entries(self, batches: Iterator[Sequence[Item]]) -> Iterator[Batch]:
        for items in batches:
            kept = self._walk.keep(self._judged(items))
            if kept:
                yield kept
            if self._walk.stopped:
                return

    def _judged(self, items: Sequence[Item]) -> Batch:
        """The entries that the policy's rules keep; sitemaps go to the walk."""
        if self._parser.refs == self._children:
            entries = cast(Sequence[Entry], items)
        else:
            entries = [item for item in items if isinstance(item, Entry)]
            for item in items:
                if not isinstance(item, Entry):
                    self._walk.child(item, self._node, self._children, self._report)
                    self._children += 1
        check, sure = self._judge
        if not [entry for entry in entries if not entry.loc.startswith(sure)]:
            return list(entries)
        codes = list(map(check, entries))
        if not any(codes):
            return list(entries)
        for code in filter(None, codes):
            self._walk.rejected(code)
        return [entry for entry, code in zip(entries, codes, strict=True) if code is None]

    def _fill(self) -> None:
        row, parser = self._row, self._parser
        row.format, row.outcome, row.complete = parser.format, parser.outcome, parser.complete
        row.entries, row.refs, row.bytes = parser.entries, parser.refs, parser.size
        row.diagnostics, row.counts = tuple(self._report.kept), self._report.counts
