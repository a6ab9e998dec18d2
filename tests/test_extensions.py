"""Extensions: each namespace from hand-built elements to records; a bad value costs itself, never its siblings."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitemapreader.extensions import NAMESPACES, Element, reader
from sitemapreader.records import (
    Alternate,
    ContentSegment,
    Extension,
    Gallery,
    Image,
    Mobile,
    News,
    Player,
    Price,
    Publication,
    Restriction,
    TvShow,
    Uploader,
    Video,
    VideoId,
)

IMAGE = "http://www.google.com/schemas/sitemap-image/1.1"
VIDEO = "http://www.google.com/schemas/sitemap-video/1.1"
NEWS = "http://www.google.com/schemas/sitemap-news/0.9"
MOBILE = "http://www.google.com/schemas/sitemap-mobile/1.0"
PAGEMAP = "http://www.google.com/schemas/sitemap-pagemap/1.0"
XHTML = "http://www.w3.org/1999/xhtml"
DAY = datetime(2024, 5, 1, tzinfo=UTC)


class Entry:
    """The context a reader gets: an entry at https://example.com/ that remembers what was reported."""

    def __init__(self) -> None:
        self.reported: list[str] = []

    def url(self, text: str) -> str | None:
        found = urljoin("https://example.com/", text)
        return found if found.startswith(("http://", "https://")) and " " not in found else None

    def invalid(self, detail: str) -> None:
        self.reported.append(detail)


def element(uri: str, name: str, text: str = "", *children: Element, **attributes: str) -> Element:
    return Element(uri, name, attributes, text + "".join(child.text for child in children), list(children))


def read(uri: str, name: str, *fields: tuple[Any, ...], **attributes: str) -> tuple[Extension | None, list[str]]:
    """What the reader of `uri` makes of an element with `fields`: (tag, text) or (tag, text, attributes)."""
    entry = Entry()
    children = [element(uri, field[0], field[1], **(field[2] if len(field) > 2 else {})) for field in fields]
    return reader(NAMESPACES[uri])(element(uri, name, "", *children, **attributes), entry), entry.reported


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("end", ["", "/"])
@pytest.mark.parametrize(
    ("name", "tag", "kind"),
    [
        ("www.google.com/schemas/sitemap-video/1.1", "video", Video),
        ("www.google.com/schemas/sitemap-news/0.9", "news", News),
        ("www.google.com/schemas/sitemap-news/0.84", "news", News),
        ("www.google.com/schemas/sitemap-mobile/1.0", "mobile", Mobile),
        ("www.google.com/schemas/sitemap-pagemap/1.0", "PageMap", type(None)),
    ],
)
def test_every_spelling_of_a_namespace_finds_its_reader(
    scheme: str, end: str, name: str, tag: str, kind: type[object]
) -> None:
    found, reported = read(f"{scheme}://{name}{end}", tag)
    assert type(found) is kind
    assert not reported
    assert f"{scheme}://www.google.com/schemas/sitemap-image/1.1{end}" in NAMESPACES
    assert f"{scheme}://www.w3.org/1999/xhtml{end}" in NAMESPACES


@pytest.mark.parametrize("uri", sorted(NAMESPACES))
def test_an_unknown_element_of_a_known_namespace_is_skipped_silently(uri: str) -> None:
    assert read(uri, "nothing", ("title", "x")) == (None, [])


def test_an_image_has_all_its_fields_with_white_space_collapsed() -> None:
    found, reported = read(
        *(IMAGE, "image", ("loc", "\n /photo.jpg\t"), ("caption", " This is\n  the\xa0caption. ")),
        *(("geo_location", "Limerick, Ireland"), ("title", "A & B"), ("license", "https://example.org/by/4.0")),
    )
    assert found == Image(
        loc="https://example.com/photo.jpg",
        title="A & B",
        caption="This is the caption.",
        geo_location="Limerick, Ireland",
        license="https://example.org/by/4.0",
    )
    assert not reported


