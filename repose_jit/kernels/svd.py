"""Singular values of Jacobians over lanes, and the exact (undamped) least-squares step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import jit
from repose_jit.kernels.arrays import FIXED, ChainArrays
from repose_jit.kernels.chain_view import ChainView, view_chain
from repose_jit.kernels.fk import pad_rows
from repose_jit.kernels.jacobian import BASE, jacobian_block, write_rows
from repose_jit.kernels.lanes import (
    WIDTH,
    Lanes,
    absolute,
    any_lane,
    load,
    maximum,
    minimum,
    product_difference,
    splat,
    sqrt,
    store,
    where,
)

# Columns count as orthogonal when their cosine is below this; one-sided Jacobi converges quadratically, so the next
# sweep would be at rounding level.
ORTHOGONAL = 1e-15
MAX_SWEEPS = 30
# A singular value at most this fraction of the largest one makes the Jacobian singular.
SINGULAR_RATIO = 1e-6
SMALLEST = 1e-300


@jit
def moving_entries(chain: ChainView) -> int:
    """Return the number of entries of q that move the tool."""
    moving = 0
    for e in range(chain.m):
        if chain.entries[e] != FIXED:
            moving += 1
    return moving


@jit
def load_tall(
    chain: ChainView, first: int, count: int, scale: float, J_work: NDArray[np.float64], B_work: NDArray[np.float64]
) -> tuple[int, int]:
    """Copy rows of J to the scratch as a tall matrix, without the columns of entries that move nothing.

    The rows `first` to `first + count − 1`, the linear ones (0 to 2) times `scale`. The matrix is transposed where it
    has as many columns as rows, or more.

    Returns
    -------
    rows, columns
        Of the tall matrix; entry (r, c) is in scratch row r·columns + c.
    """
    m = chain.m
    moving = moving_entries(chain)
    is_transposed = moving >= count
    at = 0
    for e in range(m):
        if chain.entries[e] == FIXED:
            continue
        for r in range(count):
            x = load(J_work, WIDTH * ((first + r) * m + e))
            if first + r < 3:
                x = x * scale
            store(B_work, WIDTH * (count * at + r if is_transposed else r * moving + at), x)
        at += 1
    if is_transposed:
        return moving, count
    return count, moving


@jit
def rotate_columns(work: NDArray[np.float64], rows: int, columns: int, i: int, j: int, c: Lanes, s: Lanes) -> None:
    """Replace columns i and j of a scratch matrix by c·i − s·j and s·i + c·j."""
    for r in range(rows):
        at_i, at_j = WIDTH * (r * columns + i), WIDTH * (r * columns + j)
        x, y = load(work, at_i), load(work, at_j)
        store(work, at_i, product_difference(c, x, s, y))
        store(work, at_j, s * x + c * y)


@jit
def orthogonalise(rows: int, k: int, turned: int, B_work: NDArray[np.float64], W_work: NDArray[np.float64]) -> None:
    """Rotate the k columns of B until they are orthogonal, and the first `turned` rows of the identity W with them.

    `turned` is k for all of W, or 0 where the norms alone are wanted: no W is needed then. One-sided Jacobi (Hestenes
    1958; Golub and Van Loan 2013, section 8.6.3): the norms of the columns are then the singular values of B, to full
    relative accuracy. A lane whose columns are orthogonal is left exactly as it is.
    """
    for i in range(turned):
        for j in range(k):
            store(W_work, WIDTH * (i * k + j), splat(1.0 if i == j else 0.0))
    for _ in range(MAX_SWEEPS):
        done = True
        for i in range(k - 1):
            for j in range(i + 1, k):
                a, b, g = splat(0.0), splat(0.0), splat(0.0)
                for r in range(rows):
                    x, y = load(B_work, WIDTH * (r * k + i)), load(B_work, WIDTH * (r * k + j))
                    a += x * x
                    b += y * y
                    g += x * y
                skew = absolute(g) > ORTHOGONAL * sqrt(a) * sqrt(b) + SMALLEST
                if not any_lane(skew):
                    continue
                done = False
                zeta = (b - a) / where(skew, 2.0 * g, 1.0)
                t = 1.0 / (absolute(zeta) + sqrt(1.0 + zeta * zeta))
                t = where(skew, where(zeta < 0.0, -t, t), 0.0)
                c = 1.0 / sqrt(1.0 + t * t)
                rotate_columns(B_work, rows, k, i, j, c, c * t)
                rotate_columns(W_work, turned, k, i, j, c, c * t)
        if done:
            break


@jit
def column_norm(rows: int, k: int, c: int, B_work: NDArray[np.float64]) -> Lanes:
    """Return the Euclidean norm of column c of a scratch matrix with k columns."""
    square = splat(0.0)
    for r in range(rows):
        x = load(B_work, WIDTH * (r * k + c))
        square += x * x
    return sqrt(square)


@jit
def exact_step(
    chain: ChainView,
    e: tuple[Lanes, ...],
    J_work: NDArray[np.float64],
    B_work: NDArray[np.float64],
    W_work: NDArray[np.float64],
    step_work: NDArray[np.float64],
) -> Lanes:
    """Write J⁺e, one scratch row per entry of q, and return the lanes whose J is singular.

    Singular: the min(6, m)-th singular value is at most 1e-6 of the largest.
    """
    m = chain.m
    rows, k = load_tall(chain, 0, 6, 1.0, J_work, B_work)
    orthogonalise(rows, k, k, B_work, W_work)
    largest, least = splat(0.0), splat(np.inf)
    for c in range(k):
        sigma = column_norm(rows, k, c, B_work)
        largest, least = maximum(sigma, largest), minimum(sigma, least)
    regular = least > SINGULAR_RATIO * largest
    for entry in range(m):
        store(step_work, WIDTH * entry, splat(0.0))
    for c in range(k):
        sigma = column_norm(rows, k, c, B_work)
        # Tall Jᵀ = B Wᵀ gives J⁺e = Σ B_c (W_cᵀ e)/σ²; tall J = B Wᵀ gives J⁺e = Σ W_c (B_cᵀ e)/σ².
        dot = splat(0.0)
        for r in range(6):
            side = load(W_work, WIDTH * (r * k + c)) if k == 6 else load(B_work, WIDTH * (r * k + c))
            dot += side * e[r]
        dot = dot / where(regular, sigma * sigma, 1.0)
        moving = 0
        for entry in range(m):
            if chain.entries[entry] == FIXED:
                continue
            side = load(B_work, WIDTH * (moving * k + c)) if k == 6 else load(W_work, WIDTH * (moving * k + c))
            store(step_work, WIDTH * entry, load(step_work, WIDTH * entry) + side * dot)
            moving += 1
    return ~regular


@jit
def singular_block(
    chain: ChainView,
    q: NDArray[np.float64],
    row: int,
    axes_work: NDArray[np.float64],
    J_work: NDArray[np.float64],
    B_work: NDArray[np.float64],
    sigma_work: NDArray[np.float64],
) -> None:
    """Write the singular values of eight Jacobians to the scratch, largest first."""
    jacobian_block(chain, q, row, BASE, axes_work, J_work)
    rows, k = load_tall(chain, 0, 6, 1.0, J_work, B_work)
    orthogonalise(rows, k, 0, B_work, B_work)
    for c in range(k):
        value = column_norm(rows, k, c, B_work)
        for other in range(c):
            held = load(sigma_work, WIDTH * other)
            store(sigma_work, WIDTH * other, maximum(held, value))
            value = minimum(held, value)
        store(sigma_work, WIDTH * c, value)


@jit
def singular_values(chain: ChainArrays, q: NDArray[np.float64], sigma_out: NDArray[np.float64]) -> None:
    """Write the min(6, m) singular values of every Jacobian, largest first; q flat (N · m), sigma_out flat (N · k)."""
    view = view_chain(chain)
    m = view.m
    k = min(6, moving_entries(view))
    count = q.size // m
    axes_work = np.empty(6 * WIDTH * view.n)
    J_work = np.empty(6 * WIDTH * m)
    B_work = np.empty(6 * WIDTH * m)
    sigma_work = np.empty(WIDTH * k)
    if count < WIDTH:
        rows = np.empty(WIDTH * k)
        singular_block(view, pad_rows(q, m), 0, axes_work, J_work, B_work, sigma_work)
        write_rows(sigma_work, k, 0, rows)
        sigma_out[:] = rows[: sigma_out.size]
        return
    for row in range(0, count, WIDTH):
        first = min(row, count - WIDTH)
        singular_block(view, q, first, axes_work, J_work, B_work, sigma_work)
        write_rows(sigma_work, k, first * k, sigma_out)
