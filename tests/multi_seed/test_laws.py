"""Laws that hold for every arm: budgets, frames, units."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import repose_jit as rj
from tests import arms, reference
from tests.multi_seed.attempts import all_attempts, assert_same, reachable

Array = np.ndarray
ARMS = {
    "rebel": arms.rebel,
    "odd_arm": arms.odd_arm,
    "ur5": lambda: rj.preset("ur5").chain(),
    "franka_panda": lambda: rj.preset("franka_panda").chain(),
}
each_arm = pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
Arm = Callable[[], rj.KinematicChain]


def some_out_of_reach(chain: rj.KinematicChain, count: int) -> Array:
    targets = reachable(chain, count, seed=3)
    targets[::2, :3, 3] *= 1.6
    return targets


def score(result: rj.IkBatchResult, position_tolerance: float, orientation_tolerance: float) -> Array:
    """Return errors in tolerances, rotations by 2 sin(θ/2): what the best of several attempts is chosen by."""
    rotation = np.sin(0.5 * result.orientation_error) / math.sin(0.5 * orientation_tolerance)
    return np.maximum(result.position_error / position_tolerance, rotation)


@each_arm
@pytest.mark.parametrize("tolerances", [(1e-4, 1e-3), (0.02, 0.2)])
def test_more_attempts_are_never_worse(arm: Arm, tolerances: tuple[float, float]) -> None:
    chain = arm()
    targets = some_out_of_reach(chain, 1000)
    last = None
    for attempts in (1, 2, 3, 5, 8, 13, 32):
        params = rj.MultiSeedParams(
            max_attempts=attempts, position_tolerance=tolerances[0], orientation_tolerance=tolerances[1]
        )
        result = rj.inverse_kinematics_batch(chain, targets, params=params)
        assert np.all(result.attempts <= attempts)
        assert np.all(result.attempts[~result.converged] == attempts)
        assert np.array_equal(result.seed_index[result.converged] + 1, result.attempts[result.converged])
        if last is not None:
            solved = last.converged
            assert_same(result[solved], last[solved])
            assert np.all(score(result, *tolerances) <= score(last, *tolerances) * (1.0 + 1e-6))
        last = result
    assert last is not None
    assert 100 < last.converged.sum() < 1000


@each_arm
def test_more_iterations_lose_no_solution(arm: Arm) -> None:
    chain = arm()
    targets = some_out_of_reach(chain, 1000)
    solved = np.zeros(1000, bool)
    counts = []
    for iterations in (1, 3, 5, 8, 13, 30, 100):
        params = rj.MultiSeedParams(max_attempts=5, max_iterations=iterations)
        result = rj.inverse_kinematics_batch(chain, targets, params=params)
        assert np.all(result.converged | ~solved)
        assert np.all(result.iterations <= iterations * result.attempts)
        solved = result.converged
        counts.append(int(solved.sum()))
    assert counts[0] < counts[2] < counts[-1]


@each_arm
@pytest.mark.parametrize("tolerance", [1e-4, 0.05])
def test_first_is_the_lowest_attempt_that_converges(arm: Arm, tolerance: float) -> None:
    chain = arm()
    targets = reachable(chain, 2000, seed=4)
    params = rj.MultiSeedParams(max_attempts=8, position_tolerance=tolerance, orientation_tolerance=10.0 * tolerance)
    result = rj.inverse_kinematics_batch(chain, targets, params=params)
    attempts = all_attempts(chain, targets, None, params)
    lowest = attempts.converged.argmax(axis=1)
    assert np.array_equal(result.converged, attempts.converged.any(axis=1))
    solved = np.flatnonzero(result.converged)
    assert np.array_equal(result.seed_index[solved], lowest[solved])
    assert result.q[solved].tobytes() == attempts.q[solved, lowest[solved]].tobytes()
    made = np.arange(8) < np.asarray(result.attempts)[:, None]
    assert np.array_equal(result.iterations, np.where(made, attempts.iterations, 0).sum(axis=1))


def rpy_of(R: Array) -> tuple[float, float, float]:
    pitch = -math.asin(R[2, 0])
    return math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])


@pytest.mark.parametrize("table", [reference.rebel_table, reference.odd_arm_table])
def test_a_transform_in_front_commutes(table: Callable[[], reference.Table]) -> None:
    before = reference.transform((1.5, -0.7, 2.1), (0.4, -0.9, 1.7))
    plain = table()
    first = plain.slots[0]
    origin = before @ reference.transform(first.origin_translation, first.origin_rpy)
    x, y, z = origin[:3, 3]
    moved = first._replace(origin_translation=(x, y, z), origin_rpy=rpy_of(origin[:3, :3]))
    chain = arms.as_chain(plain)
    carried = arms.as_chain(plain._replace(slots=(moved, *plain.slots[1:])))
    targets = some_out_of_reach(chain, 1000)
    a = rj.inverse_kinematics_batch(chain, targets)
    b = rj.inverse_kinematics_batch(carried, before @ targets)
    assert np.array_equal(a.status, b.status)
    assert np.array_equal(a.seed_index[a.converged], b.seed_index[b.converged])
    assert np.abs(a.q - b.q)[a.converged].max() < 1e-6
    assert np.abs(a.position_error - b.position_error)[a.converged].max() < 1e-9
    assert a.converged.sum() >= 500


@pytest.mark.parametrize("table", [reference.rebel_table, reference.odd_arm_table])
def test_a_larger_arm_takes_the_same_steps(table: Callable[[], reference.Table]) -> None:
    """The adaptive rule knows no metre: an arm 2¹⁰ times as large has the same joint angles, to the bit."""
    size = 2.0**10
    plain = table()

    def larger(joint: reference.Joint) -> reference.Joint:
        x, y, z = joint.origin_translation
        limits = joint.limits
        if joint.joint_type == "prismatic":
            limits = reference.Limits(size * limits.lower, size * limits.upper)
        return joint._replace(origin_translation=(size * x, size * y, size * z), limits=limits)

    tool = plain.tool_offset.copy()
    tool[:3, 3] *= size
    chain = arms.as_chain(plain)
    large = arms.as_chain(reference.Table(plain.joints, tuple(map(larger, plain.slots)), tool))
    targets = some_out_of_reach(chain, 300)
    scaled = targets.copy()
    scaled[:, :3, 3] *= size
    a = rj.inverse_kinematics_batch(chain, targets)
    b = rj.inverse_kinematics_batch(large, scaled, params=rj.MultiSeedParams(position_tolerance=size * 1e-4))
    slides = np.array([joint.joint_type == "prismatic" for joint in chain.joints])
    assert (a.q * np.where(slides, size, 1.0)).tobytes() == b.q.tobytes()
    assert np.array_equal(a.status, b.status)
    assert np.array_equal(a.iterations, b.iterations)
    assert (size * a.position_error).tobytes() == np.asarray(b.position_error).tobytes()
    assert np.asarray(a.orientation_error).tobytes() == np.asarray(b.orientation_error).tobytes()
    assert 50 < a.converged.sum() < 300


@each_arm
def test_a_seed_at_the_target_takes_no_step(arm: Arm) -> None:
    chain = arm()
    goals = arms.random_configurations(chain, np.random.default_rng(5), 200)
    targets = rj.forward_kinematics(chain, goals)
    result = rj.inverse_kinematics_batch(chain, targets, seeds=goals)
    assert np.all(result.converged)
    assert np.all(result.iterations == 0)
    assert np.all(result.attempts == 1)
    assert np.all(result.seed_index == 0)
    moving = [joint.joint_type != "fixed" for joint in chain.joints]
    assert np.array_equal(result.q[:, moving], goals[:, moving])
    assert np.all(result.position_error < 1e-12)


@each_arm
def test_each_target_alone_decides(arm: Arm) -> None:
    """Another seed number gives other attempts and as many solutions; none and the default are the same."""
    chain = arm()
    targets = reachable(chain, 500, seed=6)
    a = rj.inverse_kinematics_batch(chain, targets)
    b = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(rng_seed=1))
    assert_same(rj.inverse_kinematics_batch(chain, targets, params=None), a)
    later = a.seed_index > 1
    assert later.sum() > 5
    assert not np.any(np.all(a.q[later] == b.q[later], axis=1) & (b.seed_index[later] > 1))
    assert a.converged.sum() >= 499
    assert b.converged.sum() >= 499
