"""What the output looks like line by line, and the file it goes to."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import sys
from pathlib import Path

import pytest

from sitemapreader import Entry, Image
from sitemapreader.output import FORMATS, destination

PAGE = "https://a.example/"
HEAD = "loc,lastmod,changefreq,priority,sitemap,lastmod_text,images,videos,news,alternates\r\n"


def write(target: Path, data: bytes = b"new") -> None:
    with destination(str(target)) as sink:
        sink.write(data)


def written(form: str, *entries: Entry, fields: tuple[str, ...] | None = None) -> str:
    file = io.BytesIO()
    with FORMATS[form](file, fields) as write_entry:
        for entry in entries:
            write_entry(entry)
    return file.getvalue().decode()


def line(form: str, entry: Entry) -> str:
    return written(form, entry).removeprefix(HEAD if form == "csv" else "")


# ------------------------------------------------------------------------------------------------- formats
def test_columns_of_the_table_are_stable() -> None:
    assert written("csv") == HEAD


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])
def test_cell_that_a_spreadsheet_would_run_is_text(text: str) -> None:
    row = line("csv", Entry("https://a.example/", lastmod_text=text, priority=0.5))
    assert next(csv.reader(io.StringIO(row, newline="")))[5] == f"'{text}"
    assert json.loads(line("jsonl", Entry("https://a.example/", lastmod_text=text)))["lastmod_text"] == text


def test_cells_are_quoted_as_rfc_4180_says() -> None:
    text = line("csv", Entry("https://a.example/a,b", lastmod_text='say "now"', sitemap="https://a.example/s"))
    assert text == '"https://a.example/a,b",,,,https://a.example/s,"say ""now""",,,,\r\n'


@pytest.mark.parametrize("character", ["\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\u2028", "\u200f", "\x00"])
@pytest.mark.parametrize("name", ["jsonl", "csv"])
def test_nothing_that_a_terminal_obeys_is_written_raw(name: str, character: str) -> None:
    image = Image("https://a.example/i", title=f"a{character}b")
    entry = Entry("https://a.example/", extensions=(image,), lastmod_text=f"c{character}d")
    text = line(name, entry)
    assert character not in text
    if name == "jsonl":
        assert json.loads(text) == entry.to_dict()


def test_letters_of_all_languages_stay_as_they_are() -> None:
    text = line("jsonl", Entry("https://a.example/", lastmod_text="Ünïcode \u65e5\u672c \U0001f600"))
    assert "Ünïcode \u65e5\u672c \U0001f600" in text


def test_lone_surrogate_is_written_as_an_escape() -> None:
    entry = Entry("https://a.example/", lastmod_text="\ud800")
    assert json.loads(line("jsonl", entry).encode(errors="backslashreplace")) == entry.to_dict()


# ------------------------------------------------------------------------------------------------- files
def test_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with destination(str(target)) as sink:
        sink.write(b"half ")
        sink.flush()
        assert not target.exists()
        sink.write(b"and half")
    assert target.read_bytes() == b"half and half"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, SystemExit])
def test_file_is_left_as_it_was_if_anything_is_raised(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"old")
    with pytest.raises(error), destination(str(target)) as sink:
        sink.write(b"new")
        raise error
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_file_has_the_usual_mode_and_keeps_one_it_has(tmp_path: Path) -> None:
    target, plain = tmp_path / "out", tmp_path / "plain"
    plain.touch()
    write(target)
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    target.chmod(0o640)
    write(target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_link_stays_and_what_it_points_to_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_device_is_written_to_and_not_replaced() -> None:
    write(Path(os.devnull))
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("name", ["none/out", "."])
def test_what_cannot_be_a_file_raises(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError):
        destination(str(tmp_path / name))
    assert list(tmp_path.iterdir()) == []


def test_dash_is_standard_output_and_stays_open(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write(Path("-"), b"one")
    write(Path("-"), b"two")
    assert capsysbinary.readouterr().out == b"onetwo"


def test_standard_output_that_is_closed_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OSError):
        destination("-")
