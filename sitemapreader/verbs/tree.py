"""``tree``: the documents of a site as they name each other, and what each holds."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from .. import arguments, urls
from ..diagnostics import RULES, Code, Outcome, printable
from ..model import Entry
from ..progress import size
from ..report import Branch, Report, SitemapReport, outline
from ..session import Session, count
from ..terminal import Line, show

WIDEST = 72
"""Columns that the tree may take before what it says of a document is no longer aligned."""
Ranges = dict[str, tuple[datetime, datetime]]
"""The oldest and the newest date of the entries of a document, by its URL."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """START and how to show it."""
    arguments.add_reading(parser)
    parser.add_argument("--json", action="store_true", help="the tree as one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the tree; the exit code."""
    ranges: Ranges = {}
    with Session(args) as session:
        session.open(arguments.start(args.start), most=args.limit)
        for entry in session.entries():
            _widen(ranges, entry)
        code = session.finish()
        if args.json:
            show([[json.dumps(document(session.report, ranges), indent=2)]])
        else:
            show(drawing(session.report, ranges))
    return code


def _widen(ranges: Ranges, entry: Entry) -> None:
    date = entry.lastmod
    if date is not None:
        oldest, newest = ranges.get(entry.sitemap, (date, date))
        ranges[entry.sitemap] = min(oldest, date), max(newest, date)


# ------------------------------------------------------------------------------------------------------- to look at
def drawing(report: Report, ranges: Ranges) -> Iterator[Line]:
    """A line for each document, children behind their parent, and what the walk left out."""
    branches = [(_twigs(branch), _label(branch.row), branch.row) for branch in outline(report.sitemaps)]
    widths = [len(twigs + label) for twigs, label, _ in branches]
    width = max((width for width in widths if width <= WIDEST), default=0)
    for (twigs, label, row), used in zip(branches, widths, strict=True):
        yield [(twigs, "faint"), label, " " * max(2, width + 2 - used), *_facts(row, ranges.get(row.url))]
    for diagnostic in report.walk.kept:
        yield [("not fetched: ", "doubt"), printable(diagnostic.detail)]


def _twigs(branch: Branch) -> str:
    _, *above = branch.lasts  # the roots stand side by side
    twigs = ["    " if last else "│   " for last in above[:-1]]
    return "".join([*twigs, *("└── " if last else "├── " for last in above[-1:])])


def _label(row: SitemapReport) -> str:
    """The URL, without the origin where that is the parent's."""
    origin = urls.origin(row.requested)
    shown = row.requested.removeprefix(origin) if row.parent and urls.origin(row.parent) == origin else row.requested
    moved = f" -> {row.url}" if row.url != row.requested else ""
    return printable(shown + moved, 500)


def _facts(row: SitemapReport, dates: tuple[datetime, datetime] | None) -> Line:
    if _is_repeated(row):
        return [("already read", "faint")]
    if reason := trouble(row):
        return [(reason, "bad"), *([f"  {', '.join(_holds(row, dates))}"] if row.entries or row.refs else [])]
    return [(row.format.value if row.format else "", "good"), f"  {', '.join(_holds(row, dates))}"]


def _holds(row: SitemapReport, dates: tuple[datetime, datetime] | None) -> Iterator[str]:
    if row.refs:
        yield count(row.refs, "sitemap")
    if row.entries or not row.refs:
        yield count(row.entries, "entry", "entries")
    yield size(row.bytes)
    if dates:
        oldest, newest = (f"{date:%Y-%m-%d}" for date in dates)
        yield oldest if oldest == newest else f"{oldest} to {newest}"


def trouble(row: SitemapReport) -> str:
    """Why a document was not read whole, in a few words; empty if it was."""
    if row.complete or _is_repeated(row):
        return ""
    if row.outcome is None:
        return "not read to its end"
    reasons = (d.detail or d.code.value for d in row.diagnostics if RULES[d.code].incomplete)
    outcome = "not complete" if row.outcome is Outcome.OK else row.outcome.value
    detail = next(reasons, "")
    return f"{outcome}: {detail}" if detail else outcome


def _is_repeated(row: SitemapReport) -> bool:
    """Whether it is redirected to a document that was read already."""
    return row.outcome is None and any(diagnostic.code is Code.DUPLICATE for diagnostic in row.diagnostics)


# ------------------------------------------------------------------------------------------------------- to compute
def document(report: Report, ranges: Ranges) -> dict[str, Any]:
    """The report as plain values, each document with the range of its dates and the documents it names."""
    nodes: dict[str, dict[str, Any]] = {}
    roots: list[dict[str, Any]] = []
    for branch in outline(report.sitemaps):
        oldest, newest = ranges.get(branch.row.url, (None, None))
        dates = {"oldest": oldest and oldest.isoformat(), "newest": newest and newest.isoformat()}
        node = nodes[branch.row.requested] = {**branch.row.to_dict(), **dates, "children": []}
        siblings = roots if len(branch.lasts) == 1 else nodes[branch.row.parent or ""]["children"]
        siblings.append(node)
    return {**report.to_dict(), "sitemaps": roots}
