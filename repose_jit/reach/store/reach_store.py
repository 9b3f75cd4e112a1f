"""The store of a study: one Zarr group that fills chunk by chunk, and that xarray opens without this package.

A chunk of the study is one chunk of every array. Its ``status`` is written last, and each file by one rename: the chunk
is done when that file is there, whatever a writer was doing when it was killed.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import json
import os
import shutil
import uuid
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import zarr
from zarr.codecs import ZstdCodec
from zarr.storage import MemoryStore

from repose_jit.errors import InputError, ReposeError
from repose_jit.reach.solving.blocks import Blocks
from repose_jit.reach.solving.chunk import Chunk, ReachJob
from repose_jit.reach.store.lock import locked_folder
from repose_jit.reach.store.schema import SCHEMA, SCHEMA_VERSION, attributes, coordinates, variables
from repose_jit.validation import as_path

__all__ = [
    "METADATA",
    "ReachStore",
    "create_store",
    "empty_group",
    "is_damaged",
    "is_store",
    "move_into_place",
    "open_store",
    "remove_orphans",
    "require_destination",
    "store_in_the_making",
]

METADATA = "zarr.json"
PARTIAL = ".partial"
COMPRESSION = ZstdCodec(level=3, checksum=True)
"""With a checksum, so that damage is an error and not a number."""


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


def create_store(
    job: ReachJob,
    config: Mapping[str, object],
    path: str | os.PathLike[str] | None,
    *,
    shard: tuple[int, int] | None = None,
    overwrite: bool = False,
) -> ReachStore:
    """Make a store without any chunk; it appears by one rename, with all that resuming it takes.

    Raises
    ------
    InputError
        As :func:`require_destination`.
    """
    if path is None:
        return ReachStore(_filled_group(MemoryStore(), job, attributes(job, config, shard=shard)), None)
    with store_in_the_making(path, job, config, shard=shard, overwrite=overwrite):
        pass
    return open_store(as_path(path))


@contextlib.contextmanager
def store_in_the_making(
    path: str | os.PathLike[str],
    job: ReachJob,
    config: Mapping[str, object],
    *,
    shard: tuple[int, int] | None = None,
    overwrite: bool = False,
) -> Iterator[ReachStore]:
    """Make a store without any chunk that takes its name when the block ends; it is gone if the block raises.

    Raises
    ------
    InputError
        As :func:`require_destination`, or if there is no room.
    """
    final = require_destination(path, overwrite=overwrite)
    partial = _sibling(final)
    try:
        partial.mkdir()
        with locked_folder(partial):
            yield ReachStore(_filled_group(partial, job, attributes(job, config, shard=shard)), partial)
            move_into_place(partial, final, overwrite=overwrite)
    except OSError as error:
        raise InputError(f"{final}: cannot be made ({error.strerror}), expected a directory with room for it") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def open_store(path: str | os.PathLike[str]) -> ReachStore:
    """Open a store that :func:`create_store` made.

    Raises
    ------
    InputError
        If there is none at `path`, or another version of repose_jit wrote it in another way.
    """
    path = as_path(path).absolute()
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


def require_destination(path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Check that a store can be made at `path`, or can replace the one there; call it before a long run.

    Returns
    -------
    Path
        The absolute path.

    Raises
    ------
    InputError
        If something is there, or the directory cannot be written.
    """
    final = as_path(path).absolute()
    if not final.name or final.exists() or final.is_symlink():
        if not is_store(final) or final.is_symlink():
            raise InputError(f"{final}: there is something already that is no store of a study, expected a new path")
        if not overwrite:
            raise InputError(
                f"{final}: there is the store of a study already, expected a new path; resume goes on with it, and "
                "overwrite replaces it"
            )
    trial = _sibling(final)
    try:
        trial.mkdir()
        trial.rmdir()
    except OSError as error:
        raise InputError(
            f"{final}: cannot write into {final.parent} ({error.strerror}), expected a directory that can be written"
        ) from None
    return final


def remove_orphans(path: Path) -> int:
    """Remove what writers that were killed left at and beside a store; return how much. Call it with the lock held."""
    orphans = list(path.rglob(f"*{PARTIAL}"))
    for orphan in orphans:
        orphan.unlink(missing_ok=True)
    for folder in path.parent.glob(f".{glob.escape(path.name)}.{'[0-9a-f]' * 12}{PARTIAL}"):
        with locked_folder(folder) as is_mine:
            if is_mine:
                shutil.rmtree(folder, ignore_errors=True)
                orphans.append(folder)
    return len(orphans)


def empty_group(place: Path | MemoryStore, job: ReachJob, what: Mapping[str, Any]) -> zarr.Group:
    """Make a new group with all the arrays of a store and its attributes, and no values."""
    group = zarr.open_group(place, mode="w" if isinstance(place, Path) else "w-", zarr_format=3, attributes=dict(what))
    for name, (dims, values, about) in coordinates(job.targets).items():
        group.create_array(
            name,
            shape=values.shape,
            dtype=values.dtype,
            chunks=values.shape,
            dimension_names=list(dims),
            attributes=about,
            compressors=COMPRESSION,
        )
    sizes = dict(zip(job.targets.dims, job.targets.shape, strict=True))
    chunks = dict(zip(job.targets.dims, job.blocks.block_shape, strict=True))
    for extra in (("orientation", job.targets.n_orientations), ("joint", job.chain.n_joints)):
        sizes[extra[0]] = chunks[extra[0]] = extra[1]
    for variable in variables(job):
        group.create_array(
            variable.name,
            shape=tuple(sizes[dim] for dim in variable.dims),
            chunks=tuple(chunks[dim] for dim in variable.dims),
            dtype=variable.dtype,
            fill_value=variable.fill,
            dimension_names=list(variable.dims),
            attributes=dict(variable.attributes),
            compressors=COMPRESSION,
            config={"write_empty_chunks": False},
        )
    with warnings.catch_warnings():
        # Zarr warns that the format does not define consolidated metadata yet, and xarray where it is missing.
        warnings.filterwarnings("ignore", message="Consolidated metadata", category=UserWarning)
        zarr.consolidate_metadata(group.store, zarr_format=3)
    return group


def _filled_group(place: Path | MemoryStore, job: ReachJob, what: Mapping[str, Any]) -> zarr.Group:
    group = empty_group(place, job, what)
    for name, (_, values, _) in coordinates(job.targets).items():
        array = group[name]
        assert isinstance(array, zarr.Array)
        array[...] = values
    return group


def move_into_place(partial: Path, final: Path, *, overwrite: bool = False) -> None:
    """Give a store that is whole its name; one that is there is removed then if that is allowed, and no sooner.

    Raises
    ------
    InputError
        If there is one in spite of :func:`require_destination`, or another process is writing to it.
    """
    old = None
    if overwrite and is_store(final):
        with locked_folder(final) as is_mine:
            if not is_mine:
                raise InputError(f"{final}: another process is writing to it, expected it to be finished or stopped")
            old = _sibling(final)
            final.rename(old)
    try:
        partial.rename(final)
    except OSError:
        if final.exists():
            raise InputError(f"{final}: another program has made it in the meantime, expected a new path") from None
        if old is not None:
            old.rename(final)
        raise
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)


def _sibling(final: Path) -> Path:
    """Return a new path beside `final`: on the same file system, so that one rename brings it there."""
    return final.with_name(f".{final.name}.{uuid.uuid4().hex[:12]}{PARTIAL}")


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
