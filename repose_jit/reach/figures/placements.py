"""Where to put the base: the best score over the yaw at every place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.reach.figures.canvas import Canvas
from repose_jit.reach.figures.layout import (
    Panels,
    colour_bar,
    draw_legend,
    index_top,
    one_colour,
    row_of_panels,
    show_frame,
)
from repose_jit.reach.figures.outcomes import NOT_COMPUTED, PROVEN_GREY
from repose_jit.reach.figures.words import metric_words
from repose_jit.reach.reach_map import ReachMap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["best_placements", "draw_placements", "placements_height"]

FloatArray = NDArray[np.float64]
Span = tuple[float, float]
LEGEND = 0.45
EXCLUDED_GREY = "#9a9a9a"


def best_placements(reach_map: ReachMap, n: int = 5) -> FloatArray:
    """Return the (at most n, 3) places and yaws [m, m, rad] with most task poses reached, one for each place.

    Of equals the one with the larger mean of the first metric, then the first in the map; places where nothing is
    reached do not count.
    """
    cells, yaws = _best_yaw(reach_map)
    n_reached, merit = (_at_yaw(scores, yaws).reshape(-1) for scores in cells)
    order = np.lexsort((-merit, -n_reached))
    order = order[n_reached[order] > 0][:n]
    i, j = np.divmod(order, yaws.shape[1])
    x, y, angle = (np.asarray(reach_map.coordinates[name], float) for name in ("x", "y", "yaw"))
    return np.stack([x[i], y[j], angle[yaws[i, j]]], axis=-1)


def placements_height(reach_map: ReachMap) -> float:
    """Return the height that the heat maps take [in]."""
    return _layout(reach_map).height + LEGEND


def _layout(reach_map: ReachMap) -> Panels:
    """Lay out the panels: one for what is reached, one for the first metric if there is any."""
    return row_of_panels(_spans(reach_map), [(0, 1)] * (2 if reach_map.metrics else 1), gap=2.5)


def draw_placements(canvas: Canvas, reach_map: ReachMap, best: FloatArray) -> None:
    """Draw the heat maps below the title, with the best placements marked.

    Parameters
    ----------
    best
        (N, 3) places and yaws [m, m, rad] to mark, best first.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    layout = _layout(reach_map)
    spans = _spans(reach_map)
    _, yaws = _best_yaw(reach_map)
    index = _at_yaw(reach_map.site("reachability_index"), yaws)
    n_reached, n_not_found, n_proven = (
        reach_map.site(name) for name in ("n_reached", "n_not_found", "n_proven_unreachable")
    )
    tried = (n_reached + n_not_found + n_proven).max(axis=2)  # −3 where nothing is done, 0 where excluded
    is_excluded, is_proven = tried == 0, (n_proven == reach_map.n_orientations).all(axis=2)
    shown = [(index, index_top(index), "best over yaw", "task poses reached [%]")]
    if reach_map.metrics:
        label = metric_words(reach_map.metrics[0]).label
        mean = _at_yaw(reach_map.site(f"{reach_map.metrics[0]}_mean"), yaws)
        top = float(mean[np.isfinite(mean)].max(initial=0.0)) or 1.0
        shown.append((mean, top, "at the same yaw, mean of the poses reached", label))
    for panel, (values, top, title, label) in zip(layout.panels, shown, strict=True):
        axes = canvas.axes(panel.left, panel.down, panel.width, panel.height)
        place: dict[str, Any] = {
            "origin": "lower",
            "extent": (*spans[0], *spans[1]),
            "interpolation": "nearest",
            "aspect": "auto",  # the frame has the right shape already
        }
        for mask, colour in ((is_proven, PROVEN_GREY), (is_excluded, EXCLUDED_GREY)):
            axes.imshow(np.ma.masked_where(~mask, np.ones_like(values)).T, cmap=one_colour(colour), **place)
        hidden = is_proven | is_excluded | ~np.isfinite(values)
        image = axes.imshow(np.ma.masked_where(hidden, values).T, cmap="viridis", vmin=0.0, vmax=top, **place)
        _mark(axes, best, spans)
        show_frame(axes, panel, spans, title)
        colour_bar(canvas, image, panel.left + panel.width + 0.25, layout.frame_down, layout.frame_height, label)
    marker: dict[str, Any] = {"linestyle": "none", "markeredgecolor": "black", "color": "white", "markersize": 9}
    keys: list[Any] = [Line2D([], [], marker="o", label="best placements, tick along the base's x axis", **marker)]
    if not len(best):
        keys.clear()
    for mask, colour, words in (
        (is_proven, PROVEN_GREY, "every task pose proven unreachable"),
        (is_excluded, EXCLUDED_GREY, "excluded"),
        (tried < 0, NOT_COMPUTED, "not computed yet"),
        ((index == 0.0) & ~is_proven & (len(shown) > 1), NOT_COMPUTED, "none reached (on the right)"),
    ):
        if mask.any():
            keys.append(Patch(facecolor=colour, edgecolor="0.4", label=words))
    draw_legend(canvas, keys, layout.height + 0.3 * LEGEND)


