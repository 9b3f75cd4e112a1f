"""Chains: composition, names, home, tool, limits of a configuration, and what is refused."""

from __future__ import annotations

import copy
import math
import pickle
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repose_jit.chain import KinematicChain
from repose_jit.chain_arrays import alignment
from repose_jit.errors import InputError, ModelError, ReposeError, ShapeError
from repose_jit.joints import JointLimits, JointMimic, JointSpec
from tests import reference
from tests.anything import anything, axes, chains

ZERO = (0.0, 0.0, 0.0)


def arm(**options: object) -> KinematicChain:
    """Return shoulder [-1, 2], a fixed bracket, a continuous wrist and a slide [0.1, 0.5]."""
    joints = [
        JointSpec.revolute((0, 0, 0.1), ZERO, "pos_z", JointLimits.revolute(-1, 2, 3), name="shoulder"),
        JointSpec.fixed((0, 0.1, 0), (0.1, 0, 0), name="bracket"),
        JointSpec.revolute((0, 0, 0.3), ZERO, "neg_y", name="wrist"),
        JointSpec.prismatic((0.2, 0, 0), ZERO, "pos_x", JointLimits.prismatic(0.1, 0.5), name="slide"),
    ]
    return KinematicChain(joints, **options)  # type: ignore[arg-type]


def odd_arm() -> KinematicChain:
    """Return the package's chain of the oracle's odd arm."""
    table = reference.odd_arm_table()
    joints = []
    for row in table.slots:
        mimic = None if row.mimic is None else JointMimic(*row.mimic)
        if row.joint_type == "fixed":
            joints.append(JointSpec.fixed(row.origin_translation, row.origin_rpy, name=row.name))
            continue
        make = JointSpec.prismatic if row.joint_type == "prismatic" else JointSpec.revolute
        limits = getattr(JointLimits, row.joint_type)(row.limits.lower, row.limits.upper)
        joints.append(make(row.origin_translation, row.origin_rpy, row.axis, limits, name=row.name, mimic=mimic))
    return KinematicChain(joints, tool_offset=table.tool_offset)


def compose(chain: KinematicChain, q: np.ndarray) -> np.ndarray:
    """Return the product of the definition, from the public pieces of each joint."""
    values = dict(zip(chain.joint_names, q, strict=True))

    def value(joint: JointSpec) -> float:
        if joint.mimic is None:
            return float(values[str(joint.name)])
        source = next(slot for slot in (*chain.slots, *chain.off_path_sources) if slot.name == joint.mimic.joint)
        return joint.mimic.multiplier * value(source) + joint.mimic.offset

    T = np.eye(4)
    for joint in chain.slots:
        T = T @ joint.origin_transform() @ joint.motion_transform(value(joint))
    return T @ chain.tool_offset


def compose_arrays(chain: KinematicChain, q: np.ndarray) -> np.ndarray:
    """Return the product that a kernel forms: constants, and motions about or along z."""
    transforms, slots, gains, *_ = (np.asarray(array) for array in chain.arrays)
    T = np.eye(4)
    for row, (code, entry), (multiplier, offset) in zip(transforms, slots, gains, strict=False):
        T = T @ reference.transform(row[9:]) @ _rotation(row)
        x = multiplier * q[entry] + offset
        if code == 1:
            T = T @ reference.transform(ZERO, (0, 0, x))
        elif code == 2:
            T = T @ reference.transform((0, 0, x))
    return T @ reference.transform(transforms[-1][9:]) @ _rotation(transforms[-1])


