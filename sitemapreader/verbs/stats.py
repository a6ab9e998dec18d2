"""``stats``: what the entries of a site amount to, with bars for the months of lastmod."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator

from .. import arguments, urls
from ..diagnostics import printable
from ..display import months
from ..session import Session
from ..tally import Tally
from ..terminal import Line, show

WIDTH = 40
"""Columns of the longest bar."""
Bars = Iterable[tuple[str, int]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """START and how to show it."""
    arguments.add_reading(parser)
    parser.add_argument("--json", action="store_true", help="the counts as one JSON document")
    parser.add_argument("--top", metavar="N", type=arguments.natural, default=20, help="lines of a list (default: 20)")


def run(args: argparse.Namespace) -> int:
    """Print the counts; the exit code."""
    tally = Tally()
    with Session(args) as session:
        session.open(arguments.start(args.start), most=args.limit)
        for entry in session.entries():
            tally.add(entry)
        code = session.finish()
    show([[json.dumps(tally.to_dict(), indent=2)]] if args.json else page(tally, args.top))
    return code


def page(tally: Tally, top: int) -> Iterator[Line]:
    """All counts, one list below the other."""
    yield [(f"{tally.entries:,} entries", "head"), f" from {len(tally.sitemaps):,} sitemaps"]
    yield from _list("by sitemap", tally.sitemaps.most_common(), top)
    yield from _list("by first part of the path", _shortened(tally.sections.most_common()), top)
    yield from _dates(tally)
    yield from _list("by changefreq", tally.changefreq.most_common(), top)
    yield from _list("by priority", sorted(tally.priority.items(), reverse=True), top)
    yield from _extensions(tally)
    yield []
    yield [("duplicates", "head")]
    yield [f"  {tally.across:,} listed in another sitemap before, {tally.repeated:,} in the same"]
    if tally.uncompared:
        yield [(f"  {tally.uncompared:,} entries were not remembered to be compared with later ones", "faint")]


def _list(title: str, bars: Bars, top: int) -> Iterator[Line]:
    """The first lines of a list, and what the others come to."""
    rows = list(bars)
    if not rows:
        return
    yield []
    yield [(title, "head")]
    yield from drawn(rows[:top])
    if rest := rows[top:]:
        yield [(f"  {len(rest):,} more with {sum(number for _, number in rest):,} entries", "faint")]


def drawn(bars: Bars) -> Iterator[Line]:
    """A line for each bar: what it counts, the number, and its length beside the longest."""
    rows = [(printable(name, 100), number) for name, number in bars]
    width = max((len(name) for name, _ in rows), default=0)
    longest = max((number for _, number in rows), default=0) or 1
    for name, number in rows:
        halves = -(-2 * WIDTH * number // longest)  # what is there is seen, however little it is
        yield [f"  {name:{width}}  {number:>9,}  ", ("█" * (halves // 2) + "▌" * (halves % 2), "bar")]


def _shortened(bars: Bars) -> Bars:
    """Without the origin, where all have the same."""
    rows = list(bars)
    origins = {urls.origin(name) for name, _ in rows if "://" in name}
    return [(name.removeprefix(*origins) if len(origins) == 1 else name, number) for name, number in rows]


def _dates(tally: Tally) -> Iterator[Line]:
    yield []
    yield [("by month of lastmod", "head")]
    if tally.oldest and tally.newest:
        yield [f"  {tally.oldest:%Y-%m-%d} to {tally.newest:%Y-%m-%d}"]
        yield from drawn(months(tally.months))
    yield [f"  {tally.undated:,} without a date"]


def _extensions(tally: Tally) -> Iterator[Line]:
    if tally.extensions:
        yield []
        yield [("extensions", "head")]
    for kind, number in tally.extensions.most_common():
        yield [f"  {kind:10}  {number:>9,} in {tally.extended[kind]:,} entries"]
