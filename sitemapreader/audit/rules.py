"""The rules, as tables: what each asks, how much it matters, who says so, and which diagnostics speak of it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ..diagnostics import Code

PROTOCOL = "https://www.sitemaps.org/protocol.html"
GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps"
BUILD, LARGE = f"{GOOGLE}/build-sitemap", f"{GOOGLE}/large-sitemaps"
IMAGE, NEWS, VIDEO = f"{GOOGLE}/image-sitemaps", f"{GOOGLE}/news-sitemap", f"{GOOGLE}/video-sitemaps"
LOCALIZED = "https://developers.google.com/search/docs/specialty/international/localized-versions"


class Grade(Enum):
    """How much a rule matters: an ``error`` breaks a must, a ``warning`` a should, a ``note`` is worth to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Rule(NamedTuple):
    """What a sitemap has to keep to."""

    grade: Grade
    asks: str
    """In one sentence."""
    source: str
    """The page that asks for it."""


_E, _W, _N = Grade.ERROR, Grade.WARNING, Grade.NOTE

RULES: dict[str, Rule] = {
    # ------------------------------------------------------------------------------------------------ documents
    "fetchable": Rule(_E, "Every sitemap that is named can be fetched.", LARGE),
    "is-sitemap": Rule(_E, "What is named as a sitemap is one, and not empty.", PROTOCOL),
    "whole": Rule(_E, "A document and its compression do not end early and are not corrupt.", PROTOCOL),
    "entries": Rule(_E, "A document has at most 50,000 URLs or sitemaps.", f"{PROTOCOL}#index"),
    "size": Rule(_E, "A document has at most 50 MiB (52,428,800 bytes), uncompressed.", f"{PROTOCOL}#index"),
    "utf-8": Rule(_E, "A document is encoded in UTF-8.", f"{PROTOCOL}#xmlTagDefinitions"),
    "well-formed": Rule(_E, "An XML document is well-formed.", PROTOCOL),
    "around": Rule(_E, "Nothing stands before or behind the document.", PROTOCOL),
    "doctype": Rule(_W, "A document has no document type; one that declares anything is refused.", PROTOCOL),
    "namespace": Rule(_E, "The root names the protocol's namespace, and prefixes are declared.", PROTOCOL),
    "listed": Rule(_W, "An urlset or an index lists something.", f"{PROTOCOL}#xmlTagDefinitions"),
    "content-type": Rule(_N, "Name, type and compression of a file agree with what it holds.", PROTOCOL),
    "text-lines": Rule(_E, "A text sitemap has one URL a line and nothing else.", f"{PROTOCOL}#otherformats"),
    "robots-lines": Rule(
        _N, "A Sitemap line of a robots.txt has one URL and nothing else.", f"{PROTOCOL}#submit_robots"
    ),
    # ------------------------------------------------------------------------------------------------ tags
    "known-tags": Rule(
        _E, "Only the protocol's tags stand in its namespace, each once.", f"{PROTOCOL}#xmlTagDefinitions"
    ),
    "markup": Rule(_E, "Tags stand where the protocol has them, and in lower case.", f"{PROTOCOL}#xmlTagDefinitions"),
    "loc": Rule(_E, "Every url and every sitemap has one loc.", f"{PROTOCOL}#locdef"),
    "lastmod": Rule(_E, "A lastmod is a W3C datetime.", f"{PROTOCOL}#lastmoddef"),
    "lastmod-future": Rule(_W, "A lastmod does not lie in the future.", BUILD),
    "changefreq": Rule(
        _E, "A changefreq is always, hourly, daily, weekly, monthly, yearly or never.", f"{PROTOCOL}#changefreqdef"
    ),
    "priority": Rule(_E, "A priority is a number from 0.0 to 1.0.", f"{PROTOCOL}#prioritydef"),
    # ------------------------------------------------------------------------------------------------ URLs
    "escaping": Rule(_E, "Ampersands and the like are escaped as entities.", f"{PROTOCOL}#escaping"),
    "escaped-once": Rule(_W, "Entities are escaped once.", f"{PROTOCOL}#escaping"),
    "url-absolute": Rule(_E, "A URL begins with the protocol and the host.", f"{PROTOCOL}#locdef"),
    "url-valid": Rule(_E, "A URL is an http or https URL, and escaped as RFC 3986 asks.", f"{PROTOCOL}#escaping"),
    "url-length": Rule(_E, "A URL has less than 2,048 characters.", f"{PROTOCOL}#locdef"),
    "location": Rule(
        _E,
        "Pages have the protocol and the host of their sitemap and lie in its folder, or robots.txt "
        "of their host names the sitemap.",
        f"{PROTOCOL}#location",
    ),
    "repeated": Rule(_N, "A page is listed once.", BUILD),
    # ------------------------------------------------------------------------------------------------ indexes
    "index-nesting": Rule(_E, "An index lists sitemaps and no other index.", LARGE),
    "index-location": Rule(_E, "Sitemaps lie in the folder of their index or below it.", LARGE),
    "listed-once": Rule(_N, "A sitemap is named once.", LARGE),
    "robots": Rule(
        _W, "robots.txt names the sitemap; that is how search engines are told of it.", f"{PROTOCOL}#submit_robots"
    ),
    # ------------------------------------------------------------------------------------------------ extensions
    "image-loc": Rule(_E, "An image has a loc that is a URL.", IMAGE),
    "image-count": Rule(_E, "A page has at most 1,000 images.", IMAGE),
    "video-tags": Rule(
        _E, "A video has a thumbnail_loc, a title, a description, and a content_loc or a player_loc.", VIDEO
    ),
    "news-tags": Rule(_E, "An article has the name and the language of its publication, a date and a title.", NEWS),
    "news-count": Rule(_E, "A news sitemap has at most 1,000 articles.", NEWS),
    "news-age": Rule(_W, "A news sitemap has the articles of the last two days.", NEWS),
    "extension-value": Rule(_E, "Values of images, videos and articles are what their tags ask for.", GOOGLE),
    "extension-given-up": Rule(_N, "Tags of images, videos and articles are ones that Google still reads.", BUILD),
    "hreflang-code": Rule(
        _E, "hreflang is a language of ISO 639-1, with a script or a region if need be, or x-default.", LOCALIZED
    ),
    "hreflang-url": Rule(_E, "Every alternate has a URL.", LOCALIZED),
    "hreflang-self": Rule(_W, "A page with alternates lists itself among them.", LOCALIZED),
    "hreflang-return": Rule(_E, "Alternates list each other.", LOCALIZED),
    # ------------------------------------------------------------------------------------------------ the check itself
    "checked": Rule(_W, "Everything could be checked within the limits.", BUILD),
}
"""By name, in the order they are told."""

