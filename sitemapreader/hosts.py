"""How a host is spelt: in lower case, in ASCII, as browsers and httpx look it up."""

from __future__ import annotations

import re

NAME = r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?"
"""A host's name in its canonical spelling. Any label of letters, digits, - and _ may be real."""
_NAME = re.compile(NAME)
_DOTS = re.compile("[.\u3002\uff0e\uff61]")


def canonical(text: str) -> str:
    """The host in its canonical spelling, empty if it is none."""
    if len(text) > 255:
        return ""
    if text.startswith("["):
        return text.lower() if _is_ipv6(text[1:-1]) else ""
    if not text.isascii():
        try:
            text = ".".join(map(_ascii_label, _DOTS.split(text)))
        except UnicodeError:
            return ""
    text = text.lower()
    return text if _NAME.fullmatch(text) else ""


# Few sitemaps have addresses or names that are not ASCII: what reads those is imported with the first.
def _is_ipv6(text: str) -> bool:
    from ipaddress import IPv6Address

    try:
        # A zone ("%eth0") means something on one machine only.
        return "%" not in text and bool(IPv6Address(text).compressed)
    except ValueError:
        return False


def _ascii_label(label: str) -> str:
    """A label as IDNA spells it; raises UnicodeError.

    Python has IDNA 2003, whose mapping turns sharp s and final sigma into other letters and drops joiners, which
    names another host than browsers and httpx go to (IDNA 2008). So the two letters are kept here, and a joiner,
    whose meaning depends on its neighbours, makes the host unusable. Elsewhere the two agree on real names.
    """
    if label.isascii():
        return label
    if len(label) > 255 or "\u200c" in label or "\u200d" in label:
        raise UnicodeError("no label")
    from encodings.idna import nameprep

    kept = "\u00df\u03c2"
    mapped = "".join(part if part in kept else nameprep(part) for part in re.split(f"([{kept}])", label) if part)
    if mapped.isascii():
        return mapped
    if mapped.startswith("xn--"):
        raise UnicodeError("already encoded")
    return "xn--" + mapped.encode("punycode").decode("ascii")


def same_site(one: str, other: str) -> bool:
    """Whether two hosts are equal, or one is the ``www.`` twin of the other."""
    return one.removeprefix("www.") == other.removeprefix("www.")
