"""Errors that are known because they were made: near 0, near π, of an axis, of masked axes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import repose_jit as rj
from repose_jit.reach.verify.independent_error import axis_error, pose_errors, rotation_vector, task_errors
from tests import arms, reference

ANGLES = [
    0.0,
    1e-300,
    1e-15,
    1e-9,
    1e-4,
    0.3,
    1.5,
    math.pi / 2,
    1.6,
    2.5,
    3.0,
    *(math.pi - 10.0**-k for k in range(2, 16)),
]
directions = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: max(map(abs, v)) > 1e-3)


def unit(v: tuple[float, ...]) -> np.ndarray:
    return np.array(v) / np.linalg.norm(v)


def random_pose(rng: np.random.Generator) -> np.ndarray:
    return reference.transform(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))


@pytest.mark.parametrize("angle", [*ANGLES, math.pi])
@given(axis=directions, seed=st.integers(0, 1000))
def test_a_rotation_by_a_known_angle(angle: float, axis: tuple[float, ...], seed: int) -> None:
    T = random_pose(np.random.default_rng(seed))
    target = T.copy()
    target[:3, :3] = reference.rodrigues(unit(axis), angle) @ T[:3, :3]
    target[:3, 3] += (0.03, -0.04, 0.12)
    position, orientation = pose_errors(T[None], target[None])
    assert position == pytest.approx([0.13], abs=1e-15)
    assert orientation == pytest.approx([angle], abs=3e-15)


@pytest.mark.parametrize("angle", ANGLES)
@given(axis=directions)
def test_a_rotation_vector_is_angle_times_axis(angle: float, axis: tuple[float, ...]) -> None:
    (vector,) = rotation_vector(reference.rodrigues(unit(axis), angle)[None])
    # So near π the sign of the axis is rounding.
    sign = -1.0 if math.pi - angle < 1e-14 and vector @ unit(axis) < 0 else 1.0
    assert np.abs(sign * vector - angle * unit(axis)).max() < 2e-14


@given(axis=directions)
def test_at_half_a_turn_either_axis_will_do(axis: tuple[float, ...]) -> None:
    (vector,) = rotation_vector((2.0 * np.outer(unit(axis), unit(axis)) - np.eye(3))[None])
    assert min(np.abs(vector - math.pi * unit(axis)).max(), np.abs(vector + math.pi * unit(axis)).max()) < 1e-14


@pytest.mark.parametrize("angle", [*ANGLES, math.pi])
@pytest.mark.parametrize("axis", "xyz")
def test_the_angle_between_axes(axis: str, angle: float) -> None:
    """A turn about the axis itself is no error; one about a normal to it is all error."""
    rng = np.random.default_rng(0)
    column = "xyz".index(axis)
    for _ in range(20):
        T = random_pose(rng)
        target = T.copy()
        own, normal = T[:3, column], T[:3, (column + 1) % 3]
        turned = reference.rodrigues(own, rng.uniform(-3, 3)) @ T[:3, :3]
        target[:3, :3] = reference.rodrigues(normal, angle) @ turned
        assert axis_error(T[None], target[None], axis) == pytest.approx([angle], abs=3e-15)  # type: ignore[arg-type]


@given(mask=st.tuples(*[st.booleans()] * 6), seed=st.integers(0, 2**32 - 1))
def test_masks_are_of_the_frame_of_the_target(mask: tuple[bool, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    target = random_pose(rng)
    move, turn = rng.uniform(-1, 1, 3), rng.uniform(-1.5, 1.5, 3)  # in the axes of the target
    T = target.copy()
    T[:3, 3] -= target[:3, :3] @ move
    T[:3, :3] = target[:3, :3] @ reference.exp_so3(turn).T
    position, orientation = task_errors(T[None], target[None], axis_mask=mask)
    assert position == pytest.approx([np.linalg.norm(move[list(mask[:3])])], abs=1e-14)
    assert orientation == pytest.approx([np.linalg.norm(turn[list(mask[3:])])], abs=1e-14)
    both, _ = task_errors(T[None], target[None], axis_mask=(*mask[:3], True, True, True), free_axis="y")
    assert both == pytest.approx(position, abs=1e-14)


@pytest.mark.parametrize(
    "task",
    [{}, {"free_axis": "x"}, {"free_axis": "z", "axis_mask": (True, False, True, True, True, True)}]
    + [{"axis_mask": (False, True, True, True, False, True)}, {"axis_mask": (True,) * 3 + (False,) * 3}],
)
def test_errors_are_those_that_the_solver_reports(task: dict[str, object]) -> None:
    """Also far from the target: a budget of one step leaves errors of every size."""
    chain = arms.odd_arm()
    T = rj.forward_kinematics(chain, arms.random_configurations(chain, np.random.default_rng(1), 300))
    params = rj.MultiSeedParams(max_attempts=1, max_iterations=1, **task)  # type: ignore[arg-type]
    result = rj.inverse_kinematics_batch(chain, T, params=params)
    position, orientation = task_errors(rj.forward_kinematics(chain, result.q), T, **task)  # type: ignore[arg-type]
    assert position == pytest.approx(result.position_error, abs=1e-12)
    assert orientation == pytest.approx(result.orientation_error, abs=1e-12)
