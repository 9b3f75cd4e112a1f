"""Poses, joints and robots as their sources give them, and the rules that turn a source into a chain.

Fixed joints are folded into the next origin, Denavit-Hartenberg tables become joint origins, and rotations become roll,
pitch, yaw without losing a digit.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

Vector = tuple[float, float, float]
Matrix = NDArray[np.float64]
JointType = Literal["revolute", "continuous", "prismatic"]

ZERO: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Pose:
    """A fixed transform as a description gives it: translation [m] and URDF roll, pitch, yaw [rad]."""

    translation: Vector = ZERO
    rpy: Vector = ZERO

    def matrix(self) -> Matrix:
        """Return the homogeneous matrix, shape (4, 4)."""
        roll, pitch, yaw = self.rpy
        cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
        cy, sy = math.cos(yaw), math.sin(yaw)
        matrix = np.eye(4)
        matrix[:3, :3] = [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
        matrix[:3, 3] = self.translation
        return matrix


@dataclass(frozen=True, kw_only=True)
class Joint:
    """One moving joint of a preset; limits in rad or m, velocities in rad/s or m/s."""

    name: str
    origin: Pose
    axis: Vector
    joint_type: JointType = "revolute"
    lower: float = -math.inf
    upper: float = math.inf
    max_velocity: float | None = None


@dataclass(frozen=True, kw_only=True)
class DhRow:
    """One row of a Denavit-Hartenberg table [m, rad], in the order of its joints."""

    d: float = 0.0
    a: float = 0.0
    alpha: float = 0.0
    offset: float = 0.0


@dataclass(frozen=True, kw_only=True)
class UrdfFile:
    """A URDF (or a xacro whose only expression is ``${prefix}``) inside an installed distribution."""

    distribution: str
    path: str
    base_link: str
    tip_link: str

    def is_installed(self) -> bool:
        """Tell whether the distribution that holds the file is installed."""
        try:
            importlib.metadata.distribution(self.distribution)
        except importlib.metadata.PackageNotFoundError:
            return False
        return True

    def version(self) -> str:
        """Return the installed version of the distribution."""
        return importlib.metadata.version(self.distribution)

    def text(self) -> str:
        """Return the file's text, looked up in the distribution's own list so that nothing is imported."""
        for entry in importlib.metadata.files(self.distribution) or ():
            if str(entry).endswith(self.path):
                return Path(str(entry.locate())).read_text(encoding="utf-8").replace("${prefix}", "")
        raise FileNotFoundError(f"{self.distribution} {self.version()} has no file ending in {self.path!r}")


@dataclass(frozen=True, kw_only=True)
class Robot:
    """A preset: its chain (joints and flange, or the file that holds them) and where it comes from."""

    name: str
    maker: str
    model: str
    source: str
    licence: str
    retrieved: str
    notes: str
    home: Sequence[float]
    joints: Sequence[Joint] = ()
    tool: Pose = field(default_factory=Pose)
    urdf: UrdfFile | None = None


def snap(value: float) -> float:
    """Return 0.0 for the rounding dust of an exact zero (and for -0.0), anything else unchanged."""
    return 0.0 if abs(value) < 1e-15 else value


def rpy_from_matrix(rotation: Matrix) -> Vector:
    """Return roll, pitch, yaw of a rotation (3, 3) so that rebuilding it loses no digit, also at gimbal lock.

    Yaw alone is ill-determined near a pitch of 90 degrees. Pitch and roll are therefore taken from what is left
    after undoing whatever yaw was chosen, so that the three always describe the same rotation.
    """
    r = rotation
    yaw = math.atan2(r[1, 0], r[0, 0]) if math.hypot(r[0, 0], r[1, 0]) > 1e-12 else 0.0
    cy, sy = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-r[2, 0], cy * r[0, 0] + sy * r[1, 0])
    roll = math.atan2(sy * r[0, 2] - cy * r[1, 2], cy * r[1, 1] - sy * r[0, 1])
    return snap(roll), snap(pitch), snap(yaw)


def fold(poses: Sequence[Pose]) -> Pose:
    """Compose fixed transforms, left to right, into one.

    A rotation that only one factor has keeps the numbers of its source instead of passing through a matrix.
    """
    matrix = np.eye(4)
    for pose in poses:
        matrix = matrix @ pose.matrix()
    turned = [pose.rpy for pose in poses if pose.rpy != ZERO]
    rpy = rpy_from_matrix(matrix[:3, :3]) if len(turned) > 1 else (turned or [ZERO])[0]
    x, y, z = (snap(float(value)) for value in matrix[:3, 3])
    return Pose(translation=(x, y, z), rpy=rpy)


def standard_dh(rows: Sequence[DhRow], *, base: Pose | None = None) -> tuple[list[Pose], Pose]:
    """Return the joint origins and the flange of a standard table, every joint about its own z.

    Rz(theta) Tz(d) Tx(a) Rx(alpha) per row; Tz(d) and the offset move before the joint, with which they commute.
    """
    before = [base or Pose(), *(Pose(translation=(row.a, 0.0, 0.0), rpy=(row.alpha, 0.0, 0.0)) for row in rows)]
    shifts = [_along_z(row) for row in rows]
    return [fold([pose, shift]) for pose, shift in zip(before, shifts, strict=False)], before[-1]


def modified_dh(rows: Sequence[DhRow]) -> list[Pose]:
    """Return the joint origins of a modified (Craig) table: Rx(alpha) Tx(a) Rz(theta) Tz(d) per row."""
    turns = [Pose(translation=(row.a, 0.0, 0.0), rpy=(row.alpha, 0.0, 0.0)) for row in rows]
    return [fold([turn, _along_z(row)]) for turn, row in zip(turns, rows, strict=True)]


def _along_z(row: DhRow) -> Pose:
    return Pose(translation=(0.0, 0.0, row.d), rpy=(0.0, 0.0, row.offset))


def read_urdf(file: UrdfFile) -> tuple[list[Joint], Pose]:
    """Return the moving joints from base to tip, fixed joints folded in, and the transform to the tip."""
    root = ElementTree.fromstring(file.text())
    parents = {_link(joint, "child"): joint for joint in root.iter("joint") if joint.find("child") is not None}
    path = []
    link = file.tip_link
    while link != file.base_link:
        if link not in parents:
            raise ValueError(f"{file.path}: no chain from {file.base_link!r} to {file.tip_link!r}; stopped at {link!r}")
        path.append(parents[link])
        link = _link(parents[link], "parent")
    joints: list[Joint] = []
    pending: list[Pose] = []
    for element in reversed(path):
        pending.append(_origin(element))
        if element.get("type") != "fixed":
            joints.append(_joint(element, fold(pending)))
            pending = []
    return joints, fold(pending)


def _link(joint: ElementTree.Element, role: str) -> str:
    element = joint.find(role)
    return "" if element is None else element.get("link", "")


def _origin(joint: ElementTree.Element) -> Pose:
    element = joint.find("origin")
    if element is None:
        return Pose()
    return Pose(translation=_vector(element.get("xyz", "0 0 0")), rpy=_vector(element.get("rpy", "0 0 0")))


def _vector(text: str) -> Vector:
    # a URDF exporter's 1e-16 is a zero
    x, y, z = (snap(float(word)) for word in text.split())
    return x, y, z


def _joint(element: ElementTree.Element, origin: Pose) -> Joint:
    axis = element.find("axis")
    limit = element.find("limit")
    kind = element.get("type")
    if limit is None or kind not in ("revolute", "continuous", "prismatic"):
        raise ValueError(f"joint {element.get('name')!r}: cannot make a preset joint of type {kind!r} without limits")
    unlimited = kind == "continuous"
    velocity = limit.get("velocity")
    return Joint(
        name=element.get("name", ""),
        origin=origin,
        axis=(1.0, 0.0, 0.0) if axis is None else _vector(axis.get("xyz", "")),
        joint_type=kind,  # type: ignore[arg-type]
        lower=-math.inf if unlimited else float(limit.get("lower", "nan")),
        upper=math.inf if unlimited else float(limit.get("upper", "nan")),
        max_velocity=None if velocity is None else float(velocity),
    )
