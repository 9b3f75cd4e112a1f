"""Time calls from Python, one by one or together, with the garbage collector off."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter_ns, process_time_ns
from typing import TypeVar

__all__ = ["CpuShare", "no_garbage_collection", "time_each", "time_together"]

A = TypeVar("A")
R = TypeVar("R")


@dataclass
class CpuShare:
    """How much of a CPU this process gets, over all that is done in :meth:`watched`.

    Attributes
    ----------
    cpu_ns, ns
        CPU time of all threads, and time [ns].
    """

    cpu_ns: int = 0
    ns: int = 0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Count what is done inside; it shall run on one thread and wait for nothing."""
        cpu_before, before = process_time_ns(), perf_counter_ns()
        yield
        self.cpu_ns += process_time_ns() - cpu_before
        self.ns += perf_counter_ns() - before

    @property
    def value(self) -> float:
        """CPU time over time; 1 where nothing was watched."""
        return self.cpu_ns / self.ns if self.ns else 1.0


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Collect now, and not until the end: a collection in between would be counted as work."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def time_each(call: Callable[..., R], *arguments: Iterable[object]) -> tuple[list[R], list[int]]:
    """Return what the calls return, and the time of each [ns]; it includes reading the clock, some 50 ns.

    `arguments` are columns, as for :func:`map`.
    """
    results, times = [], []
    for row in zip(*arguments, strict=True):
        start = perf_counter_ns()
        result = call(*row)
        times.append(perf_counter_ns() - start)
        results.append(result)
    return results, times


def time_together(call: Callable[[A], R], arguments: Iterable[A]) -> tuple[list[R], int]:
    """Return what the calls return, and the time of all of them [ns]."""
    results = []
    start = perf_counter_ns()
    for argument in arguments:
        results.append(call(argument))
    return results, perf_counter_ns() - start
