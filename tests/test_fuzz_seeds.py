"""What the fuzzer checks holds for its seeds; this needs no fuzzer."""

from __future__ import annotations

import pytest
from fuzz.properties import Violation, case, require
from fuzz.targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_every_seed_has_the_properties_of_its_target(name: str) -> None:
    seeds = TARGETS[name].seeds()
    assert len(seeds) > 20
    for seed in seeds:
        TARGETS[name].check(seed)


@pytest.mark.parametrize("data", [b"", b"\xff", b"\xff" * 8, b"\xff" * 9])
@pytest.mark.parametrize("name", TARGETS)
def test_inputs_shorter_than_the_choices_are_inputs(name: str, data: bytes) -> None:
    TARGETS[name].check(data)


def test_an_input_is_cut_where_it_says() -> None:
    given = case(b"\0\1" + b"\0\5" + b"\0\1" + b"\0\3" + b"abcdef")
    assert given.chunks == [b"a", b"bc", b"de", b"f"]


def test_a_property_that_does_not_hold_is_named() -> None:
    with pytest.raises(Violation) as caught:
        require(False, "it holds")
    assert caught.value.kind == "it holds"
