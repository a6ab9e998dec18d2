"""Reading a site, batteries included: two thin drivers, sync and async, of the same walk and the same fetches.

A driver keeps up to `concurrency` documents on the way, in the order the walk gives them, and reads them in document
order, each from its first bytes on: what comes before it is asked for is held compressed, as it was sent. How far a
driver looks ahead depends on what was read, never on which response was faster, so a reading is the same each time.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping
from itertools import chain, islice
from types import TracebackType
from typing import TYPE_CHECKING

from . import frame
from .diagnostics import Diagnostic
from .fetch import Fetched
from .job import Job, Known, Result, Start, Window
from .limits import Limits
from .model import Entry, SitemapRef
from .policy import Policy
from .reception import Batch
from .report import Progress, Report
from .walk import Walk

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

    import httpx
    import pandas
    import pyarrow

    from .state import Change, State


class Reading:
    """A lazy reading of a site: iterate it for entries, once; leaving its ``with`` block stops it."""

    def __init__(self, job: Job, client: httpx.Client | None) -> None:
        self._job = job
        self._client = client
        self._batches = self._run()
        self._entries = chain.from_iterable(self._batches)
        self._in_block = False

    @property
    def report(self) -> Report:
        """What was read so far; final once the iteration has ended."""
        return self._job.walk.report

    @property
    def walk(self) -> Walk:
        """The walk that it drives."""
        return self._job.walk

    def __enter__(self) -> Reading:
        self._in_block = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self._job.remember()
        self.close()

    def __iter__(self) -> Iterator[Entry]:
        return self._entries

    def __next__(self) -> Entry:
        return next(self._entries)

    def __repr__(self) -> str:
        return f"<Reading of {self._job.walk.start}: {self.report!r}>"

    def _repr_html_(self) -> str:
        return self.report._repr_html_()

    def head(self, n: int = 5) -> list[Entry]:
        """The next `n` entries; those behind them stay for later."""
        return list(islice(self, n))

    def changes(self) -> Iterator[Change]:
        """The entries, each with what became of it since the state was written; see `State`. Iterate this or the
        reading itself.

        Entries of documents that are unchanged do not come. Raises ValueError if the reading has no state.
        """
        ledger = self._job.book()
        return map(ledger.change, self)

    def gone(self) -> Iterator[Change]:
        """What no document lists any more, after a complete reading, by loc.

        Raises StateError if the reading is not complete, and ValueError if it has no state.
        """
        return self._job.book().gone()

    def in_batches(self) -> Iterator[Batch]:
        """The entries as lists, as long as they were read in one go."""
        return self._batches

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
        self._job.brake.stop()
        self._batches.close()
        self._job.forget()
        self._entries = chain()

    def _run(self) -> Generator[Batch, None, None]:
        from concurrent.futures import Future

        from .exchange import Fetcher  # httpx costs 60 ms, and reading bytes needs none

        job = self._job
        job.start()
        fetcher = Fetcher(self._client, job.terms, job.concurrency)

        def begin(ref: SitemapRef) -> Future[Result]:
            result = job.local(ref)
            if result is None:
                return fetcher.begin(job.flow(ref, fetcher.terms))
            future: Future[Result] = Future()
            future.set_result(result)
            return future

        window = Window(job.walk, job.concurrency, begin)
        try:
            window.fill()
            while not job.walk.stopped and (pair := window.take()) is not None:
                ref, future = pair
                for batch in job.entries(ref, future.result()):
                    window.top_up()
                    yield batch
                    window.top_up()
                window.fill()
        except BaseException:
            job.forget()
            raise
        finally:
            job.brake.stop()
            fetcher.close()
        job.verdict()
        job.conclude(remember=not self._in_block)


class AsyncReading:
    """The same for asyncio: ``async for`` and ``async with``."""

    def __init__(self, job: Job, client: httpx.AsyncClient | None) -> None:
        self._job = job
        self._client = client
        self._batches = self._run()
        self._entries: Iterator[Entry] = iter(())
        self._in_block = False

    @property
    def report(self) -> Report:
        """What was read so far; final once the iteration has ended."""
        return self._job.walk.report

    async def __aenter__(self) -> AsyncReading:
        self._in_block = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            await self._in_thread(self._job.remember)
        await self.aclose()

    def __aiter__(self) -> AsyncReading:
        return self

    async def __anext__(self) -> Entry:
        while (entry := next(self._entries, None)) is None:
            self._entries = iter(await anext(self._batches))
        return entry

    def __repr__(self) -> str:
        return f"<AsyncReading of {self._job.walk.start}: {self.report!r}>"

    async def changes(self) -> AsyncIterator[Change]:
        """As `Reading.changes`, for ``async for``."""
        ledger = self._job.book()
        async for entry in self:
            yield ledger.change(entry)

    def gone(self) -> Iterator[Change]:
        """As `Reading.gone`."""
        return self._job.book().gone()

    async def aclose(self) -> None:
        """Stop: nothing more is fetched; connections and tasks are released."""
        self._job.brake.stop()
        await self._batches.aclose()
        self._job.forget()
        self._entries = iter(())

    async def _run(self) -> AsyncGenerator[Batch, None]:
        import asyncio

        from .exchange import AsyncFetcher

        job = self._job
        job.start()
        fetcher = AsyncFetcher(self._client, job.terms, job.concurrency)

        def begin(ref: SitemapRef) -> asyncio.Future[Result]:
            result = job.local(ref)
            if result is None:
                return fetcher.begin(job.flow(ref, fetcher.terms))
            future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
            future.set_result(result)
            return future

        window = Window(job.walk, job.concurrency, begin)
        try:
            window.fill()
            while not job.walk.stopped and (pair := window.take()) is not None:
                ref, future = pair
                result = await future
                reception = job.receive(ref, result)
                if reception is not None and isinstance(result, Fetched):
                    try:
                        while not reception.ended and (chunk := await result.body.aget()):
                            for batch in reception.feed(chunk):
                                window.top_up()
                                yield job.seen(ref, batch)
                                await asyncio.sleep(0)
                            window.top_up()
                            await asyncio.sleep(0)
                        for batch in reception.close(fault=result.body.fault):
                            window.top_up()
                            yield job.seen(ref, batch)
                    finally:
                        result.body.give_up()
                        reception.end()
                window.fill()
        except BaseException:
            job.forget()
            raise
        finally:
            job.brake.stop()
            await fetcher.close()
        job.verdict()
        await self._in_thread(lambda: job.conclude(remember=not self._in_block))

    async def _in_thread(self, write: Callable[[], None]) -> None:
        """Write to the state, which takes seconds for millions of entries."""
        if self._job.ledger:
            import asyncio

            await asyncio.to_thread(write)


def read(
    start: Start,
    *,
    policy: Policy | None = None,
    limits: Limits | None = None,
    client: httpx.Client | None = None,
    headers: Mapping[str, str] | None = None,
    concurrency: int = 4,
    validators: Known | None = None,
    state: State | None = None,
    on_diagnostic: Callable[[Diagnostic], object] | None = None,
    on_progress: Callable[[Progress], object] | None = None,
) -> Reading:
    """Read the sitemaps of a site, lazily: nothing is fetched before the first entry is asked for.

    `start` is a site (``example.com``, ``https://example.com/blog/``), the URL of a robots.txt, sitemap or feed, or a
    local file by its path or as a binary file object. `policy` says which entries are kept and which sitemaps are
    followed, `limits` how much a reading may take. `client` is an ``httpx.Client`` of your own, which is left open; its
    timeouts hold, and what it does about proxies, certificates and addresses. `headers` go to the start's origin only,
    but for User-Agent, Accept and Accept-Language, which go everywhere. Up to `concurrency` documents are fetched at a
    time. `validators`, as an earlier `Report.validators` has them, let servers answer that a document has not changed:
    its outcome is NOT_MODIFIED, and its entries do not come. `state` does that and more: `Reading.changes` marks what
    is new and changed since the last reading, `Reading.gone` has what is gone. The reading is written into it when the
    ``with`` block is left without an exception, after all entries were taken; without ``with``, when iteration ends.
    `on_diagnostic` is called with each Diagnostic as it is found, `on_progress` with a Progress when a document is
    begun, read on and finished; both in the reader's own thread or task.

    Returns a Reading: an iterator of Entry in document order, with a `report` that tells whether it is complete.
    Iterating it raises FetchError if not a single document could be read, and StateError if the state cannot be read or
    written. Raises ValueError or TypeError for a start that is none. Rules: https://www.sitemaps.org/protocol.html and
    RFC 9309.
    """
    job = Job(
        start,
        policy=policy,
        limits=limits,
        headers=headers,
        concurrency=concurrency,
        validators=validators,
        state=state,
        on_diagnostic=on_diagnostic,
        on_progress=on_progress,
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
    validators: Known | None = None,
    state: State | None = None,
    on_diagnostic: Callable[[Diagnostic], object] | None = None,
    on_progress: Callable[[Progress], object] | None = None,
) -> AsyncReading:
    """As `read`, for asyncio: `client` is an ``httpx.AsyncClient``, and the Reading is for ``async for``."""
    job = Job(
        start,
        policy=policy,
        limits=limits,
        headers=headers,
        concurrency=concurrency,
        validators=validators,
        state=state,
        on_diagnostic=on_diagnostic,
        on_progress=on_progress,
    )
    return AsyncReading(job, client)
