"""Inverse kinematics from one seed: the oracle, convergence on the igus ReBeL, statuses, explanations, bad input."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import repose_jit as rj
from repose_jit.kernels import dls
from tests import arms, reference

Array = np.ndarray
N_TARGETS = 2000


def targets_and_goals(chain: rj.KinematicChain, count: int, seed: int = 0) -> tuple[Array, Array]:
    goals = arms.random_configurations(chain, np.random.default_rng(seed), count)
    return rj.forward_kinematics(chain, goals), goals


def near(chain: rj.KinematicChain, goals: Array, seed: int = 1) -> Array:
    offsets = np.random.default_rng(seed).uniform(-0.2, 0.2, goals.shape)
    return np.clip(goals + offsets, chain.lower_limits, chain.upper_limits)


def seeds_of(kind: str, chain: rj.KinematicChain, goals: Array) -> Array:
    if kind == "near":
        return near(chain, goals)
    if kind == "mid-range":
        return np.tile(0.5 * (chain.lower_limits + chain.upper_limits), (len(goals), 1))
    return arms.random_configurations(chain, np.random.default_rng(2), len(goals))


# --- convergence and the oracle --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "low", "high"), [("near", 88, 93), ("mid-range", 58, 64), ("random", 22, 28)])
def test_rebel_converges_as_often_as_the_rule_does(kind: str, low: float, high: float) -> None:
    chain = arms.rebel()
    targets, goals = targets_and_goals(chain, N_TARGETS)
    result = rj.inverse_kinematics(chain, targets, seeds_of(kind, chain, goals))
    assert low <= 100 * np.mean(result.converged) <= high


def assert_equal_to_oracle(
    chain: rj.KinematicChain, targets: Array, seeds: Array, params: rj.IkParams, **options: object
) -> None:
    oracle = reference.from_chain(chain)
    result = rj.inverse_kinematics(chain, targets, seeds, params)
    for i, (target, seed) in enumerate(zip(targets, seeds, strict=True)):
        expected = reference.inverse_kinematics(oracle, target, seed, **options)  # type: ignore[arg-type]
        ours = result[i]
        assert ours.status == expected.status, i
        assert ours.iterations == expected.iterations, i
        tolerance = 1e-9 if ours.converged else 1e-7
        assert np.abs(ours.q - expected.q).max() < tolerance, i
        assert ours.position_error == pytest.approx(expected.position_error, abs=tolerance)
        assert ours.orientation_error == pytest.approx(expected.orientation_error, abs=tolerance)
        assert np.array_equal(ours.limited_joints, expected.limited_joints), i


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["near", "mid-range", "random"])
def test_rebel_equals_the_oracle(kind: str) -> None:
    chain = arms.rebel()
    targets, goals = targets_and_goals(chain, N_TARGETS)
    assert_equal_to_oracle(chain, targets, seeds_of(kind, chain, goals), rj.IkParams())


def test_odd_arm_equals_the_oracle() -> None:
    chain = arms.odd_arm()
    targets, goals = targets_and_goals(chain, 100)
    params = rj.IkParams(max_iterations=40, damping=0.1, max_step=0.3, max_linear_step=0.01, position_tolerance=1e-6)
    options = {
        "max_iterations": 40,
        "damping": 0.1,
        "max_step": 0.3,
        "max_linear_step": 0.01,
        "position_tolerance": 1e-6,
    }
    assert_equal_to_oracle(chain, targets, near(chain, goals), params, **options)


def test_without_limits_equals_the_oracle() -> None:
    chain = arms.odd_arm()
    targets, _ = targets_and_goals(chain, 60)
    seeds = np.random.default_rng(3).uniform(-3.0, 3.0, (60, 7))
    params = rj.IkParams(enforce_joint_limits=False)
    assert_equal_to_oracle(chain, targets, seeds, params, enforce_joint_limits=False)


@pytest.mark.parametrize("n_slots", [1, 2, 3, 5, 8, 13, 20])
def test_random_chains_equal_the_oracle(n_slots: int) -> None:
    chain = arms.random_chain(np.random.default_rng(n_slots), n_slots)
    targets, goals = targets_and_goals(chain, 12)
    assert_equal_to_oracle(chain, targets, near(chain, goals), rj.IkParams(max_iterations=30), max_iterations=30)


@pytest.mark.parametrize("arm", ["rebel", "short", "redundant"])
def test_pseudoinverse_equals_the_oracle_away_from_singularities(arm: str) -> None:
    chain = {
        "rebel": arms.rebel(),
        "short": arms.random_chain(np.random.default_rng(4), 4),
        "redundant": arms.random_chain(np.random.default_rng(11), 11),
    }[arm]
    oracle = reference.from_chain(chain)
    targets, goals = targets_and_goals(chain, 60)
    seeds = near(chain, goals)
    result = rj.inverse_kinematics(chain, targets, seeds, rj.IkParams(solver="pseudoinverse", max_iterations=6))
    compared = 0
    for i, (target, seed) in enumerate(zip(targets, seeds, strict=True)):
        expected = reference.inverse_kinematics(oracle, target, seed, solver="pseudoinverse", max_iterations=6)
        # Without damping one rounding grows with the condition number at every step: compare where it stays small.
        if min(reference.singular_values(oracle, q)[-1] for q in (seed, expected.q)) > 0.03:
            compared += 1
            assert result[i].status == expected.status, i
            assert np.abs(result[i].q - expected.q).max() < 1e-8, i
    assert compared > 10


# --- what a result promises ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("enforce", [True, False])
def test_reported_errors_are_those_of_the_returned_q(enforce: bool) -> None:
    for chain in (arms.rebel(), arms.odd_arm()):
        oracle = reference.from_chain(chain)
        targets, _ = targets_and_goals(chain, 40)
        seeds = arms.random_configurations(chain, np.random.default_rng(5), 40)
        result = rj.inverse_kinematics(chain, targets, seeds, rj.IkParams(enforce_joint_limits=enforce))
        for i in range(40):
            e = reference.pose_error(reference.fk(oracle, result.q[i]), targets[i])
            assert result.position_error[i] == pytest.approx(np.linalg.norm(e[:3]), abs=1e-12)
            assert result.orientation_error[i] == pytest.approx(np.linalg.norm(e[3:]), abs=1e-9)
            within = result.position_error[i] <= 1e-4 and result.orientation_error[i] <= 1e-3
            assert result.converged[i] == within
        if enforce:
            assert np.all(chain.is_within_limits(result.q))


def test_a_seed_at_the_target_takes_no_step() -> None:
    chain = arms.odd_arm()
    targets, goals = targets_and_goals(chain, 20)
    result = rj.inverse_kinematics(chain, targets, goals)
    goals[:, 1] = 0.0  # the fixed joint's entry
    assert np.all(result.converged)
    assert np.all(result.iterations == 0)
    assert np.array_equal(result.q, goals)


def test_a_seed_outside_the_limits_is_clamped_or_used_as_it_is() -> None:
    chain = arms.rebel()
    seed = np.full(6, 5.0)
    target = rj.forward_kinematics(chain, chain.clamp_to_limits(seed))
    clamped = rj.inverse_kinematics(chain, target, seed)
    assert clamped.iterations == 0
    assert np.array_equal(clamped.q, chain.upper_limits)
    assert clamped.limited_joints.all()
    free = rj.inverse_kinematics(
        chain, rj.forward_kinematics(chain, seed), seed, rj.IkParams(enforce_joint_limits=False)
    )
    assert free.iterations == 0
    assert np.array_equal(free.q, seed)


def test_more_budget_is_never_worse() -> None:
    chain = arms.rebel()
    targets, goals = targets_and_goals(chain, 200)
    seeds = seeds_of("random", chain, goals)
    last = np.full(200, np.inf)
    for budget in (1, 2, 5, 20, 64, 200):
        result = rj.inverse_kinematics(chain, targets, seeds, rj.IkParams(max_iterations=budget))
        score = np.maximum(result.position_error / 1e-4, result.orientation_error / 1e-3)
        assert np.all(score <= last)
        assert np.all(result.iterations <= budget)
        last = np.where(result.converged, 1.0, score)


@pytest.mark.parametrize("solver", ["damped_least_squares", "pseudoinverse"])
def test_a_problem_does_not_depend_on_its_company(solver: str) -> None:
    chain = arms.odd_arm()
    targets, goals = targets_and_goals(chain, 43)
    seeds, params = near(chain, goals), rj.IkParams(solver=solver)  # type: ignore[arg-type]
    whole = rj.inverse_kinematics(chain, targets, seeds, params)
    order = np.random.default_rng(6).permutation(43)
    permuted = rj.inverse_kinematics(chain, targets[order], seeds[order], params)
    assert np.array_equal(permuted.q, whole.q[order])
    assert np.array_equal(permuted.status, whole.status[order])
    for i in range(43):
        try:
            one = rj.inverse_kinematics(chain, targets[i], seeds[i], params)
        except rj.SingularJacobianError as error:
            assert whole.status[i] == rj.IkStatus.SINGULAR
            assert np.array_equal(error.q, whole.q[i])
            continue
        assert np.array_equal(one.q, whole.q[i])
        assert one.status == whole.status[i]
        assert (one.position_error, one.iterations) == (whole.position_error[i], whole.iterations[i])


def test_broadcasting() -> None:
    chain = arms.rebel()
    targets, goals = targets_and_goals(chain, 5)
    one_seed = rj.inverse_kinematics(chain, targets, goals[0])
    assert one_seed.q.shape == (5, 6)
    assert one_seed.converged[0]
    grid = rj.inverse_kinematics(chain, targets[:, None], goals)
    assert grid.q.shape == (5, 5, 6)
    assert grid.status.dtype == np.int8
    assert np.all(np.diagonal(grid.iterations) == 0)
    one_target = rj.inverse_kinematics(chain, targets[0], goals)
    assert np.array_equal(one_target.q, grid.q[0])
    empty = rj.inverse_kinematics(chain, targets[:0], goals[0])
    assert empty.q.shape == (0, 6)
    assert empty.converged.shape == (0,)
    assert grid[2].q.shape == (5, 6)
    assert isinstance(grid[2, 2].status, rj.IkStatus)
    assert grid[1:3].position_error.shape == (2, 5)


def test_inputs_are_not_modified_and_any_real_array_is_accepted() -> None:
    chain = arms.rebel()
    targets, goals = targets_and_goals(chain, 10)
    seeds = near(chain, goals)
    expected = rj.inverse_kinematics(chain, targets, seeds)
    for array in (targets, seeds):
        array.flags.writeable = False
    again = rj.inverse_kinematics(chain, targets, np.asfortranarray(seeds))
    assert np.array_equal(again.q, expected.q)
    assert np.array_equal(rj.inverse_kinematics(chain, targets.tolist(), seeds.tolist()).q, expected.q)
    assert rj.inverse_kinematics(chain, targets.astype(np.float32), seeds).converged.sum() >= 5


def test_chunks_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = arms.rebel()
    targets, goals = targets_and_goals(chain, 50)
    whole = rj.inverse_kinematics(chain, targets, near(chain, goals))
    monkeypatch.setattr("repose_jit.ik.solve.CHUNK", 11)
    assert np.array_equal(rj.inverse_kinematics(chain, targets, near(chain, goals)).q, whole.q)


def test_a_large_budget_does_not_make_ctrl_c_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is seen between kernel calls, so none may do more iterations than take a moment."""
    calls: list[int] = []
    solve = dls.solve_from_seeds

    def count(chain: object, targets: Array, *rest: object) -> bool:
        calls.append(targets.size // 16)
        return solve(chain, targets, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(dls, "solve_from_seeds", count)
    target = np.tile(rj.forward_kinematics(arms.rebel(), np.zeros(6)), (100, 1, 1))
    for iterations in (64, 10_000, 1_000_000):
        calls.clear()
        rj.inverse_kinematics(arms.rebel(), target, np.zeros(6), rj.IkParams(max_iterations=iterations))
        assert sum(calls) == 100
        assert max(calls) <= max(8, 2**18 // iterations)


# --- parts of a batch ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "index", [..., (..., 0), (0, ...), (slice(None), 1), (1, ..., 2), (..., slice(1)), None, [1, 0], (..., [0, 2])]
)
def test_an_index_picks_problems_and_never_joints(index: object) -> None:
    chain = arms.rebel()
    targets, goals = targets_and_goals(chain, 6)
    result = rj.inverse_kinematics(chain, targets.reshape(2, 3, 4, 4), goals.reshape(2, 3, 6))
    which = np.arange(6).reshape(2, 3)[index]  # type: ignore[call-overload]
    part = result[index]
    assert np.array_equal(part.q, result.q.reshape(6, 6)[which])
    assert np.array_equal(part.status, result.status.reshape(6)[which])  # type: ignore[union-attr]
    assert np.array_equal(part.position_error, result.position_error.reshape(6)[which])  # type: ignore[union-attr]
    assert np.array_equal(part._target, targets[which])
    assert isinstance(part.status, rj.IkStatus) is (which.ndim == 0)


def test_an_ellipsis_in_one_dimension() -> None:
    chain = arms.rebel()
    targets, goals = targets_and_goals(chain, 3)
    result = rj.inverse_kinematics(chain, targets, goals)
    assert np.array_equal(result[..., 1].q, result.q[1])
    assert np.array_equal(result[...].q, result.q)


# --- statuses and explanations ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("lead", [(), (3,)])
def test_an_explanation_is_that_of_the_solve_whatever_becomes_of_the_callers_array(lead: tuple[int, ...]) -> None:
    target = np.tile(reference.transform((5.0, 0.0, 0.0)), (*lead, 1, 1))
    result = rj.inverse_kinematics(arms.rebel(), target, np.zeros(6))
    before = result.explain()
    target[..., :3, 3] = 0.0
    assert "out of reach" in before
    assert result.explain() == before


def test_limits_that_are_not_enforced_are_not_blamed() -> None:
    slide = rj.JointSpec.prismatic((0, 0, 0), (0, 0, 0), limits=rj.JointLimits.prismatic(0.0, 1.0))
    target = reference.transform((0.0, 0.0, 3.0))
    free = rj.IkParams(enforce_joint_limits=False, max_iterations=3)
    for seed in (0.5, 0.95):
        text = rj.inverse_kinematics(rj.KinematicChain([slide]), target, [seed], free).explain()
        assert "out of reach" not in text
        assert "limits" not in text
        assert "At a limit" not in text
    kept = rj.inverse_kinematics(rj.KinematicChain([slide]), target, [0.5])
    assert "out of reach: it is 2.500 m from (0.000, 0.000, 0.500), and the tool gets 0.500 m away" in kept.explain()


def test_a_pose_that_only_its_orientation_puts_out_of_reach_is_explained() -> None:
    chain = arms.rebel()
    p = (0.0, 0.0, 0.279 + 0.6)
    up, down = reference.transform(p), reference.transform(p, (math.pi, 0.0, 0.0))
    assert "out of reach" not in rj.inverse_kinematics(chain, up, chain.home).explain()
    text = rj.inverse_kinematics(chain, down, chain.home).explain()
    assert "out of reach in this orientation: it puts the wrist 0.719 m from (0.000, 0.000, 0.279)" in text


def test_status_names() -> None:
    assert [str(status) for status in rj.IkStatus] == [
        "UNINITIALIZED",
        "CONVERGED",
        "MAX_ITERATIONS_REACHED",
        "SINGULAR",
    ]
    assert [int(status) for status in rj.IkStatus] == [0, 1, 2, 3]


def test_converged_is_explained() -> None:
    chain = arms.rebel()
    result = rj.inverse_kinematics(chain, rj.forward_kinematics(chain, np.full(6, 0.3)), np.full(6, 0.2))
    assert result.status is rj.IkStatus.CONVERGED
    assert result.converged is True
    assert "Converged after" in result.explain()
    assert result.raise_if_failed() is result


def test_out_of_reach_is_explained() -> None:
    chain = arms.rebel()
    result = rj.inverse_kinematics(chain, reference.transform((5.0, 0.0, 0.0)), chain.home)
    assert result.status is rj.IkStatus.MAX_ITERATIONS_REACHED
    assert "out of reach: it is 5.008 m from (0.000, 0.000, 0.279)" in result.explain()
    with pytest.raises(rj.SolveFailedError, match="out of reach"):
        result.raise_if_failed()


def test_a_wrist_limit_is_explained() -> None:
    joints = [rj.JointSpec.prismatic((0, 0, 0), (0, 0, 0), f"pos_{a}", name=a) for a in "xyz"]
    limits = rj.JointLimits.revolute(-0.5, 0.5)
    joints += [rj.JointSpec.revolute((0, 0, 0), (0, 0, 0), f"pos_{a}", limits, name=f"r{a}") for a in "xyz"]
    gantry = rj.KinematicChain(joints)
    result = rj.inverse_kinematics(gantry, reference.transform((0, 0, 0), (0, 0, 1.0)), np.zeros(6))
    assert result.status is rj.IkStatus.MAX_ITERATIONS_REACHED
    assert result.position_error <= 1e-4
    assert result.orientation_error == pytest.approx(0.5, abs=1e-6)
    assert "position is reached but not with this orientation" in result.explain()
    assert "At a limit: rz" in result.explain()


def test_a_singularity_is_explained() -> None:
    chain = arms.rebel()
    goals = arms.random_configurations(chain, np.random.default_rng(7), 200)
    goals[:, 4] = 0.01  # the wrist nearly aligned
    result = rj.inverse_kinematics(chain, rj.forward_kinematics(chain, goals), near(chain, goals))
    stuck = ~result.converged & ~result.limited_joints.any(axis=-1) & (result.position_error > 1e-4)
    assert stuck.sum() > 5
    for i in np.flatnonzero(stuck):
        assert result[i].sigma_min == pytest.approx(
            reference.singular_values(reference.from_chain(chain), result.q[i])[-1], abs=1e-12
        )
        assert result[i].sigma_min < 0.05
        assert "near a singularity" in result[i].explain()
        assert "Raise max_iterations" in result[i].explain()


def test_joint_limits_in_the_way_are_explained() -> None:
    chain = arms.rebel()
    goal = np.array([0.0, 2.44346, 2.61799, 0.0, 0.5, 0.0])
    target = rj.forward_kinematics(chain, goal + (0, 0.4, 0, 0, 0, 0))
    result = rj.inverse_kinematics(chain, target, goal)
    assert not result.converged
    assert "At a limit: " in result.explain()
    assert "joint2" in result.explain()


def test_pseudoinverse_raises_at_a_singularity_with_the_best_q() -> None:
    chain = arms.rebel()
    target = rj.forward_kinematics(chain, np.full(6, 0.3))
    with pytest.raises(rj.SingularJacobianError, match="Jacobian is singular") as caught:
        rj.inverse_kinematics(chain, target, np.zeros(6), rj.IkParams(solver="pseudoinverse"))
    assert np.array_equal(caught.value.q, np.zeros(6))
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    batch = rj.inverse_kinematics(chain, target[None], np.zeros(6), rj.IkParams(solver="pseudoinverse"))
    assert batch.status.tolist() == [rj.IkStatus.SINGULAR]
    assert "Jacobian is singular" in batch.explain()


def test_vanishing_damping_never_gives_nan() -> None:
    chain = arms.rebel()
    result = rj.inverse_kinematics(
        chain, rj.forward_kinematics(chain, np.full(6, 0.3)), np.zeros(6), rj.IkParams(damping=1e-200)
    )
    assert np.isfinite(result.q).all()
    assert np.isfinite(result.position_error)
    assert result.explain()


def test_a_batch_is_explained() -> None:
    chain = arms.rebel()
    targets, goals = targets_and_goals(chain, 3)
    targets[1, 0, 3] = 9.0
    text = rj.inverse_kinematics(chain, targets, goals).explain()
    assert text.startswith("2 of 3 converged. Problem [1]: Not converged")
    assert rj.inverse_kinematics(chain, targets[:1], goals[:1]).explain() == "1 of 1 converged."


def test_half_a_turn_has_norm_pi() -> None:
    axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1), (1, 1, 0), (1, -2, 3), (-3, -1, 2)]
    limits = rj.JointLimits.revolute(0.0, 0.0)
    for axis in axes:
        still = rj.KinematicChain([rj.JointSpec.revolute((0, 0, 0), (0, 0, 0), axis, limits)])
        for angle in (math.pi, math.pi - 1e-9, math.pi - 1e-4, 1e-9, 1e-4, 1.0, 3.0):
            target = np.eye(4)
            target[:3, :3] = reference.rodrigues(np.array(axis) / np.linalg.norm(axis), angle)
            result = rj.inverse_kinematics(
                still, target, [0.0], rj.IkParams(max_iterations=1, orientation_tolerance=1e-12)
            )
            assert result.orientation_error == pytest.approx(angle, abs=1e-14 + 2e-15 * angle)


