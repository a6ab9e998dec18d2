"""``dump`` of many sites at a time: into one stream, or into a folder with a file for each host."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import arguments
from ..arguments import UsageError
from ..diagnostics import Diagnostic, printable
from ..frame import schema
from ..output import Fields, Format, destination
from ..session import COMPLETE, INCOMPLETE, NO_SITEMAP, UNREADABLE, USAGE, client, count, diagnostic_line, over_all
from ..terminal import say

if TYPE_CHECKING:
    from ..many import Site

ENGINES = ("threads", "dask")
JOBS = 8
MANIFEST = "manifest.jsonl"
CODES = {
    "complete": COMPLETE,
    "incomplete": INCOMPLETE,
    "no-sitemap": NO_SITEMAP,
    "invalid": USAGE,
}
"""The exit code of a site by its status; that of others is UNREADABLE."""
STYLES = {"incomplete": "doubt", "no-sitemap": "note"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How many at a time, and by whom."""
    group = parser.add_argument_group("many sites")
    group.add_argument(
        "--jobs", metavar="N", type=arguments.positive, help="read N sites at a time, for an hour at most"
    )
    group.add_argument(
        "--engine",
        choices=ENGINES,
        help="who writes a Parquet file for each host into the folder -o: threads, or a cluster",
    )
    group.add_argument("--scheduler", metavar="ADDR", help="of a Dask cluster (default: one on this machine)")


def wants_folder(args: argparse.Namespace) -> bool:
    """Whether the output is a folder with a file for each host."""
    is_folder = args.output.endswith(("/", os.sep)) or Path(args.output).is_dir()
    return bool(args.engine or args.scheduler or (args.jobs and is_folder))


# ------------------------------------------------------------------------------------------------------- one stream
def run_as_stream(args: argparse.Namespace, form: Format, fields: Fields) -> int:
    """Write the entries of all sites as they come; the exit code."""
    from ..many import read_many

    starts = arguments.written(args)

    def tell(diagnostic: Diagnostic) -> None:
        say(diagnostic_line(diagnostic))

    with ExitStack() as stack:
        readings = read_many(
            starts,
            jobs=args.jobs,
            **settings(args, limit=None),
            client=client(args.mirror, stack),
            on_diagnostic=tell if args.verbose else None,
        )
        try:
            sink = destination(args.output)
        except OSError as error:
            raise UsageError(f"cannot write: {error}") from None
        with readings, sink as file, form(file, fields) as write:
            for written, (_, entry) in enumerate(readings):
                if written == args.limit:
                    break
                write(entry)
    return over_all(list(told(iter(readings.sites), quiet=args.quiet)) or [COMPLETE])


def settings(args: argparse.Namespace, *, limit: int | None) -> dict[str, Any]:
    """What readings keep to; raises UsageError. `limit`: the most entries of each."""
    from ..many import HOUR

    try:
        limits = arguments.limits(args)
        return {
            "policy": replace(arguments.policy(args), max_entries=limit),
            "limits": limits if limits.deadline is not None else replace(limits, deadline=HOUR),
            "headers": arguments.headers(args.header),
            "concurrency": args.concurrency,
        }
    except (TypeError, ValueError) as error:
        raise UsageError(error) from None


# --------------------------------------------------------------------------------------------------------- a folder
def run_to_folder(args: argparse.Namespace) -> int:
    """Write a file for each host, and the rows of all starts into the manifest; the exit code."""
    from ..harvest import Plan, by_host, sweep

    if args.output == "-":
        raise UsageError("there is a file for each host: give a folder with -o")
    if args.format not in (None, "parquet") or args.fields:
        raise UsageError("the files of a folder are Parquet with all columns: --format and --fields are for one file")
    if args.scheduler and args.engine != "dask":
        raise UsageError("--scheduler is for --engine dask")
    try:
        schema()
        os.makedirs(args.output, exist_ok=True)
    except (ImportError, OSError) as error:
        raise UsageError(error) from None
    mirror = args.mirror and os.path.abspath(args.mirror)
    plan = Plan(folder=os.path.abspath(args.output), mirror=mirror, **settings(args, limit=args.limit))
    with ExitStack() as stack:
        client(args.mirror, stack)  # for its complaint, if that is no folder
    hosts = by_host(arguments.written(args))
    with destination(os.path.join(args.output, MANIFEST)) as manifest:
        rows = _noted(_engine(args)(hosts, plan, jobs=args.jobs or JOBS), manifest)
        codes = {*told(rows, quiet=args.quiet)}
    sweep(args.output)
    return over_all([*codes])


def _engine(args: argparse.Namespace) -> Any:
    if args.engine != "dask":
        from ..harvest import harvest

        return harvest
    try:
        from functools import partial

        from ..dask import harvest_many
    except ImportError:
        raise UsageError("--engine dask needs distributed: install sitemapreader[dask]") from None
    return partial(harvest_many, scheduler=args.scheduler)


def _noted(rows: Iterator[Site], manifest: Any) -> Iterator[Site]:
    """Rows on their way, each written down."""
    for row in rows:
        manifest.write(f"{json.dumps(row.to_dict())}\n".encode())
        yield row


def told(rows: Iterator[Site], *, quiet: bool) -> Iterator[int]:
    """The exit code of each site; what is not complete is said, and in the end how many there are of which kind."""
    counts: Counter[str] = Counter()
    entries = 0
    for row in rows:
        status = row.status.value
        counts[status] += 1
        entries += row.entries
        if status != "complete" and not quiet:
            say([(f"{status}:", STYLES.get(status, "bad")), f" {printable(row.start)}: {row.reason}"])
        yield CODES.get(status, UNREADABLE)
    if not quiet:
        kinds = ", ".join(f"{number:,} {status}" for status, number in counts.most_common())
        say([f"{count(counts.total(), 'site')}: {kinds}; {count(entries, 'entry', 'entries')}"])
