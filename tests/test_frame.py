"""Tables: types, values, batches, and that whoever reads Arrow gets the same."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow
import pytest
from pyarrow import parquet

import sitemapreader as sr
from sitemapreader import frame
from sitemapreader.output import FORMATS

ROOT = Path(__file__).resolve().parent.parent
SITES = ROOT / "testdata" / "sites"
PAGE = "https://a.example/"


def shop() -> sr.Reading:
    return sr.read("shop.example", client=sr.mirror_client(SITES))


def sparse(value: Any) -> Any:
    """Without what is None or empty, as `to_dict` leaves it out."""
    if isinstance(value, dict):
        inner = {name: sparse(item) for name, item in value.items()}
        return {name: item for name, item in inner.items() if item is not None and item != []}
    return [sparse(item) for item in value] if isinstance(value, list) else value


def test_columns_and_their_types_are_stable() -> None:
    schema = frame.schema()
    assert tuple(schema.names) == frame.COLUMNS
    assert schema.field("lastmod").type == pyarrow.timestamp("us", "UTC")
    assert schema.field("priority").type == pyarrow.float64()
    assert schema.field("images").type.value_type.field("loc").type == pyarrow.string()
    video = schema.field("videos").type.value_type
    assert video.field("tag").type == pyarrow.list_(pyarrow.string())
    assert video.field("duration").type == pyarrow.int64()
    assert video.field("publication_date").type == pyarrow.timestamp("us", "UTC")
    assert video.field("player_loc").type.field("allow_embed").type == pyarrow.bool_()


def test_table_of_the_shop_holds_what_the_lines_hold() -> None:
    lines = [json.loads(line) for line in (SITES / "shop.example.jsonl").read_text("utf-8").splitlines()]
    rows = shop().to_arrow().to_pylist()
    assert len(rows) == len(lines)
    dates = ("expiration_date", "publication_date", "tvshow")
    for row, line in zip(rows, lines, strict=True):
        for name in ("loc", "changefreq", "priority", "sitemap", "lastmod_text"):
            assert row[name] == line[name]
        assert row["lastmod"] == (line["lastmod"] and datetime.fromisoformat(line["lastmod"]))
        assert [sparse(image) for image in row["images"]] == line.get("images", [])
        assert len(row["news"]) == len(line.get("news", []))
        for alternate, written in zip(row["alternates"], line.get("alternates", []), strict=True):
            assert (alternate["hreflang"], alternate["href"]) == (written.get("hreflang"), written["href"])
        for video, written in zip(row["videos"], line.get("videos", []), strict=True):
            simple = {name: value for name, value in written.items() if name not in dates}
            assert {name: value for name, value in sparse(video).items() if name not in dates} == simple
            published = written.get("publication_date")
            assert video["publication_date"] == (published and datetime.fromisoformat(published))


def test_dates_are_instants_in_utc() -> None:
    vienna = datetime(2026, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=1)))
    table = frame.table([sr.Entry(PAGE, lastmod=vienna), sr.Entry(PAGE)])
    assert table["lastmod"].to_pylist() == [datetime(2025, 12, 31, 23, 30, tzinfo=UTC), None]


def test_batches_have_the_size_that_is_asked_for_and_are_lazy() -> None:
    reading = shop()
    batches = reading.iter_batches(100)
    assert reading.report.sitemaps == []
    assert next(batches).num_rows == 100
    assert reading.report.entries < 1000
    assert [batch.num_rows for batch in batches] == [100] * 18 + [66]


def test_fields_choose_columns_and_their_order() -> None:
    assert shop().to_arrow(["priority", "loc"]).column_names == ["priority", "loc"]
    with pytest.raises(ValueError, match="no such column: 'title'"):
        shop().to_arrow(["title"])
    with pytest.raises(ValueError, match="at least one entry"):
        shop().iter_batches(0)


def test_reading_without_entries_is_a_table_with_columns(tmp_path: Path) -> None:
    path = tmp_path / "s.xml"
    path.write_text('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>')
    table = sr.read(path).to_arrow()
    assert (table.num_rows, table.column_names) == (0, list(frame.COLUMNS))


def test_data_frame_has_types_that_pandas_can_count_with() -> None:
    data = shop().to_pandas()
    assert isinstance(data, pandas.DataFrame)
    assert data.shape == (1966, 10)
    assert str(data["lastmod"].dt.tz) == "UTC"
    assert data["lastmod"].max() == datetime(2026, 3, 2, 17, 45, 0, 250_000, tzinfo=UTC)
    assert data["priority"].dtype == "float64"


def test_polars_and_duckdb_read_the_stream() -> None:
    expected = shop().to_arrow()
    data = polars.DataFrame(shop())
    assert data.columns == list(frame.COLUMNS)
    for name in ("loc", "lastmod", "images"):
        assert data[name].to_list() == expected[name].to_pylist()
    reading = shop()
    query = "select count(*), count(distinct sitemap) from reading"
    assert duckdb.execute(query).fetchall() == [(1966, 13)]
    assert reading.report.complete


def test_value_that_a_column_cannot_hold_is_left_out_or_escaped() -> None:
    video = sr.Video(title="\ud800", view_count=10**30, tag=("a\udfff",))
    (row,) = frame.table([sr.Entry(PAGE, extensions=(video,), lastmod_text="\ud800")]).to_pylist()
    assert row["lastmod_text"] == "\\ud800"
    assert row["videos"][0]["title"] == "\\ud800"
    assert row["videos"][0]["tag"] == ["a\\udfff"]
    assert row["videos"][0]["view_count"] is None


def test_attributes_of_an_alternate_are_pairs() -> None:
    alternate = sr.Alternate("en", PAGE, attributes=(("title", "English"),))
    (row,) = frame.table([sr.Entry(PAGE, extensions=(alternate,))]).to_pylist()
    assert row["alternates"][0]["attributes"] == [{"name": "title", "value": "English"}]


def test_parquet_is_the_table(tmp_path: Path) -> None:
    path = tmp_path / "shop.parquet"
    with path.open("wb") as file, FORMATS["parquet"](file, None) as write:
        for entry in shop():
            write(entry)
    assert parquet.read_table(path).equals(shop().to_arrow())
    assert polars.read_parquet(path).equals(polars.DataFrame(shop().to_arrow()))


MILLION = """
import resource, sys
from datetime import UTC, datetime, timedelta
from sitemapreader import Entry, Image
from sitemapreader.frame import parquet

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform != "darwin" else 1024 * 1024)

