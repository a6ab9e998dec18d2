"""Hostile files cost what docs/security.md promises at most, and each guard that sees to it is needed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from hostile.cases import CASES
from hostile.guards import GUARDS, Guard
from hostile.run import PAGE, Result, finish, start

pytestmark = pytest.mark.slow
Arguments = tuple[str, ...]
"""The case, and the guards to turn off."""
REACHABLE = [guard for guard in GUARDS if guard.case]
AT_ONCE = 2
"""Processes."""


class Runs:
    """Runs in the order they are asked for, the next begun before one is waited for.

    One thread starts all processes: where two did, a start once failed with EFAULT, by a kernel's or a libc's fault.
    """

    def __init__(self, ahead: list[Arguments]) -> None:
        self._ahead = ahead
        self._running: dict[Arguments, subprocess.Popen[bytes]] = {}

    def __call__(self, arguments: Arguments) -> Result:
        """What the run with these arguments found."""
        if arguments not in self._running:
            self._begin(arguments)
        while self._ahead and len(self._running) < AT_ONCE:
            self._begin(self._ahead[0])
        return finish(arguments[0], self._running.pop(arguments))

    def close(self) -> None:
        """End what nobody asked for, as after a failure with -x."""
        for process in self._running.values():
            with process:
                process.kill()

    def _begin(self, arguments: Arguments) -> None:
        if arguments in self._ahead:
            self._ahead.remove(arguments)
        self._running[arguments] = start(*arguments)


@pytest.fixture(scope="module")
def runs(request: pytest.FixtureRequest) -> Iterator[Runs]:
    """The runs of this module."""
    specs = [getattr(item, "callspec", None) for item in request.session.items if item.path == request.path]
    runs = Runs([spec.params["arguments"] for spec in specs if spec and "arguments" in spec.params])
    yield runs
    runs.close()


def without(guard: Guard) -> Arguments:
    return (guard.case, *filter(None, (guard.behind,)), guard.name)


@pytest.mark.parametrize("arguments", [(name,) for name in CASES], ids=list(CASES))
def test_hostile_file_keeps_its_promises(arguments: Arguments, runs: Runs) -> None:
    assert runs(arguments)["problems"] == []


@pytest.mark.parametrize("arguments", [without(guard) for guard in REACHABLE], ids=[guard.name for guard in REACHABLE])
def test_each_guard_is_needed(arguments: Arguments, runs: Runs) -> None:
    assert runs(arguments)["problems"] != []


@pytest.mark.parametrize("arguments", [without(guard)[:-1] for guard in REACHABLE if guard.behind], ids=str)
def test_a_guard_behind_another_holds_alone(arguments: Arguments, runs: Runs) -> None:
    assert runs(arguments)["problems"] == []


def test_page_has_each_case() -> None:
    rows = {line.split("|")[1].strip() for line in PAGE.read_text("utf-8").splitlines() if line.startswith("|")}
    assert set(CASES) <= rows
