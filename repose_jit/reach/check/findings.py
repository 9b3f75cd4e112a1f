"""What is likely wrong with a study, seen from a sample of its poses: what, in numbers, and what to change."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from repose_jit.kernels.arrays import FIXED
from repose_jit.reach.check.evidence import Evidence, is_reason
from repose_jit.reach.check.wording import duration, metres, vector
from repose_jit.reach.status import ReachStatus
from repose_jit.units import UNITS

__all__ = ["Finding", "findings"]

FloatArray = NDArray[np.float64]

FAR, TINY = 10.0, 1e-3
"""In lengths of the arm: targets that span more, or less, are hardly meant."""
LOOSE_ANGLE = 0.5
"""Tolerance [rad] that comes near the distance between neighbours of 256 orientations, 0.6 rad."""
LOOSE_LENGTH = 0.05
"""Tolerance in lengths of the arm."""
MANY_POSES = 10**8
STILL = 1e-9
"""Range [rad or m] of a joint that does not move."""
COMPARED = 200_000
"""Sites among which equal ones are looked for."""

REASONS = {"units", "tiny_targets", "base_frame", "opposed", "orientation"}
"""Findings that say why nothing is reached."""
POSITION = (True,) * 3 + (False,) * 3
"""Axes of a pose that count for its position alone."""

WORDS = {"cm": "centimetres", "mm": "millimetres", "in": "inches"}
HALF_TURNS = {axis: np.diag([*(1.0 if axis == other else -1.0 for other in "xyz"), 1.0]) for axis in "xyz"}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that is likely wrong.

    Attributes
    ----------
    name
        A word for programs.
    message
        What, the numbers, and what to change.
    """

    name: str
    message: str


def findings(evidence: Evidence) -> list[Finding]:
    """Return what is likely wrong with a study, the gravest first; where nothing is reached, there is something."""
    found = [Finding(name=rule.__name__.strip("_"), message=text) for rule in RULES for text in rule(evidence)]
    if evidence.is_lost(0.0) and not any(finding.name in REASONS for finding in found):
        found.insert(0, Finding(name="nothing_reached", message=_nothing_reached(evidence)))
    return found


def _nothing_reached(e: Evidence) -> str:
    """Return what is known of a study of which nothing is reached, for no reason that a rule finds."""
    not_found, proven = (
        e.calibration.count(status) for status in (ReachStatus.NOT_FOUND, ReachStatus.PROVEN_UNREACHABLE)
    )
    text = f"0 of {e.sampled:,} sampled poses reached: {not_found:,} not found, {proven:,} proven out of reach"
    frames = "look at the frame of the targets and at tool_offset"
    if e.job.targets.axis_mask is not None:
        return f"{text}. Are there targets within the arm's reach? If there are, {frames}"
    position = e.reached_of(e.tried, free_axis=None, axis_mask=POSITION)
    text += f"; and {position:,} of {len(e.tried):,} in position alone"
    if not position:
        return (
            f"{text}. Does the tool get to any of these places? A robot with one or two joints moves on a line or a "
            f"surface, beside which all of them may lie; if it does, {frames}"
        )
    less = 'kind = "none" (position only)'
    if e.job.targets.free_axis is None:
        less += ' or kind = "free_axis"'
    return (
        f"{text}. Ask for less, with {less} in [orientations]: a robot with few joints takes hardly any whole pose. "
        f"Or {frames}"
    )


def _units(e: Evidence) -> Iterator[str]:
    """Find targets in millimetres, or the like."""
    away = _distance_to_box(e.job.bound.centre, *e.corners)
    is_wide = e.span > FAR * e.arm
    is_far = e.span == 0.0 and away > FAR * e.arm and not e.is_placement
    if (is_wide or is_far) and 0.0 < e.arm < math.inf:
        what = f"targets span {metres(e.span)}" if is_wide else f"all targets are {metres(away)} away"
        yield f"{what}, and the arm reaches {metres(e.arm)}: {_guess_unit(e) or 'are they in metres?'}"


def _guess_unit(e: Evidence) -> str | None:
    """Return the unit in which the targets would come to lie about the arm, and where to write it; None if in none."""
    fitting = []
    for unit in ("mm", "cm", "in") if e.kind != "grid" else ("mm", "cm"):
        up, down = UNITS[unit]
        low, high = (corner * up / down for corner in e.corners)
        span = float(np.linalg.norm(high - low))
        if span < FAR * e.arm and _is_near(e, low, high):
            fitting.append(unit)
    if not fitting:
        return None
    guess = " or ".join(WORDS[unit] for unit in fitting)
    if e.kind != "grid":
        written = " or ".join(f'units = "{unit}"' for unit in fitting)
        return f"{guess}? Write {written} in [targets]"
    return f'{guess}? Write lengths with their unit, such as "50{fitting[0]}"'


def _is_near(e: Evidence, low: FloatArray, high: FloatArray) -> bool:
    """Tell whether a box comes within the arm's reach, of placements from any base and at its other end, too."""
    if not e.is_placement:
        return _distance_to_box(e.job.bound.centre, low, high) < e.arm
    first, last = e.area
    gap = np.maximum(np.maximum(low - last, first - high), 0.0)
    beyond = np.maximum(np.maximum(first - low, high - last), 0.0)
    return float(np.linalg.norm(gap)) < e.arm and float(beyond.max()) < 2.0 * e.arm


