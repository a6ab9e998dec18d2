"""Makes the pictures of the documentation from the site that comes with it: ``python docs/screenshots/make.py``.

Terminals are drawn by rich as SVG. The report of a notebook is a picture of a browser: where there is no Chromium, the
one that is there stays.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

import sitemapreader as sr

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SITES = "testdata/sites"
COMMANDS = {
    "tree": f"tree shop.example --mirror {SITES} -q",
    "stats": f"stats shop.example --mirror {SITES} -q --top 6",
    "check": f"check shop.example --mirror {SITES} --places 1",
    "tree-failures": "tree broken.example --mirror testdata/cli/sites -q",
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
STYLE = """body {margin: 16px; width: 800px; font: 13px sans-serif} td, th {padding: 2px 8px; text-align: right}
tr:nth-child(even) {background: #f5f5f5}"""


def terminal(name: str, command: str) -> None:
    """The output of a command as an SVG."""
    environment = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    environment.pop("NO_COLOR", None)
    argv = [sys.executable, "-m", "sitemapreader", *command.split()]
    run = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False)
    shown = Text.from_ansi(run.stdout)
    shown.no_wrap = True
    width = min(140, max(len(line) for line in shown.plain.splitlines()) + 1)
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True)
    console.print(Text("$ ", style="green"), Text(f"sitemapreader {command}", style="bold"), sep="")
    console.print(shown, crop=True, overflow="ellipsis", soft_wrap=False)
    console.save_svg(str(HERE / f"{name}.svg"), title="sitemapreader", unique_id=name)


def report() -> None:
    """The report as a notebook shows it, as a PNG."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("no Chromium: report.png stays as it is", file=sys.stderr)
        return
    list(reading := sr.read("shop.example", client=sr.mirror_client(ROOT / SITES)))
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(f"<meta charset=utf-8><style>{STYLE}</style>{reading.report._repr_html_()}", "utf-8")
        options = [
            "--headless",
            "--no-sandbox",
            "--hide-scrollbars",
            "--window-size=840,660",
            f"--user-data-dir={folder}",
        ]
        picture = f"--screenshot={HERE / 'report.png'}"
        subprocess.run([browser, *options, picture, page.as_uri()], check=True, capture_output=True, timeout=120)


def main() -> None:
    for name, command in COMMANDS.items():
        terminal(name, command)
    report()


if __name__ == "__main__":
    main()