# --- bad input -------------------------------------------------------------------------------------------------------


def pose(**changes: float) -> Array:
    T = np.eye(4)
    for place, value in changes.items():
        T[int(place[1]), int(place[2])] = value
    return T


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        (np.eye(3), rj.ShapeError, r"target: got shape \(3, 3\), expected \(\.\.\., 4, 4\)"),
        (np.zeros((0,)), rj.ShapeError, r"target: got shape \(0,\)"),
        (pose(_03=math.nan), rj.InputError, r"target\[0, 3\]: got nan"),
        (pose(_22=math.inf), rj.InputError, r"target\[2, 2\]: got inf"),
        (pose(_00=1.1), rj.InputError, "not orthonormal"),
        (pose(_22=-1.0), rj.InputError, "left-handed"),
        (pose(_30=0.1), rj.InputError, "last row"),
        (pose(_03=1e12), rj.InputError, "metres"),
        (np.zeros((4, 4)), rj.InputError, "last row"),
        ("pose", rj.InputError, "target: got str"),
        (np.stack([np.eye(4), pose(_11=2.0)]), rj.InputError, r"target\[1\]: got a rotation part"),
    ],
)
def test_bad_targets(target: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rj.inverse_kinematics(arms.rebel(), target, np.zeros(6))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seed", "error", "message"),
    [
        (np.zeros(5), rj.ShapeError, r"seed: got shape \(5,\), expected \(\.\.\., 6\)"),
        ([0, 0, 0, math.nan, 0, 0], rj.InputError, r"seed\[3\]: got nan"),
        (None, rj.InputError, "seed: got NoneType"),
        (np.zeros((3, 6)), None, ""),
    ],
)
def test_bad_seeds(seed: object, error: type[Exception] | None, message: str) -> None:
    if error is None:
        assert rj.inverse_kinematics(arms.rebel(), np.eye(4), seed).q.shape == (3, 6)  # type: ignore[arg-type]
        return
    with pytest.raises(error, match=message):
        rj.inverse_kinematics(arms.rebel(), np.eye(4), seed)  # type: ignore[arg-type]


