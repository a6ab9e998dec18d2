"""Extensions as nearly all generators write them: found by regular expressions, and read when they are asked for.

Contract, as for `readers.scan`: what the pattern accepts, the readers of these extensions take without a word, and the
records made here are theirs. A link has its attributes in the order Google shows, a picture has loc first, and values
are of the form that the guidelines ask for; URLs are such that `urls.resolve` leaves them as they are. Patterns are for
bytes that were decoded as Latin-1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, make_dataclass
from functools import cache, cached_property
from typing import Any

from ..markup import SECTION, SPACE, TEXT, URL
from ..records import Alternate, Extension, Image
from . import NAMESPACES, reader
from .element import Element
from .fields import collapsed

DATE = (
    "(?:19|20)[0-9]{2}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9]))?"
)
_GENRE = "(?:PressRelease|Satire|Blog|OpEd|Opinion|UserGenerated)"
NEWS = {
    "publication_date": DATE,
    "title": TEXT,
    "keywords": TEXT,
    "genres": f"{_GENRE}(?:, ?{_GENRE})*+",
    "access": "(?:Subscription|Registration)",
}
"""The values by tag."""
PUBLICATION = {"name": TEXT, "language": TEXT}
_FLAG = "(?:[Yy]es|[Nn]o|YES|NO)"
VIDEO = {
    "thumbnail_loc": URL,
    "title": TEXT,
    "description": TEXT,
    "content_loc": URL,
    "duration": "(?:[0-9]{1,4}|1[0-9]{4}|2[0-7][0-9]{3}|28[0-7][0-9]{2}|28800)",
    "publication_date": DATE,
    "expiration_date": DATE,
    "rating": r"(?:[0-4](?:\.[0-9]{1,9})?|5(?:\.0{1,9})?)",
    "view_count": "[0-9]{1,18}",
    "family_friendly": _FLAG,
    "requires_subscription": _FLAG,
    "live": _FLAG,
    "tag": TEXT,
    "category": TEXT,
}
PLAYER = rf' allow_embed="{_FLAG}"', r' autoplay="[^"<&\x00-\x1f]*+"'
MOST_FIELDS = 200
"""Of one extension; one with more is odd."""


class PlainExtensions:
    """Those of documents that declare them by these prefixes, for each kind."""

    def __init__(self, prefixes: Mapping[str, tuple[str, ...]]) -> None:
        shapes = [shape(prefix) for kind, shape in SHAPES.items() for prefix in prefixes.get(kind, ())]
        self._kinds = {prefix: kind for kind in SHAPES for prefix in prefixes.get(kind, ())}
        self.pattern = f"(?=<(?:{'|'.join(self._kinds)}):)(?=(<))(?:{'|'.join(shapes)})"
        """One of them. Its group is a mark that there is one; `re` keeps it even if what is behind it fails."""
        self._prefixes = prefixes

    @cached_property
    def _each(self) -> re.Pattern[str]:
        prefixes = self._prefixes
        links, images = ("|".join(prefixes.get(kind, ())) or " " for kind in ("alternate", "image"))
        # Each match ends where the next begins, so that nothing is searched for.
        link = rf'<(?:{links}):link rel="alternate" hreflang="([^"]*+)" href="([^"]*+)"[^<]*+'
        picture = rf"<(?:{images}):image>[^<]*+<(?:{images}):loc>{SPACE}([^<\s]*+)[^<]*+</[^<]*+"
        fields = rf"(?:<(?:{images}):title>([^<]*+)</[^<]*+)?+((?:<(?:{images}):[tc][^<]*+</[^<]*+)*+)</[^<]*+"
        other = rf"(<([A-Za-z_-]+):(\w+)>(?:[^<]++|{SECTION}|<(?!/\7:\8>))*+</\7:\8>)[^<]*+"
        return re.compile(f"{link}|{picture}{fields}|{other}")

    def read(self, text: str) -> tuple[Extension, ...]:
        """The records of a text that the pattern has accepted, in its order."""
        made: list[Any] = []
        for hreflang, href, loc, title, others, other, prefix, _ in self._each.findall(text):
            if href:
                record = _AlternateDraft(hreflang, href.replace("&amp;", "&") if "&" in href else href)
                record.__class__ = Alternate
            elif loc:
                record = _ImageDraft(loc.replace("&amp;", "&") if "&" in loc else loc)
                if title:
                    record.title = collapsed(decoded(title)) or None
                for name, value in _FIELD.findall(others) if others else ():
                    setattr(record, name, collapsed(decoded(value)) or None)
                record.__class__ = Image
            else:
                record = reader(self._kinds[prefix])(_element(other), _CERTAIN)
            made.append(record)
        return tuple(made)


def _draft(record: type) -> Any:
    """A class with the fields of `record`, but not frozen, as in `model`."""
    columns = [(field.name, field.type, field) for field in fields(record)]
    return make_dataclass(f"{record.__name__}Draft", columns, slots=True, repr=False, eq=False)


_AlternateDraft, _ImageDraft = _draft(Alternate), _draft(Image)
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_REFERENCE = re.compile("&(amp|lt|gt|quot|apos);")
_FIELD = re.compile(r"<[A-Za-z_-]+:(title|caption)>([^<]*)<")


_TOKEN = re.compile(rf'<(/?)\w[\w-]*:(\w+)((?: \w+="[^"]*")*)>|({SECTION})|([^<]+)')
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


def _link(prefix: str) -> str:
    return rf'<{prefix}:link rel="alternate" hreflang="[A-Za-z0-9-]++" href="{URL}" ?+/>'


def _image(prefix: str) -> str:
    title, caption = (_field(prefix, name, TEXT) + SPACE for name in ("title", "caption"))
    either = rf"(?:{title}(?:{caption})?+|{caption}(?:{title})?+)?+"
    return rf"<{prefix}:image>{SPACE}{_field(prefix, 'loc', URL)}{SPACE}{either}</{prefix}:image>"


def _news(prefix: str) -> str:
    publication = _holder(prefix, "publication", (_field(prefix, *field) for field in PUBLICATION.items()))
    return _holder(prefix, "news", [publication, *(_field(prefix, *field) for field in NEWS.items())])


def _video(prefix: str) -> str:
    embed, play = PLAYER
    player = rf"<{prefix}:player_loc(?:{embed})?+(?:{play})?+>{SPACE}{URL}{SPACE}</{prefix}:player_loc>"
    return _holder(prefix, "video", [*(_field(prefix, *field) for field in VIDEO.items()), player])


def _field(prefix: str, name: str, value: str) -> str:
    return rf"<{prefix}:{name}>{SPACE}{value}{SPACE}</{prefix}:{name}>"


def _holder(prefix: str, name: str, fields: Iterable[str]) -> str:
    return rf"<{prefix}:{name}>{SPACE}(?:(?:{'|'.join(fields)}){SPACE}){{0,{MOST_FIELDS}}}+</{prefix}:{name}>"


SHAPES = {"alternate": _link, "image": _image, "news": _news, "video": _video}
"""What the plain elements of each extension look like under a prefix."""


class _Certain:
    """A Context for what the pattern has accepted: there is nothing to resolve, and nothing to report."""

    def url(self, text: str) -> str | None:
        return text

    def invalid(self, detail: str) -> None:
        raise AssertionError(detail)


_CERTAIN = _Certain()


def _element(text: str) -> Element:
    """The element that a text of tags without faults is."""
    around = [Element("", "")]
    for closing, name, attributes, section, words in _TOKEN.findall(text):
        if closing:
            around.pop()
        elif name:
            given = {key: decoded(value) for key, value in _ATTRIBUTE.findall(attributes)}
            around[-1].children.append(Element("", name, given))
            around.append(around[-1].children[-1])
        else:
            around[-1].text += decoded(words) if words else _characters(section[9:-3])
    return around[0].children[0]


def decoded(text: str) -> str:
    """What a text means: its bytes as UTF-8, its references resolved once."""
    text = _characters(text)
    return _REFERENCE.sub(lambda found: _CHARACTERS[found[1]], text) if "&" in text else text


def _characters(text: str) -> str:
    return text if text.isascii() else text.encode("latin-1").decode()


def plain_extensions(declared: Mapping[str, str]) -> PlainExtensions | None:
    """Those of a document with these prefixes; None if it has no use for any."""
    usual = {prefix: NAMESPACES.get(uri) for prefix, uri in declared.items() if re.fullmatch("[A-Za-z_-]+", prefix)}
    known = tuple((prefix, kind) for prefix, kind in usual.items() if kind in SHAPES)
    return _for_prefixes(known) if known else None


@cache
def _for_prefixes(known: tuple[tuple[str, str], ...]) -> PlainExtensions:
    return PlainExtensions({kind: tuple(prefix for prefix, of in known if of == kind) for kind in SHAPES})
