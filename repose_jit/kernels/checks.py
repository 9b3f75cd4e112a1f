"""Is every joint value usable, every pose rigid? Read once at vector speed; NumPy would double the cost of a call."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import jit
from repose_jit.kernels.lanes import WIDTH, absolute, all_lanes, load

MAX_VALUE = 1e18
RIGID_TOLERANCE = 1e-6
MAX_POSITION = 1e9


@jit
def first_unusable(values: NDArray[np.float64]) -> int:
    """Return the index of the first joint value in a flat array that is NaN or beyond ±1e18, −1 if there is none."""
    start = 0
    while start + WIDTH <= values.size and all_lanes(absolute(load(values, start)) <= MAX_VALUE):
        start += WIDTH
    for i in range(start, values.size):
        if not math.fabs(values[i]) <= MAX_VALUE:
            return i
    return -1


@jit
def first_non_rigid(T: NDArray[np.float64]) -> int:
    """Return the index of the first pose in a flat (N · 16) array that is not a rigid transform, −1 if there is none.

    The same conditions as ``validation.require_rigid``: finite, last row [0 0 0 1], coordinates within 1e9 m,
    |RᵀR − I| ≤ 1e-6 and det R > 0.
    """
    for k in range(T.size // 16):
        a = T[16 * k : 16 * k + 16]
        sound = True
        for i in range(3):
            for j in range(i, 3):
                dot = a[i] * a[j] + a[4 + i] * a[4 + j] + a[8 + i] * a[8 + j]
                if i == j:
                    dot -= 1.0
                sound = sound and math.fabs(dot) <= RIGID_TOLERANCE
            sound = sound and math.fabs(a[4 * i + 3]) <= MAX_POSITION
        # Each on its own: `max` would pass over NaN.
        for j in range(4):
            sound = sound and math.fabs(a[12 + j] - (1.0 if j == 3 else 0.0)) <= RIGID_TOLERANCE
        det = (
            a[0] * (a[5] * a[10] - a[6] * a[9])
            - a[1] * (a[4] * a[10] - a[6] * a[8])
            + a[2] * (a[4] * a[9] - a[5] * a[8])
        )
        if not (sound and det > 0.0):
            return k
    return -1
