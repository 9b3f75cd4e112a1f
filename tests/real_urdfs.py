"""The URDF files of real robots that pip packages carry, and pinocchio's view of them."""

from __future__ import annotations

import importlib.metadata
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pinocchio

__all__ = ["DISTRIBUTIONS", "UNUSABLE", "Peer", "urdf_files"]

DISTRIBUTIONS = ("example-robot-data", "dexmate-urdf", "airo-models", "rtb-data")

UNUSABLE = {
    "ur3.urdf": "empty robot",
    "test.urdf": "not a robot",
}
"""Files of these packages without a robot in them."""


def urdf_files() -> list[Path]:
    """Return the URDF files of the packages, those without a robot left out."""
    files = []
    for distribution in DISTRIBUTIONS:
        for file in importlib.metadata.files(distribution) or ():
            if file.name.endswith(".urdf") and file.name not in UNUSABLE:
                files.append(Path(str(file.locate())))
    return sorted(files)


class Peer:
    """Pinocchio's model of a URDF file, every joint independent; mimics are resolved here from the file's own text."""

    def __init__(self, path: Path) -> None:
        # Vendor prefixes that are not declared stop pinocchio's reader, on elements and on attributes.
        text = re.sub(r"(?<=[<\s/])(?:drake|isaac|mujoco):", "", path.read_text(encoding="utf-8"))
        self.model = pinocchio.buildModelFromXML(text)
        self.data = self.model.createData()
        self.mimics = {
            str(joint.get("name")): (
                str(mimic.get("joint")),
                float(mimic.get("multiplier", 1.0)),
                float(mimic.get("offset", 0.0)),
            )
            for joint in ET.fromstring(text).iter("joint")
            if (mimic := joint.find("mimic")) is not None and joint.get("type") != "fixed"
        }

    def values(self, names: tuple[str, ...], q: np.ndarray) -> np.ndarray:
        """Return pinocchio's configuration for values of the named joints; mimics follow, the others are at 0."""
        full = pinocchio.neutral(self.model)
        given = dict(zip(names, q.tolist(), strict=True))
        for joint in self.model.names[1:]:
            value = self._value(joint, given)
            index = self.model.getJointId(joint)
            start, size = self.model.joints[index].idx_q, self.model.joints[index].nq
            if size == 1:
                full[start] = value
            elif size == 2:
                full[start : start + 2] = np.cos(value), np.sin(value)
        return full

    def _value(self, joint: str, given: dict[str, float]) -> float:
        if joint in given:
            return given[joint]
        if joint in self.mimics:
            source, multiplier, offset = self.mimics[joint]
            return multiplier * self._value(source, given) + offset
        return 0.0

    def _gain(self, joint: str, names: tuple[str, ...]) -> tuple[str, float]:
        gain = 1.0
        while joint not in names and joint in self.mimics:
            joint, multiplier, _ = self.mimics[joint]
            gain *= multiplier
        return joint, gain

    def pose(self, tip_link: str, full: np.ndarray) -> np.ndarray:
        """Return the pose of a link in the root link's frame, (4, 4)."""
        pinocchio.framesForwardKinematics(self.model, self.data, full)
        return self.data.oMf[self.model.getFrameId(tip_link, pinocchio.FrameType.BODY)].homogeneous.copy()

    def jacobian(self, tip_link: str, full: np.ndarray, names: tuple[str, ...], frame: str) -> np.ndarray:
        """Return the (6, n) Jacobian for the named joints, the columns of mimics added to those of their sources."""
        reference = {
            "base": pinocchio.LOCAL_WORLD_ALIGNED,
            "body": pinocchio.LOCAL,
            "spatial": pinocchio.WORLD,
        }[frame]
        link = self.model.getFrameId(tip_link, pinocchio.FrameType.BODY)
        columns = pinocchio.computeFrameJacobian(self.model, self.data, full, link, reference)
        J = np.zeros((6, len(names)))
        for joint in self.model.names[1:]:
            source, gain = self._gain(joint, names)
            index = self.model.getJointId(joint)
            if source in names and self.model.joints[index].nv == 1:
                J[:, names.index(source)] += gain * columns[:, self.model.joints[index].idx_v]
        return J
