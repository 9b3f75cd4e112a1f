"""Inverse kinematics from many seeds in plain NumPy, one problem, one attempt, one step at a time.

Written from what the package documents, not from its kernels, on top of ``tests/reference.py``. Nothing here imports
the package.
"""

from __future__ import annotations

from math import inf, isfinite, pi, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tests import reference

Array = NDArray[np.float64]

FREE_RANGE = 5.5
"""Range [rad] from which on a revolute joint runs free on even attempts."""
ROUNDING = 1e-9
"""What a joint may be outside its limits by, to be put on them."""


class Task(NamedTuple):
    """What is asked for, and the budget of an attempt."""

    max_iterations: int = 30
    position_tolerance: float = 1e-4
    orientation_tolerance: float = 1e-3
    is_adaptive: bool = True
    mask: tuple[bool, ...] = (True,) * 6
    free_axis: int | None = None
    reference: Array | None = None

    @property
    def is_full_pose(self) -> bool:
        return all(self.mask) and self.free_axis is None


class Attempt(NamedTuple):
    """How one attempt ended: the configuration it returns and the errors of that."""

    q: Array
    converged: bool
    position_error: float
    orientation_error: float
    iterations: int
    score: float  # error of q in tolerances, as the loop measures it


class Solution(NamedTuple):
    """What a problem has come to."""

    q: Array
    converged: bool
    position_error: float
    orientation_error: float
    iterations: int
    attempts: int
    seed_index: int


def solve(chain: reference.ReferenceChain, target: Array, seeds: ArrayLike, task: Task) -> Solution:
    """Make attempts from the seeds (k, n) until one converges; otherwise return the best of all."""
    made: list[Attempt] = []
    for index, seed in enumerate(np.asarray(seeds, float)):
        made.append(attempt(chain, target, seed, index, task))
        if made[-1].converged:
            break
    best = len(made) - 1 if made[-1].converged else int(np.argmin([each.score for each in made]))
    iterations = sum(each.iterations for each in made)
    return Solution(*made[best][:4], iterations, len(made), best)


def attempt(chain: reference.ReferenceChain, target: Array, seed: ArrayLike, index: int, task: Task) -> Attempt:
    """Make one attempt; its index decides whether joints of a wide range run free."""
    moving = reference.moving_entries(chain)
    fixed = [i for i in range(len(chain.lower)) if i not in moving]
    lower, upper = chain.lower.copy(), chain.upper.copy()
    lower[fixed] = upper[fixed] = 0.0
    q = np.clip(np.array(seed, float), lower, upper)
    low, high = lower.copy(), upper.copy()
    if task.is_adaptive and index % 2 == 0:
        for i in moving:
            if not chain.is_prismatic[i] and upper[i] - lower[i] >= FREE_RANGE:
                low[i], high[i] = -inf, inf
    L = fifth_of_length(chain)

    best, best_score = q, inf
    size_to_beat, stalled, iterations = inf, 0, 0
    while True:
        e = loop_error(chain, q, target, task)
        score = score_of(e, task)
        if score < best_score:
            best, best_score = q, score
        if score <= 1.0 - 1e-6:
            best = q
            break
        weighted = np.concatenate([e[:3] / L, e[3:]])
        if task.is_adaptive:
            size = float(weighted @ weighted)
            if size < 0.81 * size_to_beat:
                size_to_beat, stalled = size, 0
            else:
                stalled += 1
            if stalled == 5:
                break
        if iterations == task.max_iterations:
            break
        D = controlled(chain, q, target, task)
        q = adaptive_step(chain, q, weighted, D, low, high) if task.is_adaptive else fixed_step(chain, q, e, D)
        q = np.clip(q, low, high)
        iterations += 1

    q = settle(chain, best, np.clip(seed, lower, upper), lower, upper, task)
    e = exact_error(chain, q, target, task)
    position_error, orientation_error = float(np.linalg.norm(e[:3])), float(np.linalg.norm(e[3:]))
    converged = position_error <= task.position_tolerance and orientation_error <= task.orientation_tolerance
    score = score_of(loop_error(chain, q, target, task), task)
    return Attempt(q, converged, position_error, orientation_error, iterations, score)


def fifth_of_length(chain: reference.ReferenceChain) -> float:
    """Return the length [m] that weighs as much as one radian."""
    length = sum(float(np.linalg.norm(slot.origin[:3, 3])) for slot in chain.slots[1:])
    length += float(np.linalg.norm(chain.tool[:3, 3]))
    for i in reference.moving_entries(chain):
        stroke = chain.upper[i] - chain.lower[i]
        if chain.is_prismatic[i] and isfinite(stroke):
            length += stroke
    return (length or 1.0) / 5.0


