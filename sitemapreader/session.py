"""A run of the command line: readings opened as the arguments say, reported while they go on, judged at their end."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from . import arguments, urls
from .addresses import may_be_public
from .arguments import UsageError
from .diagnostics import RULES, Diagnostic, Outcome, Severity, printable
from .errors import FetchError
from .job import Start
from .model import Entry
from .policy import Policy
from .progress import Bar
from .reading import Reading, read
from .report import Report
from .terminal import Line, say

if TYPE_CHECKING:
    import httpx

    from .state import State

T = TypeVar("T")
COMPLETE, INCOMPLETE, USAGE, NO_SITEMAP, UNREADABLE, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 3, 4, 130, 141
NOT_FOUND = (Outcome.ABSENT, Outcome.NOT_A_SITEMAP)
STYLES = {Severity.ERROR: "bad", Severity.WARNING: "doubt", Severity.INFO: "note"}


class Session:
    """The readings of one run, one after the other; a context manager, which closes what they share.

    Raises UsageError for arguments that cannot be meant, before anything is read.
    """

    reading: Reading
    """The one that goes on, or the last."""

    def __init__(
        self,
        args: argparse.Namespace,
        *,
        policy: Policy | None = None,
        on_diagnostic: Callable[[Diagnostic], object] | None = None,
    ) -> None:
        """`policy`: in place of the one the arguments ask for; `on_diagnostic`: is told, and nothing is printed."""
        self._args = args
        self._stack = ExitStack()
        self._tell = on_diagnostic or self._on_diagnostic
        self._errors = 0
        try:
            self._policy = policy or arguments.policy(args)
            self._limits, self._headers = arguments.limits(args), arguments.headers(args.header)
        except (TypeError, ValueError) as error:
            raise UsageError(error) from None
        self._client = client(args.mirror, self._stack)
        self._bar = self._stack.enter_context(Bar(quiet=args.quiet))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def report(self) -> Report:
        """The report of the reading."""
        return self.reading.report

    def open(self, start: Start, *, most: int | None = None, state: State | None = None) -> None:
        """Prepare the reading of `start`, up to `most` entries, beside what a state knows; fetches nothing."""
        self._errors = 0
        self._policy = policy = replace(self._policy, max_entries=most)
        try:
            self.reading = read(
                start,
                policy=policy,
                limits=self._limits,
                client=self._client,
                headers=self._headers,
                concurrency=self._args.concurrency,
                state=state,
                on_diagnostic=self._tell,
                on_progress=self._bar if self._bar.live else None,
            )
        except (TypeError, ValueError) as error:
            raise UsageError(error) from None

    def entries(self) -> Iterator[Entry]:
        """The entries of the reading that was opened; raises FetchError if nothing could be read."""
        with self.reading as reading:
            yield from self.clearing(reading)

    def clearing(self, items: Iterable[T]) -> Iterator[T]:
        """What a reading gives; the line of progress is taken away at the end."""
        try:
            yield from items
        finally:
            self._bar.clear()

    def finish(self) -> int:
        """Print the summary of the reading; its exit code. Raises FetchError if there is no sitemap."""
        report, most = self.report, self._policy.max_entries
        stopped = most is not None and report.entries >= most
        if not stopped and report.found_none:
            raise self.no_sitemap()
        failed = any(row.outcome is not None and not (row.complete or row.speculative) for row in report.sitemaps)
        code = INCOMPLETE if (failed if stopped else not report.complete) else COMPLETE
        if not self._args.quiet:
            verdict = "not complete" if code else "stopped at the limit" if stopped else "complete"
            say([_summary(report, verdict)])
        return INCOMPLETE if self._args.strict and self._errors else code

    def no_sitemap(self) -> FetchError:
        """The error of a reading that found none, though all was read."""
        return FetchError(self.report.sitemaps[0].requested, Outcome.ABSENT, reason="no sitemap found")

    def follow(self, url: str, policy: Policy, *, depth: int) -> None:
        """Read something else on the way, within the limits of the arguments, for what `policy` gets to see.

        It may be a site that only a sitemap speaks of, which is to get neither the headers nor a private address.
        """
        ours = self.reading.walk.start
        headers = self._headers if urls.origin(url) == urls.origin(ours) else None
        limits = replace(self._limits, max_depth=depth)
        if limits.block_private is None and self._client is None and urls.host(url) != urls.host(ours):
            limits = replace(limits, block_private=may_be_public(urls.host(ours)))
        aside = read(url, policy=policy, limits=limits, client=self._client, headers=headers)
        with aside, suppress(FetchError):
            for _ in aside:
                pass

    def _on_diagnostic(self, diagnostic: Diagnostic) -> None:
        is_error = diagnostic.severity is Severity.ERROR
        self._errors += is_error
        # What makes a document incomplete is said at any level: it explains the verdict.
        notable = diagnostic.severity is not Severity.INFO or RULES[diagnostic.code].incomplete
        if is_error or self._args.verbose or (notable and not self._args.quiet):
            self._bar.clear()
            say(diagnostic_line(diagnostic))


def diagnostic_line(diagnostic: Diagnostic) -> Line:
    """A diagnostic with its level in colour."""
    level, colon, rest = str(diagnostic).partition(":")
    return [(level, STYLES[diagnostic.severity]), colon + rest]


def fail(code: int, reason: object) -> int:
    """Say why there is no result, in one line; gives `code`."""
    say([("sitemapreader: error:", "bad"), f" {printable(str(reason), 500)}"])
    return code


def failure(error: FetchError) -> int:
    """The exit code of a reading that read nothing; the reason is printed."""
    return fail(NO_SITEMAP if error.outcome in NOT_FOUND else UNREADABLE, error)


def over_all(codes: list[int]) -> int:
    """The exit code of several readings: what is true of all, else that something is not complete."""
    if len(set(codes)) == 1:
        return codes[0]
    return INCOMPLETE if {COMPLETE, INCOMPLETE} & {*codes} else UNREADABLE


def client(folder: str | None, stack: ExitStack) -> httpx.Client | None:
    """The client of a mirror, closed with `stack`; None: the reading makes its own."""
    if folder is None:
        return None
    from .client import mirror_client  # here, since httpx costs more to import than all the rest

    try:
        return stack.enter_context(mirror_client(folder))
    except NotADirectoryError:
        raise UsageError(f"--mirror is no folder: {folder}") from None


def _summary(report: Report, verdict: str) -> str:
    text = f"{count(report.entries, 'entry', 'entries')} from {count(len(report.sitemaps), 'document')}"
    if report.rejected:
        reasons = ", ".join(f"{code.value} {n}" for code, n in report.rejected.most_common())
        text += f", {report.rejected.total()} left out ({reasons})"
    return f"{text}: {verdict}"


def count(number: int, one: str, many: str = "") -> str:
    """A number and what it counts: ``1 entry``, ``2 entries``."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
