"""Poses as people and files write them: position and rpy, quaternion or matrix."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from repose_jit.errors import InputError, ShapeError, UnknownNameError, shown
from repose_jit.joints import rotation_from_rpy_sines, rpy_from_rotation
from repose_jit.tables import Table
from repose_jit.validation import as_transform, as_vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

__all__ = ["parse_poses", "pose", "pose_document", "quat_xyzw_from_rotation", "rotation_from_quat_xyzw"]

XYZ = ("x", "y", "z")
QUATERNION = ("qx", "qy", "qz", "qw")
RPY = ("roll", "pitch", "yaw")
ORIENTATIONS = {"rpy": 3, "quat_xyzw": 4, "quat_wxyz": 4}
"""How an orientation can be given, and how many numbers it takes."""

QUATERNION_TOLERANCE = 1e-2
"""How far the norm of a quaternion may be from 1: two printed digits pass, and it is normalised."""


def pose(xyz: Sequence[float], kind: str, orientation: Sequence[float], *, degrees: bool, where: str) -> FloatArray:
    """Return a (4, 4) pose.

    Parameters
    ----------
    xyz
        Position [m].
    kind
        ``"rpy"``, ``"quat_xyzw"`` or ``"quat_wxyz"``.
    orientation
        Three angles [rad, or deg], or a quaternion of norm 1 within QUATERNION_TOLERANCE.
    degrees
        Whether the angles are degrees.
    where
        What messages start with.
    """
    p = as_vector(xyz, 3, name=f"{where}xyz")
    values = as_vector(orientation, ORIENTATIONS[kind], name=f"{where}{kind}")
    T: FloatArray = _poses(p[None], kind, values[None], degrees=degrees, name=lambda _: where)[0]
    return T


def _poses(
    xyz: FloatArray, kind: str, orientations: FloatArray, *, degrees: bool, name: Callable[[int], str]
) -> FloatArray:
    """Return (N, 4, 4) poses of N rows, otherwise as :func:`pose`; a message about row i starts with ``name(i)``."""
    T = np.zeros((len(xyz), 4, 4))
    T[:, :3, 3], T[:, 3, 3] = xyz, 1.0
    if kind == "rpy":
        # Imported here: `info` and `fk` print poses without the compiler.
        from repose_jit.kernels.angles import sincos_of_angles

        angles = np.ascontiguousarray(np.radians(orientations) if degrees else orientations)
        sines, cosines = np.empty(angles.shape), np.empty(angles.shape)
        # Not NumPy's sine, whose last bits depend on the CPU: the poses may be those of a stored study.
        sincos_of_angles(angles.reshape(-1), sines.reshape(-1), cosines.reshape(-1))
        # Entry by entry over all rows at once: (3, N) angles give (3, 3, N).
        T[:, :3, :3] = np.moveaxis(rotation_from_rpy_sines(sines.T, cosines.T), -1, 0)
        return T
    with np.errstate(over="ignore"):
        norms = _norms(orientations)
    wrong = np.abs(norms - 1.0) > QUATERNION_TOLERANCE
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InputError(f"{name(i)}{kind}: got a quaternion of norm {norms[i]:.4g}, expected 1")
    quat_xyzw = orientations if kind == "quat_xyzw" else np.roll(orientations, -1, axis=-1)
    T[:, :3, :3] = rotation_from_quat_xyzw(quat_xyzw)
    return T


def pose_document(T: FloatArray, *, degrees: bool) -> dict[str, object]:
    """Return a (4, 4) pose in all its forms, as plain values; rpy [rad, or deg]."""
    rpy = rpy_from_rotation(T[:3, :3])
    return {
        "matrix": T.tolist(),
        "xyz": T[:3, 3].tolist(),
        "quat_xyzw": quat_xyzw_from_rotation(T[:3, :3]).tolist(),
        "rpy": [math.degrees(angle) for angle in rpy] if degrees else list(rpy),
    }


def parse_poses(data: Any, *, degrees: bool, where: str) -> FloatArray:
    """Return the poses (N, 4, 4) of what :func:`~repose_jit.tables.parse_data` has read; not yet checked to be rigid.

    Parameters
    ----------
    data
        An array (..., 4, 4). A table: 16 numbers a line (the matrix row by row), or named columns x, y, z and either
        roll, pitch, yaw or qx, qy, qz, qw. JSON: matrices, objects with ``matrix``, or ``xyz`` and one of ``rpy``,
        ``quat_xyzw``, ``quat_wxyz``; one, a list of them, or what ``fk --json`` prints.
    degrees
        Whether angles are degrees.
    where
        What messages start with: the name of the file.

    Raises
    ------
    ReposeError
        If the data are something else.
    """
    if isinstance(data, np.ndarray):
        return as_transform(data, name=where).reshape(-1, 4, 4)
    if isinstance(data, Table):
        return _poses_from_table(data, degrees=degrees, where=where)
    if isinstance(data, Mapping) and "poses" in data:
        data = data["poses"]
    if isinstance(data, list) and not any(isinstance(entry, Mapping) for entry in data):
        return as_transform(data, name=where).reshape(-1, 4, 4)
    entries = [data] if isinstance(data, Mapping) else data
    if not isinstance(entries, list):
        raise InputError(f"{where}: poses: got {shown(entries)}, expected a list")
    poses = [_pose_from_object(entry, degrees=degrees, where=f"{where}: pose {i}: ") for i, entry in enumerate(entries)]
    return np.stack(poses)


def _poses_from_table(table: Table, *, degrees: bool, where: str) -> FloatArray:
    if not table.names:
        if table.rows.shape[1] != 16:
            raise ShapeError(
                f"{where}: got {table.rows.shape[1]} numbers a line, expected 16 (the matrix row by row), "
                "or a first line with the names x,y,z and qx,qy,qz,qw or roll,pitch,yaw"
            )
        return table.rows.reshape(-1, 4, 4)
    is_rpy = RPY[0] in table.names
    rows = table.columns((*XYZ, *(RPY if is_rpy else QUATERNION)), where=where)
    kind = "rpy" if is_rpy else "quat_xyzw"
    return _poses(rows[:, :3], kind, rows[:, 3:], degrees=degrees, name=lambda i: f"{where}: pose {i}: ")


def _pose_from_object(entry: Any, *, degrees: bool, where: str) -> FloatArray:
    if not isinstance(entry, Mapping):
        return _one_matrix(entry, where.removesuffix(": "))
    if "matrix" in entry:
        return _one_matrix(entry["matrix"], f"{where}matrix")
    known = ("xyz", *ORIENTATIONS)
    for key in entry:
        if key not in known:
            raise UnknownNameError("key", key, (*known, "matrix"), where=where.removesuffix(": "))
    kinds = [kind for kind in ORIENTATIONS if kind in entry]
    if "xyz" not in entry or len(kinds) != 1:
        got = ", ".join(entry) or "nothing"
        raise InputError(f"{where}got {got}; expected matrix, or xyz and one of {', '.join(ORIENTATIONS)}")
    return pose(entry["xyz"], kinds[0], entry[kinds[0]], degrees=degrees, where=where)


def _one_matrix(value: Any, where: str) -> FloatArray:
    T = as_transform(value, name=where)
    if T.ndim != 2:
        raise ShapeError(f"{where}: got shape {T.shape}, expected (4, 4)")
    return T


def rotation_from_quat_xyzw(quat_xyzw: FloatArray) -> FloatArray:
    """Return the (..., 3, 3) rotations of quaternions (..., 4) of any norm but 0."""
    x, y, z, w = np.moveaxis(quat_xyzw / _norms(quat_xyzw)[..., None], -1, 0)
    R = np.empty((*quat_xyzw.shape[:-1], 3, 3))
    R[..., 0, 0], R[..., 0, 1], R[..., 0, 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)
    R[..., 1, 0], R[..., 1, 1], R[..., 1, 2] = 2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)
    R[..., 2, 0], R[..., 2, 1], R[..., 2, 2] = 2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)
    return R


def _norms(quaternions: FloatArray) -> FloatArray:
    a, b, c, d = np.moveaxis(quaternions, -1, 0)
    norms: FloatArray = np.sqrt(a * a + b * b + c * c + d * d)
    return norms


def quat_xyzw_from_rotation(R: FloatArray) -> FloatArray:
    """Return the unit quaternions (..., 4) of (..., 3, 3) rotations, w ≥ 0.

    The largest of the four components is found first and the others divided by it, which loses no digits at any angle
    (Shepperd 1978).
    """
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(R, (-2, -1), (0, 1))
    squares = (1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i, 1.0 + a + e + i)
    rows = (
        (squares[0], b + d, c + g, h - f),
        (b + d, squares[1], f + h, c - g),
        (c + g, f + h, squares[2], d - b),
        (h - f, c - g, d - b, squares[3]),
    )
    largest = np.argmax(squares, axis=0)
    quaternion = np.stack([np.choose(largest, column) for column in rows], axis=-1)  # the table is symmetric
    quaternion /= _norms(quaternion)[..., None]
    return np.where(quaternion[..., 3:] < 0.0, -quaternion, quaternion)
