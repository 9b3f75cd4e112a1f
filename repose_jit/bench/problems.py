"""Targets that have a solution, and whether the answers to them are right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.chain import KinematicChain
from repose_jit.errors import ReposeError
from repose_jit.kinematics import forward_kinematics
from repose_jit.multi_seed import MultiSeedParams
from repose_jit.seeds import spread_seeds
from repose_jit.validation import MAX_VALUE

__all__ = ["Problems", "WrongAnswerError", "sampled_configurations"]

FloatArray = NDArray[np.float64]

ROUNDING = 1e-12
"""What an error [m, rad] may exceed its tolerance by: solver and forward kinematics round differently."""


class WrongAnswerError(ReposeError, ArithmeticError):
    """A solver claimed to have reached a target that its answer does not reach."""


def sampled_configurations(chain: KinematicChain, count: int, *, rng_seed: int) -> FloatArray:
    """Return (count, n) random configurations within the limits [rad or m]; in [−π, π] where a joint has none.

    They are not of the sequence that solvers take their seeds from: its points keep their distances from one another,
    so that all targets would be equally far from the nearest seed.

    Raises
    ------
    InputError
        If a joint slides without limits.
    """
    spread_seeds(chain, 0)  # refuses joints without a range
    endless = ~(np.isfinite(chain.lower_limits) & np.isfinite(chain.upper_limits))
    lower, upper = np.where(endless, -np.pi, chain.lower_limits), np.where(endless, np.pi, chain.upper_limits)
    u = np.random.default_rng(rng_seed).random((count, chain.n_joints))
    return chain.clamp_to_limits((1.0 - u) * lower + u * upper)


@dataclass(frozen=True, kw_only=True, eq=False)
class Problems:
    """Targets to solve for, and what counts as a solution.

    Attributes
    ----------
    chain
        The robot.
    targets
        (..., 4, 4) poses of the tool in the base frame [m].
    params
        Tolerances, budget and threads.
    what
        What they are solved for; messages start with it.
    """

    chain: KinematicChain
    targets: FloatArray
    params: MultiSeedParams
    what: str = "inverse kinematics"

    def count_verified(self, q: ArrayLike, claimed: ArrayLike) -> int:
        """Return how many answers are claimed to be solutions, after checking every one of them.

        Parameters
        ----------
        q
            (..., n) answers [rad or m].
        claimed
            (...) whether the solver calls them solutions.

        Raises
        ------
        WrongAnswerError
            If forward kinematics puts the tool elsewhere, or a joint is outside its limits; with the first such target.
        """
        chain, params = self.chain, self.params
        indices = np.flatnonzero(np.asarray(claimed, dtype=bool))
        answers = np.asarray(q, dtype=np.float64).reshape(-1, chain.n_joints)[indices]
        targets = self.targets.reshape(-1, 4, 4)[indices]
        # What forward kinematics would refuse is no solution either: its errors are NaN, which is within no tolerance.
        usable = np.all(np.abs(answers) <= MAX_VALUE, axis=-1)
        q_usable = np.where(usable[:, None], answers, 0.0)
        T = forward_kinematics(chain, q_usable)
        T[~usable] = np.nan
        position_error = np.linalg.norm(T[:, :3, 3] - targets[:, :3, 3], axis=-1)
        # |R − R*| = 2 √2 sin(θ/2) in the Frobenius norm: exact to the last digits where the trace has lost them all.
        distance = np.linalg.norm(T[:, :3, :3] - targets[:, :3, :3], axis=(-2, -1))
        orientation_error = 2.0 * np.arcsin(np.minimum(distance / np.sqrt(8.0), 1.0))
        within = np.asarray(chain.is_within_limits(q_usable)) & usable
        right = within & (position_error <= params.position_tolerance + ROUNDING)
        right &= orientation_error <= params.orientation_tolerance + ROUNDING
        if not right.all():
            first = int(np.argmin(right))
            raise WrongAnswerError(
                f"{self.what}: {np.count_nonzero(~right)} of {len(right)} answers that are claimed to be solutions are "
                f"none. Target {indices[first]}: got position error {position_error[first]:.3g} m, orientation error "
                f"{orientation_error[first]:.3g} rad, {'within' if within[first] else 'outside'} the limits, "
                f"q = {answers[first].tolist()}; expected at most {params.position_tolerance:g} m and "
                f"{params.orientation_tolerance:g} rad, within the limits"
            )
        return len(indices)
