"""A robot as sticks and frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.kinematics import link_transforms

__all__ = ["Skeleton", "skeleton"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Skeleton:
    """A robot in one configuration.

    Attributes
    ----------
    sticks
        (N, 2, 3) from each frame to the next in the base frame [m], those without length left out.
    joints
        (n_slots, 3) places of the joints [m].
    tool
        (4, 4) frame of the tool, ``T_base_tool``.
    """

    sticks: FloatArray
    joints: FloatArray
    tool: FloatArray


def skeleton(chain: KinematicChain, q: FloatArray) -> Skeleton:
    """Return the sticks and frames of a configuration (n,) [rad or m]."""
    frames = link_transforms(chain, q)
    corners = np.concatenate([np.zeros((1, 3)), frames[:, :3, 3]])
    sticks = np.stack([corners[:-1], corners[1:]], axis=1)
    lengths = np.linalg.norm(sticks[:, 1] - sticks[:, 0], axis=1)
    return Skeleton(sticks=sticks[lengths > 1e-9], joints=frames[:-1, :3, 3], tool=frames[-1])
