"""Alternates of a page in other languages: the codes, and whether pages list each other.

https://developers.google.com/search/docs/specialty/international/localized-versions
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..model import Entry

MOST = 100_000
"""Links that may wait for the one back at the same time; further ones are not judged, so that memory is bounded."""
MOST_MET = 1_000_000
"""Pairs that are remembered to have met, for pages that are listed again."""

_SHAPE = re.compile(r"([a-z]{2})(?:-[a-z]{4})?(?:-([a-z]{2}))?", re.IGNORECASE)

_LANGUAGES = (
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el "
    "en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it "
    "iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt "
    "my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl "
    "sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo "
    "za zh zu "
)
"""ISO 639-1."""

_REGIONS = (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY "
    "BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK "
    "FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR "
    "IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK "
    "ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM "
    "PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF "
    "TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW "
)
"""ISO 3166-1 alpha-2."""


def fault(code: str | None) -> str | None:
    """What is wrong with a value of hreflang; None: nothing."""
    if code is None:
        return "no hreflang"
    if code.lower() == "x-default":
        return None
    found = _SHAPE.fullmatch(code)
    if not found:
        return f"{code}: neither a language, nor one with a script or a region"
    language, region = found[1].lower(), (found[2] or "").upper()
    if language not in _LANGUAGES.split():
        return f"{code}: {language} is no language of ISO 639-1"
    if region and region not in _REGIONS.split():
        meant = " (the United Kingdom is GB)" if region == "UK" else ""
        return f"{code}: {region} is no region of ISO 3166-1{meant}"
    return None


class Link(NamedTuple):
    """A page that lists another as its alternate, and where that was found."""

    page: str
    href: str
    sitemap: str
    where: str


class Returns:
    """Pairs of pages that list each other; what is left at the end lacks the way back."""

    def __init__(self, most: int = MOST, *, met: int = MOST_MET) -> None:
        self._most, self._most_met = most, met
        self._waiting: dict[tuple[str, str], tuple[str, str]] = {}
        self._met: set[int] = set()
        self.dropped = 0
        """Links that were not judged, since too many were waiting, or had met before they were listed again."""

    def add(self, entry: Entry, where: str, *, again: bool = False) -> bool:
        """Take the alternates of an entry, whose page may be listed `again`; whether it lists itself, if any."""
        hrefs = {alternate.href for alternate in entry.alternates if alternate.hreflang}
        for href in hrefs - {entry.loc}:
            self._take(entry, href, where, again=again)
        return entry.loc in hrefs or not hrefs

    def _take(self, entry: Entry, href: str, where: str, *, again: bool) -> None:
        pair = hash(frozenset((entry.loc, href)))
        if pair in self._met:
            return
        if self._waiting.pop((href, entry.loc), None):
            if len(self._met) < self._most_met:
                self._met.add(pair)
        elif len(self._waiting) < self._most and not (again and len(self._met) >= self._most_met):
            self._waiting.setdefault((entry.loc, href), (entry.sitemap, where))
        else:
            self.dropped += 1

    def missing(self) -> Iterator[Link]:
        """The links whose target does not list the page."""
        for (page, href), (sitemap, where) in self._waiting.items():
            yield Link(page, href, sitemap, where)
