"""read and aread: the shipped site in every way, files, errors, and nothing fetched or left over that need not be."""

import asyncio
import io
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import islice
from pathlib import Path

import httpx
import pytest

import sitemapreader as sr

SITES = Path(__file__).parent.parent / "testdata" / "sites"
START = "https://shop.example"
EXPECTED = [json.loads(line) for line in (SITES / "shop.example.jsonl").read_text(encoding="utf-8").splitlines()]
A = "https://a.example/"


class Server:
    """Answers from a table and remembers what was asked."""

    def __init__(self, pages: dict[str, bytes | int | Callable[[httpx.Request], httpx.Response]]) -> None:
        self.pages = pages
        self.requests: list[httpx.Request] = []

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        page = self.pages.get(str(request.url), 404)
        if callable(page):
            return page(request)
        if isinstance(page, int):
            return httpx.Response(page)
        return httpx.Response(200, content=page)

    @property
    def asked(self) -> list[str]:
        return [str(request.url) for request in self.requests]

    def client(self) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self.answer))

    def async_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self.answer))


def urlset(*locs: str) -> bytes:
    return f"<urlset>{''.join(f'<url><loc>{loc}</loc></url>' for loc in locs)}</urlset>".encode()


def index(*locs: str) -> bytes:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{loc}</loc></sitemap>' for loc in locs)}</sitemapindex>".encode()


@pytest.fixture
def shop() -> Iterator[httpx.Client]:
    with sr.mirror_client(SITES) as client:
        yield client


@pytest.mark.parametrize("concurrency", [1, 2, 4, 20])
def test_read_gives_the_shipped_site(shop: httpx.Client, concurrency: int) -> None:
    with sr.read(START, client=shop, concurrency=concurrency) as reading:
        assert [entry.to_dict() for entry in reading] == EXPECTED
    assert reading.report.complete
    assert reading.report.entries == len(EXPECTED)


def test_aread_gives_the_same() -> None:
    async def read() -> tuple[list[dict[str, object]], bool]:
        async with sr.async_mirror_client(SITES) as client, sr.aread(START, client=client) as reading:
            entries = [entry.to_dict() async for entry in reading]
        return entries, reading.report.complete

    assert asyncio.run(read()) == (EXPECTED, True)


def test_other_tasks_go_on_while_a_body_is_read_that_is_there_already() -> None:
    server = Server({f"{A}sitemap.xml": urlset(*(f"{A}{n}" for n in range(10_000)))})
    seen: list[int] = []

    async def main() -> None:
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        async with server.async_client() as client:
            async for _ in sr.aread(f"{A}sitemap.xml", client=client):
                seen.append(turns)
        task.cancel()

    asyncio.run(main())
    assert len(seen) == 10_000
    assert len(set(seen)) > 5


def test_a_connection_that_is_being_closed_when_the_reading_ends_is_closed() -> None:
    closed = []

    class Stream(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield urlset(f"{A}1")

        async def aclose(self) -> None:
            for _ in range(20):  # as long as httpx takes to end a connection, and then some
                await asyncio.sleep(0)
            closed.append(True)

    async def main() -> None:
        transport = httpx.MockTransport(lambda request: httpx.Response(200, stream=Stream()))
        async with httpx.AsyncClient(transport=transport) as client:
            assert [entry.loc async for entry in sr.aread(f"{A}sitemap.xml", client=client)] == [f"{A}1"]
        assert closed == [True]

    asyncio.run(main())


def test_a_walk_fed_out_of_order_gives_the_same_entries(shop: httpx.Client) -> None:
    walk, waiting, entries = sr.Walk(START), [], []
    while not walk.done:
        while (ref := walk.next()) is not None:
            waiting.append(ref)
        ref = waiting.pop()
        response = shop.get(ref.loc)
        entries += walk.receive(ref, response.content, url=str(response.url), headers=response.headers)
    assert sorted(json.dumps(entry.to_dict()) for entry in entries) == sorted(map(json.dumps, EXPECTED))
    assert walk.report.complete


def test_nothing_is_fetched_before_the_first_entry_is_asked_for() -> None:
    server = Server({A + "s.xml": urlset(A + "p")})
    with sr.read(A + "s.xml", client=server.client()) as reading:
        assert server.asked == []
        assert next(reading).loc == A + "p"


def test_leaving_early_fetches_nothing_more_and_leaves_no_thread() -> None:
    children = [f"{A}{n}.xml" for n in range(50)]
    server = Server(
        {A + "i.xml": index(*children), **{child: urlset(child + "/p", child + "/q") for child in children}}
    )
    before = threading.active_count()
    with sr.read(A + "i.xml", client=server.client(), concurrency=2) as reading:
        assert [entry.loc for entry in islice(reading, 3)] == [A + "0.xml/p", A + "0.xml/q", A + "1.xml/p"]
    assert len(server.asked) <= 1 + 2 + 2
    assert threading.active_count() <= before
    assert not reading.report.complete


def test_a_client_that_is_passed_in_stays_open(shop: httpx.Client) -> None:
    with sr.read(START, client=shop) as reading:
        next(reading)
    assert not shop.is_closed


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (404, "ABSENT"),
        (410, "ABSENT"),
        (403, "BLOCKED"),
        (401, "BLOCKED"),
        (500, "FAILED"),
        (206, "FAILED"),
        (418, "FAILED"),
    ],
)
def test_a_single_document_that_cannot_be_read_raises(status: int, outcome: str) -> None:
    server = Server({A + "s.xml": status})
    with (
        pytest.raises(sr.FetchError) as caught,
        sr.read(A + "s.xml", client=server.client(), limits=sr.Limits(retries=0)) as reading,
    ):
        list(reading)
    assert (caught.value.outcome.name, caught.value.status, caught.value.url) == (outcome, status, A + "s.xml")


