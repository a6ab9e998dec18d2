"""The arguments that verbs share: what each is called, and the policy, limits and headers that they stand for."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO

from .discovery import start_url
from .job import Start, local
from .limits import Limits
from .policy import Policy, Scope

LIMIT_HELP = {
    "max_depth": "indexes above a sitemap",
    "max_sitemaps": "documents fetched",
    "max_bytes": "decompressed bytes of one document",
    "max_entries_per_sitemap": "items taken from one document",
    "max_token": "bytes of one XML token, text or line",
    "max_diagnostics": "diagnostics kept for each document",
    "timeout": "seconds until a response has begun, and between two pieces of its body",
    "deadline": "seconds the whole reading may take",
    "max_redirects": "redirects followed for one document",
    "retries": "further tries for a request that failed",
    "per_host": "requests to one host at a time",
    "interval": "seconds between the beginnings of two requests to one host",
    "block_private": "connect to public addresses only, or to all; default: no public site leads to a private one",
}
"""What an option says of its limit; one that is missing here is an option all the same."""

SKIP_HELP = "no sitemap that its index dates before --since, or as it did when --state was written"
START_HELP = "site (example.com), URL of a robots.txt, sitemap or feed, file, or - for stdin"

_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t]*)")


class UsageError(Exception):
    """The arguments cannot be meant."""


def add_reading(parser: argparse.ArgumentParser, *, many: bool = False) -> None:
    """The arguments of every verb that reads a site; `many`: it may be several."""
    parser.add_argument("start", metavar="START", nargs="*" if many else None, help=START_HELP)
    if many:
        parser.add_argument("--starts", metavar="FILE", help="further STARTs, one a line; # begins a comment")
    add_fetching(parser)
    parser.add_argument("--strict", action="store_true", help="exit with 1 if there was any diagnostic of level error")
    _add_policy(parser.add_argument_group("which pages and sitemaps"))
    add_limits(parser)


def add_fetching(parser: argparse.ArgumentParser) -> None:
    """Where answers come from, and how much is said of it."""
    parser.add_argument("--mirror", metavar="DIR", help="answer every request from files, DIR/HOST/PATH; no network")
    parser.add_argument("--header", metavar="'NAME: VALUE'", action="append", default=[], help="sent to START's origin")
    parser.add_argument("--concurrency", metavar="N", type=positive, default=4, help="requests at a time (default: 4)")
    volume = parser.add_mutually_exclusive_group()
    volume.add_argument("-q", "--quiet", action="store_true", help="print errors only, no summary and no progress")
    volume.add_argument("-v", "--verbose", action="store_true", help="print every diagnostic, those of level info too")


def _add_policy(group: Any) -> None:
    scopes = [scope.value for scope in Scope]
    group.add_argument("--scope", choices=scopes, default="host", help="where pages may lie (default: host)")
    for name, what in (
        ("include", "only pages whose URL matches"),
        ("exclude", "no pages whose URL matches"),
        ("follow", "only sitemaps whose URL matches"),
    ):
        group.add_argument(f"--{name}", metavar="REGEX", action="append", help=f"{what}; repeatable")
    group.add_argument("--since", metavar="DATE", help="only pages modified since, and those without a date")
    group.add_argument("--drop-undated", action="store_true", help="with --since: no pages without a date")
    group.add_argument("--skip-unchanged", action="store_true", help=SKIP_HELP)
    group.add_argument("--unique", action="store_true", help="each page once")
    group.add_argument("--limit", metavar="N", type=int, help="stop after N pages")


def add_limits(parser: argparse.ArgumentParser) -> None:
    """The limits, an option for each."""
    group = parser.add_argument_group("limits")
    for field in fields(Limits):
        name = f"--{field.name.replace('_', '-')}"
        what = LIMIT_HELP.get(field.name, "see Limits")
        if "bool" in str(field.type):
            group.add_argument(name, action=argparse.BooleanOptionalAction, default=None, help=what)
            continue
        kind = _number if "float" in str(field.type) else int
        default = "none" if field.default is None else field.default
        group.add_argument(name, metavar="N", type=kind, help=f"{what} (default: {default})")


def positive(text: str) -> int:
    """The type of an option that counts something."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1: {text!r}")
    return number


def natural(text: str) -> int:
    """The type of an option that says how many there may be: none, too."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must not be negative: {text!r}")
    return number


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):  # a bound that nothing is compared with
        raise argparse.ArgumentTypeError(f"not a number of seconds: {text!r}")
    return number


def policy(args: argparse.Namespace) -> Policy:
    """What the options of `add_reading` ask for; raises ValueError for a value that cannot be meant."""
    return Policy(
        scope=Scope(args.scope),
        include=args.include,
        exclude=args.exclude,
        follow=args.follow,
        since=args.since,
        undated=not args.drop_undated,
        skip_unchanged=args.skip_unchanged,
        unique=args.unique,
        max_entries=args.limit,
    )


def limits(args: argparse.Namespace) -> Limits:
    """The limits that were given, the others as they are by default; raises ValueError for a negative one."""
    given = {field.name: getattr(args, field.name) for field in fields(Limits)}
    return Limits(**{name: value for name, value in given.items() if value is not None})


def headers(lines: Sequence[str]) -> dict[str, str]:
    """The fields of ``Name: value`` lines; a name given twice is one field (RFC 9110, 5.3; RFC 6265, 5.4)."""
    given: dict[str, str] = {}
    for line in lines:
        found = _HEADER.fullmatch(line.strip())
        if not found:
            raise UsageError(f"--header must be 'Name: value' in printable ASCII: {line!r}")
        name, value = found[1].lower(), found[2]
        between = "; " if name == "cookie" else ", "
        given[name] = f"{given[name]}{between}{value}" if name in given else value
    return given


def start(text: str) -> Start:
    """What is to be read; a path that says so is a path, also if there is no such file.

    Raises UsageError for what can be neither a URL nor a host nor a file.
    """
    if text == "-":
        return _stdin()
    found = Path(text) if os.path.isabs(text) or text.startswith(".") else text
    try:
        start_url(local(found)[1])
    except ValueError as error:
        raise UsageError(error) from None
    return found


def starts(args: argparse.Namespace) -> list[Start]:
    """All that is to be read, that of the file of ``--starts`` after that of the command line."""
    return [start(text) for text in written(args)]


def written(args: argparse.Namespace) -> list[str]:
    """The same as it is written; what it means is found out when it is read."""
    found = [*args.start, *(_lines(args.starts) if args.starts else ())]
    if not found:
        raise UsageError("there is no START")
    return found


def _lines(name: str) -> list[str]:
    try:
        data = _stdin().read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read --starts: {error}") from None
    lines = (line.strip() for line in data.decode("utf-8-sig", "replace").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _stdin() -> BinaryIO:
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    return sys.stdin.buffer
