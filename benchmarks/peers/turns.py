"""The clock: everyone takes turns, so that what else the machine does hits all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Record:
    """What one of those who take turns needed."""

    seconds: list[float] = field(default_factory=list)
    """Wall time of each timed call."""
    cpu_seconds: list[float] = field(default_factory=list)
    """CPU time of all threads of the process; of a turn where single calls are too short to tell."""
    results: list[Any] = field(default_factory=list)
    busy: float = 0.0
    """Wall time that belongs to `cpu_seconds`."""

    @property
    def median(self) -> float:
        """Median seconds of one call."""
        return statistics.median(self.seconds)

    @property
    def cpus(self) -> float:
        """How many CPUs were busy: 1 for one thread, whatever it was asked for."""
        return sum(self.cpu_seconds) / self.busy

    def percentile(self, percent: float) -> float:
        """Return a percentile of the seconds of one call."""
        return float(np.percentile(self.seconds, percent))


def in_turns(
    works: Sequence[Callable[[], object]], *, rounds: int, calls: int = 1, warm: bool = False, keep: bool = True
) -> list[Record]:
    """Time `calls` calls of each work in each round; with `warm`, one more that is not counted comes first.

    What they return is dropped unless `keep`: as long as a result lives the next one needs fresh memory, which takes
    longer to get than forward kinematics takes to compute.
    """
    records = [Record() for _ in works]
    for _ in range(rounds):
        for work, record in zip(works, records, strict=True):
            if warm:
                work()
            cpu, begin = time.process_time(), time.perf_counter()
            for _ in range(calls):
                start = time.perf_counter()
                result = work()
                record.seconds.append(time.perf_counter() - start)
                if keep:
                    record.results.append(result)
                del result
            record.busy += time.perf_counter() - begin
            record.cpu_seconds.append(time.process_time() - cpu)
    return records


def one_by_one(works: Sequence[tuple[Callable[[Any], object], Sequence[Any]]], *, turns: int) -> list[Record]:
    """Time each work on each of its own inputs, one input a call, `turns` parts of the inputs in turn.

    Each turn begins with one call that is not counted: another library has just had the caches.
    """
    records = [Record() for _ in works]
    for turn in range(turns):
        for (work, inputs), record in zip(works, records, strict=True):
            part = inputs[len(inputs) * turn // turns : len(inputs) * (turn + 1) // turns]
            if not part:
                continue
            work(part[0])
            cpu, begin = time.process_time(), time.perf_counter()
            for item in part:
                start = time.perf_counter()
                result = work(item)
                record.seconds.append(time.perf_counter() - start)
                record.results.append(result)
            record.busy += time.perf_counter() - begin
            record.cpu_seconds.append(time.process_time() - cpu)
    return records
