"""Parameters of a solve from one seed, and the ways it can end."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Literal

from repose_jit.errors import InputError, UnknownNameError, shown
from repose_jit.kernels import arrays, dls
from repose_jit.kernels.lane_goal import LaneIkParams
from repose_jit.kernels.task_error import FULL_POSE
from repose_jit.validation import as_flag, as_integer, as_positive

__all__ = ["MAX_ITERATIONS", "STEP_RULES", "IkParams", "IkStatus"]

SOLVERS = ("damped_least_squares", "pseudoinverse")
STEP_RULES = ("fixed", "adaptive")
MAX_ITERATIONS = 1_000_000
"""Largest iteration budget accepted: about a second per problem."""


class IkStatus(IntEnum):
    """How a solve ended."""

    UNINITIALIZED = arrays.UNINITIALIZED
    """Not solved yet."""
    CONVERGED = arrays.CONVERGED
    """Within both tolerances, and within the limits where they are enforced."""
    MAX_ITERATIONS_REACHED = arrays.MAX_ITERATIONS_REACHED
    """The budget is spent, or no attempt gets any nearer; `q` is the best configuration tested."""
    SINGULAR = arrays.SINGULAR
    """The step could not be computed at a singular Jacobian; `q` is the best configuration tested."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, kw_only=True)
class IkParams:
    """Parameters of a solve from one seed; checked on construction.

    Attributes
    ----------
    solver
        ``"damped_least_squares"`` or ``"pseudoinverse"`` (no damping: exact steps, but an error at a singularity).
    step_rule
        ``"fixed"``: constant damping, capped steps, joints clamped to their limits after each. ``"adaptive"``: damping
        in proportion to the squared error, as :func:`~repose_jit.inverse_kinematics_batch` has it; `damping` and the
        caps play no part, and a solve that gets nowhere ends early.
    max_iterations
        Most steps per solve, ≥ 1: the worst-case cost is known beforehand.
    position_tolerance, orientation_tolerance
        Largest errors that count as converged [m, rad], > 0.
    damping
        λ of damped least squares, > 0; larger is calmer near singularities and slower everywhere.
    max_step, max_linear_step
        Largest step of a revolute joint [rad] and of a prismatic joint [m], > 0; the whole step is scaled down to it.
    enforce_joint_limits
        Clamp the seed and every step to the position limits. Turn it off to see what a limit costs.

    Raises
    ------
    InputError, UnknownNameError
        If a value is not allowed.
    """

    solver: Literal["damped_least_squares", "pseudoinverse"] = "damped_least_squares"
    step_rule: Literal["fixed", "adaptive"] = "fixed"
    max_iterations: int = 64
    position_tolerance: float = 1e-4
    orientation_tolerance: float = 1e-3
    damping: float = 0.05
    max_step: float = 0.25
    max_linear_step: float = 0.025
    enforce_joint_limits: bool = True
    _kernel: tuple[Any, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.solver, str) or self.solver not in SOLVERS:
            raise UnknownNameError("solver", self.solver, SOLVERS)
        if not isinstance(self.step_rule, str) or self.step_rule not in STEP_RULES:
            raise UnknownNameError("step_rule", self.step_rule, STEP_RULES)
        if self.solver == "pseudoinverse" and self.step_rule == "adaptive":
            raise InputError("step_rule: got 'adaptive' with solver 'pseudoinverse', expected 'damped_least_squares'")
        # Plain Python values whatever was given: a NumPy integer would be no JSON when a study is stored.
        object.__setattr__(self, "max_iterations", as_integer(self.max_iterations, name="max_iterations"))
        if not 1 <= self.max_iterations <= MAX_ITERATIONS:
            raise InputError(f"max_iterations: got {shown(self.max_iterations)}, expected 1 to {MAX_ITERATIONS:,}")
        for name in ("position_tolerance", "orientation_tolerance", "damping", "max_step", "max_linear_step"):
            object.__setattr__(self, name, as_positive(getattr(self, name), name=name))
        flag = as_flag(self.enforce_joint_limits, name="enforce_joint_limits")
        object.__setattr__(self, "enforce_joint_limits", flag)
        kernel: tuple[Any, ...]
        if self.step_rule == "adaptive":
            kernel = LaneIkParams(
                max_attempts=1,
                max_iterations=self.max_iterations,
                position_tolerance=self.position_tolerance,
                orientation_tolerance=self.orientation_tolerance,
                is_adaptive=True,
                is_each=False,
                enforce_joint_limits=self.enforce_joint_limits,
                damping=0.0,
                max_step=1.0,
                max_linear_step=1.0,
                kind=FULL_POSE,
                mask=(1.0,) * 6,
                axis=0,
                has_reference=False,
            )
        else:
            kernel = dls.DlsParams(
                self.max_iterations,
                self.position_tolerance,
                self.orientation_tolerance,
                self.damping if self.solver == "damped_least_squares" else 0.0,
                self.max_step,
                self.max_linear_step,
                self.enforce_joint_limits,
            )
        object.__setattr__(self, "_kernel", tuple(kernel))
