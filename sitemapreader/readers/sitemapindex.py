"""``<sitemap>`` and ``<sitemapindex>``: child sitemaps, and the vocabulary that both XML formats of the protocol share.

Files are found that mix the two kinds of children: an item is what its element says, whatever the root is.
"""

from __future__ import annotations

from functools import partial

from .grammar import Grammar, Vocabulary
from .plain import PlainItems
from .urlset import FIELDS, NAMESPACES, PROTOCOL, URL, compose

SITEMAP = Grammar(
    fields={"loc": "loc", "lastmod": "lastmod"},
    compose=partial(compose, is_sitemap=True),
    essential=frozenset({"loc"}),
    root="sitemapindex",
    own_text=True,
)

SITEMAPS = Vocabulary(
    items={"url": URL, "sitemap": SITEMAP},
    roots={"urlset": "urlset", "sitemapindex": "sitemapindex"},
    containers=frozenset({"urlset", "sitemapindex"}),
    specified=frozenset({PROTOCOL}),
    namespaces=NAMESPACES,
    shapes={
        "urlset": PlainItems("url", FIELDS, has_extensions=True),
        "sitemapindex": PlainItems("sitemap", ("lastmod",)),
    },
)
