"""Commands and what they print, as files: testdata/cli/cases/<case>/command, stdout and stderr.

After a change that is meant, ``SITEMAPREADER_WRITE=1 pytest tests/test_cli_golden.py`` writes what is printed now: read
the difference before it is committed.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from sitemapreader import cli

ROOT = Path(__file__).resolve().parent.parent
CASES = sorted((ROOT / "testdata" / "cli" / "cases").iterdir())


def test_every_verb_has_cases() -> None:
    assert {case.name.partition("-")[0] for case in CASES} == {*cli.VERBS}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_command_prints_what_the_files_hold(
    case: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    command, code = (case / "command").read_text("utf-8").splitlines()
    assert f"exit {cli.main(shlex.split(command))}" == code
    printed = dict(zip(("stdout", "stderr"), capsysbinary.readouterr(), strict=True))
    for name, data in printed.items():
        if os.environ.get("SITEMAPREADER_WRITE"):
            (case / name).write_bytes(data)
        assert data.decode() == (case / name).read_bytes().decode()


def test_nothing_printed_can_do_harm_to_a_terminal() -> None:
    drawn = set("├└─│█▌\n\r")
    for case in CASES:
        for name in ("stdout", "stderr"):
            text = (case / name).read_bytes().decode()
            assert {letter for letter in text if not (letter.isascii() and letter.isprintable())} <= drawn, case
