"""Small dense linear algebra over lanes: the 6 × 6 normal matrix, its solve and its determinant."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import jit
from repose_jit.kernels.lanes import WIDTH, Lanes, load, splat


@jit
def normal_matrix(m: int, J_work: NDArray[np.float64]) -> tuple[Lanes, ...]:
    """Return the lower triangle of J Jᵀ row by row (21 lanes); entry (r, e) of J is scratch row r·m + e."""
    a00, a10, a11, a20, a21, a22 = splat(0.0), splat(0.0), splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    a30, a31, a32, a33 = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    a40, a41, a42, a43, a44 = splat(0.0), splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    a50, a51, a52, a53, a54, a55 = splat(0.0), splat(0.0), splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    stride = WIDTH * m
    for e in range(m):
        at = WIDTH * e
        j0, j1, j2 = load(J_work, at), load(J_work, at + stride), load(J_work, at + 2 * stride)
        j3, j4, j5 = load(J_work, at + 3 * stride), load(J_work, at + 4 * stride), load(J_work, at + 5 * stride)
        a00 += j0 * j0
        a10 += j1 * j0
        a11 += j1 * j1
        a20 += j2 * j0
        a21 += j2 * j1
        a22 += j2 * j2
        a30 += j3 * j0
        a31 += j3 * j1
        a32 += j3 * j2
        a33 += j3 * j3
        a40 += j4 * j0
        a41 += j4 * j1
        a42 += j4 * j2
        a43 += j4 * j3
        a44 += j4 * j4
        a50 += j5 * j0
        a51 += j5 * j1
        a52 += j5 * j2
        a53 += j5 * j3
        a54 += j5 * j4
        a55 += j5 * j5
    return (
        a00, a10, a11, a20, a21, a22, a30, a31, a32, a33, a40, a41, a42, a43, a44, a50, a51, a52, a53, a54, a55,
    )  # fmt: skip


@jit
def factorise(a: tuple[Lanes, ...], shift: float) -> tuple[Lanes, ...]:
    """Return L and 1/D of ``A + shift · I = L D Lᵀ``: 15 entries of L row by row, then 6 reciprocals.

    A is the lower triangle of a symmetric 6 × 6 matrix (21 lanes). Golub and Van Loan (2013), section 4.1.2; without
    pivoting, which positive definite matrices do not need. Straight-line code: the eight lanes leave no loop to unroll.
    """
    d0 = 1.0 / (a[0] + shift)
    l10, l20, l30, l40, l50 = a[1] * d0, a[3] * d0, a[6] * d0, a[10] * d0, a[15] * d0
    d1 = 1.0 / (a[2] + shift - l10 * a[1])
    u21, u31, u41, u51 = a[4] - l20 * a[1], a[7] - l30 * a[1], a[11] - l40 * a[1], a[16] - l50 * a[1]
    l21, l31, l41, l51 = u21 * d1, u31 * d1, u41 * d1, u51 * d1
    d2 = 1.0 / (a[5] + shift - l20 * a[3] - l21 * u21)
    u32, u42, u52 = a[8] - l30 * a[3] - l31 * u21, a[12] - l40 * a[3] - l41 * u21, a[17] - l50 * a[3] - l51 * u21
    l32, l42, l52 = u32 * d2, u42 * d2, u52 * d2
    d3 = 1.0 / (a[9] + shift - l30 * a[6] - l31 * u31 - l32 * u32)
    u43 = a[13] - l40 * a[6] - l41 * u31 - l42 * u32
    u53 = a[18] - l50 * a[6] - l51 * u31 - l52 * u32
    l43, l53 = u43 * d3, u53 * d3
    d4 = 1.0 / (a[14] + shift - l40 * a[10] - l41 * u41 - l42 * u42 - l43 * u43)
    u54 = a[19] - l50 * a[10] - l51 * u41 - l52 * u42 - l53 * u43
    l54 = u54 * d4
    d5 = 1.0 / (a[20] + shift - l50 * a[15] - l51 * u51 - l52 * u52 - l53 * u53 - l54 * u54)
    return (
        l10, l20, l21, l30, l31, l32, l40, l41, l42, l43, l50, l51, l52, l53, l54, d0, d1, d2, d3, d4, d5,
    )  # fmt: skip


@jit
def substitute(f: tuple[Lanes, ...], b: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """Return x of ``L D Lᵀ x = b``, six lanes, from what :func:`factorise` returned."""
    y0 = b[0]
    y1 = b[1] - f[0] * y0
    y2 = b[2] - f[1] * y0 - f[2] * y1
    y3 = b[3] - f[3] * y0 - f[4] * y1 - f[5] * y2
    y4 = b[4] - f[6] * y0 - f[7] * y1 - f[8] * y2 - f[9] * y3
    y5 = b[5] - f[10] * y0 - f[11] * y1 - f[12] * y2 - f[13] * y3 - f[14] * y4
    x5 = y5 * f[20]
    x4 = y4 * f[19] - f[14] * x5
    x3 = y3 * f[18] - f[9] * x4 - f[13] * x5
    x2 = y2 * f[17] - f[5] * x3 - f[8] * x4 - f[12] * x5
    x1 = y1 * f[16] - f[2] * x2 - f[4] * x3 - f[7] * x4 - f[11] * x5
    x0 = y0 * f[15] - f[0] * x1 - f[1] * x2 - f[3] * x3 - f[6] * x4 - f[10] * x5
    return x0, x1, x2, x3, x4, x5
