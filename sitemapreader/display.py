"""Pictures of what was read, for notebooks: HTML and SVG of values that are there; nothing is fetched for them."""

from __future__ import annotations

from collections.abc import Mapping

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
    return [*([("before", before)] if before else []), *bars, *([("after", after)] if after else [])]


def _number(month: str) -> int:
    year, _, of_year = month.partition("-")
    return int(year) * 12 + int(of_year) - 1


def _month(number: int) -> str:
    return f"{number // 12:04}-{number % 12 + 1:02}"
