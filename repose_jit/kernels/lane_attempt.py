"""One attempt at one problem: where it starts, how it ends, and what the problem has come to."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import jit
from repose_jit.kernels.arrays import FIXED, REVOLUTE
from repose_jit.kernels.chain_view import ChainView
from repose_jit.kernels.fk import load_frame
from repose_jit.kernels.jacobian import forward_keeping_axes
from repose_jit.kernels.lane_goal import SMALLEST_TOLERANCE, Goal, LaneIkParams, loop_error
from repose_jit.kernels.lane_queue import NONE, LaneQueue, release, total_iterations, win
from repose_jit.kernels.lanes import WIDTH, get_lane, splat, store
from repose_jit.kernels.pointer import Floats, Integers, pointer

FREE_RANGE = 5.5
"""A revolute joint of at least this range [rad] runs free of its limits on every other attempt, and is wound back."""
ROUNDING = 1e-9
"""A joint that ends outside a limit by no more than this [rad, m] is put on it; the result is tested there."""

# Rows of the lanes' state: what the error has to fall below, tests since it did, steps taken, least error of the
# attempt; then flags.
REFERENCE = 0
STALLED = WIDTH
COUNT = 2 * WIDTH
SCORE = 3 * WIDTH
ACTIVE = 4 * WIDTH
ENDED = 5 * WIDTH
WITHIN = 6 * WIDTH
TWO_PI = 2.0 * math.pi

# Numbers per problem in the integer output.
N_CODES = 4


class Seeds(NamedTuple):
    """Where attempts start: first those given with a problem, then spread-out ones.

    Attributes
    ----------
    given
        Flat; attempt a of problem p at ``p · stride + a · m``, or all problems alike with stride 0.
    n_given, stride
        Seeds given per problem, and numbers from one problem to the next.
    spread
        (A − n_given, m), flat, in the order of the attempts that follow.
    reference
        (m,) to wind joints towards.
    """

    given: Floats
    n_given: int
    stride: int
    spread: Floats
    reference: Floats


class LaneWork(NamedTuple):
    """Scratch of one worker, rows of eight: flat arrays."""

    q: Floats
    best: Floats
    bounds: Floats
    J: Floats
    target: Floats
    state: Floats
    axes: Floats


@jit
def make_work(chain: ChainView, floats_work: NDArray[np.float64]) -> LaneWork:
    """Return scratch for :func:`run_lanes`, all zeros; it lives in the first 8 · (10 m + 6 n + 19) numbers."""
    m, n = chain.m, chain.n
    for i in range(WIDTH * (10 * m + 6 * n + 19)):
        floats_work[i] = 0.0
    return LaneWork(
        pointer(floats_work),
        pointer(floats_work[WIDTH * m :]),
        pointer(floats_work[WIDTH * 2 * m :]),
        pointer(floats_work[WIDTH * 4 * m :]),
        pointer(floats_work[WIDTH * 10 * m :]),
        pointer(floats_work[WIDTH * (10 * m + 12) :]),
        pointer(floats_work[WIDTH * (10 * m + 19) :]),
    )


@jit
def seed_value(seeds: Seeds, m: int, problem: int, attempt: int, entry: int) -> float:
    """Return what an entry of q starts an attempt with."""
    if attempt < seeds.n_given:
        return float(seeds.given[problem * seeds.stride + attempt * m + entry])
    return float(seeds.spread[(attempt - seeds.n_given) * m + entry])


@jit
def put_target(targets: Floats, problem: int, lane: int, target_work: Floats) -> None:
    """Copy a target (flat N · 16) to the frame of a lane."""
    for r in range(3):
        for c in range(3):
            target_work[WIDTH * (3 * r + c) + lane] = targets[problem * 16 + 4 * r + c]
        target_work[WIDTH * (9 + r) + lane] = targets[problem * 16 + 4 * r + 3]


@jit
def put_seed(
    chain: ChainView, params: LaneIkParams, seeds: Seeds, problem: int, attempt: int, lane: int, work: LaneWork
) -> None:
    """Start an attempt in a lane: its seed, within the limits, and the bounds it keeps to."""
    m = chain.m
    for entry in range(m):
        lower, upper = chain.limits[entry], chain.limits[chain.m + entry]
        is_fixed = chain.entries[entry] == FIXED
        value = seed_value(seeds, m, problem, attempt, entry)
        if params.enforce_joint_limits or is_fixed:
            value = min(max(value, lower), upper)
        is_free = params.is_adaptive and attempt % 2 == 0 and chain.entries[entry] == REVOLUTE
        if not is_fixed and (not params.enforce_joint_limits or (is_free and upper - lower >= FREE_RANGE)):
            lower, upper = -np.inf, np.inf
        work.q[WIDTH * entry + lane] = value
        work.best[WIDTH * entry + lane] = value
        work.bounds[2 * WIDTH * entry + lane] = lower
        work.bounds[2 * WIDTH * entry + WIDTH + lane] = upper
    work.state[REFERENCE + lane] = np.inf
    work.state[STALLED + lane] = 0.0
    work.state[COUNT + lane] = 0.0
    work.state[SCORE + lane] = np.inf
    work.state[ACTIVE + lane] = 1.0


@jit
def wind(x: float, centre: float, lower: float, upper: float) -> float:
    """Return the angle that differs from x by whole turns and is nearest to `centre` among those within the limits.

    Where none lies within, the one that is least outside.
    """
    if math.fabs(x - centre) > math.pi:
        x -= TWO_PI * math.floor((x - centre) / TWO_PI + 0.5)
    if x < lower:
        x += TWO_PI * math.ceil((lower - x) / TWO_PI)
    if x > upper:
        x -= TWO_PI * math.ceil((x - upper) / TWO_PI)
    if lower - x > max(x + TWO_PI - upper, 0.0):
        x += TWO_PI
    return x


@jit
def settle(
    chain: ChainView,
    params: LaneIkParams,
    seeds: Seeds,
    problem: int,
    attempt: int,
    lane: int,
    rows: Floats,
    start: int,
    q_out: Floats,
) -> bool:
    """Write a lane's configuration as it is returned, within the limits, and tell whether it needed no clamping.

    The adaptive rule winds revolute joints: to the reference if there is one, else to the seed.
    """
    m = chain.m
    sound = True
    for entry in range(m):
        x = rows[WIDTH * entry + lane]
        if params.enforce_joint_limits and chain.entries[entry] != FIXED:
            lower, upper = chain.limits[entry], chain.limits[chain.m + entry]
            if params.is_adaptive and chain.entries[entry] == REVOLUTE:
                centre = (
                    seeds.reference[entry] if params.has_reference else seed_value(seeds, m, problem, attempt, entry)
                )
                # From within the limits the nearest angle is the same; far outside them whole turns lose their digits.
                x = wind(x, min(max(centre, lower), upper), lower, upper)
            within = min(max(x, lower), upper)
            sound = sound and math.fabs(x - within) <= ROUNDING
            x = within
        q_out[start + entry] = x
    return sound


@jit
def clamped_error(
    chain: ChainView, params: LaneIkParams, goal: Goal, lane: int, q: Floats, start: int, work: LaneWork
) -> tuple[float, float]:
    """Return the squared errors that the loop would find for a configuration, at the target of a lane.

    Between two steps the rows of J and of the joint axes are free.
    """
    for entry in range(chain.m):
        store(work.J, WIDTH * entry, splat(q[start + entry]))
    T = forward_keeping_axes(chain, work.J, work.axes)
    _, p, o = loop_error(params, goal, T, load_frame(work.target))
    return get_lane(p, lane), get_lane(o, lane)


@jit
def end_attempt(
    chain: ChainView,
    params: LaneIkParams,
    goal: Goal,
    seeds: Seeds,
    lane: int,
    queue: LaneQueue,
    work: LaneWork,
    q_out: Floats,
    codes_out: Integers,
) -> None:
    """Book the attempt that has ended in a lane, and let the lane go."""
    m, A = chain.m, params.max_attempts
    slot, attempt = queue.lane_slot[lane], queue.lane_attempt[lane]
    problem = queue.problem[slot]
    is_within = work.state[WITHIN + lane] > 0.0
    score = work.state[SCORE + lane]
    queue.iterations[slot * A + attempt] = int(work.state[COUNT + lane])
    release(queue, lane)
    rows = work.q if is_within else work.best
    if params.is_each:
        row = problem * A + attempt
        settle(chain, params, seeds, problem, attempt, lane, rows, row * m, q_out)
        codes_out[N_CODES * row + 1] = queue.iterations[slot * A + attempt]
        codes_out[N_CODES * row + 2] = attempt + 1
        codes_out[N_CODES * row + 3] = attempt
        return
    if attempt > queue.winner[slot]:
        return
    trial = WIDTH * m
    if not settle(chain, params, seeds, problem, attempt, lane, rows, trial, queue.q):
        # Put on a limit it is another configuration, often as good: what counts is the error of that.
        p, o = clamped_error(chain, params, goal, lane, queue.q, trial, work)
        is_within = p <= goal.p_square and o <= goal.o_square
        score = max(p * goal.p_factor, o * goal.o_factor)
    if is_within:
        win(queue, slot, attempt)
    else:
        best = queue.best_score[slot]
        is_better = score < best or (score == best and attempt <= queue.best_attempt[slot])
        if queue.winner[slot] < A or not is_better:
            return
        queue.best_score[slot] = score
        queue.best_attempt[slot] = attempt
    for entry in range(m):
        queue.q[slot * m + entry] = queue.q[trial + entry]


@jit
def close_problem(
    chain: ChainView,
    params: LaneIkParams,
    slot: int,
    queue: LaneQueue,
    q_out: Floats,
    errors_out: Floats,
    codes_out: Integers,
) -> None:
    """Write what a problem has come to, and free its slot."""
    m, A = chain.m, params.max_attempts
    problem = queue.problem[slot]
    queue.problem[slot] = NONE
    if params.is_each:
        return
    at = N_CODES * problem
    start = codes_out[at + 2]
    codes_out[at + 1] += total_iterations(queue, slot, start, A)
    has_won = queue.winner[slot] < A
    codes_out[at + 2] = queue.winner[slot] + 1 if has_won else A
    if start > 0 and not has_won:
        # Called again after a result that failed the exact test: it may still be the best there is.
        ratio = max(
            errors_out[2 * problem] / max(params.position_tolerance, SMALLEST_TOLERANCE),
            errors_out[2 * problem + 1] / max(params.orientation_tolerance, SMALLEST_TOLERANCE),
        )
        if ratio * ratio <= queue.best_score[slot]:
            return
    codes_out[at + 3] = queue.winner[slot] if has_won else queue.best_attempt[slot]
    for entry in range(m):
        q_out[problem * m + entry] = queue.q[slot * m + entry]
