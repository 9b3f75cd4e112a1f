"""The map as coloured points: which sites are shown, in which colours, and which of them a ray meets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.reach.figures.layout import index_top
from repose_jit.reach.figures.outcomes import OUTCOMES
from repose_jit.reach.figures.points import site_outcomes
from repose_jit.reach.figures.words import metric_words
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.status import ReachStatus

__all__ = ["INDEX", "MOST_POINTS", "OUTCOME", "PALE", "Cloud", "Cut", "Quantity", "Shown"]

FloatArray = NDArray[np.float64]

MOST_POINTS = 200_000
"""More than these a browser turns slowly: every n-th is shown then."""

PALE = "#d9d9d9"
"""Of sites at which a metric has no value, since nothing is reached there."""

INDEX, OUTCOME = "orientations reached [%]", "outcome"


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """What the colour of a point stands for: its label, and its values at all sites, counted flat."""

    label: str
    values: NDArray[Any]
    top: float


@dataclass(frozen=True, kw_only=True)
class Cut:
    """A plane across an axis: sites beyond `at` [m] are hidden, with `is_layer` those before it, too."""

    axis: int
    at: float
    is_layer: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class Shown:
    """What is drawn.

    Attributes
    ----------
    points, colours
        (N, 3) places [m] and (N, 3) uint8 colours.
    sites
        (N,) number of the site of each point.
    step
        Every how many-th of the sites that could be shown is.
    has_proven, has_unknown
        Whether sites among them are grey, proven unreachable in every orientation, or pale, without a value.
    """

    points: FloatArray
    colours: NDArray[np.uint8]
    sites: NDArray[np.int64]
    step: int
    has_proven: bool
    has_unknown: bool


class Cloud:
    """All sites of a map, ready to be coloured, cut and clicked.

    Attributes
    ----------
    points
        (n_sites, 3) places of the sites in the base frame [m].
    n_reached
        (n_sites,) orientations reached; negative where the study is not done.
    size
        Edge of a voxel, or a distance that points of a surface are drawn with [m].
    lower, upper
        (3,) corners of the box around the sites [m].
    """

    def __init__(self, reach_map: ReachMap) -> None:
        self._map = reach_map
        self.points = np.ascontiguousarray(reach_map.site_positions().reshape(-1, 3), dtype=np.float64)
        self.n_reached = reach_map.site("n_reached").reshape(-1)
        self.lower, self.upper = self.points.min(axis=0), self.points.max(axis=0)
        span = float((self.upper - self.lower).max()) or 0.1
        self.size = reach_map.spacing or span / max(20.0, min(200.0, 2.0 * len(self.points) ** 0.5))
        self._is_proven = reach_map.site("n_proven_unreachable").reshape(-1) == reach_map.n_orientations

    def labels(self) -> list[str]:
        """Return what can be asked of :meth:`quantity`, the usual one first."""
        first = [OUTCOME] if self._map.n_orientations == 1 else [INDEX]
        words = [metric_words(metric).label for metric in self._map.metrics]
        return first + [f"{label}, {which}" for label in words for which in ("mean", "largest")]

    def quantity(self, label: str) -> Quantity:
        """Return the values that a label stands for."""
        if label == OUTCOME:
            return Quantity(label=label, values=site_outcomes(self._map).reshape(-1), top=0.0)
        if label == INDEX:
            index = self._map.site("reachability_index")
            return Quantity(label=label, values=index.reshape(-1), top=index_top(index))
        i, is_largest = divmod(self.labels().index(label) - 1, 2)
        metric = self._map.metrics[i]
        values = self._map.site(f"{metric}_{'max' if is_largest else 'mean'}").reshape(-1)
        return Quantity(label=label, values=values, top=float(values[np.isfinite(values)].max(initial=0.0)) or 1.0)

    def shown(
        self, quantity: Quantity, *, threshold: float = 0.0, only_reached: bool = True, cut: Cut | None = None
    ) -> Shown:
        """Return the points to draw.

        Parameters
        ----------
        quantity
            What the colours stand for.
        threshold
            Sites with a smaller value are hidden, and so are those without one if it is above 0.
        only_reached
            Hide sites at which nothing is reached.
        cut
            Hide what is beyond a plane.
        """
        if quantity.label == OUTCOME:
            keep = quantity.values != ReachStatus.UNINITIALIZED
        else:
            keep = self.n_reached >= 0
            if threshold > 0.0:
                keep &= np.nan_to_num(quantity.values, nan=-1.0) >= threshold
        if only_reached:
            keep &= self.n_reached > 0
        if cut is not None:
            # Half a voxel more: the layer in which the plane is belongs to what is shown.
            beyond = self.points[:, cut.axis] - cut.at
            keep &= beyond <= 0.5 * self.size
            if cut.is_layer:
                keep &= beyond > -0.5 * self.size
        sites = np.flatnonzero(keep)
        step = max(1, -(-len(sites) // MOST_POINTS))
        sites = sites[::step]
        return Shown(
            points=self.points[sites],
            colours=self._colours(quantity, sites),
            sites=sites,
            step=step,
            has_proven=bool(self._is_proven[sites].any()),
            has_unknown=bool((np.isnan(quantity.values[sites]) & ~self._is_proven[sites]).any()),
        )

    def pick(self, shown: Shown, origin: FloatArray, direction: FloatArray) -> int | None:
        """Return the number of the first site that a ray meets, None if it passes by all."""
        away = shown.points - np.asarray(origin, float)
        direction = np.asarray(direction, float) / np.linalg.norm(direction)
        along = (away * direction).sum(axis=1)
        aside = np.sqrt(np.maximum((away**2).sum(axis=1) - along**2, 0.0))
        met = np.flatnonzero((along > 0.0) & (aside <= 0.5 * self.size))
        if not len(met):
            return None
        return int(shown.sites[met[np.argmin(along[met])]])

    def site_index(self, site: int) -> tuple[int, ...]:
        """Return the index along each dimension of a site's number."""
        return tuple(int(i) for i in np.unravel_index(site, self._map.shape))

    def _colours(self, quantity: Quantity, sites: NDArray[np.int64]) -> NDArray[np.uint8]:
        from matplotlib import colormaps
        from matplotlib.colors import to_rgb

        def as_bytes(colours: Any) -> NDArray[np.uint8]:
            levels: NDArray[np.uint8] = np.rint(255.0 * np.asarray(colours)).astype(np.uint8)
            return levels

        values = quantity.values[sites]
        if quantity.label == OUTCOME:
            table = np.zeros((max(ReachStatus) + 1, 3), np.uint8)
            for status, words in OUTCOMES.items():
                table[status] = as_bytes(to_rgb(words.colour))
            return np.take(table, values, axis=0)
        is_known = np.isfinite(values)
        colours = np.empty((len(sites), 3), np.uint8)
        colours[is_known] = as_bytes(colormaps["viridis"](values[is_known] / quantity.top)[:, :3])
        colours[~is_known] = as_bytes(to_rgb(PALE))
        colours[self._is_proven[sites]] = as_bytes(to_rgb(OUTCOMES[ReachStatus.PROVEN_UNREACHABLE].colour))
        return colours
