"""The unit of work for any number of hosts: a host in, one Parquet file and a row for each of its starts out.

A file is written under a temporary name and renamed when all of it is there, and its name follows from the host alone.
So a host that is done is known by its file, which also holds its rows, and is not fetched again; whatever is killed may
be run again, by whomever, and nothing is lost or there twice. Threads of one machine (`harvest`) and the workers of a
cluster (`sitemapreader.dask`) do the same work.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from . import frame, urls
from .crew import Closed, Crew
from .discovery import start_url
from .job import Job
from .limits import Limits
from .many import NO_LIMITS, Site, Status, Visits
from .model import Entry
from .output import destination
from .policy import Policy
from .reading import Reading
from .reception import Batch

if TYPE_CHECKING:
    import httpx

HUGE = 500_000
"""Entries of a host from which on further sitemaps go to a file of their own."""
SITES = "sitemapreader.sites"
"""Where the rows of a host stand in the metadata of its file."""
AGAIN = {Status.UNREADABLE, Status.NOT_READ, Status.ERROR}
"""A host of which nothing else is known is tried again by the next run."""
Host = tuple[str, tuple[str, ...]]
"""A host and its starts; those that are no URL have the empty host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How hosts are read and where to; it can be pickled if the functions of the policy can."""

    folder: str
    """Where the files go; all workers have to see the same."""
    policy: Policy | None = None
    limits: Limits | None = None
    """Of each start. None: an hour for each, else as `Limits` has it."""
    headers: Mapping[str, str] = field(default_factory=dict)
    concurrency: int = 2
    """Requests of one host at a time."""
    mirror: str | None = None
    """A folder that answers instead of the network; see `mirror_client`."""


def by_host(starts: Iterable[str]) -> list[Host]:
    """The starts of each host together, in the order in which hosts come first."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for start in starts:
        groups[_host(start)].append(start)
    return [(host, tuple(together)) for host, together in groups.items()]


