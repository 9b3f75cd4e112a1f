"""Where the base of a robot may stand: a grid of positions and headings, less what is in the way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.errors import InputError, shown
from repose_jit.reach.targets.grid import as_spacing, voxel_grid
from repose_jit.units import LENGTH
from repose_jit.validation import MAX_POSITION, as_array, as_integer, as_number, as_vector

__all__ = ["MAX_PLACEMENTS", "ExcludedBox", "PlacementGrid"]

FloatArray = NDArray[np.float64]
Length = Annotated[float, LENGTH]
Pair = tuple[Length, Length]

MAX_PLACEMENTS = 10**7
"""Most placements: each has a frame in memory, a gigabyte in all."""

TURN = 2.0 * math.pi


@dataclass(frozen=True, kw_only=True)
class ExcludedBox:
    """A rectangle of the floor where the origin of the base may not be, its edges included.

    Attributes
    ----------
    min, max
        Lower and upper corner (x, y) [m].

    Raises
    ------
    ShapeError, InputError
        If they are not two corners, the lower one first.
    """

    min: Pair
    max: Pair

    def __post_init__(self) -> None:
        low, high = (_as_pair(getattr(self, name), name=name) for name in ("min", "max"))
        for axis, a, b in zip("xy", low, high, strict=True):
            if a > b:
                raise InputError(f"max: got {axis} from {a:g} to {b:g}, expected the lower corner in min")
        object.__setattr__(self, "min", low)
        object.__setattr__(self, "max", high)


@dataclass(frozen=True, kw_only=True)
class PlacementGrid:
    """Bases that are tried: the centres of square cells of the floor, each in several headings.

    Attributes
    ----------
    x, y
        Least and largest coordinate of the area [m], in the frame that the targets are given in. Where a side is no
        multiple of `spacing` the cells stick out evenly at both ends; a side of length zero gets one cell.
    z
        Height of the base [m].
    spacing
        Edge of a cell [m].
    n_yaw
        Headings: equal steps of a turn about the vertical, from 0 on.
    exclude
        Where the origin of the base may not be. The robot's own width is not added.

    Raises
    ------
    ShapeError, InputError
        If a value is not allowed, there are more than 10⁷ placements, or none is left.

    Examples
    --------
    >>> grid = PlacementGrid(x=(0.0, 0.4), y=(0.0, 0.2), spacing=0.2, n_yaw=4)
    >>> [axis.round(3).tolist() for axis in grid.axes], grid.yaws.round(3).tolist()
    ([[0.1, 0.3], [0.1]], [0.0, 1.571, 3.142, 4.712])
    """

    x: Pair
    y: Pair
    z: Length = 0.0
    spacing: Length = 0.1
    n_yaw: int = 8
    exclude: tuple[ExcludedBox, ...] = ()

    def __post_init__(self) -> None:
        for name in ("x", "y"):
            low, high = _as_pair(getattr(self, name), name=name)
            if low > high:
                raise InputError(f"{name}: got {low:g} to {high:g}, expected the lower end first")
            object.__setattr__(self, name, (low, high))
        object.__setattr__(self, "z", _near(as_number(self.z, name="z"), name="z"))
        object.__setattr__(self, "spacing", as_spacing(self.spacing))
        object.__setattr__(self, "n_yaw", as_integer(self.n_yaw, name="n_yaw", least=1, most=MAX_PLACEMENTS))
        object.__setattr__(self, "exclude", _as_boxes(self.exclude))
        cells = math.prod(max(1.0, math.ceil((b - a) / self.spacing)) for a, b in (self.x, self.y))
        if cells * self.n_yaw > MAX_PLACEMENTS:
            raise InputError(
                f"spacing: got cells of {self.spacing:g} m, {cells:.3g} of them in {self.n_yaw} headings each, "
                f"expected at most {MAX_PLACEMENTS:,} placements (is everything in metres?)"
            )
        if self.excluded.all():
            raise InputError("exclude: got boxes that cover every base, expected at least one left")

    @property
    def axes(self) -> tuple[FloatArray, FloatArray]:
        """The x and the y coordinates of the bases, ascending [m]."""
        x, y, _ = voxel_grid((self.x[0], self.y[0], self.z), (self.x[1], self.y[1], self.z), self.spacing)
        return x, y

    @property
    def yaws(self) -> FloatArray:
        """(n_yaw,) the headings, ascending from 0 [rad]: turns of the base about the vertical."""
        return np.arange(self.n_yaw) * TURN / self.n_yaw

    @property
    def shape(self) -> tuple[int, int, int]:
        """Bases along x and y, and headings."""
        x, y = self.axes
        return len(x), len(y), self.n_yaw

    @property
    def positions(self) -> FloatArray:
        """(nx, ny, 3) the origins of the bases [m]."""
        x, y = self.axes
        positions = np.empty((len(x), len(y), 3))
        positions[..., 0], positions[..., 1], positions[..., 2] = x[:, None], y, self.z
        return positions

    @property
    def excluded(self) -> NDArray[np.bool_]:
        """(nx, ny) which bases are in one of the boxes, whatever their heading."""
        x, y = self.axes
        excluded = np.zeros((len(x), len(y)), bool)
        for box in self.exclude:
            in_x, in_y = (_between(a, low, high) for a, low, high in zip((x, y), box.min, box.max, strict=True))
            excluded |= in_x[:, None] & in_y
        return excluded


def _between(values: FloatArray, low: float, high: float) -> NDArray[np.bool_]:
    """Tell which values are in a closed interval, those included that only rounding puts outside."""
    slack = 1e-9 * (1.0 + abs(low) + abs(high))
    return (values >= low - slack) & (values <= high + slack)


def _as_boxes(boxes: object) -> tuple[ExcludedBox, ...]:
    if not isinstance(boxes, list | tuple):
        raise InputError(f"exclude: got {shown(boxes)}, expected a list of ExcludedBox")
    for i, box in enumerate(boxes):
        if not isinstance(box, ExcludedBox):
            raise InputError(f"exclude[{i}]: got {shown(box)}, expected an ExcludedBox")
    return tuple(boxes)


def _as_pair(values: ArrayLike, *, name: str) -> tuple[float, float]:
    first, second = as_vector(as_array(values, name=name), 2, name=name).tolist()
    return _near(first, name=f"{name}[0]"), _near(second, name=f"{name}[1]")


def _near(value: float, *, name: str) -> float:
    if not abs(value) <= MAX_POSITION:
        raise InputError(f"{name}: got {value:g}, expected at most {MAX_POSITION:.0e} m (metres?)")
    return value
