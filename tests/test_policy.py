"""Policies: what is in scope, which filters apply to what, and when a date is before another."""

from __future__ import annotations

import pickle
import re
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapreader.diagnostics import Code
from sitemapreader.model import Entry, SitemapRef
from sitemapreader.policy import Policy, Scope, Source
from sitemapreader.values import lastmod

SITE = Source(url="https://example.com/sitemap.xml")


def verdict(policy: Policy, loc: str, source: Source = SITE, *, dated: str | None = None) -> Code | None:
    entry = Entry(loc, lastmod=lastmod(dated)[0] if dated else None, lastmod_text=dated)
    return policy.judge(source)(entry)


def kept(scope: Scope, loc: str, source: Source = SITE) -> bool:
    code = verdict(Policy(scope=scope), loc, source)
    assert code in (None, Code.POLICY_SCOPE)
    return code is None


@pytest.mark.parametrize(
    ("loc", "narrowest"),
    [
        ("https://example.com/", Scope.PROTOCOL),
        ("https://user:pw@example.com/a", Scope.PROTOCOL),
        ("http://example.com/a", Scope.HOST),
        ("https://example.com:8443/a", Scope.HOST),
        ("https://www.example.com/a", Scope.SUBDOMAINS),
        ("https://a.b.example.com:8443/a", Scope.SUBDOMAINS),
        ("https://example.net/a", Scope.ANY),
        ("https://badexample.com/a", Scope.ANY),
        ("https://example.com.evil.test/a", Scope.ANY),
        ("https://example.com@evil.test/a", Scope.ANY),
        ("https://evil.test/https://example.com/", Scope.ANY),
    ],
)
def test_each_scope_is_wider_than_the_one_before(loc: str, narrowest: Scope) -> None:
    scopes = list(Scope)
    assert [scope for scope in scopes if kept(scope, loc)] == scopes[scopes.index(narrowest) :]


@pytest.mark.parametrize(
    ("sitemap", "loc", "inside"),
    [
        ("http://example.com/catalog/sitemap.xml", "http://example.com/catalog/show?item=233&user=3453", True),
        ("http://example.com/catalog/sitemap.xml", "http://example.com/catalog/a/b", True),
        ("http://example.com/catalog/sitemap.xml", "http://example.com/image/show?item=233", False),
        ("http://example.com/catalog/sitemap.xml", "http://example.com/catalog", False),
        ("http://example.com/catalog/sitemap.xml", "http://example.com/catalogue/a", False),
        ("http://example.com/catalog/sitemap.xml", "https://example.com/catalog/page1.php", False),
        ("http://example.com/catalog/sitemap.xml", "http://example.com/?/catalog/", False),
        ("http://example.com/catalog/sitemap.xml", "http://example.com/catalog/../image/a", False),
        ("http://example.com/catalog/sitemap.xml", "http://example.com/catalog/%2E%2e/image/a", False),
        ("http://example.com/catalog/sitemap.xml", "http://example.com/image/../catalog/a", True),
        ("http://example.com/catalog/sitemap.xml", "http://example.com/catalog/.well-known?a=/../b", True),
        ("https://example.com/index.php?route=path/sitemap", "https://example.com/catalog/page1.php", True),
        ("http://example.com/a%20b/sitemap.xml", "http://example.com/a%20b/1", True),
        ("http://example.com:8080/sitemap.xml", "http://example.com:8080/a", True),
        ("http://example.com:8080/sitemap.xml", "http://example.com/a", False),
    ],
)
def test_protocol_scope_is_the_folder_of_the_sitemap(sitemap: str, loc: str, inside: bool) -> None:
    assert kept(Scope.PROTOCOL, loc, Source(url=sitemap)) is inside


ROBOTS = "https://example.com/robots.txt"
INDEX = "https://cdn.example.net/index.xml"


