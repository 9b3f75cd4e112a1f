"""Every attempt of a solve, as the kernel reports them, and what else several of these tests need."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import repose_jit as rj
from repose_jit.kernels.lane_attempt import N_CODES
from repose_jit.multi_seed.problem import pose_problem
from tests import arms, reference

Array = np.ndarray
FIELDS = ("q", "status", "converged", "position_error", "orientation_error", "iterations", "attempts", "seed_index")


class Attempts(NamedTuple):
    """Attempts a at targets i: arrays (N, A, ...)."""

    q: Array
    converged: Array
    errors: Array
    iterations: Array


def all_attempts(chain: rj.KinematicChain, targets: Array, seeds: Any, params: rj.MultiSeedParams) -> Attempts:
    """Make all attempts at targets (N, 4, 4), also those after one that converges."""
    problem = pose_problem(chain, targets, seeds, params)
    problem.check()
    shape = len(targets), problem.attempts
    q, errors = np.empty((*shape, chain.n_joints)), np.empty((*shape, 2))
    codes = np.empty((*shape, N_CODES), np.int64)
    rows = q.reshape(-1), errors.reshape(-1), codes.reshape(-1)
    assert problem.solve_each(*problem.part(0, len(targets)), *rows)
    return Attempts(q, codes[..., 0] == 1, errors, codes[..., 1])


def reachable(chain: rj.KinematicChain, count: int, seed: int = 0) -> Array:
    """Return (count, 4, 4) poses of random configurations."""
    return rj.forward_kinematics(chain, arms.random_configurations(chain, np.random.default_rng(seed), count))


def far_away(count: int, seed: int = 0) -> Array:
    """Return (count, 4, 4) poses more than a hundred metres off."""
    rng = np.random.default_rng(seed)
    return np.array(
        [reference.transform(rng.uniform(100.0, 200.0, 3), rng.uniform(-3.0, 3.0, 3)) for _ in range(count)]
    )


def assert_same(a: rj.IkBatchResult, b: rj.IkBatchResult, what: object = "") -> None:
    """Assert that two results are the same to the bit, all that they report included."""
    for name in FIELDS:
        x, y = np.asarray(getattr(a, name)), np.asarray(getattr(b, name))
        assert x.shape == y.shape, (what, name)
        assert x.dtype == y.dtype, (what, name)
        assert x.tobytes() == y.tobytes(), (what, name, np.flatnonzero((x != y).reshape(-1))[:5])
