"""Which addresses may be connected to: a public site must not be able to send a reader into a private network.

No I/O: names are looked up by whoever connects, who then asks here about every answer and connects to one of those.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from . import urls

_NAT64 = IPv6Network("64:ff9b::/96")
"""IPv6 addresses that carry an IPv4 address in their last 32 bits (RFC 6052)."""


def is_public(address: str) -> bool:
    """Whether a numeric address is one of the public internet; an IPv6 address that stands for an IPv4 one is that."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    plain = _embedded(found) if isinstance(found, IPv6Address) else found
    return plain.is_global and not plain.is_multicast


def is_numeric(host: str) -> bool:
    """Whether a host is an address in its usual form, which needs no look-up."""
    try:
        return bool(ip_address(host.partition("%")[0]))
    except ValueError:
        return False


def _embedded(address: IPv6Address) -> IPv4Address | IPv6Address:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or address


def literal(host: str) -> str | None:
    """The address that the host of a URL spells out, in any form that resolvers take; None if it is a name.

    ``127.1``, ``2130706433``, ``0x7f.0.0.1`` and ``0177.0.0.1`` are all 127.0.0.1 (inet_aton), and so is ``localhost``
    (RFC 6761, 6.3).
    """
    name = host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return "127.0.0.1"
    if host.startswith("["):
        return host[1:-1]
    try:
        return socket.inet_ntoa(socket.inet_aton(name)) if name[-1:].isalnum() else None
    except OSError:
        return None


def may_be_public(host: str) -> bool:
    """Whether the host of a URL is a name, or spells a public address out."""
    spelled = literal(host)
    return spelled is None or is_public(spelled)


class Gate:
    """The rule of one reading; see `Limits.block_private`."""

    def __init__(self, start: str, block_private: bool | None) -> None:
        self._block = block_private
        self._start = urls.host(start)
        self._start_is_public = bool(self._start) and may_be_public(self._start)
        self._start_was_asked = False

    @property
    def is_strict(self) -> bool:
        """Names are to be looked up and judged even where somebody else connects."""
        return self._block is True

    def refusal(self, host: str, addresses: Iterable[str]) -> str | None:
        """Why `host`, which has these addresses, is not connected to; None if it may be.

        One private address among them is enough: which of them the next look-up gives first is up to whoever answers.
        """
        private = next((address for address in addresses if not is_public(address)), None)
        if host == self._start and not self._start_was_asked:
            # What the user asks for is the user's business, and so is what a private site leads to. A public site whose
            # name turns private later is not what the user asked for.
            self._start_was_asked, self._start_is_public = True, private is None
        if private is None or self._block is False or (self._block is None and not self._start_is_public):
            return None
        return f"{host} has the private address {private}"

    def refusal_of_url(self, url: str) -> str | None:
        """The same for a URL whose host spells an address out; None for a name, which is judged when looked up."""
        host = urls.host(url)
        address = literal(host)
        return self.refusal(host, [address]) if address else None
