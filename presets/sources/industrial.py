"""Industrial arms, from the ROS-Industrial support packages that cite the makers' manuals, and one SCARA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, radians

from chains import ZERO, Joint, JointType, Pose, Robot, Vector

_X: Vector = (1.0, 0.0, 0.0)
_NEG_X: Vector = (-1.0, 0.0, 0.0)
_Y: Vector = (0.0, 1.0, 0.0)
_NEG_Y: Vector = (0.0, -1.0, 0.0)
_Z: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class _Row:
    """One joint of a chain whose frames are parallel at zero: origin [m], axis, limits [rad or m], velocity."""

    name: str
    origin: Vector
    axis: Vector
    lower: float
    upper: float
    velocity: float
    kind: JointType = "revolute"

    def joint(self) -> Joint:
        return Joint(
            name=self.name,
            joint_type=self.kind,
            origin=Pose(translation=self.origin),
            axis=self.axis,
            lower=self.lower,
            upper=self.upper,
            max_velocity=self.velocity,
        )


def _robot(
    *,
    name: str,
    maker: str,
    model: str,
    source: str,
    licence: str,
    notes: str,
    home: Sequence[float],
    rows: Sequence[_Row],
    tool: Pose | None = None,
) -> Robot:
    return Robot(
        name=name,
        maker=maker,
        model=model,
        source=source,
        licence=licence,
        retrieved="2026-11-30",
        notes=notes,
        home=home,
        joints=[row.joint() for row in rows],
        tool=tool or Pose(),
    )


_ABB_IRB120 = _robot(
    name="abb_irb120",
    maker="ABB",
    model="IRB 120-3/0.58",
    source="github.com/ros-industrial/abb, abb_irb120_support irb120_3_58_macro.xacro (data sheet ROB0149EN_D)",
    licence="Apache-2.0",
    notes="Tool: tool0, z out of the flange. Home: chosen here, upper arm upright, tool pointing down.",
    home=(0.0, 0.0, 0.0, 0.0, pi / 2, 0.0),
    rows=(
        _Row("joint_1", ZERO, _Z, -2.87979, 2.87979, 4.36332),
        _Row("joint_2", (0.0, 0.0, 0.29), _Y, -1.91986, 1.91986, 4.36332),
        _Row("joint_3", (0.0, 0.0, 0.27), _Y, -1.91986, 1.22173, 4.36332),
        _Row("joint_4", (0.0, 0.0, 0.07), _X, -2.79253, 2.79253, 5.58505),
        _Row("joint_5", (0.302, 0.0, 0.0), _Y, -2.094395, 2.094395, 5.58505),
        _Row("joint_6", (0.072, 0.0, 0.0), _X, -6.98132, 6.98132, 7.33038),
    ),
    tool=Pose(rpy=(0.0, pi / 2, 0.0)),
)

_ABB_IRB1200 = _robot(
    name="abb_irb1200",
    maker="ABB",
    model="IRB 1200-5/0.9",
    source="github.com/ros-industrial/abb, abb_irb1200_support irb1200_5_90_macro.xacro (data sheet ROB0275EN_A)",
    licence="Apache-2.0",
    notes="Tool: tool0, z out of the flange. Home: chosen here, upper arm upright, tool pointing down.",
    home=(0.0, 0.0, 0.0, 0.0, pi / 2, 0.0),
    rows=(
        _Row("joint_1", (0.0, 0.0, 0.3991), _Z, -2.967, 2.967, 5.027),
        _Row("joint_2", ZERO, _Y, -1.745, 2.269, 4.189),
        _Row("joint_3", (0.0, 0.0, 0.448), _Y, -3.491, 1.222, 5.236),
        _Row("joint_4", (0.0, 0.0, 0.042), _X, -4.712, 4.712, 6.981),
        _Row("joint_5", (0.451, 0.0, 0.0), _Y, -2.269, 2.269, 7.069),
        _Row("joint_6", (0.082, 0.0, 0.0), _X, -6.283, 6.283, 10.472),
    ),
    tool=Pose(rpy=(0.0, pi / 2, 0.0)),
)

_FANUC_LRMATE = _robot(
    name="fanuc_lrmate200id",
    maker="FANUC",
    model="LR Mate 200iD",
    source="github.com/ros-industrial/fanuc, lrmate200id_macro.xacro (mechanical unit manual B-83494EN/03)",
    licence="BSD-3-Clause",
    notes=(
        "Angles are the serial chain's: the controller shows joint_3 minus joint_2 as J3. The controller's world frame "
        "lies at the height of joint_2, 0.33 m above this base. Tool: tool0, z out of the flange. "
        "Home: chosen here, upper arm upright, tool pointing down."
    ),
    home=(0.0, 0.0, 0.0, 0.0, -pi / 2, 0.0),
    rows=(
        _Row("joint_1", (0.0, 0.0, 0.33), _Z, -2.965, 2.965, 7.85),
        _Row("joint_2", (0.05, 0.0, 0.0), _Y, -1.745329, 2.530727, 6.63),
        _Row("joint_3", (0.0, 0.0, 0.33), _NEG_Y, -2.450966, 4.886922, 9.08),
        _Row("joint_4", (0.0, 0.0, 0.035), _NEG_X, -3.315, 3.315, 9.60),
        _Row("joint_5", (0.335, 0.0, 0.0), _NEG_Y, -2.18, 2.18, 9.51),
        _Row("joint_6", (0.08, 0.0, 0.0), _NEG_X, -6.285, 6.285, 17.45),
    ),
    tool=Pose(rpy=(pi, -pi / 2, 0.0)),
)

_YASKAWA_GP7 = _robot(
    name="yaskawa_gp7",
    maker="Yaskawa",
    model="Motoman GP7",
    source="github.com/ros-industrial/motoman, gp7_macro.xacro",
    licence="BSD-3-Clause",
    notes=(
        "Tool: tool0, z out of the flange; its 3.1415926 and -1.570796 are the source's rounded numbers. "
        "Home: chosen here, upper arm upright, tool pointing down."
    ),
    home=(0.0, 0.0, 0.0, 0.0, -pi / 2, 0.0),
    rows=(
        _Row("joint_1_s", (0.0, 0.0, 0.33), _Z, -2.967, 2.967, 6.5448),
        _Row("joint_2_l", (0.04, 0.0, 0.0), _Y, -1.1344, 2.5307, 5.4977),
        _Row("joint_3_u", (0.0, 0.0, 0.445), _NEG_Y, -1.2217, 3.3161, 7.1558),
        _Row("joint_4_r", (0.44, 0.0, 0.04), _NEG_X, -3.3161, 3.3161, 9.5993),
        _Row("joint_5_b", ZERO, _NEG_Y, -2.3561, 2.3561, 9.5993),
        _Row("joint_6_t", ZERO, _NEG_X, -6.2944, 6.2944, 17.4845),
    ),
    tool=Pose(translation=(0.08, 0.0, 0.0), rpy=(3.1415926, -1.570796, 0.0)),
)

_STAUBLI_TX2_60 = _robot(
    name="staubli_tx2_60",
    maker="Staubli",
    model="TX2-60",
    source="github.com/ros-industrial/staubli_experimental, tx2_60_macro.xacro (manual D28082802D)",
    licence="Apache-2.0",
    notes=(
        "joint_3 is limited to 142.5 deg here: the source's 152.5 deg is listed elsewhere for the long TX2-60L only. "
        "Tool: flange, z out. Home: chosen here, upper arm upright, elbow square, tool pointing down."
    ),
    home=(0.0, 0.0, pi / 2, 0.0, pi / 2, 0.0),
    rows=(
        _Row("joint_1", (0.0, 0.0, 0.375), _Z, -radians(180), radians(180), radians(435)),
        _Row("joint_2", ZERO, _Y, -radians(127.5), radians(127.5), radians(385)),
        _Row("joint_3", (0.0, 0.02, 0.29), _Y, -radians(142.5), radians(142.5), radians(500)),
        _Row("joint_4", ZERO, _Z, -radians(270), radians(270), radians(995)),
        _Row("joint_5", (0.0, 0.0, 0.31), _Y, -radians(121), radians(132.5), radians(1065)),
        _Row("joint_6", (0.0, 0.0, 0.07), _Z, -radians(270), radians(270), radians(1445)),
    ),
)

_MITSUBISHI_SCARA = _robot(
    name="mitsubishi_rh6frh5520",
    maker="Mitsubishi Electric",
    model="RH-6FRH5520",
    source="github.com/Mitsubishi-Electric-Asia/melfa_ros2_driver, rh6frh5520_macro.xacro (the maker's own)",
    licence="Apache-2.0",
    notes=(
        "SCARA: arms of 325 mm and 225 mm, stroke 200 mm; joint_3 reads the height of the shaft's end above the base "
        "frame. Four joints: only poses with a vertical tool can be reached. Tool: joint_4 frame, z up. "
        "Home: chosen here, elbow square, middle of the stroke."
    ),
    home=(0.0, pi / 2, 0.233, 0.0),
    rows=(
        _Row("joint_1", ZERO, _Z, -2.9670597283903604, 2.9670597283903604, 6.981317007977318),
        _Row("joint_2", (0.325, 0.0, 0.0), _Z, -2.5307274153917776, 2.5307274153917776, 11.693705988362007),
        _Row("joint_3", (0.225, 0.0, 0.0), _Z, 0.133, 0.333, 2.4, kind="prismatic"),
        _Row("joint_4", ZERO, _Z, -2 * pi, 2 * pi, 43.63323129985824),
    ),
)

INDUSTRIAL = (_ABB_IRB120, _ABB_IRB1200, _FANUC_LRMATE, _YASKAWA_GP7, _STAUBLI_TX2_60, _MITSUBISHI_SCARA)
