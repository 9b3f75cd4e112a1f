"""What a store was begun with: its study read back, and compared with the one that is to go on."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError, shown
from repose_jit.multi_seed import MultiSeedParams
from repose_jit.reach.solving.chunk import ReachJob
from repose_jit.reach.store.reach_store import ReachStore
from repose_jit.reach.store.schema import SCHEMA, attributes, digest
from repose_jit.reach.targets.target_set import TargetSet
from repose_jit.toml_writer import to_toml

__all__ = [
    "RESULT",
    "VERSIONS",
    "first_difference",
    "job_of",
    "require_same",
    "shard_of",
    "stored_chain",
    "stored_job",
    "stored_targets",
]

VERSIONS = ("versions", "cpu_has_fma")
"""The attributes that say where the bits were made."""
RESULT = ("complete", "summary")
"""The attributes that say how far a study is, not which one it is."""


def job_of(store: ReachStore) -> ReachJob:
    """Return what the chunks of a store are solved from.

    Raises
    ------
    InputError
        If they could get other bits here than where it was begun, or the store contradicts itself; naming the field.
    """
    job = stored_job(store)
    require_same(store, job, tomllib.loads(store.attributes["study"]), shard=shard_of(store.attributes))
    return job


def stored_job(store: ReachStore) -> ReachJob:
    """Return what the chunks of a store were solved from, wherever that was."""
    config = tomllib.loads(store.attributes["study"])
    targets = stored_targets(store)
    solve = MultiSeedParams(**config["solve"], free_axis=targets.free_axis, axis_mask=targets.axis_mask, threads=1)
    return ReachJob(
        chain=stored_chain(store.attributes),
        targets=targets,
        solve=solve,
        metrics=tuple(config["metrics"]["names"]),
        length_scale=config["metrics"]["length_scale"],
        save_q=config["store"]["save_q"],
    )


def stored_chain(what: Mapping[str, Any]) -> KinematicChain:
    """Return the robot of a store, from its attributes."""
    return KinematicChain.from_config(tomllib.loads(what["study"])["robot"]["chain"])


def shard_of(what: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return which shard a store is of, from its attributes; None if it is of the whole study."""
    if what["shard"] is None:
        return None
    i, N = what["shard"].split("/")
    return int(i), int(N)


def stored_targets(store: ReachStore) -> TargetSet:
    """Return the poses of a store, to the bit."""
    what = store.attributes
    dims = tuple(str(name) for name in store.array("n_reached").metadata.dimension_names)  # type: ignore[union-attr]
    has_frames, has_excluded = ("site_pose" in store.group), ("excluded" in store.group)
    mask = what["axis_mask"]
    return TargetSet(
        kind=what["kind"],
        dims=dims,
        coordinates={dim: np.asarray(store.array(dim)) for dim in dims},
        local_poses=np.asarray(store.array("local_pose")),
        site_poses=np.asarray(store.array("site_pose")).reshape(-1, 4, 4) if has_frames else None,
        free_axis=what["free_axis"],
        axis_mask=None if mask is None else tuple(mask),
        excluded=np.asarray(store.array("excluded")).reshape(-1) if has_excluded else None,
        spacing=what["spacing"],
    )


def require_same(
    store: ReachStore, job: ReachJob, config: Mapping[str, object], *, shard: tuple[int, int] | None
) -> None:
    """Raise InputError, naming the first field that differs, unless a store was begun with this study, here.

    Parameters
    ----------
    store
        What was begun.
    job, config, shard
        What is to go on.
    """
    theirs, ours = store.attributes, attributes(job, config, shard=shard)
    if digest(theirs["study"]) != theirs["study_hash"]:
        raise InputError(f"{store.path}: the text of its study is not the one of study_hash: somebody changed it")
    if theirs["robot_hash"] != ours["robot_hash"]:
        before, now = to_toml(stored_chain(theirs).to_config()), to_toml(job.chain.to_config())
        _refuse(store, "robot", *first_difference(tomllib.loads(before), tomllib.loads(now)))
    if theirs["study_hash"] != ours["study_hash"]:
        _refuse(store, "study", *first_difference(tomllib.loads(theirs["study"]), tomllib.loads(ours["study"])))
    for name in (SCHEMA, *VERSIONS, *ours):
        if name not in RESULT and theirs.get(name) != ours[name]:
            _refuse(store, name, *first_difference(theirs.get(name), ours[name]))


def _refuse(store: ReachStore, field: str, path: str, before: object, now: object) -> None:
    raise InputError(
        f"{store.path}: it was begun with {field}{path} = {shown(before)}, and this one has {shown(now)}: "
        "expected the same study, robot, versions and kind of CPU, for the rest would not fit the part that is done"
    )


def first_difference(before: object, now: object) -> tuple[str, object, object]:
    """Return the path below which two values differ, and what is there."""
    for path, a, b in _differences(before, now, ""):
        return path, a, b
    return "", before, now


def _differences(before: Any, now: Any, path: str) -> Iterator[tuple[str, object, object]]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in [*before, *(key for key in now if key not in before)]:
            yield from _differences(before.get(key), now.get(key), f"{path}.{key}")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for i, (a, b) in enumerate(zip(before, now, strict=True)):
            yield from _differences(a, b, f"{path}[{i}]")
    elif before != now:
        yield path, before, now
