"""Rotations and directions spread evenly, and rotations that point an axis of the tool.

Made of + − · / √ and of the kernels' sine and cosine alone: NumPy's own have other last bits on other CPUs, and these
numbers decide what a study stores.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from repose_jit.errors import UnknownNameError
from repose_jit.kernels.angles import sincos_of_turns
from repose_jit.validation import as_integer

__all__ = [
    "TOOL_AXES",
    "as_tool_axis",
    "axis_rotations",
    "compose_rotations",
    "fibonacci_sphere",
    "rolls",
    "super_fibonacci",
    "unit_vectors",
]

FloatArray = NDArray[np.float64]

MAX_COUNT = 10**7
"""Most rotations or directions: some gigabytes; beyond it memory ends without a word."""

TOOL_AXES = ("x", "y", "z", "-x", "-y", "-z")
"""The axes of the tool that can be pointed somewhere, with their sign."""

# What one step adds, in turns, as the sum of a head of at most 26 bits and a tail: the head times any count up to 2²⁷
# is exact, so that ten million steps cost no digit of the angle.
HALF_STEP_ALPHA = (0.3535533845424652, 6.050808552239485e-09)
"""1/(2√2)."""
HALF_STEP_BETA = (0.32599812000989914, 1.579668132995089e-09)
"""1/(2ψ) with ψ = 1.53375116875520429, the root of ψ⁴ = ψ + 4."""
GOLDEN_STEP = (0.6180339753627777, 1.3387117138243649e-08)
"""1/φ with φ = (1 + √5)/2."""


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
    halves = 2.0 * np.arange(n, dtype=np.float64) + 1.0  # 2s
    r, R = np.sqrt(halves / (2.0 * n)), np.sqrt((2.0 * n - halves) / (2.0 * n))
    sin_alpha, cos_alpha = _sincos(_turns(halves, HALF_STEP_ALPHA))
    sin_beta, cos_beta = _sincos(_turns(halves, HALF_STEP_BETA))
    return _rotations_of_quaternions(r * sin_alpha, r * cos_alpha, R * sin_beta, R * cos_beta)


def fibonacci_sphere(n: int) -> FloatArray:
    """Return n directions spread evenly over the sphere.

    Parameters
    ----------
    n
        How many, 1 to 10⁷.

    Returns
    -------
    (n, 3) array
        Unit vectors, from +z down to −z.

    Raises
    ------
    InputError
        If `n` is not an integer in that range.

    Notes
    -----
    Vogel (1979), "A better way to construct the sunflower head", carried over to the sphere: direction i has the height
    z = 1 − (2i + 1)/n, so that all stand for the same area, and the longitude i/φ turns. No direction is further than
    22° from the nearest of 50. The directions of a smaller n are not among those of a larger.

    Examples
    --------
    >>> fibonacci_sphere(2).round(3).tolist()
    [[0.866, 0.0, 0.5], [-0.639, -0.585, -0.5]]
    """
    n = as_integer(n, name="n", least=1, most=MAX_COUNT)
    i = np.arange(n, dtype=np.float64)
    below = (2.0 * i + 1.0) / n  # 1 − z
    r = np.sqrt(below * (2.0 - below))
    s, c = _sincos(_turns(i, GOLDEN_STEP))
    return unit_vectors(np.stack([r * c, r * s, 1.0 - below], axis=-1))


def axis_rotations(tool_axis: str, directions: FloatArray) -> FloatArray:
    """Return the smallest rotations that point an axis of the tool along given directions.

    Parameters
    ----------
    tool_axis
        ``"x"``, ``"y"``, ``"z"``, ``"-x"``, ``"-y"`` or ``"-z"``.
    directions
        (..., 3) unit vectors.

    Returns
    -------
    (..., 3, 3) array
        R with ``R @ axis == direction``, to the last bit. Of the half turns to the opposite of the axis, the one about
        the axis that follows it in x, y, z, x: for z and −z, about x.

    Raises
    ------
    UnknownNameError
        If there is no such axis.

    Notes
    -----
    Rodrigues' formula for the turn from e_i to d by the shortest way. With d's components c = d_i and v = (d_j, d_k)
    across the axis, the block of R over (j, k) is I − (1 − c) u uᵀ, u = v/|v|. Where c > 0 that loses digits, and the
    same matrix is I − v vᵀ/(1 + c).
    """
    i, sign = as_tool_axis(tool_axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    d = sign * directions + 0.0  # no −0: it would print oddly
    c, v_j, v_k = d[..., i], d[..., j], d[..., k]
    opposite = np.stack([v_j, v_k], axis=-1)
    opposite[(v_j == 0.0) & (v_k == 0.0)] = 0.0, 1.0
    u = unit_vectors(opposite)
    behind = c < 0.0
    # f · w wᵀ, whichever way it is written.
    f = np.where(behind, 1.0 - c, 1.0 / (1.0 + np.where(behind, 0.0, c)))
    w_j, w_k = np.where(behind, u[..., 0], v_j), np.where(behind, u[..., 1], v_k)
    R = np.empty((*d.shape[:-1], 3, 3))
    R[..., i, i], R[..., j, i], R[..., k, i] = c, v_j, v_k
    R[..., i, j], R[..., i, k] = 0.0 - v_j, 0.0 - v_k
    R[..., j, j], R[..., k, k] = 1.0 - f * w_j * w_j, 1.0 - f * w_k * w_k
    R[..., j, k] = R[..., k, j] = 0.0 - f * w_j * w_k
    return R


def rolls(tool_axis: str, n: int) -> FloatArray:
    """Return n rotations by equal steps of a whole turn about an axis of the tool, beginning with none.

    Parameters
    ----------
    tool_axis
        ``"x"``, ``"y"``, ``"z"``, ``"-x"``, ``"-y"`` or ``"-z"``; positive about it as a right-handed screw turns.
    n
        How many, 1 to 10⁷.

    Returns
    -------
    (n, 3, 3) array

    Raises
    ------
    InputError, UnknownNameError
        If `n` is not an integer in that range, or there is no such axis.
    """
    i, sign = as_tool_axis(tool_axis)
    n = as_integer(n, name="n", least=1, most=MAX_COUNT)
    s, c = _sincos(np.arange(n, dtype=np.float64) / n)
    s = sign * s + 0.0
    j, k = (i + 1) % 3, (i + 2) % 3
    R = np.zeros((n, 3, 3))
    R[:, i, i] = 1.0
    R[:, j, j], R[:, j, k] = c, 0.0 - s
    R[:, k, j], R[:, k, k] = s, c
    return R


def as_tool_axis(tool_axis: object) -> tuple[int, float]:
    """Return the index and the sign of an axis of the tool.

    Raises
    ------
    UnknownNameError
        If there is no such axis.
    """
    if not isinstance(tool_axis, str) or tool_axis not in TOOL_AXES:
        raise UnknownNameError("tool_axis", tool_axis, TOOL_AXES)
    return "xyz".index(tool_axis[-1]), -1.0 if tool_axis[0] == "-" else 1.0


def compose_rotations(A: FloatArray, B: FloatArray) -> FloatArray:
    """Return A @ B of (..., 3, 3) rotations whose leading dimensions broadcast, in a fixed order of operations."""
    return (
        A[..., :, 0, None] * B[..., None, 0, :]
        + A[..., :, 1, None] * B[..., None, 1, :]
        + A[..., :, 2, None] * B[..., None, 2, :]
    )


def _rotations_of_quaternions(x: FloatArray, y: FloatArray, z: FloatArray, w: FloatArray) -> FloatArray:
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.ascontiguousarray(np.array(rows).transpose(2, 0, 1))


def _turns(count: FloatArray, step: tuple[float, float]) -> FloatArray:
    """Return `count` steps [turns], less whole turns."""
    head, tail = step
    whole = count * head  # exact
    return (whole - np.rint(whole)) + count * tail


def _sincos(turns: FloatArray) -> tuple[FloatArray, FloatArray]:
    sine, cosine = np.empty_like(turns), np.empty_like(turns)
    sincos_of_turns(turns, sine, cosine)
    return sine, cosine


def unit_vectors(vectors: FloatArray) -> FloatArray:
    """Return (..., k) vectors, none of them zero, at length 1; neither tiny nor huge ones lose digits."""
    vectors = vectors / np.abs(vectors).max(axis=-1, keepdims=True)
    squares = vectors * vectors
    total = squares[..., 0].copy()
    for column in range(1, vectors.shape[-1]):
        total += squares[..., column]
    return vectors / np.sqrt(total)[..., None]
