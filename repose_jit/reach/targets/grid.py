"""The grid of a study: a box, the edge of its voxels and their centres."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError, shown
from repose_jit.reach_bound import reach_bound
from repose_jit.validation import MAX_POSITION, as_positive, as_vector

__all__ = ["Box", "as_box", "as_spacing", "default_box", "default_spacing", "voxel_grid"]

FloatArray = NDArray[np.float64]
Box = tuple[tuple[float, float, float], tuple[float, float, float]]

MAX_COUNT = 10**7
"""Most voxels along a side."""

VOXELS_PER_SIDE = 26
"""About how many voxels the default spacing puts along the longest side of the box."""


def as_box(box: Sequence[ArrayLike], *, names: tuple[str, str] = ("box[0]", "box[1]")) -> Box:
    """Return the lower and the upper corner of an axis-parallel box [m] as plain numbers.

    `names` are what messages call the two.

    Raises
    ------
    ShapeError, InputError
        If they are not two corners of three finite numbers, or an upper one lies below its lower one; or if one is
        further away than any pose may be.
    """
    pair = list(box) if isinstance(box, np.ndarray) and box.ndim else box
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise InputError(f"box: got {shown(box)}, expected two corners: ((x, y, z), (x, y, z))")
    low, high = (as_vector(corner, 3, name=name).tolist() for corner, name in zip(pair, names, strict=True))
    for name, values in zip(names, (low, high), strict=True):
        for axis, value in enumerate(values):
            if abs(value) > MAX_POSITION:
                raise InputError(f"{name}[{axis}]: got {value:g}, expected at most {MAX_POSITION:.0e} m (metres?)")
    for axis, (a, b) in enumerate(zip(low, high, strict=True)):
        if a > b:
            raise InputError(f"box: got {'xyz'[axis]} from {a:g} to {b:g}, expected the lower corner first")
    return (low[0], low[1], low[2]), (high[0], high[1], high[2])


def as_spacing(spacing: float) -> float:
    """Return the edge of a voxel [m] as a plain number.

    Raises
    ------
    InputError
        If it is not a finite number > 0, or longer than any pose may be away.
    """
    value = as_positive(spacing, name="spacing", unit="metres")
    if value > MAX_POSITION:
        raise InputError(f"spacing: got {value:g}, expected at most {MAX_POSITION:.0e} m (metres?)")
    return value


def voxel_grid(box_min: ArrayLike, box_max: ArrayLike, spacing: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the x, y and z coordinates of the centres of cubic voxels that cover a box.

    The voxels are centred on the box and stick out of it evenly where its sides are not multiples of `spacing`; a side
    of length zero gets one voxel.

    Parameters
    ----------
    box_min, box_max
        (3,) corners [m].
    spacing
        Edge of a voxel [m], > 0.

    Returns
    -------
    tuple of (nx,), (ny,) and (nz,) arrays
        Ascending [m].

    Raises
    ------
    ShapeError, InputError
        If the box or the spacing makes no sense.

    Examples
    --------
    >>> x, y, z = voxel_grid([0, 0, 0], [0.3, 0.1, 0.0], 0.1)
    >>> x.round(3).tolist(), y.round(3).tolist(), z.tolist()
    ([0.05, 0.15, 0.25], [0.05], [0.0])
    """
    spacing = as_spacing(spacing)
    low, high = as_box((box_min, box_max))
    x, y, z = (_centres(a, b, spacing) for a, b in zip(low, high, strict=True))
    return x, y, z


def _centres(low: float, high: float, spacing: float) -> FloatArray:
    sides = (high - low) / spacing
    if sides > MAX_COUNT:
        raise InputError(
            f"spacing: got {spacing:g} for a side of {high - low:g} m, expected at most {MAX_COUNT:,} voxels along it"
        )
    finest = math.ulp(max(abs(low), abs(high)))
    if spacing < finest:
        raise InputError(
            f"spacing: got {spacing:g} between {low:g} and {high:g} m, where floats are {finest:.1g} m apart, "
            "expected a longer one"
        )
    # A side that is a multiple up to rounding must not get one voxel more.
    count = max(1, math.ceil(sides - 1e-6))
    steps: FloatArray = np.arange(count, dtype=np.float64) - 0.5 * (count - 1)
    return 0.5 * (low + high) + spacing * steps


def default_box(chain: KinematicChain) -> Box:
    """Return the cube around the ball that the tool of `chain` cannot leave, its corners rounded outward.

    To four digits of the longest side (a millimetre for most robots): the bound comes from matrix products, whose last
    bits depend on the CPU.

    Raises
    ------
    InputError
        If nothing limits how far a joint slides.
    """
    bound = reach_bound(chain)
    if math.isinf(bound.tool_radius):
        raise InputError("box: got none, expected one: nothing limits how far a joint of this chain slides")
    low, high = bound.centre - bound.tool_radius, bound.centre + bound.tool_radius
    digits = 3 - math.floor(math.log10(max(2.0 * bound.tool_radius, 1e-12)))
    # A thousandth of the step, so that what is a round number up to rounding stays one.
    return as_box(
        (
            [_rounded(math.floor, value, digits, 1e-3) for value in low.tolist()],
            [_rounded(math.ceil, value, digits, -1e-3) for value in high.tolist()],
        )
    )


def default_spacing(box: Box) -> float:
    """Return the edge of a voxel [m] where none is given: a 26th of the longest side, rounded to one digit."""
    longest = max(b - a for a, b in zip(*box, strict=True))
    return float(f"{longest / VOXELS_PER_SIDE:.0e}") or 0.05  # also where the quotient is too small for a float


def _rounded(to_integer: Callable[[float], int], value: float, digits: int, slack: float) -> float:
    """Return `value` rounded to a number of decimal digits, or of zeros where that is negative."""
    if digits < 0:
        return to_integer(value / 10.0**-digits + slack) * 10.0**-digits
    return to_integer(value * 10.0**digits + slack) / 10.0**digits
