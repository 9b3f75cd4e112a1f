"""The comparison with peers: what it counts as solved, whom it refuses, what it says where a peer is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import repose_jit as rj
from benchmarks.peers import ik_rows, kinematics_rows, machine
from benchmarks.peers.arm import BASE, TOOL, Arm
from benchmarks.peers.oracle import Oracle, Tolerance, Verdict, rotation_angles
from benchmarks.peers.solver import Peer, ready
from benchmarks.peers.solvers import PEERS
from benchmarks.peers.solvers.embodik import Embodik
from benchmarks.peers.solvers.ours import Ours
from benchmarks.peers.solvers.pytracik import _quat_xyzw
from benchmarks.peers.table import Row, Side, Table, duration
from benchmarks.peers.turns import Record, in_turns, one_by_one
from tests import reference

FloatArray = NDArray[np.float64]

TOLERANCE = Tolerance(1e-4, 1e-3)


@pytest.fixture(params=["ur5", "franka_panda", "igus_rebel"])
def arm(request: pytest.FixtureRequest) -> Arm:
    return Arm.of_preset(request.param)


@pytest.fixture
def ur5() -> Arm:
    return Arm.of_preset("ur5")


class Stub(Peer):
    """A peer with our own kinematics, which answers each target by the next of its `replies`."""

    distribution = "stub"
    module = "json"
    n_targets = 4

    def __init__(self, arm: Arm, tolerance: Tolerance) -> None:
        self._chain = arm.chain
        self.label = "a stub"
        self.replies: Iterator[FloatArray | None] = iter(())

    def solve(self, target: Any) -> Any:
        return next(self.replies)

    def answer(self, raw: Any) -> FloatArray | None:
        return raw

    def forward_kinematics(self, q: FloatArray) -> FloatArray:
        return rj.forward_kinematics(self._chain, q)

    def limits(self) -> tuple[FloatArray, FloatArray] | None:
        return self._chain.lower_limits, self._chain.upper_limits


class OtherTool(Stub):
    def forward_kinematics(self, q: FloatArray) -> FloatArray:
        T = super().forward_kinematics(q)
        T[2, 3] += 1e-6
        return T


class OtherLimits(Stub):
    def limits(self) -> tuple[FloatArray, FloatArray]:
        return self._chain.lower_limits, self._chain.upper_limits + 1e-6


class NoLimits(Stub):
    def limits(self) -> None:
        return None


class NaNTool(Stub):
    def forward_kinematics(self, q: FloatArray) -> FloatArray:
        return np.full((4, 4), np.nan)


class Missing(Stub):
    distribution = "missing"
    module = "no_module_of_this_name"


# ------------------------------------------------------------------------------------------------------ the oracle


def test_oracle_has_the_kinematics_of_the_arm(arm: Arm) -> None:
    Q = arm.sample(50, seed=3)
    np.testing.assert_allclose(Oracle(arm).forward_kinematics(Q), rj.forward_kinematics(arm.chain, Q), atol=1e-12)


def test_each_kind_of_answer_is_counted_once(ur5: Arm) -> None:
    q = np.array([0.1, -1.2, 1.3, 0.4, 0.5, -0.6])
    target = rj.forward_kinematics(ur5.chain, q)
    one_turn_more = q + [4 * np.pi, 0, 0, 0, 0, 0]  # the same pose, beyond 2π
    answers = [q, None, one_turn_more, q + 0.1, np.full(6, np.nan), np.full(6, 9.0)]
    verdict = Oracle(ur5).judge(answers, np.broadcast_to(target, (6, 4, 4)), TOLERANCE)
    assert verdict == Verdict(solved=1, gave_up=2, outside_limits=2, off_target=1)
    assert verdict.count == 6


@pytest.mark.parametrize(("shift", "turn", "solved"), [(0.9e-4, 0, 1), (1.1e-4, 0, 0), (0, 0.9e-3, 1), (0, 1.1e-3, 0)])
def test_both_tolerances_decide(ur5: Arm, shift: float, turn: float, solved: int) -> None:
    q = ur5.sample(1, seed=5)
    target = rj.forward_kinematics(ur5.chain, q)
    target[0, 0, 3] += shift
    target[0, :3, :3] = target[0, :3, :3] @ reference.rodrigues(np.array([0.6, 0.0, 0.8]), turn)
    assert Oracle(ur5).judge(list(q), target, TOLERANCE).solved == solved


def test_the_limit_itself_is_inside_and_the_next_number_is_not(ur5: Arm) -> None:
    at = ur5.chain.upper_limits
    beyond = at.copy()
    beyond[2] = np.nextafter(at[2], np.inf)
    targets = rj.forward_kinematics(ur5.chain, np.array([at, beyond]))
    assert Oracle(ur5).judge([at, beyond], targets, TOLERANCE) == Verdict(solved=1, outside_limits=1)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 1.0, np.pi - 1e-9, np.pi])
def test_rotation_angles(angle: float) -> None:
    T = np.tile(np.eye(4), (2, 1, 1))
    other = T.copy()
    other[0, :3, :3] = reference.rodrigues(np.array([0.0, 0.6, 0.8]), angle)
    np.testing.assert_allclose(rotation_angles(T, other), [angle, 0.0], atol=1e-15, rtol=1e-12)


def test_a_verdict_never_rounds_a_failure_away() -> None:
    assert str(Verdict(solved=50_000)) == "100 %"
    assert str(Verdict(solved=49_999, off_target=1)) == "99.998 % (0.002 % off target)"
    assert str(Verdict(gave_up=1, outside_limits=3)) == "0 % (25 % gave up, 75 % outside the limits)"


# ----------------------------------------------------------------------------------------------- the same robot


def test_urdf_is_the_same_arm(arm: Arm) -> None:
    with arm.urdf_file() as path:
        chain = rj.KinematicChain.from_urdf(path, base_link=BASE, tip_link=TOOL)
    assert not path.exists()
    Q = arm.sample(50, seed=3)
    np.testing.assert_allclose(rj.forward_kinematics(chain, Q), rj.forward_kinematics(arm.chain, Q), atol=1e-14)
    np.testing.assert_array_equal(chain.lower_limits, arm.chain.lower_limits)
    np.testing.assert_array_equal(chain.upper_limits, arm.chain.upper_limits)
    assert chain.joint_names == arm.chain.joint_names


def test_origins_refuse_an_axis_that_is_not_z() -> None:
    with pytest.raises(ValueError, match=r"ReBeL, joint1: got axis .*, expected z"):
        Arm.of_preset("igus_rebel").origins()


@pytest.mark.parametrize(
    ("peer", "line"),
    [
        (OtherTool, "stub on UR5 (±2π, elbow ±π): not timed, its forward kinematics differs from ours by 1.0e-06"),
        (NaNTool, "stub on UR5 (±2π, elbow ±π): not timed, its forward kinematics differs from ours by nan"),
        (OtherLimits, "stub on UR5 (±2π, elbow ±π): not timed, its upper limits are"),
    ],
)
def test_a_peer_with_another_robot_is_refused(ur5: Arm, peer: type[Peer], line: str) -> None:
    built, lines = ready((peer,), ur5, TOLERANCE)
    assert built == []
    assert len(lines) == 1
    assert lines[0].startswith(line)


def test_a_peer_with_the_same_robot_is_ready_and_a_missing_one_is_left_out(ur5: Arm) -> None:
    built, lines = ready((Stub, NoLimits, Missing), ur5, TOLERANCE)
    assert [type(peer) for peer in built] == [Stub, NoLimits]
    assert lines == []


def test_a_peer_that_cannot_be_imported_is_one_line(ur5: Arm) -> None:
    class Broken(Stub):
        def __init__(self, arm: Arm, tolerance: Tolerance) -> None:
            raise ImportError("libnothing.so.1: cannot open shared object file")

    built, lines = ready((Broken,), ur5, TOLERANCE)
    assert built == []
    assert lines == ["stub: cannot be imported: libnothing.so.1: cannot open shared object file"]


@pytest.mark.parametrize("seed", range(8))
def test_quaternion_of_a_rotation(seed: int) -> None:
    axis = np.random.default_rng(seed).normal(size=3)
    axis /= np.linalg.norm(axis)
    for angle in (0.0, 1.0, 3.0, np.pi):
        x, y, z, w = _quat_xyzw(reference.rodrigues(axis, angle))
        sign = np.sign(np.dot([x, y, z, w], [*(np.sin(angle / 2) * axis), np.cos(angle / 2)]))
        np.testing.assert_allclose(
            sign * np.array([x, y, z, w]), [*(np.sin(angle / 2) * axis), np.cos(angle / 2)], atol=1e-12
        )


# ---------------------------------------------------------------------------------------------------------- clock


def test_everyone_takes_turns() -> None:
    calls: list[str] = []
    works = [lambda: calls.append("a"), lambda: calls.append("b")]
    first, second = in_turns(works, rounds=2, calls=2, warm=True)
    assert calls == ["a"] * 3 + ["b"] * 3 + ["a"] * 3 + ["b"] * 3
    assert len(first.seconds) == len(second.seconds) == 4


def test_results_are_kept_only_if_asked() -> None:
    (kept,), (dropped,) = (in_turns([lambda: 7], rounds=3, keep=keep) for keep in (True, False))
    assert kept.results == [7, 7, 7]
    assert dropped.results == []
    assert len(dropped.seconds) == 3


@pytest.mark.parametrize("count", [3, 5, 23])
def test_one_by_one_times_each_input_once(count: int) -> None:
    few = list(range(3))
    many, some = one_by_one([(lambda x: x * x, list(range(count))), (lambda x: -x, few)], turns=5)
    assert many.results == [x * x for x in range(count)]
    assert some.results == [0, -1, -2]
    assert len(many.seconds) == count


def test_busy_cpus_are_measured() -> None:
    record = Record(seconds=[2.0], cpu_seconds=[3.8], busy=2.0)
    assert Side.of_batches("x", record, 1).busy() == ", 1.9 CPUs busy"
    assert Side.of_batches("x", Record(seconds=[2.0], cpu_seconds=[2.1], busy=2.0), 1).busy() == ""


# ---------------------------------------------------------------------------------------------------------- table


def test_answers_of_a_peer_reach_the_table(ur5: Arm) -> None:
    goals = ur5.sample(4, seed=1)
    oracle = Oracle(ur5)
    peer = Stub(ur5, TOLERANCE)
    # The first answer is that of the call which warms up; two rounds of four follow.
    peer.replies = iter([*goals, *goals, goals[0], None, goals[2] + 0.1, goals[3]])
    (side,) = ik_rows.batch_sides([peer], oracle, oracle.forward_kinematics(goals), TOLERANCE, rounds=2)
    assert side.verdict == Verdict(solved=6, gave_up=1, off_target=1)
    assert side.items == 4


def test_row_shows_times_ratio_and_success() -> None:
    ours = Side("ours", 500.0, 10_000, verdict=Verdict(solved=10_000), cpus=1.0)
    peer = Side("a peer, tol 1", 1e5, 100, 2e5, 3e6, 1.9, Verdict(solved=198, outside_limits=2))
    assert Row("IK", ours, peer).text() == (
        "| IK | 500 ns | 100 µs (p95 200 µs, p99 3 ms): a peer, tol 1, 1.9 CPUs busy | 200 × | "
        "ours 100 % of 10,000; peer 99 % (1 % outside the limits) of 100 |"
    )
    assert Row("IK", ours).text() == "| IK | 500 ns |  |  | ours 100 % of 10,000 |"


def test_table_is_markdown_and_json() -> None:
    table = Table()
    table.add(Row("FK", Side("repose_jit", 20.0, 10), Side("p", 40.0, 10), "differs by 0"))
    table.note("a peer: not installed")
    table.note("a peer: not installed")
    lines = table.text().splitlines()
    assert lines[1] == "|---|---|---|---|---|"
    assert {line.count("|") for line in lines[:3]} == {6}
    assert lines.count("a peer: not installed") == 1
    document = json.loads(json.dumps(machine.description() | table.document(), allow_nan=False))
    assert document["rows"][0]["ratio"] == 2.0
    assert document["repose_jit"] == rj.__version__
    assert {"cpu", "cores", "threads", "commit", "python", "numba"} <= document.keys()
    assert {peer.distribution for peer in PEERS} <= document["peers"].keys()


@pytest.mark.parametrize(("cpus", "notes"), [(None, 0), (1.0, 0), (1.9, 0), (0.7, 1)])
def test_a_busy_machine_is_noted(cpus: float | None, notes: int) -> None:
    table = Table([Row("IK", Side("ours", 1.0, 1, cpus=1.0), Side("a peer", 1.0, 1, cpus=cpus))])
    table.note_interruptions()
    assert len(table.notes) == notes
    assert all("as little as 0.70 of a CPU" in line for line in table.notes)


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [(15.26, "15.3 ns"), (999.4, "999 ns"), (999.6, "1 µs"), (16_240.0, "16.2 µs"), (2.5e6, "2.5 ms"), (3e9, "3 s")],
)
def test_duration(nanoseconds: float, text: str) -> None:
    assert duration(nanoseconds) == text


def test_kinematics_rows(ur5: Arm) -> None:
    table = Table()
    kinematics_rows.fill(table, ur5, n_poses=100, rounds=1)
    assert [row.work.split(",")[0] for row in table.rows] == ["FK", "FK", "Jacobian", "Jacobian"]
    assert table.notes == []


class Exact(Stub):
    """A peer whose answers are ready before the clock starts."""

    def prepare(self, T: FloatArray) -> FloatArray:
        return rj.inverse_kinematics(self._chain, T, self._chain.home).q

    def solve(self, target: Any) -> Any:
        return target


def test_our_rows_stand_beside_those_of_a_peer(ur5: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ours, "n_targets", 40)
    oracle, table = Oracle(ur5), Table()
    targets = oracle.forward_kinematics(ur5.sample(40, seed=1))
    peer = Exact(ur5, ik_rows.USUAL)
    ik_rows.fill_batches(table, ur5, oracle, targets, ik_rows.USUAL, [peer], rounds=2)
    ik_rows.fill_single_calls(table, ur5, oracle, targets, ik_rows.USUAL, [peer])
    ik_rows.fill_two_threads(table, ur5, oracle, targets, rounds=1)
    ours = [row.ours for row in table.rows]
    assert [side.verdict.count for side in ours if side.verdict is not None][:3] == [80, 20, 20]
    assert all(side.verdict is not None and side.verdict.solved == side.verdict.count for side in ours)
    assert table.rows[0].peer is not None
    assert table.rows[0].peer.verdict is not None
    assert table.rows[0].peer.verdict.count == 2 * Stub.n_targets
    json.dumps(table.document(), allow_nan=False)


def test_one_seed_row_without_its_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Embodik, "module", "no_module_of_this_name")
    table = Table()
    ik_rows.fill_one_seed(table, Arm.of_preset("igus_rebel"), count=50)
    (row,) = table.rows
    assert row.peer is None
    assert row.ours.verdict is not None
    assert row.ours.verdict.count == 50
    assert row.ours.verdict.off_target == row.ours.verdict.outside_limits == 0
