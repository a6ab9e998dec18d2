"""`__all__` is the public surface: what the documentation promises, and nothing that came in by an import."""

from __future__ import annotations

import types

import sitemapreader as sr

PINNED = {
    *("parse", "Sitemap", "read", "aread", "Reading", "AsyncReading", "Walk", "mirror"),
    *("Entry", "SitemapRef", "Image", "Video", "News", "Alternate", "Format", "ChangeFreq"),
    *("Diagnostic", "Code", "Severity", "Outcome", "Report", "SitemapReport"),
    *("Policy", "Scope", "Limits"),
    *("SitemapError", "FetchError", "DiagnosticError"),
}


def test_all_holds_what_is_pinned() -> None:
    assert set(sr.__all__) >= PINNED


def test_all_is_sorted_and_without_repeats() -> None:
    assert list(sr.__all__) == sorted(set(sr.__all__), key=str)


def test_every_name_in_all_can_be_had() -> None:
    assert [name for name in sr.__all__ if not hasattr(sr, name)] == []


def test_no_other_public_name_stands_in_the_package() -> None:
    own = {
        name
        for name, value in vars(sr).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType) and name != "annotations"
    }
    assert own <= set(sr.__all__)


def test_dir_shows_what_is_public() -> None:
    assert set(dir(sr)) >= set(sr.__all__)


def test_every_public_name_says_what_it_is() -> None:
    assert [name for name in sr.__all__ if not (getattr(sr, name).__doc__ or "").strip()] == []
