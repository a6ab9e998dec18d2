"""The mirrored shop in the repository is what make_shop.py makes."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("make_shop.py")
SITES = SCRIPT.parent.parent / "testdata" / "sites"
GZIP_MAGIC = b"\x1f\x8b"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sites")
    subprocess.run([sys.executable, str(SCRIPT), str(root)], check=True)
    return root


def contents(root: Path) -> dict[str, bytes]:
    """The shop's files by name, unzipped, since builds of zlib compress differently."""
    files = [root / "shop.example.jsonl", *(path for path in (root / "shop.example").rglob("*") if path.is_file())]
    bodies = {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
    return {name: gzip.decompress(body) if body.startswith(GZIP_MAGIC) else body for name, body in bodies.items()}


def test_committed_files_are_what_the_script_writes(made: Path) -> None:
    committed, fresh = contents(SITES), contents(made)
    assert sorted(committed) == sorted(fresh)
    assert [name for name in fresh if committed[name] != fresh[name]] == []


def test_products_are_compressed_and_the_blog_only_says_so(made: Path) -> None:
    zipped = {path.name: path.read_bytes().startswith(GZIP_MAGIC) for path in (made / "shop.example").glob("*.gz")}
    assert zipped == {"blog.xml.gz": False, **{f"products-{number}.xml.gz": True for number in range(1, 6)}}


def test_shop_has_about_two_thousand_entries_and_stays_small(made: Path) -> None:
    entries = (made / "shop.example.jsonl").read_bytes().count(b"\n")
    assert 1_900 <= entries <= 2_100
    assert sum(path.stat().st_size for path in made.rglob("*") if path.is_file()) < 700_000
