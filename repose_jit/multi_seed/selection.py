"""Choose among the solutions that the attempts of each target have found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.kernels.arrays import CONVERGED, FIXED
from repose_jit.kernels.lane_goal import SMALLEST_TOLERANCE
from repose_jit.kinematics import manipulability_squared
from repose_jit.multi_seed.problem import Problem

__all__ = ["choose", "limit_margin", "limited_joints"]

FloatArray = NDArray[np.float64]


def choose(problem: Problem, q: FloatArray, errors: FloatArray, status: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the attempt to take for each target.

    Parameters
    ----------
    problem
        Its parameters hold the selection.
    q, errors, status
        (N, A, n) configurations, (N, A, 2) errors [m, rad] and (N, A) status of every attempt.

    Returns
    -------
    (N,) array
        The best of the converged ones; where there is none, the one with the least error. Of equals the lowest.
    """
    converged = status == CONVERGED
    merit = np.full(status.shape, -np.inf)
    if converged.any():
        merit[converged] = _merit(problem, q[converged])
    tolerances = np.maximum(
        (problem.params.position_tolerance, problem.params.orientation_tolerance), SMALLEST_TOLERANCE
    )
    ratio = (errors / tolerances).max(axis=-1)
    chosen: NDArray[np.int64] = np.where(converged.any(axis=1), merit.argmax(axis=1), ratio.argmin(axis=1))
    return chosen


def _merit(problem: Problem, q: FloatArray) -> FloatArray:
    """Return what the selection maximises, for (K, n) configurations."""
    chain = problem.chain
    if problem.params.selection == "nearest":
        moves = np.abs(q - problem.reference)[:, chain.arrays.entries != FIXED]
        move: FloatArray = moves.max(axis=1, initial=0.0)
        return -move
    if problem.params.selection == "max_manipulability":
        return np.asarray(manipulability_squared(chain, q))
    return limit_margin(chain, q)


def limited_joints(chain: KinematicChain) -> NDArray[np.bool_]:
    """Tell which of the (n,) joints have a range between two limits and move the tool."""
    lower, upper = chain.lower_limits, chain.upper_limits
    has_range = np.isfinite(lower) & np.isfinite(upper) & (upper > lower)
    limited: NDArray[np.bool_] = has_range & (chain.arrays.entries != FIXED)
    return limited


def limit_margin(chain: KinematicChain, q: FloatArray) -> FloatArray:
    """Return how far (K, n) configurations are from their limits: 1 in the middle of all ranges, 0 at a limit.

    The least of all :func:`limited_joints`, each as a part of half its range; 1 where there are none.
    """
    lower, upper, counts = chain.lower_limits, chain.upper_limits, limited_joints(chain)
    q, lower, upper = q[:, counts], lower[counts], upper[counts]
    nearer = np.minimum(q - lower, upper - q)
    margin: FloatArray = (nearer / (0.5 * (upper - lower))).min(axis=1, initial=1.0)
    return margin
