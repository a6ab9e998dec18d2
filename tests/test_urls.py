"""URLs: what is made of a text, what is refused, and how a URL is taken apart."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitemapreader import hosts, urls
from sitemapreader.diagnostics import Code

BASE = "https://example.com/dir/sitemap.xml?x=1"
LENIENT = {Code.URL_TOO_LONG, Code.DOUBLE_ESCAPED}


def codes(text: str, base: str = BASE) -> list[str]:
    return [code.value for code, _ in urls.resolve(text, base).findings]


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/",
        "http://example.com/a?b=c&d=e#f",
        "https://example.com:8443/a",
        "https://example.com/%7euser/%2F/a%20b?u=https%3A%2F%2Fexample.com%2F",
        "https://example.com/a/../b/./c//d/index.html",
        "https://example.com/?b=2&a=1&a=1",
        "https://example.com/#/route?x#y",
        "https://example.com/a,b;c='d'(e)*[f]!$@:~+",
        "https://user:pa%40ss@example.com/x",
        "http://a@b@example.com/x",
        "https://under_score.example.com/",
        "https://-odd-.example.com/",
        "https://example.com./",
        "http://localhost/",
        "http://127.0.0.1:8000/",
        "http://2130706433/",
        "http://[::1]/",
        "http://[::ffff:169.254.169.254]:8080/",
        "https://xn--mnchen-3ya.example/",
    ],
)
def test_canonical_url_stays_as_it_is_without_a_finding(url: str) -> None:
    assert urls.resolve(url, BASE) == urls.Resolved(url)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("HTTPS://Example.COM:443/Path/A", "https://example.com/Path/A"),
        ("http://example.com:80/", "http://example.com/"),
        ("http://example.com:0080/", "http://example.com/"),
        ("http://example.com:/", "http://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com?x=1", "https://example.com/?x=1"),
        ("https://example.com#top", "https://example.com/#top"),
        ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
        ("https://example.com/\u00fc?q=\u00fc", "https://example.com/%C3%BC?q=%C3%BC"),
        ('https://example.com/"<>|{}^`', "https://example.com/%22%3C%3E%7C%7B%7D%5E%60"),
        ("https://example.com/\u202egpj.exe", "https://example.com/%E2%80%AEgpj.exe"),
        ("https://example.com/a\u200bb", "https://example.com/a%E2%80%8Bb"),
        ("https://example.com/\x9b31m", "https://example.com/%C2%9B31m"),
        ("https://\u00fc:\u00e4@example.com/", "https://%C3%BC:%C3%A4@example.com/"),
        ("https://M\u00dcNCHEN.example/", "https://xn--mnchen-3ya.example/"),
        ("https://\u0430\u0440\u0440\u04cf\u0435.com/", "https://xn--80ak6aa92e.com/"),
        ("https://b\u00fccher\u3002example\uff0ecom/", "https://xn--bcher-kva.example.com/"),
        ("https://\uff45xample.com/", "https://example.com/"),
        # IDNA 2008, as browsers and httpx have it
        ("https://stra\u00dfe.example/", "https://xn--strae-oqa.example/"),
        ("https://\u03b2\u03cc\u03bb\u03bf\u03c2.com/", "https://xn--nxasmm1c.com/"),
    ],
)
def test_spelling_is_normalised_without_a_finding(text: str, url: str) -> None:
    assert urls.resolve(text, BASE) == urls.Resolved(url)


@pytest.mark.parametrize(
    "around", [" ", "\n\t ", "\u00a0", "\u3000", "\u200b", "\u200c\u200d", "\u2060", "\ufeff \ufeff"]
)
def test_white_space_and_zero_width_characters_around_are_trimmed(around: str) -> None:
    assert urls.resolve(f"{around}https://example.com/a{around}", BASE) == urls.Resolved("https://example.com/a")


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u00a0\u200b\ufeff"])
def test_blank_text_is_no_url_and_nothing_to_report(text: str) -> None:
    assert urls.resolve(text, BASE) == urls.Resolved(None)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://example.com/a b", "https://example.com/a%20b"),
        ("https://example.com/a\tb", "https://example.com/ab"),
        ("https://example.com/a\r\n    b", "https://example.com/ab"),
        ("https://example.com/a  \n\n  b c", "https://example.com/ab%20c"),
        ("https://exam\nple.com/", "https://example.com/"),
        ("https://example.com/a\x00\x7f\x0b", "https://example.com/a%00%7F"),
        ("https://example.com/100%", "https://example.com/100%25"),
        ("https://example.com/%zz%4%41", "https://example.com/%25zz%254%41"),
        ("https:\\\\h\\a", "https://h/a"),
        ("https:/\\h\\a?b\\c", "https://h/a?b%5Cc"),
        ("https://example.com/a\\b?c\\d", "https://example.com/a%5Cb?c%5Cd"),
        ("https://example.com/a\\@b", "https://example.com/a%5C@b"),
        ("example.com/a", "https://example.com/a"),
        ("Example.com", "https://example.com/"),
        ("example.com?q", "https://example.com/?q"),
        ("example.com:8080/a", "https://example.com:8080/a"),
    ],
)
def test_what_is_unambiguous_is_repaired_and_reported(text: str, url: str) -> None:
    assert urls.resolve(text, BASE).url == url
    assert codes(text) == ["url-repaired"]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("/de/a", "https://example.com/de/a"),
        ("page.html", "https://example.com/dir/page.html"),
        ("www.example.com/a", "https://example.com/dir/www.example.com/a"),
        ("../a", "https://example.com/a"),
        ("../../../a/./b/..", "https://example.com/a/"),
        (".", "https://example.com/dir/"),
        ("a//b", "https://example.com/dir/a//b"),
        ("a/b:c", "https://example.com/dir/a/b:c"),
        ("/a?b=../c", "https://example.com/a?b=../c"),
        ("?page=2", "https://example.com/dir/sitemap.xml?page=2"),
        ("#top", "https://example.com/dir/sitemap.xml?x=1#top"),
        ("//CDN.example.net", "https://cdn.example.net/"),
        ("//cdn.example.net/a/../b", "https://cdn.example.net/a/../b"),
        ("/\u00fc", "https://example.com/%C3%BC"),
    ],
)
def test_relative_reference_is_resolved_and_reported(text: str, url: str) -> None:
    assert urls.resolve(text, BASE).url == url
    assert codes(text) == ["url-relative"]


def test_relative_reference_keeps_the_authority_of_the_base() -> None:
    assert urls.resolve("/b", "http://u:p@example.com:8080/a").url == "http://u:p@example.com:8080/b"


def test_base_may_be_spelled_in_any_way() -> None:
    assert urls.resolve("b", "HTTPS://Example.com:443").url == "https://example.com/b"


def test_host_of_the_document_is_recognised_in_unicode() -> None:
    assert (
        urls.resolve("m\u00fcnchen.example/a", "http://xn--mnchen-3ya.example/").url
        == "http://xn--mnchen-3ya.example/a"
    )


@pytest.mark.parametrize(
    "text",
    [
        *(
            "javascript:void(0)",
            "data:text/html,x",
            "file:///etc/passwd",
            "ftp://example.com/a",
            "mailto:a@example.com",
        ),
        *("android-app://com.example/https/example.com/a", "foo:bar", "example.org:80/a", "JavaScript:alert(1)"),
    ],
)
def test_other_schemes_are_dropped(text: str) -> None:
    assert urls.resolve(text, BASE).url is None
    assert codes(text) == ["url-scheme"]


@pytest.mark.parametrize(
    "text",
    [
        *("http://", "https:", "http:///path", "http:/example.com/a", "http:example.com", "http://?q", "http://user@/"),
        *(
            "http://a..b/",
            "http://.a/",
            "http://./",
            "http://a../",
            f"http://{'a' * 64}.com/",
            "http://" + "\u00fc" * 60,
        ),
        *("http://exa mple.com/", "http://exam\x00ple.com/", "http://exa%6Dple.com/", "http://a,b/", "http://*.a/"),
        *("http://example.com:99999/", "http://example.com:abc/", "http://example.com:-1/", "http://example.com:1:2/"),
        *("http://example.com:\u0661/", "http://example.com:" + "9" * 5000 + "/"),
        *(
            "http://[::1",
            "http://::1/",
            "http://[::1]x/",
            "http://[1.2.3.4]/",
            "http://[fe80::1%25eth0]/",
            "http://[v1.a]/",
        ),
        *(
            "http://\u2100.com/",
            "http://a\uff0fb/",
            "http://a\u200db.com/",
            "http://\ufb31\u0061.com/",
            "http://xn--\u00fc/",
        ),
        *("http://example.com\\@evil.test/", "http://example.com\\a", "https:\\\\example.com\\@evil.test/"),
        *("http://a@\\b/", "\\\\example.net\\a", "/\\example.net/a"),
        *("https://example.com/\ufffd", "https://example.com/\ud800", "\udfff"),
        *("{{ site.url }}/a", "{% link %}", "${base}/a", "<%= url %>", "https://example.com{{ page.url }}"),
    ],
)
def test_text_that_is_no_url_is_refused(text: str) -> None:
    assert urls.resolve(text, BASE).url is None
    assert codes(text) == ["url-invalid"]


@pytest.mark.parametrize("base", ["", "sitemap.xml", "file:///tmp/sitemap.xml", "http://[::1", "\ud800"])
def test_relative_reference_needs_an_http_base(base: str) -> None:
    assert urls.resolve("a", base).url is None
    assert codes("//example.com/a", base) == ["url-invalid"]
    assert codes("https://example.com/a", base) == []


def test_ampersand_escaped_twice_is_kept_and_reported() -> None:
    url = "https://example.com/?a=1&amp;b=2"
    assert urls.resolve(url, BASE).url == url
    assert codes(url) == ["double-escaped"]
    assert codes("https://example.com/?a=1&b=2&ampere=3") == []


def test_length_is_reported_over_2048_and_refused_over_the_limit() -> None:
    start = "https://example.com/"
    fits = start + "a" * (2048 - len(start))
    assert codes(fits) == []
    assert urls.resolve(fits + "a", BASE).url == fits + "a"
    assert codes(fits + "a") == ["url-too-long"]
    assert urls.resolve(fits + "a", BASE, limit=2048).url is None
    assert urls.resolve(start, BASE, limit=10).findings[0][0] is Code.URL_TOO_LONG
    assert urls.resolve("/\u20ac", BASE, limit=25).url is None, "the limit holds for what is delivered, too"


def test_several_repairs_are_one_finding() -> None:
    assert urls.resolve("https://example.com/a b\\%", BASE).findings == (
        (Code.URL_REPAIRED, "blank, backslash, stray %: https://example.com/a%20b%5C%25"),
    )


@pytest.mark.parametrize(
    "text",
    [
        *("https://user:secret@example.com/a b", "//user:secret@example.com/", "https:\\\\user:secret@example.com\\"),
        *(
            "https://user:secret@exa mple.com/",
            "ftp://user:secret@example.com/",
            "https://user:sec/secret@example.com/",
        ),
        *("https://user:secret@example.com/&amp;", "https://user:secret@example.com/" + "a" * 3000),
    ],
)
def test_findings_do_not_show_userinfo(text: str) -> None:
    findings = urls.resolve(text, BASE).findings
    assert findings
    assert all("secret" not in detail for _, detail in findings)


pieces = st.sampled_from(
    [
        *("http", "https", ":", "//", "/", "\\", "?", "#", "@", "%", "%41", "&amp;", "&", "[", "]", "[::1]", ".", ".."),
        *(
            "example.com",
            "EXAMPLE.com",
            ":443",
            ":80",
            "\u00fc",
            "\u00df",
            "\u3002",
            "\u200d",
            "\u200b",
            "\u202e",
            "\xa0",
        ),
        *(" ", "\t", "\n", "\x00", "\x1b", "a", "xn--", "{", "|", "\ufffd", "\ud800", "javascript:", "user:pw"),
    ]
)
texts = st.one_of(st.text(), st.lists(pieces, max_size=12).map("".join), st.text().map("https://example.com/".__add__))


@given(texts, texts)
@example("http://" + "9" * 5000, "http://h:" + "9" * 5000)
def test_any_text_gives_printable_ascii_that_resolves_to_itself(text: str, base: str) -> None:
    url, findings = urls.resolve(text, base)
    assert len({code for code, _ in findings}) == len(findings)
    if url is None:
        assert len(findings) == bool(text.strip(urls._AROUND))
        return
    assert url.isascii() and url.isprintable() and " " not in url
    again = urls.resolve(url, base)
    assert again.url == url
    assert {code for code, _ in again.findings} <= LENIENT
    parts = urls.split(url)
    assert parts.scheme in urls.PORTS and parts.path.startswith("/")
    assert urls.host(url) == parts.host != ""


@given(texts)
def test_functions_take_any_text(text: str) -> None:
    for function in (
        urls.split,
        urls.host,
        urls.origin,
        urls.place,
        urls.directory,
        urls.without_fragment,
        urls.masked,
    ):
        function(text)


@given(st.from_regex(urls.CLEAN, fullmatch=True))
def test_what_the_fast_path_lets_through_the_slow_path_does_not_change(text: str) -> None:
    assert urls._resolved(text, BASE, 1_048_576).url == text
    assert {code for code, _ in urls._resolved(text, BASE, 1_048_576).findings} <= {Code.URL_TOO_LONG}


clean = st.sampled_from(["https://example.com/", "https://example.com/a?b&c=%20", "http://a.b:8080/#x", "http://a/%e9"])
nearly = st.sampled_from(
    ["https://example.com/%", "https://example.com/&amp;", "http://a", "http://a:80/", "http://a..b/", ""]
)


@given(st.lists(st.one_of(clean, clean, nearly, st.from_regex(urls.CLEAN, fullmatch=True), texts), max_size=8))
@example(["http://a/", "http://b/", ""])
def test_lines_at_a_time_and_one_by_one_agree(lines: list[str]) -> None:
    text = "\n".join(lines)
    lines = text.split("\n")
    assert urls.are_clean(text, len(lines)) == all(map(urls.CLEAN.fullmatch, lines))
    assert not urls.are_clean(text, len(lines) + 1)


@given(st.sampled_from(["https://example.com/", "http://a", "https://a.b"]), texts)
def test_fast_path_and_slow_path_agree(start: str, rest: str) -> None:
    if urls.CLEAN.fullmatch(start + rest):
        assert urls._resolved(start + rest, BASE, 1_048_576) == urls.Resolved(start + rest)


@pytest.mark.parametrize("text", ["https://example.com/a?b=c&d=%20", "http://a_b.c-d.e./", "https://localhost/#x"])
def test_ordinary_urls_take_the_fast_path(text: str) -> None:
    assert urls.CLEAN.fullmatch(text)


@pytest.mark.parametrize(
    "text",
    [
        *("a" + " " * 1_000_000 + "b", "a" + " \n" * 500_000 + "b", "/" * 1_000_000, "../" * 300_000, "%" * 1_000_000),
        *("https://" + "a." * 500_000, "https://" + "@" * 1_000_000, "https://" + "\u00fc" * 300_000 + ".com/"),
        *("https://example.com/" + "a&" * 500_000 + "<", "https://a/" + "\u0301\u0323" * 80_000, "a:" * 500_000),
        *("https://" + "-" * 1_000_000, "//" * 500_000 + "\\", "@" + "/" * 1_000_000),
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_a_megabyte_made_to_be_slow_is_read_or_refused(text: str) -> None:
    url = urls.resolve(text, BASE).url  # quadratic, any of these would take minutes
    assert url is None or (url.isascii() and urls.split(url).host)
    assert urls.masked(text)


def test_url_is_taken_apart() -> None:
    assert urls.split("https://u@x:p@example.com:8443/a/b?c=/d?e#f#g") == urls.Parts(
        "https", "u@x:p", "example.com", 8443, "/a/b", "c=/d?e", "f#g"
    )
    assert urls.split("http://[::1]/") == urls.Parts("http", None, "[::1]", None, "/", None, None)
    assert urls.split("file:///etc/passwd").scheme == urls.host("file:///etc/passwd") == ""


@pytest.mark.parametrize(
    ("url", "directory"),
    [
        ("https://example.com/catalog/sitemap.xml", "https://example.com/catalog/"),
        ("https://example.com/catalog/", "https://example.com/catalog/"),
        ("https://example.com/index.php?route=path/sitemap", "https://example.com/"),
        ("https://example.com/a/#/b/c", "https://example.com/a/"),
        ("https://u:p@example.com:8443/a%20b/s.xml", "https://example.com:8443/a%20b/"),
    ],
)
def test_directory_ends_at_the_last_slash_of_the_path(url: str, directory: str) -> None:
    assert urls.directory(url) == directory


def test_origin_and_fragment() -> None:
    assert urls.origin("https://u:p@example.com:8443/a") == "https://example.com:8443"
    assert urls.without_fragment("https://example.com/?a#b#c") == "https://example.com/?a"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:secret@example.com/a@b", "https://***@example.com/a@b"),
        ("https://a@b@example.com/", "https://***@example.com/"),
        ("https://example.com/@user//x@y", "https://example.com/@user//x@y"),
        ("https://example.com?a=b@c", "https://example.com?a=b@c"),
    ],
)
def test_userinfo_is_masked(url: str, shown: str) -> None:
    assert urls.masked(url) == shown


def test_www_twins_are_one_site() -> None:
    assert hosts.same_site("example.com", "www.example.com")
    assert hosts.same_site("www.example.com", "example.com")
    assert not hosts.same_site("example.com", "blog.example.com")