def _rotation(row: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = row[:9].reshape(3, 3)
    return T


# ------------------------------------------------------------------------------------------------------ composition
@given(chains(), st.integers(0, 2**32))
def test_the_arrays_compose_to_the_definition(chain: KinematicChain, seed: int) -> None:
    q = np.random.default_rng(seed).uniform(-2, 2, chain.n_joints)
    np.testing.assert_allclose(compose_arrays(chain, q), compose(chain, q), atol=1e-13)


def test_the_odd_arm_composes_as_the_oracle_does() -> None:
    chain, oracle, rng = odd_arm(), reference.odd_arm(), np.random.default_rng(1)
    assert chain.n_joints == 7
    np.testing.assert_allclose(chain.lower_limits[oracle.lower > -np.inf], oracle.lower[oracle.lower > -np.inf])
    for _ in range(20):
        q = reference.random_configuration(oracle, rng)
        expected = reference.fk(oracle, q)
        np.testing.assert_allclose(compose(chain, q), expected, atol=1e-14)
        np.testing.assert_allclose(compose_arrays(chain, q), expected, atol=1e-14)


@given(axes)
def test_alignment_takes_z_to_the_axis(axis: object) -> None:
    unit = JointSpec.revolute(ZERO, ZERO, axis).axis  # type: ignore[arg-type]
    A = alignment(unit)
    np.testing.assert_array_equal(A[:, 2], unit)
    np.testing.assert_allclose(A.T @ A, np.eye(3), atol=1e-15)
    assert np.linalg.det(A) == pytest.approx(1.0)
    if np.count_nonzero(unit) == 1:
        assert set(np.unique(np.abs(A))) == {0.0, 1.0}


def test_alignment_to_z_is_the_identity() -> None:
    np.testing.assert_array_equal(alignment(np.array([0.0, 0.0, 1.0])), np.eye(3))


def test_the_arrays_cannot_be_changed() -> None:
    for array in arm().arrays:
        with pytest.raises(ValueError, match=r"read-only"):
            array[0] = 1


# ------------------------------------------------------------------------------------------------- names and joints
def test_joints_without_a_name_are_numbered_by_their_place() -> None:
    chain = KinematicChain(
        [JointSpec.revolute(ZERO, ZERO), JointSpec.revolute(ZERO, ZERO, name="b"), JointSpec.fixed(ZERO, ZERO)]
    )
    assert chain.joint_names == ("joint1", "b", "joint3")


def test_a_fixed_joint_keeps_its_slot() -> None:
    chain = arm()
    assert chain.n_joints == 4
    assert chain.joint_names[1] == "bracket"
    q = np.array([0.3, 0.0, -0.4, 0.2])
    np.testing.assert_array_equal(compose_arrays(chain, q), compose_arrays(chain, q + np.array([0, 9, 0, 0])))


def test_mimic_joints_have_no_entry() -> None:
    chain = odd_arm()
    assert chain.joint_names == ("turret", "bracket", "shoulder", "slide", "elbow", "forearm", "wrist")
    assert [joint.name for joint in chain.mimic_joints] == ["coupler"]
    assert [joint.name for joint in chain.slots].index("coupler") == 3


def test_a_source_off_the_path_has_an_entry() -> None:
    far = JointSpec.revolute(ZERO, ZERO, limits=JointLimits.revolute(-2, 1), name="far")
    follower = JointSpec.revolute((0, 0, 1), ZERO, "pos_x", mimic=JointMimic("far", 2.0, 0.5), name="near")
    chain = KinematicChain([JointSpec.revolute(ZERO, ZERO, name="a"), follower], off_path_sources=[far])
    assert chain.joint_names == ("a", "far")
    assert chain.off_path_sources == (far,)
    q = np.array([0.3, -0.7])
    expected = reference.transform(ZERO, (0, 0, 0.3)) @ reference.transform((0, 0, 1), (2.0 * -0.7 + 0.5, 0, 0))
    np.testing.assert_allclose(compose_arrays(chain, q), expected, atol=1e-15)


def test_chains_name_what_is_wrong_with_their_joints() -> None:
    free = JointSpec.revolute(ZERO, ZERO, name="a")
    with pytest.raises(ModelError, match=r"^joints: got none, expected at least one joint$"):
        KinematicChain([])
    with pytest.raises(ModelError, match=r"^joint 'a': the name is used twice, expected unique names$"):
        KinematicChain([free, free])
    with pytest.raises(ModelError, match=r"^joint 'joint2': the name is used twice"):
        KinematicChain([JointSpec.revolute(ZERO, ZERO, name="joint2"), JointSpec.revolute(ZERO, ZERO)])
    with pytest.raises(InputError, match=r"^joints\[1\]: got str, expected a JointSpec$"):
        KinematicChain([free, "b"])  # type: ignore[list-item]
    with pytest.raises(InputError, match=r"^joints: got str, expected a list of JointSpec$"):
        KinematicChain("igus_rebel")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^joints: got ndarray, expected a list of JointSpec$"):
        KinematicChain(np.array(1.0))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"^off_path_sources: got a joint without a name"):
        KinematicChain([free], off_path_sources=[JointSpec.revolute(ZERO, ZERO)])
    for name in ("", 3):
        with pytest.raises(InputError, match=r"^name: got .*, expected a non-empty string or None$"):
            KinematicChain([free], name=name)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------- tool offset
