"""``dump``: the pages that sitemaps list, as lines or as a table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .. import arguments
from ..arguments import UsageError
from ..errors import FetchError
from ..frame import COLUMNS, schema
from ..output import FORMATS, SUFFIXES, destination
from ..session import COMPLETE, Session, failure, over_all
from ..terminal import is_terminal
from . import many


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """STARTs, how to write, and where to."""
    arguments.add_reading(parser, many=True)
    parser.add_argument(
        *("-f", "--format"), choices=list(FORMATS), help="(default: what the suffix of FILE says, else jsonl)"
    )
    parser.add_argument(
        *("-o", "--output"), metavar="FILE", default="-", help="whole or not at all (default: standard output)"
    )
    many.add_arguments(parser)
    parser.add_argument("--fields", metavar="NAME,...", help=f"only these, in this order: {', '.join(COLUMNS)}")


def run(args: argparse.Namespace) -> int:
    """Write the entries; the exit code."""
    if many.wants_folder(args):
        return many.run_to_folder(args)
    starts = [] if args.jobs else arguments.starts(args)
    form = args.format or SUFFIXES.get(Path(args.output).suffix.lower(), "jsonl")
    fields = _fields(args.fields, form)
    if form == "parquet":
        _require_pyarrow(args.output)
    if args.jobs:
        return many.run_as_stream(args, FORMATS[form], fields)
    codes, written = [], 0
    with Session(args) as session:
        try:
            sink = destination(args.output)
        except OSError as error:
            raise UsageError(f"cannot write: {error}") from None
        with sink as file, FORMATS[form](file, fields) as write:
            for start in starts:
                most = None if args.limit is None else args.limit - written
                if written and most == 0:
                    break
                session.open(start, most=most)
                try:
                    for entry in session.entries():
                        write(entry)
                        written += 1
                    codes.append(session.finish())
                except FetchError as error:
                    if start is starts[-1] and not written and COMPLETE not in codes:
                        raise  # nothing at all: the file stays as it was
                    codes.append(failure(error))
    return over_all(codes)


def _require_pyarrow(output: str) -> None:
    try:
        schema()
    except ImportError as error:
        raise UsageError(error) from None
    if output == "-" and is_terminal(sys.stdout):
        raise UsageError("Parquet is nothing for a terminal: give a file with -o")


def _fields(text: str | None, form: str) -> tuple[str, ...] | None:
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(","))
    if unknown := [name for name in names if name not in COLUMNS]:
        raise UsageError(f"--fields has no {unknown[0]!r}; there are {', '.join(COLUMNS)}")
    if form == "urls":
        raise UsageError("--fields is for tables: a line of urls is the loc alone")
    if len({*names}) < len(names):
        raise UsageError("--fields names one twice")
    return names
