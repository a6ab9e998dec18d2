"""Clients: the one place that knows httpx. Our own ones, those that stand for a mirror, and what a response means."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import Any, cast

import httpx

from . import connections
from .body import Fault
from .diagnostics import Code
from .fetch import Reply, Terms
from .mirror import respond

CONNECT = 10.0
"""Seconds that connecting may take: who does not answer by then will not."""


def own_client(terms: Terms, size: int) -> httpx.Client:
    """A client whose connections pass the gate, `size` of them at a time."""
    pool = connections.pool(terms.gate, terms.brake.fault, tls(), size)
    return httpx.Client(transport=_Transport(pool), **settings(terms))


def own_async_client(terms: Terms, size: int) -> httpx.AsyncClient:
    """The same for asyncio."""
    pool = connections.async_pool(terms.gate, tls(), size)
    return httpx.AsyncClient(transport=_AsyncTransport(pool), **settings(terms))


def settings(terms: Terms) -> dict[str, Any]:
    """How a client of ours is set up: no redirects of its own, no cookies kept, nothing from the environment."""
    timeout = terms.limits.timeout
    return {
        "timeout": httpx.Timeout(timeout, connect=min(timeout, CONNECT)),
        "follow_redirects": False,
        "trust_env": False,
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=[])),
    }


@cache
def tls() -> ssl.SSLContext:
    """How servers prove who they are; made once, since that takes longer than most requests."""
    return httpx.create_ssl_context(trust_env=False)


class _Transport(httpx.BaseTransport):
    """Between httpx and the pool."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._pool.handle_request(_core_request(request))
        return httpx.Response(
            response.status, headers=response.headers, stream=_Stream(response), extensions=response.extensions
        )

    def close(self) -> None:
        self._pool.close()


class _AsyncTransport(httpx.AsyncBaseTransport):
    """The same for asyncio."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._pool.handle_async_request(_core_request(request))
        return httpx.Response(
            response.status, headers=response.headers, stream=_AsyncStream(response), extensions=response.extensions
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


class _Stream(httpx.SyncByteStream):
    def __init__(self, response: Any) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        return cast(Iterator[bytes], iter(self._response.stream))

    def close(self) -> None:
        self._response.close()


class _AsyncStream(httpx.AsyncByteStream):
    def __init__(self, response: Any) -> None:
        self._response = response

    def __aiter__(self) -> AsyncIterator[bytes]:
        return cast(AsyncIterator[bytes], aiter(self._response.stream))

    async def aclose(self) -> None:
        await self._response.aclose()


def _core_request(request: httpx.Request) -> Any:
    url = request.url
    return connections.request(
        request.method.encode("ascii"),
        (url.raw_scheme, url.raw_host, url.port, url.raw_path),
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


# ------------------------------------------------------------------------------------------------------------ meanings
def own_user_agent(client: httpx.Client | httpx.AsyncClient, *, is_async: bool) -> str:
    """A client's User-Agent, unless it is the one every client has; raises TypeError for a client of another kind."""
    kind = httpx.AsyncClient if is_async else httpx.Client
    if not isinstance(client, kind):
        raise TypeError(f"client must be an httpx.{kind.__name__} or None, not {client!r}")
    agent = client.headers.get("user-agent", "")
    return "" if agent.startswith("python-httpx/") else agent


def reply_of(response: httpx.Response) -> Reply:
    """The head of a response."""
    return Reply(response.status_code, {name.lower(): value for name, value in response.headers.items()})


def fault_of(error: Exception, *, reused: bool = False) -> Fault:
    """What an exception of the transport means; some are not httpx's own: bad hosts raise ValueError, UnicodeError.

    `reused`: it came before the head of a response, on a connection that had served before.
    """
    reason = f"{type(error).__name__}: {error}"
    if isinstance(error, connections.AddressRefused):
        return Fault(Code.POLICY_ADDRESS, str(error), passing=False)
    if isinstance(error, (httpx.TimeoutException, TimeoutError, *connections.TIMEOUTS)):
        return Fault(Code.TIMEOUT, reason)
    failures = (httpx.TransportError, OSError, *connections.FAILURES)
    passing = isinstance(error, failures) and not isinstance(error, httpx.UnsupportedProtocol)
    return Fault(Code.NETWORK, reason, passing=passing, stale=passing and reused)


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
