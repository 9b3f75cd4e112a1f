"""Fold a path through a robot's tree into the joints of a serial chain: fixed and locked joints become offsets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repose_jit.errors import InputError, ModelError, UnknownNameError
from repose_jit.joints import JointLimits, JointSpec, rotation_about, rotation_from_rpy, rpy_from_rotation
from repose_jit.mimic import follow_mimics
from repose_jit.urdf import UrdfJoint, UrdfTree
from repose_jit.urdf.findings import Findings, Note
from repose_jit.validation import as_number

__all__ = ["FoldedPath", "fold_path", "joint_spec", "lock_joints", "only_leaf"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldedPath:
    """The joints that move on a path, and what is needed besides to make a chain of them.

    Attributes
    ----------
    joints
        In order from the base link; each origin contains the fixed joints before it.
    tool_offset
        (4, 4) last joint frame → tip link.
    off_path_sources
        Joints off the path that mimics on it follow, and the mimics in between.
    """

    joints: tuple[JointSpec, ...]
    tool_offset: FloatArray
    off_path_sources: tuple[JointSpec, ...]


def only_leaf(tree: UrdfTree, base_link: str) -> str:
    """Return the only leaf link at or below `base_link`.

    Raises
    ------
    InputError
        If there are several; the message lists them.
    """
    leaves = tree.leaf_links(below=base_link)
    if len(leaves) == 1:
        return leaves[0]
    shown = ", ".join(map(repr, leaves[:20])) + (f", ... ({len(leaves)} in all)" if len(leaves) > 20 else "")
    raise InputError(f"tip_link: got none, expected one of the leaf links of {tree.source} or another link: {shown}")


def fold_path(tree: UrdfTree, base_link: str, tip_link: str, locked: Mapping[str, float]) -> FoldedPath:
    """Fold the path from one link to another.

    Where the path leads up the tree, joints are passed backwards: motion about the negated axis, then inverse origin.

    Parameters
    ----------
    tree
        The robot.
    base_link, tip_link
        Names of any two links.
    locked
        The value of each joint that does not move, mimics included; see :func:`lock_joints`.

    Raises
    ------
    UnknownNameError
        If a link does not exist.
    ModelError
        If nothing moves on the path, or a floating or planar joint is on it.
    """
    specs: list[JointSpec] = []
    pending: FloatArray | None = None  # None while there is nothing to fold in, so that numbers stay as they are
    for joint, backwards in _path(tree, base_link, tip_link):
        if joint.joint_type in ("floating", "planar"):
            raise ModelError(
                f"{tree.source}: joint {joint.name!r} between links {base_link!r} and {tip_link!r}: got a "
                f"{joint.joint_type} joint, expected joints that one number moves; choose both links on the same side "
                f"of it (link {joint.parent_link!r} is above, {joint.child_link!r} below)"
            )
        moving = joint.moves and joint.name not in locked
        # child at rest → parent, and the joint's own motion where it is locked
        step = joint.origin if moving else joint.origin @ _motion(joint, locked.get(joint.name, 0.0))
        if not moving:
            pending = _after(pending, _inverse(step) if backwards else step)
        elif backwards:
            specs.append(_spec(joint, _after(pending, np.eye(4)), -joint.axis))
            pending = _inverse(step)
        else:
            specs.append(joint_spec(joint) if pending is None else _spec(joint, pending @ step, joint.axis))
            pending = None
    if not specs:
        raise ModelError(
            f"{tree.source}: no joint moves between links {base_link!r} and {tip_link!r}, expected at least one"
        )
    tool_offset = _after(pending, np.eye(4))
    tool_offset.flags.writeable = False
    return FoldedPath(joints=tuple(specs), tool_offset=tool_offset, off_path_sources=_off_path_sources(tree, specs))


def lock_joints(tree: UrdfTree, locked_joints: Mapping[str, float] | None, *, strict: bool = True) -> dict[str, float]:
    """Return the value of every joint that does not move once `locked_joints` are locked: those and their mimics.

    Raises
    ------
    UnknownNameError
        If a joint does not exist.
    InputError
        If a joint cannot be locked, because it is fixed, floating, planar or follows another one, or a value is not a
        finite number; in strict mode also if the value is outside the joint's limits.

    Warns
    -----
    UrdfWarning
        If a value is outside the limits and `strict` is false.
    """
    if not isinstance(locked_joints, Mapping | None):
        raise InputError(f"locked_joints: got {type(locked_joints).__name__}, expected a dict of joint name to value")
    if not locked_joints:
        return {}
    findings = Findings(tree.source, strict=strict)
    joints = {joint.name: joint for joint in tree.joints}
    values: dict[str, float] = {}
    for name, value in locked_joints.items():
        if name not in joints:
            raise UnknownNameError("joint", name, list(joints), where=f"{tree.source} (locked_joints)")
        values[name] = _lockable(joints[name], value, findings)
    findings.warn()
    specs = {joint.name: joint_spec(joint) for joint in tree.joints if joint.moves}
    for name, spec in specs.items():
        source, multiplier, offset = follow_mimics(spec, specs)
        if name not in values and source in values:
            values[name] = multiplier * values[source] + offset
    return values


def joint_spec(joint: UrdfJoint) -> JointSpec:
    """Make the chain's joint of a URDF joint that moves."""
    return _spec(joint, joint.origin, joint.axis, joint.rpy)


