"""What is known of one site: its outcomes, and the configurations that reach it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.reach.figures.outcomes import OUTCOMES
from repose_jit.reach.figures.words import metric_words, plain, study_tables
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.status import ReachStatus

if TYPE_CHECKING:
    from repose_jit.multi_seed import MultiSeedParams

__all__ = ["SAVED", "SOLVED_AGAIN", "Site", "Solution", "Solutions"]

FloatArray = NDArray[np.float64]

SAVED = "the configuration kept in the store"
SOLVED_AGAIN = "solved again now, as no configurations were kept: the study may have found another one"
NOT_FOUND_AGAIN = (
    "not found again: the study kept no configurations, and reached this pose from a seed that is not known any more"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Site:
    """One site of a map.

    Attributes
    ----------
    index
        Along each dimension.
    position
        (3,) its place in the base frame [m].
    status
        (k,) outcome of every orientation.
    reached
        Numbers of the orientations reached.
    """

    index: tuple[int, ...]
    position: FloatArray
    status: NDArray[np.int8]
    reached: list[int]

    def counts(self) -> list[tuple[str, int]]:
        """Return how many orientations have each outcome that occurs."""
        counts = [(words.name, int(np.count_nonzero(self.status == status))) for status, words in OUTCOMES.items()]
        return [(name, n) for name, n in counts if n]


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """A configuration that reaches a pose.

    Attributes
    ----------
    orientation
        Number of the orientation.
    target
        (4, 4) pose asked for, ``T_base_tool``.
    q
        (n,) configuration [rad or m], None if there is none.
    source
        Where it comes from, in words.
    metrics
        Name and value of each metric that the study has for the pose.
    """

    orientation: int
    target: FloatArray
    q: FloatArray | None
    source: str
    metrics: list[tuple[str, str]]


class Solutions:
    """Reads sites of a map, and the configurations there; solves again for those that were not kept."""

    def __init__(self, reach_map: ReachMap) -> None:
        self._map = reach_map
        self._has_q = bool(reach_map.attributes.get("save_q"))
        self._local_poses = np.asarray(reach_map.local_poses, float)
        self._site_poses: FloatArray | None = None

    def site(self, index: tuple[int, ...]) -> Site:
        """Return what is known of a site."""
        status = np.asarray(self._map.pose("status", index))
        return Site(
            index=index,
            position=self._frame(index)[:3, 3],
            status=status,
            reached=np.flatnonzero(status == ReachStatus.REACHED).tolist(),
        )

    def solution(self, index: tuple[int, ...], orientation: int) -> Solution:
        """Return the configuration that reaches an orientation at a site."""
        target = self._frame(index) @ self._local_poses[orientation]
        q, source = self._saved(index, orientation) if self._has_q else self._solved(target)
        values = [
            (metric_words(metric).label, float(self._map.pose(metric, index)[orientation]))
            for metric in self._map.metrics
        ]
        return Solution(
            orientation=orientation,
            target=target,
            q=q,
            source=source,
            metrics=[(label, plain(value)) for label, value in values if np.isfinite(value)],
        )

    def _saved(self, index: tuple[int, ...], orientation: int) -> tuple[FloatArray, str]:
        return np.asarray(self._map.pose("q", index)[orientation], float), SAVED

    def _solved(self, target: FloatArray) -> tuple[FloatArray | None, str]:
        from repose_jit.multi_seed import solve_one

        result = solve_one(self._map.chain, target, params=self._params())
        return (result.q, SOLVED_AGAIN) if result.converged else (None, NOT_FOUND_AGAIN)

    def _params(self) -> MultiSeedParams:
        """Return the parameters of the study; what its orientations leave free is not in [solve]."""
        from repose_jit.multi_seed import MultiSeedParams

        solve: dict[str, Any] = dict(study_tables(self._map).get("solve") or {})
        mask = self._map.attributes.get("axis_mask")
        return MultiSeedParams(**solve, free_axis=self._map.attributes.get("free_axis"), axis_mask=mask)

    def _frame(self, index: tuple[int, ...]) -> FloatArray:
        """Return the (4, 4) frame of a site: at a voxel's centre, along the axes of the base."""
        if self._map.kind == "grid":
            T = np.eye(4)
            T[:3, 3] = [self._map.coordinates[name][i] for name, i in zip(self._map.dims, index, strict=True)]
            return T
        if self._site_poses is None:
            self._site_poses = np.asarray(self._map.site("site_pose"), float)
        frame: FloatArray = self._site_poses[index]
        return frame
