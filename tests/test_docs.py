"""Every example in README.md and docs/ is run, page by page, and says what the page says it does.

```` ```python ```` blocks of a page share one namespace; a ```` ```text ```` block right behind one is its output.
```` ```console ```` blocks are commands behind ``$ python -m`` with what they print; a line ``...`` stands for any
lines. A comment ``<!-- not run: reason -->`` right before a block leaves it out.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(
    r"(<!-- not run: [^\n]+ -->\n+)?^```(python|console)\n(.*?)^```$(?:\n+^```text\n(.*?)^```$)?", re.M | re.S
)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


NEEDS = {"scrapy.md": "scrapy", "with-aiohttp.md": "aiohttp", "with-urllib3.md": "urllib3"}


class Example(NamedTuple):
    """One block of a page."""

    line: int
    language: str
    code: str
    output: str | None


def examples(page: Path) -> Iterator[Example]:
    text = page.read_text("utf-8")
    for match in BLOCK.finditer(text):
        skipped, language, code, output = match.groups()
        if not skipped:
            yield Example(text.count("\n", 0, match.start(3)), language, code, output)


def agrees(shown: str, printed: str) -> bool:
    """Whether `printed` is what the page shows, where a line of three dots is any number of lines."""
    parts = ("(?:.*\n)*" if line == "..." else re.escape(line + "\n") for line in shown.splitlines())
    ended = printed if printed.endswith("\n") or not printed else f"{printed}\n"
    return re.fullmatch("".join(parts), ended) is not None


def run_python(example: Example, page: Path, namespace: dict[str, object]) -> None:
    code = compile("\n" * example.line + example.code, str(page), "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    if example.output is not None and not agrees(example.output, printed.getvalue()):
        assert printed.getvalue() == example.output, f"{page.name}:{example.line}"


def run_console(example: Example, page: Path) -> None:
    commands = COMMAND.findall(example.code)
    assert commands, f"{page.name}:{example.line}: no command"
    for command, shown in commands:
        words = shlex.split(command)
        assert words[:2] == ["python", "-m"], f"{page.name}:{example.line}: {command}"
        run = subprocess.run([sys.executable, *words[1:]], capture_output=True, encoding="utf-8", check=False)
        assert run.returncode in (0, 1), run.stderr
        if shown and not agrees(shown, run.stdout):
            assert run.stdout == shown, f"{page.name}:{example.line}"


def test_there_are_pages_with_examples() -> None:
    assert len(PAGES) > 5
    assert sum(len(list(examples(page))) for page in PAGES) > 20


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_do_what_the_page_shows(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name])
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", [*sys.path])
    namespace: dict[str, object] = {"__name__": "__main__"}
    for example in examples(page):
        if example.language == "python":
            run_python(example, page, namespace)
        else:
            run_console(example, page)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "a", True),
        ("a\n", "b\n", False),
        ("a\n...\n", "a\nb\nc\n", True),
        ("a\n...\n", "a\n", True),
        ("...\nc\n", "a\nb\nc\n", True),
        ("a\n...\nc\n", "a\nb\n", False),
        ("", "", True),
        ("", "a\n", False),
    ],
)
def test_dots_on_a_line_stand_for_any_lines(shown: str, printed: str, same: bool) -> None:
    assert agrees(shown, printed) is same
