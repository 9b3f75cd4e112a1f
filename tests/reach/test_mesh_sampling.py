"""Points on meshes: on their faces, evenly, and the same every time."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial import cKDTree

from repose_jit.errors import InputError
from repose_jit.reach.targets.mesh_sampling import face_centres, face_normals, sample_faces

SQUARE = np.array([[[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [0, 1, 0]]], dtype=float)
MESHES = {
    "a plate of two triangles": SQUARE,
    "a strip of two slivers": SQUARE * (10, 0.1, 1),
    "a ball of fine triangles": trimesh.creation.icosphere(subdivisions=5, radius=0.5).triangles,
    "a ball of coarse triangles": trimesh.creation.icosphere(subdivisions=1, radius=0.5).triangles,
    "a thin box": trimesh.creation.box((1.0, 0.6, 0.002)).triangles,
    "a thin box of fine triangles": trimesh.creation.box((1.0, 0.6, 0.002)).subdivide().subdivide().triangles,
}
SPACING = 0.05


def area(triangles: np.ndarray) -> float:
    return float(np.linalg.norm(np.cross(*(triangles[:, 1:] - triangles[:, :1]).transpose(1, 0, 2)), axis=1).sum() / 2)


@pytest.mark.parametrize("name", MESHES)
def test_points_are_on_the_faces_as_many_as_asked_for_and_not_far_apart(name: str) -> None:
    triangles = MESHES[name]
    points, normals = sample_faces(triangles, SPACING)
    assert len(points) == pytest.approx(area(triangles) / SPACING**2, abs=0.51)
    mesh = trimesh.Trimesh(**trimesh.triangles.to_kwargs(triangles))
    _, distance, nearest = trimesh.proximity.closest_point_naive(mesh, points)
    assert distance.max() < 1e-9  # what trimesh itself loses beside the edge of a sliver is 3e-12
    facing = (normals * mesh.face_normals[nearest]).sum(axis=1)
    assert np.median(facing) == pytest.approx(1.0)
    assert cKDTree(points).query(points, k=2)[0][:, 1].min() > 0.03 * SPACING
    probes = np.asarray(trimesh.sample.sample_surface(mesh, 50_000, seed=1)[0])
    random = np.asarray(trimesh.sample.sample_surface(mesh, len(points), seed=2)[0])
    gap, gap_of_random = (cKDTree(each).query(probes)[0].max() for each in (points, random))
    assert gap < 1.4 * SPACING
    assert gap < gap_of_random


def test_both_sides_of_a_thin_plate_are_covered() -> None:
    points, normals = sample_faces(MESHES["a thin box"], SPACING)
    for side in (-1.0, 1.0):
        of_side = points[normals[:, 2] == side]
        assert len(of_side) == pytest.approx(0.6 / SPACING**2, abs=2)
        assert np.all(of_side[:, 2] == side * 0.001)


def test_the_order_of_the_triangles_does_not_matter() -> None:
    triangles = MESHES["a ball of fine triangles"]
    points, normals = sample_faces(triangles, SPACING)
    again, normals_again = sample_faces(np.random.default_rng(0).permutation(triangles), SPACING)
    np.testing.assert_allclose(again, points, atol=1e-12)
    np.testing.assert_allclose(normals_again, normals, atol=1e-12)


def test_a_mesh_smaller_than_the_spacing_gets_one_point() -> None:
    points, normals = sample_faces(0.01 * SQUARE, SPACING)
    assert points.shape == (1, 3)
    assert normals.tolist() == [[0, 0, 1]]


corners = hnp.arrays(np.float64, (5, 3, 3), elements=st.floats(-1, 1, width=32))


@given(corners, st.floats(0.1, 2.0))
def test_any_triangles_get_their_part(triangles: np.ndarray, spacing: float) -> None:
    normals, areas = face_normals(triangles)
    sound = triangles[areas > 0]
    if len(sound) == 0:
        return
    points, _ = sample_faces(sound, spacing)
    assert abs(len(points) - max(area(sound) / spacing**2, 0.51)) < 0.51
    # Inside a triangle: in its plane, and on the inner side of every edge.
    offset = points[:, None, None] - sound
    edges = np.roll(sound, -1, axis=1) - sound
    n = normals[areas > 0][:, None]
    inside = (np.cross(np.broadcast_to(n, edges.shape), edges) * offset).sum(axis=-1).min(axis=-1) > -1e-9
    in_plane = np.abs((offset * n).sum(axis=-1)).max(axis=-1) < 1e-6
    assert np.all((inside & in_plane).any(axis=1))


def test_normals_follow_the_corners_and_flat_triangles_have_none() -> None:
    flat = np.array([[[0, 0, 0], [1, 1, 1], [2, 2, 2]], [[1, 2, 3]] * 3], dtype=float)
    normals, areas = face_normals(np.concatenate([SQUARE, SQUARE[:, ::-1], flat]))
    np.testing.assert_array_equal(normals[:, 2], [1, 1, -1, -1, 0, 0])
    np.testing.assert_array_equal(areas, [0.5] * 4 + [0, 0])
    np.testing.assert_allclose(face_centres(SQUARE), [[2 / 3, 1 / 3, 0], [1 / 3, 2 / 3, 0]])


@pytest.mark.parametrize("triangles", [1000 * SQUARE, SQUARE * (1e8, 1e-3, 1)])
def test_a_mesh_in_millimetres_is_refused(triangles: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"spacing: got 0.05 m for .* m² in 2 triangles: .*are the units of the file"):
        sample_faces(triangles, SPACING)
