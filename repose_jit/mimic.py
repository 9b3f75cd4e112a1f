"""Which entry of `q` drives each joint of a chain, and the limits that joints driven together leave to that entry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from repose_jit.errors import ModelError, nearest_names
from repose_jit.joints import JointLimits, JointSpec, JointType

__all__ = ["Drive", "drive_slots", "follow_mimics"]

ROUNDING = 1e-12
"""How far [rad or m, and relative] two limits may miss each other and still count as meeting."""


MAX_GAIN = 1e6
"""Largest multiplier or offset of a joint that follows another: no value that is accepted then overflows."""


@dataclass(frozen=True)
class Drive:
    """How a slot moves: by ``multiplier · q[entry] + offset``."""

    entry: int
    multiplier: float
    offset: float


def follow_mimics(joint: JointSpec, joints: dict[str, JointSpec]) -> tuple[str, float, float]:
    """Follow a joint's mimics, and the mimics of those, to the joint that moves on its own.

    Returns
    -------
    tuple
        Name of that source, and multiplier and offset composed along the way.

    Raises
    ------
    ModelError
        If a source is missing or does not move, or if the mimics go round in a circle.
    """
    name, multiplier, offset = str(joint.name), 1.0, 0.0
    seen = {name: None}
    while (mimic := joint.mimic) is not None:
        source = joints.get(mimic.joint)
        if source is None:
            raise ModelError(
                f"joint {name!r}: mimic.joint: its source {mimic.joint!r} does not exist; "
                f"{nearest_names(mimic.joint, [other for other in joints if other != name])}"
            )
        if mimic.joint in seen:
            raise ModelError(
                f"joint {name!r}: mimic: the joints follow one another: {' → '.join([*seen, mimic.joint])}"
            )
        if source.joint_type is JointType.FIXED:
            raise ModelError(
                f"joint {name!r}: mimic.joint: its source {mimic.joint!r} is fixed, expected one that moves"
            )
        offset += multiplier * mimic.offset
        multiplier *= mimic.multiplier
        if not (abs(offset) <= MAX_GAIN and abs(multiplier) <= MAX_GAIN):
            raise ModelError(
                f"joint {name!r}: mimic: multipliers and offsets multiply to {multiplier:g} and {offset:g} along "
                f"{' → '.join([*seen, mimic.joint])}, expected at most {MAX_GAIN:.0e}"
            )
        name, joint = mimic.joint, source
        seen[name] = None
    return name, multiplier, offset


def drive_slots(
    slots: Sequence[JointSpec], off_path_sources: Sequence[JointSpec] = ()
) -> tuple[tuple[JointSpec, ...], tuple[Drive, ...]]:
    """Assign an entry of `q` to every slot.

    Parameters
    ----------
    slots
        The joints of the chain in order, named, mimics in place.
    off_path_sources
        Joints that are not on the chain but drive mimics on it; such a joint gets its entry at its first mimic's place.
        Those that are mimics themselves, between a source and a joint on the chain, keep within their limits too.

    Returns
    -------
    entries
        One joint per entry of `q`, its limits intersected with the mapped limits of the joints that follow it.
    drives
        One per slot.

    Raises
    ------
    ModelError
        For mimics without a usable source, joints off the path that drive nothing on it, or when no value satisfies
        the limits of all joints driven together.
    """
    by_name = {str(joint.name): joint for joint in (*off_path_sources, *slots)}
    on_path = {str(joint.name) for joint in slots}
    followed = {name: follow_mimics(joint, by_name) for name, joint in by_name.items()}
    index: dict[str, int] = {}
    entries: list[JointSpec] = []
    for joint in slots:
        source = followed[str(joint.name)][0]
        if (joint.mimic is None or source not in on_path) and source not in index:
            index[source] = len(entries)
            entries.append(by_name[source])
    drives: dict[str, Drive] = {}
    for name, (source, multiplier, offset) in followed.items():
        if source not in index:
            raise ModelError(
                f"joint {name!r}: off_path_sources: no joint on the path follows it, expected one that does"
            )
        drives[name] = Drive(index[source], multiplier, offset)
        if by_name[name].mimic is not None:
            entries[index[source]] = _intersect(entries[index[source]], by_name[name], drives[name])
    return tuple(entries), tuple(drives[str(joint.name)] for joint in slots)


def _intersect(source: JointSpec, follower: JointSpec, drive: Drive) -> JointSpec:
    """Return `source` with limits that also keep `follower` within its own."""
    mine, theirs = source.limits, follower.limits
    if mine is None or theirs is None:
        return source
    if drive.multiplier == 0.0:
        if not theirs.lower <= drive.offset <= theirs.upper:
            raise ModelError(
                f"joint {follower.name!r}: mimic: it rests at {drive.offset:g} for every value of {source.name!r}, "
                f"expected a value within its limits [{theirs.lower:g}, {theirs.upper:g}]"
            )
        return source
    ends = sorted((bound - drive.offset) / drive.multiplier for bound in (theirs.lower, theirs.upper))
    lower, upper = max(mine.lower, ends[0]), min(mine.upper, ends[1])
    # Limits that meet in one value miss each other by the rounding of the mapping.
    if lower > upper and math.isclose(lower, upper, rel_tol=ROUNDING, abs_tol=ROUNDING):
        lower = upper
    if lower > upper:
        raise ModelError(
            f"joint {source.name!r}: limits [{mine.lower:g}, {mine.upper:g}] and those of its mimic {follower.name!r}, "
            f"mapped to [{ends[0]:g}, {ends[1]:g}], have no value in common"
        )
    speeds = [mine.max_velocity] if mine.max_velocity is not None else []
    if theirs.max_velocity is not None and math.isfinite(mapped := theirs.max_velocity / abs(drive.multiplier)):
        speeds.append(mapped)
    try:
        return replace(source, limits=_limits_of(source, lower, upper, min(speeds, default=None)))
    except ModelError as error:
        raise ModelError(
            f"joint {source.name!r}: {error}; these are its limits and those of its mimic {follower.name!r} together"
        ) from None


def _limits_of(source: JointSpec, lower: float, upper: float, max_velocity: float | None) -> JointLimits:
    if source.joint_type is JointType.PRISMATIC:
        return JointLimits.prismatic(lower, upper, max_velocity)
    if lower == -math.inf and upper == math.inf:
        return JointLimits.continuous(max_velocity)
    return JointLimits.revolute(lower, upper, max_velocity)
