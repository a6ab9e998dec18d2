"""The pages of the invented shop, each as it is meant and, where a document spells it otherwise, as it is written."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from shop_words import (
    CITIES,
    COLOURS,
    DEPARTMENTS,
    HELP,
    LANGUAGES,
    NEWS,
    REGIONS,
    RICH_VIDEOS,
    SHORT_VIDEOS,
    SITE,
    SPELLED,
    TOURS,
)

BERLIN = timezone(timedelta(hours=1))
NEWEST = datetime(2026, 3, 2, 17, 45, tzinfo=UTC)
PRODUCTS_PER_DEPARTMENT = 224
TRANSLATED_PER_DEPARTMENT = 8


class Extra(NamedTuple):
    """An extension of a page: what it means, and its markup."""

    kind: str
    fields: dict[str, Any]
    xml: str


class Page(NamedTuple):
    """A listed page: what it means, and in `spelled` the markup of fields that are not written plainly.

    `lastmod` is the text and its instant.
    """

    loc: str
    lastmod: tuple[str, str | None] | None = None
    changefreq: str | None = None
    priority: float | None = None
    extras: tuple[Extra, ...] = ()
    spelled: Mapping[str, str] = MappingProxyType({})


def slug(text: str) -> str:
    for letter, plain in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        text = text.lower().replace(letter, plain)
    ascii_only = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "-".join("".join(c if c.isalnum() else " " for c in ascii_only).split())


def moment(number: int) -> datetime:
    return NEWEST - timedelta(days=number * 37 % 540, minutes=number * 101 % 1000)


def day(when: datetime) -> tuple[str, str]:
    return f"{when:%Y-%m-%d}", f"{when:%Y-%m-%d}T00:00:00+00:00"


def zulu(when: datetime) -> tuple[str, str]:
    return f"{when:%Y-%m-%dT%H:%M:%SZ}", when.isoformat()


def berlin(when: datetime) -> tuple[str, str]:
    return when.astimezone(BERLIN).isoformat(), when.isoformat()


def zoneless(when: datetime) -> tuple[str, str]:
    return f"{when:%Y-%m-%dT%H:%M:%S}", when.isoformat()


def fraction(when: datetime) -> tuple[str, str]:
    return f"{when:%Y-%m-%dT%H:%M:%S}.250Z", f"{when:%Y-%m-%dT%H:%M:%S}.250000+00:00"


def tag(name: str, text: str, **attributes: str) -> str:
    pairs = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    return f"<{name}{pairs}>{escape(text)}</{name}>"


def written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " ".join(value)
    return SPELLED.get(str(value), str(value))


def image(loc: str, **fields: str) -> Extra:
    tags = "".join(tag(f"image:{name}", text) for name, text in {"loc": loc, **fields}.items())
    return Extra("images", {"loc": loc, **fields}, f"<image:image>{tags}</image:image>")


def alternate(href: str, **names: str) -> Extra:
    attributes = "".join(f" {key}={quoteattr(value)}" for key, value in {**names, "href": href}.items())
    fields = {"hreflang": names["hreflang"], "href": href} if "hreflang" in names else {"href": href, **names}
    return Extra("alternates", fields, f'<xhtml:link rel="alternate"{attributes}/>')


def alternates(hrefs: Iterable[str]) -> tuple[Extra, ...]:
    by_language = dict(zip(LANGUAGES, hrefs, strict=True))
    by_language["x-default"] = by_language["en"]
    return tuple(alternate(href, hreflang=language) for language, href in by_language.items())


def video_tag(name: str, value: Any) -> str:
    if name == "description":
        wrapped = value.replace(". ", ".\n      ")
        return f"<video:description><![CDATA[\n      {wrapped}\n    ]]></video:description>"
    if name == "tvshow":
        return f"<video:tvshow>{''.join(video_tag(key, part) for key, part in value.items())}</video:tvshow>"
    if not isinstance(value, dict):
        return tag(f"video:{name}", written(value))
    text = next(key for key in ("loc", "values", "value", "name") if key in value)
    attributes = {key: written(part) for key, part in value.items() if key != text}
    return tag(f"video:{name}", written(value[text]), **attributes)


def video(fields: dict[str, Any]) -> Extra:
    each = ((name, value if isinstance(value, list) else [value]) for name, value in fields.items())
    tags = "\n    ".join(video_tag(name, value) for name, values in each for value in values)
    return Extra("videos", fields, f"<video:video>\n    {tags}\n  </video:video>")


def news(row: list[str], published: tuple[str, str]) -> Extra:
    title, language, genres, keywords, access, place = row
    publication = tag("news:name", "Nordkamm Aktuell") + tag("news:language", language)
    texts = {"genres": genres, "keywords": keywords, "access": access, "geo_locations": place}
    texts = {name: text for name, text in texts.items() if text}
    tags = [f"<news:publication>{publication}</news:publication>", tag("news:publication_date", published[0])]
    tags += [tag("news:title", title), *(tag(f"news:{name}", text) for name, text in texts.items())]
    fields = {
        "publication": {"name": "Nordkamm Aktuell", "language": language},
        "publication_date": published[1],
        "title": title,
        **{name: text.split(", ") if name in ("genres", "keywords") else text for name, text in texts.items()},
    }
    return Extra("news", fields, "<news:news>\n    " + "\n    ".join(tags) + "\n  </news:news>")


def product_pages(department: int, date: Callable[[datetime], tuple[str, str]]) -> Iterator[Page]:
    _, brands, models, *kinds = DEPARTMENTS[department]
    makes = itertools.product(models, brands, kinds)
    for position, (model, brand, kind) in enumerate(itertools.islice(makes, PRODUCTS_PER_DEPARTMENT)):
        number = 10000 * (department + 1) + 7 * position
        titles = [f"{name} {brand} {model}" for name in kind]
        places = zip(("", "/en", "/fr"), titles, strict=True)
        locs = [f"{SITE}{place}/p/{number}-{slug(title)}" for place, title in places]
        translated = position < TRANSLATED_PER_DEPARTMENT
        for language in range(3 if translated else 1):
            extras = product_images(number, position, titles[language], language)
            dated = date(moment(number)) if department < 4 or position % 6 else None
            yield Page(locs[language], dated, extras=(alternates(locs) if translated else ()) + extras)


def product_images(number: int, position: int, title: str, language: int) -> tuple[Extra, ...]:
    colour = COLOURS[position % len(COLOURS)][language]
    if position % 12 == 0:
        back = image(f"{SITE}/img/{number}-2.jpg", caption=("Rückseite", "Back", "Dos")[language])
        return image(f"{SITE}/img/{number}.jpg", title=title, caption=colour), back
    return (image(f"{SITE}/img/{number}.jpg", title=title),) if position % 4 == 0 else ()


def category_pages() -> Iterator[Page]:
    for department, (names, _, _, *kinds) in enumerate(DEPARTMENTS):
        tops = [f"{SITE}/{code}/c/{slug(name)}/" for code, name in zip(LANGUAGES, names, strict=True)]
        for top in tops:
            yield Page(top, berlin(moment(department)), "daily", 0.8, alternates(tops))
        for position, kind in enumerate(kinds):
            for top, name in zip(tops, kind, strict=True):
                yield Page(f"{top}{slug(name)}/", day(moment(position)), "weekly", 0.5)
    yield from odd_category_pages()


def odd_category_pages() -> Iterator[Page]:
    de = f"{SITE}/de/c"
    yield Page(f"{de}/zelte/?sort=preis&page=2", spelled={"loc": f"{de}/zelte/?sort=preis&page=2"})
    yield Page(f"{de}/zelte/?view=grid&copy=2", spelled={"loc": f"{de}/zelte/?view=grid&copy=2"})
    yield Page(f"{de}/seile/?laenge=60&farbe=rot", spelled={"loc": f"{de}/seile/?laenge=60&amp;farbe=rot"})
    yield Page(f"{de}/gutscheine/", day(moment(3)), "monthly", 0.3, spelled={"loc": "/de/c/gutscheine/"})
    yield Page(f"{de}/schlafs%C3%A4cke-f%C3%BCr-kinder/", spelled={"loc": f"{de}/schlafsäcke-für-kinder/"})
    yield Page(f"{SITE}/fr/c/r%C3%A9chauds/", None, "weekly", spelled={"loc": f"{SITE}/fr/c/r&eacute;chauds/"})
    yield Page(f"{de}/rabatt%2Daktion/", ("2026-01-25 15:35:12", "2026-01-25T15:35:12+00:00"), "daily", 1.0)
    yield Page(f"{de}/neuheiten/", ("Wed, 25 Feb 2026 10:00:00 +0100", "2026-02-25T09:00:00+00:00"), "hourly", 1.0)
    yield Page(f"{de}/restposten/", ("2026-02-30", None), spelled={"priority": "0,8", "changefreq": "biweekly"})
    yield Page(f"{de}/kinder/", ("2025-11", "2025-11-01T00:00:00+00:00"), "weekly", spelled={"priority": "high"})
    yield Page(f"{de}/archiv/", ("2019", "2019-01-01T00:00:00+00:00"), "never", 0.0, spelled={"changefreq": " Never "})


def brand_pages() -> Iterator[Page]:
    for code, block in itertools.product(LANGUAGES, DEPARTMENTS):
        for brand in block[1]:
            loc = f"{SITE}/{code}/brands/{slug(brand)}/"
            yield Page(loc, spelled={"loc": f"<![CDATA[{loc}]]>"})
    for position, city in enumerate(itertools.chain(*CITIES)):
        loc, picture = f"{SITE}/de/filialen/{slug(city)}/", f"{SITE}/img/filiale-{slug(city)}.jpg"
        front = image(picture, title=f"Nordkamm {city}", geo_location=city, license=f"{SITE}/de/presse/bildrechte")
        phone = alternate(f"https://m.shop.example/filialen/{slug(city)}/", media="only screen and (max-width: 640px)")
        extras = (phone, front) if position % 2 else (front, Extra("mobile", {}, "<mobile:mobile/>"), phone)
        yield Page(loc, day(moment(position)), extras=extras)
    outlet = f"{SITE}/de/filialen/outlet-freiburg/"
    yield Page(outlet, spelled={"loc": "<![CDATA[HTTPS://SHOP.EXAMPLE:443/de/filialen/outlet-freiburg/]]>"})


def post_pages() -> Iterator[Page]:
    """Reports of tours, their locs wrapped in white space as the shop's blog engine writes them."""
    tours = itertools.product(TOURS, itertools.chain(*REGIONS))
    for position, (tour, region) in enumerate(tours):
        loc = f"{SITE}/de/magazin/{slug(tour)}-{slug(region)}/"
        extras = (image(f"{loc}titel.jpg", caption=f"{tour}: {region}"),) if position % 9 == 0 else ()
        yield Page(loc, fraction(moment(position)), extras=extras, spelled={"loc": f"\n    {loc}\n  "})


