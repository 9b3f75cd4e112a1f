"""Spread rotations and directions, and rotations that point an axis of the tool."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from repose_jit.errors import InputError, UnknownNameError
from repose_jit.reach.targets.rotations import (
    GOLDEN_STEP,
    HALF_STEP_ALPHA,
    HALF_STEP_BETA,
    MAX_COUNT,
    TOOL_AXES,
    _turns,
    axis_rotations,
    compose_rotations,
    fibonacci_sphere,
    rolls,
    super_fibonacci,
    unit_vectors,
)

AXIS = {sign + axis: (-1.0 if sign else 1.0) * np.eye(3)["xyz".index(axis)] for axis in "xyz" for sign in ("", "-")}


def quaternions(R: np.ndarray) -> np.ndarray:
    """Return unit quaternions (n, 4), of either sign, as the largest eigenvector of 4 q qᵀ."""
    trace = np.trace(R, axis1=1, axis2=2)
    Q = np.empty((len(R), 4, 4))
    Q[:, :3, :3] = R + R.transpose(0, 2, 1) + (1.0 - trace)[:, None, None] * np.eye(3)
    Q[:, :3, 3] = Q[:, 3, :3] = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], 1)
    Q[:, 3, 3] = 1.0 + trace
    return np.linalg.eigh(Q)[1][:, :, -1]


def worst_gap(R: np.ndarray) -> float:
    """Return the angle [deg] from the loneliest rotation, climbed to from many starts, to the nearest of `R`."""
    rng = np.random.default_rng(1)
    samples = quaternions(R)

    def nearness(q: np.ndarray) -> np.ndarray:
        return np.abs(q @ samples.T).max(axis=1)

    def unit(q: np.ndarray) -> np.ndarray:
        return q / np.linalg.norm(q, axis=1, keepdims=True)

    q = unit(rng.normal(size=(20_000, 4)))
    q = q[np.argsort(nearness(q))[:100]]
    best = nearness(q)
    for step in 0.1 * 0.97 ** np.arange(200):
        tried = unit(q + step * rng.normal(size=q.shape))
        value = nearness(tried)
        better = value < best
        q[better], best[better] = tried[better], value[better]
    return float(np.degrees(2.0 * np.arccos(best.min())))


@pytest.mark.parametrize("n", [1, 2, 7, 256])
def test_rotations_are_rotations(n: int) -> None:
    R = super_fibonacci(n)
    assert R.shape == (n, 3, 3)
    np.testing.assert_allclose(R @ R.transpose(0, 2, 1), np.broadcast_to(np.eye(3), R.shape), atol=1e-15)
    np.testing.assert_allclose(np.linalg.det(R), 1.0, atol=1e-14)


def test_rotations_follow_the_published_formula() -> None:
    n = 5
    R = super_fibonacci(n)
    for i in range(n):
        s = i + 0.5
        alpha, beta = 2 * np.pi * s / 2**0.5, 2 * np.pi * s / 1.533751168755204288118041
        q = [(s / n) ** 0.5 * np.sin(alpha), (s / n) ** 0.5 * np.cos(alpha)]
        q += [(1 - s / n) ** 0.5 * np.sin(beta), (1 - s / n) ** 0.5 * np.cos(beta)]
        angle = 2 * np.arctan2(np.linalg.norm(q[:3]), q[3])
        w = angle * np.array(q[:3]) / np.linalg.norm(q[:3])
        K = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) / angle
        np.testing.assert_allclose(R[i], np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K, atol=1e-14)


@pytest.mark.parametrize(("n", "gap"), [(256, 37.8), (1024, 22.9)])
def test_no_rotation_is_far_from_all_samples(n: int, gap: float) -> None:
    assert worst_gap(super_fibonacci(n)) == pytest.approx(gap, abs=0.4)


def test_gaps_are_far_smaller_than_those_of_random_rotations() -> None:
    q = np.random.default_rng(0).normal(size=(256, 4))
    x, y, z, w = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    K = np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]]).transpose(2, 0, 1)
    R = np.eye(3) + 2 * w[:, None, None] * K + 2 * K @ K
    assert worst_gap(R) > 1.3 * worst_gap(super_fibonacci(256))


def require_rotations(R: np.ndarray) -> None:
    np.testing.assert_allclose(R @ R.swapaxes(-1, -2), np.broadcast_to(np.eye(3), R.shape), rtol=0, atol=1e-15)
    np.testing.assert_allclose(np.linalg.det(R), 1.0, rtol=0, atol=2e-15)


def exact_steps() -> dict[tuple[float, float], Decimal]:
    """Return what one step adds [turns], in 50 digits."""
    root = Decimal("1.5337511687552")
    for _ in range(6):
        root -= (root**4 - root - 4) / (4 * root**3 - 1)  # Newton
    return {
        HALF_STEP_ALPHA: 1 / (2 * Decimal(2).sqrt()),
        HALF_STEP_BETA: 1 / (2 * root),
        GOLDEN_STEP: (Decimal(5).sqrt() - 1) / 2,
    }


def test_ten_million_turns_cost_no_digits() -> None:
    counts = np.array([1.0, 7.0, 12_345.0, 9_999_999.0, 2.0 * MAX_COUNT - 1.0])
    with localcontext() as context:
        context.prec = 50
        for step, exact in exact_steps().items():
            for count, turns in zip(counts.tolist(), _turns(counts, step).tolist(), strict=True):
                difference = Decimal(count) * exact - Decimal(turns)
                assert abs(difference - difference.to_integral_value()) < Decimal("1.2e-16")


def test_the_last_of_ten_million_rotations_is_where_exact_arithmetic_puts_it() -> None:
    n = MAX_COUNT
    with localcontext() as context:
        context.prec = 50
        (alpha, beta, _) = ((2 * n - 1) * step % 1 for step in exact_steps().values())
        s, c = (f(2 * np.pi * np.array([float(alpha), float(beta)])) for f in (np.sin, np.cos))
    r, R = np.sqrt((n - 0.5) / n), np.sqrt(0.5 / n)
    quaternion = np.array([r * s[0], r * c[0], R * s[1], R * c[1]])
    last = quaternions(super_fibonacci(n)[-1:])[0]
    np.testing.assert_allclose(last * np.sign(last @ quaternion), quaternion, rtol=0, atol=2e-15)


@pytest.mark.parametrize("n", [1, 2, 3, 50, 999])
def test_directions_are_unit_vectors_that_balance(n: int) -> None:
    directions = fibonacci_sphere(n)
    assert directions.shape == (n, 3)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0, rtol=0, atol=3e-16)
    # Equal areas: the heights are the middles of n equal parts of the sphere's.
    np.testing.assert_allclose(directions[:, 2], 1 - (2 * np.arange(n) + 1) / n, rtol=0, atol=5e-16)
    assert len(np.unique(directions.round(9), axis=0)) == n


def test_no_direction_is_further_than_22_degrees_from_fifty() -> None:
    rng = np.random.default_rng(0)
    probes = unit_vectors(rng.normal(size=(200_000, 3)))
    gap = np.degrees(np.arccos((probes @ fibonacci_sphere(50).T).max(axis=1).min()))
    assert gap == pytest.approx(22.0, abs=0.6)


directions = hnp.arrays(np.float64, 3, elements=st.floats(-1, 1)).filter(np.any).map(unit_vectors)


@given(st.sampled_from(TOOL_AXES), directions)
def test_the_axis_points_along_the_direction(axis: str, direction: np.ndarray) -> None:
    R = axis_rotations(axis, direction)
    require_rotations(R)
    np.testing.assert_array_equal(R @ AXIS[axis], direction)
    # The smallest one: turned by the angle between the two and no further.
    assert np.trace(R) == pytest.approx(1.0 + 2.0 * AXIS[axis] @ direction, abs=4e-15)


@pytest.mark.parametrize("axis", TOOL_AXES)
@pytest.mark.parametrize("off", [0.0, 1e-300, 1e-160, 1e-17, 1e-12, 1e-8, 1e-3])
def test_opposed_and_nearly_opposed_directions_lose_no_digits(axis: str, off: float) -> None:
    for across in (np.roll(AXIS[axis], 1), np.roll(AXIS[axis], 2), np.roll(AXIS[axis], 1) - np.roll(AXIS[axis], 2)):
        direction = unit_vectors(off * across - AXIS[axis])
        R = axis_rotations(axis, direction)
        require_rotations(R)
        np.testing.assert_array_equal(R @ AXIS[axis], direction)


@pytest.mark.parametrize(
    ("axis", "diagonal"), [("z", [1, -1, -1]), ("-z", [1, -1, -1]), ("x", [-1, 1, -1]), ("y", [-1, -1, 1])]
)
def test_the_half_turn_is_about_the_next_axis(axis: str, diagonal: list[int]) -> None:
    np.testing.assert_array_equal(axis_rotations(axis, -AXIS[axis]), np.diag(diagonal))
    np.testing.assert_array_equal(axis_rotations(axis, AXIS[axis]), np.eye(3))


def test_directions_of_any_leading_shape() -> None:
    many = fibonacci_sphere(6).reshape(2, 3, 3)
    R = axis_rotations("-y", many)
    assert R.shape == (2, 3, 3, 3)
    for index in np.ndindex(2, 3):
        np.testing.assert_array_equal(R[index], axis_rotations("-y", many[index]))


@pytest.mark.parametrize("axis", TOOL_AXES)
def test_rolls_keep_the_axis_and_add_up_to_a_turn(axis: str) -> None:
    R = rolls(axis, 12)
    require_rotations(R)
    np.testing.assert_array_equal(R[0], np.eye(3))
    np.testing.assert_array_equal(R @ AXIS[axis], np.broadcast_to(AXIS[axis], (12, 3)))
    for k in range(12):
        np.testing.assert_allclose(np.linalg.matrix_power(R[1], k), R[k], atol=1e-14)
    # A quarter, exactly: right-handed about the signed axis.
    side = np.roll(np.abs(AXIS[axis]), 1)
    np.testing.assert_array_equal(R[3] @ side, np.cross(AXIS[axis], side))


def test_composition_is_the_matrix_product() -> None:
    A, B = super_fibonacci(5), super_fibonacci(7)
    product = compose_rotations(A[:, None], B)
    assert product.shape == (5, 7, 3, 3)
    np.testing.assert_allclose(product, A[:, None] @ B, rtol=0, atol=5e-16)


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1.0, 1e200, 1e308])
def test_vectors_of_any_length_become_unit_vectors(scale: float) -> None:
    np.testing.assert_allclose(unit_vectors(scale * np.array([0.6, 0.0, -0.8])), [0.6, 0.0, -0.8], rtol=1e-12)


def test_bad_arguments_are_named() -> None:
    with pytest.raises(InputError, match="n: got 0, expected an integer ≥ 1"):
        super_fibonacci(0)
    with pytest.raises(InputError, match="n: got 0, expected an integer ≥ 1"):
        fibonacci_sphere(0)
    with pytest.raises(InputError, match=r"n: got 2\.5, expected an integer"):
        rolls("z", 2.5)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown tool_axis 'Z'; did you mean 'z'"):
        axis_rotations("Z", np.eye(3)[0])
