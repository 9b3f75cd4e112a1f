"""A chain as pinocchio sees it: every slot a joint of its own, which the oracle's table drives."""

from __future__ import annotations

import numpy as np
import pinocchio

import repose_jit as rj
from tests import reference

__all__ = ["PinocchioChain"]

MOTIONS = {
    "revolute": pinocchio.JointModelRevoluteUnaligned,
    "prismatic": pinocchio.JointModelPrismaticUnaligned,
}


class PinocchioChain:
    """Forward kinematics and base Jacobian of a chain with mimic, fixed and sliding joints."""

    def __init__(self, chain: rj.KinematicChain) -> None:
        table = reference.from_chain(chain)
        self.model = pinocchio.Model()
        self.moving = [slot for slot in table.slots if slot.kind != "fixed"]
        parent, place = 0, np.eye(4)
        for i, slot in enumerate(table.slots):
            place = place @ slot.origin
            if slot.kind != "fixed":
                parent = self.model.addJoint(parent, MOTIONS[slot.kind](slot.axis), pinocchio.SE3(place), f"slot{i}")
                place = np.eye(4)
        frame = pinocchio.Frame("tool", parent, 0, pinocchio.SE3(place @ table.tool), pinocchio.FrameType.OP_FRAME)
        self.tool = self.model.addFrame(frame)
        self.data = self.model.createData()
        self.gains = np.zeros((len(self.moving), chain.n_joints))
        for row, slot in zip(self.gains, self.moving, strict=True):
            row[slot.source] = slot.multiplier
        self.offsets = np.array([slot.offset for slot in self.moving])

    def fk(self, q: np.ndarray) -> np.ndarray:
        """Return T_base_tool."""
        pinocchio.framesForwardKinematics(self.model, self.data, self.gains @ q + self.offsets)
        return np.array(self.data.oMf[self.tool].homogeneous)

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Return the (6, n) Jacobian of the tool point in base axes."""
        values, frame = self.gains @ q + self.offsets, pinocchio.LOCAL_WORLD_ALIGNED
        columns = pinocchio.computeFrameJacobian(self.model, self.data, values, self.tool, frame)
        return np.array(columns.reshape(6, -1) @ self.gains)  # a single column comes flat
