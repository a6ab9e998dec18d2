"""What a URL is: the one place where URLs are read, repaired, normalised and taken apart.

A URL out of `resolve` is canonical: absolute http(s), scheme and host in lower case, no default port, a path that
begins with ``/``, printable ASCII throughout; resolving it again changes nothing. The other functions take canonical
URLs, so that policy, visited set and fetch see one host, scheme and port. Nothing here raises for any string.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from . import hosts
from .diagnostics import Code

PORTS = {"http": 80, "https": 443}
"""The schemes that leave the library, and their default ports."""
LONG = 2048
"""Characters of a URL that sitemaps.org allows."""

# Python knows these as white space, or they are invisible; both come in with copy and paste.
_AROUND = "".join(c for c in map(chr, range(0x3001)) if c.isspace()) + "\u200b\u200c\u200d\u2060\ufeff"

_HEX = "[0-9A-Fa-f]{2}"
_STRAY = f"%(?!{_HEX})"
_PLAIN = r"!#$'-;=?-Z\[\]_a-z~"

# Every quantifier that a failed match could retry is possessive or bounded, so the time is linear.
_PORT = "(?!80/|443/)(?:[1-5][0-9]{4}|[1-9][0-9]{0,3})"
_ORIGIN = rf"https?://{hosts.NAME}(?::{_PORT})?/"
CLEAN = re.compile(rf"{_ORIGIN}[{_PLAIN}]*+(?:(?:%{_HEX}|&(?!amp;))[{_PLAIN}]*+)*+")
"""Matches, as a whole, only what `resolve` returns as it is and without a finding (if it is not too long)."""
_FIRST_ORIGIN, _ORIGINS = re.compile(_ORIGIN), re.compile(rf"(?:{_ORIGIN}[^\n]*+(?:\n(?!\Z)|\Z))++")
_CLEAN_BYTES = re.sub(f"[^%&{_PLAIN}]", "", bytes(range(128)).decode()).encode()
_STRAY_PERCENT, _ESCAPED = re.compile(_STRAY), re.compile("&amp;")  # the next "&" is found sooner than the word

_UNSAFE = re.compile(rf"{_STRAY}|[^%&{_PLAIN}]+")
_ODD = re.compile(rf"[\x00-\x20\x7f\\]|{_STRAY}")
_ODD_NAMES = {" ": "blank", "\\": "backslash", "%": "stray %"}

_BRACKETS = {ord("["): "%5B", ord("]"): "%5D"}
"""RFC 3986 allows them in no userinfo, and parsers that meet them there take the host for an IPv6 address."""
_NOT_TEXT = re.compile("[\ufffd\ud800-\udfff]")
_WRAP = re.compile(r"[\t\r\n]+")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_TEMPLATE = ("{{", "{%", "<%", "${")
_HOST_PORT = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::([0-9]*))?")
_USERINFO = re.compile(r"((?:[A-Za-z][A-Za-z0-9+.-]*:)?[/\\]{2})[^/\\?#]*@")
_PARTS = re.compile(
    r"(https?)://(?:([^/?#]*)@)?(\[[^\]/?#]*\]|[^:/?#]*)(?::([0-9]{0,5}))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL
)
_PARTS_HOST = re.compile(r"https?://(?:[^/?#]*@)?(\[[^\]/?#]*\]|[^:/?#]*)")


class Resolved(NamedTuple):
    """What became of a text: its URL, or None, and what there is to report, at most once per code."""

    url: str | None
    findings: tuple[tuple[Code, str], ...] = ()


class Parts(NamedTuple):
    """A canonical URL taken apart; `port` is None where it is the default of the scheme."""

    scheme: str
    userinfo: str | None
    host: str
    port: int | None
    path: str
    query: str | None
    fragment: str | None

    @property
    def origin(self) -> str:
        """Scheme, host and port, without userinfo."""
        return f"{self.scheme}://{self.host}" + ("" if self.port is None else f":{self.port}")


class _Unusable(Exception):
    """No URL can be made of the text."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason


