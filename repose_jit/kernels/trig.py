"""Sine, cosine and arctangent over lanes: branch-free, within 4e-16; Numba's own are scalar calls."""

from __future__ import annotations

import math

from repose_jit.kernels._jit import inlined
from repose_jit.kernels.lanes import (
    WIDTH,
    Lanes,
    absolute,
    any_lane,
    get_lane,
    maximum,
    minimum,
    rotate_quadrant,
    set_lane,
    where,
)

# π/2 in three parts (Cody and Waite): the first two have 33 bits, so their products with k < 2²⁰ are exact.
HALF_PI_1 = 1.5707963267341256
HALF_PI_2 = 6.077100506303966e-11
HALF_PI_3 = 2.0222662487959506e-21
TWO_OVER_PI = 0.6366197723675814
# Added to a small number, it rounds it to an integer that stands in the last bits.
ROUNDING = 6755399441055744.0
# Beyond this angle k/2 loses digits of the reduced angle faster than 4e-16 allows: libm takes over, lane by lane.
LARGEST_ANGLE = 1e3

# Minimax polynomials in z = r² for |r| ≤ π/4 and, for the arctangent, |r| ≤ tan(π/8) (Remez, in 60 digits; relative
# error below 4e-18): (sin r/r − 1)/z, (cos r − 1 + z/2)/z², (atan r/r − 1)/z.
SIN = (
    -0.16666666666666632,
    0.008333333333322424,
    -0.00019841269829816877,
    2.755731369520677e-06,
    -2.5050758650795957e-08,
    1.5896827808078039e-10,
)
COS = (
    0.0416666666666666,
    -0.0013888888888874138,
    2.4801587289491895e-05,
    -2.755731435526136e-07,
    2.087572368700509e-09,
    -1.1359669993991624e-11,
)
ATAN = (
    -0.333333333333332,
    0.19999999999954085,
    -0.1428571428024871,
    0.1111111078614566,
    -0.09090897836630009,
    0.07692061639775505,
    -0.06663120409364556,
    0.05848009074724235,
    -0.05039846128561992,
    0.03807833461017387,
    -0.01792229236790832,
)
TAN_PI_8 = 0.41421356237309503
QUARTER_PI = 0.7853981633974483
TINY = 1e-300


@inlined
def sincos(x: Lanes) -> tuple[Lanes, Lanes]:
    """Return sine and cosine of angles [rad]; NaN for NaN and infinity.

    Cody and Waite (1980), Software Manual for the Elementary Functions: reduction to |r| ≤ π/4 and a polynomial.
    """
    shifted = x * TWO_OVER_PI + ROUNDING
    k = shifted - ROUNDING
    r = ((x - k * HALF_PI_1) - k * HALF_PI_2) - k * HALF_PI_3
    z = r * r
    s = r + (r * z) * (
        SIN[0] + z * (SIN[1] + z * (SIN[2] + z * (SIN[3] + z * (SIN[4] + z * SIN[5]))))
    )  # fmt: skip
    c = (1.0 - 0.5 * z) + (z * z) * (
        COS[0] + z * (COS[1] + z * (COS[2] + z * (COS[3] + z * (COS[4] + z * COS[5]))))
    )  # fmt: skip
    sine, cosine = rotate_quadrant(shifted, s, c)
    within = absolute(x) <= LARGEST_ANGLE
    if any_lane(~within):
        for lane in range(WIDTH):
            if not get_lane(within, lane):
                angle = get_lane(x, lane)
                sine = set_lane(sine, lane, math.sin(angle))
                cosine = set_lane(cosine, lane, math.cos(angle))
    return sine, cosine


@inlined
def atan2_first_quadrant(y: Lanes, x: Lanes) -> Lanes:
    """Return atan2(y, x) [rad] for y ≥ 0 and x ≥ 0, not both 0; NaN for NaN."""
    steep = y > x
    t = minimum(x, y) / maximum(maximum(x, y), TINY)
    # Above tan(π/8) the angle is π/4 − atan((1 − t)/(1 + t)), whose argument is small again.
    wide = t > TAN_PI_8
    r = where(wide, (t - 1.0) / (t + 1.0), t)
    z = r * r
    p = ATAN[6] + z * (ATAN[7] + z * (ATAN[8] + z * (ATAN[9] + z * ATAN[10])))
    p = ATAN[0] + z * (ATAN[1] + z * (ATAN[2] + z * (ATAN[3] + z * (ATAN[4] + z * (ATAN[5] + z * p)))))
    angle = where(wide, QUARTER_PI, 0.0) + (r + r * z * p)
    return where(steep, 2.0 * QUARTER_PI - angle, angle)
