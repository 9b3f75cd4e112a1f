"""What runs in a Dask worker."""

from __future__ import annotations

import signal
import threading
from functools import lru_cache

from repose_jit.reach.engine.chunk_report import ChunkReport, solve_into
from repose_jit.reach.solving.chunk import ReachJob, warm_up
from repose_jit.reach.store.reach_store import ReachStore, open_store
from repose_jit.reach.store.resume import job_of

__all__ = ["dask_setup", "solve_remotely"]


def dask_setup(_worker: object) -> None:
    """Let a worker of our own cluster finish its chunks after Ctrl-C, which a terminal sends to every process."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def solve_remotely(path: str, study_hash: str, targets_hash: str, number: int) -> ChunkReport:
    """Solve one chunk of the store at `path` in a worker; the hashes tell a new store at an old path."""
    store, job = _opened(path, study_hash, targets_hash)
    return solve_into(store, job, number)


@lru_cache(maxsize=4)
def _opened(path: str, _study_hash: str, _targets_hash: str) -> tuple[ReachStore, ReachJob]:
    store = open_store(path)
    job = job_of(store)
    warm_up(job)
    return store, job
