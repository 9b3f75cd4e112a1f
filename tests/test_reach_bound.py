"""The ball that proves poses unreachable: it holds the point in every configuration, and is not much too large."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from repose_jit.chain import KinematicChain
from repose_jit.joints import JointLimits, JointMimic, JointSpec
from repose_jit.kinematics import forward_kinematics
from repose_jit.reach_bound import reach_bound
from repose_jit.seeds import spread_seeds
from tests import reference as ref
from tests.reach.robots import ORIGIN, gantry, random_chain, rebel, shell_arm


def corners(chain: KinematicChain, rng: np.random.Generator, count: int) -> np.ndarray:
    """Return configurations within the limits, half of the entries at one of them."""
    lower, upper = np.maximum(chain.lower_limits, -4.0), np.minimum(chain.upper_limits, 4.0)
    q = rng.uniform(lower, upper, (count, chain.n_joints))
    end = np.where(rng.random(q.shape) < 0.5, lower, upper)
    return np.where(rng.random(q.shape) < 0.5, end, q)


@pytest.mark.parametrize("seed", range(60))
def test_no_configuration_leaves_the_ball(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng)
    bound = reach_bound(chain)
    oracle = ref.from_chain(chain)
    for q in corners(chain, rng, 100):
        T = ref.fk(oracle, q)
        assert np.linalg.norm(T[:3, :3] @ bound.point + T[:3, 3] - bound.centre) <= bound.radius + 1e-12
        assert np.linalg.norm(T[:3, 3] - bound.centre) <= bound.tool_radius + 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_no_pose_within_the_tolerances_of_a_configuration_is_excluded(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng)
    T = forward_kinematics(chain, corners(chain, rng, 500))
    # Moved and turned outward by exactly what would still count as reached.
    away = T[:, :3, 3] - reach_bound(chain).centre
    p = T[:, :3, 3] + 0.05 * away / np.linalg.norm(away, axis=1, keepdims=True)
    turns = rng.normal(size=(500, 3))
    turns *= 0.2 / np.linalg.norm(turns, axis=1, keepdims=True)
    R = np.array([ref.exp_so3(w) for w in turns]) @ T[:, :3, :3]
    excluded = reach_bound(chain).excludes(R, p, position_tolerance=0.05, orientation_tolerance=0.2)
    assert not excluded.any()


def test_the_ball_of_an_arm_that_can_stretch_is_exact() -> None:
    bound = reach_bound(shell_arm(0.3, 0.2, tool=0.1))
    np.testing.assert_allclose(bound.centre, [0, 0, 0.4], atol=1e-12)
    np.testing.assert_allclose(bound.point, [0, 0, -0.1], atol=1e-12)
    assert bound.radius == pytest.approx(0.5, abs=1e-12)
    assert bound.tool_radius == pytest.approx(0.6, abs=1e-12)


def test_slides_count_half_their_length_from_the_middle() -> None:
    bound = reach_bound(gantry((0.6, 0.4, 0.2)))
    np.testing.assert_allclose(bound.centre, [0.3, 0.2, 0.1], atol=1e-12)
    assert bound.radius == pytest.approx(0.6, abs=1e-12)


def test_offsets_along_axes_that_cancel_do_not_count() -> None:
    chain = rebel()
    bound = reach_bound(chain)
    q = np.random.default_rng(0).uniform(chain.lower_limits, chain.upper_limits, (200_000, 6))
    T = forward_kinematics(chain, q)
    furthest = np.linalg.norm(T[:, :3, 3] - bound.centre, axis=1).max()
    assert 0.998 * bound.tool_radius < furthest <= bound.tool_radius
    stretched = sum(np.linalg.norm(joint.origin_translation) for joint in chain.slots[1:])
    assert bound.tool_radius < 0.81 * stretched


def test_a_fixed_chain_reaches_its_one_pose() -> None:
    chain = KinematicChain([JointSpec.fixed((1, 2, 3), (0.1, 0.2, 0.3))])
    T = forward_kinematics(chain, [0.0])
    at = {"position_tolerance": 1e-4, "orientation_tolerance": 1e-3}
    bound = reach_bound(chain)
    assert not bound.excludes(T[:3, :3], T[:3, 3], **at)
    assert bound.excludes(T[:3, :3], T[:3, 3] + [2e-4, 0, 0], **at)


def test_what_can_slide_without_end_has_no_bound() -> None:
    endless = KinematicChain([JointSpec.prismatic(ORIGIN, ORIGIN)])
    assert reach_bound(endless).radius == inf
    assert not reach_bound(endless).excludes(
        np.eye(3), np.array([1e6, 0, 0]), position_tolerance=0, orientation_tolerance=0
    )
    rack = JointSpec.prismatic(ORIGIN, ORIGIN, name="rack", mimic=JointMimic("wheel", 0.1))
    assert reach_bound(KinematicChain([JointSpec.revolute(ORIGIN, ORIGIN, name="wheel"), rack])).radius == inf
    still = JointSpec.prismatic(ORIGIN, ORIGIN, name="rack", mimic=JointMimic("wheel", 0.0, 0.3))
    assert reach_bound(KinematicChain([JointSpec.revolute(ORIGIN, ORIGIN, name="wheel"), still])).radius == 0.0


def test_limits_that_are_not_enforced_bound_nothing() -> None:
    slide = JointSpec.prismatic(ORIGIN, ORIGIN, "pos_z", JointLimits.prismatic(0, 1))
    assert reach_bound(KinematicChain([slide]), enforce_joint_limits=False).radius == inf
    assert reach_bound(rebel(), enforce_joint_limits=False).radius == reach_bound(rebel()).radius


def test_all_seeds_are_in_the_ball() -> None:
    chain = gantry()
    bound = reach_bound(chain)
    T = forward_kinematics(chain, spread_seeds(chain, 100))
    excluded = bound.excludes(T[:, :3, :3], T[:, :3, 3], position_tolerance=1e-9, orientation_tolerance=1e-9)
    assert not excluded.any()
