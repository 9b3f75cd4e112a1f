"""A study as one HTML page that needs nothing else: no network, no other file."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from string import Template

from repose_jit.errors import InputError
from repose_jit.reach.figures.bars import bars_height, draw_bars
from repose_jit.reach.figures.canvas import Canvas, require_matplotlib
from repose_jit.reach.figures.facts import Facts, map_facts
from repose_jit.reach.figures.histograms import metric_histograms
from repose_jit.reach.figures.placements import N_BEST, draw_placements, placements_height
from repose_jit.reach.figures.points import draw_points, points_height
from repose_jit.reach.figures.slices import draw_slices, slices_height
from repose_jit.reach.figures.words import lead, progress_words, site_words
from repose_jit.reach.page.elements import Markup, figure, markup, paragraph, section
from repose_jit.reach.page.sections import (
    best_table,
    headline,
    how_to_read,
    how_to_reproduce,
    metric_table,
    misses,
    outcomes,
    what_was_studied,
)
from repose_jit.reach.placement.placing import PlacementResult
from repose_jit.reach.placement.ranking import apart_words
from repose_jit.reach.reach_map import ReachMap, require_map
from repose_jit.validation import as_path
from repose_jit.whole_file import whole_file

__all__ = ["report"]

SUFFIXES = (".html", ".htm")


def report(reach_map: ReachMap, path: str | os.PathLike[str]) -> Path:
    """Write a report: the figures, pictures and the study of a map on one HTML page.

    Parameters
    ----------
    reach_map
        What to report; one in which nothing was reached, or that is not finished, is reported like any other.
    path
        ``.html`` or ``.htm`` file to write; an existing one is replaced. The same map gives the same bytes.

    Returns
    -------
    Path
        Where the page is.

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
    require_matplotlib()
    page = _page(reach_map).encode()
    try:
        with whole_file(path, overwrite=True) as file:
            file.write(page)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}), expected a file in a directory with room for it"
        ) from None
    return path


def _page(reach_map: ReachMap) -> str:
    facts = map_facts(reach_map)
    parts = [
        headline(reach_map, facts),
        _where(reach_map, facts),
        outcomes(facts),
        misses(reach_map, facts),
        _how_well(reach_map),
        what_was_studied(reach_map),
        how_to_read(reach_map),
        how_to_reproduce(reach_map),
    ]
    notice = ""
    if unfinished := progress_words(reach_map):
        notice = f'<p class="notice">{markup(unfinished.capitalize())}. All figures are of what is done.</p>'
    room = files("repose_jit.reach.page")
    return Template(room.joinpath("page.html").read_text(encoding="utf-8")).substitute(
        title=markup(f"Reachability of {facts.robot}"),
        style=room.joinpath("page.css").read_text(encoding="utf-8").rstrip(),
        lead=f'<p class="soft">{markup(site_words(reach_map))}</p>{notice}',
        sections="\n".join(parts),
    )


def _where(reach_map: ReachMap, facts: Facts) -> Markup:
    """Return the picture of where the robot reaches; of placements also the best in numbers."""
    numbers: list[Markup] = []
    if reach_map.kind == "grid":
        canvas = Canvas(slices_height(reach_map), [])
        draw_slices(canvas, reach_map)
        caption = (
            "Three slices through the centre of what is reached. The colour is the share of the orientations that is "
            "reached at a voxel."
        )
    elif reach_map.kind == "placements":
        canvas = Canvas(placements_height(reach_map), [])
        result = PlacementResult(reach_map)
        draw_placements(canvas, result)
        numbers.append(best_table(result))
        caption = (
            "Every place of the base, at the yaw from which most poses of the task are reached. Marked are up to "
            f"{N_BEST} of the best, {apart_words(result.apart)}."
        )
    else:
        canvas = Canvas(points_height(reach_map), [])
        draw_points(canvas, reach_map)
        caption = "The targets in the base frame of the robot, which stands at the origin."
    return section("Where the robot reaches", figure(canvas.svg(), lead(facts, reach_map), caption), *numbers)


def _how_well(reach_map: ReachMap) -> Markup:
    """Return the metrics as pictures and in numbers."""
    if not reach_map.metrics:
        return section("How well the robot reaches", paragraph("No metric was asked for."))
    histograms = metric_histograms(reach_map)
    canvas = Canvas(bars_height(len(histograms)), [])
    draw_bars(canvas, histograms, 0.0)
    return section(
        "How well the robot reaches",
        figure(
            canvas.svg(),
            "Histograms of the metrics; the numbers are in the table below.",
            "How the metrics are distributed over the poses reached; the dashed line is the median.",
        ),
        metric_table(histograms),
    )
