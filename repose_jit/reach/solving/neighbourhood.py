"""Solve a dense grid by neighbourhood: what is reached lends its configurations to the poses beside it.

Most poses of a grid that are not reached lie far from any that is, and cost thirty times as much as one that is. So all
get a few attempts first; then configurations spread from pose to pose, like a flood; and only where it stopped, beside
a pose that is reached, is the rest of the budget spent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels import neighbours
from repose_jit.reach.solving.attempts import Attempts
from repose_jit.reach.targets.target_set import TargetSet

__all__ = ["ATTEMPTS_ALONE", "MAX_LOANS", "Neighbourhood", "neighbourhood"]

IntArray = NDArray[np.int64]

ATTEMPTS_ALONE = 4
"""Attempts at a pose of which no neighbour is reached."""
MAX_LOANS = 20
"""Rounds of lending, of two configurations each, between one stretch of attempts and the next."""
ORIENTATIONS = 8
"""Neighbours of a pose in orientation."""
MOST_ORIENTATIONS = 2**13
"""Of more, the search for the nearest takes too long."""
WIDEST_GAP = math.radians(60.0)
"""Orientations further apart say little about each other."""
LARGEST_STEP = 1.0 / 8.0
"""Voxels with longer edges than this part of the arm's reach say little about each other."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Which poses of a grid are neighbours: the next voxels along each axis, and the nearest orientations.

    Attributes
    ----------
    nearest
        (k, m) orientations nearest to each.
    """

    nearest: IntArray

    def solve(self, attempts: Attempts, numbers: IntArray, block: tuple[int, ...]) -> None:
        """Solve the targets of a block.

        Parameters
        ----------
        attempts
            Their state; changed.
        numbers
            (C,) site · k + orientation of each.
        block
            (3,) sites of the block along each dimension.
        """
        budget = attempts.params.max_attempts
        everyone = np.arange(len(numbers))
        place_of = np.full(math.prod(block) * len(self.nearest), -1)
        place_of[numbers] = everyone
        alone = min(ATTEMPTS_ALONE, budget)
        self._lend(attempts, numbers, block, place_of, attempts.make(everyone, 0, alone))
        is_spent = np.full(len(numbers), budget == alone)
        while True:
            waiting = np.flatnonzero(~attempts.is_reached & ~is_spent)
            _, beside = self._lenders(attempts.is_reached, numbers, block, place_of, waiting)
            if not beside.size:
                return
            is_spent[waiting[beside]] = True
            self._lend(attempts, numbers, block, place_of, attempts.make(waiting[beside], alone, budget))

    def _lend(
        self, attempts: Attempts, numbers: IntArray, block: tuple[int, ...], place_of: IntArray, new: IntArray
    ) -> None:
        """Let the targets that are newly reached lend to their neighbours, and those to theirs."""
        for _ in range(MAX_LOANS):
            if not new.size:
                return
            is_new = np.zeros(len(numbers), np.bool_)
            is_new[new] = True
            unreached = np.flatnonzero(~attempts.is_reached)
            lenders, borrowers = self._lenders(is_new, numbers, block, place_of, unreached)
            new = attempts.borrow(unreached[borrowers], attempts.q[lenders])

    def _lenders(
        self,
        is_lender: NDArray[np.bool_],
        numbers: IntArray,
        block: tuple[int, ...],
        place_of: IntArray,
        places: IntArray,
    ) -> tuple[IntArray, IntArray]:
        """Return two lenders (B, 2) for each of the `places` that has any, and where in `places` those stand (B,)."""
        lends = np.zeros(len(place_of), np.bool_)
        lends[numbers[is_lender]] = True
        lenders, borrowers = np.empty(2 * len(places), np.int64), np.empty(len(places), np.int64)
        count = neighbours.list_lenders(
            lends, (block[0], block[1], block[2]), self.nearest.reshape(-1), numbers[places], lenders, borrowers
        )
        return place_of[lenders[: 2 * count]].reshape(-1, 2), borrowers[:count]


def neighbourhood(targets: TargetSet, reach: float) -> Neighbourhood | None:
    """Return the neighbourhood of a grid that is dense enough for one, else None.

    Parameters
    ----------
    targets
        The poses of the study.
    reach
        Length of the arm [m].
    """
    k = targets.n_orientations
    if targets.spacing is None or targets.spacing > LARGEST_STEP * reach or k > MOST_ORIENTATIONS:
        return None
    is_position_only = targets.axis_mask is not None and not any(targets.axis_mask[3:])
    if is_position_only:
        return Neighbourhood(np.empty((k, 0), np.int64))
    if k == 1:
        return None
    rotations = targets.local_poses[:, :3, :3]
    nearest = np.empty((k, min(ORIENTATIONS, k - 1)), np.int64)
    if targets.free_axis is None:
        dot = neighbours.nearest_directions(rotations.reshape(-1), 9, nearest.reshape(-1))
        cosine = 0.5 * (dot - 1.0)
    else:
        axes = np.ascontiguousarray(rotations[:, :, "xyz".index(targets.free_axis)])
        cosine = neighbours.nearest_directions(axes.reshape(-1), 3, nearest.reshape(-1))
    return Neighbourhood(nearest) if cosine >= math.cos(WIDEST_GAP) else None