def _mark(axes: Axes, best: FloatArray, spans: Sequence[Span]) -> None:
    """Mark placements by a disc with their rank and a tick along the x axis of the base."""
    length = 0.045 * max(end - start for start, end in spans[:2])
    for x, y, yaw in best:
        tip = (x + length * math.cos(yaw), y + length * math.sin(yaw))
        for colour, width in (("black", 4.0), ("white", 2.0)):
            axes.plot([x, tip[0]], [y, tip[1]], color=colour, linewidth=width, solid_capstyle="round")
    for rank, (x, y, _) in enumerate(best, start=1):
        axes.plot(x, y, marker="o", markersize=11, color="white", markeredgecolor="black")
        axes.text(x, y, str(rank), ha="center", va="center_baseline", fontsize=8, color="black", clip_on=True)


def _best_yaw(reach_map: ReachMap) -> tuple[tuple[NDArray[Any], NDArray[Any]], NDArray[np.int64]]:
    """Return the two scores of every site, and the (nx, ny) yaw at which they are best: the first of equals."""
    n_reached = reach_map.site("n_reached").astype(np.float64)
    merit = np.full(reach_map.shape, -np.inf)
    if reach_map.metrics:
        mean = reach_map.site(f"{reach_map.metrics[0]}_mean").astype(np.float64)
        merit = np.where(np.isfinite(mean), mean, -np.inf)
    merit_of_most = np.where(n_reached == n_reached.max(axis=2, keepdims=True), merit, -np.inf)
    is_best = (n_reached == n_reached.max(axis=2, keepdims=True)) & (
        merit_of_most == merit_of_most.max(axis=2, keepdims=True)
    )
    return (n_reached, merit), np.argmax(is_best, axis=2)


def _at_yaw(values: NDArray[Any], yaws: NDArray[np.int64]) -> NDArray[Any]:
    """Return the (nx, ny) values of (nx, ny, n_yaw) at one yaw each."""
    return np.take_along_axis(values, yaws[..., None], axis=2)[..., 0]


def _spans(reach_map: ReachMap) -> list[Span]:
    """Return where the cells begin and end along x and y [m]; a lone row is as wide as the cells of the other axis."""
    axes = [np.asarray(reach_map.coordinates[name], float) for name in ("x", "y")]
    steps = [float(axis[1] - axis[0]) for axis in axes if len(axis) > 1]
    halves = [0.5 * (float(axis[1] - axis[0]) if len(axis) > 1 else min(steps, default=0.1)) for axis in axes]
    return [(float(axis[0]) - half, float(axis[-1]) + half) for axis, half in zip(axes, halves, strict=True)]
