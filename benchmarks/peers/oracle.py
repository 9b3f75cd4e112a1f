"""Checks answers by pinocchio's forward kinematics and the arm's limits, whoever gave them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import repose_jit as rj
from benchmarks.peers.arm import Arm

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Tolerance:
    """Largest errors that count as solved [m, rad]."""

    position: float
    orientation: float

    def __str__(self) -> str:
        return f"{self.position:.0e} m, {self.orientation:.0e} rad".replace("e-0", "e-")


@dataclass(frozen=True)
class Verdict:
    """How many answers were right, and what was wrong with the others; each is counted once."""

    solved: int = 0
    gave_up: int = 0
    outside_limits: int = 0
    off_target: int = 0

    def __add__(self, other: Verdict) -> Verdict:
        return Verdict(
            self.solved + other.solved,
            self.gave_up + other.gave_up,
            self.outside_limits + other.outside_limits,
            self.off_target + other.off_target,
        )

    @property
    def count(self) -> int:
        """All answers."""
        return self.solved + self.gave_up + self.outside_limits + self.off_target

    def __str__(self) -> str:
        faults = (
            (self.gave_up, "gave up"),
            (self.outside_limits, "outside the limits"),
            (self.off_target, "off target"),
        )
        said = ", ".join(f"{_percent(number, self.count)} {fault}" for number, fault in faults if number)
        return _percent(self.solved, self.count) + (f" ({said})" if said else "")


class Oracle:
    """pinocchio's model of an arm."""

    def __init__(self, arm: Arm) -> None:
        self._chain = arm.chain
        self.model, self.tool = pinocchio_model(arm.chain)
        self._data = self.model.createData()

    def forward_kinematics(self, Q: FloatArray) -> FloatArray:
        """Return (k, 4, 4) tool poses of (k, n) configurations."""
        import pinocchio

        T = np.empty((len(Q), 4, 4))
        for i, q in enumerate(Q):
            pinocchio.framesForwardKinematics(self.model, self._data, q)
            T[i] = self._data.oMf[self.tool].homogeneous
        return T

    def judge(self, answers: Sequence[FloatArray | None], targets: FloatArray, tolerance: Tolerance) -> Verdict:
        """Return how many of k answers, each (n,) or None, put the tool at their one of (k, 4, 4) targets.

        A value outside the limits by the last bit is outside.
        """
        none = np.full(self._chain.n_joints, np.nan)
        Q = np.array([none if q is None else q for q in answers], dtype=float)
        found = np.isfinite(Q).all(axis=1)
        T = self.forward_kinematics(np.where(found[:, None], Q, 0.0))
        position = np.linalg.norm(T[:, :3, 3] - targets[:, :3, 3], axis=1)
        near = (position <= tolerance.position) & (rotation_angles(T, targets) <= tolerance.orientation)
        within = ((self._chain.lower_limits <= Q) & (self._chain.upper_limits >= Q)).all(axis=1)
        return Verdict(
            solved=int((found & within & near).sum()),
            gave_up=int((~found).sum()),
            outside_limits=int((found & ~within).sum()),
            off_target=int((found & within & ~near).sum()),
        )


def rotation_angles(T: FloatArray, other: FloatArray) -> FloatArray:
    """Return (k,) angles between the rotations of (k, 4, 4) poses [rad], exact for small ones too."""
    R = np.swapaxes(other[:, :3, :3], 1, 2) @ T[:, :3, :3]
    twice_sine = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    return np.asarray(np.arctan2(np.linalg.norm(twice_sine, axis=1), np.trace(R, axis1=1, axis2=2) - 1.0))


def pinocchio_model(chain: rj.KinematicChain) -> tuple[Any, int]:
    """Return pinocchio's model of a chain of revolute joints, and its tool frame."""
    import pinocchio

    model = pinocchio.Model()
    parent = 0
    for joint in chain.joints:
        origin = pinocchio.SE3(joint.origin_transform())
        parent = model.addJoint(parent, pinocchio.JointModelRevoluteUnaligned(joint.axis), origin, joint.name)
    tool = pinocchio.SE3(np.array(chain.tool_offset))
    frame = pinocchio.Frame("tool", parent, 0, tool, pinocchio.FrameType.OP_FRAME)
    return model, model.addFrame(frame)


def _percent(number: int, count: int) -> str:
    # Three digits after the point: with the counts used here one wrong answer never rounds to 100 %.
    return f"{100 * number / max(count, 1):.3f}".rstrip("0").rstrip(".") + " %"
