"""pytest-benchmark guards of the kernels: ``make bench`` to time, ``ARGS=--benchmark-compare`` against an older run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.reach.solving.metrics import DEFAULT_METRICS, compute_metrics

COUNT = 10_000


@pytest.fixture(params=["igus_rebel", "franka_panda"])
def chain(request: pytest.FixtureRequest) -> rj.KinematicChain:
    return rj.preset(request.param).chain()


@pytest.fixture
def configurations(chain: rj.KinematicChain) -> np.ndarray:
    return np.random.default_rng(0).uniform(chain.lower_limits, chain.upper_limits, (COUNT, chain.n_joints))


def test_forward_kinematics(benchmark: Any, chain: rj.KinematicChain, configurations: np.ndarray) -> None:
    T = benchmark(rj.forward_kinematics, chain, configurations)
    assert T.shape == (COUNT, 4, 4)


def test_forward_kinematics_of_one(benchmark: Any, chain: rj.KinematicChain, configurations: np.ndarray) -> None:
    T = benchmark(rj.forward_kinematics, chain, configurations[0])
    assert T.shape == (4, 4)


def test_jacobian(benchmark: Any, chain: rj.KinematicChain, configurations: np.ndarray) -> None:
    J = benchmark(rj.jacobian, chain, configurations)
    assert J.shape == (COUNT, 6, chain.n_joints)


def test_metrics(benchmark: Any, chain: rj.KinematicChain, configurations: np.ndarray) -> None:
    metrics = benchmark(compute_metrics, chain, configurations, DEFAULT_METRICS)
    assert list(metrics) == list(DEFAULT_METRICS)


def test_inverse_kinematics(benchmark: Any, chain: rj.KinematicChain, configurations: np.ndarray) -> None:
    goals = configurations[:1000]
    targets = rj.forward_kinematics(chain, goals)
    seeds = chain.clamp_to_limits(goals + 0.05)
    result = benchmark(rj.inverse_kinematics, chain, targets, seeds)
    assert result.converged.mean() > 0.9


def test_inverse_kinematics_of_one(benchmark: Any, chain: rj.KinematicChain, configurations: np.ndarray) -> None:
    goal = configurations[0]
    target = rj.forward_kinematics(chain, goal)
    result = benchmark(rj.inverse_kinematics, chain, target, chain.clamp_to_limits(goal + 0.05))
    assert result.converged


@pytest.mark.parametrize("tolerances", [(1e-4, 1e-3), (1e-6, 1e-6)], ids=["usual", "1e-6"])
def test_inverse_kinematics_batch(
    benchmark: Any, chain: rj.KinematicChain, configurations: np.ndarray, tolerances: tuple[float, float]
) -> None:
    targets = rj.forward_kinematics(chain, configurations)
    params = rj.MultiSeedParams(
        max_attempts=100, position_tolerance=tolerances[0], orientation_tolerance=tolerances[1], threads=1
    )
    result = benchmark(rj.inverse_kinematics_batch, chain, targets, params=params)
    assert result.converged.all()


def test_inverse_kinematics_batch_out_of_reach(
    benchmark: Any, chain: rj.KinematicChain, configurations: np.ndarray
) -> None:
    targets = rj.forward_kinematics(chain, configurations[:500])
    targets[:, :3, 3] += (0.0, 0.0, 3.0)
    result = benchmark(rj.inverse_kinematics_batch, chain, targets, params=rj.MultiSeedParams(threads=1))
    assert not result.converged.any()
    assert (result.attempts == 32).all()


def test_solve_one(benchmark: Any, chain: rj.KinematicChain, configurations: np.ndarray) -> None:
    target, q = rj.forward_kinematics(chain, configurations[0]), np.empty(chain.n_joints)
    assert benchmark(rj.solve_one, chain, target, out=q) == rj.IkStatus.CONVERGED
