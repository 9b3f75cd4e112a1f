"""Robots of which it is known on paper what they reach, random ones, and a painted map."""

from __future__ import annotations

from math import pi

import numpy as np

from repose_jit.chain import KinematicChain
from repose_jit.joints import JointLimits, JointMimic, JointSpec
from repose_jit.reach.reach_map import ReachMap
from tests.reference import rebel_table, transform

ORIGIN = (0.0, 0.0, 0.0)


def wrist(reach: float) -> list[JointSpec]:
    """Return three joints without end whose axes meet `reach` [m] further along x: every orientation is reached."""
    return [
        JointSpec.revolute((reach, 0, 0), ORIGIN, "pos_z", name="wrist1"),
        JointSpec.revolute(ORIGIN, ORIGIN, "pos_y", name="wrist2"),
        JointSpec.revolute(ORIGIN, ORIGIN, "pos_z", name="wrist3"),
    ]


def gantry(sides: tuple[float, float, float] = (0.6, 0.4, 0.3)) -> KinematicChain:
    """Return three slides from 0 to `sides` [m] and a wrist: exactly the box, in every orientation."""
    slides = [
        JointSpec.prismatic(ORIGIN, ORIGIN, f"pos_{axis}", JointLimits.prismatic(0.0, side), name=axis)
        for axis, side in zip("xyz", sides, strict=True)
    ]
    return KinematicChain([*slides, *wrist(0.0)], name="gantry")


def shell_arm(upper: float = 0.3, fore: float = 0.2, tool: float = 0.0) -> KinematicChain:
    """Return an arm whose wrist centre reaches all points `upper` ∓ `fore` from (0, 0, 0.4) and those between.

    The tool is `tool` [m] beyond the wrist centre along its own z.
    """
    arm = [
        JointSpec.revolute((0, 0, 0.4), ORIGIN, "pos_z", name="turret"),
        JointSpec.revolute(ORIGIN, ORIGIN, "pos_y", name="shoulder"),
        JointSpec.revolute((upper, 0, 0), ORIGIN, "pos_y", name="elbow"),
    ]
    return KinematicChain([*arm, *wrist(fore)], tool_offset=transform((0, 0, tool)), name="shell arm")


def rebel() -> KinematicChain:
    """Return the igus ReBeL."""
    joints = [
        JointSpec.revolute(
            joint.origin_translation,
            joint.origin_rpy,
            joint.axis,
            JointLimits.revolute(joint.limits.lower, joint.limits.upper),
            name=joint.name,
        )
        for joint in rebel_table().joints
    ]
    return KinematicChain(joints, name="igus_rebel")


def random_chain(rng: np.random.Generator) -> KinematicChain:
    """Return up to seven joints of every kind and up to three mimics, also of mimics, at random places."""

    def place() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return rng.uniform(-0.4, 0.4, 3), rng.uniform(-pi, pi, 3), rng.normal(size=3)

    joints: list[JointSpec] = []
    for i in range(int(rng.integers(1, 8))):
        xyz, rpy, axis = place()
        kind = str(rng.choice(["revolute", "continuous", "prismatic", "fixed"])) if i else "revolute"
        lower, upper = np.sort(rng.uniform(-1.0, 1.5, 2)).tolist()
        if kind == "fixed":
            joints.append(JointSpec.fixed(xyz, rpy, name=f"j{i}"))
        elif kind == "continuous":
            joints.append(JointSpec.revolute(xyz, rpy, axis, name=f"j{i}"))
        elif kind == "revolute":
            joints.append(JointSpec.revolute(xyz, rpy, axis, JointLimits.revolute(lower, upper), name=f"j{i}"))
        else:
            joints.append(JointSpec.prismatic(xyz, rpy, axis, JointLimits.prismatic(lower, upper), name=f"j{i}"))
    # Joints with an end, so that a slide which follows one has an end too.
    sources = [joint.name for joint in joints if joint.limits is not None and np.isfinite(joint.limits.upper)]
    for i in range(int(rng.integers(0, 4))):
        xyz, rpy, axis = place()
        mimic = JointMimic(str(rng.choice(sources)), float(rng.uniform(-2, 2)), float(rng.uniform(-0.3, 0.3)))
        make = JointSpec.prismatic if rng.random() < 0.5 else JointSpec.revolute
        joints.insert(int(rng.integers(0, len(joints) + 1)), make(xyz, rpy, axis, name=f"m{i}", mimic=mimic))
        sources.append(f"m{i}")
    return KinematicChain(joints, tool_offset=transform(rng.uniform(-0.3, 0.3, 3), rng.uniform(-pi, pi, 3)))


def painted(status: int, shape: tuple[int, int, int, int] = (6, 5, 4, 8)) -> ReachMap:
    """Return a map of one status everywhere."""
    return ReachMap(
        x=0.1 * np.arange(shape[0]),
        y=0.1 * np.arange(shape[1]),
        z=0.1 * np.arange(shape[2]),
        rotations=np.broadcast_to(np.eye(3), (shape[3], 3, 3)),
        status=np.full(shape, status, np.int8),
        attributes={"robot": "painted", "spacing": 0.1, "attempts": 3, "max_iterations": 4},
    )
