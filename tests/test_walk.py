"""The order of work: what is fetched, in which order, how often, and what that amounts to."""

import itertools
import pickle
import random
from collections.abc import Callable, Iterator

import httpx
import pytest

from sitemapreader import Code, Entry, FetchError, Limits, Outcome, Policy, SitemapRef, Walk

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
Site = dict[str, bytes]


def urlset(*locs: str) -> bytes:
    return f"<urlset xmlns='{NS}'>{''.join(f'<url><loc>{loc}</loc></url>' for loc in locs)}</urlset>".encode()


def index(*locs: str) -> bytes:
    items = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    return f"<sitemapindex xmlns='{NS}'>{items}</sitemapindex>".encode()


def answer(walk: Walk, ref: SitemapRef, site: Site) -> Iterator[Entry]:
    if ref.loc in site:
        return walk.receive(ref, site[ref.loc])
    walk.fail(ref, FetchError(ref.loc, Outcome.ABSENT, 404))
    return iter(())


def drive(walk: Walk, site: Site) -> tuple[list[str], list[str]]:
    """The locs that come out and the URLs that are asked for, one at a time."""
    locs, asked = [], []
    while (ref := walk.next()) is not None:
        asked.append(ref.loc)
        locs += [entry.loc for entry in answer(walk, ref, site)]
    assert walk.done
    return locs, asked


A = "https://a.example/"
TREE: Site = {
    A + "robots.txt": f"Sitemap: {A}one.xml\nSitemap: {A}two.xml\n".encode(),
    A + "one.xml": index(A + "1a.xml", A + "1b.xml"),
    A + "1a.xml": urlset(A + "p1", A + "p2"),
    A + "1b.xml": index(A + "1b1.xml"),
    A + "1b1.xml": urlset(A + "p3"),
    A + "two.xml": urlset(A + "p4", A + "p5"),
}


def test_children_come_depth_first_in_listed_order() -> None:
    walk = Walk("a.example")
    locs, asked = drive(walk, TREE)
    assert locs == [A + p for p in ("p1", "p2", "p3", "p4", "p5")]
    assert asked == [A + p for p in ("robots.txt", "one.xml", "1a.xml", "1b.xml", "1b1.xml", "two.xml")]
    assert walk.report.complete


def test_trail_holds_the_parents_root_first() -> None:
    walk = Walk("a.example")
    trails = {}
    while (ref := walk.next()) is not None:
        trails[ref.loc] = ref.trail
        list(answer(walk, ref, TREE))
    assert trails[A + "1b1.xml"] == (A + "robots.txt", A + "one.xml", A + "1b.xml")


@pytest.mark.parametrize("seed", range(20))
def test_answers_may_come_in_any_order(seed: int) -> None:
    rng, walk = random.Random(seed), Walk("a.example")
    waiting: list[SitemapRef] = []
    locs: list[str] = []
    while not walk.done:
        while len(waiting) < 4 and (ref := walk.next()) is not None:
            waiting.append(ref)
        locs += [entry.loc for entry in answer(walk, waiting.pop(rng.randrange(len(waiting))), TREE)]
    assert sorted(locs) == [A + p for p in ("p1", "p2", "p3", "p4", "p5")]
    assert walk.report.complete


def test_a_walk_goes_on_from_a_pickle_with_references_outstanding() -> None:
    walk = Walk("a.example")
    first = walk.next()
    assert first is not None
    list(answer(walk, first, TREE))
    outstanding = [walk.next(), walk.next()]
    walk, outstanding = pickle.loads(pickle.dumps((walk, outstanding)))
    locs = [entry.loc for ref in outstanding if ref is not None for entry in answer(walk, ref, TREE)]
    locs += drive(walk, TREE)[0]
    assert sorted(locs) == [A + p for p in ("p1", "p2", "p3", "p4", "p5")]
    assert walk.report.complete


def test_each_document_is_fetched_once() -> None:
    site = {
        A + "i.xml": index(A + "i.xml", A + "j.xml", "HTTPS://A.example:443/j.xml#top"),
        A + "j.xml": index(A + "i.xml"),
    }
    walk = Walk(A + "i.xml")
    _, asked = drive(walk, site)
    assert asked == [A + "i.xml", A + "j.xml"]
    assert walk.report.counts[Code.DUPLICATE] == 3
    assert walk.report.complete


def test_a_redirect_to_a_document_that_is_known_is_not_read_again() -> None:
    walk = Walk(A + "i.xml")
    first = walk.next()
    assert first is not None
    list(walk.receive(first, index(A + "moved.xml")))
    second = walk.next()
    assert second is not None
    assert list(walk.receive(second, index(A + "moved.xml"), url=A + "i.xml")) == []
    assert walk.done
    assert walk.report.counts[Code.DUPLICATE] == 1


