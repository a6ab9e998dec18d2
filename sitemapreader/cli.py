"""The command line: arguments in, what was asked for on standard output, what was found on the way on standard error.

Exit codes: 0 everything was read; 1 something failed or is not complete, what is written holds; 2 wrong usage; 3 no
sitemap found; 4 nothing could be read; 130 interrupted; 141 the reader of the output has gone.

A verb is one row in VERBS: its name, what it does in a sentence, and its module, which adds the arguments and runs it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from .arguments import UsageError
from .errors import FetchError, StateError
from .fetch import __version__
from .session import CLOSED_PIPE, INCOMPLETE, INTERRUPTED, USAGE, fail, failure
from .verbs import changes, check, dump, robots, stats, tree


class Verb(NamedTuple):
    """Something the command line can do."""

    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    """Gives the exit code."""


VERBS = {
    "dump": Verb("Print the pages that the sitemaps of a site list.", dump.add_arguments, dump.run),
    "changes": Verb("Print what changed since the last time, and remember it.", changes.add_arguments, changes.run),
    "robots": Verb("Print the sitemaps that a robots.txt names.", robots.add_arguments, robots.run),
    "check": Verb("Check sitemaps by the rules of the protocol and of Google.", check.add_arguments, check.run),
    "stats": Verb("Count what the sitemaps of a site list.", stats.add_arguments, stats.run),
    "tree": Verb("Draw the tree of a site's sitemaps, and what each holds.", tree.add_arguments, tree.run),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line with `argv` (default: the process's own) and return its exit code."""
    try:
        args = parser().parse_args(argv)
    except SystemExit as end:  # argparse has printed the help, the version or its complaint
        return int(end.code or 0)
    try:
        return VERBS[args.verb].run(args)
    except UsageError as error:
        return fail(USAGE, error)
    except FetchError as error:
        return failure(error)
    except StateError as error:
        return fail(INCOMPLETE, error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return CLOSED_PIPE
    except OSError as error:
        _forget_stdout()
        return fail(INCOMPLETE, f"cannot write: {error}")


def parser() -> argparse.ArgumentParser:
    """The whole command line, a subparser for each verb."""
    run_as_module = os.path.basename(sys.argv[0]) == "__main__.py"
    parser = argparse.ArgumentParser(
        prog="python -m sitemapreader" if run_as_module else "sitemapreader",
        description="Reads sitemaps: a site in, its pages out.",
        epilog="Exit codes: 0 complete, 1 something failed or is incomplete, 2 usage, 3 no sitemap found, "
        "4 nothing readable, 130 interrupted, 141 closed pipe.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"sitemapreader {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, verb in VERBS.items():
        verb.add_arguments(verbs.add_parser(name, help=verb.help, description=verb.help, allow_abbrev=False))
    return parser


def _forget_stdout() -> None:
    """Let what is left in the buffer go nowhere: Python writes it once more as it ends, and would complain."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
