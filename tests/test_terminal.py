"""What a terminal is shown: colours where they are wanted, a line of progress that goes away, and the same text."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sitemapreader import Walk, progress, terminal
from sitemapreader.progress import Bar, Progress, size
from sitemapreader.terminal import plain
from sitemapreader.verbs.tree import drawing

ROOT = Path(__file__).resolve().parent.parent
TREE = ("tree", "shop.example", "--mirror", str(ROOT / "testdata" / "sites"))
AT_ONCE = "import sys; from sitemapreader import cli, progress; progress.INTERVAL = 0; sys.exit(cli.main(sys.argv[1:]))"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")

pty = pytest.importorskip("pty", reason="pseudo-terminals of POSIX")


def environment(**changes: str) -> dict[str, str]:
    plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM")}
    return {**plain, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **changes}


def on_a_terminal(*argv: str, **changes: str) -> tuple[int, str, str]:
    """Exit code, standard output (a file) and standard error (a terminal)."""
    argv = (sys.executable, "-c", AT_ONCE, *argv)
    master, slave = pty.openpty()
    with tempfile.TemporaryFile() as out:  # a pipe that nobody empties would be full
        process = subprocess.Popen(argv, stdout=out, stderr=slave, env=environment(**changes))
        os.close(slave)
        shown = b"".join(iter(lambda: _read(master), b""))
        code = process.wait(timeout=60)
        os.close(master)
        out.seek(0)
        return code, out.read().decode(), shown.decode()


def _read(master: int) -> bytes:
    try:
        return os.read(master, 65536)
    except OSError:  # Linux: the other end is closed
        return b""


def left_on_screen(shown: str) -> str:
    """What a terminal shows at the end: a line that is erased is gone."""
    lines = COLOUR.sub("", shown).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rpartition("\r\x1b[K")[2] for line in lines)


# ------------------------------------------------------------------------------------------------- progress
def test_progress_is_a_line_on_the_terminal_that_goes_away() -> None:
    code, out, shown = on_a_terminal("dump", *TREE[1:], "-f", "urls")
    assert (code, len(out.splitlines())) == (0, 1966)
    assert "\x1b" not in out
    pictures = re.findall(r"(\d+)/(\d+) documents  ([\d,]+) entries  [\d.]+ \w+  [\d,]+/s", COLOUR.sub("", shown))
    assert len(pictures) > 10
    entries = [int(number.replace(",", "")) for _, _, number in pictures]
    assert entries == sorted(entries)
    assert entries[-1] == 1966
    assert all(int(done) <= int(known) for done, known, _ in pictures)
    left = left_on_screen(shown)
    assert "documents  " not in left
    assert left.splitlines()[-1] == "1966 entries from 16 documents: complete"


@pytest.mark.parametrize(("options", "changes"), [(("-q",), {}), ((), {"TERM": "dumb"})])
def test_progress_is_not_for_the_quiet_and_the_dumb(options: tuple[str, ...], changes: dict[str, str]) -> None:
    code, _, shown = on_a_terminal("dump", *TREE[1:], "-f", "urls", *options, **changes)
    assert code == 0
    assert "\x1b" not in shown
    assert "documents  " not in shown


def test_diagnostics_between_pictures_are_whole_lines() -> None:
    _, _, shown = on_a_terminal("dump", *TREE[1:], "-f", "urls")
    warnings = [line for line in left_on_screen(shown).splitlines() if line.startswith("warning: ")]
    assert len(warnings) > 5
    assert all(" in https://shop.example/" in line for line in warnings)


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (80, " 3/12 documents  1,234 entries  5.0 MiB  123/s"),
        (67, " 3/12 documents  1,234 entries  5.0 MiB  123/s"),
        (66, " 3/12 documents  1,234 entries  5.0 MiB"),
        (40, " 3/12 documents"),
        (10, ""),
    ],
)
def test_picture_shows_how_far_it_is_and_never_wraps(columns: int, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "INTERVAL", 0)
    monkeypatch.setattr(progress, "width", lambda stream: columns)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("time.monotonic", iter([100.0, *[110.0] * 9]).__next__)
    with Bar() as bar:
        bar(Progress("reading", "https://a.example/s.xml", 3, 12, 1234, 5 * 1024 * 1024))
    assert screen.getvalue() == f"\r\x1b[K█████───────────────{shown}\r\x1b[K"


@pytest.mark.parametrize(("number", "shown"), [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (5 << 40, "5.0 TiB")])
def test_size_is_in_a_unit_that_suits_it(number: int, shown: str) -> None:
    assert size(number) == shown


# ------------------------------------------------------------------------------------------------- colours
def tree(**changes: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "sitemapreader", *TREE, "-q"],
        capture_output=True,
        env=environment(**changes),
        check=True,
    )
    return run.stdout.decode()


def test_colours_are_for_terminals_or_who_forces_them() -> None:
    plain = tree()
    coloured = tree(FORCE_COLOR="1")
    assert "\x1b" not in plain
    assert "\x1b[32murlset\x1b[0m" in coloured
    assert COLOUR.sub("", coloured) == plain
    assert tree(FORCE_COLOR="1", NO_COLOR="1") == plain


def test_terminal_that_cannot_draw_gets_letters_of_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert terminal.renderer(stream)(["├── a  ", ("█▌", "bar")]) == "|-- a  ##"


def test_output_that_is_closed_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OSError, match="closed"):
        terminal.show([["a"]])


@pytest.mark.parametrize("verb", ["dump", "tree", "stats", "check", "robots"])
@pytest.mark.parametrize("colour", ["", "1"])
def test_pipe_that_is_closed_is_141_without_a_word(verb: str, colour: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.Popen(
        [sys.executable, "-m", "sitemapreader", verb, *TREE[1:], "-q"],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=environment(FORCE_COLOR=colour),
    )
    os.close(writer)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, b"")


def test_pipe_that_is_closed_ends_parquet_too() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    argv = [sys.executable, "-m", "sitemapreader", "dump", *TREE[1:], "-q", "-f", "parquet"]
    process = subprocess.Popen(argv, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, b"")


# -------------------------------------------------------------------------------------------------------- tree
def test_tree_says_of_what_is_redirected_to_a_document_before_it_that_it_was_read() -> None:
    namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    maps = "".join(f"<sitemap><loc>https://a.example/{n}.xml</loc></sitemap>" for n in (1, 2))
    pages = f"<urlset {namespace}><url><loc>https://a.example/p</loc></url></urlset>".encode()
    walk = Walk("https://a.example/i.xml")
    bodies = [f"<sitemapindex {namespace}>{maps}</sitemapindex>".encode(), pages, pages]
    for body, url in zip(bodies, ("i.xml", "1.xml", "1.xml"), strict=True):
        ref = walk.next()
        assert ref is not None
        list(walk.receive(ref, body, url=f"https://a.example/{url}"))
    assert [plain(line).split("  ", 1)[1].strip() for line in drawing(walk.report, {})] == [
        f"sitemapindex  2 sitemaps, {len(bodies[0])} B",
        f"urlset  1 entry, {len(pages)} B",
        "already read",
    ]