def are_clean(text: str, number: int) -> bool:
    """Whether `text` has that many lines and CLEAN matches each: the same rule, by loops of C over all of them."""
    if not text.isascii() or len(text.encode().translate(None, _CLEAN_BYTES)) != number - 1:
        return False
    if ("&" in text and _ESCAPED.search(text)) or ("%" in text and _STRAY_PERCENT.search(text)):
        return False
    first = _FIRST_ORIGIN.match(text)
    are_alike = first is not None and text.count("\n" + first[0]) == number - 1
    return are_alike or _ORIGINS.fullmatch(text) is not None


def resolve(text: str, base: str, *, limit: int = 1_048_576) -> Resolved:
    """The canonical URL that `text`, decoded once from its markup, stands for in a document at `base`.

    Of a text that is blank there is nothing to report; a URL of more than `limit` characters is not delivered.
    """
    if len(text) <= LONG and len(text) <= limit and CLEAN.fullmatch(text):
        return Resolved(text)
    text = text.strip(_AROUND)
    if not text:
        return Resolved(None)
    try:
        return _resolved(text, base, limit)
    except _Unusable as unusable:
        return Resolved(None, ((unusable.code, f"{unusable.reason}: {_shown(text)}"),))


def _resolved(text: str, base: str, limit: int) -> Resolved:
    _require_length(text, limit)
    if _NOT_TEXT.search(text):
        raise _Unusable(Code.URL_INVALID, "undecodable character")
    repairs: list[str] = []
    unwrapped = "".join(line.strip(_AROUND) for line in _WRAP.split(text))
    if unwrapped != text:
        repairs.append("line break")
    scheme, rest, relative = _absolute(unwrapped, base, repairs)
    url = _canonical(scheme, rest, repairs)
    _require_length(url, limit)
    findings = []
    if relative:
        findings.append((Code.URL_RELATIVE, masked(text)[:LONG]))
    if repairs:
        findings.append((Code.URL_REPAIRED, f"{', '.join(dict.fromkeys(repairs))}: {masked(url)[:LONG]}"))
    if "&amp;" in url:
        findings.append((Code.DOUBLE_ESCAPED, masked(url)[:LONG]))
    if len(url) > LONG:
        findings.append((Code.URL_TOO_LONG, f"{len(url):,} characters: {masked(url)[:LONG]}"))
    return Resolved(url, tuple(findings))


def _require_length(text: str, limit: int) -> None:
    if len(text) > limit:
        raise _Unusable(Code.URL_TOO_LONG, f"{len(text):,} characters, {limit:,} are read")


def _shown(text: str) -> str:
    """The start of a text in which it is unclear where userinfo ends."""
    before, at, after = text.rpartition("@")
    if at and ":" in before:
        text = f"{before.partition(':')[0]}:***@{after}"
    return text[:LONG]


def _absolute(text: str, base: str, repairs: list[str]) -> tuple[str, str, bool]:
    """Scheme, what follows its slashes, and whether `text` was a relative reference."""
    named = _SCHEME.match(text)
    scheme = named[1].lower() if named else ""
    if named and scheme in PORTS:
        return scheme, _after_slashes(text[named.end() :], repairs), False
    here = _base(base)
    if here and _begins_with_host(text, here.host):
        repairs.append("scheme added")
        return here.scheme, text, False
    if named:
        raise _Unusable(Code.URL_SCHEME, "not http or https")
    if here is None:
        raise _Unusable(Code.URL_INVALID, "relative to no URL")
    if text.startswith(_TEMPLATE):
        raise _Unusable(Code.URL_INVALID, "template that was not filled in")
    return here.scheme, _against(text, here), True


@lru_cache(maxsize=64)
def _base(url: str) -> Parts | None:
    canonical = resolve(url, "").url
    return split(canonical) if canonical else None


def _begins_with_host(text: str, host: str) -> bool:
    """Whether the first segment is the document's own host, with or without a port."""
    found = _HOST_PORT.fullmatch(_cut(text, "/?#")[0])
    return found is not None and hosts.canonical(found[1]) == host


def _after_slashes(rest: str, repairs: list[str]) -> str:
    """`rest` without its two slashes; backslashes in their place, and then in the path, are read as slashes."""
    if rest.startswith("//"):
        return rest[2:]
    if not _two_slashes(rest):
        raise _Unusable(Code.URL_INVALID, "no host")
    head, tail = _cut(rest, "?#")
    if "\\@" in head or "@\\" in head:
        raise _Unusable(Code.URL_INVALID, "backslash beside @")
    repairs.append("backslash")
    return head[2:].replace("\\", "/") + tail


