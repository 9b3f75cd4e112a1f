"""Solve chunks on Dask workers: each opens the store by its path, and writes what it has solved."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from repose_jit.errors import ReposeError
from repose_jit.reach.engine.chunk_report import ChunkReport
from repose_jit.reach.engine.dask_worker import solve_remotely
from repose_jit.reach.store.reach_store import ReachStore

__all__ = ["solve_on_dask"]

PER_WORKER = 2
"""Chunks that a worker is given at a time: it need not wait, and an interruption not long."""
DEATHS = 20
"""Workers that may die of a chunk before it is given up."""


def solve_on_dask(
    store: ReachStore, chunks: Sequence[int], *, workers: int, scheduler: str | None
) -> Generator[ChunkReport]:
    """Solve chunks of a store and yield a report of each as it is done.

    The chunks of a worker that dies are solved again by another. Closing the iterator waits for those that workers have
    been given.

    Parameters
    ----------
    store
        Its path is one that all workers see.
    chunks
        Which.
    workers
        Processes of a cluster of its own, one thread each.
    scheduler
        Address of a running scheduler to use instead, such as ``"tcp://head:8786"``.

    Raises
    ------
    ReposeError
        If Dask is not installed, the scheduler does not answer, or a chunk killed its workers.
    """
    with _client(min(workers, max(1, len(chunks))), scheduler) as client:
        from distributed import KilledWorker, as_completed

        waiting = iter(chunks)
        running = as_completed()

        def submit(count: int) -> None:
            for _, number in zip(range(count), waiting, strict=False):
                key = (str(store.path), store.attributes["study_hash"], store.attributes["targets_hash"])
                running.add(client.submit(solve_remotely, *key, number, pure=False))

        submit(PER_WORKER * max(1, len(client.scheduler_info(n_workers=-1)["workers"])))
        try:
            for future in running:
                report: ChunkReport = future.result()
                submit(1)
                yield report
        except KilledWorker as error:
            raise ReposeError(
                f"{store.path}: {error}; the chunks that are done are kept: mend that and resume"
            ) from error
        finally:
            for future in running:
                future.exception()  # waits; what it was is in the store, or will be tried again


@contextmanager
def _client(workers: int, scheduler: str | None) -> Iterator[Any]:
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise ReposeError("Dask is needed for engine 'dask': pip install 'repose_jit[dask]'") from None
    if scheduler is not None:
        try:
            client = Client(scheduler, timeout=10)
        except (OSError, ValueError) as error:
            raise ReposeError(f"scheduler: {scheduler!r} does not answer ({error}), expected a running one") from error
        with client:
            yield client
        return
    # A machine of its own watches its memory itself; the workers of this engine need some tens of megabytes.
    with (
        dask.config.set(
            {
                "distributed.scheduler.allowed-failures": DEATHS,
                "distributed.worker.preload": ["repose_jit.reach.engine.dask_worker"],
            }
        ),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=0,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": ":0"},  # the one by default is taken where another study runs
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
