"""One document over HTTP, without I/O: which request next, and what a response means.

`fetch` is a generator that yields what is to be done and is sent what came of it; a synchronous and an asynchronous
driver run the same one (see `client`). It follows redirects hop by hop, since headers and scheme are judged anew at
each, and repeats what may pass, before anything of the document was handed on.
"""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from . import urls
from .diagnostics import Code, Outcome
from .errors import FetchError
from .limits import Limits

VERSION = "0.1.0"
USER_AGENT = f"sitemapreader/{VERSION}"
ACCEPT = "application/xml, text/xml, text/plain;q=0.8, */*;q=0.1"
ACCEPT_ENCODING = "gzip, deflate"
"""Just what is decoded: clients add br and zstd if those happen to be installed."""
EVERYWHERE = {"user-agent", "accept", "accept-language"}
"""The caller's headers that go to every host; the others are for the start's origin."""
REDIRECTS = {301, 302, 303, 307, 308}
BLOCKED = {401, 403, 429, 451}
ABSENT = {404, 410}
RETRIED = {408, 429, 500, 502, 503, 504}
MAX_WAIT = 60.0
"""Seconds; a server that asks for more is not waited for."""


class Send(NamedTuple):
    """Do: send a GET and give the Reply, or the Fault that there is none."""

    url: str
    headers: dict[str, str]


class Drain(NamedTuple):
    """Do: read the body of the last reply, up to so many bytes as they come, and give the Body."""

    limit: int


class Wait(NamedTuple):
    """Do: nothing for so many seconds."""

    seconds: float


