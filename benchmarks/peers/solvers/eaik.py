"""EAIK: closed form where an arm has one."""

from __future__ import annotations

from typing import Any

import numpy as np

import repose_jit as rj
from benchmarks.peers.arm import Arm
from benchmarks.peers.oracle import Tolerance
from benchmarks.peers.solver import FloatArray, NotComparableError, Peer


class Eaik(Peer):
    """All solutions at once, up to eight, to rounding errors; it takes no tolerance, no limits and no seed.

    Timed with the reading of `Q` and `is_LS`, without which nobody knows which solutions are exact (one in eight of the
    first ones is not). Picking the first exact one within the limits is not timed.
    """

    distribution = "eaik"
    module = "eaik"
    n_targets = 5_000

    def __init__(self, arm: Arm, tolerance: Tolerance) -> None:
        from eaik.IK_Homogeneous import HomogeneousRobot

        arm.origins()  # it is given one axis for all joints: z
        self._lower, self._upper = arm.chain.lower_limits, arm.chain.upper_limits
        try:
            self._robot = HomogeneousRobot(rj.link_transforms(arm.chain, np.zeros(arm.chain.n_joints)))
        except RuntimeError as error:
            raise NotComparableError(f"it says: {error}") from None
        if not self._robot.hasKnownDecomposition():
            raise NotComparableError("it knows no closed form for this arm")
        self.label = "EAIK, closed form"

    def solve(self, target: FloatArray) -> tuple[FloatArray, list[bool]]:
        solutions = self._robot.IK(target)
        return solutions.Q, solutions.is_LS

    def prepare_batch(self, T: FloatArray) -> list[FloatArray]:
        return list(T)

    def solve_batch(self, targets: list[FloatArray]) -> list[tuple[FloatArray, list[bool]]]:
        return [(solutions.Q, solutions.is_LS) for solutions in self._robot.IK_batched(targets, num_worker_threads=1)]

    def answer(self, raw: tuple[Any, list[bool]]) -> FloatArray | None:
        solutions, are_least_squares = raw
        for q, is_least_squares in zip(solutions, are_least_squares, strict=True):
            if not is_least_squares and np.all((self._lower <= q) & (q <= self._upper)):
                return q
        return None

    def forward_kinematics(self, q: FloatArray) -> FloatArray:
        return self._robot.fwdKin(q)

    def limits(self) -> None:
        return None
