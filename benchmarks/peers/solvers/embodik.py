"""embodik: prioritised velocity control, iterated until a pose is reached."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from benchmarks.peers.arm import TOOL, Arm
from benchmarks.peers.oracle import Tolerance
from benchmarks.peers.solver import FloatArray, NotComparableError, Peer

ATTEMPTS = 100


class Embodik(Peer):
    """``solve_position``; it has no restarts, so they are made here: from mid-range, then from random seeds.

    Its defaults are made for control at 100 Hz and solve hardly a cold target. Set for speed: 10 · gain · dt = 1 is a
    full Newton step, MIN_ERROR is its quicker mode, and singular values are damped below 1e-4 instead of 0.1, which
    turns linear convergence into quadratic.
    """

    distribution = "embodik"
    module = "embodik"
    n_targets = 300

    def __init__(self, arm: Arm, tolerance: Tolerance) -> None:
        import embodik

        with arm.urdf_file() as path:
            self._model = embodik.RobotModel(str(path))
        if self._model.nq != arm.chain.n_joints:
            raise NotComparableError(f"its model has {self._model.nq} joints, ours {arm.chain.n_joints}")
        self._solver = embodik.KinematicsSolver(self._model)
        self._solver.set_tolerance(1e-4)
        options = embodik.PositionIKOptions()
        options.dt = 1.0
        options.position_gain = options.orientation_gain = 0.1
        options.max_iterations = 20
        options.primary_solve_mode = embodik.TaskSolveMode.MIN_ERROR
        options.position_tolerance, options.orientation_tolerance = tolerance.position, tolerance.orientation
        self._options, self._success = options, embodik.SolverStatus.SUCCESS
        self._seeds = [arm.middle, *arm.sample(ATTEMPTS - 1, seed=11)]
        self.label = f"embodik solve_position, up to {ATTEMPTS} seeds"

    @classmethod
    def why_absent(cls) -> str:
        return " (it has no wheel for Python 3.13 or later)" if sys.version_info >= (3, 13) else ""

    def prepare(self, T: FloatArray) -> FloatArray:
        return np.asfortranarray(T)

    def solve(self, target: FloatArray) -> Any:
        result = None
        for seed in self._seeds:
            result = self._solver.solve_position(seed, target, TOOL, self._options)
            if result.status == self._success:
                break
        return result

    def solve_from(self, seed: FloatArray, target: FloatArray) -> Any:
        """Solve for one prepared target from one seed."""
        return self._solver.solve_position(seed, target, TOOL, self._options)

    def answer(self, raw: Any) -> FloatArray | None:
        return raw.q_solution if raw.status == self._success else None

    def forward_kinematics(self, q: FloatArray) -> FloatArray:
        self._model.update_configuration(q)
        return self._model.get_frame_pose(TOOL).homogeneous()

    def limits(self) -> tuple[FloatArray, FloatArray]:
        return self._model.get_joint_limits()
