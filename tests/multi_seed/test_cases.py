"""Targets of a special kind: out of reach, barely in reach, at limits, singular, half a turn away, already reached."""

from __future__ import annotations

import math

import numpy as np
import pytest

import repose_jit as rj
from tests import arms, reference
from tests.multi_seed.attempts import assert_same, far_away, reachable

Array = np.ndarray
TIGHT = rj.MultiSeedParams(max_attempts=200, position_tolerance=1e-6, orientation_tolerance=1e-6)


def ur5() -> rj.KinematicChain:
    return rj.preset("ur5").chain()


def assert_solved(
    chain: rj.KinematicChain, targets: Array, result: rj.IkBatchResult, tolerances: tuple[float, float]
) -> None:
    """All converged, which the oracle's forward kinematics confirms."""
    assert np.all(result.converged)
    assert np.all(chain.is_within_limits(result.q))
    oracle = reference.from_chain(chain)
    for q, target in zip(result.q, targets, strict=True):
        e = reference.pose_error(reference.fk(oracle, q), target)
        assert np.linalg.norm(e[:3]) <= tolerances[0] + 1e-12
        assert np.linalg.norm(e[3:]) <= tolerances[1] + 1e-12


@pytest.mark.parametrize("rule", ["adaptive", "fixed"])
def test_out_of_reach_is_a_status(rule: str) -> None:
    chain = arms.odd_arm()
    params = rj.MultiSeedParams(max_attempts=7, step_rule=rule)  # type: ignore[arg-type]
    result = rj.inverse_kinematics_batch(chain, far_away(20), params=params)
    assert not result.converged.any()
    assert np.all(np.asarray(result.status) == rj.IkStatus.MAX_ITERATIONS_REACHED)
    assert np.all(result.attempts == 7)
    assert np.all((result.seed_index >= 0) & (result.seed_index < 7))
    assert np.all(result.position_error > 100.0)
    assert np.all(chain.is_within_limits(result.q))
    assert np.all(np.isfinite(result.q))
    if rule == "adaptive":
        assert np.all(result.iterations < 7 * 30), "attempts that get nowhere end early"
    else:
        assert np.all(result.iterations == 7 * 30)


def test_far_beyond_all_arms_stays_finite() -> None:
    targets = far_away(3)
    targets[:, :3, 3] = [[1e9, 0, 0], [-1e9, 1e9, 1e9], [0, 0, -1e9]]
    for chain in (arms.rebel(), arms.odd_arm()):
        for selection in ("first", "max_manipulability"):
            params = rj.MultiSeedParams(max_attempts=3, selection=selection)  # type: ignore[arg-type]
            result = rj.inverse_kinematics_batch(chain, targets, params=params)
            assert np.all(np.isfinite(result.q))
            assert np.all(chain.is_within_limits(result.q))
            assert result.position_error == pytest.approx(np.linalg.norm(targets[:, :3, 3], axis=1), rel=1e-6)


def test_the_best_of_all_attempts_is_returned() -> None:
    """Out of reach by a little: no attempt is closer than the one returned."""
    chain = arms.rebel()
    targets = reachable(chain, 60)
    targets[:, :3, 3] *= 1.3
    result = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(max_attempts=12))
    unsolved = np.flatnonzero(~result.converged)
    assert len(unsolved) > 10
    assert len(set(result.seed_index[unsolved].tolist())) > 3
    for i in unsolved:
        seed = rj.spread_seeds(chain, 12)[result.seed_index[i]]
        places = np.tile(seed, (int(result.seed_index[i]) + 1, 1))
        again = rj.solve_one(chain, targets[i], seeds=places, params=rj.MultiSeedParams(max_attempts=len(places)))
        # All of these start from the same seed, half of them free of limits: one of them is the attempt itself.
        assert again.position_error <= result.position_error[i] or again.orientation_error < result.orientation_error[i]


def test_a_stretched_arm_is_reached() -> None:
    """At and near the boundary of what it reaches, where a second solution meets the first."""
    chain = ur5()
    rng = np.random.default_rng(0)
    goals = arms.random_configurations(chain, rng, 300)
    goals[:, 2] = np.repeat([0.0, 1e-6, 1e-3], 100)
    targets = rj.forward_kinematics(chain, goals)
    loose = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(max_attempts=200))
    assert_solved(chain, targets, loose, (1e-4, 1e-3))
    assert_solved(chain, targets, rj.inverse_kinematics_batch(chain, targets, params=TIGHT), (1e-6, 1e-6))


