"""The chunks of a study: blocks of neighbouring sites, each solved at once and written as one chunk of every array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Blocks", "block_shape"]


@dataclass(frozen=True)
class Blocks:
    """Sites cut into blocks, numbered in C order.

    Attributes
    ----------
    shape
        Sites along each dimension.
    block_shape
        Sites along each dimension of a block; the last blocks of a dimension may be smaller.
    """

    shape: tuple[int, ...]
    block_shape: tuple[int, ...]

    @property
    def grid(self) -> tuple[int, ...]:
        """Blocks along each dimension."""
        return tuple(-(-n // b) for n, b in zip(self.shape, self.block_shape, strict=True))

    @property
    def count(self) -> int:
        """Blocks in all."""
        return math.prod(self.grid)

    def place(self, number: int) -> tuple[int, ...]:
        """Return where a block stands in the grid of blocks."""
        return tuple(int(i) for i in np.unravel_index(number, self.grid))

    def slices(self, number: int) -> tuple[slice, ...]:
        """Return the sites of a block along each dimension."""
        spans = zip(self.place(number), self.block_shape, self.shape, strict=True)
        return tuple(slice(i * b, min((i + 1) * b, n)) for i, b, n in spans)

    def size(self, number: int) -> int:
        """Return how many sites a block has."""
        return math.prod(part.stop - part.start for part in self.slices(number))

    def sites(self, number: int) -> NDArray[np.int64]:
        """Return the numbers of the sites of a block, in the shape of the block."""
        ranges = np.ix_(*(np.arange(part.start, part.stop) for part in self.slices(number)))
        return np.asarray(np.ravel_multi_index(ranges, self.shape), dtype=np.int64)

    def find(self, site: int) -> tuple[int, tuple[int, ...]]:
        """Return the number of the block that a site is in, and where in it."""
        index = [int(i) for i in np.unravel_index(site, self.shape)]
        place = [i // b for i, b in zip(index, self.block_shape, strict=True)]
        within = tuple(i % b for i, b in zip(index, self.block_shape, strict=True))
        return int(np.ravel_multi_index(place, self.grid)), within


def block_shape(shape: Sequence[int], most: int) -> tuple[int, ...]:
    """Return the shape of blocks of at most `most` sites, as close to cubes, and as equal in size, as can be."""
    sides = [1] * len(shape)
    # The longest side that is left gets its share last, so that what shorter ones cannot use goes to it.
    room = max(1, most)
    for rank, axis in enumerate(sorted(range(len(shape)), key=lambda axis: shape[axis])):
        left = len(shape) - rank
        side = max(1, min(shape[axis], _root(room, left)))
        count = -(-shape[axis] // side)
        sides[axis] = -(-shape[axis] // count)
        room //= sides[axis]
    return tuple(sides)


def _root(value: int, degree: int) -> int:
    """Return the largest whole number whose power does not exceed `value`."""
    root = round(math.pow(value, 1.0 / degree))
    return root - 1 if math.pow(root, degree) > value else root
