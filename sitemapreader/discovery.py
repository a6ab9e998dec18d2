"""Where a site's sitemaps are looked for: what the user's start means, robots.txt, and the places nothing names."""

from __future__ import annotations

from . import urls

WELL_KNOWN = (
    "sitemap.xml",
    "sitemap_index.xml",
    "sitemap-index.xml",
    "wp-sitemap.xml",
    "sitemap.xml.gz",
    "sitemap.txt",
)
"""Where sitemaps are that nothing names, the likeliest first."""


def start_url(start: str) -> str:
    """What the user asks for as a canonical URL; raises ValueError if it cannot be fetched."""
    if not isinstance(start, str):
        raise TypeError(f"start must be a str, not {type(start).__name__}")
    text = start.strip()
    if text.startswith("file:"):
        return text
    if "://" not in text:
        text = f"https://{text.removeprefix('//')}"
    url = urls.resolve(text, text).url
    if url is None:
        raise ValueError(f"not an http(s) URL or a host: {start[:200]!r}")
    return url


def is_site(start: str) -> bool:
    """Whether a start is a whole site rather than one document of it."""
    parts = urls.split(start)
    return parts.path == "/" and not parts.query


def leads_to_site(start: str) -> bool:
    """Whether a start that is no sitemap stands for a part of a site, such as ``https://example.com/blog/``."""
    parts = urls.split(start)
    return bool(parts.host) and parts.path.endswith("/")


def robots_url(start: str) -> str:
    """The robots.txt of the start's host, whatever its path is (RFC 9309, 2.3)."""
    return f"{urls.origin(start)}/robots.txt"


def guesses(start: str) -> list[str]:
    """URLs to try, one after the other: the usual names at the root, then in the start's own folder."""
    root = f"{urls.origin(start)}/"
    folders = dict.fromkeys((root, urls.directory(start)))
    return [folder + name for folder in folders for name in WELL_KNOWN]
