"""Bounds: what cannot be one is refused by name, and what is given in the place of them too."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

import sitemapreader as sr


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"retries": -1}, ValueError),
        ({"per_host": 0}, ValueError),
        ({"timeout": float("nan")}, ValueError),
        ({"timeout": None}, TypeError),
        ({"max_bytes": "1 MiB"}, TypeError),
        ({"deadline": timedelta(minutes=1)}, TypeError),
        ({"block_private": "yes"}, TypeError),
    ],
)
def test_a_bound_that_cannot_be_meant_is_refused_by_name(options: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(options))):
        sr.Limits(**options)  # type: ignore[arg-type]


def test_bounds_that_may_be_missing_and_large_ones_with_an_exponent() -> None:
    limits = sr.Limits(deadline=None, per_host=None, block_private=None, max_entries_per_sitemap=None, max_bytes=1e8)  # type: ignore[arg-type]
    assert limits == sr.Limits(max_bytes=100_000_000)


@pytest.mark.parametrize("call", [sr.read, sr.aread, sr.Walk, lambda url, limits: sr.parse(b"", url, limits=limits)])
@pytest.mark.parametrize("limits", [{}, {"deadline": 60}, 60, sr.Limits])
def test_something_else_in_the_place_of_limits_is_a_wrong_call(call: Callable[..., object], limits: object) -> None:
    with pytest.raises(TypeError, match="limits must be"):
        call("https://a.example/sitemap.xml", limits=limits)


@pytest.mark.parametrize("call", [sr.read, sr.aread, sr.Walk])
@pytest.mark.parametrize("policy", [{}, {"unique": True}, "/p/", sr.Policy])
def test_something_else_in_the_place_of_a_policy_is_a_wrong_call(call: Callable[..., object], policy: object) -> None:
    with pytest.raises(TypeError, match="policy must be"):
        call("https://a.example/sitemap.xml", policy=policy)
