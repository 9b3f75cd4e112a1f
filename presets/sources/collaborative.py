"""Arms for research and for work beside people, from published tables and the makers' own files."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan, hypot, pi, radians

from chains import DhRow, Joint, Pose, Robot, Vector, fold, modified_dh

_Y: Vector = (0.0, 1.0, 0.0)
_Z: Vector = (0.0, 0.0, 1.0)
_RETRIEVED = "2026-11-30"


def _igus_rebel() -> Robot:
    """Return the ReBeL with the motor housings folded into the joints, 3.1416 and 1.0472 as its source rounds them."""
    housing = Pose(translation=(-0.0326, 0.0, 0.05646), rpy=(0.0, -1.0472, 0.0))
    lean = fold([Pose(translation=(0.0, -0.025, 0.1)), housing, Pose(translation=(0.0, 0.025, 0.1))])
    table: Sequence[tuple[Pose, Vector, float, float]] = (
        (Pose(translation=(0.0, 0.0, 0.126), rpy=(0.0, 0.0, 3.1416)), (0.0, 0.0, -1.0), -3.12414, 3.12414),
        (Pose(translation=(0.0, 0.025, 0.153)), (0.0, -1.0, 0.0), -1.48353, 2.44346),
        (lean, (0.0, -1.0, 0.0), -1.39626, 2.61799),
        (Pose(translation=(0.0, -0.025, 0.153)), _Z, -3.12414, 3.12414),
        (Pose(translation=(0.0, 0.029, 0.143)), (0.0, -1.0, 0.0), -1.65806, 1.65806),
        (Pose(translation=(0.0, -0.029, 0.1188)), _Z, -3.12414, 3.12414),
    )
    return Robot(
        name="igus_rebel",
        maker="igus",
        model="ReBeL 6 DoF",
        source=(
            "github.com/TarikViehmann/igus_rebel, rebel_description/urdf/igus_rebel.urdf (geometry); "
            "limits and velocities are not that file's, see notes"
        ),
        licence="Apache-2.0",
        retrieved=_RETRIEVED,
        notes=(
            "Published geometries of this arm disagree; this is the one with separate motor housings, their fixed "
            "offsets folded into the revolute joints. 3.1416 and 1.0472 are the source's rounded numbers. The source's "
            "own limits are half a turn to either side of every joint; those given here are the project's table. "
            "Tool: joint6 frame. Home: chosen here, bent elbow, tool pointing down."
        ),
        home=(0.0, radians(-15), radians(60), 0.0, radians(75), 0.0),
        joints=[
            Joint(name=f"joint{i}", origin=origin, axis=axis, lower=lower, upper=upper, max_velocity=2.16)
            for i, (origin, axis, lower, upper) in enumerate(table, start=1)
        ],
    )


def _iiwa(
    *,
    model: str,
    payload: int,
    origins: Sequence[Vector],
    velocities: Sequence[float],
    geometry: str,
    limits: str,
) -> Robot:
    """Return one LBR iiwa: frames parallel at zero, velocities [deg/s]."""
    axes: Sequence[Vector] = (_Z, _Y, _Z, (0.0, -1.0, 0.0), _Z, _Y, _Z)
    turns = (170, 120, 170, 120, 170, 120, 175)
    return Robot(
        name=f"kuka_iiwa{payload}",
        maker="KUKA",
        model=model,
        source=f"github.com/lbr-stack/lbr_fri_ros2_stack, {geometry} (geometry); {limits} (limits)",
        licence="Apache-2.0",
        retrieved=_RETRIEVED,
        notes=(
            "Limits are the maker's, which the geometry's own file narrows by one degree. Tool: face of the basic "
            "flange (0.126 m above the wrist centre); a media flange is longer, 0.152 m for the Touch. "
            "Home: keyframe of iiwa14 in MuJoCo Menagerie."
        ),
        home=(0.0, pi / 4, 0.0, -pi / 2, 0.0, 0.0, 0.0),
        joints=[
            Joint(
                name=f"A{i}",
                origin=Pose(translation=origin),
                axis=axis,
                lower=-radians(turn),
                upper=radians(turn),
                max_velocity=radians(velocity),
            )
            for i, (origin, axis, turn, velocity) in enumerate(zip(origins, axes, turns, velocities, strict=True), 1)
        ],
        tool=Pose(translation=(0.0, 0.0, 0.035)),
    )


def _xarm(
    *, model: str, rows: Sequence[DhRow], limits: Sequence[tuple[float, float]], home: Sequence[float], **text: str
) -> Robot:
    """Return one xArm from UFACTORY's modified table, limits [rad]."""
    return Robot(
        name=model.lower(),
        maker="UFACTORY",
        model=model,
        source=text["source"],
        licence=text["licence"],
        retrieved=_RETRIEVED,
        notes=text["notes"],
        home=home,
        joints=[
            Joint(name=f"joint{i}", origin=origin, axis=_Z, lower=lower, upper=upper, max_velocity=3.14)
            for i, (origin, (lower, upper)) in enumerate(zip(modified_dh(rows), limits, strict=True), start=1)
        ],
    )


