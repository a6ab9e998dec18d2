"""A local Dask cluster against a farm of hosts, some of them hostile, while workers and drivers are killed.

The same in full, with 200 hosts and a million pages: ``python tests/benchmarks/farm.py``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.farm import Farm, until, workers

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="workers are found in /proc"),
    pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs the extra dask"),
]
PER_HOST = 2
LIMITS = (
    *("--timeout", "5", "--retries", "0", "--deadline", "15", "--max-bytes", "10000000"),
    *("--concurrency", "4", "--per-host", str(PER_HOST)),
)


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    with Farm(tmp_path_factory.mktemp("farm"), hosts=60, huge=120_000, pause=0.05) as made:
        yield made


def start(farm: Farm, folder: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sitemapreader", "dump", "--starts", str(farm.starts), "-o", str(folder)]
    return subprocess.Popen([*command, *LIMITS, *more], stderr=subprocess.PIPE)


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.parquet")}


def check(farm: Farm, folder: Path) -> None:
    """Each start has one row, and each site all its pages, each once."""
    import pyarrow.parquet

    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    assert sorted(row["start"] for row in rows) == sorted(farm.starts.read_text().split())
    locs: Counter[str] = Counter()
    for path in folder.glob("*.parquet"):
        locs.update(pyarrow.parquet.read_table(path, columns=["loc"])["loc"].to_pylist())
    hosts = {row["start"].split("/")[2].split(":")[0]: row for row in rows}
    for host, number in farm.sites().items():
        assert (hosts[host]["status"], hosts[host]["entries"]) == ("complete", number), hosts[host]
        expected = {f"http://{host}:{farm.port}/page-{n}": 1 for n in range(number)}
        assert {loc: locs[loc] for loc in expected} == expected
    assert sum(row["entries"] for row in rows) == locs.total()
    assert {row["status"] for host, row in hosts.items() if host not in farm.sites()} <= {
        *("incomplete", "no-sitemap", "unreadable"),
    }
    assert list(folder.glob(".*.tmp")) == []


def check_log(farm: Farm, finished: set[str], before: dict[str, int]) -> None:
    """Hosts that had their file were not asked again, and none by too many at a time."""
    log = farm.log()
    hosts = [name.removesuffix(".parquet") for name in finished if "+" not in name]
    assert {host: log["asked"][host] - before[host] for host in hosts} == dict.fromkeys(hosts, 0)
    assert max(log["most"].values()) <= PER_HOST


def test_a_worker_is_killed(farm: Farm, tmp_path: Path) -> None:
    driver = start(farm, tmp_path, "--engine", "dask")
    until(lambda: len(files(tmp_path)) > 5, 90)
    finished, before = files(tmp_path), farm.log()["asked"]
    assert len(finished) < 50
    os.kill(workers(driver.pid)[0], signal.SIGKILL)
    _, err = driver.communicate(timeout=120)
    assert driver.returncode == 1, err
    check(farm, tmp_path)
    check_log(farm, finished, before)


@pytest.mark.parametrize("engine", ["dask", "threads"])
def test_a_driver_is_killed_and_run_again(farm: Farm, tmp_path: Path, engine: str) -> None:
    driver = start(farm, tmp_path, "--engine", engine)
    until(lambda: len(files(tmp_path)) > 5, 90)
    children = workers(driver.pid)
    driver.kill()
    driver.communicate()
    until(lambda: not any(Path(f"/proc/{child}/exe").exists() for child in children), 60)
    finished, before = files(tmp_path), farm.log()["asked"]
    assert len(finished) < 50
    again = start(farm, tmp_path, "--engine", engine)
    _, err = again.communicate(timeout=120)
    assert again.returncode == 1, err
    check(farm, tmp_path)
    check_log(farm, finished, before)


CLUSTER = """
import distributed, sys
if __name__ == "__main__":
    with distributed.LocalCluster(1, threads_per_worker=1, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


def test_a_scheduler_somewhere_else(tmp_path: Path) -> None:
    (tmp_path / "cluster.py").write_text(CLUSTER)
    sites = Path(__file__).parent.parent / "testdata" / "sites"
    command = [sys.executable, str(tmp_path / "cluster.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as cluster:
        assert cluster.stdin and cluster.stdout
        options = ["--engine", "dask", "--scheduler", cluster.stdout.readline().strip(), "--mirror", str(sites)]
        run = [sys.executable, "-m", "sitemapreader", "dump", "shop.example", "-o", str(tmp_path / "out"), *options]
        done = subprocess.run(run, capture_output=True, text=True, check=False, timeout=120)
        cluster.stdin.close()
    assert (done.returncode, done.stderr) == (0, "1 site: 1 complete; 1966 entries\n")
    assert files(tmp_path / "out") == {"shop.example.parquet"}