class Reply(NamedTuple):
    """The head of a response; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]


class Fault(NamedTuple):
    """No response, or no more of one."""

    code: Code
    reason: str
    passing: bool = True
    """It may pass: to try again makes sense."""

    @property
    def outcome(self) -> Outcome:
        """How a document ends for it."""
        return Outcome.REFUSED if self.code in (Code.URL_SCHEME, Code.POLICY_ADDRESS) else Outcome.FAILED


@dataclass(slots=True)
class Body:
    """The bytes of a body as sent, and why there are no more if it ended early."""

    chunks: list[bytes] = field(default_factory=list)
    fault: Fault | None = None
    size: int = 0

    def add(self, chunk: bytes, limit: int) -> Fault | None:
        """Keep a chunk; a Fault if that is more than is read of a body."""
        self.chunks.append(chunk)
        self.size += len(chunk)
        over = self.size > limit
        return Fault(Code.LIMIT_SIZE, "more compressed bytes than max_bytes", passing=False) if over else None

    def take(self) -> Iterator[bytes]:
        """The chunks, forgotten as they are read."""
        self.chunks.reverse()
        while self.chunks:
            yield self.chunks.pop()


class Fetched(NamedTuple):
    """A document that is there."""

    url: str
    """Where it was found in the end."""
    status: int | None
    headers: Mapping[str, str]
    body: Body


Task = Send | Drain | Wait
Answer = Reply | Body | Fault | None
Flow = Generator[Task, Answer, Fetched | FetchError]


def fetch(url: str, *, origin: str, headers: Mapping[str, str], limits: Limits, probe: bool) -> Flow:
    """Fetch `url`. `headers` are the caller's, `origin` the start's; a `probe` is not retried."""
    tries = 1 if probe else 1 + limits.retries
    for left in reversed(range(tries)):
        result, wait = yield from _attempt(url, origin=origin, headers=headers, limits=limits)
        if wait is None or not left:
            break
        if wait > MAX_WAIT:
            break
        yield Wait(wait or _backoff(tries - left))
    return result


def _backoff(failures: int) -> float:
    """Seconds before the next try: doubled each time, with jitter so that many readers do not come back as one."""
    return float(2 ** (failures - 1)) * random.uniform(0.5, 1.0)


def _attempt(
    url: str, *, origin: str, headers: Mapping[str, str], limits: Limits
) -> Generator[Task, Answer, tuple[Fetched | FetchError, float | None]]:
    """One try with its redirects: the result, and how long to wait before another, None if that is no use."""
    start, visited = url, {url}
    while True:
        reply = yield Send(url, headers_for(url, origin=origin, given=headers))
        if isinstance(reply, Fault):
            return _failed(start, reply), 0.0 if reply.passing else None
        assert isinstance(reply, Reply)
        if reply.status not in REDIRECTS:
            break
        following = redirected(url, reply, visited, limits.max_redirects)
        if isinstance(following, Fault):
            return _failed(start, following, reply.status), None
        url = following
        visited.add(url)
    if reply.status not in (200, 203, 204):
        return _refused(start, reply)
    declared = reply.headers.get("content-length", "")
    if declared.isdigit() and int(declared[:20]) > limits.max_bytes:
        fault = Fault(Code.LIMIT_SIZE, f"Content-Length {declared[:20]} is more than max_bytes", passing=False)
        return Fetched(url, reply.status, reply.headers, Body(fault=fault)), None
    body = yield Drain(limits.max_bytes)
    assert isinstance(body, Body)
    fetched = Fetched(url, reply.status, reply.headers, body)
    return fetched, 0.0 if body.fault and body.fault.passing and not body.chunks else None


def redirected(url: str, reply: Reply, visited: set[str], most: int) -> str | Fault:
    """Where a redirect leads, or why it is not followed."""
    location = reply.headers.get("location", "")
    target = urls.resolve(location, url)
    if target.url is None:
        refused = any(code is Code.URL_SCHEME for code, _ in target.findings)
        code = Code.URL_SCHEME if refused else Code.REDIRECT_LIMIT
        return Fault(code, f"redirect to {location!r}", passing=False)
    following = urls.without_fragment(target.url)
    if following in visited:
        return Fault(Code.REDIRECT_LIMIT, f"redirect loop at {following}", passing=False)
    if len(visited) > most:
        return Fault(Code.REDIRECT_LIMIT, f"more than {most} redirects", passing=False)
    return following


def headers_for(url: str, *, origin: str, given: Mapping[str, str]) -> dict[str, str]:
    """The headers of one hop, made anew: what the caller gave for the start's origin goes to no other."""
    same = urls.origin(url) == origin
    own = {"user-agent": USER_AGENT, "accept": ACCEPT}
    own.update({name.lower(): value for name, value in given.items() if same or name.lower() in EVERYWHERE})
    own["accept-encoding"] = ACCEPT_ENCODING
    return own


def _failed(url: str, fault: Fault, status: int | None = None) -> FetchError:
    return FetchError(url, fault.outcome, status, reason=fault.reason, code=fault.code)


def _refused(url: str, reply: Reply) -> tuple[FetchError, float | None]:
    """What a status that brings no document means, and how long to wait for another."""
    status = reply.status
    outcome = Outcome.ABSENT if status in ABSENT else Outcome.BLOCKED if status in BLOCKED else Outcome.FAILED
    told = retry_after(reply.headers.get("retry-after"), reply.headers.get("date"))
    by = ", ".join(f"{name}: {reply.headers[name]}" for name in ("server", "cf-mitigated") if name in reply.headers)
    reason = f"HTTP {status}" + (f" ({by})" if by else "")
    error = FetchError(url, outcome, status, reason=reason, retry_after=told)
    return error, (told or 0.0) if status in RETRIED else None


def retry_after(value: str | None, date: str | None) -> float | None:
    """Seconds that a Retry-After asks for, as a number or as a date (RFC 9110, 10.2.3); None if it says nothing."""
    if not value:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(min(int(text[:12]), 10**9))
    try:
        until = parsedate_to_datetime(text)
        since = parsedate_to_datetime(date) if date else None
        return max((until - since).total_seconds(), 0.0) if since else None
    except (TypeError, ValueError):
        return None
