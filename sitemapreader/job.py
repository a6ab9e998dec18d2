"""What both drivers of a reading know: the walk, what to fetch how, what is on its way, and when to stop."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Generic, TypeVar

from . import urls
from .addresses import Gate
from .body import Fault, File, pieces
from .diagnostics import Code, Diagnostic, Outcome
from .errors import FetchError
from .fetch import Brake, Fetched, Flow, Manners, Terms, fetch
from .limits import Limits, limits_or_default
from .model import SitemapRef
from .policy import Policy, policy_or_default
from .reception import Batch, Reception
from .report import Progress, Validators
from .walk import Walk

if TYPE_CHECKING:
    from .ledger import Ledger
    from .state import State

Start = str | Path | BinaryIO
Result = Fetched | FetchError
Known = Mapping[str, Validators | tuple[str | None, str | None]]
"""By URL, what servers called the documents that were read before."""
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
        validators: Known | None = None,
        state: State | None = None,
        on_diagnostic: Callable[[Diagnostic], object] | None = None,
        on_progress: Callable[[Progress], object] | None = None,
    ) -> None:
        if not isinstance(concurrency, int | float):
            raise TypeError(f"concurrency must be a number, not {concurrency!r}")
        if concurrency < 1:
            raise ValueError(f"concurrency must be at least 1: {concurrency!r}")
        if validators is not None and state is not None:
            raise ValueError("validators without what they stand for: a state has its own")
        limits = limits_or_default(limits)
        self.concurrency = concurrency
        self._file, where = local(start)
        policy = policy_or_default(policy)
        # A state sees repeats too: a page is gone only when the last document that lists it is rid of it.
        self.walk = Walk(where, policy=replace(policy, unique=False) if state else policy, limits=limits)
        self.walk.on_diagnostic, self.walk.on_progress = on_diagnostic, on_progress
        self._known = {url: Validators(*known) for url, known in (validators or {}).items()}
        self.brake = Brake(limits.deadline)
        self.manners: Manners | None = None
        """Shared with other readings; None: its own."""
        self._headers = _text(headers)
        self._error: FetchError | None = None
        self.ledger = _ledger(state, self.walk.start, policy) if state else None

    def start(self) -> None:
        """The reading begins."""
        self.brake.start()
        if self.ledger:
            self.ledger.open()

    def terms(self, user_agent: str) -> Terms:
        """What all fetches have in common; `user_agent` is that of the caller's client, if it has one."""
        start, limits = self.walk.start, self.walk.limits
        return Terms(
            limits=limits,
            origin=urls.origin(start),
            gate=Gate(start, limits.block_private),
            manners=self.manners or Manners(limits.interval),
            brake=self.brake,
            headers={"user-agent": user_agent, **self._headers} if user_agent else self._headers,
        )

    def local(self, ref: SitemapRef) -> Result | None:
        """What there is without a request: the file that was given in place of a URL, and what is held unchanged."""
        if self.ledger and self.walk.policy.skip_unchanged and self.ledger.is_as_dated(ref):
            return FetchError(ref.loc, Outcome.NOT_MODIFIED, reason="not modified, says the index")
        if self._file is None or ref.loc != self.walk.start:
            return None
        try:
            return Fetched(self.walk.start, None, {}, File(self._file))
        except OSError as error:
            fault = Fault(Code.NETWORK, str(error))
            return FetchError(self.walk.start, fault.outcome, reason=fault.reason, code=fault.code)

    def flow(self, ref: SitemapRef, terms: Terms) -> Flow:
        """The fetch of a document."""
        return fetch(ref.loc, terms, probe=self.walk.is_probe(ref), known=self._validators(ref))

    def _validators(self, ref: SitemapRef) -> Validators | None:
        return self.ledger.validators(ref.loc) if self.ledger else self._known.get(ref.loc)

    def receive(self, ref: SitemapRef, result: Result) -> Reception | None:
        """Tell the walk what came; None if that is no body."""
        if isinstance(result, Fetched):
            return self.walk.open(ref, url=result.url, headers=result.headers, status=result.status)
        self._error = self._error or result
        self.walk.fail(ref, result)
        if result.outcome is Outcome.NOT_MODIFIED and (known := self._validators(ref)):
            row = self.walk.report.sitemaps[-1]
            row.etag, row.last_modified = known
        return None

    def entries(self, ref: SitemapRef, result: Result) -> Iterator[Batch]:
        """The entries of what came."""
        reception = self.receive(ref, result)
        if reception is None or isinstance(result, FetchError):
            return iter(())
        batches = reception.read(pieces(result.body), fault=lambda: result.body.fault)
        return batches if self.ledger is None else (self.seen(ref, batch) for batch in batches)

    def seen(self, ref: SitemapRef, batch: Batch) -> Batch:
        """Entries on their way out, which the ledger looks at."""
        if self.ledger is None:
            return batch
        kept = self.ledger.see(ref, batch)
        if len(kept) < len(batch):
            self.walk.repeated(len(batch) - len(kept))
        return kept

    def book(self) -> Ledger:
        """The ledger; raises ValueError if there is none."""
        if self.ledger is None:
            raise ValueError("the reading has no state to compare with")
        return self.ledger

    def conclude(self, *, remember: bool) -> None:
        """Everything was read: write it into the state, and `remember` it at once."""
        if self.ledger:
            self.ledger.finish(self.walk.report)
            if remember:
                self.ledger.commit()

    def remember(self) -> None:
        """Whoever reads has done with what changed: it may be forgotten that it did."""
        if self.ledger:
            self.ledger.commit()

    def forget(self) -> None:
        """What was not remembered is not."""
        if self.ledger:
            self.ledger.close()

    def verdict(self) -> None:
        """Raises FetchError if not a single document could be read."""
        if self._error and not self.walk.received and self._error.outcome is not Outcome.NOT_MODIFIED:
            self.forget()
            raise self._error