def _tiny_targets(e: Evidence) -> Iterator[str]:
    """Find targets that were made a thousand times too small."""
    if not e.is_placement and e.job.targets.n_sites > 1 and 0.0 < e.span < TINY * e.arm < math.inf:
        remedy = 'leave out units in [targets], or write units = "m"' if e.kind != "grid" else "write metres"
        yield (
            f"all {e.job.targets.n_sites:,} targets lie within {metres(e.span)}, less than a thousandth of the arm's "
            f"{metres(e.arm)}: were metres taken for millimetres? Then {remedy}"
        )


def _base_frame(e: Evidence) -> Iterator[str]:
    """Find targets that are not in the frame of the base."""
    if e.calibration.count(ReachStatus.PROVEN_UNREACHABLE) < e.sampled or any(_units(e)):
        return
    if e.is_placement:
        away = float(np.linalg.norm(e.calibration.T[:, :3, 3] - e.job.bound.centre, axis=1).mean())
        if away > e.arm and not _has_other_reason(e):
            yield (
                f"all {e.sampled:,} poses tried are out of reach, by proof: on average the task is {metres(away)} "
                f"from the centre of the arm's reach, which ends after {metres(e.arm)}. Is the area in [placement] in "
                "the frame of the targets? Look at x, y and z"
            )
        return
    low, high = e.corners
    centroid = 0.5 * (low + high) if e.kind == "grid" else e.calibration.T[:, :3, 3].mean(axis=0)
    move = e.job.bound.centre - centroid
    away = float(np.linalg.norm(move))
    if away > e.arm and not _has_other_reason(e):  # nearer ones would not be reached for being moved
        yield (
            f"all {e.sampled:,} sampled targets are out of reach, by proof: their centroid is {vector(centroid)} m, "
            f"{metres(away)} from the centre of the arm's reach, which ends after {metres(e.arm)}. Are they given in "
            f"the frame of the robot's base, in metres? Moved by {vector(move)} m they would lie about it"
        )


def _has_other_reason(e: Evidence) -> bool:
    """Tell whether targets are reached when they are turned, or in position alone: then they lie where they shall."""
    return any(_opposed(e)) or any(_orientation(e))


def _opposed(e: Evidence) -> Iterator[str]:
    """Find the tool axis, or the whole pose, the wrong way round."""
    if not e.is_lost() or e.kind == "grid" or e.job.targets.axis_mask is not None:
        return
    reached, count = e.reached_of(e.tried), len(e.tried)
    orientations = e.study.orientations
    axis = None if orientations is None else orientations.tool_axis
    letters = "xyz" if axis is None else [letter for letter in "xyz" if letter != axis[-1]][:1]
    ways = {letter: e.reached_of(e.tried @ HALF_TURNS[letter]) for letter in letters}
    letter, turned = max(ways.items(), key=lambda way: way[1])
    inverse = e.reached_of(_inverse(e.tried)) if e.kind == "poses" else 0
    start = f"{reached} of {count} sampled targets reached"
    if inverse > turned and is_reason(inverse, reached, count):
        yield f"{start}, and {inverse} of their inverses: are these T_tool_base? A target is T_base_tool"
    elif is_reason(turned, reached, count):
        percent = 100 * turned // count
        if axis is None:
            yield (
                f"{start}, and {turned} ({percent} %) once the tool is turned by 180° about its own {letter} axis: "
                "do the poses mean another tool frame? Turn tool_offset by as much"
            )
        else:
            opposed = f"{start}; with the tool axis reversed {turned} of them are: tool {axis[-1]} and target"
            yield f"{opposed} {_target_axis(e)} are opposed in {percent} %. Write {_reversal(e, axis)}"


def _target_axis(e: Evidence) -> str:
    orientations = e.study.orientations
    return "normal" if e.kind == "surface" or orientations is None else str(orientations.tool_axis)[-1]


def _reversal(e: Evidence, axis: str) -> str:
    other = axis[1:] if axis.startswith("-") else f"-{axis}"
    orientations = e.study.orientations
    if orientations is None or orientations.approach is None:
        return "the poses with that axis the other way round, or turn tool_offset"
    approach = "+normal" if orientations.approach == "-normal" else "-normal"
    return f'approach = "{approach}", or tool_axis = "{other}", in [orientations]'


def _orientation(e: Evidence) -> Iterator[str]:
    """Find positions that are reached, but in other orientations."""
    # That a robot does not take all orientations at a voxel, or from a placement, is what the study is to show.
    is_lost = e.is_lost(0.0) if e.kind == "grid" or e.is_placement else e.is_lost()
    if not is_lost or e.job.targets.axis_mask is not None or any(_opposed(e)):
        return
    reached, count = e.reached_of(e.tried), len(e.tried)
    position = e.reached_of(e.tried, free_axis=None, axis_mask=POSITION)
    if is_reason(position, reached, count):
        yield (
            f"{reached} of {count} sampled targets reached, and {position} in position alone: it is the orientations "
            "that the robot cannot take there. Check tool_offset and the axes of the targets, or ask for less: "
            'kind = "free_axis" in [orientations]'
        )


