"""Make the store of a study: it appears by one rename, whole; and what writers that were killed left is removed."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
import uuid
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import zarr
from zarr.codecs import ZstdCodec
from zarr.storage import MemoryStore

from repose_jit.errors import InputError
from repose_jit.reach.solving.chunk import ReachJob
from repose_jit.reach.store.lock import locked_folder
from repose_jit.reach.store.reach_store import PARTIAL, ReachStore, is_store, open_store
from repose_jit.reach.store.schema import attributes, coordinates, variables
from repose_jit.validation import as_path

__all__ = [
    "create_store",
    "empty_group",
    "move_into_place",
    "remove_orphans",
    "require_destination",
    "store_in_the_making",
]

COMPRESSION = ZstdCodec(level=3, checksum=True)
"""With a checksum, so that damage is an error and not a number."""


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