def test_the_tool_is_the_flange_unless_told() -> None:
    np.testing.assert_array_equal(arm().tool_offset, np.eye(4))


def test_another_tool_replaces_the_present_one_and_nothing_else() -> None:
    T, U = reference.transform((0, 0, 0.05)), reference.transform((0.1, 0, 0), (0, 0.3, 0))
    chain = arm(name="arm", home=[0.5, 0, 0, 0.2], tool_offset=T)
    other = chain.with_tool_offset(U)
    np.testing.assert_array_equal(other.tool_offset, U)
    np.testing.assert_array_equal(chain.tool_offset, T)
    assert other == arm(name="arm", home=[0.5, 0, 0, 0.2], tool_offset=U)
    assert other.with_tool_offset(T) == chain
    q = np.array([0.1, 0, 0.2, 0.3])
    np.testing.assert_allclose(compose_arrays(other, q), compose_arrays(arm(), q) @ U, atol=1e-15)


def test_a_chain_does_not_hold_on_to_the_callers_arrays() -> None:
    T, home = np.eye(4), np.array([0.5, 0, 0, 0.2])
    chain = arm(tool_offset=T, home=home)
    T[0, 3] = home[0] = 1.5
    assert chain == arm(home=[0.5, 0, 0, 0.2])
    for array in (chain.tool_offset, chain.home):
        with pytest.raises(ValueError, match=r"read-only"):
            array[0] = 1.0


def test_rounding_in_the_last_row_of_a_tool_is_removed() -> None:
    T = np.eye(4)
    T[3, 3] = 1.0 + 1e-9
    np.testing.assert_array_equal(arm(tool_offset=T).tool_offset, np.eye(4))


@pytest.mark.parametrize(
    ("tool_offset", "error", "expected"),
    [
        (np.eye(3), ShapeError, "tool_offset: got shape (3, 3), expected (..., 4, 4)"),
        (np.stack([np.eye(4)] * 2), ShapeError, "tool_offset: got shape (2, 4, 4), expected (4, 4)"),
        (np.diag([1, 1, -1, 1]), InputError, "tool_offset: got a left-handed rotation part"),
        (np.diag([1, 1, 2, 1]), InputError, "tool_offset: got a rotation part that is not orthonormal"),
        (np.diag([1, 1, 1, 2]), InputError, "tool_offset: got last row"),
        (np.full((4, 4), np.nan), InputError, "tool_offset[0, 0]: got nan, expected a finite number"),
        (reference.transform((0, 0, 2e9)), InputError, "tool_offset: got a position 2e+09 m away"),
        ("flange", InputError, "tool_offset: got str, expected real numbers"),
    ],
)
def test_a_bad_tool_is_named(tool_offset: object, error: type[Exception], expected: str) -> None:
    for make in (lambda: arm(tool_offset=tool_offset), lambda: arm().with_tool_offset(tool_offset)):  # type: ignore[arg-type]
        with pytest.raises(error) as caught:
            make()
        assert str(caught.value).startswith(expected)


# -------------------------------------------------------------------------------------------------------------- home
def test_home_is_mid_range_and_zero_where_there_are_no_bounds() -> None:
    np.testing.assert_array_equal(arm().home, [0.5, 0.0, 0.0, 0.3])


@pytest.mark.parametrize(
    ("limits", "expected"), [((-math.inf, -2.0), -2.0), ((3.0, math.inf), 3.0), ((-math.inf, 1.0), 0.0)]
)
def test_home_of_a_half_bounded_joint_is_the_value_nearest_zero(limits: tuple[float, float], expected: float) -> None:
    chain = KinematicChain([JointSpec.prismatic(ZERO, ZERO, limits=JointLimits.prismatic(*limits))])
    assert chain.home.tolist() == [expected]


