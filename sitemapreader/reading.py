"""Reading a site, batteries included: two thin drivers, sync and async, of the same walk and the same fetches.

A driver keeps up to `concurrency` documents on the way, in the order the walk gives them, and reads them in document
order: what is fetched ahead is held compressed, as it came. How far it looks ahead depends on what was read, never on
which response was faster, so a reading is the same each time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Generic, TypeVar

from . import frame, urls
from .diagnostics import Code, Diagnostic
from .errors import FetchError
from .fetch import Body, Fault, Fetched, Flow, fetch
from .limits import Limits
from .model import Entry, SitemapRef
from .policy import Policy
from .report import Report
from .walk import Walk

if TYPE_CHECKING:
    import httpx
    import pandas
    import pyarrow

Start = str | Path | BinaryIO
Result = Fetched | FetchError
Handle = TypeVar("Handle")


class Window(Generic[Handle]):
    """The documents on their way, read in document order."""

    def __init__(self, walk: Walk, size: int, begin: Callable[[SitemapRef], Handle]) -> None:
        self._walk = walk
        self._size = size
        self._begin = begin
        self._pending: list[tuple[SitemapRef, Handle]] = []

    def fill(self) -> None:
        """Begin what may be fetched now, as far as there is room."""
        while len(self._pending) < self._size and (ref := self._walk.next()) is not None:
            self._pending.append((ref, self._begin(ref)))

    def top_up(self) -> None:
        """The same while a document is read, when it has just named another."""
        if self._walk.waiting:
            self.fill()

    def take(self) -> tuple[SitemapRef, Handle] | None:
        """The first in document order; None if none is on its way."""
        if not self._pending:
            return None
        first = min(self._pending, key=lambda pair: self._walk.position(pair[0]))
        self._pending.remove(first)
        return first

    def give_up(self) -> list[Handle]:
        """All that is on its way and that nobody waits for any more."""
        handles = [handle for _, handle in self._pending]
        self._pending.clear()
        return handles


class Job:
    """What both drivers know: the walk, what to fetch how, and when to stop."""

    def __init__(
        self,
        start: Start,
        *,
        policy: Policy | None = None,
        limits: Limits | None = None,
        headers: Mapping[str, str] | None = None,
        concurrency: int = 4,
        on_diagnostic: Callable[[Diagnostic], object] | None = None,
    ) -> None:
        if concurrency < 1:
            raise ValueError(f"concurrency must be at least 1: {concurrency!r}")
        self.limits = limits or Limits()
        self.concurrency = concurrency
        self._file, where = local(start)
        self.walk = Walk(where, policy=policy, limits=self.limits)
        self.walk.on_diagnostic = on_diagnostic
        self._headers = dict(headers or {})
        self._stopped = False
        self._ends: float | None = None

    def begin(self) -> None:
        """The clock of the whole reading starts."""
        if self.limits.deadline is not None:
            self._ends = time.monotonic() + self.limits.deadline

    def stop(self) -> None:
        """Nothing more is wanted."""
        self._stopped = True

    def fault(self) -> Fault | None:
        """Why nothing more is to be fetched, if that is so."""
        if self._stopped:
            return Fault(Code.NETWORK, "the reading was closed", passing=False)
        if self._ends is not None and time.monotonic() > self._ends:
            return Fault(Code.TIMEOUT, "the deadline of the reading has passed", passing=False)
        return None

    def is_local(self, ref: SitemapRef) -> bool:
        """Whether a document is the file that was given in place of a URL."""
        return self._file is not None and ref.loc == self.walk.start

    def flow(self, ref: SitemapRef, user_agent: str) -> Flow:
        """The fetch of a document."""
        headers = {"user-agent": user_agent, **self._headers} if user_agent else self._headers
        origin = urls.origin(self.walk.start)
        return fetch(ref.loc, origin=origin, headers=headers, limits=self.limits, probe=self.walk.is_probe(ref))

    def load(self) -> Result:
        """The file that was given."""
        try:
            data = self._file.read_bytes() if isinstance(self._file, Path) else self._file.read() if self._file else b""
        except OSError as error:
            fault = Fault(Code.NETWORK, str(error))
            return FetchError(self.walk.start, fault.outcome, reason=fault.reason, code=fault.code)
        return Fetched(self.walk.start, None, {}, Body([data]))

    def entries(self, ref: SitemapRef, result: Result) -> Iterator[Entry]:
        """Hand over to the walk what came."""
        if isinstance(result, FetchError):
            self.walk.fail(ref, result)
            return iter(())
        reception = self.walk.open(ref, url=result.url, headers=result.headers, status=result.status)
        fault = result.body.fault
        return reception.read(result.body.take(), fault=(fault.code, fault.reason) if fault else None)

    def verdict(self) -> None:
        """Raises FetchError if not a single document could be read."""
        rows = self.walk.report.sitemaps
        if self.walk.received or not rows or rows[0].outcome is None or rows[0].complete:
            return
        reason = rows[0].diagnostics[0].detail if rows[0].diagnostics else ""
        raise FetchError(rows[0].requested, rows[0].outcome, rows[0].status, reason=reason)


class Reading:
    """A lazy reading of a site: iterate it for entries, once; leaving its ``with`` block stops it."""

    def __init__(self, job: Job, client: httpx.Client | None) -> None:
        self._job = job
        self._client = client
        self._iterator = self._run()

    @property
    def report(self) -> Report:
        """What was read so far; final once the iteration has ended."""
        return self._job.walk.report

    @property
    def walk(self) -> Walk:
        """The walk that it drives."""
        return self._job.walk

    def __enter__(self) -> Reading:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Reading:
        return self

    def __next__(self) -> Entry:
        return next(self._iterator)

    def __repr__(self) -> str:
        return f"<Reading of {self._job.walk.start}: {self.report!r}>"

    def head(self, n: int = 5) -> list[Entry]:
        """The next `n` entries; those behind them stay for later."""
        return list(islice(self, n))

    def iter_batches(self, size: int = 10_000, fields: Iterable[str] | None = None) -> Iterator[pyarrow.RecordBatch]:
        """The entries as Arrow record batches of `size`; `fields`: only these columns. Needs the extra ``arrow``.

        Columns: loc, lastmod (UTC), changefreq, priority, sitemap, lastmod_text, and images, videos, news and
        alternates as lists of records. Memory does not grow. Raises ImportError without pyarrow.
        """
        return frame.batches(self, size, fields)

    def to_arrow(self, fields: Iterable[str] | None = None) -> pyarrow.Table:
        """All entries as one Arrow table, as `iter_batches` has them. Needs the extra ``arrow``."""
        return frame.table(self, fields)

    def to_pandas(self, fields: Iterable[str] | None = None) -> pandas.DataFrame:
        """All entries as a DataFrame, as `iter_batches` has them. Needs the extra ``pandas``."""
        return frame.data_frame(self, fields)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The entries for whoever reads Arrow, such as polars and DuckDB, a batch at a time. Needs pyarrow."""
        return frame.stream(self, requested_schema)

    def close(self) -> None:
        """Stop: nothing more is fetched; connections and threads are released."""
        self._job.stop()
        self._iterator.close()

    def _run(self) -> Generator[Entry, None, None]:
        from .client import Fetcher  # httpx costs 60 ms, and reading bytes needs none

        job = self._job
        job.begin()
        fetcher = Fetcher(self._client, job.limits, job.fault)
        pool = ThreadPoolExecutor(job.concurrency, thread_name_prefix="sitemapreader")

        def begin(ref: SitemapRef) -> Future[Result]:
            if job.is_local(ref):
                return pool.submit(job.load)
            return pool.submit(fetcher.run, job.flow(ref, fetcher.user_agent))

        window = Window(job.walk, job.concurrency, begin)
        try:
            window.fill()
            while not job.walk.stopped and (pair := window.take()) is not None:
                ref, future = pair
                for entry in job.entries(ref, future.result()):
                    yield entry
                    window.top_up()
                window.fill()
        finally:
            job.stop()
            for handle in window.give_up():
                handle.cancel()
            pool.shutdown(cancel_futures=True)
            fetcher.close()
        job.verdict()


