"""How much a reading may take: every bound in one record."""

from __future__ import annotations

from dataclasses import dataclass, fields

MIB = 1024 * 1024
PATIENCE = 20
"""Times `Limits.timeout` that a body may take as a whole, so that no server can hold a reading for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on documents, memory and time. What a bound cuts off is reported and makes the reading incomplete.

    Raises ValueError for a negative bound, and TypeError for one that is no number.
    """

    max_depth: int = 5
    """Indexes above a sitemap, counted from the start. A chain of new indexes without end stops here."""
    max_sitemaps: int = 100_000
    """Documents fetched, the start included."""
    max_bytes: int = 100 * MIB
    """Decompressed bytes of one document over all layers; twice what sitemaps.org allows."""
    max_entries_per_sitemap: int | None = None
    """Items taken from one document. None: all; the protocol's 50,000 are reported, not enforced."""
    max_token: int = MIB
    """Bytes of one XML token, text or line."""
    max_diagnostics: int = 100
    """Diagnostics kept for each document; all are counted."""
    timeout: float = 30.0
    """Seconds until a response has begun, from connecting to the end of its headers, and between two pieces of its
    body. A whole body may take twenty times as long."""
    deadline: float | None = None
    """Seconds the whole reading may take. None: no bound."""
    max_redirects: int = 10
    """Redirects followed for one document."""
    retries: int = 2
    """Further tries for a request that failed in a way that may pass."""
    per_host: int | None = None
    """Requests on their way to one host at a time. None: as many as there are at a time in all."""
    interval: float = 0.0
    """Seconds between the beginnings of two requests to one host; what a Crawl-delay asks for."""
    block_private: bool | None = None
    """Refuse to connect to addresses that are not of the public internet: loopback, private and link-local networks,
    metadata services. True: always. False: never. None: where a site that is public itself leads to one, by a reference
    or by a redirect. With a client of your own, which looks names up by itself, None judges addresses in URLs only, and
    True looks each name up beforehand."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None and "None" in str(field.type):
                continue
            try:
                is_bound = value >= 0
            except TypeError:
                raise TypeError(f"{field.name} must be {field.type}, not {value!r}") from None
            if not is_bound:  # a nan is not, either
                raise ValueError(f"{field.name} must not be negative: {value!r}")
        if self.per_host == 0:
            raise ValueError("per_host must be at least 1: 0")


def limits_or_default(limits: Limits | None) -> Limits:
    """What a caller gives as `limits`; raises TypeError if it is something else, such as a dict."""
    if limits is not None and not isinstance(limits, Limits):
        raise TypeError(f"limits must be Limits or None, not {limits!r}")
    return limits or Limits()