@pytest.mark.parametrize("arm", ["ur5", "igus_rebel", "franka_panda", "kuka_iiwa14"])
def test_joints_at_their_limits_are_reached(arm: str) -> None:
    chain = rj.preset(arm).chain()
    rng = np.random.default_rng(1)
    goals = arms.random_configurations(chain, rng, 300)
    for q in goals:
        at = rng.choice(chain.n_joints, rng.integers(1, chain.n_joints + 1), replace=False)
        q[at] = np.where(rng.random(len(at)) < 0.5, chain.lower_limits[at], chain.upper_limits[at])
    targets = rj.forward_kinematics(chain, goals)
    result = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(max_attempts=1000))
    assert_solved(chain, targets, result, (1e-4, 1e-3))


def test_the_corners_of_the_limits_are_reached() -> None:
    chain = arms.rebel()
    corners = np.array(np.meshgrid(*zip(chain.lower_limits, chain.upper_limits, strict=True))).reshape(6, -1).T
    targets = rj.forward_kinematics(chain, corners)
    result = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(max_attempts=2000))
    assert_solved(chain, targets, result, (1e-4, 1e-3))


@pytest.mark.parametrize("arm", ["ur5", "igus_rebel", "abb_irb120"])
def test_aligned_wrists_are_reached(arm: str) -> None:
    """Joint 5 at zero: axes 4 and 6 are parallel, and one direction is lost."""
    chain = rj.preset(arm).chain()
    goals = arms.random_configurations(chain, np.random.default_rng(2), 300)
    goals[:, 4] = np.repeat([0.0, 1e-7, -1e-3], 100)
    targets = rj.forward_kinematics(chain, goals)
    for params, tolerances in ((rj.MultiSeedParams(max_attempts=200), (1e-4, 1e-3)), (TIGHT, (1e-6, 1e-6))):
        assert_solved(chain, targets, rj.inverse_kinematics_batch(chain, targets, params=params), tolerances)


def test_a_singular_seed_is_left() -> None:
    """The stretched, upright arm: its Jacobian has rank 3 to 4."""
    chain = ur5()
    seed = np.array([0.0, -0.5 * math.pi, 0.0, -0.5 * math.pi, 0.0, 0.0])
    targets = reachable(chain, 200)
    result = rj.inverse_kinematics_batch(chain, targets, seeds=seed, params=rj.MultiSeedParams(max_attempts=1))
    assert np.all(np.isfinite(result.q))
    assert result.converged.sum() > 60
    assert_solved(chain, targets, rj.inverse_kinematics_batch(chain, targets, seeds=seed), (1e-4, 1e-3))


def test_a_target_that_is_reached_already() -> None:
    chain = arms.odd_arm()
    home = rj.spread_seeds(chain, 1)[0]
    result = rj.solve_one(chain, rj.forward_kinematics(chain, home))
    assert (result.iterations, result.attempts, result.seed_index) == (0, 1, 0)
    assert np.array_equal(result.q, home)
    assert result.position_error < 1e-15


@pytest.mark.parametrize("short_of", [0.0, 1e-9, 1e-4, 1e-2])
def test_half_a_turn_is_no_obstacle(short_of: float) -> None:
    """The quick error of a rotation loses its direction there; later attempts start elsewhere."""
    chain = ur5()
    goals = arms.random_configurations(chain, np.random.default_rng(3), 200)
    targets = rj.forward_kinematics(chain, goals)
    seeds = goals.copy()
    seeds[:, 5] -= np.sign(goals[:, 5]) * (math.pi - short_of)
    starts = rj.forward_kinematics(chain, seeds)
    half = np.array([np.linalg.norm(reference.pose_error(*pair)) for pair in zip(starts, targets, strict=True)])
    assert half == pytest.approx(np.full(200, math.pi - short_of), abs=1e-9)
    first = rj.inverse_kinematics_batch(chain, targets, seeds=seeds, params=rj.MultiSeedParams(max_attempts=1))
    assert np.all(first.iterations > 0)
    result = rj.inverse_kinematics_batch(chain, targets, seeds=seeds)
    assert_solved(chain, targets, result, (1e-4, 1e-3))


def test_half_a_turn_is_not_taken_for_none() -> None:
    """An arm with one joint that must turn by π exactly, and one that cannot."""
    turn = rj.JointSpec.revolute((0, 0, 0), (0, 0, 0), "pos_z", rj.JointLimits.revolute(-3.0, 3.0))
    chain = rj.KinematicChain([turn])
    target = np.diag([-1.0, -1.0, 1.0, 1.0])
    result = rj.solve_one(chain, target)
    assert not result.converged
    assert result.orientation_error == pytest.approx(math.pi - 3.0, abs=1e-9)
    free = rj.KinematicChain([rj.JointSpec.revolute((0, 0, 0), (0, 0, 0), "pos_z", rj.JointLimits.continuous())])
    assert rj.solve_one(free, target).converged


