"""Arguments: shapes of seeds and targets, any real array, nothing modified, mistakes named before anything runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.kernels import lane_ik
from tests import arms
from tests.multi_seed.attempts import FIELDS, all_attempts, assert_same, far_away, reachable

Array = np.ndarray


# --- shapes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("selection", ["first", "max_manipulability"])
def test_any_leading_dimensions(selection: Any) -> None:
    chain = arms.odd_arm()
    targets = reachable(chain, 24)
    params = rj.MultiSeedParams(max_attempts=4, selection=selection)
    flat = rj.inverse_kinematics_batch(chain, targets, params=params)
    for lead in ((24,), (4, 6), (2, 3, 4), (1, 24, 1)):
        result = rj.inverse_kinematics_batch(chain, targets.reshape(*lead, 4, 4), params=params)
        for name in FIELDS:
            values = np.asarray(getattr(result, name))
            assert values.shape[: len(lead)] == lead, name
            assert values.tobytes() == np.asarray(getattr(flat, name)).tobytes(), name
    one = rj.inverse_kinematics_batch(chain, targets[0], params=params)
    assert isinstance(one.status, rj.IkStatus)
    assert [type(getattr(one, name)) for name in FIELDS[2:]] == [bool, float, float, int, int, int]
    assert one.q.shape == (7,)


@pytest.mark.parametrize("selection", ["first", "max_limit_margin"])
@pytest.mark.parametrize("lead", [(0,), (0, 3), (2, 0)])
def test_empty_batches(lead: tuple[int, ...], selection: Any) -> None:
    chain = arms.odd_arm()
    calls: list[tuple[int, int]] = []
    targets, params = np.empty((*lead, 4, 4)), rj.MultiSeedParams(selection=selection)
    for seeds in (None, np.zeros(7), np.empty((*lead, 7)), np.empty((*lead, 2, 7))):
        result = rj.inverse_kinematics_batch(
            chain, targets, seeds=seeds, params=params, progress=lambda *counts: calls.append(counts)
        )
        assert result.q.shape == (*lead, 7)
        assert result.q.dtype == np.float64
        for name in FIELDS[1:]:
            assert getattr(result, name).shape == lead
        assert result.status.dtype == np.int8
        assert result.converged.dtype == np.bool_
    assert all(done == total == 0 for done, total in calls)


def test_seeds_shared_by_all_targets() -> None:
    chain = arms.odd_arm()
    targets = reachable(chain, 20)
    seed = arms.random_configurations(chain, np.random.default_rng(1), 1)[0]
    shared = rj.inverse_kinematics_batch(chain, targets, seeds=seed)
    assert_same(rj.inverse_kinematics_batch(chain, targets, seeds=np.tile(seed, (20, 1))), shared)
    assert_same(rj.inverse_kinematics_batch(chain, targets, seeds=np.tile(seed, (20, 1, 1))), shared)
    assert_same(rj.inverse_kinematics_batch(chain, targets[3], seeds=seed), shared[3])
    assert_same(rj.inverse_kinematics_batch(chain, targets[3], seeds=seed[None]), shared[3])


def test_seeds_come_first_and_spread_ones_follow() -> None:
    """Attempt a of a target starts from its own seed a, and from spread seed a − k after the k given."""
    chain = arms.odd_arm()
    targets = reachable(chain, 6)
    seeds = arms.random_configurations(chain, np.random.default_rng(2), 18).reshape(6, 3, 7)
    params = rj.MultiSeedParams(max_attempts=5)
    found = all_attempts(chain, targets, seeds, params)
    spread = rj.spread_seeds(chain, 2)
    for i in range(6):
        for a, seed in enumerate([*seeds[i], *spread]):
            # Even and odd attempts differ, so a seed is tried again at the place it had.
            places = np.tile(seed, (a + 1, 1))
            alone = all_attempts(chain, targets[i : i + 1], places[None], rj.MultiSeedParams(max_attempts=a + 1))
            assert alone.q[0, a].tobytes() == found.q[i, a].tobytes(), (i, a)
            assert alone.iterations[0, a] == found.iterations[i, a]


def test_seeds_with_leading_dimensions() -> None:
    chain = arms.odd_arm()
    targets = reachable(chain, 6)
    seeds = arms.random_configurations(chain, np.random.default_rng(3), 12).reshape(6, 2, 7)
    flat = rj.inverse_kinematics_batch(chain, targets, seeds=seeds)
    grid = rj.inverse_kinematics_batch(chain, targets.reshape(2, 3, 4, 4), seeds=seeds.reshape(2, 3, 2, 7))
    assert grid.q.shape == (2, 3, 7)
    assert grid.q.tobytes() == flat.q.tobytes()
    one_each = rj.inverse_kinematics_batch(chain, targets.reshape(2, 3, 4, 4), seeds=seeds[:, 0].reshape(2, 3, 7))
    assert one_each.q.tobytes() == rj.inverse_kinematics_batch(chain, targets, seeds=seeds[:, 0]).q.tobytes()


def test_as_many_seeds_as_attempts_leave_no_spread_one() -> None:
    chain = arms.odd_arm()
    targets = far_away(3)
    seeds = arms.random_configurations(chain, np.random.default_rng(4), 4)
    params = rj.MultiSeedParams(max_attempts=4)
    result = rj.inverse_kinematics_batch(chain, targets, seeds=np.tile(seeds, (3, 1, 1)), params=params)
    assert np.all(result.attempts == 4)
    with pytest.raises(rj.ShapeError, match="5 for each target"):
        rj.inverse_kinematics_batch(chain, targets, seeds=np.zeros((3, 5, 7)), params=params)


def test_seeds_outside_the_limits_are_clamped() -> None:
    chain = arms.rebel()
    targets = reachable(chain, 40)
    outside = np.random.default_rng(5).uniform(-9.0, 9.0, (40, 6))
    params = rj.MultiSeedParams(max_attempts=1)
    result = rj.inverse_kinematics_batch(chain, targets, seeds=outside, params=params)
    inside = rj.inverse_kinematics_batch(chain, targets, seeds=chain.clamp_to_limits(outside), params=params)
    assert np.array_equal(result.iterations, inside.iterations)
    assert np.array_equal(result.status, inside.status)
    # No joint of this arm has two windings within its limits, so where it is wound to makes no difference.
    assert result.q.tobytes() == inside.q.tobytes()
    at = rj.inverse_kinematics_batch(
        chain, rj.forward_kinematics(chain, chain.clamp_to_limits(outside)), seeds=outside, params=params
    )
    assert np.all(at.iterations == 0)
    assert np.array_equal(at.q, chain.clamp_to_limits(outside))


@pytest.mark.parametrize("shape", [(5,), (7, 1), (19, 7), (20, 2, 6), (1, 7), (2, 20, 7), ()])
def test_wrong_shapes_of_seeds_are_named(shape: tuple[int, ...]) -> None:
    chain = arms.odd_arm()
    with pytest.raises(rj.ShapeError, match="seeds"):
        rj.inverse_kinematics_batch(chain, reachable(chain, 20), seeds=np.zeros(shape))


# --- any real array --------------------------------------------------------------------------------------------------


def test_any_real_array_is_accepted_and_none_is_modified() -> None:
    chain = arms.odd_arm()
    targets = reachable(chain, 12)
    seeds = arms.random_configurations(chain, np.random.default_rng(6), 12)
    held = targets.copy(), seeds.copy()
    expected = rj.inverse_kinematics_batch(chain, targets, seeds=seeds)
    for array in (targets, seeds):
        array.flags.writeable = False
    assert_same(rj.inverse_kinematics_batch(chain, targets, seeds=seeds), expected, "read-only")
    strided = np.zeros((24, 8, 5))
    strided[::2, ::2, :4] = targets
    columns = np.asfortranarray(seeds)
    assert_same(rj.inverse_kinematics_batch(chain, strided[::2, ::2, :4], seeds=columns), expected, "strided")
    assert_same(rj.inverse_kinematics_batch(chain, targets.tolist(), seeds=seeds.tolist()), expected, "lists")
    swapped = targets.astype(">f8")
    assert_same(rj.inverse_kinematics_batch(chain, swapped, seeds=seeds), expected, "byte order")
    assert targets.tobytes() == held[0].tobytes()
    assert seeds.tobytes() == held[1].tobytes()


def test_integers_and_single_precision() -> None:
    chain = arms.odd_arm()
    single = reachable(chain, 12).astype(np.float32)
    seeds = np.round(arms.random_configurations(chain, np.random.default_rng(7), 12))
    a = rj.inverse_kinematics_batch(chain, single, seeds=seeds.astype(np.int64))
    assert_same(rj.inverse_kinematics_batch(chain, single.astype(np.float64), seeds=seeds), a)
    whole = np.tile(np.diag([1, -1, -1, 1]), (3, 1, 1))
    whole[:, 0, 3] = 1
    b = rj.inverse_kinematics_batch(chain, whole)
    assert_same(rj.inverse_kinematics_batch(chain, whole.astype(float)), b)


def test_solve_one_leaves_its_arguments_alone() -> None:
    chain = arms.odd_arm()
    target, seed = reachable(chain, 1)[0], np.full(7, 9.0)
    held = target.copy(), seed.copy()
    first = rj.solve_one(chain, target, seeds=seed)
    q = np.empty(7)
    rj.solve_one(chain, target, seeds=seed, out=q)
    assert q.tobytes() == first.q.tobytes()
    assert target.tobytes() == held[0].tobytes()
    assert seed.tobytes() == held[1].tobytes()


# --- mistakes --------------------------------------------------------------------------------------------------------


@pytest.fixture
def never(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if a kernel is asked to solve."""

    def solve(*_: object) -> bool:
        raise AssertionError("a kernel ran")

    monkeypatch.setattr(lane_ik, "solve_from_many_seeds", solve)


