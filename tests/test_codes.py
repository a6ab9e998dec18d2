"""Every diagnostic code can be raised: by a pair in testdata/readers, or by one of the scenes here."""

import json
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import httpx
import pytest

import sitemapreader as sr
from sitemapreader import Code, FetchError, Limits, Outcome, Policy, Report

A = "https://a.example/"
PAIRS = Path(__file__).parent.parent / "testdata" / "readers"
BY_PAIRS = {
    code for path in PAIRS.glob("*/*.json") for code in json.loads(path.read_text(encoding="utf-8"))["diagnostics"]
}


def urlset(*locs: str) -> bytes:
    return f"<urlset>{''.join(f'<url><loc>{loc}</loc></url>' for loc in locs)}</urlset>".encode()


def index(*locs: str) -> bytes:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{loc}</loc></sitemap>' for loc in locs)}</sitemapindex>".encode()


def walked(first: bytes | Exception, *, policy: Policy | None = None, limits: Limits | None = None) -> Report:
    """A walk whose start is answered with `first` and all else with a page."""
    walk = sr.Walk(A + "start.xml", policy=policy, limits=limits)
    answers = chain([first], iter(lambda: urlset(A + "p"), None))
    while (ref := walk.next()) is not None:
        answer = next(answers)
        if isinstance(answer, Exception):
            walk.fail(ref, answer)
        else:
            list(walk.receive(ref, answer))
    return walk.report


def fetched(answer: Callable[[httpx.Request], httpx.Response]) -> Report:
    """A reading whose start is fetched from a server that answers like that."""
    reading = sr.read(
        A, client=httpx.Client(transport=httpx.MockTransport(answer)), limits=Limits(retries=0, max_redirects=1)
    )
    with pytest.raises(FetchError):
        list(reading)
    return reading.report


def fail(error: Exception) -> Callable[[httpx.Request], httpx.Response]:
    def answer(request: httpx.Request) -> httpx.Response:
        raise error

    return answer


SCENES: dict[Code, Callable[[], Report]] = {
    Code.PROTOCOL_LIMIT: lambda: walked(urlset(*(f"{A}{n}" for n in range(50_001)))),
    Code.LIMIT_EXTENSION: lambda: walked(
        b"<urlset xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'><url><loc>https://a.example/p</loc>"
        + b"<i:image><i:loc>https://a.example/i.png</i:loc></i:image>" * 1001
        + b"</url></urlset>"
    ),
    Code.DUPLICATE: lambda: walked(index(A + "start.xml")),
    Code.CROSS_HOST: lambda: walked(index("https://cdn.example/a.xml")),
    Code.LIMIT_SITEMAPS: lambda: walked(index(A + "a.xml"), limits=Limits(max_sitemaps=1)),
    Code.LIMIT_DEPTH: lambda: walked(index(A + "a.xml"), limits=Limits(max_depth=0)),
    Code.POLICY_SCOPE: lambda: walked(urlset("https://b.example/p")),
    Code.POLICY_FILTER: lambda: walked(urlset(A + "p"), policy=Policy(exclude="p")),
    Code.POLICY_SINCE: lambda: walked(
        b"<urlset><url><loc>https://a.example/p</loc><lastmod>2020-01-01</lastmod></url></urlset>",
        policy=Policy(since="2021-01-01"),
    ),
    Code.POLICY_ADDRESS: lambda: walked(FetchError(A, Outcome.REFUSED)),
    Code.ABSENT: lambda: fetched(lambda request: httpx.Response(404)),
    Code.BLOCKED: lambda: fetched(lambda request: httpx.Response(403)),
    Code.HTTP_STATUS: lambda: fetched(lambda request: httpx.Response(500)),
    Code.TIMEOUT: lambda: fetched(fail(httpx.ReadTimeout("slow"))),
    Code.NETWORK: lambda: fetched(fail(httpx.ConnectError("refused"))),
    Code.REDIRECT_LIMIT: lambda: fetched(
        lambda request: httpx.Response(302, headers={"location": str(request.url) + "x"})
    ),
}


@pytest.mark.parametrize("code", list(Code), ids=lambda code: code.value)
def test_each_code_is_raised(code: Code) -> None:
    if code in SCENES:
        report = SCENES[code]()
        assert (report.counts + report.rejected)[code] >= 1
    else:
        assert code.value in BY_PAIRS
