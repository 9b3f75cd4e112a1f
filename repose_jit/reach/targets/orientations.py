"""Which orientations a study asks for at every target, and which of the settings go with which targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from repose_jit.errors import InputError, UnknownNameError, shown
from repose_jit.reach.targets.rotations import as_tool_axis
from repose_jit.validation import as_integer

__all__ = ["APPROACHES", "ORIENTATION_KINDS", "RULES", "Orientations", "orientation_mistakes", "orientations_for"]

MAX_ORIENTATIONS = 10**6
"""Most orientations at one target: a table of some hundreds of megabytes."""

ORIENTATION_KINDS = ("super_fibonacci", "directions", "free_axis", "none")
APPROACHES = ("-normal", "+normal")

REQUIRED = "required"
"""In place of a default: the setting has to be given, because a guess could point every tool the wrong way."""

RULES: Mapping[tuple[str, str], Mapping[str, int | str]] = {
    ("grid", "super_fibonacci"): {"n": 256},
    ("grid", "directions"): {"tool_axis": REQUIRED, "n": 50, "n_roll": 8},
    ("grid", "free_axis"): {"tool_axis": REQUIRED, "n": 50},
    ("grid", "none"): {},
    ("surface", "super_fibonacci"): {"n": 256},
    ("surface", "directions"): {"tool_axis": REQUIRED, "approach": REQUIRED, "n_roll": 8},
    ("surface", "free_axis"): {"tool_axis": REQUIRED, "approach": REQUIRED},
    ("surface", "none"): {},
    ("poses", "free_axis"): {"tool_axis": REQUIRED},
    ("poses", "none"): {},
}
"""The settings that each kind of orientations takes with each kind of targets, and their defaults; others are refused.

Where a pair is missing, the two do not go together.
"""

SETTINGS = ("n", "n_roll", "tool_axis", "approach")


@dataclass(frozen=True, kw_only=True)
class Orientations:
    """The orientations asked for at every target; values are checked on construction.

    Which settings go with which targets is checked when a study is made: see the table `RULES`.

    Attributes
    ----------
    kind
        ``"super_fibonacci"``: n rotations spread over all of them, in the axes of the base.
        ``"directions"``: an axis of the tool points along given directions, n_roll times about each. On a grid the
        directions are n, spread over the sphere; on a surface it is that of the normal.
        ``"free_axis"``: the same directions, but the turn about the axis is left to the solve. With given poses: the
        direction that the axis has in each of them.
        ``"none"``: position only.
    n
        How many rotations, or directions.
    n_roll
        In how many equal steps the tool is turned about the direction.
    tool_axis
        ``"x"``, ``"y"``, ``"z"``, ``"-x"``, ``"-y"`` or ``"-z"``: what points along the direction.
    approach
        ``"-normal"``: the axis points against the normal, into the surface; ``"+normal"``: away from it.

    Raises
    ------
    InputError, UnknownNameError
        If a value is not allowed.
    """

    kind: Literal["super_fibonacci", "directions", "free_axis", "none"]
    n: int | None = None
    n_roll: int | None = None
    tool_axis: Literal["x", "y", "z", "-x", "-y", "-z"] | None = None
    approach: Literal["-normal", "+normal"] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in ORIENTATION_KINDS:
            raise UnknownNameError("orientations", self.kind, ORIENTATION_KINDS)
        for name in ("n", "n_roll"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, as_integer(value, name=name, least=1, most=MAX_ORIENTATIONS))
        count = (self.n or 1) * (self.n_roll or 1)
        if count > MAX_ORIENTATIONS:
            raise InputError(f"n × n_roll: got {count:,} orientations, expected at most {MAX_ORIENTATIONS:,}")
        if self.tool_axis is not None:
            as_tool_axis(self.tool_axis)
        if self.approach is not None and (not isinstance(self.approach, str) or self.approach not in APPROACHES):
            raise UnknownNameError("approach", self.approach, APPROACHES)


def orientations_for(targets: str, orientations: Orientations | None) -> Orientations | None:
    """Return the orientations that a kind of targets is asked for in, every setting that has a default filled in.

    Parameters
    ----------
    targets
        ``"grid"``, ``"surface"`` or ``"poses"``.
    orientations
        None for the usual ones: all rotations at every voxel, the whole of given poses; none for a surface.

    Returns
    -------
    Orientations or None
        None: the whole of given poses.

    Raises
    ------
    InputError
        If the two do not go together, a setting is missing that has no default, or one is given that is not used.
    """
    if orientations is None:
        if targets == "surface":
            raise InputError(
                "orientations: got none, expected kind, tool_axis and approach for a surface, such as "
                "Orientations(kind='free_axis', tool_axis='z', approach='-normal'): which axis of the tool points "
                "along the normal, and to which side, is not guessed"
            )
        if targets == "poses":
            return None
        orientations = Orientations(kind="super_fibonacci")
    if not isinstance(orientations, Orientations):
        raise InputError(f"orientations: got {type(orientations).__name__}, expected Orientations or None")
    if mistakes := orientation_mistakes(targets, orientations):
        raise InputError(mistakes[0])
    rule = RULES[targets, orientations.kind]
    defaults = {name: value for name, value in rule.items() if getattr(orientations, name) is None}
    return replace(orientations, **defaults)  # type: ignore[arg-type]


def orientation_mistakes(targets: str, orientations: Orientations) -> list[str]:
    """Return what keeps orientations from being asked for at a kind of targets; each starts with what it is about."""
    kind = orientations.kind
    rule = RULES.get((targets, kind))
    if rule is None:
        known = ", ".join(repr(other) for target, other in RULES if target == targets)
        given = f"got {kind!r} for given poses, which have an orientation of their own"
        return [f"orientations: {given}; expected none, or one of {known}"]
    where = f"orientations {kind!r} on {'a ' if targets != 'poses' else 'given '}{targets}"
    mistakes = []
    for name in SETTINGS:
        value = getattr(orientations, name)
        if value is not None and name not in rule:
            used = ", ".join(rule) or "no settings"
            mistakes.append(f"{name}: got {shown(value)}, but {where} take {used}")
        if value is None and rule.get(name) == REQUIRED:
            mistakes.append(f"{name}: got none, expected one: {where} need it, and it is not guessed")
    return mistakes
