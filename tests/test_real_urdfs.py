"""Forward kinematics and Jacobians of real robots, link by link, against pinocchio."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import repose_jit as rj
from tests.arms import random_configurations
from tests.real_urdfs import Peer, urdf_files

FILES = urdf_files()


def load(path: Path) -> rj.RobotModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rj.UrdfWarning)
        return rj.RobotModel.from_urdf(path, strict=False)


def moving_chains(model: rj.RobotModel) -> list[tuple[str, rj.KinematicChain]]:
    """Return the chains from the root to every leaf that something moves."""
    chains = []
    for leaf in model.leaf_links:
        try:
            chains.append((leaf, model.chain(tip_link=leaf)))
        except rj.ModelError as error:
            assert any(reason in str(error) for reason in ("no joint moves", "floating", "planar")), error
    return chains


def test_there_are_at_least_sixty_robots() -> None:
    """Counted by their kinematics: some packages carry one robot under several names."""
    robots = set()
    for path in FILES:
        model = load(path)
        chains = moving_chains(model)
        if chains:
            q = np.linspace(0.1, 0.4, model.n_joints)
            values = dict(zip(model.joint_names, q.tolist(), strict=True))
            poses = [rj.forward_kinematics(chain, [values[n] for n in chain.joint_names]) for _, chain in chains]
            robots.add((model.n_joints, len(model.links), round(float(np.sum(poses)), 6)))
    assert len(robots) >= 60


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_leaf_equals_pinocchio(path: Path) -> None:
    model, peer = load(path), Peer(path)
    rng = np.random.default_rng(0)
    for leaf, chain in moving_chains(model):
        Q = random_configurations(chain, rng, 2)
        T = rj.forward_kinematics(chain, Q)
        jacobians = {frame: rj.jacobian(chain, Q, frame=frame) for frame in ("base", "body", "spatial")}
        for i, q in enumerate(Q):
            full = peer.values(chain.joint_names, q)
            assert np.abs(T[i] - peer.pose(leaf, full)).max() < 1e-9, leaf
            for frame, J in jacobians.items():
                assert np.abs(J[i] - peer.jacobian(leaf, full, chain.joint_names, frame)).max() < 1e-9, (leaf, frame)
