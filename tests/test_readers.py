"""Pairs of a document and what comes out of it: each teaches one rule of one format, and adding a pair adds a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sitemapreader
from sitemapreader.diagnostics import Code, Outcome
from sitemapreader.model import Entry, SitemapRef

READERS = Path(__file__).parent.parent / "testdata" / "readers"
CASES = sorted(READERS.glob("*/*.json"))
REQUIRED = {"about", "outcome", "complete", "items", "diagnostics"}
# A document that is refused before its root is looked at may leave its format open, so "format" is not required.
OPTIONAL = {"format", "url", "content_type", "limits", "optional_diagnostics"}


def case_id(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def data_files(path: Path) -> list[Path]:
    """The files beside a case that have its name."""
    return [file for file in path.parent.iterdir() if file != path and file.stem == path.stem]


def plain(item: Entry | SitemapRef) -> dict[str, Any]:
    """An item as the cases write it: no nulls, and without what is the same for all items of a document."""
    values = item.to_dict()
    if isinstance(item, SitemapRef):
        values = {"ref": values["loc"], "lastmod": values["lastmod"], "lastmod_text": values["lastmod_text"]}
    return {key: value for key, value in values.items() if value is not None and key != "sitemap"}


def miscounts(counts: dict[str, int], case: dict[str, Any]) -> list[str]:
    """What the case says of diagnostics and the document does not keep to; null means at least once."""
    wanted: dict[str, int | None] = case["diagnostics"]
    problems = []
    for code, number in wanted.items():
        got = counts.get(code, 0)
        if got != number and not (number is None and got):
            problems.append(f"{code}: {'some' if number is None else number} expected, {got} counted")
    allowed = wanted.keys() | set(case.get("optional_diagnostics", ()))
    return problems + [f"{code}: none expected, {got} counted" for code, got in counts.items() if code not in allowed]


def test_there_are_cases() -> None:
    assert CASES


def test_every_data_file_has_its_case() -> None:
    files = sorted(file for file in READERS.glob("*/*") if file.suffix != ".json")
    assert not [str(file) for file in files if not (file.parent / f"{file.stem}.json").exists()]


@pytest.mark.parametrize("path", CASES, ids=case_id)
def test_case_is_written_as_agreed(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    assert case.keys() >= REQUIRED
    assert case.keys() <= REQUIRED | OPTIONAL
    optional = case.get("optional_diagnostics", [])
    assert {*case["diagnostics"], *optional} <= {code.value for code in Code}
    assert not case["diagnostics"].keys() & set(optional), "either expected or optional"
    assert case["outcome"] == Outcome.OK.value or not case["complete"]
    assert len(data_files(path)) == 1


@pytest.mark.parametrize("path", CASES, ids=case_id)
def test_document_gives_what_its_case_says(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    (file,) = data_files(path)
    url = case.get("url", f"https://shop.example/{file.name}")
    limits = sitemapreader.Limits(**case.get("limits", {}))
    sitemap = sitemapreader.parse(file.read_bytes(), url, content_type=case.get("content_type"), limits=limits)
    items = list(sitemap)

    assert [plain(item) for item in items] == case["items"], case["about"]
    assert {item.sitemap for item in items if isinstance(item, Entry)} <= {url}
    if "format" in case:
        assert (sitemap.format and sitemap.format.value) == case["format"], case["about"]
    assert not miscounts({code.value: number for code, number in sitemap.counts.items() if number}, case), case["about"]
    assert sitemap.outcome is not None and sitemap.outcome.value == case["outcome"], case["about"]
    assert sitemap.complete is case["complete"], case["about"]
    assert len(sitemap.diagnostics) <= limits.max_diagnostics
