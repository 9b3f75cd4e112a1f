"""Solve a sample of a study's poses: what becomes of them, and how long the whole study will take."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from repose_jit.kinematics import forward_kinematics
from repose_jit.multi_seed import MultiSeedParams, inverse_kinematics_batch
from repose_jit.reach.solving.chunk import ReachJob, warm_up
from repose_jit.reach.solving.metrics import compute_metrics, count_solutions
from repose_jit.reach.solving.miss_rate import FK_SAMPLES, RETRY_FACTOR, RETRY_SAMPLES, SOLVES
from repose_jit.reach.solving.neighbourhood import ATTEMPTS_ALONE
from repose_jit.reach.status import ReachStatus
from repose_jit.seeds import spread_seeds

__all__ = ["Calibration", "calibrate", "outcomes", "sampled_poses"]

FloatArray = NDArray[np.float64]

MOST_SAMPLED = 2**15
"""More tell nothing that matters."""
FIRST_BATCH = 32
CAPPED_ATTEMPTS, CAPPED_ITERATIONS = 128, 1000
"""A sampled pose costs no more than this, some tenths of a second, whatever the study's budget: what is beyond is
computed. Attempts of the adaptive rule end long before that many steps."""
SOLUTIONS_SAMPLED = 8
REACHABLE = 64
GOLDEN, PLASTIC = 0.6180339887498949, 0.7548776662466927
"""The steps of the R-sequences in one and two dimensions."""
WRITING = 0.3e-6
"""Seconds that a pose takes to be packed and written, whatever becomes of it."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Calibration:
    """What a sample of poses showed.

    Attributes
    ----------
    T
        (n, 4, 4) the poses sampled.
    status
        (n,) what became of them.
    low, high
        Between how many seconds of one thread a pose of the study takes on average. They differ where poses beside
        reached ones get more attempts than others: how many those are only the study shows.
    finish_seconds
        Of one thread, for the estimates of the miss rate at the end.
    """

    T: FloatArray
    status: NDArray[np.int8]
    low: float
    high: float
    finish_seconds: float

    def count(self, status: ReachStatus) -> int:
        """Return how many of the sampled poses have an outcome."""
        return int(np.count_nonzero(self.status == status))


def sampled_poses(job: ReachJob, start: int, stop: int) -> FloatArray:
    """Return poses spread over the whole study: numbers start to stop − 1 of a sequence, (N, 4, 4).

    Notes
    -----
    The two-dimensional R-sequence (Roberts 2018) over sites and orientations: any stretch of it is spread evenly.
    """
    targets, k = job.targets, job.targets.n_orientations
    asked = None if targets.excluded is None else np.flatnonzero(~targets.excluded)
    n_sites = targets.n_sites if asked is None else len(asked)
    if n_sites * k <= MOST_SAMPLED:
        # Each of them once, in an order of which any stretch is spread evenly.
        chosen = np.argsort(np.arange(n_sites * k) * GOLDEN % 1.0)[start:stop]
        sites, orientations = chosen // k, chosen % k
    else:
        i = np.arange(start, stop)
        sites = ((0.5 + i * PLASTIC) % 1.0 * n_sites).astype(np.int64)
        orientations = ((0.5 + i * PLASTIC**2) % 1.0 * k).astype(np.int64)
    if asked is not None:
        sites = asked[sites]
    T: FloatArray = targets.site_frames(sites) @ targets.local_poses[orientations]
    return T


def outcomes(job: ReachJob, T: FloatArray, solve: MultiSeedParams) -> NDArray[np.int8]:
    """Return what becomes of poses (N, 4, 4): those out of reach for certain are not tried."""
    status = _rejected(job, T)
    open_ones = np.flatnonzero(status == ReachStatus.NOT_FOUND)
    converged = np.asarray(inverse_kinematics_batch(job.chain, T[open_ones], params=solve).converged)
    status[open_ones[converged]] = ReachStatus.REACHED
    return status


def capped(solve: MultiSeedParams) -> MultiSeedParams:
    """Return the solve with a budget that no sampled pose can spend much time on."""
    return replace(
        solve,
        max_attempts=min(solve.max_attempts, CAPPED_ATTEMPTS),
        max_iterations=min(solve.max_iterations, CAPPED_ITERATIONS),
    )


