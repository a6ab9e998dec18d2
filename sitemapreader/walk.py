"""The order of work: what to fetch next, what was seen, how deep it goes, where to look if nothing is named. No I/O.

Documents are handed out in document order: children depth-first, as listed. They may be answered in any order, several
at a time; every answer is told by its reference. A Walk can be pickled between documents, references outstanding
included; an iterator of entries that is half read does not go along.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from . import urls
from .diagnostics import Code, Diagnostic, Diagnostics, Outcome
from .discovery import guesses, is_site, leads_to_site, robots_url, start_url
from .errors import FetchError
from .limits import Limits
from .model import Entry, Format, SitemapRef
from .policy import Policy, Source
from .report import Report, SitemapReport
from .sitemap import Body, OnText, SitemapParser, chunks

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A document that is to be fetched, and its place in the order."""

    path: Path
    ref: SitemapRef
    probe: bool = False
    """Nothing names it: it is tried."""

    def __lt__(self, other: Node) -> bool:
        return self.path < other.path


class Walk:
    """A traversal of one site's sitemaps for crawlers that fetch by themselves.

    Call `next` for a reference to fetch, answer it with `receive` or `fail`, go on until `done`.
    """

    def __init__(self, start: str, *, policy: Policy | None = None, limits: Limits | None = None) -> None:
        """`start`: a site, a robots.txt, a sitemap or a feed; a bare domain gets ``https://``.

        Raises ValueError if that is no http(s) or file URL.
        """
        self.policy = policy or Policy()
        self.limits = limits or Limits()
        self.start = start_url(start)
        self._report = Report(self.start, keep=self.limits.max_diagnostics)
        self.on_diagnostic: Callable[[Diagnostic], object] | None = None
        self.on_text: OnText | None = None
        self._queue: list[Node] = []
        self._outstanding: dict[str, Node] = {}
        self._open: set[str] = set()
        self._seen: set[str] = set()
        self._entries_seen: set[bytes] = set()
        self._roots = 0
        self._fetched = 0
        self._found = False
        self.received = 0
        """Documents that had a body."""
        self.stopped = False
        """The policy's maximum of entries is reached: nothing more is wanted."""
        self._probes: list[str] = []
        if is_site(self.start):
            self._discover()
        else:
            self._enqueue_root(self.start)

    # ---------------------------------------------------------------------------------------------------- driving
    def next(self) -> SitemapRef | None:
        """The next document to fetch now; None if there is none at the moment, or at all if `done`."""
        if self.stopped:
            return None
        if not self._queue and not self._outstanding and not self._open:
            self._fall_back()
        if not self._queue:
            return None
        if self._fetched >= self.limits.max_sitemaps:
            self._report.walk(Code.LIMIT_SITEMAPS, f"{len(self._queue)} sitemaps or more are not fetched")
            self._queue.clear()
            self._probes.clear()
            return self.next()
        node = heapq.heappop(self._queue)
        self._fetched += 1
        self._outstanding[node.ref.loc] = node
        return node.ref

    @property
    def done(self) -> bool:
        """Nothing more can come: nothing is queued, outstanding or being read."""
        more = self._queue or self._outstanding or self._open or (self._probes and not self._found)
        return self.stopped or not more

    @property
    def report(self) -> Report:
        """What it amounts to so far; the verdict is final once `done`."""
        self._report.finished = self.done and not self.stopped
        return self._report

    @property
    def waiting(self) -> bool:
        """A document could be fetched now."""
        return bool(self._queue) and not self.stopped

    def position(self, ref: SitemapRef) -> Path:
        """Sorts outstanding references by document order."""
        return self._outstanding[ref.loc].path

    def is_probe(self, ref: SitemapRef) -> bool:
        """Whether nothing names an outstanding document: it is only tried, and not to be retried."""
        return self._outstanding[ref.loc].probe

    def receive(
        self,
        ref: SitemapRef,
        body: Body,
        *,
        url: str | None = None,
        headers: Mapping[str, str] | None = None,
        status: int | None = None,
    ) -> Iterator[Entry]:
        """Answer `ref` with the body it has: a lazy iterator of the entries that the policy keeps.

        `body` is bytes, a binary file or an iterable of bytes, as sent: a Content-Encoding named in `headers` is undone
        here. `url` is the final URL after redirects. The document counts as answered at once; its children become
        known as the iterator is read. Raises ValueError for a reference that is not outstanding.
        """
        reception = self.open(ref, url=url, headers=headers, status=status)
        return reception.read(chunks(body))

    def open(
        self,
        ref: SitemapRef,
        *,
        url: str | None = None,
        headers: Mapping[str, str] | None = None,
        status: int | None = None,
    ) -> Reception:
        """As `receive`, for a body that comes piece by piece: feed the Reception, and close it."""
        node = self._settle(ref)
        self.received += not node.probe
        final = urls.without_fragment(urls.resolve(url, ref.loc).url or url) if url else ref.loc
        row = self._row(node, final)
        row.status = status
        named = {name.lower(): value for name, value in (headers or {}).items()}
        row.etag, row.last_modified = named.get("etag"), named.get("last-modified")
        return Reception(self, node, row, named)

    def fail(self, ref: SitemapRef, error: Exception) -> None:
        """Answer `ref` with the reason why there is no body; a FetchError says most.

        Raises ValueError for a reference that is not outstanding.
        """
        node = self._settle(ref)
        if not isinstance(error, FetchError):
            error = FetchError(ref.loc, Outcome.FAILED, reason=f"{type(error).__name__}: {error}")
        if node.probe:
            if error.outcome is Outcome.BLOCKED:
                self._probes.clear()  # whoever blocks one guess is not asked for more
            return
        row = self._row(node, ref.loc)
        report = self._diagnostics(row.url)
        row.status, row.outcome = error.status, error.outcome
        if error.outcome is Outcome.NOT_MODIFIED:
            row.complete = True
        else:
            report(error.code, error.reason or str(error.status or ""))
        row.diagnostics, row.counts = tuple(report.kept), report.counts

    # ---------------------------------------------------------------------------------------------------- inside
    def _settle(self, ref: SitemapRef) -> Node:
        node = self._outstanding.pop(ref.loc, None)
        if node is None:
            raise ValueError(f"not outstanding: {ref.loc}")
        return node

    def _row(self, node: Node, url: str) -> SitemapReport:
        ref = node.ref
        parent = ref.trail[-1] if ref.trail else None
        row = SitemapReport(
            url, ref.loc, depth=len(ref.trail), parent=parent, lastmod=ref.lastmod, speculative=node.probe
        )
        if not node.probe:
            self._report.sitemaps.append(row)
        return row

    def _diagnostics(self, url: str) -> Diagnostics:
        return Diagnostics(url, keep=self.limits.max_diagnostics, handler=self.on_diagnostic)

    def _enqueue_root(self, url: str, *, probe: bool = False) -> None:
        key = urls.without_fragment(url)
        if key not in self._seen:
            self._seen.add(key)
            heapq.heappush(self._queue, Node((self._roots,), SitemapRef(key), probe))
            self._roots += 1

    def _discover(self) -> None:
        """Look for what the site names: its robots.txt, and where that leads to nothing, the usual places."""
        self._enqueue_root(robots_url(self.start))
        self._probes = guesses(self.start)

    def _fall_back(self) -> None:
        """Try the next usual place, if nothing that was named is a sitemap."""
        while self._probes and not self._found and not self._queue:
            self._enqueue_root(self._probes.pop(0), probe=True)

    def child(self, ref: SitemapRef, node: Node, index: int, report: Diagnostics) -> None:
        """A document names `ref`: fetch it too, unless it is known, too deep or kept out."""
        ref = replace(ref, loc=urls.without_fragment(ref.loc))
        if ref.loc in self._seen:
            report(Code.DUPLICATE, ref.loc)
            return
        code = self.policy.follows(ref)
        if code:
            self._report.rejected[code] += 1
            return
        if len(ref.trail) > self.limits.max_depth:
            self._report.walk(Code.LIMIT_DEPTH, f"deeper than {self.limits.max_depth}: {ref.loc}")
            return
        if urls.host(ref.loc) != urls.host(ref.trail[-1]):
            report(Code.CROSS_HOST, ref.loc)
        self._seen.add(ref.loc)
        heapq.heappush(self._queue, Node((*node.path, index), ref))

    def keeps(self, entry: Entry) -> bool:
        """Count an entry that the policy's rules keep, unless it is a repeat."""
        if self.policy.unique:
            key = blake2b(entry.loc.encode(), digest_size=12).digest()
            if key in self._entries_seen:
                self._report.rejected[Code.DUPLICATE] += 1
                return False
            self._entries_seen.add(key)
        self._report.entries += 1
        most = self.policy.max_entries
        if most is not None and self._report.entries >= most:
            self.stopped = True
        return True

    def closed(self, node: Node, row: SitemapReport) -> None:
        """A document was read to its end: what that means for where else to look."""
        is_sitemap = row.format not in (None, Format.ROBOTS)
        self._found |= is_sitemap
        if node.probe and is_sitemap:
            row.speculative = False
            self.received += 1
            self._report.sitemaps.append(row)
        # The start is a folder of the site rather than a sitemap: what it is part of is looked at.
        is_folder = node.path == (0,) and not node.probe and leads_to_site(self.start)
        if is_folder and row.outcome is Outcome.NOT_A_SITEMAP and row.format is None:
            row.speculative = True
            self._discover()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": set(), "on_diagnostic": None, "on_text": None}


