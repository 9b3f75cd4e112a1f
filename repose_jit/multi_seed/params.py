"""Parameters of a solve from many seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np

from repose_jit.errors import InputError, ShapeError, UnknownNameError, shown
from repose_jit.ik.params import MAX_ITERATIONS, STEP_RULES, IkParams
from repose_jit.kernels.lane_goal import LaneIkParams
from repose_jit.kernels.task_error import AXIS_MASK, FREE_AXIS, FULL_POSE
from repose_jit.seeds import MAX_RNG_SEED
from repose_jit.threads import as_threads
from repose_jit.units import ANGLE, LENGTH
from repose_jit.validation import as_array, as_integer, as_positive, require_configuration

__all__ = ["MAX_ATTEMPTS", "SELECTIONS", "MultiSeedParams"]

SELECTIONS = ("first", "nearest", "max_manipulability", "max_limit_margin")
AXES = ("x", "y", "z")
MAX_ATTEMPTS = 10**6
"""Most attempts per target: the table of their seeds is some tens of megabytes."""
MAX_BUDGET = 10**8
"""Most iterations per target in all: a kernel that works on it cannot be interrupted, for some seconds then."""


@dataclass(frozen=True, kw_only=True)
class MultiSeedParams:
    """Parameters of a solve from many seeds; checked on construction. The budget is counted, never timed.

    Attributes
    ----------
    max_attempts
        Most seeds tried per target, 1 to 10⁶.
    max_iterations
        Most steps per attempt, 1 to 10⁶; most attempts end well before. Times `max_attempts` at most 10⁸.
    position_tolerance, orientation_tolerance
        Largest errors that count as converged [m, rad], > 0.
    step_rule
        ``"adaptive"``, or ``"fixed"``: the rule, damping and step caps of ``IkParams()``.
    selection
        Which of the solutions to return. ``"first"``: that of the lowest attempt, and none after it are made. The
        others make all attempts: ``"nearest"`` has the smallest largest joint move from `reference`,
        ``"max_manipulability"`` the largest w², ``"max_limit_margin"`` the largest distance of every joint to its
        nearer limit, as a part of half its range. Of equals the lowest attempt.
    reference
        (n,) configuration that ``"nearest"`` measures from, and that the adaptive rule winds joints towards by whole
        turns [rad or m]; the fixed rule winds nothing.
    axis_mask
        Six booleans, x y z rx ry rz of the target's frame: False leaves that part of the error free, and errors are
        those of the rest.
    free_axis
        ``"x"``, ``"y"`` or ``"z"``: the tool may turn about that axis of its own; the orientation error is the angle
        between it and the target's. Position axes may be masked at the same time, rotation axes not.
    rng_seed
        Shifts the sequence of seeds, 0 to 2⁶⁴ − 1.
    threads
        Threads to run on, all available CPUs if None; no influence on results.

    Raises
    ------
    InputError, ShapeError, UnknownNameError
        If a value is not allowed.
    """

    max_attempts: int = 32
    max_iterations: int = 30
    position_tolerance: Annotated[float, LENGTH] = 1e-4
    orientation_tolerance: Annotated[float, ANGLE] = 1e-3
    step_rule: Literal["adaptive", "fixed"] = "adaptive"
    selection: Literal["first", "nearest", "max_manipulability", "max_limit_margin"] = "first"
    reference: Sequence[float] | None = None
    axis_mask: Sequence[bool] | None = None
    free_axis: Literal["x", "y", "z"] | None = None
    rng_seed: int = 0
    threads: int | None = field(default=None, compare=False)
    _kernel: tuple[Any, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, most in (("max_attempts", MAX_ATTEMPTS), ("max_iterations", MAX_ITERATIONS)):
            object.__setattr__(self, name, as_integer(getattr(self, name), name=name, least=1, most=most))
        budget = self.max_attempts * self.max_iterations
        if budget > MAX_BUDGET:
            raise InputError(
                f"max_attempts × max_iterations: got {budget:,} iterations per target, expected at most {MAX_BUDGET:,}"
            )
        for name in ("position_tolerance", "orientation_tolerance"):
            object.__setattr__(self, name, as_positive(getattr(self, name), name=name))
        for name, names in (("step_rule", STEP_RULES), ("selection", SELECTIONS)):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in names:
                raise UnknownNameError(name, value, names)
        if self.free_axis is not None and (not isinstance(self.free_axis, str) or self.free_axis not in AXES):
            raise UnknownNameError("free_axis", self.free_axis, AXES)
        object.__setattr__(self, "axis_mask", _as_mask(self.axis_mask))
        if self.free_axis is not None and self.axis_mask is not None and not all(self.axis_mask[3:]):
            raise InputError(
                "axis_mask: got free rotation axes and free_axis, expected one of them: "
                "free_axis says what is free of the orientation"
            )
        object.__setattr__(self, "reference", _as_reference(self.reference))
        if self.selection == "nearest" and self.reference is None:
            raise InputError("reference: got none, expected (n,) joint values: selection 'nearest' measures from it")
        object.__setattr__(self, "rng_seed", as_integer(self.rng_seed, name="rng_seed", least=0, most=MAX_RNG_SEED))
        object.__setattr__(self, "threads", as_threads(self.threads))
        object.__setattr__(self, "_kernel", tuple(self._kernel_params()))

    @property
    def is_full_pose(self) -> bool:
        """Whether all of the pose is asked for: no axis is masked or free."""
        return self.free_axis is None and (self.axis_mask is None or all(self.axis_mask))

    def _kernel_params(self) -> LaneIkParams:
        fixed = IkParams()
        mask = (True,) * 6 if self.axis_mask is None else self.axis_mask
        kind = FULL_POSE if self.is_full_pose else AXIS_MASK if self.free_axis is None else FREE_AXIS
        return LaneIkParams(
            max_attempts=self.max_attempts,
            max_iterations=self.max_iterations,
            position_tolerance=self.position_tolerance,
            orientation_tolerance=self.orientation_tolerance,
            is_adaptive=self.step_rule == "adaptive",
            is_each=self.selection != "first",
            enforce_joint_limits=True,
            damping=fixed.damping,
            max_step=fixed.max_step,
            max_linear_step=fixed.max_linear_step,
            kind=kind,
            mask=tuple(map(float, mask)),
            axis=0 if self.free_axis is None else AXES.index(self.free_axis),
            has_reference=self.reference is not None,
        )


def _as_mask(mask: object) -> tuple[bool, ...] | None:
    if mask is None:
        return None
    try:
        array = np.asarray(mask)
    except Exception as error:  # ragged lists, and whatever the __array__ of a foreign type raises
        raise InputError(f"axis_mask: got {shown(mask)}, expected six booleans ({error})") from None
    if array.shape != (6,):
        raise ShapeError(f"axis_mask: got shape {array.shape}, expected (6,): x y z rx ry rz")
    if array.dtype != np.bool_ or np.ma.is_masked(mask):
        raise InputError(f"axis_mask: got {shown(mask)}, expected six booleans")
    if not array.any():
        raise InputError("axis_mask: got six times False, expected at least one axis to control")
    return tuple(array.tolist())


def _as_reference(reference: Sequence[float] | None) -> tuple[float, ...] | None:
    if reference is None:
        return None
    array = as_array(reference, name="reference")
    if array.ndim != 1:
        raise ShapeError(f"reference: got shape {array.shape}, expected (n,): joint values")
    require_configuration(array, name="reference")
    return tuple(array.tolist())
