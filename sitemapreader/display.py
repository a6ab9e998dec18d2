"""Pictures of what was read, for notebooks: HTML and SVG of values that are there; nothing is fetched for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .report import Branch, Report

# What a terminal obeys or a reader cannot see.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
MOST_ROWS = 500
"""Documents of a report, or values of a list, that are shown."""
WIDTH, HEIGHT = 720, 120
"""Pixels of a histogram."""

Bars = list[tuple[str, int]]


def months(counts: Mapping[str, int], most: int = 24) -> Bars:
    """A bar for each of the last `most` months, also for those without entries; what lies outside is put together.

    `counts` is by ``2026-03``. The few dates that lie far in the future do not push the others out: the last month is
    the first that leaves no more than one entry in a hundred behind it.
    """
    if not counts:
        return []
    dates = sorted(counts)
    total, passed = sum(counts.values()), 0
    end = _number(dates[-1])
    for month in dates:
        passed += counts[month]
        if passed * 100 >= total * 99:
            end = _number(month)
            break
    start = next(number for number in map(_number, dates) if number > end - most)
    before = sum(number for month, number in counts.items() if _number(month) < start)
    after = sum(number for month, number in counts.items() if _number(month) > end)
    bars = [(_month(at), counts.get(_month(at), 0)) for at in range(start, end + 1)]
    first, last = bars[0][0], bars[-1][0]
    earlier, later = (f"before {first}", before), (f"after {last}", after)
    return [*([earlier] if before else []), *bars, *([later] if after else [])]


def _number(month: str) -> int:
    year, _, of_year = month.partition("-")
    return int(year) * 12 + int(of_year) - 1


def _month(number: int) -> str:
    return f"{number // 12:04}-{number % 12 + 1:02}"


# ------------------------------------------------------------------------------------------------------- text
def seen(text: str) -> str:
    """`text` with escapes, as JSON spells them, for what a terminal obeys or nobody sees."""
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _text(value: object) -> str:
    text = seen(str(value))
    import html  # with its table of names for characters, for notebooks only

    return html.escape(text if len(text) <= 500 else f"{text[:497]}...")


def short(record: Any) -> str:
    """An entry in a line: its loc, and what else it says, extensions by number."""
    values = record.to_dict()
    shown = {"lastmod": values["lastmod_text"], "changefreq": values["changefreq"], "priority": values["priority"]}
    counts = {name: len(value) for name, value in values.items() if isinstance(value, list)}
    said = "".join(f", {name}={value!r}" for name, value in {**shown, **counts}.items() if value is not None)
    return f"{type(record).__name__}({record.loc!r}{said})"


# ------------------------------------------------------------------------------------------------------- HTML
def record(value: Any) -> str:
    """A record as a table of its fields."""
    return _fields(value.to_dict())


def _fields(values: Mapping[str, Any]) -> str:
    rows = (f"<tr><th style='text-align:left'>{_text(name)}</th>{_cell(value)}</tr>" for name, value in values.items())
    return f"<table>{''.join(rows)}</table>"


def _cell(value: Any) -> str:
    return f"<td style='text-align:left'>{_inner(value)}</td>"


def _inner(value: Any) -> str:
    if isinstance(value, Mapping):
        return _fields(value)
    if isinstance(value, list):
        more = f"<br>{len(value) - MOST_ROWS:,} more" if len(value) > MOST_ROWS else ""
        return "<br>".join(map(_inner, value[:MOST_ROWS])) + more
    return "" if value is None else _text(value)


def report(value: Report, branches: Iterable[Branch]) -> str:
    """The verdict of a report, its documents as a tree, and a histogram of the months of lastmod."""
    rows = [_document(branch) for branch in branches]
    more = f"<p>{len(rows) - MOST_ROWS:,} documents more</p>" if len(rows) > MOST_ROWS else ""
    head = "".join(f"<th style='text-align:left'>{name}</th>" for name in ("document", "format", "outcome"))
    head += "<th>entries</th><th>sitemaps</th><th>bytes</th>"
    verdict = "complete" if value.complete else "not complete"
    return (
        f"<p><b>{verdict}</b>: {value.entries:,} entries from {len(value.sitemaps):,} documents</p>"
        f"<table><tr>{head}</tr>{''.join(rows[:MOST_ROWS])}</table>{more}{histogram(months(value.months))}"
    )


def _document(branch: Branch) -> str:
    row, indent = branch.row, 1.5 * (len(branch.lasts) - 1)
    outcome = "being read" if row.outcome is None else row.outcome.value
    if row.outcome is not None and not row.complete and row.outcome.value == "ok":
        outcome = "not complete"
    colour = "" if row.complete or row.outcome is None else ";color:#c00"
    return (
        f"<tr><td style='text-align:left;padding-left:{indent + 0.5}em'>{_text(row.requested)}</td>"
        f"<td style='text-align:left'>{_text(row.format.value if row.format else '')}</td>"
        f"<td style='text-align:left{colour}'>{_text(outcome)}</td>"
        f"<td>{row.entries:,}</td><td>{row.refs:,}</td><td>{row.bytes:,}</td></tr>"
    )


def histogram(bars: Bars) -> str:
    """Bars as an inline SVG, which says what each is as a pointer rests on it."""
    if not bars:
        return ""
    highest = max(number for _, number in bars)
    step = WIDTH / len(bars)
    drawn = []
    for at, (name, number) in enumerate(bars):
        height = 0 if not number else max(1, HEIGHT * number / highest)
        place = f"x='{at * step:.1f}' y='{HEIGHT - height:.1f}' width='{step * 0.8:.1f}' height='{height:.1f}'"
        drawn.append(f"<rect {place} fill='#4c78a8'><title>{_text(name)}: {number:,}</title></rect>")
    label = f"<text x='{{}}' y='{HEIGHT + 16}' font-size='12' text-anchor='{{}}'>{{}}</text>"
    ends = label.format(0, "start", _text(bars[0][0])) + label.format(WIDTH, "end", _text(bars[-1][0]))
    return (
        f"<p>lastmod by month, at most {highest:,}</p>"
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{HEIGHT + 20}' fill='currentColor'>"
        f"{''.join(drawn)}{ends}</svg>"
    )