BY_CODE: dict[Code, str] = {
    **dict.fromkeys((Code.ABSENT, Code.BLOCKED, Code.HTTP_STATUS, Code.TIMEOUT, Code.NETWORK), "fetchable"),
    **dict.fromkeys((Code.REDIRECT_LIMIT, Code.POLICY_ADDRESS), "fetchable"),
    **dict.fromkeys((Code.COMPRESSION_ERROR, Code.TRUNCATED), "whole"),
    **dict.fromkeys((Code.ENCODING_ERROR, Code.ENCODING_NOT_UTF8), "utf-8"),
    **dict.fromkeys((Code.XML_MALFORMED, Code.ENTRY_SALVAGED, Code.ENTRY_LOST), "well-formed"),
    **dict.fromkeys((Code.LEADING_CONTENT, Code.TRAILING_CONTENT), "around"),
    **dict.fromkeys((Code.DOCTYPE, Code.DTD_FORBIDDEN), "doctype"),
    Code.NAMESPACE: "namespace",
    Code.CONTENT_MISMATCH: "content-type",
    Code.NONSTANDARD_MARKUP: "markup",
    **dict.fromkeys((Code.MISSING_LOC, Code.DUPLICATE_LOC), "loc"),
    **dict.fromkeys((Code.LASTMOD_INVALID, Code.LASTMOD_NONSTANDARD), "lastmod"),
    Code.XML_REPAIRED: "escaping",
    Code.DOUBLE_ESCAPED: "escaped-once",
    Code.URL_RELATIVE: "url-absolute",
    **dict.fromkeys((Code.URL_REPAIRED, Code.URL_INVALID, Code.URL_SCHEME), "url-valid"),
    Code.URL_TOO_LONG: "url-length",
    Code.LINE_IGNORED: "text-lines",
    Code.DUPLICATE: "listed-once",
    Code.LIMIT_EXTENSION: "image-count",
    **dict.fromkeys((Code.LIMIT_SIZE, Code.LIMIT_TOKEN, Code.LIMIT_DEPTH), "checked"),
    **dict.fromkeys((Code.LIMIT_ENTRIES, Code.LIMIT_SITEMAPS), "checked"),
    Code.VALUE_INVALID: "extension-value",
}
"""The rule that a diagnostic speaks of. What is left out is no fault of a sitemap, or is found in the report."""

BY_VALUE = {
    "changefreq ": "changefreq",
    "priority ": "priority",
    "image:loc:": "image-loc",
    "xhtml:link": "hreflang-url",
}
"""The rule that an invalid value breaks, by how its detail begins; others are ``extension-value``."""
