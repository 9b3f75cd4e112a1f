"""Inverse kinematics from one seed: the joint values nearest to where you start that put the tool at a pose."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.chain import KinematicChain, require_chain
from repose_jit.errors import InputError, ShapeError, SingularJacobianError
from repose_jit.ik.params import IkParams, IkStatus
from repose_jit.ik.result import IkResult
from repose_jit.kernels import dls, lane_attempt, lane_ik
from repose_jit.kernels.lanes import WIDTH
from repose_jit.validation import as_configuration, as_transform, require_configuration, require_rigid

__all__ = ["inverse_kinematics"]

FloatArray = NDArray[np.float64]

CHUNK = 4096
"""Problems per kernel call: Ctrl-C is seen between two of them."""
CHUNK_ITERATIONS = 2**18
"""Iterations per kernel call, a few hundredths of a second: with a large budget fewer problems make a call."""
DEFAULT_PARAMS = IkParams()
NO_NUMBERS = np.empty(0)


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
    error is tested before every step and after the last. With ``step_rule="adaptive"`` a step is what
    :func:`~repose_jit.inverse_kinematics_batch` describes. Collisions are not checked.
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


def _solve_one(chain: KinematicChain, target: FloatArray, seed: FloatArray, params: IkParams) -> IkResult:
    q, errors, codes = np.empty(seed.shape), np.empty(2), np.empty(_n_codes(params), np.int64)
    if not _solve_flat(chain, params, target.reshape(-1), seed, q, errors, codes):
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
    if params.solver == "pseudoinverse" and status is IkStatus.SINGULAR:
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
    q, errors = np.empty((count, n)), np.empty((count, 2))
    codes = np.empty((count, _n_codes(params)), np.int64)
    chunk = min(CHUNK, max(WIDTH, CHUNK_ITERATIONS // params.max_iterations // WIDTH * WIDTH))
    for start in range(0, count, chunk):
        part = slice(start, start + chunk)
        if not _solve_flat(
            chain,
            params,
            flat_target[part].reshape(-1),
            flat_seed[part].reshape(-1),
            q[part].reshape(-1),
            errors[part].reshape(-1),
            codes[part].reshape(-1),
        ):
            _name_the_unsound(target, seed)  # changed by another thread
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


def _n_codes(params: IkParams) -> int:
    """Return how many integers a kernel writes per problem; status and iterations come first."""
    return lane_attempt.N_CODES if params.step_rule == "adaptive" else 2


def _solve_flat(
    chain: KinematicChain,
    params: IkParams,
    target: FloatArray,
    seed: FloatArray,
    q: FloatArray,
    errors: FloatArray,
    codes: NDArray[np.int64],
) -> bool:
    """Solve flat problems by the rule asked for; False, and nothing is written, if a number is not sound."""
    arrays = tuple(chain.arrays)
    if params.step_rule == "adaptive":
        n = chain.n_joints
        return bool(
            lane_ik.solve_from_many_seeds(
                arrays, params._kernel, target, seed, 1, n, NO_NUMBERS, NO_NUMBERS, q, errors, codes
            )
        )
    uses_pseudoinverse = params.solver == "pseudoinverse"
    return bool(dls.solve_from_seeds(arrays, target, seed, params._kernel, uses_pseudoinverse, q, errors, codes))


def _spread(array: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Return `array` broadcast to `shape` and writable, as kernels are compiled for."""
    return array if array.shape == shape else np.broadcast_to(array, shape).copy()


def _name_the_unsound(target: FloatArray, seed: FloatArray) -> None:
    """Raise the error that names the entry which a kernel refused."""
    require_rigid(target, name="target")
    require_configuration(seed, name="seed")
    raise InputError("target: got a matrix at the very edge of what counts as rigid, expected |RᵀR − I| ≤ 1e-06")
