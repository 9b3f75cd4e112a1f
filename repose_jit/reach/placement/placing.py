"""Where to put the base: how much of a task each placement reaches, and the best of them."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from repose_jit.errors import InputError
from repose_jit.reach.engine.chunk_report import ChunkReport
from repose_jit.reach.engine.run import run_job
from repose_jit.reach.placement.grid import PlacementGrid
from repose_jit.reach.placement.ranking import SPACING, TIE_BREAKER, apart_words, best_placements, placement_ranks
from repose_jit.reach.placement.targets import placement_targets
from repose_jit.reach.reach_map import ReachMap, require_map
from repose_jit.reach.solving.chunk import ReachJob
from repose_jit.reach.status import ReachStatus
from repose_jit.reach.study import ReachStudy
from repose_jit.validation import as_integer, as_number

__all__ = ["Placement", "PlacementResult", "place", "placement_config", "placement_job"]

LISTED = 10
"""Poses of the task that a text names."""


@dataclass(frozen=True, kw_only=True)
class Placement:
    """A placement of the base, and how good it is.

    Attributes
    ----------
    x, y, yaw
        Where the base stands, and its turn about the vertical [m, m, rad].
    reached
        Poses of the task that are reached from there.
    metrics
        Mean of each metric over them; NaN where there is none.
    """

    x: float
    y: float
    yaw: float
    reached: int
    metrics: Mapping[str, float]


class PlacementResult:
    """Which placements reach how much of a task: scores over a map of placements, the inverse reachability map.

    Parameters
    ----------
    reach_map
        The map, whose sites are the placements and whose orientations are the poses of the task; finished or not.

    Raises
    ------
    InputError
        If it is a map of something else.
    """

    def __init__(self, reach_map: ReachMap) -> None:
        require_map(reach_map)
        if reach_map.kind != "placements":
            raise InputError(f"reach_map: got a map of kind {reach_map.kind!r}, expected 'placements'")
        self.reach_map = reach_map

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> PlacementResult:
        """Open the result in a store.

        Raises
        ------
        InputError
            If there is none, it is of another kind of study, or another version of repose_jit wrote it in another way.
        """
        return cls(ReachMap.open(path))

    @property
    def n_tasks(self) -> int:
        """Poses of the task."""
        return self.reach_map.n_orientations

    @property
    def spacing(self) -> float:
        """Edge of a cell of the grid of placements [m]."""
        return float(tomllib.loads(self.reach_map.attributes["study"])["placement"]["spacing"])

    @cached_property
    def n_reached(self) -> NDArray[np.int32]:
        """(nx, ny, n_yaw) poses of the task reached from each placement; 0 where excluded, −1 where not done."""
        return self.reach_map.site("n_reached")

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """(nx, ny, n_yaw) place of each placement among all, 0 for the best; see :meth:`best`."""
        return placement_ranks(self.n_reached, self._means.get(TIE_BREAKER))

    @property
    def apart(self) -> float:
        """How far apart the best placements stand at least, unless asked otherwise [m]: two cells."""
        return SPACING * self.spacing

    def best(self, n: int = 5, *, spacing: float | None = None) -> list[Placement]:
        """Return the best placements, best first, not all of them neighbours.

        The best is the one that reaches most poses of the task; of equals that with the largest mean manipulability of
        the poses reached, if that metric was computed; of equals still, the first in x, y and yaw. Each further one is
        the best of those whose base stands at least `spacing` from all that were taken before, whatever their heading.

        Parameters
        ----------
        n
            How many at most; there are fewer if no others are left that reach anything.
        spacing
            Least distance between two bases [m]; twice the edge of a cell if None, and with 0 the same base may come in
            several headings.

        Raises
        ------
        InputError
            If an argument is not allowed.
        """
        n = as_integer(n, name="n", least=1)
        apart = self.apart if spacing is None else as_number(spacing, name="spacing")
        if not 0.0 <= apart < np.inf:
            raise InputError(f"spacing: got {spacing!r}, expected a finite number of metres ≥ 0")
        x, y, _ = (np.asarray(self.reach_map.coordinates[dim], np.float64) for dim in self.reach_map.dims)
        return [self._placement(i) for i in best_placements(self.ranks, self.n_reached, x, y, n, apart=apart)]

    def placements_per_task(self) -> NDArray[np.int64]:
        """Return from how many placements each pose of the task is reached, (k,); read block by block."""
        counts = np.zeros(self.n_tasks, np.int64)
        for _, arrays in self.reach_map.blocks("status"):
            status = arrays["status"].reshape(-1, self.n_tasks)
            counts += np.count_nonzero(status == ReachStatus.REACHED, axis=0)
        return counts

    def summary(self) -> dict[str, Any]:
        """Return the figures of the study as plain values, with the best placements and what none of all reaches."""
        best = [
            {"x": one.x, "y": one.y, "yaw": one.yaw, "reached": one.reached, "metrics": dict(one.metrics)}
            for one in self.best()
        ]
        never = np.flatnonzero(self.placements_per_task() == 0).tolist()
        return {**self.reach_map.summary(), "tasks": self.n_tasks, "best": best, "never_reached": never}

    def summary_text(self) -> str:
        """Return the figures of the study, and the best placements, as a few lines of text."""
        figures, k = self.summary(), self.n_tasks
        lines = [self.reach_map.summary_text()]
        stand = f", {apart_words(self.apart)}" if figures["best"] else ": none reaches a pose of the task"
        lines.append(f"best placements{stand}")
        for one in figures["best"]:
            x, y = (round(one[name], 3) + 0.0 for name in ("x", "y"))  # no minus before a zero
            place = f"x {x:.3f} m, y {y:.3f} m, yaw {np.degrees(one['yaw']):.1f}°"
            metrics = "".join(f", {name} {value:.3g}" for name, value in one["metrics"].items())
            lines.append(f"  {one['reached']:>{len(f'{k:,}')},} of {k:,}: {place}{metrics}")
        never = figures["never_reached"]
        if never and self.reach_map.n_done:
            named = ", ".join(map(str, never[:LISTED])) + (", ..." if len(never) > LISTED else "")
            lines.append(f"reached from no placement: {len(never):,} of {k:,} poses of the task, number {named}")
        return "\n".join(lines)

    def plot(self, path: str | os.PathLike[str], *, best: int = 5) -> Path:
        """Draw a heat map of the placements with the best marked; see :func:`repose_jit.reach.plot.plot_placement`."""
        from repose_jit.reach.plot import plot_placement

        return plot_placement(self.reach_map, path, n_best=best)

    @cached_property
    def _means(self) -> dict[str, NDArray[np.float32]]:
        return {name: self.reach_map.site(f"{name}_mean") for name in self.reach_map.metrics}

    def _placement(self, index: tuple[int, ...]) -> Placement:
        x, y, yaw = (
            float(self.reach_map.coordinates[dim][i]) for dim, i in zip(self.reach_map.dims, index, strict=True)
        )
        metrics = {name: float(mean[index]) for name, mean in self._means.items()}
        return Placement(x=x, y=y, yaw=yaw, reached=int(self.n_reached[index]), metrics=metrics)


def place(
    study: ReachStudy,
    grid: PlacementGrid,
    path: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    overwrite: bool = False,
    threads: int | None = None,
    engine: Literal["threads", "dask"] = "threads",
    scheduler: str | None = None,
    shard: tuple[int, int] | None = None,
    progress: Callable[[ChunkReport], object] | None = None,
    phase: Callable[[str], object] | None = None,
) -> PlacementResult:
    """Try a task from every placement of the base.

    Parameters
    ----------
    study
        The robot, how it is solved, and the task: points of a surface or poses. Their frame is the world here, in which
        the base stands at (x, y, z) with its z axis upward, turned by yaw.
    grid
        Where the base may stand.
    path, resume, overwrite, threads, engine, scheduler, shard, progress, phase
        As in :meth:`repose_jit.ReachStudy.run`: the store is the inverse reachability map of the task, and can be
        resumed, merged from shards, verified and exported like any other.

    Returns
    -------
    PlacementResult
        The same bits for every engine, number of threads and sequence of interruptions.

    Raises
    ------
    InputError
        If the study is of a grid, there are more than 10¹⁰ placements × poses, or as in
        :meth:`repose_jit.ReachStudy.run`.

    Examples
    --------
    Two poses half a metre apart, and where to stand in a square metre before them:

    >>> import numpy as np
    >>> import repose_jit as rj
    >>> from repose_jit.reach.placement.placing import place
    >>> from repose_jit.reach.placement.grid import PlacementGrid
    >>> task = np.tile(np.diag([1.0, -1.0, -1.0, 1.0]), (2, 1, 1))  # tool downward
    >>> task[:, :3, 3] = [[0.4, -0.25, 0.2], [0.4, 0.25, 0.2]]
    >>> study = rj.ReachStudy(rj.preset("igus_rebel").chain(), targets=rj.PoseTargets(task))
    >>> result = place(study, PlacementGrid(x=(-0.5, 0.5), y=(-0.5, 0.5), spacing=0.25, n_yaw=4))
    >>> [(best.x, best.y, best.reached) for best in result.best(2)]
    [(0.125, -0.125, 2), (0.125, 0.375, 1)]
    """
    return PlacementResult(
        run_job(
            placement_job(study, grid),
            path,
            config=placement_config(study, grid),
            resume=resume,
            overwrite=overwrite,
            threads=threads,
            engine=engine,
            scheduler=scheduler,
            shard=shard,
            progress=progress,
            phase=phase,
        )
    )


def placement_job(study: ReachStudy, grid: PlacementGrid) -> ReachJob:
    """Return what the chunks of a placement study are solved from."""
    if not isinstance(study, ReachStudy):
        raise InputError(f"study: got {type(study).__name__}, expected a ReachStudy")
    if not isinstance(grid, PlacementGrid):
        raise InputError(f"grid: got {type(grid).__name__}, expected a PlacementGrid")
    return replace(study.job, targets=placement_targets(study.target_set, grid))


def placement_config(study: ReachStudy, grid: PlacementGrid) -> dict[str, object]:
    """Return a placement study as plain values: those of the study, and the grid as ``[placement]``."""
    placement: dict[str, object] = {
        "x": list(grid.x),
        "y": list(grid.y),
        "z": grid.z,
        "spacing": grid.spacing,
        "n_yaw": grid.n_yaw,
    }
    if grid.exclude:
        placement["exclude"] = [{"min": list(box.min), "max": list(box.max)} for box in grid.exclude]
    return {**study.to_config(), "placement": placement}