@pytest.mark.usefixtures("never")
@pytest.mark.parametrize("selection", ["first", "max_manipulability"])
def test_a_target_that_is_not_sound_is_named_before_anything_runs(selection: Any) -> None:
    chain = arms.rebel()
    params = rj.MultiSeedParams(selection=selection)
    for value, row, column in ((np.nan, 0, 3), (np.inf, 2, 3), (np.nan, 1, 1), (1.1, 3, 3), (2.0, 0, 0)):
        targets = np.tile(np.eye(4), (4, 5, 1, 1))
        targets[2, 3, row, column] = value
        with pytest.raises(rj.InputError, match=r"targets\[2, 3"):
            rj.inverse_kinematics_batch(chain, targets, params=params)


@pytest.mark.usefixtures("never")
def test_one_nan_among_a_million_targets_is_named_before_anything_runs() -> None:
    targets = np.tile(np.eye(4), (1_000_000, 1, 1))
    targets[765_432, 1, 3] = np.nan
    with pytest.raises(rj.InputError, match=r"targets\[765432"):
        rj.inverse_kinematics_batch(arms.rebel(), targets)


@pytest.mark.usefixtures("never")
def test_a_seed_that_is_not_finite_is_named() -> None:
    chain = arms.rebel()
    targets = np.tile(np.eye(4), (3, 1, 1))
    for seeds, name in (
        (np.array([0, 0, 0, 0, np.nan, 0]), r"seeds\[4\]"),
        (np.where(np.arange(18).reshape(3, 6) == 13, np.inf, 0.0), r"seeds\[2, 1\]"),
        (np.where(np.arange(36).reshape(3, 2, 6) == 20, np.nan, 0.0), r"seeds\[1, 1, 2\]"),
    ):
        with pytest.raises(rj.InputError, match=name):
            rj.inverse_kinematics_batch(chain, targets, seeds=seeds)


