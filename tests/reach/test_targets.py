"""Voxel centres and evenly spread rotations."""

from __future__ import annotations

import numpy as np
import pytest

from repose_jit.errors import InputError, ShapeError
from repose_jit.reach.grid import as_box, voxel_grid
from repose_jit.reach.rotations import super_fibonacci


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


def test_voxels_are_centred_and_cover_the_box() -> None:
    x, y, z = voxel_grid((0.0, -0.1, 0.2), (1.0, 0.15, 0.2), 0.1)
    np.testing.assert_allclose(x, np.arange(0.05, 1.0, 0.1), atol=1e-12)
    np.testing.assert_allclose(y, [-0.075, 0.025, 0.125], atol=1e-12)  # 0.25 is no multiple: out by 25 mm on both sides
    np.testing.assert_array_equal(z, [0.2])


@pytest.mark.parametrize("count", [1, 3, 10, 333])
@pytest.mark.parametrize("spacing", [0.1, 1 / 3, 0.07])
def test_a_multiple_of_the_spacing_gets_no_voxel_more(count: int, spacing: float) -> None:
    x, _, _ = voxel_grid((0.7, 0, 0), (0.7 + count * spacing, 0, 0), spacing)
    assert len(x) == count


def test_bad_boxes_are_named() -> None:
    with pytest.raises(InputError, match=r"box: got y from 1 to 0, expected the lower corner first"):
        as_box(((0, 1, 0), (1, 0, 1)))
    with pytest.raises(ShapeError, match=r"box\[1\]: got shape \(2,\)"):
        as_box(((0, 0, 0), (1, 1)))
    with pytest.raises(InputError, match=r"box\[0\]\[2\]: got nan"):
        as_box(((0, 0, np.nan), (1, 1, 1)))
    with pytest.raises(InputError, match="expected two corners"):
        as_box("cube")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="spacing: got 0"):
        voxel_grid((0, 0, 0), (1, 1, 1), 0)
    with pytest.raises(InputError, match="n: got 0, expected an integer ≥ 1"):
        super_fibonacci(0)
