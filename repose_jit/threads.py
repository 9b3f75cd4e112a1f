"""Work in chunks on a pool of threads: our own, because Numba's threading layers abort, serialise or deadlock.

Kernels release the GIL. A pool lives as long as one call, so a fork afterwards is safe, and calls from several threads
do not meet.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from queue import SimpleQueue

from repose_jit.validation import as_integer

__all__ = ["MAX_THREADS", "as_threads", "available_cpus", "run_chunks"]

MAX_THREADS = 4096
"""More than any machine has CPUs; systems refuse to start far more."""


def as_threads(threads: int | None) -> int | None:
    """Return a number of threads, checked; None stands for all available CPUs."""
    return None if threads is None else as_integer(threads, name="threads", least=1, most=MAX_THREADS)


def run_chunks(
    work: Callable[[int, int, threading.Event], object],
    count: int,
    size: int,
    *,
    threads: int | None,
    aside: bool = False,
) -> Generator[int]:
    """Call ``work(start, stop, cancelled)`` for the chunks of ``range(count)`` and yield how many items are done.

    One chunk, or one thread, is worked on by the thread that asks unless that is to be left `aside`, and so is
    everything if the system grants no other. Closing the iterator, or an exception in it (KeyboardInterrupt included),
    sets `cancelled`, and waits for the chunks that have begun.

    Parameters
    ----------
    work
        Called from several threads at once; looking at `cancelled` is optional.
    count, size
        Items in all, and in a chunk.
    threads
        Threads to run on, all available CPUs if None.
    aside
        Leave the thread that asks free: Ctrl-C does not reach into a chunk that has begun then.
    """
    cancelled = threading.Event()
    if count <= size:
        threads = 1  # without a look at the CPUs, which takes longer than a small chunk
    threads = min(available_cpus() if threads is None else threads, -(-count // size))
    starts = iter(range(0, count, size))
    if count == 0 or (threads <= 1 and not aside):
        try:
            for start in starts:
                stop = min(start + size, count)
                work(start, stop, cancelled)
                yield stop
        finally:
            cancelled.set()
        return

    # Chunks are begun ahead of the one that asks by two per thread at most, so that no work needs much more memory than
    # its result; a single thread waits for it.
    tickets = threading.Semaphore(2 * threads if threads > 1 else 1)
    results: SimpleQueue[int | BaseException] = SimpleQueue()
    lock = threading.Lock()

    def run() -> None:
        while True:
            tickets.acquire()
            with lock:
                start = None if cancelled.is_set() else next(starts, None)
            if start is None:
                return
            stop = min(start + size, count)
            try:
                work(start, stop, cancelled)
            except BaseException as error:  # to be raised where it is seen
                results.put(error)
                return
            results.put(stop - start)

    done = 0
    workers: list[threading.Thread] = []
    try:
        _start_threads(run, threads, workers)
        if not workers:
            yield from run_chunks(work, count, size, threads=1)
            return
        while done < count:
            result = results.get()
            if isinstance(result, BaseException):
                try:
                    raise result
                finally:
                    del result  # it holds the frame that holds it
            done += result
            yield done
            tickets.release()
    finally:
        cancelled.set()
        tickets.release(threads)
        for worker in workers:
            if worker.ident is not None:  # Ctrl-C may have come before it started
                worker.join()
        while not results.empty():
            results.get()  # an error that came second holds the frame that holds it, too


def _start_threads(run: Callable[[], None], threads: int, workers: list[threading.Thread]) -> None:
    """Add up to that many running threads to the list: as many as the system grants."""
    for number in range(threads):
        worker = threading.Thread(target=run, name=f"repose-jit_{number}")
        workers.append(worker)
        try:
            worker.start()
        except RuntimeError:  # at the limit of processes or memory, or while the interpreter shuts down
            workers.pop()
            return


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
