"""A damaged item, cut out of its document, read by the first of the ways in `repair` that gives a whole one."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple
from xml.parsers.expat import ExpatError

from ..diagnostics import Code
from ..normalize import Raw
from . import repair, resync
from .grammar import Document, NestedItem
from .items import Harvest


class Attempt(NamedTuple):
    """What came of reading a piece."""

    raws: list[Raw]
    findings: list[tuple[Code, str, str]]


def mend(piece: bytes, document: Document, *, is_broken: bool) -> list[Raw] | None:
    """The raw items of the damaged item in `piece`, which is counted; None if no way gives a whole one.

    `is_broken`: it is known not to parse as it is written.
    """
    where = f"item {document.number + 1}"
    decoded = repair.decoded(piece)
    as_written = () if is_broken and decoded == piece else (repair.AS_WRITTEN,)
    for way in (*as_written, *repair.WAYS) if repair.is_promising(decoded) else ():
        changed = way.change(decoded, document)
        attempt = read(changed, document) if changed is not None else None
        if attempt is None:
            continue
        for finding in attempt.findings:
            document.report(*finding)
        if decoded != piece:
            document.report(Code.ENCODING_ERROR, "bytes that are not in the document's encoding", where)
        if way.code:
            document.report(way.code, way.detail, where)
        document.number += 1
        return attempt.raws
    document.number += 1
    return None


def read(piece: bytes, document: Document) -> Attempt | None:
    """The item in one piece of a document; None if it has a fault. An open one counts as far as it is closed."""
    findings: list[tuple[Code, str, str]] = []

    def report(code: Code, detail: str = "", where: str = "") -> None:
        findings.append((code, detail, where))

    alone = replace(document, report=report, ancestors=list(document.ancestors), namespaces={})
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
    if alone.number == document.number or (is_open and not harvest.raws):
        return None
    return Attempt(harvest.raws, findings)
