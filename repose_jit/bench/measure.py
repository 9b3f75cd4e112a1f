"""One repetition of each kind of work in this process: timed, and every answer checked."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repose_jit.bench.problems import Problems
from repose_jit.bench.stopwatch import time_each, time_together
from repose_jit.chain import KinematicChain
from repose_jit.ik import IkStatus
from repose_jit.multi_seed import inverse_kinematics_batch, solve_one

__all__ = ["Measurement", "measure_batch", "measure_kinematics", "measure_one", "measure_one_out"]

FloatArray = NDArray[np.float64]

POSES_PER_REPETITION = 2**17
"""Poses computed in a repetition: milliseconds, so that neither the clock nor one interruption decides."""
MOST_CALLS = 1024
"""Calls in a repetition where a call is a pose or a few."""


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What one repetition gave.

    Attributes
    ----------
    ns
        Time of one target, pose or start [ns].
    calls_ns
        Times of the single calls [ns], where they are measured.
    solved, targets
        Verified answers, and all.
    """

    ns: float
    calls_ns: tuple[int, ...] = ()
    solved: int = 0
    targets: int = 0


def measure_one(problems: Problems) -> Measurement:
    """Solve one of the targets (N, 4, 4) a call, without seeds; the time is the median call's.

    Raises
    ------
    WrongAnswerError
        If a claimed solution is none.
    """
    chain, params = problems.chain, problems.params
    solve_one(chain, problems.targets[-1], params=params)  # after other work the CPU's caches hold something else
    results, times = time_each(lambda target: solve_one(chain, target, params=params), problems.targets)
    solved = problems.count_verified([result.q for result in results], [bool(result.converged) for result in results])
    return Measurement(ns=statistics.median(times), calls_ns=tuple(times), solved=solved, targets=len(times))


def measure_one_out(problems: Problems) -> Measurement:
    """Do what :func:`measure_one` does, but let the calls write into an array and make no result objects."""
    chain, params = problems.chain, problems.params
    q = np.empty((len(problems.targets), chain.n_joints))
    solve_one(chain, problems.targets[-1], params=params, out=q[-1])

    def solve(target: FloatArray, out: FloatArray) -> IkStatus:
        return solve_one(chain, target, params=params, out=out)

    statuses, times = time_each(solve, problems.targets, q)
    solved = problems.count_verified(q, [status is IkStatus.CONVERGED for status in statuses])
    return Measurement(ns=statistics.median(times), calls_ns=tuple(times), solved=solved, targets=len(times))


def measure_batch(problems: Problems) -> Measurement:
    """Solve the targets (calls, batch, 4, 4), a batch a call, without seeds; the time is that of all calls, per target.

    Raises
    ------
    WrongAnswerError
        If a claimed solution is none.
    """
    chain, params = problems.chain, problems.params
    results, time = time_together(lambda batch: inverse_kinematics_batch(chain, batch, params=params), problems.targets)
    claimed = np.array([result.converged for result in results])
    solved = problems.count_verified([result.q for result in results], claimed)
    return Measurement(ns=time / claimed.size, solved=solved, targets=claimed.size)


def measure_kinematics(
    function: Callable[[KinematicChain, FloatArray], FloatArray], chain: KinematicChain, q: FloatArray
) -> Measurement:
    """Compute the poses or Jacobians of a batch `q` (N, n) again and again, the output allocated per call."""
    calls = max(1, min(MOST_CALLS, POSES_PER_REPETITION // len(q)))

    def compute(count: int) -> None:
        for _ in range(count):
            function(chain, q)

    _, time = time_together(compute, [calls])
    return Measurement(ns=time / (calls * len(q)))
