"""The targets of a block of sites, less those that a ball proves out of reach."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import jit
from repose_jit.kernels.pointer import Floats, pointer


@jit
def compose(A: Floats, at_A: int, B: Floats, at_B: int, at_T: int, T_out: Floats) -> None:
    """Write the product of the rigid transforms that start at `at_A` and `at_B`, 16 numbers each, to `at_T`."""
    for i in range(3):
        a0, a1, a2 = A[at_A + 4 * i], A[at_A + 4 * i + 1], A[at_A + 4 * i + 2]
        for j in range(4):
            T_out[at_T + 4 * i + j] = a0 * B[at_B + j] + a1 * B[at_B + 4 + j] + a2 * B[at_B + 8 + j]
        T_out[at_T + 4 * i + 3] += A[at_A + 4 * i + 3]
    for j in range(3):
        T_out[at_T + 12 + j] = 0.0
    T_out[at_T + 15] = 1.0


@jit
def list_candidates(
    site_poses: NDArray[np.float64],
    local_poses: NDArray[np.float64],
    point: NDArray[np.float64],
    centre: NDArray[np.float64],
    radius: float,
    T_out: NDArray[np.float64],
    numbers_out: NDArray[np.int64],
) -> int:
    """Write the targets T = site pose · local pose that hold a point of the tool within a ball.

    Parameters
    ----------
    site_poses, local_poses
        Flat (S · 16) and (k · 16).
    point
        (3,) in the tool frame [m].
    centre, radius
        Of the ball, (3,) in the base frame [m].
    T_out, numbers_out
        Flat (S · k · 16) and (S · k), with room for all; numbers are s · k + orientation, ascending.

    Returns
    -------
    int
        How many were written.
    """
    sites, local, T, numbers = pointer(site_poses), pointer(local_poses), pointer(T_out), pointer(numbers_out)
    k = local_poses.size // 16
    count = 0
    for s in range(site_poses.size // 16):
        for orientation in range(k):
            at = 16 * count
            compose(sites, 16 * s, local, 16 * orientation, at, T)
            square = 0.0
            for i in range(3):
                row = at + 4 * i
                x = T[row] * point[0] + T[row + 1] * point[1] + T[row + 2] * point[2] + T[row + 3] - centre[i]
                square += x * x
            if square <= radius * radius:
                numbers[count] = s * k + orientation
                count += 1
    return count
