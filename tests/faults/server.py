"""A server that misbehaves as it is told, on two loopback hosts, and remembers what it was asked.

A page is what is answered for a path: bytes; a status; a `Reply`; or a function of the connection that writes what it
likes. A list answers one after the other, the last for ever.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

HOSTS = ("127.0.0.1", "127.0.0.2")


class Asked(NamedTuple):
    """A request, as it came."""

    host: str
    path: str
    method: str
    headers: dict[str, str]
    """By name in lower case."""
    time: float


class Reply(NamedTuple):
    """A response as it should be."""

    status: int = 200
    headers: dict[str, str] = {}  # noqa: RUF012, nobody writes to it
    body: bytes = b""
    wait: float = 0.0
    """Seconds before it begins."""


@dataclass
class Connection:
    """One connection, with the request to answer."""

    socket: socket.socket
    asked: Asked
    server: Server
    waits: bool = True
    """Nothing of the answer was sent."""

    def send(self, data: bytes) -> None:
        self.begin()
        self.socket.sendall(data)

    def begin(self) -> None:
        """From here on, the client may take the request for answered."""
        if self.waits:
            self.waits = False
            self.server.count(-1)

    def nap(self, seconds: float) -> None:
        """Wait, but no longer than the server lives."""
        if self.server.closing.wait(seconds):
            raise ConnectionAbortedError


Page = bytes | int | Reply | Callable[[Connection], None] | list["Page"]


@dataclass
class Server:
    """Answers from `pages`, by path or by host and path; 404 for all others."""

    pages: dict[str, Page] = field(default_factory=dict)
    log: list[Asked] = field(default_factory=list)
    most_open: int = 0
    """The most requests that waited for their answers at a time."""
    drops_second: bool = False
    """A second request on a connection is logged, and the connection closed instead of an answer."""

    def __enter__(self) -> Server:
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._open = 0
        self._sockets: set[socket.socket] = set()
        self._listeners = [socket.create_server((host, 0), backlog=50) for host in HOSTS]
        for host, listener in zip(HOSTS, self._listeners, strict=True):
            threading.Thread(target=self._accept, args=(host, listener), daemon=True, name="faults").start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        for listener in self._listeners:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for connection in list(self._sockets):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def url(self, path: str, *, other: bool = False) -> str:
        listener = self._listeners[other]
        return f"http://{HOSTS[other]}:{listener.getsockname()[1]}{path}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [asked.path for asked in self.log]

    def _accept(self, host: str, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                self._sockets.add(connection)
                threading.Thread(target=self._serve, args=(host, connection), daemon=True, name="faults").start()

    def _serve(self, host: str, connection: socket.socket) -> None:
        served = 0
        with suppress(OSError), connection:
            while (asked := _request(host, connection)) is not None:
                self.log.append(asked)
                self.count(1)
                answer = Connection(connection, asked, self)
                try:
                    if self.drops_second and served:
                        break
                    served += 1
                    if not self._answer(answer):
                        break
                finally:
                    answer.begin()
        self._sockets.discard(connection)

    def count(self, more: int) -> None:
        """So many requests more wait for their answers."""
        with self._lock:
            self._open += more
            self.most_open = max(self.most_open, self._open)

    def _answer(self, connection: Connection) -> bool:
        """Answer a request; whether the connection may be used again."""
        page = self.pages.get(connection.asked.host + connection.asked.path, self.pages.get(connection.asked.path, 404))
        if isinstance(page, list):
            page = page.pop(0) if len(page) > 1 else page[0]
        if isinstance(page, bytes):
            page = Reply(body=page)
        if isinstance(page, int):
            page = Reply(page)
        if not isinstance(page, Reply):
            page(connection)
            return False
        connection.nap(page.wait)
        headers = {"Content-Length": str(len(page.body)), **page.headers}
        connection.send(head(page.status, headers) + page.body)
        return True


def _request(host: str, connection: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    line, *fields = data.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
    method, path, _ = line.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
    return Asked(host, path, method, headers, time.monotonic())


def head(status: int = 200, headers: dict[str, str] | None = None) -> bytes:
    """A status line and headers."""
    lines = [f"HTTP/1.1 {status} Whatever", *(f"{name}: {value}" for name, value in (headers or {}).items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


# ------------------------------------------------------------------------------------------------------- misbehaviour
def raw(*pieces: bytes, pause: float = 0.0) -> Callable[[Connection], None]:
    """Just these bytes, then the end of the connection."""

    def answer(connection: Connection) -> None:
        for piece in pieces:
            connection.send(piece)
            connection.nap(pause)

    return answer


def drip(data: bytes, pause: float) -> Callable[[Connection], None]:
    """A byte at a time, for ever: the last is repeated."""

    def answer(connection: Connection) -> None:
        for byte in data:
            connection.send(bytes((byte,)))
            connection.nap(pause)
        while True:
            connection.send(data[-1:])
            connection.nap(pause)

    return answer


def silent(*pieces: bytes) -> Callable[[Connection], None]:
    """These bytes, then nothing, and the connection stays."""

    def answer(connection: Connection) -> None:
        for piece in pieces:
            connection.send(piece)
        connection.nap(60)

    return answer


def reset(*pieces: bytes) -> Callable[[Connection], None]:
    """These bytes, a moment for them to arrive, then a reset."""

    def answer(connection: Connection) -> None:
        for piece in pieces:
            connection.send(piece)
        connection.nap(0.05)
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return answer


def endless(begin: bytes, piece: bytes) -> Callable[[Connection], None]:
    """A body that goes on as long as anybody takes it."""

    def answer(connection: Connection) -> None:
        connection.send(head() + begin)
        while not connection.server.closing.is_set():
            connection.send(piece)

    return answer


def chunked(pieces: Iterator[bytes] | list[bytes], *, end: bytes = b"0\r\n\r\n") -> Callable[[Connection], None]:
    """A body in chunks, which ends with `end`."""

    def answer(connection: Connection) -> None:
        connection.send(head(200, {"Transfer-Encoding": "chunked"}))
        for piece in pieces:
            connection.send(b"%x\r\n%s\r\n" % (len(piece), piece))
        connection.send(end)

    return answer
