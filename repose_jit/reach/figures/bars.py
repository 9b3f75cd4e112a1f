"""Histograms of the metrics, in rows of four."""

from __future__ import annotations

from collections.abc import Sequence

from repose_jit.reach.figures.canvas import LABEL_SIZE, TICK_SIZE, WIDTH, Canvas
from repose_jit.reach.figures.histograms import Histogram
from repose_jit.reach.figures.words import metric_words, plain

__all__ = ["bars_height", "draw_bars"]

PER_ROW = 4
ROW, FRAME = 3.1, 1.75
"""Height of a row, and of a frame in it [in]."""
LEFT, RIGHT, GAP = 0.95, 0.35, 0.55
BAR_COLOUR = "#31688e"
"""A blue of viridis."""


def bars_height(n: int) -> float:
    """Return the height that `n` histograms take [in]."""
    return ROW * -(-n // PER_ROW)


def draw_bars(canvas: Canvas, histograms: Sequence[Histogram], down: float) -> None:
    """Draw the histograms, the first row `down` inches below the title."""
    from matplotlib.ticker import MaxNLocator

    width = (WIDTH - LEFT - RIGHT - GAP * (PER_ROW - 1)) / PER_ROW
    for i, histogram in enumerate(histograms):
        row, column = divmod(i, PER_ROW)
        axes = canvas.axes(LEFT + column * (width + GAP), down + row * ROW + 0.55, width, FRAME)
        axes.set_xlabel(metric_words(histogram.metric).label, fontsize=LABEL_SIZE)
        axes.spines[["top", "right"]].set_visible(False)
        if not histogram.n:
            axes.text(0.5, 0.5, "no value", ha="center", va="center", fontsize=TICK_SIZE, color="0.35")
            axes.set(xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1))
            continue
        shares, edges = histogram.bars()
        axes.stairs(shares, edges, fill=True, color=BAR_COLOUR)
        median = histogram.quantile(0.5)
        axes.axvline(median, color="black", linewidth=1.2, linestyle="--")
        axes.set_title(f"median {plain(median)}", fontsize=TICK_SIZE)
        axes.set_xlim(0.0, float(edges[-1]))
        axes.set_ylim(0.0, 1.08 * float(shares.max()))
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.yaxis.set_major_locator(MaxNLocator(4))
        if column == 0:
            axes.set_ylabel("reached poses [%]", fontsize=LABEL_SIZE)
