"""XML documents of every format: streamed through expat, and taken up again behind each fault.

Contract: `feed` takes UTF-8 blocks from the root's start tag on and returns the raw items they complete; `close`
returns what the end of the input completes. A fault costs the item it stands in, at most: that item is cut out at the
next boundary, mended if that can be done without guessing (see `repair`), and expat goes on behind it under a synthetic
root with the document's namespaces. Each byte is searched and parsed a fixed number of times, however many faults there
are.
"""

from __future__ import annotations

from xml.parsers.expat import ExpatError, errors

from ..diagnostics import Code
from ..limits import Limits
from ..normalize import Finds, Piece
from ..payload import BLOCK, Stop
from . import resync
from .grammar import Container, Document, NestedItem, Vocabulary
from .held import Held
from .items import Harvest
from .scan import START_TAG, WAITING, Scanner

INVALID_TOKEN = errors.codes[errors.XML_ERROR_INVALID_TOKEN]
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
FIRST_SLICE = LOOKAHEAD = 4 * 1024


class XmlReader:
    """Reads one document with one vocabulary."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        limits: Limits,
        *,
        preamble: bytes = b"",
        wrapped: bool = False,
        line: int = 1,
    ) -> None:
        """See Detected for the preamble, what is wrapped, and the line the input begins in."""
        self._finds = Finds()
        self._document = Document(vocabulary, self._finds, limits)
        self._boundaries = resync.Boundaries(vocabulary, patience=limits.max_token)
        self._report = self._finds.report
        self._wrapped = wrapped
        self._max_token = limits.max_token
        self._held = Held(line)
        self._harvest: Harvest | None = None
        self._base = 0
        """Position in the document of the run's byte 0."""
        self._began = 0
        """Position in the document where the run began."""
        self._at = 0
        """Position up to which the run was fed."""
        self._progress = 0
        self._slice = FIRST_SLICE
        self._damaged: int | None = None
        """Position of a damaged item, which is to be mended."""
        self._fault = 0
        """Position of the fault in it; outside of it if it may be whole."""
        self._looked = 0
        """Position from which to search for a boundary."""
        self._at_end = False
        """A run has reached the end of the input: another from further on would just read the same again."""
        self._scanner: Scanner | None = None
        self._cut_root: int | None = None
        """Position of a refused start tag of a root whose end has yet to come."""
        self._document.declare(resync.declarations(preamble))
        self._begin(0, anew=True)

    def feed(self, block: bytes) -> list[Piece]:
        """Raw items that end in `block`; raises Stop at a limit."""
        self._held.add(block)
        if self._scanner:
            self._scanner.begin_block()
        self._step(final=False)
        self._trim()
        return self._finds.take()

    def close(self, *, cut: bool = False) -> list[Piece]:
        """What is left at the end of the input; `cut`: the end is known to be early and reported."""
        self._step(final=True)
        if not self._document.root_closed and not cut:
            self._report(Code.TRUNCATED, "the document ends before its root element does")
        return self._finds.take()

    def _step(self, *, final: bool) -> None:
        try:
            self._advance(final=final)
        except Stop as stop:
            raise Stop(stop.code, stop.detail, stop.where, carried=self._finds.take()) from None

    def _advance(self, *, final: bool) -> None:
        """Drive the run over the buffer, and past each fault in it."""
        while True:
            if self._harvest:
                if self._drive(self._harvest, final=final):
                    return
            elif not self._search(final=final):
                return

    # --------------------------------------------------------------------------------------------- one run of expat
    def _begin(self, at: int, *, anew: bool) -> None:
        """Start a run at `at`: `anew` at a root, else inside the document's containers."""
        document = self._document
        if anew:
            document.ancestors = []
        around = resync.start_tags(document) if document.namespaces or not anew else b""
        self._harvest = Harvest(document, around)
        self._base = at - len(around)
        self._at = self._began = self._progress = at
        self._slice = FIRST_SLICE
        self._damaged = None

    def _drive(self, harvest: Harvest, *, final: bool) -> bool:
        """Feed the run what the buffer has, in slices that are small where faults are near each other.

        False if it was left at a fault.
        """
        try:
            while chunk := self._next_chunk(harvest, final=final):
                harvest.parse(chunk)
                self._at += len(chunk)
            if final:
                harvest.parse(b"", final=True)
        except NestedItem:
            self._divide(harvest)
            return False
        except ExpatError as error:
            self._break(harvest, error, at_end=self._at == self._held.end)
            return False
        index = harvest.expat.CurrentByteIndex
        if index >= 0:
            self._progress = max(self._progress, self._base + index)
        if self._at - self._progress > self._max_token:
            where = f"item {self._document.number}"
            raise Stop(Code.LIMIT_TOKEN, "no end of one token within max_token bytes", where)
        return True

    def _next_chunk(self, harvest: Harvest, *, final: bool) -> bytes | memoryview:
        """What expat is to read next, behind what a scanner reads; empty if there is nothing, or if it can wait."""
        data = self._held.data
        if self._at == 0 and (tag := START_TAG.match(data)):
            return tag[0]
        if self._scanner is None and self._at and self._document.root_uri is not None:
            self._scanner = Scanner.of(self._document)
        scanner, end, odd = self._scanner, len(data), 0
        if scanner:
            scanner.check(self._document)
        if scanner and not scanner.is_resting:
            if harvest.is_between_items(self._at - self._base, scanner.inside):
                odd = self._scan(scanner)
            else:  # if the run gets behind the item with this, the scanner takes over
                odd = max(scanner.end_of_item(data, self._at - self._held.start) - self._at + self._held.start, 0)
        at = self._at - self._held.start
        if scanner and not odd and not final:  # an item that is not there yet is left for later, whoever will read it
            whole = scanner.last_end(data, at)
            end = whole or (at if end - at < WAITING else end)
        size, self._slice = self._slice, min(2 * self._slice, BLOCK)
        return memoryview(data)[at : at + odd if odd else min(end, at + size)]

    def _scan(self, scanner: Scanner) -> int:
        """Let the scanner read on; gives the bytes of the odd item behind, which are for expat."""
        while True:
            found = scanner.scan(self._held.data, self._at - self._held.start, self._document.number)
            if found.table is None:
                return found.odd
            self._finds.pieces.append(found.table)
            self._document.number += len(found.table.locs)
            self._at += found.length
            self._base += found.length  # expat never sees them
            self._progress = self._at

    def _divide(self, harvest: Harvest) -> None:
        """Leave the run where an item starts inside an item: the outer one ends there, where it is not damaged too."""
        document = self._document
        at = self._base + harvest.nested_start
        self._report(Code.NONSTANDARD_MARKUP, "an item inside an item", f"item {document.number}")
        if harvest.inside_child:
            self._leave(harvest, self._base + harvest.item_start, fault=at)
        else:
            harvest.finish_open_item()
            harvest.dispose()
            self._begin(at, anew=False)

    def _break(self, harvest: Harvest, error: ExpatError, *, at_end: bool) -> None:
        """Leave the run at a fault, and go on there if all that is missing is the meaning of a prefix."""
        document = self._document
        stopped = max(self._base + harvest.expat.ErrorByteIndex, self._began)
        self._at_end |= at_end
        start = self._opening_tag(stopped) if harvest.item is None else self._base + harvest.item_start
        self._report_error(error, stopped, at_end=at_end)
        is_unbound = error.code == UNBOUND_PREFIX
        self._leave(harvest, start, fault=self._held.end if at_end or is_unbound else stopped)
        if self._damaged is None:
            self._looked = self._behind(error, stopped)
        else:
            self._reopen_root()
        resumed = stopped if start is None else start
        if (
            is_unbound
            and resumed >= self._held.start
            and resync.bind(document, self._held.piece(resumed, stopped + LOOKAHEAD))
        ):
            self._begin(resumed, anew=document.root_uri is None)
        elif document.root_uri is None:
            self._read_root_tag(stopped)

    def _leave(self, harvest: Harvest, start: int | None, *, fault: int) -> None:
        """Remember the damaged item at `start`, if it is one that is damaged and it is not too long."""
        if harvest.item is not None:
            self._document.number -= 1  # it is counted again when it is read again
        self._harvest = None
        harvest.dispose()
        self._damaged = start
        if start is None:
            return
        self._fault, self._looked = fault, start + 1
        if start < self._held.start:
            self._document.number += 1
            self._lose("a damaged item longer than max_token")

    def _opening_tag(self, stopped: int) -> int | None:
        """Where the fault at `stopped` is in an item's start tag, or where that should end, the position of the tag."""
        at = self._boundaries.item_tag(self._held.data, stopped - self._held.start, self._began - self._held.start)
        return None if at is None else self._held.start + at

    def _behind(self, error: ExpatError, stopped: int) -> int:
        """Where to go on behind a fault outside of items: one inside a comment leaves that a comment."""
        if error.code == INVALID_TOKEN:
            comment = resync.section_around(self._held.data, self._began - self._held.start, stopped - self._held.start)
            stopped = stopped if comment is None else self._held.start + comment
        return max(stopped, self._began + 1)

    def _read_root_tag(self, stopped: int) -> None:
        """Take from a root's start tag that expat refuses what its items need."""
        document, shift = self._document, self._held.start
        match = self._boundaries.root_tag(self._held.data, self._began - shift, stopped - shift)
        if match:
            self._cut_root = shift + match.start() if match.end() == len(self._held.data) else None
            document.declare(resync.declarations(match[2]))
            name = match[1].decode("ascii", "replace")
            prefix, _, local = name.rpartition(":")
            if prefix in ("xml", "xmlns"):
                name = local  # bound by XML itself, and to nothing that a root may be in
            document.ancestors = [Container(name)]
            document.root_tag, document.root_name = name, local.lower()
            document.root_uri = document.namespaces.get(prefix, resync.usual_meaning(prefix) if prefix else "")
            self._damaged = None
            self._looked = max(self._looked, shift + match.end())

    def _report_error(self, error: ExpatError, stopped: int, *, at_end: bool) -> None:
        where = f"line {self._held.line_at(stopped)}"
        closed = self._document.root_closed
        if (at_end and error.code in EARLY_END and not closed) or stopped >= self._held.end:
            return  # the end of the input will be reported
        elif closed and self._wrapped:
            return  # the end of the wrapper
        elif closed:
            self._report(Code.TRAILING_CONTENT, "content after the root element", where)
        elif error.code == UNBOUND_PREFIX:
            self._report(Code.NAMESPACE, "a prefix that is not declared", where)
        else:
            self._report(Code.XML_MALFORMED, errors.messages.get(error.code, str(error)), where)

    # ------------------------------------------------------------------------------------------- behind a fault
    def _search(self, *, final: bool) -> bool:
        """Go on behind a fault: mend the damaged item and begin a run at the next; False if more input is needed."""
        if self._cut_root is not None:
            self._read_root_tag(self._cut_root)
            if self._cut_root is not None and not final and self._held.end - self._cut_root <= self._max_token:
                return False
            self._cut_root = None
        found = self._boundaries.next(self._held.data, self._held.start, self._looked, final=final)
        self._looked = found.end
        if found.kind == "more":
            if self._damaged is not None and final:
                self._mend(self._damaged, self._held.end, cut=True)
            elif self._damaged is not None and self._held.end - self._damaged > self._max_token:
                self._document.number += 1
                self._lose("a damaged item longer than max_token")
            return False
        if self._damaged is not None:
            self._mend(self._damaged, found.start, cut=False)
        document = self._document
        if found.kind == "end":
            document.root_closed = True
        elif found.kind == "root":
            document.declare(resync.declarations(self._held.piece(found.start, found.end)))
            self._begin(found.start, anew=True)
        else:
            self._reopen_root()
            if self._at_end:
                self._damaged, self._fault = found.start, self._held.end
            else:
                self._begin(found.start, anew=False)
        return True

    def _reopen_root(self) -> None:
        """An item that stands behind the end of the root is one of it."""
        document = self._document
        if document.root_closed and not document.ancestors and document.root_tag:
            document.ancestors = [Container(document.root_tag)]
        document.root_closed = False

    def _mend(self, start: int, end: int, *, cut: bool) -> None:
        from .mend import mend  # most documents have nothing to mend

        is_mended = mend(self._held.piece(start, end), self._document, is_broken=start < self._fault < end)
        self._damaged = None
        if not (is_mended or cut):
            self._lose("an item that cannot be put right")

    def _lose(self, detail: str) -> None:
        self._damaged = None
        self._report(Code.ENTRY_LOST, detail, f"item {self._document.number}")

    def _trim(self) -> None:
        """Forget what is done with: all before the open or damaged item, or before the search."""
        harvest = self._harvest
        if harvest is None:
            places = (self._looked if self._damaged is None else self._damaged, self._cut_root)
            keep = min(place for place in places if place is not None)
        else:  # the token that is pending may be the start tag of an item
            begun = self._progress if harvest.item is None else self._base + harvest.item_start
            keep = max(begun, self._at - self._max_token)
        self._held.forget(keep)
