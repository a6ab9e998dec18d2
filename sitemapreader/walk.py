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
from itertools import chain
from typing import Any

from . import hosts, urls
from .diagnostics import Code, Diagnostic, Diagnostics, Outcome
from .discovery import Guess, guesses, is_site, leads_to_site, may_be_page, page_links, robots_url, start_url
from .errors import FetchError
from .limits import Limits, limits_or_default
from .model import Entry, Format, SitemapRef
from .parser import OnText
from .policy import Policy, policy_or_default
from .reception import Reception, by_name
from .report import Progress, Report, SitemapReport
from .sitemap import Body, chunks

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A document that is to be fetched, and its place in the order."""

    path: Path
    ref: SitemapRef
    guess: Guess | None = None
    """Nothing names it: it is tried, for this."""
    page: bool = False
    """If it turns out to be a web page, its links are looked at."""
    implied: bool = False
    """A robots.txt that every site may have: to have none is no loss (RFC 9309, 2.3.1.3)."""

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
        self.policy = policy_or_default(policy)
        self.limits = limits_or_default(limits)
        self.start = start_url(start)
        self._report = Report(self.start, keep=self.limits.max_diagnostics)
        self.on_diagnostic: Callable[[Diagnostic], object] | None = None
        """Called with each diagnostic as it is found."""
        self.on_progress: Callable[[Progress], object] | None = None
        """Called when a document is begun, read on and finished."""
        self.on_text: OnText | None = None
        """Shown the text of each document."""
        self._queue: list[Node] = []
        self._outstanding: dict[str, Node] = {}
        self._open: set[str] = set()
        self._settled = 0
        self.seen: set[str] = set()
        """URLs of documents that are known, as they were asked for and where they were found."""
        self.hosts: frozenset[str] = frozenset()
        """Hosts that are the site's own: its ``www.`` twin too, once its start is redirected there."""
        self.bytes = 0
        """Decompressed bytes read."""
        self._entries_seen: set[bytes] = set()
        self._roots = 0
        self._fetched = 0
        self._found = False
        self.received = 0
        """Documents that had a body."""
        self.stopped = False
        """The policy's maximum of entries is reached: nothing more is wanted."""
        self._guesses: list[Guess] = []
        if is_site(self.start):
            self._discover()
        else:
            self._enqueue_root(self.start, page=may_be_page(self.start))

    def __repr__(self) -> str:
        return f"<Walk of {self.start}, {len(self._outstanding)} to be answered: {self.report!r}>"

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
            self._guesses.clear()
            return self.next()
        node = heapq.heappop(self._queue)
        self._fetched += 1
        self._outstanding[node.ref.loc] = node
        self.progress("started", node.ref.loc)
        return node.ref

    @property
    def done(self) -> bool:
        """Nothing more can come: nothing is queued, outstanding or being read."""
        more = self._queue or self._outstanding or self._open or (self._guesses and not self._found)
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
        return self._outstanding[ref.loc].guess is not None

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
        known as the iterator is read. Raises ValueError for a reference that is not outstanding, and TypeError for an
        argument of another kind; `ref` is then still to be answered.
        """
        pieces = chunks(body)
        reception = self.open(ref, url=url, headers=headers, status=status)
        return chain.from_iterable(reception.read(pieces))

    def open(
        self,
        ref: SitemapRef,
        *,
        url: str | None = None,
        headers: Mapping[str, str] | None = None,
        status: int | None = None,
    ) -> Reception:
        """As `receive`, for a body that comes piece by piece: feed the Reception, and close it."""
        if url is not None and not isinstance(url, str):  # clients have classes for it
            raise TypeError(f"url must be a str, not {type(url).__name__}: str(url) is one")
        named = by_name(headers)
        node = self._settle(ref)
        self.received += node.guess is None
        final = urls.without_fragment(urls.resolve(url, ref.loc).url or url) if url else ref.loc
        row = self._row(node, final)
        row.status = status
        row.etag, row.last_modified = named.get("etag"), named.get("last-modified")
        return Reception(self, node, row, named)

    def fail(self, ref: SitemapRef, error: Exception) -> None:
        """Answer `ref` with the reason why there is no body; a FetchError says most.

        Raises ValueError for a reference that is not outstanding.
        """
        node = self._settle(ref)
        is_silent = isinstance(error, FetchError) and error.status is None
        if not isinstance(error, FetchError):
            error = FetchError(ref.loc, Outcome.FAILED, reason=f"{type(error).__name__}: {error}")
        row = self._row(node, ref.loc)
        self._settled += 1
        self.progress("finished", ref.loc)
        row.status, row.outcome = error.status, error.outcome
        row.complete = error.outcome is Outcome.NOT_MODIFIED
        if node.guess:
            if row.complete:
                self._guessed(node.guess, row)
            if error.outcome is Outcome.BLOCKED or is_silent:
                self._guesses.clear()  # whoever blocks one guess is not asked for more, nor who does not answer
            return
        report = self.diagnostics(row.url)
        row.speculative = node.implied and error.outcome is Outcome.ABSENT
        if not row.complete:
            report(error.code, error.reason or str(error.status or ""))
        row.diagnostics, row.counts = tuple(report.kept), report.counts

    # ---------------------------------------------------------------------------------------------------- inside
    def _settle(self, ref: SitemapRef) -> Node:
        if not isinstance(ref, SitemapRef):
            raise TypeError(f"ref must be the SitemapRef that next gave, not {type(ref).__name__}")
        node = self._outstanding.pop(ref.loc, None)
        if node is None:
            raise ValueError(f"not outstanding: {ref.loc}")
        return node

    def _row(self, node: Node, url: str) -> SitemapReport:
        ref = node.ref
        parent = ref.trail[-1] if ref.trail else None
        row = SitemapReport(
            url, ref.loc, depth=len(ref.trail), parent=parent, lastmod=ref.lastmod, speculative=node.guess is not None
        )
        if not node.guess:
            self._report.sitemaps.append(row)
        return row

    def _enqueue_root(self, url: str, *, guess: Guess | None = None, page: bool = False, implied: bool = False) -> None:
        """Queue what no document names, unless it is known already."""
        key = urls.without_fragment(url)
        if key not in self.seen:
            self.seen.add(key)
            heapq.heappush(self._queue, Node((self._roots,), SitemapRef(key), guess, page, implied))
            self._roots += 1

    def _discover(self) -> None:
        """Look for what the site names: its robots.txt, and where that leads to nothing, the usual places."""
        self._enqueue_root(robots_url(self.start), implied=True)
        self._guesses += guesses(self.start)

    def _fall_back(self) -> None:
        """Try the next place, if nothing that was named is a sitemap."""
        while self._guesses and not self._found and not self._queue:
            guess = self._guesses.pop(0)
            self._enqueue_root(guess.url, guess=guess, page=guess.is_page)

    # ------------------------------------------------------------------------------------------------ for receptions
    def progress(self, event: str, url: str) -> None:
        """Tell how far it is."""
        if self.on_progress:
            known = self._settled + len(self._queue) + len(self._outstanding) + len(self._open)
            self.on_progress(Progress(event, url, self._settled, known, self._report.entries, self.bytes))

    def diagnostics(self, url: str) -> Diagnostics:
        """Takes what is found in one document."""
        return Diagnostics(url, keep=self.limits.max_diagnostics, handler=self.on_diagnostic)

    def arrived(self, row: SitemapReport) -> bool:
        """A document was found where a row says; False if that is a place where another was found before."""
        is_new = row.url == row.requested or row.url not in self.seen
        self.seen.add(row.url)
        asked, found, start = urls.host(row.requested), urls.host(row.url), urls.host(self.start)
        if asked != found and asked in {start, *self.hosts} and hosts.same_site(asked, found):
            self.hosts |= {start, found}
        return is_new

    def began(self, node: Node) -> None:
        """A body is being read: the walk is not done before it ends."""
        self._open.add(node.ref.loc)

    def ended(self, node: Node) -> None:
        """It is read, or given up."""
        if node.ref.loc in self._open:
            self._open.remove(node.ref.loc)
            self._settled += 1
        self.progress("finished", node.ref.loc)

    def child(self, ref: SitemapRef, node: Node, index: int, report: Diagnostics) -> None:
        """A document names `ref`: fetch it too, unless it is known, too deep or kept out."""
        ref = replace(ref, loc=urls.without_fragment(ref.loc))
        if ref.loc in self.seen:
            report(Code.DUPLICATE, ref.loc)
            return
        code = self.policy.follows(ref)
        if code:
            self.rejected(code)
            return
        if len(ref.trail) > self.limits.max_depth:
            self._report.walk(Code.LIMIT_DEPTH, f"deeper than {self.limits.max_depth}: {ref.loc}")
            return
        if urls.host(ref.loc) != urls.host(ref.trail[-1]):
            report(Code.CROSS_HOST, ref.loc)
        self.seen.add(ref.loc)
        heapq.heappush(self._queue, Node((*node.path, index), ref))

    def keep(self, entries: list[Entry]) -> list[Entry]:
        """Count entries that the policy's rules keep, but for repeats, and those behind the last that is wanted."""
        if self.policy.unique:
            entries = [entry for entry in entries if self._is_new(entry)]
        most = self.policy.max_entries
        if most is not None and self._report.entries + len(entries) >= most:
            entries = entries[: max(most - self._report.entries, 0)]
            self.stopped = True
        self._report.add(entries)
        return entries

    def _is_new(self, entry: Entry) -> bool:
        key = blake2b(entry.loc.encode(), digest_size=12).digest()
        if key in self._entries_seen:
            self.rejected(Code.DUPLICATE)
            return False
        self._entries_seen.add(key)
        return True

    def rejected(self, code: Code) -> None:
        """The policy keeps something out."""
        self._report.rejected[code] += 1

    def repeated(self, number: int) -> None:
        """So many of the entries that were kept are repeats, and not delivered."""
        self._report.entries -= number
        self._report.rejected[Code.DUPLICATE] += number

    def closed(self, node: Node, row: SitemapReport, page: bytes | None, headers: Mapping[str, str]) -> None:
        """A document was read to its end, which may tell where else to look. `page`: its body, if it may be one."""
        is_sitemap = row.format not in (None, Format.ROBOTS)
        self._found |= is_sitemap
        if node.guess and is_sitemap:
            self._guessed(node.guess, row)
        if page is None or row.outcome is not Outcome.NOT_A_SITEMAP or row.format is not None:
            return
        linked = page_links(page, row.url, headers)
        if not node.guess and leads_to_site(self.start):  # what the page is part of is looked at
            self._discover()
        row.speculative |= bool(linked or self._guesses)
        self._guesses = [guess for guess in linked if not guess.is_feed] + self._guesses
        self._guesses += [guess for guess in linked if guess.is_feed]

    def _guessed(self, guess: Guess, row: SitemapReport) -> None:
        """What was tried is a sitemap, or still the one that was read before."""
        row.speculative = False
        self._found = True
        self.received += 1
        self._report.sitemaps.append(row)
        self._report.recent_only = guess.is_feed and row.format in (None, Format.RSS, Format.ATOM)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": set(), "on_diagnostic": None, "on_progress": None, "on_text": None}
