"""The network: the one place that knows httpx. It runs the tasks of a `fetch` flow, synchronously or in asyncio."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import httpx

from .diagnostics import Code
from .errors import FetchError
from .fetch import Body, Drain, Fault, Fetched, Flow, Reply, Send, Wait
from .limits import Limits
from .mirror import respond

NAP = 0.5
"""Seconds slept at a time, so that a reading that is closed does not linger."""
Result = Fetched | FetchError
Stop = Callable[[], Fault | None]
"""Why nothing more is to be fetched, if that is so."""


class Fetcher:
    """Runs fetches with a synchronous client; may be called from several threads."""

    def __init__(self, client: httpx.Client | None, limits: Limits, stop: Stop) -> None:
        self._owned = client is None
        self._client = client if client is not None else httpx.Client(**settings(limits))
        self._stop = stop

    @property
    def user_agent(self) -> str:
        """The User-Agent that the caller's client brings, empty if it brings none of its own."""
        return own_user_agent(self._client)

    def close(self) -> None:
        """Release the connections, unless the client is the caller's."""
        if self._owned:
            self._client.close()

    def run(self, flow: Flow) -> Result:
        """One document, or why there is none."""
        answer: Any = None
        response: httpx.Response | None = None
        try:
            while True:
                task = flow.send(answer)
                if isinstance(task, Wait):
                    self._wait(task.seconds)
                    answer = None
                elif isinstance(task, Drain):
                    answer = self._drain(cast(httpx.Response, response), task.limit)
                else:
                    if response is not None:
                        response.close()
                    response, answer = self._send(task)
        except StopIteration as stop:
            return cast(Result, stop.value)
        finally:
            if response is not None:
                response.close()

    def _wait(self, seconds: float) -> None:
        while seconds > 0 and self._stop() is None:
            time.sleep(min(seconds, NAP))
            seconds -= NAP

    def _send(self, task: Send) -> tuple[httpx.Response | None, Reply | Fault]:
        if fault := self._stop():
            return None, fault
        try:
            request = self._client.build_request("GET", task.url, headers=task.headers)
            response = self._client.send(request, stream=True, follow_redirects=False)
        except Exception as error:  # a transport of the caller's may raise anything
            return None, fault_of(error)
        return response, reply_of(response)

    def _drain(self, response: httpx.Response, limit: int) -> Body:
        body = Body()
        try:
            # Not iter_raw, which refuses a response that was made with its content, as those of mock transports are.
            for chunk in cast(httpx.SyncByteStream, response.stream):
                body.fault = body.add(chunk, limit) or self._stop()
                if body.fault:
                    break
        except Exception as error:
            body.fault = fault_of(error)
        return body


class AsyncFetcher:
    """The same for asyncio."""

    def __init__(self, client: httpx.AsyncClient | None, limits: Limits, stop: Stop) -> None:
        self._owned = client is None
        self._client = client if client is not None else httpx.AsyncClient(**settings(limits))
        self._stop = stop

    @property
    def user_agent(self) -> str:
        """The User-Agent that the caller's client brings, empty if it brings none of its own."""
        return own_user_agent(self._client)

    async def close(self) -> None:
        """Release the connections, unless the client is the caller's."""
        if self._owned:
            await self._client.aclose()

    async def run(self, flow: Flow) -> Result:
        """One document, or why there is none."""
        answer: Any = None
        response: httpx.Response | None = None
        try:
            while True:
                task = flow.send(answer)
                if isinstance(task, Wait):
                    await asyncio.sleep(task.seconds)
                    answer = None
                elif isinstance(task, Drain):
                    answer = await self._drain(cast(httpx.Response, response), task.limit)
                else:
                    if response is not None:
                        await response.aclose()
                    response, answer = await self._send(task)
        except StopIteration as stop:
            return cast(Result, stop.value)
        finally:
            if response is not None:
                await response.aclose()

    async def _send(self, task: Send) -> tuple[httpx.Response | None, Reply | Fault]:
        if fault := self._stop():
            return None, fault
        try:
            request = self._client.build_request("GET", task.url, headers=task.headers)
            response = await self._client.send(request, stream=True, follow_redirects=False)
        except Exception as error:  # a transport of the caller's may raise anything
            return None, fault_of(error)
        return response, reply_of(response)

    async def _drain(self, response: httpx.Response, limit: int) -> Body:
        body = Body()
        try:
            async for chunk in cast(httpx.AsyncByteStream, response.stream):
                body.fault = body.add(chunk, limit) or self._stop()
                if body.fault:
                    break
        except Exception as error:
            body.fault = fault_of(error)
        return body


def settings(limits: Limits) -> dict[str, Any]:
    """How a client of ours is set up: no redirects of its own, nothing from the environment."""
    return {
        "timeout": httpx.Timeout(limits.timeout),
        "follow_redirects": False,
        "trust_env": False,
    }


def own_user_agent(client: httpx.Client | httpx.AsyncClient) -> str:
    """A client's User-Agent, unless it is the one every client has."""
    agent = client.headers.get("user-agent", "")
    return "" if agent.startswith("python-httpx/") else agent


def reply_of(response: httpx.Response) -> Reply:
    """The head of a response."""
    return Reply(response.status_code, {name.lower(): value for name, value in response.headers.items()})


def fault_of(error: Exception) -> Fault:
    """What an exception of the transport means; some are not httpx's own: bad hosts raise ValueError, UnicodeError."""
    reason = f"{type(error).__name__}: {error}"
    if isinstance(error, httpx.TimeoutException):
        return Fault(Code.TIMEOUT, reason)
    passing = isinstance(error, httpx.TransportError | OSError) and not isinstance(error, httpx.UnsupportedProtocol)
    return Fault(Code.NETWORK, reason, passing=passing)


class _Mirror(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Answers from files; httpx asks for these two bases."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = respond(self._root, str(request.url))
        body = answer.body.read_bytes() if isinstance(answer.body, Path) else answer.body
        headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in answer.headers.items()]
        return httpx.Response(answer.status, headers=headers, stream=httpx.ByteStream(body))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return self.handle_request(request)


def mirror_client(directory: str | Path) -> httpx.Client:
    """A client for `read` that answers every request from files, and needs no network.

    `directory` holds a folder for each host: ``https://shop.example/a/b.xml`` is ``DIRECTORY/shop.example/a/b.xml``.
    A file ``b.xml.headers`` beside it may give the status (``HTTP 301``) and headers. Raises NotADirectoryError if
    there is no such folder.
    """
    return httpx.Client(transport=_mirror(directory), trust_env=False)


def async_mirror_client(directory: str | Path) -> httpx.AsyncClient:
    """The same for `aread`."""
    return httpx.AsyncClient(transport=_mirror(directory), trust_env=False)


def _mirror(directory: str | Path) -> _Mirror:
    root = Path(directory)
    if not root.is_dir():
        raise NotADirectoryError(str(root))
    return _Mirror(root)
