"""How far a reading is, as one line on a terminal that is written over and goes away at the end."""

from __future__ import annotations

import sys
import time
from contextlib import suppress

from .report import Progress
from .terminal import Line, is_terminal, plain, renderer, width

INTERVAL = 0.1
"""Seconds between two pictures."""
UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


class Bar:
    """The line on standard error; on anything but a terminal, or if `quiet`, it shows nothing and costs nothing."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.live = not quiet and is_terminal(sys.stderr)
        self._began = time.monotonic()
        self._next = self._began + INTERVAL  # what is over at once needs no bar
        self._drawn = False

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    @property
    def due(self) -> bool:
        """It is to be drawn anew."""
        return self.live and time.monotonic() >= self._next

    def __call__(self, progress: Progress) -> None:
        """Draw it, unless that was done a moment ago."""
        if self.due:
            now = time.monotonic()
            self._next = now + INTERVAL
            self._write("\r\x1b[K" + self._picture(progress, max(now - self._began, INTERVAL)))
            self._drawn = True

    def clear(self) -> None:
        """Take it away, before something else is printed."""
        if self._drawn:
            self._write("\r\x1b[K")
            self._drawn = False

    def _picture(self, progress: Progress, seconds: float) -> str:
        done, known = progress.documents, max(progress.known, progress.documents, 1)
        filled = 20 * done // known
        bar: Line = [("█" * filled, "bar"), ("─" * (20 - filled), "faint")]
        facts: Line = [f" {done}/{known} documents", f"  {progress.entries:,} entries", f"  {size(progress.bytes)}"]
        facts.append((f"  {progress.entries / seconds:,.0f}/s", "faint"))
        # A line that wraps cannot be written over: what there is no room for is left out, the last first.
        while facts and len(plain([*bar, *facts])) >= width(sys.stderr):
            facts.pop()
        return str(renderer(sys.stderr)([*bar, *facts]))

    def _write(self, text: str) -> None:
        with suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()


def size(number: float) -> str:
    """Bytes in a unit that suits them."""
    for unit in UNITS:
        if number < 1024 or unit == UNITS[-1]:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1024
    raise AssertionError("the last unit takes any number")
