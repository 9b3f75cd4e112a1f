"""Inverse kinematics: batches, one cold target a call, one seed, two threads.

Targets are tool poses of configurations drawn uniformly inside the limits, the same for all; a slow peer gets the first
of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import repose_jit as rj
from benchmarks.peers.arm import Arm
from benchmarks.peers.oracle import Oracle, Tolerance, Verdict
from benchmarks.peers.solver import Peer, Solver, ready
from benchmarks.peers.solvers import PEERS
from benchmarks.peers.solvers.embodik import Embodik
from benchmarks.peers.solvers.ours import Ours, OursInto
from benchmarks.peers.table import Row, Side, Table
from benchmarks.peers.turns import Record, in_turns, one_by_one
from repose_jit.threads import available_cpus

FloatArray = NDArray[np.float64]

USUAL, TIGHT = Tolerance(1e-4, 1e-3), Tolerance(1e-6, 1e-6)
N_ONE_SEED = 2_000
ROUNDS = 5
TURNS = 20


def fill(table: Table, arm: Arm, *, rounds: int = ROUNDS) -> None:
    """Add the rows of one arm whose targets come without a seed."""
    oracle = Oracle(arm)
    targets = oracle.forward_kinematics(arm.sample(Ours.n_targets, seed=1))
    for tolerance in (USUAL, TIGHT):
        peers = _peers(table, arm, tolerance)
        fill_batches(table, arm, oracle, targets, tolerance, peers, rounds=rounds)
        if tolerance is USUAL:
            fill_single_calls(table, arm, oracle, targets, tolerance, peers)
    fill_two_threads(table, arm, oracle, targets, rounds=rounds)


def fill_batches(
    table: Table,
    arm: Arm,
    oracle: Oracle,
    targets: FloatArray,
    tolerance: Tolerance,
    peers: Sequence[Solver],
    *,
    rounds: int,
) -> None:
    """Add a row for each peer: time per target of many targets at once, or of a loop where it has no batch."""
    ours, *theirs = batch_sides([Ours(arm, tolerance), *peers], oracle, targets, tolerance, rounds=rounds)
    for peer in theirs:
        table.add(Row(f"IK, {arm.name}, {tolerance}, batch, per target", ours, peer))
    if not theirs:
        table.add(Row(f"IK, {arm.name}, {tolerance}, batch, per target", ours))


def batch_sides(
    solvers: Sequence[Solver], oracle: Oracle, targets: FloatArray, tolerance: Tolerance, *, rounds: int
) -> list[Side]:
    """Time batches of several solvers in turns, each on its own number of the first targets, and judge every answer."""
    parts = [targets[: solver.n_targets] for solver in solvers]
    works = []
    for solver, part in zip(solvers, parts, strict=True):
        solver.solve_batch(solver.prepare_batch(part[:10]))  # compile, allocate, start what has to be started
        works.append(lambda solver=solver, prepared=solver.prepare_batch(part): solver.solve_batch(prepared))
    sides = []
    for solver, part, record in zip(solvers, parts, in_turns(works, rounds=rounds), strict=True):
        verdicts = [oracle.judge(solver.answers(raw), part, tolerance) for raw in record.results]
        sides.append(Side.of_batches(solver.label, record, len(part), sum(verdicts, Verdict())))
    return sides


def fill_single_calls(
    table: Table, arm: Arm, oracle: Oracle, targets: FloatArray, tolerance: Tolerance, peers: Sequence[Solver]
) -> None:
    """Add a row for each peer, and one for ours into an array that is there: one target a call from Python."""
    solvers = [Ours(arm, tolerance), OursInto(arm, tolerance), *peers]
    parts = [targets[: solver.n_targets // 2] for solver in solvers]
    inputs = [[solver.prepare(T) for T in part] for solver, part in zip(solvers, parts, strict=True)]
    records = one_by_one([(solver.solve, given) for solver, given in zip(solvers, inputs, strict=True)], turns=TURNS)
    result, into, *theirs = (
        _side_of_calls(solver, oracle, part, tolerance, record)
        for solver, part, record in zip(solvers, parts, records, strict=True)
    )
    work = f"IK, {arm.name}, {tolerance}, one cold target a call"
    table.add(Row(f"{work}, into out=", into))
    for peer in theirs:
        table.add(Row(f"{work}, result object", result, peer))
    if not theirs:
        table.add(Row(f"{work}, result object", result))


def fill_two_threads(table: Table, arm: Arm, oracle: Oracle, targets: FloatArray, *, rounds: int) -> None:
    """Add a row of our own two threads beside one."""
    if available_cpus() < 2:
        table.note("two threads: not timed, this process may use one CPU")
        return
    solvers = [Ours(arm, USUAL, threads=2), Ours(arm, USUAL)]
    two, one = batch_sides(solvers, oracle, targets, USUAL, rounds=rounds)
    table.add(Row(f"IK, {arm.name}, {USUAL}, batch, two threads beside one", two, one))


def fill_one_seed(table: Table, arm: Arm, *, count: int = N_ONE_SEED) -> None:
    """Add the row of calls from a seed within 0.2 rad, one target a call, result object included."""
    oracle = Oracle(arm)
    rng = np.random.default_rng(1)
    goals = arm.sample(count, seed=1)
    targets = oracle.forward_kinematics(goals)
    seeds = arm.chain.clamp_to_limits(goals + rng.uniform(-0.2, 0.2, goals.shape))
    params = rj.IkParams(position_tolerance=USUAL.position, orientation_tolerance=USUAL.orientation)

    def ours(item: tuple[FloatArray, FloatArray]) -> rj.IkResult:
        return rj.inverse_kinematics(arm.chain, item[0], item[1], params)

    works: list[tuple[Callable[[Any], Any], Sequence[Any]]] = [(ours, list(zip(targets, seeds, strict=True)))]
    peers = [peer for peer in _peers(table, arm, USUAL, (Embodik,)) if isinstance(peer, Embodik)]
    for peer in peers:
        given = [(peer.prepare(T), seed) for T, seed in zip(targets, seeds, strict=True)]
        works.append((lambda item, peer=peer: peer.solve_from(item[1], item[0]), given))
    record, *theirs = one_by_one(works, turns=TURNS)
    work = f"IK, {arm.name}, {USUAL}, one call from one seed within 0.2 rad"
    found = [result.q if result.converged else None for result in record.results]
    side = Side.of_calls("repose_jit", record, oracle.judge(found, targets, USUAL))
    if not peers:
        table.add(Row(work, side))
    for peer, their_record in zip(peers, theirs, strict=True):
        answers = peer.answers(their_record.results)
        label = "embodik solve_position"
        table.add(Row(work, side, Side.of_calls(label, their_record, oracle.judge(answers, targets, USUAL))))


def _side_of_calls(solver: Solver, oracle: Oracle, targets: FloatArray, tolerance: Tolerance, record: Record) -> Side:
    answers = [solver.answer(raw) for raw in record.results]
    return Side.of_calls(solver.label, record, oracle.judge(answers, targets, tolerance))


def _peers(table: Table, arm: Arm, tolerance: Tolerance, peers: tuple[type[Peer], ...] = PEERS) -> list[Peer]:
    built, lines = ready(peers, arm, tolerance)
    for line in lines:
        table.note(line)
    return built