def test_an_endless_chain_ends_at_the_depth_limit() -> None:
    walk = Walk(A + "0.xml", limits=Limits(max_depth=3))
    for number in itertools.count(1):
        ref = walk.next()
        if ref is None:
            break
        list(walk.receive(ref, index(f"{A}{number}.xml")))
    assert [row.url for row in walk.report.sitemaps] == [f"{A}{n}.xml" for n in range(4)]
    assert walk.report.counts[Code.LIMIT_DEPTH] == 1
    assert not walk.report.complete


def test_no_more_documents_than_the_limit_are_fetched() -> None:
    site = {
        A + "i.xml": index(*(f"{A}{n}.xml" for n in range(10))),
        **{f"{A}{n}.xml": urlset(f"{A}{n}") for n in range(10)},
    }
    walk = Walk(A + "i.xml", limits=Limits(max_sitemaps=4))
    locs, asked = drive(walk, site)
    assert locs == [A + "0", A + "1", A + "2"]
    assert len(asked) == 4
    assert walk.report.counts[Code.LIMIT_SITEMAPS] == 1
    assert not walk.report.complete


def test_usual_places_are_tried_only_if_robots_names_nothing() -> None:
    walk = Walk("a.example")
    locs, asked = drive(walk, {A + "sitemap-index.xml": urlset(A + "p")})
    assert locs == [A + "p"]
    assert asked == [A + p for p in ("robots.txt", "sitemap.xml", "sitemap_index.xml", "sitemap-index.xml")]
    assert [row.requested for row in walk.report.sitemaps] == [A + "robots.txt", A + "sitemap-index.xml"]


def test_usual_places_are_tried_if_what_robots_names_cannot_be_read() -> None:
    walk = Walk("a.example")
    _, asked = drive(walk, {A + "robots.txt": f"Sitemap: {A}gone.xml".encode(), A + "sitemap.xml": urlset(A + "p")})
    assert asked == [A + p for p in ("robots.txt", "gone.xml", "sitemap.xml")]
    assert not walk.report.complete


def test_a_blocked_guess_is_the_last() -> None:
    walk = Walk("a.example")
    asked = []
    while (ref := walk.next()) is not None:
        asked.append(ref.loc)
        walk.fail(ref, FetchError(ref.loc, Outcome.BLOCKED, 403))
    assert asked == [A + "robots.txt", A + "sitemap.xml"]


def test_a_page_leads_to_its_site_with_the_usual_places_in_its_folder_last() -> None:
    walk = Walk(A + "blog/")
    locs, asked = drive(
        walk, {A + "blog/": b"<!doctype html><title>Blog</title>", A + "blog/sitemap.xml": urlset(A + "blog/p")}
    )
    assert locs == [A + "blog/p"]
    assert asked[:3] == [A + p for p in ("blog/", "robots.txt", "sitemap.xml")]
    assert asked[-1] == A + "blog/sitemap.xml"
    assert [row.speculative for row in walk.report.sitemaps] == [True, True, False]


def test_guesses_wait_until_nothing_is_outstanding() -> None:
    walk = Walk("a.example")
    robots = walk.next()
    assert robots is not None
    assert walk.next() is None
    assert not walk.done
    walk.fail(robots, FetchError(robots.loc, Outcome.ABSENT, 404))
    guess = walk.next()
    assert guess is not None
    assert guess.loc == A + "sitemap.xml"


def test_an_iterator_that_is_never_started_does_not_hold_up_the_walk() -> None:
    walk = Walk(A + "s.xml")
    ref = walk.next()
    assert ref is not None
    walk.receive(ref, urlset(A + "p"))
    assert walk.done
    assert not walk.report.complete


def test_an_iterator_that_is_half_read_does() -> None:
    walk = Walk(A + "s.xml")
    ref = walk.next()
    assert ref is not None
    entries = walk.receive(ref, urlset(A + "p", A + "q"))
    assert next(entries).loc == A + "p"
    assert not walk.done
    list(entries)
    assert walk.done
    assert walk.report.complete


def test_one_dead_child_makes_the_report_incomplete_and_stops_nothing() -> None:
    walk = Walk(A + "i.xml")
    locs, _ = drive(walk, {A + "i.xml": index(A + "dead.xml", A + "live.xml"), A + "live.xml": urlset(A + "p")})
    assert locs == [A + "p"]
    dead = walk.report.sitemaps[1]
    assert (dead.requested, dead.outcome, dead.status, dead.parent) == (
        A + "dead.xml",
        Outcome.ABSENT,
        404,
        A + "i.xml",
    )
    assert not walk.report.complete


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        (Policy(), ["p1", "p2", "p3", "p4", "p5"]),
        (Policy(include="p[12]$"), ["p1", "p2"]),
        (Policy(exclude=["p1", "p2"]), ["p3", "p4", "p5"]),
        (Policy(follow=lambda url: "two" in url), ["p4", "p5"]),
        (Policy(max_entries=3), ["p1", "p2", "p3"]),
    ],
)
def test_a_policy_keeps_entries_and_follows_sitemaps(policy: Policy, kept: list[str]) -> None:
    assert drive(Walk("a.example", policy=policy), TREE)[0] == [A + p for p in kept]


