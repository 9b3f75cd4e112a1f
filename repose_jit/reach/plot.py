"""Pictures of a map: slices of the reachability index through the workspace."""

from __future__ import annotations

import math
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.errors import InputError, ReposeError
from repose_jit.reach.reach_map import ReachMap, require_map
from repose_jit.validation import as_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.image import AxesImage

__all__ = ["plot"]

FloatArray = NDArray[np.float64]

SUFFIXES = (".png", ".svg", ".pdf")
OUT_OF_REACH = "0.88"
"""Light grey: no value of the colour map is a grey."""
AXIS_NAMES = "xyz"


def plot(reach_map: ReachMap, path: str | os.PathLike[str]) -> Path:
    """Draw three slices of the reachability index through the centre of what is reached.

    Parameters
    ----------
    reach_map
        What to draw; one in which nothing was reached is drawn like any other.
    path
        ``.png``, ``.svg`` or ``.pdf`` file to write; an existing one is replaced.

    Returns
    -------
    Path
        Where the picture is.

    Raises
    ------
    ReposeError
        If matplotlib is not installed.
    InputError
        If the suffix is another one, or the file cannot be written.
    """
    require_map(reach_map)
    path = as_path(path).absolute()
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"path: got suffix {path.suffix!r} in {path.name!r}, expected one of {', '.join(SUFFIXES)}")
    try:
        # The figure itself and not pyplot: no window system and no global state is involved.
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch
    except ImportError:
        raise ReposeError("matplotlib is needed to draw: pip install 'repose_jit[plot]'") from None

    index = np.ma.masked_where(reach_map.n_proven_unreachable == reach_map.n_orientations, reach_map.reachability_index)
    out_of_reach = np.ma.getmaskarray(index)
    # Up to the next ten: a map with few poses reached is not all one colour, and two maps are easily compared.
    top = max(10.0, 10.0 * math.ceil(float(reach_map.reachability_index.max()) / 10.0))

    spans = _spans(reach_map)
    longest = max(end - start for start, end in spans)
    figure = Figure(figsize=(13.5, 5.2), layout="constrained")
    # One scale for the three panels, but none so narrow that its labels collide.
    width, depth, _ = (max(end - start, 0.25 * longest) for start, end in spans)
    panels = figure.subplots(1, 3, width_ratios=[width, width, depth])
    for axes, across in zip(panels, (2, 1, 0), strict=True):
        image = _slice(axes, reach_map, index, across, top)
    bar = figure.colorbar(image, ax=list(panels), shrink=0.85, pad=0.015)
    bar.set_label("orientations reached [%]", fontsize=13)
    bar.ax.tick_params(labelsize=12)
    if out_of_reach.any():
        key = Patch(facecolor=OUT_OF_REACH, edgecolor="0.4", label="further away than the arm can stretch")
        figure.legend(handles=[key], loc="outside lower center", fontsize=12, frameon=False)
    figures = reach_map.summary()
    robot = reach_map.robot.encode(errors="replace").decode()
    figure.suptitle(
        f"{robot}: {figures['percent_reached']:.1f} % of {reach_map.n_poses:,} poses reached, "
        f"{reach_map.reachable_volume:.3g} m³\n"
        f"{reach_map.n_orientations} orientation{'s'[: reach_map.n_orientations > 1]} per voxel of "
        f"{1e3 * reach_map.spacing:g} mm, "
        f"at most {reach_map.budget}, collisions not checked",
        fontsize=14,
        parse_math=False,  # a $ in the name of a robot is a $
    )
    try:
        with warnings.catch_warnings():
            # A name may have letters that the font lacks; boxes stand for them, which says enough.
            warnings.filterwarnings("ignore", "Glyph", UserWarning)
            figure.savefig(path, dpi=120, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}), expected a file in a directory with room for it"
        ) from None
    return path


def _slice(axes: Axes, reach_map: ReachMap, index: np.ma.MaskedArray[Any, Any], across: int, top: float) -> AxesImage:
    """Draw the slice across an axis through the centre of what is reached, of the grid if nothing is."""
    right, up = (axis for axis in range(3) if axis != across)
    reached = reach_map.n_reached.sum(axis=(right, up))
    layers = np.arange(len(reached))
    k = round(float(np.average(layers, weights=reached))) if reached.any() else len(layers) // 2
    values = np.ma.take(index, k, axis=across)
    spans = _spans(reach_map)
    axes.set_facecolor(OUT_OF_REACH)
    image = axes.imshow(
        values.T,
        origin="lower",
        extent=(*spans[right], *spans[up]),
        cmap="viridis",
        vmin=0.0,
        vmax=top,
        interpolation="nearest",
    )
    at = (reach_map.x, reach_map.y, reach_map.z)[across][k]
    axes.set_title(f"{AXIS_NAMES[across]} = {at:.3g} m", fontsize=13)
    axes.set_xlabel(f"{AXIS_NAMES[right]} [m]", fontsize=13)
    axes.set_ylabel(f"{AXIS_NAMES[up]} [m]", fontsize=13)
    axes.tick_params(labelsize=12)
    longest = max(end - start for start, end in spans)
    _set_ticks(axes.xaxis, spans[right], longest)
    _set_ticks(axes.yaxis, spans[up], longest)
    return image


def _set_ticks(axis: Axis, span: tuple[float, float], longest: float) -> None:
    """Give an axis as many ticks as its length has room for, the middle of the grid if there is hardly any."""
    from matplotlib.ticker import FixedLocator, MaxNLocator

    start, end = span
    count = round(6 * (end - start) / longest)
    axis.set_major_locator(MaxNLocator(count) if count else FixedLocator([0.5 * (start + end)]))


def _spans(reach_map: ReachMap) -> list[tuple[float, float]]:
    """Return where the voxels begin and end along x, y and z [m]."""
    half = 0.5 * reach_map.spacing
    return [(float(c[0]) - half, float(c[-1]) + half) for c in (reach_map.x, reach_map.y, reach_map.z)]
