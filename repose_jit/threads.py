"""Work in chunks on a pool of threads: our own, because Numba's threading layers abort, serialise or deadlock.

Kernels release the GIL. A pool lives as long as one call, so a fork afterwards is safe, and calls from several threads
do not meet.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from pathlib import Path

from repose_jit.validation import as_integer

__all__ = ["MAX_THREADS", "as_threads", "available_cpus", "run_chunks"]

MAX_THREADS = 4096
"""More than any machine has CPUs; systems refuse to start far more."""


def as_threads(threads: int | None) -> int | None:
    """Return a number of threads, checked; None stands for all available CPUs."""
    return None if threads is None else as_integer(threads, name="threads", least=1, most=MAX_THREADS)


def run_chunks(
    work: Callable[[int, int, threading.Event], object], count: int, size: int, *, threads: int | None
) -> Generator[int]:
    """Call ``work(start, stop, cancelled)`` for the chunks of ``range(count)`` and yield how many items are done.

    One chunk, or one thread, is worked on by the thread that asks. Closing the iterator, or an exception in it
    (KeyboardInterrupt included), sets `cancelled`, and waits for the chunks that have begun.

    Parameters
    ----------
    work
        Called from several threads at once; looking at `cancelled` is optional.
    count, size
        Items in all, and in a chunk.
    threads
        Threads to run on, all available CPUs if None.
    """
    cancelled = threading.Event()
    if count <= size:
        threads = 1  # without a look at the CPUs, which takes longer than a small chunk
    threads = min(available_cpus() if threads is None else threads, -(-count // size))
    starts = iter(range(0, count, size))
    if threads <= 1:
        try:
            for start in starts:
                stop = min(start + size, count)
                work(start, stop, cancelled)
                yield stop
        finally:
            cancelled.set()
        return

    def run(start: int) -> int:
        stop = min(start + size, count)
        work(start, stop, cancelled)
        return stop - start

    done = 0
    pool = ThreadPoolExecutor(threads, thread_name_prefix="repose-jit")
    try:
        # Two chunks per thread are queued at most, so that no work needs much more memory than its result.
        running: set[Future[int]] = {pool.submit(run, start) for start in islice(starts, 2 * threads)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(run, start) for start in islice(starts, len(finished))}
            for future in finished:
                done += future.result()
                yield done
    finally:
        cancelled.set()
        pool.shutdown(wait=True, cancel_futures=True)


def available_cpus() -> int:
    """Return how many threads of this process can run at once: its CPU affinity, and the quota of its control group."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _control_group_quota()
    return cpus if quota is None else max(1, min(cpus, round(quota)))


def _control_group_quota(root: Path = Path("/sys/fs/cgroup")) -> float | None:
    """Return the CPUs that Linux grants this container (control groups, version 2 or 1), None if it sets no limit."""
    try:
        quota, period = (root / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            quota, period = ((root / "cpu" / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        except OSError:
            return None
    try:
        cpus = float(quota) / float(period)
    except (ValueError, ZeroDivisionError):  # "max", version 2's word for no limit
        return None
    return cpus if cpus > 0.0 else None
