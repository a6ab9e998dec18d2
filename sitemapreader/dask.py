"""Hosts harvested by a Dask cluster: an adapter to `harvest`, which does the work and knows nothing of clusters.

A task is a shard of hosts, by a hash of the host, so that no host meets two workers; in it, threads. Tasks return rows
only: entries go from the worker to the file. A task that is lost with its worker is run again, elsewhere, and finds the
hosts that are done by their files.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import Any

import distributed

from .diagnostics import printable
from .harvest import Host, Plan, harvest, shards
from .many import Site, Status

SHARD = 32
"""Hosts of a task: enough that its threads have work, few enough that little is done twice when a worker is lost."""
WINDOW = 4
"""Tasks that are on their way for each worker; the scheduler and the driver know of no more."""


def harvest_shard(shard: list[Host], plan: Plan, jobs: int) -> list[Site]:
    """The task."""
    return list(harvest(shard, plan, jobs=jobs))


def harvest_many(hosts: list[Host], plan: Plan, *, jobs: int = 8, scheduler: str | None = None) -> Iterator[Site]:
    """Read hosts on a cluster and give a row for each start, as tasks are done; see `harvest`.

    `jobs` hosts are read at a time in each worker. `scheduler` is the address of one; without it, a cluster is made on
    this machine, a process for each core. Workers need this library, and the folder of the plan under the same path. A
    shard that takes its worker with it several times is split into its hosts, and one that does so alone gets the row
    ERROR.
    """
    waiting = shards(hosts, SHARD)
    waiting.reverse()
    with _client(scheduler) as client:
        going: dict[str, list[Host]] = {}

        def submit(shard: list[Host]) -> Any:
            future = client.submit(harvest_shard, shard, plan, jobs, pure=False)
            going[future.key] = shard
            return future

        window = WINDOW * max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
        first = [submit(waiting.pop()) for _ in range(min(window, len(waiting)))]
        done = distributed.as_completed(first, loop=client.loop)
        for future in done:
            shard = going.pop(future.key)
            error = future.exception()
            if error is None:
                yield from future.result()
            elif not isinstance(error, distributed.KilledWorker):
                raise error
            elif len(shard) == 1:
                yield from _lost(shard[0], error)
            else:
                waiting += [[host] for host in shard]
            future.release()
            for next_ in islice(iter(waiting.pop, None), min(window - len(going), len(waiting))):
                done.add(submit(next_))


def _lost(host: Host, error: Exception) -> Iterator[Site]:
    for start in host[1]:
        yield Site(start, Status.ERROR, reason=printable(f"{type(error).__name__}: {error}"))


@contextmanager
def _client(scheduler: str | None) -> Iterator[Any]:
    with ExitStack() as stack:
        where: Any = scheduler
        if scheduler is None:
            where = stack.enter_context(
                distributed.LocalCluster(threads_per_worker=1, dashboard_address=None, silence_logs=50)
            )
        yield stack.enter_context(distributed.Client(where, set_as_default=False))
