"""Which addresses are public, however they are spelled, and what may be connected to in each mode."""

from __future__ import annotations

import pytest

from sitemapreader.addresses import Gate, is_numeric, is_public, literal

PUBLIC = ["8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::"]
PRIVATE = [
    *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"),
    *("255.255.255.255", "192.0.2.1", "198.18.0.1", "::", "::1", "fd00::1", "fe80::1%eth0", "ff02::1"),
    *("::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:4136:e378:8000:63bf:3fff:fdd2"),
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", [*PRIVATE, "", "a.example"])
def test_all_others_are_private(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f.0.0.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("localhost", "127.0.0.1"),
        ("localhost.", "127.0.0.1"),
        ("db.localhost", "127.0.0.1"),
        ("[::1]", "::1"),
        ("8.8.8.8.", "8.8.8.8"),
        ("a.example", None),
        ("1.example", None),
        ("localhost.example", None),
        ("", None),
    ],
)
def test_an_address_is_seen_in_every_spelling(host: str, address: str | None) -> None:
    assert literal(host) == address


def test_only_the_usual_spelling_needs_no_look_up() -> None:
    assert is_numeric("127.0.0.1") and is_numeric("::1")
    assert not is_numeric("127.1") and not is_numeric("localhost")


def test_a_public_site_leads_to_no_private_address() -> None:
    gate = Gate("https://a.example/", None)
    assert gate.refusal("a.example", ["8.8.8.8"]) is None
    assert gate.refusal("b.example", ["8.8.4.4"]) is None
    assert gate.refusal("b.example", ["8.8.4.4", "10.0.0.1"]) == "b.example has the private address 10.0.0.1"
    assert gate.refusal_of_url("http://169.254.169.254/latest/") is not None
    assert gate.refusal_of_url("http://8.8.8.8/") is None
    assert gate.refusal_of_url("http://b.example/") is None


def test_a_public_site_does_not_turn_private_later() -> None:
    gate = Gate("https://a.example/", None)
    assert gate.refusal("a.example", ["8.8.8.8"]) is None
    assert gate.refusal("a.example", ["127.0.0.1"]) is not None


@pytest.mark.parametrize("start", ["http://127.0.0.1:8000/", "http://localhost/", "http://intranet.example/"])
def test_a_private_site_leads_where_it_likes(start: str) -> None:
    gate = Gate(start, None)
    assert gate.refusal("intranet.example", ["10.0.0.1"]) is None
    assert gate.refusal("b.example", ["10.0.0.2"]) is None


def test_a_local_file_leads_where_it_likes() -> None:
    assert Gate("file:///tmp/sitemap.xml", None).refusal("b.example", ["10.0.0.2"]) is None


def test_the_block_can_be_put_on_and_taken_off() -> None:
    strict, off = Gate("http://127.0.0.1/", True), Gate("https://a.example/", False)
    assert strict.is_strict and not off.is_strict
    assert strict.refusal("127.0.0.1", ["127.0.0.1"]) is not None
    assert strict.refusal("a.example", ["8.8.8.8"]) is None
    assert off.refusal("b.example", ["127.0.0.1"]) is None
