"""Inverse kinematics from one seed: damped least squares or the pseudoinverse, eight problems in lockstep."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import jit
from repose_jit.kernels.arrays import (
    CONVERGED,
    FIXED,
    MAX_ITERATIONS_REACHED,
    PRISMATIC,
    REVOLUTE,
    SINGULAR,
    ChainArrays,
)
from repose_jit.kernels.chain_view import ChainView, view_chain
from repose_jit.kernels.checks import first_non_rigid, first_unusable
from repose_jit.kernels.fk import load_frame
from repose_jit.kernels.jacobian import BASE, fill_columns, forward_keeping_axes
from repose_jit.kernels.lanes import (
    WIDTH,
    Lanes,
    absolute,
    any_lane,
    get_lane,
    load,
    maximum,
    minimum,
    splat,
    sqrt,
    store,
    where,
)
from repose_jit.kernels.linalg import factorise, normal_matrix, substitute
from repose_jit.kernels.pose_error import pose_error
from repose_jit.kernels.svd import exact_step

LARGEST = 1.7976931348623157e308


class DlsParams(NamedTuple):
    """What a solve from one seed needs to know; units as in ``IkParams``, damping λ (0: exact pseudoinverse)."""

    max_iterations: int
    position_tolerance: float
    orientation_tolerance: float
    damping: float
    max_step: float
    max_linear_step: float
    enforce_joint_limits: bool


class DlsWork(NamedTuple):
    """Scratch of one worker, rows of eight: flat arrays."""

    q: NDArray[np.float64]
    best: NDArray[np.float64]
    target: NDArray[np.float64]
    axes: NDArray[np.float64]
    J: NDArray[np.float64]
    B: NDArray[np.float64]
    W: NDArray[np.float64]
    step: NDArray[np.float64]


@jit
def make_work(chain: ChainView) -> DlsWork:
    """Return scratch for :func:`solve_block`."""
    m = chain.m
    return DlsWork(
        np.empty(WIDTH * m),
        np.empty(WIDTH * m),
        np.empty(WIDTH * 12),
        np.empty(WIDTH * 6 * chain.n),
        np.empty(WIDTH * 6 * m),
        np.empty(WIDTH * 6 * m),
        np.empty(WIDTH * 36),
        np.empty(WIDTH * m),
    )


@jit
def damped_step(
    m: int, e: tuple[Lanes, ...], damping: float, J_work: NDArray[np.float64], step_work: NDArray[np.float64]
) -> None:
    """Write ``Jᵀ (J Jᵀ + λ² I)⁻¹ e`` with λ = damping, one scratch row per entry of q (Wampler 1986)."""
    y = substitute(factorise(normal_matrix(m, J_work), damping * damping), e)
    stride = WIDTH * m
    for entry in range(m):
        at = WIDTH * entry
        step = load(J_work, at) * y[0] + load(J_work, at + stride) * y[1] + load(J_work, at + 2 * stride) * y[2]
        step += load(J_work, at + 3 * stride) * y[3]
        step += load(J_work, at + 4 * stride) * y[4]
        step += load(J_work, at + 5 * stride) * y[5]
        store(step_work, at, step)


@jit
def excess(chain: ChainView, params: DlsParams, step_work: NDArray[np.float64]) -> Lanes:
    """Return the worst ratio of a joint's step to its cap, at least 1; not finite where a step is not."""
    worst = splat(1.0)
    total = splat(0.0)
    for entry in range(chain.m):
        kind = chain.entries[entry]
        step = absolute(load(step_work, WIDTH * entry))
        if kind == REVOLUTE:
            worst = maximum(step / params.max_step, worst)
        elif kind == PRISMATIC:
            worst = maximum(step / params.max_linear_step, worst)
        total += step
    # `maximum` passes over NaN; the sum does not.
    return where(total <= LARGEST, worst, np.inf)


