"""The texts of the viewer, as HTML with everything escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.joints import JointType
from repose_jit.reach.figures.facts import map_facts
from repose_jit.reach.figures.outcomes import OUTCOMES
from repose_jit.reach.figures.words import SITES, counted, lead, plain, progress_words, site_words
from repose_jit.reach.page.elements import Markup, markup
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.viewing.cloud import OUTCOME, Quantity, Shown
from repose_jit.reach.viewing.solutions import Site, Solution

__all__ = ["colour_key", "map_text", "site_text", "solution_text"]

FRAME = '<div style="padding:0 0.75em 0.4em;font-size:0.875em;line-height:1.45;overflow-wrap:anywhere">'
VIRIDIS = "#440154,#414487,#2a788e,#22a884,#7ad151,#fde725"
"""The colour map at six even steps."""


def map_text(reach_map: ReachMap) -> str:
    """Return the result and what was studied."""
    lines = [markup(lead(map_facts(reach_map), reach_map)), markup(site_words(reach_map) + ", collisions not checked")]
    if unfinished := progress_words(reach_map):
        lines.append(markup(unfinished))
    return _framed(*lines)


def colour_key(quantity: Quantity, shown: Shown, reach_map: ReachMap) -> str:
    """Return what the colours mean, and how many sites are shown."""
    sites = counted(len(shown.sites), SITES[reach_map.kind])
    count = markup(f"{sites} shown" if shown.step == 1 else f"{sites} shown, one of {shown.step}")
    if quantity.label == OUTCOME:
        keys = [f'<span style="color:{words.colour}">■</span> {markup(words.name)}' for words in OUTCOMES.values()]
        return _framed(Markup(" &nbsp;".join(keys[:3])), count)
    bar = Markup(f'<div style="height:0.9em;background:linear-gradient(to right,{VIRIDIS})"></div>')
    ends = Markup(
        '<div style="display:flex;justify-content:space-between">'
        f"<span>0</span><span>{markup(quantity.label)}</span><span>{plain(quantity.top)}</span></div>"
    )
    lines = [bar + ends + count]
    if shown.has_proven:
        lines.append(markup("grey: proven unreachable in every orientation"))
    if shown.has_unknown:
        lines.append(markup("pale: no value, nothing is reached"))
    return _framed(*lines)


def site_text(site: Site, reach_map: ReachMap) -> str:
    """Return where a site is, and what became of its orientations."""
    x, y, z = (plain(value) for value in site.position)
    title = Markup(f"<b>{markup(SITES[reach_map.kind].capitalize())} at x {x}, y {y}, z {z} m</b>")
    if len(site.status) == 1:
        return _framed(title, *(markup(name) for name, _ in site.counts()))
    counts = ", ".join(f"{n:,} {name}" for name, n in site.counts())
    lines = [title, markup(f"{counted(len(site.status), 'orientation')}: {counts}")]
    if site.reached:
        lines.append(markup("reached: orientation " + _listed(site.reached)))
    return _framed(*lines)


def solution_text(solution: Solution, chain: KinematicChain) -> str:
    """Return a configuration, where it comes from, and the metrics of the pose."""
    lines = [Markup(f"<b>Orientation {solution.orientation}</b>"), markup(solution.source)]
    if solution.q is not None:
        lines.append(markup(_joint_values(chain, solution.q)))
    lines.extend(markup(f"{label} {value}") for label, value in solution.metrics)
    return _framed(*lines)


def _joint_values(chain: KinematicChain, q: NDArray[np.float64]) -> str:
    parts = []
    for joint, value in zip(chain.joints, q.tolist(), strict=True):
        is_slide = joint.joint_type is JointType.PRISMATIC
        shown = round(1e3 * value if is_slide else math.degrees(value), 1) + 0.0  # no minus before a zero
        number = f"{shown:.1f}" + (" mm" if is_slide else "°")
        parts.append(f"{joint.name} {number.replace('-', '−')}")
    return ", ".join(parts)


def _listed(numbers: Sequence[int], most: int = 40) -> str:
    text = ", ".join(str(number) for number in numbers[:most])
    return text if len(numbers) <= most else f"{text} … ({len(numbers):,} in all)"


def _framed(*lines: str) -> str:
    return FRAME + "<br>".join(lines) + "</div>"