def test_home_is_mid_range_of_what_mimics_leave() -> None:
    a = JointSpec.revolute(ZERO, ZERO, limits=JointLimits.revolute(-1, 1), name="a")
    b = JointSpec.revolute(ZERO, ZERO, limits=JointLimits.revolute(0, 4), name="b", mimic=JointMimic("a", 4.0))
    assert KinematicChain([a, b]).home.tolist() == [0.5]


@given(chains())
def test_home_is_within_the_limits(chain: KinematicChain) -> None:
    assert chain.is_within_limits(chain.home) is True
    chain.validate()


def test_home_of_a_fixed_joint_is_zero_whatever_was_given() -> None:
    assert arm(home=[0.5, 7.0, 9.0, 0.2]).home.tolist() == [0.5, 0.0, 9.0, 0.2]


@pytest.mark.parametrize(
    ("home", "expected"),
    [
        ([0, 0, 0, 0], "home[3]: joint 'slide': got 0, expected a value within [0.1, 0.5]"),
        ([2.1, 0, 0, 0.2], "home[0]: joint 'shoulder': got 2.1, expected a value within [-1, 2]"),
        ([0, 0, 0], "home: got shape (3,), expected (4,)"),
        ([0, 0, math.inf, 0.2], "home[2]: got inf, expected a finite number"),
        ("home", "home: got str, expected real numbers"),
    ],
)
def test_a_bad_home_is_named(home: object, expected: str) -> None:
    with pytest.raises((InputError, ShapeError)) as caught:
        arm(home=home)
    assert str(caught.value) == expected


# ------------------------------------------------------------------------------------- limits of a configuration
@given(chains(), st.integers(0, 2**32))
def test_clamped_configurations_are_within_the_limits(chain: KinematicChain, seed: int) -> None:
    q = np.random.default_rng(seed).uniform(-3, 3, (5, chain.n_joints))
    clamped = chain.clamp_to_limits(q)
    assert np.all(chain.is_within_limits(clamped))
    np.testing.assert_array_equal(chain.clamp_to_limits(clamped), clamped)
    inside = np.asarray(chain.is_within_limits(q))
    moves = np.array([joint.joint_type != "fixed" for joint in chain.joints])
    np.testing.assert_array_equal(inside, np.all((clamped == q) | ~moves, axis=-1))


def test_bounds_belong_to_the_limits_and_fixed_entries_do_not_count() -> None:
    chain = arm()
    assert chain.is_within_limits([-1, 99, 1e6, 0.1]) is True
    assert chain.is_within_limits([2, -99, -1e6, 0.5]) is True
    assert chain.is_within_limits([np.nextafter(2, 3), 0, 0, 0.5]) is False
    assert chain.is_within_limits([2, 0, 0, np.nextafter(0.1, 0)]) is False
    assert chain.clamp_to_limits([-5, 99, 1e6, 9]).tolist() == [-1.0, 0.0, 1e6, 0.5]


def test_batches_of_configurations_keep_their_shape() -> None:
    chain, q = arm(), np.zeros((2, 3, 4))
    q[..., 3] = 0.2
    q[1, 2, 0] = 5.0
    inside = chain.is_within_limits(q)
    assert isinstance(inside, np.ndarray)
    assert inside.dtype == bool
    assert inside.shape == (2, 3)
    assert np.argwhere(~inside).tolist() == [[1, 2]]
    assert chain.clamp_to_limits(q).shape == (2, 3, 4)
    empty = chain.is_within_limits(np.empty((0, 4)))
    assert isinstance(empty, np.ndarray)
    assert empty.shape == (0,)
    assert chain.clamp_to_limits(np.empty((0, 4))).shape == (0, 4)


