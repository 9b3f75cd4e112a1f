"""The poses that targets and orientations make, against their composition in plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from repose_jit.errors import InputError, ShapeError
from repose_jit.reach.targets.grid import default_box, voxel_grid
from repose_jit.reach.targets.kinds import GridTargets, PoseTargets, SurfaceTargets, Targets
from repose_jit.reach.targets.orientations import RULES, Orientations
from repose_jit.reach.targets.rotations import TOOL_AXES, fibonacci_sphere, super_fibonacci, unit_vectors
from repose_jit.reach.targets.target_set import TargetSet, target_set
from tests.reach.robots import rebel

CHAIN = rebel()
RNG = np.random.default_rng(5)
POINTS = RNG.uniform(-0.5, 0.5, (4, 3))
NORMALS = unit_vectors(np.concatenate([RNG.normal(size=(2, 3)), [[0, 0, 1], [0, 0, -1]]]))
POSES = np.tile(np.eye(4), (3, 1, 1))
POSES[:, :3, :3], POSES[:, :3, 3] = super_fibonacci(3), POINTS[:3]
TARGETS: dict[str, Targets] = {
    "grid": GridTargets(0.2, (0, 0, 0), (0.4, 0.6, 0.2)),
    "surface": SurfaceTargets(POINTS, NORMALS),
    "poses": PoseTargets(POSES),
}
AXIS = {axis: (-1.0 if "-" in axis else 1.0) * np.eye(3)["xyz".index(axis[-1])] for axis in TOOL_AXES}


def voxels() -> np.ndarray:
    x, y, z = voxel_grid((0, 0, 0), (0.4, 0.6, 0.2), 0.2)
    return np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).reshape(-1, 3)


def made(targets: str, **orientations: Any) -> tuple[TargetSet, np.ndarray]:
    """Return the set, and all its poses."""
    result = target_set(TARGETS[targets], Orientations(**orientations), CHAIN)
    T = result.poses(np.arange(result.n_sites))
    assert T.shape == (result.n_sites, result.n_orientations, 4, 4)
    assert result.n_poses == result.n_sites * result.n_orientations
    # The definition.
    frames = result.site_frames(np.arange(result.n_sites))
    np.testing.assert_allclose(T, frames[:, None] @ result.local_poses, rtol=0, atol=1e-15)
    assert np.all(T[..., 3, :] == (0, 0, 0, 1))
    R = T[..., :3, :3]
    np.testing.assert_allclose(R @ R.swapaxes(-1, -2), np.broadcast_to(np.eye(3), R.shape), rtol=0, atol=3e-15)
    return result, T


POSITIONS = {"grid": voxels(), "surface": POINTS, "poses": POINTS[:3]}
WHAT = [
    (targets, kind, axis, approach)
    for targets, kind in RULES
    for axis in (TOOL_AXES if "tool_axis" in RULES[targets, kind] else [None])
    for approach in (["-normal", "+normal"] if "approach" in RULES[targets, kind] else [None])
]


@pytest.mark.parametrize(("targets", "kind", "axis", "approach"), WHAT)
def test_every_combination_asks_for_what_it_says(
    targets: str, kind: str, axis: str | None, approach: str | None
) -> None:
    result, T = made(targets, kind=kind, tool_axis=axis, approach=approach)
    R, p = T[..., :3, :3], T[..., :3, 3]
    np.testing.assert_array_equal(p, np.broadcast_to(POSITIONS[targets][:, None], p.shape))
    assert result.free_axis == (axis[-1] if kind == "free_axis" and axis else None)
    assert result.axis_mask == ((True,) * 3 + (False,) * 3 if kind == "none" else None)
    if kind == "super_fibonacci":
        np.testing.assert_array_equal(R, np.broadcast_to(super_fibonacci(256), R.shape))
    if targets == "poses":
        np.testing.assert_array_equal(T[:, 0], POSES)
    if kind not in ("directions", "free_axis") or targets == "poses":
        return
    assert axis is not None
    pointing = R @ AXIS[axis]  # where the signed axis of the tool points
    if targets == "grid":
        wanted = np.broadcast_to(fibonacci_sphere(50), (len(POSITIONS["grid"]), 50, 3))
    else:
        wanted = (-NORMALS if approach == "-normal" else NORMALS)[:, None]
    repeated = np.repeat(wanted, 8 if kind == "directions" else 1, axis=1)
    np.testing.assert_allclose(pointing, repeated, rtol=0, atol=1e-15)
    if kind == "directions":
        # Eight tools about each direction, an eighth of a turn apart, right-handed about the signed axis.
        rolls = R.reshape(len(R), -1, 8, 3, 3)
        step = Rotation.from_rotvec(AXIS[axis] * np.pi / 4).as_matrix()
        np.testing.assert_allclose(rolls @ step, np.roll(rolls, -1, axis=2), rtol=0, atol=3e-15)


def test_a_tool_above_a_plate_points_down() -> None:
    plate = SurfaceTargets([[0.3, 0.1, 0.0]], [[0, 0, 1]])  # type: ignore[arg-type]
    down = target_set(plate, Orientations(kind="free_axis", tool_axis="z", approach="-normal"), CHAIN)
    assert down.poses(np.array([0]))[0, 0].tolist() == [[1, 0, 0, 0.3], [0, -1, 0, 0.1], [0, 0, -1, 0], [0, 0, 0, 1]]
    assert down.n_orientations == 1
    away = target_set(plate, Orientations(kind="free_axis", tool_axis="z", approach="+normal"), CHAIN)
    np.testing.assert_array_equal(away.poses(np.array([0]))[0, 0, :3, :3], np.eye(3))
    # A tool that works along its −x: x points up.
    sideways = target_set(plate, Orientations(kind="free_axis", tool_axis="-x", approach="-normal"), CHAIN)
    assert sideways.poses(np.array([0]))[0, 0, :3, 0].tolist() == [0, 0, 1]


def test_a_wall_in_front_is_met_by_a_tool_that_points_forwards() -> None:
    wall = SurfaceTargets([[0.5, 0, 0.4]], [[-1, 0, 0]])  # type: ignore[arg-type]
    facing = target_set(wall, Orientations(kind="directions", tool_axis="z", approach="-normal", n_roll=4), CHAIN)
    T = facing.poses(np.array([0]))[0]
    assert T.shape == (4, 4, 4)
    np.testing.assert_array_equal(T[:, :3, 2], [[1, 0, 0]] * 4)
    # The frame of the point: base axes tilted by a quarter about −y, so that z is the normal.
    np.testing.assert_array_equal(facing.site_frames(np.array([0]))[0, :3, :3], [[0, 0, -1], [0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(T[1, :3, 0], T[0, :3, 1])  # a quarter about tool z brings x to y


def test_sites_are_counted_in_c_order() -> None:
    grid, T = made("grid", kind="none")
    assert (grid.kind, grid.dims, grid.shape, grid.spacing) == ("grid", ("x", "y", "z"), (2, 3, 1), 0.2)
    assert grid.site_poses is None
    np.testing.assert_array_equal(grid.site_frames(np.array([4, 1]))[:, :3, 3], voxels()[[4, 1]])
    np.testing.assert_array_equal(grid.poses(np.array([4, 1])), T[[4, 1]])
    surface, _ = made("surface", kind="none")
    assert (surface.kind, surface.dims, surface.shape, surface.spacing) == ("surface", ("point",), (4,), None)
    assert surface.coordinates["point"].tolist() == [0, 1, 2, 3]
    assert surface.coordinates["point"].dtype == np.int64


def test_none_means_the_usual_orientations() -> None:
    whole = target_set(TARGETS["poses"], None, CHAIN)
    assert (whole.kind, whole.dims, whole.free_axis, whole.axis_mask) == ("poses", ("pose",), None, None)
    np.testing.assert_array_equal(whole.poses(np.arange(3))[:, 0], POSES)
    everywhere = target_set(GridTargets(0.5), None, CHAIN)
    np.testing.assert_array_equal(everywhere.local_poses[:, :3, :3], super_fibonacci(256))
    with pytest.raises(InputError, match="orientations: got none, expected kind, tool_axis and approach"):
        target_set(TARGETS["surface"], None, CHAIN)


def test_a_grid_without_a_box_covers_the_reach_of_the_robot() -> None:
    grid = target_set(GridTargets(), None, CHAIN)
    assert grid.spacing == 0.05
    for dim, coordinates in zip("xyz", voxel_grid(*default_box(CHAIN), 0.05), strict=True):
        np.testing.assert_array_equal(grid.coordinates[dim], coordinates)


def test_a_box_in_millimetres_is_refused_before_anything_runs() -> None:
    with pytest.raises(InputError, match=r"spacing: got voxels of 0.05 m in a box of 1000 × .*everything in metres"):
        target_set(GridTargets(0.05, (-500, -500, -500), (500, 500, 500)), None, CHAIN)


def test_what_is_no_target_is_named() -> None:
    with pytest.raises(InputError, match="targets: got ndarray, expected one of GridTargets, SurfaceTargets, PoseT"):
        target_set(POSES, None, CHAIN)  # type: ignore[arg-type]


def test_parts_that_do_not_fit_are_named() -> None:
    parts: dict[str, Any] = {
        "kind": "placements",
        "dims": ("x", "y"),
        "coordinates": {"x": np.arange(2.0), "y": np.arange(3.0)},
        "local_poses": np.eye(4)[None],
        "site_poses": np.tile(np.eye(4), (6, 1, 1)),
        "excluded": np.zeros(6, bool),
    }
    assert TargetSet(**parts).n_poses == 6
    for name, wrong, message in (
        ("local_poses", np.eye(4), "local_poses: got shape"),
        ("site_poses", np.tile(np.eye(4), (5, 1, 1)), r"site_poses: got shape \(5, 4, 4\), expected \(6, 4, 4\)"),
        ("site_poses", None, "site_poses: got none"),
        ("excluded", np.zeros(2, bool), "excluded: got shape"),
        ("dims", ("y", "x"), "coordinates: got x, y, expected y, x"),
    ):
        with pytest.raises((InputError, ShapeError), match=message):
            TargetSet(**parts | {name: wrong})


@pytest.mark.parametrize("targets", TARGETS)
def test_one_pose_at_a_site_has_the_bits_of_all_of_them(targets: str) -> None:
    orientations = None if targets == "poses" else Orientations(kind="super_fibonacci", n=7)
    poses = target_set(TARGETS[targets], orientations, CHAIN)
    sites, chosen = RNG.integers(0, poses.n_sites, 20), RNG.integers(0, poses.n_orientations, 20)
    np.testing.assert_array_equal(poses.poses_at(sites, chosen), poses.poses(sites)[np.arange(20), chosen])