def test_a_transport_that_fails_in_its_own_way_is_a_fetch_error() -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise RuntimeError("tape snapped")

    with pytest.raises(sr.FetchError, match="tape snapped"):
        list(sr.read(A + "s.xml", client=httpx.Client(transport=httpx.MockTransport(fail))))


def test_redirects_are_followed_and_relative_locs_resolved_where_they_end() -> None:
    moved = httpx.Response(301, headers={"location": "/deep/er/s.xml"})
    server = Server({A + "s.xml": lambda request: moved, A + "deep/er/s.xml": urlset("p")})
    with sr.read(A + "s.xml", client=server.client()) as reading:
        assert [entry.loc for entry in reading] == [A + "deep/er/p"]
    row = reading.report.sitemaps[0]
    assert (row.requested, row.url) == (A + "s.xml", A + "deep/er/s.xml")


@pytest.mark.parametrize("target", ["/s.xml", "ftp://a.example/s.xml", ""])
def test_a_redirect_that_leads_nowhere_ends_at_once(target: str) -> None:
    server = Server({A + "s.xml": lambda request: httpx.Response(302, headers={"location": target})})
    with pytest.raises(sr.FetchError):
        list(sr.read(A + "s.xml", client=server.client()))
    assert len(server.asked) == 1


def test_own_headers_go_to_the_start_and_only_the_user_agent_elsewhere() -> None:
    other = "https://cdn.example/c.xml"
    server = Server({A + "i.xml": index(other, A + "d.xml"), other: urlset(), A + "d.xml": urlset()})
    list(
        sr.read(
            A + "i.xml",
            client=server.client(),
            headers={"User-Agent": "bot/1", "Authorization": "secret", "X-Key": "k"},
        )
    )
    by_url = {str(request.url): request.headers for request in server.requests}
    assert {headers["user-agent"] for headers in by_url.values()} == {"bot/1"}
    assert [by_url[url].get("x-key") for url in (A + "i.xml", A + "d.xml", other)] == ["k", "k", None]
    assert by_url[other].get("authorization") is None
    assert {request.method for request in server.requests} == {"GET"}


def test_the_user_agent_of_a_callers_client_is_kept() -> None:
    server = Server({A + "s.xml": urlset()})
    client = httpx.Client(transport=httpx.MockTransport(server.answer), headers={"User-Agent": "mine/2"})
    list(sr.read(A + "s.xml", client=client))
    assert server.requests[0].headers["user-agent"] == "mine/2"


def test_a_body_over_the_limit_is_cut_and_what_came_is_used() -> None:
    body = urlset(*(f"{A}{n}" for n in range(5000)))
    server = Server({A + "s.xml": lambda request: httpx.Response(200, stream=httpx.ByteStream(body))})
    with sr.read(A + "s.xml", client=server.client(), limits=sr.Limits(max_bytes=20_000)) as reading:
        entries = list(reading)
    assert 0 < len(entries) < 5000
    assert reading.report.sitemaps[0].outcome is sr.Outcome.TRUNCATED
    assert not reading.report.complete


