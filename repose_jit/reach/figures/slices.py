"""Slices of the reachability index of a grid through the centre of what is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.reach.figures.canvas import Canvas
from repose_jit.reach.figures.layout import (
    AXIS_NAMES,
    Panel,
    Panels,
    colour_bar,
    draw_legend,
    index_top,
    one_colour,
    row_of_panels,
    show_frame,
)
from repose_jit.reach.figures.outcomes import NOT_COMPUTED, PROVEN_GREY
from repose_jit.reach.reach_map import ReachMap

if TYPE_CHECKING:
    from matplotlib.cm import ScalarMappable

__all__ = ["draw_slices", "grid_spans", "slices_height"]

Span = tuple[float, float]
LEGEND = 0.4
"""Room below the panels for what the greys mean [in]."""


def slices_height(reach_map: ReachMap) -> float:
    """Return the height that the three slices take [in]."""
    return _layout(reach_map).height + LEGEND


def draw_slices(canvas: Canvas, reach_map: ReachMap) -> None:
    """Draw the slices below the title: seen from above, from the front and from the side."""
    from matplotlib.patches import Patch

    layout = _layout(reach_map)
    index = reach_map.site("reachability_index")
    n_proven = reach_map.site("n_proven_unreachable")
    is_done = np.isfinite(index)
    is_proven = n_proven == reach_map.n_orientations
    for panel in layout.panels:
        image = _draw_slice(canvas, panel, reach_map, index, is_proven)
    label = "orientations reached [%]"
    colour_bar(canvas, image, layout.right_edge + 0.3, layout.frame_down, layout.frame_height, label)
    keys = []
    if is_proven.any():
        keys.append(Patch(facecolor=PROVEN_GREY, edgecolor="0.4", label="proven unreachable in every orientation"))
    if not is_done.all():
        keys.append(Patch(facecolor=NOT_COMPUTED, edgecolor="0.4", hatch="///", label="not computed yet"))
    draw_legend(canvas, keys, layout.height + 0.4 * LEGEND)


def grid_spans(reach_map: ReachMap) -> list[Span]:
    """Return where the voxels begin and end along x, y and z [m]."""
    half = 0.5 * float(reach_map.spacing or 0.0)
    return [(float(c[0]) - half, float(c[-1]) + half) for c in (reach_map.coordinates[name] for name in AXIS_NAMES)]


def _layout(reach_map: ReachMap) -> Panels:
    return row_of_panels(grid_spans(reach_map), [(0, 1), (0, 2), (1, 2)])


def _draw_slice(
    canvas: Canvas, panel: Panel, reach_map: ReachMap, index: NDArray[Any], is_proven: NDArray[np.bool_]
) -> ScalarMappable:
    """Draw the slice across the third axis through the centre of what is reached, of the grid if nothing is."""
    across = 3 - panel.right - panel.up
    layer = _central_layer(np.nan_to_num(index).sum(axis=(panel.right, panel.up)))
    values, proven = (np.take(array, layer, axis=across).T for array in (index, is_proven))
    spans = grid_spans(reach_map)
    axes = canvas.axes(panel.left, panel.down, panel.width, panel.height)
    axes.patch.set(facecolor=NOT_COMPUTED, hatch="" if np.isfinite(values).all() else "///", edgecolor="0.4")
    place: dict[str, Any] = {
        "origin": "lower",
        "extent": (*spans[panel.right], *spans[panel.up]),
        "interpolation": "nearest",
        "aspect": "auto",  # the frame has the right shape already
    }
    axes.imshow(np.ma.masked_where(~proven, np.ones_like(values)), cmap=one_colour(PROVEN_GREY), **place)
    image = axes.imshow(
        np.ma.masked_where(proven | ~np.isfinite(values), values),
        cmap="viridis",
        vmin=0.0,
        vmax=index_top(index),
        **place,
    )
    at = float(reach_map.coordinates[AXIS_NAMES[across]][layer])
    show_frame(axes, panel, spans, f"{AXIS_NAMES[across]} = {at:.3g} m".replace("-", "−"))
    return image


def _central_layer(reached: NDArray[Any]) -> int:
    layers = np.arange(len(reached))
    return round(float(np.average(layers, weights=reached))) if reached.any() else len(layers) // 2