class Reception:
    """One document on its way in: `feed` and `close` give the entries that the policy keeps."""

    def __init__(self, walk: Walk, node: Node, row: SitemapReport, headers: Mapping[str, str]) -> None:
        self._walk = walk
        self._node = node
        self._row = row
        self._report = walk._diagnostics(row.url)
        self._children = 0
        ref = node.ref
        self._repeated = row.url != row.requested and row.url in walk._seen
        if self._repeated:
            self._report(Code.DUPLICATE, f"{row.requested} is redirected here")
            row.speculative = True
        walk._seen.add(row.url)
        if urls.host(row.url) != urls.host(row.requested):
            self._report(Code.CROSS_HOST, f"redirected to {row.url}")
        self._judge = walk.policy.judge(Source(url=row.url, requested=row.requested, trail=ref.trail, site=walk.start))
        self._parser = SitemapParser(
            row.url,
            requested=row.requested,
            report=self._report,
            limits=walk.limits,
            content_type=headers.get("content-type"),
            content_encoding=headers.get("content-encoding", ""),
            trail=ref.trail,
            on_text=walk.on_text,
        )

    def read(self, body: Iterator[bytes], *, fault: tuple[Code, str] | None = None) -> Iterator[Entry]:
        """The entries of a body in chunks; `fault`: why it ends early, if it does."""
        self.begin()
        try:
            for chunk in body:
                yield from self.feed(chunk)
            yield from self.close(fault=fault)
        finally:
            self.end()

    def begin(self) -> None:
        """The body is being read: the walk is not done before it ends."""
        self._walk._open.add(self._node.ref.loc)

    def end(self) -> None:
        """The body is read, or given up."""
        self._walk._open.discard(self._node.ref.loc)
        self._fill()

    def feed(self, chunk: bytes) -> Iterator[Entry]:
        """The entries that `chunk` completes."""
        return iter(()) if self._repeated else self._entries(self._parser.feed(chunk))

    def close(self, *, fault: tuple[Code, str] | None = None) -> Iterator[Entry]:
        """The entries that the end of the body completes; `fault`: why it is early, if it is."""
        if self._repeated:
            return
        if fault:
            self._report(*fault)
        yield from self._entries(self._parser.close(cut=fault is not None))
        self._fill()
        self._walk.closed(self._node, self._row)

    def _entries(self, items: Iterator[Entry | SitemapRef]) -> Iterator[Entry]:
        walk = self._walk
        for item in items:
            if isinstance(item, SitemapRef):
                walk.child(item, self._node, self._children, self._report)
                self._children += 1
                continue
            code = self._judge(item)
            if code:
                walk._report.rejected[code] += 1
            elif not walk.stopped and walk.keeps(item):
                yield item
            if walk.stopped:
                return

    def _fill(self) -> None:
        row, parser = self._row, self._parser
        row.format, row.outcome, row.complete = parser.format, parser.outcome, parser.complete
        row.entries, row.refs, row.bytes = parser.entries, parser.refs, parser.size
        row.diagnostics, row.counts = tuple(self._report.kept), self._report.counts
