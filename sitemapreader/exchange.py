"""Requests and their responses: runs the tasks of `fetch` flows, in threads or in asyncio, and fills their bodies."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, cast

from . import connections, urls
from .body import Body, Fault
from .client import fault_of, own_async_client, own_client, own_user_agent, reply_of
from .diagnostics import Code
from .errors import FetchError
from .fetch import Answer, Fetched, Flow, Reply, Send, Slot, Terms, Wait
from .limits import PATIENCE

if TYPE_CHECKING:
    import httpx

NAP = 0.2
"""Seconds slept at a time, so that a reading that is closed does not linger."""
LINGER = 0.5
"""Seconds that a reading which is closed waits for its threads. One that looks a name up cannot be woken."""
TURNS = 10
"""Of the event loop, in which it ends the generators within a generator that is closed: httpcore has three, and each
takes two."""
LATE = "the body takes too long"
Result = Fetched | FetchError


class Fetcher:
    """Runs fetches with a synchronous client, each in a thread of its own."""

    def __init__(self, given: httpx.Client | None, terms: Callable[[str], Terms], size: int) -> None:
        """`given` is the caller's, if there is one; else `size` connections are kept."""
        self.terms = terms("" if given is None else own_user_agent(given, is_async=False))
        self._owned = given is None
        self._looks_up = self.terms.gate.is_strict and not self._owned  # our own connections pass the gate anyway
        self._client = given if given is not None else own_client(self.terms, size)
        self._threads: set[threading.Thread] = set()
        self._size = size

    def begin(self, flow: Flow) -> Future[Result]:
        """Fetch a document; there is a result as soon as there is some of its body, which may still be growing then."""
        future: Future[Result] = Future()
        # No pool: its threads would have to be waited for when Python ends.
        thread = threading.Thread(target=self._run, args=(flow, future), daemon=True, name="sitemapreader")
        self._threads.add(thread)
        thread.start()
        return future

    def close(self) -> None:
        """Release the connections, unless they are the caller's, once what is on its way has ended; see Brake."""
        ends = time.monotonic() + LINGER
        for thread in list(self._threads):
            thread.join(max(ends - time.monotonic(), 0))
        if self._owned:
            self._client.close()

    def _run(self, flow: Flow, future: Future[Result]) -> None:
        exchange = _Exchange(self._client, self.terms, self._slot_of, looks_up=self._looks_up)
        try:
            future.set_result(self._perform(flow, exchange))
            exchange.finish()
        except BaseException as error:
            if future.done():
                raise
            future.set_exception(error)
        finally:
            exchange.close()
            self._threads.discard(threading.current_thread())

    def _perform(self, flow: Flow, exchange: _Exchange) -> Result:
        """Do what the flow asks for, to its result."""
        answer: Answer = None
        while True:
            try:
                task = flow.send(answer)
            except StopIteration as end:
                return cast(Result, end.value)
            if isinstance(task, Wait):
                answer = None
                self._wait(task.seconds)
            elif isinstance(task, Send):
                answer = exchange.send(task)
            else:
                answer = exchange.begin(task.limit)

    def _slot_of(self, host: str) -> Slot:
        """What keeps the requests to one host few."""
        return self.terms.manners.slot(host, self.terms.limits.per_host or self._size)

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and self.terms.brake.fault() is None:
            time.sleep(min(left, NAP))


