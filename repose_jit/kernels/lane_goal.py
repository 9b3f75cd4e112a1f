"""What a solve from many seeds is asked for: its parameters, its error, and how small that has to be."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from repose_jit.kernels._jit import inlined, jit
from repose_jit.kernels.lanes import Lanes
from repose_jit.kernels.task_error import FULL_POSE, exact_error, quick_error

SMALLEST_TOLERANCE = 1e-30
"""Errors are compared in tolerances no smaller than this [m, rad]: of smaller ones the squares would overflow."""
MARGIN = 1e-6
"""The loop asks for tolerances smaller by this part: what it accepts, the exact test of the result accepts too."""


class LaneIkParams(NamedTuple):
    """What a solve needs to know; units as in ``MultiSeedParams``.

    Attributes
    ----------
    max_attempts, max_iterations, position_tolerance, orientation_tolerance
        Budget and tolerances.
    is_adaptive
        The adaptive rule; otherwise constant damping λ and the caps below.
    is_each
        Run every attempt and report each; otherwise stop at the first that converges.
    enforce_joint_limits
        Keep to the position limits.
    damping, max_step, max_linear_step
        Of the fixed rule.
    kind, mask, axis
        What is controlled: :func:`~repose_jit.kernels.task_error.projectors`.
    has_reference
        Wind joints towards the reference; otherwise towards the attempt's seed.
    """

    max_attempts: int
    max_iterations: int
    position_tolerance: float
    orientation_tolerance: float
    is_adaptive: bool
    is_each: bool
    enforce_joint_limits: bool
    damping: float
    max_step: float
    max_linear_step: float
    kind: int
    mask: tuple[float, ...]
    axis: int
    has_reference: bool


class Goal(NamedTuple):
    """What the loop takes for an error, and which errors are small enough.

    Attributes
    ----------
    is_quick
        Rotations count by 2 sin(θ/2) instead of θ.
    p_square, o_square, p_factor, o_factor
        Squared tolerances of position and orientation, and their reciprocals.
    """

    is_quick: bool
    p_square: float
    o_square: float
    p_factor: float
    o_factor: float


@jit
def make_goal(params: LaneIkParams) -> Goal:
    """Return the goal of the loop; the exact logarithm where the task or the rule asks for it."""
    is_quick = params.is_adaptive and params.kind == FULL_POSE
    position = params.position_tolerance * (1.0 - MARGIN)
    orientation = params.orientation_tolerance * (1.0 - MARGIN)
    if params.orientation_tolerance >= math.pi:
        orientation = np.inf  # which no rotation exceeds, whatever the rounding at half a turn
    elif is_quick:
        orientation = 2.0 * math.sin(0.5 * orientation)
    p_square, o_square = position * position, orientation * orientation
    smallest = SMALLEST_TOLERANCE * SMALLEST_TOLERANCE
    p_factor, o_factor = 1.0 / max(p_square, smallest), 1.0 / max(o_square, smallest)
    return Goal(is_quick, p_square, o_square, p_factor, o_factor)


@inlined
def loop_error(
    params: LaneIkParams, goal: Goal, T: tuple[Lanes, ...], target: tuple[Lanes, ...]
) -> tuple[tuple[Lanes, ...], Lanes, Lanes]:
    """Return the controlled part of the error of frames, six lanes, and its squares in position and orientation."""
    if goal.is_quick:
        e, o = quick_error(T, target)
    else:
        e = exact_error(T, target, params.kind, params.mask, params.axis)
        o = e[3] * e[3] + e[4] * e[4] + e[5] * e[5]
    return e, e[0] * e[0] + e[1] * e[1] + e[2] * e[2], o
