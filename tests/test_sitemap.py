"""parse: lazy, flat in memory, told by content, and strict when asked."""

import gzip
import io
import subprocess
import sys
from collections.abc import Iterator

import pytest

import sitemapreader as sr

URL = "https://a.example/sitemap.xml"
HEAD, TAIL = b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n", b"</urlset>\n"


def entry(number: int) -> bytes:
    return (
        f"<url><loc>https://a.example/products/{number}</loc><lastmod>2026-01-0{number % 9 + 1}</lastmod>"
        f"<changefreq>weekly</changefreq><priority>0.5</priority></url>\n"
    ).encode()


class Chunks:
    """Generated entries in chunks of a kilobyte; counts how many were pulled."""

    def __init__(self, entries: int) -> None:
        self.entries = entries
        self.pulled = 0

    def __iter__(self) -> Iterator[bytes]:
        yield HEAD
        for at in range(0, self.entries, 8):
            self.pulled += 1
            yield b"".join(entry(number) for number in range(at, min(at + 8, self.entries)))
        yield TAIL


def test_the_first_entry_comes_before_a_hundredth_of_the_input_is_read() -> None:
    chunks = Chunks(50_000)
    sitemap = sr.parse(chunks, URL)
    assert next(sitemap).loc == "https://a.example/products/0"
    assert chunks.pulled < 50_000 / 8 / 100


def test_the_input_is_pulled_as_entries_are_taken() -> None:
    chunks = Chunks(50_000)
    sitemap = sr.parse(chunks, URL)
    assert chunks.pulled == 0
    for _ in range(25_000):
        next(sitemap)
    assert chunks.pulled < 0.55 * 50_000 / 8
    assert sitemap.outcome is None
    assert not sitemap.complete


PEAK = """
import resource, sys
sys.path.insert(0, {path!r})
from test_sitemap import Chunks, URL
import sitemapreader as sr
for entries in (10_000, {entries}):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert sum(1 for _ in sr.parse(Chunks(entries), URL)) == entries
unit = 1024 if sys.platform != "darwin" else 1024 * 1024
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) // unit)
"""


def test_memory_does_not_grow_with_the_number_of_entries() -> None:
    code = PEAK.format(path=str(__import__("pathlib").Path(__file__).parent), entries=200_000)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 5  # MiB that 200,000 entries need beyond what 10,000 do


def test_over_50_000_items_are_read_on_and_reported() -> None:
    sitemap = sr.parse(Chunks(50_001), URL)
    assert sum(1 for _ in sitemap) == 50_001
    assert sitemap.complete
    assert sitemap.counts == {sr.Code.PROTOCOL_LIMIT: 1}


def test_just_50_000_items_are_nothing_to_report() -> None:
    sitemap = sr.parse(Chunks(50_000), URL)
    assert sum(1 for _ in sitemap) == 50_000
    assert sitemap.diagnostics == ()


def test_more_than_a_thousand_images_of_one_entry_are_cut() -> None:
    images = b"<i:image><i:loc>https://a.example/i.png</i:loc></i:image>" * 1001
    body = (
        HEAD
        + b"<url xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'><loc>https://a.example/p</loc>"
        + images
        + b"</url>"
        + TAIL
    )
    sitemap = sr.parse(body, URL)
    (only,) = sitemap
    assert isinstance(only, sr.Entry)
    assert len(only.images) == 1000
    assert sitemap.counts == {sr.Code.LIMIT_EXTENSION: 1}
    assert sitemap.complete


def test_format_is_known_before_the_first_item_is_taken_and_costs_none() -> None:
    sitemap = sr.parse(HEAD + entry(1) + TAIL, URL)
    assert sitemap.format is sr.Format.URLSET
    assert not sitemap.complete
    assert len(list(sitemap)) == 1
    assert sitemap.complete


def test_a_sitemap_is_read_once() -> None:
    sitemap = sr.parse(HEAD + entry(1) + TAIL, URL)
    assert (len(list(sitemap)), len(list(sitemap))) == (1, 0)


def test_strict_raises_at_the_first_error() -> None:
    sitemap = sr.parse(
        HEAD + entry(1) + b"<url><loc>https://a.example/<</loc></url>" + entry(2) + TAIL, URL, strict=True
    )
    with pytest.raises(sr.DiagnosticError) as caught:
        list(sitemap)
    assert caught.value.diagnostic.code is sr.Code.ENTRY_LOST
    assert caught.value.diagnostic.severity is sr.Severity.ERROR


def test_strict_lets_warnings_pass() -> None:
    sitemap = sr.parse(HEAD + b"<url><loc>p</loc></url>" + TAIL, URL, strict=True)
    assert [item.loc for item in sitemap] == ["https://a.example/p"]


@pytest.mark.parametrize("body", ["<urlset/>", 7, None, io.StringIO("<urlset/>")])
def test_a_body_that_is_no_bytes_is_a_wrong_call(body: object) -> None:
    with pytest.raises(TypeError, match="body must be"):
        sr.parse(body, URL)  # type: ignore[arg-type]


@pytest.mark.parametrize("piece", ["<urlset/>", 60, None])
def test_a_piece_of_a_body_that_is_no_bytes_is_a_wrong_call(piece: object) -> None:
    with pytest.raises(TypeError, match="body must give bytes"):
        list(sr.parse([b"", piece], URL))  # type: ignore[list-item]


def test_a_content_type_of_bytes_as_scrapy_has_it_is_a_wrong_call() -> None:
    with pytest.raises(TypeError, match="content_type must be"):
        sr.parse(b"", URL, content_type=b"text/xml")  # type: ignore[arg-type]


def test_a_relative_url_is_a_wrong_call() -> None:
    with pytest.raises(ValueError, match="absolute"):
        sr.parse(b"", "sitemap.xml")


def test_every_kind_of_body_gives_the_same() -> None:
    body = gzip.compress(HEAD + b"".join(entry(n) for n in range(500)) + TAIL)
    forms = [
        body,
        bytearray(body),
        memoryview(body),
        io.BytesIO(body),
        [body],
        [body[i : i + 1] for i in range(len(body))],
    ]
    assert [[item.to_dict() for item in sr.parse(form, URL)] for form in forms[1:]] == [
        [item.to_dict() for item in sr.parse(body, URL)]
    ] * (len(forms) - 1)


def test_only_so_many_diagnostics_are_kept_and_all_are_counted() -> None:
    sitemap = sr.parse(HEAD + b"<url><loc>p</loc></url>" * 50 + TAIL, URL, limits=sr.Limits(max_diagnostics=10))
    assert len(list(sitemap)) == 50
    assert len(sitemap.diagnostics) == 10
    assert sitemap.counts == {sr.Code.URL_RELATIVE: 50}
