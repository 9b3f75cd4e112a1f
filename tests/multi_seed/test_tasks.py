"""Tasks that leave part of the pose free: masked axes of the target's frame, a free tool axis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import repose_jit as rj
from tests import arms, reference
from tests.multi_seed.attempts import assert_same, far_away, reachable

Array = np.ndarray


def masked_errors(chain: rj.KinematicChain, q: Array, targets: Array, mask: tuple[bool, ...]) -> Array:
    """Return (N, 2) errors of what the mask controls, in the target's frame, by the oracle."""
    oracle = reference.from_chain(chain)
    errors = np.empty((len(q), 2))
    for i, target in enumerate(targets):
        e = reference.pose_error(reference.fk(oracle, q[i]), target)
        local = np.concatenate([target[:3, :3].T @ e[:3], target[:3, :3].T @ e[3:]]) * mask
        errors[i] = np.linalg.norm(local[:3]), np.linalg.norm(local[3:])
    return errors


def axis_angles(chain: rj.KinematicChain, q: Array, targets: Array, axis: int) -> Array:
    """Return the angle between a tool axis and the target's, by the oracle."""
    oracle = reference.from_chain(chain)
    tools = np.array([reference.fk(oracle, each)[:3, axis] for each in q])
    wanted = targets[:, :3, axis]
    sine = np.linalg.norm(np.cross(tools, wanted), axis=1)
    return np.arctan2(sine, np.sum(tools * wanted, axis=1))


def free_targets(count: int, seed: int = 0) -> Array:
    """Return poses within reach of a ReBeL's or UR5's flange, in any orientation."""
    rng = np.random.default_rng(seed)
    poses = [
        reference.transform(rng.uniform((0.1, -0.3, 0.1), (0.4, 0.3, 0.5)), rng.uniform(-math.pi, math.pi, 3))
        for _ in range(count)
    ]
    return np.array(poses)


SINGLE = [tuple(i == j for j in range(6)) for i in range(6)]
SEVERAL = [
    (True, True, True, False, False, False),
    (False, False, False, True, True, True),
    (True, False, True, False, True, False),
    (False, True, True, True, True, True),
]


@pytest.mark.parametrize("mask", [*SINGLE, *SEVERAL])
def test_masked_axes_are_free_and_the_others_are_reached(mask: tuple[bool, ...]) -> None:
    chain = rj.preset("ur5").chain()
    targets = free_targets(100)
    params = rj.MultiSeedParams(max_attempts=100, axis_mask=mask)
    result = rj.inverse_kinematics_batch(chain, targets, params=params)
    assert np.all(result.converged)
    assert np.all(chain.is_within_limits(result.q))
    errors = masked_errors(chain, result.q, targets, mask)
    reported = np.stack([result.position_error, result.orientation_error], axis=-1)
    assert errors == pytest.approx(reported, abs=1e-12)
    assert np.all(errors <= (1e-4, 1e-3))
    # What is free is not held: the whole pose is missed.
    whole = masked_errors(chain, result.q, targets, (True,) * 6)
    assert np.mean(np.any(whole > (1e-2, 1e-1), axis=1)) > 0.9


@pytest.mark.parametrize("mask", [*SINGLE, *SEVERAL])
def test_reported_errors_are_the_masked_ones_without_a_solution(mask: tuple[bool, ...]) -> None:
    chain = arms.odd_arm()
    targets = far_away(30)
    result = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(max_attempts=2, axis_mask=mask))
    errors = masked_errors(chain, result.q, targets, mask)
    assert result.position_error == pytest.approx(errors[:, 0], abs=1e-10)
    assert result.orientation_error == pytest.approx(errors[:, 1], abs=1e-10)
    if not any(mask[:3]):
        assert np.all(result.position_error == 0.0)
    if not any(mask[3:]):
        assert np.all(result.orientation_error == 0.0)


def test_position_only_on_an_arm_of_three_joints() -> None:
    limits = rj.JointLimits.revolute(-2.6, 2.6)
    chain = rj.KinematicChain(
        [
            rj.JointSpec.revolute((0, 0, 0.3), (0, 0, 0), "pos_z", rj.JointLimits.continuous()),
            rj.JointSpec.revolute((0.05, 0, 0), (0, 0, 0), "pos_y", limits),
            rj.JointSpec.revolute((0.4, 0, 0), (0, 0, 0), "pos_y", limits),
        ],
        tool_offset=reference.transform((0.35, 0, 0)),
    )
    targets = reachable(chain, 1000)
    rng = np.random.default_rng(1)
    targets[:, :3, :3] = [reference.rotation_rpy(rng.uniform(-3, 3, 3)) for _ in targets]
    position = (True, True, True, False, False, False)
    result = rj.inverse_kinematics_batch(
        chain, targets, params=rj.MultiSeedParams(max_attempts=100, axis_mask=position)
    )
    assert np.all(result.converged)
    assert np.all(masked_errors(chain, result.q, targets, position)[:, 0] <= 1e-4)
    assert not rj.inverse_kinematics_batch(chain, targets[:100]).converged.any()


