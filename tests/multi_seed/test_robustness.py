"""What careless callers, hostile arrays and tight systems do to a solve: an error that says so or the right answer."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import repose_jit as rj
from repose_jit import seeds as seed_tables
from repose_jit.ik import solve as ik_solve
from repose_jit.kernels import dls
from repose_jit.multi_seed.problem import pose_problem
from repose_jit.multi_seed.solve import _chunk_size
from tests import arms, reference
from tests.multi_seed.attempts import assert_same, far_away, reachable

REBEL = arms.rebel()
TURNS = [rj.JointLimits.revolute(-2.0 * math.pi, 2.0 * math.pi)] * 6


class Foreign:
    """An array of another library that cannot be read from here."""

    def __array__(self, *args: object, **kwargs: object) -> np.ndarray:
        raise RuntimeError("on the GPU")


def wide_arm(limits: list[rj.JointLimits]) -> rj.KinematicChain:
    """Return six oblique joints with the limits given."""
    return rj.KinematicChain(
        [rj.JointSpec.revolute((0.1 * i, 0.2, 0.1), (i, 1.0, 0.0), "pos_z", limit) for i, limit in enumerate(limits)]
    )


# ---------------------------------------------------------------------------------------------------- arguments
@pytest.mark.parametrize("value", [[[1], [2, 3]], Foreign(), np.ma.masked_array([True] * 6, [0, 1, 0, 0, 0, 0])])
def test_masks_that_are_no_six_booleans(value: Any) -> None:
    with pytest.raises(rj.InputError, match=r"(?s)axis_mask: got .*expected six booleans"):
        rj.MultiSeedParams(axis_mask=value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[1], [2, 3]], "reference: got something that is not an array"),
        (Foreign(), r"reference: got something that is not an array of numbers \(on the GPU\)"),
        (np.ma.masked_array([1.0] * 6, [0, 1, 0, 0, 0, 0]), r"reference\[1\]: got nan, expected a finite number"),
        ([0.0, 0.0, math.inf], r"reference\[2\]: got inf, expected a finite number"),
        ([0.0, -2e18], r"reference\[1\]: got -2e\+18, expected at most 1e\+18"),
        ([[0.0] * 6], r"reference: got shape \(1, 6\), expected \(n,\)"),
        ([True] * 6, "reference: got entries of type bool, expected real numbers"),
        ("home", "reference: got str, expected real numbers"),
    ],
)
def test_references_that_are_no_joint_values(value: Any, message: str) -> None:
    with pytest.raises((rj.InputError, rj.ShapeError), match=message):
        rj.MultiSeedParams(reference=value)


@pytest.mark.parametrize("progress", [True, 3, "bar", [print]])
def test_progress_that_cannot_be_called_is_refused_before_the_solve(progress: Any) -> None:
    with pytest.raises(rj.InputError, match=r"progress: got .*expected a function of \(done, total\)"):
        rj.inverse_kinematics_batch(REBEL, np.zeros((0, 4, 4)), progress=progress)


def test_single_solves_call_their_argument_by_its_name() -> None:
    for solve in (rj.solve_one, rj.all_solutions):
        with pytest.raises(rj.ShapeError, match=r"^target: got shape \(3, 3\)"):
            solve(REBEL, np.eye(3))


# ---------------------------------------------------------------------------------------------------- arrays
@pytest.mark.parametrize("start", [0, 5, 10])
def test_out_may_lie_in_the_target(start: int) -> None:
    target = reachable(REBEL, 1)[0]
    expected = rj.solve_one(REBEL, target)
    out = target.reshape(-1)[start : start + 6]
    assert rj.solve_one(REBEL, target, out=out) is expected.status
    assert out.tobytes() == expected.q.tobytes()


@pytest.mark.parametrize("selection", ["first", "max_limit_margin"])
def test_out_may_be_a_seed(selection: Any) -> None:
    target, seeds = reachable(REBEL, 1)[0], rj.spread_seeds(REBEL, 4)
    params = rj.MultiSeedParams(selection=selection, max_attempts=6)
    expected = rj.solve_one(REBEL, target, seeds=seeds, params=params).q
    for i in range(4):
        given = seeds.copy()
        rj.solve_one(REBEL, target, seeds=given, params=params, out=given[i])
        assert given[i].tobytes() == expected.tobytes()
        assert np.array_equal(np.delete(given, i, 0), np.delete(seeds, i, 0))


def test_out_is_left_alone_if_the_target_is_refused() -> None:
    out = np.full(6, 7.0)
    with pytest.raises(rj.InputError, match="target"):
        rj.solve_one(REBEL, 2.0 * np.eye(4), out=out)
    assert np.array_equal(out, np.full(6, 7.0))


def test_poses_may_be_written_over_their_joint_values() -> None:
    chain = rj.KinematicChain(REBEL.joints[:4])
    room = np.zeros(20 * 16)
    q = room[:80].reshape(20, 4)
    q[:] = arms.random_configurations(chain, np.random.default_rng(0), 20)
    expected = rj.forward_kinematics(chain, q.copy())
    assert np.array_equal(rj.forward_kinematics(chain, q, out=room.reshape(20, 4, 4)), expected)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("selection", ["first", "max_limit_margin"])
@pytest.mark.parametrize("changed", ["targets", "seeds"])
def test_arrays_that_are_spoilt_during_the_solve(changed: str, selection: Any, threads: int) -> None:
    """What has not been solved then was once reported as found, with whatever lay in memory."""
    arrays = {"targets": np.repeat(reachable(REBEL, 100), 100, axis=0), "seeds": np.zeros((10_000, 6))}
    params = rj.MultiSeedParams(selection=selection, max_attempts=2, threads=threads)

    def spoil(done: int, total: int) -> None:
        arrays[changed][:] = np.nan

    with pytest.raises(rj.InputError, match=rf"{changed}\[0, 0.*got nan"):
        rj.inverse_kinematics_batch(REBEL, arrays["targets"], seeds=arrays["seeds"], params=params, progress=spoil)


def test_arrays_that_are_spoilt_and_mended_during_the_solve() -> None:
    problem = pose_problem(REBEL, reachable(REBEL, 3), None, None)
    with pytest.raises(rj.InputError, match="targets or seeds: got an array that changed during the solve"):
        problem.refuse()


def test_arrays_that_are_spoilt_during_a_solve_from_one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    target = reachable(REBEL, 3)
    rj.inverse_kinematics(REBEL, target, np.zeros(6))  # compiled with the real check
    target[2, 0, 0] = np.nan
    # So they were before another thread came.
    passing = SimpleNamespace(are_sound=lambda *_: True, solve_from_seeds=dls.solve_from_seeds)
    monkeypatch.setattr(ik_solve, "dls", passing)
    for rule in ("fixed", "adaptive"):
        with pytest.raises(rj.InputError, match=r"target\[2, 0, 0\]: got nan"):
            rj.inverse_kinematics(REBEL, target, np.zeros(6), rj.IkParams(step_rule=rule))  # type: ignore[arg-type]


# ---------------------------------------------------------------------------------------------------- extreme numbers
@pytest.mark.parametrize("selection", ["first", "max_manipulability"])
@pytest.mark.parametrize("tolerance", [1e-100, 1e-160, 1e-200, 5e-324])
def test_the_best_is_kept_however_small_the_tolerances(tolerance: float, selection: Any) -> None:
    targets = np.concatenate([reachable(REBEL, 4), far_away(4)])
    targets[4:, :3, 3] *= 1e6

    def solve(value: float) -> rj.IkBatchResult:
        params = rj.MultiSeedParams(position_tolerance=value, orientation_tolerance=value, selection=selection)
        return rj.inverse_kinematics_batch(REBEL, targets, params=params)

    assert_same(solve(tolerance), solve(1e-30))


def test_a_tolerance_of_half_a_turn_leaves_the_orientation_free() -> None:
    slide = rj.KinematicChain([rj.JointSpec.prismatic((0, 0, 0), (0, 0, 0), "pos_z", rj.JointLimits.prismatic(-1, 1))])
    axes = np.random.default_rng(0).normal(size=(200, 3))
    targets = np.array([reference.transform((0.0, 0.0, 0.0))] * 200)
    targets[:, :3, :3] = [reference.exp_so3(math.pi * axis / np.linalg.norm(axis)) for axis in axes]
    for kind in ({}, {"axis_mask": [True] * 5 + [False]}, {"free_axis": "x"}):
        params = rj.MultiSeedParams(orientation_tolerance=math.pi * (1.0 + 1e-12), **kind)  # type: ignore[arg-type]
        result = rj.inverse_kinematics_batch(slide, targets, params=params)
        assert result.converged.all()
        assert np.all(result.attempts == 1)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_obtuse_angles_between_axes_are_exact(axis: Any) -> None:
    pin = rj.KinematicChain([rj.JointSpec.revolute((0, 0, 0), (0, 0, 0), "pos_z", rj.JointLimits.revolute(0.0, 0.0))])
    normal = np.roll([0.0, 1.0, 0.0], "xyz".index(axis))
    params = rj.MultiSeedParams(free_axis=axis, max_attempts=1)
    for angle in (0.3, 1.5, 1.6, 2.0, 3.0, 3.14, math.pi):
        target = np.eye(4)
        target[:3, :3] = reference.exp_so3(angle * normal)
        assert rj.solve_one(pin, target, params=params).orientation_error == pytest.approx(angle, abs=1e-14)


@pytest.mark.parametrize("value", [1e9, 1e15, 1e18])
def test_seeds_and_references_far_outside_the_limits_count_as_the_limit(value: float) -> None:
    chain = wide_arm(TURNS)
    targets = reachable(chain, 20)
    sign = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    limit, far = sign * chain.upper_limits, sign * value
    one = rj.MultiSeedParams(max_attempts=1)
    assert_same(
        rj.inverse_kinematics_batch(chain, targets, seeds=far, params=one),
        rj.inverse_kinematics_batch(chain, targets, seeds=limit, params=one),
    )
    results = [
        rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(reference=reference.tolist()))
        for reference in (far, limit)
    ]
    assert_same(*results)
    assert results[0].converged.all()


def test_explanations_blame_the_budget_only_where_it_was_spent() -> None:
    target = reachable(REBEL, 1)
    short = rj.inverse_kinematics_batch(REBEL, target, params=rj.MultiSeedParams(max_iterations=1, max_attempts=2))[0]
    assert "Every attempt has used up its iterations." in short.explain()
    assert "Raise max_iterations or max_attempts" in short.explain()
    slide = rj.KinematicChain([rj.JointSpec.prismatic((0, 0, 0), (0, 0, 0), "pos_z", rj.JointLimits.prismatic(-1, 1))])
    masked = rj.MultiSeedParams(axis_mask=[True] + [False] * 5)
    stuck = rj.solve_one(slide, reference.transform((0.5, 0.0, 0.0)), params=masked)
    assert stuck.iterations < 30 * stuck.attempts
    assert "No seed tried leads to the target" in stuck.explain()
    assert "iterations or" not in stuck.explain()


# ---------------------------------------------------------------------------------------------------- time and memory
def test_windings_are_counted_before_they_are_made() -> None:
    chain = wide_arm([rj.JointLimits.revolute(-3e8, 3e8), *TURNS[1:]])
    target = rj.forward_kinematics(chain, np.full(6, 0.3))
    tracemalloc.start()
    try:
        with pytest.raises(
            rj.InputError, match=r"have 3\.\d+e\+09 windings within the limits, expected at most 100,000"
        ):
            rj.all_solutions(chain, target, params=rj.MultiSeedParams(max_attempts=1), seeds=np.full(6, 0.3))
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


def test_windings_are_limited_for_all_solutions_together() -> None:
    limits = rj.JointLimits.revolute(-17.0, 17.0)  # five or six turns each, and eight postures
    chain = rj.KinematicChain([replace(joint, limits=limits) for joint in rj.preset("ur5").chain().joints])
    target = rj.forward_kinematics(chain, np.full(6, 0.3))
    one = rj.all_solutions(chain, target, params=rj.MultiSeedParams(max_attempts=1), seeds=np.full(6, 0.3))
    assert 5**6 <= len(one) <= 6**6
    with pytest.raises(rj.InputError, match="windings within the limits"):
        rj.all_solutions(chain, target, params=rj.MultiSeedParams(max_attempts=2000))


def test_seeds_are_not_kept_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    target = reachable(REBEL, 1)[0]
    monkeypatch.setattr(seed_tables, "MOST_TABLES", 5)
    for rng_seed in range(20):
        rj.solve_one(REBEL, target, params=rj.MultiSeedParams(rng_seed=rng_seed))
    assert len(seed_tables._TABLES) == 5
    monkeypatch.setattr(seed_tables, "MOST_HELD", 2000)
    for count in (100, 5, 400):
        table = seed_tables.seed_table(REBEL, count, rng_seed=1000 + count)
        assert np.array_equal(table, rj.spread_seeds(REBEL, count, rng_seed=1000 + count).reshape(-1))
    assert [table.size for _, table in seed_tables._TABLES.values()] == [2400]


def test_comparing_a_million_attempts_takes_the_memory_of_one_target() -> None:
    params = rj.MultiSeedParams(max_attempts=10**5, selection="max_limit_margin")
    problem = pose_problem(REBEL, reachable(REBEL, 30), None, params)
    assert _chunk_size(problem) == 1


# ---------------------------------------------------------------------------------------------------- anything
powers = st.sampled_from([1e-300, 1e-12, 1e-6, 1e-4, 1.0, 1e5, 1e308])


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 3, 5, 7, 12, 21]),
    st.sampled_from([1, 2, 7, 9]),
    st.fixed_dictionaries(
        {
            "max_attempts": st.sampled_from([1, 3, 8, 9]),
            "max_iterations": st.sampled_from([1, 2, 30]),
            "position_tolerance": powers,
            "orientation_tolerance": powers,
            "step_rule": st.sampled_from(["adaptive", "fixed"]),
            "selection": st.sampled_from(["first", "nearest", "max_manipulability", "max_limit_margin"]),
            "rng_seed": st.integers(0, 2**64 - 1),
            "threads": st.sampled_from([1, 2]),
        },
        optional={"free_axis": st.sampled_from(["x", "y", "z"])},
    ),
    st.sampled_from([0.0, 1.0, 1e4]),
)
def test_what_is_reported_is_so(seed: int, slots: int, count: int, options: dict[str, Any], away: float) -> None:
    rng = np.random.default_rng(seed)
    chain = arms.random_chain(rng, slots)
    n, oracle = chain.n_joints, reference.from_chain(chain)
    targets = rj.forward_kinematics(chain, arms.random_configurations(chain, rng, count))
    targets[0, :3, 3] += away
    params = rj.MultiSeedParams(reference=rng.normal(size=n), **options)
    result = rj.inverse_kinematics_batch(chain, targets, seeds=rng.normal(size=(count, 1, n)), params=params)
    assert chain.is_within_limits(result.q).all()
    assert np.all((result.seed_index >= 0) & (result.seed_index < result.attempts))
    assert np.all(result.attempts <= params.max_attempts)
    for i in range(count):
        T = reference.fk(oracle, result.q[i])
        error = reference.pose_error(T, targets[i])
        angle = np.linalg.norm(error[3:])
        if params.free_axis is not None:
            a, b = (frame[:3, "xyz".index(params.free_axis)] for frame in (T, targets[i]))
            angle = math.atan2(np.linalg.norm(np.cross(a, b)), a @ b)
        assert result.position_error[i] == pytest.approx(np.linalg.norm(error[:3]), rel=1e-12, abs=1e-13 * (1 + away))
        assert result.orientation_error[i] == pytest.approx(angle, abs=1e-11)
        is_within = result.position_error[i] <= params.position_tolerance
        is_within &= result.orientation_error[i] <= params.orientation_tolerance
        assert result.converged[i] == is_within
        assert result[i].explain()
