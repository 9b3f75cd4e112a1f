"""The solver against the oracle: attempt by attempt, and what problems come to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import repose_jit as rj
from tests import arms, reference
from tests.multi_seed import oracle
from tests.multi_seed.attempts import all_attempts, far_away, reachable

Array = np.ndarray
ATTEMPTS = 6
CLOSE = 1e-7
UNDECIDED = 0.02
"""Largest part of attempts that the oracle itself ends elsewhere from a seed moved by 1e-12."""
NAMES = ["rebel", "odd_arm", "ur5", "franka_panda", *(f"random-{n}" for n in (1, 2, 3, 5, 8, 13, 20))]


def chain_of(name: str) -> rj.KinematicChain:
    if name == "rebel":
        return arms.rebel()
    if name == "odd_arm":
        return arms.odd_arm()
    if name.startswith("random"):
        n = int(name.split("-")[1])
        return arms.random_chain(np.random.default_rng(n), n)
    return rj.preset(name).chain()


def task_of(params: rj.MultiSeedParams) -> oracle.Task:
    return oracle.Task(
        max_iterations=params.max_iterations,
        position_tolerance=params.position_tolerance,
        orientation_tolerance=params.orientation_tolerance,
        is_adaptive=params.step_rule == "adaptive",
        mask=(True,) * 6 if params.axis_mask is None else tuple(params.axis_mask),
        free_axis=None if params.free_axis is None else "xyz".index(params.free_axis),
        reference=None if params.reference is None else np.array(params.reference),
    )


def assert_attempts_equal_the_oracle(
    chain: rj.KinematicChain, targets: Array, params: rj.MultiSeedParams, seeds: Any = None
) -> int:
    """Compare every attempt, and return how many of them converge."""
    theirs, task = reference.from_chain(chain), task_of(params)
    ours = all_attempts(chain, targets, seeds, params)
    starts = rj.spread_seeds(chain, params.max_attempts) if seeds is None else seeds
    nudge = np.where(np.arange(chain.n_joints) % 2, 1e-12, -1e-12)
    undecided = 0
    for i, target in enumerate(targets):
        for a, seed in enumerate(starts[: params.max_attempts]):
            expected = oracle.attempt(theirs, target, seed, a, task)
            same = (
                ours.iterations[i, a] == expected.iterations
                and ours.converged[i, a] == expected.converged
                and np.abs(ours.q[i, a] - expected.q).max() < CLOSE
                and abs(ours.errors[i, a, 0] - expected.position_error) < CLOSE
                and abs(ours.errors[i, a, 1] - expected.orientation_error) < CLOSE
            )
            if not same:
                nudged = oracle.attempt(theirs, target, seed + nudge, a, task)
                is_steady = (
                    nudged.iterations == expected.iterations
                    and nudged.converged == expected.converged
                    and np.abs(nudged.q - expected.q).max() < CLOSE
                )
                assert not is_steady, (i, a, ours.q[i, a], ours.errors[i, a], ours.iterations[i, a], expected)
                undecided += 1
    assert undecided <= UNDECIDED * ours.converged.size
    return int(ours.converged.sum())


@pytest.mark.parametrize("name", NAMES)
def test_attempts_of_the_adaptive_rule(name: str) -> None:
    chain = chain_of(name)
    params = rj.MultiSeedParams(max_attempts=ATTEMPTS)
    assert assert_attempts_equal_the_oracle(chain, reachable(chain, 8), params) >= 8


@pytest.mark.parametrize("name", NAMES)
def test_attempts_of_the_fixed_rule(name: str) -> None:
    chain = chain_of(name)
    params = rj.MultiSeedParams(max_attempts=3, step_rule="fixed")
    assert_attempts_equal_the_oracle(chain, reachable(chain, 4), params)


@pytest.mark.parametrize("name", ["rebel", "odd_arm", "ur5", "franka_panda"])
def test_first_attempts_alone(name: str) -> None:
    """From home, once, which leaves no later attempt to hide a poor first one."""
    chain = chain_of(name)
    params, theirs = rj.MultiSeedParams(max_attempts=1), reference.from_chain(chain)
    targets = reachable(chain, 30, seed=1)
    result = rj.inverse_kinematics_batch(chain, targets, params=params)
    home = rj.spread_seeds(chain, 1)[0]
    for i, target in enumerate(targets):
        expected = oracle.attempt(theirs, target, home, 0, task_of(params))
        assert result.converged[i] == expected.converged, i
        assert result.iterations[i] == expected.iterations, i
        assert np.abs(result.q[i] - expected.q).max() < CLOSE, i
    assert 3 < result.converged.sum() < 30


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9])
def test_attempts_at_small_tolerances(tolerance: float) -> None:
    chain = arms.rebel()
    params = rj.MultiSeedParams(max_attempts=4, position_tolerance=tolerance, orientation_tolerance=tolerance)
    assert_attempts_equal_the_oracle(chain, reachable(chain, 8), params)


def test_attempts_at_large_tolerances() -> None:
    params = rj.MultiSeedParams(max_attempts=4, position_tolerance=0.05, orientation_tolerance=0.2)
    for chain in (arms.rebel(), arms.odd_arm()):
        assert_attempts_equal_the_oracle(chain, reachable(chain, 8), params)


def test_attempts_that_run_out_of_iterations() -> None:
    chain = arms.odd_arm()
    for budget in (1, 2, 5):
        params = rj.MultiSeedParams(max_attempts=4, max_iterations=budget)
        assert_attempts_equal_the_oracle(chain, reachable(chain, 6), params)


def test_attempts_at_what_cannot_be_reached() -> None:
    for chain in (arms.rebel(), arms.odd_arm()):
        assert_attempts_equal_the_oracle(chain, far_away(2), rj.MultiSeedParams(max_attempts=4))


SOME_AXES = [(1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 1, 1), (1, 0, 1, 0, 1, 1), (0, 1, 1, 1, 0, 0), (0, 0, 1, 0, 0, 1)]


@pytest.mark.parametrize("mask", SOME_AXES)
@pytest.mark.parametrize("rule", ["adaptive", "fixed"])
def test_attempts_with_masked_axes(mask: tuple[int, ...], rule: Any) -> None:
    chain = arms.odd_arm()
    axes = tuple(map(bool, mask))
    params = rj.MultiSeedParams(max_attempts=3, axis_mask=axes, step_rule=rule)
    assert assert_attempts_equal_the_oracle(chain, reachable(chain, 6), params) > 0


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("rule", ["adaptive", "fixed"])
def test_attempts_with_a_free_axis(axis: Any, rule: Any) -> None:
    chain = arms.odd_arm()
    params = rj.MultiSeedParams(max_attempts=3, free_axis=axis, step_rule=rule)
    assert assert_attempts_equal_the_oracle(chain, reachable(chain, 6), params) > 0
    both = replace(params, axis_mask=(True, False, True, True, True, True))
    assert_attempts_equal_the_oracle(chain, reachable(chain, 3), both)


def test_attempts_with_a_reference_to_wind_to() -> None:
    chain = rj.preset("ur5").chain()
    params = rj.MultiSeedParams(max_attempts=4, reference=[3.0, -4.0, 0.0, 5.0, -5.0, 6.0])
    targets = reachable(chain, 10)
    assert assert_attempts_equal_the_oracle(chain, targets, params) >= 10
    # Another reference, other turns: the comparison above is not of what no winding would give.
    q = rj.inverse_kinematics_batch(chain, targets, params=params).q
    assert not np.array_equal(q, rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams()).q)


@pytest.mark.parametrize("name", ["rebel", "odd_arm", "ur5", "franka_panda", "random-8"])
@pytest.mark.parametrize("rule", ["adaptive", "fixed"])
def test_what_problems_come_to(name: str, rule: Any) -> None:
    """Status, attempts, the attempt q is from, iterations of all, and q."""
    chain = chain_of(name)
    theirs = reference.from_chain(chain)
    params = rj.MultiSeedParams(max_attempts=5, step_rule=rule, max_iterations=20)
    targets = np.concatenate([reachable(chain, 8, seed=2), far_away(1)])
    result = rj.inverse_kinematics_batch(chain, targets, params=params)
    for i, target in enumerate(targets):
        expected = oracle.solve(theirs, target, rj.spread_seeds(chain, 5), task_of(params))
        ours = result[i]
        assert ours.converged == expected.converged, i
        assert (ours.iterations, ours.attempts, ours.seed_index) == expected[4:], i
        assert np.abs(ours.q - expected.q).max() < CLOSE, i
        assert ours.position_error == pytest.approx(expected.position_error, abs=CLOSE)
        assert ours.orientation_error == pytest.approx(expected.orientation_error, abs=CLOSE)
    assert not result.converged[-1]
