"""Payload: what HTTP codings do that a document alone cannot show. The rest is in testdata/readers/payload."""

import gzip
import zlib

import pytest

from sitemapreader.diagnostics import Code, Diagnostics
from sitemapreader.payload import BLOCK, FIRST_BLOCK, Payload

TEXT = b"<urlset>" + b"".join(b"<url><loc>https://a.example/%d</loc></url>" % n for n in range(20_000)) + b"</urlset>"
PACKED = gzip.compress(TEXT)


def unpack(
    body: bytes, coding: str = "", *, max_bytes: int = 10**8, step: int = 10**9
) -> tuple[bytes, dict[Code, int], list[int]]:
    report = Diagnostics("https://a.example/")
    payload = Payload(max_bytes=max_bytes, report=report, content_encoding=coding)
    blocks = [block for at in range(0, len(body), step) for block in payload.feed(body[at : at + step])]
    blocks += payload.close()
    if payload.fault:
        report(payload.fault.code)
    return b"".join(blocks), dict(report.counts), [len(block) for block in blocks]


@pytest.mark.parametrize(
    ("body", "coding", "codes"),
    [
        (TEXT, "", {}),
        (PACKED, "gzip", {}),
        (PACKED, "x-gzip", {}),
        (PACKED, "GZip, identity", {}),
        (gzip.compress(PACKED), "gzip", {}),
        (gzip.compress(PACKED), "", {Code.CONTENT_MISMATCH: 1}),
        (zlib.compress(TEXT), "deflate", {}),
        (zlib.compress(TEXT)[2:-4], "deflate", {}),
        (gzip.compress(zlib.compress(TEXT)), "deflate, gzip", {}),
        (TEXT, "gzip", {Code.CONTENT_MISMATCH: 1}),
        (TEXT, "br", {Code.CONTENT_MISMATCH: 1}),
        (TEXT, "xml", {Code.CONTENT_MISMATCH: 1}),
        (PACKED, "gz", {Code.CONTENT_MISMATCH: 1}),
    ],
)
def test_the_bytes_decide_and_a_header_that_lies_is_reported(body: bytes, coding: str, codes: dict[Code, int]) -> None:
    text, counts, _ = unpack(body, coding)
    assert text == TEXT
    assert counts == codes


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip, gzip"])
def test_a_coding_that_cannot_be_undone_gives_nothing(coding: str) -> None:
    assert unpack(b"\x8b\x01\x80abc", coding)[:2] == (b"", {Code.COMPRESSION_ERROR: 1})


@pytest.mark.parametrize("step", [1, 7, 1000, FIRST_BLOCK, BLOCK])
@pytest.mark.parametrize("body", [TEXT, PACKED], ids=["plain", "packed"])
def test_blocks_do_not_depend_on_how_the_bytes_arrive(body: bytes, step: int) -> None:
    assert unpack(body, step=step) == unpack(body)


def test_blocks_are_small_at_first() -> None:
    sizes = unpack(TEXT)[2]
    doubled = [FIRST_BLOCK, 2 * FIRST_BLOCK, 4 * FIRST_BLOCK, 8 * FIRST_BLOCK]
    assert sizes[:7] == [FIRST_BLOCK, *doubled, BLOCK, BLOCK]


def test_the_budget_holds_over_all_layers() -> None:
    text, counts, _ = unpack(PACKED, max_bytes=100_000)
    assert text == TEXT[:100_000]
    assert counts == {Code.LIMIT_SIZE: 1}


def test_a_body_just_within_the_budget_is_whole() -> None:
    assert unpack(PACKED, max_bytes=len(TEXT))[:2] == (TEXT, {})


def test_all_that_can_be_inflated_before_the_damage_is() -> None:
    damaged = PACKED[:20_000] + b"\xff" * 8 + PACKED[20_008:]
    text, counts, _ = unpack(damaged)
    whole = zlib.decompressobj(31).decompress(PACKED[:20_000])
    assert text.startswith(whole)
    assert counts == {Code.COMPRESSION_ERROR: 1}


def test_a_third_layer_is_refused_unread() -> None:
    assert unpack(gzip.compress(gzip.compress(PACKED)))[0] == b""
