"""The fetch flow, driven by hand: what is asked for, what is told, and what is tried again. No I/O."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

import sitemapreader as sr
from sitemapreader.addresses import Gate
from sitemapreader.body import Body, Fault
from sitemapreader.fetch import (
    MAX_WAIT,
    Answer,
    Begin,
    Brake,
    Fetched,
    Manners,
    Pace,
    Reply,
    Send,
    Task,
    Terms,
    Wait,
    fetch,
    headers_for,
    retry_after,
)

A = "https://a.example/"
URL = A + "sitemap.xml"
OK = Reply(200, {})
RESET = Fault(sr.Code.NETWORK, "reset")


def terms(headers: dict[str, str] | None = None, **limits: float) -> Terms:
    bounds = sr.Limits(**limits)  # type: ignore[arg-type]
    gate = Gate(A, bounds.block_private)
    return Terms(
        limits=bounds,
        origin=A[:-1],
        gate=gate,
        manners=Manners(bounds.interval),
        brake=Brake(None),
        headers=headers or {},
    )


def body(data: bytes = b"<urlset/>", fault: Fault | None = None) -> Body:
    made = Body(1000)
    made.add(data)
    made.end(fault)
    return made


def drive(
    answers: list[Answer], given: Terms | None = None, url: str = URL, **options: object
) -> tuple[Fetched | sr.FetchError, list[Task]]:
    """The result of a flow that is given these answers to what it sends or begins; what it waits for is just noted."""
    flow, tasks, waiting = fetch(url, given or terms(), **options), [], iter(answers)  # type: ignore[arg-type]
    answer: Answer = None
    try:
        while True:
            tasks.append(flow.send(answer))
            answer = None if isinstance(tasks[-1], Wait) else next(waiting)
    except StopIteration as end:
        assert next(waiting, None) is None
        return end.value, tasks


def kinds(tasks: list[Task]) -> list[type]:
    return [type(task) for task in tasks]


def error(answers: list[Answer], given: Terms | None = None, **options: object) -> sr.FetchError:
    result, _ = drive(answers, given, **options)  # type: ignore[arg-type]
    assert isinstance(result, sr.FetchError)
    return result


def test_a_document_is_told_when_its_body_has_begun() -> None:
    came = body()
    result, tasks = drive([OK, came])
    assert result == Fetched(URL, 200, {}, came)
    assert kinds(tasks) == [Send, Begin]


def test_a_redirect_is_followed_with_headers_made_anew() -> None:
    moved = Reply(302, {"location": "//b.example/s.xml#part"})
    result, tasks = drive([moved, OK, body()], terms({"X-Key": "k", "User-Agent": "bot/1"}))
    assert isinstance(result, Fetched) and result.url == "https://b.example/s.xml"
    sent = [task.headers for task in tasks if isinstance(task, Send)]
    assert [headers.get("x-key") for headers in sent] == ["k", None]
    assert [headers["user-agent"] for headers in sent] == ["bot/1", "bot/1"]


@pytest.mark.parametrize(
    ("status", "outcome", "tried"),
    [
        (404, sr.Outcome.ABSENT, 1),
        (410, sr.Outcome.ABSENT, 1),
        (403, sr.Outcome.BLOCKED, 1),
        (451, sr.Outcome.BLOCKED, 1),
        (429, sr.Outcome.BLOCKED, 3),
        (503, sr.Outcome.FAILED, 3),
        (500, sr.Outcome.FAILED, 3),
        (418, sr.Outcome.FAILED, 1),
        (206, sr.Outcome.FAILED, 1),
        (304, sr.Outcome.FAILED, 1),
    ],
)
def test_only_what_may_pass_is_tried_again(status: int, outcome: sr.Outcome, tried: int) -> None:
    failed = error([Reply(status, {})] * tried)
    assert (failed.outcome, failed.status, failed.url) == (outcome, status, URL)


def test_a_guess_is_tried_once() -> None:
    assert error([Reply(503, {})], probe=True).status == 503


def test_a_challenge_is_a_block_whatever_its_status() -> None:
    challenge = Reply(200, {"cf-mitigated": "challenge", "server": "cloudflare"})
    failed = error([challenge])
    assert failed.outcome is sr.Outcome.BLOCKED
    assert "cf-mitigated: challenge" in failed.reason


def test_waits_grow_and_are_not_the_same_for_all() -> None:
    _, tasks = drive([RESET, RESET, RESET])
    first, second = (task.seconds for task in tasks if isinstance(task, Wait))
    assert 0.5 <= first <= 1.0 and 1.0 <= second <= 2.0
    seen = {task.seconds for _ in range(5) for task in drive([RESET] * 3)[1] if isinstance(task, Wait)}
    assert len(seen) > 2


def test_a_server_that_asks_for_patience_is_given_it() -> None:
    busy = Reply(503, {"retry-after": "7"})
    _, tasks = drive([busy, OK, body()])
    [wait] = [task.seconds for task in tasks if isinstance(task, Wait)]
    assert 6.5 < wait <= 7.0


def test_a_server_that_asks_for_too_much_is_given_up() -> None:
    failed = error([Reply(429, {"retry-after": str(int(MAX_WAIT) + 1)})])
    assert failed.retry_after == MAX_WAIT + 1


def test_a_body_that_breaks_before_it_begins_is_tried_again_and_no_other() -> None:
    whole = body()
    result, tasks = drive([OK, body(b"", RESET), OK, whole])
    assert isinstance(result, Fetched) and result.body is whole
    assert kinds(tasks) == [Send, Begin, Wait, Send, Begin]
    cut = body(b"<urlset>", RESET)
    result, tasks = drive([OK, cut])
    assert isinstance(result, Fetched) and result.body is cut


def test_what_is_known_is_asked_for_only_if_it_has_changed() -> None:
    known = sr.Validators('"v1"', "Tue, 01 Dec 2026 10:00:00 GMT")
    result, tasks = drive([Reply(304, {})], known=known)
    assert isinstance(result, sr.FetchError) and result.outcome is sr.Outcome.NOT_MODIFIED
    [sent] = tasks
    assert isinstance(sent, Send)
    assert sent.headers["if-none-match"] == '"v1"'
    assert sent.headers["if-modified-since"] == "Tue, 01 Dec 2026 10:00:00 GMT"


def test_a_body_that_is_announced_as_too_large_is_not_begun() -> None:
    result, tasks = drive([Reply(200, {"content-length": "20000"})], terms(max_bytes=1000))
    assert isinstance(result, Fetched) and result.body.fault is not None
    assert result.body.fault.code is sr.Code.LIMIT_SIZE
    assert kinds(tasks) == [Send]


@pytest.mark.parametrize("location", ["http://169.254.169.254/latest/", "http://[::1]/", "http://2130706433/"])
def test_a_redirect_to_a_private_address_is_refused_before_it_is_sent(location: str) -> None:
    failed = error([Reply(302, {"location": location})])
    assert (failed.outcome, failed.code) == (sr.Outcome.REFUSED, sr.Code.POLICY_ADDRESS)


def test_redirects_end() -> None:
    loop = Reply(302, {"location": URL})
    assert error([loop]).code is sr.Code.REDIRECT_LIMIT
    chain: list[Answer] = [Reply(302, {"location": f"/{n}"}) for n in range(11)]
    assert error(chain).code is sr.Code.REDIRECT_LIMIT


def test_hosts_are_asked_one_interval_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitemapreader.fetch.time.monotonic", lambda: 100.0)
    pace = Pace(2.0)
    assert [pace.turn("a"), pace.turn("a"), pace.turn("b"), pace.turn("a")] == [0.0, 2.0, 0.0, 4.0]
    pace.hold("b", 30.0)
    assert pace.turn("b") == 30.0
    assert Pace(0.0).turn("a") == 0.0


def test_the_brake_tells_why(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("sitemapreader.fetch.time.monotonic", lambda: now)
    brake = Brake(5.0)
    brake.start()
    assert brake.fault() is None and brake.left() == 5.0
    now = 105.0
    fault = brake.fault()
    assert fault is not None and fault.code is sr.Code.TIMEOUT
    brake.stop()
    fault = brake.fault()
    assert fault is not None and fault.reason == "the reading was closed"


def test_a_callers_accept_encoding_is_not_sent_since_nobody_could_decode_it() -> None:
    sent = headers_for(URL, origin=A[:-1], given={"Accept-Encoding": "br"})
    assert sent["accept-encoding"] == "gzip, deflate"


AHEAD = datetime.now(UTC) + timedelta(days=1)


@pytest.mark.parametrize(
    ("value", "date", "check"),
    [
        (None, None, lambda seconds: seconds is None),
        ("12", None, lambda seconds: seconds == 12),
        (" 12 ", None, lambda seconds: seconds == 12),
        ("-1", None, lambda seconds: seconds is None),
        ("soon", None, lambda seconds: seconds is None),
        ("9" * 50, None, lambda seconds: seconds == 10**9),
        ("Wed, 02 Dec 2026 10:00:30 GMT", "Wed, 02 Dec 2026 10:00:00 GMT", lambda seconds: seconds == 30),
        ("Wed, 02 Dec 2026 09:00:00 GMT", "Wed, 02 Dec 2026 10:00:00 GMT", lambda seconds: seconds == 0),
        (format_datetime(AHEAD, usegmt=True), None, lambda seconds: 0 < seconds <= 86400),
    ],
)
def test_retry_after_is_a_number_or_a_date(
    value: str | None, date: str | None, check: Callable[[float | None], bool]
) -> None:
    assert check(retry_after(value, date))
