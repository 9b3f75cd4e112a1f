"""One damped step of eight problems: normal matrix, damping, joint limits, step caps."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import inlined, jit
from repose_jit.kernels.arrays import FIXED, PRISMATIC, REVOLUTE
from repose_jit.kernels.chain_view import ChainView
from repose_jit.kernels.jacobian import BASE, column
from repose_jit.kernels.lanes import WIDTH, Lanes, absolute, any_lane, load, maximum, minimum, splat, store, where
from repose_jit.kernels.linalg import add_outer, factorise, substitute, zero_matrix
from repose_jit.kernels.pointer import Floats, Integers, pointer
from repose_jit.kernels.task_error import FULL_POSE, project_normal, projectors

# The adaptive rule.
DAMPING_GAIN = 0.05
"""λ² = 0.05 ‖e‖² + floor: Chan and Lawrence (1988), damping in proportion to the squared error."""
DAMPING_FLOOR = 1e-10
"""1e-6 leaves a few per thousand targets unsolved at tolerances of 1e-6."""
LENGTHS_PER_RADIAN = 5.0
"""A rotation of 1 rad weighs as much as a fifth of the arm's length."""
LARGEST_STEP = 1.0
"""Of a revolute joint [rad]; of a prismatic one in units of that fifth."""
DEFAULT_LENGTH = 1.0
"""Of a chain whose joints have no offsets [m]: there is no position to reach, so any will do."""


class StepRule(NamedTuple):
    """How errors become steps; lengths in metres.

    Attributes
    ----------
    weight
        Of position rows [1/m].
    slide
        Metres that count as one radian in a prismatic joint's step.
    gain, floor
        ``λ² = gain · ‖weighted error‖² + floor``.
    revolute_cap, prismatic_cap
        Largest step of a joint [rad, m].
    drop_blocked
        Leave joints that a limit stops out of the step; otherwise clamp them after it.
    """

    weight: float
    slide: float
    gain: float
    floor: float
    revolute_cap: float
    prismatic_cap: float
    drop_blocked: bool


class Drives(NamedTuple):
    """Which slots an entry of q moves: the first one, and from each slot the next; −1 ends the list."""

    first: Integers
    next: Integers


@jit
def adaptive_rule(chain: ChainView) -> StepRule:
    """Return the adaptive rule in the units of the arm: a chain twice as large takes the same steps."""
    length = 0.0
    for i in range(1, chain.n + 1):
        x, y, z = chain.transforms[12 * i + 9], chain.transforms[12 * i + 10], chain.transforms[12 * i + 11]
        length += math.sqrt(x * x + y * y + z * z)
    for entry in range(chain.m):
        stroke = chain.limits[chain.m + entry] - chain.limits[entry]
        if chain.entries[entry] == PRISMATIC and stroke < np.inf:
            length += stroke
    unit = (length if length > 0.0 else DEFAULT_LENGTH) / LENGTHS_PER_RADIAN
    return StepRule(1.0 / unit, unit, DAMPING_GAIN, DAMPING_FLOOR, LARGEST_STEP, LARGEST_STEP * unit, True)


@jit
def fixed_rule(damping: float, max_step: float, max_linear_step: float) -> StepRule:
    """Return the rule of constant damping λ: errors as they are, the caps given, limits by clamping."""
    return StepRule(1.0, 1.0, 0.0, damping * damping, max_step, max_linear_step, False)


@jit
def list_drives(chain: ChainView, integers_work: NDArray[np.int64]) -> Drives:
    """Return the slots that each entry of q moves, none for an entry that moves nothing; lives in (m + n) integers."""
    for i in range(chain.m + chain.n):
        integers_work[i] = -1
    drives = Drives(pointer(integers_work), pointer(integers_work[chain.m :]))
    for i in range(chain.n - 1, -1, -1):
        entry = chain.slots[2 * i + 1]
        if chain.slots[2 * i] != FIXED and chain.entries[entry] != FIXED:
            drives.next[i] = drives.first[entry]
            drives.first[entry] = i
    return drives


