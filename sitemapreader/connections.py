"""Connections: to addresses that the gate lets pass, and for no longer than a request may take.

The one place that knows httpcore, httpx's own engine, which every httpx brings along. A name is looked up once, all of
its addresses are judged, and one of those is connected to: no second look-up can give another. Reads are cut into short
ones, since httpx bounds each read but not how many of them a response takes, and so that a reading that is closed
leaves no thread behind.
"""

from __future__ import annotations

import asyncio
import math
import socket
import ssl
import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any

import httpcore

from .addresses import Gate, is_numeric
from .body import Fault

ENDS: ContextVar[float] = ContextVar("ENDS", default=math.inf)
"""When the request that is made in this context has to be over, by the monotonic clock."""
SLICE = 0.2
"""Seconds that a read blocks at most before it looks whether it is still wanted."""
Stop = Callable[[], Fault | None]

TIMEOUTS = (httpcore.TimeoutException,)
FAILURES = (httpcore.NetworkError, httpcore.ProtocolError)


class AddressRefused(Exception):
    """The name leads to an address that may not be connected to."""


def pool(gate: Gate, stop: Stop, ssl_context: ssl.SSLContext, size: int) -> httpcore.ConnectionPool:
    """Connections for threads."""
    return httpcore.ConnectionPool(
        ssl_context=ssl_context,
        max_connections=size,
        max_keepalive_connections=size,
        network_backend=_Network(gate, stop),
    )


def async_pool(gate: Gate, ssl_context: ssl.SSLContext, size: int) -> httpcore.AsyncConnectionPool:
    """Connections for asyncio, where whoever waits can be cancelled."""
    return httpcore.AsyncConnectionPool(
        ssl_context=ssl_context,
        max_connections=size,
        max_keepalive_connections=size,
        network_backend=_AsyncNetwork(gate),
    )


def request(method: bytes, url: tuple[bytes, bytes, int | None, bytes], **parts: Any) -> httpcore.Request:
    """What a pool takes; `url` is scheme, host, port and target."""
    scheme, host, port, target = url
    return httpcore.Request(method, httpcore.URL(scheme=scheme, host=host, port=port, target=target), **parts)


def refuse(gate: Gate, host: str, port: int | None) -> None:
    """Look a name up and raise AddressRefused if an address of it is private; a name that is unknown is not."""
    try:
        addresses = _addresses(socket.getaddrinfo(host.strip("[]"), port or 80, type=socket.SOCK_STREAM))
    except (OSError, UnicodeError):
        return
    _judge(gate, host, addresses)


async def arefuse(gate: Gate, host: str, port: int | None) -> None:
    """The same in asyncio."""
    await asyncio.to_thread(refuse, gate, host, port)


def _addresses(found: Iterable[tuple[Any, ...]]) -> list[str]:
    """The addresses in an answer of getaddrinfo, once each, the preferred ones first."""
    return list(dict.fromkeys(str(answer[4][0]) for answer in found))


def _judge(gate: Gate, host: str, addresses: list[str]) -> None:
    refusal = gate.refusal(f"[{host}]" if ":" in host else host, addresses)
    if refusal:
        raise AddressRefused(refusal)


def _left(timeout: float | None) -> float:
    """Seconds that may still pass."""
    left = min(math.inf if timeout is None else timeout, ENDS.get() - time.monotonic())
    if left <= 0:
        raise httpcore.ReadTimeout("the request takes too long")
    return left


def _bound(timeout: float | None) -> float | None:
    left = _left(timeout)
    return None if left == math.inf else left


class _Network(httpcore.NetworkBackend):
    """How the pool connects."""

    def __init__(self, gate: Gate, stop: Stop) -> None:
        self._inner = httpcore.SyncBackend()
        self._gate = gate
        self._stop = stop

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            addresses = _addresses(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(str(error)) from error
        _judge(self._gate, host, addresses)
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                stream = self._inner.connect_tcp(address, port, _bound(timeout), local_address, socket_options)
                return _Stream(stream, self._stop)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


class _Stream(httpcore.NetworkStream):
    """A connection whose reads end when they have to."""

    def __init__(self, inner: httpcore.NetworkStream, stop: Stop) -> None:
        self._inner = inner
        self._stop = stop

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        until = time.monotonic() + _left(timeout)
        while True:
            left = until - time.monotonic()
            if fault := self._stop():
                raise httpcore.ReadError(fault.reason)
            try:
                return self._inner.read(max_bytes, max(min(left, SLICE), 0.001))
            except httpcore.ReadTimeout:
                if left <= SLICE:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _bound(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _bound(timeout)), self._stop)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _AsyncNetwork(httpcore.AsyncNetworkBackend):
    """How the pool connects in asyncio."""

    def __init__(self, gate: Gate) -> None:
        self._inner = httpcore.AnyIOBackend()
        self._gate = gate

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        addresses = [host] if is_numeric(host) else await self._look_up(host, port)
        _judge(self._gate, host, addresses)
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def _look_up(self, host: str, port: int) -> list[str]:
        try:
            return _addresses(await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(str(error)) from error