def test_tags_match_in_any_case_and_empty_or_unknown_ones_say_nothing() -> None:
    found, reported = read(
        IMAGE, "IMAGE", ("Loc", "/a"), ("TITLE", "t"), ("caption", " \n"), ("license", ""), ("x", "y")
    )
    assert (found, reported) == (Image("https://example.com/a", title="t"), [])


def test_a_child_of_another_namespace_is_no_field() -> None:
    foreign = element(VIDEO, "loc", "/video")
    entry = Entry()
    found = reader(NAMESPACES[IMAGE])(element(IMAGE, "image", "", element(IMAGE, "loc", "/image"), foreign), entry)
    assert (found, entry.reported) == (Image("https://example.com/image"), [])


def test_an_image_loc_outside_its_wrapper_is_an_image() -> None:
    entry = Entry()
    assert reader(NAMESPACES[IMAGE])(element(IMAGE, "loc", " /a.png "), entry) == Image("https://example.com/a.png")
    assert not entry.reported


@pytest.mark.parametrize("loc", [None, "", " \n", "data:image/png;base64,AAAA"])
def test_an_image_without_usable_loc_is_reported_once(loc: str | None) -> None:
    fields = [("title", "t")] + ([("loc", loc)] if loc is not None else [])
    found, reported = read(IMAGE, "image", *fields)
    assert found is None
    assert len(reported) == 1
    assert reported[0].startswith("image:loc: ")


def test_a_bad_url_of_an_image_other_than_loc_costs_only_itself() -> None:
    found, reported = read(IMAGE, "image", ("license", "mailto:a@example.com"), ("loc", "/a"), ("title", "t"))
    assert (found, reported) == (Image("https://example.com/a", title="t"), ["image:license: 'mailto:a@example.com'"])


def test_a_flat_bad_image_loc_is_reported() -> None:
    entry = Entry()
    assert reader(NAMESPACES[IMAGE])(element(IMAGE, "loc", "ftp://example.com/a"), entry) is None
    assert entry.reported == ["image:loc: 'ftp://example.com/a'"]


def test_a_video_has_all_its_fields_and_attributes() -> None:
    fields: list[tuple[Any, ...]] = [
        ("thumbnail_loc", "/t.jpg"),
        ("title", "Grilling"),
        ("description", "How to\n grill"),
        ("content_loc", "https://cdn.example.com/v.mp4"),
        ("player_loc", " /player?v=1 ", {"allow_embed": "Yes", "autoplay": "ap=1"}),
        ("duration", "600"),
        ("expiration_date", "2024-05-01T08:00:00+08:00"),
        ("rating", "4.2"),
        ("view_count", "12345"),
        ("publication_date", "2024-05-01"),
        ("tag", "one"),
        ("family_friendly", "no"),
        ("tag", "two, three"),
        ("tag", ""),
        ("category", "Baking"),
        ("restriction", "IE GB,US,  CA", {"relationship": "Allow"}),
        ("platform", "web tv", {"relationship": "deny"}),
        ("gallery_loc", "/g", {"title": "Cooking"}),
        ("price", "1.99", {"currency": "EUR", "type": "Rent", "resolution": "HD"}),
        ("price", "3", {"currency": "USD", "type": "purchase"}),
        ("requires_subscription", "YES"),
        ("uploader", "Grilly ", {"info": "/users/g"}),
        ("live", "0"),
        ("content_segment_loc", "/1.mp4", {"duration": "1287"}),
        ("content_segment_loc", "/2.mp4"),
        ("id", "42", {"type": "tms:series"}),
        ("id", "43"),
    ]
    found, reported = read(VIDEO, "video", *fields)
    assert not reported
    assert found == Video(
        thumbnail_loc="https://example.com/t.jpg",
        title="Grilling",
        description="How to grill",
        content_loc="https://cdn.example.com/v.mp4",
        player_loc=Player("https://example.com/player?v=1", allow_embed=True, autoplay="ap=1"),
        duration=600,
        expiration_date=DAY,
        rating=4.2,
        view_count=12345,
        publication_date=DAY,
        family_friendly=False,
        tag=("one", "two, three"),
        category="Baking",
        restriction=Restriction("allow", ("IE", "GB", "US", "CA")),
        platform=Restriction("deny", ("web", "tv")),
        gallery_loc=Gallery("https://example.com/g", title="Cooking"),
        price=(Price(1.99, "EUR", "rent", "hd"), Price(3.0, "USD", "purchase")),
        requires_subscription=True,
        uploader=Uploader("Grilly", info="https://example.com/users/g"),
        live=False,
        content_segment_loc=(
            ContentSegment("https://example.com/1.mp4", 1287),
            ContentSegment("https://example.com/2.mp4"),
        ),
        id=(VideoId("42", "tms:series"), VideoId("43")),
    )


