"""A ball that proves poses unreachable before any solve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.kernels.arrays import FIXED, PRISMATIC, REVOLUTE

__all__ = ["ReachBound", "reach_bound"]

FloatArray = NDArray[np.float64]

SWEEPS = 30
"""Rounds of tightening; any number gives a valid bound."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReachBound:
    """A point of the tool that never leaves a ball; see :func:`reach_bound`.

    Attributes
    ----------
    centre
        (3,) of the ball, in the base frame [m].
    radius
        Of the ball [m]; inf if nothing bounds it.
    point
        (3,) in the tool frame [m].
    """

    centre: FloatArray
    radius: float
    point: FloatArray

    @property
    def tool_radius(self) -> float:
        """Radius of a ball about the same centre that the tool's origin never leaves [m]."""
        return self.radius + float(np.linalg.norm(self.point))

    def excludes(
        self, R: FloatArray, p: FloatArray, *, position_tolerance: float, orientation_tolerance: float
    ) -> NDArray[np.bool_]:
        """Tell which poses no configuration can take, not even to within the tolerances.

        Parameters
        ----------
        R, p
            (..., 3, 3) rotation and (..., 3) position [m] of the tool in the base frame; leading dimensions broadcast.
        position_tolerance, orientation_tolerance
            Errors that would still count as reached [m, rad].

        Returns
        -------
        (...) boolean array

        Notes
        -----
        Turning the tool by an angle θ moves the point by at most |point| θ. A configuration that takes the pose within
        the tolerances therefore has the point within ``position_tolerance + |point| · orientation_tolerance`` of where
        the pose has it, and in the ball. One part in 1e9 covers the rounding on both sides.
        """
        limit = self.limit(position_tolerance=position_tolerance, orientation_tolerance=orientation_tolerance)
        away: FloatArray = p + R @ self.point - self.centre
        excluded: NDArray[np.bool_] = np.einsum("...i,...i", away, away) > limit * limit
        return excluded

    def limit(self, *, position_tolerance: float, orientation_tolerance: float) -> float:
        """Return the radius of the ball that the point of every reached pose lies in, tolerances included [m]."""
        slack = position_tolerance + float(np.linalg.norm(self.point)) * orientation_tolerance
        return self.radius + slack + 1e-9 * (1.0 + self.tool_radius + float(np.linalg.norm(self.centre)))

    def of_task(self, free_axis: str | None, axis_mask: Sequence[bool] | None) -> ReachBound:
        """Return the bound that holds where only a part of the pose counts.

        Parameters
        ----------
        free_axis, axis_mask
            As in ``MultiSeedParams``. Of the point, what lies along the free axis of the tool is known from a pose, and
            nothing of it where the orientation is free; what is not known widens the ball.
        """
        if axis_mask is not None and not all(axis_mask[:3]):
            return ReachBound(centre=self.centre, radius=math.inf, point=np.zeros(3))
        known = np.ones(3)
        if axis_mask is not None and not all(axis_mask):
            known = np.zeros(3)
        elif free_axis is not None:
            known = np.array([axis == free_axis for axis in "xyz"], dtype=np.float64)
        unknown = float(np.linalg.norm((1.0 - known) * self.point))
        return ReachBound(centre=self.centre, radius=self.radius + unknown, point=known * self.point)


def reach_bound(chain: KinematicChain, *, enforce_joint_limits: bool = True) -> ReachBound:
    """Return a ball that holds a point of the tool in every configuration.

    Parameters
    ----------
    chain
        The robot.
    enforce_joint_limits
        Whether configurations outside the limits are out of the question; if not, a joint that slides has no bound.

    Notes
    -----
    Hold every slide in the middle of its range: letting it go moves all that follows by half the range at most. What is
    left are links between the axes of turning joints. Take a point on each axis, which turning about it leaves where it
    is: neighbouring points sit on one link, at a constant distance. By the triangle inequality the distances and the
    half ranges together bound how far the last point, fixed in the tool frame, gets from the first, fixed in the base.
    This holds wherever on its axis a point is; each is moved in turn to where the path over it is shortest, so that
    offsets along the axes, which no posture stretches out, do not count.
    """
    links, slack = _links_between_axes(chain, enforce_joint_limits)
    if len(links) == 1:
        return ReachBound(centre=links[0][:3, 3], radius=slack, point=np.zeros(3))
    n = len(links) - 1
    place = [0.0] * n

    def before(i: int) -> FloatArray:
        """Return the point before point i, in the frame of axis i."""
        R, t = links[i][:3, :3], links[i][:3, 3]
        return np.asarray(R.T @ ([0.0, 0.0, place[i - 1]] - t))

    def after(i: int) -> FloatArray:
        """Return the point after point i, in the frame of axis i."""
        return np.asarray(links[i + 1][:3, 3] + links[i + 1][:3, 2] * place[i + 1])

    if n > 1:
        for _ in range(SWEEPS):
            place[0] = float(after(0)[2])
            for i in range(1, n - 1):
                place[i] = _shortest_over(before(i), after(i))
            place[n - 1] = float(before(n - 1)[2])
    R_last_tool, p_last_tool = links[n][:3, :3], links[n][:3, 3]
    return ReachBound(
        centre=links[0][:3, 3] + links[0][:3, 2] * place[0],
        radius=slack + sum(float(np.linalg.norm(after(i) - [0.0, 0.0, place[i]])) for i in range(n - 1)),
        point=R_last_tool.T @ ([0.0, 0.0, place[n - 1]] - p_last_tool),
    )


def _shortest_over(a: FloatArray, b: FloatArray) -> float:
    """Return the z at which a path from a to b over the z axis is shortest (Heron's reflection)."""
    h_a, h_b = math.hypot(a[0], a[1]), math.hypot(b[0], b[1])
    if h_a + h_b == 0.0:
        return float(0.5 * (a[2] + b[2]))
    return float((a[2] * h_b + b[2] * h_a) / (h_a + h_b))


def _links_between_axes(chain: KinematicChain, enforce_joint_limits: bool) -> tuple[list[FloatArray], float]:
    """Return the transforms from axis to axis with all slides in the middle, and the sum of their half ranges [m].

    The first transform starts at the base, the last one ends at the tool.
    """
    arrays = chain.arrays
    links, slack = [np.eye(4)], 0.0
    for i, constant in enumerate(arrays.transforms):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = constant[:9].reshape(3, 3), constant[9:]
        kind = arrays.slots[i, 0] if i < len(arrays.slots) else FIXED
        if kind == PRISMATIC:
            middle, half = _travel(chain, i, enforce_joint_limits)
            T[:3, 3] += middle * T[:3, 2]
            slack += half
        links[-1] = links[-1] @ T
        if kind == REVOLUTE:
            links.append(np.eye(4))
    return links, slack


def _travel(chain: KinematicChain, slot: int, enforce_joint_limits: bool) -> tuple[float, float]:
    """Return the middle and half the length of the range of a slide [m]."""
    multiplier, offset = chain.arrays.gains[slot].tolist()
    if multiplier == 0.0:
        return offset, 0.0
    entry = chain.arrays.slots[slot, 1]
    lower, upper = chain.arrays.limits[:2, entry].tolist()
    if not enforce_joint_limits or math.isinf(lower) or math.isinf(upper):
        return 0.0, math.inf
    return multiplier * (0.5 * lower + 0.5 * upper) + offset, abs(multiplier) * 0.5 * (upper - lower)
