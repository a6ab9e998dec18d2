"""Strings to dates, numbers and words: a value comes out, or None where none can be told for certain.

Nothing here raises for any text, guesses, or takes time that grows with a hostile text. Dates follow the W3C profile of
ISO 8601 (https://www.w3.org/TR/NOTE-datetime), which sitemaps.org asks for, and RFC 822, which RSS asks for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from .diagnostics import Code
from .model import ChangeFreq

Reading = tuple[datetime | None, Code | None]
"""An aware moment in UTC, or None; and the code to report, if any."""

_LONGEST = 100
"""No date or number that means something is longer."""

# fromisoformat takes "20050101", week dates, any separator and, from 3.14 on, 24:00: the shape is checked before it.
_W3C = re.compile(
    r"\d{4}-\d\d-\d\d[Tt](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:[0-5]\d)", re.ASCII
)
# The same without what is rare, in lines, and with one way only to match each; first what nearly all write, whose
# numbers are left to fromisoformat.
_UTC_LINES = re.compile(r"(?:[0-9-]{10}(?:T(?!24)[0-9][0-9]:[0-9:]{5}(?:\+00:00|Z)|)\n)++")
_PLAIN_LINES = re.compile(
    r"(?:(?:[0-9]{4}-[0-9][0-9]-[0-9][0-9](?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9}+)?+)?+"
    r"(?:Z|[+-][0-9][0-9]:[0-5][0-9]))?+)?+\n)*+"
)
_RFC822_LINES = re.compile(
    "(?:(?:(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?+[0-9]{1,2}+ (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    " [0-9]{4} (?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9] (?:GMT|[+-](?:[01][0-9]|2[0-3])[0-5][0-9]))?+\n)*+"
)
_CALENDAR = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)

_CLOCK = r":(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?(?:\s*(?P<half>[ap])m\b)?"
_OFFSET = r"[+-]\d\d(?::?[0-5]\d)?"
_NEARLY_W3C = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?:t|\s+)(?P<hour>\d\d)"
    rf"{_CLOCK}(?:\s*(?P<zone>{_OFFSET}|z|utc|gmt))?",
    re.ASCII | re.IGNORECASE,
)
# The weekday is skipped whatever it is, in any language: the date does not need it. RFC 850 put hyphens between.
_RFC822 = re.compile(
    r"(?:[^\d,:]+,\s*|[^\d\s,:]+\s+)?(?P<day>\d\d?)[\s-]+(?P<month>[a-z]+)\.?[\s-]+(?P<year>\d{4}|\d\d)"
    rf"(?:\s+(?P<hour>\d\d?){_CLOCK}"
    rf"(?:\s*(?:gmt|utc)?(?P<zone>{_OFFSET})|\s*(?P<name>[a-z]+))?(?:\s*\([^()]*\))?)?",
    re.ASCII | re.IGNORECASE,
)

# Written out, since the names of the calendar module follow the locale.
_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTHS = {spelling: number for number, name in enumerate(_NAMES, 1) for spelling in (name, name[:3])} | {"sept": 9}
_ISO_MONTHS = {name[:3].capitalize(): f"-{number:02}-" for number, name in enumerate(_NAMES, 1)}
_ZONES = {"ut": 0, "utc": 0, "gmt": 0, "z": 0, "edt": -4, "est": -5, "cdt": -5, "cst": -6, "mdt": -6, "mst": -7}
_ZONES |= {"pdt": -7, "pst": -8}

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_FREQUENCIES = {freq.value: freq for freq in ChangeFreq}
_WRITTEN_FREQUENCIES: dict[str, ChangeFreq | None] = {"": None, **_FREQUENCIES}
_ANSWERS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def lastmod(text: str) -> Reading:
    """The moment a trimmed `text` names; RFC 822 and other certain forms are read, and reported as non-standard."""
    if len(text) <= 10:
        return _short(text)
    moment = _w3c(text)
    if moment is not None:
        return moment, None
    moment = _nearly_w3c(text) or _rfc822(text)[0]
    return moment, Code.LASTMOD_INVALID if moment is None else Code.LASTMOD_NONSTANDARD


def lastmods(texts: Sequence[str]) -> list[datetime | None] | None:
    """The moments of many texts, as `lastmod` has them, None for an empty one; None if one asks for a closer look."""
    lines = "\n".join(texts) + "\n"
    if not (_UTC_LINES.fullmatch(lines) or _PLAIN_LINES.fullmatch(lines)):
        return None
    read = datetime.fromisoformat
    try:
        # Where all have a date, a loop of C reads them.
        found = map(read, texts) if "" not in texts else (read(text) if text else None for text in texts)
        return [moment if moment is None or moment.tzinfo is UTC else _in_utc(moment) for moment in found]
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=4096)
def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def feed_date(text: str) -> Reading:
    """As `lastmod`, for feeds: RFC 822 is as standard as W3C here, so RSS and Atom may use either."""
    moment, proper = _rfc822(text)
    if moment is None:
        return lastmod(text)
    return moment, None if proper else Code.LASTMOD_NONSTANDARD


def feed_dates(texts: Sequence[str]) -> list[datetime | None] | None:
    """As `lastmods`, for feeds: those of a feed are all written in one way, of which there are two."""
    if not _RFC822_LINES.fullmatch("\n".join(texts) + "\n"):
        return lastmods(texts)
    try:
        return [_plain_rfc822(text) if text else None for text in texts]
    except (ValueError, OverflowError):
        return None


def _plain_rfc822(text: str) -> datetime:
    day, month, year, clock, zone = text.split(" ")[-5:]
    moment = datetime.fromisoformat(f"{year}{_ISO_MONTHS[month]}{day:0>2}T{clock}{'Z' if zone == 'GMT' else zone}")
    return moment if moment.tzinfo is UTC else _in_utc(moment)


@lru_cache(maxsize=4096)
def _short(text: str) -> Reading:
    """Dates without a time, cached: a sitemap repeats a few of them for thousands of pages."""
    found = _CALENDAR.fullmatch(text)
    if not found:
        moment = _rfc822(text)[0]
        return moment, Code.LASTMOD_INVALID if moment is None else Code.LASTMOD_NONSTANDARD
    year, month, day = found.groups("1")
    try:
        return datetime(int(year), int(month), int(day), tzinfo=UTC), None
    except ValueError:
        return None, Code.LASTMOD_INVALID


def _w3c(text: str) -> datetime | None:
    if len(text) > _LONGEST or not _W3C.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text.upper())
        return moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _nearly_w3c(text: str) -> datetime | None:
    found = _NEARLY_W3C.fullmatch(text) if len(text) <= _LONGEST else None
    if not found:
        return None
    return _moment(int(found["year"]), int(found["month"]), found, _offset(found["zone"] or ""))


def _rfc822(text: str) -> tuple[datetime | None, bool]:
    """The moment, and whether the date says all that RFC 822 asks for: a time, and a zone that is known."""
    found = _RFC822.fullmatch(text) if len(text) <= _LONGEST else None
    month = _MONTHS.get(found["month"].lower()) if found else None
    if not found or not month:
        return None, False
    year = int(found["year"])
    if len(found["year"]) == 2:  # RFC 5322, 4.3
        year += 2000 if year < 50 else 1900
    zone, hours = found["zone"], _ZONES.get((found["name"] or "").lower())
    offset = _offset(zone) if zone else timedelta(hours=hours or 0)
    proper = bool(found["hour"] and not found["half"]) and (zone is not None or hours is not None)
    return _moment(year, month, found, offset), proper


def _offset(zone: str) -> timedelta | None:
    """``+0100``, ``-05:30`` or ``+01`` as time ahead of UTC, a name or nothing as UTC; None from 24 hours on."""
    if zone[:1] not in ("+", "-"):
        return timedelta()
    digits = zone[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    if offset >= timedelta(days=1):
        return None
    return -offset if zone[0] == "-" else offset


def _moment(year: int, month: int, found: re.Match[str], offset: timedelta | None) -> datetime | None:
    """Date and clock in UTC; 24:00 is the next midnight, a leap second the second before it (datetime has none)."""
    hour, minute, second = int(found["hour"] or 0), int(found["minute"] or 0), int(found["second"] or 0)
    microsecond = int((found["fraction"] or "")[:6].ljust(6, "0"))
    if offset is None or (found["half"] and not 1 <= hour <= 12):
        return None
    if found["half"]:
        hour = hour % 12 + (12 if found["half"] in "pP" else 0)
    midnight = (hour, minute, second, microsecond) == (24, 0, 0, 0)
    hour, second = 0 if midnight else hour, 59 if second == 60 else second
    try:
        written = datetime(year, month, int(found["day"]), hour, minute, second, microsecond, UTC)
        return written + (timedelta(days=midnight) - offset)
    except (ValueError, OverflowError):
        return None


def changefreq(text: str) -> ChangeFreq | None:
    """One of the seven words, whole, in any case; ``weekly,daily`` and ``annually`` are none of them."""
    return _FREQUENCIES.get(text) or _FREQUENCIES.get(_folded(text))


def changefreqs(texts: Sequence[str]) -> list[ChangeFreq | None] | None:
    """Those of many texts, None for an empty one; None if one asks for a closer look."""
    try:
        return list(map(_WRITTEN_FREQUENCIES.__getitem__, texts))
    except KeyError:
        return None


def priorities(texts: Sequence[str]) -> list[float | None] | None:
    """Those of many short texts, None for an empty one; None if one asks for a closer look."""
    known = {text: _priority(text) if len(text) <= _LONGEST else None for text in set(texts)}
    if None in (value for text, value in known.items() if text):
        return None
    return list(map(known.__getitem__, texts))


def priority(text: str) -> float | None:
    """A plain decimal from 0.0 to 1.0."""
    return decimal(text, low=0.0, high=1.0)


_priority = lru_cache(maxsize=4096)(priority)


def decimal(text: str, *, low: float | None = None, high: float | None = None) -> float | None:
    """A plain decimal within the bounds: no exponent, no comma, no NaN, digits of ASCII only."""
    text = text.strip() if len(text) <= _LONGEST else ""  # which takes more for white space than float does
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text) + 0.0  # -0.0 becomes 0.0
    return number if (low is None or low <= number) and (high is None or number <= high) else None


def integer(text: str, *, low: int | None = None, high: int | None = None) -> int | None:
    """A whole number within the bounds, in ASCII digits, with or without a sign."""
    text = text.strip() if len(text) <= _LONGEST else ""
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if (low is None or low <= number) and (high is None or number <= high) else None


def yes_no(text: str) -> bool | None:
    """``yes`` and ``no`` in any case, as Google writes them; also as XML Schema writes booleans."""
    return _ANSWERS.get(_folded(text))


def _folded(text: str) -> str:
    """`text` trimmed and in lower case, if it is ASCII: a Kelvin sign would become a ``k``."""
    text = text.strip() if len(text) <= _LONGEST else ""
    return text.lower() if text.isascii() else ""
