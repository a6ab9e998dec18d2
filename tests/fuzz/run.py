"""Fuzzes one target with atheris: ``python tests/fuzz/run.py TARGET [--seconds N]``. See the README beside it."""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

import atheris

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
with atheris.instrument_imports(include=["sitemapreader"]):
    from fuzz.properties import Violation
    from fuzz.targets import TARGETS

KEPT = 5
"""Inputs kept of one kind of finding."""
PATIENCE = 8.0
"""Seconds of processor time after which an input counts as one without end."""


class Run:
    """One run: a finding is written down and the run goes on, so that a shallow fault does not hide a deep one."""

    def __init__(self, name: str, *, seconds: int, findings: Path) -> None:
        self.name = name
        self.target = TARGETS[name]
        self.findings = findings
        self.kinds: Counter[str] = Counter()
        self.executions = 0
        self.began = time.monotonic()
        self.ends = self.began + seconds

    def one(self, data: bytes) -> None:
        """What the fuzzer calls."""
        if time.monotonic() > self.ends:
            self.finish()
        self.executions += 1
        signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE, 1)  # again and again, should somebody catch it
        try:
            self.target.check(data)
        except Exception as error:
            self.note(data, error)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def note(self, data: bytes, error: Exception) -> None:
        """Keep the first inputs of each kind of finding, and what was raised."""
        kind = kind_of(error)
        self.kinds[kind] += 1
        if self.kinds[kind] > KEPT:
            return
        path = self.findings / f"{self.name}-{hashlib.sha1(data).hexdigest()[:12]}"
        path.write_bytes(data)
        print(f"FINDING {path}: {kind}\n{traceback.format_exc()[-1500:]}", flush=True)

    def finish(self) -> None:
        """Say how it went, and leave: libFuzzer's own end runs nothing of ours."""
        seconds = time.monotonic() - self.began
        print(f"DONE {self.name}: {self.executions} executions in {seconds:.0f} s, {len(self.kinds)} kinds of finding")
        for kind, number in self.kinds.most_common():
            print(f"  {number} x {kind}")
        sys.stdout.flush()
        os._exit(1 if self.kinds else 0)


def kind_of(error: Exception) -> str:
    """What makes two findings the same: the property, or the exception, the line that raised it and what it says."""
    if isinstance(error, Violation):
        return error.kind
    frame = traceback.extract_tb(error.__traceback__)[-1]
    says = re.split("[:'\"]", str(error))[0].strip()[:60]
    return f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}: {says}"


def give_up(*_: object) -> None:
    """Called when an input has used up its time; SIGALRM, for real time, is libFuzzer's."""
    raise Violation("it ends", f"not within {PATIENCE:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description="Fuzz one target, or run an input again.")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"), help="folder for inputs that fail")
    parser.add_argument("--corpus", type=Path, help="folder to keep what was learnt in; default: a temporary one")
    parser.add_argument("--again", type=Path, help="check the input in this file, without fuzzing")
    given = parser.parse_args()
    target = TARGETS[given.target]
    if given.again:
        target.check(given.again.read_bytes())
        return
    given.findings.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        corpus = given.corpus or Path(folder)
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(target.seeds()):
            (corpus / f"seed-{number:04}").write_bytes(seed)
        run = Run(given.target, seconds=given.seconds, findings=given.findings)
        options = [f"-dict={HERE / 'xml.dict'}", f"-max_len={target.longest}", "-timeout=60", "-rss_limit_mb=2000"]
        options += [f"-artifact_prefix={given.findings}/{given.target}-", "-print_final_stats=1"]
        signal.signal(signal.SIGVTALRM, give_up)
        atheris.Setup([sys.argv[0], str(corpus), *options], run.one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
