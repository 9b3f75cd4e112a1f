"""Poses from files, as a study reads them; tests/test_poses.py has every way to write one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from repose_jit.errors import InputError, ShapeError, UnknownNameError
from repose_jit.reach.targets.kinds import PoseTargets
from repose_jit.reach.targets.pose_file import read_poses

ROTATIONS = Rotation.random(5, random_state=3)
POSES = np.tile(np.eye(4), (5, 1, 1))
POSES[:, :3, :3], POSES[:, :3, 3] = ROTATIONS.as_matrix(), np.random.default_rng(0).uniform(-1, 1, (5, 3))


def write(folder: Path, kind: str, poses: np.ndarray = POSES) -> Path:
    path = folder / f"poses.{kind.rpartition(' ')[2]}"
    if kind == "npy":
        np.save(path, poses)
        return path
    xyz = poses[:, :3, 3]
    columns, rows = {
        "matrix csv": ("", poses.reshape(-1, 16)),
        "quaternion csv": ("x,y,z,qx,qy,qz,qw", np.hstack([xyz, ROTATIONS.as_quat()])),
        "rpy csv": ("x,y,z,roll,pitch,yaw", np.hstack([xyz, ROTATIONS.as_euler("xyz")])),
    }[kind]
    np.savetxt(path, rows, delimiter=",", header=columns, comments="", fmt="%.17g")
    return path


@pytest.mark.parametrize("kind", ["npy", "matrix csv", "quaternion csv", "rpy csv"])
def test_every_kind_of_file_gives_its_poses(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, kind)
    np.testing.assert_allclose(read_poses(path), POSES, rtol=0, atol=1e-15)
    targets = PoseTargets.from_file(str(path))
    assert targets.source == str(path)
    np.testing.assert_array_equal(targets.poses, read_poses(path))


@pytest.mark.parametrize(("units", "metre"), [("cm", 1e2), ("mm", 1e3), ("in", 1 / 0.0254)])
def test_units_scale_positions_and_nothing_else(tmp_path: Path, units: str, metre: float) -> None:
    scaled = POSES.copy()
    scaled[:, :3, 3] *= metre
    poses = PoseTargets.from_file(write(tmp_path, "npy", scaled), units=units).poses
    np.testing.assert_allclose(poses[:, :3, 3], POSES[:, :3, 3], rtol=4e-16)
    np.testing.assert_array_equal(poses[:, :3, :3], POSES[:, :3, :3])


def test_the_pose_that_is_not_rigid_is_named(tmp_path: Path) -> None:
    bent = POSES.copy()
    bent[3, :3, :3] *= 1.01
    with pytest.raises(InputError, match=r"poses.npy: poses\[3\]: got a rotation part that is not orthonormal"):
        PoseTargets.from_file(write(tmp_path, "npy", bent))


def test_what_are_no_poses_is_said(tmp_path: Path) -> None:
    path = tmp_path / "poses.csv"
    path.write_text("0,0,0,0,0,0,1\n")
    # Scalar last or first? Not guessed.
    with pytest.raises(ShapeError, match=r"got 7 numbers a line, expected 16 .*names x,y,z and qx,qy,qz,qw"):
        read_poses(path)
    path.write_text("x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,1\n0,0,0,0,0,0,3\n")
    with pytest.raises(InputError, match=r"poses.csv: pose 1: quat_xyzw: got a quaternion of norm 3, expected 1"):
        read_poses(path)
    np.save(tmp_path / "seven.npy", np.zeros((2, 7)))
    with pytest.raises(ShapeError, match=r"seven.npy: got shape \(2, 7\), expected \(..., 4, 4\)"):
        read_poses(tmp_path / "seven.npy")
    np.save(tmp_path / "none.npy", np.zeros((0, 4, 4)))
    with pytest.raises(InputError, match=r"none.npy: poses: got 0 poses"):
        PoseTargets.from_file(tmp_path / "none.npy")
    with pytest.raises(UnknownNameError, match="unknown units 'inch'; did you mean 'in'"):
        read_poses(write(tmp_path, "npy"), units="inch")
    with pytest.raises(FileNotFoundError):
        read_poses(tmp_path / "missing.npy")
