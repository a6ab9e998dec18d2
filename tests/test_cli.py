"""The command line: what goes to which stream, what may be read, and every exit code."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sitemapreader import Code, Diagnostic, Entry, Report, cli, read, session
from sitemapreader.frame import COLUMNS
from sitemapreader.output import FORMATS

ROOT = Path(__file__).resolve().parent.parent
SITES = ROOT / "testdata" / "sites"
EXPECTED = SITES / "shop.example.jsonl"
SHOP = ("dump", "https://shop.example", "--mirror", str(SITES))
SUMMARY = "1966 entries from 16 documents: complete"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    def run(*arguments: str | Path) -> tuple[int, str, str]:
        code = cli.main([str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


@pytest.fixture
def site(tmp_path: Path) -> Callable[..., Path]:
    """Writes the files of ``a.example`` and returns the folder to give to --mirror."""

    def site(**files: str) -> Path:
        host = tmp_path / "sites" / "a.example"
        host.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (host / name.replace("__", ".")).write_text(text, encoding="utf-8")
        return host.parent

    return site


def urlset(*locs: str, more: str = "") -> str:
    urls = "".join(f"<url><loc>{loc}</loc>{more}</url>" for loc in locs)
    return f"<urlset {NAMESPACE}>{urls}</urlset>"


def index(*locs: str) -> str:
    return f"<sitemapindex {NAMESPACE}>{''.join(f'<sitemap><loc>{loc}</loc></sitemap>' for loc in locs)}</sitemapindex>"


def python(*argv: str, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *argv], cwd=ROOT, stderr=subprocess.PIPE, **options)


# ------------------------------------------------------------------------------------------------- the shop, whole
def test_dump_of_the_shop_is_the_expected_file(run: Run) -> None:
    code, out, err = run(*SHOP)
    assert out == EXPECTED.read_text(encoding="utf-8")
    assert code == 0
    assert err.splitlines()[-1] == SUMMARY


def test_module_runs_and_writes_utf8_whatever_the_locale() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    process = python("-m", "sitemapreader", *SHOP, stdout=subprocess.PIPE, env=environment)
    out, err = process.communicate(timeout=60)
    assert out == EXPECTED.read_bytes()
    assert process.returncode == 0, err


def test_urls_are_one_a_line(run: Run) -> None:
    _, out, _ = run(*SHOP, "-f", "urls")
    assert out.splitlines() == [json.loads(line)["loc"] for line in EXPECTED.read_text(encoding="utf-8").splitlines()]


def test_table_holds_the_same_values(run: Run) -> None:
    _, out, _ = run(*SHOP, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(out, newline=""), strict=True))
    assert tuple(rows[0]) == COLUMNS
    for row, line in zip(rows, EXPECTED.read_text(encoding="utf-8").splitlines(), strict=True):
        entry = json.loads(line)
        for name in ("loc", "lastmod", "changefreq", "sitemap", "lastmod_text"):
            assert row[name] == (entry[name] or "")
        assert row["priority"] == ("" if entry["priority"] is None else str(entry["priority"]))
        for name in ("images", "videos", "news", "alternates"):
            assert (json.loads(row[name]) if row[name] else None) == entry.get(name)


# ------------------------------------------------------------------------------------------------- starts
def test_bare_domain_robots_sitemap_and_feed_are_starts(run: Run, site: Callable[..., Path]) -> None:
    feed = "<rss version='2.0'><channel><item><link>https://a.example/3</link></item></channel></rss>"
    mirror = site(robots__txt="Sitemap: https://a.example/s.xml", s__xml=urlset("https://a.example/1"), feed__xml=feed)
    for start, loc in (("", "1"), ("/robots.txt", "1"), ("/s.xml", "1"), ("/feed.xml", "3")):
        code, out, _ = run("dump", f"a.example{start}", "--mirror", mirror, "-f", "urls")
        assert (code, out) == (0, f"https://a.example/{loc}\n")


@pytest.mark.parametrize("write", ["{}/s.xml", "{}/./s.xml"])
def test_local_file_is_a_start(run: Run, site: Callable[..., Path], write: str) -> None:
    folder = site(s__xml=urlset("https://a.example/1")) / "a.example"
    assert run("dump", write.format(folder), "-f", "urls") == (
        0,
        "https://a.example/1\n",
        "1 entry from 1 document: complete\n",
    )


def test_local_file_is_a_start_by_its_name(
    run: Run, site: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(site(s__xml=urlset("https://a.example/1")) / "a.example")
    for start in ("s.xml", "./s.xml", "../a.example/s.xml"):
        assert run("dump", start, "-f", "urls")[:2] == (0, "https://a.example/1\n")


def test_path_of_no_file_is_not_taken_for_a_site(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for start in ("./none.xml", tmp_path / "none.xml"):
        code, out, err = run("dump", start)
        assert (code, out) == (4, "")
        assert "none.xml" in err


def test_dash_reads_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    body = urlset("https://a.example/1").encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(body)))
    code, out, _ = run("dump", "-")
    assert code == 0
    assert json.loads(out)["loc"] == "https://a.example/1"
    assert json.loads(out)["sitemap"] == "file:///-"  # and no folder of this machine


def test_standard_input_that_is_closed_is_a_usage_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert run("dump", "-")[0] == 2


# ------------------------------------------------------------------------------------------------- the output file
def test_output_file_is_whole_and_alone_in_its_folder(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "new.jsonl"
    code, out, _ = run(*SHOP, "-o", target)
    assert (code, out) == (0, "")
    assert target.read_bytes() == EXPECTED.read_bytes()
    assert list(tmp_path.iterdir()) == [target]


def test_output_file_is_left_alone_if_nothing_was_read(run: Run, site: Callable[..., Path], tmp_path: Path) -> None:
    target = tmp_path / "out" / "file"
    target.parent.mkdir()
    target.write_text("yesterday")
    for start in ("https://none.example/sitemap.xml", "https://none.example/"):
        assert run("dump", start, "--mirror", site(), "-o", target)[0] == 3
    assert target.read_text() == "yesterday"
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("name", ["none/out", "."])
def test_output_that_cannot_be_a_file_is_a_usage_error(run: Run, tmp_path: Path, name: str) -> None:
    code, out, err = run(*SHOP, "-o", tmp_path / name)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_full_disk_is_said_in_one_line() -> None:
    with open("/dev/full", "wb") as full:
        process = python("-m", "sitemapreader", *SHOP, "-q", stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert re.fullmatch(rb"sitemapreader: error: cannot write: .*\n", err)


# ------------------------------------------------------------------------------------------------- diagnostics
def faulty(site: Callable[..., Path]) -> Path:
    """A date without zone and a page elsewhere (info), a relative loc (warning), a child that answers 500 (error)."""
    return site(
        robots__txt="Sitemap: https://a.example/s.xml\nSitemap: https://a.example/broken.xml",
        s__xml=urlset("/1", "https://b.example/2", more="<lastmod>2024-01-01T00:00:00</lastmod>"),
        broken__xml__headers="HTTP 500\n",
    )


def levels(err: str) -> set[str]:
    return {line.partition(":")[0] for line in err.splitlines()}


def test_diagnostics_are_lines_and_the_summary_is_the_last(run: Run, site: Callable[..., Path]) -> None:
    code, out, err = run("dump", "a.example", "--mirror", faulty(site), "-f", "urls", "--retries", "0")
    assert (code, out) == (1, "https://a.example/1\n")
    *diagnostics, summary = err.splitlines()
    assert summary == "1 entry from 3 documents, 1 left out (policy-scope 1): not complete"
    assert levels("\n".join(diagnostics)) == {"warning", "error"}


def test_quiet_prints_errors_only(run: Run, site: Callable[..., Path]) -> None:
    code, _, err = run("dump", "a.example", "--mirror", faulty(site), "-q", "--retries", "0")
    assert code == 1
    assert levels(err) == {"error"}


def test_verbose_prints_all(run: Run, site: Callable[..., Path]) -> None:
    _, _, err = run("dump", "a.example", "--mirror", faulty(site), "-v", "--retries", "0")
    assert {"info", "warning", "error"} < levels(err)


def test_what_makes_it_incomplete_is_said_though_it_is_only_information(run: Run, site: Callable[..., Path]) -> None:
    mirror = site(s__xml=index("https://a.example/1.xml", "https://a.example/2.xml"))
    site(**{"1__xml": urlset("https://a.example/1")})
    code, _, err = run("dump", "a.example/s.xml", "--mirror", mirror)
    assert code == 1
    assert "info: absent: " in err
    assert "https://a.example/2.xml" in err


def test_nothing_a_document_holds_reaches_the_terminal_raw(run: Run, site: Callable[..., Path]) -> None:
    mirror = site(s__xml=urlset("https://a.example/\u202e\x9b31m", more="<lastmod>\x9b31m\u202e</lastmod>"))
    for form in FORMATS.keys() - {"parquet"}:
        _, out, err = run("dump", "a.example/s.xml", "--mirror", mirror, "-v", "-f", form)
        assert (out + err).isascii()
        assert (out + err).replace("\n", "").replace("\r", "").isprintable()


def test_standard_error_that_is_closed_stops_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    code, out, _ = run(*SHOP, "-f", "urls")
    assert (code, len(out.splitlines())) == (0, 1966)


# ------------------------------------------------------------------------------------------------- exit codes
def test_site_without_a_sitemap_is_3(run: Run, site: Callable[..., Path]) -> None:
    page = "<!doctype html><title>Home</title><p>No sitemap here."
    mirror = site(robots__txt="User-agent: *\nDisallow:\n", index__html=page)
    for start in ("a.example", "a.example/robots.txt", "a.example/index.html", "a.example/none.xml"):
        code, out, err = run("dump", start, "--mirror", mirror)
        assert (code, out) == (3, ""), start
        assert err.splitlines()[-1].startswith("sitemapreader: error: "), start


def test_robots_that_names_only_what_is_absent_is_3(run: Run, site: Callable[..., Path]) -> None:
    mirror = site(robots__txt="Sitemap: https://a.example/gone.xml")
    assert run("dump", "a.example", "--mirror", mirror)[0] == 3


def test_robots_that_names_only_what_fails_is_1(run: Run, site: Callable[..., Path]) -> None:
    mirror = site(robots__txt="Sitemap: https://a.example/s.xml", s__xml__headers="HTTP 500")
    assert run("dump", "a.example", "--mirror", mirror, "--retries", "0")[0] == 1


@pytest.mark.parametrize("status", ["500", "403"])
def test_nothing_readable_is_4(run: Run, site: Callable[..., Path], status: str) -> None:
    mirror = site(s__xml__headers=f"HTTP {status}")
    code, out, err = run("dump", "a.example/s.xml", "--mirror", mirror, "--retries", "0")
    assert (code, out) == (4, "")
    assert status in err.splitlines()[-1]


def test_damaged_document_is_1_and_its_entries_are_written(run: Run, tmp_path: Path) -> None:
    cut = tmp_path / "s.xml"
    cut.write_text(urlset("https://a.example/1", "https://a.example/2").removesuffix("</urlset>"))
    code, out, _ = run("dump", cut, "-f", "urls")
    assert code == 1
    assert out == "https://a.example/1\nhttps://a.example/2\n"


@dataclass
class Reading:
    """A reading that goes well, after `found` was reported."""

    report: Report
    found: tuple[Diagnostic, ...]

    def __call__(self, *_: object, on_diagnostic: Callable[[Diagnostic], object], **__: object) -> Reading:
        for diagnostic in self.found:
            on_diagnostic(diagnostic)
        return self

    def __enter__(self) -> Reading:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[Entry]:
        return iter(())


@pytest.mark.parametrize(("code", "strict"), [(Code.ENTRY_LOST, 1), (Code.XML_REPAIRED, 0)])
def test_strict_is_1_if_there_was_an_error_at_all(
    run: Run, monkeypatch: pytest.MonkeyPatch, code: Code, strict: int
) -> None:
    list(reading := read(SITES / "shop.example" / "news.xml"))
    assert reading.report.complete
    monkeypatch.setattr(session, "read", Reading(reading.report, (Diagnostic(code, "https://a.example/s.xml"),)))
    assert run("dump", "a.example")[0] == 0
    assert run("dump", "a.example", "--strict")[0] == strict


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["dump"],
        ["undo"],
        ["dump", "a.example", "--unheard-of"],
        ["dump", "a.example", "--lim", "3"],
        ["dump", "a.example", "-f", "xml"],
        ["dump", "a.example", "-q", "-v"],
        ["dump", "a.example", "--scope", "world"],
        ["dump", "a.example", "--include", "("],
        ["dump", "a.example", "--since", "yesterday"],
        ["dump", "a.example", "--limit", "-1"],
        ["dump", "a.example", "--limit", "many"],
        ["dump", "a.example", "--max-bytes", "-1"],
        ["dump", "a.example", "--timeout", "nan"],
        ["dump", "a.example", "--deadline", "soon"],
        ["dump", "a.example", "--concurrency", "0"],
        ["dump", "a.example", "--header", "no colon"],
        ["dump", "a.example", "--header", "A: b\r\nC: d"],
        ["dump", "a.example", "--header", "Ä: b"],
        ["dump", "a.example", "--mirror", str(EXPECTED)],
        ["dump", "ftp://a.example/"],
        ["dump", ""],
        ["stats", "a.example", "--top", "-1"],
        ["check", "a.example", "--places", "-1"],
    ],
)
def test_wrong_usage_is_2_and_prints_no_data(run: Run, argv: list[str]) -> None:
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert "error: " in err


def test_help_and_version_are_0(run: Run) -> None:
    code, out, _ = run("--version")
    assert (code, out.split()[0]) == (0, "sitemapreader")
    assert run("--help")[0] == 0
    code, out, _ = run("dump", "--help")
    assert code == 0
    assert "--mirror" in out


INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs this in the background has it ignored
from sitemapreader import cli, session, Entry
class Reading:
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def __iter__(self):
        yield Entry("https://a.example/1", sitemap="https://a.example/s")
        os.kill(os.getpid(), signal.SIGINT)
        signal.pause()
session.read = lambda *_, **__: Reading()
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.mark.skipif(not hasattr(signal, "pause"), reason="signals of POSIX")
def test_interrupt_is_130_without_traceback_and_leaves_no_file(tmp_path: Path) -> None:
    for output in ([], ["-o", str(tmp_path / "out")]):
        process = python("-c", INTERRUPTED, "dump", "a.example", "-f", "urls", *output, stdout=subprocess.PIPE)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert err == b""
        assert out == (b"" if output else b"https://a.example/1\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
@pytest.mark.parametrize("options", [(), ("--limit", "1")])
def test_closed_pipe_is_141_without_a_word(options: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = python("-m", "sitemapreader", *SHOP, "-q", *options, stdout=writer)
    os.close(writer)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, b"")


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_pipe_that_is_closed_half_way_is_141_without_a_word() -> None:
    process = python("-m", "sitemapreader", *SHOP, "-q", stdout=subprocess.PIPE)
    assert process.stdout and process.stderr
    assert process.stdout.readline() == EXPECTED.read_bytes().splitlines(keepends=True)[0]
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), err) == (141, b"")


# ------------------------------------------------------------------------------------------------- options
def test_limit_stops_and_says_so(run: Run) -> None:
    code, out, err = run(*SHOP, "-f", "urls", "--limit", "10")
    assert (code, len(out.splitlines())) == (0, 10)
    assert re.fullmatch(r"10 entries from \d+ documents: stopped at the limit", err.splitlines()[-1])


def test_filters_are_applied_and_counted(run: Run) -> None:
    code, out, err = run(*SHOP, "-f", "urls", "--include", "/de/magazin/", "--exclude", r"\?ref=")
    assert code == 0
    assert out
    assert all("/de/magazin/" in line and "?ref=" not in line for line in out.splitlines())
    assert "left out (policy-filter " in err.splitlines()[-1]


def test_sitemaps_that_are_not_followed_are_not_read(run: Run) -> None:
    _, out, _ = run(*SHOP, "--follow", "feeds|news")
    assert {json.loads(line)["sitemap"] for line in out.splitlines()} == {"https://shop.example/news.xml"}


def test_lists_may_be_left_out(run: Run, site: Callable[..., Path]) -> None:
    sites = site(sitemap__xml=urlset("https://a.example/1", more="<priority>2</priority>"))
    code, out, _ = run("stats", "a.example", "--mirror", sites, "--top", "0")
    assert (code, "  1 more with 1 entries" in out.splitlines()) == (0, True)
    code, out, _ = run("check", "a.example", "--mirror", sites, "--places", "0")
    assert (code, "priority 2" in out, "        1 more" in out.splitlines()) == (1, False, True)


def test_robots_that_is_cut_off_is_1_and_what_it_names_is_printed(run: Run, site: Callable[..., Path]) -> None:
    lines = [f"Sitemap: https://a.example/{number}.xml" for number in range(9)]
    sites = site(robots__txt="\n".join(lines))
    code, out, _ = run("robots", "a.example", "--mirror", sites, "--max-bytes", "100")
    assert (code, out.splitlines()) == (1, [line.removeprefix("Sitemap: ") for line in lines[:3]])
    assert run("robots", "a.example", "--mirror", sites, "--max-sitemaps", "0")[:2] == (1, "")


def test_every_verb_has_help() -> None:
    assert all(verb.help.endswith(".") for verb in cli.VERBS.values())


@pytest.mark.parametrize("verb", ["dump", "check", "robots"])
def test_a_start_that_is_too_long_for_the_name_of_a_file_is_wrong_usage(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([verb, "x" * 5000]) == 2
    assert "not an http(s) URL or a host" in capsys.readouterr().err