def news_pages() -> Iterator[Page]:
    for position, row in enumerate(NEWS):
        when = NEWEST - timedelta(hours=5 * position)
        loc = f"{SITE}/de/aktuell/{slug(row[0])}"
        yield Page(loc, extras=(news(row, day(when) if position == 5 else berlin(when)),))


def video_pages() -> Iterator[Page]:
    for fields in RICH_VIDEOS:
        yield Page(f"{SITE}/film/{slug(fields['title'])}", zulu(moment(len(fields))), extras=(video(fields),))
    for position, (title, seconds, words) in enumerate(SHORT_VIDEOS):
        fields = {
            "thumbnail_loc": f"{SITE}/film/{slug(title)}.jpg",
            "title": title,
            "description": f"Aus der Reihe Handgriffe. {title} in wenigen Minuten.",
            "content_loc": f"{SITE}/film/{slug(title)}.mp4",
            "duration": int(seconds),
            "publication_date": moment(position).isoformat(),
            "tag": words.split(","),
        }
        yield Page(f"{SITE}/film/{slug(title)}", extras=(video(fields),))


def text_pages() -> Iterator[tuple[str, Page]]:
    """The pages of the text sitemap, each with what stands in the file before it."""
    for names in HELP:
        for code, name in zip(LANGUAGES, names, strict=True):
            yield f"# {', '.join(names)}\n" if code == "de" else "", Page(f"{SITE}/{code}/{name}")
    for block in DEPARTMENTS:
        for code, brand in itertools.product(LANGUAGES, block[1]):
            yield "", Page(f"{SITE}/{code}/size-charts/{slug(brand)}")
        for german, english, french in block[3:]:
            yield "\n", Page(f"{SITE}/manuals/{slug(english)}.pdf")
            yield "", Page(f"{SITE}/de/pflege/{quote(german)}", spelled={"loc": f"{SITE}/de/pflege/{german}"})
            yield "", Page(f"{SITE}/en/care/{slug(english)}")
            yield "", Page(f"{SITE}/fr/entretien/{slug(french)}")
