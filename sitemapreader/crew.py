"""Threads that work through tasks, and one stream of what they find, which is as long as somebody takes from it."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Generic, TypeVar

NAP = 0.1
"""Seconds between two looks whether the stream is still wanted."""
LINGER = 0.5
"""Seconds that closing waits for threads. What they wait for themselves has bounds of its own."""
Task = TypeVar("Task")
Found = TypeVar("Found")


class Closed(Exception):
    """Nobody takes what is found any more."""


class Crew(Generic[Task, Found]):
    """Iterate it, once, for what is found; a context manager, which stops the work.

    Tasks are taken one by one as threads are free, so there may be any number of them. What was found and not yet taken
    is held up to a bound, and then threads wait in turn: none who finds a lot keeps the others from the stream.
    """

    def __init__(self, tasks: Iterable[Task], work: Callable[[Task, Crew[Task, Found]], None], jobs: int) -> None:
        """`work` is called with a task and the crew, to which it gives what it finds, in one of `jobs` threads."""
        if jobs < 1:
            raise ValueError(f"jobs must be at least 1: {jobs!r}")
        self._tasks = iter(tasks)
        self._work = work
        self._lock = threading.Lock()
        self._found: queue.Queue[Found | BaseException | None] = queue.Queue(2 * jobs)
        self.closed = False
        """Nothing more is wanted."""
        self._threads = [threading.Thread(target=self._run, daemon=True, name="sitemapreader") for _ in range(jobs)]

    def __enter__(self) -> Crew[Task, Found]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Found]:
        """What is found. Raises what `work` or the iterable of tasks raises."""
        try:
            for thread in self._threads:
                thread.start()
            busy = len(self._threads)
            while busy and not self.closed:
                found = self._found.get()
                if isinstance(found, BaseException):
                    raise found
                if found is None:
                    busy -= 1
                else:
                    yield found
        finally:
            self.close()

    def give(self, found: Found) -> None:
        """Add something to the stream, when there is room; raises Closed if nobody takes it."""
        self._put(found)

    def wait(self, taken: threading.Event) -> None:
        """Until whoever takes what is found is done with some of it; raises Closed if nobody will be."""
        while not taken.wait(NAP):
            if self.closed:
                raise Closed

    def close(self) -> None:
        """Nothing more is wanted: threads end as soon as they see it, and so does the stream."""
        self.closed = True
        with suppress(queue.Full):
            self._found.put_nowait(None)  # for who waits for what is found
        ends = time.monotonic() + LINGER
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(ends - time.monotonic(), 0))

    def _put(self, found: Found | BaseException | None) -> None:
        while not self.closed:
            try:
                return self._found.put(found, timeout=NAP)
            except queue.Full:
                continue
        raise Closed

    def _run(self) -> None:
        try:
            try:
                for task in self._given():
                    self._work(task, self)
                self._put(None)
            except Closed:
                raise
            except BaseException as error:
                self._put(error)
        except Closed:
            return

    def _given(self) -> Iterator[Task]:
        while not self.closed:
            with self._lock:
                try:
                    task = next(self._tasks)
                except StopIteration:
                    return
            yield task
