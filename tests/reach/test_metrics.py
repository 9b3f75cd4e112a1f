"""Metrics of poses and sites: NumPy and pinocchio as oracles, laws, what cannot be computed, bad input."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import repose_jit as rj
from repose_jit.reach.solving.metrics import (
    DEFAULT_METRICS,
    METRICS,
    as_length_scale,
    as_metrics,
    compute_metrics,
    count_solutions,
    site_statistics,
)
from tests import anything, arms, reference
from tests.pinocchio_chain import PinocchioChain
from tests.reach.robots import gantry, shell_arm

KINEMATIC = [name for name in METRICS if name not in ("limit_margin", "n_solutions")]
COMPUTED = [*KINEMATIC, "limit_margin"]
ORIGIN = (0.0, 0.0, 0.0)

CHAINS = [
    arms.rebel(),
    arms.odd_arm(),
    gantry(),
    shell_arm(tool=0.1),
    rj.preset("ur5").chain(),
    rj.preset("franka_panda").chain(),
    *(arms.random_chain(np.random.default_rng(n), n) for n in (1, 2, 3, 5, 8, 12, 17)),
]
chains = pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: f"{len(chain.slots)}-slots")


def moving(chain: rj.KinematicChain) -> list[int]:
    return reference.moving_entries(reference.from_chain(chain))


def inverse_condition(J: np.ndarray) -> np.ndarray:
    sigma = np.linalg.svd(J, compute_uv=False)
    return sigma[..., -1] / sigma[..., 0]


def expected_metrics(J: np.ndarray, scale: float) -> dict[str, np.ndarray]:
    """Return the metrics of Jacobians (N, 6, m) whose columns all move the tool, by NumPy."""
    sigma = np.linalg.svd(J, compute_uv=False)
    scaled = J / np.array([scale] * 3 + [1.0] * 3)[:, None]
    return {
        "manipulability": sigma.prod(axis=-1),
        "sigma_min": sigma[..., -1],
        "inverse_condition": inverse_condition(scaled),
        "inverse_condition_linear": inverse_condition(J[:, :3]),
        "inverse_condition_angular": inverse_condition(J[:, 3:]),
    }


# --- oracles ---------------------------------------------------------------------------------------------------------


@chains
@pytest.mark.parametrize("scale", [1.0, 0.37, 50.0])
def test_metrics_equal_numpy(chain: rj.KinematicChain, scale: float) -> None:
    Q = arms.random_configurations(chain, np.random.default_rng(0), 21)
    found = compute_metrics(chain, Q, KINEMATIC, length_scale=scale)
    with np.errstate(invalid="ignore"):
        expected = expected_metrics(rj.jacobian(chain, Q)[:, :, moving(chain)], scale)
    assert list(found) == KINEMATIC
    for name, values in found.items():
        defined = ~np.isnan(values)
        assert np.abs(values - expected[name])[defined].max(initial=0.0) < 1e-13 * max(1.0, expected[name].max())
        assert defined.all() or name == "inverse_condition_angular"


@chains
def test_metrics_equal_those_of_pinocchio(chain: rj.KinematicChain) -> None:
    Q = arms.random_configurations(chain, np.random.default_rng(1), 9)
    peer = PinocchioChain(chain)
    J = np.array([peer.jacobian(q) for q in Q])[:, :, moving(chain)]
    found = compute_metrics(chain, Q, KINEMATIC, length_scale=0.5)
    with np.errstate(invalid="ignore"):
        expected = expected_metrics(J, 0.5)
    for name, values in found.items():
        defined = ~np.isnan(values)
        assert np.abs(values - expected[name])[defined].max(initial=0.0) < 1e-12 * max(1.0, expected[name].max())


@chains
def test_manipulability_is_the_root_of_a_determinant(chain: rj.KinematicChain) -> None:
    Q = arms.random_configurations(chain, np.random.default_rng(2), 15)
    J = rj.jacobian(chain, Q)[:, :, moving(chain)]
    gram = J @ J.transpose(0, 2, 1) if J.shape[2] >= 6 else J.transpose(0, 2, 1) @ J
    w = compute_metrics(chain, Q, ["manipulability"])["manipulability"]
    assert np.abs(w * w - np.linalg.det(gram)).max() < 1e-12 * max(1.0, np.abs(gram).max() ** len(gram[0]))
    assert w * w == pytest.approx(np.asarray(rj.manipulability_squared(chain, Q)), rel=1e-12, abs=1e-300)


@given(anything.chains(), st.integers(0, 2**32 - 1), st.floats(0.05, 20.0))
def test_any_chain(chain: rj.KinematicChain, seed: int, scale: float) -> None:
    Q = np.random.default_rng(seed).uniform(-2.0, 2.0, (9, chain.n_joints))
    found = compute_metrics(chain, Q, COMPUTED, length_scale=scale)
    J = rj.jacobian(chain, Q)[:, :, moving(chain)]
    if not J.shape[2]:
        assert all(np.isnan(values).all() for values in found.values())
        return
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = expected_metrics(J, scale)
    largest = {name: np.linalg.norm(J, 2, axis=(1, 2)) for name in KINEMATIC}
    largest["inverse_condition_linear"] = np.linalg.norm(J[:, :3], 2, axis=(1, 2))
    largest["inverse_condition_angular"] = np.linalg.norm(J[:, 3:], 2, axis=(1, 2))
    for name in KINEMATIC:
        clear = largest[name] > 1e-3  # below it the oracle's own Jacobian is mostly rounding
        assert np.abs(found[name] - expected[name])[clear].max(initial=0.0) < 1e-12 * max(
            1.0, expected[name][clear].max(initial=0.0)
        )
        if "inverse" in name:
            assert np.isnan(found[name][largest[name] < 1e-14]).all()


@chains
def test_limit_margin_equals_a_plain_loop(chain: rj.KinematicChain) -> None:
    Q = arms.random_configurations(chain, np.random.default_rng(3), 11)
    margins = compute_metrics(chain, Q, ["limit_margin"])["limit_margin"]
    for q, margin in zip(Q, margins, strict=True):
        parts = [
            2.0 * min(q[i] - joint.limits.lower, joint.limits.upper - q[i]) / (joint.limits.upper - joint.limits.lower)
            for i, joint in enumerate(chain.joints)
            if i in moving(chain) and joint.limits is not None and math.isfinite(joint.limits.upper)
        ]
        assert margin == pytest.approx(min(parts, default=math.nan), abs=1e-14, nan_ok=True)


# --- laws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chain", [arms.rebel(), arms.odd_arm()])
def test_a_longer_unit_of_length_is_a_length_scale(chain: rj.KinematicChain) -> None:
    """An arm three times as large, judged at three times the length scale, is the same arm."""
    larger = [
        rj.JointSpec(
            joint.joint_type,
            tuple(3.0 * x for x in joint.origin_translation),
            joint.origin_rpy,
            joint.axis,
            joint.limits,
            joint.name,
            joint.mimic,
        )
        for joint in chain.slots
        if joint.joint_type != "prismatic"
    ]
    smaller = [joint for joint in chain.slots if joint.joint_type != "prismatic"]
    tool = chain.tool_offset.copy()
    tool[:3, 3] *= 3.0
    pair = rj.KinematicChain(smaller, tool_offset=chain.tool_offset), rj.KinematicChain(larger, tool_offset=tool)
    Q = arms.random_configurations(pair[0], np.random.default_rng(4), 12)
    one, three = (
        compute_metrics(arm, Q, KINEMATIC, length_scale=scale) for arm, scale in zip(pair, (0.2, 0.6), strict=True)
    )
    for name in ("inverse_condition", "inverse_condition_linear", "inverse_condition_angular"):
        assert one[name] == pytest.approx(three[name], abs=1e-13)


def test_where_the_base_stands_and_what_is_called_for_does_not_matter() -> None:
    chain = arms.odd_arm()
    Q = arms.random_configurations(chain, np.random.default_rng(5), 10)
    every = compute_metrics(chain, Q, COMPUTED, length_scale=0.3)
    for name in COMPUTED:
        assert np.array_equal(compute_metrics(chain, Q, [name], length_scale=0.3)[name], every[name])
    backwards = compute_metrics(chain, Q, COMPUTED[::-1], length_scale=0.3)
    assert list(backwards) == COMPUTED[::-1]
    assert all(np.array_equal(backwards[name], every[name]) for name in COMPUTED)
    turned = [rj.JointSpec.fixed((1, 2, 3), (0.3, 0.2, 0.1), name="base"), *chain.slots]
    moved = rj.KinematicChain(turned, tool_offset=chain.tool_offset)
    other = compute_metrics(moved, np.insert(Q, 0, 0.0, axis=1), COMPUTED, length_scale=0.3)
    assert all(other[name] == pytest.approx(every[name], abs=1e-13) for name in COMPUTED)


def test_an_empty_batch_and_no_metric() -> None:
    chain = arms.odd_arm()
    assert {name: values.shape for name, values in compute_metrics(chain, np.empty((0, 7)), COMPUTED).items()} == (
        dict.fromkeys(COMPUTED, (0,))
    )
    assert compute_metrics(chain, chain.home[None], []) == {}


# --- what cannot be computed -----------------------------------------------------------------------------------------


def test_where_nothing_moves_there_is_no_metric() -> None:
    chain = rj.KinematicChain([rj.JointSpec.fixed((0, 0, 1), ORIGIN)])
    for values in compute_metrics(chain, np.zeros((9, 1)), COMPUTED).values():
        assert values.shape == (9,)
        assert np.isnan(values).all()


def test_slides_have_no_angular_condition() -> None:
    slides = [rj.JointSpec.prismatic(ORIGIN, ORIGIN, axis, name=axis) for axis in ("pos_x", "pos_y")]
    found = compute_metrics(rj.KinematicChain(slides), np.zeros((3, 2)), COMPUTED)
    assert np.isnan(found.pop("inverse_condition_angular")).all()
    assert np.isnan(found.pop("limit_margin")).all()  # they have no limits
    assert all(np.array_equal(values, np.ones(3)) for values in found.values())


def test_a_wrist_with_the_tool_at_its_centre_has_no_linear_condition() -> None:
    """Its linear rows are rounding, and the ratio of two roundings says nothing."""
    wrist = [rj.JointSpec.revolute((0.3, -0.2, 0.7), (0.1, 0.7, 0.3), "pos_z", name="a")]
    wrist += [rj.JointSpec.revolute(ORIGIN, (0.2, 0.5, -0.9), axis, name=axis) for axis in ("pos_y", "pos_z")]
    Q = np.random.default_rng(6).uniform(-1, 1, (20, 3)) + (0, 1.2, 0)
    chain = rj.KinematicChain(wrist)
    found = compute_metrics(chain, Q, KINEMATIC)
    assert np.isnan(found["inverse_condition_linear"]).all()
    angular = inverse_condition(rj.jacobian(chain, Q)[:, 3:])
    assert found["inverse_condition_angular"] == pytest.approx(angular, abs=1e-13)
    assert found["inverse_condition"] == pytest.approx(angular, abs=1e-13)


def test_at_a_singularity_a_metric_is_zero_and_not_missing() -> None:
    parallel = [rj.JointSpec.prismatic(ORIGIN, ORIGIN, "pos_x", name=name) for name in "ab"]
    found = compute_metrics(rj.KinematicChain(parallel), np.zeros((1, 2)), KINEMATIC)
    assert np.isnan(found.pop("inverse_condition_angular")).all()
    assert all(values == [0.0] for values in found.values())
    stretched = compute_metrics(arms.rebel(), np.zeros((1, 6)), KINEMATIC)
    assert stretched["sigma_min"] < 1e-15
    assert stretched["inverse_condition"] < 1e-15


def test_motions_that_cancel_leave_zeros() -> None:
    """A mimic turns back what its source turns: the structure moves, the tool does not."""
    there = rj.JointSpec.revolute(ORIGIN, (0.3, 0.4, 0.5), (1, 2, 3), name="there")
    back = rj.JointSpec.revolute(ORIGIN, ORIGIN, (1, 2, 3), name="back", mimic=rj.JointMimic("there", -1.0))
    found = compute_metrics(rj.KinematicChain([there, back]), np.array([[0.7]]), KINEMATIC)
    assert found["manipulability"] == pytest.approx(0.0, abs=1e-15)
    assert all(np.isnan(values).all() for name, values in found.items() if "inverse" in name)


def test_the_margin_counts_joints_with_a_range_that_move() -> None:
    limits = rj.JointLimits.revolute
    joints = [
        rj.JointSpec.revolute(ORIGIN, ORIGIN, "pos_z", limits(-1.0, 3.0), name="counts"),
        rj.JointSpec.revolute(ORIGIN, ORIGIN, "pos_x", name="endless"),
        rj.JointSpec.prismatic(ORIGIN, ORIGIN, "pos_z", rj.JointLimits.prismatic(0.0, math.inf), name="one end"),
        rj.JointSpec.revolute(ORIGIN, ORIGIN, "pos_x", limits(0.2, 0.2), name="no range"),
    ]
    q = np.array([[1.0, 9.0, 5.0, 0.2], [3.0, 0.0, 0.0, 0.2], [-0.5, 0.0, 0.0, 0.2], [0.0, 0.0, 0.0, 0.2]])
    margin = compute_metrics(rj.KinematicChain(joints), q, ["limit_margin"])["limit_margin"]
    assert margin == pytest.approx([1.0, 0.0, 0.25, 0.5])
    without = compute_metrics(rj.KinematicChain(joints[1:]), q[:, 1:], ["limit_margin"])["limit_margin"]
    assert np.isnan(without).all()


# --- how many solutions ----------------------------------------------------------------------------------------------


def test_the_solutions_of_a_planar_pair_are_counted() -> None:
    """Elbow up and elbow down, one where it is stretched, none beyond; an elbow that only bends up has one."""
    both = [
        rj.JointSpec.revolute(ORIGIN, ORIGIN, "pos_z", name="shoulder"),
        rj.JointSpec.revolute((0.5, 0, 0), ORIGIN, "pos_z", name="elbow"),
    ]
    up = [both[0], rj.JointSpec.revolute((0.5, 0, 0), ORIGIN, "pos_z", rj.JointLimits.revolute(0.0, 3.0), name="elbow")]
    T = np.tile(np.eye(4), (2, 1, 1))
    T[:, 0, 3] = 0.6, 0.95
    mask = (True, True, True, False, False, False)
    params = rj.MultiSeedParams(axis_mask=mask, max_attempts=32)
    tool = reference.transform((0.3, 0, 0))
    assert count_solutions(rj.KinematicChain(both, tool_offset=tool), T, params).tolist() == [2, 0]
    assert count_solutions(rj.KinematicChain(up, tool_offset=tool), T, params).tolist() == [1, 0]
    assert count_solutions(rj.KinematicChain(up), np.empty((0, 4, 4))).shape == (0,)


def test_counts_are_those_of_all_solutions() -> None:
    chain = rj.preset("abb_irb120").chain()
    Q = arms.random_configurations(chain, np.random.default_rng(7), 4)
    T = rj.forward_kinematics(chain, Q)
    params = rj.MultiSeedParams(max_attempts=60)
    counts = count_solutions(chain, T, params)
    assert counts.dtype == np.int64
    assert counts.tolist() == [len(rj.all_solutions(chain, target, params=params)) for target in T]
    assert counts.min() >= 1


def test_a_known_solution_is_counted_whatever_the_budget() -> None:
    chain = rj.preset("franka_panda").chain()
    Q = arms.random_configurations(chain, np.random.default_rng(8), 6)
    T, params = rj.forward_kinematics(chain, Q), rj.MultiSeedParams(max_attempts=1, max_iterations=1)
    assert count_solutions(chain, T, params).tolist() == [0] * 6
    assert count_solutions(chain, T, params, q=Q).tolist() == [1] * 6


# --- sites -----------------------------------------------------------------------------------------------------------


@given(st.integers(0, 5), st.integers(0, 20), st.integers(0, 2**32 - 1), st.floats(0.0, 1.0))
def test_site_statistics_equal_numpy(sites: int, poses: int, seed: int, missing: float) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(sites, poses))
    values[rng.random(values.shape) < missing] = np.nan
    before = values.copy()
    mean, largest = site_statistics(values)
    assert np.array_equal(values, before, equal_nan=True)
    for row, got_mean, got_largest in zip(values, mean, largest, strict=True):
        known = row[~np.isnan(row)]
        if known.size:
            assert got_mean == pytest.approx(known.mean(), abs=1e-14)
            assert got_largest == known.max()
        else:
            assert np.isnan([got_mean, got_largest]).all()


def test_site_statistics_take_any_real_numbers() -> None:
    values = np.array([[1, 3], [-5, 5]])
    for given_values in (values, values.tolist(), values.astype(np.float32), np.asfortranarray(values, float)):
        mean, largest = site_statistics(given_values)
        assert (mean.tolist(), largest.tolist()) == ([2.0, 0.0], [3.0, 5.0])
    assert [part.shape for part in site_statistics(np.empty((0, 4)))] == [(0,), (0,)]
    with pytest.raises(rj.ShapeError, match=r"values: got shape \(3,\), expected \(S, k\)"):
        site_statistics(np.zeros(3))


# --- names and bad input ---------------------------------------------------------------------------------------------


def test_every_metric_says_what_it_is() -> None:
    assert set(DEFAULT_METRICS) < set(METRICS)
    assert all(metric.meaning and "\n" not in metric.meaning and metric.unit for metric in METRICS.values())
    assert as_metrics(DEFAULT_METRICS) == DEFAULT_METRICS
    assert as_metrics([]) == ()
    assert as_metrics(name for name in ("sigma_min", "manipulability")) == ("sigma_min", "manipulability")


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (
            ["manipulabilty"],
            rj.UnknownNameError,
            r"unknown metric 'manipulabilty' in metrics\[0\]; did you mean 'manip",
        ),
        (["sigma_min", 3], rj.UnknownNameError, r"unknown metric 3 in metrics\[1\]; expected one of"),
        (["sigma_min", "sigma_min"], rj.InputError, r"metrics\[1\]: got 'sigma_min' a second time"),
        ("sigma_min", rj.InputError, "metrics: got 'sigma_min', expected a list of names"),
        ({"sigma_min": True}, rj.InputError, "metrics: got {'sigma_min': True}, expected a list"),
        (None, rj.InputError, "metrics: got None"),
    ],
)
def test_names_that_are_wrong(names: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        as_metrics(names)


@given(anything.anything)
def test_no_names_crash(names: object) -> None:
    with contextlib.suppress(rj.ReposeError):
        assert isinstance(as_metrics(names), tuple)
    with contextlib.suppress(rj.ReposeError):
        assert isinstance(as_length_scale(names), float)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.inf, math.nan, 1e-7, 1e7, "1", True])
def test_length_scales_that_are_wrong(scale: object) -> None:
    with pytest.raises(rj.InputError, match="length_scale: got"):
        compute_metrics(arms.rebel(), np.zeros((1, 6)), ["sigma_min"], length_scale=scale)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("q", "error", "message"),
    [
        (np.zeros(6), rj.ShapeError, r"q: got shape \(6,\), expected \(N, 6\)"),
        (np.zeros((2, 5)), rj.ShapeError, r"q: got shape \(2, 5\)"),
        (np.full((2, 6), np.nan), rj.InputError, r"q\[0, 0\]: got nan"),
    ],
)
def test_configurations_that_are_wrong(q: np.ndarray, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        compute_metrics(arms.rebel(), q, DEFAULT_METRICS)


def test_solutions_need_a_target() -> None:
    with pytest.raises(rj.InputError, match=r"names: got 'n_solutions', which is about a target: count_solutions"):
        compute_metrics(arms.rebel(), np.zeros((1, 6)), ["sigma_min", "n_solutions"])
    with pytest.raises(rj.ShapeError, match=r"T: got shape \(4, 4\), expected \(N, 4, 4\)"):
        count_solutions(arms.rebel(), np.eye(4))
    with pytest.raises(rj.ShapeError, match=r"q: got shape \(2, 6\), expected \(1, 6\)"):
        count_solutions(arms.rebel(), np.eye(4)[None], q=np.zeros((2, 6)))
    with pytest.raises(rj.InputError, match="chain: got str"):
        compute_metrics("ur5", np.zeros((1, 6)), [])  # type: ignore[arg-type]