def _ledger(state: State, start: str, policy: Policy) -> Ledger:
    from .ledger import Ledger  # here, since a reading without a state needs no SQLite
    from .state import State

    if not isinstance(state, State):
        raise TypeError(f"state must be a State or None, not {state!r}")
    return Ledger(state, start, policy)


def _text(headers: Mapping[str, str] | None) -> dict[str, str]:
    """Headers as a dict of its own; raises TypeError for what httpx would refuse as late as in the request."""
    if isinstance(headers, str):
        raise TypeError(f"headers must be a mapping, not {headers!r}")
    named = dict(headers or {})
    for name, value in named.items():
        if not isinstance(name, str | bytes) or not isinstance(value, str | bytes):
            raise TypeError(f"headers must have names and values of str, not {name!r}: {value!r}")
    return named


def is_file(text: str) -> bool:
    """Whether a file has this name."""
    try:
        return Path(text).is_file()
    except OSError:  # Python before 3.14 says so of a name that is too long for any file
        return False


def local(start: Start) -> tuple[Path | BinaryIO | None, str]:
    """The file that `start` is, None if it is a URL, and the URL it goes by."""
    if isinstance(start, Path) or (isinstance(start, str) and "://" not in start and is_file(start)):
        path = Path(start)
        return path, path.absolute().as_uri()
    if isinstance(start, str):
        if start.startswith(("./", "../", "~")) or (start.startswith("/") and not start.startswith("//")):
            raise ValueError(f"no such file: {start[:200]!r}")
        if start.startswith("file:"):  # such URLs come from documents, and nothing is opened for those
            raise ValueError(f"a local file is given by its path: {start[:200]!r}")
        return None, start
    if isinstance(start, io.TextIOBase):
        raise TypeError("start must be a binary file: this one is opened as text, which decodes it")
    if hasattr(start, "read"):
        name = getattr(start, "name", None)
        if not isinstance(name, str) or name.startswith("<"):  # as standard input is named
            return start, "file:///-"
        return start, Path(name).absolute().as_uri()
    raise TypeError(f"start must be a str, a Path or a binary file, not {type(start).__name__}")
