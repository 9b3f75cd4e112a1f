"""Inverse kinematics from one seed: the joint values nearest to where you start that put the tool at a pose."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.chain import KinematicChain, require_chain
from repose_jit.errors import InputError, ShapeError, SingularJacobianError, SolveFailedError, UnknownNameError, shown
from repose_jit.failure import explain_failure
from repose_jit.kernels import arrays, dls
from repose_jit.kernels.lanes import WIDTH
from repose_jit.kinematics import singular_values
from repose_jit.validation import (
    as_configuration,
    as_flag,
    as_integer,
    as_positive,
    as_transform,
    require_configuration,
    require_rigid,
)

__all__ = ["IkParams", "IkResult", "IkStatus", "inverse_kinematics"]

FloatArray = NDArray[np.float64]

SOLVERS = ("damped_least_squares", "pseudoinverse")
MAX_ITERATIONS = 1_000_000
"""Largest iteration budget accepted: about a second per problem."""
CHUNK = 4096
"""Problems per kernel call: Ctrl-C is seen between two of them."""
CHUNK_ITERATIONS = 2**18
"""Iterations per kernel call, a few hundredths of a second: with a large budget fewer problems make a call."""


class IkStatus(IntEnum):
    """How a solve ended."""

    UNINITIALIZED = arrays.UNINITIALIZED
    """Not solved yet."""
    CONVERGED = arrays.CONVERGED
    """Within both tolerances, and within the limits where they are enforced."""
    MAX_ITERATIONS_REACHED = arrays.MAX_ITERATIONS_REACHED
    """The budget is spent; `q` is the best configuration tested."""
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
        # Plain Python values whatever was given: a NumPy integer would be no JSON when a study is stored.
        object.__setattr__(self, "max_iterations", as_integer(self.max_iterations, name="max_iterations"))
        if not 1 <= self.max_iterations <= MAX_ITERATIONS:
            raise InputError(f"max_iterations: got {shown(self.max_iterations)}, expected 1 to {MAX_ITERATIONS:,}")
        for name in ("position_tolerance", "orientation_tolerance", "damping", "max_step", "max_linear_step"):
            object.__setattr__(self, name, as_positive(getattr(self, name), name=name))
        flag = as_flag(self.enforce_joint_limits, name="enforce_joint_limits")
        object.__setattr__(self, "enforce_joint_limits", flag)
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

    def __getitem__(self, index: Any) -> IkResult:
        """Return part of a batch; one problem gives scalars."""
        if self.q.ndim == 1:
            raise InputError("this result holds one problem, expected a batch to index")
        status = np.asarray(self.status)[index]
        # An ellipsis stands for all dimensions that are left, and those of a joint or a matrix must not be among them.
        parts = index if isinstance(index, tuple) else (index,)
        rest = (slice(None),) if any(part is Ellipsis for part in parts) else ()
        q, target = self.q[*parts, *rest], self._target[*parts, *rest, *rest]
        if q.ndim > 1:

            def pick(values: Any) -> Any:
                return np.asarray(values)[index]

            return IkResult(
                q=q,
                status=status,
                converged=pick(self.converged),
                position_error=pick(self.position_error),
                orientation_error=pick(self.orientation_error),
                iterations=pick(self.iterations),
                _chain=self._chain,
                _params=self._params,
                _target=target,
            )
        return IkResult(
            q=q,
            status=IkStatus(int(status)),
            converged=int(status) == IkStatus.CONVERGED,
            position_error=float(np.asarray(self.position_error)[index]),
            orientation_error=float(np.asarray(self.orientation_error)[index]),
            iterations=int(np.asarray(self.iterations)[index]),
            _chain=self._chain,
            _params=self._params,
            _target=target,
        )

    def explain(self) -> str:
        """Say in a sentence or two what happened, and what to try if it did not converge.

        Computed from the remaining errors, the limits reached, the smallest singular value and the arm's length; for a
        batch it says how many converged and explains the first that did not.
        """
        if self.q.ndim > 1:
            return self._explain_batch()
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
            limited_joints=self.limited_joints,
            position_error=float(self.position_error),
            orientation_error=float(self.orientation_error),
            iterations=int(self.iterations),
            sigma_min=float(self.sigma_min),
            is_singular=self.status is IkStatus.SINGULAR,
            position_tolerance=self._params.position_tolerance,
            orientation_tolerance=self._params.orientation_tolerance,
            damping=self._params.damping if self._params.solver == "damped_least_squares" else 0.0,
            enforce_joint_limits=self._params.enforce_joint_limits,
        )

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


def inverse_kinematics(
    chain: KinematicChain, target: ArrayLike, seed: ArrayLike, params: IkParams | None = None
) -> IkResult:
    """Solve for configurations that put the tool at `target`, each from its own seed.

    Parameters
    ----------
    chain
        The robot.
    target
        (..., 4, 4) poses of the tool in the base frame, ``T_base_tool`` [m].
    seed
        (..., n) configurations to start from [rad or m]; leading dimensions broadcast against those of `target`. A seed
        outside the limits is clamped when they are enforced.
    params
        Solver, budget, tolerances; ``IkParams()`` if left out.

    Returns
    -------
    IkResult
        The best configuration tested and its own errors. Not reaching the target is a status, never an exception.

    Raises
    ------
    ShapeError, InputError
        If an argument has the wrong shape, is not finite or not a rigid transform; the message names the entry.
    SingularJacobianError
        If one problem is solved with ``solver="pseudoinverse"`` and its Jacobian becomes singular; the best
        configuration is attached. In a batch that is the status SINGULAR.

    Notes
    -----
    Until the errors are within tolerance: ``Δq = Jᵀ (J Jᵀ + λ² I)⁻¹ e`` with e = [p* − p; log(R* Rᵀ)] in base axes
    (Wampler 1986; Nakamura and Hanafusa 1986), scaled as a whole to the step caps, applied, clamped to the limits. The
    error is tested before every step and after the last. Collisions are not checked.
    """
    require_chain(chain)
    if params is None:
        params = DEFAULT_PARAMS
    elif not isinstance(params, IkParams):
        raise InputError(f"params: got {type(params).__name__}, expected IkParams")
    target = as_transform(target)
    seed = as_configuration(seed, chain.n_joints, name="seed")
    if target.ndim == 2 and seed.ndim == 1:
        return _solve_one(chain, target, seed, params)
    return _solve_batch(chain, target, seed, params)


DEFAULT_PARAMS = IkParams()


def _solve_one(chain: KinematicChain, target: FloatArray, seed: FloatArray, params: IkParams) -> IkResult:
    q, errors, codes = np.empty(seed.shape), np.empty(2), np.empty(2, np.int64)
    uses_pseudoinverse = params.solver == "pseudoinverse"
    sound = dls.solve_from_seeds(
        tuple(chain.arrays), target.reshape(-1), seed, params._kernel, uses_pseudoinverse, q, errors, codes
    )
    if not sound:
        _name_the_unsound(target, seed)
    status = IkStatus(int(codes[0]))
    result = IkResult(
        q=q,
        status=status,
        converged=status is IkStatus.CONVERGED,
        position_error=float(errors[0]),
        orientation_error=float(errors[1]),
        iterations=int(codes[1]),
        _chain=chain,
        _params=params,
        _target=target.copy(),  # the caller may write the next target into the same array
    )
    if uses_pseudoinverse and status is IkStatus.SINGULAR:
        raise SingularJacobianError(result.explain(), q)
    return result


def _solve_batch(chain: KinematicChain, target: FloatArray, seed: FloatArray, params: IkParams) -> IkResult:
    try:
        lead = np.broadcast_shapes(target.shape[:-2], seed.shape[:-1])
    except ValueError:
        raise ShapeError(
            f"target and seed: got leading dimensions {target.shape[:-2]} and {seed.shape[:-1]}, "
            "expected ones that broadcast"
        ) from None
    if not dls.are_sound(target.reshape(-1), seed.reshape(-1)):
        _name_the_unsound(target, seed)
    n = chain.n_joints
    count = math.prod(lead)
    flat_target = _spread(target, (*lead, 4, 4)).reshape(count, 16)
    flat_seed = _spread(seed, (*lead, n)).reshape(count, n)
    q, errors, codes = np.empty((count, n)), np.empty((count, 2)), np.empty((count, 2), np.int64)
    chunk = min(CHUNK, max(WIDTH, CHUNK_ITERATIONS // params.max_iterations // WIDTH * WIDTH))
    for start in range(0, count, chunk):
        part = slice(start, start + chunk)
        dls.solve_from_seeds(
            tuple(chain.arrays),
            flat_target[part].reshape(-1),
            flat_seed[part].reshape(-1),
            params._kernel,
            params.solver == "pseudoinverse",
            q[part].reshape(-1),
            errors[part].reshape(-1),
            codes[part].reshape(-1),
        )
    status = codes[:, 0].astype(np.int8).reshape(lead)
    return IkResult(
        q=q.reshape(*lead, n),
        status=status,
        converged=status == IkStatus.CONVERGED,
        position_error=np.ascontiguousarray(errors[:, 0]).reshape(lead),
        orientation_error=np.ascontiguousarray(errors[:, 1]).reshape(lead),
        iterations=np.ascontiguousarray(codes[:, 1]).reshape(lead),
        _chain=chain,
        _params=params,
        _target=np.broadcast_to(target.copy(), (*lead, 4, 4)),
    )


def _spread(array: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Return `array` broadcast to `shape` and writable, as kernels are compiled for."""
    return array if array.shape == shape else np.broadcast_to(array, shape).copy()


def _name_the_unsound(target: FloatArray, seed: FloatArray) -> None:
    """Raise the error that names the entry which a kernel refused."""
    require_rigid(target, name="target")
    require_configuration(seed, name="seed")
    raise InputError("target: got a matrix at the very edge of what counts as rigid, expected |RᵀR − I| ≤ 1e-06")