@pytest.mark.parametrize("trail", [(ROBOTS,), (ROBOTS, INDEX)])
@pytest.mark.parametrize("scope", [Scope.PROTOCOL, Scope.HOST])
def test_robots_txt_vouches_for_a_sitemap_elsewhere_also_through_an_index(scope: Scope, trail: tuple[str, ...]) -> None:
    source = Source(url="https://cdn.example.net/maps/1.xml", trail=trail, site="https://example.com/")
    assert kept(scope, "https://example.com/a", source)
    assert kept(scope, "https://cdn.example.net/maps/a", source)
    assert not kept(scope, "https://other.example/a", source)


@pytest.mark.parametrize("trail", [(), ("https://example.com/index.xml",), (INDEX, ROBOTS)])
@pytest.mark.parametrize("scope", [Scope.PROTOCOL, Scope.HOST])
def test_a_sitemap_elsewhere_speaks_for_its_own_host_only(scope: Scope, trail: tuple[str, ...]) -> None:
    source = Source(url="https://cdn.example.net/1.xml", trail=trail, site="https://example.com/")
    assert not kept(scope, "https://example.com/a", source)


def test_protocol_scope_asks_for_the_scheme_and_port_of_robots_txt() -> None:
    source = Source(url="https://cdn.example.net/1.xml", trail=(ROBOTS,))
    assert not kept(Scope.PROTOCOL, "http://example.com/a", source)
    assert not kept(Scope.PROTOCOL, "https://example.com:8443/a", source)
    assert kept(Scope.HOST, "http://example.com:8080/a", source)


@pytest.mark.parametrize("site", ["https://www.example.com/", "https://example.com/"])
def test_subdomains_are_those_of_the_site_without_www_wherever_the_sitemap_is(site: str) -> None:
    source = Source(url="https://cdn.example.net/1.xml", site=site)
    assert kept(Scope.SUBDOMAINS, "https://example.com/", source)
    assert kept(Scope.SUBDOMAINS, "https://shop.example.com/", source)
    assert not kept(Scope.SUBDOMAINS, "https://shop.example.net/", source)


def test_subdomains_of_a_name_that_only_begins_with_www() -> None:
    source = Source(url="https://www.com/sitemap.xml")
    assert kept(Scope.SUBDOMAINS, "https://a.www.com/", source)
    assert not kept(Scope.SUBDOMAINS, "https://example.com/", source)


def test_a_redirect_to_another_host_does_not_move_the_site() -> None:
    source = Source(url="https://example.net/sitemap.xml", requested="https://example.com/sitemap.xml")
    assert kept(Scope.HOST, "https://example.com/a", source)
    assert not kept(Scope.HOST, "https://example.net/a", source)


@pytest.mark.parametrize("scope", [Scope.PROTOCOL, Scope.HOST])
def test_a_redirect_to_the_www_twin_or_to_https_does(scope: Scope) -> None:
    source = Source(url="https://www.example.com/sitemap.xml", requested="http://example.com/sitemap.xml")
    assert kept(scope, "https://www.example.com/a", source)
    assert kept(scope, "http://example.com/a", source)


def test_further_hosts_of_the_site_count() -> None:
    source = Source(url="https://example.com/sitemap.xml", hosts=frozenset({"www.example.com"}))
    assert kept(Scope.HOST, "https://www.example.com/a", source)
    assert not kept(Scope.HOST, "https://shop.example.com/a", source)


@pytest.mark.parametrize("scope", list(Scope))
def test_a_local_file_has_no_host_to_compare_with(scope: Scope) -> None:
    assert kept(scope, "https://example.com/a", Source(url="file:///tmp/sitemap.xml"))


def has_b(url: str) -> bool:
    return "b" in url


