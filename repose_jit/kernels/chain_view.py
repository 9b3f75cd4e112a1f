"""A chain as kernels pass it on: the arrays of `ChainArrays` as pointers, and their sizes."""

from __future__ import annotations

from typing import NamedTuple

from repose_jit.kernels._jit import jit
from repose_jit.kernels.arrays import ChainArrays
from repose_jit.kernels.pointer import Floats, Integers, pointer


class ChainView(NamedTuple):
    """The arrays of ``ChainArrays``, laid flat; n slots and m entries of q."""

    transforms: Floats
    slots: Integers
    gains: Floats
    alignments: Floats
    limits: Floats
    entries: Integers
    n: int
    m: int


@jit
def view_chain(chain: ChainArrays) -> ChainView:
    """Return the view of a chain that came in as a plain tuple of its arrays."""
    a = ChainArrays(*chain)
    return ChainView(
        pointer(a.transforms),
        pointer(a.slots),
        pointer(a.gains),
        pointer(a.alignments),
        pointer(a.limits),
        pointer(a.entries),
        a.slots.shape[0],
        a.entries.size,
    )
