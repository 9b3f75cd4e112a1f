"""Forward kinematics and Jacobians of every preset against pinocchio, from the joints as the chain states them."""

from __future__ import annotations

import numpy as np
import pinocchio
import pytest

import repose_jit as rj
from tests.arms import random_configurations

FRAMES = {"base": pinocchio.LOCAL_WORLD_ALIGNED, "body": pinocchio.LOCAL, "spatial": pinocchio.WORLD}


def peer_of(chain: rj.KinematicChain) -> tuple[pinocchio.Model, int]:
    """Return pinocchio's model of a chain without mimics, and its tool frame."""
    model, parent = pinocchio.Model(), 0
    for joint in chain.joints:
        motion = {
            "revolute": pinocchio.JointModelRevoluteUnaligned,
            "prismatic": pinocchio.JointModelPrismaticUnaligned,
        }[str(joint.joint_type)]
        parent = model.addJoint(parent, motion(joint.axis), pinocchio.SE3(joint.origin_transform()), joint.name)
    tool = pinocchio.SE3(np.array(chain.tool_offset))
    return model, model.addFrame(pinocchio.Frame("tool", parent, 0, tool, pinocchio.FrameType.OP_FRAME))


def test_there_are_at_least_nine() -> None:
    assert len(rj.RobotPreset.names()) >= 9


@pytest.mark.parametrize("name", rj.RobotPreset.names())
def test_preset_equals_pinocchio(name: str) -> None:
    chain = rj.preset(name).chain()
    assert not chain.mimic_joints
    model, tool = peer_of(chain)
    data = model.createData()
    Q = np.vstack([chain.home, random_configurations(chain, np.random.default_rng(0), 50)])
    T = rj.forward_kinematics(chain, Q)
    jacobians = {frame: rj.jacobian(chain, Q, frame=frame) for frame in FRAMES}
    for i, q in enumerate(Q):
        pinocchio.framesForwardKinematics(model, data, q)
        assert np.abs(T[i] - data.oMf[tool].homogeneous).max() < 1e-12
        for frame, reference in FRAMES.items():
            expected = pinocchio.computeFrameJacobian(model, data, q, tool, reference)
            assert np.abs(jacobians[frame][i] - expected).max() < 1e-12