def test_a_body_that_is_announced_as_too_large_is_not_read() -> None:
    server = Server({A + "s.xml": urlset(*(f"{A}{n}" for n in range(5000)))})
    with sr.read(A + "s.xml", client=server.client(), limits=sr.Limits(max_bytes=20_000)) as reading:
        assert list(reading) == []
    assert reading.report.counts == {sr.Code.LIMIT_SIZE: 1}
    assert not reading.report.complete


def test_a_connection_that_breaks_gives_what_came_before() -> None:
    class Broken(httpx.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield b"<urlset><url><loc>https://a.example/p</loc></url><url><loc>https://a.exam"
            raise httpx.ReadError("reset")

    server = Server({A + "s.xml": lambda request: httpx.Response(200, stream=Broken())})
    with sr.read(A + "s.xml", client=server.client()) as reading:
        assert [entry.loc for entry in reading] == [A + "p"]
    assert reading.report.sitemaps[0].outcome is sr.Outcome.TRUNCATED
    assert reading.report.counts[sr.Code.NETWORK] == 1
    assert sr.Code.TRUNCATED not in reading.report.counts  # said once


def test_diagnostics_are_told_as_they_are_found() -> None:
    told: list[sr.Diagnostic] = []
    server = Server({A + "s.xml": urlset("javascript:void(0)", A + "p")})
    with sr.read(A + "s.xml", client=server.client(), on_diagnostic=told.append) as reading:
        list(reading)
    assert [d.code for d in told if d.code is sr.Code.URL_SCHEME] == [sr.Code.URL_SCHEME]
    assert told == reading.report.diagnostics


@pytest.mark.parametrize("form", [str, Path, lambda path: io.BytesIO(Path(path).read_bytes())])
def test_a_local_file_is_read(form: Callable[[str], object], tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_bytes(urlset(A + "p", "file:///etc/passwd", "relative"))
    with sr.read(form(str(path)), client=Server({}).client()) as reading:  # type: ignore[arg-type]
        assert [entry.loc for entry in reading] == [A + "p"]
    assert reading.report.complete


def test_a_local_file_that_cannot_be_read_raises(tmp_path: Path) -> None:
    with pytest.raises(sr.FetchError):
        list(sr.read(tmp_path / "none.xml"))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"concurrency": 0}, ValueError),
        ({"concurrency": "4"}, TypeError),
        ({"headers": "User-Agent: me"}, TypeError),
        ({"headers": {"X-Page": 1}}, TypeError),
        ({"state": "shop.db"}, TypeError),
        ({"start": 7}, TypeError),
        ({"start": io.StringIO("<urlset/>")}, TypeError),
        ({"start": "gopher://a.example/"}, ValueError),
        ({"start": "./sitemap.xml"}, ValueError),
        ({"start": "/nowhere/sitemap.xml"}, ValueError),
        ({"start": "~/sitemap.xml"}, ValueError),
        ({"start": "file:///etc/hosts"}, ValueError),
    ],
)
def test_a_wrong_call_is_told_at_once(options: dict[str, object], error: type[Exception]) -> None:
    (name,) = options
    with pytest.raises(error, match=f"{name} must be|{name} must have|not an http|no such file|by its path"):
        sr.read(**{"start": A, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize("client", ["a client", httpx.AsyncClient(), httpx])
def test_a_client_of_another_kind_is_a_wrong_call_and_no_fault_of_the_network(client: object) -> None:
    with pytest.raises(TypeError, match=r"client must be an httpx\.Client"):
        list(sr.read(A, client=client))  # type: ignore[arg-type]


def test_neither_is_one_for_threads_where_there_is_a_loop() -> None:
    async def read() -> None:
        async for _ in sr.aread(A, client=httpx.Client()):  # type: ignore[arg-type]
            pass

    with pytest.raises(TypeError, match=r"client must be an httpx\.AsyncClient"):
        asyncio.run(read())


def test_a_reading_shows_itself_without_reading() -> None:
    server = Server({A + "s.xml": urlset(A + "p")})
    reading = sr.read(A + "s.xml", client=server.client())
    assert repr(reading) == "<Reading of https://a.example/s.xml: <Report not complete, 0 entries from 0 documents>>"
    assert server.asked == []
