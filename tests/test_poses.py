from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from repose_jit.cli.poses import read_poses
from repose_jit.errors import InputError, ReposeError, ShapeError, UnknownNameError
from repose_jit.poses import (
    pose,
    pose_document,
    quat_xyzw_from_rotation,
    rotation_from_quat_xyzw,
)

T = pose([0.1, -0.2, 0.3], "rpy", [0.4, -0.5, 0.6], degrees=False, where="")


def rotations():
    """Random rotations, and those near which one component of the quaternion or another vanishes."""
    rng = np.random.default_rng(0)
    near = [Rotation.from_rotvec(angle * axis) for axis in np.eye(3) for angle in (0.0, 1e-9, math.pi - 1e-9, math.pi)]
    return [*Rotation.random(200, random_state=rng), *near]


def test_quaternions_agree_with_scipy():
    for rotation in rotations():
        R, quaternion = rotation.as_matrix(), rotation.as_quat()
        np.testing.assert_allclose(rotation_from_quat_xyzw(quaternion), R, atol=1e-15)
        ours = quat_xyzw_from_rotation(R)
        np.testing.assert_allclose(ours * np.sign(ours @ quaternion), quaternion, atol=1e-15)
        assert ours[3] >= 0.0


def test_all_forms_of_a_pose_are_the_same_pose():
    document = pose_document(T, degrees=False)
    x, y, z, w = document["quat_xyzw"]
    for kind, values in (("rpy", document["rpy"]), ("quat_xyzw", (x, y, z, w)), ("quat_wxyz", (w, x, y, z))):
        again = pose(document["xyz"], kind, values, degrees=False, where="")
        np.testing.assert_allclose(again, T, atol=1e-15)
    degrees = pose_document(T, degrees=True)
    np.testing.assert_allclose(degrees["rpy"], np.degrees([0.4, -0.5, 0.6]), atol=1e-13)
    np.testing.assert_allclose(pose(document["xyz"], "rpy", degrees["rpy"], degrees=True, where=""), T, atol=1e-15)


def test_a_quaternion_of_a_few_digits_is_normalised():
    R = pose([0, 0, 0], "quat_xyzw", [0.71, 0, 0, 0.71], degrees=False, where="")[:3, :3]
    np.testing.assert_allclose(R, [[1, 0, 0], [0, 0, -1], [0, 1, 0]], atol=1e-15)


@pytest.mark.parametrize("quaternion", [[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0.98]])
def test_what_is_no_unit_quaternion_is_refused(quaternion):
    with pytest.raises(InputError, match=r"norm .*, expected 1"):
        pose([0, 0, 0], "quat_xyzw", quaternion, degrees=False, where="")


QUAT = pose_document(T, degrees=False)["quat_xyzw"]
ONE_POSE = {
    "matrix.json": json.dumps(T.tolist()),
    "matrices.json": json.dumps([T.tolist()]),
    "object.json": json.dumps({"matrix": T.tolist()}),
    "rpy.json": json.dumps([{"xyz": [0.1, -0.2, 0.3], "rpy": [0.4, -0.5, 0.6]}]),
    "wxyz.json": json.dumps({"xyz": [0.1, -0.2, 0.3], "quat_wxyz": [QUAT[3], *QUAT[:3]]}),
    "fk.json": json.dumps({"poses": [pose_document(T, degrees=False)]}),
    "matrix.csv": ",".join(map(repr, T.ravel().tolist())),
    "rpy.csv": "yaw,x,y,z,roll,pitch\n0.6,0.1,-0.2,0.3,0.4,-0.5\n",
    "quat.csv": f"x,y,z,qw,qx,qy,qz\n0.1,-0.2,0.3,{QUAT[3]!r},{QUAT[0]!r},{QUAT[1]!r},{QUAT[2]!r}\n",
}


@pytest.mark.parametrize("name", ONE_POSE)
def test_a_file_of_any_kind_gives_its_pose(tmp_path, name):
    path = tmp_path / name
    path.write_text(ONE_POSE[name])
    poses = read_poses(str(path), degrees=False)
    assert poses.shape == (1, 4, 4)
    np.testing.assert_allclose(poses[0], T, atol=1e-15)


