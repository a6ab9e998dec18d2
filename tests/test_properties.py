"""What holds for any input: of the parser as a whole, shown on generated documents and on damaged seeds."""

from __future__ import annotations

import codecs
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sitemapreader as sr
from sitemapreader.charset import canonical
from sitemapreader.urls import resolve

settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
settings.load_profile("steady")

URL = "https://shop.example/sitemap.xml"
SEEDS = sorted(
    path
    for path in (Path(__file__).parent.parent / "testdata" / "readers").glob("*/*")
    if path.suffix != ".json" and path.stat().st_size < 3000
)


def outcome(body: Any, url: str = URL, **options: Any) -> tuple[list[dict[str, Any]], object, object, bool, list[str]]:
    sitemap = sr.parse(body, url, **options)
    items = [item.to_dict() for item in sitemap]
    return items, sitemap.format, sitemap.outcome, sitemap.complete, [str(d) for d in sitemap.diagnostics]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A seed with a few pieces cut out, doubled, overwritten, or put in from another seed."""
    body = bytearray(draw(st.sampled_from(SEEDS)).read_bytes())
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(body)))
        end = min(len(body), at + draw(st.integers(0, 40)))
        body[at:end] = draw(
            st.one_of(
                st.binary(max_size=6),
                st.just(bytes(body[at:end]) * 2),
                st.sampled_from(
                    [b"<", b"&", b"]]>", b"<!--", b"<![CDATA[", b"</url>", b"<url>", b"\x00", b"\xff", b'"']
                ),
                st.sampled_from(SEEDS).map(lambda path: path.read_bytes()[:60]),
            )
        )
    return bytes(body)


@settings(max_examples=300)
@given(body=st.one_of(damaged(), st.binary(max_size=200)), name=st.sampled_from(["sitemap.xml", "robots.txt", "a.gz"]))
def test_any_bytes_give_crawlable_urls_printable_diagnostics_and_no_exception(body: bytes, name: str) -> None:
    sitemap = sr.parse(body, f"https://shop.example/{name}")
    for item in sitemap:
        assert re.fullmatch(r"https?://[!-~]+", item.loc)
    assert sitemap.outcome is not None
    assert not sitemap.complete or sitemap.outcome is sr.Outcome.OK
    for diagnostic in sitemap.diagnostics:
        assert re.fullmatch(r"[ -~]*", str(diagnostic))
        assert len(diagnostic.detail) <= 200


@settings(max_examples=200)
@given(body=damaged(), cuts=st.lists(st.integers(0, 3000), max_size=8))
def test_any_splitting_gives_the_same(body: bytes, cuts: list[int]) -> None:
    ends = [*sorted(cuts), len(body)]
    pieces = [body[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    assert outcome(iter(pieces)) == outcome(body)
    assert outcome(body[at : at + 1] for at in range(len(body))) == outcome(body)


@settings(max_examples=100)
@given(body=damaged())
def test_strict_raises_where_there_is_an_error(body: bytes) -> None:
    lenient = sr.parse(body, URL)
    list(lenient)
    errors = [d for d in lenient.diagnostics if d.severity is sr.Severity.ERROR]
    try:
        list(sr.parse(body, URL, strict=True))
    except sr.DiagnosticError as error:
        assert error.diagnostic == errors[0]
    else:
        assert errors == []


PATH = st.text(
    alphabet=st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_characters="\\#\xa0\xad"), max_size=20
)
LOC = PATH.map(lambda path: f"https://shop.example/{path}")
ENTRIES = st.lists(
    st.tuples(LOC, st.sampled_from(["", "2026-03-01", "2026-03", "2026-03-01T10:00:00Z"])), min_size=1, max_size=12
)


def as_xml(entries: list[tuple[str, str]], encoding: str = "UTF-8") -> str:
    items = "".join(
        f"<url><loc>{escape(loc)}</loc>{f'<lastmod>{date}</lastmod>' if date else ''}</url>\n" for loc, date in entries
    )
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f"<?xml version='1.0' encoding='{encoding}'?>\n<urlset xmlns='{namespace}'>\n{items}</urlset>\n"


def locs(entries: list[tuple[str, str]]) -> list[str | None]:
    return [resolve(loc, URL).url for loc, _ in entries]


@settings(max_examples=80)
@given(entries=ENTRIES, packed=st.booleans())
@pytest.mark.parametrize(
    "encoding",
    [
        "utf-8",
        "utf-8-sig",
        "utf-16",
        "utf-16-le",
        "utf-32",
        "iso-8859-1",
        "iso-8859-2",
        "windows-1252",
        "gb18030",
        "koi8-r",
    ],
)
def test_what_is_written_is_read_in_every_encoding(entries: list[tuple[str, str]], packed: bool, encoding: str) -> None:
    assert canonical(encoding) is not None
    text = as_xml(entries, "UTF-8" if encoding.startswith("utf") else encoding)
    # A character that the encoding does not have is written as XML writes it.
    body = text.encode(encoding, "xmlcharrefreplace")
    sitemap = sr.parse(gzip.compress(body) if packed else body, URL)
    items = list(sitemap)
    assert [item.loc for item in items] == locs(entries)
    assert [item.lastmod_text for item in items] == [date or None for _, date in entries]
    assert sitemap.complete


@settings(max_examples=80)
@given(entries=ENTRIES, end=st.sampled_from(["\n", "\r\n", "\r"]), mark=st.sampled_from([b"", codecs.BOM_UTF8]))
def test_a_text_list_that_is_written_is_read(entries: list[tuple[str, str]], end: str, mark: bytes) -> None:
    plain = [(loc, date) for loc, date in entries if not re.search(r"[\s\x80-\x9f]", loc)]
    body = mark + end.join(["https://shop.example/", *(loc for loc, _ in plain)]).encode()
    assert [item.loc for item in sr.parse(body, URL)] == ["https://shop.example/", *locs(plain)]


@settings(max_examples=150)
@given(entries=ENTRIES, cut=st.floats(0, 1))
def test_a_document_that_is_cut_gives_a_beginning_of_its_entries(entries: list[tuple[str, str]], cut: float) -> None:
    body = as_xml(entries).encode()
    whole = [item.loc for item in sr.parse(body, URL)]
    end = int(len(body.rstrip()) * cut)
    part = sr.parse(body[:end], URL)
    assert [item.loc for item in part] == whole[: part.entries]
    assert part.complete == (end == len(body.rstrip()))


def model(body: bytes) -> Iterator[str]:
    """Section "robots.txt" of the field, for lines of ASCII without quotes, lists and bare URLs."""
    for line in re.split(rb"\r\n|\r|\n", body):
        text = line.split(b"\0")[0].split(b"#")[0].strip(b" \t\x0b\x0c").decode()
        key, colon, value = text.partition(":")
        value = value.strip(" \t")
        if colon and re.fullmatch(r"(?i)site-?map[^\s:]*[ \t]*", key) and value:
            yield value


LINE = st.one_of(
    st.sampled_from(
        ["User-agent: *", "Disallow: /x", "", "# Sitemap: /no.xml", "My-Sitemap: /no.xml", "Sitemap:", "Allow: /"]
    ),
    st.builds(
        "{}{}{}:{}{}{}".format,
        st.sampled_from(["", " ", "\t"]),
        st.sampled_from(["Sitemap", "SITEMAP", "sitemaps", "Site-map", "sitemap-index", "Site map", "xsitemap"]),
        st.sampled_from(["", " ", "\t"]),
        st.sampled_from(["", " ", "\t "]),
        st.from_regex(r"(https://[a-z]{1,5}\.example)?/[a-z0-9._~&=?%-]{0,9}", fullmatch=True),
        st.sampled_from(["", " ", "# note", " # note"]),
    ),
)


@settings(max_examples=200)
@given(lines=st.lists(LINE, max_size=12), end=st.sampled_from(["\n", "\r\n", "\r"]))
def test_robots_reader_equals_the_model(lines: list[str], end: str) -> None:
    body = end.join(["User-agent: *", *lines]).encode()
    robots = "https://shop.example/robots.txt"
    wanted = [resolve(value, robots).url for value in model(body)]
    wanted = [url for url in dict.fromkeys(wanted) if url and url != robots]
    assert [item.loc for item in sr.parse(body, robots)] == wanted
