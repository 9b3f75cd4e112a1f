"""Joints that follow others: who drives whom, and the limits that this leaves."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from repose_jit.chain import KinematicChain
from repose_jit.errors import ModelError
from repose_jit.joints import JointLimits, JointMimic, JointSpec
from repose_jit.mimic import Drive, drive_slots, follow_mimics
from tests.anything import bounds, speeds

ZERO = (0.0, 0.0, 0.0)
gains = st.floats(-3.0, 3.0)
WIDE = JointLimits.revolute(-100.0, 100.0)


def turn(
    name: str, follows: str | None = None, gain: float = 1.0, offset: float = 0.0, limits: JointLimits = WIDE
) -> JointSpec:
    mimic = None if follows is None else JointMimic(follows, gain, offset)
    return JointSpec.revolute(ZERO, ZERO, limits=limits, name=name, mimic=mimic)


# ------------------------------------------------------------------------------------------------------ who drives whom
@given(st.lists(st.tuples(gains, gains), min_size=1, max_size=4), gains)
def test_a_chain_of_mimics_moves_as_its_links_do_one_after_another(links: list[tuple[float, float]], q: float) -> None:
    value, slots = q, [turn("j0", limits=JointLimits.continuous())]
    for i, (gain, offset) in enumerate(links):
        value = gain * value + offset
        slots.append(turn(f"j{i + 1}", f"j{i}", gain, offset, JointLimits.continuous()))
    _, drives = drive_slots(slots)
    last = drives[-1]
    assert last.entry == 0
    assert last.multiplier * q + last.offset == pytest.approx(value, abs=1e-9)


def test_the_order_of_the_joints_decides_only_the_order_of_the_entries() -> None:
    joints = [turn("a"), turn("b", "a", 2.0, 0.1), turn("c", "b", -3.0, 0.2), turn("d")]
    expected = {"a": (1.0, 0.0), "b": (2.0, 0.1), "c": (-6.0, 0.2 - 0.3), "d": (1.0, 0.0)}
    for slots in itertools.permutations(joints):
        entries, drives = drive_slots(slots)
        assert [entry.name for entry in entries] == [slot.name for slot in slots if slot.mimic is None]
        for slot, drive in zip(slots, drives, strict=True):
            assert entries[drive.entry].name == ("d" if slot.name == "d" else "a")
            assert (drive.multiplier, drive.offset) == pytest.approx(expected[str(slot.name)])


def test_a_source_off_the_path_has_its_entry_where_its_first_mimic_is() -> None:
    slots = [turn("a"), turn("b", "far", 2.0), turn("c"), turn("d", "far", 3.0, 1.0)]
    entries, drives = drive_slots(slots, [turn("far")])
    assert [entry.name for entry in entries] == ["a", "far", "c"]
    assert drives == (Drive(0, 1.0, 0.0), Drive(1, 2.0, 0.0), Drive(2, 1.0, 0.0), Drive(1, 3.0, 1.0))


def test_a_mimic_off_the_path_passes_the_motion_on() -> None:
    entries, drives = drive_slots([turn("a"), turn("c", "b", 3.0, 1.0)], [turn("b", "a", 2.0, 5.0)])
    assert [entry.name for entry in entries] == ["a"]
    assert drives[1] == Drive(0, 6.0, 16.0)


def test_following_ends_at_the_joint_that_moves_on_its_own() -> None:
    joints = {"a": turn("a"), "b": turn("b", "a", 2.0, 1.0), "c": turn("c", "b", 3.0, 4.0)}
    assert follow_mimics(joints["a"], joints) == ("a", 1.0, 0.0)
    assert follow_mimics(joints["c"], joints) == ("a", 6.0, 7.0)


@pytest.mark.parametrize(
    ("slots", "sources", "expected"),
    [
        (
            [turn("elbow"), turn("b", "elbo")],
            [],
            "joint 'b': mimic.joint: its source 'elbo' does not exist; did you mean",
        ),
        ([turn("b", "a")], [], "joint 'b': mimic.joint: its source 'a' does not exist; there are none"),
        ([turn("a", "a")], [], "joint 'a': mimic: the joints follow one another: a → a"),
        ([turn("a", "b"), turn("b", "a")], [], "mimic: the joints follow one another: a → b → a"),
        ([turn("x"), turn("a", "b")], [turn("b", "a")], "mimic: the joints follow one another: b → a → b"),
        (
            [JointSpec.fixed(ZERO, ZERO, name="f"), turn("b", "f")],
            [],
            "its source 'f' is fixed, expected one that moves",
        ),
        ([turn("a")], [turn("far")], "joint 'far': off_path_sources: no joint on the path follows it"),
        (
            [turn("a"), turn("b", "a", 1e5), turn("c", "b", 1e5)],
            [],
            "multiply to 1e+10 and 0 along c → b → a, expected",
        ),
        (
            [turn("a"), turn("b", "a", 1, 1e5), turn("c", "b", 11)],
            [],
            "multiply to 11 and 1.1e+06 along c → b → a, expected",
        ),
    ],
)
def test_impossible_mimics_are_named(slots: list[JointSpec], sources: list[JointSpec], expected: str) -> None:
    with pytest.raises(ModelError) as caught:
        drive_slots(slots, sources)
    assert expected in str(caught.value)


# ----------------------------------------------------------------------------------------------------------- limits
@given(bounds, bounds, bounds, gains, gains, gains, st.floats(-3.0, 3.0))
def test_a_value_within_the_limits_keeps_every_joint_within_its_own(
    a: list[float], b: list[float], c: list[float], gain: float, offset: float, further: float, q: float
) -> None:
    assume(abs(gain) > 1e-3 and abs(further) > 1e-3)
    slots = [
        turn("a", limits=JointLimits.revolute(*a)),
        turn("b", "a", gain, offset, JointLimits.revolute(*b)),
        turn("c", "b", further, 0.25, JointLimits.revolute(*c)),
    ]
    value_b = gain * q + offset
    margin = min(
        min(value - bounds[0], bounds[1] - value)
        for value, bounds in ((q, a), (value_b, b), (further * value_b + 0.25, c))
    )
    assume(abs(margin) > 1e-9)  # within rounding of a bound either answer is right
    try:
        (entry,), _ = drive_slots(slots)
    except ModelError:
        assert margin < 0.0
    else:
        assert entry.limits is not None
        assert (entry.limits.lower <= q <= entry.limits.upper) == (margin > 0.0)


def test_a_negative_multiplier_turns_the_limits_round() -> None:
    slots = [turn("a"), turn("b", "a", -2.0, 1.0, JointLimits.revolute(-3.0, 2.0))]
    assert drive_slots(slots)[0][0].limits == JointLimits.revolute(-0.5, 2.0)


@given(speeds, speeds, gains.filter(lambda gain: abs(gain) > 1e-3))
def test_the_slowest_joint_limits_the_speed(mine: float | None, theirs: float | None, gain: float) -> None:
    slots = [
        turn("a", limits=JointLimits.continuous(mine)),
        turn("b", "a", gain, limits=JointLimits.continuous(theirs)),
    ]
    limits = drive_slots(slots)[0][0].limits
    assert limits is not None
    top = math.inf if limits.max_velocity is None else limits.max_velocity
    assert top <= (math.inf if mine is None else mine)
    assert abs(gain) * top <= (math.inf if theirs is None else theirs * (1 + 1e-15))
    assert limits.max_velocity is None or top in (mine, pytest.approx((theirs or math.nan) / abs(gain)))


def test_limits_of_a_mimic_between_source_and_path_count_too() -> None:
    between = turn("b", "a", 2.0, limits=JointLimits.revolute(-1.0, 1.0, 4.0))
    (entry,), _ = drive_slots([turn("a"), turn("c", "b")], [between])
    assert entry.limits == JointLimits.revolute(-0.5, 0.5, 2.0)


def test_a_bounded_mimic_bounds_a_continuous_source() -> None:
    slots = [turn("a", limits=JointLimits.continuous()), turn("b", "a", 2.0, limits=JointLimits.revolute(-1.0, 2.0))]
    assert drive_slots(slots)[0][0].limits == JointLimits.revolute(-0.5, 1.0)
    both = [turn("a", limits=JointLimits.continuous()), turn("b", "a", 2.0, limits=JointLimits.continuous(3.0))]
    assert drive_slots(both)[0][0].limits == JointLimits.continuous(1.5)


def test_a_sliding_mimic_bounds_a_turning_source_and_the_other_way_round() -> None:
    slide = JointSpec.prismatic(
        ZERO, ZERO, limits=JointLimits.prismatic(0.0, 0.1), name="s", mimic=JointMimic("a", 0.05)
    )
    assert drive_slots([turn("a"), slide])[0][0].limits == JointLimits.revolute(0.0, 2.0)
    source = JointSpec.prismatic(ZERO, ZERO, limits=JointLimits.prismatic(-math.inf, 1.0), name="s")
    (entry,), _ = drive_slots([source, turn("a", "s", 10.0, limits=JointLimits.revolute(-5.0, 20.0))])
    assert entry.limits == JointLimits.prismatic(-0.5, 1.0)


def test_a_mimic_that_never_moves_must_rest_within_its_limits() -> None:
    resting = turn("b", "a", 0.0, 0.5, JointLimits.revolute(0.0, 1.0))
    assert drive_slots([turn("a"), resting])[0][0].limits == WIDE
    outside = turn("b", "a", 0.0, 2.0, JointLimits.revolute(0.0, 1.0))
    with pytest.raises(
        ModelError, match=r"^joint 'b': mimic: it rests at 2 for every value of 'a', expected a value with"
    ):
        drive_slots([turn("a"), outside])


def test_limits_that_meet_in_one_value_leave_that_value() -> None:
    # 0.3 / 3 is a rounding below 0.1.
    slots = [
        turn("a", limits=JointLimits.revolute(0.1, 0.1)),
        turn("b", "a", 3.0, limits=JointLimits.revolute(0.3, 0.3)),
    ]
    limits = drive_slots(slots)[0][0].limits
    assert limits is not None
    assert limits.lower == limits.upper == pytest.approx(0.1, abs=1e-15)


def test_limits_without_a_common_value_are_named() -> None:
    slots = [
        turn("a", limits=JointLimits.revolute(0.0, 1.0)),
        turn("b", "a", -1.0, limits=JointLimits.revolute(0.5, 2.0)),
    ]
    expected = (
        r"^joint 'a': limits \[0, 1\] and those of its mimic 'b', mapped to \[-2, -0.5\], have no value in common$"
    )
    with pytest.raises(ModelError, match=expected):
        drive_slots(slots)


def test_half_bounds_on_a_continuous_source_are_named() -> None:
    half = JointLimits.prismatic(0.0, math.inf)
    slide = JointSpec.prismatic(ZERO, ZERO, limits=half, name="s", mimic=JointMimic("a"))
    with pytest.raises(
        ModelError, match=r"^joint 'a': limits: got lower 0.0 and upper inf, expected finite .* mimic 's'"
    ):
        drive_slots([turn("a", limits=JointLimits.continuous()), slide])


def test_a_multiplier_too_small_to_matter_limits_no_speed() -> None:
    slots = [turn("a"), turn("b", "a", 1e-310, limits=JointLimits.continuous(1.0))]
    assert drive_slots(slots)[0][0].limits == WIDE


def test_limits_of_the_joints_themselves_stay_as_given() -> None:
    follower = turn("b", "a", -2.0, 1.0, JointLimits.revolute(-3.0, 2.0))
    chain = KinematicChain([turn("a"), follower])
    assert chain.slots[1].limits == follower.limits
    assert chain.mimic_joints == (follower,)
    assert chain.joints[0].limits == JointLimits.revolute(-0.5, 2.0)
    np.testing.assert_array_equal((chain.lower_limits, chain.upper_limits), ([-0.5], [2.0]))
