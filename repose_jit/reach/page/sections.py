"""The sections of a report, each from a map and its figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from repose_jit.reach.figures.facts import Facts, MissRate
from repose_jit.reach.figures.histograms import Histogram
from repose_jit.reach.figures.outcomes import OUTCOMES
from repose_jit.reach.figures.words import (
    SITES,
    budget_words,
    counted,
    metric_words,
    miss_words,
    missed_words,
    orientation_words,
    percent,
    plain,
    retry_words,
    site_words,
    study_tables,
)
from repose_jit.reach.page.elements import Markup, bar, definitions, markup, paragraph, section, table
from repose_jit.reach.page.robot_table import robot_table
from repose_jit.reach.placement.placing import PlacementResult
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.status import ReachStatus

__all__ = [
    "best_table",
    "headline",
    "how_to_read",
    "how_to_reproduce",
    "metric_table",
    "misses",
    "outcomes",
    "what_was_studied",
]

NOT_TRIED = (ReachStatus.EXCLUDED, ReachStatus.UNINITIALIZED)
"""Outcomes of poses that were not solved for."""

ON_A_GRID = (
    "Such poses are easier than those of a regular grid, which are near the borders of the workspace more often: there "
    "1.4 to 4 times as many are missed."
)
ELSEWHERE = (
    "Such poses are spread over the whole workspace, and not where those of this study are: of these more, or fewer, "
    "may have been missed."
)


def headline(reach_map: ReachMap, facts: Facts) -> Markup:
    """Return the few figures to remember, as cards."""
    n_reached = reach_map.site("n_reached")
    sites = SITES[reach_map.kind]
    cards = [(percent(facts.percent_reached / 100.0), f"of {counted(facts.n_tried, 'pose')} reached")]
    if reach_map.kind == "placements":
        best = max(0, int(n_reached.max(initial=0)))
        cards = [(f"{best:,} of {reach_map.n_orientations:,}", "task poses reached from the best placement")]
    if facts.reachable_volume is not None:
        cards.append((f"{plain(facts.reachable_volume)} m³", "reachable volume: voxels with a pose reached"))
    if reach_map.n_orientations > 1:
        some, every = (np.count_nonzero(n_reached >= least) for least in (1, reach_map.n_orientations))
        cards.append((f"{some:,}", f"of {counted(reach_map.n_sites, sites)} with a pose reached, {every:,} with all"))
    if missed := missed_words(facts, reach_map):
        cards.append(missed)
    parts = [f'<div class="card"><b>{markup(figure)}</b><span>{markup(text)}</span></div>' for figure, text in cards]
    return Markup('<div class="cards">\n' + "\n".join(parts) + "\n</div>")


def outcomes(facts: Facts) -> Markup:
    """Return what became of the poses, with what each word means; only of those tried there are shares."""
    rows = []
    for status, words in OUTCOMES.items():
        if status in facts.counts:
            share = facts.counts[status] / max(1, facts.n_tried)
            shares = ("", "") if status in NOT_TRIED else (percent(share), bar(share))
            rows.append((words.name, f"{facts.counts[status]:,}", *shares, words.meaning))
    header = ("outcome", "poses", "of those tried", "", "what it means")
    return section(
        "What became of the poses",
        table(header, rows, numbers=(1, 2)),
        paragraph(
            "Collisions were not checked: a pose reached may still meet the robot itself or what stands around it."
        ),
    )


def misses(reach_map: ReachMap, facts: Facts) -> Markup:
    """Return the estimates of how many reachable poses were not found, and what they are worth."""
    parts = [
        paragraph(
            "A pose that was not found may be reachable all the same: the search is spent after its budget. "
            "How often that happens is estimated on samples."
        )
    ]
    if facts.from_fk:
        parts.append(
            paragraph(
                Markup("<b>Poses known to be reachable.</b> "),
                f"{miss_words(facts.from_fk)} of the poses that forward kinematics makes of random configurations "
                f"were missed. {ON_A_GRID if reach_map.kind == 'grid' else ELSEWHERE}",
            )
        )
    if facts.from_retry:
        parts.append(paragraph(Markup("<b>Poses solved again.</b> "), _retry_words(facts, facts.from_retry)))
    if len(parts) == 1:
        is_late = not reach_map.is_complete
        parts.append(
            paragraph("The misses are estimated once the study is finished." if is_late else "No estimate was made.")
        )
    return section("How many poses were missed", *parts)


def metric_table(histograms: Sequence[Histogram]) -> Markup:
    """Return the distribution of each metric over the reached poses in numbers."""

    def number(value: float) -> str:
        return plain(value) if math.isfinite(value) else "none"

    rows = [
        (
            metric_words(histogram.metric).label,
            f"{histogram.n:,}",
            *(
                number(value)
                for value in (
                    histogram.mean,
                    histogram.least,
                    histogram.quantile(0.05),
                    histogram.quantile(0.5),
                    histogram.quantile(0.95),
                    histogram.most,
                )
            ),
            metric_words(histogram.metric).meaning,
        )
        for histogram in histograms
    ]
    header = ("metric", "poses", "mean", "least", "5 %", "median", "95 %", "most", "what it says")
    return table(header, rows, numbers=range(1, 8))


def best_table(result: PlacementResult) -> Markup:
    """Return the best placements, best first, with what each reaches and the means of the metrics there."""
    metrics = result.reach_map.metrics
    rows = [
        (
            f"{rank}",
            *(f"{value:.3f}".replace("-", "−") for value in (round(one.x, 3) + 0.0, round(one.y, 3) + 0.0)),
            f"{math.degrees(one.yaw):.1f}".replace("-", "−"),
            f"{one.reached:,} of {result.n_tasks:,}",
            *(plain(one.metrics[name]) if math.isfinite(one.metrics[name]) else "none" for name in metrics),
        )
        for rank, one in enumerate(result.best(), start=1)
    ]
    if not rows:
        return paragraph("No placement reaches a pose of the task.")
    labels = [f"{metric_words(name).label}, mean" for name in metrics]
    header = ("rank", "x [m]", "y [m]", "yaw [°]", "task poses reached", *labels)
    return table(header, rows, numbers=range(1, len(header)))


def what_was_studied(reach_map: ReachMap) -> Markup:
    """Return the targets, the frames, the solve and the robot."""
    from repose_jit.multi_seed.params import MultiSeedParams

    study = study_tables(reach_map)
    attributes = reach_map.attributes
    pairs: list[tuple[str, object]] = [("Targets", site_words(reach_map))]
    for name in ("x", "y", "z", "yaw"):
        if name in reach_map.coordinates:
            values = np.asarray(reach_map.coordinates[name], float)
            scale, unit = (180.0 / math.pi, "°") if name == "yaw" else (1.0, " m")
            ends = f"{plain(scale * values[0])} to {plain(scale * values[-1])}{unit}"
            pairs.append(
                (f"{name} of the centres" if reach_map.kind == "grid" else name, f"{ends}, {len(values)} values")
            )
    targets: dict[str, Any] = study.get("targets") or {}
    if "file" in targets:
        pairs.append(("File", f"{targets['file']}, units {targets.get('units', 'm')}"))
    pairs.append(("Tool", orientation_words(reach_map)))
    if mask := attributes.get("axis_mask"):
        held = [name for name, is_held in zip(("x", "y", "z", "rx", "ry", "rz"), mask, strict=True) if is_held]
        pairs.append(("Axes that count", ", ".join(held)))
    solve: dict[str, Any] = study.get("solve") or {}
    position, angle = (
        float(solve.get(name, getattr(MultiSeedParams, name)))
        for name in ("position_tolerance", "orientation_tolerance")
    )
    pairs.append(("Tolerances", f"{plain(1e3 * position)} mm and {plain(math.degrees(angle))}°"))
    pairs.append(("Budget of a pose", budget_words(reach_map)))
    if near := attributes["budget"]["by_neighbourhood"]:
        pairs.append(("Most rounds of lending", near["max_loans"]))
    pairs.append(("Length scale", f"{plain(float(attributes['length_scale']))} m, of the inverse condition"))
    return section(
        "What was studied",
        definitions(pairs),
        Markup("<h3>Robot</h3>"),
        robot_table(reach_map.chain),
    )


def how_to_read(reach_map: ReachMap) -> Markup:
    """Return what the words and the pictures of this kind of study mean."""
    return section(
        "How to read it",
        definitions(
            [
                *_kind_words(reach_map),
                (
                    "Metrics",
                    "Of the configuration that the study found: another solution of the same pose may be better.",
                ),
            ]
        ),
    )


def _kind_words(reach_map: ReachMap) -> list[tuple[str, object]]:
    """Return the words that mean something else, or nothing, in another kind of study."""
    colours = "From dark violet, nothing reached, to yellow."
    if reach_map.kind == "grid":
        return [
            ("Reachability index", "Of the orientations tried at a place, the share that is reached."),
            ("Voxel", "A cube of space, judged by its centre: what is smaller than a voxel is not seen."),
            ("Volume", "The voxels with at least one pose reached. Finer voxels give a better estimate."),
            ("Colours", f"{colours} Grey is proven to be out of reach."),
        ]
    if reach_map.kind == "placements":
        greys = (
            "Dark grey is excluded: the base may not stand there. Light grey is proven to reach nothing of the task."
        )
        return [
            ("Placement", "Where the base stands, and its turn about the vertical."),
            ("Reachability index", "Of the poses of the task, the share that is reached from a placement."),
            ("Colours", f"{colours} {greys}"),
        ]
    if reach_map.n_orientations == 1:
        return [("Colours", "The outcome of each pose, as the legend says; the marks tell them apart, too.")]
    return [
        ("Reachability index", "Of the orientations tried at a target, the share that is reached."),
        ("Colours", f"{colours} Grey crosses are proven to be out of reach in every orientation."),
    ]


def how_to_reproduce(reach_map: ReachMap) -> Markup:
    """Return the study's text, and with what it was solved."""
    attributes = reach_map.attributes
    versions = ", ".join(f"{name} {number}" for name, number in attributes["versions"].items())
    fma = "with" if attributes["cpu_has_fma"] else "without"
    pairs: list[tuple[str, object]] = [
        ("Versions", versions),
        ("Processor", f"{fma} fused multiply-add (FMA)"),
        ("Random seed", attributes["rng_seed"]),
        ("Study", f"SHA-256 {attributes['study_hash']}"),
        ("Robot", f"SHA-256 {attributes['robot_hash']}"),
    ]
    if attributes.get("targets_hash"):
        pairs.append(("Targets", f"SHA-256 {attributes['targets_hash']}"))
    return section(
        "How to reproduce it",
        _what_to_run(reach_map),
        paragraph(
            "With the same versions, on any processor with fused multiply-add, the result is the same to the last bit, "
            "whatever the number of threads."
        ),
        definitions(pairs),
        Markup(f"<details><summary>The study</summary><pre>{markup(attributes['study'])}</pre></details>"),
    )


