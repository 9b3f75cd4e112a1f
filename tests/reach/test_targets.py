"""What a study aims at, checked on construction."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from repose_jit.errors import InputError, ShapeError
from repose_jit.reach.targets.kinds import GridTargets, PoseTargets, SurfaceTargets
from repose_jit.reach.targets.rotations import super_fibonacci


def test_a_grid_keeps_plain_numbers() -> None:
    grid = GridTargets(np.float64(0.1), box_min=[0, 0, 0], box_max=np.ones(3))  # type: ignore[arg-type]
    assert grid == GridTargets(0.1, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    assert [type(value) for value in (grid.spacing, *grid.box_min, *grid.box_max)] == [float] * 7  # type: ignore[misc]
    assert GridTargets() == GridTargets(None, None, None)


@pytest.mark.parametrize(("given", "missing"), [("box_min", "box_max"), ("box_max", "box_min")])
def test_a_box_has_two_corners(given: str, missing: str) -> None:
    with pytest.raises(InputError, match=f"^{missing}: got none beside {given}, expected both corners"):
        GridTargets(**{given: (0, 0, 0)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"spacing": 0}, "spacing: got 0, expected a finite number of metres > 0"),
        ({"box_min": (0, 0, 0), "box_max": (1, 1)}, r"box_max: got shape \(2,\)"),
        ({"box_min": (0, np.nan, 0), "box_max": (1, 1, 1)}, r"box_min\[1\]: got nan"),
        ({"box_min": (0, 0, 2), "box_max": (1, 1, 1)}, "got z from 2 to 1"),
    ],
)
def test_a_wrong_grid_is_named(values: dict[str, object], message: str) -> None:
    with pytest.raises((InputError, ShapeError), match=message):
        GridTargets(**values)  # type: ignore[arg-type]


def test_normals_are_kept_at_length_one_and_points_to_the_bit() -> None:
    points = np.array([[0.1, 0.2, 0.3], [1, 2, 3]])
    surface = SurfaceTargets(points, [[0, 0, 2], [3e-200, 4e-200, 0]])
    np.testing.assert_array_equal(surface.points, points)
    np.testing.assert_allclose(surface.normals, [[0, 0, 1], [0.6, 0.8, 0]], rtol=1e-15)


def test_what_is_changed_later_changes_nothing() -> None:
    points, normals, poses = np.zeros((1, 3)), np.ones((1, 3)), np.eye(4)[None]
    surface, given = SurfaceTargets(points, normals), PoseTargets(poses)
    points[:], normals[:], poses[:] = 5, 5, 5
    assert surface.points.tolist() == [[0, 0, 0]]
    assert given.poses.tolist() == [np.eye(4).tolist()]
    for array in (surface.points, surface.normals, given.poses):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        surface.points = points  # type: ignore[misc]


@pytest.mark.parametrize(
    ("points", "normals", "message"),
    [
        (np.zeros((0, 3)), np.zeros((0, 3)), "plate.csv: points: got 0 points, expected at least one"),
        (np.zeros((2, 3)), np.ones((3, 3)), "plate.csv: normals: got 3, expected 2: one for each point"),
        (np.zeros((2, 2)), np.ones((2, 3)), r"points: got shape \(2, 2\), expected \(N, 3\)"),
        (np.zeros(3), np.ones(3), r"points: got shape \(3,\), expected \(N, 3\)"),
        ([[0, 0, 0], [0, 0, np.inf]], np.ones((2, 3)), r"points\[1, 2\]: got inf"),
        ([[0, 0, 0], [0, 2e9, 0]], np.ones((2, 3)), r"points\[1\]: got .*expected at most 1e9 m \(metres\?\)"),
        (np.zeros((3, 3)), [[0, 0, 1], [0, 0, 0], [0, 0, 0]], r"plate.csv: normals\[1\]: got a zero vector"),
        (np.zeros((2, 3)), [[0, 0, 1], [0, np.nan, 1]], r"normals\[1, 1\]: got nan"),
        (np.zeros((1, 3)), [["a", "b", "c"]], "normals: got entries of type"),
    ],
)
def test_a_wrong_surface_is_named(points: object, normals: object, message: str) -> None:
    with pytest.raises((InputError, ShapeError), match=message):
        SurfaceTargets(points, normals, source="plate.csv")  # type: ignore[arg-type]


def test_a_surface_a_kilometre_wide_is_somebody_elses_business() -> None:
    assert len(SurfaceTargets([[0, 0, 0], [1500, 0, 0]], [[0, 0, 1]] * 2).points) == 2  # type: ignore[arg-type]


def poses(count: int) -> np.ndarray:
    T = np.tile(np.eye(4), (count, 1, 1))
    T[:, :3, :3] = super_fibonacci(count)
    return T


def test_poses_are_laid_flat_and_end_in_an_exact_row() -> None:
    T = poses(6)
    T[3, 3, 3] = 1.0 + 1e-9
    targets = PoseTargets(T.reshape(2, 3, 4, 4))
    assert targets.poses.shape == (6, 4, 4)
    np.testing.assert_array_equal(targets.poses[:, :3], T[:, :3])
    assert np.all(targets.poses[:, 3] == (0, 0, 0, 1))
    assert PoseTargets(np.eye(4)).poses.shape == (1, 4, 4)


def test_a_wrong_pose_is_named() -> None:
    with pytest.raises(InputError, match=r"^welds.npy: poses: got 0 poses, expected at least one"):
        PoseTargets(np.zeros((0, 4, 4)), source="welds.npy")
    for entry, wrong, message in (
        ((4, 0, 0), 2.0, "not orthonormal"),
        ((4, 3, 3), 0.0, "last row"),
        ((4, 1, 3), 2e9, "metres"),
        ((4, 1, 3), np.nan, "finite"),
    ):
        T = poses(6)
        T[entry] = wrong
        with pytest.raises(InputError, match=rf"^welds.npy: poses\[4.*{message}"):
            PoseTargets(T, source="welds.npy")
    with pytest.raises(ShapeError, match=r"poses: got shape \(5, 7\)"):
        PoseTargets(np.zeros((5, 7)))