class AsyncReading:
    """The same for asyncio: ``async for`` and ``async with``."""

    def __init__(self, job: Job, client: httpx.AsyncClient | None) -> None:
        self._job = job
        self._client = client
        self._iterator = self._run()

    @property
    def report(self) -> Report:
        """What was read so far; final once the iteration has ended."""
        return self._job.walk.report

    async def __aenter__(self) -> AsyncReading:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncReading:
        return self

    async def __anext__(self) -> Entry:
        return await anext(self._iterator)

    def __repr__(self) -> str:
        return f"<AsyncReading of {self._job.walk.start}: {self.report!r}>"

    async def aclose(self) -> None:
        """Stop: nothing more is fetched; connections and tasks are released."""
        self._job.stop()
        await self._iterator.aclose()

    async def _run(self) -> AsyncGenerator[Entry, None]:
        from .client import AsyncFetcher

        job = self._job
        job.begin()
        fetcher = AsyncFetcher(self._client, job.limits, job.fault)

        def begin(ref: SitemapRef) -> asyncio.Task[Result]:
            if job.is_local(ref):
                return asyncio.create_task(asyncio.to_thread(job.load))
            return asyncio.create_task(fetcher.run(job.flow(ref, fetcher.user_agent)))

        window = Window(job.walk, job.concurrency, begin)
        try:
            window.fill()
            while not job.walk.stopped and (pair := window.take()) is not None:
                ref, task = pair
                for entry in job.entries(ref, await task):
                    yield entry
                    window.top_up()
                window.fill()
        finally:
            job.stop()
            tasks = window.give_up()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await fetcher.close()
        job.verdict()