def test_solve_one_names_what_is_wrong() -> None:
    chain = arms.rebel()
    target = np.eye(4)
    target[0, 3] = np.nan
    q = np.full(6, 7.0)
    with pytest.raises(rj.InputError, match=r"target.*\[0, 3\]"):
        rj.solve_one(chain, target, out=q)
    assert np.all(q == 7.0)
    with pytest.raises(rj.ShapeError, match="target"):
        rj.solve_one(chain, np.tile(np.eye(4), (2, 1, 1)))
    with pytest.raises(rj.ShapeError, match="target"):
        rj.all_solutions(chain, np.tile(np.eye(4), (2, 1, 1)))
    for out in (np.empty(5), np.empty(6, np.float32), np.empty(12)[::2], [0.0] * 6, np.empty((1, 6))):
        with pytest.raises(rj.InputError, match="out"):
            rj.solve_one(chain, np.eye(4), out=out)  # type: ignore[call-overload]


def endless_slide() -> rj.KinematicChain:
    slide = rj.JointSpec.prismatic((0, 0, 0), (0, 0, 0), "pos_x", rj.JointLimits.prismatic(0.0, float("inf")))
    turn = rj.JointSpec.revolute((0, 0, 0.5), (0, 0, 0), "pos_z", rj.JointLimits.continuous())
    return rj.KinematicChain([slide, turn])


def test_a_joint_that_slides_without_end_needs_seeds() -> None:
    chain = endless_slide()
    target = rj.forward_kinematics(chain, [100.3, 1.0])
    with pytest.raises(rj.InputError, match="joint1"):
        rj.inverse_kinematics_batch(chain, target)
    result = rj.inverse_kinematics_batch(chain, target, seeds=[100.0, 0.5])
    assert result.converged
    assert result.q == pytest.approx([100.3, 1.0], abs=1e-3)
    # There is nothing to go on with after the seeds.
    assert rj.inverse_kinematics_batch(chain, far_away(1)[0], seeds=[100.0, 0.5]).attempts == 1


# --- progress --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("selection", ["first", "max_manipulability"])
def test_progress_is_called_after_every_chunk(threads: int, selection: Any) -> None:
    import threading

    chain = arms.rebel()
    calls: list[tuple[int, int]] = []
    callers = set()

    def progress(done: int, total: int) -> None:
        calls.append((done, total))
        callers.add(threading.current_thread())

    targets = reachable(chain, 5000)
    params = rj.MultiSeedParams(threads=threads, max_attempts=4, selection=selection)
    rj.inverse_kinematics_batch(chain, targets, params=params, progress=progress)
    assert len(calls) >= 3
    assert [total for _, total in calls] == [5000] * len(calls)
    done = [each for each, _ in calls]
    assert done == sorted(set(done))
    assert done[-1] == 5000
    assert callers == {threading.current_thread()}


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_in_progress_ends_the_solve(threads: int) -> None:
    chain = arms.rebel()
    calls: list[int] = []

    def progress(done: int, total: int) -> None:
        calls.append(done)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rj.inverse_kinematics_batch(
            chain, reachable(chain, 5000), params=rj.MultiSeedParams(threads=threads), progress=progress
        )
    assert len(calls) == 1


def test_a_budget_that_no_one_could_interrupt_is_refused() -> None:
    rj.MultiSeedParams(max_attempts=10**6, max_iterations=100)
    with pytest.raises(rj.InputError, match=r"max_iterations: got 101,000,000 iterations per target, expected at most"):
        rj.MultiSeedParams(max_attempts=10**6, max_iterations=101)
