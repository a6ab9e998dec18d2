"""`check`: each rule has a site that breaks it and no other, and a site that keeps to all of them breaks none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from make_check_cases import BROKEN, GOOD, url, urlset

from sitemapreader import Alternate, Code, Entry, cli
from sitemapreader.audit import RULES, Grade, hreflang
from sitemapreader.audit.entries import look
from sitemapreader.audit.rules import BY_CODE, BY_VALUE

CASES = Path(__file__).parent.parent / "testdata" / "check"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
NO_FAULT = {Code.CROSS_HOST, Code.POLICY_SCOPE, Code.POLICY_FILTER, Code.POLICY_SINCE}
COUNTED = {Code.PROTOCOL_LIMIT}


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
    assert {*BY_CODE} | NO_FAULT | COUNTED == {*Code}
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


def test_sitemap_below_its_pages_is_right_if_robots_names_it_or_its_index(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["check", "https://a.example/maps/pages.xml", "--mirror", str(CASES / "none"), "--json"])
    assert json.loads(capsys.readouterr().out)["findings"] == []


def test_file_has_no_place_and_no_robots(capsys: pytest.CaptureFixture[str]) -> None:
    path = CASES / "none" / "a.example" / "maps" / "pages.xml"
    assert cli.main(["check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []


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
