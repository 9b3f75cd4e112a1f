"""Solve a chunk, write it, and say what came of it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from repose_jit.reach.solving.chunk import ReachJob, solve_chunk
from repose_jit.reach.store.reach_store import ReachStore

__all__ = ["ChunkReport", "solve_into"]


@dataclass(frozen=True, kw_only=True)
class ChunkReport:
    """A chunk that is done.

    Attributes
    ----------
    chunk
        Its number.
    reached, not_found, proven_unreachable
        Poses of the chunk with that outcome.
    seconds
        How long it took, where it was solved.
    n_done, n_chunks
        Chunks done by now, earlier runs included, and of the study or shard in all.
    poses_done, n_poses
        The same in poses.
    """

    chunk: int
    reached: int
    not_found: int
    proven_unreachable: int
    seconds: float
    n_done: int = 0
    n_chunks: int = 0
    poses_done: int = 0
    n_poses: int = 0


def solve_into(store: ReachStore, job: ReachJob, number: int) -> ChunkReport:
    """Solve one chunk and write it."""
    start = time.perf_counter()
    chunk = solve_chunk(job, number)
    store.write(number, chunk)
    counts = {name: int(chunk[f"n_{name}"].sum()) for name in ("reached", "not_found", "proven_unreachable")}
    return ChunkReport(chunk=number, seconds=time.perf_counter() - start, **counts)