def _spec(
    joint: UrdfJoint, origin: FloatArray, axis: FloatArray, rpy: tuple[float, float, float] | None = None
) -> JointSpec:
    translation = origin[:3, 3].tolist()
    rpy = _tidy_rpy(origin[:3, :3]) if rpy is None else rpy
    if joint.joint_type == "prismatic":
        limits = JointLimits.prismatic(joint.lower, joint.upper, joint.max_velocity)
        return JointSpec.prismatic(translation, rpy, axis, limits, name=joint.name, mimic=joint.mimic)
    if math.isinf(joint.lower):
        limits = JointLimits.continuous(joint.max_velocity)
    else:
        limits = JointLimits.revolute(joint.lower, joint.upper, joint.max_velocity)
    return JointSpec.revolute(translation, rpy, axis, limits, name=joint.name, mimic=joint.mimic)


def _path(tree: UrdfTree, base_link: str, tip_link: str) -> list[tuple[UrdfJoint, bool]]:
    """Return the joints between two links, and whether each is passed from child to parent."""
    up = tree.joints_to_root(tree.require_link("base link", base_link))
    down = tree.joints_to_root(tree.require_link("tip link", tip_link))
    while up and down and up[-1] is down[-1]:
        up.pop()
        down.pop()
    return [(joint, True) for joint in up] + [(joint, False) for joint in reversed(down)]


def _lockable(joint: UrdfJoint, value: object, findings: Findings) -> float:
    where = f"locked_joints[{joint.name!r}]"
    if not joint.moves:
        raise InputError(f"{where}: the joint is {joint.joint_type}, expected one that one number moves")
    if joint.mimic is not None:
        raise InputError(f"{where}: the joint follows {joint.mimic.joint!r}, expected a joint that moves on its own")
    value = as_number(value, name=where)
    if not math.isfinite(value):
        raise InputError(f"{where}: got {value}, expected a finite number [rad or m]")
    if not joint.lower <= value <= joint.upper:
        problem = f"{where}: got {value:g}, expected a value within the limits [{joint.lower:g}, {joint.upper:g}]"
        if findings.strict:
            raise InputError(f"{problem} (strict=False allows it)")
        findings.note(
            Note.LOCKED_OUTSIDE, f"joint {joint.name!r} at {value:g}, limits [{joint.lower:g}, {joint.upper:g}]"
        )
    return value


def _after(T: FloatArray | None, step: FloatArray) -> FloatArray:
    return step.copy() if T is None else T @ step


def _motion(joint: UrdfJoint, value: float) -> FloatArray:
    T = np.eye(4)
    if joint.joint_type == "prismatic":
        T[:3, 3] = value * joint.axis
    elif joint.joint_type in ("revolute", "continuous"):
        T[:3, :3] = rotation_about(joint.axis, value)
    return T


def _inverse(T: FloatArray) -> FloatArray:
    inverse = np.eye(4)
    inverse[:3, :3] = T[:3, :3].T
    inverse[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return inverse


def _off_path_sources(tree: UrdfTree, specs: Sequence[JointSpec]) -> tuple[JointSpec, ...]:
    on_path = {spec.name for spec in specs}
    joints = {joint.name: joint for joint in tree.joints}
    sources: dict[str, JointSpec] = {}
    for spec in specs:
        mimic = spec.mimic
        while mimic is not None:
            source = joints[mimic.joint]
            if source.name not in on_path:
                sources[source.name] = joint_spec(source)
            mimic = source.mimic
    return tuple(sources.values())


def _tidy_rpy(R: FloatArray) -> tuple[float, float, float]:
    """Return roll, pitch, yaw [rad] of a rotation, rounded to 12 digits where they give the same matrix."""
    exact = rpy_from_rotation(R)
    # Adding 0.0 turns -0.0 into 0.0.
    roll, pitch, yaw = (round(angle, 12) + 0.0 for angle in exact)
    same = np.abs(rotation_from_rpy((roll, pitch, yaw)) - R).max() < 4e-16
    return (roll, pitch, yaw) if same else exact