def _reference(e: Evidence) -> Iterator[str]:
    """Find a reference that no solution can equal."""
    reference, chain = e.job.solve.reference, e.job.chain
    if reference is None:
        return
    for i, value in enumerate(reference):
        low, high = chain.lower_limits[i], chain.upper_limits[i]
        if not low <= value <= high and chain.arrays.entries[i] != FIXED:
            yield (
                f"reference[{i}] is {value:g}, outside the limits of joint {chain.joint_names[i]!r}, "
                f"[{low:g}, {high:g}]: every solution is measured from beyond its limit. Write a value within"
            )


def _immovable(e: Evidence) -> Iterator[str]:
    """Find limits that leave a joint no way."""
    chain = e.job.chain
    for i, name in enumerate(chain.joint_names):
        low, high = chain.lower_limits[i], chain.upper_limits[i]
        if chain.arrays.entries[i] != FIXED and high - low <= STILL:
            yield (
                f"joint {name!r} cannot move: its limits are {low:g} and {high:g}. Correct them, or lock the joint "
                "if that is meant"
            )


def _loose_orientation(e: Evidence) -> Iterator[str]:
    """Find a tolerance that makes orientations alike."""
    tolerance = e.job.solve.orientation_tolerance
    if tolerance >= LOOSE_ANGLE and e.job.targets.axis_mask is None:
        yield (
            f"orientation_tolerance is {tolerance:g} rad, {math.degrees(tolerance):.0f}°: orientations hardly matter. "
            'Were degrees meant? Write "1deg"; or kind = "none" in [orientations] for the position alone'
        )


def _loose_position(e: Evidence) -> Iterator[str]:
    """Find a tolerance as long as the arm."""
    tolerance = e.job.solve.position_tolerance
    if tolerance > LOOSE_LENGTH * e.arm:
        yield (
            f"position_tolerance is {metres(tolerance)}, and the arm reaches {metres(e.arm)}: positions hardly "
            'matter. Write, for example, "0.1mm"'
        )


def _duplicates(e: Evidence) -> Iterator[str]:
    """Find targets that are there more than once."""
    poses = e.job.targets.site_poses
    if e.is_placement:
        poses = e.job.targets.local_poses
    if poses is None:
        return
    compared = np.round(poses[:COMPARED, :3].reshape(-1, 12), 9) + 0.0  # without the sign of zeros
    _, first = np.unique(compared.view(f"V{compared.itemsize * 12}"), return_index=True)
    repeated = len(compared) - len(first)
    if repeated:
        kept = np.zeros(len(compared), bool)
        kept[first] = True
        of = f"the {len(compared):,} targets" if len(poses) <= COMPARED else f"the first {COMPARED:,} targets"
        yield (
            f"{repeated:,} of {of} are there already, the first of them number {int(np.argmin(kept))}: each is solved "
            "and counted again. Remove them from the file"
        )


def _coarse(e: Evidence) -> Iterator[str]:
    """Find voxels beside which the arm is small."""
    spacing = e.job.targets.spacing
    if spacing is not None and spacing > 0.5 * e.arm and not any(_units(e)):
        finer = f"{e.arm / 13.0:.0e}"
        yield (
            f"spacing is {metres(spacing)}, and the arm reaches {metres(e.arm)}: a voxel is judged by its centre "
            f"alone, so the map says next to nothing. Write spacing = {float(finer):g}"
        )


def _large(e: Evidence) -> Iterator[str]:
    """Find more poses than anyone waits for."""
    count = e.job.targets.n_poses
    if count <= MANY_POSES:
        return
    threads = f"{e.threads} thread" + ("s" if e.threads != 1 else "")
    spacing = e.job.targets.spacing
    less = (
        "fewer orientations"
        if spacing is None
        else f"an eighth with spacing = {2.0 * spacing:g}, or fewer orientations"
    )
    yield (
        f"{count:,} poses take up to {duration(e.seconds)} on {threads}. Ask for less: {less}; or share the work: "
        "--shard I/N on N machines"
    )


RULES: tuple[Callable[[Evidence], Iterator[str]], ...] = (
    _units,
    _tiny_targets,
    _base_frame,
    _opposed,
    _orientation,
    _immovable,
    _reference,
    _loose_orientation,
    _loose_position,
    _duplicates,
    _coarse,
    _large,
)


def _inverse(T: FloatArray) -> FloatArray:
    inverse = np.zeros_like(T)
    inverse[:, :3, :3] = T[:, :3, :3].transpose(0, 2, 1)
    inverse[:, :3, 3] = -np.einsum("nij,nj->ni", inverse[:, :3, :3], T[:, :3, 3])
    inverse[:, 3, 3] = 1.0
    return inverse


def _distance_to_box(point: FloatArray, low: FloatArray, high: FloatArray) -> float:
    return float(np.linalg.norm(np.maximum(np.maximum(low - point, point - high), 0.0)))
