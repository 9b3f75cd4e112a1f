"""A set of solves whose results are hashed; run as a program it prints the hashes, for processes to be compared.

``python -m tests.multi_seed.repeatable [name ...]``
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import numpy as np
from numba.core.registry import cpu_target

import repose_jit as rj
from tests import arms
from tests.multi_seed.attempts import FIELDS, far_away, reachable

__all__ = ["CASES", "digest", "problem"]

SHORT: dict[str, Any] = {"max_attempts": 6, "max_iterations": 20}
CASES: dict[str, dict[str, Any]] = {
    "first": {},
    "fixed": {**SHORT, "step_rule": "fixed"},
    "small": {"position_tolerance": 1e-7, "orientation_tolerance": 1e-7},
    "nearest": {**SHORT, "selection": "nearest", "reference": (0.3, -0.2, 0.4, 0.1, 0.5, -0.6, 0.2)},
    "max_manipulability": {**SHORT, "selection": "max_manipulability"},
    "max_limit_margin": {**SHORT, "selection": "max_limit_margin"},
    "max_limit_margin, fixed": {**SHORT, "selection": "max_limit_margin", "step_rule": "fixed"},
    "position": {**SHORT, "axis_mask": (True, True, True, False, False, False)},
    "one axis, nearest": {
        **SHORT,
        "axis_mask": (False, False, True, False, False, True),
        "selection": "nearest",
        "reference": (0.0,) * 7,
    },
    "free z": {**SHORT, "free_axis": "z"},
    "free x, fixed": {**SHORT, "free_axis": "x", "step_rule": "fixed"},
}
"""Parameters by name, for an arm of seven joints."""


def problem(count: int = 200) -> tuple[rj.KinematicChain, np.ndarray]:
    """Return the arm that hides few mistakes, and targets: reachable, duplicated, out of reach, in this order mixed."""
    chain = arms.odd_arm()
    targets = reachable(chain, count, seed=7)
    targets[5::17] = targets[3]
    targets[::23] = far_away(len(targets[::23]))
    return chain, targets


def digest(result: rj.IkBatchResult) -> str:
    """Return a hash of all that a result reports."""
    hashed = hashlib.sha256()
    for name in FIELDS:
        hashed.update(name.encode() + np.ascontiguousarray(getattr(result, name)).tobytes())
    return hashed.hexdigest()


def main(names: list[str]) -> None:
    """Print a line per case, its hash and its name, and the CPU that kernels are compiled for."""
    print(cpu_target.target_context.codegen().magic_tuple()[1], "cpu")
    chain, targets = problem()
    for name in names or CASES:
        result = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(**CASES[name]))
        print(digest(result), name)


if __name__ == "__main__":
    main(sys.argv[1:])
