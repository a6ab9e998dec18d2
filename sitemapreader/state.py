"""Memory between runs: a SQLite file that knows what each site listed when it was last read.

What a reading finds is compared with the file as it goes on, and written into it at the end, in one transaction: a
reading that is broken off, by an exception or by SIGKILL, leaves the file as it was, and the next one finds the same
changes. See `ledger` for how that is done in bounded memory.

A page is identified by its loc, wherever it is listed. It is *changed* if it has a lastmod, which is neither the one
known of it nor the one the same document gave before; dates are compared as instants. What is *gone* is known after
complete readings only. A file may know many sites; the same start under another policy is another site, since what a
policy leaves out must not look as if it were gone.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from .discovery import start_url
from .errors import StateError
from .model import Entry
from .policy import Policy

VERSION = 1
"""Of the schema. A file of another version is refused."""
APPLICATION = 0x736D7264
"""What tells the file from those of other programs (SQLite, PRAGMA application_id)."""
PATIENCE = 300.0
"""Seconds to wait for whoever else is writing."""
CACHE = 32 * 1024
"""KiB of the file that are held in memory, and as much of what is put aside."""
SCHEMA = """
CREATE TABLE file (salt BLOB NOT NULL);
CREATE TABLE site (
    id INTEGER PRIMARY KEY, start TEXT NOT NULL, policy TEXT NOT NULL,
    readings INTEGER NOT NULL DEFAULT 0, read_at INTEGER, complete INTEGER NOT NULL DEFAULT 0, UNIQUE (start, policy));
CREATE TABLE document (
    id INTEGER PRIMARY KEY, site INTEGER NOT NULL, url TEXT NOT NULL, etag TEXT, last_modified TEXT, lastmod REAL,
    hash BLOB, outcome TEXT, seen_at INTEGER, UNIQUE (site, url));
CREATE TABLE entry (key INTEGER PRIMARY KEY, loc TEXT NOT NULL, lastmod REAL, first_seen INTEGER NOT NULL);
CREATE TABLE listing (
    document INTEGER NOT NULL, key INTEGER NOT NULL, lastmod REAL NOT NULL,
    PRIMARY KEY (document, key, lastmod)) WITHOUT ROWID;
CREATE TABLE unlisted (
    site INTEGER NOT NULL, key INTEGER NOT NULL, sitemap TEXT, last_seen INTEGER,
    PRIMARY KEY (site, key)) WITHOUT ROWID;
CREATE TABLE gone (
    site INTEGER NOT NULL, loc TEXT NOT NULL, lastmod REAL, sitemap TEXT, first_seen INTEGER, last_seen INTEGER,
    PRIMARY KEY (site, loc)) WITHOUT ROWID;
