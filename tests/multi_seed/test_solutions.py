"""All solutions of a target: distinct, within the limits, none missing, with all their turns."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import repose_jit as rj
from tests import arms, reference
from tests.multi_seed import closed_form
from tests.multi_seed.attempts import all_attempts, far_away, reachable

Array = np.ndarray
TURN = 2.0 * math.pi
SHARP = rj.MultiSeedParams(max_attempts=400)


def regular(rng: np.random.Generator, limit: float) -> Array:
    """Return a configuration away from singular ones: elbow and wrist well bent."""
    while True:
        q = rng.uniform(-limit, limit, 6)
        if min(abs(math.sin(q[2])), abs(math.sin(q[4]))) > 0.2:
            return q


def are_regular(branches: Array) -> bool:
    return bool(np.min(np.abs(np.sin(branches[:, [2, 4]]))) > 0.2)


def apart(a: Array, b: Array) -> Array:
    """Return (len(a), len(b)) largest joint differences, whole turns aside."""
    return np.abs((a[:, None] - b[None] + math.pi) % TURN - math.pi).max(axis=2)


def test_the_closed_form_is_right() -> None:
    chain = closed_form.arm(math.pi)
    rng = np.random.default_rng(0)
    counts = set()
    for _ in range(100):
        q = regular(rng, math.pi)
        T = rj.forward_kinematics(chain, q)
        branches = closed_form.solutions(T)
        assert np.abs(rj.forward_kinematics(chain, branches) - T).max() < 1e-10
        assert apart(branches, q[None]).min() < 1e-9
        counts.add(len(branches))
    assert 8 in counts


def test_none_is_missing_and_none_is_wrong() -> None:
    """Two sides of the shoulder, elbow and wrist: up to eight solutions, all found, and no others."""
    chain = closed_form.arm(math.pi)
    rng = np.random.default_rng(1)
    checked = 0
    while checked < 40:
        target = rj.forward_kinematics(chain, regular(rng, math.pi))
        branches = closed_form.solutions(target)
        if not are_regular(branches):
            continue
        found = rj.all_solutions(chain, target, params=SHARP)
        assert len(found) == len(branches)
        difference = apart(branches, found.q)
        assert np.all(difference.min(axis=0) < 1e-6)
        assert np.all(difference.min(axis=1) < 1e-6)
        checked += 1


def test_limits_leave_the_solutions_within() -> None:
    chain = closed_form.arm(2.0)
    wide = closed_form.arm(math.pi)
    rng = np.random.default_rng(2)
    kept = 0
    for _ in range(30):
        target = rj.forward_kinematics(wide, regular(rng, 2.0))
        branches = closed_form.solutions(target)
        if not are_regular(branches):
            continue
        largest = np.abs(branches).max(axis=1)
        if np.any(np.abs(largest - 2.0) < 1e-3):
            continue  # at a limit a tolerance decides
        within = branches[largest < 2.0]
        found = rj.all_solutions(chain, target, params=rj.MultiSeedParams(max_attempts=1000))
        assert np.all(np.abs(found.q) <= 2.0)
        assert len(found) == len(within)
        assert np.all(np.abs(within[:, None] - found.q[None]).max(axis=2).min(axis=1) < 1e-6)
        kept += len(within) < len(branches)
    assert kept > 10


def test_all_turns_within_the_limits_are_listed_once() -> None:
    """±2π: two places for every joint, 64 for every solution; nearest to the solution first."""
    chain = closed_form.arm(TURN)
    rng = np.random.default_rng(3)
    target = rj.forward_kinematics(chain, regular(rng, math.pi))
    branches = closed_form.solutions(target)
    assert are_regular(branches)
    found = rj.all_solutions(chain, target, params=SHARP)
    expected = np.array(
        [
            list(q)
            for branch in branches
            for q in itertools.product(*[[x, x - math.copysign(TURN, x)] for x in branch.tolist()])
        ]
    )
    assert len(found) == len(expected) == 64 * len(branches)
    difference = np.abs(expected[:, None] - found.q[None]).max(axis=2)
    assert np.all(difference.min(axis=0) < 1e-6)
    assert np.all(difference.min(axis=1) < 1e-6)
    for start in range(0, len(found), 64):
        group = found.q[start : start + 64]
        assert len(set(found.seed_index[start : start + 64].tolist())) == 1
        assert apart(group, group).max() < 1e-6
        moves = np.abs(group - group[0]).max(axis=1)
        assert np.all(np.diff(moves) >= -1e-9)
    assert np.all(np.diff(found.seed_index) >= 0)


def test_turns_follow_each_joints_own_limits() -> None:
    """One joint with three turns, one with none, one without limits, one that slides."""
    wide = rj.JointLimits.revolute(-3.0 * TURN / 2.0, 3.0 * TURN / 2.0)
    chain = rj.KinematicChain(
        [
            rj.JointSpec.revolute((0, 0, 0.2), (0, 0, 0), "pos_z", wide),
            rj.JointSpec.prismatic((0.1, 0, 0), (0, 0, 0), "pos_z", rj.JointLimits.prismatic(0.0, 20.0)),
            rj.JointSpec.revolute((0.2, 0, 0), (0, 0, 0), "pos_x", rj.JointLimits.revolute(-1.0, 1.0)),
            rj.JointSpec.revolute((0.1, 0, 0), (0, 0, 0), "pos_x", rj.JointLimits.continuous()),
        ],
        tool_offset=reference.transform((0.1, 0.05, 0)),
    )
    q = np.array([0.3, 0.5, 0.0, 0.4])
    target = rj.forward_kinematics(chain, q)
    found = rj.all_solutions(chain, target, params=rj.MultiSeedParams(max_attempts=50))
    turns = np.round((found.q[:, 0] - 0.3) / TURN)
    # Joints 3 and 4 share an axis: infinitely many solutions, each with the three turns of joint 1.
    assert set(turns.tolist()) == {-1.0, 0.0, 1.0}
    assert len(found) % 3 == 0
    assert found.q[:, 1] == pytest.approx(np.full(len(found), 0.5), abs=1e-3)
    assert np.all(chain.is_within_limits(found.q))


@pytest.mark.parametrize("arm", [arms.rebel, arms.odd_arm, lambda: rj.preset("franka_panda").chain()])
def test_solutions_are_distinct_within_limits_and_true(arm: object) -> None:
    chain = arm()  # type: ignore[operator]
    oracle = reference.from_chain(chain)
    for target in reachable(chain, 15, seed=17):
        params = rj.MultiSeedParams(max_attempts=60)
        found = rj.all_solutions(chain, target, params=params)
        q = found.q
        assert np.all(chain.is_within_limits(q))
        turning = [joint.joint_type == "revolute" for joint in chain.joints]
        difference = q[:, None] - q[None]
        folded = difference.copy()
        folded[..., turning] -= TURN * np.round(folded[..., turning] / TURN)
        same_but_for_turns = np.abs(folded).max(axis=2) < 1e-3
        apart_by_turns = np.abs(difference).max(axis=2) > 1.0
        assert np.all(~same_but_for_turns | apart_by_turns | np.eye(len(q), dtype=bool))
        for k in range(len(q)):
            e = reference.pose_error(reference.fk(oracle, q[k]), target)
            assert found.position_error[k] == pytest.approx(np.linalg.norm(e[:3]), abs=1e-12)
            assert found.orientation_error[k] == pytest.approx(np.linalg.norm(e[3:]), abs=1e-11)
            assert found.position_error[k] <= 1e-4
            assert found.orientation_error[k] <= 1e-3
        # Every attempt that converges is near to a solution on the list, and the list has no others.
        attempts = all_attempts(chain, target[None], None, params)
        assert set(found.seed_index.tolist()) <= set(np.flatnonzero(attempts.converged[0]).tolist())
        assert (len(found) > 0) == bool(attempts.converged.any())


def test_none_at_all() -> None:
    found = rj.all_solutions(arms.odd_arm(), far_away(1)[0])
    assert len(found) == 0
    assert found.q.shape == (0, 7)
    assert found.position_error.shape == found.orientation_error.shape == found.seed_index.shape == (0,)


def test_more_attempts_find_no_fewer() -> None:
    chain = closed_form.arm(math.pi)
    target = rj.forward_kinematics(chain, regular(np.random.default_rng(4), math.pi))
    found = [
        rj.all_solutions(chain, target, params=rj.MultiSeedParams(max_attempts=attempts)) for attempts in (1, 4, 16, 64)
    ]
    for fewer, more in itertools.pairwise(found):
        assert np.array_equal(more.q[: len(fewer)], fewer.q)
    assert len(found[0]) < len(found[-1])


def test_too_many_turns_are_refused() -> None:
    limits = rj.JointLimits.revolute(-100.0, 100.0)
    joints = [rj.JointSpec.revolute((0.1, 0, 0), (0.5, 0, 0), "pos_z", limits) for _ in range(6)]
    chain = rj.KinematicChain(joints)
    target = rj.forward_kinematics(chain, np.full(6, 0.3))
    with pytest.raises(rj.InputError, match="windings"):
        rj.all_solutions(chain, target, params=rj.MultiSeedParams(max_attempts=100))


def test_masked_tasks_have_their_solutions() -> None:
    """Three joints and a position: elbow up or down, shoulder forward or back."""
    limits = rj.JointLimits.revolute(-math.pi, math.pi)
    chain = rj.KinematicChain(
        [
            rj.JointSpec.revolute((0, 0, 0.3), (0, 0, 0), "pos_z", limits),
            rj.JointSpec.revolute((0, 0, 0), (0, 0, 0), "pos_y", limits),
            rj.JointSpec.revolute((0.4, 0, 0), (0, 0, 0), "pos_y", limits),
        ],
        tool_offset=reference.transform((0.3, 0, 0)),
    )
    target = rj.forward_kinematics(chain, [0.5, -0.4, 0.9])
    params = rj.MultiSeedParams(max_attempts=100, axis_mask=(True, True, True, False, False, False))
    found = rj.all_solutions(chain, target, params=params)
    assert len(found) == 4
    assert sorted(np.round(found.q[:, 2], 3).tolist()) == [-0.9, -0.9, 0.9, 0.9]
