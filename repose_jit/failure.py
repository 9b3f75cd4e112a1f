"""Why a solve did not reach its target, in words a user can act on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.reach_bound import ReachBound, reach_bound

__all__ = ["explain_failure"]

FloatArray = NDArray[np.float64]

ROUNDING = 1e-13
"""Errors below this [m per metre of distance, rad] are rounding, as a rule some 1e-15."""


def explain_failure(
    chain: KinematicChain,
    target: FloatArray,
    *,
    effort: str,
    limited_joints: NDArray[np.bool_],
    position_error: float,
    orientation_error: float,
    sigma_min: float,
    position_tolerance: float,
    orientation_tolerance: float,
    is_singular: bool = False,
    damping: float = 0.0,
    enforce_joint_limits: bool = True,
    free_axis: str | None = None,
    axis_mask: Sequence[bool] | None = None,
    is_multi_seed: bool = False,
    is_cut_short: bool = False,
) -> str:
    """Return a few sentences: what is left of the error, the likeliest cause, and what to try.

    Parameters
    ----------
    chain, target
        The robot and the (4, 4) pose it should have reached.
    effort
        What was spent, such as ``"after 64 iterations"``.
    limited_joints
        (n,) joints of the best configuration that are at a limit.
    position_error, orientation_error, sigma_min
        Of the best configuration [m, rad].
    position_tolerance, orientation_tolerance
        Of the solve [m, rad].
    is_singular, damping
        Whether a step could not be computed; the constant λ, 0 where there is none.
    enforce_joint_limits
        Whether the limits held; if not, they neither stop a slide nor block the way.
    free_axis, axis_mask
        What of the pose was asked for, as in ``MultiSeedParams``: its distance may prove that out of reach.
    is_multi_seed, is_cut_short
        Whether many seeds were tried, and each of them until no iteration was left.
    """
    text = (
        f"Not converged {effort}: position error {position_error:.2e} m "
        f"(tolerance {position_tolerance:.0e}), orientation error {orientation_error:.2e} rad "
        f"(tolerance {orientation_tolerance:.0e})."
    )
    limited = limited_joints.tolist() if enforce_joint_limits else [False] * chain.n_joints
    names = [name for name, is_limited in zip(chain.joint_names, limited, strict=True) if is_limited]
    at_limit = f" At a limit: {', '.join(names)}." if names else ""
    out_of_reach = _out_of_reach(
        reach_bound(chain, enforce_joint_limits=enforce_joint_limits).of_task(free_axis, axis_mask),
        target,
        position_tolerance=position_tolerance,
        orientation_tolerance=orientation_tolerance,
    )
    if out_of_reach:
        return f"{text} {out_of_reach}"
    if is_singular:
        return (
            f"{text} The Jacobian is singular (smallest singular value {sigma_min:.1e}) and nothing damps the step "
            f"there; use solver='damped_least_squares' with a larger damping, or another seed.{at_limit}"
        )
    if max(position_error / (1.0 + float(np.linalg.norm(target[:3, 3]))), orientation_error) <= ROUNDING:
        return f"{text} What is left is rounding: no solver reaches these tolerances in double precision. Loosen them."
    if is_cut_short:
        why = "Every attempt has used up its iterations"
    elif position_error <= position_tolerance:
        why = "The position is reached but not with this orientation, often because of a wrist limit"
    elif names:
        why = "The joints at their limits may block the way to the target"
    elif sigma_min < damping:
        kept = damping**2 / (sigma_min**2 + damping**2)
        return (
            f"{text} The arm is near a singularity (smallest singular value {sigma_min:.1e}, damping {damping:g}): "
            f"each step leaves {100 * kept:.0f} % of the error in the weakest direction. Raise max_iterations, lower "
            "damping, or move the target inward."
        )
    elif is_multi_seed:
        why = "No seed tried leads to the target: the pose is beyond the arm, or needs more attempts"
    else:
        why = (
            "No limit and no singularity is in the way: this seed leads to a local minimum, or the budget is too small"
        )
    remedy = "Raise max_attempts" if is_multi_seed else "Try other seeds"
    if is_cut_short:
        remedy = "Raise max_iterations or max_attempts"
    return f"{text} {why}.{at_limit} {remedy}, or check the target against forward kinematics of a known q."


def _out_of_reach(
    bound: ReachBound, target: FloatArray, *, position_tolerance: float, orientation_tolerance: float
) -> str:
    """Say why no configuration at all takes the target; empty if that is not proven."""
    R, p = target[:3, :3], target[:3, 3]
    if not bound.excludes(R, p, position_tolerance=position_tolerance, orientation_tolerance=orientation_tolerance):
        return ""
    centre = ", ".join(f"{x:.3f}" for x in bound.centre)
    distance = float(np.linalg.norm(p - bound.centre))
    if distance > bound.tool_radius:
        return (
            f"The target is out of reach: it is {distance:.3f} m from ({centre}), and the tool gets "
            f"{bound.tool_radius:.3f} m away from there at most (are both in metres?)."
        )
    wrist = float(np.linalg.norm(p + R @ bound.point - bound.centre))
    return (
        f"The target is out of reach in this orientation: it puts the wrist {wrist:.3f} m from ({centre}), and that "
        f"gets {bound.radius:.3f} m away from there at most."
    )