def _xarm6() -> Robot:
    lean = atan(284.5 / 53.5)
    rows = (
        DhRow(d=0.267),
        DhRow(alpha=-pi / 2, offset=-lean),
        DhRow(a=hypot(0.2845, 0.0535), offset=lean),
        DhRow(alpha=-pi / 2, a=0.0775, d=0.3425),
        DhRow(alpha=pi / 2),
        DhRow(alpha=-pi / 2, a=0.076, d=0.097),
    )
    turn = (-2 * pi, 2 * pi)
    return _xarm(
        model="xArm6",
        rows=rows,
        limits=(turn, (-2.059, 2.0944), (-3.927, 0.19198), turn, (-1.69297, pi), turn),
        home=(0.0, 0.0, -pi / 2, 0.0, pi / 2, 0.0),
        source=(
            "UFACTORY documentation, xArm 6 modified DH table (github.com/xArm-Developer/ufactory_docs, xarm-6.md); "
            "rtb-data 2.0.0, xacro/armer_xarm xarm6_macro.xacro (limits)"
        ),
        licence="published dimensions; rtb-data MIT",
        notes=(
            "The table's length and angle of the upper arm are computed from the drawing's 284.5 mm and 53.5 mm. "
            "Tool: flange face, z out. Home: chosen here, forearm level, tool pointing down."
        ),
    )


def _xarm7() -> Robot:
    rows = (
        DhRow(d=0.267),
        DhRow(alpha=-pi / 2),
        DhRow(alpha=pi / 2, d=0.293),
        DhRow(alpha=pi / 2, a=0.0525),
        DhRow(alpha=pi / 2, a=0.0775, d=0.3425),
        DhRow(alpha=pi / 2),
        DhRow(alpha=-pi / 2, a=0.076, d=0.097),
    )
    turn = (-2 * pi, 2 * pi)
    return _xarm(
        model="xArm7",
        rows=rows,
        limits=(turn, (-2.059, 2.0944), turn, (-0.19198, 3.927), turn, (-1.69297, pi), turn),
        home=(0.0, -0.247, 0.0, 0.909, 0.0, 1.15644, 0.0),
        source=(
            "UFACTORY documentation, xArm 7 modified DH table (github.com/xArm-Developer/ufactory_docs, xarm-7.md); "
            "example-robot-data 6.0.0, xarm_description/urdf/xarm7.urdf (limits)"
        ),
        licence="published dimensions; example-robot-data BSD-3-Clause",
        notes="Tool: flange face, z out. Home: keyframe of xarm7_nohand in MuJoCo Menagerie, tool pointing down.",
    )


COLLABORATIVE = (
    _igus_rebel(),
    _iiwa(
        model="LBR iiwa 7 R800",
        payload=7,
        origins=(
            (0.0, 0.0, 0.1475),
            (0.0, -0.0105, 0.1925),
            (0.0, 0.0105, 0.2075),
            (0.0, 0.0105, 0.1925),
            (0.0, -0.0105, 0.2075),
            (0.0, -0.0707, 0.1925),
            (0.0, 0.0707, 0.091),
        ),
        velocities=(98, 98, 100, 130, 140, 180, 180),
        geometry="iiwa7_description.xacro",
        limits="iiwa7 joint_limits.yaml of the same and github.com/IFL-CAMP/iiwa_stack, iiwa7.xacro",
    ),
    _iiwa(
        model="LBR iiwa 14 R820",
        payload=14,
        origins=(
            (0.0, 0.0, 0.1475),
            (0.0, -0.01, 0.2125),
            (0.0, 0.01, 0.228),
            (0.0, 0.0105, 0.192),
            (0.0, -0.0105, 0.2075),
            (0.0, -0.0707, 0.1925),
            (0.0, 0.0707, 0.091),
        ),
        velocities=(85, 85, 100, 75, 130, 135, 135),
        geometry="iiwa14_description.xacro",
        limits="KUKA's github.com/kroshu/kuka_robot_descriptions, lbr_iiwa14_r820_macro.xacro",
    ),
    _xarm6(),
    _xarm7(),
)
