"""Verify a store: every number of it is checked by what did not write it, as far as that can be told."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from repose_jit.errors import InputError, shown
from repose_jit.reach.engine.run import shard_chunks
from repose_jit.reach.solving.chunk import Chunk, ReachJob, solve_chunk
from repose_jit.reach.store.creation import remove_orphans
from repose_jit.reach.store.finish import figures, miss_rate
from repose_jit.reach.store.reach_store import ReachStore, is_damaged, open_store
from repose_jit.reach.store.resume import VERSIONS, first_difference, shard_of
from repose_jit.reach.store.schema import attributes, variables
from repose_jit.reach.summary_text import counted
from repose_jit.reach.verify.chunk import ChunkCheck
from repose_jit.reach.verify.metadata import MetadataCheck, read_job
from repose_jit.reach.verify.report import Findings, VerifyReport
from repose_jit.validation import as_integer, as_path

__all__ = ["verify_store"]

Progress = Callable[[int, int], object]


def verify_store(path: str | os.PathLike[str], *, repeat: int = 0, progress: Progress | None = None) -> VerifyReport:
    """Check a store, chunk by chunk, and remove what killed writers left in it.

    Parameters
    ----------
    path
        Of the store, finished or not.
    repeat
        So many chunks, spread over those that are done, are solved a second time, and every array has to be equal to
        the bit; of a complete store the estimates of the miss rate, too.
    progress
        Called after every chunk with the number of chunks checked, and of those that are done.

    Returns
    -------
    VerifyReport
        Damage is a finding in it, not an error: its text names the array, the chunk and the pose.

    Raises
    ------
    InputError
        If there is no store, another process is writing to it, or chunks cannot be repeated here because other versions
        or another kind of CPU would give other bits.
    """
    repeat = as_integer(repeat, name="repeat", least=0)
    path = as_path(path).absolute()
    findings = Findings()
    try:
        store = open_store(path)
    except InputError as error:
        if not is_damaged(path):
            raise
        findings.add(path.name, str(error).removeprefix(f"{path}: "))
        return _report(path, findings)
    with store.locked():
        n_orphans = remove_orphans(path)
        done = sorted(store.done())
        counts = {"n_chunks": store.blocks.count, "n_done": len(done), "n_orphans": n_orphans}
        job = read_job(store, findings)
        if job is None:
            return _report(path, findings, **counts)
        ours = attributes(job, tomllib.loads(store.attributes["study"]), shard=shard_of(store.attributes))
        is_same_machinery = all(store.attributes.get(name) == ours[name] for name in VERSIONS)
        if repeat and not is_same_machinery:
            _refuse_to_repeat(store, ours)
        metadata = MetadataCheck(store, job, ours, findings)
        metadata.check_attributes()
        metadata.check_files()
        readable = metadata.check_arrays()
        if "status" not in readable:
            return _report(path, findings, **counts)
        config = tomllib.loads(store.attributes["study"])["robot"]["chain"]
        check = ChunkCheck(job, config, is_same_machinery, findings)
        repeated = _spread(done, repeat)
        n_poses = n_configurations = 0
        for count, number in enumerate(done, start=1):
            chunk = _read_chunk(store, job, number, readable, findings)
            n_poses += job.blocks.sites(number).size * job.targets.n_orientations
            n_configurations += check.check(number, chunk)
            if number in repeated:
                check.compare(number, chunk, solve_chunk(job, number))
            if progress is not None:
                progress(count, len(done))
        _check_progress(store, job, done, findings)
        if store.attributes.get("complete") is True:
            _check_summary(store, job, findings, is_repeated=bool(repeated))
    return _report(
        path,
        findings,
        **counts,
        n_poses=n_poses,
        n_configurations=n_configurations,
        n_repeated=len(repeated),
        checked=tuple(_checked(job, is_same_machinery, n_configurations, len(repeated))),
        unchecked=tuple(_unchecked(job, is_same_machinery, len(repeated))),
    )


def _report(path: os.PathLike[str], findings: Findings, **what: Any) -> VerifyReport:
    """Return a report; unless it says otherwise, of a store of which no chunk could be checked."""
    nothing: dict[str, Any] = {
        **dict.fromkeys(("n_chunks", "n_done", "n_poses", "n_configurations", "n_repeated", "n_orphans"), 0),
        "checked": ("what says how to read the chunks is whole",),
        "unchecked": ("the chunks, for what says how to read them is damaged",),
    }
    found = {"findings": tuple(findings.kept), "n_findings": findings.count}
    return VerifyReport(**{"path": as_path(path), **nothing, **found, **what})


def _refuse_to_repeat(store: ReachStore, ours: Mapping[str, Any]) -> None:
    for name in VERSIONS:
        theirs = store.attributes.get(name)
        if theirs != ours[name]:
            field, before, now = first_difference(theirs, ours[name])
            raise InputError(
                f"{store.path}: it was made with {name}{field} = {shown(before)}, and here it is {shown(now)}: a "
                "second solve may have other bits, expected the same versions and kind of CPU, or repeat 0"
            )


def _spread(numbers: Sequence[int], count: int) -> set[int]:
    """Return so many of the numbers, or all if they are fewer, evenly from the first on."""
    count = min(count, len(numbers))
    return {numbers[i * len(numbers) // count] for i in range(count)}


def _read_chunk(store: ReachStore, job: ReachJob, number: int, readable: set[str], findings: Findings) -> Chunk:
    """Return the arrays of a chunk that can be read; the others are findings."""
    chunk: Chunk = {}
    for variable in variables(job):
        if variable.name in readable:
            with findings.noting(f"{variable.name}, chunk {number}"):
                chunk[variable.name] = np.asarray(store.array(variable.name)[job.blocks.slices(number)])
    return chunk


def _check_progress(store: ReachStore, job: ReachJob, done: Sequence[int], findings: Findings) -> None:
    """Check how far the store is against how far it says that it is."""
    what = store.attributes
    foreign = sorted(set(done).difference(shard_chunks(job.blocks.count, shard_of(what))))
    if foreign:
        findings.add(f"status, chunk {foreign[0]}", f"got a chunk that shard {what['shard']} leaves out, expected none")
    is_complete, summary = what.get("complete"), what.get("summary")
    if not isinstance(is_complete, bool):
        findings.add("attribute complete", f"got {shown(is_complete)}, expected true or false")
    elif is_complete and len(done) < job.blocks.count:
        missing = min(set(range(job.blocks.count)).difference(done))
        what_is_done = f"{len(done):,} of {counted(job.blocks.count, 'chunk')} done"
        findings.add(f"status, chunk {missing}", f"missing: {what_is_done}, and the store says that it is complete")
    elif not is_complete and summary is not None:
        findings.add("attribute summary", f"got {shown(summary)}, expected null: the store is not complete")


def _check_summary(store: ReachStore, job: ReachJob, findings: Findings, *, is_repeated: bool) -> None:
    """Compare the summary with the figures that follow from the chunks."""
    summary = store.attributes.get("summary")
    if not isinstance(summary, Mapping):
        findings.add("attribute summary", f"got {shown(summary)}, expected the figures of a complete study")
        return
    with findings.noting("attribute summary"):
        missed = miss_rate(store, job) if is_repeated else summary["miss_rate"]
        expected = json.loads(json.dumps({**figures(store, job), "miss_rate": missed}))
        if summary != expected:
            path, got, right = first_difference(summary, expected)
            findings.add(f"attribute summary{path}", f"got {shown(got)}, expected {shown(right)} from the chunks")


def _checked(job: ReachJob, is_same_machinery: bool, n_configurations: int, n_repeated: int) -> Iterator[str]:
    yield "every array decodes; metadata and attributes follow from the study and its targets"
    yield "outcomes, errors, attempts, metrics, counts, statistics and summary agree with each other"
    if job.save_q:
        yield (
            f"every configuration, {n_configurations:,} of them, is inside the limits and at its pose, by forward "
            "kinematics that shares no code with the solver"
        )
        if is_same_machinery and any(name != "n_solutions" for name in job.metrics):
            yield "metrics, but for n_solutions, are those of the configurations, to the bit"
    if n_repeated:
        yield f"{counted(n_repeated, 'chunk')} and the miss rate, solved again, are the same to the bit"


def _unchecked(job: ReachJob, is_same_machinery: bool, n_repeated: int) -> Iterator[str]:
    if not job.save_q:
        ways = "a study with save_q = true keeps them" + ("" if n_repeated else ", and repeat solves chunks again")
        only = "" if n_repeated else ", so this was bookkeeping alone"
        yield f"whether the robot is where the map says: its configurations were not saved{only}; {ways}"
    if not is_same_machinery:
        yield "bits that depend on versions and kind of CPU: those of the store are not those here"
