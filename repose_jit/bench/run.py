"""A whole run: what is measured, in which order, and the report."""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from repose_jit.bench.machine import this_machine
from repose_jit.bench.measure import Measurement, measure_batch, measure_kinematics, measure_one, measure_one_out
from repose_jit.bench.problems import Problems, sampled_configurations
from repose_jit.bench.report import PERCENTILES, BenchReport, BenchRow, RowKey, Work
from repose_jit.bench.settings import BenchSettings
from repose_jit.bench.starts import CacheError, measure_cached_start, measure_first_call
from repose_jit.bench.stopwatch import CpuShare, no_garbage_collection
from repose_jit.chain import KinematicChain, require_chain
from repose_jit.errors import InputError
from repose_jit.kinematics import forward_kinematics, jacobian
from repose_jit.multi_seed import MultiSeedParams

__all__ = ["run_bench"]

FloatArray = NDArray[np.float64]

START_BATCH = 64
"""Targets in the first batch of a fresh process."""
TARGETS_PER_REPETITION = 4096
"""Targets solved in a repetition where batches are small: milliseconds, so that the clock does not matter."""
MOST_CALLS = 256
"""Calls in a repetition where a call is a target or a few."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Item:
    """One thing to measure: a row of the report."""

    key: RowKey
    repetitions: int
    measure: Callable[[], Measurement]
    done: list[Measurement] = field(default_factory=list)
    troubles: list[CacheError] = field(default_factory=list)

    def repeat(self) -> None:
        """Measure once more; not again after the cache was not as it should be, for it will not be the next time."""
        if self.troubles:
            return
        try:
            self.done.append(self.measure())
        except CacheError as error:
            self.troubles.append(error)
            warnings.warn(f"{error}. It is left out", RuntimeWarning, stacklevel=3)

    def row(self) -> BenchRow:
        """Return the row that the repetitions make."""
        times = tuple(measurement.ns for measurement in self.done)
        calls = [ns for measurement in self.done for ns in measurement.calls_ns]
        percentiles = np.percentile(calls, np.linspace(0.0, 100.0, PERCENTILES)).tolist() if calls else ()
        targets = sum(measurement.targets for measurement in self.done)
        return BenchRow(
            **vars(self.key),
            ns=statistics.median(times),
            repetitions_ns=times,
            percentiles_ns=tuple(percentiles),
            solved=sum(measurement.solved for measurement in self.done) if targets else None,
            targets=targets or None,
        )


def run_bench(
    robots: Mapping[str, KinematicChain],
    settings: BenchSettings | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> BenchReport:
    """Measure how fast robots are solved, and check every answer.

    Parameters
    ----------
    robots
        The robots, by the names they get in the report; the starts are those of the first.
    settings
        What is measured, and how often; ``BenchSettings()`` if left out.
    progress
        Called with the number of measurements done, and of all.

    Returns
    -------
    BenchReport
        For each robot: one target a call, with a result object and into an array, for each of the tolerances; batches
        of each size, and the largest on each number of threads and for each of the tolerances; forward kinematics and
        the Jacobian of the smallest and the largest batch.

    Raises
    ------
    InputError
        If there is no robot, or a joint slides without limits.
    WrongAnswerError
        If an answer is claimed to be a solution and forward kinematics disagrees.
    StartError
        If a fresh process fails.

    Notes
    -----
    Targets are poses of random configurations, so all of them can be reached. Everything is measured once per round, so
    the repetitions of a row are spread over the whole run and their spread shows the noise of the machine.
    A start that does not find the cache as it should be is left out, with a warning.

    Examples
    --------
    >>> from repose_jit.robots import preset
    >>> few = BenchSettings(batches=(8,), calls=5, repetitions=3, cached_starts=0, first_calls=0)
    >>> report = run_bench({"ur5": preset("ur5").chain()}, few)
    >>> for row in report.of(Work.BATCH):
    ...     print(f"{row.position_tolerance:g} m: {row.percent_solved:.0f} % solved", row.ns > 0.0)
    0.0001 m: 100 % solved True
    1e-06 m: 100 % solved True
    """
    if not robots:
        raise InputError("robots: got none, expected at least one")
    settings = BenchSettings() if settings is None else settings
    for chain in robots.values():
        require_chain(chain)
    items = [item for name, chain in robots.items() for item in _solve_items(name, chain, settings)]
    starts = list(_start_items(*next(iter(robots.items())), settings))
    cpu_share = CpuShare()
    done, total = 0, len(items) + sum(item.repetitions for item in starts + items)

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    for item in items:
        item.measure()  # does not count: it compiles, which also fills the cache for the fresh processes
        step()
    for repetition in range(max(item.repetitions for item in starts + items)):
        with no_garbage_collection():
            for item in starts + items:
                if repetition < item.repetitions:
                    with cpu_share.watched() if item.key.threads == 1 and item not in starts else nullcontext():
                        item.repeat()
                    step()
    return BenchReport(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=this_machine(),
        settings=settings,
        rows=tuple(item.row() for item in starts + items if item.done),
        cpu_share=cpu_share.value,
    )


def _start_items(robot: str, chain: KinematicChain, settings: BenchSettings) -> Iterator[_Item]:
    """Yield what is measured in fresh processes."""
    targets = forward_kinematics(chain, sampled_configurations(chain, START_BATCH, rng_seed=settings.rng_seed))
    for work, repetitions, measure in (
        (Work.FIRST_CALL, settings.first_calls, measure_first_call),
        (Work.CACHED_START, settings.cached_starts, measure_cached_start),
    ):
        params = _params(settings.tolerances[0], 1)
        key = _key(work, robot, START_BATCH, params)
        problems = Problems(chain=chain, targets=targets, params=params, what=str(key))
        yield _Item(key=key, repetitions=repetitions, measure=partial(measure, problems))


def _solve_items(robot: str, chain: KinematicChain, settings: BenchSettings) -> Iterator[_Item]:
    """Yield what is measured in this process."""
    smallest, largest = settings.batches[0], settings.batches[-1]
    count = max(settings.calls, *(batch * _calls(batch) for batch in settings.batches))
    q = sampled_configurations(chain, count, rng_seed=settings.rng_seed)
    T = forward_kinematics(chain, q)

    def item(work: Work, batch: int, params: MultiSeedParams, targets: FloatArray, measure: Measure) -> _Item:
        key = _key(work, robot, batch, params)
        problems = Problems(chain=chain, targets=targets, params=params, what=str(key))
        return _Item(key=key, repetitions=settings.repetitions, measure=partial(measure, problems))

    for tolerances in settings.tolerances:
        params = _params(tolerances, 1)
        yield item(Work.SOLVE_ONE, 1, params, T[: settings.calls], measure_one)
        yield item(Work.SOLVE_ONE_OUT, 1, params, T[: settings.calls], measure_one_out)
    usual, first = settings.tolerances[0], settings.threads[0]
    varied = [(batch, first, usual) for batch in settings.batches]
    varied += [(largest, threads, usual) for threads in settings.threads[1:]]
    varied += [(largest, first, tolerances) for tolerances in settings.tolerances[1:]]
    for batch, threads, tolerances in varied:
        calls = _calls(batch)
        targets = T[: calls * batch].reshape(calls, batch, 4, 4)
        yield item(Work.BATCH, batch, _params(tolerances, threads), targets, measure_batch)
    for work, function in ((Work.FORWARD_KINEMATICS, forward_kinematics), (Work.JACOBIAN, jacobian)):
        for batch in sorted({smallest, largest}):
            key = RowKey(work=work, robot=robot, batch=batch, threads=1)
            measure = partial(measure_kinematics, function, chain, q[:batch])
            yield _Item(key=key, repetitions=settings.repetitions, measure=measure)


Measure = Callable[[Problems], Measurement]


def _calls(batch: int) -> int:
    """Return how many calls of a batch make a repetition."""
    return max(1, min(MOST_CALLS, TARGETS_PER_REPETITION // batch))


def _params(tolerances: tuple[float, float], threads: int) -> MultiSeedParams:
    return MultiSeedParams(position_tolerance=tolerances[0], orientation_tolerance=tolerances[1], threads=threads)


def _key(work: Work, robot: str, batch: int, params: MultiSeedParams) -> RowKey:
    return RowKey(
        work=work,
        robot=robot,
        batch=batch,
        threads=params.threads or 1,
        position_tolerance=params.position_tolerance,
        orientation_tolerance=params.orientation_tolerance,
    )