class _Exchange:
    """The request that is on its way in one thread, and its response."""

    def __init__(self, client: httpx.Client, terms: Terms, slot_of: Callable[[str], Slot], *, looks_up: bool) -> None:
        self._client = client
        self._looks_up = looks_up
        self._terms = terms
        self._slot_of = slot_of
        self._slot: Slot | None = None
        self._response: httpx.Response | None = None
        self._chunks: Iterator[bytes] = iter(())
        self._body: Body | None = None

    def send(self, task: Send) -> Reply | Fault:
        self.close()
        brake, timeout = self._terms.brake, self._terms.limits.timeout
        slot = self._slot_of(urls.host(task.url))
        while not slot.acquire(timeout=NAP):
            if fault := brake.fault():
                return fault
        self._slot = slot
        if fault := brake.fault():
            return fault
        connections.ENDS.set(time.monotonic() + timeout)
        trace = connections.Trace()
        try:
            traced = {"trace": trace.note}
            request = self._client.build_request("GET", task.url, headers=task.headers, extensions=traced)
            if self._looks_up:
                connections.refuse(self._terms.gate, request.url.host, request.url.port)
            self._response = self._client.send(request, stream=True, follow_redirects=False)
        except Exception as error:  # a transport of the caller's may raise anything
            return brake.fault() or fault_of(error, reused=trace.reused)
        connections.ENDS.set(time.monotonic() + PATIENCE * timeout)
        return reply_of(self._response)

    def begin(self, limit: int) -> Body:
        self._body = Body(limit)
        # Not iter_raw, which refuses a response that was made with its content, as those of mock transports are.
        self._chunks = iter(cast("httpx.SyncByteStream", cast("httpx.Response", self._response).stream))
        while not self._body.size and self._step():
            pass
        return self._body

    def finish(self) -> None:
        """Read the rest of the body."""
        while self._body and self._step():
            pass

    def _step(self) -> bool:
        """Read on; False if that was all."""
        body = cast(Body, self._body)
        try:
            chunk = next(self._chunks, None)
        except Exception as error:
            body.end(self._terms.brake.fault() or fault_of(error))
            return False
        if chunk is None or body.ended:
            body.end()
        elif body.add(chunk):
            late = time.monotonic() > connections.ENDS.get()
            fault = self._terms.brake.fault() or (Fault(Code.TIMEOUT, LATE, passing=False) if late else None)
            if fault:
                body.end(fault)
        return not body.ended and body.wanted

    def close(self) -> None:
        if self._body is not None:
            self._body.end(Fault(Code.NETWORK, "given up", passing=False))
            self._body = None
        if self._response is not None:
            self._response.close()
            self._response = None
        if self._slot is not None:
            self._slot.release()
            self._slot = None


class AsyncFetcher:
    """The same for asyncio, each in a task of its own."""

    def __init__(self, given: httpx.AsyncClient | None, terms: Callable[[str], Terms], size: int) -> None:
        self.terms = terms("" if given is None else own_user_agent(given, is_async=True))
        self._owned = given is None
        self._looks_up = self.terms.gate.is_strict and not self._owned  # our own connections pass the gate anyway
        self._client = given if given is not None else own_async_client(self.terms, size)
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._tasks: dict[asyncio.Task[None], _AsyncExchange] = {}
        self._size = size

    def begin(self, flow: Flow) -> asyncio.Future[Result]:
        """Fetch a document; there is a result as soon as there is some of its body, which may still be growing then."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        exchange = _AsyncExchange(self._client, self.terms, self._slot_of, looks_up=self._looks_up)
        task = asyncio.create_task(self._run(flow, exchange, future))
        self._tasks[task] = exchange
        task.add_done_callback(self._tasks.pop)
        return future

    async def close(self) -> None:
        """End what is on its way, and release the connections unless they are the caller's."""
        tasks, ends = dict(self._tasks), time.monotonic() + LINGER
        while any(not task.done() for task in tasks):
            for task, exchange in tasks.items():
                # A connection whose closing is cancelled stays open.
                if not exchange.is_closing or time.monotonic() > ends:
                    task.cancel()
            await asyncio.wait(tasks, timeout=NAP)
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._owned:
            await self._client.aclose()

    async def _run(self, flow: Flow, exchange: _AsyncExchange, future: asyncio.Future[Result]) -> None:
        try:
            future.set_result(await self._perform(flow, exchange))
            await exchange.finish()
        except Exception as error:
            if future.done():
                raise
            future.set_exception(error)
        finally:
            await exchange.close()

    async def _perform(self, flow: Flow, exchange: _AsyncExchange) -> Result:
        """Do what the flow asks for, to its result."""
        answer: Answer = None
        while True:
            try:
                task = flow.send(answer)
            except StopIteration as end:  # which no coroutine can raise
                return cast(Result, end.value)
            if isinstance(task, Wait):
                answer = None
                await asyncio.sleep(min(task.seconds, max(self.terms.brake.left(), 0)))
            elif isinstance(task, Send):
                answer = await exchange.send(task)
            else:
                answer = await exchange.begin(task.limit)

    def _slot_of(self, host: str) -> asyncio.Semaphore:
        return self._slots.setdefault(host, asyncio.Semaphore(self.terms.limits.per_host or self._size))


