"""The map as rows: one for each site, or for each pose, block by block."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from repose_jit.poses import quat_xyzw_from_rotation
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.status import ReachStatus

__all__ = ["Rows", "pose_rows", "site_rows", "status_words"]

AnyArray = NDArray[np.generic]
FloatArray = NDArray[np.float64]
Rows = dict[str, AnyArray]
"""Columns of equal length by their names."""

OUTCOMES = ("n_reached", "n_not_found", "n_proven_unreachable")
COUNTS = (*OUTCOMES, "reachability_index")
RECORDS = ("status", "position_error", "orientation_error", "attempts", "seed_index")


def site_rows(reach_map: ReachMap) -> Iterator[Rows]:
    """Yield the sites of every block that is done.

    ``site`` is the number of a site in C order. Then comes where it is: ``x y z`` [m], and ``nx ny nz`` of a surface
    whose orientations follow its normals, or ``qx qy qz qw`` of given poses; of a placement ``base_x base_y base_z``
    [m] and ``base_yaw`` [rad], and whether it is ``excluded``. Then counts, the reachability index [%], and mean and
    maximum of each metric.
    """
    names = [*COUNTS, *(f"{name}_{kind}" for name in reach_map.metrics for kind in ("mean", "max"))]
    has_normals = _has_normals(reach_map)
    for where, arrays in reach_map.blocks(*names):
        sites = _numbers(where, reach_map.shape)
        frames = reach_map.targets.site_frames(sites)
        rows: Rows = {"site": sites}
        if reach_map.kind == "placements":
            rows |= _bases(reach_map, sites)
            # Every pose of a placement that was tried has an outcome.
            rows["excluded"] = np.sum([arrays[name].reshape(-1) for name in OUTCOMES], axis=0) == 0
        elif reach_map.kind == "poses":
            rows |= _poses(frames)
        else:
            rows |= _columns("x y z", frames[:, :3, 3])
            if has_normals:
                rows |= _columns("nx ny nz", frames[:, :3, 2])
        yield rows | {name: array.reshape(-1) for name, array in arrays.items()}


def pose_rows(reach_map: ReachMap, *, only_reached: bool = False) -> Iterator[Rows]:
    """Yield the poses, or those that are reached, of every block that is done.

    ``site`` and ``orientation`` are the numbers of both; of placements the base follows as in :func:`site_rows`. Then
    the pose of the tool in the base frame, ``x y z`` [m] and ``qx qy qz qw``, ``status`` as a number, errors [m, rad],
    attempts, seed index, metrics, and if saved the configuration, ``q_`` and the name of each joint [rad or m].
    """
    k = reach_map.n_orientations
    has_q = bool(reach_map.attributes["save_q"])
    names = [*RECORDS, *reach_map.metrics, *(["q"] if has_q else [])]
    for where, arrays in reach_map.blocks(*names):
        sites = _numbers(where, reach_map.shape)
        outcomes = arrays["status"].reshape(-1)
        kept = np.flatnonzero(outcomes == ReachStatus.REACHED) if only_reached else np.arange(len(outcomes))
        of_site = sites[kept // k]
        rows: Rows = {"site": of_site, "orientation": kept % k}
        if reach_map.kind == "placements":
            rows |= _bases(reach_map, of_site)
        rows |= _poses(reach_map.targets.poses(sites).reshape(-1, 4, 4)[kept])
        rows |= {name: arrays[name].reshape(-1)[kept] for name in names if name != "q"}
        if has_q:
            q = arrays["q"].reshape(-1, reach_map.chain.n_joints)[kept]
            rows |= {f"q_{name}": q[:, joint] for joint, name in enumerate(reach_map.chain.joint_names)}
        yield rows


def status_words() -> list[str]:
    """Return the word for every status, by its number."""
    return [status.name.lower() for status in ReachStatus]


def _numbers(where: tuple[slice, ...], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the numbers of the sites in a block, in C order of all sites."""
    ranges = np.ix_(*(np.arange(part.start, part.stop) for part in where))
    return np.asarray(np.ravel_multi_index(ranges, shape), dtype=np.int64).reshape(-1)


def _poses(T: FloatArray) -> Rows:
    return _columns("x y z", T[:, :3, 3]) | _columns("qx qy qz qw", quat_xyzw_from_rotation(T[:, :3, :3]))


def _bases(reach_map: ReachMap, sites: NDArray[np.int64]) -> Rows:
    at = np.unravel_index(sites, reach_map.shape)
    x, y, yaw = (reach_map.coordinates[dim][index] for dim, index in zip(reach_map.dims, at, strict=True))
    # The frame of a site is the inverse of the base, and a turn about z does not change the height.
    z = 0.0 - reach_map.targets.site_frames(sites)[:, 2, 3]
    return {"base_x": x, "base_y": y, "base_z": z, "base_yaw": yaw}


def _columns(names: str, values: FloatArray) -> Rows:
    return dict(zip(names.split(), values.T, strict=True))


def _has_normals(reach_map: ReachMap) -> bool:
    """Tell whether the z axes of the sites are the normals of a surface."""
    orientations = tomllib.loads(reach_map.attributes["study"]).get("orientations", {})
    return reach_map.kind == "surface" and "approach" in orientations
