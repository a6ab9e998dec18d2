"""expat's events to items: an Element for each ``<url>``, ``<sitemap>``, ``<item>`` or ``<entry>``, as a grammar asks.

Only the children that a grammar or an extension knows are kept, whatever depth the item stands at; everything else is
skipped whole. An element's namespace and depth decide what it is, never its prefix: ``image:loc`` is no ``loc``.
"""

from __future__ import annotations

from functools import partial
from typing import NoReturn

from ..diagnostics import Code
from ..extensions import NAMESPACES, Element
from ..payload import Stop
from .grammar import SKIP, XML_BASE, Container, Document, Grammar, NestedItem, Role, attributes_of, split
from .guard import Expat, guarded_parser

MAX_DEPTH = 64
"""Nesting of XML elements. The protocol needs 4, its extensions 6."""
DIRECT_TEXT = 4096
"""Characters kept of the text that stands in an item itself."""
MAX_CHILDREN = 1000
"""Children kept of one element, and extension items of one kind kept of one entry."""


class Harvest:
    """The handlers of one parser run, which gather what they find in its document."""

    def __init__(self, document: Document, around: bytes = b"") -> None:
        """`around`: start tags of what is open around the items, an outermost element and the document's containers."""
        self.document = document
        self.item: Element | None = None
        self.item_start = 0
        """Byte index in this run where the open item starts."""
        self.nested_start = 0
        """Byte index in this run where an item starts that raised NestedItem."""
        self._grammar: Grammar | None = None
        self._item_uri = ""
        self._item_bases: tuple[str, ...] = ()
        self._depth = 0
        self._item_depth = 0
        self._root_depth = 0
        self._skip_depth = 0
        self._open: list[Element] = []
        self._marks: list[int] = []
        self._text: list[str] = []
        self._spilled = False
        self._in_section = False
        """In a CDATA section, of which expat takes what there is."""
        self._declared: list[tuple[str, str]] = []
        self._roles: dict[str, Role] = {}
        self._kinds: dict[str, int] = {}
        self.expat: Expat = guarded_parser()
        if around:
            self.expat.Parse(around, False)
            self._stand_inside(document)
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        self.expat.CharacterDataHandler = self._text.append
        self.expat.StartNamespaceDeclHandler = self._declare
        if document.vocabulary.shapes:
            self.expat.StartCdataSectionHandler = partial(self._note_section, True)
            self.expat.EndCdataSectionHandler = partial(self._note_section, False)

    def _note_section(self, is_open: bool) -> None:
        self._in_section = is_open

    def _stand_inside(self, document: Document) -> None:
        names = [container.name.rpartition(":")[2].lower() for container in document.ancestors]
        self._depth = 1 + len(names)
        self._root_depth = next((2 + at for at, name in enumerate(names) if name in document.vocabulary.roots), 0)

    def parse(self, data: bytes | memoryview, *, final: bool = False) -> None:
        """Feed expat; raises ExpatError, NestedItem or Stop, after the items before the fault were gathered."""
        self.expat.Parse(data, final)
        if self.item is None:
            self._text.clear()
        elif len(self._text) > 1 and sum(map(len, self._text)) > self.document.limits.max_token:
            self._spilled = True
            self._text.clear()
            self._marks = [0] * len(self._marks)

    def dispose(self) -> None:
        """Break the circle of parser and handlers, so that the memory goes at once."""
        self.expat.StartElementHandler = self.expat.EndElementHandler = None
        self.expat.CharacterDataHandler = self.expat.StartNamespaceDeclHandler = None
        self.expat.StartCdataSectionHandler = self.expat.EndCdataSectionHandler = None

    @property
    def inside_child(self) -> bool:
        """A child of the item is open."""
        return bool(self._open or self._skip_depth)

    def is_between_items(self, fed: int, inside: int) -> bool:
        """The run stands between items, `inside` elements deep in its root, all of `fed` bytes consumed."""
        stands = self.item is None and 0 < self._root_depth == self._depth - inside and not self._skip_depth
        return stands and not self._in_section and self.expat.CurrentByteIndex == fed

    def finish_open_item(self) -> None:
        """Take the item that is still open with the children that are closed; those are whole."""
        if self.item is not None:
            self._finish_item()

    # ------------------------------------------------------------------------------------------------- handlers
    def _declare(self, prefix: str | None, uri: str | None) -> None:
        if self.item is None:
            self._declared.append((prefix or "", uri or ""))

    def _start(self, tag: str, attributes: list[str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Stop(Code.LIMIT_DEPTH, f"elements nested deeper than {MAX_DEPTH}", f"item {self.document.number}")
        if self._skip_depth:
            return
        if self._open:
            self._start_inner(tag, attributes)
        elif self.item is not None:
            self._start_child(tag, attributes)
        else:
            self._start_outside(tag, attributes)

    def _start_inner(self, tag: str, attributes: list[str]) -> None:
        parent = self._open[-1]
        if len(parent.children) >= MAX_CHILDREN:
            self._skip_depth = self._depth
            return
        uri, name, _ = split(tag)
        # <loc><url>https://...</url></loc> is seen and means one; text before the inner item means a lost end tag.
        is_item = name.lower() in self.document.vocabulary.items and self._home(uri)
        if is_item and "".join(self._text[self._marks[-1] :]).strip():
            self._refuse_item()
        element = Element(uri, name, attributes_of(attributes), "", [])
        parent.children.append(element)
        self._open.append(element)
        self._marks.append(len(self._text))

    def _start_child(self, tag: str, attributes: list[str]) -> None:
        item = self.item
        assert item is not None
        role = self._roles.get(tag) or self._role(tag)
        self._take_own_text(item)
        if role.kind == "field":
            element = Element("", role.name, attributes_of(attributes), "", [])
        elif role.kind == "extension" and self._room_for(role.name):
            uri, name, _ = split(tag)
            element = Element(uri, name, attributes_of(attributes), "", [])
        elif role.kind == "item":
            self._refuse_item()
        else:
            self._skip_depth = self._depth
            self.expat.CharacterDataHandler = None  # descriptions are most of a feed
            return
        item.children.append(element)
        self._open.append(element)
        self._marks.append(0)

    def _refuse_item(self) -> NoReturn:
        self.nested_start = self.expat.CurrentByteIndex  # expat reads on when a handler has raised
        raise NestedItem

    def _take_own_text(self, item: Element) -> None:
        """Text beside the children of an item: white space, or a URL that nobody put into a loc."""
        if self._grammar and self._grammar.own_text:
            if self._text and not item.overlong:
                item.text += "".join(self._text)[: DIRECT_TEXT + 1]
            item.overlong = self._spilled or len(item.text) > DIRECT_TEXT
        self._text.clear()
        self._spilled = False

    def _start_outside(self, tag: str, attributes: list[str]) -> None:
        document = self.document
        uri, name, prefix = split(tag)
        folded = name.lower()
        grammar = document.vocabulary.items.get(folded)
        declared, self._declared = self._declared, []
        if grammar and (self._home(uri) or (not prefix and uri not in NAMESPACES)):
            self._check_spelling(uri, name, folded)
            if grammar.root not in ("", document.root_name):
                document.finds.report(Code.NONSTANDARD_MARKUP, f"{name} in {document.root_name}")
            self._begin_item(uri, folded, attributes, grammar)
            return
        document.declare(declared)
        if folded in document.vocabulary.containers:
            base = attributes_of(attributes).get(XML_BASE, "")
            document.ancestors.append(Container(f"{prefix}:{name}" if prefix else name, base))
        if folded in document.vocabulary.roots:
            document.root_tag = document.root_tag or (f"{prefix}:{name}" if prefix else name)
            self._begin_root(uri, name)

    def _begin_root(self, uri: str, name: str) -> None:
        document = self.document
        if not self._root_depth:
            self._root_depth = self._depth
        else:
            document.finds.report(Code.NONSTANDARD_MARKUP, f"{name} inside {name}")
        document.root_name = name.lower()
        if document.root_uri is None:
            document.root_uri = uri
            if uri not in document.vocabulary.specified:
                document.finds.report(Code.NAMESPACE, f"namespace of {name}: {uri or 'none'}")
        if name != document.vocabulary.roots[name.lower()]:
            document.finds.report(Code.NONSTANDARD_MARKUP, f"element {name}")
        document.root_closed = False

    def _begin_item(self, uri: str, name: str, attributes: list[str], grammar: Grammar) -> None:
        document = self.document
        self.item = Element(uri, name, attributes_of(attributes), "", [])
        self.item_start = self.expat.CurrentByteIndex
        if grammar is not self._grammar or uri != self._item_uri:
            self._roles.clear()  # what a tag means depends on the item it stands in
        self._grammar, self._item_uri = grammar, uri
        self._item_depth = self._depth
        self._item_bases = tuple(container.base for container in document.ancestors if container.base)
        self._text.clear()
        self._kinds.clear()
        document.number += 1

    def _end(self, tag: str) -> None:
        depth = self._depth
        self._depth -= 1
        if self._skip_depth:
            if depth == self._skip_depth:
                self._skip_depth = 0
                self.expat.CharacterDataHandler = self._text.append
            return
        if self._open:
            self._end_inner()
        elif self.item is not None and depth == self._item_depth:
            self._take_own_text(self.item)
            self._finish_item()
        else:
            self._end_outside(tag, depth)

    def _end_inner(self) -> None:
        element, mark = self._open.pop(), self._marks.pop()
        text = "".join(self._text[mark:])
        element.text = text
        if self._spilled or len(text) > self.document.limits.max_token:
            element.overlong, element.text = True, ""
            self._report_overlong(element)
        if not self._open:
            self._text.clear()
            self._spilled = False

    def _report_overlong(self, element: Element) -> None:
        grammar = self._grammar
        if grammar and not element.children and element.name.lower() not in grammar.essential:
            where = f"item {self.document.number}"
            self.document.finds.report(Code.VALUE_INVALID, f"{element.name} is longer than max_token", where)

    def _end_outside(self, tag: str, depth: int) -> None:
        document = self.document
        self._text.clear()
        _, name, _ = split(tag)
        if document.ancestors and name.lower() in document.vocabulary.containers:
            document.ancestors.pop()
        if depth == self._root_depth:
            self._root_depth = 0
            document.root_closed = True

    # -------------------------------------------------------------------------------------------------- meaning
    def _finish_item(self) -> None:
        item, grammar, document = self.item, self._grammar, self.document
        assert item is not None and grammar is not None
        if self._open:  # not closed, so not whole
            item.children.remove(self._open[0])
        self.item = None
        self._open.clear()
        self._marks.clear()
        self._text.clear()
        self._spilled = False
        self._skip_depth = 0
        for raw in grammar.compose(item, self._item_bases, document.number, document.finds.report):
            document.finds.pieces.append(raw)

    def _home(self, uri: str) -> bool:
        document = self.document
        vocabulary = document.vocabulary
        return not uri or uri == document.root_uri or uri in vocabulary.specified or uri in vocabulary.namespaces

    def _role(self, tag: str) -> Role:
        """What a child with this tag is; looked up once for each tag of a run."""
        role = self._roles[tag] = self._classify(*split(tag)[:2])
        return role

    def _classify(self, uri: str, name: str) -> Role:
        grammar, item = self._grammar, self.item
        assert grammar is not None and item is not None
        folded = name.lower()
        if (uri, name) in grammar.foreign:
            return Role("field", grammar.foreign[uri, name])
        if self._home(uri) or uri == item.uri:
            if folded in grammar.fields:
                self._check_spelling(uri, name, grammar.fields[folded])
                return Role("field", grammar.fields[folded])
            if folded in self.document.vocabulary.items:
                return Role("item", folded)
        if grammar.extensions and uri in NAMESPACES:
            return Role("extension", f"{uri}}}{name}")
        return SKIP

    def _check_spelling(self, uri: str, name: str, right: str) -> None:
        document = self.document
        if name != right:
            document.finds.report(Code.NONSTANDARD_MARKUP, f"element {name}")
        if uri != document.root_uri and document.root_uri is not None and uri not in document.vocabulary.specified:
            document.finds.report(Code.NAMESPACE, f"namespace of {name}: {uri or 'none'}")

    def _room_for(self, kind: str) -> bool:
        """Whether one more extension item of this kind is kept."""
        seen = self._kinds[kind] = self._kinds.get(kind, 0) + 1
        if seen == MAX_CHILDREN + 1:
            detail = f"more than {MAX_CHILDREN} {kind.rpartition('}')[2]}"
            self.document.finds.report(Code.LIMIT_EXTENSION, detail, f"item {self.document.number}")
        return seen <= MAX_CHILDREN
