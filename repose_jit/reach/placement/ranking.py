"""Which placements are the best: one ranking for texts and pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["SPACING", "TIE_BREAKER", "apart_words", "best_placements", "placement_ranks"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

TIE_BREAKER = "manipulability"
"""The metric whose mean decides between placements that reach equally much."""
SPACING = 2.0
"""How far apart the best placements are at least by default, in cells of the grid."""
ROUNDING = 1e-9
"""What two bases may be nearer than asked for, as a part of it: the coordinates of cells are rounded."""


def placement_ranks(n_reached: NDArray[np.int32], merit: NDArray[np.float32] | None) -> IntArray:
    """Return the place of each placement among all, 0 for the best, in the shape of the placements.

    Parameters
    ----------
    n_reached
        (nx, ny, n_yaw) poses of the task reached from each: more are better.
    merit
        (nx, ny, n_yaw) what decides between equals, the larger the better and NaN last; of equals still, or with None,
        the first comes first.
    """
    count = n_reached.reshape(-1)
    score = np.zeros(count.size) if merit is None else merit.reshape(-1).astype(np.float64)
    score = np.where(np.isnan(score), -np.inf, score)
    ranks = np.empty(count.size, np.int64)
    ranks[np.lexsort((-score, -count.astype(np.int64)))] = np.arange(count.size)
    return ranks.reshape(n_reached.shape)


def best_placements(
    ranks: IntArray, n_reached: NDArray[np.int32], x: FloatArray, y: FloatArray, n: int, *, apart: float
) -> list[tuple[int, int, int]]:
    """Return the indices of the best placements, best first, whose bases stand apart; there may be fewer than n.

    Each is the best of those whose base stands at least `apart` [m] from all that were taken before, whatever its
    heading.

    Parameters
    ----------
    ranks, n_reached
        (nx, ny, n_yaw) place of each among all, and poses of the task reached from it; with none it does not count.
    x, y
        (nx,) and (ny,) where the bases stand [m].
    n
        How many at most.
    apart
        Least distance between two bases [m]; with 0 the same base may come in several headings.
    """
    apart *= 1.0 - ROUNDING
    left = np.where(n_reached > 0, ranks, ranks.size)
    chosen: list[tuple[int, int, int]] = []
    while len(chosen) < n:
        site = int(np.argmin(left))
        if left.flat[site] == ranks.size:
            break
        i, j, k = (int(index) for index in np.unravel_index(site, ranks.shape))
        chosen.append((i, j, k))
        left[i, j, k] = ranks.size
        dx, dy = x - x[i], y - y[j]
        left[dx[:, None] * dx[:, None] + dy * dy < apart * apart] = ranks.size
    return chosen


def apart_words(apart: float) -> str:
    """Return how far apart placements stand, in words."""
    return f"at least {apart:.3g} m apart"
