"""How many reachable poses a study has missed: two estimates, for no solver can know.

Poses that are known to be reachable, because forward kinematics gave them, show what the budget misses of such poses.
They come from configurations spread evenly, of which few are in the narrow corners of a workspace that a grid has to
find: they under-report the misses on a grid by a factor of 1.4 to 4. Poses of the study that were not found, tried
again with ten times the budget, show what the study itself missed, but only as far as the larger budget sees.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.kernels.arrays import FIXED
from repose_jit.kinematics import forward_kinematics
from repose_jit.multi_seed import inverse_kinematics_batch
from repose_jit.multi_seed.params import MAX_ATTEMPTS, MAX_BUDGET
from repose_jit.reach.solving.chunk import ReachJob
from repose_jit.reach.status import ReachStatus
from repose_jit.validation import MAX_POSITION

__all__ = ["RETRY_FACTOR", "miss_rate_from_fk", "miss_rate_from_retry", "upper_share"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FK_SAMPLES = 20_000
"""Poses from forward kinematics: with a miss rate of 0.1 %, twenty misses."""
DRAWS = 20
"""How many times as many configurations are drawn at most, where few of them are in the box of a grid."""
RETRY_SAMPLES = 2_000
"""Poses tried again: each takes as long as some hundred poses of the study."""
RETRY_FACTOR = 10
"""How many times the budget they are tried again with."""
SOLVES = 2**21
"""Attempts spent on each estimate at most; with a larger budget fewer poses are sampled."""
Z_SQUARE = 3.0
"""A normal variable exceeds √3 with a probability of 4 %; and of none found in n it gives 3/(n + 3), rule of three."""


def miss_rate_from_fk(job: ReachJob) -> dict[str, Any]:
    """Return how many poses of random configurations the budget of a study misses.

    Only those in the box of a grid are asked for, and of other studies the whole workspace; the part of a pose that
    counts is that of the study. Each is solved on its own with the full budget, without neighbours.

    Returns
    -------
    dict
        ``sampled``, ``missed``, the ``rate`` [%] that follows, and what it is ``below`` with a confidence of 95 % [%];
        both None where nothing was sampled.
    """
    T = _reachable_poses(job, min(FK_SAMPLES, max(1, SOLVES // job.solve.max_attempts)))
    converged = inverse_kinematics_batch(job.chain, T, params=replace(job.solve, selection="first")).converged
    sampled, missed = len(T), len(T) - int(np.count_nonzero(converged))
    rate, below = (100.0 * missed / sampled, 100.0 * upper_share(missed, sampled)) if sampled else (None, None)
    return {"sampled": sampled, "missed": missed, "rate": rate, "below": below}


def miss_rate_from_retry(
    job: ReachJob, n_reached: int, n_not_found: IntArray, read_status: Callable[[int], NDArray[np.int8]]
) -> dict[str, Any]:
    """Return how many poses of a study a larger budget finds that the study did not.

    Parameters
    ----------
    job
        The study.
    n_reached
        Poses reached.
    n_not_found
        (C,) poses not found in each chunk.
    read_status
        Returns the (*block, k) outcomes of a chunk.

    Returns
    -------
    dict
        ``sampled`` of those not found, ``found`` of them, ``attempts`` of each, the ``rate`` [%] that follows for the
        study, missed by all that is reachable, and what it is ``below`` with a confidence of 95 % [%]. Both are None
        where the study found none and missed none; and they are equal where all that was not found was tried again.
    """
    ends = np.cumsum(n_not_found)
    total = int(ends[-1])
    attempts = min(RETRY_FACTOR * job.solve.max_attempts, MAX_ATTEMPTS, MAX_BUDGET // job.solve.max_iterations)
    most = min(RETRY_SAMPLES, max(1, SOLVES // attempts))
    ranks = np.arange(total) if total <= most else np.sort(_random(job, 1).choice(total, most, replace=False))
    chunks = np.searchsorted(ends, ranks, side="right")
    T = np.empty((len(ranks), 4, 4))
    for chunk in np.unique(chunks).tolist():
        rows = np.flatnonzero(chunks == chunk)
        missing = np.flatnonzero(read_status(chunk) == ReachStatus.NOT_FOUND)
        chosen = missing[ranks[rows] - (ends[chunk] - n_not_found[chunk])]
        places, orientations = np.divmod(chosen, job.targets.n_orientations)
        T[rows] = job.targets.poses_at(job.blocks.sites(chunk).reshape(-1)[places], orientations)
    params = replace(job.solve, selection="first", max_attempts=attempts)
    found = int(np.count_nonzero(inverse_kinematics_batch(job.chain, T, params=params).converged))
    sampled = len(ranks)
    share = found / sampled if sampled else 0.0
    highest = share if sampled == total else upper_share(found, sampled)
    rate, below = (_percent_missed(n_reached, total * part) for part in (share, highest))
    return {"sampled": sampled, "found": found, "attempts": attempts, "rate": rate, "below": below}


def upper_share(found: int, sampled: int) -> float:
    """Return the share of a population that a sample says to be below with a confidence of 95 % (Wilson 1927).

    Notes
    -----
    (k + z²/2 + z √(k (n − k)/n + z²/4)) / (n + z²), one-sided.
    """
    k, n, z_square = float(found), float(sampled), Z_SQUARE
    spread = math.sqrt(z_square * (k * (n - k) / n + 0.25 * z_square))
    return min(1.0, (k + 0.5 * z_square + spread) / (n + z_square))


def _percent_missed(n_reached: int, missed: float) -> float | None:
    """Return what was missed of all that is reachable [%]; None where nothing is."""
    reachable = n_reached + missed
    return 100.0 * missed / reachable if reachable else None


def _reachable_poses(job: ReachJob, count: int) -> FloatArray:
    """Return up to `count` poses (N, 4, 4) of random configurations that a study may ask for."""
    random = _random(job, 0)
    found: list[FloatArray] = []
    for _ in range(DRAWS):
        T = forward_kinematics(job.chain, _random_configurations(job.chain, random, FK_SAMPLES))
        found.append(T[_may_be_asked(job, T)])
        if sum(map(len, found)) >= count:
            break
    return np.concatenate(found)[:count]


def _random_configurations(chain: KinematicChain, random: np.random.Generator, count: int) -> FloatArray:
    """Return configurations evenly over the limits; joints that turn without end over one turn [rad or m]."""
    lower, upper = chain.lower_limits.copy(), chain.upper_limits.copy()
    endless = ~(np.isfinite(lower) & np.isfinite(upper))
    lower[endless], upper[endless] = -np.pi, np.pi
    q = lower + random.random((count, chain.n_joints)) * (upper - lower)
    q[:, chain.arrays.entries == FIXED] = 0.0
    return np.asarray(chain.clamp_to_limits(q))


def _random(job: ReachJob, stream: int) -> np.random.Generator:
    return np.random.default_rng([job.solve.rng_seed, stream])


def _may_be_asked(job: ReachJob, T: FloatArray) -> NDArray[np.bool_]:
    """Tell which poses (N, 4, 4) lie among the voxels of a grid; if it is no grid, where any target may be."""
    inside: NDArray[np.bool_] = np.abs(T[:, :3, 3]).max(axis=1) <= MAX_POSITION
    if job.targets.spacing is not None:
        half = 0.5 * job.targets.spacing
        for axis, dim in enumerate(job.targets.dims):
            centres = job.targets.coordinates[dim]
            inside &= (T[:, axis, 3] >= centres[0] - half) & (T[:, axis, 3] <= centres[-1] + half)
    return inside
