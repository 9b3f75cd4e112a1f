"""Check the results of a block of poses: everything that can be told without solving again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.errors import ShapeError
from repose_jit.reach.verify.independent_error import task_errors
from repose_jit.reach.verify.independent_fk import forward_kinematics, motions, n_entries
from repose_jit.validation import as_configuration, as_transform

__all__ = ["ROUNDING", "Finding", "check_block"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Check = Literal["status", "configuration", "limits", "position", "orientation"]

ROUNDING = 1e-9
"""How far beyond a tolerance [m, rad], and a follower beyond its limits, may be the rounding of two ways to compute."""

REACHED = 1
OUTCOMES = (1, 2, 3, 4, 5)
"""Of a pose that is done, as a store writes them: from reached to excluded."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something wrong with the result of a pose.

    Attributes
    ----------
    pose
        Flat index of the pose in its block.
    check
        What was checked.
    what
        What was found and what was expected, with units.
    """

    pose: int
    check: Check
    what: str

    def __str__(self) -> str:
        return f"pose {self.pose}: {self.what}"


def check_block(
    config: Mapping[str, Any],
    T: ArrayLike,
    q: ArrayLike,
    status: ArrayLike,
    *,
    position_tolerance: float,
    orientation_tolerance: float,
    free_axis: Literal["x", "y", "z"] | None = None,
    axis_mask: Sequence[bool] | None = None,
) -> list[Finding]:
    """Return everything that is wrong with the results of a block, in the order of its poses.

    Every status is an outcome. A configuration that reached its pose is finite, each joint is inside its own limits,
    mimics too, and the tool is within tolerance of the pose. The others have none: all NaN.

    Parameters
    ----------
    config
        The chain, as ``KinematicChain.to_config()`` writes it.
    T
        (N, 4, 4) poses that were asked for, ``T_base_tool`` [m].
    q
        (N, n) configurations [rad or m].
    status
        (N,) outcomes, integers: 1 reached, 2 to 5 not.
    position_tolerance, orientation_tolerance
        Largest errors that count as reached [m, rad]; 1e-9 more passes as rounding.
    free_axis, axis_mask
        What of the pose was asked for, as in :class:`repose_jit.MultiSeedParams`.

    Raises
    ------
    ShapeError, InputError
        If the arrays do not fit each other or the chain.
    """
    T, q = as_transform(T, name="T"), as_configuration(q, n_entries(config))
    status = np.asarray(status)
    if T.ndim != 3:
        raise ShapeError(f"T: got shape {T.shape}, expected (N, 4, 4)")
    for name, got, expected in (("q", q.shape, (len(T), q.shape[-1])), ("status", status.shape, (len(T),))):
        if got != expected:
            raise ShapeError(f"{name}: got shape {got}, expected {expected}: one for each of the {len(T)} poses")
    is_reached: NDArray[np.bool_] = np.equal(status, REACHED)
    is_finite: NDArray[np.bool_] = np.logical_and.reduce(np.isfinite(q), axis=1)
    findings = [
        Finding(pose=int(i), check="status", what=f"status: got {status[i]}, expected one of 1 to 5")
        for i in np.flatnonzero(~np.isin(status, OUTCOMES))
    ]
    findings += _misplaced(q, is_reached, is_finite)
    sound = np.flatnonzero(is_reached & is_finite)
    with np.errstate(over="ignore", invalid="ignore"):  # damage may be of any size: an error of inf or NaN is found
        findings += _beyond_limits(config, q[sound], sound)
        errors = task_errors(forward_kinematics(config, q[sound]), T[sound], free_axis=free_axis, axis_mask=axis_mask)
    findings += _off_target("position", errors[0], position_tolerance, "m", sound)
    findings += _off_target("orientation", errors[1], orientation_tolerance, "rad", sound)
    return sorted(findings, key=lambda finding: finding.pose)


def _misplaced(q: FloatArray, is_reached: NDArray[np.bool_], is_finite: NDArray[np.bool_]) -> Iterator[Finding]:
    """Find configurations that are missing, and those that should be."""
    for i in np.flatnonzero(is_reached & ~is_finite):
        what = f"q: got {q[i].tolist()}, expected finite numbers: the pose is reached"
        yield Finding(pose=int(i), check="configuration", what=what)
    for i in np.flatnonzero(~is_reached & ~np.isnan(q).all(axis=1)):
        what = f"q: got {q[i].tolist()}, expected NaN: the pose is not reached"
        yield Finding(pose=int(i), check="configuration", what=what)


def _beyond_limits(config: Mapping[str, Any], q: FloatArray, poses: IntArray) -> Iterator[Finding]:
    """Find joints outside their limits; to the last bit but for followers, whose limits were mapped to their source."""
    for name, motion in motions(config).items():
        values, allowance = motion.values(q), 0.0 if motion.is_source else ROUNDING
        inside = (values >= motion.lower - allowance) & (values <= motion.upper + allowance)
        for i in np.flatnonzero(~inside):
            bounds = f"[{motion.lower!r}, {motion.upper!r}]"
            what = f"joint {name!r}: got {float(values[i])!r}, expected a value within {bounds}"
            yield Finding(pose=int(poses[i]), check="limits", what=what)


def _off_target(
    check: Literal["position", "orientation"], errors: FloatArray, tolerance: float, unit: str, poses: IntArray
) -> Iterator[Finding]:
    """Find errors above the tolerance, or NaN."""
    for i in np.flatnonzero(~(errors <= tolerance + ROUNDING)):
        what = f"{check} error: got {errors[i]:.9g} {unit}, expected at most {tolerance:g} {unit}"
        yield Finding(pose=int(poses[i]), check=check, what=what)
