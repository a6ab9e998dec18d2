"""Counts over entries, their bounds, and the months that are drawn."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sitemapreader import Alternate, ChangeFreq, Entry, Image, tally
from sitemapreader.display import months
from sitemapreader.seen import Seen
from sitemapreader.tally import OTHERS, Tally

SITE = "https://a.example"


def tallied(*entries: Entry, seen: int = 100) -> Tally:
    result = Tally(seen=seen)
    for entry in entries:
        result.add(entry)
    return result


def test_pages_are_counted_by_the_first_part_of_their_path() -> None:
    paths = ("/", "/about", "/blog/one", "/blog/two/three", "/blog/", "/?q=a/b")
    result = tallied(*(Entry(SITE + path) for path in paths), Entry("https://b.example/blog/one"))
    assert result.sections == {f"{SITE}/": 3, f"{SITE}/blog/": 3, "https://b.example/blog/": 1}


def test_sections_beyond_the_bound_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "MOST_SECTIONS", 2)
    result = tallied(*(Entry(f"{SITE}/{number % 4}/") for number in range(8)))
    assert result.sections == {f"{SITE}/0/": 2, f"{SITE}/1/": 2, OTHERS: 4}


def test_values_are_counted_and_nothing_is_invented() -> None:
    march, may = datetime(2025, 3, 31, 23, tzinfo=UTC), datetime(2025, 5, 1, tzinfo=UTC)
    links = (Alternate("de", SITE), Alternate("en", SITE), Image(f"{SITE}/i.png"))
    result = tallied(
        Entry(f"{SITE}/1", march, ChangeFreq.DAILY, 0.5, links),
        Entry(f"{SITE}/2", may, None, 0.55, links[:1]),
        Entry(f"{SITE}/3"),
    ).to_dict()
    assert result["lastmod"] == {
        "undated": 1,
        "oldest": "2025-03-31T23:00:00+00:00",
        "newest": "2025-05-01T00:00:00+00:00",
        "months": {"2025-03": 1, "2025-05": 1},
    }
    assert result["changefreq"] == {"daily": 1}
    assert sum(result["priority"].values()) == 2
    assert result["extensions"] == {"alternates": {"entries": 2, "items": 3}, "images": {"entries": 1, "items": 1}}


def test_repeats_in_one_sitemap_and_across_are_told_apart() -> None:
    result = tallied(
        Entry(f"{SITE}/1", sitemap="a"),
        Entry(f"{SITE}/1", sitemap="a"),
        Entry(f"{SITE}/1", sitemap="b"),
        Entry(f"{SITE}/2", sitemap="b"),
    )
    assert (result.repeated, result.across, result.uncompared) == (1, 1, 0)


def test_urls_that_are_remembered_are_bounded_and_the_bound_is_told() -> None:
    seen = Seen(most=2)
    assert [seen.add(loc, "s") for loc in "abcab"] == [None, None, None, False, False]
    assert seen.dropped == 1


def test_months_without_entries_have_a_bar_too() -> None:
    assert months({"2025-11": 2, "2026-02": 1}) == [("2025-11", 2), ("2025-12", 0), ("2026-01", 0), ("2026-02", 1)]
    assert months({}) == []


def test_dates_far_off_do_not_push_the_others_out() -> None:
    counts = {"1970-01": 3, "2025-01": 100, "2025-02": 100, "9999-12": 1}
    assert months(counts) == [
        ("before 2025-01", 3),
        ("2025-01", 100),
        ("2025-02", 100),
        ("after 2025-02", 1),
    ]


def test_at_most_so_many_months_are_drawn() -> None:
    counts = {f"{year}-{month:02}": 1 for year in range(2000, 2026) for month in range(1, 13)}
    bars = months(counts, most=12)
    assert len(bars) == 14
    assert sum(number for _, number in bars) == 26 * 12