class _AsyncExchange:
    """The request that is on its way in one task, and its response."""

    def __init__(
        self, client: httpx.AsyncClient, terms: Terms, slot_of: Callable[[str], asyncio.Semaphore], *, looks_up: bool
    ) -> None:
        self._client = client
        self._looks_up = looks_up
        self._terms = terms
        self._slot_of = slot_of
        self._slot: asyncio.Semaphore | None = None
        self._response: httpx.Response | None = None
        self._chunks: AsyncIterator[bytes] | None = None
        self._body: Body | None = None
        self._ends = 0.0
        self.is_closing = False
        """A response is on its way back to the pool."""

    async def send(self, task: Send) -> Reply | Fault:
        await self.close()
        brake, timeout = self._terms.brake, self._terms.limits.timeout
        slot = self._slot_of(urls.host(task.url))
        await slot.acquire()
        self._slot = slot
        if fault := brake.fault():
            return fault
        trace = connections.Trace()
        try:
            async with asyncio.timeout(min(timeout, brake.left())):
                traced = {"trace": trace.anote}
                request = self._client.build_request("GET", task.url, headers=task.headers, extensions=traced)
                if self._looks_up:
                    await connections.arefuse(self._terms.gate, request.url.host, request.url.port)
                self._response = await self._client.send(request, stream=True, follow_redirects=False)
        except Exception as error:  # a transport of the caller's may raise anything
            return brake.fault() or fault_of(error, reused=trace.reused)
        self._ends = time.monotonic() + PATIENCE * timeout
        return reply_of(self._response)

    async def begin(self, limit: int) -> Body:
        self._body = Body(limit, asyncio.Event())
        self._chunks = aiter(cast("httpx.AsyncByteStream", cast("httpx.Response", self._response).stream))
        while not self._body.size and await self._step():
            pass
        return self._body

    async def finish(self) -> None:
        """Read the rest of the body."""
        while self._body and await self._step():
            pass

    async def _step(self) -> bool:
        """Read on; False if that was all."""
        body, brake = cast(Body, self._body), self._terms.brake
        try:
            async with asyncio.timeout(min(brake.left(), self._ends - time.monotonic())):
                chunk = await anext(cast("AsyncIterator[bytes]", self._chunks), None)
        except Exception as error:
            body.end(brake.fault() or fault_of(error))
            return False
        if chunk is None or body.ended:
            body.end()
        else:
            body.add(chunk)
        return not body.ended and body.wanted

    async def close(self) -> None:
        if self._body is not None:
            self._body.end(Fault(Code.NETWORK, "given up", passing=False))
            self._body = None
        if self._response is not None:
            self.is_closing = True
            chunks: Any = self._chunks
            if getattr(chunks, "ag_frame", None):  # left in its middle: the loop would end it in a task of its own
                await chunks.aclose()
                for _ in range(TURNS):
                    await asyncio.sleep(0)
            await self._response.aclose()
            self.is_closing = False
            self._chunks = self._response = None
        if self._slot is not None:
            self._slot.release()
            self._slot = None
