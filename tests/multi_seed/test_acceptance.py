"""Twenty thousand reachable poses of many kinds of arm: all are reached, and pinocchio agrees."""

from __future__ import annotations

import math

import numpy as np
import pinocchio
import pytest

import repose_jit as rj
from tests import arms, reference

Array = np.ndarray
N_TARGETS = 20_000
TOLERANCES = [(1e-4, 1e-3), (1e-6, 1e-6)]
ROUNDING = 1e-13
"""What pinocchio's errors of a configuration and ours may differ by [m, rad]."""


def on_a_rail() -> rj.KinematicChain:
    """Return a UR5e that slides along a rail of one metre."""
    arm = rj.preset("ur5e").chain()
    rail = rj.JointSpec.prismatic((0, 0, 0), (0, 0, 0), "pos_y", rj.JointLimits.prismatic(0.0, 1.0), name="rail")
    return rj.KinematicChain([rail, *arm.joints], tool_offset=arm.tool_offset)


def two_turns() -> rj.KinematicChain:
    """Return a UR5 all of whose joints turn by ±2π; the preset's elbow has the ±π of the maker's file."""
    arm = rj.preset("ur5").chain()
    limits = rj.JointLimits.revolute(-2.0 * math.pi, 2.0 * math.pi)
    joints = [
        rj.JointSpec.revolute(joint.origin_translation, joint.origin_rpy, joint.axis, limits, name=joint.name)
        for joint in arm.joints
    ]
    return rj.KinematicChain(joints, tool_offset=arm.tool_offset)


def scara() -> rj.KinematicChain:
    """Return an arm of four joints: two turn in the plane, one slides down, one turns the tool."""
    turn, slide = rj.JointLimits.revolute(-2.5, 2.5), rj.JointLimits.prismatic(0.0, 0.2)
    full = rj.JointLimits.revolute(-2.0 * math.pi, 2.0 * math.pi)
    return rj.KinematicChain(
        [
            rj.JointSpec.revolute((0, 0, 0.4), (0, 0, 0), "pos_z", turn, name="shoulder"),
            rj.JointSpec.revolute((0.325, 0, 0), (0, 0, 0), "pos_z", turn, name="elbow"),
            rj.JointSpec.prismatic((0.225, 0, 0), (0, 0, 0), "neg_z", slide, name="quill"),
            rj.JointSpec.revolute((0, 0, -0.05), (0, 0, 0), "neg_z", full, name="flange"),
        ],
        tool_offset=np.array([[1.0, 0, 0, 0.02], [0, 1, 0, 0], [0, 0, 1, -0.1], [0, 0, 0, 1]]),
    )


PRESETS = ["ur5", "franka_panda", "igus_rebel", "kuka_iiwa14", "abb_irb120", "fanuc_lrmate200id", "xarm7", "so101"]
ARMS = {name: (lambda name=name: rj.preset(name).chain()) for name in PRESETS}
ARMS |= {"ur5, two turns": two_turns, "ur5e on a rail": on_a_rail, "scara": scara}


class Peer:
    """Pinocchio's model of a chain without mimics and fixed joints."""

    def __init__(self, chain: rj.KinematicChain) -> None:
        kinds = {
            "revolute": pinocchio.JointModelRevoluteUnaligned,
            "prismatic": pinocchio.JointModelPrismaticUnaligned,
        }
        self.model, parent = pinocchio.Model(), 0
        for joint in chain.joints:
            origin = pinocchio.SE3(joint.origin_transform())
            parent = self.model.addJoint(parent, kinds[joint.joint_type](joint.axis), origin, joint.name)
        tool = pinocchio.SE3(np.array(chain.tool_offset))
        self.tool = self.model.addFrame(pinocchio.Frame("tool", parent, 0, tool, pinocchio.FrameType.OP_FRAME))
        self.data = self.model.createData()

    def errors(self, q: Array, targets: Array) -> Array:
        """Return (N, 2) distances of position and orientation from the poses of q to the targets [m, rad]."""
        errors = np.empty((len(q), 2))
        for i, target in enumerate(targets):
            pinocchio.framesForwardKinematics(self.model, self.data, q[i])
            T = self.data.oMf[self.tool]
            errors[i, 0] = np.linalg.norm(target[:3, 3] - T.translation)
            errors[i, 1] = np.linalg.norm(reference.log_so3(target[:3, :3] @ T.rotation.T))
        return errors


@pytest.mark.slow
@pytest.mark.parametrize("tolerances", TOLERANCES)
@pytest.mark.parametrize("name", ARMS)
def test_reachable_poses_are_reached(name: str, tolerances: tuple[float, float]) -> None:
    """At least 99.99 % in a hundred attempts, and all of them in four hundred; each confirmed."""
    chain = ARMS[name]()
    goals = arms.random_configurations(chain, np.random.default_rng(0), N_TARGETS)
    targets, peer = rj.forward_kinematics(chain, goals), Peer(chain)
    for attempts, wanted in ((100, 0.9999 * N_TARGETS), (400, N_TARGETS)):
        params = rj.MultiSeedParams(
            max_attempts=attempts, position_tolerance=tolerances[0], orientation_tolerance=tolerances[1]
        )
        result = rj.inverse_kinematics_batch(chain, targets, params=params)
        assert result.converged.sum() >= wanted, attempts
        assert np.all(result.attempts <= attempts)
    assert_true(chain, peer, targets, result, tolerances)


@pytest.mark.parametrize("name", ARMS)
def test_what_is_claimed_and_reported_is_true(name: str) -> None:
    """With a budget that leaves many targets unsolved, and targets that no configuration reaches."""
    chain, tolerances = ARMS[name](), (1e-4, 1e-3)
    goals = arms.random_configurations(chain, np.random.default_rng(1), 1000)
    targets = rj.forward_kinematics(chain, goals)
    targets[::10, :3, 3] *= 3.0
    params = rj.MultiSeedParams(max_attempts=2, max_iterations=7)
    result = rj.inverse_kinematics_batch(chain, targets, params=params)
    assert 100 < result.converged.sum() < 950
    assert_true(chain, Peer(chain), targets, result, tolerances)


def assert_true(
    chain: rj.KinematicChain, peer: Peer, targets: Array, result: rj.IkBatchResult, tolerances: tuple[float, float]
) -> None:
    reported = np.stack([result.position_error, result.orientation_error], axis=-1)
    assert np.abs(peer.errors(result.q, targets) - reported).max() < ROUNDING
    assert np.array_equal(result.converged, np.all(reported <= tolerances, axis=-1))
    assert np.array_equal(result.converged, np.asarray(result.status) == rj.IkStatus.CONVERGED)
    assert np.all(result.q >= chain.lower_limits)
    assert np.all(result.q <= chain.upper_limits)