def _what_to_run(reach_map: ReachMap) -> Markup:
    """Return what solves the study again: only of a grid the text of the study holds the targets, too."""
    if reach_map.kind == "grid":
        return paragraph(
            "Save the study below as study.toml and run ", Markup("<code>repose-jit reach run study.toml</code>"), "."
        )
    file = study_tables(reach_map)["targets"].get("file")
    verb = "place" if reach_map.kind == "placements" else "run"
    return paragraph(
        "The study below is a record: its targets are ",
        f"those of {file} at the time, and " if file else "",
        "in the store. With the study file that it was made from, ",
        Markup(f"<code>repose-jit reach {verb} STUDY</code>"),
        " solves it again; without, ",
        Markup("<code>repose-jit reach verify STORE --repeat N</code>"),
        " solves N chunks of the store again and compares the bits.",
    )


def _retry_words(facts: Facts, retry: MissRate) -> str:
    budget = retry_words(retry)
    not_found = facts.counts.get(ReachStatus.NOT_FOUND, 0)
    if facts.all_retried:
        return f"Of all {counted(retry.sampled, 'pose')} not found, {retry.missed:,} were found with {budget}."
    text = f"{miss_words(retry)} of a sample of the poses not found were found with {budget}."
    if not retry.missed:
        return text
    more = retry.rate * not_found
    share = more / (facts.counts[ReachStatus.REACHED] + more)
    return (
        f"{text} For all {not_found:,} poses not found that makes about {float(f'{more:.2g}'):,.0f} more: "
        f"{percent(share)} of those that can be reached with that budget."
    )
