"""Reads each hostile file in a process of its own and says what it cost.

``python tests/hostile/run.py [--only TEXT] [--write]`` prints the table; ``--write`` puts it into docs/security.md.
Exit status 0 only if each case keeps its promises, its seconds included.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from hostile.cases import CASES, SITE, Case  # noqa: E402

PAGE = HERE.parent.parent / "docs" / "security.md"
MARKS = ("<!-- measured by tests/hostile/run.py -->", "<!-- end -->")
MEMORY = 1 << 30
"""Bytes of address space of a process that reads a case."""
PATIENCE = 5
"""Times its seconds, after which a case is ended."""
MAKING = 5
"""Seconds that the making of a file may take beside."""
START = 30
"""Seconds that a process may need beside."""
URL = re.compile(r"https?://[!-~]+")
Result = dict[str, Any]


# ------------------------------------------------------------------------------------------------ in the case's process
class Clock:
    """Processor time that reading takes, without that of making what is read: other load makes no difference."""

    def __init__(self, limit: float) -> None:
        self.making = 0.0
        self._limit = limit
        self._began = time.process_time()

    def chunks(self, made: Iterable[bytes]) -> Iterator[bytes]:
        made = iter(made)
        while True:
            began = time.process_time()
            chunk = next(made, None)
            self.making += time.process_time() - began
            self.check()
            if chunk is None:
                return
            yield chunk

    def check(self) -> None:
        if self.seconds > self._limit:
            raise TimeoutError(f"more than {self._limit:g} s")

    @property
    def seconds(self) -> float:
        return time.process_time() - self._began - self.making


def resident(name: str) -> int:
    """KiB of memory now or at most, where the system tells; else 0."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return 0
    found = re.search(rf"^{name}:\s*(\d+)", status, re.M)
    return int(found[1]) if found else 0


def bound_memory() -> None:
    """Set the limit of memory, and forget the peak of the imports; not every system can."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        Path("/proc/self/clear_refs").write_text("5")
    except (ImportError, OSError, ValueError):
        return


def watch(seen: list[str]) -> None:
    """Note what a reader of bytes has no business with, and forbid it."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        opened = event == "open" and str(arguments[0]).startswith("/etc/passwd")
        if opened or event in {"socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system"}:
            seen.append(f"{event} {arguments[0]}")
            raise PermissionError(event)

    sys.addaudithook(hook)


def read_case(case: Case) -> Result:
    """Read the case's file; whatever is raised is part of the result."""
    import sitemapreader  # noqa: F401 - it is no part of what a file costs

    found: Result = {"items": 0, "outcome": None, "complete": None, "codes": [], "problems": []}
    gc.collect()
    bound_memory()
    before = resident("VmRSS")
    watch(found["problems"])
    faulthandler.dump_traceback_later(PATIENCE * case.seconds + MAKING, exit=True)
    clock = Clock(PATIENCE * case.seconds)
    try:
        consume(case, clock, found)
    except BaseException as error:  # MemoryError and RecursionError are findings like any other
        found["problems"].append(f"{type(error).__name__}: {str(error)[:80]}")
    found["seconds"] = round(clock.seconds, 2)
    faulthandler.cancel_dump_traceback_later()
    found["mib"] = round(max(0, resident("VmHWM") - before) / 1024, 1)
    return found


def consume(case: Case, clock: Clock, found: Result) -> None:
    """Read to the end, keeping nothing."""
    import sitemapreader as sr

    body = clock.chunks(case.make())
    shown = []
    if case.headers:
        walk = sr.Walk(SITE + case.path)
        ref = walk.next()
        source: Iterable[Any] = walk.receive(ref, body, headers=dict(case.headers))
    else:
        source = sr.parse(body, SITE + case.path)
    for item in source:
        found["items"] += 1
        if not URL.fullmatch(item.loc):
            found["problems"].append(f"no URL: {item.loc[:80]!r}")
        if case.forbidden:
            shown.append(item.loc)
        clock.check()
    verdict = walk.report.sitemaps[0] if case.headers else source
    found |= {"outcome": verdict.outcome.name, "complete": verdict.complete}
    found["codes"] = [code.value for code in verdict.counts]
    shown += [text for entry in verdict.diagnostics for text in (entry.detail, str(entry), repr(entry))]
    wanted = [case.forbidden] if case.forbidden.isascii() and case.forbidden.isprintable() else list(case.forbidden)
    found["problems"] += [f"shown: {text!r}" for text in wanted if text and any(text in line for line in shown)]


