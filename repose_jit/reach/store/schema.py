"""What a store of a study holds: its variables, and the attributes that say what was studied."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

import repose_jit
from repose_jit.reach.solving.chunk import ReachJob
from repose_jit.reach.solving.metrics import METRICS
from repose_jit.reach.solving.neighbourhood import ATTEMPTS_ALONE, MAX_LOANS
from repose_jit.reach.status import ReachStatus
from repose_jit.reach.targets.target_set import TargetSet
from repose_jit.toml_writer import to_toml

__all__ = ["SCHEMA", "SCHEMA_VERSION", "Variable", "attributes", "coordinates", "digest", "targets_digest", "variables"]

SCHEMA = "repose_jit.reach_schema"
SCHEMA_VERSION = 2

PACKAGES = ("numba", "llvmlite", "numpy", "zarr", "numcodecs")
"""Whose versions the bits of a map, or of its files, could depend on."""

UNITS = {"x": "m", "y": "m", "z": "m", "yaw": "rad"}


@dataclass(frozen=True, kw_only=True)
class Variable:
    """An array of the store.

    Attributes
    ----------
    name, dims, dtype, fill
        As in the store; `fill` stands where a chunk is not done.
    attributes
        Units and meaning, for whoever opens the store.
    """

    name: str
    dims: tuple[str, ...]
    dtype: str
    fill: float
    attributes: Mapping[str, Any] = field(default_factory=dict)


def variables(job: ReachJob) -> list[Variable]:
    """Return the arrays that every chunk has a part of; ``status`` is the last."""
    site, pose = job.targets.dims, (*job.targets.dims, "orientation")
    result = [
        _variable(f"n_{word}", site, "int32", -1, f"orientations {words}", "1")
        for word, words in (
            ("reached", "reached"),
            ("not_found", "not found within the budget"),
            ("proven_unreachable", "out of reach for certain"),
        )
    ]
    result.append(_variable("reachability_index", site, "float32", np.nan, "orientations reached", "%"))
    for name in job.metrics:
        metric = METRICS[name]
        result.append(_variable(f"{name}_mean", site, "float32", np.nan, f"mean of {metric.meaning}", metric.unit))
        result.append(_variable(f"{name}_max", site, "float32", np.nan, f"largest {metric.meaning}", metric.unit))
    result += [
        _variable(name, pose, "float32", np.nan, METRICS[name].meaning, METRICS[name].unit) for name in job.metrics
    ]
    of_what = "of the configuration; where none was found, of the attempt that came nearest"
    result += [
        _variable("position_error", pose, "float32", np.nan, f"position error {of_what}", "m"),
        _variable("orientation_error", pose, "float32", np.nan, f"orientation error {of_what}", "rad"),
        _variable("attempts", pose, "int32", 0, "attempts made", "1"),
        _variable("seed_index", pose, "int32", -1, "spread seed that led there, -2: a neighbour's configuration", "1"),
    ]
    if job.save_q:
        joints = {"joints": list(job.chain.joint_names)}
        meaning = "configuration that reaches the pose, rad or m"
        result.append(
            Variable(
                name="q",
                dims=(*pose, "joint"),
                dtype="float64",
                fill=np.nan,
                attributes={"long_name": meaning, **joints},
            )
        )
    flags = {
        "long_name": "outcome of the pose",
        "flag_values": [int(status) for status in ReachStatus],
        "flag_meanings": " ".join(status.name.lower() for status in ReachStatus),
    }
    result.append(Variable(name="status", dims=pose, dtype="int8", fill=0, attributes=flags))
    return result


def coordinates(targets: TargetSet) -> dict[str, tuple[tuple[str, ...], NDArray[Any], dict[str, Any]]]:
    """Return the arrays that say where everything is, by name: dimensions, values and attributes."""
    result: dict[str, tuple[tuple[str, ...], NDArray[Any], dict[str, Any]]] = {}
    for name, values in targets.coordinates.items():
        what: dict[str, Any] = {"long_name": f"number of the {name}"}
        if name in UNITS:
            owner = {"grid": "the voxel centre", "placements": "the base"}[targets.kind]
            what = {"units": UNITS[name], "long_name": f"{name} of {owner}"}
        result[name] = ((name,), np.asarray(values), what)
    k = np.arange(targets.n_orientations, dtype=np.int32)
    result["orientation"] = (("orientation",), k, {"long_name": "index into local_pose"})
    meaning = "pose of the tool in the frame of a site"
    result["local_pose"] = (("orientation", "row", "column"), targets.local_poses, {"long_name": meaning})
    if targets.site_poses is not None:
        poses = targets.site_poses.reshape(*targets.shape, 4, 4)
        what = {"long_name": "frame of the site in the base frame, positions in m"}
        result["site_pose"] = ((*targets.dims, "row", "column"), poses, what)
    if targets.excluded is not None:
        left_out = targets.excluded.reshape(targets.shape)
        result["excluded"] = (targets.dims, left_out, {"long_name": "left out: the base may not stand there"})
    return result


def attributes(job: ReachJob, config: Mapping[str, object], *, shard: tuple[int, int] | None) -> dict[str, Any]:
    """Return what determines the map, as plain JSON values: no times, hosts or engines, so equal studies are equal."""
    targets, solve = job.targets, job.solve
    robot = to_toml(job.chain.to_config())
    study = to_toml(config)
    near = None if job.neighbourhood is None else {"attempts_alone": ATTEMPTS_ALONE, "max_loans": MAX_LOANS}
    return {
        SCHEMA: SCHEMA_VERSION,
        "study": study,
        "study_hash": digest(study),
        "robot": job.chain.name,
        "robot_hash": digest(robot),
        "targets_hash": targets_digest(targets),
        "kind": targets.kind,
        "spacing": targets.spacing,
        "n_sites": targets.n_sites,
        "n_orientations": targets.n_orientations,
        "n_poses": targets.n_poses,
        "free_axis": targets.free_axis,
        "axis_mask": None if targets.axis_mask is None else list(targets.axis_mask),
        "budget": {
            "max_attempts": solve.max_attempts,
            "max_iterations": solve.max_iterations,
            "by_neighbourhood": near,
        },
        "rng_seed": solve.rng_seed,
        "metrics": list(job.metrics),
        "length_scale": job.length_scale,
        "save_q": job.save_q,
        "block_shape": list(job.blocks.block_shape),
        "versions": {"repose_jit": repose_jit.__version__, **{package: version(package) for package in PACKAGES}},
        "cpu_has_fma": _has_fma(),
        "collision_checked": None,
        "shard": None if shard is None else f"{shard[0]}/{shard[1]}",
        "complete": False,
        "summary": None,
    }


def digest(text: str) -> str:
    """Return the digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def targets_digest(targets: TargetSet) -> str:
    """Return a digest of every number that the poses are made of."""
    sha256 = hashlib.sha256(json.dumps([targets.kind, targets.dims, targets.free_axis, targets.axis_mask]).encode())
    for name, (dims, values, _) in coordinates(targets).items():
        sha256.update(json.dumps([name, dims, values.shape, str(values.dtype)]).encode())
        sha256.update(np.ascontiguousarray(values).tobytes())
    return sha256.hexdigest()


def _variable(name: str, dims: tuple[str, ...], dtype: str, fill: float, meaning: str, unit: str) -> Variable:
    return Variable(name=name, dims=dims, dtype=dtype, fill=fill, attributes={"units": unit, "long_name": meaning})


def _has_fma() -> bool:
    """Tell whether the CPU fuses multiply and add: without it the last bits of every result differ."""
    import llvmlite.binding

    features = llvmlite.binding.get_host_cpu_features()
    return bool(features.get("fma", False) or features.get("neon", False) or features.get("fp-armv8", False))
