"""Which entries are kept and which child sitemaps are followed: two questions, answered apart.

A rule for pages never stops a sitemap, since the pages it asks for may stand in any.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from typing import NamedTuple

from . import hosts, urls
from .diagnostics import Code
from .model import Entry, SitemapRef, precision
from .values import lastmod as read_date

Rule = str | re.Pattern[str] | Callable[[str], object]
"""A regular expression, searched for in the URL, or a function of the URL."""
Filter = Rule | Sequence[Rule]
"""One rule, or several of which any may match; an empty list is no filter."""
Check = Callable[[Entry], Code | None]
"""Why an entry is not kept; None: it is."""


class Judge(NamedTuple):
    """All that there is to check of the entries of one document."""

    check: Check
    sure: tuple[str, ...] = ()
    """An entry whose URL begins with one of these is kept: that is known in half the time."""

    def __call__(self, entry: Entry) -> Code | None:
        """Why it is not kept."""
        return self.check(entry)


class Scope(Enum):
    """Where an entry may point to. Each is wider than the one before."""

    PROTOCOL = "protocol"
    """Scheme, host, port and folder of the sitemap, or the site whose robots.txt names it: what sitemaps.org asks."""
    HOST = "host"
    """The host of the sitemap, or the one whose robots.txt names it."""
    SUBDOMAINS = "subdomains"
    """These, and the domain of the site without ``www.`` with all below it."""
    ANY = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The document that entries stand in, and who vouches for it. All are canonical URLs."""

    url: str
    """Where it was found in the end."""
    requested: str = ""
    """Where it was asked for; empty: at `url`."""
    trail: tuple[str, ...] = ()
    """Its parents as they were asked for, root first."""
    site: str = ""
    """What the user asked for; empty: `requested`."""
    hosts: frozenset[str] = frozenset()
    """Further hosts that count as the site's own: the ``www.`` twin its start was redirected to."""

    def places(self) -> list[str]:
        """The document's own URLs: a redirect to another host, except the ``www.`` twin, does not move the site."""
        asked = self.requested or self.url
        same = hosts.same_site(urls.host(asked), urls.host(self.url))
        return [asked, self.url] if same else [asked]

    def robots(self) -> str | None:
        """The robots.txt that names the document, also through an index: sitemaps.org's cross-submission."""
        return self.trail[0] if self.trail and urls.split(self.trail[0]).path == "/robots.txt" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a reading keeps and follows; see the fields.

    Raises ValueError or TypeError for a value that cannot be meant. Can be pickled if its functions can.
    """

    scope: Scope = Scope.HOST
    """Where entries may point to. Sitemaps are followed wherever they are."""
    include: Filter | None = None
    """Keep only entries whose loc matches."""
    exclude: Filter | None = None
    """Drop entries whose loc matches."""
    follow: Filter | None = None
    """Fetch only child sitemaps whose URL matches, those that robots.txt names included."""
    since: datetime | date | str | None = None
    """Drop entries last modified before it: an aware datetime, a date (midnight UTC), or either in ISO 8601."""
    undated: bool = True
    """With `since`: keep entries without a usable lastmod."""
    skip_unchanged: bool = False
    """Skip child sitemaps that their index dates before `since`; in a reading with a state, those that it dates as it
    did last time. Many indexes are not truthful."""
    unique: bool = False
    """Deliver each loc once. Remembers every loc."""
    max_entries: int | None = None
    """Stop after so many entries."""

    def __post_init__(self) -> None:
        if not isinstance(self.scope, Scope):
            raise TypeError(f"scope must be a Scope, not {self.scope!r}")
        for name in ("include", "exclude", "follow"):
            _matcher(name, getattr(self, name))
        _instant(self.since)
        most = self.max_entries
        if most is not None and (not isinstance(most, int) or isinstance(most, bool)):
            raise TypeError(f"max_entries must be an int or None, not {most!r}")
        if most is not None and most < 0:
            raise ValueError(f"max_entries must not be negative: {most!r}")

    def judge(self, source: Source) -> Judge:
        """The judge of the entries of one document; made once for it, since an entry has to be judged in no time."""
        scope = _SCOPES[self.scope](source)
        others = [check for check in (self._filter(), self._cutoff()) if check is not None]
        if not others:
            return scope
        checks = (scope.check, *others)

        def check(entry: Entry) -> Code | None:
            for check in checks:
                code = check(entry)
                if code is not None:
                    return code
            return None

        return Judge(check)

    def follows(self, ref: SitemapRef) -> Code | None:
        """Why a child sitemap is not fetched; None: it is."""
        matches = _matcher("follow", self.follow)
        if matches is not None and not matches(ref.loc):
            return Code.POLICY_FILTER
        cutoff = _instant(self.since) if self.skip_unchanged else None
        if cutoff is not None and ref.lastmod is not None and _is_before(ref.lastmod, ref.lastmod_text, cutoff):
            return Code.POLICY_SINCE
        return None

    def _filter(self) -> Check | None:
        include = _matcher("include", self.include)
        exclude = _matcher("exclude", self.exclude)
        if include is None and exclude is None:
            return None

        def check(entry: Entry) -> Code | None:
            if (include is None or include(entry.loc)) and not (exclude is not None and exclude(entry.loc)):
                return None
            return Code.POLICY_FILTER

        return check

    def _cutoff(self) -> Check | None:
        cutoff = _instant(self.since)
        if cutoff is None:
            return None
        for_undated = None if self.undated else Code.POLICY_SINCE

        def check(entry: Entry) -> Code | None:
            if entry.lastmod is None:
                return for_undated
            return Code.POLICY_SINCE if _is_before(entry.lastmod, entry.lastmod_text, cutoff) else None

        return check


def policy_or_default(policy: Policy | None) -> Policy:
    """What a caller gives as `policy`; raises TypeError if it is something else, such as a dict."""
    if policy is not None and not isinstance(policy, Policy):
        raise TypeError(f"policy must be a Policy or None, not {policy!r}")
    return policy or Policy()


def _within_any(source: Source) -> Judge:
    return Judge(lambda entry: None, sure=("",))


def _within_host(source: Source, domain: str = "") -> Judge:
    hosts = source.hosts | {urls.host(url) for url in (*source.places(), source.robots() or "")} - {""}
    if not hosts:
        return _within_any(source)  # a local file: there is no host to compare with
    starts = tuple(f"{scheme}://{host}/" for host in sorted(hosts) for scheme in ("https", "http"))
    starts += tuple(f"{urls.origin(url)}/" for url in source.places() if urls.split(url).port)

    def check(entry: Entry) -> Code | None:
        if entry.loc.startswith(starts):
            return None
        host = urls.host(entry.loc)
        if host in hosts or (domain and f".{host}".endswith(domain)):
            return None
        return Code.POLICY_SCOPE

    return Judge(check, sure=starts)


def _within_subdomains(source: Source) -> Judge:
    host = urls.host(source.site or source.requested or source.url)
    bare = host.removeprefix("www.")
    return _within_host(source, f".{bare if '.' in bare else host}" if host else "")


def _within_protocol(source: Source) -> Judge:
    robots = source.robots()
    folders = tuple(urls.directory(url) for url in source.places() if urls.host(url))
    if robots:
        folders += (f"{urls.origin(robots)}/",)
    if not folders:
        return _within_any(source)

    def check(entry: Entry) -> Code | None:
        loc = entry.loc
        if loc.startswith(folders) and "/." not in loc and "/%2" not in loc:
            return None
        # Dot segments may lead out of the folder that a URL begins with, and userinfo hides the beginning.
        return None if urls.place(loc).startswith(folders) else Code.POLICY_SCOPE

    return Judge(check)


_SCOPES: dict[Scope, Callable[[Source], Judge]] = {
    Scope.PROTOCOL: _within_protocol,
    Scope.HOST: _within_host,
    Scope.SUBDOMAINS: _within_subdomains,
    Scope.ANY: _within_any,
}


def _matcher(name: str, given: Filter | None) -> Callable[[str], object] | None:
    """One test for a filter of any form; raises ValueError or TypeError. Compiling again is a look-up in `re`."""
    rules = given if isinstance(given, (list, tuple)) else () if given is None else (given,)
    tests = [_test(name, rule) for rule in rules]
    if len(tests) < 2:
        return tests[0] if tests else None
    return lambda url: any(test(url) for test in tests)


def _test(name: str, rule: object) -> Callable[[str], object]:
    if isinstance(rule, str):
        try:
            return re.compile(rule).search
        except re.error as error:
            raise ValueError(f"{name} is no regular expression: {rule!r}: {error}") from None
    if isinstance(rule, re.Pattern) and isinstance(rule.pattern, str):
        return rule.search
    if callable(rule):
        return rule
    raise TypeError(f"{name} must be a regular expression, a function, or a list of them, not {rule!r}")


def _instant(since: object) -> datetime | None:
    if isinstance(since, datetime):
        if since.utcoffset() is None:
            raise ValueError(f"since must have a time zone: {since!r}")
        return since
    if isinstance(since, date):
        return datetime.combine(since, time(), UTC)
    if isinstance(since, str):
        read, _ = read_date(since.strip())
        if read is None:
            raise ValueError(f"since is no date in ISO 8601: {since!r}")
        return read
    if since is None:
        return None
    raise TypeError(f"since must be a datetime, a date, or a str, not {since!r}")


_SPANS = {
    "day": timedelta(days=1),
    "minute": timedelta(minutes=1),
    "second": timedelta(seconds=1),
    "fraction": timedelta.resolution,
}


def _is_before(start: datetime, written: str | None, cutoff: datetime) -> bool:
    """Whether a date is over at `cutoff`: ``2024-06-01`` lasts until midnight, so it is not at noon."""
    return start < cutoff and _end(start, precision(written) if written else "fraction") <= cutoff


def _end(start: datetime, exactness: str) -> datetime:
    try:
        if exactness == "year":
            return start.replace(year=start.year + 1)
        if exactness == "month":
            return (start.replace(day=28) + timedelta(days=4)).replace(day=1)
        return start + _SPANS[exactness]
    except (OverflowError, ValueError):
        return datetime.max.replace(tzinfo=UTC)
