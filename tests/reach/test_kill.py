"""A study that is killed at any moment, again and again, ends with the bytes of one that never was."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from repose_jit.reach.engine.chunk_report import ChunkReport
from tests.reach.processes import (
    CONTEXT,
    Event,
    digests,
    merge_shards,
    orphans,
    run_study,
    run_until,
    small_study,
    start,
    watch,
    wide_study,
)

pytestmark = pytest.mark.slow

KILLS = 20
CHUNK_POSES = 110
PATIENCE = 120
"""Seconds that no process needs; one that does hangs."""


def small_run(path: Path, **options: Any) -> Callable[[], None]:
    """Return what runs the small study in many chunks, or goes on with it."""
    return partial(run_study, small_study, path, chunk_poses=CHUNK_POSES, **options)


def finish(run: Callable[[], object]) -> float:
    """Let a process of its own come to its end, and return how long it took."""
    began = time.perf_counter()
    process = start(run)
    process.join(PATIENCE)
    assert process.exitcode == 0
    return time.perf_counter() - began


def kill_until_done(run: Callable[[bool], Callable[[], object]], rng: random.Random, moments: list[float]) -> int:
    """Run, kill and resume until no moment to kill at is left and the end is reached; return how often it was killed.

    Parameters
    ----------
    run
        Returns what to run, given whether it resumes from the store alone.
    moments
        Seconds from the start of a process; one that is done before is not killed.
    """
    for kills, moment in enumerate([*moments, PATIENCE]):
        process = start(run(rng.random() < 0.5))
        process.join(moment)
        process.kill()
        process.join()
        if process.exitcode == 0:
            return kills
        assert process.exitcode == -signal.SIGKILL
    pytest.fail("it hangs")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the files of a run of the small study that nothing interrupts."""
    path = tmp_path_factory.mktemp("whole") / "map.zarr"
    finish(small_run(path, threads=1))
    return digests(path)


@pytest.mark.parametrize("threads", [1, 2])
def test_killed_at_random_moments(threads: int, whole: dict[str, str], tmp_path: Path) -> None:
    rng = random.Random(threads)
    path = tmp_path / "map.zarr"
    duration = finish(small_run(path, threads=threads))
    assert digests(path) == whole
    kills = 0
    while kills < KILLS:
        shutil.rmtree(path)
        moments = [rng.uniform(0.0, duration) for _ in range(KILLS - kills)]
        kills += kill_until_done(lambda alone: small_run(path, threads=threads, from_store=alone), rng, moments)
        assert digests(path) == whole
        assert orphans(path) == []


def test_killed_just_before_it_touches_a_file(whole: dict[str, str], tmp_path: Path) -> None:
    """Random moments seldom meet the creation of a store, and hardly ever the writing of the summary."""
    folder = tmp_path / "store"
    folder.mkdir()
    path = folder / "map.zarr"
    receiver, sender = CONTEXT.Pipe(duplex=False)
    process = start(watch, sender, folder, small_run(path, threads=1))
    events: list[Event] = receiver.recv()
    process.join(PATIENCE)
    appears = next(i for i, (what, file) in enumerate(events) if what == "os.rename" and Path(file).parent == folder)
    summary = [i for i, (_, file) in enumerate(events) if i > appears and Path(file).parent == path]
    assert summary == [len(events) - 2, len(events) - 1]  # written beside the metadata, then renamed
    rng = random.Random(0)
    creation = rng.sample(range(appears), 2)
    chunks = rng.sample(range(appears + 1, summary[0]), 3)
    for number in [*creation, appears, appears + 1, *chunks, *summary]:
        shutil.rmtree(folder)
        folder.mkdir()
        killed = start(run_until, number, folder, small_run(path, threads=1))
        killed.join(PATIENCE)
        assert killed.exitcode == -signal.SIGKILL
        assert path.exists() == (number > appears)
        # What goes on may be killed as well, among others while it clears up after the first.
        again = start(run_until, rng.choice([0, 1, 2, rng.randrange(len(events))]), folder, small_run(path, threads=2))
        again.join(PATIENCE)
        assert again.exitcode in (0, -signal.SIGKILL)
        finish(small_run(path, threads=2, from_store=True))
        assert digests(path) == whole
        assert orphans(path) == []


def test_killed_shards_merge_to_the_whole(whole: dict[str, str], tmp_path: Path) -> None:
    rng = random.Random(3)
    paths = [tmp_path / f"map.zarr.shard-{i}-of-3" for i in (1, 2, 3)]
    for i, path in enumerate(paths, start=1):
        kills = 0
        while kills == 0:
            shutil.rmtree(path, ignore_errors=True)
            run = partial(small_run, path, threads=1, shard=(i, 3))
            kills = kill_until_done(lambda alone: run(from_store=alone), rng, [rng.uniform(0.2, 0.6)])  # noqa: B023
        assert orphans(path) == []
    path = tmp_path / "merged" / "map.zarr"
    path.parent.mkdir()
    merge = partial(merge_shards, path, paths, chunk_poses=CHUNK_POSES)
    for number in (3, rng.randrange(100, 200), rng.randrange(200, 300)):
        killed = start(run_until, number, path.parent, merge)
        killed.join(PATIENCE)
        assert killed.exitcode == -signal.SIGKILL
        assert not path.exists()
    finish(merge)
    assert digests(path) == whole
    assert orphans(path) == []


class KillWorker:
    """Kill a Dask worker of this process when some chunks are done, and others in flight."""

    def __init__(self, after: int) -> None:
        self.after = after

    def __call__(self, report: ChunkReport) -> None:
        """Count a chunk."""
        self.after -= 1
        if self.after == 0:
            workers = [child for child in multiprocessing.active_children() if "Worker" in child.name]
            assert len(workers) == 2, multiprocessing.active_children()
            os.kill(workers[0].pid, signal.SIGKILL)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the files of a run of the wide study on threads."""
    path = tmp_path_factory.mktemp("wide") / "map.zarr"
    finish(partial(run_study, wide_study, path, threads=2))
    return digests(path)


def test_a_dask_worker_is_killed(wide: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "map.zarr"
    finish(partial(run_study, wide_study, path, threads=2, engine="dask", progress=KillWorker(after=3)))
    assert digests(path) == wide
    assert orphans(path) == []


def test_the_client_of_dask_is_killed(wide: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "map.zarr"
    process = start(partial(run_study, wide_study, path, threads=2, engine="dask"))
    deadline = time.monotonic() + PATIENCE
    while len(list(path.glob("status/c/*/*/*/0"))) < 3:
        assert process.is_alive()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.join()
    finish(partial(run_study, wide_study, path, threads=1, from_store=True))
    assert digests(path) == wide
    assert orphans(path) == []
