"""Forward kinematics of URDFs by three independent ways: of a folded chain, of the raw XML, and by pinocchio."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pinocchio
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain

Array = NDArray[np.float64]

MOVING = ("revolute", "continuous", "prismatic")


def rotation(axis: Array, angle: float) -> Array:
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def origin(xyz: tuple[float, ...], rpy: tuple[float, ...]) -> Array:
    T = np.eye(4)
    roll, pitch, yaw = rpy
    ex, ey, ez = np.eye(3)
    T[:3, :3] = rotation(ez, yaw) @ rotation(ey, pitch) @ rotation(ex, roll)
    T[:3, 3] = xyz
    return T


def motion(joint_type: str, axis: Array, value: float) -> Array:
    T = np.eye(4)
    if joint_type in ("revolute", "continuous"):
        T[:3, :3] = rotation(axis, value)
    elif joint_type == "prismatic":
        T[:3, 3] = value * axis
    return T


def chain_fk(chain: KinematicChain, values: Mapping[str, float]) -> Array:
    """T_base_tool of a chain, whose entries of q are looked up by name."""
    joints = {joint.name: joint for joint in (*chain.slots, *chain.off_path_sources)}

    def value(name: str | None) -> float:
        mimic = joints[name].mimic
        return values[str(name)] if mimic is None else mimic.multiplier * value(mimic.joint) + mimic.offset

    T = np.eye(4)
    for slot in chain.slots:
        T = T @ origin(slot.origin_translation, slot.origin_rpy) @ motion(slot.joint_type, slot.axis, value(slot.name))
    return T @ chain.tool_offset


class RawRobot:
    """A URDF read with nothing but the standard library, by the letter of the specification."""

    def __init__(self, text: str) -> None:
        self.root = ET.fromstring(text)
        self.joints = {joint.attrib["name"]: joint for joint in self.root.findall("joint")}
        self.parent_of = {joint.find("child").attrib["link"]: joint for joint in self.joints.values()}  # type: ignore[union-attr]

    def leaves(self) -> list[str]:
        parents = {joint.find("parent").attrib["link"] for joint in self.joints.values()}  # type: ignore[union-attr]
        return [link.attrib["name"] for link in self.root.findall("link") if link.attrib["name"] not in parents]

    def free_joints(self) -> list[str]:
        return [
            name
            for name, joint in self.joints.items()
            if joint.attrib["type"] in MOVING and joint.find("mimic") is None
        ]

    def sample(self, rng: np.random.Generator) -> dict[str, float]:
        """Random values, not always within the limits, of the joints that move on their own."""
        return {name: rng.uniform(-2, 2) for name in self.free_joints()}

    def value(self, name: str, free: Mapping[str, float]) -> float:
        mimic = self.joints[name].find("mimic")
        if self.joints[name].attrib["type"] not in MOVING:
            return 0.0
        if mimic is None:
            return free[name]
        multiplier, offset = float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
        return multiplier * self.value(mimic.attrib["joint"], free) + offset

    def fk(self, link: str, free: Mapping[str, float]) -> Array:
        """T_root_link."""
        joint = self.parent_of.get(link)
        if joint is None:
            return np.eye(4)
        parent = self.fk(joint.find("parent").attrib["link"], free)  # type: ignore[union-attr]
        place, axis = joint.find("origin"), joint.find("axis")
        xyz = _numbers(place, "xyz", (0, 0, 0))
        rpy = _numbers(place, "rpy", (0, 0, 0))
        direction = np.array(_numbers(axis, "xyz", (1, 0, 0)))
        joint_type, name = joint.attrib["type"], joint.attrib["name"]
        if joint_type in MOVING:
            direction /= np.linalg.norm(direction)
        return parent @ origin(xyz, rpy) @ motion(joint_type, direction, self.value(name, free))


def _numbers(element: ET.Element | None, key: str, default: tuple[float, ...]) -> tuple[float, ...]:
    text = None if element is None else element.get(key)
    return default if text is None else tuple(float(word) for word in text.split())


class PinocchioRobot:
    """Pinocchio's model with every mimic as a joint of its own: the mapping is the caller's, mimics of mimics too."""

    def __init__(self, text: str) -> None:
        self.model = pinocchio.buildModelFromXML(text)
        self.data = self.model.createData()

    def fk(self, values: Mapping[str, float]) -> dict[str, Array]:
        """T_root_link of every link, for the value of every joint that moves."""
        q = pinocchio.neutral(self.model)
        for joint_id, name in enumerate(self.model.names):
            if joint_id == 0 or name not in values:
                continue
            joint = self.model.joints[joint_id]
            value = values[name]
            q[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (math.cos(value), math.sin(value))
        pinocchio.framesForwardKinematics(self.model, self.data, q)
        frames = {
            frame.name: self.data.oMf[i].homogeneous.copy()
            for i, frame in enumerate(self.model.frames)
            if frame.type == pinocchio.FrameType.BODY
        }
        root = self.model.frames[1].name
        return {link: np.linalg.inv(frames[root]) @ T for link, T in frames.items()}


def read_text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").strip()
