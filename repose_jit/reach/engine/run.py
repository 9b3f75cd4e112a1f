"""Run a study chunk by chunk into its store: on threads, on Dask workers, or one shard of it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from repose_jit.errors import InputError, UnknownNameError, shown
from repose_jit.reach.engine.chunk_report import ChunkReport, solve_into
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.solving.chunk import ReachJob, warm_up
from repose_jit.reach.store.creation import create_store, remove_orphans
from repose_jit.reach.store.finish import finish
from repose_jit.reach.store.reach_store import ReachStore, open_store
from repose_jit.reach.store.resume import job_of, require_same, shard_of
from repose_jit.threads import as_threads, available_cpus, run_chunks
from repose_jit.validation import as_integer, as_path

__all__ = ["resume_study", "run_job", "shard_chunks"]

ENGINES = ("threads", "dask")


Progress = Callable[[ChunkReport], object]
Phase = Callable[[str], object]


def run_job(
    job: ReachJob,
    path: str | os.PathLike[str] | None,
    *,
    config: Mapping[str, object],
    resume: bool = False,
    overwrite: bool = False,
    threads: int | None = None,
    engine: str = "threads",
    scheduler: str | None = None,
    shard: tuple[int, int] | None = None,
    progress: Progress | None = None,
    phase: Phase | None = None,
) -> ReachMap:
    """Solve a study into a store; see :meth:`repose_jit.ReachStudy.run`."""
    threads, shard = _require_options(path, threads, engine, scheduler, shard, progress, phase)
    if resume and path is None:
        raise InputError("resume: got True without a path, expected the path of a store")
    if resume and as_path(path).exists():
        store = open_store(as_path(path))
        require_same(store, job, config, shard=shard)
    else:
        store = create_store(job, config, path, shard=shard, overwrite=overwrite)
    return _run(
        store,
        job,
        threads=threads,
        engine=engine,
        scheduler=scheduler,
        shard=shard,
        progress=progress,
        phase=phase,
    )


def resume_study(
    path: str | os.PathLike[str],
    *,
    threads: int | None = None,
    engine: str = "threads",
    scheduler: str | None = None,
    progress: Progress | None = None,
    phase: Phase | None = None,
) -> ReachMap:
    """Go on with a study that was interrupted, from its store alone.

    Parameters
    ----------
    path
        Of the store; one that is complete is left as it is.
    threads, engine, scheduler, progress, phase
        As in :meth:`repose_jit.ReachStudy.run`.

    Returns
    -------
    ReachMap
        The store has the same bytes as that of a run without interruption.

    Raises
    ------
    InputError
        If there is no store, it was begun by another version of a package that the numbers depend on, or another
        process is writing to it.
    ReposeError
        If it cannot be written to.
    """
    store = open_store(path)
    threads, shard = _require_options(path, threads, engine, scheduler, shard_of(store.attributes), progress, phase)
    job = job_of(store)
    return _run(
        store,
        job,
        threads=threads,
        engine=engine,
        scheduler=scheduler,
        shard=shard,
        progress=progress,
        phase=phase,
    )


def shard_chunks(n_chunks: int, shard: tuple[int, int] | None) -> range:
    """Return the chunks of a shard: every N-th, so that hard and easy parts of a workspace are shared out."""
    return range(n_chunks) if shard is None else range(shard[0] - 1, n_chunks, shard[1])


def _run(
    store: ReachStore,
    job: ReachJob,
    *,
    threads: int | None,
    engine: str,
    scheduler: str | None,
    shard: tuple[int, int] | None,
    progress: Progress | None,
    phase: Phase | None,
) -> ReachMap:
    mine = shard_chunks(job.blocks.count, shard)
    workers = available_cpus() if threads is None else threads
    begin = phase or (lambda _: None)
    with store.locked():
        if store.path is not None:
            remove_orphans(store.path)
        done = store.done()
        todo = [number for number in mine if number not in done]
        sizes = {number: job.blocks.size(number) * job.targets.n_orientations for number in mine}
        n_poses = sum(sizes.values())
        counts = {"n_done": len(mine) - len(todo), "poses_done": n_poses - sum(sizes[number] for number in todo)}
        begin("compiling kernels")
        warm_up(job)
        begin("solving")
        start = time.perf_counter()
        with closing(_reports(store, job, todo, threads=workers, engine=engine, scheduler=scheduler)) as reports:
            for report in reports:
                counts["n_done"] += 1
                counts["poses_done"] += sizes[report.chunk]
                if progress is not None:
                    progress(replace(report, n_chunks=len(mine), n_poses=n_poses, **counts))
        seconds = time.perf_counter() - start
        if store.path is not None and engine == "dask":
            remove_orphans(store.path)  # of workers that died, whose chunks others have solved
        if shard is None and not store.attributes["complete"]:
            begin("estimating what was missed")
            finish(store, job)
    solved = sum(sizes[number] for number in todo)
    return ReachMap(store, seconds=seconds, threads=workers, poses_solved=solved)


def _reports(
    store: ReachStore, job: ReachJob, todo: Sequence[int], *, threads: int, engine: str, scheduler: str | None
) -> Generator[ChunkReport]:
    if engine == "dask":
        from repose_jit.reach.engine.dask_engine import solve_on_dask

        yield from solve_on_dask(store, todo, workers=threads, scheduler=scheduler)
        return
    reports: list[ChunkReport] = []

    def work(start: int, _stop: int, _cancelled: threading.Event) -> None:
        reports.append(solve_into(store, job, todo[start]))

    with closing(run_chunks(work, len(todo), 1, threads=threads, aside=True)) as counts:
        for _ in counts:
            yield reports.pop(0)


def _require_options(
    path: str | os.PathLike[str] | None,
    threads: int | None,
    engine: str,
    scheduler: str | None,
    shard: Any,
    progress: object,
    phase: object,
) -> tuple[int | None, tuple[int, int] | None]:
    """Return threads and shard, checked."""
    if progress is not None and not callable(progress):
        raise InputError(f"progress: got {shown(progress)}, expected a function of a ChunkReport")
    if phase is not None and not callable(phase):
        raise InputError(f"phase: got {shown(phase)}, expected a function of a text")
    if not isinstance(engine, str) or engine not in ENGINES:
        raise UnknownNameError("engine", engine, ENGINES)
    if engine == "dask" and path is None:
        raise InputError("engine: got 'dask' without a path, expected the path of a store that the workers see")
    if scheduler is not None and engine != "dask":
        raise InputError(f"scheduler: got {scheduler!r} with engine {engine!r}, expected engine 'dask'")
    if shard is None:
        return as_threads(threads), None
    if path is None:
        raise InputError("shard: got one without a path, expected the path of a store")
    if not isinstance(shard, tuple | list) or len(shard) != 2:
        raise InputError(f"shard: got {shown(shard)}, expected (i, N)")
    N = as_integer(shard[1], name="shard[1]", least=1)
    return as_threads(threads), (as_integer(shard[0], name="shard[0]", least=1, most=N), N)
