"""Panels that show a box from its three sides, all in one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.reach.figures.canvas import LABEL_SIZE, TICK_SIZE, WIDTH, Canvas, set_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

__all__ = [
    "AXIS_NAMES",
    "Panel",
    "Panels",
    "colour_bar",
    "draw_legend",
    "index_top",
    "one_colour",
    "row_of_panels",
    "show_frame",
]

Span = tuple[float, float]
AXIS_NAMES = "xyz"

LEFT, GAP, BAR = 1.15, 1.2, 1.4
"""Room left of the first panel, between two, and right of the last for the colour bar [in]."""
HIGHEST, LOWEST = 4.3, 2.2
"""Bounds of the height of a row [in]: the label of the colour bar is about as long as the lower one."""
ABOVE, BELOW = 0.4, 0.75
"""Room for a panel's title, and for its tick labels and the name of its axis [in]."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One view of a box: which axes run right and up, and its frame [in from the left and below the title]."""

    right: int
    up: int
    left: float
    down: float
    width: float
    height: float


@dataclass(frozen=True, kw_only=True)
class Panels:
    """A row of panels: the height it takes in all, that of the frames and where they begin and end [in]."""

    panels: tuple[Panel, ...]
    height: float
    frame_down: float
    frame_height: float
    right_edge: float


def row_of_panels(
    spans: Sequence[Span], views: Sequence[tuple[int, int]], *, before: float = 0.0, gap: float = GAP
) -> Panels:
    """Lay out one panel for each view, an axis to the right and one up, so that a metre is as long in all of them.

    Parameters
    ----------
    spans
        Per axis where the box begins and ends [m].
    views
        Pairs of axes.
    before
        Room to leave free on the left [in].
    gap
        Room between two panels [in].
    """
    sides = [end - start for start, end in spans]
    longest = max(sides)
    # None so narrow that the labels of two panels collide.
    widths = [max(sides[right], 0.2 * longest) for right, _ in views]
    tallest = max(sides[up] for _, up in views)
    free = WIDTH - before - LEFT - gap * (len(views) - 1) - BAR
    scale = min(free / sum(widths), HIGHEST / tallest)
    frame_height = max(LOWEST, scale * tallest)
    left = before + LEFT + 0.5 * (free - scale * sum(widths))
    panels = []
    for (right, up), width in zip(views, widths, strict=True):
        spare = scale * (width - sides[right])
        height = scale * sides[up]
        panels.append(
            Panel(
                right=right,
                up=up,
                left=left + 0.5 * spare,
                down=ABOVE + frame_height - height,
                width=scale * sides[right],
                height=height,
            )
        )
        left += scale * width + gap
    return Panels(
        panels=tuple(panels),
        height=ABOVE + frame_height + BELOW,
        frame_down=ABOVE,
        frame_height=frame_height,
        right_edge=left - gap,
    )


def show_frame(axes: Axes, panel: Panel, spans: Sequence[Span], title: str) -> None:
    """Set limits, ticks, names of the axes and the title of a panel."""
    axes.set_xlim(*spans[panel.right])
    axes.set_ylim(*spans[panel.up])
    axes.set_title(title, fontsize=LABEL_SIZE)
    axes.set_xlabel(f"{AXIS_NAMES[panel.right]} [m]", fontsize=LABEL_SIZE)
    axes.set_ylabel(f"{AXIS_NAMES[panel.up]} [m]", fontsize=LABEL_SIZE)
    # Numbers stand beside each other along x, and above each other along y.
    set_ticks(axes.xaxis, spans[panel.right], panel.width, per_tick=0.72)
    set_ticks(axes.yaxis, spans[panel.up], panel.height, per_tick=0.45)


def colour_bar(canvas: Canvas, image: ScalarMappable, left: float, down: float, height: float, label: str) -> None:
    """Add a colour bar with a label beside the panels."""
    from matplotlib.ticker import MaxNLocator

    bar = canvas.figure.colorbar(image, cax=canvas.axes(left, down, 0.22, height))
    bar.set_label(label, fontsize=LABEL_SIZE)
    bar.ax.tick_params(labelsize=TICK_SIZE)
    bar.locator = MaxNLocator(5)


def index_top(index: NDArray[Any]) -> float:
    """Return the end of the colour scale of a reachability index [%]: the largest value, up to the next ten.

    A map with few poses reached is then not all one colour, and two maps are easily compared.
    """
    known = index[np.isfinite(index)]
    return max(10.0, 10.0 * math.ceil(float(known.max(initial=0.0)) / 10.0))


def draw_legend(canvas: Canvas, keys: Sequence[Any], down: float) -> None:
    """Draw what the marks mean in one line, `down` inches below the title; nothing if there are none."""
    if keys:
        canvas.figure.legend(
            handles=keys,
            loc="center",
            bbox_to_anchor=(0.5, 1.0 - (canvas.top + down) / canvas.height),
            ncols=len(keys),
            fontsize=TICK_SIZE,
            columnspacing=1.2,
            handletextpad=0.5,
            frameon=False,
        )


def one_colour(colour: str) -> Any:
    """Return a colour map that has one colour."""
    from matplotlib.colors import ListedColormap

    return ListedColormap([colour])
