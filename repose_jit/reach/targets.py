"""The poses of a study: voxel centres and rotations that cover all orientations evenly."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.errors import InputError, shown
from repose_jit.validation import MAX_POSITION, as_integer, as_positive, as_vector

__all__ = ["as_box", "as_spacing", "super_fibonacci", "voxel_grid"]

FloatArray = NDArray[np.float64]
Box = tuple[tuple[float, float, float], tuple[float, float, float]]

MAX_COUNT = 10**7
"""Most rotations, and most voxels along a side: some gigabytes; beyond it memory ends without a word."""

PSI = 1.5337511687552043
"""The root of ψ⁴ = ψ + 4."""


def as_box(box: Sequence[ArrayLike]) -> Box:
    """Return the lower and the upper corner of an axis-parallel box [m] as plain numbers.

    Raises
    ------
    ShapeError, InputError
        If they are not two corners of three finite numbers, or an upper one lies below its lower one; or if one is
        further away than any pose may be.
    """
    pair = list(box) if isinstance(box, np.ndarray) and box.ndim else box
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise InputError(f"box: got {shown(box)}, expected two corners: ((x, y, z), (x, y, z))")
    low, high = as_vector(pair[0], 3, name="box[0]").tolist(), as_vector(pair[1], 3, name="box[1]").tolist()
    for corner, values in enumerate((low, high)):
        for axis, value in enumerate(values):
            if abs(value) > MAX_POSITION:
                raise InputError(
                    f"box[{corner}][{axis}]: got {value:g}, expected at most {MAX_POSITION:.0e} m (metres?)"
                )
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


def super_fibonacci(n: int) -> FloatArray:
    """Return n rotations spread evenly over all orientations.

    Parameters
    ----------
    n
        How many, 1 to 10⁷.

    Returns
    -------
    (n, 3, 3) array
        Rotation matrices.

    Raises
    ------
    InputError
        If `n` is not an integer in that range.

    Notes
    -----
    Alexa (2022), "Super-Fibonacci spirals: fast, low-discrepancy sampling of SO(3)", algorithm 1: with s = i + ½, the
    unit quaternions (x, y, z, w) = (√(s/n) sin α, √(s/n) cos α, √(1 − s/n) sin β, √(1 − s/n) cos β), α = 2π s/√2,
    β = 2π s/ψ. No rotation is further than 38° from the nearest of 256, 23° of 1024, 19° of 2048. The rotations of a
    smaller n are not among those of a larger.
    """
    n = as_integer(n, name="n", least=1, most=MAX_COUNT)
    s = np.arange(n) + 0.5
    alpha, beta = 2.0 * np.pi * s / math.sqrt(2.0), 2.0 * np.pi * s / PSI
    r, R = np.sqrt(s / n), np.sqrt(1.0 - s / n)
    x, y, z, w = r * np.sin(alpha), r * np.cos(alpha), R * np.sin(beta), R * np.cos(beta)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.ascontiguousarray(np.array(rows).transpose(2, 0, 1))
