"""A body on its way: all that came is read in order, whoever is ahead, and nothing is held that nobody wants."""

from __future__ import annotations

import asyncio
import io
import random
import threading
from pathlib import Path

import pytest

from sitemapreader.body import HELD, Body, Fault, File, pieces
from sitemapreader.diagnostics import Code

LOST = Fault(Code.NETWORK, "reset")


def test_what_came_is_read_in_order_and_then_the_end() -> None:
    body = Body(100)
    assert all(body.add(chunk) for chunk in (b"a", b"", b"bc"))
    body.end()
    assert list(pieces(body)) == [b"a", b"bc"]
    assert (body.size, body.fault) == (3, None)


def test_why_it_ends_early_is_told_once() -> None:
    body = Body(100)
    body.add(b"a")
    body.end(LOST)
    body.end()
    assert list(pieces(body)) == [b"a"]
    assert body.fault is LOST


def test_no_more_than_the_limit_is_asked_for() -> None:
    body = Body(3)
    assert body.add(b"abc")
    assert not body.add(b"d")
    assert body.fault is not None and body.fault.code is Code.LIMIT_SIZE
    assert b"".join(pieces(body)) == b"abcd"


def test_much_is_put_aside_and_read_in_order() -> None:
    body = Body(10 * HELD)
    written = [bytes((n % 256,)) * 100_000 for n in range(40)]
    for at, chunk in enumerate(written):
        body.add(chunk)
        if at == 20:
            read = [body.get() for _ in range(5)]
    body.end()
    assert b"".join([*read, *pieces(body)]) == b"".join(written)


@pytest.mark.parametrize("seed", range(5))
def test_a_reader_in_another_thread_gets_all(seed: int) -> None:
    choice = random.Random(seed)
    written = [choice.randbytes(choice.randint(1, 200_000)) for _ in range(60)]
    body, read = Body(100 * HELD), []
    reader = threading.Thread(target=lambda: read.extend(pieces(body)))
    reader.start()
    for chunk in written:
        body.add(chunk)
    body.end()
    reader.join()
    assert b"".join(read) == b"".join(written)


def test_a_reader_in_another_task_gets_all() -> None:
    async def run() -> bytes:
        body = Body(HELD, asyncio.Event())

        async def write() -> None:
            for n in range(100):
                body.add(b"%d;" % n)
                if n % 7 == 0:
                    await asyncio.sleep(0)
            body.end()

        task = asyncio.create_task(write())
        read = b""
        while chunk := await body.aget():
            read += chunk
        await task
        return read

    assert asyncio.run(run()) == b"".join(b"%d;" % n for n in range(100))


def test_nothing_is_kept_that_nobody_reads() -> None:
    body = Body(10 * HELD)
    body.add(b"x" * (HELD + 1))
    body.give_up()
    assert not body.add(b"y")
    assert not body.wanted


def test_a_file_is_read_as_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 200_000)
    assert b"".join(pieces(File(path))) == b"x" * 200_000
    given = io.BytesIO(b"abc")
    assert list(pieces(File(given))) == [b"abc"]
    assert not given.closed


def test_a_file_that_fails_has_a_fault(tmp_path: Path) -> None:
    closed = io.BytesIO(b"abc")
    closed.close()
    body = File(closed)
    assert list(pieces(body)) == []
    assert body.fault is not None and body.fault.code is Code.NETWORK
    with pytest.raises(OSError):
        File(tmp_path / "none")
