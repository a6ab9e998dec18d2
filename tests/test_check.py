"""`check`: each rule has a site that breaks it and no other, and a site that keeps to all of them breaks none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from make_check_cases import BROKEN, GOOD, index, url, urlset

from sitemapreader import Alternate, Code, Entry, Policy, Reading, cli, session
from sitemapreader import read as a_reading
from sitemapreader.audit import RULES, Grade, hreflang
from sitemapreader.audit.entries import look
from sitemapreader.audit.rules import BY_CODE, BY_VALUE

CASES = Path(__file__).parent.parent / "testdata" / "check"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
NO_FAULT = {Code.CROSS_HOST, Code.POLICY_SCOPE, Code.POLICY_FILTER, Code.POLICY_SINCE}
IN_THE_REPORT = {Code.PROTOCOL_LIMIT, Code.NOT_A_SITEMAP, Code.EMPTY}


def check(capsys: pytest.CaptureFixture[str], rule: str, *options: str) -> tuple[int, dict[str, object]]:
    code = cli.main(["check", "a.example", "--mirror", str(CASES / rule), "--json", *options])
    return code, json.loads(capsys.readouterr().out)


def test_every_rule_has_a_site_that_breaks_it() -> None:
    assert BROKEN.keys() == RULES.keys()
    assert {path.name for path in CASES.iterdir()} == {*RULES, "none"}


@pytest.mark.parametrize("rule", ["none", *BROKEN])
def test_sites_are_what_the_script_writes(rule: str) -> None:
    home = CASES / rule / "a.example"
    files = {"none": GOOD, **BROKEN}[rule]
    assert {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()} == set(files)
    for name, body in files.items():
        if not name.endswith(".gz"):  # deflate differs from one zlib to the next
            assert (home / name).read_bytes() == (body.encode() if isinstance(body, str) else body), name


@pytest.mark.parametrize("rule", BROKEN)
def test_site_breaks_its_rule_and_no_other(capsys: pytest.CaptureFixture[str], rule: str) -> None:
    code, found = check(capsys, rule)
    findings = found["findings"]
    assert isinstance(findings, list)
    assert [finding["rule"] for finding in findings] == [rule], findings
    assert findings[0]["count"] >= 1
    assert findings[0]["places"][0]["url"].startswith("https://a.example/")
    assert code == (1 if RULES[rule].grade is Grade.ERROR else 0)


def test_good_site_breaks_no_rule(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = check(capsys, "none")
    assert (code, found["findings"], found["add_to_robots"]) == (0, [], [])
    assert (found["entries"], found["documents"], found["complete"]) == (9, 5, True)


def test_every_rule_names_its_source() -> None:
    pages = ("https://www.sitemaps.org/protocol.html", "https://developers.google.com/search/docs/")
    assert [name for name, rule in RULES.items() if not rule.source.startswith(pages)] == []
    assert [name for name, rule in RULES.items() if not rule.asks.endswith(".")] == []


def test_every_diagnostic_speaks_of_a_rule_or_is_no_fault() -> None:
    assert {*BY_CODE} | NO_FAULT | IN_THE_REPORT == {*Code}
    assert {*BY_CODE.values(), *BY_VALUE.values()} <= {*RULES}


@pytest.mark.parametrize(
    ("start", "lines"),
    [
        ("https://a.example/maps/pages.xml", []),  # the index that robots.txt names lists it
        ("https://a.example/index.xml", []),
        ("https://a.example/robots.txt", []),
    ],
)
def test_what_robots_names_or_an_index_of_it_needs_no_line(
    capsys: pytest.CaptureFixture[str], start: str, lines: list[str]
) -> None:
    cli.main(["check", start, "--mirror", str(CASES / "none"), "--json"])
    assert json.loads(capsys.readouterr().out)["add_to_robots"] == lines


@pytest.mark.parametrize("start", ["a.example", "https://a.example/sitemap.xml"])
def test_line_for_robots_is_printed_last(capsys: pytest.CaptureFixture[str], start: str) -> None:
    assert cli.main(["check", start, "--mirror", str(CASES / "robots")]) == 0
    last = capsys.readouterr().out.splitlines()[-2:]
    asked, line = last
    assert asked == "To tell search engines, add to https://a.example/robots.txt:"
    assert line == "Sitemap: https://a.example/sitemap.xml"


def mirror(folder: Path, **files: str) -> str:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return str(folder)


@pytest.mark.parametrize(
    ("robots", "findings"), [("https://a.example/s.xml", []), ("https://b.example/", ["location"])]
)
def test_page_of_another_host_is_right_if_its_robots_names_the_sitemap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], robots: str, findings: list[str]
) -> None:
    pages = urlset(url(), url(loc="https://b.example/1"), url(loc="https://b.example/2"))
    files = {"a_example__robots_txt": "Sitemap: https://a.example/s.xml", "a_example__s_xml": pages}
    sites = mirror(tmp_path, **files, b_example__robots_txt=f"Sitemap: {robots}")
    cli.main(["check", "a.example", "--mirror", sites, "--json"])
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [finding["rule"] for finding in found] == findings
    assert [finding["count"] for finding in found] == [2] * len(findings)


@pytest.mark.parametrize("robots", ["Sitemap: https://cdn.example/s.xml", ""])
def test_sitemap_elsewhere_needs_no_line_if_the_robots_of_its_pages_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], robots: str
) -> None:
    sites = mirror(tmp_path, a_example__robots_txt=robots, cdn_example__s_xml=urlset(url()))
    code = cli.main(["check", "https://cdn.example/s.xml", "--mirror", sites, "--json"])
    found = json.loads(capsys.readouterr().out)
    rules = [finding["rule"] for finding in found["findings"]]
    if robots:
        assert (code, rules, found["add_to_robots"]) == (0, [], [])
    else:
        assert (code, rules) == (1, ["location", "robots"])
        assert found["add_to_robots"] == ["Sitemap: https://cdn.example/s.xml"]


@pytest.mark.parametrize(("robots", "findings"), [("Sitemap: https://a.example/i.xml", []), ("", ["index-location"])])
def test_index_may_list_a_sitemap_of_another_host_whose_robots_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], robots: str, findings: list[str]
) -> None:
    files = {
        "a_example__robots_txt": "Sitemap: https://a.example/i.xml",
        "a_example__i_xml": index("s.xml").replace("a.example", "b.example"),
        "b_example__robots_txt": robots,
        "b_example__s_xml": urlset(url(loc="https://b.example/1")),
    }
    cli.main(["check", "a.example", "--mirror", mirror(tmp_path, **files), "--json"])
    assert [finding["rule"] for finding in json.loads(capsys.readouterr().out)["findings"]] == findings


@pytest.mark.parametrize(
    ("start", "elsewhere", "headers", "block_private"),
    [
        ("a.example", "https://b.example/robots.txt", None, True),
        ("a.example", "http://a.example/robots.txt", None, None),
        ("a.example", "https://a.example/robots.txt", {"cookie": "a=1"}, None),
        ("http://127.0.0.1:1/", "http://10.0.0.1/robots.txt", None, False),
        ("8.8.8.8", "http://10.0.0.1/robots.txt", None, True),
    ],
)
def test_site_that_only_a_sitemap_speaks_of_gets_no_headers_and_no_private_address(
    monkeypatch: pytest.MonkeyPatch, start: str, elsewhere: str, headers: object, block_private: bool | None
) -> None:
    argv = ["check", start, "--header", "Cookie: a=1", "--timeout", "7", "--max-bytes", "5"]
    asked: dict[str, Any] = {}

    def read(url: str, **options: Any) -> Reading:
        asked.update(options)
        return a_reading(BytesIO(b""))

    with session.Session(cli.parser().parse_args(argv), policy=Policy()) as opened:
        opened.open(start)
        monkeypatch.setattr(session, "read", read)
        opened.follow(elsewhere, Policy(), depth=1)
    limits = asked["limits"]
    assert (asked["headers"], limits.block_private) == (headers, block_private)
    assert (limits.timeout, limits.max_bytes, limits.max_depth) == (7, 5, 1)


def test_sitemap_below_its_pages_is_right_if_robots_names_it_or_its_index(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["check", "https://a.example/maps/pages.xml", "--mirror", str(CASES / "none"), "--json"])
    assert json.loads(capsys.readouterr().out)["findings"] == []


def test_file_has_no_place_and_no_robots(capsys: pytest.CaptureFixture[str]) -> None:
    path = CASES / "none" / "a.example" / "maps" / "pages.xml"
    assert cli.main(["check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []


HTML = "<!doctype html><title>Home</title>"


@pytest.mark.parametrize("robots", ["", "# nothing", HTML])
def test_robots_that_names_nothing_is_not_what_is_no_sitemap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], robots: str
) -> None:
    sites = mirror(tmp_path, a_example__robots_txt=robots, a_example__sitemap_xml=urlset(url()))
    assert cli.main(["check", "a.example", "--mirror", sites, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [finding["rule"] for finding in found] == ["robots"]


@pytest.mark.parametrize("robots", ["", "# nothing", HTML])
def test_site_without_a_sitemap_is_not_without_faults(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], robots: str
) -> None:
    assert cli.main(["check", "a.example", "--mirror", mirror(tmp_path, a_example__robots_txt=robots)]) == 3
    out, err = capsys.readouterr()
    assert (out, "no sitemap found" in err) == ("", True)


def test_page_that_links_to_the_sitemap_is_not_taken_for_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = '<!doctype html><link rel="sitemap" href="/s.xml">'
    sites = mirror(tmp_path, a_example__index_html=page, a_example__s_xml=urlset(url()))
    assert cli.main(["check", "a.example", "--mirror", sites, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [finding["rule"] for finding in found] == ["robots"]


@pytest.mark.parametrize("body", ["", HTML])
@pytest.mark.parametrize("start", ["a.example", "https://a.example/sitemap.xml"])
def test_what_is_named_and_is_no_sitemap_is_told_though_it_is_all_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], start: str, body: str
) -> None:
    named = "Sitemap: https://a.example/sitemap.xml"
    sites = mirror(tmp_path, a_example__robots_txt=named, a_example__sitemap_xml=body)
    assert cli.main(["check", start, "--mirror", sites, "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["rule"], finding["count"]) == ("is-sitemap", 1)
    assert finding["places"][0]["url"] == "https://a.example/sitemap.xml"


def test_index_that_lists_itself_lists_an_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    maps = index("sitemap.xml", "pages.xml")
    files = {"a_example__sitemap_xml": maps, "a_example__pages_xml": urlset(url())}
    named = mirror(tmp_path, a_example__robots_txt="Sitemap: https://a.example/sitemap.xml", **files)
    assert cli.main(["check", "a.example", "--mirror", named, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [finding["rule"] for finding in found] == ["index-nesting"]


def test_places_are_bounded_and_all_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "s.xml"
    urls = "".join(f"<url><loc>https://a.example/{n}</loc><priority>2</priority></url>" for n in range(500))
    path.write_text(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>')
    assert cli.main(["check", str(path), "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["count"], len(finding["places"])) == (500, 20)
    assert finding["places"][0]["where"] == "item 1"


@pytest.mark.parametrize(
    "code", ["en", "de-AT", "zh-Hant", "zh-Hans-TW", "x-default", "X-Default", "EN-us", "sr-Latn-RS"]
)
def test_code_of_a_language_is_right(code: str) -> None:
    assert hreflang.fault(code) is None


@pytest.mark.parametrize(
    "code", [None, "", "english", "en_US", "en-UK", "eu-EU", "xx", "us", "de-at-x", "be-NL1", "419"]
)
def test_code_that_is_none_is_a_fault(code: str | None) -> None:
    assert hreflang.fault(code)


def test_links_that_wait_for_the_way_back_are_bounded() -> None:
    returns = hreflang.Returns(most=2)
    for number in range(4):
        page = f"https://a.example/{number}"
        links = (Alternate("en", page), Alternate("de", f"{page}/de"))
        assert returns.add(Entry(page, extensions=links), "entry 1")
    assert (len(list(returns.missing())), returns.dropped) == (2, 2)


def test_page_that_is_listed_again_still_has_the_link_back() -> None:
    links = (Alternate("en", "https://a.example/en"), Alternate("de", "https://a.example/de"))
    english, german = (Entry(link.href, extensions=links) for link in links)
    returns = hreflang.Returns()
    for page, again in ((english, False), (german, False), (english, True), (german, True), (german, True)):
        returns.add(page, "entry 1", again=again)
    assert (list(returns.missing()), returns.dropped) == ([], 0)


def test_page_that_is_listed_again_is_not_judged_once_too_many_have_met() -> None:
    links = (Alternate("en", "https://a.example/en"), Alternate("de", "https://a.example/de"))
    english, german = (Entry(link.href, extensions=links) for link in links)
    returns = hreflang.Returns(met=0)
    for page, again in ((english, False), (german, False), (english, True)):
        returns.add(page, "entry 1", again=again)
    assert (list(returns.missing()), returns.dropped) == ([], 1)


def looks(entry: Entry) -> Iterator[str]:
    return (rule for rule, _ in look(entry, NOW))


def test_today_is_not_the_future_in_any_zone() -> None:
    today = Entry("https://a.example/", lastmod=datetime(2026, 1, 1, 23, 59, tzinfo=UTC), lastmod_text="2026-01-01")
    later = Entry("https://a.example/", lastmod=datetime(2026, 1, 3, tzinfo=UTC), lastmod_text="2026-01-03")
    assert list(looks(today)) == []
    assert list(looks(later)) == ["lastmod-future"]


def test_link_for_another_device_needs_no_language() -> None:
    device = Alternate(None, "https://m.a.example/", media="only screen and (max-width: 640px)")
    assert list(looks(Entry("https://a.example/", extensions=(device,)))) == []


def test_what_readers_forgive_in_a_value_the_protocol_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = "<lastmod>2026-01-01</lastmod><changefreq> daily\n</changefreq><priority>0.5</priority>"
    bad = "<lastmod/><changefreq>Daily</changefreq><priority> </priority>"
    (tmp_path / "sitemap.xml").write_text(urlset(url(good), url(bad, "https://a.example/2")), "utf-8")
    assert cli.main(["check", str(tmp_path / "sitemap.xml"), "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    told = {finding["rule"]: [(place["where"], place["detail"]) for place in finding["places"]] for finding in findings}
    assert told == {
        "lastmod": [("item 2", "empty")],
        "changefreq": [("item 2", "Daily")],
        "priority": [("item 2", "empty")],
    }
