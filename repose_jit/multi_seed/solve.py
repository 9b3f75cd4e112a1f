"""Inverse kinematics from many seeds: for millions of targets on all cores, or for one in microseconds."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError, ShapeError, shown
from repose_jit.ik import IkStatus
from repose_jit.kernels.arrays import CONVERGED
from repose_jit.kernels.lane_attempt import N_CODES
from repose_jit.kernels.lanes import WIDTH
from repose_jit.multi_seed.params import MultiSeedParams
from repose_jit.multi_seed.problem import Problem, pose_problem
from repose_jit.multi_seed.result import IkBatchResult
from repose_jit.multi_seed.selection import choose
from repose_jit.threads import available_cpus, run_chunks
from repose_jit.validation import as_out

__all__ = ["inverse_kinematics_batch", "solve_one"]

FloatArray = NDArray[np.float64]

CHUNK = 2048
"""Targets per kernel call: a few milliseconds where they are reached."""
CHUNK_ITERATIONS = 2**21
"""Iterations per kernel call at most, some tenths of a second, unless a single target has a larger budget: Ctrl-C and
`progress` wait for no longer."""
CHUNK_ROWS = 2**15
"""Attempts kept at a time where all are compared: a few megabytes per thread."""
CHUNKS_PER_THREAD = 4
"""At least so many, where there are enough targets: the last ones to finish leave little idle."""
LEAST_CHUNK = 64


def inverse_kinematics_batch(
    chain: KinematicChain,
    targets: ArrayLike,
    *,
    seeds: ArrayLike | None = None,
    params: MultiSeedParams | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> IkBatchResult:
    """Solve for configurations that put the tool at `targets`, each from as many seeds as it takes.

    Parameters
    ----------
    chain
        The robot.
    targets
        (..., 4, 4) poses of the tool in the base frame, ``T_base_tool`` [m].
    seeds
        Where to start [rad or m]: (n,) for all targets, (..., n) one for each, (..., k, n) k for each; those outside
        the limits are clamped. The attempts after them, or all if there are none, start from
        ``rj.spread_seeds(chain, ...)``.
    params
        Budget, tolerances, what of the pose counts, which solution to return; ``MultiSeedParams()`` if left out.
    progress
        Called as ``progress(done, total)``, in targets, after every chunk and from the calling thread.

    Returns
    -------
    IkBatchResult
        A status, an error and the budget spent for every target. Not reaching one is a status, never an exception.

    Raises
    ------
    ShapeError, InputError
        Before anything is solved, if an argument has the wrong shape, is not finite or not a rigid transform; the
        message names the entry. Also if a joint slides without limits and there are no seeds.
    KeyboardInterrupt
        Within one chunk of Ctrl-C.

    Notes
    -----
    The same inputs give the same bits on any number of threads, in any order and company of targets: a target's result
    depends on nothing else, and CPUs with fused multiply-add agree.

    A step of the adaptive rule is ``Δq = Jᵀ (J Jᵀ + λ² I)⁻¹ e`` with λ² = 0.05 ‖e‖² + 1e-10 (Chan and Lawrence 1988),
    positions in fifths of the arm's length, at most 1 rad. A joint that the error pulls beyond its limit is left out of
    the step. On even attempts revolute joints of at least 5.5 rad run free, and are wound into their limits at the end.
    An attempt ends after 5 steps without a fall of the error by a tenth. The fixed rule has none of this: its attempts
    are solves of :func:`~repose_jit.inverse_kinematics`.

    Examples
    --------
    >>> import repose_jit as rj
    >>> chain = rj.preset("ur5").chain()
    >>> targets = rj.forward_kinematics(chain, rj.spread_seeds(chain, 1000))
    >>> result = rj.inverse_kinematics_batch(chain, targets)
    >>> bool(result.converged.all()), result.q.shape
    (True, (1000, 6))
    """
    problem = pose_problem(chain, targets, seeds, params)
    if progress is not None and not callable(progress):
        raise InputError(f"progress: got {shown(progress)}, expected a function of (done, total)")
    problem.check()
    lead, count, n = problem.targets.shape[:-2], problem.count, chain.n_joints
    q, status = np.empty((count, n)), np.empty(count, np.int8)
    position, orientation = np.empty(count), np.empty(count)
    iterations, attempts, seed_index = np.empty(count, np.int64), np.empty(count, np.int32), np.empty(count, np.int32)
    solve = _solve_first if problem.params.selection == "first" else _solve_and_choose

    def work(start: int, stop: int, _: threading.Event) -> None:
        part = slice(start, stop)
        errors, codes = solve(problem, start, stop, q[part])
        position[part], orientation[part] = errors[:, 0], errors[:, 1]
        status[part], iterations[part], attempts[part], seed_index[part] = codes.T

    threads = problem.params.threads
    with closing(run_chunks(work, count, _chunk_size(problem), threads=threads)) as counts:
        for done in counts:
            if progress is not None:
                progress(done, count)
    return IkBatchResult(
        q=q.reshape(*lead, n),
        status=status.reshape(lead) if lead else IkStatus(int(status[0])),
        converged=(status == CONVERGED).reshape(lead) if lead else bool(status[0] == CONVERGED),
        position_error=position.reshape(lead) if lead else float(position[0]),
        orientation_error=orientation.reshape(lead) if lead else float(orientation[0]),
        iterations=iterations.reshape(lead) if lead else int(iterations[0]),
        attempts=attempts.reshape(lead) if lead else int(attempts[0]),
        seed_index=seed_index.reshape(lead) if lead else int(seed_index[0]),
        _chain=chain,
        _params=problem.params,
        _target=problem.targets,
    )


@overload
def solve_one(
    chain: KinematicChain,
    target: ArrayLike,
    *,
    seeds: ArrayLike | None = ...,
    params: MultiSeedParams | None = ...,
    out: None = ...,
) -> IkBatchResult: ...


@overload
def solve_one(
    chain: KinematicChain,
    target: ArrayLike,
    *,
    seeds: ArrayLike | None = ...,
    params: MultiSeedParams | None = ...,
    out: FloatArray,
) -> IkStatus: ...


def solve_one(
    chain: KinematicChain,
    target: ArrayLike,
    *,
    seeds: ArrayLike | None = None,
    params: MultiSeedParams | None = None,
    out: FloatArray | None = None,
) -> IkBatchResult | IkStatus:
    """Solve for one target: eight seeds race at a time, in the calling thread.

    Parameters
    ----------
    chain, seeds, params
        As in :func:`inverse_kinematics_batch`; seeds (n,) or (k, n).
    target
        (4, 4) pose of the tool in the base frame, ``T_base_tool`` [m].
    out
        (n,) float64 array to write the configuration to, which may be the seed's; without a result object a call takes
        about half the time.

    Returns
    -------
    IkBatchResult or IkStatus
        The result that :func:`inverse_kinematics_batch` has for this target, to the bit; its status if there is `out`.

    Raises
    ------
    ShapeError, InputError
        If an argument has the wrong shape, is not finite or not a rigid transform; `out` is then left as it was.

    Examples
    --------
    >>> import numpy as np
    >>> import repose_jit as rj
    >>> chain = rj.preset("franka_panda").chain()
    >>> target = rj.forward_kinematics(chain, [0.1, -0.5, 0.2, -2.0, 0.1, 1.5, 0.3])
    >>> q = np.empty(7)
    >>> print(rj.solve_one(chain, target, out=q), chain.is_within_limits(q))
    CONVERGED True
    """
    problem = pose_problem(chain, target, seeds, params, name="target")
    if problem.targets.ndim != 2:
        raise ShapeError(f"target: got shape {problem.targets.shape}, expected (4, 4): one homogeneous matrix")
    if out is not None:
        out = as_out(out, (chain.n_joints,))
    q = np.empty(chain.n_joints)  # not `out` itself, which may be part of the target or of a seed
    if problem.params.selection == "first":
        errors, codes = np.empty(2), np.empty(N_CODES, np.int64)
        if not problem.solve_first(problem.targets.reshape(-1), problem.given, q, errors, codes):
            problem.refuse()
    else:
        problem.check()
        errors, codes = (rows[0] for rows in _solve_and_choose(problem, 0, 1, q[None]))
    status, iterations, attempts, seed_index = codes.tolist()
    if out is not None:
        out[...] = q
        return IkStatus(status)
    position_error, orientation_error = errors.tolist()
    return IkBatchResult(
        q=q,
        status=IkStatus(status),
        converged=status == CONVERGED,
        position_error=position_error,
        orientation_error=orientation_error,
        iterations=iterations,
        attempts=attempts,
        seed_index=seed_index,
        _chain=chain,
        _params=problem.params,
        _target=problem.targets.copy(),  # the caller may write the next target into the same array
    )


def _solve_first(problem: Problem, start: int, stop: int, q: FloatArray) -> tuple[FloatArray, NDArray[np.int64]]:
    """Solve a chunk up to the first attempt that converges; fill `q`, return errors (k, 2) and codes (k, 4)."""
    errors, codes = np.empty((stop - start, 2)), np.empty((stop - start, N_CODES), np.int64)
    targets, given = problem.part(start, stop)
    if not problem.solve_first(targets, given, q.reshape(-1), errors.reshape(-1), codes.reshape(-1)):
        problem.refuse()
    return errors, codes


def _solve_and_choose(problem: Problem, start: int, stop: int, q: FloatArray) -> tuple[FloatArray, NDArray[np.int64]]:
    """Make all attempts at a chunk and choose among them; as :func:`_solve_first`."""
    count, attempts, n = stop - start, problem.attempts, problem.chain.n_joints
    all_q, all_errors = np.empty((count, attempts, n)), np.empty((count, attempts, 2))
    all_codes = np.empty((count, attempts, N_CODES), np.int64)
    targets, given = problem.part(start, stop)
    if not problem.solve_each(targets, given, all_q.reshape(-1), all_errors.reshape(-1), all_codes.reshape(-1)):
        problem.refuse()
    chosen = choose(problem, all_q, all_errors, all_codes[..., 0])
    rows = np.arange(count), chosen
    q[:] = all_q[rows]
    codes = all_codes[rows]
    codes[:, 1] = all_codes[..., 1].sum(axis=1)
    codes[:, 2] = attempts
    return all_errors[rows], codes


def _chunk_size(problem: Problem) -> int:
    """Return how many targets make a kernel call; results do not depend on it."""
    params, attempts = problem.params, problem.attempts
    size = min(CHUNK, CHUNK_ITERATIONS // (attempts * params.max_iterations))
    if params.selection != "first":
        size = min(size, CHUNK_ROWS // attempts)
    if params.threads != 1 and problem.count > LEAST_CHUNK:
        fair = problem.count // (CHUNKS_PER_THREAD * (params.threads or available_cpus()))
        size = min(size, max(fair, LEAST_CHUNK))
    if size < WIDTH:
        # A target with that many attempts has work for all lanes.
        return max(1, size) if attempts >= WIDTH else WIDTH
    return size // WIDTH * WIDTH