@pytest.mark.parametrize(
    "rule", ["b$", re.compile("B$", re.I), has_b, ["zz", "b$"], ("zz", re.compile("b$")), ["zz", has_b], ["b$"]]
)
def test_filters_take_expressions_functions_and_lists_of_them(rule: object) -> None:
    a, b = "https://example.com/a", "https://example.com/b"
    include, exclude, follow = Policy(include=rule), Policy(exclude=rule), Policy(follow=rule)  # type: ignore[arg-type]
    assert [verdict(include, loc) for loc in (a, b)] == [Code.POLICY_FILTER, None]
    assert [verdict(exclude, loc) for loc in (a, b)] == [None, Code.POLICY_FILTER]
    assert [follow.follows(SitemapRef(loc)) for loc in (a, b)] == [Code.POLICY_FILTER, None]


def test_exclude_wins_over_include_and_scope_is_named_first() -> None:
    policy = Policy(include="/shop/", exclude="/old", since="2024-01-01")
    assert verdict(policy, "https://example.com/shop/a") is None
    assert verdict(policy, "https://example.com/shop/old") is Code.POLICY_FILTER
    assert verdict(policy, "https://example.net/", dated="2000") is Code.POLICY_SCOPE
    assert verdict(policy, "https://example.com/", dated="2000") is Code.POLICY_FILTER
    assert verdict(policy, "https://example.com/shop/a", dated="2000") is Code.POLICY_SINCE


def test_an_empty_list_is_no_filter() -> None:
    policy = Policy(include=[], exclude=[], follow=[])
    assert verdict(policy, "https://example.com/a") is None
    assert policy.follows(SitemapRef("https://example.com/a.xml")) is None


def test_rules_for_pages_and_scope_never_stop_a_sitemap() -> None:
    old = SitemapRef("https://cdn.example.net/x?page=1", *lastmod("2001-01-01")[:1], "2001-01-01")
    policy = Policy(scope=Scope.PROTOCOL, include="/shop/", exclude="page=", since="2024-01-01", undated=False)
    assert policy.follows(old) is None


@pytest.mark.parametrize(
    ("dated", "since", "stays"),
    [
        ("2024-06-01", "2024-06-01T12:00:00Z", True),
        ("2024-05-31", "2024-06-01T12:00:00Z", False),
        ("2024-05-31", "2024-06-01", False),
        ("2024-06-01", "2024-06-01", True),
        ("2024-05-31", "2024-05-31T23:59:59Z", True),
        ("2024", "2024-12-31T23:59:59Z", True),
        ("2024", "2025-01-01", False),
        ("2024-02", "2024-02-29T23:00:00Z", True),
        ("2024-02", "2024-03-01", False),
        ("2023-12", "2024-01-01", False),
        ("2024-06-01T11:59Z", "2024-06-01T11:59:30Z", True),
        ("2024-06-01T11:58Z", "2024-06-01T11:59:00Z", False),
        ("2024-06-01T12:00:00Z", "2024-06-01T12:00:00Z", True),
        ("2024-06-01T12:00:00Z", "2024-06-01T12:00:00.5Z", True),
        ("2024-06-01T11:59:59Z", "2024-06-01T12:00:00Z", False),
        ("2024-06-01T12:00:00.5Z", "2024-06-01T12:00:00.5Z", True),
        ("2024-06-01T12:00:00.4Z", "2024-06-01T12:00:00.5Z", False),
        ("2024-06-01T13:00:00+02:00", "2024-06-01T12:00:00Z", False),
        ("2024-06-01T11:00:00-02:00", "2024-06-01T12:00:00Z", True),
        ("9999", "9999-12-31T23:59:59Z", True),
        ("9999-12", "9999-12-31T23:59:59Z", True),
        ("9999-12-31", "9999-12-31T23:59:59Z", True),
        ("0001-01-01", "0001-01-02", False),
    ],
)
def test_a_date_is_an_interval_of_its_precision(dated: str, since: str, stays: bool) -> None:
    expected = None if stays else Code.POLICY_SINCE
    assert verdict(Policy(since=since), "https://example.com/a", dated=dated) is expected
    ref = SitemapRef("https://example.com/a.xml", lastmod(dated)[0], dated)
    assert Policy(since=since, skip_unchanged=True).follows(ref) is expected
    assert Policy(since=since).follows(ref) is None


