"""Quantities that a configuration may write with a unit: ``"90deg"``, ``"150mm"``, ``"10deg/s"``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repose_jit.errors import InputError, UnknownNameError, near_matches, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ANGLE", "ANGULAR_SPEED", "LENGTH", "SPEED", "UNITS", "Quantity", "as_metres", "expected", "parse_quantity"]


@dataclass(frozen=True, eq=False)
class Quantity:
    """What is measured, and the units it may be written in.

    Attributes
    ----------
    name
        With its article, for messages: ``"an angle"``.
    units
        Conversion to SI by unit; the first unit is SI itself.
    example
        A value with a unit, for messages.
    """

    name: str
    units: Mapping[str, Callable[[float], float]]
    example: str


# Divisors rather than factors: 150 / 1000 is the float nearest to 0.15, 150 * 0.001 need not be.
ANGLE = Quantity("an angle", {"rad": float, "deg": math.radians}, "90deg")
LENGTH = Quantity("a length", {"m": float, "cm": lambda x: x / 100.0, "mm": lambda x: x / 1000.0}, "150mm")
ANGULAR_SPEED = Quantity(
    "an angular speed",
    {"rad/s": float, "deg/s": math.radians, "rpm": lambda x: x / 30.0 * math.pi},
    "10deg/s",
)
SPEED = Quantity("a speed", {"m/s": float, "cm/s": lambda x: x / 100.0, "mm/s": lambda x: x / 1000.0}, "250mm/s")

UNITS = {"m": (1.0, 1.0), "cm": (1.0, 100.0), "mm": (1.0, 1000.0), "in": (254.0, 10000.0)}
"""What a file of points may measure in: times the first, through the second, are metres."""

ALL = (ANGLE, LENGTH, ANGULAR_SPEED, SPEED)
NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
WRITTEN = re.compile(rf"\s*({NUMBER})\s*([^\d\s.+-]\S*)?\s*", re.ASCII)


def parse_quantity(text: str, quantities: Sequence[Quantity]) -> float:
    """Return the SI value of a number with a unit.

    Parameters
    ----------
    text
        For example ``"90deg"`` or ``"1.5 rad"``.
    quantities
        What the value may measure.

    Raises
    ------
    InputError
        If there is no number or no unit, or the unit measures something else. The message lacks the place, which the
        caller knows.

    Examples
    --------
    >>> parse_quantity("150mm", [LENGTH])
    0.15
    """
    match = WRITTEN.fullmatch(text)
    if match is None:
        raise InputError(f"got {shown(text)}, expected {expected(quantities)}")
    number, unit = match.groups()
    if unit is None:
        raise InputError(f"got {shown(text)} without a unit, expected {expected(quantities)}")
    for quantity in quantities:
        if unit in quantity.units:
            return quantity.units[unit](float(number))
    other = next((quantity for quantity in ALL if unit in quantity.units), None)
    if other is not None:
        raise InputError(f"got {shown(text)}, {other.name}; expected {expected(quantities)}")
    near = near_matches(unit, [known for quantity in quantities for known in quantity.units])
    hint = f"did you mean {near[0]!r}?" if near else f"expected {expected(quantities)}"
    raise InputError(f"got {shown(text)} with the unknown unit {shown(unit)}; {hint}")


def as_metres(values: NDArray[np.float64], units: str) -> NDArray[np.float64]:
    """Return lengths that a file gives in ``"m"``, ``"cm"``, ``"mm"`` or ``"in"`` in metres; not a copy if they are.

    Raises
    ------
    UnknownNameError
        If `units` is something else.
    """
    if not isinstance(units, str) or units not in UNITS:
        raise UnknownNameError("units", units, tuple(UNITS))
    multiplier, divisor = UNITS[units]
    return values if units == "m" else values * multiplier / divisor


def expected(quantities: Sequence[Quantity]) -> str:
    """Say what may be written for one of `quantities`, as the end of a message."""
    return " or ".join(
        f"{quantity.name}: a number [{next(iter(quantity.units))}] or a string such as {quantity.example!r}"
        for quantity in quantities
    )
