"""Time repose_jit and its peers side by side, in one process on one thread, and check every answer.

``make bench`` or ``python benchmarks/peers.py``. Read the ratios: absolute times belong to the machine and the hour.
Each row is the median of rounds in which we and the peer take turns; compilation is not in them.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
import pinocchio

import repose_jit as rj

N_POSES = 10_000
N_SOLVES = 2_000
ROUNDS = 21


@dataclass(frozen=True)
class Row:
    """One comparison; times in nanoseconds per item."""

    work: str
    ours: float
    peer: float | None
    peer_name: str
    check: str

    def text(self) -> str:
        """Return the row as a line of a Markdown table."""
        ratio = "" if self.peer is None else f"{self.peer / self.ours:.2g} ×"
        peer = "" if self.peer is None else f"{_duration(self.peer)} ({self.peer_name})"
        return f"| {self.work} | {_duration(self.ours)} | {peer} | {ratio} | {self.check} |"


def _duration(nanoseconds: float) -> str:
    return f"{nanoseconds:.1f} ns" if nanoseconds < 1000 else f"{nanoseconds / 1000:.2f} µs"


def timed(ours: Callable[[], object], peer: Callable[[], object], rounds: int = ROUNDS) -> tuple[float, float]:
    """Return the median seconds of one call of each; in turns of five calls, the first of each turn not counted."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for work, record in zip((ours, peer), seconds, strict=True):
            work()
            for _ in range(4):
                start = time.perf_counter()
                work()
                record.append(time.perf_counter() - start)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def pinocchio_model(chain: rj.KinematicChain) -> tuple[pinocchio.Model, int]:
    """Return pinocchio's model of a chain of revolute joints, and its tool frame."""
    model = pinocchio.Model()
    parent = 0
    for joint in chain.joints:
        origin = pinocchio.SE3(joint.origin_transform())
        parent = model.addJoint(parent, pinocchio.JointModelRevoluteUnaligned(joint.axis), origin, joint.name)
    tool = pinocchio.SE3(np.array(chain.tool_offset))
    frame = pinocchio.Frame("tool", parent, 0, tool, pinocchio.FrameType.OP_FRAME)
    return model, model.addFrame(frame)


def kinematics_rows(chain: rj.KinematicChain, name: str) -> list[Row]:
    """Compare forward kinematics and Jacobians, output allocated per call."""
    model, tool = pinocchio_model(chain)
    data = model.createData()
    rng = np.random.default_rng(0)
    Q = rng.uniform(chain.lower_limits, chain.upper_limits, (N_POSES, chain.n_joints))
    few = Q[: N_POSES // 10]

    def peer_fk(configurations: np.ndarray) -> np.ndarray:
        T = np.empty((len(configurations), 4, 4))
        for i, q in enumerate(configurations):
            pinocchio.framesForwardKinematics(model, data, q)
            T[i] = data.oMf[tool].homogeneous
        return T

    def peer_jacobian(configurations: np.ndarray) -> np.ndarray:
        J = np.empty((len(configurations), 6, model.nv))
        for i, q in enumerate(configurations):
            J[i] = pinocchio.computeFrameJacobian(model, data, q, tool, pinocchio.LOCAL_WORLD_ALIGNED)
        return J

    rows = []
    wide = np.vstack([few, rng.uniform(-1e3, 1e3, few.shape)])
    for work, ours, peer in (
        ("FK", rj.forward_kinematics, peer_fk),
        ("Jacobian", rj.jacobian, peer_jacobian),
    ):
        error = np.abs(ours(chain, wide) - peer(wide)).max()
        mine, theirs = timed(lambda f=ours: f(chain, Q), lambda f=peer: f(few))
        alone, theirs_alone = timed(lambda f=ours: [f(chain, q) for q in few], lambda f=peer: f(few))
        rows.append(
            Row(
                f"{work}, {name}, {N_POSES:,} poses, per pose",
                1e9 * mine / len(Q),
                1e9 * theirs / len(few),
                "pinocchio, loop in Python",
                f"differs by {error:.0e}, \\|q\\| ≤ 1e3",
            )
        )
        rows.append(
            Row(
                f"{work}, {name}, one pose a call",
                1e9 * alone / len(few),
                1e9 * theirs_alone / len(few),
                "pinocchio, loop in Python",
                "",
            )
        )
    return rows


def single_seed_row(chain: rj.KinematicChain, name: str) -> Row:
    """Time calls of ``inverse_kinematics`` from seeds within 0.2 rad, one target a call, result object included."""
    rng = np.random.default_rng(1)
    goals = rng.uniform(chain.lower_limits, chain.upper_limits, (N_SOLVES, chain.n_joints))
    targets = rj.forward_kinematics(chain, goals)
    seeds = chain.clamp_to_limits(goals + rng.uniform(-0.2, 0.2, goals.shape))
    rj.inverse_kinematics(chain, targets[0], seeds[0])
    seconds, converged = [], 0
    for target, seed in zip(targets, seeds, strict=True):
        start = time.perf_counter()
        result = rj.inverse_kinematics(chain, target, seed)
        seconds.append(time.perf_counter() - start)
        if result.converged:
            T = rj.forward_kinematics(chain, result.q)
            assert np.linalg.norm(T[:3, 3] - target[:3, 3]) <= 1e-4
            assert chain.is_within_limits(result.q)
            converged += 1
    p95, p99 = np.percentile(seconds, [95, 99])
    check = f"{100 * converged / N_SOLVES:.1f} % converged; p95 {1e6 * p95:.0f} µs, p99 {1e6 * p99:.0f} µs"
    return Row(f"IK from one seed within 0.2 rad, {name}, per call", 1e9 * statistics.median(seconds), None, "", check)


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON with the machine and the versions")
    arguments = parser.parse_args()
    panda, rebel = rj.preset("franka_panda").chain(), rj.preset("igus_rebel").chain()
    rows = [*kinematics_rows(panda, "Panda"), *kinematics_rows(rebel, "ReBeL"), single_seed_row(rebel, "ReBeL")]
    versions = {package: version(package) for package in ("numba", "numpy", "pin")}
    machine = f"{_cpu_name()}, Python {platform.python_version()}"
    if arguments.json:
        document = {"machine": machine, "versions": versions, "rows": [vars(row) for row in rows]}
        json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
        return
    print(f"{machine}; {', '.join(f'{name} {number}' for name, number in versions.items())}; one thread\n")
    print("| work | repose_jit | peer | ratio | checked |\n|---|---|---|---|---|")
    for row in rows:
        print(row.text())


def _cpu_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
