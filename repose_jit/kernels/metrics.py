"""Measures of dexterity over lanes, all from one Jacobian, and what a site has of them on average and at best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import inlined, jit
from repose_jit.kernels.arrays import ChainArrays
from repose_jit.kernels.chain_view import ChainView, view_chain
from repose_jit.kernels.fk import pad_rows
from repose_jit.kernels.jacobian import BASE, jacobian_block
from repose_jit.kernels.lanes import WIDTH, Lanes, maximum, minimum, splat, store, where
from repose_jit.kernels.svd import column_norm, load_tall, orthogonalise

# In this order those of the same matrix are neighbours, and it is decomposed once.
MANIPULABILITY = 0
SIGMA_MIN = 1
INVERSE_CONDITION = 2
INVERSE_CONDITION_LINEAR = 3
INVERSE_CONDITION_ANGULAR = 4

# Rows with no singular value above this [m or 1] move nothing: an arm of metres leaves 1e-15 where columns cancel.
STILL = 1e-12


@inlined
def part_of(code: int, scale: float) -> tuple[int, int, float]:
    """Return first row, number of rows and factor of the linear rows of the part of J that a measure is about."""
    if code == INVERSE_CONDITION:
        return 0, 6, scale
    if code == INVERSE_CONDITION_LINEAR:
        return 0, 3, 1.0
    if code == INVERSE_CONDITION_ANGULAR:
        return 3, 3, 1.0
    return 0, 6, 1.0


@jit
def spectrum(
    chain: ChainView, first: int, count: int, scale: float, J_work: NDArray[np.float64], B_work: NDArray[np.float64]
) -> tuple[Lanes, Lanes, Lanes]:
    """Return product, least and largest of the singular values of part of eight Jacobians; NaN where nothing moves."""
    rows, k = load_tall(chain, first, count, scale, J_work, B_work)
    if k == 0:
        return splat(np.nan), splat(np.nan), splat(np.nan)
    orthogonalise(rows, k, 0, B_work, B_work)
    product = column_norm(rows, k, 0, B_work)
    least, largest = product, product
    for c in range(1, k):
        sigma = column_norm(rows, k, c, B_work)
        product = product * sigma
        least, largest = minimum(sigma, least), maximum(sigma, largest)
    return product, least, largest


@jit
def metrics_block(
    chain: ChainView,
    q: NDArray[np.float64],
    row: int,
    codes: NDArray[np.int64],
    scale: float,
    start: int,
    stride: int,
    axes_work: NDArray[np.float64],
    J_work: NDArray[np.float64],
    B_work: NDArray[np.float64],
    values_out: NDArray[np.float64],
) -> None:
    """Write measure i of the eight configurations from `row` on to ``values_out[start + i * stride : ... + 8]``."""
    jacobian_block(chain, q, row, BASE, axes_work, J_work)
    product, least, largest = splat(0.0), splat(0.0), splat(0.0)
    for i in range(codes.size):
        code = codes[i]
        part = part_of(code, scale)
        if i == 0 or part != part_of(codes[i - 1], scale):
            product, least, largest = spectrum(chain, part[0], part[1], part[2], J_work, B_work)
        if code == MANIPULABILITY:
            value = product
        elif code == SIGMA_MIN:
            value = least
        else:
            moves = largest > STILL
            value = where(moves, least / where(moves, largest, 1.0), np.nan)
        store(values_out, start + i * stride, value)


@jit
def metrics(
    chain: ChainArrays, q: NDArray[np.float64], codes: NDArray[np.int64], scale: float, values_out: NDArray[np.float64]
) -> None:
    """Write the measures `codes`, in rising order, of every configuration.

    q is flat (N · m), values_out flat (codes · N), one measure after the other. `scale` [1/m] multiplies the linear
    rows for INVERSE_CONDITION. Half a microsecond per pose and matrix: as many as ``singular_values`` takes.
    """
    view = view_chain(chain)
    m = view.m
    count = q.size // m
    axes_work = np.empty(6 * WIDTH * view.n)
    J_work = np.empty(6 * WIDTH * m)
    B_work = np.empty(6 * WIDTH * m)
    if count < WIDTH:
        rows = np.empty(WIDTH * codes.size)
        metrics_block(view, pad_rows(q, m), 0, codes, scale, 0, WIDTH, axes_work, J_work, B_work, rows)
        for i in range(codes.size):
            for k in range(count):
                values_out[i * count + k] = rows[WIDTH * i + k]
        return
    for row in range(0, count, WIDTH):
        first = min(row, count - WIDTH)
        metrics_block(view, q, first, codes, scale, first, count, axes_work, J_work, B_work, values_out)


@jit
def site_statistics(
    values: NDArray[np.float64], count: int, mean_out: NDArray[np.float64], max_out: NDArray[np.float64]
) -> None:
    """Write mean and maximum of each run of `count` values, NaN left out; NaN where a run has nothing else.

    Values are flat (S · count). They are added from first to last: the order of NumPy's sum depends on the CPU.
    """
    for s in range(mean_out.size):
        total, largest, found = 0.0, -np.inf, 0
        for i in range(s * count, (s + 1) * count):
            x = values[i]
            if not np.isnan(x):
                total += x
                largest = max(largest, x)
                found += 1
        mean_out[s] = total / found if found > 0 else np.nan
        max_out[s] = largest if found > 0 else np.nan
