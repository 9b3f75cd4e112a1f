"""The last step of a study: its figures as a whole, from what the chunks say."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from repose_jit.reach.chunk import ReachJob
from repose_jit.reach.miss_rate import miss_rate_from_fk, miss_rate_from_retry
from repose_jit.reach.store import ReachStore

__all__ = ["figures", "finish", "miss_rate"]

HELD = 256
"""Chunks of outcomes kept while poses are drawn from them: some tens of megabytes."""


def finish(store: ReachStore, job: ReachJob) -> None:
    """Write the summary of a store whose chunks are all done, and that it is complete."""
    store.update(complete=True, summary={**figures(store, job), "miss_rate": miss_rate(store, job)})


def figures(store: ReachStore, job: ReachJob) -> dict[str, Any]:
    """Return what a summary says of the poses of a store whose chunks are all done."""
    counts = {name: np.asarray(store.array(f"n_{name}")) for name in ("reached", "not_found", "proven_unreachable")}
    totals = {name: int(count.sum(dtype=np.int64)) for name, count in counts.items()}
    left_out = 0 if job.targets.excluded is None else int(np.count_nonzero(job.targets.excluded))
    excluded = left_out * job.targets.n_orientations
    asked = job.targets.n_poses - excluded
    spacing = job.targets.spacing
    volume = None if spacing is None else int(np.count_nonzero(counts["reached"])) * spacing**3
    return {
        **totals,
        "excluded": excluded,
        "percent_reached": 100.0 * totals["reached"] / asked if asked else None,
        "reachable_volume": volume,
        "metrics": {name: _figures(store, name, counts["reached"]) for name in job.metrics},
    }


def miss_rate(store: ReachStore, job: ReachJob) -> dict[str, Any]:
    """Return both estimates of what a store whose chunks are all done has missed, by solving."""
    status, blocks = store.array("status"), store.blocks
    n_reached = int(np.asarray(store.array("n_reached")).sum(dtype=np.int64))
    n_not_found = np.asarray(store.array("n_not_found")).reshape(-1).astype(np.int64)

    @lru_cache(maxsize=HELD)
    def read_block(number: int) -> Any:
        return np.asarray(status[blocks.slices(number)])

    def read_status(site: int) -> Any:
        number, within = blocks.find(site)
        return read_block(number)[within]

    return {
        "from_fk": miss_rate_from_fk(job),
        "from_retry": miss_rate_from_retry(job, n_reached, n_not_found, read_status),
    }


def _figures(store: ReachStore, name: str, n_reached: np.ndarray[Any, Any]) -> dict[str, float | None]:
    """Return mean over all poses reached, and maximum, of a metric; None where it has no value."""
    mean, largest = (np.asarray(store.array(f"{name}_{kind}"), np.float64) for kind in ("mean", "max"))
    known = ~np.isnan(mean)
    weights = n_reached[known].astype(np.float64)
    if not known.any():
        return {"mean": None, "max": None}
    # fsum is exact, so the bits do not depend on how a CPU adds up.
    return {
        "mean": math.fsum((mean[known] * weights).tolist()) / math.fsum(weights.tolist()),
        "max": float(largest[known].max()),
    }