@pytest.mark.parametrize(
    "since", ["2024-06-01", date(2024, 6, 1), datetime(2024, 6, 1, 2, tzinfo=timezone(timedelta(hours=2))), " 2024-06 "]
)
def test_since_is_a_date_at_midnight_utc_or_an_instant(since: date | str) -> None:
    policy = Policy(since=since)
    assert verdict(policy, "https://example.com/a", dated="2024-05-31T23:59:59Z") is Code.POLICY_SINCE
    assert verdict(policy, "https://example.com/a", dated="2024-06-01T00:00:00Z") is None


def test_undated_entries_stay_unless_told_otherwise_and_undated_sitemaps_always() -> None:
    assert verdict(Policy(since="2024-01-01"), "https://example.com/a") is None
    assert verdict(Policy(since="2024-01-01", undated=False), "https://example.com/a") is Code.POLICY_SINCE
    assert verdict(Policy(undated=False), "https://example.com/a") is None
    policy = Policy(since="2024-01-01", undated=False, skip_unchanged=True)
    assert policy.follows(SitemapRef("https://example.com/a.xml")) is None


def test_entry_with_a_date_but_no_text_is_an_instant() -> None:
    entry = Entry("https://example.com/a", lastmod=datetime(2024, 6, 1, tzinfo=UTC))
    assert Policy(since="2024-06-01T12:00:00Z").judge(SITE)(entry) is Code.POLICY_SINCE


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"scope": "host"}, TypeError),
        ({"include": "("}, ValueError),
        ({"exclude": ["a", "["]}, ValueError),
        ({"follow": 1}, TypeError),
        ({"include": re.compile(b"a")}, TypeError),
        ({"include": b"a"}, TypeError),
        ({"exclude": [None]}, TypeError),
        ({"since": datetime(2024, 1, 1)}, ValueError),
        ({"since": "yesterday"}, ValueError),
        ({"since": ""}, ValueError),
        ({"since": 1704067200}, TypeError),
        ({"max_entries": -1}, ValueError),
        ({"max_entries": 1.5}, TypeError),
        ({"max_entries": True}, TypeError),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused_by_name(options: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(options))):
        Policy(**options)  # type: ignore[arg-type]


def test_options_are_keyword_only_and_frozen() -> None:
    with pytest.raises(TypeError):
        Policy(Scope.ANY)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        Policy().scope = Scope.ANY  # type: ignore[misc]


def test_policy_and_source_can_be_pickled() -> None:
    policy = Policy(
        scope=Scope.ANY,
        include=["a", re.compile("b", re.I)],
        exclude=has_b,
        follow="x",
        since=date(2024, 1, 1),
        unique=True,
    )
    assert pickle.loads(pickle.dumps(policy)) == policy
    assert pickle.loads(pickle.dumps(SITE)) == SITE


hosts = st.sampled_from(
    ["example.com", "www.example.com", "a.www.example.com", "example.net", "www.com", "com", "[::1]"]
)
places = st.builds(
    "{}://{}{}/{}".format,
    st.sampled_from(["http", "https"]),
    hosts,
    st.sampled_from(["", ":8080"]),
    st.sampled_from(["", "a/", "a/../b", "robots.txt", "?a/b"]),
)
sources = st.builds(
    Source,
    url=places,
    requested=places,
    trail=st.lists(places, max_size=2).map(tuple),
    site=places,
    hosts=st.frozensets(hosts),
)


@given(sources, places)
def test_a_wider_scope_never_loses_an_entry(source: Source, loc: str) -> None:
    verdicts = [kept(scope, loc, source) for scope in Scope]
    assert verdicts == sorted(verdicts)
    assert verdicts[-1]