def test_a_tvshow_is_a_record_within_the_video() -> None:
    fields = [
        *(("show_title", "My Show"), ("video_type", "Full"), ("episode_title", "Pilot"), ("season_number", "23")),
        *(("episode_number", "13"), ("premier_date", "2024-05-01T00:00Z")),
    ]
    show = element(VIDEO, "tvshow", "", *(element(VIDEO, *field) for field in fields))
    entry = Entry()
    found = reader(NAMESPACES[VIDEO])(element(VIDEO, "video", "", show), entry)
    assert found == Video(tvshow=TvShow("My Show", "full", "Pilot", 23, 13, DAY))
    assert not entry.reported


def test_a_bad_value_in_a_tvshow_leaves_the_rest_of_it() -> None:
    fields = [("show_title", "s"), ("video_type", "sequel"), ("season_number", "one")]
    show = element(VIDEO, "tvshow", "", *(element(VIDEO, *field) for field in fields))
    entry = Entry()
    assert reader(NAMESPACES[VIDEO])(element(VIDEO, "video", "", show), entry) == Video(tvshow=TvShow("s"))
    assert entry.reported == ["video:tvshow:video_type: 'sequel'", "video:tvshow:season_number: 'one'"]


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        *(("duration", "28801"), ("duration", "-1"), ("duration", "10:00"), ("rating", "5.1"), ("rating", "NaN")),
        *(("view_count", "1,000"), ("publication_date", "yesterday"), ("expiration_date", "2024-02-30")),
        *(("family_friendly", "maybe"), ("live", "2"), ("requires_subscription", "?"), ("thumbnail_loc", "data:,x")),
        *(("content_loc", "javascript:alert(1)"), ("player_loc", "file:///a"), ("gallery_loc", "mailto:x")),
        ("content_segment_loc", "about:blank"),
    ],
)
def test_a_bad_value_of_a_video_is_reported_and_its_siblings_stay(tag: str, text: str) -> None:
    found, reported = read(VIDEO, "video", ("title", "t"), (tag, text), ("category", "c"))
    assert (found, reported) == (Video(title="t", category="c"), [f"video:{tag}: {text!r}"])


@pytest.mark.parametrize(
    ("tag", "text", "attribute", "bad"),
    [
        *(
            ("player_loc", "/p", "allow_embed", "perhaps"),
            ("price", "1", "type", "lease"),
            ("price", "1", "resolution", "8k"),
        ),
        *(("restriction", "DE", "relationship", "forbid"), ("content_segment_loc", "/s", "duration", "long")),
        ("uploader", "u", "info", "tel:1"),
    ],
)
def test_a_bad_attribute_of_a_video_is_reported_and_its_value_stays(
    tag: str, text: str, attribute: str, bad: str
) -> None:
    found, reported = read(VIDEO, "video", (tag, text, {attribute: bad}))
    bare, nothing = read(VIDEO, "video", (tag, text))
    assert found == bare != Video()
    assert reported == [f"video:{tag} {attribute}: {bad!r}"]
    assert not nothing


