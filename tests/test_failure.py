"""Why a solve from many seeds failed, in words; those from one seed are in test_ik.py."""

from __future__ import annotations

import numpy as np
import pytest

import repose_jit as rj
from tests import arms


def test_a_target_beyond_the_arm_is_called_out_of_reach() -> None:
    chain = arms.rebel()
    target = rj.forward_kinematics(chain, chain.home)
    target[0, 3] += 2.0
    text = rj.solve_one(chain, target).explain()
    assert text.startswith("Not converged in 32 attempts of up to 30 iterations (best: attempt ")
    assert "The target is out of reach: it is" in text


def test_a_reachable_target_asks_for_more_attempts() -> None:
    chain = arms.rebel()
    targets = rj.forward_kinematics(chain, arms.random_configurations(chain, np.random.default_rng(0), 200))
    result = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(max_attempts=1))
    failed = np.flatnonzero(~result.converged)
    assert failed.size > 10
    for i in failed:
        text = result[i].explain()
        assert text.startswith("Not converged in 1 attempt of up to 30 iterations (best: attempt 0): position error")
        assert "out of reach" not in text
        assert text.endswith("Raise max_attempts, or check the target against forward kinematics of a known q.")


def test_distance_proves_nothing_where_axes_are_free() -> None:
    chain = arms.rebel()
    target = rj.forward_kinematics(chain, chain.home)
    target[0, 3] += 2.0
    params = rj.MultiSeedParams(axis_mask=[True, False, False, True, True, True], max_attempts=4)
    text = rj.solve_one(chain, target, params=params).explain()
    assert "Not converged" in text
    assert "out of reach" not in text


@pytest.mark.parametrize(
    "task",
    [{"free_axis": "z"}, {"free_axis": "x"}, {"axis_mask": [True] * 3 + [False] * 3}],
    ids=["z", "x", "position"],
)
def test_distance_proves_a_position_out_of_reach_whatever_is_free_of_the_orientation(task: dict[str, object]) -> None:
    chain = arms.rebel()
    target = rj.forward_kinematics(chain, chain.home)
    params = rj.MultiSeedParams(**task, max_attempts=2)  # type: ignore[arg-type]
    assert "out of reach" not in rj.solve_one(chain, target, params=params).explain()
    target[0, 3] += 2.0
    assert "The target is out of reach: it is" in rj.solve_one(chain, target, params=params).explain()


def test_tolerances_below_rounding_are_named() -> None:
    chain = arms.rebel()
    q = np.array([0.3, -0.4, 0.5, -0.6, 0.7, -0.8])
    target = rj.forward_kinematics(chain, q)
    params = rj.MultiSeedParams(position_tolerance=1e-19, orientation_tolerance=1e-19, max_attempts=2)
    text = rj.solve_one(chain, target, seeds=q + 0.01, params=params).explain()
    assert "What is left is rounding" in text
