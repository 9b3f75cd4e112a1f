"""Universal Robots arms, from the maker's Denavit-Hartenberg table and joint limits."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, radians

from chains import DhRow, Joint, Pose, Robot, standard_dh

_NAMES = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint")
_ALPHAS = (pi / 2, 0.0, 0.0, pi / 2, -pi / 2, 0.0)
# the table's base frame is the ROS base_link turned half a turn, see REP 199
_BASE = Pose(rpy=(0.0, 0.0, pi))


def _arm(model: str, *, d: Sequence[float], a2: float, a3: float, velocities: Sequence[float], limits: str) -> Robot:
    """Return one arm: d of joints 1, 4, 5 and 6 and a of joints 2 and 3 [m], velocities [deg/s]."""
    ds = (d[0], 0.0, 0.0, d[1], d[2], d[3])
    lengths = (0.0, a2, a3, 0.0, 0.0, 0.0)
    rows = [DhRow(d=di, a=ai, alpha=alpha) for di, ai, alpha in zip(ds, lengths, _ALPHAS, strict=True)]
    origins, tool = standard_dh(rows, base=_BASE)
    joints = []
    for name, origin, velocity in zip(_NAMES, origins, velocities, strict=True):
        turn = pi if name == "elbow_joint" else 2 * pi
        speed = radians(velocity)
        joints.append(
            Joint(name=name, origin=origin, axis=(0.0, 0.0, 1.0), lower=-turn, upper=turn, max_velocity=speed)
        )
    return Robot(
        name=model.lower(),
        maker="Universal Robots",
        model=model,
        source=(
            "Universal Robots, article 'DH Parameters for calculations of kinematics and dynamics' (lengths); "
            f"github.com/UniversalRobots/Universal_Robots_ROS2_Description, {limits} (limits)"
        ),
        licence="published dimensions; limits file BSD-3-Clause",
        retrieved="2026-11-30",
        notes=(
            "Nominal dimensions, not the calibration of one arm. Base frame: ROS base_link, the table's base turned by "
            "pi about z. Tool: flange (tool0), z out of the flange. The elbow is limited to half a turn, as in the "
            "maker's file: the arm is in its own way beyond. Home: the 'home' keyframe of ur10e in MuJoCo Menagerie, "
            "1.5708 written as pi / 2, for all arms of the family."
        ),
        home=(-pi / 2, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0.0),
        joints=joints,
        tool=tool,
    )


UNIVERSAL_ROBOTS = (
    _arm(
        "UR3e",
        d=(0.15185, 0.13105, 0.08535, 0.0921),
        a2=-0.24355,
        a3=-0.2132,
        velocities=(180, 180, 180, 360, 360, 360),
        limits="config/ur3e/joint_limits.yaml",
    ),
    _arm(
        "UR5e",
        d=(0.1625, 0.1333, 0.0997, 0.0996),
        a2=-0.425,
        a3=-0.3922,
        velocities=(180, 180, 180, 180, 180, 180),
        limits="config/ur5e/joint_limits.yaml",
    ),
    _arm(
        "UR10e",
        d=(0.1807, 0.17415, 0.11985, 0.11655),
        a2=-0.6127,
        a3=-0.57155,
        velocities=(120, 120, 180, 180, 180, 180),
        limits="config/ur10e/joint_limits.yaml",
    ),
    _arm(
        "UR20",
        d=(0.2363, 0.201, 0.1593, 0.1543),
        a2=-0.862,
        a3=-0.7287,
        velocities=(120, 120, 150, 210, 210, 210),
        limits="config/ur20/joint_limits.yaml",
    ),
    _arm(
        "UR5",
        d=(0.089159, 0.10915, 0.09465, 0.0823),
        a2=-0.425,
        a3=-0.39225,
        velocities=(180, 180, 180, 180, 180, 180),
        limits="config/ur5/joint_limits.yaml",
    ),
    _arm(
        "UR10",
        d=(0.1273, 0.163941, 0.1157, 0.0922),
        a2=-0.612,
        a3=-0.5723,
        velocities=(120, 120, 180, 180, 180, 180),
        limits="config/ur10/joint_limits.yaml",
    ),
)
