"""Attempts at the targets of a chunk, and the best that came of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError
from repose_jit.kernels import lane_ik
from repose_jit.kernels.arrays import CONVERGED
from repose_jit.kernels.lane_attempt import N_CODES
from repose_jit.kernels.lane_goal import LaneIkParams
from repose_jit.multi_seed import IkBatchResult, MultiSeedParams
from repose_jit.seeds import seed_table

__all__ = ["LENT", "Attempts"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

LENT = -2
"""As the seed index of a pose: the configuration of a neighbour."""
NO_NUMBERS = np.empty(0)


class Attempts:
    """The state of C targets that are solved in several rounds.

    Parameters
    ----------
    chain, params
        The robot, and the budget of each target.
    T
        (C, 4, 4) targets in the base frame [m].

    Attributes
    ----------
    is_reached
        (C,) whether an attempt converged; no more are made then.
    q
        (C, n) the configuration that did; of the others nothing is promised.
    errors
        (C, 2) its position and orientation error [m, rad]; of the attempt that came nearest where none converged.
    attempts
        (C,) how many were made.
    seed_index
        (C,) the number of the spread seed that led there, LENT for a neighbour's configuration, −1 where none did.
    """

    def __init__(self, chain: KinematicChain, params: MultiSeedParams, T: FloatArray) -> None:
        self.chain, self.params, self.T = chain, params, T
        count = len(T)
        self.is_reached = np.zeros(count, np.bool_)
        self.q = np.empty((count, chain.n_joints))
        self.errors = np.full((count, 2), np.inf)
        self.attempts = np.zeros(count, np.int32)
        self.seed_index = np.full(count, -1, np.int32)

    def make(self, places: IntArray, start: int, stop: int) -> IntArray:
        """Try some of the targets from the spread seeds `start` to `stop` − 1; return which of them are reached now."""
        n = self.chain.n_joints
        seeds = seed_table(self.chain, stop, rng_seed=self.params.rng_seed)[start * n :]
        return self._make(places, NO_NUMBERS, seeds, stop - start, start)

    def borrow(self, places: IntArray, seeds: FloatArray) -> IntArray:
        """Try some of the targets from the (P, s, n) configurations of neighbours; return which are reached now."""
        return self._make(places, seeds.reshape(-1), NO_NUMBERS, seeds.shape[1], LENT)

    def take(self, result: IkBatchResult) -> None:
        """Take the result of all the attempts that another solve made."""
        self.is_reached[:] = result.converged
        self.q[:] = result.q
        self.errors[:, 0], self.errors[:, 1] = result.position_error, result.orientation_error
        self.attempts[:] = result.attempts
        self.seed_index[:] = np.where(result.converged, result.seed_index, -1)

    def _make(self, places: IntArray, given: FloatArray, spread: FloatArray, count: int, first: int) -> IntArray:
        n, P = self.chain.n_joints, len(places)
        q, errors, codes = np.empty((P, n)), np.empty((P, 2)), np.empty((P, N_CODES), np.int64)
        n_given = count if given.size else 0
        is_sound = lane_ik.solve_from_many_seeds(
            tuple(self.chain.arrays),
            # Up to the first that converges, whatever the selection: there is room for one row per target.
            tuple(LaneIkParams(*self.params._kernel)._replace(max_attempts=count, is_each=False)),
            self.T[places].reshape(-1),
            given,
            n_given,
            n_given * n,
            spread,
            NO_NUMBERS if self.params.reference is None else np.array(self.params.reference),
            q.reshape(-1),
            errors.reshape(-1),
            codes.reshape(-1),
        )
        if not is_sound:
            raise InputError("targets: got a pose at the edge of what counts as rigid, expected |RᵀR − I| ≤ 1e-06")
        is_reached = codes[:, 0] == CONVERGED
        is_better = is_reached | (self._score(errors) < self._score(self.errors[places]))
        better = places[is_better]
        self.q[better], self.errors[better] = q[is_better], errors[is_better]
        self.attempts[places] += codes[:, 2].astype(np.int32)
        reached: IntArray = places[is_reached]
        self.is_reached[reached] = True
        self.seed_index[reached] = LENT if first == LENT else first + codes[is_reached, 3]
        return reached

    def _score(self, errors: FloatArray) -> FloatArray:
        """Return the larger of the two errors in tolerances."""
        tolerances = np.array([self.params.position_tolerance, self.params.orientation_tolerance])
        score: FloatArray = (errors / tolerances).max(axis=-1)
        return score
