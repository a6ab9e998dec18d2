"""A damaged item, cut out of its document, read by the first of the ways in `repair` that gives a whole one."""

from __future__ import annotations

from dataclasses import replace
from xml.parsers.expat import ExpatError

from ..diagnostics import Code
from ..normalize import Finding, Finds, Piece, Raw
from . import repair, resync
from .grammar import Document, NestedItem
from .items import Harvest


def mend(piece: bytes, document: Document, *, is_broken: bool) -> bool:
    """Find the items of the damaged item in `piece`, which is counted; False if no way gives a whole one.

    `is_broken`: it is known not to parse as it is written.
    """
    finds, where = document.finds, f"item {document.number + 1}"
    decoded = repair.decoded(piece)
    as_written = () if is_broken and decoded == piece else (repair.AS_WRITTEN,)
    for way in (*as_written, *repair.WAYS) if repair.is_promising(decoded) else ():
        changed = way.change(decoded, document)
        found = read(changed, document) if changed is not None else None
        if found is None:
            continue
        finds.pieces += [find for find in found if isinstance(find, Finding)]
        if decoded != piece:
            finds.report(Code.ENCODING_ERROR, "bytes that are not in the document's encoding", where)
        if way.code:
            finds.report(way.code, way.detail, where)
        finds.pieces += [find for find in found if not isinstance(find, Finding)]
        document.number += 1
        return True
    document.number += 1
    return False


def read(piece: bytes, document: Document) -> list[Piece] | None:
    """The item in one piece of a document; None if it has a fault. An open one counts as far as it is closed."""
    alone = replace(document, finds=Finds(), ancestors=list(document.ancestors), namespaces={})
    harvest = Harvest(alone, resync.start_tags(document, around=piece))
    try:
        harvest.parse(piece)
    except (ExpatError, NestedItem):
        # A fault behind the item's end tag, as a stray end tag is, does not touch it.
        if harvest.item is not None:
            return None
    finally:
        harvest.dispose()
    is_open = harvest.item is not None
    harvest.finish_open_item()
    found = alone.finds.take()
    has_item = any(isinstance(piece, Raw) for piece in found)
    return None if alone.number == document.number or (is_open and not has_item) else found
