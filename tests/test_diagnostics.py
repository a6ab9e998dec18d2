"""Codes and their documentation, what may reach a terminal, and what the collector keeps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapreader.diagnostics import RULES, Code, Diagnostic, Diagnostics, Outcome, Rule, Severity, printable
from sitemapreader.errors import DiagnosticError, raise_errors

URL = "https://e.example/sitemap.xml"
PAGE = Path(__file__).parent.parent / "docs" / "diagnostics.md"
SECTIONS = dict(re.findall(r"^### `([^`\n]+)`\n+(.*?)(?=^##|\Z)", PAGE.read_text("utf-8"), re.M | re.S))
"""What the page says of each code, by the code."""


def verdict(rule: Rule) -> str:
    """The line the page has for a code with this rule."""
    effect = "the document is not complete" if rule.incomplete else "takes nothing from completeness"
    outcome = f"; outcome `{rule.outcome.value}`" if rule.outcome else ""
    once = "; kept once per document" if rule.once else ""
    return f"*{rule.severity.value}; {effect}{outcome}{once}*"


def test_page_documents_exactly_the_codes_in_their_order() -> None:
    assert list(SECTIONS) == [code.value for code in Code]


@pytest.mark.parametrize("code", Code, ids=lambda code: code.value)
def test_page_gives_the_verdict_of_each_code(code: Code) -> None:
    assert SECTIONS.get(code.value, "").partition("\n")[0] == verdict(RULES[code])


@pytest.mark.parametrize("code", Code, ids=lambda code: code.value)
def test_page_shows_an_input_that_raises_each_code(code: Code) -> None:
    blocks = re.findall(r"^```python\n.*?^```\n\n?```text\n(.*?)^```", SECTIONS.get(code.value, ""), re.M | re.S)
    assert blocks, "no example with its output"
    assert any(code.value in output.replace(",", " ").split() for output in blocks)


def test_every_code_has_one_rule_and_a_kebab_case_value() -> None:
    assert list(RULES) == list(Code)
    assert [code for code in Code if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", code.value)] == []


def test_what_decides_an_outcome_other_than_ok_makes_the_document_incomplete() -> None:
    assert [code for code, rule in RULES.items() if rule.outcome and not rule.incomplete] == []


@given(st.text())
def test_printable_gives_printable_ascii_of_bounded_length(text: str) -> None:
    shown = printable(text)
    assert shown.isascii()
    assert shown.isprintable()
    assert len(shown) <= 200


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=200))
def test_printable_leaves_printable_ascii_alone(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize("text", ["\x1b[2J", "\x9b31m", "a\nb", "\u202ea", "\u2028", "\x7f", "\ud800"])
def test_printable_shows_what_a_terminal_would_obey_as_an_escape(text: str) -> None:
    assert "\\" in printable(text)


def test_printable_ends_a_cut_with_dots() -> None:
    assert printable("x" * 300, 10) == "xxxxxxx..."


def test_diagnostic_shows_severity_code_detail_place_and_document() -> None:
    diagnostic = Diagnostic(Code.MISSING_LOC, URL, "an item without a loc", "item 17")
    assert str(diagnostic) == f"warning: missing-loc: an item without a loc (item 17) in {URL}"
    assert diagnostic.severity is Severity.WARNING
    assert diagnostic.to_dict() == {
        "code": "missing-loc",
        "severity": "warning",
        "url": URL,
        "detail": "an item without a loc",
        "where": "item 17",
    }


def test_diagnostic_is_printable_whatever_the_document_says() -> None:
    report = Diagnostics("https://e.example/\x1b[2J")
    report(Code.VALUE_INVALID, "priority \x1b]0;owned\x07")
    assert str(report.kept[0]).isascii()
    assert str(report.kept[0]).isprintable()


def test_collector_keeps_the_first_and_counts_all() -> None:
    report = Diagnostics(URL, keep=3)
    for number in range(1, 6):
        report(Code.LASTMOD_INVALID, where=f"item {number}")
    assert [diagnostic.where for diagnostic in report.kept] == ["item 1", "item 2", "item 3"]
    assert report.counts == {Code.LASTMOD_INVALID: 5}


def test_collector_keeps_a_notice_once_per_document() -> None:
    report = Diagnostics(URL)
    for _ in range(4):
        report(Code.NAMESPACE)
    assert len(report.kept) == 1
    assert report.counts == {Code.NAMESPACE: 4}


def test_collector_takes_the_outcome_from_the_first_that_decides() -> None:
    report = Diagnostics(URL)
    report(Code.URL_REPAIRED)
    assert (report.outcome, report.incomplete) == (None, False)
    report(Code.TRUNCATED)
    report(Code.COMPRESSION_ERROR)
    assert (report.outcome, report.incomplete) == (Outcome.TRUNCATED, True)


def test_handler_gets_those_that_are_not_kept_too() -> None:
    heard: list[Diagnostic] = []
    report = Diagnostics(URL, keep=0, handler=heard.append)
    report(Code.DUPLICATE_LOC, where="item 1")
    report(Code.DUPLICATE_LOC, where="item 2")
    assert report.kept == []
    assert [diagnostic.where for diagnostic in heard] == ["item 1", "item 2"]


def test_strict_raises_the_first_error_and_no_warning() -> None:
    report = Diagnostics(URL, handler=raise_errors)
    report(Code.EMPTY)
    with pytest.raises(DiagnosticError) as raised:
        report(Code.ENTRY_LOST, "an item that cannot be put right", "item 2")
    assert raised.value.diagnostic == Diagnostic(Code.ENTRY_LOST, URL, "an item that cannot be put right", "item 2")