"""
"""An entry is listed by documents; its last_seen is theirs (`document.seen_at`), so that what has not changed is not
written again each day. A document may list a page several times, with several dates; an empty one stands for none.
Only a document that was read whole has validators, and a hash of what it lists. `unlisted`: no document lists it any
more, but no reading since was complete. `gone`: what the last reading found gone. Times are seconds since 1970."""
SITE = "SELECT id, readings, complete FROM site WHERE start = ? AND policy = ?"
GONE = "SELECT loc, lastmod, sitemap, first_seen, last_seen FROM gone WHERE site = ? ORDER BY loc"
PAGES = """SELECT loc, max(nullif(listing.lastmod, '')), url, first_seen, max(first_seen, coalesce(seen_at, 0))
    FROM document CROSS JOIN listing ON listing.document = document.id CROSS JOIN entry USING (key)
    WHERE site = ? GROUP BY url, key"""
"""The order is that of the indexes, so that nothing is sorted before the first page comes."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Mark(Enum):
    """What became of a page since the last reading."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    GONE = "gone"


class Change(NamedTuple):
    """A page, and what became of it since the last reading."""

    mark: Mark
    entry: Entry
    """As the document has it; of a page that is gone: its loc, its last lastmod, and the document that listed it."""
    first_seen: datetime | None = None
    """When the first reading found it; given of pages that are gone."""
    last_seen: datetime | None = None
    """When the last reading found it; given of pages that are gone."""

    @property
    def loc(self) -> str:
        """The page's URL."""
        return self.entry.loc

    @property
    def sitemap(self) -> str:
        """URL of the document that lists or listed it."""
        return self.entry.sitemap

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: the mark as ``change``, and the fields of the entry."""
        seen = {"first_seen": self.first_seen, "last_seen": self.last_seen}
        times = {name: at.isoformat() for name, at in seen.items() if at is not None}
        return {"change": self.mark.value, **self.entry.to_dict(), **times}


class Page(NamedTuple):
    """A page that a document lists, as the file knows it."""

    loc: str
    lastmod: datetime | None
    """In UTC."""
    sitemap: str
    """URL of the document as it is asked for."""
    first_seen: datetime
    last_seen: datetime


class State:
    """A file that remembers what was read; give it to `read` as ``state``, for as many sites as you like.

    The file is made if there is none. Readings of several threads and processes may share it; of two of the same site
    at a time, the one that ends last is not written and raises StateError.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Raises StateError if that is a file, but none of this version, and if it cannot be opened or made."""
        self.path = Path(path)
        with wrapped(self.path), closing(self.connect()) as connection:
            _prepare(connection, self.path)

    def __repr__(self) -> str:
        return f"State({str(self.path)!r})"

    def gone(self, start: str, *, policy: Policy | None = None) -> Iterator[Change]:
        """What the last reading of `start` found gone, by loc.

        Raises StateError if that reading was not complete, or if there was none.
        """
        with wrapped(self.path), closing(self.connect()) as connection:
            site, complete = self._site(connection, start, policy)
            if not complete:
                raise StateError("the last reading was not complete: what is gone is not known")
            for row in connection.execute(GONE, (site,)):
                yield gone_of(row)

    def pages(self, start: str, *, policy: Policy | None = None) -> Iterator[Page]:
        """Every page that `start` is known to list, unchanged documents included, document by document.

        A page that several documents list comes several times. Raises StateError if the site was never read.
        """
        with wrapped(self.path), closing(self.connect()) as connection:
            site, _ = self._site(connection, start, policy)
            for loc, lastmod, url, first, last in connection.execute(PAGES, (site,)):
                yield Page(loc, moment(lastmod), url, EPOCH + timedelta(seconds=first), EPOCH + timedelta(seconds=last))

    def connect(self) -> sqlite3.Connection:
        """A connection for one thread at a time, in which each statement is a transaction unless one is begun."""
        path = self.path.absolute()  # not a database in memory, whatever it is called
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA temp_store = FILE")
            connection.execute(f"PRAGMA main.cache_size = -{CACHE}")
            connection.execute(f"PRAGMA temp.cache_size = -{CACHE}")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _site(self, connection: sqlite3.Connection, start: str, policy: Policy | None) -> tuple[int, bool]:
        row = connection.execute(SITE, (start_url(start), fingerprint(policy or Policy()))).fetchone()
        if row is None or not row[1]:
            raise StateError(f"{start} was never read with this policy")
        return row[0], bool(row[2])


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN EXCLUSIVE")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not (version or application or tables):
        for statement in SCHEMA.split(";"):
            connection.execute(statement)
        connection.execute("INSERT INTO file VALUES (?)", (secrets.token_bytes(16),))
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    elif application != APPLICATION:
        raise StateError(f"{path} is not a state of sitemapreader")
    elif version != VERSION:
        raise StateError(f"{path} is of version {version}, not {VERSION}: read the site into a new file")
    connection.execute("COMMIT")


@contextmanager
def wrapped(path: Path) -> Iterator[None]:
    """Gives what SQLite raises as StateError."""
    try:
        yield
    except sqlite3.Error as error:
        raise StateError(f"{path}: {error}") from error


def fingerprint(policy: Policy) -> str:
    """What tells policies apart that keep different pages; a function goes by its name.

    Raises ValueError for a policy that has `since`: the state knows better what is old.
    """
    if policy.since is not None:
        raise ValueError("a policy with since goes with no state: what it leaves out would look as if it were gone")
    indifferent = {"since", "undated", "max_entries", "skip_unchanged", "unique"}
    told = ((field.name, getattr(policy, field.name)) for field in fields(policy) if field.name not in indifferent)
    return " ".join(f"{name}={_spelled(value)}" for name, value in told)


def _spelled(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_spelled, value))}]"
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    return repr(value)


def now() -> int:
    """Seconds since 1970."""
    return int(time.time())


def moment(lastmod: float | None) -> datetime | None:
    """The date of so many seconds since 1970; None for one that is before the year 1 in UTC, or behind 9999."""
    try:
        return None if lastmod is None else EPOCH + timedelta(seconds=lastmod)
    except OverflowError:
        return None


def gone_of(row: Sequence[Any]) -> Change:
    """A row of GONE."""
    loc, lastmod, sitemap, first, last = row
    entry = Entry(loc, moment(lastmod), sitemap=sitemap or "")
    return Change(Mark.GONE, entry, moment(first), moment(last))
