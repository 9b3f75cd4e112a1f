"""pytracik: TRAC-IK without ROS."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.arm import BASE, TOOL, Arm
from benchmarks.peers.oracle import Tolerance
from benchmarks.peers.solver import FloatArray, Peer

TIMEOUT = 0.005
"""Its default [s]: a target that is not solved by then is given up."""


class Pytracik(Peer):
    """Solve type Speed, from mid-range, then restarts of its own.

    It always runs its two solvers in two threads, which it starts for each call. `epsilon` bounds each component of the
    error, so the smaller tolerance over √3 keeps the norm within ours. Its compiled function is called with a
    quaternion: the Python method above it would add an eigenvalue problem to each call.
    """

    distribution = "pytracik"
    module = "pytracik"
    n_targets = 500

    def __init__(self, arm: Arm, tolerance: Tolerance) -> None:
        import pytracik

        self._library = pytracik
        epsilon = min(tolerance.position, tolerance.orientation) / np.sqrt(3.0)
        self._solver = pytracik.TRAC_IK(BASE, TOOL, arm.urdf(), TIMEOUT, epsilon, pytracik.SolveType.Speed)
        # It reads limits from URDF as float32, up to 2e-7 rad too wide.
        lower, upper = arm.chain.lower_limits, arm.chain.upper_limits
        pytracik.set_joint_limits(self._solver, lower.tolist(), upper.tolist())
        self._seed = arm.middle
        self.label = f"pytracik (TRAC-IK), epsilon {epsilon:.1e}, {1e3 * TIMEOUT:.0f} ms at most, two threads"

    def prepare(self, T: FloatArray) -> tuple[float, ...]:
        return (*T[:3, 3].tolist(), *_quat_xyzw(T[:3, :3]))

    def solve(self, target: tuple[float, ...]) -> FloatArray:
        return self._library.ik(self._solver, self._seed, *target)

    def answer(self, raw: FloatArray) -> FloatArray | None:
        return raw[1:] if raw[0] >= 0 else None

    def forward_kinematics(self, q: FloatArray) -> FloatArray:
        return self._library.fk(self._solver, q)

    def limits(self) -> tuple[FloatArray, FloatArray]:
        lower = self._library.get_joint_lower_bounds(self._solver)
        return np.array(lower), np.array(self._library.get_joint_upper_bounds(self._solver))


def _quat_xyzw(R: FloatArray) -> list[float]:
    """Return the unit quaternion of a rotation, from the column of 4 q qᵀ that is longest."""
    xx, yy, zz = np.diag(R)
    xy, yz, zx = R[0, 1] + R[1, 0], R[1, 2] + R[2, 1], R[2, 0] + R[0, 2]
    xw, yw, zw = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    outer = np.array(
        [
            [1 + xx - yy - zz, xy, zx, xw],
            [xy, 1 - xx + yy - zz, yz, yw],
            [zx, yz, 1 - xx - yy + zz, zw],
            [xw, yw, zw, 1 + xx + yy + zz],
        ]
    )
    longest = outer[np.argmax(np.diag(outer))]
    return (longest / np.linalg.norm(longest)).tolist()
