"""The figures of a study as a few lines of text, none wider than eighty columns for names of a usual length."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["budget_words", "counted", "summary_text"]

WIDTH = 78
"""Columns of a line, which stands two to the right."""
SHORTEST = 0.1
"""A shorter run [s] does not tell how fast longer ones are."""
OUTCOMES = ("reached", "not_found", "proven_unreachable")
SITES = {"grid": "voxel", "surface": "point", "poses": "pose", "placements": "placement"}


def summary_text(figures: Mapping[str, Any]) -> str:
    """Return the lines for the figures that :meth:`repose_jit.ReachMap.summary` gives."""
    return "\n".join([f"{figures['robot']}: {figures['poses']:,} poses", *(f"  {line}" for line in _lines(figures))])


def budget_words(figures: Mapping[str, Any]) -> str:
    """Return what is tried for a pose before giving up, in the words of every text and picture."""
    text = f"{counted(figures['max_attempts'], 'attempt')} of {counted(figures['max_iterations'], 'iteration')}"
    alone = figures["attempts_alone"]
    if alone is None:
        return text
    near = "" if alone == figures["max_attempts"] else f", {alone} where nothing near is reached,"
    return f"{text}{near} and solutions lent by neighbours"


def _lines(figures: Mapping[str, Any]) -> Iterator[str]:
    yield _targets(figures)
    if figures["chunks_done"] < figures["chunks"]:
        yield f"not finished: {figures['chunks_done']:,} of {counted(figures['chunks'], 'chunk')} done"
    done = sum(figures[name] for name in OUTCOMES)
    notes = {"not_found": "within the budget", "proven_unreachable": "beyond the arm's reach"}
    for name in OUTCOMES:
        percent = 100.0 * figures[name] / done if done else 0.0
        line = f"{name.replace('_', ' '):<18} {figures[name]:>13,}  {percent:5.1f} %  {notes.get(name, '')}"
        yield line.rstrip()
    if figures["excluded"]:
        yield f"{'excluded':<18} {figures['excluded']:>13,}"
    yield from textwrap.wrap(f"budget: {budget_words(figures)}", WIDTH, subsequent_indent="  ")
    if figures["reachable_volume"] is not None:
        yield f"reachable volume {figures['reachable_volume']:.4g} m³: voxels with at least one pose reached"
    if figures["miss_rate"] is not None:
        yield from _misses(figures["miss_rate"], is_grid=figures["kind"] == "grid")
    yield "collisions are not checked"
    if figures["poses_per_second"] and figures["seconds"] >= SHORTEST:
        threads = counted(figures["threads"], "thread")
        yield f"{figures['seconds']:.1f} s on {threads}: {figures['poses_per_second']:,.0f} poses/s"


def _targets(figures: Mapping[str, Any]) -> str:
    kind, k = figures["kind"], figures["orientations"]
    sites = counted(figures["sites"], SITES[kind])
    if kind == "placements":
        return f"{sites} of the base × {counted(k, 'pose')} of the task"
    if kind == "grid":
        sites += f" of {1e3 * figures['spacing']:g} mm"
    return sites if kind == "poses" and k == 1 else f"{sites} × {counted(k, 'orientation')}"


def _misses(miss_rate: Mapping[str, Any], *, is_grid: bool) -> Iterator[str]:
    """Yield the estimates of what was missed of the reachable poses; what is no grid says little of the workspace."""
    retry, fk = miss_rate["from_retry"], miss_rate["from_fk"]
    if retry["rate"] is not None and retry["sampled"]:
        yield f"missed: {_rate(retry)} by {retry['sampled']:,} not found, tried {retry['attempts']:,} times"
    if is_grid and fk["rate"] is not None:
        yield f"missed: {_rate(fk)} by {fk['sampled']:,} poses known to be reachable"


def _rate(estimate: Mapping[str, Any]) -> str:
    """Return a rate, and what it is below with a confidence of 95 %."""
    below = "" if estimate["below"] == estimate["rate"] else f" (below {estimate['below']:.2g} %)"
    return f"{estimate['rate']:.2g} %{below}"


def counted(count: int, one: str) -> str:
    """Return ``"1 voxel"``, ``"1,000 voxels"``."""
    return f"{count:,} {one}" + ("" if count == 1 else "s")