def test_leading_dimensions_that_do_not_broadcast() -> None:
    with pytest.raises(rj.ShapeError, match=r"\(5,\) and \(4,\)"):
        rj.inverse_kinematics(arms.rebel(), np.tile(np.eye(4), (5, 1, 1)), np.zeros((4, 6)))


def test_a_bad_target_late_in_a_batch_is_named_before_anything_runs() -> None:
    targets = np.tile(np.eye(4), (20_000, 1, 1))
    targets[19_999, 1, 3] = math.nan
    with pytest.raises(rj.InputError, match=r"target\[19999, 1, 3\]: got nan"):
        rj.inverse_kinematics(arms.rebel(), targets, np.zeros(6))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"solver": "dls"}, rj.UnknownNameError, "unknown solver 'dls'"),
        ({"max_iterations": 0}, rj.InputError, "max_iterations: got 0, expected 1 to"),
        ({"max_iterations": 10**9}, rj.InputError, "max_iterations: got 1000000000"),
        ({"max_iterations": 1.5}, rj.InputError, "max_iterations: got 1.5, expected an integer"),
        ({"position_tolerance": 0.0}, rj.InputError, "position_tolerance: got 0.0"),
        ({"orientation_tolerance": math.nan}, rj.InputError, "orientation_tolerance: got nan"),
        ({"damping": 0}, rj.InputError, "damping: got 0"),
        ({"max_step": -1.0}, rj.InputError, "max_step: got -1.0"),
        ({"max_linear_step": math.inf}, rj.InputError, "max_linear_step: got inf"),
        ({"max_step": "0.1"}, rj.InputError, "max_step: got '0.1', expected a number"),
        ({"enforce_joint_limits": "no"}, rj.InputError, "enforce_joint_limits: got 'no'"),
    ],
)
def test_bad_parameters(options: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rj.IkParams(**options)  # type: ignore[arg-type]


def test_parameters_that_are_not_ik_params() -> None:
    with pytest.raises(rj.InputError, match="params: got dict, expected IkParams"):
        rj.inverse_kinematics(arms.rebel(), np.eye(4), np.zeros(6), {"damping": 0.1})  # type: ignore[arg-type]


def test_parameters_survive_pickling_and_comparison() -> None:
    params = rj.IkParams(damping=0.2, max_iterations=7)
    assert pickle.loads(pickle.dumps(params)) == params
    assert params != rj.IkParams()
    assert "damping=0.2" in repr(params)
    assert "_kernel" not in repr(params)


entries = st.floats() | st.integers(-3, 3) | st.booleans() | st.text(max_size=2) | st.none()
matrices = st.lists(st.lists(entries, min_size=3, max_size=4), min_size=3, max_size=4)
rows = st.lists(entries, min_size=5, max_size=7)
rigid_like = st.builds(
    lambda rpy, p, scale: [[x * scale for x in row] for row in reference.transform(p, rpy).tolist()],
    st.tuples(*[st.floats(-4, 4)] * 3),
    st.tuples(*[st.floats()] * 3),
    st.sampled_from([1.0, 1.0 + 1e-7, 1.0 + 1e-5, -1.0]),
)
positive = st.floats(min_value=0.0, exclude_min=True, allow_infinity=False)


@settings(max_examples=300, deadline=None)
@given(matrices | rigid_like, rows | st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=6, max_size=6))
def test_no_input_crashes_or_passes_nan_off_as_converged(target: object, seed: object) -> None:
    for solver in ("damped_least_squares", "pseudoinverse"):
        for enforce in (True, False):
            params = rj.IkParams(solver=solver, max_iterations=8, enforce_joint_limits=enforce)  # type: ignore[arg-type]
            try:
                result = rj.inverse_kinematics(arms.rebel(), target, seed, params)  # type: ignore[arg-type]
            except rj.ReposeError:
                continue
            assert np.isfinite(result.q).all()
            assert result.explain()
            if result.converged:
                error = reference.pose_error(rj.forward_kinematics(arms.rebel(), result.q), np.array(target, float))
                assert np.linalg.norm(error[:3]) <= 1e-4 * (1 + 1e-9)
                assert np.linalg.norm(error[3:]) <= 1e-3 * (1 + 1e-6)


@settings(max_examples=100, deadline=None)
@given(positive, positive, positive, positive)
def test_any_legal_parameters_end_in_finite_results(p: float, r: float, damping: float, step: float) -> None:
    params = rj.IkParams(
        position_tolerance=p,
        orientation_tolerance=r,
        damping=damping,
        max_step=step,
        max_linear_step=step,
        max_iterations=9,
    )
    chain = arms.odd_arm()
    result = rj.inverse_kinematics(chain, reference.transform((0.3, 0.2, 0.9)), chain.home, params)
    assert np.isfinite(result.q).all()
    assert np.isfinite([result.position_error, result.orientation_error]).all()
    assert chain.is_within_limits(result.q)
