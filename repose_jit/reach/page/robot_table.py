"""The robot of a study as a table of its joints."""

from __future__ import annotations

import math

import numpy as np

from repose_jit.chain import KinematicChain
from repose_jit.joints import JointSpec, JointType, rpy_from_rotation
from repose_jit.reach.figures.words import plain
from repose_jit.reach.page.elements import Markup, paragraph, table

__all__ = ["robot_table"]


def robot_table(chain: KinematicChain) -> Markup:
    """Return every joint with its origin, axis and limits, and the tool; angles in degrees."""
    rows = [
        (
            joint.name,
            joint.joint_type if joint.mimic is None else f"{joint.joint_type}, follows {joint.mimic.joint}",
            _numbers(1e3 * np.asarray(joint.origin_translation)),
            _numbers(np.degrees(joint.origin_rpy)),
            "" if joint.joint_type is JointType.FIXED else _numbers(joint.axis),
            *_limits(joint),
        )
        for joint in chain.slots
    ]
    header = ("joint", "type", "origin [mm]", "origin rpy [°]", "axis", "from", "to", "top speed")
    joints = table(header, rows, numbers=range(2, 8))
    tool = chain.tool_offset
    if np.array_equal(tool, np.eye(4)):
        return joints
    angles = _numbers(np.degrees(rpy_from_rotation(tool[:3, :3])))
    return Markup(joints + paragraph(f"Tool offset: {_numbers(1e3 * tool[:3, 3])} mm, roll pitch yaw {angles}°."))


def _limits(joint: JointSpec) -> tuple[str, str, str]:
    limits = joint.limits
    if limits is None or joint.mimic is not None:
        return "", "", ""
    scale, unit = (1e3, " mm") if joint.joint_type is JointType.PRISMATIC else (180.0 / math.pi, "°")
    lower, upper = (
        f"{plain(scale * bound)}{unit}" if math.isfinite(bound) else "no limit"
        for bound in (limits.lower, limits.upper)
    )
    speed = "" if limits.max_velocity is None else f"{plain(scale * limits.max_velocity)}{unit}/s"
    return lower, upper, speed


def _numbers(values: np.ndarray) -> str:
    # Rounded before it is written: a cosine of 90° is no 6e-17.
    return " ".join(plain(value) for value in (np.round(values, 6) + 0.0).tolist())
