"""Targets and seeds as kernels take them: checked, flat, and cut into chunks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.chain import KinematicChain, require_chain
from repose_jit.errors import InputError, ShapeError
from repose_jit.kernels import checks, lane_ik
from repose_jit.kernels.arrays import FIXED, REVOLUTE
from repose_jit.kernels.lane_goal import LaneIkParams
from repose_jit.multi_seed.params import MultiSeedParams
from repose_jit.seeds import can_spread, seed_table
from repose_jit.validation import as_configuration, as_transform, require_configuration, require_rigid

__all__ = ["Problem", "pose_problem"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NO_NUMBERS = np.empty(0)


@dataclass(slots=True, kw_only=True, eq=False)
class Problem:
    """Targets to reach, and from where; not frozen, which would take two microseconds of every single solve.

    Attributes
    ----------
    chain, params
        The robot, and the parameters of the solve.
    targets
        (..., 4, 4) contiguous [m].
    given
        (k · n) seeds shared by all targets, or (N, k · n), one row per target; k may be 0.
    n_given
        k.
    given_shape
        Of the seeds as the user gave them.
    spread
        Flat seeds of the attempts after the given ones.
    reference
        (n,) to wind joints towards; empty if there is none.
    attempts
        Most attempts per target.
    """

    chain: KinematicChain
    params: MultiSeedParams
    targets: FloatArray
    given: FloatArray
    n_given: int
    given_shape: tuple[int, ...]
    spread: FloatArray
    reference: FloatArray
    attempts: int

    @property
    def count(self) -> int:
        """How many targets there are."""
        return self.targets.size // 16

    def solve_first(
        self, targets: FloatArray, given: FloatArray, q: FloatArray, errors: FloatArray, codes: IntArray
    ) -> bool:
        """Solve flat targets up to the first attempt that converges; see ``kernels.lane_ik.solve_from_many_seeds``.

        Returns
        -------
        bool
            False, and nothing is written, if a number is not sound: :meth:`refuse` says which.
        """
        params = self.params._kernel
        if self.attempts != self.params.max_attempts or self.params.selection != "first":
            params = tuple(LaneIkParams(*params)._replace(max_attempts=self.attempts, is_each=False))
        return self._solve(params, targets, given, q, errors, codes)

    def solve_each(
        self, targets: FloatArray, given: FloatArray, q: FloatArray, errors: FloatArray, codes: IntArray
    ) -> bool:
        """Make every attempt at flat targets, as :meth:`solve_first`; there are as many rows as attempts."""
        params = LaneIkParams(*self.params._kernel)
        has_reference = self.reference.size > 0
        params = params._replace(max_attempts=self.attempts, is_each=True, has_reference=has_reference)
        return self._solve(tuple(params), targets, given, q, errors, codes)

    def _solve(
        self,
        params: tuple[Any, ...],
        targets: FloatArray,
        given: FloatArray,
        q: FloatArray,
        errors: FloatArray,
        codes: IntArray,
    ) -> bool:
        stride = 0 if self.given.ndim == 1 else self.given.shape[1]
        arrays = tuple(self.chain.arrays)
        return lane_ik.solve_from_many_seeds(
            arrays, params, targets, given, self.n_given, stride, self.spread, self.reference, q, errors, codes
        )

    def part(self, start: int, stop: int) -> tuple[FloatArray, FloatArray]:
        """Return targets start to stop − 1 and the seeds given with them, flat."""
        given = self.given if self.given.ndim == 1 else self.given[start:stop].reshape(-1)
        return self.targets.reshape(-1)[16 * start : 16 * stop], given

    def check(self) -> None:
        """Raise InputError naming the first target or seed that is not sound."""
        if checks.first_non_rigid(self.targets.reshape(-1)) >= 0:
            require_rigid(self.targets, name="targets" if self.targets.ndim > 2 else "target")
            raise InputError("targets: got a matrix at the edge of what counts as rigid, expected |RᵀR − I| ≤ 1e-06")
        given = self.given.reshape(-1)
        if checks.first_unusable(given) >= 0:
            require_configuration(given.reshape(self.given_shape), name="seeds")

    def refuse(self) -> NoReturn:
        """Raise InputError about numbers that a solve has found not to be sound."""
        self.check()
        # They are again: a thread, or `progress`, writes to an array that is being solved.
        raise InputError(
            "targets or seeds: got an array that changed during the solve, expected one that stays as it is"
        )


def pose_problem(
    chain: KinematicChain, targets: ArrayLike, seeds: ArrayLike | None, params: object, *, name: str = "targets"
) -> Problem:
    """Return the problem that a user's arguments make, `name` that of the targets; its numbers are not checked yet.

    Raises
    ------
    InputError, ShapeError
        If an argument is of the wrong kind or shape, or a joint slides without limits and there are no seeds.
    """
    require_chain(chain)
    if params is None:
        params = DEFAULT_PARAMS
    elif not isinstance(params, MultiSeedParams):
        raise InputError(f"params: got {type(params).__name__}, expected MultiSeedParams")
    targets = as_transform(targets, name=name)
    n = chain.n_joints
    if seeds is None:
        given, n_given = NO_NUMBERS, 0
        given_shape: tuple[int, ...] = (0, n)
    else:
        given, n_given, given_shape = _as_seeds(seeds, targets.shape[:-2], n, params.max_attempts)
    attempts = params.max_attempts
    if n_given and not can_spread(chain):
        attempts = n_given  # there is nothing to go on with
    spread = seed_table(chain, attempts - n_given, rng_seed=params.rng_seed) if attempts > n_given else NO_NUMBERS
    return Problem(
        chain=chain,
        params=params,
        targets=targets,
        given=given,
        n_given=n_given,
        given_shape=given_shape,
        spread=spread,
        reference=_reference(chain, params),
        attempts=attempts,
    )


DEFAULT_PARAMS = MultiSeedParams()


def _as_seeds(
    seeds: ArrayLike, lead: tuple[int, ...], n: int, max_attempts: int
) -> tuple[FloatArray, int, tuple[int, ...]]:
    array = as_configuration(seeds, n, name="seeds")
    count = math.prod(lead)
    if array.ndim == 1:
        return array, 1, array.shape
    if array.shape == (*lead, n):
        return array.reshape(count, n), 1, array.shape
    if array.ndim == len(lead) + 2 and array.shape[:-2] == lead:
        k = array.shape[-2]
        if k > max_attempts:
            raise ShapeError(f"seeds: got {k} for each target, expected at most max_attempts = {max_attempts}")
        return (array.reshape(count, k * n) if lead else array.reshape(-1)), k, array.shape
    wanted = ", ".join(str(shape).replace("'", "") for shape in ((n,), (*lead, n), (*lead, "k", n)))
    raise ShapeError(f"seeds: got shape {array.shape}, expected one of {wanted} for targets of shape {(*lead, 4, 4)}")


def _reference(chain: KinematicChain, params: MultiSeedParams) -> FloatArray:
    """Return what joints are wound towards: the reference, or where their limits are furthest."""
    if params.reference is not None:
        if len(params.reference) != chain.n_joints:
            raise ShapeError(f"reference: got {len(params.reference)} joint values, expected {chain.n_joints}")
        centre = np.array(params.reference)
        require_configuration(centre, name="reference")
    elif params.selection == "max_limit_margin":
        centre = np.zeros(chain.n_joints)
    else:
        return NO_NUMBERS
    if params.selection == "max_limit_margin":
        lower, upper = chain.lower_limits, chain.upper_limits
        bounded = np.isfinite(lower) & np.isfinite(upper) & (chain.arrays.entries == REVOLUTE)
        centre[bounded] = 0.5 * lower[bounded] + 0.5 * upper[bounded]
    centre[chain.arrays.entries == FIXED] = 0.0
    return centre
