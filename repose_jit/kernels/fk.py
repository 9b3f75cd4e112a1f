"""Forward kinematics over lanes: eight configurations go down the chain together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import jit
from repose_jit.kernels.arrays import PRISMATIC, REVOLUTE, ChainArrays
from repose_jit.kernels.lanes import WIDTH, Lanes, gather, splat, store_transposed
from repose_jit.kernels.trig import sincos

POSE = 16


@jit
def constant_frame(chain: ChainArrays, i: int) -> tuple[Lanes, ...]:
    """Return constant transform i of the chain as a frame: nine rotation entries row by row, then the translation."""
    c = chain.transforms[i]
    return (
        splat(c[0]), splat(c[1]), splat(c[2]), splat(c[3]), splat(c[4]), splat(c[5]),
        splat(c[6]), splat(c[7]), splat(c[8]), splat(c[9]), splat(c[10]), splat(c[11]),
    )  # fmt: skip


@jit
def compose(chain: ChainArrays, i: int, T: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """Return the frame T followed by constant transform i of the chain."""
    c = chain.transforms[i]
    return (
        T[0] * c[0] + T[1] * c[3] + T[2] * c[6],
        T[0] * c[1] + T[1] * c[4] + T[2] * c[7],
        T[0] * c[2] + T[1] * c[5] + T[2] * c[8],
        T[3] * c[0] + T[4] * c[3] + T[5] * c[6],
        T[3] * c[1] + T[4] * c[4] + T[5] * c[7],
        T[3] * c[2] + T[4] * c[5] + T[5] * c[8],
        T[6] * c[0] + T[7] * c[3] + T[8] * c[6],
        T[6] * c[1] + T[7] * c[4] + T[8] * c[7],
        T[6] * c[2] + T[7] * c[5] + T[8] * c[8],
        T[9] + (T[0] * c[9] + T[1] * c[10] + T[2] * c[11]),
        T[10] + (T[3] * c[9] + T[4] * c[10] + T[5] * c[11]),
        T[11] + (T[6] * c[9] + T[7] * c[10] + T[8] * c[11]),
    )


@jit
def move(chain: ChainArrays, i: int, q: Lanes, T: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """Return the frame T moved by joint i, whose driving entry of q has the values `q`, about or along its z."""
    x = q * chain.gains[i, 0] + chain.gains[i, 1]
    kind = chain.slots[i, 0]
    if kind == REVOLUTE:
        s, c = sincos(x)
        return (
            T[0] * c + T[1] * s, T[1] * c - T[0] * s, T[2],
            T[3] * c + T[4] * s, T[4] * c - T[3] * s, T[5],
            T[6] * c + T[7] * s, T[7] * c - T[6] * s, T[8],
            T[9], T[10], T[11],
        )  # fmt: skip
    if kind == PRISMATIC:
        return (
            T[0], T[1], T[2], T[3], T[4], T[5], T[6], T[7], T[8],
            T[9] + T[2] * x, T[10] + T[5] * x, T[11] + T[8] * x,
        )  # fmt: skip
    return T


@jit
def forward_block(chain: ChainArrays, q: NDArray[np.float64], row: int, T_out: NDArray[np.float64]) -> None:
    """Write the tool poses of the eight configurations from `row` on; q (N · m) and T_out (N · 16) are flat."""
    m = chain.entries.size
    n = chain.slots.shape[0]
    T = constant_frame(chain, 0)
    for i in range(n):
        T = move(chain, i, gather(q, row * m + chain.slots[i, 1], m), T)
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
    chain = ChainArrays(*chain)
    count = q.size // chain.entries.size
    if count < WIDTH:
        T_work = np.empty(WIDTH * POSE)
        forward_block(chain, pad_rows(q, chain.entries.size), 0, T_work)
        T_out[:] = T_work[: T_out.size]
        return
    # The last block overlaps the one before, which computes the same poses again instead of a remainder loop.
    for row in range(0, count, WIDTH):
        forward_block(chain, q, min(row, count - WIDTH), T_out)


@jit
def pad_rows(rows: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """Return eight rows of a flat array of fewer, the last one repeated; zeros if there is none."""
    padded = np.zeros(WIDTH * width)
    if rows.size > 0:
        for i in range(padded.size):
            padded[i] = rows[min(i // width, rows.size // width - 1) * width + i % width]
    return padded


@jit
def link_block(chain: ChainArrays, q: NDArray[np.float64], row: int, T_out: NDArray[np.float64]) -> None:
    """Write all joint frames and the tool of the eight configurations from `row` on; T_out is flat (N · (n+1) · 16)."""
    m = chain.entries.size
    n = chain.slots.shape[0]
    stride = (n + 1) * POSE
    T = constant_frame(chain, 0)
    for i in range(n):
        T = move(chain, i, gather(q, row * m + chain.slots[i, 1], m), T)
        write_frames(unalign(chain, i, T), row * stride + i * POSE, stride, T_out)
        T = compose(chain, i + 1, T)
    write_frames(T, row * stride + n * POSE, stride, T_out)


@jit
def unalign(chain: ChainArrays, i: int, T: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """Return the frame of joint i with its own axes, from T whose z is the joint's axis: R A_iᵀ."""
    a = chain.alignments[i]
    return (
        T[0] * a[0] + T[1] * a[1] + T[2] * a[2],
        T[0] * a[3] + T[1] * a[4] + T[2] * a[5],
        T[0] * a[6] + T[1] * a[7] + T[2] * a[8],
        T[3] * a[0] + T[4] * a[1] + T[5] * a[2],
        T[3] * a[3] + T[4] * a[4] + T[5] * a[5],
        T[3] * a[6] + T[4] * a[7] + T[5] * a[8],
        T[6] * a[0] + T[7] * a[1] + T[8] * a[2],
        T[6] * a[3] + T[7] * a[4] + T[8] * a[5],
        T[6] * a[6] + T[7] * a[7] + T[8] * a[8],
        T[9], T[10], T[11],
    )  # fmt: skip


@jit
def link_transforms(chain: ChainArrays, q: NDArray[np.float64], T_out: NDArray[np.float64]) -> None:
    """Write the frame of every joint after its motion, then the tool; q flat (N · m), T_out flat (N · (n+1) · 16)."""
    chain = ChainArrays(*chain)
    count = q.size // chain.entries.size
    if count < WIDTH:
        T_work = np.empty(WIDTH * (chain.slots.shape[0] + 1) * POSE)
        link_block(chain, pad_rows(q, chain.entries.size), 0, T_work)
        T_out[:] = T_work[: T_out.size]
        return
    for row in range(0, count, WIDTH):
        link_block(chain, q, min(row, count - WIDTH), T_out)
