"""`__all__` is the public surface: what the documentation promises, and nothing that came in by an import."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import sitemapreader as sr

PINNED = {
    *("parse", "Sitemap", "read", "aread", "Reading", "AsyncReading", "Walk"),
    *("Entry", "SitemapRef", "Image", "Video", "News", "Alternate", "Format", "ChangeFreq"),
    *("Diagnostic", "Code", "Severity", "Outcome", "Report", "SitemapReport"),
    *("Policy", "Scope", "Limits"),
    *("SitemapError", "FetchError", "DiagnosticError"),
}
ADDED = {
    *("__version__", "mirror_client", "async_mirror_client", "Progress", "Validators"),
    *("StateError", "read_many", "Readings", "Site", "Status"),
}
ELSEWHERE = {"State", "Change", "Mark", "Page"}
"""What needs an import of its own, since it needs more than the core: sitemapreader.state."""
API_PAGE = Path(__file__).parent.parent / "docs" / "api.md"


def test_all_holds_what_is_pinned_and_nothing_unannounced() -> None:
    assert set(sr.__all__) == PINNED | ADDED


def test_the_reference_has_every_public_name_and_no_other() -> None:
    described = re.findall(r"^\.\. auto\w+:: (\w+)", API_PAGE.read_text("utf-8"), re.M)
    assert sorted(described) == sorted({*sr.__all__} - {"__version__"} | ELSEWHERE)


def test_all_is_sorted_and_without_repeats() -> None:
    assert list(sr.__all__) == sorted(set(sr.__all__), key=str)


def test_every_name_in_all_can_be_had() -> None:
    assert [name for name in sr.__all__ if not hasattr(sr, name)] == []


def test_no_other_public_name_stands_in_the_package() -> None:
    own = {name for name, value in vars(sr).items() if getattr(value, "__module__", "").startswith("sitemapreader")}
    assert {name for name in own if not name.startswith("_")} <= set(sr.__all__)


def test_every_public_name_says_what_it_is() -> None:
    assert [name for name in sr.__all__ if not (getattr(sr, name).__doc__ or "").strip()] == []


def test_version_is_the_one_of_the_distribution() -> None:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))["project"]
    assert sr.__version__ == project["version"]