def test_unique_drops_what_another_sitemap_listed() -> None:
    site = {
        A + "i.xml": index(A + "1.xml", A + "2.xml"),
        A + "1.xml": urlset(A + "p"),
        A + "2.xml": urlset(A + "p", A + "q"),
    }
    walk = Walk(A + "i.xml", policy=Policy(unique=True))
    assert drive(walk, site)[0] == [A + "p", A + "q"]
    assert walk.report.rejected == {Code.DUPLICATE: 1}
    assert walk.report.complete


def test_a_site_on_which_no_sitemap_is_found_is_not_complete() -> None:
    walk = Walk("a.example")
    drive(walk, {A + "robots.txt": b"User-agent: *\nDisallow:\n"})
    assert not walk.report.complete


@pytest.mark.parametrize("call", [Walk.receive, Walk.fail])
def test_an_answer_to_nothing_is_a_wrong_call(call: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="not outstanding"):
        call(Walk("a.example"), SitemapRef(A + "x.xml"), b"")


@pytest.mark.parametrize(
    "options",
    [
        {"body": "<urlset/>"},
        {"url": httpx.URL(A + "s.xml")},
        {"headers": {b"Content-Encoding": [b"gzip"]}},
        {"ref": A + "s.xml"},
    ],
)
def test_an_answer_of_another_kind_is_a_wrong_call_and_the_reference_still_to_be_answered(
    options: dict[str, object],
) -> None:
    walk = Walk(A + "s.xml")
    ref = walk.next()
    with pytest.raises(TypeError, match=next(iter(options))):
        walk.receive(**{"ref": ref, "body": urlset("p"), **options})  # type: ignore[arg-type]
    assert ref is not None
    assert [entry.loc for entry in walk.receive(ref, urlset("p"))] == [A + "p"]
    assert walk.done


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        *((404, Outcome.ABSENT), (410, Outcome.ABSENT), (403, Outcome.BLOCKED), (429, Outcome.BLOCKED)),
        *((304, Outcome.FAILED), (500, Outcome.FAILED), (200, Outcome.FAILED), (None, Outcome.FAILED)),
    ],
)
def test_a_status_says_what_became_of_a_request(status: int | None, outcome: Outcome) -> None:
    error = FetchError(A, status=status)
    assert (error.outcome, error.status) == (outcome, status)
    assert FetchError(A, Outcome.REFUSED, status).outcome is Outcome.REFUSED


@pytest.mark.parametrize("outcome", ["failed", 404])
def test_an_outcome_that_is_none_is_a_wrong_call(outcome: object) -> None:
    with pytest.raises(TypeError, match="outcome must be"):
        FetchError(A, outcome)  # type: ignore[arg-type]


def test_a_walk_shows_how_far_it_is() -> None:
    walk = Walk("a.example")
    walk.next()
    assert (
        repr(walk)
        == "<Walk of https://a.example/, 1 to be answered: <Report not complete, 0 entries from 0 documents>>"
    )


@pytest.mark.parametrize("start", ["", "ftp://a.example/", "http://", "https://a..b/"])
def test_a_start_that_cannot_be_fetched_is_a_wrong_call(start: str) -> None:
    with pytest.raises(ValueError, match="not an http"):
        Walk(start)


# ------------------------------------------------------------------------------------------------- pages that lead on
HOME = b"<!doctype html><link rel=alternate type=application/rss+xml href=/feed><link rel=sitemap href=/maps/all>"
FEED = f"<rss version='2.0'><channel><item><link>{A}post</link></item></channel></rss>".encode()


def test_the_home_page_is_asked_last_and_its_sitemap_is_used() -> None:
    walk = Walk("a.example")
    locs, asked = drive(walk, {A: HOME, A + "maps/all": urlset(A + "p"), A + "feed": FEED})
    assert locs == [A + "p"]
    assert asked[0] == A + "robots.txt" and asked[-2:] == [A, A + "maps/all"]
    assert len(asked) == 1 + 6 + 2
    assert not walk.report.recent_only


def test_a_feed_that_only_a_page_links_to_is_used_but_is_not_all() -> None:
    walk = Walk("a.example")
    locs, asked = drive(walk, {A + "robots.txt": b"User-agent: *\n", A: HOME, A + "feed": FEED})
    assert locs == [A + "post"]
    assert asked[-2:] == [A + "maps/all", A + "feed"]
    assert walk.report.recent_only
    assert not walk.report.complete


