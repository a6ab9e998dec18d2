"""Feed items that no repair makes well-formed, as feedparser reads them.

feedparser is given one item in a feed of its own, as a BytesIO: a str or bytes that looks like a path or a URL would be
opened or fetched. Ampersands are hidden from it, since it decodes references twice, and a link that does not stand
whole in the item is not taken from it.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Mapping

from . import resync
from .grammar import Document

HIDDEN = "\ue000"
CDATA = re.compile(r"<!\[CDATA\[([^<]*?)\]\]>")
FRAMES = {
    "item": ("<rss version='2.0'><channel>{}</channel></rss>", "<item>{}</item>", "pubDate"),
    "entry": ("<feed xmlns='http://www.w3.org/2005/Atom'>{}</feed>", "<entry>{}</entry>", "updated"),
}
"""For an item of each kind: a feed around it, the item as it is written anew, and the name of its date."""


def reread(piece: bytes, document: Document) -> bytes | None:
    """A broken feed item written anew with the link and date feedparser finds; None if it finds no whole link."""
    kind = next(iter(document.vocabulary.items))
    if resync.is_littered(piece):
        return None
    if kind not in FRAMES or HIDDEN in (text := piece.decode("utf-8", "replace")):
        return None
    import feedparser  # costs 60 ms; only broken feeds need it

    text = CDATA.sub(lambda match: html.escape(match[1], quote=False), text)
    shielded = text.replace("&", HIDDEN)
    feed, item, date = FRAMES[kind]
    try:
        found = feedparser.parse(
            io.BytesIO(feed.format(shielded).encode("utf-8", "replace")),
            response_headers={"content-type": "application/xml; charset=utf-8"},
            sanitize_html=False,
            resolve_relative_uris=False,
        ).entries[:1]
    except Exception:  # it leaks exceptions of many kinds on broken input: then it has found nothing
        return None
    links = [link for link in found[0].get("links", ()) if isinstance(link, Mapping)] if found else []
    pages = [str(link.get("href", "")) for link in links if link.get("rel") == "alternate"]
    link = next((page for page in pages if _stands_whole(page, shielded)), None)
    if link is None:
        return None
    dates = [str(found[0][name]) for name in ("updated", "published") if name in found[0]]
    written = f"<{date}>{html.escape(dates[0], quote=False)}</{date}>" if dates else ""
    shown = (
        f"<link>{html.escape(link, quote=False)}</link>" if kind == "item" else f"<link href={resync.quoted(link)}/>"
    )
    return item.format(shown + written).replace(HIDDEN, "&").encode()


def _stands_whole(link: str, text: str) -> bool:
    """Whether the item has the link as a whole text or attribute, not as a part that damage has left."""
    if not link or "<" in link:
        return False
    quoted = re.escape(link)
    as_text = rf"<link(?:\s[^<>]*)?>\s*{quoted}\s*</link"
    as_attribute = rf"\shref\s*=\s*([\"']){quoted}\1[^<>]*>"
    return re.search(f"{as_text}|{as_attribute}", text, re.I) is not None
