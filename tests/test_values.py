"""Strings to values: the table of date forms, numbers and words; nothing raises, nothing is guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitemapreader import values
from sitemapreader.diagnostics import Code
from sitemapreader.model import ChangeFreq, precision

INVALID, NONSTANDARD = Code.LASTMOD_INVALID, Code.LASTMOD_NONSTANDARD
ARABIC = "".join(chr(0x660 + int(c)) if c.isdigit() else c for c in "2024-05-01")

UNDERSTOOD = [
    # as written, the moment in UTC, how exact, the code in a sitemap, the code in a feed
    ("2024", "2024-01-01T00:00", "year", None, None),
    ("2024-05", "2024-05-01T00:00", "month", None, None),
    ("2023-03-30", "2023-03-30T00:00", "day", None, None),
    ("2024-02-29", "2024-02-29T00:00", "day", None, None),
    ("1970-01-01", "1970-01-01T00:00", "day", None, None),
    ("0001-01-01T00:00:00Z", "0001-01-01T00:00", "second", None, None),
    ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59", "second", None, None),
    ("2015-12-22T05:31-01:00", "2015-12-22T06:31", "minute", None, None),
    ("2014-06-03T10:30Z", "2014-06-03T10:30", "minute", None, None),
    ("2004-12-23T18:00:15+00:00", "2004-12-23T18:00:15", "second", None, None),
    ("2004-12-23t18:00:15z", "2004-12-23T18:00:15", "second", None, None),
    ("2004-12-23T18:00:15-00:00", "2004-12-23T18:00:15", "second", None, None),
    ("2024-01-01T00:30:00+05:45", "2023-12-31T18:45", "second", None, None),
    ("2024-05-01T10:00:00.5Z", "2024-05-01T10:00:00.5", "fraction", None, None),
    ("2024-05-01T10:00:00.123456789Z", "2024-05-01T10:00:00.123456", "fraction", None, None),
    ("2024-05-01T10:00:00.999999999+02:00", "2024-05-01T08:00:00.999999", "fraction", None, None),
    ("2024-05-01T12:00:00+0100", "2024-05-01T11:00", "second", NONSTANDARD, NONSTANDARD),
    ("2024-05-01T12:00:00+01", "2024-05-01T11:00", "second", NONSTANDARD, NONSTANDARD),
    ("2024-01-08T00:00:00", "2024-01-08T00:00", "second", NONSTANDARD, NONSTANDARD),
    ("2005-01-01T12:00", "2005-01-01T12:00", "minute", NONSTANDARD, NONSTANDARD),
    ("2016-01-25 15:35:12", "2016-01-25T15:35:12", "second", NONSTANDARD, NONSTANDARD),
    ("2016-01-25 15:35:12 +0200", "2016-01-25T13:35:12", "second", NONSTANDARD, NONSTANDARD),
    ("2016-01-25 15:35:12 UTC", "2016-01-25T15:35:12", "second", NONSTANDARD, NONSTANDARD),
    ("2016-01-25 15:35", "2016-01-25T15:35", "minute", NONSTANDARD, NONSTANDARD),
    ("2024-05-08 08:53:11 AM", "2024-05-08T08:53:11", "second", NONSTANDARD, NONSTANDARD),
    ("2024-05-08 08:53:11 PM", "2024-05-08T20:53:11", "second", NONSTANDARD, NONSTANDARD),
    ("2024-05-08 12:53:11 am", "2024-05-08T00:53:11", "second", NONSTANDARD, NONSTANDARD),
    ("2024-05-08 12:53:11 PM", "2024-05-08T12:53:11", "second", NONSTANDARD, NONSTANDARD),
    ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59", "second", NONSTANDARD, NONSTANDARD),
    ("2024-05-01T24:00:00+00:00", "2024-05-02T00:00", "second", NONSTANDARD, NONSTANDARD),
    ("2024-12-31T24:00Z", "2025-01-01T00:00", "minute", NONSTANDARD, NONSTANDARD),
    ("2005-01-01T12:00:00,5Z", "2005-01-01T12:00:00.5", "fraction", NONSTANDARD, NONSTANDARD),
    ("9999-12-31T24:00:00+01:00", "9999-12-31T23:00", "second", NONSTANDARD, NONSTANDARD),
    # RFC 822: what a feed asks for, and what it is nearly
    ("Wed, 01 May 2024 10:00:00 GMT", "2024-05-01T10:00", "second", NONSTANDARD, None),
    ("Thu, 05 Jan 2017 13:34:51 +0100", "2017-01-05T12:34:51", "second", NONSTANDARD, None),
    ("05 Jan 2017 11:34:52 -0100", "2017-01-05T12:34:52", "second", NONSTANDARD, None),
    ("Thu, 05 Jan 17 12:34:54 GMT", "2017-01-05T12:34:54", "second", NONSTANDARD, None),
    ("05 Jan 49 12:34:53 GMT", "2049-01-05T12:34:53", "second", NONSTANDARD, None),
    ("05 Jan 50 12:34:53 GMT", "1950-01-05T12:34:53", "second", NONSTANDARD, None),
    ("Mon, 05 Jan 2017 12:34:50 GMT", "2017-01-05T12:34:50", "second", NONSTANDARD, None),
    ("Don, 05 Jan 2017 12:34:50 GMT", "2017-01-05T12:34:50", "second", NONSTANDARD, None),
    ("mi\xe9., 05 Jan 2017 12:34:50 GMT", "2017-01-05T12:34:50", "second", NONSTANDARD, None),
    ("\u6728, 05 Jan 2017 12:34:50 GMT", "2017-01-05T12:34:50", "second", NONSTANDARD, None),
    ("Thursday, 05 January 2017 12:34:50 GMT", "2017-01-05T12:34:50", "second", NONSTANDARD, None),
    ("Thu 5 SEPT 2017 12:34:50 GMT", "2017-09-05T12:34:50", "second", NONSTANDARD, None),
    ("Thursday, 05-Jan-17 12:34:50 GMT", "2017-01-05T12:34:50", "second", NONSTANDARD, None),
    ("Thu, 5 Jan 2017 12:34 UT", "2017-01-05T12:34", "minute", NONSTANDARD, None),
    ("Thu, 5 Jan 2017 12:34:50 Z", "2017-01-05T12:34:50", "second", NONSTANDARD, None),
    ("Thu, 05 Jan 2017 12:34:50 EST", "2017-01-05T17:34:50", "second", NONSTANDARD, None),
    ("Thu, 05 Jan 2017 12:34:50 PDT", "2017-01-05T19:34:50", "second", NONSTANDARD, None),
    ("Thu, 05 Jan 2017 12:34:50 +01:00", "2017-01-05T11:34:50", "second", NONSTANDARD, None),
    ("Thu, 05 Jan 2017 12:34:50 GMT+0100", "2017-01-05T11:34:50", "second", NONSTANDARD, None),
    ("Thu, 05 Jan 2017 12:34:50 +0100 (CET: Berlin)", "2017-01-05T11:34:50", "second", NONSTANDARD, None),
    ("Thu, 05 Jan 2017 12:34:50 CEST", "2017-01-05T12:34:50", "second", NONSTANDARD, NONSTANDARD),
    ("Thu, 05 Jan 2017 03:34:50 PMDT", "2017-01-05T03:34:50", "second", NONSTANDARD, NONSTANDARD),
    ("Thu, 05 Jan 2017 12:34:50", "2017-01-05T12:34:50", "second", NONSTANDARD, NONSTANDARD),
    ("Thu, 05 Jan 2017 01:34:50 PM", "2017-01-05T13:34:50", "second", NONSTANDARD, NONSTANDARD),
    ("5 May 2017", "2017-05-05T00:00", "day", NONSTANDARD, NONSTANDARD),
]

NOT_UNDERSTOOD = [
    *("", "2024-1-29", "05-01-01", "20050101", "2005/01/01", "01-02-2005", "03/04/2024", "20240501T100000Z"),
    *("2005-W01-1", "2024-W01", "2005-001", "2005-01-01T12Z", "2005-01-01x12:00:00", "2005-01-01_12:00:00Z"),
    *("2024-02-30", "2023-02-29", "2005-13-01", "2005-00", "0000-00-00T00:00:00+00:00", "0000", "-2005-01-01"),
    *("+2005-01-01", "2005-01-01T112:13:04", "2005-01-01T25:00:00Z", "2005-01-01T24:00:01Z", "2005-01-01T12:60:00Z"),
    *("2005-01-01T12:00:61Z", "2005-01-01T12:00:00.Z", "2005-01-01T12:00.5Z", "2005-01-01T1:00:00Z"),
    *("null", "now", "Invalid date", "not-a-date", "2024-05-01T10:00:00Z[UTC]", "2024-05-01T10:00:00ZZ"),
    *("2015-10-08T07:18:53Z 2015-06-15T15:33:55Z", "2024-05-01 2024-05-02", "1" * 100_000),
    *("2024-05-01T10:00:00." + "1" * 100_000 + "Z", ARABIC, ARABIC + "T10:00:00Z", "2024-05-01T1\u0660:00:00Z"),
    *("2005-01-01T12:00:00+24:00", "2005-01-01T12:00:00-99:00", "2005-01-01T12:00:00+01:60", "2024-05-01T10:00:00+"),
    *("2005-01-01T12:00:00 +2400", "2005-01-01T12:00:00+01:00:30", "2024-05-01T10:00:00\x00Z", "2024-05-01\n"),
    *("0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "9999-12-31T24:00:00Z", "0001-01-01T00:00:00+0100"),
    *("2024-05-08 13:53:11 PM", "2024-05-08 00:53:11 AM", "2024-05-08 08:53:11 XM", "2024-05-01T10:00:00 CEST"),
    *("Thu, 05 Foo 2017 12:34:50 GMT", "Thu, 35 Jan 2017 12:34:50 GMT", "Thu, 05 Jan 2017 12:34:50 +2400"),
    *("Thu, 30 Feb 2017 12:34:50 GMT", "Thu, 05 Jan 2017 25:34:50 GMT", "05 Jan 12017 12:34:50 GMT", "May 2024"),
    *("Jan 05 2017", "05 Enero 2017, 10:00am", "http://example.com", "{{ site.time | date_to_xmlschema }}"),
]


@pytest.mark.parametrize(("written", "moment", "exact", "code", "feed_code"), UNDERSTOOD)
def test_a_date_that_names_a_moment_is_that_moment_in_utc(
    written: str, moment: str, exact: str, code: Code | None, feed_code: Code | None
) -> None:
    expected = datetime.fromisoformat(moment).replace(tzinfo=UTC)
    assert values.lastmod(written) == (expected, code)
    assert values.feed_date(written) == (expected, feed_code)
    assert precision(written) == exact


@pytest.mark.parametrize("written", NOT_UNDERSTOOD, ids=lambda written: ascii(written[:40]))
def test_a_date_that_is_impossible_or_ambiguous_is_none(written: str) -> None:
    assert values.lastmod(written) == (None, INVALID)
    assert values.feed_date(written) == (None, INVALID)


@pytest.mark.parametrize("read", [values.lastmod, values.feed_date])
@pytest.mark.parametrize("pattern", ["1", "2024-05-01 ", "(", "a ", " ", "1 a ", ",", "-", "a, ", "1 May 24 1:00 "])
def test_a_huge_text_is_refused(read: Callable[[str], values.Reading], pattern: str) -> None:
    for length in (99, 100, 100_000):
        assert read((pattern * length)[:length]) == (None, INVALID)


BULK = [(values.lastmods, values.lastmod), (values.feed_dates, values.feed_date)]


@pytest.mark.parametrize(("many", "one"), BULK)
def test_dates_by_the_hundred_are_those_that_each_names(
    many: Callable[[list[str]], list[datetime | None] | None], one: Callable[[str], values.Reading]
) -> None:
    read = 0
    for written in [row[0] for row in UNDERSTOOD] + NOT_UNDERSTOOD[1:]:
        moments = many([written, "", written])
        if moments is not None:  # else they are read one by one
            read += 1
            assert [(moment, None) for moment in moments] == [one(written), (None, None), one(written)]
    assert read > 10


# Of the usual form no more than the kinds of characters and the length are looked at before fromisoformat, which takes
# many others: so here are all of that length.
DIGITS = ("0000000000", "1111111111", "2010120110", "1012021010", "0120101201", "2024010100")


@pytest.mark.parametrize("digits", DIGITS)
def test_no_date_of_the_usual_length_is_read_by_the_hundred_that_means_something_else(digits: str) -> None:
    def all_of(separator: str, length: int) -> Iterator[str]:
        for marks in product((False, True), repeat=length):
            yield "".join(separator if is_mark else digit for is_mark, digit in zip(marks, digits, strict=False))

    written = [*all_of("-", 10), *(f"2024-05-06T{time}{zone}" for time in all_of(":", 8) for zone in ("Z", "+00:00"))]
    read = 0
    for text in written:
        moments = values.lastmods([text])
        if moments is not None:
            read += 1
            assert (moments[0], None) == values.lastmod(text)
    assert read <= 3


@pytest.mark.parametrize("text", ["2024-05-06T24:00:00Z", "2024-05-06T24:00:00+00:00", "2024-05-06T10:00:00+05:75"])
def test_what_some_versions_of_python_take_for_a_date_is_looked_at_closely(text: str) -> None:
    assert values.lastmods([text]) is None


def test_the_dates_of_a_feed_are_read_by_the_hundred() -> None:
    written = ["Sat, 25 Jan 2025 12:26:56 +0000", "", "5 May 2024 01:02:03 GMT", "Mon, 01 Dec 2025 00:30:00 +0130"]
    assert values.feed_dates(written) == [
        datetime(2025, 1, 25, 12, 26, 56, tzinfo=UTC),
        None,
        datetime(2024, 5, 5, 1, 2, 3, tzinfo=UTC),
        datetime(2025, 11, 30, 23, 0, tzinfo=UTC),
    ]
    assert values.feed_dates(["2025-01-25", "2025-01-25T12:00:00Z"]) == [
        datetime(2025, 1, 25, tzinfo=UTC),
        datetime(2025, 1, 25, 12, tzinfo=UTC),
    ]


DATELIKE = st.one_of(
    st.text(),
    st.text(alphabet="0123456789-:+.,TtZz APMapm", max_size=40),
    st.builds(
        "{:04d}-{:02d}-{:02d}{}{:02d}:{:02d}{}{}".format,
        *(st.integers(0, 9999), st.integers(0, 13), st.integers(0, 32), st.sampled_from("Tt x")),
        *(st.integers(0, 25), st.integers(0, 61), st.sampled_from(["", ":00", ":60", ":61", ":00.5", ":00,1234567"])),
        st.sampled_from(["", "Z", "z", "+00:00", "-23:59", "+23:59", "+24:00", "+0100", " -05", " AM", " PM", " UTC"]),
    ),
    st.builds(
        "{} {} {} {} {:02d}:{:02d} {}".format,
        *(st.sampled_from(["Mon,", "x,", ""]), st.integers(0, 32), st.sampled_from(["Jan", "Februar", "December"])),
        *(st.integers(0, 10000), st.integers(0, 25), st.integers(0, 61), st.sampled_from(["GMT", "+2359", "XYZ", ""])),
    ),
)


@given(DATELIKE)
def test_no_text_makes_date_reading_raise_and_every_moment_is_in_utc(text: str) -> None:
    for read in (values.lastmod, values.feed_date):
        moment, code = read(text)
        assert (moment is None) == (code is INVALID)
        assert moment is None or moment.tzinfo is UTC
        assert code in (None, INVALID, NONSTANDARD)


@given(st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 12, 31)), st.integers(-1439, 1439))
def test_every_iso_date_with_zone_is_read_back_as_the_same_moment(naive: datetime, minutes: int) -> None:
    moment = naive.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert values.lastmod(moment.isoformat()) == (moment, None)


@given(st.dates())
def test_every_day_is_read_back_as_its_midnight(day: object) -> None:
    assert values.lastmod(str(day)) == (datetime.fromisoformat(str(day)).replace(tzinfo=UTC), None)


@pytest.mark.parametrize("freq", list(ChangeFreq))
def test_each_changefreq_is_matched_in_any_case(freq: ChangeFreq) -> None:
    for text in (freq.value, freq.value.upper(), f" {freq.value.title()}\n"):
        assert values.changefreq(text) is freq


@pytest.mark.parametrize(
    "text", ["", "biweekly", "mothly", "dayly", "annually", "weekly,daily", "every day", "wee\u212aly", "daily" * 1000]
)
def test_any_other_changefreq_is_none(text: str) -> None:
    assert values.changefreq(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0.0), ("1", 1.0), ("1.", 1.0), (".5", 0.5), ("0.50", 0.5), (" 0.8 ", 0.8), ("1.000", 1.0), ("-0", 0.0)],
)
def test_a_plain_decimal_up_to_one_is_a_priority(text: str, value: float) -> None:
    assert values.priority(text) == value
    assert str(values.priority(text)) == str(value)


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", "NaN", "inf", "-Infinity", "1e-1", "0x1p-1", "1d", "80%", "high", "0,8", "1.1", "-0.1", "0_1"),
        *("1.5", "0.5 0.6", "\u0660.\u0665", "--1", "0." + "1" * 100_000),
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_any_other_priority_is_none(text: str) -> None:
    assert values.priority(text) is None


@pytest.mark.parametrize(
    ("text", "low", "high", "value"),
    [
        *(("0", 0, None, 0), ("007", 0, None, 7), (" 12 ", 0, None, 12), ("-3", None, None, -3), ("+3", 0, 3, 3)),
        *(("-1", 0, None, None), ("4", 0, 3, None), ("1.0", 0, None, None), ("1_000", 0, None, None)),
        *(("12,345", 0, None, None), ("\u0661", 0, None, None), ("1" * 5000, 0, None, None), ("", 0, None, None)),
    ],
)
def test_a_whole_number_within_bounds_is_an_integer(
    text: str, low: int | None, high: int | None, value: int | None
) -> None:
    assert values.integer(text, low=low, high=high) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("yes", True), ("YES", True), (" True ", True), ("1", True), ("no", False), ("False", False), ("0", False)),
        *(("", None), ("maybe", None), ("yes no", None), ("ye\u017f", None)),
    ],
)
def test_yes_and_no_are_answers_and_nothing_else_is(text: str, value: bool | None) -> None:
    assert values.yes_no(text) is value


@given(st.one_of(st.text(), st.text(alphabet="0123456789.+-eE_", max_size=30)))
@example("0\x1f")  # white space to str.strip, not to float
def test_no_text_makes_numbers_or_words_raise(text: str) -> None:
    priority = values.priority(text)
    assert priority is None or 0.0 <= priority <= 1.0
    assert values.decimal(text) is None or text.strip().isascii()
    assert isinstance(values.integer(text), int | None)
    assert values.changefreq(text) in (None, *ChangeFreq)
    assert values.yes_no(text) in (None, True, False)
