"""Inverse kinematics from many seeds: eight attempts in lockstep, each lane refilled as its attempt ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import inlined, jit
from repose_jit.kernels.arrays import CONVERGED, MAX_ITERATIONS_REACHED, ChainArrays
from repose_jit.kernels.chain_view import ChainView, view_chain
from repose_jit.kernels.checks import first_non_rigid, first_unusable
from repose_jit.kernels.fk import load_frame
from repose_jit.kernels.jacobian import forward_keeping_axes
from repose_jit.kernels.lane_attempt import (
    ACTIVE,
    COUNT,
    ENDED,
    N_CODES,
    REFERENCE,
    SCORE,
    STALLED,
    WITHIN,
    LaneWork,
    Seeds,
    close_problem,
    end_attempt,
    make_work,
    put_seed,
    put_target,
)
from repose_jit.kernels.lane_goal import Goal, LaneIkParams, loop_error, make_goal
from repose_jit.kernels.lane_queue import (
    NONE,
    LaneQueue,
    free_slot,
    has_attempt,
    make_queue,
    neediest_slot,
    open_problem,
    start_attempt,
)
from repose_jit.kernels.lane_step import Drives, adaptive_rule, fixed_rule, list_drives, take_step
from repose_jit.kernels.lanes import WIDTH, Lanes, any_lane, get_lane, load, maximum, sqrt, store, where
from repose_jit.kernels.pointer import Floats, Integers, pointer
from repose_jit.kernels.task_error import exact_error

PATIENCE = 5.0
"""An attempt ends after this many tests without a fall of the error by a tenth."""
FALL = 0.81
"""The same tenth, squared."""


@jit
def run_lanes(
    chain: ChainView,
    params: LaneIkParams,
    drives: Drives,
    seeds: Seeds,
    targets: Floats,
    todo: Integers,
    count: int,
    queue: LaneQueue,
    work: LaneWork,
    q_out: Floats,
    errors_out: Floats,
    codes_out: Integers,
) -> None:
    """Solve the first `count` problems of the list `todo`."""
    m, A = chain.m, params.max_attempts
    if params.is_adaptive:
        rule = adaptive_rule(chain)
    else:
        rule = fixed_rule(params.damping, params.max_step, params.max_linear_step)
    goal = make_goal(params)
    patience = PATIENCE if params.is_adaptive else np.inf
    opened = 0
    any_ended = True
    while True:
        if any_ended:
            for lane in range(WIDTH):
                # The winner of its problem may have taken a lane off an attempt that ends in the same step.
                if work.state[ENDED + lane] > 0.0 and queue.lane_attempt[lane] != NONE:
                    end_attempt(chain, params, goal, seeds, lane, queue, work, q_out, codes_out)
                    slot = queue.lane_slot[lane]
                    if queue.running[slot] == 0 and not has_attempt(queue, slot, A):
                        close_problem(chain, params, slot, queue, q_out, errors_out, codes_out)
            is_idle = True
            for lane in range(WIDTH):
                if queue.lane_attempt[lane] == NONE:
                    slot = queue.lane_slot[lane]
                    if slot == NONE or not has_attempt(queue, slot, A):
                        if opened < count:
                            slot = free_slot(queue)
                            problem = todo[opened]
                            start = 0 if params.is_each else codes_out[N_CODES * problem + 2]
                            open_problem(queue, slot, problem, start, A)
                            opened += 1
                        else:
                            slot = neediest_slot(queue, A)
                    if slot == NONE:
                        work.state[ACTIVE + lane] = 0.0
                        continue
                    start_attempt(queue, lane, slot)
                    problem = queue.problem[slot]
                    put_target(targets, problem, lane, work.target)
                    put_seed(chain, params, seeds, problem, queue.lane_attempt[lane], lane, work)
                is_idle = False
            if is_idle:
                return
        T = forward_keeping_axes(chain, work.q, work.axes)
        target = load_frame(work.target)
        e, p, o = loop_error(params, goal, T, target)
        size = rule.weight * rule.weight * p + o
        ended = check_lanes(m, goal, p, o, size, patience, params.max_iterations, work)
        any_ended = any_lane(ended)
        if any_ended and not any_lane((load(work.state, ACTIVE) > 0.0) & ~ended):
            continue
        stay = ended | (load(work.state, ACTIVE) <= 0.0)
        take_step(
            chain, drives, rule, T, target, e, size, stay, params.kind, params.mask, params.axis,
            work.axes, work.bounds, work.J, work.q,
        )  # fmt: skip


@inlined
def check_lanes(
    m: int,
    goal: Goal,
    p: Lanes,
    o: Lanes,
    size: Lanes,
    patience: float,
    max_iterations: int,
    work: LaneWork,
) -> Lanes:
    """Test the configuration of every lane: keep it if it is the best so far, and return the lanes that have ended.

    Parameters
    ----------
    p, o, size
        Squared errors of position and orientation, and the weighted sum that steps are damped by.
    patience, max_iterations
        When to give up.
    work
        The state of the lanes, changed: SCORE, REFERENCE, STALLED, COUNT, ENDED and WITHIN.
    """
    state = work.state
    score = maximum(p * goal.p_factor, o * goal.o_factor)
    held = load(state, SCORE)
    better = score < held
    if any_lane(better):
        store(state, SCORE, where(better, score, held))
        for entry in range(m):
            at = WIDTH * entry
            store(work.best, at, where(better, load(work.q, at), load(work.best, at)))
    reference = load(state, REFERENCE)
    fell = size < reference * FALL
    stalled = where(fell, 0.0, load(state, STALLED) + 1.0)
    store(state, REFERENCE, where(fell, size, reference))
    store(state, STALLED, stalled)
    count = load(state, COUNT)
    active = load(state, ACTIVE) > 0.0
    within = (p <= goal.p_square) & (o <= goal.o_square)
    ended = active & (within | (stalled >= patience) | (count >= max_iterations))
    store(state, COUNT, where(ended, count, count + 1.0))
    store(state, ENDED, where(ended, 1.0, 0.0))
    store(state, WITHIN, where(within, 1.0, 0.0))
    return ended


@jit
def check_results(
    chain: ChainView,
    params: LaneIkParams,
    targets: Floats,
    todo: Integers,
    count: int,
    work: LaneWork,
    q_out: Floats,
    errors_out: Floats,
    codes_out: Integers,
) -> int:
    """Test the very configurations that are returned: write their errors and status.

    Returns
    -------
    int
        How many problems claim to be solved, are not and have attempts left; they are now first in the list `todo`.
    """
    m, A = chain.m, params.max_attempts
    rows = A if params.is_each else 1
    again = 0
    for block in range(0, count * rows, WIDTH):
        for lane in range(WIDTH):
            i = min(block + lane, count * rows - 1)
            row = todo[i // rows] * rows + i % rows
            for entry in range(m):
                work.q[WIDTH * entry + lane] = q_out[row * m + entry]
            put_target(targets, row // rows, lane, work.target)
        T = forward_keeping_axes(chain, work.q, work.axes)
        e = exact_error(T, load_frame(work.target), params.kind, params.mask, params.axis)
        position = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
        orientation = sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5])
        for lane in range(min(WIDTH, count * rows - block)):
            problem = todo[(block + lane) // rows]
            row = problem * rows + (block + lane) % rows
            errors_out[2 * row] = get_lane(position, lane)
            errors_out[2 * row + 1] = get_lane(orientation, lane)
            is_within = (
                errors_out[2 * row] <= params.position_tolerance
                and errors_out[2 * row + 1] <= params.orientation_tolerance
            )
            codes_out[N_CODES * row] = CONVERGED if is_within else MAX_ITERATIONS_REACHED
            if not is_within and not params.is_each and codes_out[N_CODES * row + 2] < A:
                todo[again] = problem
                again += 1
    return again


@jit
def solve_from_many_seeds(
    chain: ChainArrays,
    params: LaneIkParams,
    targets: NDArray[np.float64],
    given: NDArray[np.float64],
    given_count: int,
    given_stride: int,
    spread: NDArray[np.float64],
    reference: NDArray[np.float64],
    q_out: NDArray[np.float64],
    errors_out: NDArray[np.float64],
    codes_out: NDArray[np.int64],
) -> bool:
    """Solve every problem from its seeds, in order, until one attempt converges; or report every attempt.

    Parameters
    ----------
    targets
        Flat (N · 16).
    given, given_count, given_stride, spread, reference
        :class:`Seeds`.
    q_out, errors_out, codes_out
        Flat (R · m), (R · 2) position and orientation error [m, rad], (R · 4) status, iterations, attempts and the
        attempt that q is from; R = N, or N · A where each attempt is reported.

    Returns
    -------
    bool
        False, and nothing is written, if a given seed is not finite or a target not a rigid transform.
    """
    if first_unusable(given) >= 0 or first_non_rigid(targets) >= 0:
        return False
    view, params = view_chain(chain), LaneIkParams(*params)
    m, n, A = view.m, view.n, params.max_attempts
    count = targets.size // 16
    floats_work = np.empty(WIDTH * (10 * m + 6 * n + 19) + WIDTH + (WIDTH + 1) * m)
    integers_work = np.empty(WIDTH * (A + 7) + count + m + n, np.int64)
    work = make_work(view, floats_work)
    queue = make_queue(floats_work[WIDTH * (10 * m + 6 * n + 19) :], integers_work)
    todo_work = integers_work[WIDTH * (A + 7) :]
    drives = list_drives(view, integers_work[WIDTH * (A + 7) + count :])
    seeds = Seeds(pointer(given), given_count, given_stride, pointer(spread), pointer(reference))
    poses, todo = pointer(targets), pointer(todo_work)
    q, errors, codes = pointer(q_out), pointer(errors_out), pointer(codes_out)
    for i in range(count):
        todo[i] = i
    for i in range(codes_out.size):
        codes[i] = 0
    while count > 0:
        run_lanes(view, params, drives, seeds, poses, todo, count, queue, work, q, errors, codes)
        count = check_results(view, params, poses, todo, count, work, q, errors, codes)
        for i in range(WIDTH):
            work.state[ENDED + i] = 0.0
    # Pointers into the scratch keep nothing alive: it has to be used after the last of them.
    floats_work[0], integers_work[0] = 0.0, 0
    return True
