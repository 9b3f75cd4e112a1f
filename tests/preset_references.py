"""Forward kinematics of the presets from sources other than the one each preset was made from.

Every entry was typed from what it names, not derived from the preset: a Denavit-Hartenberg table where the
preset comes from a URDF, another party's joint list where it comes from a table, a closed form where the geometry is
simple. ``tolerance`` [m and rotation entries] is what the rounding of the two sources allows, times at most three.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, pi, sin
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ForwardKinematics = Callable[[Sequence[float]], Array]
Step = tuple[Sequence[float], Sequence[float], str]


class Reference(NamedTuple):
    """Base to tool of one preset, shape (4, 4), as ``document`` has it."""

    preset: str
    document: str
    tolerance: float
    fk: ForwardKinematics


def turn(axis: str, angle: float) -> Array:
    """Return the rotation, shape (4, 4), about "x", "y" or "z", or about "-x", "-y" or "-z"."""
    i = "xyz".index(axis[-1])
    c, s = cos(angle), sin(angle) * (-1.0 if axis[0] == "-" else 1.0)
    matrix = np.eye(4)
    j, k = (i + 1) % 3, (i + 2) % 3
    matrix[j, j], matrix[j, k], matrix[k, j], matrix[k, k] = c, -s, s, c
    return matrix


def shift(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    """Return the translation [m], shape (4, 4)."""
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Return the rotation of URDF roll, pitch, yaw, shape (4, 4)."""
    return turn("z", yaw) @ turn("y", pitch) @ turn("x", roll)


def standard(
    rows: Sequence[tuple[float, float, float, float]],
    *,
    signs: Sequence[int] | None = None,
    base: Array | None = None,
    tool: Array | None = None,
) -> ForwardKinematics:
    """Return FK of a standard table, rows (offset, d, a, alpha): Rz(theta) Tz(d) Tx(a) Rx(alpha)."""

    def fk(q: Sequence[float]) -> Array:
        matrix = np.eye(4) if base is None else base
        for (offset, d, a, alpha), sign, value in zip(rows, signs or [1] * len(rows), q, strict=True):
            matrix = matrix @ turn("z", sign * value + offset) @ shift(a, 0.0, d) @ turn("x", alpha)
        return matrix if tool is None else matrix @ tool

    return fk


def modified(
    rows: Sequence[tuple[float, float, float, float]],
    *,
    signs: Sequence[int] | None = None,
    tool: Array | None = None,
) -> ForwardKinematics:
    """Return FK of a modified table, rows (alpha, a, d, offset): Rx(alpha) Tx(a) Rz(theta) Tz(d)."""

    def fk(q: Sequence[float]) -> Array:
        matrix = np.eye(4)
        for (alpha, a, d, offset), sign, value in zip(rows, signs or [1] * len(rows), q, strict=True):
            matrix = matrix @ turn("x", alpha) @ shift(a) @ turn("z", sign * value + offset) @ shift(z=d)
        return matrix if tool is None else matrix @ tool

    return fk


def joints(steps: Sequence[Step], *, tool: Array | None = None) -> ForwardKinematics:
    """Return FK of a URDF joint list, steps (xyz, rpy, axis)."""

    def fk(q: Sequence[float]) -> Array:
        matrix = np.eye(4)
        for (xyz, angles, axis), value in zip(steps, q, strict=True):
            matrix = matrix @ shift(*xyz) @ rpy(*angles) @ turn(axis, value)
        return matrix if tool is None else matrix @ tool

    return fk


def iiwa(shoulder: float, upper: float, fore: float, flange: float) -> ForwardKinematics:
    """Return FK of an LBR iiwa from the four lengths of its drawing: its axes meet at shoulder, elbow and wrist."""

    def fk(q: Sequence[float]) -> Array:
        return (
            (shift(z=shoulder) @ turn("z", q[0]) @ turn("y", q[1]) @ shift(z=upper))
            @ (turn("z", q[2]) @ turn("-y", q[3]) @ shift(z=fore))
            @ (turn("z", q[4]) @ turn("y", q[5]) @ turn("z", q[6]) @ shift(z=flange))
        )

    return fk


def scara(q: Sequence[float]) -> Array:
    """Return FK of the SCARA with arms of 325 mm and 225 mm."""
    both = q[0] + q[1]
    x, y = 0.325 * cos(q[0]) + 0.225 * cos(both), 0.325 * sin(q[0]) + 0.225 * sin(both)
    return shift(x, y, q[2]) @ turn("z", both + q[3])