@pytest.mark.parametrize(("bound", "value"), [("0", 0), ("28800", 28800)])
def test_the_bounds_of_a_duration_are_durations(bound: str, value: int) -> None:
    assert read(VIDEO, "video", ("duration", bound)) == (Video(duration=value), [])


@pytest.mark.parametrize(
    ("text", "attributes", "prices", "reports"),
    [
        ("1,99", {"currency": "EUR"}, (Price(None, "EUR"),), ["video:price: '1,99'"]),
        ("", {"type": "rent"}, (Price(None, None, "rent"),), []),
        ("0", {}, (Price(0.0),), []),
        ("", {}, (), []),
        ("-1", {"CURRENCY": "EUR", "Type": "OWN"}, (Price(None, "EUR", "own"),), ["video:price: '-1'"]),
    ],
)
def test_a_price_without_amount_keeps_its_attributes(
    text: str, attributes: dict[str, str], prices: tuple[Price, ...], reports: list[str]
) -> None:
    assert read(VIDEO, "video", ("price", text, attributes)) == (Video(price=prices), reports)


@pytest.mark.parametrize("loc", ["rtmp://media.example.com/live", "RTSP://example.com/a", "mms://example.com/a"])
def test_media_that_is_streamed_keeps_its_scheme(loc: str) -> None:
    found, reported = read(VIDEO, "video", ("content_loc", loc), ("player_loc", loc))
    assert (found, reported) == (Video(content_loc=loc, player_loc=Player(loc)), [])


def test_the_last_valid_one_of_repeated_values_wins() -> None:
    found, reported = read(VIDEO, "video", ("duration", "1"), ("duration", "2"), ("duration", "x"), ("duration", ""))
    assert (found, reported) == (Video(duration=2), ["video:duration: 'x'"])


def test_nothing_of_one_element_leaks_into_the_next() -> None:
    read(VIDEO, "video", ("tag", "a"), ("title", "t"))
    assert read(VIDEO, "video", ("tag", "b")) == (Video(tag=("b",)), [])


def news(*fields: tuple[str, str], publication: tuple[tuple[str, str], ...] = ()) -> tuple[Extension | None, list[str]]:
    entry = Entry()
    children = [element(NEWS, *field) for field in fields]
    children.insert(0, element(NEWS, "publication", "", *(element(NEWS, *field) for field in publication)))
    return reader(NAMESPACES[NEWS])(element(NEWS, "news", "", *children), entry), entry.reported


def test_a_news_article_has_all_its_fields() -> None:
    found, reported = news(
        ("genres", "pressrelease, Blog ,OPED,"),
        ("publication_date", "2024-05-01"),
        ("title", "Companies A, B\nin Merger Talks"),
        ("keywords", "business, merger of  two ,, A"),
        ("stock_tickers", "NASDAQ:A, NASDAQ:B"),
        ("access", "subscription"),
        ("geo_locations", "Detroit, Michigan, USA"),
        publication=(("name", "The Example Times"), ("language", "en")),
    )
    assert not reported
    assert found == News(
        publication=Publication("The Example Times", "en"),
        publication_date=DAY,
        title="Companies A, B in Merger Talks",
        genres=("PressRelease", "Blog", "OpEd"),
        keywords=("business", "merger of two", "A"),
        stock_tickers=("NASDAQ:A", "NASDAQ:B"),
        access="Subscription",
        geo_locations="Detroit, Michigan, USA",
    )


def test_an_incomplete_news_article_is_delivered() -> None:
    assert news(("title", "T"), publication=(("name", ""),)) == (News(title="T"), [])
    assert news(publication=(("language", "en"),)) == (News(publication=Publication(language="en")), [])


