"""The points of a surface, or the poses of a list: in space, from above and from the front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.reach.figures.canvas import TICK_SIZE, Canvas
from repose_jit.reach.figures.layout import (
    AXIS_NAMES,
    Panels,
    colour_bar,
    draw_legend,
    index_top,
    row_of_panels,
    show_frame,
)
from repose_jit.reach.figures.outcomes import OUTCOMES
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.status import ReachStatus

if TYPE_CHECKING:
    from matplotlib.cm import ScalarMappable

__all__ = ["draw_points", "points_height", "site_outcomes"]

FloatArray = NDArray[np.float64]
Span = tuple[float, float]

SPACE = 4.6
"""Side of the view in space [in]."""
LEGEND = 0.45
MOST_POINTS = 100_000
"""More are not told apart on paper: every n-th is drawn."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Group:
    """Points drawn alike: their places [m], and their colours or their one colour."""

    points: FloatArray
    colour: Any
    marker: str
    label: str | None


def points_height(reach_map: ReachMap) -> float:
    """Return the height that the three views take [in]."""
    return max(SPACE, _layout(_spans(reach_map.site_positions())).height) + LEGEND


def draw_points(canvas: Canvas, reach_map: ReachMap) -> None:
    """Draw the views below the title."""
    positions = reach_map.site_positions()
    spans = _spans(positions)
    step = -(-len(positions) // MOST_POINTS)
    groups, colours = _groups(reach_map, positions, step)
    space = canvas.axes(0.25, 0.1, SPACE, SPACE, projection="3d", proj_type="ortho")
    _draw_space(space, groups, spans)
    layout = _layout(spans)
    for panel, title in zip(layout.panels, ("from above", "from the front"), strict=True):
        axes = canvas.axes(panel.left, panel.down, panel.width, panel.height)
        across = 3 - panel.right - panel.up
        towards = -1.0 if across == 1 else 1.0  # the eye is above, or at −y
        for group in groups:
            order = np.argsort(towards * group.points[:, across], kind="stable")
            axes.scatter(
                group.points[order, panel.right],
                group.points[order, panel.up],
                c=group.colour[order] if isinstance(group.colour, np.ndarray) else group.colour,
                marker=group.marker,
                s=_size(len(positions) // step),
                linewidths=0.8 if group.marker in "x+" else 0.0,
                rasterized=True,
            )
        axes.plot(0.0, 0.0, marker="P", color="black", markersize=8)
        show_frame(axes, panel, spans, title)
    if colours is not None:
        label = "orientations reached [%]"
        colour_bar(canvas, colours, layout.right_edge + 0.3, layout.frame_down, layout.frame_height, label)
    height = max(SPACE, layout.height)
    _draw_legend(canvas, groups, height + 0.3 * LEGEND)
    if step > 1:
        drawn = f"every {step}th of {len(positions):,} points is drawn"
        canvas.text(2.5, height + 0.3 * LEGEND, drawn)


def site_outcomes(reach_map: ReachMap) -> NDArray[np.int8]:
    """Return the outcome of every site with one orientation, from its counts."""
    outcome = np.full(reach_map.shape, ReachStatus.EXCLUDED, np.int8)
    outcome[reach_map.site("n_reached") < 0] = ReachStatus.UNINITIALIZED
    for status, name in (
        (ReachStatus.REACHED, "n_reached"),
        (ReachStatus.NOT_FOUND, "n_not_found"),
        (ReachStatus.PROVEN_UNREACHABLE, "n_proven_unreachable"),
    ):
        outcome[reach_map.site(name) > 0] = status
    return outcome


def _groups(reach_map: ReachMap, positions: FloatArray, step: int) -> tuple[list[Group], ScalarMappable | None]:
    """Return the points by outcome if there is one orientation, by reachability index if there are more."""
    points = positions[::step]
    if reach_map.n_orientations == 1:
        outcome = site_outcomes(reach_map)[::step]
        return [
            Group(points=points[outcome == status], colour=words.colour, marker=words.marker, label=words.name)
            for status, words in reversed(list(OUTCOMES.items()))
            if (outcome == status).any()
        ], None
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    index = reach_map.site("reachability_index")
    colours = ScalarMappable(Normalize(0.0, index_top(index)), cmap="viridis")
    index = index[::step]
    proven = (reach_map.site("n_proven_unreachable") == reach_map.n_orientations)[::step]
    is_done = np.isfinite(index)
    rest = is_done & ~proven
    grey, unknown = OUTCOMES[ReachStatus.PROVEN_UNREACHABLE], OUTCOMES[ReachStatus.UNINITIALIZED]
    groups = [
        Group(points=points[~is_done], colour=unknown.colour, marker=unknown.marker, label=unknown.name),
        Group(
            points=points[proven],
            colour=grey.colour,
            marker=grey.marker,
            label="proven unreachable in every orientation",
        ),
        Group(points=points[rest], colour=colours.to_rgba(index[rest]), marker="o", label=None),
    ]
    return [group for group in groups if len(group.points)], colours


def _draw_space(axes: Any, groups: Sequence[Group], spans: Sequence[Span]) -> None:
    n = sum(len(group.points) for group in groups)
    for group in groups:
        axes.scatter(
            *group.points.T,
            c=group.colour,
            marker=group.marker,
            s=_size(n),
            linewidths=0.8 if group.marker in "x+" else 0.0,
            depthshade=False,
            rasterized=True,
        )
    sides = [end - start for start, end in spans]
    length = 0.25 * max(sides)
    # The base's axes instead of numbers, which stand in the other two views: in perspective they fall on each other.
    for name, direction in zip(AXIS_NAMES, np.eye(3), strict=True):
        axes.plot(*([0.0, length * part] for part in direction), color="black", linewidth=2.0)
        axes.text(*(1.25 * length * direction), name, ha="center", va="center", fontsize=TICK_SIZE)
    for name, (start, end) in zip(AXIS_NAMES, spans, strict=True):
        getattr(axes, f"set_{name}lim")(start, end)
        getattr(axes, f"{name}axis").set_ticklabels([])
        getattr(axes, f"{name}axis").set_tick_params(length=0.0)
    axes.set_box_aspect(sides, zoom=1.0)
    axes.view_init(elev=25.0, azim=-60.0)


def _draw_legend(canvas: Canvas, groups: Sequence[Group], down: float) -> None:
    from matplotlib.lines import Line2D

    keys = [
        Line2D([], [], color=group.colour, marker=group.marker, linestyle="none", markersize=8, label=group.label)
        for group in reversed(groups)
        if group.label is not None
    ]
    keys.append(Line2D([], [], color="black", marker="P", linestyle="none", markersize=8, label="robot base"))
    draw_legend(canvas, keys, down)


def _layout(spans: Sequence[Span]) -> Panels:
    return row_of_panels(spans, [(0, 1), (0, 2)], before=SPACE + 0.35)


def _spans(positions: FloatArray) -> list[Span]:
    """Return the box around the points and the robot's base, with a margin; no side is very thin."""
    around = np.concatenate([positions.reshape(-1, 3), np.zeros((1, 3))])
    lower, upper = around.min(axis=0), around.max(axis=0)
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    longest = float(half.max()) or 0.5
    half = np.maximum(1.06 * half, 0.1 * longest) + 0.02 * longest
    return [(float(m - h), float(m + h)) for m, h in zip(middle, half, strict=True)]


def _size(n: int) -> float:
    """Return the area of a marker [pt²]: smaller the more there are, but to be seen."""
    return float(np.clip(40_000.0 / max(1, n), 4.0, 40.0))
