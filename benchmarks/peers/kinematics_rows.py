"""Forward kinematics and Jacobians beside pinocchio's, output allocated per call."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import repose_jit as rj
from benchmarks.peers.arm import Arm
from benchmarks.peers.oracle import Oracle
from benchmarks.peers.solver import SAME
from benchmarks.peers.table import Row, Side, Table
from benchmarks.peers.turns import in_turns

FloatArray = NDArray[np.float64]

N_POSES = 10_000
ROUNDS = 21
PEER = "pinocchio, loop in Python"


def fill(table: Table, arm: Arm, *, n_poses: int = N_POSES, rounds: int = ROUNDS) -> None:
    """Add the rows of one arm: a batch, and one pose a call."""
    import pinocchio

    chain, oracle = arm.chain, Oracle(arm)
    data = oracle.model.createData()
    Q = arm.sample(n_poses, seed=0)
    few = Q[: n_poses // 10]

    def peer_jacobian(configurations: FloatArray) -> FloatArray:
        J = np.empty((len(configurations), 6, oracle.model.nv))
        for i, q in enumerate(configurations):
            J[i] = pinocchio.computeFrameJacobian(oracle.model, data, q, oracle.tool, pinocchio.LOCAL_WORLD_ALIGNED)
        return J

    wide = np.vstack([few, np.random.default_rng(0).uniform(-1e3, 1e3, few.shape)])
    for work, ours, peer in (
        ("FK", rj.forward_kinematics, oracle.forward_kinematics),
        ("Jacobian", rj.jacobian, peer_jacobian),
    ):
        error = np.abs(ours(chain, wide) - peer(wide)).max()
        if not error <= SAME:
            table.note(f"{work} of pinocchio on {arm.name}: not timed, it differs from ours by {error:.1e}")
            continue
        batch, loop, single = in_turns(
            (lambda f=ours: f(chain, Q), lambda f=peer: f(few), lambda f=ours: [f(chain, q) for q in few]),
            rounds=rounds,
            calls=4,
            warm=True,
            keep=False,
        )
        theirs = Side.of_batches(PEER, loop, len(few))
        for label, record, items, check in (
            (f"{len(Q):,} poses, per pose", batch, len(Q), f"differs by {error:.0e}, \\|q\\| ≤ 1e3"),
            ("one pose a call", single, len(few), ""),
        ):
            table.add(Row(f"{work}, {arm.name}, {label}", Side.of_batches("repose_jit", record, items), theirs, check))
