"""``changes``: what is new, changed and gone since the last time; then it is remembered.

It is remembered when what was printed is out, so that whoever kills it at any moment is told the same again.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .. import arguments
from ..arguments import UsageError
from ..errors import StateError
from ..frame import COLUMNS
from ..output import FORMATS, SUFFIXES, destination
from ..reading import Reading
from ..session import Session
from ..terminal import say

if TYPE_CHECKING:
    from ..state import Change, State

MARKS = ("new", "changed", "unchanged", "gone")
FIELDS = ("change", *COLUMNS, "first_seen", "last_seen")
"""Columns of CSV."""
LINES = ("jsonl", "csv", "urls")
"""The formats that a change can be written in."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """START, what to compare it with, and how to write."""
    arguments.add_reading(parser)
    parser.add_argument("--state", metavar="FILE", required=True, help="what is remembered; made if it is not there")
    parser.add_argument(
        *("-f", "--format"), choices=LINES, help="(default: what the suffix of the output says, else jsonl)"
    )
    parser.add_argument(
        *("-o", "--output"), metavar="FILE", default="-", help="whole or not at all (default: standard output)"
    )
    parser.add_argument(
        "--only",
        metavar="MARK,...",
        type=_marks,
        default=("new", "changed", "gone"),
        help=f"of {', '.join(MARKS)} (default: all but unchanged)",
    )


def run(args: argparse.Namespace) -> int:
    """Print the changes; the exit code."""
    start, state = arguments.start(args.start), _state(args.state)
    form = args.format or SUFFIXES.get(Path(args.output).suffix.lower(), "jsonl")
    if form not in LINES:
        raise UsageError(f"changes are written as {', '.join(LINES)}, not as {form}")
    with Session(args) as session:
        session.open(start, most=args.limit, state=state)
        with session.reading as reading:  # which is remembered as the block is left
            try:
                sink = destination(args.output)
            except OSError as error:
                raise UsageError(f"cannot write: {error}") from None
            counts: Counter[str] = Counter()
            with sink as file, FORMATS[form](file, FIELDS if form == "csv" else None) as write:
                for change in session.clearing(_all(reading)):
                    counts[change.mark.value] += 1
                    if change.mark.value in args.only:
                        write(change)
                code = session.finish()
        if not args.quiet:
            say([_summary(counts, complete=reading.report.complete)])
    return code


def _all(reading: Reading) -> Iterator[Change]:
    yield from reading.changes()
    if reading.report.complete:
        yield from reading.gone()


def _state(path: str) -> State:
    from ..state import State  # here, since the other verbs need no SQLite

    try:
        return State(path)
    except StateError as error:
        raise UsageError(error) from None


def _summary(counts: Counter[str], *, complete: bool) -> str:
    told = [f"{counts[mark]:,} {mark}" for mark in ("new", "changed")]
    told.append(f"{counts['gone']:,} gone" if complete else "what is gone is not known")
    return ", ".join(told)


def _marks(text: str) -> tuple[str, ...]:
    marks = tuple(mark.strip() for mark in text.split(","))
    if unknown := [mark for mark in marks if mark not in MARKS]:
        raise argparse.ArgumentTypeError(f"no such mark: {unknown[0]!r}; there are {', '.join(MARKS)}")
    return marks
