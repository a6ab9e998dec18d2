"""Lines for people: the same text everywhere, with colour where a terminal shows it and rich is there to do it."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, TextIO

Line = list[str | tuple[str, str]]
"""Pieces of text, some with the name of a style. What comes from outside has to be printable already."""

STYLES = {
    "good": "green",
    "bad": "bold red",
    "doubt": "yellow",
    "note": "cyan",
    "faint": "bright_black",
    "head": "bold",
    "bar": "blue",
}
# For a terminal that cannot show the letters that trees and bars are drawn with.
_ASCII = str.maketrans({"├": "|", "└": "`", "─": "-", "│": "|", "█": "#", "▌": "#"})


def plain(line: Line) -> str:
    """The text of a line."""
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in line)


def show(lines: Iterable[Line]) -> None:
    """Print lines on standard output; raises OSError."""
    if sys.stdout is None:
        raise OSError("standard output is closed")
    render = renderer(sys.stdout)
    for line in lines:
        sys.stdout.write(f"{render(line)}\n")
    sys.stdout.flush()


def say(line: Line) -> None:
    """Print a line on standard error. Nobody may be listening, which is no reason to stop."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(renderer(sys.stderr)(line), file=sys.stderr)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody looks at it who sees a line change: a terminal that is not dumb."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def width(stream: TextIO) -> int:
    """Columns of a terminal, 80 where that cannot be told."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def renderer(stream: TextIO) -> Any:
    """What makes text of a line for `stream`: with colours as NO_COLOR, FORCE_COLOR and TERM ask."""
    console = _console(stream)
    drawn = _can_draw(stream)

    def render(line: Line) -> str:
        text = plain(line) if console is None else _coloured(console, line)
        return text if drawn else text.translate(_ASCII)

    return render


def _can_draw(stream: TextIO) -> bool:
    try:
        "├└─│█▌".encode(stream.encoding or "ascii")
    except (LookupError, UnicodeError):
        return False
    return True


def _console(stream: TextIO) -> Any:
    """rich's console for `stream`; None where there is no rich, or no colour is wanted."""
    wanted = os.environ.get("FORCE_COLOR") or is_terminal(stream)
    if not wanted or os.environ.get("NO_COLOR"):
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    # It writes to nowhere: a closed pipe is ours to notice. What the terminal can show is read from the environment.
    return Console(file=io.StringIO(), force_terminal=True, highlight=False, markup=False, emoji=False)


def _coloured(console: Any, line: Line) -> str:
    with console.capture() as captured:
        for piece in line:
            text, style = (piece, None) if isinstance(piece, str) else (piece[0], STYLES[piece[1]])
            console.print(text, style=style, end="", soft_wrap=True)
    rendered: str = captured.get()
    return rendered
