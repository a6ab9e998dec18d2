"""Many sites on one machine: so many at a time, their entries as one stream, and a row of what became of each."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from .crew import Crew
from .diagnostics import Diagnostic, Outcome, printable
from .errors import FetchError, SitemapError, StateError
from .fetch import Manners
from .job import Job
from .limits import Limits
from .model import Entry, plain
from .policy import Policy
from .reading import Reading
from .reception import Batch

if TYPE_CHECKING:
    import httpx

    from .state import State

HOUR = 3600.0
"""Seconds that one site may take, if no limits are given: so many sites that drip would else hold every job."""


class Status(Enum):
    """What became of a site."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    NO_SITEMAP = "no-sitemap"
    UNREADABLE = "unreadable"
    INVALID = "invalid"
    """The start is no site and no URL."""
    NOT_READ = "not-read"
    """There was no time left."""
    ERROR = "error"
    """The state is at fault, a function of the policy raised, or there is a bug: `reason` tells."""


@dataclass(frozen=True, slots=True)
class Site:
    """What became of one start. There is one for each that was given, in the order they were done."""

    start: str
    """As it was given."""
    status: Status
    entries: int = 0
    documents: int = 0
    bytes: int = 0
    """Decompressed bytes read."""
    seconds: float = 0.0
    reason: str = ""
    """Why it is not complete, in printable ASCII."""
    file: str = ""
    """Where the entries are, if they were written; see `harvest`."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {name: plain(getattr(self, name)) for name in self.__slots__}


NO_LIMITS = Limits(deadline=HOUR)
Taken = tuple[str, Batch, threading.Event]
"""A start, some of its entries, and who is to be told when somebody is done with them."""


def read_many(
    starts: Iterable[str],
    *,
    jobs: int = 8,
    policy: Policy | None = None,
    limits: Limits | None = None,
    client: httpx.Client | None = None,
    headers: Mapping[str, str] | None = None,
    concurrency: int = 2,
    state: State | None = None,
    deadline: float | None = None,
    on_diagnostic: Callable[[Diagnostic], object] | None = None,
) -> Readings:
    """Read many sites, `jobs` at a time, and give their entries as they come: ``for start, entry in read_many(...)``.

    `starts` may be any iterable; they are taken from it as there is room. Policy, limits, client, headers and state are
    those of each reading, as in `read`; without `limits`, a site may take an hour. Of each site, `concurrency` requests
    are on their way at a time, so ``jobs * concurrency`` in all. ``Limits.per_host`` and ``Limits.interval`` hold for
    each host over all sites. `deadline` is for all of them: seconds, after which no site is begun and none goes on.
    `on_diagnostic` is called in the threads of the jobs.

    Returns Readings: an iterator of pairs, entries of one site in order, those of several mixed. Its `sites` has a row
    for each start; no failure of a site raises. With a state, a site is remembered when more is asked for than its last
    entry. Raises ValueError or TypeError for settings that cannot be meant.
    """

    def open_(start: str, limits: Limits) -> tuple[Job, Reading]:
        job = Job(
            start,
            policy=policy,
            limits=limits,
            headers=headers,
            concurrency=concurrency,
            state=state,
            on_diagnostic=on_diagnostic,
        )
        return job, Reading(job, client)

    return Readings(starts, Visits(open_, limits or NO_LIMITS, deadline), jobs, waits=state is not None)


class Readings:
    """Readings of many sites: iterate it, once, for pairs of start and entry; leaving its ``with`` block stops it."""

    def __init__(self, starts: Iterable[str], visits: Visits, jobs: int, *, waits: bool) -> None:
        """`waits`: no site goes on before whoever iterates is done with what there is of it."""
        self.sites: list[Site] = []
        """What became of each start, as they are done."""
        self._visits = visits
        self._waits = waits
        self._crew: Crew[str, Taken | Site] = Crew(starts, self._visit, jobs)
        self._pairs = self._take()

    def __enter__(self) -> Readings:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[tuple[str, Entry]]:
        return self._pairs

    def __next__(self) -> tuple[str, Entry]:
        return next(self._pairs)

    def __repr__(self) -> str:
        return f"<Readings of {len(self.sites)} sites so far>"

    def close(self) -> None:
        """Stop: nothing more is fetched. Sites that are not done have no row."""
        self._visits.stop()
        self._crew.close()

    def _take(self) -> Iterator[tuple[str, Entry]]:
        for found in self._crew:
            if isinstance(found, Site):
                self.sites.append(found)
            else:
                start, batch, done = found
                for entry in batch:
                    yield start, entry
                done.set()

    def _visit(self, start: str, crew: Crew[str, Taken | Site]) -> None:
        def take(batch: Batch) -> None:
            done = threading.Event()
            crew.give((start, batch, done))
            if self._waits:  # or what waits in the stream would be remembered, though nobody has had it
                crew.wait(done)

        crew.give(self._visits.visit(start, take))


Open = Callable[[str, Limits], tuple[Job, Reading]]
"""Prepares the reading of a start."""


class Visits:
    """Reads sites, in any number of threads at a time, and says what became of each; what is bad raises nothing."""

    def __init__(self, open_: Open, limits: Limits, deadline: float | None = None) -> None:
        """Raises what `open_` raises for any start, since its settings cannot be meant."""
        open_("https://example.com/", limits)
        self._open = open_
        self._limits = limits
        self._manners = Manners(limits.interval)
        self._ends = math.inf if deadline is None else time.monotonic() + deadline
        self._going: set[Job] = set()
        self.stopped = False
        """Readings that go on are cut short."""

    def visit(self, start: str, take: Callable[[Batch], object]) -> Site:
        """Read a site and hand its entries to `take`, whose exceptions are raised."""
        began = time.monotonic()
        left = min(self._ends - began, math.inf if self._limits.deadline is None else self._limits.deadline)
        if left <= 0 or self.stopped:
            return Site(start, Status.NOT_READ, reason="there was no time left")
        try:
            job, reading = self._open(start, self._limits if left == math.inf else replace(self._limits, deadline=left))
        except (TypeError, ValueError) as error:
            return Site(start, Status.INVALID, reason=printable(str(error)))
        job.manners = self._manners
        self._going.add(job)
        if self.stopped:  # between the look above and now
            job.brake.stop()
        try:
            status, reason = _read(reading, take)
        finally:
            self._going.discard(job)
        report = reading.report
        numbers = report.entries, len(report.sitemaps), job.walk.bytes, round(time.monotonic() - began, 3)
        return Site(start, status, *numbers, reason=printable(reason))

    def stop(self) -> None:
        """Nothing more is wanted."""
        self.stopped = True
        for job in list(self._going):
            job.brake.stop()


class _Unexpected(Exception):
    """Reading raised what it should not."""


def _read(reading: Reading, take: Callable[[Batch], object]) -> tuple[Status, str]:
    """Read all of it: what it came to, and why."""
    try:
        with reading:
            for batch in _guarded(reading.in_batches()):
                take(batch)
    except FetchError as error:
        absent = error.outcome in (Outcome.ABSENT, Outcome.NOT_A_SITEMAP)
        return Status.NO_SITEMAP if absent else Status.UNREADABLE, str(error)
    except (StateError, _Unexpected) as error:
        return Status.ERROR, str(error)
    report = reading.report
    if report.found_none:
        return Status.NO_SITEMAP, "no sitemap found"
    if report.complete:
        return Status.COMPLETE, ""
    failed = next((f"{row.requested}: {row.reason}" for row in report.failed), "not read to its end")
    return Status.INCOMPLETE, failed


def _guarded(batches: Iterator[Batch]) -> Iterator[Batch]:
    try:
        yield from batches
    except SitemapError:
        raise
    except Exception as error:  # one site must not take the others down
        raise _Unexpected(f"{type(error).__name__}: {error}") from error
