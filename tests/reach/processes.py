"""Studies that run in processes of their own, which can be killed; and the files they leave."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import repose_jit as rj
from repose_jit.reach.solving import chunk
from repose_jit.reach.store.merge import merge_stores
from tests.reach.robots import shell_arm

__all__ = [
    "CONTEXT",
    "Event",
    "digests",
    "merge_shards",
    "orphans",
    "run_study",
    "run_until",
    "small_study",
    "start",
    "watch",
    "wide_study",
]

CONTEXT = multiprocessing.get_context("forkserver")
# Every process starts with these imports, which take longer than the studies, and with nothing else.
CONTEXT.set_forkserver_preload(["__main__", __name__])

Event = tuple[str, str]
CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir")
TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def small_study() -> rj.ReachStudy:
    """Return a study with all three outcomes, solved by neighbourhood, in some tenths of a second."""
    return rj.ReachStudy(
        shell_arm(0.3, 0.2),
        targets=rj.GridTargets(spacing=0.06, box_min=(-0.06, -0.06, 0.36), box_max=(0.6, 0.06, 0.54)),
        orientations=rj.Orientations(kind="directions", n=6, n_roll=2, tool_axis="z"),
        metrics=("sigma_min", "limit_margin"),
        save_q=True,
    )


def wide_study() -> rj.ReachStudy:
    """Return a study of many chunks by its budget alone, for workers that no test reaches into."""
    return rj.ReachStudy(
        shell_arm(0.3, 0.2),
        targets=rj.GridTargets(spacing=0.05, box_min=(0.15, -0.1, 0.3), box_max=(0.65, 0.1, 0.5)),
        orientations=rj.Orientations(kind="super_fibonacci", n=20),
        solve=rj.MultiSeedParams(max_attempts=1000, max_iterations=1000),
    )


def digests(path: Path) -> dict[str, str]:
    """Return the digest of every file below `path`, by its relative path."""
    files = sorted(file for file in path.rglob("*") if not file.is_dir())
    return {str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def orphans(path: Path) -> list[str]:
    """Return what unfinished writers have left in a store and beside it."""
    beside = [other.name for other in path.parent.iterdir() if other.name.startswith(".") or "partial" in other.name]
    return [*beside, *(str(file) for file in path.rglob("*partial*"))]


def start(target: Callable[..., object], *arguments: object) -> ForkServerProcess:
    """Start a process that calls a function of a module."""
    process = CONTEXT.Process(target=target, args=arguments)
    process.start()
    return process


def run_study(
    make: Callable[[], rj.ReachStudy],
    path: Path,
    *,
    chunk_poses: int | None = None,
    from_store: bool = False,
    **options: Any,
) -> None:
    """Run a study, or go on with its store where there is one: from the store alone, if so asked."""
    if chunk_poses is not None:
        chunk.CHUNK_POSES = chunk_poses
    if from_store and path.exists():
        rj.resume_study(path, **{name: value for name, value in options.items() if name != "shard"})
    else:
        make().run(path, resume=True, **options)


def merge_shards(out: Path, paths: Sequence[Path], *, chunk_poses: int) -> None:
    """Join the stores of shards."""
    chunk.CHUNK_POSES = chunk_poses
    merge_stores(out, paths)


def watch(result: Connection, folder: Path, run: Callable[[], object]) -> None:
    """Send all that `run` does to files below a folder: what, and to which."""
    events: list[Event] = []
    _call_at_file_events(folder, lambda *event: events.append(event))
    run()
    result.send(events)


def run_until(number: int, folder: Path, run: Callable[[], object]) -> None:
    """Kill this process just before `run` does the `number`-th thing to a file below a folder."""
    left = iter(range(number))

    def count(*_event: str) -> None:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    _call_at_file_events(folder, count)
    run()


def _call_at_file_events(folder: Path, call: Callable[[str, str], object]) -> None:
    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        is_change = event in CHANGES or (event == "open" and arguments[2] & TO_WRITE)
        if is_change and str(folder) in str(arguments[0]):
            call(event, str(arguments[0]))

    sys.addaudithook(hook)
