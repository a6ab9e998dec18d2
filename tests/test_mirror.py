"""Mirrors: which file answers which URL, with what status and headers, and that nothing outside is reached."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapreader.mirror import Answer, respond

HOST = "https://shop.example"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside.xml").write_bytes(b"secret")
    root = tmp_path / "sites"
    put(root, "shop.example/sitemap.xml", b"<urlset/>")
    return root


def put(root: Path, name: str, body: bytes = b"") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)


def body(answer: Answer) -> bytes:
    return answer.body.read_bytes() if isinstance(answer.body, Path) else answer.body


def test_path_is_the_file_below_the_host(root: Path) -> None:
    answer = respond(root, f"{HOST}/sitemap.xml")
    assert answer.status == 200
    assert body(answer) == b"<urlset/>"


@pytest.mark.parametrize("url", ["http://shop.example/sitemap.xml", "https://SHOP.example:443/sitemap.xml"])
def test_scheme_case_and_default_port_make_no_difference(root: Path, url: str) -> None:
    assert body(respond(root, url)) == b"<urlset/>"


@pytest.mark.parametrize("url", [f"{HOST}/none.xml", "https://other.example/sitemap.xml", f"{HOST}/", f"{HOST}/a/b/c"])
def test_what_is_missing_is_not_found(root: Path, url: str) -> None:
    assert respond(root, url) == Answer(404, {"content-type": "text/plain"}, b"")


def test_another_port_is_another_folder(root: Path) -> None:
    put(root, "shop.example:8080/sitemap.xml", b"at 8080")
    assert body(respond(root, "https://shop.example:8080/sitemap.xml")) == b"at 8080"
    assert body(respond(root, "http://shop.example:80/sitemap.xml")) == b"<urlset/>"
    assert respond(root, "http://shop.example:443/sitemap.xml").status == 404


def test_path_that_ends_with_a_slash_is_the_index_in_it(root: Path) -> None:
    put(root, "shop.example/index.html", b"home")
    put(root, "shop.example/de/index.html", b"Deutsch")
    assert body(respond(root, f"{HOST}/")) == b"home"
    assert body(respond(root, HOST)) == b"home"
    assert body(respond(root, f"{HOST}/de/")) == b"Deutsch"
    assert respond(root, f"{HOST}/de").status == 404


def test_query_belongs_to_the_name_as_written(root: Path) -> None:
    put(root, "shop.example/map.xml?page=2&q=%C3%A9", b"second")
    put(root, "shop.example/map.xml?from=%2Fa", b"with a slash")
    put(root, "shop.example/index.html?feed=sitemap", b"of the index")
    assert body(respond(root, f"{HOST}/map.xml?page=2&q=%C3%A9")) == b"second"
    assert body(respond(root, f"{HOST}/map.xml?from=/a")) == b"with a slash"
    assert body(respond(root, f"{HOST}/?feed=sitemap")) == b"of the index"
    assert respond(root, f"{HOST}/map.xml").status == 404
    assert respond(root, f"{HOST}/sitemap.xml?page=2").status == 404


def test_fragment_and_empty_query_are_no_part_of_the_name(root: Path) -> None:
    assert body(respond(root, f"{HOST}/sitemap.xml?#part")) == b"<urlset/>"


def test_escapes_of_the_path_are_undone(root: Path) -> None:
    put(root, "shop.example/über uns/a+b.xml", b"escaped")
    assert body(respond(root, f"{HOST}/%C3%BCber%20uns/a+b.xml")) == b"escaped"


@pytest.mark.parametrize(
    "path",
    [
        "/../../outside.xml",
        "/..%2F..%2Foutside.xml",
        "/%2e%2e/%2E%2E/outside.xml",
        "/../shop.example/sitemap.xml",
        "/a/../sitemap.xml",
        "/..",
        "/sitemap.xml%00",
        "/%00",
        "/sitemap.xml?x=/../../../outside.xml",
        "/" + "a" * 5000,
        "/" + "a/" * 5000,
    ],
)
def test_no_path_leads_out_of_the_folder(root: Path, path: str) -> None:
    assert respond(root, HOST + path).status == 404


def test_absolute_path_in_the_path_stays_within_the_folder(root: Path) -> None:
    outside = root.parent / "outside.xml"
    assert respond(root, f"{HOST}/{outside}").status == 404
    assert respond(root, f"{HOST}/%2F{str(outside).replace('/', '%2F')}").status == 404


@pytest.mark.parametrize(
    "url", ["https://../outside.xml", "https://./outside.xml", "file:///sitemap.xml", "", "https:///x"]
)
def test_no_host_leads_out_of_the_root(root: Path, url: str) -> None:
    assert respond(root, url).status == 404


def test_links_that_lead_out_of_the_folder_are_not_followed(root: Path) -> None:
    (root / "shop.example/link.xml").symlink_to(root.parent / "outside.xml")
    (root / "linked.example").symlink_to(root.parent)
    (root / "shop.example/within.xml").symlink_to(root / "shop.example/sitemap.xml")
    (root / "shop.example/loop.xml").symlink_to(root / "shop.example/loop.xml")
    assert respond(root, f"{HOST}/link.xml").status == 404
    assert respond(root, "https://linked.example/outside.xml").status == 404
    assert respond(root, f"{HOST}/loop.xml").status == 404
    assert body(respond(root, f"{HOST}/within.xml")) == b"<urlset/>"


@given(st.text() | st.text(alphabet="./%2eEfF\\?#:@[]0", min_size=3).map(lambda tail: f"https://{tail}"))
def test_no_string_makes_it_raise_or_leave_the_root(url: str) -> None:
    assert respond(Path(__file__).parent, url).status == 404


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("robots.txt", "text/plain"),
        ("a.html", "text/html"),
        ("a.xml.gz", "application/gzip"),
        ("a.txt.gz", "application/gzip"),
        ("a.gz", "application/gzip"),
        ("a.xml.bz2", "application/octet-stream"),
        ("a", "application/octet-stream"),
        ("a.nonsense", "application/octet-stream"),
        ("a.txt?x.html", "text/plain"),
    ],
)
def test_content_type_is_guessed_from_the_suffix(root: Path, name: str, expected: str) -> None:
    put(root, f"shop.example/{name}", b"x")
    assert respond(root, f"{HOST}/{name}").headers == {"content-type": expected}


def test_xml_is_served_as_xml(root: Path) -> None:
    assert respond(root, f"{HOST}/sitemap.xml").headers["content-type"] in ("text/xml", "application/xml")


def test_sidecar_adds_and_replaces_headers_whatever_their_case(root: Path) -> None:
    put(root, "shop.example/sitemap.xml.headers", b'CONTENT-TYPE: text/html\r\nETag:"a"\r\nX-Name: \xe9\x85\r\n\r\n')
    answer = respond(root, f"{HOST}/sitemap.xml")
    assert answer.status == 200
    assert answer.headers == {"content-type": "text/html", "etag": '"a"', "x-name": "\xe9\x85"}


@pytest.mark.parametrize("line", [b"HTTP 301", b"HTTP/1.1 301 Moved Permanently\r", b"HTTP/2 301 \r"])
def test_first_line_of_a_sidecar_may_be_a_status(root: Path, line: bytes) -> None:
    put(root, "shop.example/old.xml.headers", line + b"\nLocation: /sitemap.xml\n")
    assert respond(root, f"{HOST}/old.xml") == Answer(301, {"location": "/sitemap.xml"}, b"")


def test_status_comes_with_the_body_if_there_is_one(root: Path) -> None:
    put(root, "shop.example/gone.html", b"sorry")
    put(root, "shop.example/gone.html.headers", b"HTTP 410\n")
    answer = respond(root, f"{HOST}/gone.html")
    assert (answer.status, body(answer)) == (410, b"sorry")


def test_lines_of_a_sidecar_that_are_no_headers_are_skipped(root: Path) -> None:
    put(root, "shop.example/sitemap.xml.headers", b"HTTP 999\nno header\n: empty\nbad name: x\nA: b\nHTTP 301\n")
    answer = respond(root, f"{HOST}/sitemap.xml")
    assert answer.status == 200
    assert set(answer.headers) == {"content-type", "a"}


def test_empty_sidecar_changes_nothing(root: Path) -> None:
    before = respond(root, f"{HOST}/sitemap.xml")
    put(root, "shop.example/sitemap.xml.headers")
    assert respond(root, f"{HOST}/sitemap.xml") == before


def test_sidecar_without_status_does_not_stand_for_a_missing_file(root: Path) -> None:
    put(root, "shop.example/lost.xml.headers", b"Content-Type: text/xml\n")
    assert respond(root, f"{HOST}/lost.xml").status == 404


def test_sidecar_is_no_document(root: Path) -> None:
    put(root, "shop.example/sitemap.xml.headers", b"A: b\n")
    assert respond(root, f"{HOST}/sitemap.xml.headers").status == 404


def test_query_has_its_own_sidecar(root: Path) -> None:
    put(root, "shop.example/map.xml?page=2.headers", b"HTTP 503\nRetry-After: 1\n")
    assert respond(root, f"{HOST}/map.xml?page=2") == Answer(503, {"retry-after": "1"}, b"")