def _two_slashes(text: str) -> bool:
    return len(text) > 1 and text[0] in "/\\" and text[1] in "/\\"


def _against(text: str, here: Parts) -> str:
    """A relative reference made absolute, without the scheme (RFC 3986, 5.2; empty segments stay)."""
    if text.startswith("//"):
        return text[2:]
    if _two_slashes(text):
        # A browser reads a host here, RFC 3986 a path.
        raise _Unusable(Code.URL_INVALID, "backslash where a host may stand")
    path, tail = _cut(text, "?#")
    if not path:
        path = here.path
        if tail.startswith("#") and here.query is not None:
            tail = f"?{here.query}{tail}"
    else:
        path = _without_dots(path if path.startswith("/") else here.path[: here.path.rfind("/") + 1] + path)
    userinfo = "" if here.userinfo is None else f"{here.userinfo}@"
    return userinfo + here.origin.partition("//")[2] + path + tail


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1:] in (["."], [".."]):
        kept.append("")
    return "/" + "/".join(kept)


def _cut(text: str, marks: str) -> tuple[str, str]:
    """`text` before and from the first of `marks`."""
    end = min((at for at in map(text.find, marks) if at >= 0), default=len(text))
    return text[:end], text[end:]


def _canonical(scheme: str, rest: str, repairs: list[str]) -> str:
    authority, tail = _cut(rest, "/?#")
    if "\\" in authority:
        # A browser ends the host at the backslash, RFC 3986 does not.
        raise _Unusable(Code.URL_INVALID, "backslash in the host")
    userinfo, at, place = authority.rpartition("@")
    found = _HOST_PORT.fullmatch(place)
    host = hosts.canonical(found[1]) if found else ""
    if not found or not host:
        raise _Unusable(Code.URL_INVALID, "no usable host")
    tail = tail if tail.startswith("/") else f"/{tail}"
    user = _quoted(userinfo, repairs).translate(_BRACKETS)
    return f"{scheme}://{user}{at}{host}{_port(found[2], scheme)}{_quoted(tail, repairs)}"


def _port(digits: str | None, scheme: str) -> str:
    digits = (digits or str(PORTS[scheme])).lstrip("0") or "0"
    if len(digits) > 5 or int(digits) > 65535:
        raise _Unusable(Code.URL_INVALID, "port above 65535")
    return "" if int(digits) == PORTS[scheme] else f":{digits}"


def _quoted(text: str, repairs: list[str]) -> str:
    """`text` with everything percent-encoded that may not stand in a URL; escapes are left byte for byte."""
    repairs.extend(_ODD_NAMES.get(odd, "control character") for odd in dict.fromkeys(_ODD.findall(text)))
    return _UNSAFE.sub(_escapes, text)


def _escapes(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def split(url: str) -> Parts:
    """`url` taken apart; one that is not http(s) is nothing but a path."""
    found = _PARTS.fullmatch(url)
    if not found:
        return Parts("", None, "", None, url, None, None)
    scheme, userinfo, name, port, path, query, fragment = found.groups()
    return Parts(scheme, userinfo, name, int(port) if port else None, path, query, fragment)


def host(url: str) -> str:
    """The host, empty if `url` is not http(s)."""
    found = _PARTS_HOST.match(url)
    return found[1] if found else ""


def origin(url: str) -> str:
    """Scheme, host and port, without userinfo."""
    return split(url).origin


def place(url: str) -> str:
    """Origin and path with dot segments resolved: where the page is, for comparing it with a `directory`."""
    parts = split(url)
    return parts.origin + _without_dots(parts.path.replace("%2e", ".").replace("%2E", "."))


def directory(url: str) -> str:
    """The folder that `url` stands in, up to the last slash of its path; slashes in the query do not count."""
    whole = place(url)
    return whole[: whole.rfind("/") + 1]


def without_fragment(url: str) -> str:
    """`url` as it is fetched."""
    return url.partition("#")[0]


def masked(url: str) -> str:
    """`url` for a log: userinfo shows as ``***``."""
    found = _USERINFO.match(url)
    return f"{found[1]}***@{url[found.end() :]}" if found else url
