"""Times, lengths and vectors as sentences have them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["duration", "metres", "vector"]


def duration(seconds: float) -> str:
    """Return a time in words, with two digits and the unit that suits it."""
    for limit, unit, name in ((90.0, 1.0, "s"), (5400.0, 60.0, "min"), (172_800.0, 3600.0, "h")):
        if seconds < limit:
            return f"{float(f'{seconds / unit:.2g}'):g} {name}"
    days = seconds / 86_400.0
    count, name = (days, "days") if days < 1000.0 else (days / 365.25, "years")
    return f"{float(f'{count:.2g}'):,.0f} {name}"


def metres(length: float) -> str:
    """Return a length with three digits, in metres or millimetres."""
    if not math.isfinite(length):
        return "without end"
    if 0.0 < length < 0.01:
        return f"{float(f'{1e3 * length:.3g}'):g} mm"
    return f"{float(f'{length:.3g}'):,.10g} m"


def vector(values: NDArray[np.float64]) -> str:
    """Return the numbers of a vector [m] to the millimetre."""
    rounded = np.round(values, 3) + 0.0  # no minus before a zero
    return "(" + ", ".join(f"{value:.3f}" for value in rounded) + ")"
