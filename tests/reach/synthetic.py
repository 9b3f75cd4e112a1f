"""Stores made up for the tests of pictures: the schema of a reach map, without solving a study."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import zarr

import repose_jit as rj
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.status import ReachStatus
from repose_jit.toml_writer import to_toml

METRICS = ("manipulability", "sigma_min", "inverse_condition", "limit_margin")
SOLVE = {"max_attempts": 8, "max_iterations": 30, "rng_seed": 0}
MISS_RATE = {
    "from_fk": {"sampled": 2000, "missed": 5, "rate": 0.25, "below": 0.51},
    "from_retry": {"sampled": 500, "found": 3, "attempts": 80, "rate": 0.006, "below": 0.02},
}


def write_store(
    path: Path,
    status: np.ndarray,
    *,
    kind: str = "grid",
    coordinates: Mapping[str, np.ndarray] | None = None,
    site_poses: np.ndarray | None = None,
    local_poses: np.ndarray | None = None,
    metrics: Mapping[str, np.ndarray] | None = None,
    q: np.ndarray | None = None,
    chain: rj.KinematicChain | None = None,
    name: str = "painted",
    targets: Mapping[str, object] | None = None,
    orientations: Mapping[str, object] | None = None,
    free_axis: str | None = None,
    miss_rate: Mapping[str, object] | None = MISS_RATE,
) -> ReachMap:
    """Write a store with this `status` (*sites, k); NaN metrics, no q, voxels of 0.1 m unless given."""
    status = np.asarray(status, np.int8)
    *sites, k = status.shape
    dims = {"grid": ("x", "y", "z"), "surface": ("point",), "poses": ("pose",), "placements": ("x", "y", "yaw")}[kind]
    if coordinates is None:
        scale = 0.1 if kind in {"grid", "placements"} else 1
        coordinates = {dim: scale * np.arange(size) for dim, size in zip(dims, sites, strict=True)}
    spacing = None
    if kind == "grid":
        x = coordinates["x"]
        spacing = float(x[1] - x[0]) if len(x) > 1 else 0.1
    chain = chain or rj.igus_rebel_chain()
    if metrics is None:
        metrics = {metric: np.full(status.shape, np.nan, np.float32) for metric in METRICS}
    local_poses = np.broadcast_to(np.eye(4), (k, 4, 4)) if local_poses is None else local_poses
    done = (status != ReachStatus.UNINITIALIZED).all(axis=-1)
    counts = {
        f"n_{outcome.name.lower()}": np.where(done, np.count_nonzero(status == outcome, axis=-1), -1).astype(np.int32)
        for outcome in (ReachStatus.REACHED, ReachStatus.NOT_FOUND, ReachStatus.PROVEN_UNREACHABLE)
    }
    complete = bool(done.all())
    block = [min(2, sites[0]), *sites[1:]]
    study = {
        "schema": 1,
        "robot": {"chain": {**chain.to_config(), "name": name}},
        "targets": dict(targets or {"kind": kind}),
        **({"orientations": dict(orientations)} if orientations else {}),
        "solve": SOLVE,
        "metrics": {"names": list(metrics), "length_scale": 1.0},
        **({"placement": {"spacing": 0.1}} if kind == "placements" else {}),
    }
    attributes: dict[str, Any] = {
        "repose_jit.reach_schema": 2,
        "study": to_toml(study),
        "study_hash": "ab" * 32,
        "robot": name,
        "robot_hash": "cd" * 32,
        "targets_hash": None if kind == "grid" else "ef" * 32,
        "kind": kind,
        "spacing": spacing,
        "n_sites": int(np.prod(sites)),
        "n_orientations": k,
        "n_poses": status.size,
        "budget": {"max_attempts": 8, "max_iterations": 30, "by_neighbourhood": {"attempts_alone": 2, "max_loans": 4}},
        "rng_seed": 0,
        "metrics": list(metrics),
        "length_scale": 1.0,
        "save_q": q is not None,
        "free_axis": free_axis,
        "axis_mask": None,
        "block_shape": block,
        "versions": {"repose_jit": rj.__version__, "numpy": "2.4.6", "zarr": "3.1.6"},
        "cpu_has_fma": True,
        "collision_checked": None,
        "complete": complete,
        "shard": None,
        "summary": None,
    }
    if complete:
        reached = int(counts["n_reached"].sum())
        attributes["summary"] = {
            "reached": reached,
            "not_found": int(counts["n_not_found"].sum()),
            "proven_unreachable": int(counts["n_proven_unreachable"].sum()),
            "excluded": int(np.count_nonzero(status == ReachStatus.EXCLUDED)),
            "percent_reached": 100.0 * reached / status.size,
            "reachable_volume": None if spacing is None else float((counts["n_reached"] > 0).sum() * spacing**3),
            "metrics": {},
            "miss_rate": miss_rate,
        }
    group = zarr.open_group(path, mode="w", zarr_format=3, attributes=attributes)

    def add(array_name: str, data: np.ndarray, fill: Any, names: tuple[str, ...]) -> None:
        chunks = data.shape if names[: len(dims)] != dims else (*block, *data.shape[len(dims) :])
        group.create_array(array_name, data=data, chunks=chunks, fill_value=fill, dimension_names=names)

    for dim, values in coordinates.items():
        add(dim, np.asarray(values), 0, (dim,))
    add("orientation", np.arange(k, dtype=np.int32), 0, ("orientation",))
    add("local_pose", np.array(local_poses), np.nan, ("orientation", "row", "column"))
    if kind != "grid":
        poses = np.broadcast_to(np.eye(4), (*sites, 4, 4)) if site_poses is None else site_poses
        add("site_pose", np.array(poses), np.nan, (*dims, "row", "column"))
    if (excluded := (status == ReachStatus.EXCLUDED).all(axis=-1)).any():
        add("excluded", excluded, False, dims)
    add("status", status, 0, (*dims, "orientation"))
    for count_name, values in counts.items():
        add(count_name, values, -1, dims)
    index = np.where(done, 100.0 * counts["n_reached"] / k, np.nan).astype(np.float32)
    add("reachability_index", index, np.nan, dims)
    for metric, values in metrics.items():
        add(metric, np.asarray(values, np.float32), np.nan, (*dims, "orientation"))
        known = np.ma.masked_invalid(values)
        add(f"{metric}_mean", known.mean(axis=-1).filled(np.nan).astype(np.float32), np.nan, dims)
        add(f"{metric}_max", known.max(axis=-1).filled(np.nan).astype(np.float32), np.nan, dims)
    if q is not None:
        add("q", q, np.nan, (*dims, "orientation", "joint"))
    return ReachMap.open(path)


def painted(path: Path, status: int, shape: tuple[int, int, int, int] = (6, 5, 4, 8)) -> ReachMap:
    """Write a grid of one status everywhere."""
    return write_store(path, np.full(shape, status))


def write_solved_store(
    path: Path,
    chain: rj.KinematicChain,
    poses: np.ndarray,
    *,
    save_q: bool = True,
    bound: float | None = None,
    **others: Any,
) -> ReachMap:
    """Solve T_base_tool (*sites, k, 4, 4), compute four metrics from their definitions, and write the store.

    Poses further than `bound` [m] from (0, 0, 0.15) count as proven unreachable.
    """
    solved = rj.inverse_kinematics_batch(chain, poses, params=rj.MultiSeedParams(max_attempts=8, threads=1))
    reached = np.asarray(solved.converged)
    status = np.where(reached, ReachStatus.REACHED, ReachStatus.NOT_FOUND).astype(np.int8)
    if bound is not None:
        away = np.linalg.norm(poses[..., :3, 3] - (0.0, 0.0, 0.15), axis=-1)
        status[(away > bound) & ~reached] = ReachStatus.PROVEN_UNREACHABLE
    metrics = {metric: np.full(status.shape, np.nan, np.float32) for metric in METRICS}
    if reached.any():
        configurations = solved.q[reached]
        sigma = rj.singular_values(chain, configurations)
        metrics["manipulability"][reached] = sigma.prod(axis=-1)
        metrics["sigma_min"][reached] = sigma.min(axis=-1)
        metrics["inverse_condition"][reached] = sigma.min(axis=-1) / sigma.max(axis=-1)
        middle, half = 0.5 * (chain.upper_limits + chain.lower_limits), 0.5 * (chain.upper_limits - chain.lower_limits)
        metrics["limit_margin"][reached] = (1.0 - abs(configurations - middle) / half).min(axis=-1)
    q = np.where(reached[..., None], solved.q, np.nan) if save_q else None
    name = chain.name or "robot"
    return write_store(path, status, metrics=metrics, q=q, chain=chain, name=name, **others)


def grid_poses(axes: Mapping[str, np.ndarray], rotations: np.ndarray) -> np.ndarray:
    """Return (nx, ny, nz, k, 4, 4) poses of every rotation at every voxel."""
    points = np.stack(np.meshgrid(*axes.values(), indexing="ij"), axis=-1)
    T = np.zeros((*points.shape[:-1], len(rotations), 4, 4))
    T[..., :3, :3] = rotations
    T[..., :3, 3] = points[..., None, :]
    T[..., 3, 3] = 1.0
    return T


def rotations_as_poses(rotations: np.ndarray) -> np.ndarray:
    """Return (k, 4, 4) local poses of (k, 3, 3) rotations."""
    T = np.zeros((len(rotations), 4, 4))
    T[:, :3, :3], T[:, 3, 3] = rotations, 1.0
    return T