def test_duplicates_have_the_same_result() -> None:
    chain = arms.rebel()
    target = reachable(chain, 1, seed=8)
    result = rj.inverse_kinematics_batch(chain, np.repeat(target, 1000, axis=0))
    assert_same(result[np.zeros(1000, int)], result)


def test_free_joints_come_back_within_limits_nearest_to_the_seed() -> None:
    """±2π limits: of the turns within them, the one nearest to the seed, or to the reference."""
    chain = ur5()
    targets = reachable(chain, 300, seed=9)
    rng = np.random.default_rng(10)
    seeds = rng.uniform(-2.0 * math.pi, 2.0 * math.pi, (300, 6))
    centre = np.array([6.0, -6.0, 3.0, -3.0, 0.5, -0.5])
    plain = rj.MultiSeedParams(max_attempts=1)
    towards = rj.MultiSeedParams(max_attempts=1, reference=centre)
    for params, centres in ((plain, seeds), (towards, np.tile(centre, (300, 1)))):
        result = rj.inverse_kinematics_batch(chain, targets, seeds=seeds, params=params)
        solved = result.converged
        assert solved.sum() > 100
        q, wanted = result.q[solved], centres[solved]
        for turn in (-2.0 * math.pi, 2.0 * math.pi):
            other = q + turn
            is_inside = (other >= chain.lower_limits) & (other <= chain.upper_limits)
            farther = np.abs(other - wanted) >= np.abs(q - wanted) - 1e-9
            assert np.all(farther | ~is_inside)
    # Joint angles differ by whole turns only.
    a = rj.inverse_kinematics_batch(chain, targets, seeds=seeds, params=plain)
    b = rj.inverse_kinematics_batch(chain, targets, seeds=seeds, params=towards)
    turns = (b.q - a.q)[a.converged] / (2.0 * math.pi)
    assert np.abs(turns - np.round(turns)).max() < 1e-9
    assert np.abs(np.round(turns)).max() == 1.0
    assert np.array_equal(a.iterations, b.iterations)


@pytest.mark.parametrize("lower", [-2.75, -3.1, -math.pi])
def test_a_free_joint_never_ends_in_the_gap_of_its_limits(lower: float) -> None:
    """A range of 5.5 rad to a turn: what runs free may stop where no winding is within the limits."""
    arm = arms.rebel()
    joints = list(arm.joints)
    for i in (0, 3, 5):
        limits = rj.JointLimits.revolute(lower, -lower)
        joint = joints[i]
        joints[i] = rj.JointSpec.revolute(
            joint.origin_transform()[:3, 3], reference_rpy(joint), joint.axis, limits, name=joint.name
        )
    chain = rj.KinematicChain(joints)
    targets = reachable(chain, 3000, seed=11)
    # Half of these need the other side of the gap.
    turned = targets.copy()
    turned[::2] = rj.forward_kinematics(arm, arms.random_configurations(arm, np.random.default_rng(12), 1500))
    result = rj.inverse_kinematics_batch(chain, turned, params=rj.MultiSeedParams(max_attempts=200))
    assert np.all(chain.is_within_limits(result.q))
    assert np.all(result.converged[1::2])
    error = np.maximum(result.position_error / 1e-4, result.orientation_error / 1e-3)
    assert np.array_equal(result.converged, error <= 1.0)


def reference_rpy(joint: rj.JointSpec) -> tuple[float, float, float]:
    R = joint.origin_transform()[:3, :3]
    return math.atan2(R[2, 1], R[2, 2]), -math.asin(R[2, 0]), math.atan2(R[1, 0], R[0, 0])


@pytest.mark.parametrize("n_slots", [1, 2, 3, 4, 5])
def test_short_arms_reach_what_they_can(n_slots: int) -> None:
    chain = arms.random_chain(np.random.default_rng(40 + n_slots), n_slots)
    targets = reachable(chain, 500)
    result = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(max_attempts=400))
    assert np.all(result.converged)
    moved = targets.copy()
    moved[:, :3, 3] += 50.0
    assert not rj.inverse_kinematics_batch(chain, moved).converged.any()


def test_a_joint_without_range_stands_still() -> None:
    still = rj.JointLimits.revolute(0.7, 0.7)
    arm = arms.rebel()
    first = rj.JointSpec.revolute((0, 0, 0.1), (0, 0, 0), "pos_x", still, name="still")
    chain = rj.KinematicChain([first, *arm.joints])
    targets = reachable(chain, 200)
    result = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(max_attempts=200))
    assert np.all(result.converged)
    assert np.all(result.q[:, 0] == 0.7)
