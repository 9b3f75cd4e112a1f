"""Joints: axes, origins, motions, limits, and what is refused."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repose_jit.errors import InputError, ModelError, ReposeError
from repose_jit.joints import (
    AXES,
    JointLimits,
    JointMimic,
    JointSpec,
    JointType,
    rotation_from_rpy,
    rpy_from_rotation,
)
from tests import reference
from tests.anything import anything, axes, joints, vectors

angles = st.floats(-7.0, 7.0)
ZERO = (0.0, 0.0, 0.0)


def shoulder(**changes: object) -> JointSpec:
    values: dict[str, object] = {"axis": "pos_z", "limits": JointLimits.revolute(-1.0, 2.0, 3.0), "name": "shoulder"}
    values.update(changes)
    translation, rpy = values.pop("origin_translation", ZERO), values.pop("origin_rpy", ZERO)
    return JointSpec.revolute(translation, rpy, **values)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------------- axes
def test_axes_have_the_direction_their_names_say() -> None:
    for name, sign, index in (("pos_x", 1, 0), ("neg_x", -1, 0), ("pos_y", 1, 1), ("neg_y", -1, 1), ("neg_z", -1, 2)):
        expected = np.zeros(3)
        expected[index] = sign
        np.testing.assert_array_equal(shoulder(axis=name).axis, expected)
        assert shoulder(axis=name).axis_name == name


def test_axis_is_pos_z_unless_told() -> None:
    np.testing.assert_array_equal(JointSpec.revolute(ZERO, ZERO).axis, (0, 0, 1))
    np.testing.assert_array_equal(JointSpec.prismatic(ZERO, ZERO).axis, (0, 0, 1))


@given(vectors.filter(lambda v: any(v)), st.floats(1e-150, 1e150))
def test_axis_is_normalised_whatever_its_length(vector: tuple[float, float, float], scale: float) -> None:
    largest = max(map(abs, vector))
    scaled = [min(x / largest, 1.0) * min(scale, 1e9) for x in vector]
    axis = shoulder(axis=scaled).axis
    assert abs(np.linalg.norm(axis) - 1.0) < 4e-16
    np.testing.assert_allclose(
        axis * np.linalg.norm(np.array(vector) / largest), np.array(vector) / largest, atol=1e-15
    )


@given(axes)
def test_unit_axis_stays_as_it_is_to_the_last_bit(axis: object) -> None:
    once = shoulder(axis=axis)
    assert shoulder(axis=once.axis.tolist()).axis.tobytes() == once.axis.tobytes()


def test_axis_along_a_coordinate_is_the_named_one() -> None:
    assert shoulder(axis=[0, -0.0, -7]) == shoulder(axis="neg_z")
    assert shoulder(axis=[0, -0.0, -7]).axis_name == "neg_z"
    assert shoulder(axis=[1, 1, 0]).axis_name is None


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        ([0, 0, 0], "joint 'shoulder': axis: got [0, 0, 0], expected a vector with a direction"),
        ([0, math.nan, 1], "joint 'shoulder': axis[1]: got nan, expected a finite number"),
        ([0, 0, math.inf], "joint 'shoulder': axis[2]: got inf, expected a finite number"),
        ("pos_zz", "joint 'shoulder': axis: got 'pos_zz'; did you mean 'pos_z'"),
        ("z", "joint 'shoulder': axis: got 'z'; expected one of 'pos_x', 'neg_x', 'pos_y', 'neg_y', 'pos_z', 'neg_z'"),
        ([0, 1], "joint 'shoulder': axis: got [0, 1], expected three numbers"),
        (b"abc", "joint 'shoulder': axis: got b'abc', expected three numbers"),
        ([0, "1", 0], "joint 'shoulder': axis[1]: got '1', expected a number"),
        ([True, 0, 0], "joint 'shoulder': axis[0]: got True, expected a number"),
        (None, "joint 'shoulder': axis: got None, expected three numbers"),
    ],
)
def test_a_bad_axis_is_named(axis: object, expected: str) -> None:
    with pytest.raises(ModelError) as caught:
        shoulder(axis=axis)
    assert str(caught.value).startswith(expected)


# ------------------------------------------------------------------------------------------------ origin and motion
@given(vectors, st.tuples(angles, angles, angles))
def test_origin_is_a_translation_then_yaw_pitch_roll(translation: tuple[float, ...], rpy: tuple[float, ...]) -> None:
    T = shoulder(origin_translation=translation, origin_rpy=rpy).origin_transform()
    np.testing.assert_allclose(T, reference.transform(translation, rpy), atol=1e-15)


def test_origin_rotates_in_urdf_order() -> None:
    # Roll first, about the fixed x: y goes to z. Then yaw, about the fixed z, which leaves z where it is.
    R = shoulder(origin_rpy=(math.pi / 2, 0, math.pi / 2)).origin_transform()[:3, :3]
    np.testing.assert_allclose(R @ (0, 1, 0), (0, 0, 1), atol=1e-15)
    np.testing.assert_allclose(R @ (1, 0, 0), (0, 1, 0), atol=1e-15)


@given(axes, angles)
def test_revolute_motion_turns_about_the_axis(axis: object, q: float) -> None:
    joint = shoulder(axis=axis)
    T = joint.motion_transform(q)
    np.testing.assert_allclose(T[:3, :3], reference.rodrigues(joint.axis, q), atol=2e-15)
    np.testing.assert_array_equal(T[:, 3], (0, 0, 0, 1))
    np.testing.assert_allclose(T[:3, :3] @ joint.axis, joint.axis, atol=1e-15)


@given(axes, angles)
def test_prismatic_motion_slides_along_the_axis(axis: object, q: float) -> None:
    joint = JointSpec.prismatic(ZERO, ZERO, axis)  # type: ignore[arg-type]
    np.testing.assert_array_equal(joint.motion_transform(q), reference.transform(q * joint.axis))


@given(joints(), angles, angles)
def test_motions_of_a_joint_add_up(joint: JointSpec, a: float, b: float) -> None:
    both = joint.motion_transform(a) @ joint.motion_transform(b)
    if joint.joint_type is JointType.FIXED:
        np.testing.assert_array_equal(both, np.eye(4))
    np.testing.assert_allclose(both, joint.motion_transform(a + b), atol=1e-14)
    np.testing.assert_array_equal(joint.motion_transform(0.0), np.eye(4))


@pytest.mark.parametrize("q", [math.nan, math.inf, "1", None, True, [0.0]])
def test_motion_refuses_what_is_not_a_finite_number(q: object) -> None:
    with pytest.raises(InputError, match=r"^q: got .*, expected a (finite )?number"):
        shoulder().motion_transform(q)  # type: ignore[arg-type]


@given(st.tuples(angles, st.one_of(angles, st.sampled_from([math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-9])), angles))
def test_rpy_gives_its_rotation_back(rpy: tuple[float, float, float]) -> None:
    R = rotation_from_rpy(rpy)
    np.testing.assert_allclose(rotation_from_rpy(rpy_from_rotation(R)), R, atol=3e-15)


# ----------------------------------------------------------------------------------------------------------- limits
def test_limits_keep_what_they_are_given() -> None:
    limits = JointLimits.revolute(-1, np.float32(0.5), 2)
    assert (limits.kind, limits.lower, limits.upper, limits.max_velocity) == ("revolute", -1.0, 0.5, 2.0)
    assert all(type(value) is float for value in (limits.lower, limits.upper, limits.max_velocity))


def test_limits_may_be_missing() -> None:
    assert JointLimits.revolute(0, 0).max_velocity is None
    assert JointLimits.continuous().lower == -math.inf
    assert JointLimits.continuous(2.0).upper == math.inf
    assert JointLimits.prismatic(-math.inf, 1.0).lower == -math.inf
    assert JointSpec.revolute(ZERO, ZERO).limits == JointLimits.continuous()
    assert JointSpec.prismatic(ZERO, ZERO).limits == JointLimits.prismatic(-math.inf, math.inf)
    assert JointSpec.fixed(ZERO, ZERO).limits is None


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("revolute", 2, 1), "limits: got lower 2.0 > upper 1.0, expected lower ≤ upper"),
        (("prismatic", 2, 1), "limits: got lower 2.0 > upper 1.0, expected lower ≤ upper"),
        (("revolute", -math.inf, 1), "limits: got lower -inf and upper 1.0, expected finite revolute bounds"),
        (("prismatic", math.inf, math.inf), "limits.lower: got inf, expected a number"),
        (("prismatic", -math.inf, -math.inf), "limits.upper: got -inf, expected a number"),
        (("revolute", math.nan, 1), "limits.lower: got nan, expected a number"),
        (("revolute", 0, math.nan), "limits.upper: got nan, expected a number"),
        (("revolute", True, 1), "limits.lower: got True, expected a number"),
        (("revolute", "0", 1), "limits.lower: got '0', expected a number"),
        (("revolute", None, 1), "limits.lower: got None, expected a number"),
        (("revolute", 0, 10**400), "limits.upper: got an integer too large for a float"),
        (("revolute", 0, 1, 0), "limits.max_velocity: got 0.0, expected a finite number > 0"),
        (("revolute", 0, 1, -2), "limits.max_velocity: got -2.0, expected a finite number > 0"),
        (("prismatic", 0, 1, math.inf), "limits.max_velocity: got inf, expected a finite number > 0"),
        (("prismatic", 0, 1, math.nan), "limits.max_velocity: got nan, expected a finite number > 0"),
        (("continuous", -1, 1), "limits: got lower -1.0 and upper 1.0, expected no bounds on a continuous joint"),
        (("prismatik", 0, 1), "limits.kind: got 'prismatik'; did you mean 'prismatic'?"),
        (([], 0, 1), "limits.kind: got []; expected one of 'revolute', 'prismatic', 'continuous'"),
    ],
)
def test_bad_limits_are_named(arguments: tuple[object, ...], expected: str) -> None:
    with pytest.raises(ModelError) as caught:
        JointLimits(*arguments)  # type: ignore[arg-type]
    assert str(caught.value).startswith(expected)


REVOLUTE, PRISMATIC, CONTINUOUS = JointLimits.revolute(0, 1), JointLimits.prismatic(0, 1), JointLimits.continuous()


@pytest.mark.parametrize(
    ("joint_type", "limits", "expected"),
    [
        ("revolute", PRISMATIC, "got prismatic on a revolute joint, expected revolute or continuous"),
        ("revolute", None, "got none on a revolute joint, expected revolute or continuous"),
        ("prismatic", REVOLUTE, "got revolute on a prismatic joint, expected prismatic"),
        ("prismatic", CONTINUOUS, "got continuous on a prismatic joint, expected prismatic"),
        ("prismatic", None, "got none on a prismatic joint, expected prismatic"),
        ("fixed", REVOLUTE, "got revolute on a fixed joint, expected none"),
        ("revolute", (0, 1), "got tuple, expected JointLimits.revolute(...)"),
    ],
)
def test_limits_must_fit_the_joint(joint_type: str, limits: object, expected: str) -> None:
    with pytest.raises(ModelError) as caught:
        JointSpec(joint_type, ZERO, ZERO, "pos_z", limits, "elbow")  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"joint 'elbow': limits: {expected}")


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("origin_translation", [0, math.nan, 0], "origin_translation[1]: got nan, expected a finite number"),
        ("origin_translation", [0, 0, 2e9], "origin_translation[2]: got 2000000000.0, expected a finite number of at"),
        ("origin_translation", "abc", "origin_translation: got 'abc', expected three numbers"),
        ("origin_rpy", [math.inf, 0, 0], "origin_rpy[0]: got inf, expected a finite number"),
        ("origin_rpy", [0, 0], "origin_rpy: got [0, 0], expected three numbers"),
        ("origin_rpy", {1, 2, 3}, "origin_rpy: got {1, 2, 3}, expected three numbers"),
        ("mimic", "elbow", "mimic: got 'elbow', expected a JointMimic or None"),
    ],
)
def test_bad_fields_are_named(field: str, value: object, expected: str) -> None:
    with pytest.raises(ModelError) as caught:
        shoulder(**{field: value})
    assert str(caught.value).startswith(f"joint 'shoulder': {expected}")


def test_unknown_type_and_bad_name_are_named() -> None:
    with pytest.raises(ModelError, match=r"^joint 'a': joint_type: got 'revolut'; did you mean 'revolute'\?$"):
        JointSpec("revolut", ZERO, ZERO, "pos_z", None, "a")  # type: ignore[arg-type]
    for name in ("", 3, b"a"):
        with pytest.raises(ModelError, match=r"^name: got .*, expected a non-empty string or None"):
            shoulder(name=name)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("",), "mimic.joint: got '', expected the name of a joint"),
        ((3,), "mimic.joint: got 3, expected the name of a joint"),
        (("a", math.nan), "mimic.multiplier: got nan, expected a finite number"),
        (("a", 1, math.inf), "mimic.offset: got inf, expected a finite number"),
        (("a", "2"), "mimic.multiplier: got '2', expected a number"),
    ],
)
def test_bad_mimics_are_named(arguments: tuple[object, ...], expected: str) -> None:
    with pytest.raises(ModelError) as caught:
        JointMimic(*arguments)  # type: ignore[arg-type]
    assert str(caught.value) == expected


def test_fixed_joint_takes_no_mimic() -> None:
    with pytest.raises(ModelError, match=r"mimic: got a mimic on a fixed joint, expected one on a joint that moves"):
        JointSpec(JointType.FIXED, ZERO, ZERO, "pos_z", None, "a", JointMimic("b"))  # type: ignore[arg-type]


# -------------------------------------------------------------------------------------------------- values, not places
def test_joints_cannot_be_changed() -> None:
    joint = shoulder()
    for field in dataclasses.fields(joint):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(joint, field.name, None)
    with pytest.raises(ValueError, match=r"read-only"):
        joint.axis[0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        joint.limits.upper = 9.0  # type: ignore[union-attr, misc]


def test_a_joint_does_not_hold_on_to_the_callers_arrays() -> None:
    axis, translation = np.array([0.0, 0.0, 1.0]), np.zeros(3)
    joint = shoulder(axis=axis, origin_translation=translation)
    axis[:] = translation[:] = 5.0
    assert joint == shoulder()


@given(joints())
def test_copies_are_equal_and_as_unchangeable(joint: JointSpec) -> None:
    for twin in (pickle.loads(pickle.dumps(joint)), copy.deepcopy(joint), copy.copy(joint)):
        assert twin == joint
        assert hash(twin) == hash(joint)
        assert twin.axis.tobytes() == joint.axis.tobytes()
        assert not twin.axis.flags.writeable


@pytest.mark.parametrize(
    "changes",
    [
        {"axis": "neg_z"},
        {"axis": [0, 1e-12, 1]},
        {"name": "elbow"},
        {"limits": JointLimits.revolute(-1.0, 2.0)},
        {"origin_translation": (0, 0, 1e-12)},
        {"origin_rpy": (0, 0, 1e-12)},
        {"mimic": JointMimic("elbow")},
    ],
)
def test_joints_differ_when_any_field_does(changes: dict[str, object]) -> None:
    assert shoulder(**changes) != shoulder()
    assert shoulder(**changes) == shoulder(**changes)


def test_named_axes_are_all_there() -> None:
    assert list(AXES) == ["pos_x", "neg_x", "pos_y", "neg_y", "pos_z", "neg_z"]


# ------------------------------------------------------------------------------------------------------------- fuzz
@given(anything, anything, anything, anything, anything, anything, anything)
def test_joint_raises_only_our_errors(
    a: object, b: object, c: object, d: object, e: object, f: object, g: object
) -> None:
    for make in (
        lambda: JointSpec(a, b, c, d, e, f, g),  # type: ignore[arg-type]
        lambda: JointSpec.revolute(a, b, c, d, name=e, mimic=f),  # type: ignore[arg-type]
        lambda: JointSpec.revolute(ZERO, ZERO, a, name=b),  # type: ignore[arg-type]
        lambda: JointSpec.revolute(ZERO, ZERO, limits=a, mimic=b),  # type: ignore[arg-type]
        lambda: JointSpec.fixed(a, b),  # type: ignore[arg-type]
        lambda: JointLimits(a, b, c, d),  # type: ignore[arg-type]
        lambda: JointLimits.prismatic(a, b, c),  # type: ignore[arg-type]
        lambda: JointMimic(a, b, c),  # type: ignore[arg-type]
        lambda: JointMimic("a", b, c),  # type: ignore[arg-type]
        lambda: shoulder().motion_transform(a),  # type: ignore[arg-type]
    ):
        with suppress(ReposeError):
            make()


def test_a_number_too_long_to_print_is_still_our_error() -> None:
    for make in (lambda: shoulder(axis=[[10**5000], 0, 1]), lambda: JointMimic([10**5000])):  # type: ignore[arg-type]
        with pytest.raises(ModelError, match=r"got a value of type list, expected"):
            make()
