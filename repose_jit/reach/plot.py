"""Pictures of a map: where the robot reaches, and how well."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from repose_jit.errors import InputError, ShapeError
from repose_jit.reach.figures.bars import bars_height, draw_bars
from repose_jit.reach.figures.canvas import SUFFIXES, Canvas, require_matplotlib
from repose_jit.reach.figures.facts import map_facts
from repose_jit.reach.figures.histograms import metric_histograms
from repose_jit.reach.figures.placements import N_BEST, draw_placements, placements_height
from repose_jit.reach.figures.points import draw_points, points_height
from repose_jit.reach.figures.slices import draw_slices, slices_height
from repose_jit.reach.figures.words import budget_words, lead, missed_words, progress_words, site_words
from repose_jit.reach.placement.placing import PlacementResult
from repose_jit.reach.reach_map import ReachMap, require_map
from repose_jit.validation import as_array, as_path, require_finite

__all__ = ["plot", "plot_placement"]


def plot(reach_map: ReachMap, path: str | os.PathLike[str]) -> Path:
    """Draw where the robot reaches, and the distribution of each metric over the poses reached.

    A grid is drawn as three slices of the reachability index through the centre of what is reached; the points of a
    surface and the poses of a list as points in space, from above and from the front; placements as
    :func:`plot_placement` draws them.

    Parameters
    ----------
    reach_map
        What to draw; one in which nothing was reached, or that is not finished, is drawn like any other.
    path
        ``.png``, ``.svg`` or ``.pdf`` file to write; an existing one is replaced. The same map gives the same bytes.

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
    if reach_map.kind == "placements":
        return plot_placement(reach_map, path)
    path = _as_picture(path)
    is_grid = reach_map.kind == "grid"
    height = slices_height(reach_map) if is_grid else points_height(reach_map)
    canvas = Canvas(height + bars_height(len(reach_map.metrics)), title_lines(reach_map))
    (draw_slices if is_grid else draw_points)(canvas, reach_map)
    draw_bars(canvas, metric_histograms(reach_map), height)
    canvas.save(path)
    return path


def plot_placement(
    reach_map: ReachMap, path: str | os.PathLike[str], *, best: ArrayLike | None = None, n_best: int = N_BEST
) -> Path:
    """Draw how many poses of a task each placement of the base reaches: the best over the yaw at every place.

    Parameters
    ----------
    reach_map
        A map of placements.
    path
        As in :func:`plot`.
    best
        (N, 3) placements x, y, yaw [m, m, rad] to mark, best first.
    n_best
        How many to mark if there is no `best`: those of :meth:`repose_jit.PlacementResult.best`.

    Returns
    -------
    Path
        Where the picture is.

    Raises
    ------
    ReposeError
        If matplotlib is not installed.
    ShapeError, InputError
        If the map is of another kind, `best` is not (N, 3) finite numbers, the suffix is another one, or the file
        cannot be written.
    """
    require_map(reach_map)
    if reach_map.kind != "placements":
        raise InputError(f"reach_map: got a map of kind {reach_map.kind!r}, expected 'placements'")
    path = _as_picture(path)
    marked = None
    if best is not None:
        marked = np.asarray(as_array(best, name="best"))
        if marked.ndim != 2 or marked.shape[1] != 3:
            raise ShapeError(f"best: got shape {marked.shape}, expected (N, 3): x, y and yaw of each placement")
        require_finite(marked, name="best")
    canvas = Canvas(placements_height(reach_map), title_lines(reach_map))
    draw_placements(canvas, PlacementResult(reach_map), best=marked, n_best=n_best)
    canvas.save(path)
    return path


def title_lines(reach_map: ReachMap) -> list[str]:
    """Return what stands above a picture: the result, what was studied, and how far it is to be trusted."""
    facts = map_facts(reach_map)
    lines = [
        lead(facts, reach_map),
        f"{site_words(reach_map)}, collisions not checked",
        f"budget: {budget_words(reach_map)}",
    ]
    if missed := missed_words(facts, reach_map):
        lines.append(" ".join(missed))
    if unfinished := progress_words(reach_map):
        lines.append(unfinished)
    return lines


def _as_picture(path: str | os.PathLike[str]) -> Path:
    picture = as_path(path).absolute()
    if picture.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"path: got suffix {picture.suffix!r} in {picture.name!r}, expected one of {', '.join(SUFFIXES)}"
        )
    require_matplotlib()
    return picture
