"""Entries as lines, and where the lines go: the table of output formats, and a file that is whole or not there."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from .display import seen
from .frame import COLUMNS, parquet

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Row(Protocol):
    """What can be written: an entry, and what is one with more to say."""

    @property
    def loc(self) -> str: ...

    @property
    def sitemap(self) -> str: ...

    def to_dict(self) -> dict[str, Any]:
        """Plain values by the names of columns."""
        ...


Write = Callable[[Any], None]
"""Takes a Row; Parquet takes entries only."""
Fields = tuple[str, ...] | None
"""The columns that are wanted; None: all."""
Format = Callable[[BinaryIO, Fields], AbstractContextManager[Write]]
"""Opens a writer of entries on a file; what it holds back is written as it is left."""


def _lines(file: BinaryIO, head: str, line: Callable[[Row], str]) -> Iterator[Write]:
    document = ""

    def write(entry: Row) -> None:
        nonlocal document
        if entry.sitemap != document:
            document = entry.sitemap
            file.flush()
        # A lone surrogate becomes an escape, as JSON spells it.
        file.write(line(entry).encode(errors="backslashreplace"))

    file.write(head.encode())
    yield write
    file.flush()


@contextmanager
def _jsonl(file: BinaryIO, fields: Fields) -> Iterator[Write]:
    def line(entry: Row) -> str:
        values = entry.to_dict()
        return _json(values if fields is None else {name: values.get(name) for name in fields}) + "\n"

    yield from _lines(file, "", line)


@contextmanager
def _csv(file: BinaryIO, fields: Fields) -> Iterator[Write]:
    names = fields or COLUMNS

    def line(entry: Row) -> str:
        values = entry.to_dict()
        return _csv_row([_cell(values.get(name)) for name in names])

    yield from _lines(file, _csv_row(list(names)), line)


@contextmanager
def _urls(file: BinaryIO, fields: Fields) -> Iterator[Write]:
    yield from _lines(file, "", lambda entry: f"{entry.loc}\n")


FORMATS: dict[str, Format] = {"jsonl": _jsonl, "csv": _csv, "urls": _urls, "parquet": parquet}
SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".txt": "urls", ".parquet": "parquet"}
"""The format that a file is written in by its name."""


def _json(value: Any) -> str:
    # JSON can spell what is not to be seen raw as an escape, which changes no value.
    return seen(json.dumps(value, ensure_ascii=False))


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        # A spreadsheet would run the cell; the quote makes it text (OWASP, "CSV injection").
        return seen(f"'{value}" if value.startswith(_FORMULA) else value)
    return _json(value) if isinstance(value, (list, dict)) else value


def _csv_row(cells: list[Any]) -> str:
    row = io.StringIO()
    csv.writer(row).writerow(cells)  # as RFC 4180 has it: CRLF, quotes where needed
    return row.getvalue()


def destination(name: str) -> AbstractContextManager[BinaryIO]:
    """Where the lines go: standard output for ``-``, else a file, which is replaced only if nothing is raised.

    Raises OSError.
    """
    if name == "-":
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        return nullcontext(sys.stdout.buffer)
    path = Path(os.path.realpath(name))  # a link stays, and what it points to is replaced
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if path.exists() and not path.is_file():
        return path.open("wb")  # a device or a pipe
    temporary = path.with_name(f".sitemapreader-{secrets.token_hex(6)}.tmp")
    return _replacing(path, temporary, temporary.open("xb"))


@contextmanager
def _replacing(path: Path, temporary: Path, file: BinaryIO) -> Iterator[BinaryIO]:
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
