"""A farm of hosts on loopback, harvested while workers and drivers are killed: what is lost, there twice, asked again.

``python tests/benchmarks/farm.py [--hosts 200] [--huge 1000000] [--engine dask]``

Every tenth host is hostile: silent, dripping, resetting, a bomb, endless, a loop of redirects, HTML, declarations of
entities, 403, 500. One site has a million pages. Three runs, each checked against the books of the farm: one in which a
worker is killed, one whose driver is killed, and the one that goes on from there. Prints seconds, pages, requests, the
peak of a worker's resident memory, and what the check found; exits with 1 if that is anything.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import pyarrow.parquet

sys.path.insert(0, str(Path(__file__).parents[1]))
from faults.farm import Farm, resident, until, workers

PER_HOST = 2
LIMITS = ("--timeout", "2", "--retries", "0", "--deadline", "60", "--concurrency", "4", "--per-host", str(PER_HOST))


class Run:
    """The command line at work, and the memory of its workers."""

    def __init__(self, farm: Farm, folder: Path, engine: str) -> None:
        command = [sys.executable, "-m", "sitemapreader", "dump", "--starts", str(farm.starts), "-o", str(folder), "-q"]
        self.began = time.monotonic()
        self.process = subprocess.Popen([*command, "--engine", engine, *LIMITS])
        self.peak = 0.0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while self.process.poll() is None:
            crew = workers(self.process.pid) or [self.process.pid]
            self.peak = max([self.peak, *map(resident, crew)])
            time.sleep(0.1)

    def end(self) -> float:
        """Seconds that it took."""
        self.process.wait()
        return time.monotonic() - self.began


def faults(farm: Farm, folder: Path) -> list[str]:
    """What is not as it should be."""
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    starts = farm.starts.read_text().split()
    found = [] if sorted(row["start"] for row in rows) == sorted(starts) else ["starts are not rows"]
    by_host = {row["start"].split("/")[2].split(":")[0]: row for row in rows}
    lost = twice = 0
    for host, number in farm.sites().items():
        locs: Counter[str] = Counter()
        for path in (folder / f"{host}.parquet", *folder.glob(f"{host}+*.parquet")):
            locs.update(pyarrow.parquet.read_table(path, columns=["loc"])["loc"].to_pylist())
        lost += sum(f"http://{host}:{farm.port}/page-{n}" not in locs for n in range(number))
        twice += sum(locs.values()) - len(locs)
        if by_host[host]["status"] != "complete":
            found.append(f"{host}: {by_host[host]}")
    found += [f"{lost} rows lost"] * bool(lost) + [f"{twice} rows twice"] * bool(twice)
    most = farm.log()["most"]
    found += [f"{host} was asked {number} times at once" for host, number in most.items() if number > PER_HOST]
    found += [f"left over: {path.name}" for path in folder.glob(".*.tmp")]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--huge", type=int, default=1_000_000)
    parser.add_argument("--engine", choices=("dask", "threads"), default="dask")
    args = parser.parse_args()
    bad: list[str] = []
    with tempfile.TemporaryDirectory() as name, Farm(Path(name), hosts=args.hosts, huge=args.huge) as farm:
        folder = Path(name)
        print("| run | seconds | hosts done before | rows | requests | peak MB of a worker | found |", flush=True)
        print("|---|---|---|---|---|---|---|")

        def files(where: str) -> set[str]:
            return {path.stem for path in (folder / where).glob("*.parquet") if "+" not in path.name}

        def show(title: str, run: Run, before: set[str], asked: dict[str, int], where: str) -> None:
            seconds, log = run.end(), farm.log()["asked"]
            again = [f"{host} was asked again" for host in before if log[host] > asked.get(host, 0)]
            found = faults(farm, folder / where) + (again if title == "run again" else [])
            bad.extend(found)
            lines = (folder / where / "manifest.jsonl").read_text().splitlines()
            rows = Counter(json.loads(line)["status"] for line in lines)
            requests = sum(log.values()) - sum(asked.values())
            told = ", ".join(f"{number} {status}" for status, number in rows.most_common())
            print(
                f"| {title} | {seconds:.0f} | {len(before)} | {told} | {requests:,} | {run.peak:.0f} | "
                f"{'; '.join(found) or 'nothing'} |",
                flush=True,
            )

        run = Run(farm, folder / "a", args.engine)
        until(lambda: len(files("a")) > args.hosts // 4, 120)
        if args.engine == "dask":
            os.kill(workers(run.process.pid)[0], signal.SIGKILL)
        show("a worker is killed" if args.engine == "dask" else "left alone", run, files("a"), {}, "a")

        asked = farm.log()["asked"]
        run = Run(farm, folder / "b", args.engine)
        until(lambda: len(files("b")) > args.hosts // 2, 120)
        crew = workers(run.process.pid)
        run.process.kill()
        run.end()
        until(lambda: not any(Path(f"/proc/{process}/exe").exists() for process in crew), 30)
        done, before = files("b"), farm.log()["asked"]
        requests = sum(before.values()) - sum(asked.values())
        print(f"| a driver is killed | | {len(done)} | | {requests:,} | {run.peak:.0f} | |", flush=True)
        show("run again", Run(farm, folder / "b", args.engine), done, before, "b")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
