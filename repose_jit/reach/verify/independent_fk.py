"""Forward kinematics a second time, from the configuration of a chain and by the conventions of URDF alone.

Results are verified by it, so it shares no code with what computed them: no kernel, no joint, no chain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.errors import InputError, shown
from repose_jit.validation import as_configuration

__all__ = ["Motion", "forward_kinematics", "motions", "n_entries"]

FloatArray = NDArray[np.float64]
Config = Mapping[str, Any]

UNIT_VECTORS = {
    "pos_x": (1.0, 0.0, 0.0),
    "neg_x": (-1.0, 0.0, 0.0),
    "pos_y": (0.0, 1.0, 0.0),
    "neg_y": (0.0, -1.0, 0.0),
    "pos_z": (0.0, 0.0, 1.0),
    "neg_z": (0.0, 0.0, -1.0),
}


@dataclass(frozen=True, kw_only=True)
class Motion:
    """How a joint moves with `q`, by ``multiplier · q[entry] + offset``, and how far it may.

    Attributes
    ----------
    entry, multiplier, offset
        1 and 0 for a joint that follows no other.
    lower, upper
        The joint's own position limits [rad or m]; ∓inf where there is none.
    is_source
        Whether the joint follows no other.
    """

    entry: int
    multiplier: float
    offset: float
    lower: float
    upper: float
    is_source: bool

    def values(self, q: FloatArray) -> FloatArray:
        """Return the joint's value for (N, n) configurations, (N,) [rad or m]."""
        return self.multiplier * q[:, self.entry] + self.offset


def forward_kinematics(config: Config, q: ArrayLike) -> FloatArray:
    """Return ``T_base_tool = Π Origin_i · Motion_i(q_i) · ToolOffset``.

    Parameters
    ----------
    config
        A chain as ``KinematicChain.to_config()`` writes it: SI units, no texts such as "90deg".
    q
        (N, n) configurations [rad or m].

    Returns
    -------
    (N, 4, 4) array
        Homogeneous matrices [m].

    Raises
    ------
    ShapeError, InputError
        If the last dimension of `q` is not n, or a joint is of no known type.
    """
    q = as_configuration(q, n_entries(config))
    moves = motions(config)
    R, p = np.tile(np.eye(3), (len(q), 1, 1)), np.zeros((len(q), 3))
    for name, joint in _on_path(config).items():
        p = p + R @ np.array(joint["origin_translation"], float)
        R = R @ _rotation_rpy(joint["origin_rpy"])
        axis, kind = _axis(joint.get("axis", "pos_z")), joint["joint_type"]
        if kind == "revolute":
            R = R @ _rotation_about(axis, moves[name].values(q))
        elif kind == "prismatic":
            p = p + (R @ axis) * moves[name].values(q)[:, None]
        elif kind != "fixed":
            raise InputError(f"joint {name!r}: got type {shown(kind)}, expected revolute, prismatic or fixed")
    T = np.zeros((len(q), 4, 4))
    tool = config.get("tool_offset", {"translation": (0.0, 0.0, 0.0), "rpy": (0.0, 0.0, 0.0)})
    T[:, :3, 3] = p + R @ np.array(tool["translation"], float)
    T[:, :3, :3] = R @ (np.array(tool["rotation"], float) if "rotation" in tool else _rotation_rpy(tool["rpy"]))
    T[:, 3, 3] = 1.0
    return T


def n_entries(config: Config) -> int:
    """Return the number of entries of `q` of a chain's configuration."""
    return 1 + max(motion.entry for motion in motions(config).values())


def motions(config: Config) -> dict[str, Motion]:
    """Return how every joint moves, by name: those on the path first, then those that drive mimics from outside it.

    `q` has an entry for each joint on the path that follows no other, fixed ones included, in the order of the path. A
    joint outside the path that drives one on it has its entry at the place of the first that follows it.
    """
    path = _on_path(config)
    joints = {**path, **{joint["name"]: joint for joint in config.get("off_path_sources", ())}}

    def follow(name: str) -> tuple[str, float, float]:
        mimic = joints[name].get("mimic")
        if mimic is None:
            return name, 1.0, 0.0
        source, multiplier, offset = follow(mimic["joint"])
        gain = float(mimic.get("multiplier", 1.0))
        return source, gain * multiplier, gain * offset + float(mimic.get("offset", 0.0))

    entries: dict[str, int] = {}
    for name in path:
        source = follow(name)[0]
        if source == name or source not in path:
            entries.setdefault(source, len(entries))
    result = {}
    for name, joint in joints.items():
        source, multiplier, offset = follow(name)
        lower, upper = _limits(joint)
        result[name] = Motion(
            entry=entries[source],
            multiplier=multiplier,
            offset=offset,
            lower=lower,
            upper=upper,
            is_source=source == name,
        )
    return result


def _on_path(config: Config) -> dict[str, Config]:
    return {joint.get("name", f"joint{i}"): joint for i, joint in enumerate(config["joints"], start=1)}


def _limits(joint: Config) -> tuple[float, float]:
    bounds = next(iter(joint.get("limits", {"none": {}}).values()))
    return float(bounds.get("lower", -math.inf)), float(bounds.get("upper", math.inf))


def _axis(axis: str | Sequence[float]) -> FloatArray:
    vector = np.array(UNIT_VECTORS[axis] if isinstance(axis, str) else axis, float)
    unit: FloatArray = vector / np.linalg.norm(vector)
    return unit


def _rotation_rpy(rpy: Sequence[float]) -> FloatArray:
    """Return ``Rz(yaw) Ry(pitch) Rx(roll)``, (3, 3)."""
    x, y, z = np.eye(3)
    about_x, about_y, about_z = (
        _rotation_about(axis, np.array(float(angle))) for axis, angle in zip((x, y, z), rpy, strict=True)
    )
    return about_z @ about_y @ about_x


def _rotation_about(axis: FloatArray, angle: FloatArray) -> FloatArray:
    """Return the rotations (..., 3, 3) by angles (...) about a unit axis: ``I + sin θ [a] + 2 sin²(θ/2) [a]²``."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    sine, half = np.sin(angle)[..., None, None], np.sin(0.5 * angle)[..., None, None]
    rotation: FloatArray = np.eye(3) + sine * cross + 2.0 * half * half * (cross @ cross)
    return rotation