FRANKA = modified(
    (
        (0.0, 0.0, 0.333, 0.0),
        (-pi / 2, 0.0, 0.0, 0.0),
        (pi / 2, 0.0, 0.316, 0.0),
        (pi / 2, 0.0825, 0.0, 0.0),
        (-pi / 2, -0.0825, 0.384, 0.0),
        (pi / 2, 0.0, 0.0, 0.0),
        (pi / 2, 0.088, 0.0, 0.0),
    ),
    tool=shift(z=0.107),
)

UR20 = joints(
    (
        ((0.0, 0.0, 0.2363), (0.0, 0.0, pi), "z"),
        ((0.0, 0.0, 0.0), (1.570796327, 0.0, 0.0), "z"),
        ((-0.862, 0.0, 0.0), (0.0, 0.0, 0.0), "z"),
        ((-0.7287, 0.0, 0.201), (0.0, 0.0, 0.0), "z"),
        ((0.0, -0.1593, 0.0), (1.570796327, 0.0, 0.0), "z"),
        ((0.0, 0.1543, -3.16e-11), (1.5707963265897931, pi, pi), "z"),
    ),
)

LBR_IIWA7 = joints(
    (
        ((0.0, 0.0, 0.15), (0.0, 0.0, 0.0), "z"),
        ((0.0, 0.0, 0.19), (pi / 2, 0.0, pi), "z"),
        ((0.0, 0.21, 0.0), (pi / 2, 0.0, pi), "z"),
        ((0.0, 0.0, 0.19), (pi / 2, 0.0, 0.0), "z"),
        ((0.0, 0.21, 0.0), (-pi / 2, pi, 0.0), "z"),
        ((0.0, 0.0607, 0.19), (pi / 2, 0.0, 0.0), "z"),
        ((0.0, 0.081, 0.0607), (-pi / 2, pi, 0.0), "z"),
    ),
    tool=shift(z=0.045),
)

XARM6 = joints(
    (
        ((0.0, 0.0, 0.267), (0.0, 0.0, 0.0), "z"),
        ((0.0, 0.0, 0.0), (-1.5708, 0.0, 0.0), "z"),
        ((0.0535, -0.2845, 0.0), (0.0, 0.0, 0.0), "z"),
        ((0.0775, 0.3425, 0.0), (-1.5708, 0.0, 0.0), "z"),
        ((0.0, 0.0, 0.0), (1.5708, 0.0, 0.0), "z"),
        ((0.076, 0.097, 0.0), (-1.5708, 0.0, 0.0), "z"),
    ),
)

KINOVA_GEN3 = standard(
    (
        (0.0, -0.2848, 0.0, pi / 2),
        (pi, -0.0118, 0.0, pi / 2),
        (pi, -0.4208, 0.0, pi / 2),
        (pi, -0.0128, 0.0, pi / 2),
        (pi, -0.3143, 0.0, pi / 2),
        (pi, 0.0, 0.0, pi / 2),
        (pi, -0.1674, 0.0, pi),
    ),
    base=turn("x", pi),
)


def abb(d1: float, a2: float, a3: float, d4: float, d6: float) -> ForwardKinematics:
    """Return FK of an ABB arm from the usual standard table of this family."""
    return standard(
        (
            (0.0, d1, 0.0, -pi / 2),
            (-pi / 2, 0.0, a2, 0.0),
            (0.0, 0.0, a3, -pi / 2),
            (0.0, d4, 0.0, pi / 2),
            (0.0, 0.0, 0.0, -pi / 2),
            (pi, d6, 0.0, 0.0),
        )
    )


LRMATE = standard(
    (
        (0.0, 0.33, 0.05, -pi / 2),
        (-pi / 2, 0.0, 0.33, 0.0),
        (0.0, 0.0, 0.035, -pi / 2),
        (0.0, 0.335, 0.0, pi / 2),
        (0.0, 0.0, 0.0, -pi / 2),
        (0.0, 0.08, 0.0, 0.0),
    ),
    signs=(1, 1, -1, -1, -1, -1),
)

GP7 = modified(
    (
        (0.0, 0.0, 0.33, 0.0),
        (-pi / 2, 0.04, 0.0, -pi / 2),
        (0.0, 0.445, 0.0, 0.0),
        (-pi / 2, 0.04, 0.44, 0.0),
        (pi / 2, 0.0, 0.0, 0.0),
        (-pi / 2, 0.0, 0.08, 0.0),
    ),
    signs=(1, 1, -1, -1, -1, -1),
)

TX2_60 = modified(
    (
        (0.0, 0.0, 0.375, 0.0),
        (-pi / 2, 0.0, 0.0, -pi / 2),
        (0.0, 0.29, 0.02, pi / 2),
        (pi / 2, 0.0, 0.31, 0.0),
        (-pi / 2, 0.0, 0.0, 0.0),
        (pi / 2, 0.0, 0.07, 0.0),
    )
)