def test_arrays_of_any_leading_shape_are_flattened(tmp_path):
    path = tmp_path / "poses.npy"
    np.save(path, np.broadcast_to(T, (2, 3, 4, 4)))
    np.testing.assert_array_equal(read_poses(str(path), degrees=False), np.broadcast_to(T, (6, 4, 4)))


def test_degrees_in_files(tmp_path):
    path = tmp_path / "poses.csv"
    path.write_text("x,y,z,roll,pitch,yaw\n0,0,0,0,0,90\n")
    R = read_poses(str(path), degrees=True)[0, :3, :3]
    np.testing.assert_allclose(R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("1,2,3,4,5,6,7", ShapeError, "got 7 numbers a line, expected 16"),
        ("x,y,z\n1,2,3", UnknownNameError, "unknown column 'qx'"),
        ('{"xyz": [1, 2, 3]}', InputError, "pose 0: got xyz; expected"),
        ("{}", InputError, "pose 0: got nothing; expected"),
        ('{"xyz": [0, 0, 0], "rpi": [0, 0, 0]}', UnknownNameError, "unknown key 'rpi' in .*pose 0; did you mean 'rpy'"),
        (
            '{"xyz": [0, 0, 0], "rpy": [0, 0, 0], "quat_xyzw": [0, 0, 0, 1]}',
            InputError,
            "expected matrix, or xyz and one",
        ),
        ('[{"xyz": [0, 0, 0], "rpy": [0, 0]}]', ShapeError, "pose 0: rpy: got shape"),
        ('[{"xyz": "abc", "rpy": [0, 0, 0]}]', ReposeError, "pose 0: xyz: got"),
        ('{"poses": 5}', InputError, "poses: got 5, expected a list"),
        ('[{"matrix": [[1]]}, 3]', ReposeError, "pose 0: matrix"),
        ('[{"xyz": [0, 0, 0], "rpy": [0, 0, 0]}, 3]', ShapeError, r"pose 1: got shape \(\)"),
        ("[1, 2]", ShapeError, r"got shape \(2,\)"),
        ("[[1, 2], [3]]", ReposeError, "not an array of numbers"),
    ],
)
def test_what_is_no_pose_is_refused(tmp_path, content, error, message):
    path = tmp_path / "poses"
    path.write_text(content)
    with pytest.raises(error, match=message) as caught:
        read_poses(str(path), degrees=False)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("header", "kind", "degrees"),
    [
        ("x,y,z,roll,pitch,yaw", "rpy", False),
        ("x,y,z,roll,pitch,yaw", "rpy", True),
        ("x,y,z,qx,qy,qz,qw", "quat_xyzw", False),
        ("x,y,z,qw,qx,qy,qz", "quat_wxyz", True),
    ],
)
def test_a_table_has_the_poses_of_its_lines(tmp_path, header, kind, degrees):
    rng = np.random.default_rng(1)
    xyz, rotation = rng.uniform(-1.0, 1.0, (300, 3)), Rotation.random(300, random_state=rng)
    values = np.degrees(rng.uniform(-3.0, 3.0, (300, 3))) if kind == "rpy" else rotation.as_quat()
    values = np.roll(values, 1, axis=1) if kind == "quat_wxyz" else values
    path = tmp_path / "poses.csv"
    np.savetxt(path, np.hstack([xyz, values]), delimiter=",", header=header, comments="", fmt="%.17g")
    poses = read_poses(str(path), degrees=degrees)
    each = [pose(p, kind, row, degrees=degrees, where="") for p, row in zip(xyz, values, strict=True)]
    np.testing.assert_allclose(poses, each, rtol=0.0, atol=1e-15)
    if kind != "rpy":
        np.testing.assert_allclose(poses[:, :3, :3], rotation.as_matrix(), atol=1e-15)


@pytest.mark.parametrize("quaternion", ["0,0,0,0", "1,1,0,0", "1e200,0,0,0"])
def test_of_many_bad_rows_the_first_is_named(tmp_path, quaternion):
    path = tmp_path / "poses.csv"
    path.write_text("x,y,z,qx,qy,qz,qw\n" + "0,0,0,0,0,0,1\n" * 70 + f"0,0,0,{quaternion}\n" * 3)
    with pytest.raises(InputError, match=r"poses.csv: pose 70: quat_xyzw: got a quaternion of norm .*, expected 1"):
        read_poses(str(path), degrees=False)
