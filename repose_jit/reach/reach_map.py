"""The map of a study: its store, read as far as it is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError, ReposeError, UnknownNameError, shown
from repose_jit.multi_seed import solve_one
from repose_jit.reach.status import ReachStatus
from repose_jit.reach.store.reach_store import ReachStore, open_store
from repose_jit.reach.store.resume import stored_chain, stored_job, stored_targets
from repose_jit.reach.summary_text import counted, summary_text
from repose_jit.reach.targets.target_set import TargetSet
from repose_jit.validation import as_integer

if TYPE_CHECKING:
    from pathlib import Path

    import xarray

__all__ = ["ReachMap", "require_map"]

FloatArray = NDArray[np.float64]
AnyArray = NDArray[Any]


class ReachMap:
    """Which poses of a study a robot reaches.

    Per-site variables are read whole, per-pose ones block by block: a map need not fit into memory.

    Parameters
    ----------
    store
        Where it is; :meth:`open` opens one by its path.
    seconds, threads, poses_solved
        Of the run that made it; None for a map that was opened.

    Attributes
    ----------
    path
        Of the store, None in memory.
    attributes
        What was studied and what came of it, as plain values.
    """

    def __init__(
        self,
        store: ReachStore,
        *,
        seconds: float | None = None,
        threads: int | None = None,
        poses_solved: int | None = None,
    ) -> None:
        self._store = store
        self.path: Path | None = store.path
        self.attributes: dict[str, Any] = store.attributes
        self.seconds, self.threads, self.poses_solved = seconds, threads, poses_solved

    def __repr__(self) -> str:
        done = "complete" if self.is_complete else f"{self.n_done:,} of {counted(self.n_chunks, 'chunk')} done"
        where = "in memory" if self.path is None else str(self.path)
        return f"ReachMap({self.robot}, {self.kind}, {counted(self.n_poses, 'pose')}, {done}, {where})"

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> ReachMap:
        """Open the map of a store, finished or not.

        Raises
        ------
        InputError
            If there is none, or another version of repose_jit wrote it in another way.
        """
        return cls(open_store(path))

    @property
    def kind(self) -> str:
        """``"grid"``, ``"surface"``, ``"poses"`` or ``"placements"``."""
        return str(self.attributes["kind"])

    @cached_property
    def targets(self) -> TargetSet:
        """The poses that were asked for."""
        return stored_targets(self._store)

    @cached_property
    def chain(self) -> KinematicChain:
        """The robot."""
        return stored_chain(self.attributes)

    @property
    def robot(self) -> str:
        """Name of the robot, ``"robot"`` if it has none."""
        return str(self.attributes["robot"] or "robot")

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of the dimensions of the sites."""
        return self.targets.dims

    @property
    def shape(self) -> tuple[int, ...]:
        """Sites along each dimension."""
        return self.targets.shape

    @property
    def coordinates(self) -> dict[str, AnyArray]:
        """The sites along each dimension [m; yaw in rad], or their numbers."""
        return dict(self.targets.coordinates)

    @property
    def n_sites(self) -> int:
        """Sites in all."""
        return self.targets.n_sites

    @property
    def n_orientations(self) -> int:
        """Poses at every site."""
        return self.targets.n_orientations

    @property
    def n_poses(self) -> int:
        """Sites × orientations."""
        return self.targets.n_poses

    @property
    def local_poses(self) -> FloatArray:
        """(k, 4, 4) poses of the tool in the frame of a site."""
        return self.targets.local_poses

    @property
    def spacing(self) -> float | None:
        """Edge of a voxel [m], None if it is no grid."""
        return self.targets.spacing

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics computed."""
        return tuple(self.attributes["metrics"])

    @property
    def is_complete(self) -> bool:
        """Whether all chunks are done and the summary is written."""
        return bool(self.attributes["complete"])

    @property
    def n_chunks(self) -> int:
        """Chunks of the whole study."""
        return self._store.blocks.count

    @property
    def n_done(self) -> int:
        """Chunks that are done."""
        return len(self._store.done())

    def site(self, name: str) -> AnyArray:
        """Return a variable that has one value per site, in the shape of the sites.

        Raises
        ------
        UnknownNameError
            If there is none of that name.
        """
        return np.asarray(self._store.array(self._require(name, per_pose=False)))

    def site_positions(self) -> FloatArray:
        """Return where the sites are, (*shape, 3) in the base frame [m]; of placements, where the base stands."""
        if self.kind == "grid":
            return np.stack(np.meshgrid(*(self.coordinates[dim] for dim in self.dims), indexing="ij"), axis=-1)
        frames = self.targets.site_frames(np.arange(self.n_sites))
        if self.kind == "placements":
            x, y, _ = np.meshgrid(*(self.coordinates[dim] for dim in self.dims), indexing="ij")
            # The frame of a site is the inverse of the base, and a turn about z does not change the height.
            return np.stack([x, y, 0.0 - frames[:, 2, 3].reshape(self.shape)], axis=-1)
        return frames[:, :3, 3].reshape(*self.shape, 3)

    def pose(self, name: str, site: int | tuple[int, ...]) -> AnyArray:
        """Return a variable that has one value per pose, (k, ...) for one site by its number or index.

        Raises
        ------
        UnknownNameError, InputError
            If there is no such variable, or no such site.
        """
        array = self._store.array(self._require(name, per_pose=True))
        if not isinstance(site, tuple):
            number = as_integer(site, name="site", least=0, most=self.n_sites - 1)
            return np.asarray(array[tuple(int(i) for i in np.unravel_index(number, self.shape))])
        if len(site) != len(self.shape):
            raise InputError(f"site: got {shown(site)}, expected a number, or an index for each of {self.dims}")
        index = [as_integer(i, name=f"site[{axis}]", least=0, most=self.shape[axis] - 1) for axis, i in enumerate(site)]
        return np.asarray(array[tuple(index)])

    def blocks(self, *names: str) -> Iterator[tuple[tuple[slice, ...], dict[str, AnyArray]]]:
        """Yield, for every chunk that is done, the slices of its sites and variables per pose or site there."""
        arrays = {name: self._store.array(self._require(name)) for name in names}
        for number in sorted(self._store.done()):
            where = self._store.blocks.slices(number)
            yield where, {name: np.asarray(array[where]) for name, array in arrays.items()}

    def explain(self, site: int | tuple[int, ...], orientation: int = 0) -> str:
        """Return what became of a pose and why, in words: it is solved once more, on its own.

        Parameters
        ----------
        site
            Its number or index.
        orientation
            Its number at the site.
        """
        statuses = self.pose("status", site)
        orientation = as_integer(orientation, name="orientation", least=0, most=self.n_orientations - 1)
        status = ReachStatus(int(statuses[orientation]))
        if status in (ReachStatus.UNINITIALIZED, ReachStatus.EXCLUDED):
            return f"{status}: {'the site is left out' if status else 'its chunk is not done'}."
        number = int(np.ravel_multi_index(site, self.shape)) if isinstance(site, tuple) else int(site)
        job = stored_job(self._store)
        T = job.targets.poses_at(np.array([number]), np.array([orientation]))[0]
        return f"{status}: {solve_one(job.chain, T, params=job.solve).explain()}"

    def summary(self) -> dict[str, Any]:
        """Return the figures of the study as far as it is; what is not known yet is None."""
        whole = self.attributes["summary"]
        names = ("reached", "not_found", "proven_unreachable")
        if whole is None:
            counts, n_occupied = dict.fromkeys(names, 0), 0
            for _, values in self.blocks(*(f"n_{name}" for name in names)):
                n_occupied += int(np.count_nonzero(values["n_reached"]))
                for name in names:
                    counts[name] += int(values[f"n_{name}"].sum(dtype=np.int64))
            volume = None if self.spacing is None else n_occupied * self.spacing**3
        else:
            counts, volume = {name: whole[name] for name in names}, whole["reachable_volume"]
        left_out = 0 if self.targets.excluded is None else int(np.count_nonzero(self.targets.excluded))
        excluded = left_out * self.n_orientations
        done = sum(counts.values())
        rate = self.poses_solved / self.seconds if self.seconds and self.poses_solved else None
        near, max_attempts = (self.attributes["budget"][name] for name in ("by_neighbourhood", "max_attempts"))
        return {
            "robot": self.robot,
            "kind": self.kind,
            "complete": self.is_complete,
            "sites": self.n_sites,
            "spacing": self.spacing,
            "orientations": self.n_orientations,
            "poses": self.n_poses,
            "chunks": self.n_chunks,
            "chunks_done": self.n_done,
            **counts,
            "excluded": excluded,
            "percent_reached": 100.0 * counts["reached"] / done if done else None,
            "reachable_volume": volume,
            "metrics": None if whole is None else whole["metrics"],
            "miss_rate": None if whole is None else whole["miss_rate"],
            "max_attempts": max_attempts,
            "max_iterations": self.attributes["budget"]["max_iterations"],
            "attempts_alone": None if near is None else min(near["attempts_alone"], max_attempts),
            "seconds": self.seconds,
            "threads": self.threads,
            "poses_per_second": rate,
        }

    def summary_text(self) -> str:
        """Return the figures of the study as a few lines of text."""
        return summary_text(self.summary())

    def plot(self, path: str | os.PathLike[str]) -> Path:
        """Draw the map into a ``.png``, ``.svg`` or ``.pdf`` file; see :func:`repose_jit.reach.plot.plot`."""
        from repose_jit.reach.plot import plot

        return plot(self, path)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the map as one ``.html`` page; see :func:`repose_jit.reach.report.report`."""
        from repose_jit.reach.report import report

        return report(self, path)

    def to_xarray(self) -> xarray.Dataset:
        """Return the map as an xarray dataset that reads on demand.

        Raises
        ------
        ReposeError
            If xarray is not installed.
        """
        try:
            import xarray
        except ImportError:
            raise ReposeError("xarray is needed: pip install xarray") from None
        dataset: xarray.Dataset = xarray.open_zarr(self._store.group.store, consolidated=self.path is not None)
        return dataset

    def _require(self, name: str, *, per_pose: bool | None = None) -> str:
        names = self._store.names()
        if name not in names or not self._is_variable(name, per_pose):
            known = [other for other in names if self._is_variable(other, per_pose)]
            raise UnknownNameError("variable", name, known)
        return name

    def _is_variable(self, name: str, per_pose: bool | None) -> bool:
        """Tell whether an array has a value per site, and per pose if that is asked for."""
        dims = getattr(self._store.array(name).metadata, "dimension_names", None) or ()
        return dims[: len(self.dims)] == self.dims and (per_pose is None or ("orientation" in dims) == per_pose)


def require_map(reach_map: object) -> None:
    """Raise InputError unless `reach_map` is a ReachMap."""
    if not isinstance(reach_map, ReachMap):
        raise InputError(f"reach_map: got {type(reach_map).__name__}, expected a ReachMap")
