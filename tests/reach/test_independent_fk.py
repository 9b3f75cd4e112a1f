"""The second forward kinematics against the first, against pinocchio, and on configurations written by hand."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import repose_jit as rj
from repose_jit.reach.verify.independent_fk import forward_kinematics, motions, n_entries
from tests import anything, arms
from tests.pinocchio_chain import PinocchioChain
from tests.reach.robots import random_chain
from tests.urdf_oracle import chain_fk

ORIGIN = (0.0, 0.0, 0.0)


def through_json(chain: rj.KinematicChain) -> dict[str, Any]:
    """Return the configuration as a store keeps it: nothing of the chain is left but text."""
    return dict(json.loads(json.dumps(chain.to_config())))


def off_path_chain() -> rj.KinematicChain:
    """Return a chain of which a joint follows another that follows one outside the path, and one drives two."""
    limits = rj.JointLimits.revolute(-1.0, 1.5)
    outside = rj.JointSpec.revolute(ORIGIN, ORIGIN, "pos_x", limits, name="outside")
    between = rj.JointSpec.revolute(ORIGIN, ORIGIN, "pos_x", name="between", mimic=rj.JointMimic("outside", 0.5, 0.2))
    joints = [
        rj.JointSpec.fixed((0.1, 0.2, 0.3), (0.3, -0.2, 0.1), name="mount"),
        rj.JointSpec.revolute((0, 0, 0.2), (1, 2, 3), "neg_y", limits, name="first"),
        rj.JointSpec.revolute((0.3, 0, 0), (0.5, 0, 0), (1, 1, 0), name="far", mimic=rj.JointMimic("between", -2.0)),
        rj.JointSpec.prismatic((0, 0.1, 0), (0, 0.5, 0), (0, 1, 2), name="slide", mimic=rj.JointMimic("first", 0.1)),
        rj.JointSpec.revolute((0.3, 0, 0), (0, 0, 0.5), "pos_x", name="last"),
    ]
    tool = rj.JointSpec.fixed((0.1, 0, 0.05), (0.3, 0.2, -2)).origin_transform()
    return rj.KinematicChain(joints, tool_offset=tool, off_path_sources=[outside, between])


CHAINS = [
    arms.odd_arm(),
    *(arms.random_chain(np.random.default_rng(n), n) for n in (1, 2, 3, 6, 9, 12, 20)),
    *(random_chain(np.random.default_rng(n)) for n in range(12)),
]


@pytest.mark.parametrize("name", rj.RobotPreset.names())
def test_presets(name: str) -> None:
    chain = rj.preset(name).chain()
    Q = np.vstack([chain.home, arms.random_configurations(chain, np.random.default_rng(0), 200)])
    assert np.abs(forward_kinematics(through_json(chain), Q) - rj.forward_kinematics(chain, Q)).max() < 1e-12


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: f"{len(chain.slots)}-slots")
def test_odd_chains(chain: rj.KinematicChain) -> None:
    Q = np.random.default_rng(1).uniform(-3.0, 3.0, (50, chain.n_joints))
    T = forward_kinematics(through_json(chain), Q)
    assert np.abs(T - rj.forward_kinematics(chain, Q)).max() < 1e-12
    peer = PinocchioChain(chain)
    assert np.abs(T - [peer.fk(q) for q in Q]).max() < 1e-12


def test_joints_outside_the_path() -> None:
    chain = off_path_chain()
    Q = np.random.default_rng(1).uniform(-3.0, 3.0, (20, chain.n_joints))
    T = forward_kinematics(through_json(chain), Q)
    assert np.abs(T - rj.forward_kinematics(chain, Q)).max() < 1e-12
    expected = [chain_fk(chain, dict(zip(chain.joint_names, q.tolist(), strict=True))) for q in Q]
    assert np.abs(T - expected).max() < 1e-12


@given(anything.chains(), st.integers(0, 2**32 - 1))
def test_any_chain(chain: rj.KinematicChain, seed: int) -> None:
    config = through_json(chain)
    assert n_entries(config) == chain.n_joints
    Q = np.random.default_rng(seed).uniform(-3.0, 3.0, (5, chain.n_joints))
    assert np.abs(forward_kinematics(config, Q) - rj.forward_kinematics(chain, Q)).max() < 1e-12


@pytest.mark.parametrize("chain", [off_path_chain(), *CHAINS], ids=lambda chain: f"{len(chain.slots)}-slots")
def test_limits_are_those_of_the_chain_once_they_are_mapped(chain: rj.KinematicChain) -> None:
    """Every joint within its own limits is what the chain says with one range per entry of q."""
    moves = motions(through_json(chain))
    Q = np.random.default_rng(2).uniform(-2.5, 2.5, (400, chain.n_joints))
    inside = np.all([(m.values(Q) >= m.lower) & (m.values(Q) <= m.upper) for m in moves.values()], axis=0)
    assert np.array_equal(inside, chain.is_within_limits(Q))
    assert {m.entry for m in moves.values()} == set(range(chain.n_joints))
    assert [name for name, m in moves.items() if m.is_source and name in chain.joint_names]


def test_entries_outside_the_path_come_where_they_are_first_followed() -> None:
    chain = off_path_chain()
    moves = motions(through_json(chain))
    assert chain.joint_names == ("mount", "first", "outside", "last")
    assert {name: m.entry for name, m in moves.items()} == (
        {"mount": 0, "first": 1, "far": 2, "slide": 1, "last": 3, "outside": 2, "between": 2}
    )
    assert (moves["far"].multiplier, moves["far"].offset) == (-1.0, -0.4)
    assert (moves["outside"].lower, moves["outside"].upper, moves["outside"].is_source) == (-1.0, 1.5, True)
    assert (moves["far"].lower, moves["far"].is_source) == (-math.inf, False)


def test_a_planar_arm_by_hand() -> None:
    """Two links of 1 m and 0.5 m, elbow at a right angle: every number is known."""
    link = {"joint_type": "revolute", "origin_rpy": [0, 0, 0], "limits": {"continuous": {}}}
    config = {
        "joints": [link | {"origin_translation": [0, 0, 0]}, link | {"origin_translation": [1, 0, 0]}],
        "tool_offset": {"translation": [0.5, 0, 0], "rpy": [math.pi, 0, 0]},
    }
    (T,) = forward_kinematics(config, [[math.pi / 2, math.pi / 2]])
    assert np.abs(T - [[-1, 0, 0, -0.5], [0, 1, 0, 1], [0, 0, -1, 0], [0, 0, 0, 1]]).max() < 1e-15


def test_roll_comes_before_pitch_before_yaw() -> None:
    """By the letter of URDF: about fixed axes x, then y, then z."""
    fixed = {"joint_type": "fixed", "origin_translation": [0, 0, 0], "origin_rpy": [math.pi / 2, 0, math.pi / 2]}
    (T,) = forward_kinematics({"joints": [fixed]}, [[0.0]])
    assert np.abs(T[:3, :3] @ [0, 1, 0] - [0, 0, 1]).max() < 1e-15  # y is rolled to z, which yaw leaves alone
    assert np.abs(T[:3, :3] @ [1, 0, 0] - [0, 1, 0]).max() < 1e-15


def test_an_empty_batch_and_what_does_not_fit() -> None:
    config = through_json(arms.odd_arm())
    assert forward_kinematics(config, np.empty((0, 7))).shape == (0, 4, 4)
    with pytest.raises(rj.ShapeError, match=r"q: got shape \(2, 6\), expected \(\.\.\., 7\)"):
        forward_kinematics(config, np.zeros((2, 6)))
    config["joints"][2]["joint_type"] = "ball"
    with pytest.raises(rj.InputError, match=r"got type 'ball', expected revolute, prismatic or fixed"):
        forward_kinematics(config, np.zeros((2, 7)))