def test_all_axes_are_the_whole_pose() -> None:
    chain = arms.odd_arm()
    targets = reachable(chain, 50)
    whole = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(axis_mask=(True,) * 6))
    assert_same(whole, rj.inverse_kinematics_batch(chain, targets))


def test_the_mask_is_of_the_targets_frame() -> None:
    """A tool that slides along the target's x: turned by 90°, along its y."""
    chain = rj.preset("ur5").chain()
    targets = free_targets(50, seed=2)
    turned = targets.copy()
    turned[:, :3, :3] = targets[:, :3, :3] @ reference.rotation_rpy((0, 0, 0.5 * math.pi))
    along_x, along_y = (False, True, True, False, False, False), (True, False, True, False, False, False)
    a = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(axis_mask=along_x))
    b = rj.inverse_kinematics_batch(chain, turned, params=rj.MultiSeedParams(axis_mask=along_y))
    assert a.converged.all()
    assert b.converged.all()
    assert np.abs(a.q - b.q).max() < 1e-6


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("rule", ["adaptive", "fixed"])
def test_a_free_axis_is_reached_and_the_roll_is_free(axis: Any, rule: Any) -> None:
    chain = rj.preset("ur5").chain()
    targets = free_targets(100, seed=3)
    params = rj.MultiSeedParams(max_attempts=100, max_iterations=100, free_axis=axis, step_rule=rule)
    result = rj.inverse_kinematics_batch(chain, targets, params=params)
    assert result.converged.mean() > 0.9
    angles = axis_angles(chain, result.q, targets, "xyz".index(axis))
    assert result.orientation_error == pytest.approx(angles, abs=1e-12)
    positions = masked_errors(chain, result.q, targets, (True,) * 6)[:, 0]
    assert result.position_error == pytest.approx(positions, abs=1e-12)
    within = (angles <= 1e-3) & (positions <= 1e-4)
    assert np.array_equal(within, result.converged)
    rolls = masked_errors(chain, result.q, targets, (False,) * 3 + (True,) * 3)[:, 1]
    assert np.median(rolls) > 0.3


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-6])
def test_opposed_axes_are_turned_round(axis: Any, off: float) -> None:
    """The start axis is 180° from the target's: any normal will do, and one is taken."""
    chain = rj.preset("ur5").chain()
    # Shoulder and elbow bent, so that no half turn is singular.
    seed = np.array([0.4, -1.2, 1.5, -0.6, 1.1, 0.3])
    start = rj.forward_kinematics(chain, seed)
    i = "xyz".index(axis)
    other = np.eye(3)[(i + 1) % 3]
    target = start.copy()
    target[:3, :3] = start[:3, :3] @ reference.rodrigues(other, math.pi - off)
    before = rj.solve_one(chain, target, seeds=seed, params=rj.MultiSeedParams(max_attempts=1, free_axis=axis))
    assert before.iterations > 0
    assert np.all(np.isfinite(before.q))
    result = rj.solve_one(chain, target, seeds=seed, params=rj.MultiSeedParams(free_axis=axis, max_attempts=200))
    assert result.converged
    assert axis_angles(chain, result.q[None], target[None], i)[0] <= 1e-3


def test_opposed_axes_are_not_taken_for_equal_ones() -> None:
    """An arm that cannot turn its tool over: the error is π, not 0."""
    chain = rj.KinematicChain(
        [rj.JointSpec.revolute((0, 0, 0), (0, 0, 0), "pos_z", rj.JointLimits.revolute(-1.0, 1.0))],
    )
    target = np.diag([1.0, -1.0, -1.0, 1.0])
    result = rj.solve_one(chain, target, params=rj.MultiSeedParams(free_axis="z"))
    assert not result.converged
    assert result.orientation_error == pytest.approx(math.pi, abs=1e-12)
    assert rj.solve_one(chain, np.eye(4), params=rj.MultiSeedParams(free_axis="z")).converged


def test_an_arm_of_five_joints_reaches_with_a_free_axis() -> None:
    """What five joints cannot: a position and a direction, whatever the roll."""
    chain = rj.preset("so101").chain()
    targets = reachable(chain, 300)
    # A roll about the tool's z that the arm may not have.
    roll = reference.transform((0, 0, 0), (0, 0, 1.0))
    params = rj.MultiSeedParams(max_attempts=400, free_axis="z")
    assert rj.inverse_kinematics_batch(chain, targets, params=params).converged.all()
    rolled = rj.inverse_kinematics_batch(chain, targets @ roll, params=params)
    assert rolled.converged.all()
    assert np.all(axis_angles(chain, rolled.q, targets, 2) <= 1e-3)


def test_free_axis_with_masked_position() -> None:
    """To point in a direction, anywhere along the target's x."""
    chain = rj.preset("ur5").chain()
    targets = free_targets(60, seed=4)
    mask = (False, True, True, True, True, True)
    result = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(free_axis="z", axis_mask=mask))
    assert result.converged.all()
    assert np.all(axis_angles(chain, result.q, targets, 2) <= 1e-3)
    errors = masked_errors(chain, result.q, targets, (False, True, True, False, False, False))
    assert np.all(errors[:, 0] <= 1e-4)
    assert np.median(masked_errors(chain, result.q, targets, (True,) * 6)[:, 0]) > 1e-3
