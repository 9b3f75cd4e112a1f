"""The numbers that kernels consume: one NamedTuple of read-only arrays per robot, and the codes stored in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CONVERGED",
    "FIXED",
    "MAX_ITERATIONS_REACHED",
    "PRISMATIC",
    "REVOLUTE",
    "SINGULAR",
    "UNINITIALIZED",
    "ChainArrays",
]

FIXED = 0
REVOLUTE = 1
PRISMATIC = 2

# Outcomes of a solve.
UNINITIALIZED = 0
CONVERGED = 1
MAX_ITERATIONS_REACHED = 2
SINGULAR = 3


class ChainArrays(NamedTuple):
    """A serial chain as flat arrays; n slots (mimic joints included) and m entries of q.

    Kernels that are called from Python take it as a plain tuple and name the fields first: a NamedTuple of six arrays
    takes 0.9 µs to cross into compiled code, a plain tuple 0.4 µs.

    Every joint is turned so that it moves about or along its own +z. With A_i the rotation that takes z to the axis of
    joint i, ``T_base_tool = Π [A_{i-1}ᵀ Origin_i A_i] · Motion_z(q_i) · [A_nᵀ Tool]``, and the brackets are constant.

    Attributes
    ----------
    transforms
        (n+1, 12) the bracketed constants, rotation row by row (9) then translation (3) [m]; the last one leads to the
        tool.
    slots
        (n, 2) int64: FIXED, REVOLUTE or PRISMATIC, and the entry of q that drives the slot.
    gains
        (n, 2) multiplier and offset: the slot moves by multiplier · q + offset. (1, 0) but for mimic joints.
    alignments
        (n, 9) A_i row by row.
    limits
        (3, m) lower, upper [rad or m] and largest speed [rad/s or m/s]; ∓inf and +inf where there is none. Zeros for
        fixed entries.
    entries
        (m,) int64: FIXED, REVOLUTE or PRISMATIC for each entry of q, FIXED also where nothing on the path moves.
    """

    transforms: NDArray[np.float64]
    slots: NDArray[np.int64]
    gains: NDArray[np.float64]
    alignments: NDArray[np.float64]
    limits: NDArray[np.float64]
    entries: NDArray[np.int64]
