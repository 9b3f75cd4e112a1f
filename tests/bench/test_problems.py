from __future__ import annotations

import math

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.bench import WrongAnswerError
from repose_jit.bench.problems import Problems, sampled_configurations
from repose_jit.errors import InputError
from repose_jit.multi_seed import MultiSeedParams
from tests.arms import odd_arm, random_chain, rebel


def slider_and_turret():
    """Return a chain whose two errors are the two entries of `q`, to the last digits."""
    slide = rj.JointSpec.prismatic([0, 0, 0], [0, 0, 0], "pos_x", rj.JointLimits.prismatic(-1, 1))
    turn = rj.JointSpec.revolute([0, 0, 0], [0, 0, 0], "pos_z", rj.JointLimits.revolute(-2 * math.pi, 2 * math.pi))
    return rj.KinematicChain([slide, turn])


def problems_of(chain, q, **params):
    return Problems(
        chain=chain, targets=rj.forward_kinematics(chain, q), params=MultiSeedParams(**params), what="the arm"
    )


def test_configurations_are_within_the_limits_and_fill_them():
    chain = rebel()
    q = sampled_configurations(chain, 500, rng_seed=0)
    assert q.shape == (500, 6)
    assert np.all(chain.is_within_limits(q))
    width = chain.upper_limits - chain.lower_limits
    assert np.all(q.min(axis=0) < chain.lower_limits + 0.05 * width)
    assert np.all(q.max(axis=0) > chain.upper_limits - 0.05 * width)


def test_the_seed_chooses_the_configurations():
    chain = odd_arm()
    first, again, other = (sampled_configurations(chain, 20, rng_seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert not np.any(np.all(first == other, axis=-1))
    np.testing.assert_array_equal(sampled_configurations(chain, 7, rng_seed=3), first[:7])


def test_joints_without_limits_turn_once_around_and_fixed_ones_stay():
    joints = [
        rj.JointSpec.revolute([0, 0, 1], [0, 0, 0], limits=rj.JointLimits.continuous()),
        rj.JointSpec.fixed([0, 0, 1], [0, 0, 0]),
    ]
    q = sampled_configurations(rj.KinematicChain(joints), 400, rng_seed=0)
    assert np.all(np.abs(q[:, 0]) <= math.pi)
    assert np.ptp(q[:, 0]) > 6.0
    np.testing.assert_array_equal(q[:, 1], 0.0)


def test_a_joint_that_slides_without_limits_is_refused():
    endless = rj.KinematicChain([rj.JointSpec.prismatic([0, 0, 0], [0, 0, 0])])
    with pytest.raises(InputError, match=r"'joint1': got limits .* on a prismatic joint"):
        sampled_configurations(endless, 5, rng_seed=0)


@pytest.mark.parametrize("seed", range(8))
def test_right_answers_of_any_chain_are_counted(seed):
    chain = random_chain(np.random.default_rng(seed), 7)
    q = sampled_configurations(chain, 30, rng_seed=seed)
    problems = problems_of(chain, q, position_tolerance=1e-6, orientation_tolerance=1e-6)
    assert problems.count_verified(q, np.ones(30, bool)) == 30


def test_leading_dimensions_and_lists_do_not_matter():
    chain = odd_arm()
    q = sampled_configurations(chain, 12, rng_seed=0).reshape(3, 4, -1)
    problems = problems_of(chain, q)
    claimed = np.arange(12).reshape(3, 4) % 3 == 0
    assert problems.count_verified(q, claimed) == 4
    assert problems.count_verified(list(q), claimed.tolist()) == 4


def test_nobody_checks_answers_that_are_not_claimed():
    q = sampled_configurations(rebel(), 5, rng_seed=0)
    wrong = q + 0.5
    wrong[0] = np.nan
    assert problems_of(rebel(), q).count_verified(wrong, np.zeros(5, bool)) == 0


@pytest.mark.parametrize(("entry", "tolerance"), [(0, 1e-6), (0, 1e-4), (1, 1e-6), (1, 1e-3)])
def test_the_tolerance_decides(entry, tolerance):
    name = ("position_tolerance", "orientation_tolerance")[entry]
    problems = problems_of(slider_and_turret(), np.zeros((1, 2)), **{name: tolerance})
    q = np.zeros((1, 2))
    q[0, entry] = 0.9999 * tolerance
    assert problems.count_verified(q, [True]) == 1
    q[0, entry] = 1.0001 * tolerance
    with pytest.raises(WrongAnswerError, match="1 of 1 answers"):
        problems.count_verified(q, [True])


def test_half_a_turn_is_the_largest_error_and_no_small_one():
    problems = problems_of(slider_and_turret(), np.zeros((1, 2)), orientation_tolerance=3.1)
    with pytest.raises(WrongAnswerError, match=r"orientation error 3\.14 rad"):
        problems.count_verified([[0.0, math.pi]], [True])
    assert problems.count_verified([[0.0, math.pi - 0.05]], [True]) == 1


def test_the_right_pose_outside_the_limits_is_wrong():
    problems = problems_of(slider_and_turret(), np.array([[0.5, 2.0]]))
    assert problems.count_verified([[0.5, 2.0 - 2 * math.pi]], [True]) == 1
    with pytest.raises(WrongAnswerError, match=r"got position error 0 m, .* outside the limits"):
        problems.count_verified([[0.5, 2.0 + 2 * math.pi]], [True])


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e19])
def test_answers_that_are_no_configuration_are_wrong(bad):
    q = sampled_configurations(rebel(), 3, rng_seed=0)
    problems = problems_of(rebel(), q)
    wrong = q.copy()
    wrong[1, 2] = bad
    with pytest.raises(WrongAnswerError, match=r"1 of 3 answers .* Target 1: got position error nan"):
        problems.count_verified(wrong, [True] * 3)


def test_the_message_names_the_first_wrong_target_of_all():
    q = sampled_configurations(rebel(), 10, rng_seed=0)
    wrong = q.copy()
    wrong[[0, 6, 8], 0] += 0.01
    claimed = np.ones(10, bool)
    claimed[[0, 2]] = False
    with pytest.raises(
        WrongAnswerError, match=r"^the arm: 2 of 8 answers .* Target 6: .* at most 0\.0001 m and 0\.001 rad"
    ):
        problems_of(rebel(), q).count_verified(wrong, claimed)