def shards(hosts: Iterable[Host], size: int) -> list[list[Host]]:
    """Hosts in shards of about `size`, by a hash of the host: the same host is always in one only."""
    hosts = list(hosts)
    number = max(1, -(-len(hosts) // size))
    parts: list[list[Host]] = [[] for _ in range(number)]
    for host in hosts:
        parts[int.from_bytes(_hash(host[0]), "big") % number].append(host)
    return [part for part in parts if part]


def harvest(hosts: Iterable[Host], plan: Plan, *, jobs: int = 8) -> Iterator[Site]:
    """Read hosts, `jobs` at a time, each in a thread of its own, and give a row for each start as hosts are done.

    Hosts that have their file are not read; their rows are the ones it holds. Raises OSError if the folder cannot be
    written to, ImportError without pyarrow, and ValueError or TypeError for a plan that cannot be meant.
    """
    with ExitStack() as stack:
        client = _client(plan, stack)

        def open_(start: str, limits: Limits) -> tuple[Job, Reading]:
            settings = {"policy": plan.policy, "headers": plan.headers, "concurrency": plan.concurrency}
            # A list of hosts is one of hosts, whatever files there are where a worker runs.
            job = Job(start_url(start), limits=limits, **settings)  # type: ignore[arg-type]
            return job, Reading(job, client)

        visits = Visits(open_, plan.limits or NO_LIMITS)

        def work(host: Host, crew: Crew[Host, list[Site]]) -> None:
            crew.give(_harvest(host, plan, visits))

        crew = stack.enter_context(Crew(hosts, work, jobs))
        stack.callback(visits.stop)
        for rows in crew:
            yield from rows


def sweep(folder: str) -> None:
    """Remove what runs that were killed have left half written; only while no other run writes there."""
    for path in Path(folder).glob(".sitemapreader-*.tmp"):
        with suppress(OSError):
            path.unlink()


def _harvest(host: Host, plan: Plan, visits: Visits) -> list[Site]:
    name, starts = host
    path = file_of(plan.folder, name)
    if name and (rows := done(path, starts)) is not None:
        return rows
    with _Output(path) as output:
        rows = _visit(starts, visits, output)
        if visits.stopped:  # in the midst of a host, which is then not done
            raise Closed
        if not name or (not output.entries and all(row.status in AGAIN for row in rows)):
            return rows
        rows = [replace(row, file=path.name) for row in rows]
        output.finish(rows)
    return rows


def _visit(starts: tuple[str, ...], visits: Visits, output: _Output) -> list[Site]:
    """Read the starts of a host, one after the other, each once however often it is spelled."""
    rows: dict[str, Site] = {}
    given = []
    for start in starts:
        key = _canonical(start) or start
        if key in rows:
            given.append(replace(rows[key], start=start, entries=0, reason=f"as {rows[key].start}"))
            continue
        if _canonical(start) is None:
            rows[key] = Site(start, Status.INVALID, reason="not an http(s) URL or a host")
        else:
            rows[key] = visits.visit(start, output.write)
        given.append(rows[key])
    return given


class _Output:
    """The file of a host, and further ones if it is huge, none of which is there before all are whole."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files, self._first, self._last = ExitStack(), ExitStack(), ExitStack()
        self._writers: list[Callable[[Entry], None]] = []
        self._metadata: dict[str, str] = {}
        self._rows, self._sitemap = 0, ""
        self.entries = 0

    def __enter__(self) -> _Output:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Rename the files, the first one last; or remove them."""
        if kind is not None:
            with suppress(Exception), self._first, self._last:
                pass
        self._files.__exit__(kind, error, traceback)

    def write(self, batch: Batch) -> None:
        """Entries of one document."""
        if batch[0].sitemap != self._sitemap:
            self._sitemap = batch[0].sitemap
            if not self._writers or self._rows >= HUGE:
                self._begin()
        for entry in batch:
            self._writers[-1](entry)
        self._rows += len(batch)
        self.entries += len(batch)

    def finish(self, rows: list[Site]) -> None:
        """All is read: the first file says what came of it."""
        if not self._writers:
            self._begin()
        self._metadata[SITES] = json.dumps([row.to_dict() for row in rows])
        self._last.close()
        self._first.close()
        number = len(self._writers)
        while (left := part_of(self._path, number)).exists():  # by a run that was killed while it renamed
            left.unlink()
            number += 1

    def _begin(self) -> None:
        """The next file; the first stays open, since it has the last word."""
        self._last.close()
        number, self._rows = len(self._writers), 0
        file = self._files.enter_context(destination(str(part_of(self._path, number))))
        stack, said = (self._last, None) if number else (self._first, self._metadata)
        self._writers.append(stack.enter_context(frame.parquet(file, metadata=said)))


def file_of(folder: str, host: str) -> Path:
    """The file of a host. What is no usual name is spelled in a safe way, with a hash that tells it from others.

    The ``~`` before it stands in the name of no host, or somebody could register one that has the file of another.
    """
    safe = re.sub(r"[^a-z0-9.-]", "_", host)[:200]
    return Path(folder) / f"{safe}{'' if safe == host else f'~{_hash(host).hex()}'}.parquet"


def part_of(path: Path, number: int) -> Path:
    """The files of a huge host: the first is the one that every host has."""
    return path.with_name(f"{path.stem}+{number}.parquet") if number else path


def done(path: Path, starts: tuple[str, ...]) -> list[Site] | None:
    """The rows of a host whose file is there and is of these starts, in any order; None: it is to be read."""
    if not path.exists():
        return None
    try:
        rows = [Site(**{**row, "status": Status(row["status"])}) for row in json.loads(frame.metadata(path)[SITES])]
    except (KeyError, TypeError, ValueError):
        return None
    return rows if sorted(row.start for row in rows) == sorted(starts) else None


def _canonical(start: str) -> str | None:
    try:
        url = start_url(start)
    except (TypeError, ValueError):
        return None
    return url if urls.host(url) else None


def _host(start: str) -> str:
    return urls.host(_canonical(start) or "")


def _hash(host: str) -> bytes:
    return blake2b(host.encode(errors="backslashreplace"), digest_size=8).digest()


def _client(plan: Plan, stack: ExitStack) -> httpx.Client | None:
    if plan.mirror is None:
        return None
    from .client import mirror_client

    return stack.enter_context(mirror_client(plan.mirror))
