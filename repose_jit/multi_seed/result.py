"""What a solve from many seeds found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from repose_jit.errors import InputError
from repose_jit.failure import explain_failure
from repose_jit.ik import IkResult, IkStatus
from repose_jit.kernels import lane_ik
from repose_jit.kernels.lane_attempt import N_CODES
from repose_jit.kernels.lane_goal import LaneIkParams
from repose_jit.multi_seed.params import MultiSeedParams

if TYPE_CHECKING:
    import pandas

__all__ = ["IkBatchResult"]

CHANGED = 1e-9
"""Errors of the same q and target differ by less than this [m, rad] wherever they are computed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class IkBatchResult(IkResult):
    """What a solve from many seeds found; fields have the leading dimensions of the targets, none for one target.

    Attributes
    ----------
    q, status, converged, position_error, orientation_error
        As in :class:`~repose_jit.IkResult`: errors are those of `q` itself. Without a solution `q` is the best
        configuration of all attempts; errors are compared in tolerances, and under the adaptive rule a rotation by θ
        counts as 2 sin(θ/2).
    iterations
        Steps of all attempts that were made.
    attempts
        How many attempts that were.
    seed_index
        The attempt that `q` is from.

    Notes
    -----
    A batch keeps the array of targets that it was given, not a copy; :meth:`explain` says so if it has been changed.
    """

    attempts: int | NDArray[np.int32]
    seed_index: int | NDArray[np.int32]
    _params: MultiSeedParams = field(repr=False)  # type: ignore[assignment]

    def _explain_one(self) -> str:
        attempts = f"{self.attempts} attempt{'s' if self.attempts != 1 else ''}"
        if self.status is IkStatus.CONVERGED:
            return (
                f"Converged in attempt {self.seed_index}, after {self.iterations} iterations of {attempts}: position "
                f"error {self.position_error:.2e} m, orientation error {self.orientation_error:.2e} rad."
            )
        if self._has_changed():
            return (
                f"Not converged in {attempts}; the array of targets has been changed since, so there is no more to say."
            )
        params = self._params
        return explain_failure(
            self._chain,
            self._target,
            effort=f"in {attempts} of up to {params.max_iterations} iterations (best: attempt {self.seed_index})",
            limited_joints=self.limited_joints,
            position_error=float(self.position_error),
            orientation_error=float(self.orientation_error),
            sigma_min=float(self.sigma_min),
            position_tolerance=params.position_tolerance,
            orientation_tolerance=params.orientation_tolerance,
            free_axis=params.free_axis,
            axis_mask=params.axis_mask,
            is_multi_seed=True,
            is_cut_short=int(self.iterations) >= int(self.attempts) * params.max_iterations,
        )

    def _has_changed(self) -> bool:
        """Tell whether the target is another one than was solved for: by the error of q, which was stored."""
        kernel = LaneIkParams(*self._params._kernel)._replace(max_attempts=1, max_iterations=0, is_each=True)
        q, errors, codes = np.empty_like(self.q), np.empty(2), np.empty(N_CODES, np.int64)
        none, n = np.empty(0), self.q.size
        arrays, target = tuple(self._chain.arrays), np.array(self._target).reshape(-1)
        seed = np.array(self.q)
        sound = lane_ik.solve_from_many_seeds(arrays, tuple(kernel), target, seed, 1, n, none, seed, q, errors, codes)
        stored = np.array([self.position_error, self.orientation_error])
        return not (sound and bool(np.all(np.abs(errors - stored) <= CHANGED * (1.0 + stored))))

    def to_pandas(self) -> pandas.DataFrame:
        """Return a table with a row per target: status, errors, budget spent and the joints by name [rad or m].

        Raises
        ------
        InputError
            If this result holds one problem.
        """
        import pandas

        if self.q.ndim == 1:
            raise InputError("this result holds one problem, expected a batch")
        names = ("converged", "position_error", "orientation_error", "iterations", "attempts", "seed_index")
        statuses = np.asarray(self.status).reshape(-1).tolist()
        columns: dict[str, object] = {"status": [str(IkStatus(value)) for value in statuses]}
        columns |= {name: np.asarray(getattr(self, name)).reshape(-1) for name in names}
        table = pandas.DataFrame(columns)
        joints = pandas.DataFrame(self.q.reshape(-1, self.q.shape[-1]), columns=list(self._chain.joint_names))
        return pandas.concat([table, joints], axis=1)
