"""The store of a study: one Zarr group that fills chunk by chunk, and that xarray opens without this package.

A chunk of the study is one chunk of every array. Its ``status`` is written last, and each file by one rename: the chunk
is done when that file is there, whatever a writer was doing when it was killed.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import zarr

from repose_jit.errors import InputError, ReposeError, shown
from repose_jit.reach.solving.blocks import Blocks
from repose_jit.reach.solving.chunk import Chunk
from repose_jit.reach.store.lock import locked_folder
from repose_jit.reach.store.schema import SCHEMA, SCHEMA_VERSION
from repose_jit.validation import as_path

__all__ = ["METADATA", "PARTIAL", "ReachStore", "is_damaged", "is_store", "open_store"]

METADATA = "zarr.json"
PARTIAL = ".partial"


class ReachStore:
    """A store that is open.

    Parameters
    ----------
    group
        The Zarr group.
    path
        Where it is; None in memory.

    Attributes
    ----------
    attributes
        What was studied, as plain values.
    blocks
        The chunks.
    """

    def __init__(self, group: zarr.Group, path: Path | None) -> None:
        self.group, self.path = group, path
        self.attributes: dict[str, Any] = dict(group.attrs.asdict())
        status = self.array("status")
        self.blocks = Blocks(tuple(status.shape[:-1]), tuple(status.chunks[:-1]))
        self._written: set[int] = set()

    def array(self, name: str) -> zarr.Array[Any]:
        """Return an array of the store; KeyError if there is none of that name."""
        array = self.group[name]
        assert isinstance(array, zarr.Array)
        return array

    def names(self) -> list[str]:
        """Return the names of the arrays; what a killed writer has left among them is none."""
        if self.path is None:
            return sorted(self.group.array_keys())
        return sorted(file.parent.name for file in self.path.glob(f"*/{METADATA}"))

    def done(self) -> set[int]:
        """Return the numbers of the chunks that are done."""
        if self.path is None:
            return set(self._written)
        grid = self.blocks.grid
        found: set[int] = set()
        folder = self.path / "status" / "c"
        for place in np.ndindex(grid[:-1]):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                names = os.listdir(folder.joinpath(*map(str, place)))
                lasts = [int(name) for name in names if name.isdigit()]
                numbers = [int(np.ravel_multi_index((*place, last), grid)) for last in lasts]
                found.update(number for number in numbers if self._status_file(number).is_file())
        return found

    def write(self, number: int, chunk: Chunk) -> None:
        """Write a chunk, its ``status`` last.

        Raises
        ------
        ReposeError
            If there is no room, or the directory is gone; chunks that are done are kept.
        """
        where = self.blocks.slices(number)
        try:
            for name in (*(name for name in chunk if name != "status"), "status"):
                self.array(name)[where] = chunk[name]
        except KeyError as error:
            raise ReposeError(
                f"{self.path}: chunk {number} cannot be written ({error} is gone): somebody has removed the store"
            ) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise ReposeError(
                f"{self.path}: chunk {number} cannot be written ({reason}); the chunks that are done are kept: "
                f"{'make room' if error.errno == errno.ENOSPC else 'mend that'} and resume"
            ) from error
        self._written.add(number)

    def update(self, **changes: Any) -> None:
        """Change attributes, all at once or not at all."""
        if self.path is None:
            self.group.attrs.update(changes)
            self.attributes.update(changes)
            return
        file = self.path / METADATA
        partial = file.with_name(f"{METADATA}.{uuid.uuid4().hex}{PARTIAL}")
        try:
            metadata = json.loads(file.read_text())
            metadata["attributes"] = self.attributes | changes
            partial.write_text(json.dumps(metadata, indent=2))
            partial.replace(file)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise ReposeError(f"{file}: cannot be written ({error.strerror}); mend that and resume") from error
        self.attributes.update(changes)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from writing to the store; the lock of a process that dies is gone.

        Raises
        ------
        InputError
            If another process is writing to it.
        """
        if self.path is None:
            yield
            return
        with locked_folder(self.path) as is_mine:
            if not is_mine:
                raise InputError(
                    f"{self.path}: another process is writing to it, expected it to be finished or stopped"
                )
            yield

    def _status_file(self, number: int) -> Path:
        assert self.path is not None
        return self.path.joinpath("status", "c", *map(str, self.blocks.place(number)), "0")


def open_store(path: str | os.PathLike[str]) -> ReachStore:
    """Open a store that :func:`create_store` made.

    Raises
    ------
    InputError
        If there is none at `path`, or another version of repose_jit wrote it in another way.
    """
    path = as_path(path).absolute()
    try:
        path.exists()
    except OSError as error:
        raise InputError(f"{shown(str(path))}: {error.strerror}, expected the store of a reachability study") from None
    what = _attributes_at(path)
    if what is None and (damage := _damage_at(path)) is not None:
        raise InputError(f"{path}: the store is damaged ({METADATA}: {damage}), expected a whole one")
    if what is None:
        found = "something else" if path.exists() else "nothing"
        raise InputError(f"{path}: found {found}, expected the store of a reachability study")
    if what.get(SCHEMA) != SCHEMA_VERSION:
        raise InputError(f"{path}: got schema version {what.get(SCHEMA)!r}, expected {SCHEMA_VERSION}")
    reading = METADATA
    try:
        # "r+" would make a group of what has lost the marks of one.
        group = zarr.open_group(path, mode="r", zarr_format=3, use_consolidated=False)
        for name in (*map(str, what["metrics"]), "status"):
            reading = f"{name}/{METADATA}"
            _ = group[name]
        _ = what["kind"]
        return ReachStore(zarr.open_group(path, mode="r+", zarr_format=3, use_consolidated=False), path)
    except Exception as error:  # a decoder has its own words for what it cannot read
        raise InputError(
            f"{path}: the store is damaged ({reading}: {type(error).__name__}: {error}), expected a whole one"
        ) from None


def is_damaged(path: Path) -> bool:
    """Tell whether there is a store of this version, or what was one, that :func:`open_store` cannot open."""
    what = _attributes_at(path)
    if what is None:
        return _damage_at(path) is not None
    if what.get(SCHEMA) != SCHEMA_VERSION:
        return False
    try:
        open_store(path)
    except InputError:
        return True
    return False


def is_store(path: Path) -> bool:
    """Tell whether there is a store of a study, of whatever version."""
    return _attributes_at(path) is not None


def _attributes_at(path: Path) -> Mapping[str, Any] | None:
    """Return the attributes of the store at `path`, None if there is no store."""
    try:
        found = json.loads((path / METADATA).read_text())["attributes"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, dict) and SCHEMA in found else None


def _damage_at(path: Path) -> str | None:
    """Return what keeps the metadata at `path` from being read as JSON, None if it is JSON or not there."""
    try:
        json.loads((path / METADATA).read_text())
    except ValueError as error:
        return str(error)
    except OSError:
        return None
    return None
