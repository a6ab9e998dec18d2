"""What the scanner reads is what expat reads: a short run of tests/fuzz/differential.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz import differential

import sitemapreader as sr
from sitemapreader.readers.scan import Found, Scanner


@pytest.mark.parametrize("first", range(0, 4000, 500))
def test_documents_are_read_alike_with_and_without_the_scanner(first: int) -> None:
    assert list(differential.differences(first, 500)) == []


PAIRS = sorted((Path(__file__).parent.parent / "testdata" / "readers").glob("*/*.xml"))


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_pairs_are_read_alike_in_small_blocks(path: Path) -> None:
    for block in (37, 120, 400):
        scanned, exact = differential.both([path.read_bytes()], sr.Limits(), block=block)
        assert scanned == exact


def test_the_documents_are_of_many_kinds_and_the_scanner_reads_much_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    scan = Scanner.scan

    def counting(self: Scanner, buffer: bytes, at: int, number: int) -> Found:
        found = scan(self, buffer, at, number)
        read.append(len(found.table.locs) if found.table else 0)
        return found

    monkeypatch.setattr(Scanner, "scan", counting)
    made = [differential.Maker(seed).document() for seed in range(500)]
    total = sum(len(list(sr.parse(body, differential.URL))) for body in made)
    assert total > 2000
    assert sum(read) > total / 3
    assert read.count(0) > 500
    assert sum(b"<sitemapindex" in body for body in made) > 50
