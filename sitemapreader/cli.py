"""The command line: arguments in, entries on standard output, what was found on the way on standard error.

Exit codes: 0 everything was read; 1 something failed or is not complete, what is written holds; 2 wrong usage; 3 no
sitemap found; 4 nothing could be read; 130 interrupted; 141 the reader of the output has gone.

A verb is one row in VERBS: its name, its arguments, and the function that runs it and returns the exit code.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, NamedTuple

from . import arguments
from .arguments import UsageError
from .diagnostics import RULES, Diagnostic, Outcome, Severity, printable
from .errors import FetchError
from .fetch import VERSION
from .model import Format
from .output import FORMATS, destination
from .reading import read
from .report import Report

if TYPE_CHECKING:
    import httpx

COMPLETE, INCOMPLETE, USAGE, NO_SITEMAP, UNREADABLE, INTERRUPTED, CLOSED_PIPE = 0, 1, 2, 3, 4, 130, 141
NOT_FOUND = (Outcome.ABSENT, Outcome.NOT_A_SITEMAP)


class Verb(NamedTuple):
    """Something the command line can do."""

    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line with `argv` (default: the process's own) and return its exit code."""
    parser = _parser()
    try:
        args = parser.parse_args(argv)
    except SystemExit as end:  # argparse has printed the help, the version or its complaint
        return int(end.code or 0)
    try:
        return VERBS[args.verb].run(args)
    except UsageError as error:
        return _fail(USAGE, error)
    except FetchError as error:
        return _fail(NO_SITEMAP if error.outcome in NOT_FOUND else UNREADABLE, error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return CLOSED_PIPE
    except OSError as error:
        _forget_stdout()
        return _fail(INCOMPLETE, f"cannot write: {error}")


def _parser() -> argparse.ArgumentParser:
    run_as_module = os.path.basename(sys.argv[0]) == "__main__.py"
    parser = argparse.ArgumentParser(
        prog="python -m sitemapreader" if run_as_module else "sitemapreader",
        description="Reads sitemaps: a site in, its pages out.",
        epilog="Exit codes: 0 complete, 1 something failed or is incomplete, 2 usage, 3 no sitemap found, "
        "4 nothing readable, 130 interrupted, 141 closed pipe.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"sitemapreader {VERSION}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, verb in VERBS.items():
        verb.add_arguments(verbs.add_parser(name, help=verb.help, description=verb.help, allow_abbrev=False))
    return parser


# --------------------------------------------------------------------------------------------------------- reading
class Session:
    """One reading for a verb: opened with its arguments, reported while it goes on, judged at its end."""

    def __init__(self, args: argparse.Namespace, stack: ExitStack) -> None:
        self._args = args
        self._errors = 0
        try:
            policy, limits, headers = arguments.policy(args), arguments.limits(args), arguments.headers(args.header)
            reading = read(
                arguments.start(args.start),
                policy=policy,
                limits=limits,
                client=_client(args.mirror, stack),
                headers=headers,
                concurrency=args.concurrency,
                on_diagnostic=self._on_diagnostic,
            )
        except (TypeError, ValueError) as error:
            raise UsageError(error) from None
        self.reading = stack.enter_context(reading)

    def _on_diagnostic(self, diagnostic: Diagnostic) -> None:
        is_error = diagnostic.severity is Severity.ERROR
        self._errors += is_error
        # What makes a document incomplete is said at any level: it explains the verdict.
        notable = diagnostic.severity is not Severity.INFO or RULES[diagnostic.code].incomplete
        if is_error or self._args.verbose or (notable and not self._args.quiet):
            _say(diagnostic)

    def finish(self) -> int:
        """Print the summary; the exit code. Raises FetchError if there is no sitemap."""
        report = self.reading.report
        stopped = self._args.limit is not None and report.entries >= self._args.limit
        if not stopped and _finds_no_sitemap(report):
            raise FetchError(report.sitemaps[0].requested, Outcome.ABSENT, reason="no sitemap found")
        failed = any(row.outcome is not None and not (row.complete or row.speculative) for row in report.sitemaps)
        code = INCOMPLETE if (failed if stopped else not report.complete) else COMPLETE
        if not self._args.quiet:
            verdict = "not complete" if code else "stopped at the limit" if stopped else "complete"
            _say(_summary(report, verdict))
        return INCOMPLETE if self._args.strict and self._errors else code


def _client(folder: str | None, stack: ExitStack) -> httpx.Client | None:
    """The client of a mirror, closed with `stack`; None: the reading makes its own."""
    if folder is None:
        return None
    from .client import mirror_client  # here, since httpx costs more to import than all the rest

    try:
        return stack.enter_context(mirror_client(folder))
    except NotADirectoryError:
        raise UsageError(f"--mirror is no folder: {folder}") from None


def _finds_no_sitemap(report: Report) -> bool:
    """Whether everything was read or is known to be absent, and nothing of it is a sitemap."""
    rows = report.sitemaps
    if not rows or report.walk.incomplete or any(row.format not in (None, Format.ROBOTS) for row in rows):
        return False
    return all(row.complete or row.outcome in NOT_FOUND for row in rows)


def _summary(report: Report, verdict: str) -> str:
    text = f"{_count(report.entries, 'entry', 'entries')} from {_count(len(report.sitemaps), 'document', 'documents')}"
    if report.rejected:
        reasons = ", ".join(f"{code.value} {n}" for code, n in report.rejected.most_common())
        text += f", {report.rejected.total()} left out ({reasons})"
    return f"{text}: {verdict}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _say(line: object) -> None:
    # Nobody may be listening, which is no reason to stop writing data.
    if sys.stderr is not None:
        with suppress(OSError):
            print(line, file=sys.stderr)


def _fail(code: int, reason: object) -> int:
    _say(f"sitemapreader: error: {printable(str(reason), 500)}")
    return code


def _forget_stdout() -> None:
    """Let what is left in the buffer go nowhere: Python writes it once more as it ends, and would complain."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --------------------------------------------------------------------------------------------------------- verbs
def _add_dump(parser: argparse.ArgumentParser) -> None:
    arguments.add_reading(parser)
    parser.add_argument("-f", "--format", choices=list(FORMATS), default="jsonl", help="(default: jsonl)")
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="-", help="whole or not at all (default: standard output)"
    )


def _dump(args: argparse.Namespace) -> int:
    head, line = FORMATS[args.format]
    with ExitStack() as stack:
        session = Session(args, stack)
        try:
            sink = stack.enter_context(destination(args.output))
        except OSError as error:
            raise UsageError(f"cannot write: {error}") from None
        sink.write(head.encode())
        document = ""
        for entry in session.reading:
            if entry.sitemap != document:
                document = entry.sitemap
                sink.flush()
            # A lone surrogate becomes an escape, as JSON spells it.
            sink.write(line(entry).encode(errors="backslashreplace"))
        sink.flush()
        return session.finish()


VERBS = {
    "dump": Verb("Print the pages that a site's sitemaps list.", _add_dump, _dump),
}
