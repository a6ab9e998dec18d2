"""One document over HTTP, without I/O: which request next, and what a response means.

`fetch` is a generator that yields what is to be done and is sent what came of it; a synchronous and an asynchronous
driver run the same one (see `client`). It follows redirects hop by hop, since headers, scheme and address are judged
anew at each, and repeats what may pass, as long as nothing of the document has come.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple
from weakref import WeakValueDictionary

from . import urls
from .addresses import Gate
from .body import Body, Fault, File
from .diagnostics import Code, Outcome
from .errors import STATUSES, FetchError
from .limits import Limits
from .report import Validators

__version__ = "0.1.0"
USER_AGENT = f"sitemapreader/{__version__}"
ACCEPT = "application/xml, text/xml, text/plain;q=0.8, */*;q=0.1"
ACCEPT_ENCODING = "gzip, deflate"
"""Just what is decoded: clients add br and zstd if those happen to be installed."""
EVERYWHERE = {"user-agent", "accept", "accept-language"}
"""The caller's headers that go to every host; the others are for the start's origin."""
REDIRECTS = {301, 302, 303, 307, 308}
RETRIED = {408, 429, 500, 502, 503, 504}
STALE_CONNECTIONS = 10
"""So many in a row are given up for a new one (RFC 9112, 9.3.1): a server closes an idle connection when it likes,
which it may be doing while the next request is sent; no retry is counted for that."""
HOSTS = 10_000
"""Hosts that are remembered, at least, whether or not they have to wait."""
MAX_WAIT = 60.0
"""Seconds; a server that asks for more is not waited for."""


class Send(NamedTuple):
    """Do: send a GET and give the Reply, or the Fault that there is none."""

    url: str
    headers: dict[str, str]


class Begin(NamedTuple):
    """Do: read the last reply's body, up to so many bytes as sent, until some of it is there; give the Body."""

    limit: int


class Wait(NamedTuple):
    """Do: nothing for so many seconds."""

    seconds: float


class Reply(NamedTuple):
    """The head of a response; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]


class Fetched(NamedTuple):
    """A document that is there; the rest of its body may still be on its way."""

    url: str
    """Where it was found in the end."""
    status: int | None
    headers: Mapping[str, str]
    body: Body | File


class Brake:
    """When a reading ends that is not at its end: at its deadline, or when it is closed."""

    def __init__(self, deadline: float | None) -> None:
        self._deadline = deadline
        self._ends = math.inf
        self._stopped = False

    def start(self) -> None:
        """The clock of the whole reading starts."""
        if self._deadline is not None:
            self._ends = time.monotonic() + self._deadline

    def stop(self) -> None:
        """Nothing more is wanted."""
        self._stopped = True

    def left(self) -> float:
        """Seconds to the deadline."""
        return self._ends - time.monotonic()

    def fault(self) -> Fault | None:
        """Why nothing more is to be fetched, if that is so."""
        if self._stopped:
            return Fault(Code.NETWORK, "the reading was closed", passing=False)
        if self.left() <= 0:
            return Fault(Code.TIMEOUT, "the deadline of the reading has passed", passing=False)
        return None


Task = Send | Begin | Wait
Answer = Reply | Body | Fault | None
Flow = Generator[Task, Answer, Fetched | FetchError]


class Pace:
    """When each host may be asked next, over all that is on its way in the readings that share it."""

    def __init__(self, interval: float) -> None:
        """`interval`: seconds between two requests."""
        self._interval = interval
        self._next: dict[str, float] = {}
        self._lock = threading.Lock()
        self._most = HOSTS

    def turn(self, host: str) -> float:
        """Seconds to wait for the turn that is taken with this."""
        now = time.monotonic()
        with self._lock:
            at = max(self._next.get(host, now), now)
            self._next[host] = at + self._interval
            if len(self._next) > self._most:
                self._forget(now)
        return at - now

    def hold(self, host: str, seconds: float) -> None:
        """Nobody asks the host for so many seconds: it said so."""
        with self._lock:
            self._next[host] = max(self._next.get(host, 0.0), time.monotonic() + seconds)

    def _forget(self, now: float) -> None:
        """Forget the hosts that may be asked at once."""
        self._next = {host: at for host, at in self._next.items() if at > now}
        self._most = HOSTS + 2 * len(self._next)


class Slot:
    """One of the requests that may be on their way to a host at a time; to be held for as long as it takes."""

    def __init__(self, number: int) -> None:
        self._semaphore = threading.Semaphore(number)
        self.acquire, self.release = self._semaphore.acquire, self._semaphore.release


class Manners:
    """What requests to one host keep to, over all readings that share it. For threads."""

    def __init__(self, interval: float) -> None:
        """`interval`: seconds between two requests."""
        self.pace = Pace(interval)
        self._slots: WeakValueDictionary[str, Slot] = WeakValueDictionary()
        self._lock = threading.Lock()

    def slot(self, host: str, number: int) -> Slot:
        """Where to wait for one of `number` slots, unless there are some already."""
        with self._lock:
            slot = self._slots.get(host)
            if slot is None:
                slot = self._slots[host] = Slot(number)
        return slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all fetches of one reading have in common."""

    limits: Limits
    origin: str
    """The start's, to which all the caller's headers go."""
    gate: Gate
    manners: Manners
    brake: Brake
    headers: Mapping[str, str] = field(default_factory=dict)
    """The caller's."""


