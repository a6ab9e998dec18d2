"""Entries as a table: Arrow batches with typed columns, for pandas, for Parquet, and for whoever reads Arrow.

The column of an extension is a list of records as `model` has them: a field that is added there is in the table.
A batch at a time is made, so memory does not grow with the number of entries. pyarrow and pandas are imported when they
are needed, and by this module only.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from datetime import datetime
from functools import cache
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, get_args, get_origin, get_type_hints

from .model import Entry
from .records import Alternate, Image, News, Video

if TYPE_CHECKING:
    import pandas
    import pyarrow

COLUMNS = (
    *("loc", "lastmod", "changefreq", "priority", "sitemap", "lastmod_text"),
    *("images", "videos", "news", "alternates"),
)
"""The columns of a table; new ones come after these."""
BATCH = 10_000
"""Entries of a batch, where nothing else is asked for."""
ROW_GROUP = 50_000
"""Entries of a row group of Parquet: what a writer holds in memory."""
_LARGEST = 2**63 - 1


class Column(NamedTuple):
    """A column or a field: its type, and how a value is made ready for it."""

    type: Any
    """A pyarrow.DataType."""
    ready: Callable[[Any], Any] | None = None
    """None: it is as it is."""


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise ImportError("tables need pyarrow: install sitemapreader[arrow]") from None
    return pyarrow


# ------------------------------------------------------------------------------------------------------- types
@cache
def columns() -> dict[str, Column]:
    """All columns, by name."""
    arrow = _arrow()
    date, text = arrow.timestamp("us", "UTC"), arrow.string()
    plain = {"loc": text, "lastmod": date, "priority": arrow.float64(), "sitemap": text, "lastmod_text": text}
    found = {name: Column(kind) for name, kind in plain.items()}
    found["changefreq"] = Column(text, lambda value: value and value.value)
    for record in (Image, Video, News, Alternate):
        found[record.kind] = _many(_record(record))
    return {name: found[name] for name in COLUMNS}


def _column(hint: Any) -> Column:
    """The column for the type of a field in `model`."""
    arrow = _arrow()
    if isinstance(hint, types.UnionType):
        (hint,) = (inner for inner in get_args(hint) if inner is not type(None))
    if get_origin(hint) is tuple:
        inner, rest = get_args(hint)
        return _many(_column(inner)) if rest is ... else _pair()
    if is_dataclass(hint):
        return _record(hint)
    # What a counter cannot hold is left out.
    integer = Column(arrow.int64(), lambda value: value if value is None or value <= _LARGEST else None)
    simple = {str: arrow.string(), float: arrow.float64(), bool: arrow.bool_(), datetime: arrow.timestamp("us", "UTC")}
    return integer if hint is int else Column(simple[hint])


def _record(record: Any) -> Column:
    arrow = _arrow()
    hints = get_type_hints(record)
    inner = {field.name: _column(hints[field.name]) for field in fields_of(record)}
    struct = arrow.struct([(name, column.type) for name, column in inner.items()])
    makers = [(name, attrgetter(name), column.ready) for name, column in inner.items()]

    def ready(value: Any) -> Any:
        if value is None:
            return None
        return {name: make(get(value)) if make else get(value) for name, get, make in makers}

    return Column(struct, ready)


def _many(column: Column) -> Column:
    make = column.ready
    return Column(_arrow().list_(column.type), None if make is None else lambda values: [make(v) for v in values])


def _pair() -> Column:
    """A name and a value, such as an attribute."""
    arrow = _arrow()
    struct = arrow.struct([("name", arrow.string()), ("value", arrow.string())])
    return Column(struct, lambda pair: dict(zip(("name", "value"), pair, strict=True)))


def schema(names: Iterable[str] | None = None) -> pyarrow.Schema:
    """The schema of a table with these columns; raises ValueError for a name that is none."""
    known = columns()
    wanted = COLUMNS if names is None else tuple(names)
    if unknown := [name for name in wanted if name not in known]:
        raise ValueError(f"no such column: {unknown[0]!r}; there are {', '.join(COLUMNS)}")
    return _arrow().schema([(name, known[name].type) for name in wanted])


# ------------------------------------------------------------------------------------------------------- batches
def batches(
    entries: Iterable[Entry], size: int = BATCH, names: Iterable[str] | None = None
) -> Iterator[pyarrow.RecordBatch]:
    """Record batches of `size` entries, the last with what is left. Raises ImportError without pyarrow."""
    if size < 1:
        raise ValueError(f"a batch has at least one entry: {size!r}")
    return _batches(entries, size, schema(names))


def _batches(entries: Iterable[Entry], size: int, schema: pyarrow.Schema) -> Iterator[pyarrow.RecordBatch]:
    rows = iter(entries)
    while chunk := list(islice(rows, size)):
        yield batch(chunk, schema)


def batch(entries: list[Entry], schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    """One record batch."""
    arrays = []
    for field in schema:
        get, ready = attrgetter(field.name), columns()[field.name].ready
        values = [ready(get(entry)) for entry in entries] if ready else [get(entry) for entry in entries]
        arrays.append(_array(values, field.type))
    return _arrow().RecordBatch.from_arrays(arrays, schema=schema)


def _array(values: list[Any], kind: Any) -> Any:
    try:
        return _arrow().array(values, kind)
    except UnicodeEncodeError:  # a lone surrogate becomes an escape, as JSON spells it
        return _arrow().array([_encodable(value) for value in values], kind)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {name: _encodable(inner) for name, inner in value.items()}
    return [_encodable(inner) for inner in value] if isinstance(value, list | tuple) else value


def table(entries: Iterable[Entry], names: Iterable[str] | None = None) -> pyarrow.Table:
    """All entries as one table. Raises ImportError without pyarrow."""
    wanted = schema(names)
    return _arrow().Table.from_batches(_batches(entries, BATCH, wanted), schema=wanted)


def stream(entries: Iterable[Entry], requested: object = None) -> object:
    """The Arrow C stream of the entries, made as it is read. Raises ImportError without pyarrow."""
    wanted = schema()
    reader = _arrow().RecordBatchReader.from_batches(wanted, _batches(entries, BATCH, wanted))
    return reader.__arrow_c_stream__(requested)


def data_frame(entries: Iterable[Entry], names: Iterable[str] | None = None) -> pandas.DataFrame:
    """All entries as a DataFrame. Raises ImportError without pandas and pyarrow."""
    try:
        import pandas  # noqa: F401 (pyarrow imports it too, and its complaint names no extra)
    except ImportError:
        raise ImportError("to_pandas needs pandas and pyarrow: install sitemapreader[pandas]") from None
    return table(entries, names).to_pandas()


# ------------------------------------------------------------------------------------------------------- Parquet
@contextmanager
def parquet(
    file: BinaryIO, names: Iterable[str] | None = None, metadata: Mapping[str, str] | None = None
) -> Iterator[Callable[[Entry], None]]:
    """A writer of entries to a Parquet file, a row group at a time. Raises ImportError without pyarrow.

    `metadata` is what the file says of itself, as it is when the writer is left.
    """
    wanted = schema(names)
    from pyarrow.parquet import ParquetWriter

    held: list[Entry] = []

    def write(entry: Entry) -> None:
        held.append(entry)
        if len(held) == ROW_GROUP:
            flush()

    def flush() -> None:
        writer.write_batch(batch(held, wanted), row_group_size=ROW_GROUP)
        held.clear()

    with ParquetWriter(file, wanted, compression="zstd") as writer:
        yield write
        if held:
            flush()
        if metadata:
            writer.add_key_value_metadata(metadata)


def metadata(path: Path) -> dict[str, str]:
    """What a Parquet file says of itself; empty if it is no whole Parquet file. Raises ImportError without pyarrow."""
    arrow = _arrow()
    from pyarrow.parquet import read_metadata

    try:
        found = read_metadata(path).metadata or {}
    except (OSError, arrow.ArrowException):
        return {}
    return {name.decode(): value.decode() for name, value in found.items()}
