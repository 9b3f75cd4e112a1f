"""Sine and cosine of arrays of angles; the bits are the same on all CPUs with fused multiply-add, unlike NumPy's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import inlined, jit
from repose_jit.kernels.lanes import WIDTH, Lanes, get_lane, load, rotate_quadrant, store
from repose_jit.kernels.trig import ROUNDING, sincos

TURN = 6.283185307179586


@jit
def sincos_of_angles(x: NDArray[np.float64], sine_out: NDArray[np.float64], cosine_out: NDArray[np.float64]) -> None:
    """Write sine and cosine of angles [rad]; all arrays are flat and of one size."""
    whole = x.size // WIDTH * WIDTH
    for start in range(0, whole, WIDTH):
        s, c = sincos(load(x, start))
        store(sine_out, start, s)
        store(cosine_out, start, c)
    rest = np.zeros(WIDTH)
    rest[: x.size - whole] = x[whole:]
    s, c = sincos(load(rest, 0))
    for i in range(whole, x.size):
        sine_out[i] = get_lane(s, i - whole)
        cosine_out[i] = get_lane(c, i - whole)


@jit
def sincos_of_turns(x: NDArray[np.float64], sine_out: NDArray[np.float64], cosine_out: NDArray[np.float64]) -> None:
    """Write sine and cosine of angles [turns], at most 2⁴⁰ in magnitude; all arrays are flat and of one size."""
    whole = x.size // WIDTH * WIDTH
    for start in range(0, whole, WIDTH):
        s, c = sincos_turns(load(x, start))
        store(sine_out, start, s)
        store(cosine_out, start, c)
    rest = np.zeros(WIDTH)
    rest[: x.size - whole] = x[whole:]
    s, c = sincos_turns(load(rest, 0))
    for i in range(whole, x.size):
        sine_out[i] = get_lane(s, i - whole)
        cosine_out[i] = get_lane(c, i - whole)


@inlined
def sincos_turns(x: Lanes) -> tuple[Lanes, Lanes]:
    """Return sine and cosine of angles [turns]: the nearest quarter is taken off, exactly, before π comes in."""
    shifted = x * 4.0 + ROUNDING
    s, c = sincos((x - (shifted - ROUNDING) * 0.25) * TURN)
    s, c = rotate_quadrant(shifted, s, c)
    return s, c