def test_a_start_that_is_a_page_is_asked_for_its_links_alone() -> None:
    walk = Walk(A + "about")
    locs, asked = drive(walk, {A + "about": HOME, A + "maps/all": urlset(A + "p")})
    assert (locs, asked) == ([A + "p"], [A + "about", A + "maps/all"])
    assert [row.speculative for row in walk.report.sitemaps] == [True, False]
    assert walk.report.complete


def test_a_page_without_links_is_no_sitemap() -> None:
    walk = Walk(A + "about")
    _, asked = drive(walk, {A + "about": b"<!doctype html><p>Us</p>"})
    assert asked == [A + "about"]
    assert walk.report.sitemaps[0].outcome is Outcome.NOT_A_SITEMAP
    assert not walk.report.complete


def test_a_page_in_place_of_a_sitemap_is_not_looked_at() -> None:
    walk = Walk(A + "sitemap.xml")
    _, asked = drive(walk, {A + "sitemap.xml": HOME, A + "maps/all": urlset(A + "p")})
    assert asked == [A + "sitemap.xml"]


# ---------------------------------------------------------------------------------------------------- the site's hosts
W = "https://www.a.example/"


def redirected(walk: Walk, site: Site) -> list[str]:
    """The locs of a site whose documents are all found on its www twin."""
    locs: list[str] = []
    while (ref := walk.next()) is not None:
        if ref.loc in site:
            locs += [e.loc for e in walk.receive(ref, site[ref.loc], url=ref.loc.replace(A, W))]
        else:
            walk.fail(ref, FetchError(ref.loc, Outcome.ABSENT, 404))
    return locs


def test_the_www_twin_that_a_start_is_redirected_to_is_the_same_site() -> None:
    site = {A + "sitemap.xml": index(W + "s.xml"), W + "s.xml": urlset(A + "p", W + "q", "https://b.example/r")}
    walk = Walk("a.example")
    assert redirected(walk, site) == [A + "p", W + "q"]
    assert walk.report.rejected == {Code.POLICY_SCOPE: 1}


def test_without_a_redirect_the_twin_is_another_host() -> None:
    walk = Walk(A + "s.xml")
    assert drive(walk, {A + "s.xml": urlset(A + "p", W + "q")})[0] == [A + "p"]


# --------------------------------------------------------------------------------------------- progress and validators
def test_progress_tells_each_document_once_and_counts_up() -> None:
    told = []
    walk = Walk("a.example")
    walk.on_progress = told.append
    drive(walk, TREE)
    assert [p.url for p in told if p.event == "started"] == [p.url for p in told if p.event == "finished"]
    assert len([p for p in told if p.event == "finished"]) == len(TREE)
    last = told[-1]
    assert (last.documents, last.known, last.entries) == (len(TREE), len(TREE), 5)
    assert last.bytes == sum(map(len, TREE.values()))
    assert [p.documents for p in told] == sorted(p.documents for p in told)
    assert all(p.documents <= p.known for p in told)


def test_what_is_read_can_be_asked_for_again_but_not_what_names_others() -> None:
    walk = Walk("a.example")
    while (ref := walk.next()) is not None:
        headers = {"ETag": f'"{ref.loc[-5:]}"', "Last-Modified": "Tue, 01 Dec 2026 10:00:00 GMT"}
        list(walk.receive(ref, TREE[ref.loc], headers=headers))
    validators = walk.report.validators
    assert sorted(validators) == [A + "1a.xml", A + "1b1.xml", A + "two.xml"]
    assert validators[A + "two.xml"] == ('"o.xml"', "Tue, 01 Dec 2026 10:00:00 GMT")


def test_a_failed_row_names_what_why_and_by_whom() -> None:
    walk = Walk(A + "i.xml")
    drive(walk, {A + "i.xml": index(A + "dead.xml", A + "empty.xml"), A + "empty.xml": b""})
    assert [(row.requested, row.status, row.reason, row.parent) for row in walk.report.failed] == [
        (A + "dead.xml", 404, "404", A + "i.xml"),
        (A + "empty.xml", None, "no bytes", A + "i.xml"),
    ]


def test_an_absent_robots_txt_is_no_loss_and_an_unreachable_one_is() -> None:
    for error, complete in ((FetchError(A, Outcome.ABSENT, 404), True), (FetchError(A, Outcome.FAILED, 503), False)):
        walk = Walk("a.example")
        robots = walk.next()
        assert robots is not None
        walk.fail(robots, error)
        drive(walk, {A + "sitemap.xml": urlset(A + "p")})
        assert walk.report.complete is complete