def calibrate(job: ReachJob, *, seconds: float) -> Calibration:
    """Solve poses spread over the whole study for about some seconds, on one thread.

    Parameters
    ----------
    job
        The study.
    seconds
        How long. At least a few poses are solved; compiling does not count.
    """
    warm_up(job)
    solve = capped(job.solve)
    is_first = solve.selection == "first"
    few = replace(solve, max_attempts=min(solve.max_attempts, ATTEMPTS_ALONE)) if is_first else solve
    parts: list[tuple[FloatArray, NDArray[np.int8]]] = []
    spent = {"reject": 0.0, "few": 0.0, "rest": 0.0, "metrics": 0.0}
    size, start, begun = FIRST_BATCH, 0, time.perf_counter()
    while size > 0:
        T = sampled_poses(job, start, start + size)
        if not len(T):
            break
        parts.append((T, _timed_outcomes(job, T, few, solve, spent)))
        start += size
        elapsed = time.perf_counter() - begun
        size = min(2 * size, MOST_SAMPLED - start, int((seconds - elapsed) / elapsed * start))
    T, status = (np.concatenate(part) for part in zip(*parts, strict=True))
    count = len(T)
    not_found = int(np.count_nonzero(status == ReachStatus.NOT_FOUND))

    full = job.solve.max_attempts * job.solve.max_iterations
    beyond = full / (solve.max_attempts * solve.max_iterations)
    rest = spent["rest"] * beyond
    always = (spent["reject"] + spent["few"] * (1.0 if is_first else beyond) + spent["metrics"]) / count + WRITING
    is_spared = is_first and job.neighbourhood is not None
    return Calibration(
        T=T,
        status=status,
        low=always if is_spared else always + rest / count,
        high=always + rest / count,
        finish_seconds=_finish(job, solve, (spent["few"] + rest) / max(1, not_found), not_found / count),
    )


def _timed_outcomes(
    job: ReachJob, T: FloatArray, few: MultiSeedParams, solve: MultiSeedParams, spent: dict[str, float]
) -> NDArray[np.int8]:
    """Return what becomes of poses, and add the time of each step to `spent`."""
    start = time.thread_time()
    status = _rejected(job, T)
    open_ones = np.flatnonzero(status == ReachStatus.NOT_FOUND)
    start = _lap(spent, "reject", start)
    q = np.empty((len(T), job.chain.n_joints))
    for name, params in (("few", few), ("rest", solve)):
        if name == "rest" and few == solve:
            break
        result = inverse_kinematics_batch(job.chain, T[open_ones], params=params)
        converged = np.asarray(result.converged)
        q[open_ones], status[open_ones[converged]] = result.q, ReachStatus.REACHED
        open_ones = open_ones[~converged]
        start = _lap(spent, name, start)
    reached = status == ReachStatus.REACHED
    names = [name for name in job.metrics if name != "n_solutions"]
    compute_metrics(job.chain, q[reached], names, length_scale=job.length_scale)
    start = _lap(spent, "metrics", start)
    some = np.flatnonzero(reached)[:SOLUTIONS_SAMPLED]
    if "n_solutions" in job.metrics and some.size:
        count_solutions(job.chain, T[some], solve)
        spent["metrics"] += (time.thread_time() - start) * int(np.count_nonzero(reached)) / some.size
    return status


def _lap(spent: dict[str, float], name: str, start: float) -> float:
    now = time.thread_time()  # what other programs take at the moment does not count
    spent[name] += now - start
    return now


def _rejected(job: ReachJob, T: FloatArray) -> NDArray[np.int8]:
    excluded = job.bound.excludes(
        T[:, :3, :3],
        T[:, :3, 3],
        position_tolerance=job.solve.position_tolerance,
        orientation_tolerance=min(job.solve.orientation_tolerance, np.pi),
    )
    return np.where(excluded, ReachStatus.PROVEN_UNREACHABLE, ReachStatus.NOT_FOUND).astype(np.int8)


def _finish(job: ReachJob, solve: MultiSeedParams, hard: float, share_not_found: float) -> float:
    """Return the seconds of the estimates of the miss rate; `hard` are those of a pose that is not found."""
    reachable = forward_kinematics(job.chain, spread_seeds(job.chain, REACHABLE))
    first = replace(solve, selection="first")
    inverse_kinematics_batch(job.chain, reachable[:1], params=first)
    start = time.thread_time()
    inverse_kinematics_batch(job.chain, reachable, params=first)
    easy = (time.thread_time() - start) / REACHABLE
    attempts = job.solve.max_attempts
    known = min(FK_SAMPLES, max(1, SOLVES // attempts))
    again = min(RETRY_SAMPLES, max(1, SOLVES // (RETRY_FACTOR * attempts)), share_not_found * job.targets.n_poses)
    return known * easy + again * RETRY_FACTOR * hard
