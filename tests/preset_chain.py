"""A preset's chain in plain NumPy, from the TOML file alone."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PRESETS = Path(__file__).parents[1] / "presets"
NAMES = sorted(path.stem for path in PRESETS.glob("*.toml"))
AXES = {
    "pos_x": (1, 0, 0),
    "pos_y": (0, 1, 0),
    "pos_z": (0, 0, 1),
    "neg_x": (-1, 0, 0),
    "neg_y": (0, -1, 0),
    "neg_z": (0, 0, -1),
}


@cache
def load_preset(name: str) -> dict[str, Any]:
    """Return the parsed file of a preset."""
    return tomllib.loads((PRESETS / f"{name}.toml").read_text(encoding="utf-8"))


def limits(chain: dict[str, Any]) -> tuple[Array, Array]:
    """Return lower and upper limits, shape (n,), -inf and inf where a joint turns without end."""
    entries = [next(iter(joint["limits"].values())) for joint in chain["joints"]]
    lower = np.array([entry.get("lower", -math.inf) for entry in entries])
    upper = np.array([entry.get("upper", math.inf) for entry in entries])
    return lower, upper


def sample(chain: dict[str, Any], *, count: int, seed: int) -> Array:
    """Return configurations, shape (count, n), uniform inside the limits; one turn where there are none."""
    lower, upper = limits(chain)
    lower, upper = np.where(np.isinf(lower), -np.pi, lower), np.where(np.isinf(upper), np.pi, upper)
    return np.random.default_rng(seed).uniform(lower, upper, (count, len(lower)))


def joint_frames(chain: dict[str, Any], q: Array) -> list[Array]:
    """Return base to each joint frame after its motion, then base to tool, each of shape (4, 4)."""
    matrix = np.eye(4)
    frames = []
    for joint, value in zip(chain["joints"], q, strict=True):
        axis = np.array(AXES[joint["axis"]] if isinstance(joint["axis"], str) else joint["axis"], dtype=float)
        motion = np.eye(4)
        if joint["joint_type"] == "prismatic":
            motion[:3, 3] = value * axis
        else:
            motion[:3, :3] = rodrigues(axis, value)
        matrix = matrix @ fixed(joint["origin_translation"], joint["origin_rpy"]) @ motion
        frames.append(matrix)
    tool = chain["tool_offset"]
    return [*frames, matrix @ fixed(tool["translation"], tool["rpy"])]


def fk(chain: dict[str, Any], q: Array) -> Array:
    """Return base to tool, shape (4, 4)."""
    return joint_frames(chain, q)[-1]


def rodrigues(axis: Array, angle: float) -> Array:
    """Return the rotation, shape (3, 3), about a unit axis."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * (cross @ cross))


def fixed(translation: list[float], rpy: list[float]) -> Array:
    """Return the fixed transform, shape (4, 4), with rotation Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = rpy
    matrix = np.eye(4)
    x, y, z = np.eye(3)
    matrix[:3, :3] = rodrigues(z, yaw) @ rodrigues(y, pitch) @ rodrigues(x, roll)
    matrix[:3, 3] = translation
    return matrix


def jacobian(chain: dict[str, Any], q: Array) -> Array:
    """Return the base Jacobian, shape (6, n), rows linear then angular."""
    frames = joint_frames(chain, q)
    columns = []
    for joint, frame in zip(chain["joints"], frames, strict=False):
        local = np.array(AXES[joint["axis"]] if isinstance(joint["axis"], str) else joint["axis"], dtype=float)
        axis = frame[:3, :3] @ local
        if joint["joint_type"] == "prismatic":
            columns.append(np.concatenate([axis, np.zeros(3)]))
        else:
            columns.append(np.concatenate([np.cross(axis, frames[-1][:3, 3] - frame[:3, 3]), axis]))
    return np.array(columns).T