def fetch(url: str, terms: Terms, *, probe: bool = False, known: Validators | None = None) -> Flow:
    """Fetch `url`; a `probe` is not retried, and what is `known` of the document is only fetched if it has changed."""
    tries = 1 if probe else 1 + terms.limits.retries
    for left in reversed(range(tries)):
        result, wait = yield from _attempt(url, terms, known)
        if wait is None or wait > MAX_WAIT or not left:
            break
        if wait:
            terms.manners.pace.hold(urls.host(url), wait)  # the next attempt waits for its turn
        else:
            yield Wait(_backoff(tries - left))
    return result


def _backoff(failures: int) -> float:
    """Seconds before the next try: doubled each time, with jitter so that many readers do not come back as one."""
    import random  # like email.utils, not worth its import until something fails

    return float(2 ** (failures - 1)) * random.uniform(0.5, 1.0)


def _attempt(
    url: str, terms: Terms, known: Validators | None
) -> Generator[Task, Answer, tuple[Fetched | FetchError, float | None]]:
    """One try with its redirects: the result, and how long to wait before another, None if that is no use."""
    start, visited = url, {url}
    while True:
        reply = yield from _hop(url, terms, known)
        if isinstance(reply, Fault):
            return _failed(start, reply), 0.0 if reply.passing else None
        if reply.status not in REDIRECTS:
            break
        following = redirected(url, reply, visited, terms.limits.max_redirects)
        if isinstance(following, Fault):
            return _failed(start, following, reply.status), None
        url = following
        visited.add(url)
    if reply.status == 304 and known and any(known):
        return FetchError(start, Outcome.NOT_MODIFIED, 304, reason="not modified"), None
    if reply.status not in (200, 203, 204) or reply.headers.get("cf-mitigated") == "challenge":
        return _refused(start, reply)
    declared, most = reply.headers.get("content-length", ""), terms.limits.max_bytes
    if declared.isdigit() and int(declared[:20]) > most:
        body = Body(most)
        body.end(Fault(Code.LIMIT_SIZE, f"Content-Length {declared[:20]} is more than max_bytes", passing=False))
        return Fetched(url, reply.status, reply.headers, body), None
    begun = yield Begin(most)
    assert isinstance(begun, Body)
    nothing_came = begun.ended and begun.fault and begun.fault.passing and not begun.size
    return Fetched(url, reply.status, reply.headers, begun), 0.0 if nothing_came else None


def _hop(url: str, terms: Terms, known: Validators | None) -> Generator[Task, Answer, Reply | Fault]:
    """One request, if it may be made, when it is its turn."""
    refusal = terms.gate.refusal_of_url(url)
    if refusal:
        return Fault(Code.POLICY_ADDRESS, refusal, passing=False)
    if seconds := terms.manners.pace.turn(urls.host(url)):
        yield Wait(seconds)
    headers = headers_for(url, origin=terms.origin, given=terms.headers, known=known)
    stale = 0
    while True:
        reply = yield Send(url, headers)
        assert isinstance(reply, Reply | Fault)
        if isinstance(reply, Reply) or not reply.stale or stale == STALE_CONNECTIONS:
            return reply
        stale += 1


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


def headers_for(url: str, *, origin: str, given: Mapping[str, str], known: Validators | None = None) -> dict[str, str]:
    """The headers of one hop, made anew: what the caller gave for the start's origin goes to no other."""
    same = urls.origin(url) == origin
    own = {"user-agent": USER_AGENT, "accept": ACCEPT}
    own.update({name.lower(): value for name, value in given.items() if same or name.lower() in EVERYWHERE})
    own["accept-encoding"] = ACCEPT_ENCODING
    if known and known.etag:
        own["if-none-match"] = known.etag
    if known and known.last_modified:
        own["if-modified-since"] = known.last_modified
    return own


def _failed(url: str, fault: Fault, status: int | None = None) -> FetchError:
    return FetchError(url, fault.outcome, status, reason=fault.reason, code=fault.code)


def _refused(url: str, reply: Reply) -> tuple[FetchError, float | None]:
    """What a status that brings no document means, and how long to wait for another."""
    status = reply.status
    outcome = STATUSES.get(status, Outcome.FAILED)
    if "cf-mitigated" in reply.headers and outcome is not Outcome.ABSENT:
        outcome = Outcome.BLOCKED
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
    from email.utils import parsedate_to_datetime

    try:
        until = parsedate_to_datetime(text)
        since = parsedate_to_datetime(date) if date else datetime.now(UTC)
        return max((until - since).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None