@inlined
def take_step(
    chain: ChainView,
    drives: Drives,
    rule: StepRule,
    T: tuple[Lanes, ...],
    target: tuple[Lanes, ...],
    e: tuple[Lanes, ...],
    size: Lanes,
    stay: Lanes,
    kind: int,
    mask: tuple[float, ...],
    axis: int,
    axes_work: Floats,
    bounds_work: Floats,
    J_work: Floats,
    q_work: Floats,
) -> None:
    """Move q by ``Jᵀ (J Jᵀ + λ² I)⁻¹ e``, scaled as a whole to the step caps.

    A joint at a bound that the error pulls outward (Jᵀe) is left out of this step. Clamping it afterwards instead
    spoils the step of all others, and most attempts fail.

    Parameters
    ----------
    T, target, e, size
        Tool frames, targets, the error's controlled part in base axes [m, rad], and its squared weighted norm.
    stay
        Lanes that keep their q.
    kind, mask, axis
        What is controlled: :func:`~repose_jit.kernels.task_error.projectors`.
    axes_work
        What ``keep_axis`` kept.
    bounds_work
        Lower and upper bound of each entry of q, two scratch rows.
    J_work, q_work
        Scratch for six rows per entry of q; q itself, changed.
    """
    m = chain.m
    w = rule.weight
    e0, e1, e2, e3, e4, e5 = w * e[0], w * e[1], w * e[2], e[3], e[4], e[5]
    a = zero_matrix()
    for entry in range(m):
        slot = drives.first[entry]
        if slot < 0:
            continue
        scale = 1.0 if chain.entries[entry] == REVOLUTE else rule.slide
        j0, j1, j2, j3, j4, j5 = column(chain, slot, T, BASE, axes_work)
        slot = drives.next[slot]
        while slot >= 0:
            c = column(chain, slot, T, BASE, axes_work)
            j0, j1, j2, j3, j4, j5 = j0 + c[0], j1 + c[1], j2 + c[2], j3 + c[3], j4 + c[4], j5 + c[5]
            slot = drives.next[slot]
        j0, j1, j2 = j0 * (w * scale), j1 * (w * scale), j2 * (w * scale)
        j3, j4, j5 = j3 * scale, j4 * scale, j5 * scale
        if rule.drop_blocked:
            q = load(q_work, WIDTH * entry)
            at_lower = q <= load(bounds_work, 2 * WIDTH * entry)
            at_upper = q >= load(bounds_work, 2 * WIDTH * entry + 8)
            if any_lane(at_lower | at_upper):
                pull = j0 * e0 + j1 * e1 + j2 * e2 + j3 * e3 + j4 * e4 + j5 * e5
                blocked = (at_lower & (pull < 0.0)) | (at_upper & (pull > 0.0))
                j0, j1, j2 = where(blocked, 0.0, j0), where(blocked, 0.0, j1), where(blocked, 0.0, j2)
                j3, j4, j5 = where(blocked, 0.0, j3), where(blocked, 0.0, j4), where(blocked, 0.0, j5)
        row = 6 * WIDTH * entry
        store(J_work, row, j0)
        store(J_work, row + 8, j1)
        store(J_work, row + 16, j2)
        store(J_work, row + 24, j3)
        store(J_work, row + 32, j4)
        store(J_work, row + 40, j5)
        a = add_outer(a, (j0, j1, j2, j3, j4, j5))
    if kind != FULL_POSE:
        P, O = projectors(T, target, kind, mask, axis)  # noqa: E741
        a = project_normal(a, P, O)
    y = substitute(factorise(a, rule.gain * size + rule.floor), (e0, e1, e2, e3, e4, e5))
    excess = splat(1.0)
    for entry in range(m):
        if drives.first[entry] < 0:
            continue
        is_revolute = chain.entries[entry] == REVOLUTE
        row = 6 * WIDTH * entry
        step = load(J_work, row) * y[0] + load(J_work, row + 8) * y[1] + load(J_work, row + 16) * y[2]
        step += load(J_work, row + 24) * y[3] + load(J_work, row + 32) * y[4] + load(J_work, row + 40) * y[5]
        step *= 1.0 if is_revolute else rule.slide
        cap = rule.revolute_cap if is_revolute else rule.prismatic_cap
        excess = maximum(absolute(step) * (1.0 / cap), excess)
        # The first row of the column has been used up.
        store(J_work, row, step)
    ratio = 1.0 / excess
    for entry in range(m):
        if drives.first[entry] < 0:
            continue
        at = WIDTH * entry
        q = load(q_work, at)
        moved = q + load(J_work, 6 * at) * ratio
        moved = minimum(maximum(moved, load(bounds_work, 2 * at)), load(bounds_work, 2 * at + 8))
        store(q_work, at, where(stay, q, moved))
