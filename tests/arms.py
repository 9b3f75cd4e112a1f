"""Chains that several tests share, built from the oracle's tables, and random ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import repose_jit as rj
from repose_jit.joints import AXES
from tests import reference

__all__ = ["as_chain", "odd_arm", "random_chain", "random_configurations", "rebel"]


def as_chain(table: reference.Table) -> rj.KinematicChain:
    """Return the package's chain of one of the oracle's tables."""
    return rj.KinematicChain([_spec(joint) for joint in table.slots], tool_offset=table.tool_offset)


def rebel() -> rj.KinematicChain:
    """Return the igus ReBeL from the oracle's table."""
    return as_chain(reference.rebel_table())


def odd_arm() -> rj.KinematicChain:
    """Return the arm that hides few mistakes: prismatic, mimic, fixed, oblique."""
    return as_chain(reference.odd_arm_table())


def random_chain(rng: np.random.Generator, n_slots: int) -> rj.KinematicChain:
    """Return a chain of random joints of every kind; the first one moves, mimics follow any joint that moves."""
    joints: list[rj.JointSpec] = []
    for i in range(n_slots):
        origin: tuple[Any, Any] = (rng.uniform(-0.4, 0.4, 3), rng.uniform(-math.pi, math.pi, 3))
        axis = rng.normal(size=3) if rng.random() < 0.6 else str(rng.choice(list(AXES)))
        kind = "revolute" if i == 0 else rng.choice(["revolute", "continuous", "prismatic", "fixed", "mimic"])
        lower = rng.uniform(-2.0, 1.0)
        bounds = (lower, lower + rng.uniform(0.3, 3.0))
        name = f"j{i}"
        if kind == "fixed":
            joints.append(rj.JointSpec.fixed(*origin, name=name))
        elif kind == "prismatic":
            joints.append(rj.JointSpec.prismatic(*origin, axis, rj.JointLimits.prismatic(*bounds), name=name))
        elif kind == "mimic":
            source = rng.choice([str(joint.name) for joint in joints if joint.joint_type != "fixed"])
            mimic = rj.JointMimic(str(source), rng.choice([-1, 1]) * rng.uniform(0.2, 2.0), rng.uniform(-0.5, 0.5))
            joints.append(rj.JointSpec.revolute(*origin, axis, name=name, mimic=mimic))
        else:
            limits = rj.JointLimits.revolute(*bounds) if kind == "revolute" else rj.JointLimits.continuous()
            joints.append(rj.JointSpec.revolute(*origin, axis, limits, name=name))
    tool = reference.transform(rng.uniform(-0.2, 0.2, 3), rng.uniform(-math.pi, math.pi, 3))
    return rj.KinematicChain(joints, tool_offset=tool)


def random_configurations(chain: rj.KinematicChain, rng: np.random.Generator, count: int) -> np.ndarray:
    """Return (count, n) configurations uniform within the limits; entries without a limit a turn wide."""
    lower = np.where(np.isfinite(chain.lower_limits), chain.lower_limits, np.minimum(chain.upper_limits, math.pi) - 6.0)
    upper = np.where(np.isfinite(chain.upper_limits), chain.upper_limits, np.maximum(lower + 6.0, math.pi))
    return rng.uniform(lower, upper, (count, chain.n_joints))


def _spec(joint: reference.Joint) -> rj.JointSpec:
    mimic = None if joint.mimic is None else rj.JointMimic(*joint.mimic)
    origin = (joint.origin_translation, joint.origin_rpy)
    if joint.joint_type == "fixed":
        return rj.JointSpec.fixed(*origin, name=joint.name)
    if joint.joint_type == "prismatic":
        limits = rj.JointLimits.prismatic(*joint.limits)
        return rj.JointSpec.prismatic(*origin, joint.axis, limits, name=joint.name, mimic=mimic)
    limits = rj.JointLimits.revolute(*joint.limits)
    return rj.JointSpec.revolute(*origin, joint.axis, limits, name=joint.name, mimic=mimic)
