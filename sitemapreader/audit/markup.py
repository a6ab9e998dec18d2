"""The tags of a document, as they are written: which of them the protocol does not have, or not there, or once only, or
not empty, or not in these letters.

Readers skip what they do not know, and rightly; whoever publishes a sitemap wants to be told.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers.expat import ExpatError

from ..model import ChangeFreq
from ..readers.grammar import split
from ..readers.guard import Expat, guarded_parser
from ..readers.urlset import NAMESPACES

CHILDREN = {
    "urlset": {"url"},
    "sitemapindex": {"sitemap"},
    "url": {"loc", "lastmod", "changefreq", "priority"},
    "sitemap": {"loc", "lastmod"},
}
"""What may stand in what (https://www.sitemaps.org/protocol.html#xmlTagDefinitions)."""
ITEMS = {"url", "sitemap"}
VALUES = {"lastmod", "changefreq", "priority"}
"""What may be left out, but does not stand empty; each is the name of its rule, too."""
WORDS = {word.value for word in ChangeFreq}
DEPTH = 64

Report = Callable[[str, str, str, str], object]
"""``report(rule, url, where, detail)``."""


class Markup:
    """Is shown the text of documents, one after the other, in blocks of UTF-8; looks at it up to the first fault."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._url = ""
        self._expat: Expat = None
        self._open: list[str] = []
        self._number = 0
        self._seen: set[str] = set()
        self._text: list[str] = []

    def __call__(self, url: str, block: bytes, encoding: str) -> None:
        """`block` is of the document at `url`, which was in `encoding`."""
        if url != self._url:
            self._begin(url)
            if encoding not in ("utf-8", "ascii"):
                self._report("utf-8", url, "", f"encoded in {encoding}")
        if self._expat is not None:
            try:
                self._expat.Parse(block, False)
            except (ExpatError, ValueError):
                self._close()

    def _begin(self, url: str) -> None:
        self._close()
        self._url, self._open, self._number = url, [], 0
        self._expat = guarded_parser(lambda: None)
        self._expat.StartElementHandler, self._expat.EndElementHandler = self._start, self._end

    def _close(self) -> None:
        """Break the circle of parser and handlers, so that the memory goes at once."""
        if self._expat is not None:
            self._expat.StartElementHandler = self._expat.EndElementHandler = self._expat.CharacterDataHandler = None
            self._expat = None

    def _start(self, tag: str, attributes: list[str]) -> None:
        uri, name, _ = split(tag)
        is_ours = not uri or uri in NAMESPACES
        if (not self._open and not (is_ours and name in ("urlset", "sitemapindex"))) or len(self._open) >= DEPTH:
            raise ValueError("not a sitemap in XML")
        if is_ours and self._open:
            self._look(self._open[-1], name)
        self._open.append(name if is_ours else "")

    def _look(self, parent: str, name: str) -> None:
        if name in ITEMS:
            self._number += 1
            self._seen.clear()
        elif parent in CHILDREN and name.lower() == name:
            if name not in CHILDREN[parent]:
                self._report("known-tags", self._url, self._where, f"{name} in {parent}")
            elif name in self._seen and name != "loc":  # several loc are reported by the reader
                self._report("known-tags", self._url, self._where, f"{name} twice")
            self._seen.add(name)
            if name in VALUES:
                self._text = []
                self._expat.CharacterDataHandler = self._text.append

    @property
    def _where(self) -> str:
        return f"item {self._number}" if self._number else ""

    def _end(self, tag: str) -> None:
        name = self._open.pop()
        if name in VALUES and self._expat.CharacterDataHandler:
            self._expat.CharacterDataHandler = None
            text = "".join(self._text).strip()
            if not text:
                self._report(name, self._url, self._where, "empty")
            elif name == "changefreq" and text not in WORDS and text.lower() in WORDS:  # others the reader reports
                self._report(name, self._url, self._where, text)
