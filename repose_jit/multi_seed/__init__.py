"""Inverse kinematics from many seeds."""

from repose_jit.multi_seed.params import MultiSeedParams
from repose_jit.multi_seed.result import IkBatchResult
from repose_jit.multi_seed.solutions import Solutions, all_solutions
from repose_jit.multi_seed.solve import inverse_kinematics_batch, solve_one

__all__ = ["IkBatchResult", "MultiSeedParams", "Solutions", "all_solutions", "inverse_kinematics_batch", "solve_one"]
