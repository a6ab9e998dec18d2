"""``robots``: the sitemaps that a robots.txt names, one a line. Nothing but the robots.txt is fetched."""

from __future__ import annotations

import argparse

from .. import arguments
from ..discovery import robots_url, start_url
from ..errors import FetchError
from ..job import is_file
from ..policy import Policy
from ..session import COMPLETE, INCOMPLETE, NO_SITEMAP, Session, fail
from ..terminal import show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """START and what a fetch needs."""
    parser.add_argument("start", metavar="START", help="site or any URL of it, file of a robots.txt, or - for stdin")
    arguments.add_fetching(parser)
    arguments.add_limits(parser)


def run(args: argparse.Namespace) -> int:
    """Print the URLs; the exit code."""
    start = arguments.start(args.start)
    if isinstance(start, str) and not is_file(start):
        start = robots_url(start_url(start))
    named: list[str] = []
    # `follow` is asked for each sitemap that is named, and this one wants none of them.
    with Session(args, policy=Policy(follow=named.append)) as session:
        session.open(start)
        for _ in session.entries():
            pass
        if not session.report.sitemaps:
            return fail(INCOMPLETE, "the limits leave nothing to fetch")
        row = session.report.sitemaps[0]
    show([url] for url in named)
    if named:
        return COMPLETE if row.complete else INCOMPLETE
    if row.outcome is not None and not row.complete:
        raise FetchError(row.requested, row.outcome, row.status)
    return fail(NO_SITEMAP, f"no sitemap is named in {row.url}")
