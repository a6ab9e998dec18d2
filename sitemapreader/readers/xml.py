"""XML documents of every format: streamed through expat, and taken up again behind each fault.

Contract: `feed` takes UTF-8 blocks from the root's start tag on and returns the raw items they complete; `close`
returns what the end of the input completes. A fault costs the item it stands in, at most: that item is cut out at the
next item's start tag, mended if that can be done without guessing (see `repair`), and expat goes on behind it under a
synthetic root with the document's namespaces. Each byte is searched and parsed a fixed number of times, however many
faults there are.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.parsers.expat import ExpatError, errors

from ..diagnostics import Code, Reporter
from ..extensions import USUAL_PREFIXES
from ..limits import Limits
from ..normalize import Raw
from ..payload import BLOCK, Stop
from . import repair
from .grammar import Document, Vocabulary
from .items import Harvest, NestedItem
from .resync import LONGEST_TAG_NAME, Boundaries, declarations, prefixes

UNBOUND_PREFIX = errors.codes[errors.XML_ERROR_UNBOUND_PREFIX]
EARLY_END = {
    errors.codes[message]
    for message in (
        errors.XML_ERROR_NO_ELEMENTS,
        errors.XML_ERROR_UNCLOSED_TOKEN,
        errors.XML_ERROR_PARTIAL_CHAR,
        errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
}
FIRST_SLICE = 4 * 1024
ROOT_TAG = re.compile(rb"<((?:[A-Za-z_][\w.-]*:)?[A-Za-z_][\w.-]*)([^<>]*)")


class Attempt(NamedTuple):
    """What came of reading one piece."""

    raws: list[Raw]
    findings: list[tuple[Code, str, str]]


class XmlReader:
    """Reads one document with one vocabulary."""

    def __init__(
        self, vocabulary: Vocabulary, report: Reporter, limits: Limits, *, preamble: bytes = b"", wrapped: bool = False
    ) -> None:
        self._document = Document(vocabulary, report, limits)
        self._report = report
        self._limits = limits
        self._wrapped = wrapped
        self._boundaries = Boundaries(vocabulary)
        self._buffer = b""
        self._offset = 0
        """Position in the document of the first byte of the buffer."""
        self._lines = 1
        """Number of the line on which the buffer starts."""
        self._harvest: Harvest | None = None
        self._base = 0
        """Position in the document of the run's byte 0."""
        self._at = 0
        """Position up to which the run was fed, or from which to search without one."""
        self._damaged = False
        """The search starts at a damaged item, which is to be mended."""
        self._began = 0
        """Position in the document where the run began."""
        self._progress = 0
        self._slice = FIRST_SLICE
        self._out: list[Raw] = []
        self._declare(preamble)
        self._begin(0, wrapped=bool(self._document.namespaces))

    def feed(self, block: bytes) -> list[Raw]:
        """Raw items that end in `block`; raises Stop at a limit."""
        self._buffer += block
        self._step(final=False)
        self._trim()
        return self._take()

    def close(self, *, cut: bool = False) -> list[Raw]:
        """What is left at the end of the input; `cut`: the end is known to be early and reported."""
        self._step(final=True)
        if not self._document.root_closed and not cut:
            self._report(Code.TRUNCATED, "the document ends before its root element does")
        return self._take()

    def _step(self, *, final: bool) -> None:
        try:
            self._advance(final=final)
        except Stop as stop:
            if self._harvest:
                self._collect(self._harvest)
            raise Stop(stop.code, stop.detail, stop.where, carried=self._take()) from None

    def _take(self) -> list[Raw]:
        out, self._out = self._out, []
        return out

    # --------------------------------------------------------------------------------------------- one run of expat
    def _begin(self, at: int, *, wrapped: bool, inside: bool = False) -> None:
        """Start a run at `at`: under a wrapper with the declarations, and `inside` the document's containers."""
        document = self._document
        ancestors, document.ancestors = document.ancestors if inside else [], []
        synthetic = (
            repair.start_tags({**USUAL_PREFIXES, **document.namespaces}, ancestors) if wrapped or inside else b""
        )
        document.bases = [(0, base) for _, base in document.bases]
        self._harvest = Harvest(document)
        self._harvest.parse(synthetic)
        self._base = at - len(synthetic)
        self._at = self._began = self._progress = at
        self._slice = FIRST_SLICE

    def _advance(self, *, final: bool) -> None:
        """Drive the run over the buffer, and past each fault in it."""
        while True:
            if self._harvest:
                self._drive(self._harvest, final=final)
                if self._harvest:
                    return
            if not self._search(final=final):
                return

    def _drive(self, harvest: Harvest, *, final: bool) -> None:
        """Feed the run what the buffer has, in slices that are small where faults are near each other."""
        data = memoryview(self._buffer)[self._at - self._offset :]
        try:
            while data:
                harvest.parse(data[: self._slice])
                self._at += len(data[: self._slice])
                data = data[self._slice :]
                self._slice = min(2 * self._slice, BLOCK)
            if final:
                harvest.parse(b"", final=True)
        except (ExpatError, NestedItem) as fault:
            self._collect(harvest)
            self._break(harvest, fault, final=final and not data)
            return
        self._collect(harvest)
        index = harvest.expat.CurrentByteIndex
        if index >= 0:
            self._progress = max(self._progress, self._base + index)
        if self._at - self._progress > self._limits.max_token:
            raise Stop(Code.LIMIT_TOKEN, "no end of one token within max_token bytes", f"item {self._document.number}")

    def _collect(self, harvest: Harvest) -> None:
        self._out += harvest.raws
        harvest.raws.clear()

    def _break(self, harvest: Harvest, fault: ExpatError | NestedItem, *, final: bool) -> None:
        """Leave the run at a fault: report it, and remember where the search for the next item starts."""
        document, expat = self._document, harvest.expat
        self._harvest = None
        index = expat.CurrentByteIndex if isinstance(fault, NestedItem) else expat.ErrorByteIndex
        stopped = max(self._base + index, self._began)
        start = self._base + harvest.item_start if harvest.item is not None else self._opening_tag(stopped)
        harvest.dispose()
        if harvest.item is not None:
            document.number -= 1  # it is counted again when it is read again
        self._damaged = start is not None and start >= self._offset
        if isinstance(fault, NestedItem):
            self._report(Code.NONSTANDARD_MARKUP, "an item inside an item", f"item {document.number + 1}")
        elif not (final and fault.code in EARLY_END and not document.root_closed) and stopped < self._end:
            self._report_fault(fault, stopped)
        if start is not None and not self._damaged:
            document.number += 1
            self._lose("a damaged item longer than max_token")
        self._at = start if start is not None and self._damaged else self._hidden_from(stopped)
        if isinstance(fault, ExpatError) and fault.code == UNBOUND_PREFIX and self._bind_prefixes(self._at):
            self._damaged = False
            inside = document.root_uri is not None
            self._begin(stopped if start is None else start, wrapped=True, inside=inside)
        elif document.root_uri is None:
            self._read_root_tag()

    def _opening_tag(self, stopped: int) -> int | None:
        """Where the fault at `stopped` is inside an item's start tag, the position of that tag."""
        at = self._boundaries.opening_tag(self._buffer, max(stopped - self._offset, 0))
        return None if at is None or self._offset + at < self._began else self._offset + at

    def _hidden_from(self, stopped: int) -> int:
        """Where the comment begins that the fault stands in, or the fault itself; always behind the run's begin."""
        at = max(stopped - self._offset, 0)
        opened = self._buffer.rfind(b"<!--", 0, at + 1)
        hidden = opened > self._buffer.rfind(b"-->", 0, at + 1)
        return max(self._offset + opened if hidden else stopped, self._began + 1)

    def _read_root_tag(self) -> None:
        """Take from a root's start tag that expat refuses what its items need."""
        document = self._document
        match = ROOT_TAG.match(self._buffer, max(self._began - self._offset, 0))
        if match:
            self._declare(match[2])
            name = match[1].decode("utf-8", "replace")
            prefix = name.rpartition(":")[0]
            if prefix in ("xml", "xmlns"):
                name = name.rpartition(":")[2]  # bound by XML itself, and to nothing that a root may be in
            elif prefix:
                document.namespaces.setdefault(prefix, f"urn:undeclared:{prefix}")
            document.ancestors = [name]
            document.root_uri = document.namespaces.get(prefix, "")
            self._at = max(self._at, self._offset + match.end())

    @property
    def _end(self) -> int:
        """Position in the document behind the last byte of the buffer."""
        return self._offset + len(self._buffer)

    def _report_fault(self, fault: ExpatError, stopped: int) -> None:
        line = self._lines + self._buffer.count(b"\n", 0, max(stopped - self._offset, 0))
        where = f"line {line}"
        if self._document.root_closed and self._wrapped:
            return  # the end of the wrapper
        if self._document.root_closed:
            self._report(Code.TRAILING_CONTENT, "content after the root element", where)
        elif fault.code == UNBOUND_PREFIX:
            self._report(Code.NAMESPACE, "a prefix that is not declared", where)
        else:
            self._report(Code.XML_MALFORMED, errors.messages.get(fault.code, str(fault)), where)

    # ------------------------------------------------------------------------------------------- behind a fault
    def _search(self, *, final: bool) -> bool:
        """Go on behind a fault: mend the damaged item and begin a run at the next; False if more input is needed."""
        start = self._at - self._offset
        patience = 0 if final else self._limits.max_token
        found = self._boundaries.next(self._buffer, start + self._damaged, patience=patience)
        if found is None and not self._damaged:
            self._at = max(self._at, self._end - LONGEST_TAG_NAME)
        if found is None:
            if final:
                if self._damaged:
                    self._mend(self._end, cut=True)
                self._at = self._end
            elif self._damaged and self._end - self._at > self._limits.max_token:
                self._lose("a damaged item longer than max_token")
                self._at = self._end
            return False
        if self._damaged:
            self._mend(self._offset + found.start, cut=False)
        self._at = self._offset + found.start
        if found.kind == "end":
            self._document.root_closed = True
            self._at = self._offset + found.end
        elif found.kind == "item" and self._boundaries.endless:
            self._damaged = True  # a run would take the rest for a comment, once for each item
        elif found.kind == "item":
            document = self._document
            if document.root_closed and not document.ancestors and document.root_tag:
                document.ancestors.append(document.root_tag)
            document.root_closed = False
            self._begin(self._at, wrapped=True, inside=True)
        else:
            self._declare(self._buffer[found.start : found.end])
            self._begin(self._at, wrapped=True)
        return True

    def _mend(self, end: int, *, cut: bool) -> None:
        """Read the damaged item, which ends before `end`, by the first way that gives a whole one."""
        self._damaged = False
        document = self._document
        piece = self._buffer[self._at - self._offset : end - self._offset]
        self._bind_prefixes(self._at, end)
        for way in repair.WAYS:
            changed = way.change(piece, document)
            attempt = self._read_piece(changed) if changed is not None else None
            if attempt is None:
                continue
            document.number += 1
            for finding in attempt.findings:
                self._report(*finding)
            if way.code:
                code = Code.ENCODING_ERROR if way.code is Code.XML_REPAIRED and not repair.is_utf8(piece) else way.code
                self._report(code, way.detail, f"item {document.number}")
            self._out += attempt.raws
            return
        document.number += 1
        if not cut:
            self._lose("an item that cannot be put right")

    def _lose(self, detail: str) -> None:
        self._damaged = False
        self._report(Code.ENTRY_LOST, detail, f"item {self._document.number}")

    def _read_piece(self, piece: bytes) -> Attempt | None:
        """The item in one piece of the document; None if it has a fault. An open one counts as far as it is closed."""
        document = self._document
        findings: list[tuple[Code, str, str]] = []

        def report(code: Code, detail: str = "", where: str = "") -> None:
            findings.append((code, detail, where))

        alone = Document(
            document.vocabulary, report, document.limits, root_uri=document.root_uri, number=document.number
        )
        alone.bases = [(0, base) for _, base in document.bases]
        harvest = Harvest(alone)
        try:
            harvest.parse(repair.start_tags({**USUAL_PREFIXES, **document.namespaces}, document.ancestors))
            harvest.parse(piece)
        except (ExpatError, NestedItem):
            # A fault behind the item's end tag, as a stray end tag is, does not touch it.
            if harvest.item is not None:
                return None
        finally:
            harvest.dispose()
        open_item = harvest.item is not None
        harvest.finish_open_item()
        if alone.number == document.number or (open_item and not harvest.raws):
            return None
        return Attempt(harvest.raws, findings)

    # ---------------------------------------------------------------------------------------------- declarations
    def _declare(self, markup: bytes) -> None:
        """Remember the namespace declarations in a piece of markup that expat did not read."""
        self._document.declare(declarations(markup))

    def _bind_prefixes(self, start: int, end: int | None = None) -> bool:
        """Bind the prefixes used from `start` on that nothing declares; False if there is none."""
        window = self._buffer[start - self._offset : None if end is None else end - self._offset]
        unknown = prefixes(window) - set(self._document.namespaces)
        return self._document.declare(
            (prefix, USUAL_PREFIXES.get(prefix, f"urn:undeclared:{prefix}")) for prefix in sorted(unknown)
        )

    def _trim(self) -> None:
        """Forget what is done with: all before the open or damaged item, or before the search."""
        harvest = self._harvest
        keep = self._at
        if harvest:  # the token that is pending may be the start tag of an item
            open_from = self._progress if harvest.item is None else self._base + harvest.item_start
            keep = max(open_from, self._at - self._limits.max_token)
        done = keep - self._offset
        if done > 0:
            self._lines += self._buffer.count(b"\n", 0, done)
            self._buffer = self._buffer[done:]
            self._offset = keep
