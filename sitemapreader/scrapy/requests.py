"""From a response that is a sitemap to requests: pages go to the callbacks of the rules, sitemaps to its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from scrapy import Request
from scrapy.http import Response
from scrapy.spiders.sitemap import regex

from .. import urls
from ..diagnostics import Code
from ..limits import Limits
from ..model import Entry, Format, SitemapRef
from ..parser import Item, is_robots_url
from ..policy import Judge, Policy, Source
from .account import Account, account_of, key
from .document import Document, Entries
from .options import limits_of, meta_of

Callback = Callable[..., Any]
Hook = Callable[[str, Callback, dict[str, Any]], Request | None]
RULES = [("", "parse")]
FOLLOW = [""]


def iter_requests(
    spider: Any, response: Response, *, body: bytes | None = None, callback: Callback | None = None
) -> Iterator[Request]:
    """The requests that a sitemap, an index, a feed or a robots.txt leads to, lazily and in its order.

    `spider` may be of any class: its `sitemap_rules`, `sitemap_follow`, `sitemap_alternate_links`, `sitemap_filter`,
    `sitemap_request`, `sitemap_policy` and `sitemap_limits` count as in a SitemapSpider, where it has them. Child
    sitemaps go to `callback`, which is that of the response's own request if None, with its errback. `body` is read
    instead of that of the response. Whatever is wrong with the document is in the stats and the log; nothing raises.
    """
    routing = Routing(spider, response, callback)
    account = routing.account
    if not account.arrived(response, routing.requested):
        account.count(f"rejected/{Code.DUPLICATE.value}")
        return
    if account.options.depth_reset and response.request is not None:
        response.meta["depth"] = -1  # Scrapy gives a request one more than its response has
    document = Document(
        response.body if body is None else body,
        url=response.url,
        requested=routing.requested,
        limits=routing.limits,
        content_type=(response.headers.get("Content-Type") or b"").decode("latin-1") or None,
        cut="dataloss" in response.flags,
    )
    with account.reading(document, response) as tally:
        yield from routing.requests(document, tally)


def requested_url(response: Response) -> str:
    """Where a document was asked for: before redirects, unless they led to a robots.txt."""
    first: str = (meta_of(response).get("redirect_urls") or [response.url])[0]
    return response.url if is_robots_url(response.url) else first


def is_robots(response: Response) -> bool:
    """Whether a response is a robots.txt, which is no matter for `sitemap_filter`."""
    return requested_url(response).endswith("/robots.txt")


def sitemap_request(
    account: Account, url: str, *, trail: list[str], limits: Limits, callback: Callback, errback: Callback | None
) -> Request | None:
    """A request for a sitemap; None, once it is counted, for one that is known or one too many."""
    options = account.options
    if key(url) in account.known:
        account.count(f"rejected/{Code.DUPLICATE.value}")
        return None
    if len(trail) > limits.max_depth:
        account.refused(Code.LIMIT_DEPTH, url, f"deeper than {limits.max_depth}")
        return None
    if account.requested >= limits.max_sitemaps:
        account.refused(Code.LIMIT_SITEMAPS, url, f"more than {limits.max_sitemaps}")
        return None
    meta = {"sitemap_trail": trail, "download_fail_on_dataloss": False}
    if options.allow_offsite:
        meta["allow_offsite"] = True
    try:
        request = Request(
            url,
            callback,
            errback=errback,
            meta=meta,
            priority=options.priority,
            dont_filter=options.dont_filter,
        )
    except ValueError as error:
        account.refused(Code.URL_INVALID, url, str(error))
        return None
    account.known.add(key(url))
    account.requested += 1
    return request


class Routing:
    """Where the URLs of one document go; made for each from what the spider says at that time."""

    def __init__(self, spider: Any, response: Response, callback: Callback | None) -> None:
        request = response.request
        self._spider = spider
        self._callback = callback or (request.callback if request else None) or spider.parse
        self._errback = getattr(spider, "_sitemap_failed", None) or (request.errback if request else None)
        self.account = account_of(spider)
        meta = meta_of(response)
        self.limits = limits_of(spider, self.account.options, meta)
        self.requested = requested_url(response)
        self._trail: list[str] = list(meta.get("sitemap_trail") or ())
        self._url = response.url
        self._alternates = bool(getattr(spider, "sitemap_alternate_links", False))
        self._rules = [(_searcher(pattern), found) for pattern, found in rules_of(spider)]
        self._follow = [_searcher(pattern) for pattern in follow_of(spider)]
        self._policy: Policy | None = getattr(spider, "sitemap_policy", None)
        self._judge: Judge | None = self._judge_of(self._policy)
        self._hook: Hook | None = hook_of(spider)
        self._tally: Counter[str] = Counter()

    def _judge_of(self, policy: Policy | None) -> Judge | None:
        if policy is None:
            return None
        trail = tuple(map(key, self._trail))
        start = trail[0] if trail else key(self.requested)
        return policy.judge(Source(url=key(self._url), requested=key(self.requested), trail=trail, site=start))

    def requests(self, document: Document, tally: Counter[str]) -> Iterator[Request]:
        """Those that a document leads to; what is met on the way is counted in `tally`."""
        self._tally = tally
        made = self._named if document.format is Format.ROBOTS else self._listed
        for request in made(document):
            if request is not None:
                tally["requests"] += 1
                yield request

    def _named(self, document: Document) -> Iterator[Request | None]:
        """What a robots.txt names, which `sitemap_filter` does not see."""
        for item in filter(self._accepts, document.items()):
            yield self._sitemap(item.loc, listed_by_robots=True)

    def _listed(self, document: Document) -> Iterator[Request | None]:
        if document.format is None:
            return
        entries = Entries(document, self._accepts)
        choose = getattr(self._spider, "sitemap_filter", iter)
        for found in choose(entries):
            item: Item | None = getattr(found, "entry", None)
            is_sitemap = isinstance(item, SitemapRef) if item else entries.type == "sitemapindex"
            plain: dict[str, Any] | None = None
            for url in self._urls(found):
                if is_sitemap:
                    yield self._sitemap(url)
                elif callback := self._callback_of(url):
                    # Made once for an entry and its alternates, and not for entries that no rule wants.
                    plain = plain or self._plain(found, item)
                    yield self._page(url, callback, found, plain)

    def _urls(self, found: dict[str, Any]) -> Iterable[str]:
        """What an entry asks for: its page, then if they are wanted the others it names, each once."""
        alternates = found.get("alternate") if self._alternates else None
        loc = found.get("loc")
        return filter(None, dict.fromkeys((loc, *alternates)) if alternates else (loc,))

    def _accepts(self, item: Item) -> bool:
        """Count an item, and ask the policy, if there is one."""
        if isinstance(item, Entry):
            self._tally["entries"] += 1
        if self._policy is None:
            return True
        code = self._policy.follows(item) if isinstance(item, SitemapRef) else self._refusal(item, self._policy)
        if code is not None:
            self._tally[f"rejected/{code.value}"] += 1
        return code is None

    def _refusal(self, entry: Entry, policy: Policy) -> Code | None:
        account = self.account
        code = self._judge(entry) if self._judge else None
        if code is not None:
            return code
        if policy.unique:
            if hash(entry.loc) in account.locs:
                return Code.DUPLICATE
            account.locs.add(hash(entry.loc))
        if policy.max_entries is not None and account.kept >= policy.max_entries:
            return Code.LIMIT_ENTRIES
        account.kept += 1
        return None

    def _sitemap(self, url: str, *, listed_by_robots: bool = False) -> Request | None:
        follows = not listed_by_robots or self.account.options.follow_robots
        if follows and not any(search(url) for search in self._follow):
            self._tally["unmatched"] += 1
            return None
        trail = [*self._trail, self.requested]
        return sitemap_request(
            self.account, url, trail=trail, limits=self.limits, callback=self._callback, errback=self._errback
        )

    def _callback_of(self, url: str) -> Callback | None:
        for search, callback in self._rules:
            if search(url):
                return callback
        self._tally["unmatched"] += 1
        return None

    def _page(self, url: str, callback: Callback, found: dict[str, Any], plain: dict[str, Any]) -> Request | None:
        try:
            request: Request | None = Request(url, callback=callback)
        except ValueError as error:
            self.account.invalid(url, error)
            return None
        if self._hook is not None:
            request = self._hook(url, callback, found)
        if request is not None:
            request.meta.setdefault("sitemap_entry", {**plain})
        return request

    def _plain(self, found: dict[str, Any], item: Item | None) -> dict[str, Any]:
        """The entry as plain values; of a dict that the spider has made, what it says."""
        if item is not None:
            return item.to_dict()
        return Entry(str(found.get("loc")), sitemap=urls.without_fragment(self._url)).to_dict() | found


def rules_of(spider: Any) -> list[tuple[re.Pattern[str], Callback]]:
    """The rules with their patterns compiled and their callbacks found; raises AttributeError for a name of none."""
    made: list[tuple[re.Pattern[str], Callback]] | None = getattr(spider, "_cbs", None)
    if made is not None:
        return made
    rules = getattr(spider, "sitemap_rules", RULES)
    return [(regex(rule), getattr(spider, found) if isinstance(found, str) else found) for rule, found in rules]


def follow_of(spider: Any) -> list[re.Pattern[str]]:
    """The patterns of the child sitemaps that are followed."""
    made: list[re.Pattern[str]] | None = getattr(spider, "_follow", None)
    return [regex(rule) for rule in getattr(spider, "sitemap_follow", FOLLOW)] if made is None else made


def hook_of(spider: Any) -> Hook | None:
    """The spider's own `sitemap_request`; None if it has none, or the one that does nothing of its own."""
    hook: Hook | None = getattr(spider, "sitemap_request", None)
    return None if getattr(hook, "makes_plain_requests", False) else hook


def _searcher(pattern: re.Pattern[str]) -> Callable[[str], object]:
    """The test of a pattern: one with other letters than those of ASCII means the URL as people read it, too."""
    search = pattern.search
    # Scrapy takes anything with a `search`, such as a pattern of another package.
    if str(getattr(pattern, "pattern", "")).isascii():
        return search
    return lambda url: search(url) or search(unquote(url))
