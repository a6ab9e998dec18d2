"""Hosts to files: names, rows, parts, and what is read again and what is not. No network."""

from __future__ import annotations

import json
import pickle
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet
import pytest
from faults.server import Server, head, silent

import sitemapreader as sr
from sitemapreader import cli, harvest, many
from sitemapreader.harvest import Plan, by_host, done, file_of, part_of, shards
from sitemapreader.hosts import NAME

Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Makes a host with sitemaps of so many pages."""

    def write(host: str, *sizes: int) -> None:
        root = tmp_path / "sites" / host
        root.mkdir(parents=True, exist_ok=True)
        (root / "robots.txt").write_text("".join(f"Sitemap: https://{host}/{n}.xml\n" for n in range(len(sizes))))
        for n, size in enumerate(sizes):
            urls = "".join(f"<url><loc>https://{host}/{n}/{page}</loc></url>" for page in range(size))
            (root / f"{n}.xml").write_text(f"<urlset>{urls}</urlset>")

    return write


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "out").mkdir()
    (tmp_path / "sites").mkdir(exist_ok=True)
    return Plan(folder=str(tmp_path / "out"), mirror=str(tmp_path / "sites"))


def run(starts: list[str], plan: Plan) -> dict[str, sr.Site]:
    rows = list(harvest.harvest(by_host(starts), plan, jobs=3))
    assert sorted(row.start for row in rows) == sorted(starts)
    return {row.start: row for row in rows}


def locs(path: Path) -> list[str]:
    return pyarrow.parquet.read_table(path)["loc"].to_pylist()


def test_starts_are_grouped_by_host_and_hosts_are_in_one_shard_each() -> None:
    starts = [f"s{n % 300}.example/{n}" for n in range(1000)] + ["https://S1.example:8443/", "ftp://x/", "nota host"]
    hosts = by_host(starts)
    assert len(hosts) == 301 and hosts[0][0] == "s0.example"
    assert dict(hosts)["s1.example"][-1] == "https://S1.example:8443/"
    assert dict(hosts)[""] == ("ftp://x/", "nota host")
    assert sorted(start for _, group in hosts for start in group) == sorted(starts)
    parts = shards(hosts, 32)
    assert sorted(host for part in parts for host in part) == sorted(hosts)
    assert len(parts) == 10 and max(map(len, parts)) < 64
    assert shards(reversed(hosts), 32)[0] != [] and shards([], 32) == []
    where = {host: n for n, part in enumerate(parts) for host, _ in part}
    assert where == {host: n for n, part in enumerate(shards(reversed(hosts), 32)) for host, _ in part}


def test_names_follow_from_the_host_and_are_safe() -> None:
    assert file_of("out", "shop.example") == Path("out/shop.example.parquet")
    odd = [file_of("out", host).name for host in ("[::1]", "[__1]", "a" * 300, "a" * 301, "../x")]
    assert len({*odd}) == 5 and all(len(name) < 230 and "/" not in name for name in odd)
    assert part_of(file_of("out", "a.b"), 2) == Path("out/a.b+2.parquet")
    # Whatever the file of an odd host is called, no host has that name.
    assert not any(re.fullmatch(NAME, file_of("out", host).stem) for host in ("[::1]", "a." * 120 + "example"))


def test_each_start_has_a_row_and_each_host_a_file(write: Write, plan: Plan) -> None:
    write("a.example", 3, 4)
    write("b.example", 2)
    starts = ["a.example", "https://a.example/", "https://b.example/0.xml", "none.example", "ftp://a.example", ""]
    rows = run(starts, plan)
    assert {start: (row.status.value, row.entries, row.file) for start, row in rows.items()} == {
        "a.example": ("complete", 7, "a.example.parquet"),
        "https://a.example/": ("complete", 0, "a.example.parquet"),
        "https://b.example/0.xml": ("complete", 2, "b.example.parquet"),
        "none.example": ("no-sitemap", 0, "none.example.parquet"),
        "ftp://a.example": ("invalid", 0, ""),
        "": ("invalid", 0, ""),
    }
    folder = Path(plan.folder)
    assert sorted(path.name for path in folder.iterdir()) == [f"{h}.example.parquet" for h in ("a", "b", "none")]
    assert locs(folder / "a.example.parquet") == [f"https://a.example/{n}/{p}" for n in (0, 1) for p in range(3 + n)]
    assert locs(folder / "none.example.parquet") == []


def test_a_start_is_a_host_though_there_is_a_file_of_that_name(
    write: Write, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.example", 2)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.example").write_text("https://a.example/private")
    assert run(["a.example"], plan)["a.example"].entries == 2
    assert locs(file_of(plan.folder, "a.example")) == ["https://a.example/0/0", "https://a.example/0/1"]
    with pytest.raises(ValueError, match="concurrency"):
        run(["b.example"], replace(plan, concurrency=0))


def test_what_is_done_is_not_read_again(write: Write, plan: Plan) -> None:
    write("a.example", 3)
    first = run(["a.example", "none.example"], plan)
    write("a.example", 9)
    write("none.example", 1)
    assert run(["a.example", "none.example"], plan) == first
    # The order of the starts is no matter, other starts of the host, or a file that is none, are another matter.
    assert run(["a.example", "https://a.example/0.xml"], plan)["a.example"].entries == 9
    write("a.example", 5)
    assert run(["https://a.example/0.xml", "a.example"], plan)["a.example"].entries == 9
    file_of(plan.folder, "none.example").write_bytes(b"PAR1")
    assert run(["none.example"], plan)["none.example"].entries == 1
    assert done(file_of(plan.folder, "x.example"), ("x.example",)) is None


def test_what_could_not_be_read_is_tried_again(write: Write, plan: Plan, tmp_path: Path) -> None:
    write("a.example", 3)
    (tmp_path / "sites" / "a.example" / "robots.txt.headers").write_text("HTTP 503\n")
    (tmp_path / "sites" / "a.example" / "0.xml").unlink()
    plan = Plan(folder=plan.folder, mirror=plan.mirror, limits=sr.Limits(retries=0))
    assert run(["a.example"], plan)["a.example"].status is sr.Status.UNREADABLE
    assert list(Path(plan.folder).iterdir()) == []
    write("a.example", 3)
    (tmp_path / "sites" / "a.example" / "robots.txt.headers").unlink()
    assert run(["a.example"], plan)["a.example"].entries == 3


def test_a_huge_host_has_a_file_for_each_further_sitemap(
    write: Write, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harvest, "HUGE", 10)
    write("a.example", 6, 6, 30, 4, 12)
    path = file_of(plan.folder, "a.example")
    part_of(path, 3).write_bytes(b"of a run that was killed")
    part_of(path, 4).write_bytes(b"of a run that was killed")
    assert run(["a.example"], plan)["a.example"].entries == 58
    parts = [locs(part_of(path, n)) for n in range(3)]
    assert [len(part) for part in parts] == [12, 30, 16]
    expected = [f"https://a.example/{n}/{p}" for n, size in enumerate((6, 6, 30, 4, 12)) for p in range(size)]
    assert [loc for part in parts for loc in part] == expected
    assert len(list(Path(plan.folder).iterdir())) == 3


def test_nothing_half_written_is_left(write: Write, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harvest, "HUGE", 10)
    write("a.example", 20, 20)

    def broken(*_: object, **__: object) -> Iterator[None]:
        raise OSError("no space left")

    with monkeypatch.context() as full:
        full.setattr(harvest.json, "dumps", broken)
        with pytest.raises(OSError, match="no space"):
            run(["a.example"], plan)
    assert list(Path(plan.folder).iterdir()) == []
    left = Path(plan.folder) / ".sitemapreader-0.tmp"
    left.touch()
    harvest.sweep(plan.folder)
    assert not left.exists()


def test_a_host_that_is_cut_short_is_not_done(plan: Plan) -> None:
    with Server() as server:
        body = b"".join(b"<url><loc>http://127.0.0.1/%d</loc></url>" % n for n in range(1000))
        server.pages = {"/map.xml": silent(head(), b"<urlset>", body), "/small.xml": b"<urlset></urlset>"}
        plan = Plan(folder=plan.folder)
        hosts = by_host([server.url("/map.xml"), server.url("/small.xml", other=True)])
        rows = harvest.harvest(hosts, plan, jobs=2)
        assert next(rows).start == server.url("/small.xml", other=True)
        rows.close()  # type: ignore[attr-defined]
        ends = time.monotonic() + 3
        while list(Path(plan.folder).glob(".*.tmp")) and time.monotonic() < ends:
            time.sleep(0.01)
    assert [path.name for path in Path(plan.folder).iterdir()] == ["127.0.0.2.parquet"]


def test_a_plan_can_be_sent() -> None:
    plan = Plan(folder="x", policy=sr.Policy(include=["a"]), limits=sr.Limits(), headers={"a": "b"})
    assert pickle.loads(pickle.dumps(plan)) == plan
    row = sr.Site("a", sr.Status.COMPLETE)
    assert pickle.loads(pickle.dumps(row)) == row


# ----------------------------------------------------------------------------------------------------- command line
def test_dump_into_a_folder(write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("a.example", 3)
    write("b.example", 2)
    (tmp_path / "starts").write_text("a.example\n# none\nb.example\nnone.example\n")
    shared = ["dump", "--starts", str(tmp_path / "starts"), "--mirror", str(tmp_path / "sites")]
    out = tmp_path / "new" / "out"
    assert cli.main([*shared, "--engine", "threads", "-o", str(out)]) == 1
    told = capsys.readouterr()
    assert told.out == "" and told.err.splitlines()[-1] == "3 sites: 2 complete, 1 no-sitemap; 5 entries"
    rows = [json.loads(line) for line in (out / "manifest.jsonl").read_text().splitlines()]
    assert {row["start"]: row["entries"] for row in rows} == {"a.example": 3, "b.example": 2, "none.example": 0}
    assert cli.main([*shared, "--jobs", "2", "-q", "-o", f"{out}/"]) == 1
    assert (
        cli.main(["dump", "a.example", "--engine", "threads", *shared[3:], "-q", "-o", str(out), "--limit", "1"]) == 0
    )
    assert capsys.readouterr().err == ""


def test_dump_as_one_stream(write: Write, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    for n in range(9):
        write(f"s{n}.example", n)
    starts = [f"s{n}.example" for n in range(9)]
    shared = ["dump", *starts, "--mirror", str(tmp_path / "sites"), "--jobs", "4", "-f", "urls"]
    assert cli.main(shared) == 0
    out, err = capsysbinary.readouterr()
    expected = [f"https://s{n}.example/0/{page}" for n in range(9) for page in range(n)]
    assert sorted(out.decode().splitlines()) == expected
    assert err.decode() == "9 sites: 9 complete; 36 entries\n"
    assert cli.main([*shared, "--limit", "7", "-q"]) == 0
    assert len(capsysbinary.readouterr().out.splitlines()) == 7
    assert cli.main(["dump", "none.example", "ftp://x", *shared[10:]]) == 4


@pytest.mark.parametrize(
    "options",
    [
        ("--engine", "threads"),
        ("--engine", "threads", "-o", "out", "-f", "csv"),
        ("--engine", "threads", "-o", "out", "--fields", "loc"),
        ("--scheduler", "tcp://127.0.0.1:1", "-o", "out"),
        ("--engine", "dask", "-o", "README.md"),
        ("--engine", "threads", "-o", "out", "--mirror", "nowhere"),
        ("--jobs", "0"),
        ("--jobs", "2", "--include", "("),
    ],
)
def test_wrong_use(options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").touch()
    assert cli.main(["dump", "a.example", *options]) == 2


def test_an_hour_is_what_a_site_may_take() -> None:
    assert many.NO_LIMITS.deadline == many.HOUR == 3600