start = datetime(2025, 1, 1, tzinfo=UTC)
with open(sys.argv[1], "wb") as file, parquet(file) as write:
    for number in range(1_000_000):
        loc = f"https://a.example/p/{number}"
        images = (Image(f"{loc}.jpg"),) if number % 10 == 0 else ()
        write(Entry(loc, start + timedelta(minutes=number), None, number % 11 / 10, images, "https://a.example/s.xml"))
        if number == 150_000:
            before = peak()
print(peak() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no resource module")
def test_million_entries_are_written_in_flat_memory_and_read_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "million.parquet"
    run = subprocess.run([sys.executable, "-c", MILLION, path], check=True, capture_output=True, text=True)
    assert int(run.stdout) < 32, "MiB"
    start = datetime(2025, 1, 1, tzinfo=UTC)
    locs = [f"https://a.example/p/{number}" for number in range(1_000_000)]
    table = parquet.read_table(path, columns=["loc", "lastmod", "priority"])
    data = polars.read_parquet(path)
    assert table["loc"].to_pylist() == locs
    assert data["loc"].equals(polars.Series("loc", locs))
    some = range(0, 1_000_000, 1000)
    dates = [start + timedelta(minutes=number) for number in some]
    assert table["lastmod"].take(pyarrow.array(some)).to_pylist() == dates
    assert data["lastmod"].gather_every(1000).to_list() == dates
    assert table["priority"].to_pylist() == data["priority"].to_list() == [n % 11 / 10 for n in range(1_000_000)]
    images = data["images"].list.len()
    assert images.gather_every(10).unique().to_list() == [1]
    assert images.sum() == 100_000


NO_EXTRA = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pyarrow", "pandas", "polars", "rich", "duckdb"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
"""
MAIN = "from sitemapreader import cli; sys.exit(cli.main(sys.argv[1:]))"
NEEDS = {"to_arrow()": "arrow", "to_pandas()": "pandas", "iter_batches()": "arrow", "__arrow_c_stream__()": "arrow"}


def run_without(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", NO_EXTRA + code, *arguments]
    return subprocess.run(argv, capture_output=True, encoding="utf-8", cwd=ROOT, check=False)


@pytest.mark.parametrize(("call", "extra"), NEEDS.items())
def test_what_needs_an_extra_names_it(call: str, extra: str) -> None:
    code = f"import sitemapreader as sr\ntry: sr.read('a.example').{call}\nexcept ImportError as error: print(error)"
    run = run_without(code)
    assert f"sitemapreader[{extra}]" in run.stdout, run.stderr


@pytest.mark.parametrize("verb", ["dump", "tree", "stats", "check", "robots"])
def test_without_extras_every_verb_works(verb: str) -> None:
    options = [verb, "shop.example", "--mirror", str(SITES), "-q"]
    argv = [sys.executable, "-m", "sitemapreader", *options]
    with_extras = subprocess.run(argv, capture_output=True, encoding="utf-8", check=False)
    run = run_without(MAIN, *options)
    assert run.returncode == with_extras.returncode == (verb == "check"), run.stderr
    assert run.stdout == with_extras.stdout != ""


def test_without_pyarrow_parquet_is_a_usage_error_that_names_the_extra(tmp_path: Path) -> None:
    run = run_without(MAIN, "dump", "shop.example", "--mirror", str(SITES), "-o", str(tmp_path / "shop.parquet"))
    assert (run.returncode, run.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert run.stderr == "sitemapreader: error: tables need pyarrow: install sitemapreader[arrow]\n"
