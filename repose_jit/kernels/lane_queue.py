"""Which lane works on which attempt of which problem, and what each problem has come to.

Eight problems at most are open at a time, each in a slot. A lane whose attempt has failed takes the next one of its
problem; a lane whose problem is solved takes a new problem; when none is left, it helps with the attempts of others.
The order in which attempts end changes nothing: the lowest one that converges wins, and those above it are dropped.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import jit
from repose_jit.kernels.lanes import WIDTH
from repose_jit.kernels.pointer import Floats, Integers, pointer

NONE = -1


class LaneQueue(NamedTuple):
    """Scratch of the scheduler; WIDTH slots and lanes, A attempts.

    Attributes
    ----------
    lane_slot, lane_attempt
        (8,) what each lane works on, or worked on last; NONE as its attempt when it is idle.
    problem
        (8,) the problem in each slot; NONE when it is free.
    next_attempt, running, winner, best_attempt
        (8,) the attempt to start next, lanes at work, lowest converged attempt (A if none), attempt with least error.
    best_score
        (8,) that least error, in tolerances, squared.
    iterations
        (8 · A,) steps of each attempt.
    q
        (9 · m,) the configuration of each slot's winner, or of its best; a last row to try one.
    """

    lane_slot: Integers
    lane_attempt: Integers
    problem: Integers
    next_attempt: Integers
    running: Integers
    winner: Integers
    best_attempt: Integers
    best_score: Floats
    iterations: Integers
    q: Floats


@jit
def make_queue(floats_work: NDArray[np.float64], integers_work: NDArray[np.int64]) -> LaneQueue:
    """Return a queue with idle lanes and free slots; it lives in the first (9 · m + 8) and (8 · A + 56) numbers."""
    for i in range(3 * WIDTH):
        integers_work[i] = NONE
    return LaneQueue(
        pointer(integers_work),
        pointer(integers_work[WIDTH:]),
        pointer(integers_work[2 * WIDTH :]),
        pointer(integers_work[3 * WIDTH :]),
        pointer(integers_work[4 * WIDTH :]),
        pointer(integers_work[5 * WIDTH :]),
        pointer(integers_work[6 * WIDTH :]),
        pointer(floats_work),
        pointer(integers_work[7 * WIDTH :]),
        pointer(floats_work[WIDTH:]),
    )


@jit
def open_problem(queue: LaneQueue, slot: int, problem: int, start: int, attempts: int) -> None:
    """Put a problem whose attempts below `start` are over into a free slot."""
    queue.problem[slot] = problem
    queue.next_attempt[slot] = start
    queue.running[slot] = 0
    queue.winner[slot] = attempts
    queue.best_attempt[slot] = start
    queue.best_score[slot] = np.inf


@jit
def has_attempt(queue: LaneQueue, slot: int, attempts: int) -> bool:
    """Tell whether a slot has an attempt left that could still matter."""
    return bool(queue.problem[slot] >= 0 and queue.next_attempt[slot] < min(queue.winner[slot], attempts))


@jit
def free_slot(queue: LaneQueue) -> int:
    """Return a free slot; there is one whenever a lane is idle and problems are left."""
    for slot in range(WIDTH):
        if queue.problem[slot] == NONE:
            return slot
    return NONE


@jit
def neediest_slot(queue: LaneQueue, attempts: int) -> int:
    """Return the slot with an attempt left and the fewest started; NONE if there is none."""
    best = NONE
    for slot in range(WIDTH):
        if has_attempt(queue, slot, attempts) and (best == NONE or queue.next_attempt[slot] < queue.next_attempt[best]):
            best = slot
    return best


@jit
def start_attempt(queue: LaneQueue, lane: int, slot: int) -> None:
    """Give a lane the next attempt of a slot."""
    queue.lane_slot[lane] = slot
    queue.lane_attempt[lane] = queue.next_attempt[slot]
    queue.next_attempt[slot] += 1
    queue.running[slot] += 1


@jit
def release(queue: LaneQueue, lane: int) -> None:
    """Take a lane off its attempt."""
    queue.running[queue.lane_slot[lane]] -= 1
    queue.lane_attempt[lane] = NONE


@jit
def win(queue: LaneQueue, slot: int, attempt: int) -> None:
    """Note the lowest attempt of a slot that has converged, and take all lanes off the later ones."""
    queue.winner[slot] = attempt
    for lane in range(WIDTH):
        if queue.lane_slot[lane] == slot and queue.lane_attempt[lane] > attempt:
            release(queue, lane)


@jit
def total_iterations(queue: LaneQueue, slot: int, start: int, attempts: int) -> int:
    """Return the steps of the attempts from `start` up to the winner, or of all."""
    total = 0
    for attempt in range(start, min(queue.winner[slot] + 1, attempts)):
        total += queue.iterations[slot * attempts + attempt]
    return total