def test_clamping_leaves_the_input_alone_and_takes_any_layout() -> None:
    chain, q = arm(), np.array([[3.0, 1.0, 2.0, 0.75], [-3.0, 1.0, 2.0, 0.25]])
    before, expected = q.copy(), [[2.0, 0.0, 2.0, 0.5], [-1.0, 0.0, 2.0, 0.25]]
    wide = np.zeros((2, 8))
    wide[:, ::2] = q
    for given_q in (q, q.tolist(), q.astype(np.float32), np.asfortranarray(q), wide[:, ::2]):
        np.testing.assert_array_equal(chain.clamp_to_limits(given_q), expected)
    np.testing.assert_array_equal(q, before)
    np.testing.assert_array_equal(chain.clamp_to_limits(np.array([3, 0, 1, 1])), [2.0, 0.0, 1.0, 0.5])


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        (np.zeros(3), "q: got shape (3,), expected (..., 4): one entry for each of the 4 joints"),
        (1.0, "q: got shape (), expected (..., 4): one entry for each of the 4 joints"),
        ([[0, 0, 0, 0.2], [0, math.nan, 0, 0.2]], "q[1, 1]: got nan, expected a finite number"),
        ([0, 0, math.inf, 0.2], "q[2]: got inf, expected a finite number"),
        (["a", "b", "c", "d"], "q: got entries of type <U1, expected real numbers"),
        ([True, False, True, False], "q: got entries of type bool, expected real numbers"),
        ([0, 0, 0, 1j], "q: got entries of type complex128, expected real numbers"),
        ([[0], [0, 1]], "q: got something that is not an array of numbers"),
    ],
)
def test_a_bad_configuration_is_named(q: object, expected: str) -> None:
    for method in (arm().is_within_limits, arm().clamp_to_limits):
        with pytest.raises((InputError, ShapeError)) as caught:
            method(q)  # type: ignore[arg-type, operator]
        assert str(caught.value).startswith(expected)


# ---------------------------------------------------------------------------------------------- values, not places
@given(chains())
def test_copies_are_equal(chain: KinematicChain) -> None:
    for twin in (pickle.loads(pickle.dumps(chain)), copy.deepcopy(chain)):
        assert twin == chain
        assert hash(twin) == hash(chain)
        assert repr(twin) == repr(chain)
        assert not twin.tool_offset.flags.writeable
        assert not twin.slots[0].axis.flags.writeable
        for mine, theirs in zip(chain.arrays, twin.arrays, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_chains_differ_when_anything_does() -> None:
    chain = arm()
    for other in (
        arm(name="arm"),
        arm(home=[0.4, 0, 0, 0.3]),
        arm(tool_offset=reference.transform((0, 0, 1e-12))),
        KinematicChain(chain.slots[:3]),
        KinematicChain([chain.slots[0].renamed("hip"), *chain.slots[1:]]),
    ):
        assert other != chain
    assert chain == arm(home=[0.5, 0, 0, 0.3])
    assert chain == arm(tool_offset=-1.0 * -np.eye(4))
    assert chain != "arm"


def test_the_properties_of_a_chain_cannot_be_set() -> None:
    chain = arm()
    for name in ("joints", "slots", "joint_names", "n_joints", "tool_offset", "home", "name", "lower_limits", "arrays"):
        with pytest.raises(AttributeError):
            setattr(chain, name, None)
    for array in (chain.lower_limits, chain.upper_limits):
        with pytest.raises(ValueError, match=r"read-only"):
            array[0] = 0.0


def test_a_chain_prints_its_joints() -> None:
    assert repr(arm(name="arm")) == "KinematicChain('arm', 4 joints: shoulder, bracket, wrist, slide)"
    assert repr(odd_arm()).endswith("wrist, 1 mimic)")


# -------------------------------------------------------------------------------------------------------------- fuzz
@given(anything, anything, anything, anything, anything)
def test_chain_raises_only_our_errors(a: object, b: object, c: object, d: object, e: object) -> None:
    for make in (
        lambda: KinematicChain(a, tool_offset=b, name=c, home=d, off_path_sources=e),  # type: ignore[arg-type]
        lambda: KinematicChain([a, b], off_path_sources=[c]),  # type: ignore[list-item]
        lambda: arm(tool_offset=a),
        lambda: arm(home=a),
        lambda: arm(name=a),
        lambda: arm(off_path_sources=a),
        lambda: arm().with_tool_offset(a),  # type: ignore[arg-type]
        lambda: arm().is_within_limits(a),  # type: ignore[arg-type]
        lambda: arm().clamp_to_limits(a),  # type: ignore[arg-type]
    ):
        with suppress(ReposeError):
            make()
