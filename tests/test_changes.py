"""``changes`` on the command line: the right lines each day, in each format, and when they are remembered."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from changing import START, difference, made

from sitemapreader import cli, output

Run = Callable[..., tuple[int, str, str]]
NOW = ("--retries", "0")


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> Run:
    def run(*arguments: str) -> tuple[int, str, str]:
        shared = ("--mirror", str(tmp_path), "--state", str(tmp_path / "site.db"), *NOW)
        code = cli.main(["changes", START, *shared, *arguments])
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def sets(lines: str) -> dict[str, set[str]]:
    rows = [json.loads(line) for line in lines.splitlines()]
    return {mark: {row["loc"] for row in rows if row["change"] == mark} for mark in ("new", "changed", "gone")}


def test_three_days(run: Run, tmp_path: Path) -> None:
    choice = random.Random(3)
    first = made(choice)
    first.write(tmp_path)
    code, out, err = run()
    assert code == 0 and sets(out) == difference({}, first.pages)
    assert err.splitlines()[-2:] == ["300 entries from 8 documents: complete", "300 new, 0 changed, 0 gone"]

    second = first.next_day(choice)
    second.broken = {"map-0.xml"}
    second.write(tmp_path)
    code, out, err = run()
    known = {
        **first.pages,
        **{loc: date for n, p in second.sitemaps.items() if n != "map-0.xml" for loc, date in p.items()},
    }
    assert code == 1 and sets(out) == difference(first.pages, known)
    assert err.splitlines()[-1].endswith("what is gone is not known")

    second.broken = set()
    second.write(tmp_path)
    code, out, err = run()
    assert code == 0 and sets(out) == difference(known, second.pages)
    gone = [json.loads(line) for line in out.splitlines() if '"gone"' in line]
    assert all(row["sitemap"].startswith(f"{START}map-") and row["first_seen"] <= row["last_seen"] for row in gone)

    code, out, err = run()
    assert (code, out) == (0, "") and err.splitlines()[-1] == "0 new, 0 changed, 0 gone"


def test_formats_and_marks(run: Run, tmp_path: Path) -> None:
    choice = random.Random(4)
    first = made(choice)
    first.write(tmp_path)
    run("-q")
    second = first.next_day(choice)
    second.write(tmp_path)
    target, expected = tmp_path / "out.csv", difference(first.pages, second.pages)
    assert run("-q", "-o", str(target)) == (0, "", "")
    rows = list(csv.DictReader(io.StringIO(target.read_text("utf-8"))))
    assert {mark: {row["loc"] for row in rows if row["change"] == mark} for mark in expected} == expected

    third = second.next_day(choice)
    third.write(tmp_path)
    code, out, _ = run("-f", "urls", "--only", "new,changed")
    expected = difference(second.pages, third.pages)
    assert code == 0 and {*out.splitlines()} == expected["new"] | expected["changed"]
    _, out, _ = run("-f", "urls", "--only", "unchanged")
    assert {*out.splitlines()} == third.pages.keys()


def test_what_could_not_be_written_is_told_again(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = made(random.Random(5))
    site.write(tmp_path)

    def full(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as broken:
        broken.setattr(output.os, "replace", full)
        code, _, err = run("-o", str(tmp_path / "out.jsonl"))
    assert code == 1 and "no space left" in err and not (tmp_path / "out.jsonl").exists()
    _, out, _ = run()
    assert sets(out) == difference({}, site.pages)


def test_repeats_are_left_out_if_wanted(run: Run, tmp_path: Path) -> None:
    site = made(random.Random(6), sitemaps=2, pages=3)
    site.sitemaps["map-1.xml"].update(site.sitemaps["map-0.xml"])
    site.write(tmp_path)
    _, out, err = run("-f", "urls", "--unique")
    assert sorted(out.splitlines()) == sorted(site.pages)
    assert "6 entries from 4 documents, 3 left out (duplicate 3): complete" in err
    site.sitemaps["map-0.xml"].clear()
    site.write(tmp_path)
    assert run("-q", "--unique") == (0, "", "")


def test_wrong_use(run: Run, tmp_path: Path) -> None:
    assert run("--only", "old")[0] == 2
    assert run("-o", "x.parquet")[0] == 2
    assert run("--since", "2026-01-01")[0] == 2
    assert run("-o", str(tmp_path))[0] == 2
    assert cli.main(["changes", START]) == 2
