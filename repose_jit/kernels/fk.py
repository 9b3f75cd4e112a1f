"""Forward kinematics over lanes: eight configurations go down the chain together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import inlined, jit
from repose_jit.kernels.arrays import PRISMATIC, REVOLUTE, ChainArrays
from repose_jit.kernels.chain_view import ChainView, view_chain
from repose_jit.kernels.lanes import WIDTH, Lanes, gather, load, product_difference, splat, store_transposed
from repose_jit.kernels.trig import sincos

POSE = 16


@inlined
def constant_frame(chain: ChainView, i: int) -> tuple[Lanes, ...]:
    """Return constant transform i of the chain as a frame: nine rotation entries row by row, then the translation."""
    c, k = chain.transforms, 12 * i
    return (
        splat(c[k]), splat(c[k + 1]), splat(c[k + 2]), splat(c[k + 3]), splat(c[k + 4]), splat(c[k + 5]),
        splat(c[k + 6]), splat(c[k + 7]), splat(c[k + 8]), splat(c[k + 9]), splat(c[k + 10]), splat(c[k + 11]),
    )  # fmt: skip


@inlined
def load_frame(work: NDArray[np.float64]) -> tuple[Lanes, ...]:
    """Return the frames kept in twelve scratch rows."""
    return (
        load(work, 0), load(work, 8), load(work, 16), load(work, 24), load(work, 32), load(work, 40),
        load(work, 48), load(work, 56), load(work, 64), load(work, 72), load(work, 80), load(work, 88),
    )  # fmt: skip


@inlined
def compose(chain: ChainView, i: int, T: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """Return the frame T followed by constant transform i of the chain."""
    c, k = chain.transforms, 12 * i
    return (
        T[0] * c[k] + T[1] * c[k + 3] + T[2] * c[k + 6],
        T[0] * c[k + 1] + T[1] * c[k + 4] + T[2] * c[k + 7],
        T[0] * c[k + 2] + T[1] * c[k + 5] + T[2] * c[k + 8],
        T[3] * c[k] + T[4] * c[k + 3] + T[5] * c[k + 6],
        T[3] * c[k + 1] + T[4] * c[k + 4] + T[5] * c[k + 7],
        T[3] * c[k + 2] + T[4] * c[k + 5] + T[5] * c[k + 8],
        T[6] * c[k] + T[7] * c[k + 3] + T[8] * c[k + 6],
        T[6] * c[k + 1] + T[7] * c[k + 4] + T[8] * c[k + 7],
        T[6] * c[k + 2] + T[7] * c[k + 5] + T[8] * c[k + 8],
        T[9] + (T[0] * c[k + 9] + T[1] * c[k + 10] + T[2] * c[k + 11]),
        T[10] + (T[3] * c[k + 9] + T[4] * c[k + 10] + T[5] * c[k + 11]),
        T[11] + (T[6] * c[k + 9] + T[7] * c[k + 10] + T[8] * c[k + 11]),
    )


@inlined
def move(chain: ChainView, i: int, q: Lanes, T: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """Return the frame T moved by joint i, whose driving entry of q has the values `q`, about or along its z."""
    x = q * chain.gains[2 * i] + chain.gains[2 * i + 1]
    kind = chain.slots[2 * i]
    if kind == REVOLUTE:
        s, c = sincos(x)
        return (
            T[0] * c + T[1] * s, product_difference(T[1], c, T[0], s), T[2],
            T[3] * c + T[4] * s, product_difference(T[4], c, T[3], s), T[5],
            T[6] * c + T[7] * s, product_difference(T[7], c, T[6], s), T[8],
            T[9], T[10], T[11],
        )  # fmt: skip
    if kind == PRISMATIC:
        return (
            T[0], T[1], T[2], T[3], T[4], T[5], T[6], T[7], T[8],
            T[9] + T[2] * x, T[10] + T[5] * x, T[11] + T[8] * x,
        )  # fmt: skip
    return T


@jit
def forward_block(chain: ChainView, q: NDArray[np.float64], row: int, T_out: NDArray[np.float64]) -> None:
    """Write the tool poses of the eight configurations from `row` on; q (N · m) and T_out (N · 16) are flat."""
    m = chain.m
    n = chain.n
    T = constant_frame(chain, 0)
    for i in range(n):
        T = move(chain, i, gather(q, row * m + chain.slots[2 * i + 1], m), T)
        T = compose(chain, i + 1, T)
    write_frames(T, row * POSE, POSE, T_out)


@jit
def write_frames(T: tuple[Lanes, ...], start: int, stride: int, T_out: NDArray[np.float64]) -> None:
    """Write eight frames as 4 × 4 matrices, lane k at ``T_out[start + k * stride]`` of a flat array."""
    zero = splat(0.0)
    store_transposed(T_out, start, stride, T[0], T[1], T[2], T[9], T[3], T[4], T[5], T[10])
    store_transposed(T_out, start + 8, stride, T[6], T[7], T[8], T[11], zero, zero, zero, splat(1.0))


@jit
def forward_kinematics(chain: ChainArrays, q: NDArray[np.float64], T_out: NDArray[np.float64]) -> None:
    """Write the tool pose of every configuration.

    q is flat (N · m), T_out flat (N · 16). Page 004 of the sources, ``T = Π Origin_i · Motion_i · Tool``; about ten
    nanoseconds per pose for seven joints with AVX-512.
    """
    view = view_chain(chain)
    count = q.size // view.m
    if count < WIDTH:
        T_work = np.empty(WIDTH * POSE)
        forward_block(view, pad_rows(q, view.m), 0, T_work)
        T_out[:] = T_work[: T_out.size]
        return
    # The last block overlaps the one before, which computes the same poses again instead of a remainder loop.
    for row in range(0, count, WIDTH):
        forward_block(view, q, min(row, count - WIDTH), T_out)


@jit
def pad_rows(rows: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """Return eight rows of a flat array of fewer, the last one repeated; zeros if there is none."""
    padded = np.zeros(WIDTH * width)
    if rows.size > 0:
        for i in range(padded.size):
            padded[i] = rows[min(i // width, rows.size // width - 1) * width + i % width]
    return padded


@jit
def link_block(chain: ChainView, q: NDArray[np.float64], row: int, T_out: NDArray[np.float64]) -> None:
    """Write all joint frames and the tool of the eight configurations from `row` on; T_out is flat (N · (n+1) · 16)."""
    m = chain.m
    n = chain.n
    stride = (n + 1) * POSE
    T = constant_frame(chain, 0)
    for i in range(n):
        T = move(chain, i, gather(q, row * m + chain.slots[2 * i + 1], m), T)
        write_frames(unalign(chain, i, T), row * stride + i * POSE, stride, T_out)
        T = compose(chain, i + 1, T)
    write_frames(T, row * stride + n * POSE, stride, T_out)


@inlined
def unalign(chain: ChainView, i: int, T: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """Return the frame of joint i with its own axes, from T whose z is the joint's axis: R A_iᵀ."""
    a, k = chain.alignments, 9 * i
    return (
        T[0] * a[k] + T[1] * a[k + 1] + T[2] * a[k + 2],
        T[0] * a[k + 3] + T[1] * a[k + 4] + T[2] * a[k + 5],
        T[0] * a[k + 6] + T[1] * a[k + 7] + T[2] * a[k + 8],
        T[3] * a[k] + T[4] * a[k + 1] + T[5] * a[k + 2],
        T[3] * a[k + 3] + T[4] * a[k + 4] + T[5] * a[k + 5],
        T[3] * a[k + 6] + T[4] * a[k + 7] + T[5] * a[k + 8],
        T[6] * a[k] + T[7] * a[k + 1] + T[8] * a[k + 2],
        T[6] * a[k + 3] + T[7] * a[k + 4] + T[8] * a[k + 5],
        T[6] * a[k + 6] + T[7] * a[k + 7] + T[8] * a[k + 8],
        T[9], T[10], T[11],
    )  # fmt: skip


@jit
def link_transforms(chain: ChainArrays, q: NDArray[np.float64], T_out: NDArray[np.float64]) -> None:
    """Write the frame of every joint after its motion, then the tool; q flat (N · m), T_out flat (N · (n+1) · 16)."""
    view = view_chain(chain)
    count = q.size // view.m
    if count < WIDTH:
        T_work = np.empty(WIDTH * (view.n + 1) * POSE)
        link_block(view, pad_rows(q, view.m), 0, T_work)
        T_out[:] = T_work[: T_out.size]
        return
    for row in range(0, count, WIDTH):
        link_block(view, q, min(row, count - WIDTH), T_out)
