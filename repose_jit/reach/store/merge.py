"""Join the stores of the shards of a study into the store that one run of it would have made."""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from repose_jit.errors import InputError, ReposeError, shown
from repose_jit.reach.engine.run import shard_chunks
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.solving.chunk import ReachJob
from repose_jit.reach.store.creation import remove_orphans, require_destination, store_in_the_making
from repose_jit.reach.store.finish import finish
from repose_jit.reach.store.reach_store import ReachStore, open_store
from repose_jit.reach.store.resume import RESULT, first_difference, job_of, shard_of
from repose_jit.reach.store.schema import variables
from repose_jit.reach.summary_text import counted
from repose_jit.validation import as_path

__all__ = ["merge_stores"]


def merge_stores(
    out: str | os.PathLike[str],
    paths: Sequence[str | os.PathLike[str]],
    *,
    progress: Callable[[int, int], object] | None = None,
) -> ReachMap:
    """Join the stores of all shards of a study.

    Parameters
    ----------
    out
        Of the store to make. It appears by one rename, complete; a merge that is killed leaves a hidden folder beside
        it, which the next one removes.
    paths
        Of the stores, in any order; they are left as they are.
    progress
        Called after every chunk with the number of chunks copied, and of all.

    Returns
    -------
    ReachMap
        Its store has the same bytes as that of a run without shards.

    Raises
    ------
    InputError
        If there is something at `out`; the stores are not shards of one study, solved by the same versions on the same
        kind of CPU as here; a shard is missing, given twice or not finished; or another process is writing to one.
        Naming which.
    ReposeError
        If a store is damaged, or there is no room.
    """
    final = require_destination(out)
    stores = _opened(paths)
    first = stores[0]
    for other in stores[1:]:
        _require_same_study(first, other)
    _require_every_shard(stores)
    job = job_of(first)
    with ExitStack() as locks:
        for store in stores:
            locks.enter_context(store.locked())
        chunks = [_require_finished(store, job) for store in stores]
        remove_orphans(final)
        n_chunks, n_copied = sum(map(len, chunks)), 0
        with store_in_the_making(final, job, tomllib.loads(first.attributes["study"])) as whole:
            assert whole.path is not None
            for store, numbers in zip(stores, chunks, strict=True):
                assert store.path is not None
                for number in numbers:
                    _copy_chunk(store.path, whole.path, job, number)
                    n_copied += 1
                    if progress is not None:
                        progress(n_copied, n_chunks)
            _finish(whole, job, stores)
    return ReachMap.open(final)


def _opened(paths: object) -> list[ReachStore]:
    if isinstance(paths, str | bytes | os.PathLike) or not isinstance(paths, Iterable):
        raise InputError(f"paths: got {shown(paths)}, expected a list of paths of stores")
    known: dict[Path, int] = {}
    stores = []
    for i, entry in enumerate(paths):
        path = as_path(entry, name=f"paths[{i}]")
        if path.resolve() in known:
            raise InputError(
                f"{path}: got it twice, as paths[{known[path.resolve()]}] and paths[{i}], expected it once"
            )
        known[path.resolve()] = i
        stores.append(open_store(path))
        if stores[-1].attributes["shard"] is None:
            raise InputError(f"{path}: it is of a whole study, expected the store of a shard")
    if not stores:
        raise InputError("paths: got none, expected the stores of all shards of a study")
    return stores


def _require_same_study(first: ReachStore, other: ReachStore) -> None:
    """Raise InputError, naming the first field that differs, unless both are of one study and made alike."""
    ours, theirs = _comparable(first.attributes), _comparable(other.attributes)
    if ours != theirs:
        field, a, b = first_difference(ours, theirs)
        raise InputError(
            f"{other.path}: it has {field.removeprefix('.')} = {shown(b)}, and {first.path} has {shown(a)}: expected "
            "shards of one study, of the same robot, targets, versions and kind of CPU"
        )


def _comparable(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the stores of all shards have to have alike, the study before the digests of it."""
    same = {name: value for name, value in attributes.items() if name not in ("shard", *RESULT)}
    return {"study": tomllib.loads(same.pop("study")), **same}


def _require_every_shard(stores: Sequence[ReachStore]) -> None:
    given: dict[int, ReachStore] = {}
    count = _shard(stores[0])[1]
    for store in stores:
        i, N = _shard(store)
        if count != N:
            raise InputError(
                f"{store.path}: it is shard {i}/{N}, and {stores[0].path} is one of {count}: expected shards of one "
                "number, for others have chunks in common"
            )
        if i in given:
            raise InputError(f"{store.path}: it is shard {i}/{N}, and so is {given[i].path}: expected each shard once")
        given[i] = store
    missing = [f"{i}/{count}" for i in range(1, count + 1) if i not in given]
    if missing:
        named = ", ".join(missing[:10]) + (f", ... ({len(missing)} in all)" if len(missing) > 10 else "")
        raise InputError(
            f"paths: got {len(given)} of {count} shards, without {named}: run the study with --shard {missing[0]}"
            f"{' and so on' if len(missing) > 1 else ''}"
        )


def _shard(store: ReachStore) -> tuple[int, int]:
    shard = shard_of(store.attributes)
    assert shard is not None
    return shard


def _require_finished(store: ReachStore, job: ReachJob) -> list[int]:
    """Return the chunks of a shard, which are all done, and no others."""
    done, mine = store.done(), shard_chunks(job.blocks.count, _shard(store))
    foreign = sorted(done.difference(mine))
    if foreign:
        raise InputError(
            f"{store.path}: chunk {foreign[0]} is in it, which another shard has, too: expected every {mine.step}th "
            f"from {mine.start} on"
        )
    if len(done) < len(mine):
        raise InputError(
            f"{store.path}: {len(done):,} of {counted(len(mine), 'chunk')} done, expected all: repose-jit reach resume "
            f"{store.path}"
        )
    return list(mine)


def _copy_chunk(source: Path, target: Path, job: ReachJob, number: int) -> None:
    """Copy the files of a chunk: not links, for damage to one store would be damage to the other."""
    place = [*map(str, job.blocks.place(number))]
    for variable in variables(job):
        rest = ["0"] * (len(variable.dims) - len(place))
        file = Path(variable.name, "c", *place, *rest)
        if (source / file).is_file():  # what holds fill values alone is not written
            (target / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / file, target / file)


def _finish(whole: ReachStore, job: ReachJob, stores: Sequence[ReachStore]) -> None:
    try:
        finish(whole, job)
    except (ReposeError, OSError):
        raise
    except Exception as error:  # whatever a decoder makes of damage
        named = ", ".join(str(store.path) for store in stores)
        raise ReposeError(
            f"one of {named} is damaged ({type(error).__name__}: {error}): repose-jit reach verify tells where"
        ) from error
