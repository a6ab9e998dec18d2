"""One reading beside what a state knows: marks its entries as they come, and writes it down at the end.

What is read is put aside in tables of SQLite's own temporary files, which vanish with the process: each listing by
document, and each page that is new or changed. At the end they are folded into the state in one transaction, sorted by
key, so that the file is written from front to end and memory holds a page cache, however many entries there are.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator
from hashlib import blake2b
from math import nan
from struct import unpack
from typing import Any, NamedTuple

from .diagnostics import Outcome
from .errors import StateError
from .model import Entry, Format, SitemapRef
from .policy import Policy
from .report import Report, SitemapReport, Validators
from .state import GONE, SITE, Change, Mark, State, fingerprint, gone_of, now, wrapped

TOGETHER = 250
"""Pages that are looked up in one statement."""
ASIDE = """
CREATE TEMP TABLE listed (key INTEGER NOT NULL, lastmod REAL);
CREATE TEMP TABLE fresh (key INTEGER NOT NULL, loc TEXT NOT NULL, lastmod REAL);
CREATE TEMP TABLE dropped (key INTEGER PRIMARY KEY, sitemap TEXT, last_seen INTEGER);
"""
"""`listed` holds what was read in that order, so that the listings of one document are a range of rows."""
DROP = """INSERT OR IGNORE INTO temp.dropped SELECT key, :url, :seen_at FROM listing WHERE document = :id
    AND key NOT IN (SELECT key FROM temp.listed WHERE rowid BETWEEN :first AND :last)"""
REREAD = """DELETE FROM listing WHERE document = :id
    AND (:whole OR key IN (SELECT key FROM temp.listed WHERE rowid BETWEEN :first AND :last))"""
LISTS = """INSERT OR IGNORE INTO listing SELECT DISTINCT :id, key, coalesce(lastmod, '') FROM temp.listed
    WHERE rowid BETWEEN :first AND :last ORDER BY 2, 3"""
SEEN = "UPDATE document SET outcome = :outcome, lastmod = :lastmod, seen_at = :seen_at WHERE id = :id"
READ = "UPDATE document SET etag = :etag, last_modified = :last_modified, hash = :hash WHERE id = :id"
FOLD = """INSERT INTO entry SELECT key, loc, max(lastmod), :now FROM temp.fresh WHERE true GROUP BY key ORDER BY key
    ON CONFLICT DO UPDATE SET lastmod = excluded.lastmod"""
STILL_LISTED = """DELETE FROM temp.dropped WHERE key IN (
    SELECT listing.key FROM document CROSS JOIN listing ON listing.document = document.id
    CROSS JOIN temp.dropped ON dropped.key = listing.key WHERE site = :site)"""
"""The order of the joins is the one they are written in: listings once from front to end, the few dropped by key."""
BURY = """INSERT OR REPLACE INTO gone SELECT :site, loc, lastmod, sitemap, first_seen,
    max(first_seen, coalesce(last_seen, 0)) FROM temp.dropped JOIN entry USING (key)"""
FORGET = "DELETE FROM entry WHERE key IN (SELECT key FROM temp.dropped)"
KEEP = "INSERT INTO unlisted SELECT :site, key, sitemap, last_seen FROM temp.dropped ORDER BY key"
NOTHING = blake2b(digest_size=16).digest()
"""The hash of a document that lists nothing."""
DONE = "UPDATE site SET readings = readings + 1, read_at = :now, complete = :complete WHERE id = :site"
KNOWN = "SELECT id, url, etag, last_modified, lastmod, hash, seen_at FROM document WHERE site = ? AND url = ?"


class Known(NamedTuple):
    """A document as the state knows it."""

    id: int
    url: str
    etag: str | None
    last_modified: str | None
    lastmod: float | None
    hash: bytes | None
    seen_at: int | None


class Ledger:
    """Sees what one reading finds; `finish` writes it into the state, and `commit` makes that last."""

    def __init__(self, state: State, start: str, policy: Policy) -> None:
        """`start` is canonical. Opens nothing yet; raises ValueError for a policy that goes with no state."""
        self._state = state
        self._start = start
        self._policy = fingerprint(policy)
        self._met: set[int] | None = set() if policy.unique else None
        self._file: sqlite3.Connection | None = None
        self._marks: dict[int, Mark] = {}
        self._known: dict[str, Known | None] = {}
        self._rows: dict[str, tuple[int, int]] = {}
        """The rows of `listed` for each document, the first and the last."""
        self._listed = 0
        self._reading, self._hash = "", blake2b(digest_size=16)
        self._hashes: dict[str, bytes] = {}
        """Of what documents list. Their text would not do: what it stands for depends on where it was found, too."""
        self._finished = False
        self._complete = False
        self._lookups: dict[int, str] = {}

    # ------------------------------------------------------------------------------------------------ while it goes on
    def open(self) -> None:
        """The reading begins."""
        with wrapped(self._state.path):
            file = self._file = self._state.connect()
            file.execute("PRAGMA temp.journal_mode = OFF")  # what is put aside is never taken back
            file.executescript(ASIDE)
            (self._salt,) = file.execute("SELECT salt FROM file").fetchone()
            row = file.execute(SITE, (self._start, self._policy)).fetchone()
            if row is None:
                file.execute("INSERT OR IGNORE INTO site (start, policy) VALUES (?, ?)", (self._start, self._policy))
                row = file.execute(SITE, (self._start, self._policy)).fetchone()
            self._site, self._readings, _ = row
        self._person = self._site.to_bytes(8, "big")

    def known(self, url: str) -> Known | None:
        """What is known of a document."""
        if url not in self._known:
            with wrapped(self._state.path):
                row = self._connection.execute(KNOWN, (self._site, url)).fetchone()
            self._known[url] = row and Known(*row)
        return self._known[url]

    def validators(self, url: str) -> Validators | None:
        """What to ask a server with, so that it answers with the document only if it has changed."""
        known = self.known(url)
        return Validators(known.etag, known.last_modified) if known else None

    def is_as_dated(self, ref: SitemapRef) -> bool:
        """Whether a document that was read whole has the date in its index that it had then."""
        known = self.known(ref.loc)
        return bool(known and known.hash and known.lastmod is not None and known.lastmod == _date(ref))

    def see(self, ref: SitemapRef, entries: list[Entry]) -> list[Entry]:
        """Mark entries of a document, and put them aside; gives those that are to be delivered."""
        file = self._connection
        locs = [entry.loc.encode() for entry in entries]
        digests = [blake2b(loc, digest_size=8, salt=self._salt, person=self._person).digest() for loc in locs]
        keys = unpack(f">{len(digests)}q", b"".join(digests))
        dates = [None if (moment := entry.lastmod) is None else moment.timestamp() for entry in entries]
        with wrapped(self._state.path):
            file.execute("BEGIN")
            before = self._before(keys) if self._readings else {}
            marks = [
                Mark.NEW if key not in before else self._compared(ref.loc, key, before[key], date)
                for key, date in zip(keys, dates, strict=True)
            ]
            rows = zip(keys, [entry.loc for entry in entries], dates, marks, strict=True)
            file.executemany("INSERT INTO temp.listed VALUES (?, ?)", zip(keys, dates, strict=True))
            fresh = [(key, loc, date) for key, loc, date, mark in rows if mark is not Mark.UNCHANGED]
            file.executemany("INSERT INTO temp.fresh VALUES (?, ?, ?)", fresh)
            file.execute("COMMIT")
        self._digest(ref.loc, b"".join([*digests, array("d", [nan if date is None else date for date in dates])]))
        first, _ = self._rows.setdefault(ref.loc, (self._listed + 1, 0))
        self._listed += len(keys)
        self._rows[ref.loc] = first, self._listed
        self._marks = dict(zip(map(id, entries), marks, strict=True))
        return entries if self._met is None else _first(entries, keys, self._met)

    def _digest(self, url: str, listed: bytes) -> None:
        if url != self._reading:  # documents are read one after the other
            self._hashes[self._reading] = self._hash.digest()
            self._reading, self._hash = url, blake2b(digest_size=16)
        self._hash.update(listed)

    def change(self, entry: Entry) -> Change:
        """An entry of those that were seen last, with its mark."""
        return Change(self._marks[id(entry)], entry)

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._file is None:
            raise StateError("the reading is over")
        return self._file

    def _before(self, keys: tuple[int, ...]) -> dict[int, float | None]:
        """The dates of those pages that are known."""
        found: dict[int, float | None] = {}
        for at in range(0, len(keys), TOGETHER):
            some = keys[at : at + TOGETHER]
            query = self._lookups.get(len(some)) or self._lookups.setdefault(
                len(some), f"SELECT key, lastmod FROM entry WHERE key IN ({','.join('?' * len(some))})"
            )
            found.update(self._connection.execute(query, some))
        return found

    def _compared(self, url: str, key: int, before: float | None, date: float | None) -> Mark:
        """The mark of a page that is known. One without a date says nothing, and it may have been cut off."""
        if date is None or date == before:
            return Mark.UNCHANGED
        known = self.known(url)
        query = "SELECT 1 FROM listing WHERE document = ? AND key = ? AND lastmod = ?"
        is_old = known and self._connection.execute(query, (known.id, key, date)).fetchone()
        return Mark.UNCHANGED if is_old else Mark.CHANGED

    # ------------------------------------------------------------------------------------------------------ at the end
    def finish(self, report: Report) -> None:
        """Write the reading into the state, in a transaction that `commit` ends.

        Raises StateError if another reading of the same site was written meanwhile.
        """
        try:
            with wrapped(self._state.path):
                self._fold(report)
        except BaseException:
            self.close()
            raise
        self._complete = report.complete
        self._finished = True

    def _fold(self, report: Report) -> None:
        file = self._connection
        file.execute("BEGIN IMMEDIATE")
        if file.execute(SITE, (self._start, self._policy)).fetchone()[:2] != (self._site, self._readings):
            raise StateError(f"{self._start} was read by somebody else meanwhile")
        self._digest("", b"")
        terms = {"site": self._site, "now": now(), "complete": report.complete}
        file.execute(FOLD, terms)
        file.execute("INSERT INTO temp.dropped SELECT key, sitemap, last_seen FROM unlisted WHERE site = :site", terms)
        rows = {row.requested: row for row in report.sitemaps if not row.speculative}
        for row in rows.values():
            self._write(row, terms["now"])
        if report.complete:
            self._drop_others(rows)
        if file.execute("SELECT 1 FROM temp.dropped").fetchone():
            file.execute(STILL_LISTED, terms)
        file.execute("DELETE FROM gone WHERE site = :site", terms)
        file.execute("DELETE FROM unlisted WHERE site = :site", terms)
        # What no document lists any more is gone; after an incomplete reading, it is looked at again next time.
        for statement in (BURY, FORGET) if report.complete else (KEEP,):
            file.execute(statement, terms)
        file.execute(DONE, terms)

    def _write(self, row: SitemapReport, now: int) -> None:
        """What a document lists now, as far as it was read."""
        file, url = self._connection, row.requested
        before = self.known(url)
        if before is None:
            file.execute("INSERT INTO document (site, url) VALUES (?, ?)", (self._site, url))
            (before,) = (Known(*found) for found in file.execute(KNOWN, (self._site, url)))
        first, last = self._rows.get(url, (0, 0))
        terms: dict[str, Any] = {
            "id": before.id,
            "first": first,
            "last": last,
            "url": url,
            "outcome": row.outcome and row.outcome.value,
            # The date that its index gave to what was read last, not to what could not be read.
            "lastmod": _date(row) if row.complete else before.lastmod,
            "seen_at": now if row.complete else before.seen_at,
        }
        if row.outcome is Outcome.OK or url in self._rows:
            # That an index or a robots.txt is unchanged would say nothing of what it names.
            is_leaf = row.complete and not row.refs and row.format is not Format.ROBOTS
            hash_ = self._hashes.get(url, NOTHING) if is_leaf else None
            if hash_ is None or hash_ != before.hash:
                if row.complete:
                    file.execute(DROP, {**terms, "seen_at": before.seen_at})
                file.execute(REREAD, {**terms, "whole": row.complete})
                file.execute(LISTS, terms)
            tags = {"etag": row.etag, "last_modified": row.last_modified} if is_leaf else {}
            file.execute(READ, {**terms, "hash": hash_, "etag": None, "last_modified": None, **tags})
        file.execute(SEEN, terms)

    def _drop_others(self, rows: dict[str, SitemapReport]) -> None:
        """Forget documents that nothing names any more."""
        file = self._connection
        others = [
            (id_, url, seen_at)
            for id_, url, seen_at in file.execute("SELECT id, url, seen_at FROM document WHERE site = ?", (self._site,))
            if url not in rows
        ]
        for id_, url, seen_at in others:
            file.execute(DROP, {"id": id_, "first": 0, "last": 0, "url": url, "seen_at": seen_at})
            file.execute("DELETE FROM listing WHERE document = ?", (id_,))
            file.execute("DELETE FROM document WHERE id = ?", (id_,))

    def gone(self) -> Iterator[Change]:
        """What the reading found gone, by loc; raises StateError if it is not at its end or not complete."""
        if not self._finished:
            raise StateError("the reading is not at its end: what is gone is not known")
        if not self._complete:
            raise StateError("the reading is not complete: what is gone is not known")
        with wrapped(self._state.path):
            file = self._file or self._state.connect()
            try:
                for row in file.execute(GONE, (self._site,)):
                    yield gone_of(row)
            finally:
                if file is not self._file:
                    file.close()

    def commit(self) -> None:
        """Make what was written last, if the reading came to its end."""
        try:
            if self._finished and self._file is not None:
                with wrapped(self._state.path):
                    self._file.execute("COMMIT")
        finally:
            self.close()  # on a full disk too, or the file stays locked

    def close(self) -> None:
        """Let go; what was not committed never was."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _first(entries: list[Entry], keys: tuple[int, ...], met: set[int]) -> list[Entry]:
    """Those that were not met before."""
    kept = []
    for entry, key in zip(entries, keys, strict=True):
        if key not in met:
            met.add(key)
            kept.append(entry)
    return kept


def _date(dated: SitemapRef | SitemapReport) -> float | None:
    return None if dated.lastmod is None else dated.lastmod.timestamp()
