"""One Zarr group per map: xarray opens it without this package, and equal studies give equal files."""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import uuid
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from repose_jit.errors import InputError
from repose_jit.reach.engine import ReachStatus
from repose_jit.reach.reach_map import ReachMap, require_map
from repose_jit.validation import as_path

if TYPE_CHECKING:
    import zarr

__all__ = ["load", "require_destination", "save"]

SCHEMA = "repose_jit.reach_schema"
SCHEMA_VERSION = 1
CHUNK_BYTES = 16 * 2**20
VOXEL = ("x", "y", "z")
FINAL = [status for status in ReachStatus if status is not ReachStatus.UNINITIALIZED]
DESCRIBED = {"spacing", "attempts", "max_iterations"}
"""What a map needs to know of its study."""


def save(reach_map: ReachMap, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Write a map as a Zarr v3 group: ``xarray.open_zarr(path)`` opens it.

    Coordinates ``x``, ``y``, ``z`` [m] and ``orientation``; ``rotation`` (orientation, row, column); ``status``
    (x, y, z, orientation); ``reachability_index`` [%], ``n_reached``, ``n_not_found`` and ``n_proven_unreachable``
    (x, y, z). The study is kept as attributes, but no time, date or host.

    Parameters
    ----------
    reach_map
        What to write.
    path
        Directory to make. It appears complete or not at all.
    overwrite
        Replace a map that is there already.

    Returns
    -------
    Path
        Where it is.

    Raises
    ------
    InputError
        As :func:`require_destination`, before anything is written.
    """
    import zarr

    require_map(reach_map)
    final = require_destination(path, overwrite=overwrite)
    partial = _sibling(final)
    try:
        attributes: dict[str, Any] = {SCHEMA: SCHEMA_VERSION, **reach_map.attributes}
        group = zarr.open_group(partial, mode="w-", zarr_format=3, attributes=attributes)
        _write_arrays(group, reach_map)
        with warnings.catch_warnings():
            # Zarr warns that the format does not define consolidated metadata yet, and xarray where it is missing.
            warnings.filterwarnings("ignore", message="Consolidated metadata", category=UserWarning)
            zarr.consolidate_metadata(partial, zarr_format=3)
        _move_into_place(partial, final, overwrite=overwrite)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return final


def load(path: str | os.PathLike[str]) -> ReachMap:
    """Read a map that :func:`save` wrote.

    Raises
    ------
    InputError
        If there is none at `path`, another version of repose_jit wrote it in another way, or parts are missing.
    """
    import zarr

    path = as_path(path)
    attributes = _attributes(path)
    if attributes is None:
        found = "something else" if path.exists() else "nothing"
        raise InputError(f"{path}: found {found}, expected a map written by repose_jit.reach.store.save")
    if attributes.get(SCHEMA) != SCHEMA_VERSION:
        raise InputError(f"{path}: got schema version {attributes.get(SCHEMA)!r}, expected {SCHEMA_VERSION}")
    try:
        group = zarr.open_group(path, mode="r", zarr_format=3, use_consolidated=False)
        x, y, z, rotations, status = (np.asarray(group[name]) for name in (*VOXEL, "rotation", "status"))
    except Exception as error:  # a decoder has its own words for bytes that it cannot read
        raise InputError(
            f"{path}: the map is damaged ({type(error).__name__}: {error}), expected a whole one"
        ) from None
    # Zarr fills what is missing, NaN for coordinates and UNINITIALIZED for outcomes, as in a copy that was broken off.
    is_whole = (
        all(np.isfinite(part).all() for part in (x, y, z, rotations))
        and status.shape == (len(x), len(y), len(z), len(rotations))
        and bool(np.isin(status, FINAL).all())
        and DESCRIBED.issubset(attributes)
    )
    if not is_whole:
        raise InputError(f"{path}: parts of the map are missing, expected a whole one")
    return ReachMap(
        x=x,
        y=y,
        z=z,
        rotations=rotations,
        status=status,
        attributes={name: value for name, value in attributes.items() if name != SCHEMA},
    )


def require_destination(path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Check that a map can be written at `path`; call it before a long run.

    Returns
    -------
    Path
        The absolute path.

    Raises
    ------
    InputError
        If something is there that may not be replaced, or the directory cannot be written.
    """
    final = as_path(path).absolute()
    if not final.name:
        raise InputError(f"{final}: exists already, expected a new path")
    if final.exists() or final.is_symlink():
        if not overwrite:
            raise InputError(
                f"{final}: exists already, expected a new path, or overwrite=True to replace the map there"
            )
        if final.is_symlink() or _attributes(final) is None:
            raise InputError(f"{final}: exists and is no reach map, so it is not overwritten; expected a new path")
    trial = _sibling(final)
    try:
        trial.mkdir()
        trial.rmdir()
    except OSError as error:
        raise InputError(
            f"{final}: cannot write into {final.parent} ({error.strerror}), expected a directory that can be written"
        ) from None
    return final


def _write_arrays(group: zarr.Group, reach_map: ReachMap) -> None:
    voxels, k = reach_map.n_reached.shape, reach_map.n_orientations
    for name in VOXEL:
        attributes: dict[str, Any] = {"units": "m", "long_name": f"{name} of the voxel centre in the base frame"}
        values = getattr(reach_map, name)
        group.create_array(name, data=values, fill_value=np.nan, dimension_names=[name], attributes=attributes)
    group.create_array(
        "orientation",
        data=np.arange(k, dtype=np.int32),
        dimension_names=["orientation"],
        attributes={"long_name": "index into rotation"},
    )
    group.create_array(
        "rotation",
        data=reach_map.rotations,
        fill_value=np.nan,
        dimension_names=["orientation", "row", "column"],
        attributes={"long_name": "R_base_tool of the orientation"},
    )
    statuses = list(ReachStatus)
    group.create_array(
        "status",
        data=reach_map.status,
        chunks=(max(1, min(voxels[0], CHUNK_BYTES // math.prod((*voxels[1:], k)))), *voxels[1:], k),
        dimension_names=[*VOXEL, "orientation"],
        attributes={
            "long_name": "outcome of the pose",
            "flag_values": [int(status) for status in statuses],
            "flag_meanings": " ".join(status.name.lower() for status in statuses),
        },
    )
    for name, units, long_name in (
        ("reachability_index", "%", "orientations reached"),
        ("n_reached", "1", "number of orientations reached"),
        ("n_not_found", "1", "number of orientations not found within the budget"),
        ("n_proven_unreachable", "1", "number of orientations out of reach for certain"),
    ):
        group.create_array(
            name,
            data=getattr(reach_map, name),
            chunks=voxels,
            dimension_names=list(VOXEL),
            attributes={"units": units, "long_name": long_name},
        )


def _attributes(path: Path) -> Mapping[str, Any] | None:
    """Return the attributes of the map at `path`, None if there is no map."""
    try:
        attributes = json.loads((path / "zarr.json").read_text())["attributes"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return attributes if isinstance(attributes, dict) and SCHEMA in attributes else None


def _sibling(final: Path) -> Path:
    """Return a new path beside `final`: on the same file system, so that one rename brings it there."""
    return final.with_name(f".{final.name}.{uuid.uuid4().hex[:12]}.partial")


def _move_into_place(partial: Path, final: Path, *, overwrite: bool) -> None:
    if not (overwrite and final.exists()):
        try:
            partial.rename(final)
        except OSError:
            if not final.exists():
                raise
            raise InputError(f"{final}: another program has made it in the meantime, expected a new path") from None
        return
    old = _sibling(final)
    final.rename(old)
    try:
        partial.rename(final)
    except OSError:
        with contextlib.suppress(OSError):
            old.rename(final)
        raise
    shutil.rmtree(old, ignore_errors=True)
