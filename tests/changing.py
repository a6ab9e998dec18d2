"""A site that changes from day to day, answered without a network, and what has changed by the books."""

from __future__ import annotations

import copy
import random
import shutil
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import httpx

START = "https://site.example/"


@dataclass
class Site:
    """Sitemaps by name, each with the dates of its pages by loc; an index names them, robots.txt the index."""

    sitemaps: dict[str, dict[str, str]]
    broken: set[str] = field(default_factory=set)
    """Answered with 500."""
    cut: set[str] = field(default_factory=set)
    """Sent without their second half."""
    conditional: bool = True
    """Knows ETags; else each document is sent each time."""
    dated: dict[str, str] = field(default_factory=dict)
    """What the index says of a sitemap."""
    asked: Counter[str] = field(default_factory=Counter)
    unmodified: list[str] = field(default_factory=list)
    """What was answered with 304."""

    def client(self) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self.answer))

    def async_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self.answer))

    def answer(self, request: httpx.Request) -> httpx.Response:
        name = request.url.path[1:]
        self.asked[name] += 1
        if name in self.broken:
            return httpx.Response(500)
        body = self.body(name)
        if body is None:
            return httpx.Response(404)
        tag = f'"{sha256(body).hexdigest()[:12]}"'
        if not self.conditional:
            return httpx.Response(200, content=body)
        if request.headers.get("if-none-match") == tag:
            self.unmodified.append(name)
            return httpx.Response(304, headers={"ETag": tag})
        if name in self.cut:
            body = body[: len(body) // 2]
        return httpx.Response(200, content=body, headers={"ETag": tag})

    def body(self, name: str) -> bytes | None:
        if name == "robots.txt":
            return f"Sitemap: {START}index.xml\n".encode()
        if name == "index.xml":
            dates = {name: f"<lastmod>{date}</lastmod>" for name, date in self.dated.items()}
            maps = "".join(f"<sitemap><loc>{START}{n}</loc>{dates.get(n, '')}</sitemap>" for n in self.sitemaps)
            return f"<sitemapindex>{maps}</sitemapindex>".encode()
        if name not in self.sitemaps:
            return None
        items = (
            f"<url><loc>{loc}</loc>{f'<lastmod>{date}</lastmod>' if date else ''}</url>\n"
            for loc, date in self.sitemaps[name].items()
        )
        return f"<urlset>\n{''.join(items)}</urlset>".encode()

    def write(self, folder: Path) -> Path:
        """The site as files for --mirror; what is broken is a status."""
        host = folder / "site.example"
        shutil.rmtree(host, ignore_errors=True)
        host.mkdir(parents=True)
        for name in ("robots.txt", "index.xml", *self.sitemaps):
            (host / name).write_bytes(self.body(name) or b"")
            if name in self.broken:
                (host / f"{name}.headers").write_text("HTTP 500\n")
        return folder

    @property
    def pages(self) -> dict[str, str]:
        """All its pages with their dates; here, none is listed twice."""
        return {loc: date for sitemap in self.sitemaps.values() for loc, date in sitemap.items()}

    def next_day(self, choice: random.Random, *, adds: int = 5, edits: int = 5, removals: int = 5) -> Site:
        """The site a day later: some pages are added, edited, removed, and moved to another sitemap."""
        later = Site(copy.deepcopy(self.sitemaps), conditional=self.conditional)
        names = list(later.sitemaps)
        for _ in range(adds):
            later.sitemaps[choice.choice(names)][f"{START}new-{choice.randrange(10**9)}"] = _date(choice)
        for loc, old in choice.sample(sorted(self.pages.items()), edits):
            (name,) = (name for name in names if loc in later.sitemaps[name])
            later.sitemaps[name][loc] = next(date for date in iter(lambda: _date(choice), "") if date != old)
        for loc in choice.sample(sorted(self.pages), removals):
            for name in names:
                later.sitemaps[name].pop(loc, None)
        for loc in choice.sample(sorted(later.pages), 3):
            date = later.pages[loc]
            for name in names:
                later.sitemaps[name].pop(loc, None)
            later.sitemaps[choice.choice(names)][loc] = date
        return later


def _date(choice: random.Random) -> str:
    return f"20{choice.randrange(10, 27)}-{choice.randrange(1, 13):02d}-{choice.randrange(1, 29):02d}"


def made(choice: random.Random, sitemaps: int = 6, pages: int = 50) -> Site:
    """A site with so many sitemaps of so many pages; every seventh page has no date."""
    return Site(
        {
            f"map-{n}.xml": {f"{START}{n}/{page}": _date(choice) if page % 7 else "" for page in range(pages)}
            for n in range(sitemaps)
        }
    )


Changes = dict[str, set[str]]


def difference(before: dict[str, str], after: dict[str, str]) -> Changes:
    """What `changes` and `gone` should say."""
    return {
        "new": after.keys() - before.keys(),
        "changed": {loc for loc in after.keys() & before.keys() if after[loc] not in ("", before[loc])},
        "gone": before.keys() - after.keys(),
    }
