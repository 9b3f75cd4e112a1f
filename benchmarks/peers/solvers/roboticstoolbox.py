"""roboticstoolbox-python's ``ik_LM``, the solver in C++."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.peers.arm import Arm
from benchmarks.peers.oracle import Tolerance
from benchmarks.peers.solver import FloatArray, Peer


class RoboticsToolbox(Peer):
    """Its defaults but for the tolerance: random restarts of its own, up to 100 of 30 iterations, limits respected.

    It stops at ½‖e‖² ≤ tol, position and rotation alike: half the square of our smaller tolerance is the largest that
    keeps both. Called on the elementary transform sequence, since the robot's method of the same name adds conversions
    to each call; what is fixed before a joint is one matrix, for the fewest multiplications.
    """

    distribution = "roboticstoolbox-python"
    module = "roboticstoolbox"
    n_targets = 2_000

    def __init__(self, arm: Arm, tolerance: Tolerance) -> None:
        from roboticstoolbox import ET, ETS

        *before, tool = arm.origins()
        parts = []
        for T, joint in zip(before, arm.chain.joints, strict=True):
            parts += [ET.SE3(T), ET.Rz(qlim=[joint.limits.lower, joint.limits.upper])]
        self._ets = ETS([*parts, ET.SE3(tool)])
        self._tol = 0.5 * min(tolerance.position, tolerance.orientation) ** 2
        self.label = f"roboticstoolbox ik_LM, tol {self._tol:.0e}"

    def solve(self, target: FloatArray) -> Any:
        return self._ets.ik_LM(target, tol=self._tol)

    def answer(self, raw: Any) -> FloatArray | None:
        return np.asarray(raw.q) if raw.success else None

    def forward_kinematics(self, q: FloatArray) -> FloatArray:
        return np.asarray(self._ets.eval(q))

    def limits(self) -> tuple[FloatArray, FloatArray]:
        lower, upper = self._ets.qlim
        return lower, upper