def universal_robots(d1: float, a2: float, a3: float, d4: float, d5: float, d6: float) -> ForwardKinematics:
    """Return FK of a Universal Robots arm from its table, seen from the ROS base_link."""
    return standard(
        (
            (0.0, d1, 0.0, pi / 2),
            (0.0, 0.0, a2, 0.0),
            (0.0, 0.0, a3, 0.0),
            (0.0, d4, 0.0, pi / 2),
            (0.0, d5, 0.0, -pi / 2),
            (0.0, d6, 0.0, 0.0),
        ),
        base=turn("z", pi),
    )


_UR_TABLE = "Universal Robots, DH Parameters for calculations of kinematics and dynamics"

REFERENCES = (
    Reference("ur3e", _UR_TABLE, 1e-12, universal_robots(0.15185, -0.24355, -0.2132, 0.13105, 0.08535, 0.0921)),
    Reference("ur5e", _UR_TABLE, 1e-12, universal_robots(0.1625, -0.425, -0.3922, 0.1333, 0.0997, 0.0996)),
    Reference("ur10e", _UR_TABLE, 1e-12, universal_robots(0.1807, -0.6127, -0.57155, 0.17415, 0.11985, 0.11655)),
    Reference("ur20", _UR_TABLE, 1e-12, universal_robots(0.2363, -0.862, -0.7287, 0.201, 0.1593, 0.1543)),
    Reference("ur5", _UR_TABLE, 1e-12, universal_robots(0.089159, -0.425, -0.39225, 0.10915, 0.09465, 0.0823)),
    Reference("ur10", _UR_TABLE, 1e-12, universal_robots(0.1273, -0.612, -0.5723, 0.163941, 0.1157, 0.0922)),
    Reference("ur20", "Universal_Robots_ROS2_Description, config/ur20/default_kinematics.yaml", 3e-9, UR20),
    Reference("franka_panda", "Franka Control Interface documentation, DH parameters", 1e-12, FRANKA),
    Reference("franka_fr3", "Franka Control Interface documentation, DH parameters", 1e-12, FRANKA),
    Reference("kuka_iiwa7", "iiwa_stack (TU Munich), iiwa7.xacro", 1e-12, LBR_IIWA7),
    Reference("kuka_iiwa7", "KUKA, LBR iiwa specification, drawing", 1e-12, iiwa(0.34, 0.4, 0.4, 0.126)),
    Reference("kuka_iiwa14", "KUKA, LBR iiwa specification, drawing", 1e-12, iiwa(0.36, 0.42, 0.4, 0.126)),
    # 1.5708 for a quarter turn
    Reference("xarm6", "UFACTORY's xacro as rtb-data 2.0.0 has it, xarm6_macro.xacro", 3e-5, XARM6),
    # lengths rounded to 0.1 mm, their sum off by 0.25 mm
    Reference("kinova_gen3", "Kinova Gen3 User Guide R07, table 94", 1e-3, KINOVA_GEN3),
    Reference("abb_irb120", "ABB IRB 120, dimensions as a standard table", 1e-12, abb(0.29, 0.27, 0.07, 0.302, 0.072)),
    Reference("abb_irb1200", "RobotStudio, IRB1200FGL_5_90", 1e-12, abb(0.3991, 0.448, 0.042, 0.451, 0.082)),
    Reference("fanuc_lrmate200id", "FANUC LR Mate 200iD, dimensions as a standard table", 1e-12, LRMATE),
    # 1.570796 for a quarter turn
    Reference("yaskawa_gp7", "Yaskawa GP7, dimensions as a modified table", 1e-6, GP7),
    Reference("staubli_tx2_60", "Staubli TX2-60, dimensions as a modified table", 1e-12, TX2_60),
    Reference("mitsubishi_rh6frh5520", "Mitsubishi Electric, RH-6FRH5520, arm lengths", 1e-12, scara),
)


class Reach(NamedTuple):
    """A distance [m] on the data sheet: from the axis of joint 1 to ``end`` with the arm stretched out level."""

    preset: str
    end: Literal["wrist", "flange"]
    distance: float


REACHES = (
    Reach("abb_irb120", "wrist", 0.580),
    Reach("abb_irb1200", "wrist", 0.901),
    Reach("fanuc_lrmate200id", "wrist", 0.717),
    Reach("yaskawa_gp7", "wrist", 0.927),
    Reach("staubli_tx2_60", "flange", 0.670),
    Reach("mitsubishi_rh6frh5520", "flange", 0.550),
)
