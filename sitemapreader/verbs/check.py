"""``check``: which rules of the protocol and of Google's pages the sitemaps of a site break, how often, and where."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from .. import arguments, urls
from ..audit import RULES, Audit, Finding, Grade
from ..diagnostics import printable
from ..discovery import robots_url, start_url
from ..job import Start, is_file
from ..model import Format
from ..policy import Policy, Scope
from ..report import Report, SitemapReport
from ..session import COMPLETE, INCOMPLETE, Session, count
from ..terminal import Line, show

MOST_ROBOTS = 50
"""Files of robots.txt that are fetched to see whether they name a sitemap with pages of their origin."""
STYLES = {Grade.ERROR: "bad", Grade.WARNING: "doubt", Grade.NOTE: "note"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """START, how to show it, and how much to keep in mind."""
    parser.add_argument("start", metavar="START", nargs="?", help=arguments.START_HELP)
    parser.add_argument("--rules", action="store_true", help="list the rules, and where each comes from")
    parser.add_argument("--json", action="store_true", help="the findings as one JSON document")
    parser.add_argument(
        "--places", metavar="N", type=arguments.natural, default=3, help="places shown of each rule (default: 3)"
    )
    arguments.add_fetching(parser)
    arguments.add_limits(parser)


def run(args: argparse.Namespace) -> int:
    """Print what was found; the exit code is 0 only if there is no error."""
    if args.rules:
        show(rules())
        return COMPLETE
    if args.start is None:
        raise arguments.UsageError("there is no START")
    start, audit = arguments.start(args.start), Audit()
    with Session(args, policy=Policy(scope=Scope.ANY), on_diagnostic=audit.diagnose) as session:
        session.open(start)
        session.reading.walk.on_text = audit.markup
        for entry in session.entries():
            audit.add(entry, session.report.sitemaps)
        report = session.report
        robots = Robots(session, start)
        lines = robots.missing(audit.origins)
        for line in lines:
            audit.report("robots", line.partition(" ")[2], detail="no robots.txt or index names it")
        audit.finish(report, robots.vouches)
        if report.sitemaps and not (audit.findings or any(map(_is_sitemap, report.sitemaps))):
            raise session.no_sitemap()
    if args.json:
        show([[json.dumps(document(audit.findings, report, lines), indent=2)]])
    else:
        show(page(audit.findings, report, lines, args.places))
    return INCOMPLETE if any(found.rule.grade is Grade.ERROR for found in audit.findings) else COMPLETE


# ----------------------------------------------------------------------------------------------------- robots.txt
class Robots:
    """What robots.txt files name, each looked at once and only if it is asked for."""

    def __init__(self, session: Session, start: Start) -> None:
        self._session = session
        self._named: dict[str, set[str]] = {}
        # A file stands on no site.
        self.start = start_url(start) if isinstance(start, str) and not is_file(start) else None

    def missing(self, origins: Iterable[str] = ()) -> list[str]:
        """The ``Sitemap:`` lines that the robots.txt of the site lacks; that of its pages' `origins` may have them."""
        if self.start is None:
            return []
        rows = self._session.report.sitemaps
        roots = [row for row in rows if row.parent is None and not row.speculative and _is_sitemap(row)]
        if self.start in {row.requested for row in roots}:
            names = {url for row in roots for url in (row.requested, row.url)}
            if any(self.vouches(origin, names) for origin in (urls.origin(self.start), *origins)):
                return []
        return [f"Sitemap: {row.requested}" for row in roots]

    def vouches(self, origin: str, sitemaps: Collection[str]) -> bool:
        """Whether the robots.txt of an origin names one of these; that of the start also through an index."""
        if self.start is None or (origin not in self._named and len(self._named) >= MOST_ROBOTS):
            return False
        if not self._names(origin, 0).isdisjoint(sitemaps):
            return True
        return origin == urls.origin(self.start) and not self._names(origin, 1).isdisjoint(sitemaps)

    def _names(self, origin: str, depth: int) -> set[str]:
        key = f"{origin} {depth}" if depth else origin
        if key not in self._named:
            named = self._named[key] = set()

            def follow(url: str) -> bool:
                named.add(url)
                return depth > 0

            # The filter is asked before the depth is: children of indexes are seen and not fetched.
            self._session.follow(robots_url(f"{origin}/"), Policy(follow=follow), depth=depth)
        return self._named[key]


def _is_sitemap(row: SitemapReport) -> bool:
    return row.format not in (None, Format.ROBOTS)


# ----------------------------------------------------------------------------------------------------- to look at
def page(findings: list[Finding], report: Report, lines: list[str], places: int) -> Iterator[Line]:
    """The verdict, and each rule that is broken with the first places."""
    grades = Counter(found.rule.grade for found in findings)
    broken = ", ".join(count(grades[grade], f"{grade.value}") for grade in Grade)
    where = f"{count(report.entries, 'entry', 'entries')} from {count(len(report.sitemaps), 'document')}"
    yield [(f"{broken} in {where}", "head")]
    for found in findings:
        rule = found.rule
        yield []
        yield [(f"{rule.grade.value:8}", STYLES[rule.grade]), (found.name, "head"), f" {found.count:,}x  {rule.asks}"]
        yield [("        " + rule.source, "faint")]
        for place in found.places[:places]:
            at = f"{place.where} in {place.url}" if place.where else place.url
            yield ["        " + printable(f"{at}: {place.detail}" if place.detail else at, 300)]
        if found.count > min(places, len(found.places)):
            yield [(f"        {found.count - min(places, len(found.places)):,} more", "faint")]
    if lines:
        yield []
        yield [f"To tell search engines, add to {robots_url(lines[0].partition(' ')[2])}:"]
        for line in lines:
            yield [line]


def rules() -> Iterator[Line]:
    """The table of the rules."""
    for name, rule in RULES.items():
        yield [(f"{rule.grade.value:8}", STYLES[rule.grade]), (f"{name:18}", "head"), f"  {rule.asks}"]
        yield [(" " * 28 + rule.source, "faint")]


# ----------------------------------------------------------------------------------------------------- to compute
def document(findings: list[Finding], report: Report, lines: list[str]) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "entries": report.entries,
        "documents": len(report.sitemaps),
        "complete": report.complete,
        "findings": [
            {
                "rule": found.name,
                "grade": found.rule.grade.value,
                "asks": found.rule.asks,
                "source": found.rule.source,
                "count": found.count,
                "places": [place._asdict() for place in found.places],
            }
            for found in findings
        ],
        "add_to_robots": lines,
    }
