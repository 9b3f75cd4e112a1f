"""Forward kinematics, Jacobians and measures of dexterity: laws, the oracle, golden values, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import repose_jit as rj
from tests import arms, reference

FRAMES = ("base", "body", "spatial")
CHAINS = [arms.rebel(), arms.odd_arm(), *(arms.random_chain(np.random.default_rng(n), n) for n in range(1, 21))]
chains = pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: f"{len(chain.slots)}-slots")


# --- golden values of the igus ReBeL ---------------------------------------------------------------------------------


def test_golden_position_at_zero() -> None:
    T = rj.forward_kinematics(arms.rebel(), np.zeros(6))
    assert np.abs(T[:3, 3] - (0.478430508176, 0.000003514747, 0.692858908250)).max() < 1e-9


def test_golden_pose() -> None:
    q = (0.3, -0.4, 0.5, -0.6, 0.7, -0.8)
    T = rj.forward_kinematics(arms.rebel(), q)
    expected = [
        [0.641118957300, -0.008199982729, 0.767397708411, 0.377034944418],
        [0.736369073387, -0.275079986222, -0.618135574886, -0.161861570144],
        [0.216164452094, 0.961386374702, -0.170320780257, 0.617015958440],
        [0.0, 0.0, 0.0, 1.0],
    ]
    assert np.abs(T - expected).max() < 1e-9
    assert rj.manipulability_squared(arms.rebel(), q) == pytest.approx(1.3495144619016733e-4, rel=1e-9)


def test_golden_jacobian() -> None:
    q = (1.0, 0.5, -1.0, 2.0, 1.2, -2.5)
    J = rj.jacobian(arms.rebel(), q)
    expected = [
        [-0.232244240583, 0.236413649814, 0.169395563274, -0.085230139046, -0.006455483209, 0],
        [-0.268776575248, -0.36818649509, -0.26381369593, 0.047454325448, 0.082500284354, 0],
        [0, -0.340648132877, -0.13705585963, 0.052385220957, -0.085237725322, 0],
        [0, 0.841467015503, 0.841467015503, 0.281121487346, -0.76973747523, 0.636043617332],
        [0, 0.540308487645, 0.540308487645, -0.437813701543, 0.428573425645, 0.577986511976],
        [-1, 0, 0, 0.853984702494, 0.473105736657, 0.511253468276],
    ]
    assert np.abs(J - expected).max() < 1e-9
    assert rj.manipulability_squared(arms.rebel(), q) == pytest.approx(1.1633641757760405e-4, rel=1e-9)


# --- the oracle ------------------------------------------------------------------------------------------------------


@chains
def test_frames_equal_the_oracle(chain: rj.KinematicChain) -> None:
    oracle = reference.from_chain(chain)
    Q = arms.random_configurations(chain, np.random.default_rng(0), 11)
    expected = np.array([reference.link_transforms(oracle, q) for q in Q])
    assert np.abs(rj.link_transforms(chain, Q) - expected).max() < 1e-12
    assert np.abs(rj.forward_kinematics(chain, Q) - expected[:, -1]).max() < 1e-12


@chains
@pytest.mark.parametrize("frame", FRAMES)
def test_jacobian_equals_the_oracle_and_finite_differences(chain: rj.KinematicChain, frame: str) -> None:
    oracle = reference.from_chain(chain)
    Q = arms.random_configurations(chain, np.random.default_rng(1), 9)
    J = rj.jacobian(chain, Q, frame=frame)
    expected = np.array([reference.jacobian(oracle, q, frame) for q in Q])
    assert np.abs(J - expected).max() < 1e-12 * max(1.0, np.abs(expected).max())
    differences = np.array([reference.numeric_jacobian(oracle, q, frame) for q in Q])
    assert np.abs(J - differences).max() < 5e-8


@chains
def test_dexterity_equals_the_oracle(chain: rj.KinematicChain) -> None:
    oracle = reference.from_chain(chain)
    Q = arms.random_configurations(chain, np.random.default_rng(2), 10)
    sigma = rj.singular_values(chain, Q)
    expected = np.array([reference.singular_values(oracle, q) for q in Q])
    assert sigma.shape == expected.shape
    assert np.abs(sigma - expected).max() < 1e-13 * max(1.0, expected.max())
    w_squared = [reference.manipulability_squared(oracle, q) for q in Q]
    assert rj.manipulability_squared(chain, Q) == pytest.approx(w_squared, rel=1e-9, abs=1e-18)
    regular = expected[:, -1] > 1e-9
    ratio = expected[regular, 0] / expected[regular, -1]
    assert np.asarray(rj.condition_number(chain, Q))[regular] == pytest.approx(ratio, rel=1e-6)


def test_w_squared_is_a_determinant() -> None:
    for chain in (arms.rebel(), arms.random_chain(np.random.default_rng(20), 20)):
        Q = arms.random_configurations(chain, np.random.default_rng(3), 20)
        J = rj.jacobian(chain, Q)
        determinant = np.linalg.det(J @ J.transpose(0, 2, 1))
        assert rj.manipulability_squared(chain, Q) == pytest.approx(determinant, rel=1e-8, abs=1e-15)


# --- laws ------------------------------------------------------------------------------------------------------------


def test_base_transform_commutes() -> None:
    chain, B = arms.odd_arm(), reference.transform((0.3, -0.2, 0.7), (0.3, -1.1, 2.0))
    first, *rest = chain.slots
    origin = B @ first.origin_transform()
    moved_first = rj.JointSpec.revolute(
        origin[:3, 3], rpy_of(origin[:3, :3]), first.axis, first.limits, name=first.name, mimic=first.mimic
    )
    moved = rj.KinematicChain([moved_first, *rest], tool_offset=chain.tool_offset)
    Q = arms.random_configurations(chain, np.random.default_rng(4), 5)
    assert np.abs(rj.forward_kinematics(moved, Q) - B @ rj.forward_kinematics(chain, Q)).max() < 1e-12
    assert np.abs(rj.jacobian(moved, Q, frame="body") - rj.jacobian(chain, Q, frame="body")).max() < 1e-12


def rpy_of(R: np.ndarray) -> tuple[float, float, float]:
    return math.atan2(R[2, 1], R[2, 2]), -math.asin(R[2, 0]), math.atan2(R[1, 0], R[0, 0])


def test_tool_offset_multiplies_on_the_right() -> None:
    chain, X = arms.odd_arm(), reference.transform((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    Q = arms.random_configurations(chain, np.random.default_rng(5), 5)
    extended = chain.with_tool_offset(chain.tool_offset @ X)
    assert np.abs(rj.forward_kinematics(extended, Q) - rj.forward_kinematics(chain, Q) @ X).max() < 1e-12


def test_singular_values_are_the_same_in_base_and_body() -> None:
    chain = arms.odd_arm()
    Q = arms.random_configurations(chain, np.random.default_rng(6), 5)
    for frame in ("base", "body"):
        sigma = np.linalg.svd(rj.jacobian(chain, Q, frame=frame), compute_uv=False)[:, :6]
        assert np.abs(sigma - rj.singular_values(chain, Q)).max() < 1e-13


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 15, 16, 17, 64, 65])
def test_a_pose_does_not_depend_on_its_company(count: int) -> None:
    chain = arms.odd_arm()
    Q = arms.random_configurations(chain, np.random.default_rng(7), count)
    alone = [rj.forward_kinematics(chain, q) for q in Q], [rj.jacobian(chain, q) for q in Q]
    assert np.array_equal(rj.forward_kinematics(chain, Q), alone[0])
    assert np.array_equal(rj.jacobian(chain, Q), alone[1])
    assert np.array_equal(rj.link_transforms(chain, Q)[:, -1], alone[0])
    assert np.array_equal(rj.singular_values(chain, Q), [rj.singular_values(chain, q) for q in Q])
    order = np.random.default_rng(8).permutation(count)
    assert np.array_equal(rj.forward_kinematics(chain, Q[order]), rj.forward_kinematics(chain, Q)[order])


def test_leading_dimensions() -> None:
    chain = arms.odd_arm()
    Q = arms.random_configurations(chain, np.random.default_rng(9), 6).reshape(2, 3, 7)
    assert rj.forward_kinematics(chain, Q).shape == (2, 3, 4, 4)
    assert rj.link_transforms(chain, Q).shape == (2, 3, 9, 4, 4)
    assert rj.jacobian(chain, Q).shape == (2, 3, 6, 7)
    assert np.shape(rj.manipulability_squared(chain, Q)) == (2, 3)
    assert isinstance(rj.manipulability_squared(chain, Q[0, 0]), float)
    assert rj.forward_kinematics(chain, np.empty((0, 7))).shape == (0, 4, 4)
    assert rj.jacobian(chain, np.empty((2, 0, 7))).shape == (2, 0, 6, 7)
    assert rj.singular_values(chain, np.empty((0, 7))).shape == (0, 6)


def test_any_real_input_gives_equal_answers_and_is_not_modified() -> None:
    chain = arms.rebel()
    whole = np.array([[0, 1, -1, 2, 1, 0], [1, 0, 1, -1, 0, 2]])
    expected = rj.forward_kinematics(chain, whole.astype(float))
    wide = np.zeros((4, 12))
    wide[::2, ::2] = whole
    for q in (whole, whole.tolist(), whole.astype(np.float32), wide[::2, ::2], np.asfortranarray(whole, dtype=float)):
        before = np.array(q)
        assert np.array_equal(rj.forward_kinematics(chain, q), expected)
        assert np.array_equal(q, before)


def test_fixed_entries_are_ignored() -> None:
    chain = arms.odd_arm()
    q = arms.random_configurations(chain, np.random.default_rng(10), 1)[0]
    other = q.copy()
    other[1] = 99.0
    assert chain.joints[1].joint_type is rj.JointType.FIXED
    assert np.array_equal(rj.forward_kinematics(chain, q), rj.forward_kinematics(chain, other))
    assert np.all(rj.jacobian(chain, q)[:, 1] == 0.0)


@pytest.mark.parametrize("size", [1e3, 1e5, 1e9, 1e18])
def test_large_angles_are_never_silently_wrong(size: float) -> None:
    chain = rj.KinematicChain([rj.JointSpec.revolute((0, 0, 0.1), (0.1, 0.2, 0.3), (1, 2, 3)) for _ in range(3)])
    oracle = reference.from_chain(chain)
    for q in np.random.default_rng(11).uniform(-size, size, (40, 3)):
        assert np.abs(rj.forward_kinematics(chain, q) - reference.fk(oracle, q)).max() < 1e-12
        mixed = np.vstack([q, np.ones((8, 3))])
        assert np.array_equal(rj.forward_kinematics(chain, mixed)[1], rj.forward_kinematics(chain, np.ones(3)))


def test_the_largest_values_accepted_overflow_nothing() -> None:
    """At the bounds of joint values, multipliers and origins at once."""
    mimic = rj.JointMimic("x", 1e6, 1e6)
    joints = [rj.JointSpec.prismatic((1e9, -1e9, 1e9), (1, 2, 3), (1, 2, 3), name=name) for name in "xyz"]
    joints += [rj.JointSpec.prismatic((1e9, 1e9, 1e9), (3, 2, 1), (3, 2, 1), name="follower", mimic=mimic)]
    joints += [rj.JointSpec.revolute((1e9, 1e9, -1e9), (i, 2, i), (i, 2, 3), name=f"r{i}") for i in range(5)]
    chain = rj.KinematicChain(joints)
    for sign in (-1e18, 1e18):
        q = np.full(8, sign)
        for function in (rj.forward_kinematics, rj.link_transforms, rj.jacobian, rj.singular_values):
            assert np.isfinite(function(chain, q)).all()
        assert np.isfinite(rj.manipulability_squared(chain, q))
        result = rj.inverse_kinematics(chain, np.eye(4), q)
        assert np.isfinite([result.position_error, result.orientation_error, *result.q]).all()


def test_nothing_moves() -> None:
    chain = rj.KinematicChain([rj.JointSpec.fixed((0, 0, 1), (0, 0, 0))])
    assert rj.singular_values(chain, [0.0]).shape == (0,)
    assert rj.manipulability_squared(chain, [0.0]) == 0.0
    assert rj.condition_number(chain, [0.0]) == math.inf
    assert np.all(rj.jacobian(chain, [0.0]) == 0.0)


def test_condition_number_is_infinite_at_an_exact_singularity() -> None:
    parallel = [rj.JointSpec.prismatic((0, 0, 0), (0, 0, 0), "pos_x", name=name) for name in "ab"]
    assert rj.condition_number(rj.KinematicChain(parallel), [0.0, 0.0]) == math.inf
    assert rj.manipulability_squared(rj.KinematicChain(parallel), [0.0, 0.0]) == 0.0


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("q", "error", "message"),
    [
        ([1.0, 2.0], rj.ShapeError, r"q: got shape \(2,\), expected \(\.\.\., 6\)"),
        (1.0, rj.ShapeError, r"q: got shape \(\)"),
        ([], rj.ShapeError, r"q: got shape \(0,\)"),
        (np.full((3, 6), np.nan), rj.InputError, r"q\[0, 0\]: got nan, expected a finite number"),
        ([0, 0, np.inf, 0, 0, 0], rj.InputError, r"q\[2\]: got inf"),
        ([0, 0, -1e300, 0, 0, 0], rj.InputError, r"q\[2\]: got -1e\+300, expected at most 1e\+18 in magnitude"),
        ("home", rj.InputError, "q: got str, expected real numbers"),
        (None, rj.InputError, "q: got NoneType"),
        ([1j] * 6, rj.InputError, "complex128"),
        ([True] * 6, rj.InputError, "bool"),
        ([[1.0], [1.0, 2.0]], rj.InputError, "not an array of numbers"),
    ],
)
def test_bad_configurations(q: object, error: type[Exception], message: str) -> None:
    for function in (rj.forward_kinematics, rj.link_transforms, rj.jacobian, rj.singular_values):
        with pytest.raises(error, match=message):
            function(arms.rebel(), q)


def test_the_bad_entry_of_a_large_batch_is_named() -> None:
    Q = np.zeros((100_000, 6))
    Q[77_777, 4] = np.nan
    with pytest.raises(rj.InputError, match=r"q\[77777, 4\]: got nan"):
        rj.forward_kinematics(arms.rebel(), Q)


def test_unknown_frame_names_the_nearest() -> None:
    with pytest.raises(rj.UnknownNameError, match="unknown frame 'Base'; did you mean 'base'"):
        rj.jacobian(arms.rebel(), np.zeros(6), frame="Base")  # type: ignore[arg-type]
    with pytest.raises(rj.UnknownNameError, match="expected one of 'base', 'body', 'spatial'"):
        rj.jacobian(arms.rebel(), np.zeros(6), frame=3)  # type: ignore[arg-type]


def test_not_a_chain() -> None:
    with pytest.raises(rj.InputError, match=r"chain: got str, expected a KinematicChain; rj.resolve_chain"):
        rj.forward_kinematics("igus_rebel", np.zeros(6))  # type: ignore[arg-type]


numbers = (
    st.floats(allow_nan=True, allow_infinity=True) | st.integers() | st.booleans() | st.text(max_size=3) | st.none()
)


@settings(max_examples=200, deadline=None)
@given(st.lists(numbers, max_size=8) | st.lists(st.lists(numbers, max_size=7), max_size=3) | numbers)
def test_no_input_crashes(q: object) -> None:
    chain = arms.rebel()
    for function in (rj.forward_kinematics, rj.jacobian, rj.singular_values):
        try:
            result = function(chain, q)  # type: ignore[operator]
        except rj.ReposeError:
            continue
        assert np.isfinite(result).all()


# --- writing to an array of the caller's ----------------------------------------------------------------------------


def test_forward_kinematics_writes_to_out() -> None:
    chain = arms.odd_arm()
    Q = arms.random_configurations(chain, np.random.default_rng(0), 20)
    for q in (Q[0], Q[:0], Q[:3], Q.reshape(4, 5, -1)):
        expected = rj.forward_kinematics(chain, q)
        out = np.full(expected.shape, np.nan)
        assert rj.forward_kinematics(chain, q, out=out) is out
        assert np.array_equal(out, expected)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((5, 4, 4)), r"out: got float64 of shape \(5, 4, 4\), expected .* of shape \(4, 4\)"),
        (np.empty((4, 4), np.float32), "out: got float32 of shape"),
        (np.empty((4, 8))[:, ::2], "out: got a strided array"),
        (np.broadcast_to(0.0, (4, 4)), "out: got a read-only array"),
        ([[0.0] * 4] * 4, "out: got list"),
    ],
)
def test_an_out_that_does_not_fit_is_refused(out: object, message: str) -> None:
    chain = arms.odd_arm()
    with pytest.raises(rj.InputError, match=message):
        rj.forward_kinematics(chain, chain.home, out=out)  # type: ignore[arg-type]
