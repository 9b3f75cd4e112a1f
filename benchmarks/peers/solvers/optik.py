"""optik-py, an optimiser in Rust."""

from __future__ import annotations

from benchmarks.peers.arm import BASE, TOOL, Arm
from benchmarks.peers.oracle import Tolerance
from benchmarks.peers.solver import FloatArray, Peer


class Optik(Peer):
    """One thread, first solution wins; from mid-range, then restarts of its own, 0.1 s at most as by default.

    It stops at ‖log(T⁻¹ T*)‖² ≤ tol_f: its root is the smaller of our tolerances. It has weights that would let it use
    the wider tolerance of rotation, and they made it no faster. Targets and seeds are lists, which it reads faster than
    arrays.
    """

    distribution = "optik-py"
    module = "optik"
    n_targets = 1_000

    def __init__(self, arm: Arm, tolerance: Tolerance) -> None:
        import optik

        with arm.urdf_file() as path:
            self._robot = optik.Robot.from_urdf_file(str(path), BASE, TOOL)
        self._robot.set_parallelism(1)
        tol_f = min(tolerance.position, tolerance.orientation) ** 2
        self._config = optik.SolverConfig(solution_mode="speed", tol_f=tol_f)
        self._seed = arm.middle.tolist()
        self.label = f"optik, tol_f {tol_f:.0e}"

    def prepare(self, T: FloatArray) -> list[list[float]]:
        return T.tolist()

    def solve(self, target: list[list[float]]) -> tuple[list[float], float] | None:
        return self._robot.ik(self._config, target, self._seed)

    def answer(self, raw: tuple[list[float], float] | None) -> FloatArray | None:
        return None if raw is None else raw[0]

    def forward_kinematics(self, q: FloatArray) -> FloatArray:
        return self._robot.fk(q.tolist())

    def limits(self) -> tuple[FloatArray, FloatArray]:
        return self._robot.joint_limits()