# -------------------------------------------------------------------------------------------------------- from outside
def problems(case: Case, found: Result) -> list[str]:
    """Which promises are not kept; time is not judged here."""
    broken = list(found["problems"])
    if broken and found.get("outcome") is None:
        return broken
    promise = case.promise
    if found["outcome"] not in promise.outcomes:
        broken.append(f"outcome {found['outcome']}")
    if not promise.least <= found["items"] <= promise.most:
        broken.append(f"{found['items']} items")
    if promise.complete is not None and found["complete"] is not promise.complete:
        broken.append(f"complete is {found['complete']}")
    if found["complete"] and found["outcome"] != "OK":
        broken.append("complete, but not OK")
    broken += [f"no {code}" for code in promise.codes if code not in found["codes"]]
    if found["mib"] > case.mib:
        broken.append(f"{found['mib']} MiB")
    return broken


def start(name: str, *off: str) -> subprocess.Popen[bytes]:
    """Begin to read a case in a process of its own, with some guards turned off."""
    command = [sys.executable, str(HERE / "run.py"), "--case", name, *(f"--off={guard}" for guard in off)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(name: str, process: subprocess.Popen[bytes]) -> Result:
    """What the process that reads the case found; `problems` has what is wrong."""
    case = CASES[name]
    with process:
        try:
            printed, errors = process.communicate(timeout=PATIENCE * case.seconds + START)
        except subprocess.TimeoutExpired:
            process.kill()
            return {"problems": [f"no end within {PATIENCE} times its {case.seconds:g} s"]}
    try:
        found: Result = json.loads(printed)
    except ValueError:
        frames = re.findall(rb'File ".*?(\w+\.py)", line (\d+)', errors)
        where = " at {}:{}".format(*(part.decode() for part in frames[0])) if frames else ""
        return {"problems": [f"ended with status {process.returncode}{where}"]}
    found["problems"] = problems(case, found)
    return found


def table(results: dict[str, Result]) -> str:
    """The results in Markdown, with what is promised beside what was measured."""
    rows = ["| file | outcome | items | diagnostics | s | at most | MiB | at most |", "|" + "---|" * 8]
    for name, found in results.items():
        case = CASES[name]
        codes = ", ".join(found.get("codes", ())) or "none"
        cells = [name, str(found.get("outcome", "-")).lower().replace("_", "-"), f"{found.get('items', 0):,}", codes]
        cells += [f"{found.get('seconds', 0):.2f}", f"{case.seconds:g}", f"{found.get('mib', 0):.0f}", str(case.mib)]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def write(measured: str) -> None:
    """Put the table between the marks of the page."""
    before, rest = PAGE.read_text("utf-8").split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    PAGE.write_text(f"{before}{MARKS[0]}\n\n{measured}\n\n{MARKS[1]}{after}", "utf-8")


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="the cases with this in their name")
    parser.add_argument("--write", action="store_true", help="write the table into docs/security.md")
    parser.add_argument("--case", choices=CASES, help=argparse.SUPPRESS)
    parser.add_argument("--off", action="append", default=[], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        if options.off:
            from hostile.guards import GUARDS

            for guard in GUARDS:
                if guard.name in options.off:
                    guard.off()
        print(json.dumps(read_case(CASES[options.case])))
        return 0
    results = {name: finish(name, start(name)) for name in CASES if options.only in name}
    for name, found in results.items():
        if not found["problems"] and found["seconds"] > CASES[name].seconds:
            found["problems"].append(f"{found['seconds']} s")
    print(table(results))
    broken = {name: found["problems"] for name, found in results.items() if found["problems"]}
    for name, what in broken.items():
        print(f"FAIL {name}: {'; '.join(what)}", file=sys.stderr)
    if options.write and not options.only and not broken:
        write(table(results))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
