"""What notebooks show: of values that are there, nothing raw in it, and nothing read for it."""

from __future__ import annotations

import asyncio
import re
import xml.etree.ElementTree as ElementTree
from datetime import UTC, datetime
from pathlib import Path

import pytest

import sitemapreader as sr
from sitemapreader.display import histogram

ROOT = Path(__file__).resolve().parent.parent
SITES = ROOT / "testdata" / "sites"
BROKEN = ROOT / "testdata" / "cli" / "sites"
PAGE = "https://a.example/"
EVIL = "<script>alert(1)</script>\u202e\x1b[31m'\"&"


def tree_of(html: str) -> ElementTree.Element:
    """The HTML as XML, which it is: whoever breaks out of a text or an attribute breaks this."""
    return ElementTree.fromstring(f"<div>{html.replace('<br>', '<br/>')}</div>")


def texts(html: str) -> str:
    return " ".join(tree_of(html).itertext())


def test_report_shows_verdict_tree_and_months() -> None:
    list(reading := sr.read("shop.example", client=sr.mirror_client(SITES)))
    html = reading.report._repr_html_()
    assert "complete : 1,966 entries from 16 documents" in texts(html)
    rows = tree_of(html).findall("table/tr")
    assert len(rows) == 17
    indents = [float(re.findall(r"padding-left:([\d.]+)em", row[0].get("style") or "")[0]) for row in rows[1:]]
    assert indents[:4] == [0.5, 2.0, 3.5, 3.5]
    bars = tree_of(html).findall(".//{http://www.w3.org/2000/svg}rect")
    assert "2026-03: 26" in [bar[0].text for bar in bars]


def test_report_shows_what_failed() -> None:
    reading = sr.read("broken.example", client=sr.mirror_client(BROKEN))
    assert len(list(reading)) == 7
    shown = texts(reading.report._repr_html_())
    for word in ("not complete", "absent", "truncated", "blocked", "not-a-sitemap"):
        assert word in shown


def test_months_of_the_report_are_those_of_the_entries() -> None:
    reading = sr.read("broken.example", client=sr.mirror_client(BROKEN))
    assert reading.report.months == {}
    list(reading)
    assert reading.report.months == {"2025-12": 1, "2026-01": 2, "2026-02": 1}


def test_months_are_bounded_however_many_days_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemapreader.report.MOST_DAYS", 2)
    list(reading := sr.read("shop.example", client=sr.mirror_client(SITES)))
    assert len(reading.report._days) <= 2
    assert sum(reading.report.months.values()) == 1966 - 430
    assert reading.report.months["2026-03"] == 26


def test_nothing_is_read_for_what_is_shown() -> None:
    reading = sr.read("shop.example", client=sr.mirror_client(SITES))
    assert "being read" not in reading._repr_html_()
    assert (repr(reading), reading.report.sitemaps) == (
        "<Reading of https://shop.example/: <Report not complete, 0 entries from 0 documents>>",
        [],
    )
    chunks = iter([b"<urlset><url><loc>https://a.example/1</loc></url></urlset>"])
    sitemap = sr.parse(chunks, f"{PAGE}sitemap.xml")
    assert f"{PAGE}sitemap.xml" in texts(sitemap._repr_html_())
    assert len(list(sitemap)) == 1
    assert next(chunks, None) is None


def test_head_takes_the_first_and_leaves_the_rest() -> None:
    with sr.read("shop.example", client=sr.mirror_client(SITES)) as reading:
        first = reading.head(3)
        assert [len(first), len(reading.head()), len(list(reading))] == [3, 5, 1958]
    body = (SITES / "shop.example" / "robots.txt").read_bytes()
    sitemap = sr.parse(body, "https://shop.example/robots.txt")
    assert [type(item) for item in sitemap.head(1)] == [sr.SitemapRef]
    assert len(list(sitemap)) == 1


def test_head_works_where_an_event_loop_runs() -> None:
    async def notebook() -> list[sr.Entry]:
        with sr.read("shop.example", client=sr.mirror_client(SITES)) as reading:
            return reading.head(2)

    assert len(asyncio.run(notebook())) == 2


def test_entry_shows_its_fields_and_nothing_raw() -> None:
    image = sr.Image(f"{PAGE}i.png", title=EVIL)
    entry = sr.Entry(PAGE, lastmod=datetime(2026, 1, 1, tzinfo=UTC), extensions=(image,), lastmod_text=EVIL)
    html = entry._repr_html_()
    assert "<script" not in html
    assert "\u202e" not in html
    assert "\x1b" not in html
    assert "<script>alert(1)</script>\\u202e\\u001b[31m'\"&" in texts(html)
    assert "2026-01-01T00:00:00+00:00" in texts(html)


def test_repr_of_an_entry_is_short_and_says_what_is_there() -> None:
    links = (sr.Alternate("de", PAGE), sr.Alternate("en", PAGE), sr.Image(f"{PAGE}i.png"))
    date = datetime(2026, 1, 1, tzinfo=UTC)
    entry = sr.Entry(PAGE, date, sr.ChangeFreq.DAILY, 0.5, links, f"{PAGE}s.xml", "2026-01-01")
    expected = "lastmod='2026-01-01', changefreq='daily', priority=0.5, alternates=2, images=1"
    assert repr(entry) == f"Entry('https://a.example/', {expected})"
    assert repr(sr.Entry(PAGE)) == "Entry('https://a.example/')"


def test_documents_beyond_a_number_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemapreader.display.MOST_ROWS", 3)
    list(reading := sr.read("shop.example", client=sr.mirror_client(SITES)))
    html = reading.report._repr_html_()
    assert len(tree_of(html).findall("table/tr")) == 4
    assert "13 documents more" in texts(html)


def test_bar_of_something_is_seen_and_that_of_nothing_is_not() -> None:
    bars = tree_of(histogram([("a", 10_000), ("b", 1), ("c", 0)])).findall(".//{http://www.w3.org/2000/svg}rect")
    assert [bar.get("height") for bar in bars] == ["120.0", "1.0", "0.0"]
    assert histogram([]) == ""
