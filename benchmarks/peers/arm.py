"""One robot, in every form the peers take it in."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import repose_jit as rj

FloatArray = NDArray[np.float64]

BASE, TOOL = "base", "tool"
NAMES = {"franka_panda": "Panda", "ur5": "UR5 (±2π, elbow ±π)", "igus_rebel": "ReBeL"}


@dataclass(frozen=True)
class Arm:
    """A chain of revolute joints with limits, and the name it has in the table."""

    name: str
    chain: rj.KinematicChain

    @classmethod
    def of_preset(cls, preset: str) -> Arm:
        """Return the arm of a preset."""
        return cls(NAMES.get(preset, preset), rj.preset(preset).chain())

    @property
    def middle(self) -> FloatArray:
        """(n,) middle of the limits [rad]."""
        return np.asarray(0.5 * (self.chain.lower_limits + self.chain.upper_limits))

    def sample(self, count: int, *, seed: int) -> FloatArray:
        """Return (count, n) configurations uniform inside the limits [rad]."""
        rng = np.random.default_rng(seed)
        return rng.uniform(self.chain.lower_limits, self.chain.upper_limits, (count, self.chain.n_joints))

    def origins(self) -> FloatArray:
        """Return (n + 1, 4, 4) fixed transforms: before each joint, and the tool's, all joints turning about z.

        Raises
        ------
        ValueError
            If a joint has another axis: peers that know only z are not built for it.
        """
        for joint in self.chain.joints:
            if not np.array_equal(joint.axis, (0.0, 0.0, 1.0)):
                raise ValueError(f"{self.name}, {joint.name}: got axis {joint.axis}, expected z")
        joints = [joint.origin_transform() for joint in self.chain.joints]
        return np.array([*joints, self.chain.tool_offset])

    def urdf(self) -> str:
        """Return the chain as URDF from `BASE` to `TOOL`, numbers with all their digits."""
        parts = [f'<link name="{BASE}"/>']
        parent = BASE
        for joint in self.chain.joints:
            limits = joint.limits
            velocity = limits.max_velocity or math.pi
            parts.append(
                f'<link name="{joint.name}_link"/><joint name="{joint.name}" type="revolute">'
                f'<parent link="{parent}"/><child link="{joint.name}_link"/>{_origin(joint.origin_transform())}'
                f'<axis xyz="{_numbers(joint.axis)}"/>'
                f'<limit lower="{limits.lower!r}" upper="{limits.upper!r}" velocity="{velocity!r}" effort="1"/></joint>'
            )
            parent = f"{joint.name}_link"
        parts.append(
            f'<link name="{TOOL}"/><joint name="to_{TOOL}" type="fixed"><parent link="{parent}"/>'
            f'<child link="{TOOL}"/>{_origin(np.asarray(self.chain.tool_offset))}</joint>'
        )
        return f'<robot name="arm">{"".join(parts)}</robot>'

    @contextmanager
    def urdf_file(self) -> Iterator[Path]:
        """Give the path of a file with that text, for peers that read nothing else."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "arm.urdf"
            path.write_text(self.urdf(), encoding="utf-8")
            yield path


def _origin(T: FloatArray) -> str:
    """Return URDF's element; roll and yaw are lost at a pitch of ±90°, which the comparison of FK would show."""
    R = T[:3, :3]
    rpy = (
        math.atan2(R[2, 1], R[2, 2]),
        math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0])),
        math.atan2(R[1, 0], R[0, 0]),
    )
    return f'<origin xyz="{_numbers(T[:3, 3])}" rpy="{_numbers(rpy)}"/>'


def _numbers(values: object) -> str:
    return " ".join(repr(float(value)) for value in np.asarray(values).tolist())
