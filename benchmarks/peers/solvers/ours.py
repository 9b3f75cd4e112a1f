"""repose_jit, in the same form as its peers."""

from __future__ import annotations

from typing import Any

import numpy as np

import repose_jit as rj
from benchmarks.peers.arm import Arm
from benchmarks.peers.oracle import Tolerance
from benchmarks.peers.solver import FloatArray, Solver


class Ours(Solver):
    """Defaults but for the tolerance and the number of threads: cold, from seeds of its own."""

    n_targets = 10_000

    def __init__(self, arm: Arm, tolerance: Tolerance, *, threads: int = 1) -> None:
        self._chain = arm.chain
        self._params = rj.MultiSeedParams(
            position_tolerance=tolerance.position, orientation_tolerance=tolerance.orientation, threads=threads
        )
        self.label = "repose_jit, one thread" if threads == 1 else f"repose_jit, {threads} threads"

    def prepare_batch(self, T: FloatArray) -> FloatArray:
        return T

    def solve_batch(self, targets: FloatArray) -> rj.IkBatchResult:
        return rj.inverse_kinematics_batch(self._chain, targets, params=self._params)

    def answers(self, raw: rj.IkBatchResult) -> list[FloatArray | None]:
        return [q if converged else None for q, converged in zip(raw.q, raw.converged, strict=True)]

    def solve(self, target: FloatArray) -> rj.IkBatchResult:
        return rj.solve_one(self._chain, target, params=self._params)

    def answer(self, raw: rj.IkBatchResult) -> FloatArray | None:
        return raw.q if raw.converged else None


class OursInto(Ours):
    """The same, one target a call into an array that is there already."""

    def __init__(self, arm: Arm, tolerance: Tolerance) -> None:
        super().__init__(arm, tolerance)
        self.label = "repose_jit, out="

    def prepare(self, T: FloatArray) -> tuple[FloatArray, FloatArray]:
        return T, np.empty(self._chain.n_joints)

    def solve(self, target: tuple[FloatArray, FloatArray]) -> Any:
        T, q = target
        return rj.solve_one(self._chain, T, params=self._params, out=q), q

    def answer(self, raw: Any) -> FloatArray | None:
        status, q = raw
        return q if status == rj.IkStatus.CONVERGED else None
