"""Entries that are made by the hundred make their extensions when they are asked for, which nobody can tell."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from functools import partial
from threading import Barrier, Thread
from typing import Any

import pytest

import sitemapreader as sr
from sitemapreader.records import Alternate, Extension, Image, News, Publication, Video

BODY = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"
 xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:v="http://www.google.com/schemas/sitemap-video/1.1">
<url><loc>https://a.example/0</loc></url>
<url><loc>https://a.example/1</loc>
<xhtml:link rel="alternate" hreflang="de" href="https://a.example/de?a=1&amp;b=2"/>
<i:image><i:loc>https://a.example/1.png</i:loc><i:title><![CDATA[ A <b> &amp; ]]></i:title></i:image>
<news:news><news:publication><news:name>T &amp; \xc3\xbc</news:name></news:publication></news:news>
<v:video><v:title>  two
 words</v:title><v:tag>x</v:tag><v:tag>y</v:tag></v:video></url>
<url><loc>https://a.example/2</loc></url>
</urlset>"""
EXTENSIONS: tuple[Extension, ...] = (
    Alternate("de", "https://a.example/de?a=1&b=2"),
    Image("https://a.example/1.png", "A <b> &amp;"),
    News(Publication("T & \xfc")),
    Video(title="two words", tag=("x", "y")),
)
URL = "https://a.example/sitemap.xml"


def late() -> sr.Entry:
    """An entry whose extensions nobody has asked for yet."""
    entry = list(sr.parse(BODY, URL))[1]
    assert isinstance(entry, sr.Entry)
    assert isinstance(vars(sr.Entry)["extensions"].slot.__get__(entry), partial)
    return entry


MADE = sr.Entry("https://a.example/1", extensions=EXTENSIONS, sitemap=URL)
LOOKS: dict[str, Callable[[Any], Any]] = {
    "the field": lambda entry: entry.extensions,
    "a kind": lambda entry: (entry.images, entry.videos, entry.news, entry.alternates),
    "equality": lambda entry: entry,
    "hash": hash,
    "repr": repr,
    "to_dict": lambda entry: entry.to_dict(),
    "a table row": dataclasses.astuple,
    "replace": lambda entry: dataclasses.replace(entry, priority=0.5),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda entry: pickle.loads(pickle.dumps(entry)),
    "match": lambda entry: entry.__match_args__,
    "a notebook": lambda entry: entry._repr_html_(),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_a_late_entry_looks_like_one_that_was_made_at_once(look: Callable[[Any], Any]) -> None:
    entry = late()
    assert type(entry) is sr.Entry
    assert look(entry) == look(MADE)
    assert look(entry) == look(MADE)
    assert entry.extensions is entry.extensions


def test_entries_beside_it_have_none() -> None:
    first, _, last = sr.parse(BODY, URL)
    assert isinstance(first, sr.Entry) and isinstance(last, sr.Entry)
    assert first.extensions == last.extensions == ()


def test_nothing_is_put_off_for_entries_of_a_document_that_only_declares_prefixes() -> None:
    head, _, _ = BODY.partition(b"<url>")
    fields = b"<lastmod>2026-01-01</lastmod>\n<changefreq>daily</changefreq>\n<priority>0.5</priority>\n"
    items = b"".join(b"<url>\n<loc>https://a.example/%d</loc>\n%b</url>\n" % (n, fields) for n in range(100))
    slot = vars(sr.Entry)["extensions"].slot
    assert [slot.__get__(entry) for entry in sr.parse(head + items + b"</urlset>", URL)] == [()] * 100


def test_a_late_entry_is_frozen_and_has_no_other_attributes() -> None:
    entry = late()
    with pytest.raises(dataclasses.FrozenInstanceError):
        entry.extensions = ()  # type: ignore[misc]
    with pytest.raises(AttributeError, match="'Entry' object has no attribute 'url'"):
        entry.url  # type: ignore[attr-defined]  # noqa: B018
    assert entry.extensions == EXTENSIONS
    with pytest.raises(AttributeError):
        object.__new__(sr.Entry).extensions  # noqa: B018


def test_many_threads_may_ask_at_once() -> None:
    for _ in range(50):
        entry, ready, got = late(), Barrier(4), []

        def ask(entry: sr.Entry = entry, ready: Barrier = ready, got: list[Any] = got) -> None:
            ready.wait()
            got.append(entry.extensions)

        threads = [Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert got == [EXTENSIONS] * 4
