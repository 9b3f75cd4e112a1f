"""What findings about a study are made from: its sample, and poses tried in another way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from repose_jit.reach.check.calibration import Calibration, capped, outcomes
from repose_jit.reach.solving.chunk import ReachJob
from repose_jit.reach.status import ReachStatus
from repose_jit.reach.study import ReachStudy

__all__ = ["Evidence", "is_reason"]

FloatArray = NDArray[np.float64]

TRIED = 200
"""Poses that are tried in another way, where they are not reached as they are."""
TRIED_ATTEMPTS = 8
FEW, MANY, TIMES = 0.3, 0.2, 3
"""Parts of a sample: so few reached call for a reason, and another way that reaches so many, and as many times more, is
one."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What findings are made from.

    Attributes
    ----------
    study, job
        What was asked.
    calibration
        The sample.
    seconds
        What the whole study may take at most, on `threads` threads.
    """

    study: ReachStudy
    job: ReachJob
    calibration: Calibration
    seconds: float
    threads: int

    @cached_property
    def arm(self) -> float:
        """How far the tool gets from the centre of its reach [m]."""
        return self.job.bound.tool_radius

    @cached_property
    def corners(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner of the box around all targets, in the frame that they are given in [m]."""
        targets = self.job.targets
        if targets.site_poses is None:
            axes = [targets.coordinates[dim] for dim in targets.dims]
            return np.array([axis[0] for axis in axes], float), np.array([axis[-1] for axis in axes], float)
        # Of placements the sites are bases, and the task is at each of them.
        p = (targets.local_poses if self.is_placement else targets.site_poses)[:, :3, 3]
        return p.min(axis=0), p.max(axis=0)

    @cached_property
    def area(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner of where the centre of the reach is, from all placements of the base [m]."""
        frames = self.job.targets.site_poses
        assert frames is not None  # of placements: the base is the inverse of the frame of its site
        p = np.einsum("nji,nj->ni", frames[:, :3, :3], self.job.bound.centre - frames[:, :3, 3])
        return p.min(axis=0), p.max(axis=0)

    @property
    def span(self) -> float:
        """The diagonal of that box [m]."""
        return float(np.linalg.norm(self.corners[1] - self.corners[0]))

    @property
    def sampled(self) -> int:
        """Poses sampled."""
        return len(self.calibration.status)

    def is_lost(self, most: float = FEW) -> bool:
        """Tell whether hardly anything is reached: a part of the sample of `most` at most."""
        return self.calibration.count(ReachStatus.REACHED) <= most * self.sampled

    @cached_property
    def tried(self) -> FloatArray:
        """Some of the poses sampled, evenly."""
        step = max(1, self.sampled // TRIED)
        T: FloatArray = self.calibration.T[::step][:TRIED]
        return T

    def reached_of(self, T: FloatArray, **changes: object) -> int:
        """Return how many poses are reached with a changed solve and a small budget."""
        solve = replace(capped(self.job.solve), selection="first", **changes)  # type: ignore[arg-type]
        solve = replace(solve, max_attempts=min(solve.max_attempts, TRIED_ATTEMPTS))
        job = replace(self.job, solve=solve)
        return int(np.count_nonzero(outcomes(job, T, solve) == ReachStatus.REACHED))

    @property
    def kind(self) -> str:
        """What is aimed at, also from several placements: ``"grid"``, ``"surface"`` or ``"poses"``."""
        return self.study.target_set.kind

    @property
    def is_placement(self) -> bool:
        """Whether it is the base that is looked for."""
        return self.job.targets.kind == "placements"


def is_reason(other: int, reached: int, count: int) -> bool:
    """Tell whether another way reaches so many of the poses tried that it says what is wrong."""
    return other >= MANY * count and other >= TIMES * reached