def exact_error(chain: reference.ReferenceChain, q: Array, target: Array, task: Task) -> Array:
    """Return the controlled part of the pose error, base axes [m, rad]."""
    T = reference.fk(chain, q)
    e = reference.pose_error(T, target)
    R = target[:3, :3]
    e[:3] = R @ (np.array(task.mask[:3]) * (R.T @ e[:3]))
    if task.free_axis is None:
        e[3:] = R @ (np.array(task.mask[3:]) * (R.T @ e[3:]))
        return e
    a, b = T[:3, task.free_axis], R[:, task.free_axis]
    normal, cosine = np.cross(a, b), float(a @ b)
    sine = float(np.linalg.norm(normal))
    e[3:] = 0.0 if sine == 0.0 else np.arctan2(sine, cosine) * normal / sine
    if sine == 0.0 and cosine < 0.0:
        e[3:] = pi * R[:, (task.free_axis + 1) % 3]
    return e


def loop_error(chain: reference.ReferenceChain, q: Array, target: Array, task: Task) -> Array:
    """Return what the loop drives to zero: 2 sin(θ/2) · axis for a whole pose under the adaptive rule."""
    e = exact_error(chain, q, target, task)
    angle = float(np.linalg.norm(e[3:]))
    if task.is_adaptive and task.is_full_pose and angle > 0.0:
        e[3:] *= 2.0 * sin(0.5 * angle) / angle
    return e


def score_of(e: Array, task: Task) -> float:
    """Return the error in tolerances: at most 1 is within both."""
    orientation = task.orientation_tolerance
    if task.is_adaptive and task.is_full_pose:
        orientation = 2.0 * sin(0.5 * min(orientation, pi))
    return max(float(np.linalg.norm(e[:3])) / task.position_tolerance, float(np.linalg.norm(e[3:])) / orientation)


def adaptive_step(chain: reference.ReferenceChain, q: Array, e: Array, D: Array, low: Array, high: Array) -> Array:
    """Return q after a step of damping in proportion to the squared error; e is weighted."""
    L = fifth_of_length(chain)
    units = np.where(chain.is_prismatic, L, 1.0)
    J = reference.jacobian(chain, q) * units
    J[:3] /= L
    pull = J.T @ e
    J[:, ((q <= low) & (pull < 0.0)) | ((q >= high) & (pull > 0.0))] = 0.0
    damping = 0.05 * float(e @ e) + 1e-10
    DJ = D @ J
    step = DJ.T @ np.linalg.solve(DJ @ DJ.T + damping * np.eye(6), e)
    return np.array(q + units * step / max(1.0, float(np.abs(step).max(initial=0.0))))


def controlled(chain: reference.ReferenceChain, q: Array, target: Array, task: Task) -> Array:
    """Return the (6, 6) projection on what the task controls, base axes."""
    D, R = np.zeros((6, 6)), target[:3, :3]
    D[:3, :3] = R @ np.diag(np.array(task.mask[:3], float)) @ R.T
    D[3:, 3:] = R @ np.diag(np.array(task.mask[3:], float)) @ R.T
    if task.free_axis is not None:
        axis = reference.fk(chain, q)[:3, task.free_axis]
        D[3:, 3:] = np.eye(3) - np.outer(axis, axis)
    return D


def fixed_step(chain: reference.ReferenceChain, q: Array, e: Array, D: Array) -> Array:
    """Return q after a step of the rule of a single seed: λ = 0.05, at most 0.25 rad and 0.025 m."""
    J = D @ reference.jacobian(chain, q)
    step = J.T @ np.linalg.solve(J @ J.T + 0.05**2 * np.eye(6), e)
    caps = np.where(chain.is_prismatic, 0.025, 0.25)
    return np.array(q + step / max(1.0, float((np.abs(step) / caps).max(initial=0.0))))


def settle(chain: reference.ReferenceChain, q: Array, seed: Array, lower: Array, upper: Array, task: Task) -> Array:
    """Return q wound into the limits, nearest to the reference or else the seed; clamped where that does not go."""
    q, centre = q.copy(), seed if task.reference is None else task.reference
    if task.is_adaptive:
        for i in reference.moving_entries(chain):
            if not chain.is_prismatic[i]:
                q[i] = wind(q[i], centre[i], lower[i], upper[i])
    return np.clip(q, lower, upper)


def wind(x: float, centre: float, lower: float, upper: float) -> float:
    """Return the angle nearest to the centre among those that differ from x by whole turns and lie within limits.

    Where none lies within, the one that is least outside.
    """
    nearest = round((centre - x) / (2.0 * pi))
    turns = {nearest + k for k in (-1, 0, 1)}
    for bound in (lower, upper):
        if isfinite(bound):
            turns |= {round((bound - x) / (2.0 * pi)) + k for k in (-1, 0, 1)}
    angles = [x + 2.0 * pi * k for k in sorted(turns)]
    inside = [angle for angle in angles if lower - ROUNDING <= angle <= upper + ROUNDING]
    if inside:
        return min(inside, key=lambda angle: abs(angle - centre))
    return min(angles, key=lambda angle: max(lower - angle, angle - upper))
