"""The options that verbs share, and the policy, limits and headers they stand for."""

from __future__ import annotations

import argparse
from dataclasses import fields

import pytest

from sitemapreader import Limits, Policy, Scope, arguments
from sitemapreader.arguments import UsageError

LIMITS = [field.name for field in fields(Limits)]


def parsed(*options: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(exit_on_error=False)
    arguments.add_reading(parser)
    return parser.parse_args(["a.example", *options])


def test_without_options_everything_is_as_by_default() -> None:
    args = parsed()
    assert arguments.start(args.start) == "a.example"
    assert arguments.policy(args) == Policy()
    assert arguments.limits(args) == Limits()
    assert arguments.headers(args.header) == {}
    assert args.concurrency == 4


def test_every_part_of_the_policy_has_an_option() -> None:
    filters = ["--include", "a", "--include", "b", "--exclude", "c", "--follow", "d"]
    others = ["--scope", "any", "--since", "2024-01-01", "--limit", "7"]
    args = parsed(*filters, *others, "--unique", "--skip-unchanged", "--drop-undated")
    policy = arguments.policy(args)
    assert policy == Policy(
        scope=Scope.ANY,
        include=["a", "b"],
        exclude=["c"],
        follow=["d"],
        since="2024-01-01",
        undated=False,
        skip_unchanged=True,
        unique=True,
        max_entries=7,
    )
    names = [field.name for field in fields(Policy)]
    assert [name for name in names if getattr(policy, name) == getattr(Policy(), name)] == []


@pytest.mark.parametrize("scope", list(Scope))
def test_every_scope_is_a_choice(scope: Scope) -> None:
    assert arguments.policy(parsed("--scope", scope.value)).scope is scope


@pytest.mark.parametrize("name", sorted({*LIMITS} - {"block_private"}))
def test_every_limit_is_an_option(name: str) -> None:
    args = parsed(f"--{name.replace('_', '-')}", "3")
    assert arguments.limits(args) == Limits(**{name: 3})


def test_the_private_block_is_on_off_or_as_it_is_by_default() -> None:
    assert [
        arguments.limits(parsed(*options)).block_private
        for options in (["--block-private"], ["--no-block-private"], [])
    ] == [True, False, None]


def test_help_of_limits_is_of_limits_there_are() -> None:
    assert set(arguments.LIMIT_HELP) <= set(LIMITS)


def test_times_may_have_fractions_and_counts_may_not() -> None:
    limits = arguments.limits(parsed("--timeout", "0.5", "--deadline", "2.5"))
    assert (limits.timeout, limits.deadline) == (0.5, 2.5)
    for option in ("--retries=0.5", "--timeout=nan", "--deadline=inf", "--max-bytes=lots"):
        with pytest.raises(argparse.ArgumentError):
            parsed(option)


def test_negative_limit_raises() -> None:
    with pytest.raises(ValueError, match="retries"):
        arguments.limits(parsed("--retries", "-1"))


def test_headers_are_read_and_a_name_given_twice_is_one_field() -> None:
    lines = ["X-One: a: b ", "Accept-Language:de", "accept-language: fr", "Cookie: a=1", "Cookie: b=2", "Empty:"]
    expected = {"x-one": "a: b", "accept-language": "de, fr", "cookie": "a=1; b=2", "empty": ""}
    args = parsed(*(f"--header={line}" for line in lines))
    assert arguments.headers(args.header) == expected


@pytest.mark.parametrize("line", ["", "no colon", ": b", "a b: c", "A: b\r\nC: d", "A: \x1b", "\xc4: b", "A: \xe4"])
def test_what_is_no_header_raises(line: str) -> None:
    with pytest.raises(UsageError):
        arguments.headers([line])
