"""Neighbouring poses of a block of sites, and which of them have been reached."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels._jit import jit
from repose_jit.kernels.pointer import Floats, Integers, pointer

NONE = -1


@jit
def nearest_directions(directions: NDArray[np.float64], d: int, nearest_out: NDArray[np.int64]) -> float:
    """Write, for each of k vectors, the m others with the largest dot products, largest first, of equals the earlier.

    Parameters
    ----------
    directions
        Flat (k · d): unit vectors, or the nine entries of rotations, whose dot product is 1 + 2 cos of their angle.
    nearest_out
        Flat (k · m), 0 < m < k.

    Returns
    -------
    float
        The least dot product of a vector and its nearest other.
    """
    k = directions.size // d
    m = nearest_out.size // k
    vectors: Floats = pointer(directions)
    nearest: Integers = pointer(nearest_out)
    closeness = np.empty(m)
    least = np.inf
    for a in range(k):
        held = 0
        for b in range(k):
            dot = 0.0
            for i in range(d):
                dot += vectors[d * a + i] * vectors[d * b + i]
            if b == a or (held == m and dot <= closeness[m - 1]):
                continue
            at = min(held, m - 1)
            while at > 0 and closeness[at - 1] < dot:
                closeness[at] = closeness[at - 1]
                nearest[m * a + at] = nearest[m * a + at - 1]
                at -= 1
            closeness[at] = dot
            nearest[m * a + at] = b
            held = min(held + 1, m)
        least = min(least, closeness[0])
    return least


@jit
def list_lenders(
    is_lender: NDArray[np.bool_],
    shape: tuple[int, int, int],
    nearest: NDArray[np.int64],
    pending: NDArray[np.int64],
    lenders_out: NDArray[np.int64],
    borrowers_out: NDArray[np.int64],
) -> int:
    """Write, for each pending pose that has any, two of its neighbours that may lend their configuration.

    The neighbours of a pose are the up to six next sites in the same orientation, and the nearest orientations at the
    same site. The first and the last of them lend; a single one is written twice.

    Parameters
    ----------
    is_lender
        Flat (S · k).
    shape
        How the S sites are laid out, last dimension fastest.
    nearest
        Flat (k · m) numbers of orientations.
    pending
        (P,) numbers of poses.
    lenders_out, borrowers_out
        Flat (P · 2) and (P), with room for all; the lenders, and the place in `pending` of the pose they lend to.

    Returns
    -------
    int
        How many poses were written.
    """
    k = is_lender.size // (shape[0] * shape[1] * shape[2])
    m = nearest.size // k
    near: Integers = pointer(nearest)
    lenders, borrowers = pointer(lenders_out), pointer(borrowers_out)
    count = 0
    for place in range(pending.size):
        pose = pending[place]
        first, last = NONE, NONE
        stride = is_lender.size
        rest = pose
        for axis in range(3):
            stride //= shape[axis]
            at = rest // stride
            rest -= at * stride
            for step in (-1, 1):
                if 0 <= at + step < shape[axis] and is_lender[pose + step * stride]:
                    last = pose + step * stride
                    first = last if first == NONE else first
        site = pose - rest  # what is left is the orientation
        for i in range(m):
            other = site + near[m * rest + i]
            if is_lender[other]:
                last = other
                first = last if first == NONE else first
        if first != NONE:
            lenders[2 * count], lenders[2 * count + 1] = first, last
            borrowers[count] = place
            count += 1
    return count
