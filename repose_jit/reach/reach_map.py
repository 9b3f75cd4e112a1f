"""The result of a study: the outcome of every pose, and what can be counted from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.errors import InputError
from repose_jit.reach.engine import ReachStatus

__all__ = ["ReachMap", "require_map"]

FloatArray = NDArray[np.float64]
CountArray = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReachMap:
    """Which poses of a grid of voxels × orientations a robot takes.

    Attributes
    ----------
    x, y, z
        (nx,), (ny,), (nz,) coordinates of the voxel centres in the base frame [m].
    rotations
        (k, 3, 3) orientations of the tool in the base frame, the same at every voxel.
    status
        (nx, ny, nz, k) int8 values of :class:`ReachStatus`.
    attributes
        What was studied and with which budget, as plain JSON values; stored with the map.
    seconds, threads
        How long the poses took, compilation not counted, and on how many threads; None for a map that was loaded.
    """

    x: FloatArray
    y: FloatArray
    z: FloatArray
    rotations: FloatArray
    status: NDArray[np.int8]
    attributes: Mapping[str, Any]
    seconds: float | None = None
    threads: int | None = None

    @property
    def n_poses(self) -> int:
        """Voxels × orientations."""
        return self.status.size

    @property
    def n_orientations(self) -> int:
        """Orientations per voxel."""
        return len(self.rotations)

    @property
    def robot(self) -> str:
        """Name of the robot, ``"robot"`` if it has none."""
        return str(self.attributes.get("robot") or "robot")

    @property
    def spacing(self) -> float:
        """Edge of a voxel [m]."""
        return float(self.attributes["spacing"])

    @cached_property
    def n_reached(self) -> CountArray:
        """(nx, ny, nz) orientations reached per voxel."""
        return self._count(ReachStatus.REACHED)

    @cached_property
    def n_not_found(self) -> CountArray:
        """(nx, ny, nz) orientations per voxel for which the budget found nothing."""
        return self._count(ReachStatus.NOT_FOUND)

    @cached_property
    def n_proven_unreachable(self) -> CountArray:
        """(nx, ny, nz) orientations per voxel that are out of reach for certain."""
        return self._count(ReachStatus.PROVEN_UNREACHABLE)

    @cached_property
    def reachability_index(self) -> FloatArray:
        """(nx, ny, nz) orientations reached per voxel [%]."""
        return 100.0 * self.n_reached / self.n_orientations

    @property
    def reachable_volume(self) -> float:
        """Volume of the voxels with at least one pose reached [m³]."""
        return int(np.count_nonzero(self.n_reached)) * self.spacing**3

    def summary(self) -> dict[str, Any]:
        """Return the figures of the study; percentages are of all poses, `seconds` and the rate None if not known."""
        reached = int(self.n_reached.sum())
        rate = self.n_poses / self.seconds if self.seconds else None
        return {
            "robot": self.robot,
            "voxels": self.n_reached.size,
            "spacing": self.spacing,
            "orientations": self.n_orientations,
            "poses": self.n_poses,
            "reached": reached,
            "not_found": int(self.n_not_found.sum()),
            "proven_unreachable": int(self.n_proven_unreachable.sum()),
            "percent_reached": 100.0 * reached / self.n_poses,
            "reachable_volume": self.reachable_volume,
            "attempts": self.attributes["attempts"],
            "max_iterations": self.attributes["max_iterations"],
            "seconds": self.seconds,
            "threads": self.threads,
            "poses_per_second": rate,
        }

    def summary_text(self) -> str:
        """Return the figures of the study as a few lines of text."""
        figures = self.summary()
        lines = [
            f"{self.robot}: {self.n_poses:,} poses",
            f"  {self.n_reached.size:,} voxels of {1e3 * self.spacing:g} mm × {self.n_orientations} orientations",
        ]
        for key, note in (
            ("reached", ""),
            ("not_found", f"  within {self.budget}"),
            ("proven_unreachable", "  further away than the arm can stretch"),
        ):
            count = figures[key]
            lines.append(f"  {key.replace('_', ' '):<18} {count:>13,}  {100.0 * count / self.n_poses:5.1f} %{note}")
        lines.append(f"  reachable volume {self.reachable_volume:.4g} m³: voxels with at least one pose reached")
        lines.append("  collisions are not checked")
        if self.seconds:
            threads = f"{self.threads} thread" + ("s" if self.threads != 1 else "")
            lines.append(f"  {self.seconds:.1f} s on {threads}: {self.n_poses / self.seconds:,.0f} poses/s")
        return "\n".join(lines)

    @property
    def budget(self) -> str:
        """How much was tried for a pose before giving up, in words."""
        return f"{self.attributes['attempts']} attempts of {self.attributes['max_iterations']} iterations"

    def _count(self, status: ReachStatus) -> CountArray:
        count: CountArray = np.count_nonzero(self.status == status, axis=-1).astype(np.int32)
        return count


def require_map(reach_map: object) -> None:
    """Raise InputError unless `reach_map` is a ReachMap."""
    if not isinstance(reach_map, ReachMap):
        raise InputError(f"reach_map: got {type(reach_map).__name__}, expected a ReachMap")
