"""All the ways to reach one target that many seeds find."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError, ShapeError
from repose_jit.kernels.arrays import CONVERGED, FIXED, REVOLUTE
from repose_jit.kernels.lane_attempt import N_CODES
from repose_jit.multi_seed.params import MultiSeedParams
from repose_jit.multi_seed.problem import Problem, pose_problem

__all__ = ["Solutions", "all_solutions"]

FloatArray = NDArray[np.float64]

DISTINCT = 1e-3
"""Solutions whose joints differ by no more than this [rad, m], whole turns aside, are one."""
SHARPER = 1e-9
"""Solutions are first brought to this tolerance [m, rad], where it goes: ends of the same valley then meet."""
SHARPEN_ITERATIONS = 10
TURN = 2.0 * math.pi
MAX_WINDINGS = 100_000
"""Most rows made of whole turns, of all solutions together."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Solutions:
    """Distinct configurations that reach one target, in the order of the attempts that found them.

    Attributes
    ----------
    q
        (k, n) configurations within the limits [rad or m]; the windings of a solution follow it, nearest to it first.
    position_error, orientation_error
        (k,) of each [m, rad].
    seed_index
        (k,) the attempt that found each first.
    """

    q: FloatArray
    position_error: FloatArray
    orientation_error: FloatArray
    seed_index: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.q)


def all_solutions(
    chain: KinematicChain,
    target: ArrayLike,
    *,
    seeds: ArrayLike | None = None,
    params: MultiSeedParams | None = None,
) -> Solutions:
    """Return the distinct solutions that all attempts find for one target, and their windings within the limits.

    Parameters
    ----------
    chain, seeds, params
        As in :func:`~repose_jit.inverse_kinematics_batch`; seeds (n,) or (k, n). All `max_attempts` are made, whatever
        the selection.
    target
        (4, 4) pose of the tool in the base frame, ``T_base_tool`` [m].

    Returns
    -------
    Solutions
        None at all if no attempt converges. An arm with joints to spare has infinitely many solutions, of which this
        is a sample.

    Raises
    ------
    ShapeError, InputError
        If an argument has the wrong shape, is not finite or not a rigid transform, or there are more than 100,000
        windings.

    Notes
    -----
    Joints with a range of more than a turn take each solution at every whole turn within their limits; those without
    limits are reported once.

    Examples
    --------
    >>> import repose_jit as rj
    >>> chain = rj.preset("abb_irb120").chain()
    >>> target = rj.forward_kinematics(chain, [0.3, 0.2, 0.1, 0.5, 0.6, 0.2])
    >>> found = rj.all_solutions(chain, target, params=rj.MultiSeedParams(max_attempts=200))
    >>> len(found), bool((found.position_error < 1e-4).all())
    (5, True)
    """
    problem = pose_problem(chain, target, seeds, params, name="target")
    if problem.targets.ndim != 2:
        raise ShapeError(f"target: got shape {problem.targets.shape}, expected (4, 4): one homogeneous matrix")
    problem.check()
    q, _, codes = _attempts(problem)
    found = np.flatnonzero(codes[:, 0] == CONVERGED)
    q = _sharpened(problem, q[found])
    kept = _distinct(chain, q)
    groups = _windings(chain, q[kept])
    q = np.concatenate(groups) if groups else q
    seed_index = np.repeat(found[kept], [len(windings) for windings in groups])
    # What is returned is what is tested, also after a turn has been added.
    q, errors, codes = _attempts(_from_each(problem, q, 1, math.inf))
    good = codes[:, 0] == CONVERGED
    return Solutions(
        q=q[good],
        position_error=errors[good, 0],
        orientation_error=errors[good, 1],
        seed_index=seed_index[good].astype(np.int64),
    )