def read(
    start: Start,
    *,
    policy: Policy | None = None,
    limits: Limits | None = None,
    client: httpx.Client | None = None,
    headers: Mapping[str, str] | None = None,
    concurrency: int = 4,
    on_diagnostic: Callable[[Diagnostic], object] | None = None,
) -> Reading:
    """Read the sitemaps of a site, lazily: nothing is fetched before the first entry is asked for.

    `start` is a site (``example.com``, ``https://example.com/blog/``), the URL of a robots.txt, sitemap or feed, or a
    local file by its path or as a binary file object. `policy` says which entries are kept and which sitemaps are
    followed, `limits` how much a reading may take. `client` is an ``httpx.Client`` of your own, which is left open.
    `headers` go to the start's origin only, but for User-Agent, Accept and Accept-Language, which go everywhere. Up to
    `concurrency` documents are fetched at a time. `on_diagnostic` is called with each Diagnostic as it is found.

    Returns a Reading: an iterator of Entry in document order, with a `report` that tells whether it is complete.
    Iterating it raises FetchError if not a single document could be read. Raises ValueError or TypeError for a start
    that is none. Rules: https://www.sitemaps.org/protocol.html and RFC 9309.
    """
    job = Job(
        start, policy=policy, limits=limits, headers=headers, concurrency=concurrency, on_diagnostic=on_diagnostic
    )
    return Reading(job, client)


def aread(
    start: Start,
    *,
    policy: Policy | None = None,
    limits: Limits | None = None,
    client: httpx.AsyncClient | None = None,
    headers: Mapping[str, str] | None = None,
    concurrency: int = 4,
    on_diagnostic: Callable[[Diagnostic], object] | None = None,
) -> AsyncReading:
    """As `read`, for asyncio: `client` is an ``httpx.AsyncClient``, and the Reading is for ``async for``."""
    job = Job(
        start, policy=policy, limits=limits, headers=headers, concurrency=concurrency, on_diagnostic=on_diagnostic
    )
    return AsyncReading(job, client)


def local(start: Start) -> tuple[Path | BinaryIO | None, str]:
    """The file that `start` is, None if it is a URL, and the URL it goes by."""
    if isinstance(start, Path) or (isinstance(start, str) and "://" not in start and Path(start).is_file()):
        path = Path(start)
        return path, path.absolute().as_uri()
    if isinstance(start, str):
        return None, start
    if hasattr(start, "read"):
        name = getattr(start, "name", None)
        return start, Path(name).absolute().as_uri() if isinstance(name, str) else "file:///-"
    raise TypeError(f"start must be a str, a Path or a binary file, not {type(start).__name__}")
