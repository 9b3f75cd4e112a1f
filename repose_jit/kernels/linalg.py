"""Small dense linear algebra over lanes: the 6 × 6 normal matrix, its solve and its determinant."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import inlined
from repose_jit.kernels.lanes import WIDTH, Lanes, load, product_difference, splat


@inlined
def zero_matrix() -> tuple[Lanes, ...]:
    """Return the lower triangle of a symmetric 6 × 6 matrix of zeros, row by row (21 lanes)."""
    zero = splat(0.0)
    return (
        zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
        zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,
    )  # fmt: skip


@inlined
def add_outer(a: tuple[Lanes, ...], j: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """Return ``A + j jᵀ`` of a symmetric 6 × 6 matrix, its lower triangle row by row (21 lanes), and six lanes j."""
    return (
        a[0] + j[0] * j[0],
        a[1] + j[1] * j[0], a[2] + j[1] * j[1],
        a[3] + j[2] * j[0], a[4] + j[2] * j[1], a[5] + j[2] * j[2],
        a[6] + j[3] * j[0], a[7] + j[3] * j[1], a[8] + j[3] * j[2], a[9] + j[3] * j[3],
        a[10] + j[4] * j[0], a[11] + j[4] * j[1], a[12] + j[4] * j[2], a[13] + j[4] * j[3], a[14] + j[4] * j[4],
        a[15] + j[5] * j[0], a[16] + j[5] * j[1], a[17] + j[5] * j[2], a[18] + j[5] * j[3], a[19] + j[5] * j[4],
        a[20] + j[5] * j[5],
    )  # fmt: skip


@inlined
def normal_matrix(m: int, J_work: NDArray[np.float64]) -> tuple[Lanes, ...]:
    """Return the lower triangle of J Jᵀ row by row (21 lanes); entry (r, e) of J is scratch row r·m + e."""
    a = zero_matrix()
    stride = WIDTH * m
    for e in range(m):
        at = WIDTH * e
        j = (
            load(J_work, at), load(J_work, at + stride), load(J_work, at + 2 * stride),
            load(J_work, at + 3 * stride), load(J_work, at + 4 * stride), load(J_work, at + 5 * stride),
        )  # fmt: skip
        a = add_outer(a, j)
    return a


@inlined
def factorise(a: tuple[Lanes, ...], shift: float | Lanes) -> tuple[Lanes, ...]:
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


@inlined
def substitute(f: tuple[Lanes, ...], b: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """Return x of ``L D Lᵀ x = b``, six lanes, from what :func:`factorise` returned."""
    y0 = b[0]
    y1 = b[1] - f[0] * y0
    y2 = b[2] - f[1] * y0 - f[2] * y1
    y3 = b[3] - f[3] * y0 - f[4] * y1 - f[5] * y2
    y4 = b[4] - f[6] * y0 - f[7] * y1 - f[8] * y2 - f[9] * y3
    y5 = b[5] - f[10] * y0 - f[11] * y1 - f[12] * y2 - f[13] * y3 - f[14] * y4
    x5 = y5 * f[20]
    x4 = product_difference(y4, f[19], f[14], x5)
    x3 = product_difference(y3, f[18], f[9], x4) - f[13] * x5
    x2 = product_difference(y2, f[17], f[5], x3) - f[8] * x4 - f[12] * x5
    x1 = product_difference(y1, f[16], f[2], x2) - f[4] * x3 - f[7] * x4 - f[11] * x5
    x0 = product_difference(y0, f[15], f[0], x1) - f[1] * x2 - f[3] * x3 - f[6] * x4 - f[10] * x5
    return x0, x1, x2, x3, x4, x5