def _attempts(problem: Problem) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]:
    """Make all attempts at every target: (R, n) configurations, (R, 2) errors and (R, 4) codes."""
    rows = problem.count * problem.attempts
    q, errors = np.empty((rows, problem.chain.n_joints)), np.empty((rows, 2))
    codes = np.empty((rows, N_CODES), np.int64)
    if not problem.solve_each(*problem.part(0, problem.count), q.reshape(-1), errors.reshape(-1), codes.reshape(-1)):
        problem.refuse()
    return q, errors, codes


def _from_each(problem: Problem, q: FloatArray, max_iterations: int, tolerance: float) -> Problem:
    """Return the problem of reaching the target once from each row of `q`, to at least the tolerance [m, rad]."""
    params = replace(
        problem.params,
        max_attempts=1,
        max_iterations=max_iterations,
        position_tolerance=min(tolerance, problem.params.position_tolerance),
        orientation_tolerance=min(tolerance, problem.params.orientation_tolerance),
        selection="first",
        reference=None,
    )
    return Problem(
        chain=problem.chain,
        params=params,
        targets=np.repeat(problem.targets[None], len(q), axis=0),
        given=q,
        n_given=1,
        given_shape=q.shape,
        spread=np.empty(0),
        reference=np.empty(0),
        attempts=1,
    )


def _sharpened(problem: Problem, q: FloatArray) -> FloatArray:
    """Return (k, n) solutions brought closer to the target, where that goes."""
    sharper, _, codes = _attempts(_from_each(problem, q, SHARPEN_ITERATIONS, SHARPER))
    return np.where(codes[:, :1] == CONVERGED, sharper, q)


def _distinct(chain: KinematicChain, q: FloatArray) -> list[int]:
    """Return the rows of `q` (k, n) that differ from all before them."""
    is_revolute, is_fixed = chain.arrays.entries == REVOLUTE, chain.arrays.entries == FIXED
    kept: list[int] = []
    for i in range(len(q)):
        difference = q[kept] - q[i]
        difference[:, is_revolute] -= TURN * np.round(difference[:, is_revolute] / TURN)
        difference[:, is_fixed] = 0.0
        if not (np.abs(difference).max(axis=1, initial=0.0) <= DISTINCT).any():
            kept.append(i)
    return kept


def _windings(chain: KinematicChain, q: FloatArray) -> list[FloatArray]:
    """Return, for each of (k, n) solutions, all configurations within the limits that differ by whole turns.

    Each is an array (w, n), nearest first.
    """
    lower, upper = chain.lower_limits, chain.upper_limits
    turns = (chain.arrays.entries == REVOLUTE) & np.isfinite(lower) & np.isfinite(upper)
    lowest, highest = np.zeros(q.shape), np.zeros(q.shape)
    lowest[:, turns] = np.ceil((lower - q)[:, turns] / TURN)
    highest[:, turns] = np.floor((upper - q)[:, turns] / TURN)
    outside = lowest > highest  # by rounding: it is on the limit
    lowest[outside], highest[outside] = 0.0, 0.0
    # Counted before any is made: a range given as 1e9 has more than memory holds.
    count = float((highest - lowest + 1.0).prod(axis=1).sum())
    if count > MAX_WINDINGS:
        raise InputError(
            f"chain: the solutions have {count:.6g} windings within the limits, expected at most {MAX_WINDINGS:,}"
        )
    return [_wound(chain, *row) for row in zip(q, lowest, highest, strict=True)]


def _wound(chain: KinematicChain, q: FloatArray, lowest: FloatArray, highest: FloatArray) -> FloatArray:
    """Return (w, n) one solution (n,) with every number of turns from lowest to highest, nearest first."""
    choices = []
    bounds = zip(q.tolist(), chain.lower_limits.tolist(), chain.upper_limits.tolist(), strict=True)
    for (x, lower, upper), first, last in zip(bounds, lowest.tolist(), highest.tolist(), strict=True):
        turns = sorted(range(int(first), int(last) + 1), key=abs)
        choices.append([min(max(x + TURN * k, lower), upper) for k in turns])
    rows = np.array(list(itertools.product(*choices)))
    return rows[np.argsort(np.abs(rows - q).max(axis=1), kind="stable")]
