"""Check what a store says of itself: its study, the targets, the description of its arrays, and which files it has."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from zarr.storage import MemoryStore

from repose_jit.errors import shown
from repose_jit.reach.solving.chunk import ReachJob
from repose_jit.reach.store.creation import empty_group
from repose_jit.reach.store.reach_store import METADATA, ReachStore
from repose_jit.reach.store.resume import RESULT, VERSIONS, first_difference, shard_of, stored_job
from repose_jit.reach.store.schema import attributes, coordinates, variables
from repose_jit.reach.verify.report import Findings

__all__ = ["MetadataCheck", "read_job"]


def read_job(store: ReachStore, findings: Findings) -> ReachJob | None:
    """Return what the chunks of a store were solved from; None, with findings, where that cannot be read."""
    before = findings.count
    names: list[str] = []
    with findings.noting(f"n_reached/{METADATA}"):
        dims = getattr(store.array("n_reached").metadata, "dimension_names", None)
        names = [*map(str, dims or ()), "orientation", "local_pose"]
        names += [name for name in ("site_pose", "excluded") if name in store.group]
    for name in names:
        with findings.noting(name):
            np.asarray(store.array(name))
    if findings.count > before:
        return None
    with findings.noting("attribute study"):
        job = stored_job(store)
        attributes(job, tomllib.loads(store.attributes["study"]), shard=shard_of(store.attributes))
        return job
    return None


@dataclass(frozen=True, eq=False)
class MetadataCheck:
    """The checks of all of a store but its chunks.

    Attributes
    ----------
    store, job
        The store, and what it says that was solved.
    attributes
        Those that it would have if it were made here, from the text of its study and its targets.
    findings
        Where to note what is wrong.
    """

    store: ReachStore
    job: ReachJob
    attributes: Mapping[str, Any]
    findings: Findings

    def check_attributes(self) -> None:
        """Compare the attributes, but for those that say where and how far the store was made."""
        theirs, ours = self.store.attributes, self.attributes
        for name in [*ours, *(name for name in theirs if name not in ours)]:
            if name in (*VERSIONS, *RESULT):
                continue
            if name not in theirs or name not in ours:
                found, expected = ("missing", "one") if name in ours else ("got an unknown one", "none")
                self.findings.add(f"attribute {name}", f"{found}, expected {expected}")
            elif name == "targets_hash" and theirs[name] != ours[name]:
                arrays = ", ".join(coordinates(self.job.targets))
                what = f"got {shown(theirs[name])}, expected {ours[name]!r}: one of {arrays} is not as it was"
                self.findings.add(f"attribute {name}", what)
            else:
                self._compare(f"attribute {name}", theirs[name], ours[name], "from the study and its targets")

    def check_arrays(self) -> set[str]:
        """Compare the description of every array with that of a new store; return the arrays that it is right of."""
        assert self.store.path is not None
        sound: set[str] = set()
        listed: dict[str, Any] = {}
        with self.findings.noting(METADATA):
            group = zarr.open_group(self.store.path, mode="r", zarr_format=3, use_consolidated=True)
            listed = {name: _description(array) for name, array in group.arrays()}
        for name, array in empty_group(MemoryStore(), self.job, {}).arrays():
            expected, where = _description(array), f"{name}/{METADATA}"
            with self.findings.noting(where):
                if self._compare(where, _description(self.store.array(name)), expected, "as in a new store"):
                    sound.add(name)
            # What xarray goes by.
            self._compare(f"{METADATA}, consolidated, {name}", listed.get(name), expected, "as in a new store")
        return sound

    def check_files(self) -> None:
        """Find files that no writer of this package makes."""
        assert self.store.path is not None
        grids = {name: (1,) * values.ndim for name, (_, values, _) in coordinates(self.job.targets).items()}
        for variable in variables(self.job):
            grid = self.job.blocks.grid
            grids[variable.name] = (*grid, *[1] * (len(variable.dims) - len(grid)))
        for folder, _, files in os.walk(self.store.path):
            parts = Path(folder).relative_to(self.store.path).parts
            for file in files:
                is_metadata = file == METADATA and (not parts or (len(parts) == 1 and parts[0] in grids))
                is_chunk = len(parts) > 1 and parts[1] == "c" and _is_in((*parts[2:], file), grids.get(parts[0], ()))
                if not is_metadata and not is_chunk:
                    self.findings.add("/".join((*parts, file)), "got a file that is no part of a store, expected none")

    def _compare(self, where: str, got: object, expected: object, source: str) -> bool:
        if got == expected:
            return True
        path, a, b = first_difference(got, expected)
        self.findings.add(f"{where}{path}", f"got {shown(a)}, expected {shown(b)} {source}")
        return False


def _is_in(place: tuple[str, ...], grid: tuple[int, ...]) -> bool:
    """Tell whether the parts of a path are the place of a chunk in a grid of them."""
    if len(place) != len(grid) or not all(re.fullmatch(r"0|[1-9]\d*", part) for part in place):
        return False
    return all(int(part) < count for part, count in zip(place, grid, strict=True))


def _description(array: zarr.Array[Any]) -> Any:
    """Return the metadata of an array as plain values, as the installed Zarr writes them."""
    return json.loads(json.dumps(array.metadata.to_dict(), default=str))
