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
from repose_jit.reach.placement.placing import PlacementResult
from repose_jit.reach.placement.ranking import apart_words
from repose_jit.reach.reach_map import ReachMap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["N_BEST", "draw_placements", "placements_height"]

FloatArray = NDArray[np.float64]
Span = tuple[float, float]
LEGEND = 0.45
EXCLUDED_GREY = "#9a9a9a"
N_BEST = 5
"""Placements that are marked."""


def placements_height(reach_map: ReachMap) -> float:
    """Return the height that the heat maps take [in]."""
    return _layout(reach_map).height + LEGEND


def _layout(reach_map: ReachMap) -> Panels:
    """Lay out the panels: one for what is reached, one for the first metric if there is any."""
    return row_of_panels(_spans(reach_map), [(0, 1)] * (2 if reach_map.metrics else 1), gap=2.5)


def draw_placements(
    canvas: Canvas, result: PlacementResult, *, best: FloatArray | None = None, n_best: int = N_BEST
) -> None:
    """Draw the heat maps below the title, with the best placements marked.

    Parameters
    ----------
    best
        (N, 3) places and yaws [m, m, rad] to mark, best first; if None those of the result, `n_best` of them.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    reach_map = result.reach_map
    layout = _layout(reach_map)
    spans = _spans(reach_map)
    yaws = result.ranks.argmin(axis=2)
    marked, words = best, "best"
    if marked is None:
        marked = np.array([(one.x, one.y, one.yaw) for one in result.best(n_best)]).reshape(-1, 3)
        words = f"best, {apart_words(result.apart)}"
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
        _mark(axes, marked, spans)
        show_frame(axes, panel, spans, title)
        colour_bar(canvas, image, panel.left + panel.width + 0.25, layout.frame_down, layout.frame_height, label)
    marker: dict[str, Any] = {"linestyle": "none", "markeredgecolor": "black", "color": "white", "markersize": 9}
    keys: list[Any] = [Line2D([], [], marker="o", label=f"{words}; tick: the base's x axis", **marker)]
    if not len(marked):
        keys.clear()
    for mask, colour, words in (
        (is_proven, PROVEN_GREY, "all proven unreachable"),
        (is_excluded, EXCLUDED_GREY, "excluded"),
        (tried < 0, NOT_COMPUTED, "not computed yet"),
        ((index == 0.0) & ~is_proven & (len(shown) > 1), NOT_COMPUTED, "none reached (right)"),
    ):
        if mask.any():
            keys.append(Patch(facecolor=colour, edgecolor="0.4", label=words))
    draw_legend(canvas, keys, layout.height + 0.3 * LEGEND)


def _mark(axes: Axes, marked: FloatArray, spans: Sequence[Span]) -> None:
    """Mark placements by a disc with their rank and a tick along the x axis of the base."""
    length = 0.045 * max(end - start for start, end in spans[:2])
    for x, y, yaw in marked:
        tip = (x + length * math.cos(yaw), y + length * math.sin(yaw))
        for colour, width in (("black", 4.0), ("white", 2.0)):
            axes.plot([x, tip[0]], [y, tip[1]], color=colour, linewidth=width, solid_capstyle="round")
    for rank, (x, y, _) in enumerate(marked, start=1):
        axes.plot(x, y, marker="o", markersize=11, color="white", markeredgecolor="black")
        axes.text(x, y, str(rank), ha="center", va="center_baseline", fontsize=8, color="black", clip_on=True)


def _at_yaw(values: NDArray[Any], yaws: NDArray[np.int64]) -> NDArray[Any]:
    """Return the (nx, ny) values of (nx, ny, n_yaw) at one yaw each."""
    return np.take_along_axis(values, yaws[..., None], axis=2)[..., 0]


def _spans(reach_map: ReachMap) -> list[Span]:
    """Return where the cells begin and end along x and y [m]; a lone row is as wide as the cells of the other axis."""
    axes = [np.asarray(reach_map.coordinates[name], float) for name in ("x", "y")]
    steps = [float(axis[1] - axis[0]) for axis in axes if len(axis) > 1]
    halves = [0.5 * (float(axis[1] - axis[0]) if len(axis) > 1 else min(steps, default=0.1)) for axis in axes]
    return [(float(axis[0]) - half, float(axis[-1]) + half) for axis, half in zip(axes, halves, strict=True)]
