"""How the metrics of the reached poses are distributed: counted block by block, never all in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repose_jit.reach.reach_map import ReachMap

__all__ = ["BARS", "Histogram", "metric_histograms"]

FloatArray = NDArray[np.float64]

BINS = 800
"""Cells that are counted: a quantile is exact to an 800th of the range."""

BARS = 40
"""Cells that are drawn."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Histogram:
    """Distribution of a metric over the poses that have it.

    Attributes
    ----------
    metric
        Its name.
    edges
        (BINS + 1,) edges of the cells, from 0 to the largest value.
    counts
        (BINS,) poses per cell.
    n, mean, least, most
        Poses, and their mean, least and largest value; NaN of none.
    """

    metric: str
    edges: FloatArray
    counts: NDArray[np.int64]
    n: int
    mean: float
    least: float
    most: float

    def quantile(self, share: float) -> float:
        """Return the value that a share of the poses lies below, to the width of a cell; NaN of none."""
        if not self.n:
            return float("nan")
        below = np.concatenate([[0], np.cumsum(self.counts)])
        value = float(np.interp(share * self.n, below, self.edges))
        return min(max(value, self.least), self.most)

    def bars(self) -> tuple[FloatArray, FloatArray]:
        """Return (BARS,) shares of the poses [%] and (BARS + 1,) edges to draw."""
        counts = self.counts.reshape(BARS, -1).sum(axis=1)
        return 100.0 * counts / max(1, self.n), self.edges[:: BINS // BARS]


def metric_histograms(reach_map: ReachMap) -> list[Histogram]:
    """Count every metric of the map in one pass over its blocks.

    No metric is below 0, and the largest value is known from the per-site arrays, so the edges are known beforehand.
    """
    tops = [_top(reach_map.site(f"{metric}_max")) for metric in reach_map.metrics]
    counts = np.zeros((len(tops), BINS), np.int64)
    n = np.zeros(len(tops), np.int64)
    sums = np.zeros(len(tops))
    least, most = np.full(len(tops), np.inf), np.full(len(tops), -np.inf)
    for _, block in reach_map.blocks(*reach_map.metrics):
        for i, metric in enumerate(reach_map.metrics):
            values = block[metric].astype(np.float64)
            values = values[np.isfinite(values)]
            if values.size:
                counts[i] += np.histogram(np.clip(values, 0.0, tops[i]), bins=BINS, range=(0.0, tops[i]))[0]
                n[i] += values.size
                sums[i] += values.sum()
                least[i], most[i] = min(least[i], values.min()), max(most[i], values.max())
    return [
        Histogram(
            metric=metric,
            edges=np.linspace(0.0, tops[i], BINS + 1),
            counts=counts[i],
            n=int(n[i]),
            mean=float(sums[i] / n[i]) if n[i] else float("nan"),
            least=float(least[i]) if n[i] else float("nan"),
            most=float(most[i]) if n[i] else float("nan"),
        )
        for i, metric in enumerate(reach_map.metrics)
    ]


def _top(largest: NDArray[np.float32]) -> float:
    """Return the largest value of a metric, 1 if there is none above 0."""
    known = largest[np.isfinite(largest)]
    top = float(known.max(initial=0.0))
    return top if top > 0.0 else 1.0
