"""Hostile files cost what docs/security.md promises at most, and each guard that sees to it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from hostile.cases import CASES
from hostile.guards import GUARDS, Guard
from hostile.run import PAGE, Result, run

pytestmark = pytest.mark.slow
Arguments = tuple[str, ...]
"""The case, and the guards to turn off."""
REACHABLE = [guard for guard in GUARDS if guard.case]


@pytest.fixture(scope="module")
def runs(request: pytest.FixtureRequest) -> Iterator[dict[Arguments, Future[Result]]]:
    """What is asked for in this module, two at a time."""
    specs = [getattr(item, "callspec", None) for item in request.session.items if item.path == request.path]
    asked = [spec.params["arguments"] for spec in specs if spec and "arguments" in spec.params]
    with ThreadPoolExecutor(max_workers=2) as pool:
        yield {arguments: pool.submit(run, *arguments) for arguments in asked}
        pool.shutdown(cancel_futures=True)


def without(guard: Guard) -> Arguments:
    return (guard.case, *filter(None, (guard.behind,)), guard.name)


@pytest.mark.parametrize("arguments", [(name,) for name in CASES], ids=list(CASES))
def test_hostile_file_keeps_its_promises(arguments: Arguments, runs: dict[Arguments, Future[Result]]) -> None:
    assert runs[arguments].result()["problems"] == []


@pytest.mark.parametrize("arguments", [without(guard) for guard in REACHABLE], ids=[guard.name for guard in REACHABLE])
def test_each_guard_is_needed(arguments: Arguments, runs: dict[Arguments, Future[Result]]) -> None:
    assert runs[arguments].result()["problems"] != []


@pytest.mark.parametrize("arguments", [without(guard)[:-1] for guard in REACHABLE if guard.behind], ids=str)
def test_a_guard_behind_another_holds_alone(arguments: Arguments, runs: dict[Arguments, Future[Result]]) -> None:
    assert runs[arguments].result()["problems"] == []


def test_page_has_each_case() -> None:
    rows = {line.split("|")[1].strip() for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")}
    assert set(CASES) <= rows
