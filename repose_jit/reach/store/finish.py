"""The last step of a study: its figures as a whole, from what the chunks say, one chunk in memory at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.reach.solving.chunk import ReachJob
from repose_jit.reach.solving.miss_rate import miss_rate_from_fk, miss_rate_from_retry
from repose_jit.reach.store.reach_store import ReachStore

__all__ = ["figures", "finish", "miss_rate"]

FloatArray = NDArray[np.float64]


def finish(store: ReachStore, job: ReachJob) -> None:
    """Write the summary of a store whose chunks are all done, and that it is complete."""
    store.update(complete=True, summary={**figures(store, job), "miss_rate": miss_rate(store, job)})


def figures(store: ReachStore, job: ReachJob) -> dict[str, Any]:
    """Return what a summary says of the poses of a store whose chunks are all done."""
    totals = {name: sum(_counts(store, name)) for name in ("reached", "not_found", "proven_unreachable")}
    left_out = 0 if job.targets.excluded is None else int(np.count_nonzero(job.targets.excluded))
    excluded = left_out * job.targets.n_orientations
    asked = job.targets.n_poses - excluded
    spacing, volume = job.targets.spacing, None
    if spacing is not None:
        volume = sum(int(np.count_nonzero(n_reached)) for (n_reached,) in _chunks(store, "n_reached")) * spacing**3
    return {
        **totals,
        "excluded": excluded,
        "percent_reached": 100.0 * totals["reached"] / asked if asked else None,
        "reachable_volume": volume,
        "metrics": {name: _figures(store, name) for name in job.metrics},
    }


def miss_rate(store: ReachStore, job: ReachJob) -> dict[str, Any]:
    """Return both estimates of what a store whose chunks are all done has missed, by solving."""
    status, blocks = store.array("status"), store.blocks

    def read_status(chunk: int) -> NDArray[np.int8]:
        return np.asarray(status[blocks.slices(chunk)])

    n_not_found = np.array(list(_counts(store, "not_found")), np.int64)
    return {
        "from_fk": miss_rate_from_fk(job),
        "from_retry": miss_rate_from_retry(job, sum(_counts(store, "reached")), n_not_found, read_status),
    }


def _figures(store: ReachStore, name: str) -> dict[str, float | None]:
    """Return mean over all poses reached, and maximum, of a metric; None where it has no value."""
    highest = [float(values.max()) for _, values in _known(store, name, "max")]
    if not highest:
        return {"mean": None, "max": None}
    # fsum is exact, so the bits do not depend on how a CPU, or the cut into chunks, adds up.
    products = (x for weights, means in _known(store, name, "mean") for x in (means * weights).tolist())
    total = sum(int(weights.sum()) for weights, _ in _known(store, name, "mean"))
    return {"mean": math.fsum(products) / total, "max": max(highest)}


def _known(store: ReachStore, name: str, kind: str) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield how many poses are reached, and the mean or maximum of a metric, of the sites of a chunk that have one."""
    for n_reached, values in _chunks(store, "n_reached", f"{name}_{kind}"):
        known = ~np.isnan(values)
        if known.any():
            yield n_reached[known].astype(np.float64), values[known].astype(np.float64)


def _counts(store: ReachStore, name: str) -> Iterator[int]:
    """Yield how many poses of a chunk have an outcome."""
    for (count,) in _chunks(store, f"n_{name}"):
        yield int(count.sum(dtype=np.int64))


def _chunks(store: ReachStore, *names: str) -> Iterator[list[NDArray[Any]]]:
    """Yield the part of each chunk of some variables."""
    arrays = [store.array(name) for name in names]
    for number in range(store.blocks.count):
        where = store.blocks.slices(number)
        yield [np.asarray(array[where]) for array in arrays]
