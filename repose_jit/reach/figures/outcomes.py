"""What each outcome means in words, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from repose_jit.reach.status import ReachStatus

__all__ = ["NOT_COMPUTED", "OUTCOMES", "PROVEN_GREY", "Outcome"]

PROVEN_GREY = "#e0e0e0"
"""Light grey: no value of the colour map is a grey."""

NOT_COMPUTED = "#ffffff"
"""Sites of which the study is not yet done."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How an outcome is named, explained and drawn.

    Attributes
    ----------
    name
        As it stands in a table or a legend.
    meaning
        A sentence for who has not read the documentation.
    colour, marker
        Of a point with this outcome. The colours are those of Okabe and Ito (2008), which remain distinct with any
        colour vision; the markers remain distinct without colour.
    """

    name: str
    meaning: str
    colour: str
    marker: str


OUTCOMES = MappingProxyType(
    {
        ReachStatus.REACHED: Outcome(
            name="reached",
            meaning="A configuration within the joint limits takes the pose within the tolerances.",
            colour="#0072b2",
            marker="o",
        ),
        ReachStatus.NOT_FOUND: Outcome(
            name="not found",
            meaning="The budget was spent without success: the pose is probably out of reach, but that is not proven.",
            colour="#e69f00",
            marker="^",
        ),
        ReachStatus.PROVEN_UNREACHABLE: Outcome(
            name="proven unreachable",
            meaning="No configuration can take the pose, whatever the budget: the arm does not stretch that far.",
            colour="#8c8c8c",
            marker="x",
        ),
        ReachStatus.IN_COLLISION: Outcome(
            name="in collision",
            meaning="The configurations found collide.",
            colour="#cc79a7",
            marker="s",
        ),
        ReachStatus.EXCLUDED: Outcome(
            name="excluded",
            meaning="The base may not stand there, so nothing was tried.",
            colour="#56b4e9",
            marker="+",
        ),
        ReachStatus.UNINITIALIZED: Outcome(
            name="not computed yet",
            meaning="The study has not come to this pose.",
            colour="#000000",
            marker=".",
        ),
    }
)
"""Every outcome, in the order of a table."""