def test_unknown_access_and_genres_are_left_out_and_reported() -> None:
    found, reported = news(("access", "Free"), ("genres", "Blog, Gossip, Satire, Lies"), ("publication_date", "soon"))
    assert found == News(genres=("Blog", "Satire"))
    assert reported == [
        "news:access: 'Free'",
        "news:genres: 'Gossip'",
        "news:genres: 'Lies'",
        "news:publication_date: 'soon'",
    ]


def test_more_stock_tickers_than_allowed_are_kept_and_reported() -> None:
    found, reported = news(("stock_tickers", "A,B,C,D,E,F"))
    assert (found, reported) == (News(stock_tickers=tuple("ABCDEF")), ["news:stock_tickers: 6 of at most 5"])
    assert news(("stock_tickers", "A,B,C,D,E")) == (News(stock_tickers=tuple("ABCDE")), [])


def test_lists_in_repeated_tags_are_put_together() -> None:
    assert news(("keywords", "a,b"), ("keywords", "c")) == (News(keywords=("a", "b", "c")), [])


def link(**attributes: str) -> tuple[Extension | None, list[str]]:
    return read(XHTML, "link", **attributes)


@pytest.mark.parametrize("rel", [None, "", "alternate", " ALTERNATE", "nofollow Alternate"])
def test_a_link_is_an_alternate_by_rel_or_without_one(rel: str | None) -> None:
    attributes = {} if rel is None else {"rel": rel}
    found, reported = link(**attributes, hreflang="de-CH", href=" /de ")
    assert (found, reported) == (Alternate("de-CH", "https://example.com/de"), [])


@pytest.mark.parametrize("rel", ["amphtml", "canonical", "alternates", "stylesheet nofollow"])
def test_a_link_of_another_kind_is_skipped_silently(rel: str) -> None:
    assert link(rel=rel, href="/amp") == (None, [])
    assert link(rel=rel) == (None, [])


def test_an_alternate_keeps_media_type_and_any_other_attribute() -> None:
    found, _ = link(
        **{"rel": "alternate", "HREF": "/m", "media": "only  screen", "type": "text/html"},
        **{"Title": " x ", "urn:x}y": "z"},
    )
    others = (("Title", " x "), ("urn:x}y", "z"))
    assert found == Alternate(None, "https://example.com/m", media="only screen", type="text/html", attributes=others)


@pytest.mark.parametrize("href", [None, "", " ", "android-app://com.example/https/example.com/a"])
def test_an_alternate_without_usable_href_is_reported_once(href: str | None) -> None:
    attributes = {} if href is None else {"href": href}
    found, reported = link(rel="alternate", hreflang="de", **attributes)
    assert (found, reported) == (None, [f"xhtml:link href: {(href or '').strip()!r}"])


def test_a_reported_value_is_cut_short() -> None:
    _, reported = read(VIDEO, "video", ("duration", "x" * 100_000))
    assert len(reported[0]) < 200


NAMES = ["image", "loc", "video", "news", "publication", "tvshow", "price", "genres", "restriction", "duration"]
ELEMENTS = st.recursive(
    st.builds(
        Element,
        st.sampled_from([*sorted(NAMESPACES), "", "urn:x"]),
        st.one_of(
            st.sampled_from([*NAMES, "title", "link", "mobile", "id", "rating", "premier_date"]), st.text(max_size=5)
        ),
        st.dictionaries(st.sampled_from(["href", "rel", "type", "info", "relationship", "x}y"]), st.text(max_size=9)),
        st.text(max_size=20),
    ),
    lambda inner: st.builds(Element, st.just(VIDEO), st.sampled_from(NAMES), children=st.lists(inner, max_size=4)),
    max_leaves=8,
)


@given(st.sampled_from(sorted(NAMESPACES)), ELEMENTS)
def test_no_element_makes_a_reader_raise_and_what_it_gives_can_be_hashed_and_written(uri: str, any_: Element) -> None:
    found = reader(NAMESPACES[uri])(any_, Entry())
    if found is not None:
        hash(found)
        assert isinstance(found.to_dict(), dict)