@jit
def solve_block(
    chain: ChainView, params: DlsParams, use_pseudoinverse: bool, work: DlsWork
) -> tuple[Lanes, Lanes, Lanes, Lanes, Lanes]:
    """Solve eight problems whose seeds and targets are in the scratch; the best configurations are left there.

    The six steps of page 000 of the sources. A lane that has ended waits, unchanged, for the others.

    Returns
    -------
    converged, singular
        Masks; a lane in neither ran out of iterations.
    position_error, orientation_error
        Of the best configuration tested [m, rad].
    iterations
        Steps taken.
    """
    m = chain.m
    target = load_frame(work.target)
    iterations = splat(0.0)
    best_position, best_orientation, best_score = splat(np.inf), splat(np.inf), splat(np.inf)
    active = iterations <= 0.0
    converged = ~active
    singular = ~active
    for count in range(params.max_iterations + 1):
        T = forward_keeping_axes(chain, work.q, work.axes)
        e = pose_error(T, target)
        position = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
        orientation = sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5])
        score = maximum(position / params.position_tolerance, orientation / params.orientation_tolerance)
        # The first one counts whatever its score: with tolerances near the smallest float it is infinite.
        better = active & (score < best_score) if count > 0 else active
        if any_lane(better):
            best_position = where(better, position, best_position)
            best_orientation = where(better, orientation, best_orientation)
            best_score = where(better, score, best_score)
            for entry in range(m):
                at = WIDTH * entry
                store(work.best, at, where(better, load(work.q, at), load(work.best, at)))
        there = active & (position <= params.position_tolerance) & (orientation <= params.orientation_tolerance)
        converged = converged | there
        active = active & ~there
        if count == params.max_iterations or not any_lane(active):
            break
        fill_columns(chain, T, BASE, work.axes, work.J)
        if use_pseudoinverse:
            stuck = active & exact_step(chain, e, work.J, work.B, work.W, work.step)
            singular = singular | stuck
            active = active & ~stuck
        else:
            damped_step(m, e, params.damping, work.J, work.step)
        ratio = excess(chain, params, work.step)
        # A step that is not a number (damping too small for a singular Jacobian) ends the lane where it is.
        finite = ratio <= LARGEST
        singular = singular | (active & ~finite)
        active = active & finite
        iterations = where(active, iterations + 1.0, iterations)
        for entry in range(m):
            at = WIDTH * entry
            q = load(work.q, at)
            moved = q + load(work.step, at) / ratio
            if params.enforce_joint_limits:
                moved = minimum(maximum(moved, chain.limits[entry]), chain.limits[chain.m + entry])
            store(work.q, at, where(active, moved, q))
    return converged, singular, best_position, best_orientation, iterations


@jit
def are_sound(targets: NDArray[np.float64], seeds: NDArray[np.float64]) -> bool:
    """Tell whether all seeds (N · m) are joint values and all targets (N · 16) rigid transforms."""
    return first_unusable(seeds) < 0 and first_non_rigid(targets) < 0


@jit
def solve_from_seeds(
    chain: ChainArrays,
    targets: NDArray[np.float64],
    seeds: NDArray[np.float64],
    params: DlsParams,
    use_pseudoinverse: bool,
    q_out: NDArray[np.float64],
    errors_out: NDArray[np.float64],
    codes_out: NDArray[np.int64],
) -> bool:
    """Solve every problem from its own seed, if all numbers are sound.

    Parameters
    ----------
    targets, seeds
        Flat (N · 16) and (N · m).
    q_out, errors_out, codes_out
        Flat (N · m), (N · 2) position and orientation error [m, rad], (N · 2) status and iterations.

    Returns
    -------
    bool
        False, and nothing is written, if a seed is not finite or a target not a rigid transform.
    """
    view, params = view_chain(chain), DlsParams(*params)
    if not are_sound(targets, seeds):
        return False
    m = view.m
    count = seeds.size // m
    work = make_work(view)
    for block in range(0, count, WIDTH):
        for lane in range(WIDTH):
            problem = min(block + lane, count - 1)
            for entry in range(m):
                value = seeds[problem * m + entry]
                # The entry of a fixed joint has limits 0 and 0: it is 0 in every result.
                if params.enforce_joint_limits or view.entries[entry] == FIXED:
                    value = min(max(value, view.limits[entry]), view.limits[view.m + entry])
                work.q[WIDTH * entry + lane] = value
                work.best[WIDTH * entry + lane] = value
            for r in range(3):
                for c in range(3):
                    work.target[WIDTH * (3 * r + c) + lane] = targets[problem * 16 + 4 * r + c]
                work.target[WIDTH * (9 + r) + lane] = targets[problem * 16 + 4 * r + 3]
        converged, singular, position, orientation, iterations = solve_block(view, params, use_pseudoinverse, work)
        for lane in range(min(WIDTH, count - block)):
            problem = block + lane
            for entry in range(m):
                q_out[problem * m + entry] = work.best[WIDTH * entry + lane]
            errors_out[2 * problem] = get_lane(position, lane)
            errors_out[2 * problem + 1] = get_lane(orientation, lane)
            status = MAX_ITERATIONS_REACHED
            if get_lane(converged, lane):
                status = CONVERGED
            elif get_lane(singular, lane):
                status = SINGULAR
            codes_out[2 * problem] = status
            codes_out[2 * problem + 1] = int(get_lane(iterations, lane))
    return True
