"""What a solve found, and why it stopped where it did."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError, SolveFailedError
from repose_jit.failure import explain_failure
from repose_jit.ik.params import IkParams, IkStatus
from repose_jit.kernels import arrays
from repose_jit.kinematics import singular_values

__all__ = ["IkResult"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class IkResult:
    """What a solve found; for a batch every field is an array with the leading dimensions of the problems.

    Attributes
    ----------
    q
        (..., n) best configuration tested [rad or m]; entries of fixed joints are 0.
    status
        An :class:`IkStatus`, for a batch an int8 array of its values.
    converged
        Whether `q` is within both tolerances (and within the limits where they are enforced).
    position_error, orientation_error
        Of `q` itself [m, rad]; rotation angle between the tool and its target, at most π.
    iterations
        Steps taken.
    """

    q: FloatArray
    status: IkStatus | NDArray[np.int8]
    converged: bool | NDArray[np.bool_]
    position_error: float | FloatArray
    orientation_error: float | FloatArray
    iterations: int | NDArray[np.int64]
    _chain: KinematicChain = field(repr=False)
    _params: IkParams = field(repr=False)
    _target: FloatArray = field(repr=False)

    @property
    def limited_joints(self) -> NDArray[np.bool_]:
        """(..., n) joints of `q` that are at, or beyond, one of their position limits."""
        at_limit = (self.q <= self._chain.lower_limits) | (self.q >= self._chain.upper_limits)
        result: NDArray[np.bool_] = at_limit & (self._chain.arrays.entries != arrays.FIXED)
        return result

    @property
    def sigma_min(self) -> float | FloatArray:
        """The smallest singular value of the Jacobian at `q`: near 0 the arm is near a singularity."""
        sigma = singular_values(self._chain, self.q)
        least = sigma[..., -1] if sigma.shape[-1] else np.zeros(sigma.shape[:-1])
        return float(least) if self.q.ndim == 1 else least

    def __getitem__(self, index: Any) -> Self:
        """Return part of a batch; one problem gives scalars."""
        if self.q.ndim == 1:
            raise InputError("this result holds one problem, expected a batch to index")
        # An ellipsis stands for all dimensions that are left, and those of a joint or a matrix must not be among them.
        parts = index if isinstance(index, tuple) else (index,)
        rest = (slice(None),) if any(part is Ellipsis for part in parts) else ()
        q, target = self.q[*parts, *rest], self._target[*parts, *rest, *rest]
        names = [item.name for item in fields(self) if item.name != "q" and not item.name.startswith("_")]
        values = {name: np.asarray(getattr(self, name))[index] for name in names}
        if q.ndim == 1:
            values = {name: value.item() for name, value in values.items()}
            values["status"] = IkStatus(values["status"])
        return replace(self, q=q, _target=target, **values)

    def explain(self) -> str:
        """Say in a sentence or two what happened, and what to try if it did not converge.

        Computed from the remaining errors, the limits reached, the smallest singular value and the arm's length; for a
        batch it says how many converged and explains the first that did not.
        """
        return self._explain_one() if self.q.ndim == 1 else self._explain_batch()

    def _explain_one(self) -> str:
        if self.status is IkStatus.CONVERGED:
            return (
                f"Converged after {self.iterations} iterations: position error {self.position_error:.2e} m, "
                f"orientation error {self.orientation_error:.2e} rad."
            )
        if self.status is IkStatus.UNINITIALIZED:
            return "Not solved."
        return explain_failure(
            self._chain,
            self._target,
            effort=f"after {self.iterations} iterations",
            limited_joints=self.limited_joints,
            position_error=float(self.position_error),
            orientation_error=float(self.orientation_error),
            sigma_min=float(self.sigma_min),
            is_singular=self.status is IkStatus.SINGULAR,
            position_tolerance=self._params.position_tolerance,
            orientation_tolerance=self._params.orientation_tolerance,
            damping=self._params.damping if self._has_damping else 0.0,
            enforce_joint_limits=self._params.enforce_joint_limits,
        )

    @property
    def _has_damping(self) -> bool:
        return self._params.solver == "damped_least_squares" and self._params.step_rule == "fixed"

    def _explain_batch(self) -> str:
        converged = np.asarray(self.converged)
        text = f"{int(converged.sum())} of {converged.size} converged."
        if converged.all():
            return text
        first = tuple(int(i) for i in np.unravel_index(int(np.argmin(converged)), converged.shape))
        return f"{text} Problem {list(first)}: {self[first].explain()}"

    def raise_if_failed(self) -> IkResult:
        """Return this result if everything converged.

        Raises
        ------
        SolveFailedError
            With the explanation, if anything did not.
        """
        if not np.all(self.converged):
            raise SolveFailedError(self.explain())
        return self
