"""What was studied, in words: targets, frames, budget, metrics."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from repose_jit.reach.figures.facts import Facts, MissRate
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.summary_text import budget_words as words_of_budget
from repose_jit.reach.summary_text import counted

__all__ = [
    "METRIC_WORDS",
    "MetricWords",
    "budget_words",
    "counted",
    "lead",
    "metric_words",
    "miss_words",
    "missed_words",
    "orientation_words",
    "percent",
    "plain",
    "progress_words",
    "retry_words",
    "site_words",
    "study_tables",
]

SITES = MappingProxyType({"grid": "voxel", "surface": "surface point", "poses": "pose", "placements": "base placement"})


@dataclass(frozen=True, kw_only=True)
class MetricWords:
    """How a metric is labelled, and what it says."""

    label: str
    meaning: str


METRIC_WORDS = MappingProxyType(
    {
        "manipulability": MetricWords(
            label="manipulability w",
            meaning="How much tool velocity all joints give together (Yoshikawa); 0 at a singularity. "
            "Mixes metres and radians: compare it within one robot only.",
        ),
        "sigma_min": MetricWords(
            label="least singular value σ_min",
            meaning="Tool velocity per unit of joint velocity in the worst direction; 0 at a singularity.",
        ),
        "inverse_condition": MetricWords(
            label="inverse condition σ_min/σ_max",
            meaning="1 where the tool moves equally well in all directions, 0 at a singularity. "
            "Translation is divided by the length scale.",
        ),
        "inverse_condition_linear": MetricWords(
            label="inverse condition, translation",
            meaning="As the inverse condition, of the translation alone.",
        ),
        "inverse_condition_angular": MetricWords(
            label="inverse condition, rotation",
            meaning="As the inverse condition, of the rotation alone.",
        ),
        "limit_margin": MetricWords(
            label="joint limit margin",
            meaning="Distance of the joint nearest to a limit, as a part of half its range: 1 with every joint in the "
            "middle, 0 at a limit.",
        ),
        "n_solutions": MetricWords(
            label="distinct solutions",
            meaning="Number of distinct configurations found for the pose.",
        ),
    }
)


def metric_words(name: str) -> MetricWords:
    """Return how a metric is named; one that is not known here keeps its own name."""
    return METRIC_WORDS.get(name) or MetricWords(label=name.replace("_", " "), meaning="")


def percent(share: float) -> str:
    """Return a share as a percentage; what is neither none nor all never looks like it."""
    value = 100.0 * share
    if value in {0.0, 100.0}:
        return f"{value:g} %"
    if value < 0.01:
        return "< 0.01 %"
    if value > 99.99:
        return "> 99.99 %"
    if value > 99.0:
        return f"{value:.2f} %"
    return f"{value:.2g} %" if value < 1.0 else f"{value:.1f} %"


def plain(value: float) -> str:
    """Return a number with three digits and a minus of the width of a plus."""
    return f"{value:.3g}".replace("-", "−")


def lead(facts: Facts, reach_map: ReachMap) -> str:
    """Return the result in one line."""
    if reach_map.kind == "placements":
        best = max(0, int(reach_map.site("n_reached").max(initial=0)))
        return f"{facts.robot}: the best placement reaches {best:,} of {counted(reach_map.n_orientations, 'task pose')}"
    text = f"{facts.robot}: {percent(facts.percent_reached / 100.0)} of {counted(facts.n_tried, 'pose')} reached"
    if facts.reachable_volume is not None:
        text += f", {facts.reachable_volume:.3g} m³"
    return text


def site_words(reach_map: ReachMap) -> str:
    """Return how many sites and orientations there are."""
    sites = counted(reach_map.n_sites, SITES[reach_map.kind])
    if reach_map.spacing is not None:
        sites += f" of {1e3 * reach_map.spacing:g} mm"
    if reach_map.kind == "placements":
        return f"{sites} × {counted(reach_map.n_orientations, 'task pose')}"
    if reach_map.kind == "poses" and reach_map.n_orientations == 1:
        return sites
    return f"{sites} × {counted(reach_map.n_orientations, 'orientation')}"


def budget_words(reach_map: ReachMap) -> str:
    """Return what was tried for a pose before giving up."""
    return words_of_budget(reach_map.summary())


def miss_words(rate: MissRate) -> str:
    """Return an estimate of the miss rate with its sample, in a few words."""
    if rate.missed:
        return f"{percent(rate.rate)} ({rate.missed:,} of {rate.sampled:,})"
    # The rule of three: the 95 % bound of a share of which a sample shows none.
    return f"0 of {rate.sampled:,} (with 95 % confidence below {percent(min(1.0, 3.0 / rate.sampled))})"


def missed_words(facts: Facts, reach_map: ReachMap) -> tuple[str, str] | None:
    """Return how much was missed, as a figure and what it is of; None where nothing is known."""
    retry = facts.from_retry
    if facts.percent_missed is not None:
        below = percent(facts.percent_missed / 100.0)
        if reach_map.kind == "grid" or retry is None:
            return f"less than {below}", "of what is reachable was missed (95 % confidence)"
        return f"less than {below}", f"of what {retry_words(retry)} reach was missed (95 % confidence)"
    if retry is None or not facts.all_retried:
        return None
    found = "none" if retry.missed == 0 else f"{retry.missed:,}"
    verb = "was" if retry.missed <= 1 else "were"
    return found, f"of the {retry.sampled:,} not found {verb} found with {retry_words(retry)}"


def retry_words(retry: MissRate) -> str:
    """Return the budget that poses were solved again with."""
    return "a larger budget" if retry.attempts is None else counted(retry.attempts, "attempt")


def progress_words(reach_map: ReachMap) -> str | None:
    """Return how far an unfinished study is, None for a finished one."""
    if reach_map.is_complete:
        return None
    return f"unfinished: {reach_map.n_done:,} of {counted(reach_map.n_chunks, 'chunk')} done"


def study_tables(reach_map: ReachMap) -> dict[str, Any]:
    """Return the tables of the study kept in the map."""
    return tomllib.loads(str(reach_map.attributes["study"]))


def orientation_words(reach_map: ReachMap) -> str:
    """Return how the tool is held at a site: the frames of the study, in words."""
    orientations: Mapping[str, Any] = study_tables(reach_map).get("orientations") or {}
    kind, k = orientations.get("kind"), reach_map.n_orientations
    if reach_map.kind == "placements":
        return f"The {counted(k, 'pose')} of the task, seen from each placement of the base."
    if kind == "none":
        return "Position only: every orientation of the tool counts."
    if kind == "directions":
        return f"{_pointing(reach_map, orientations)}, {counted(int(orientations.get('n_roll', 8)), 'roll')} about it."
    if kind == "free_axis":
        return f"{_pointing(reach_map, orientations)}; the roll about it is free: it is solved for, not sampled."
    if reach_map.kind == "poses":
        return "The whole pose of the tool: position and orientation."
    return f"{counted(k, 'orientation')} of the tool, spread evenly over all rotations and the same at every site."


def _pointing(reach_map: ReachMap, orientations: Mapping[str, Any]) -> str:
    axis = str(orientations.get("tool_axis", "z")).replace("-", "−")
    if reach_map.kind == "surface":
        against = orientations.get("approach") == "-normal"
        where = "against the surface normal, into the surface" if against else "along the surface normal, out of it"
        return f"The tool's {axis} axis points {where}"
    if reach_map.kind == "poses":
        return f"The tool's {axis} axis points as in the pose"
    n_roll = int(orientations.get("n_roll", 8)) if orientations.get("kind") == "directions" else 1
    n = reach_map.n_orientations // n_roll
    return f"The tool's {axis} axis points in {counted(n, 'direction')}, spread evenly over the sphere"
