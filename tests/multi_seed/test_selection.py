"""Which of the solutions is returned: chosen again by hand among those of all attempts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import repose_jit as rj
from tests import arms, reference
from tests.multi_seed import closed_form
from tests.multi_seed.attempts import Attempts, all_attempts, far_away, reachable

Array = np.ndarray
ATTEMPTS = 12


def ur5() -> rj.KinematicChain:
    return rj.preset("ur5").chain()


def panda() -> rj.KinematicChain:
    return rj.preset("franka_panda").chain()


each_arm = pytest.mark.parametrize("arm", [arms.rebel, arms.odd_arm, ur5, panda], ids=lambda arm: arm.__name__)
Arm = Callable[[], rj.KinematicChain]


def candidates(chain: rj.KinematicChain, targets: Array, params: rj.MultiSeedParams) -> Attempts:
    """Return all attempts, wound to where the parameters say."""
    return all_attempts(chain, targets, None, params)


def check_choice(
    chain: rj.KinematicChain, params: rj.MultiSeedParams, merit: Callable[[Array], float], *, least: int
) -> rj.IkBatchResult:
    """Compare a choice with the one made by hand: the greatest merit, of equals the lowest attempt."""
    targets = np.concatenate([reachable(chain, 60, seed=13), far_away(3)])
    result = rj.inverse_kinematics_batch(chain, targets, params=params)
    found = candidates(chain, targets, params)
    chosen_later = 0
    for i in range(len(targets)):
        solved = np.flatnonzero(found.converged[i])
        assert result.converged[i] == (len(solved) > 0)
        if len(solved) == 0:
            ratio = (found.errors[i] / (1e-4, 1e-3)).max(axis=1)
            expected = int(np.argmin(ratio))
        else:
            merits = np.array([merit(found.q[i, a]) for a in solved])
            # The oracle's last digits are not the package's: equals are those within them.
            expected = int(solved[np.argmax(merits)])
            chosen = int(result.seed_index[i])
            assert chosen in solved
            assert merits[list(solved).index(chosen)] >= merits.max() - 1e-9 * abs(merits.max())
            chosen_later += chosen != solved[0]
            if np.sum(merits >= merits.max() - 1e-7) > 1:
                expected = chosen
        assert result.seed_index[i] == expected
        assert result.q[i].tobytes() == found.q[i, expected].tobytes()
    assert np.all(result.attempts == ATTEMPTS)
    assert np.array_equal(result.iterations, found.iterations.sum(axis=1))
    assert not result.converged[-3:].any()
    assert chosen_later >= least, "the choice is not that of 'first'"
    return result


@each_arm
def test_nearest_has_the_least_largest_joint_move(arm: Arm) -> None:
    chain = arm()
    centre = arms.random_configurations(chain, np.random.default_rng(14), 1)[0]
    moving = np.array([joint.joint_type != "fixed" for joint in chain.joints])
    params = rj.MultiSeedParams(max_attempts=ATTEMPTS, selection="nearest", reference=centre)
    result = check_choice(chain, params, lambda q: -np.abs(q - centre)[moving].max(), least=10)
    first = rj.inverse_kinematics_batch(
        chain, result._target, params=rj.MultiSeedParams(max_attempts=ATTEMPTS, reference=centre)
    )
    move = np.abs(result.q - centre)[:, moving].max(axis=1)
    assert np.all(move[result.converged] <= np.abs(first.q - centre)[:, moving].max(axis=1)[result.converged])


@each_arm
def test_max_manipulability_has_the_largest_of_all(arm: Arm) -> None:
    chain = arm()
    oracle = reference.from_chain(chain)
    params = rj.MultiSeedParams(max_attempts=ATTEMPTS, selection="max_manipulability")
    check_choice(chain, params, lambda q: reference.manipulability_squared(oracle, q), least=10)


@each_arm
def test_max_limit_margin_keeps_farthest_from_the_limits(arm: Arm) -> None:
    chain = arm()
    limits = [(i, j.limits.lower, j.limits.upper) for i, j in enumerate(chain.joints) if j.joint_type != "fixed"]
    # Mimics narrow the limits of their sources.
    limits = [(i, chain.lower_limits[i], chain.upper_limits[i]) for i, _, _ in limits]

    def margin(q: Array) -> float:
        return min(min(q[i] - low, high - q[i]) / (0.5 * (high - low)) for i, low, high in limits)

    params = rj.MultiSeedParams(max_attempts=ATTEMPTS, selection="max_limit_margin")
    result = check_choice(chain, params, margin, least=10)
    assert all(0.0 <= margin(q) <= 1.0 for q in result.q[result.converged])


def test_max_limit_margin_winds_to_the_middle() -> None:
    """±2π limits: of the turns of each joint, the one nearest to the middle of its range."""
    chain = ur5()
    params = rj.MultiSeedParams(max_attempts=ATTEMPTS, selection="max_limit_margin")
    result = rj.inverse_kinematics_batch(chain, reachable(chain, 100), params=params)
    assert result.converged.all()
    assert np.all(np.abs(result.q) <= math.pi + 1e-9)


@pytest.mark.parametrize("offset", [0.0, 2.0, -2.0, 5.0])
def test_nearest_winds_to_the_reference(offset: float) -> None:
    """±2π limits: a solution a turn away from the reference is wound to it before moves are compared."""
    chain = closed_form.arm(2.0 * math.pi)
    centre = np.array([0.5, -1.0, 1.2, 0.3, -0.8, 0.1]) + offset
    target = rj.forward_kinematics(chain, centre)
    turned = centre - np.sign(centre) * 2.0 * math.pi
    for wanted in (centre, turned):
        params = rj.MultiSeedParams(max_attempts=200, selection="nearest", reference=wanted)
        assert np.abs(rj.solve_one(chain, target, params=params).q - wanted).max() < 0.05


@pytest.mark.parametrize("selection", ["nearest", "max_manipulability", "max_limit_margin"])
def test_more_attempts_choose_no_worse(selection: Any) -> None:
    chain = arms.rebel()
    targets, centre = reachable(chain, 100, seed=15), np.full(6, 0.3)
    oracle = reference.from_chain(chain)

    def merit(q: Array) -> float:
        if selection == "nearest":
            return -float(np.abs(q - centre).max())
        if selection == "max_manipulability":
            return reference.manipulability_squared(oracle, q)
        half = 0.5 * (chain.upper_limits - chain.lower_limits)
        return float((np.minimum(q - chain.lower_limits, chain.upper_limits - q) / half).min())

    last, solved = np.full(100, -np.inf), np.zeros(100, bool)
    for attempts in (2, 8, 32):
        reference_q = centre if selection == "nearest" else None
        params = rj.MultiSeedParams(max_attempts=attempts, selection=selection, reference=reference_q)
        result = rj.inverse_kinematics_batch(chain, targets, params=params)
        assert np.all(result.converged | ~solved)
        merits = np.array([merit(q) for q in result.q])
        assert np.all(merits[solved] >= last[solved] - 1e-12)
        last, solved = merits, result.converged


def test_the_same_solutions_whatever_is_chosen() -> None:
    chain = arms.odd_arm()
    targets = reachable(chain, 200, seed=16)
    solved = [
        rj.inverse_kinematics_batch(
            chain,
            targets,
            params=rj.MultiSeedParams(
                max_attempts=8, selection=selection, reference=np.zeros(7) if selection == "nearest" else None
            ),
        ).converged
        for selection in ("first", "nearest", "max_manipulability", "max_limit_margin")
    ]
    for each in solved[1:]:
        assert np.array_equal(each, solved[0])
    assert 100 < solved[0].sum() < 200
