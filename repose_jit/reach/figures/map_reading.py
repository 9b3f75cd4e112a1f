"""What a picture reads of a map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError

__all__ = ["MapReading", "require_map"]

FloatArray = NDArray[np.float64]


@runtime_checkable
class MapReading(Protocol):
    """The part of a reach map that pictures, reports and the viewer read; per-pose arrays come block by block.

    Attributes
    ----------
    attributes
        What was studied and with which budget, as plain JSON values.
    kind, dims
        ``"grid"``, ``"surface"``, ``"poses"`` or ``"placements"``, and the names of the site dimensions.
    coordinates
        Per dimension its values [m, yaw rad] or indices.
    local_poses
        (k, 4, 4): ``T_base_tool[s, i] = site_frame[s] @ local_poses[i]``.
    """

    @property
    def attributes(self) -> Mapping[str, Any]: ...  # noqa: D102 -- documented above, like those below

    @property
    def kind(self) -> str: ...  # noqa: D102

    @property
    def dims(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def shape(self) -> tuple[int, ...]: ...  # noqa: D102

    @property
    def n_sites(self) -> int: ...  # noqa: D102

    @property
    def n_orientations(self) -> int: ...  # noqa: D102

    @property
    def n_poses(self) -> int: ...  # noqa: D102

    @property
    def n_chunks(self) -> int: ...  # noqa: D102

    @property
    def n_done(self) -> int: ...  # noqa: D102

    @property
    def is_complete(self) -> bool: ...  # noqa: D102

    @property
    def spacing(self) -> float | None: ...  # noqa: D102

    @property
    def coordinates(self) -> Mapping[str, NDArray[Any]]: ...  # noqa: D102

    @property
    def local_poses(self) -> FloatArray: ...  # noqa: D102

    @property
    def chain(self) -> KinematicChain: ...  # noqa: D102

    @property
    def metrics(self) -> Sequence[str]: ...  # noqa: D102

    def site(self, name: str) -> NDArray[Any]:
        """Return a per-site array, whole."""
        ...

    def site_positions(self) -> FloatArray:
        """Return (*shape, 3) places of the sites in the base frame [m]."""
        ...

    def blocks(self, *names: str) -> Iterator[tuple[tuple[slice, ...], Mapping[str, NDArray[Any]]]]:
        """Yield where each finished block of sites is, and its part of the per-pose arrays named."""
        ...

    def pose(self, name: str, site_index: tuple[int, ...]) -> NDArray[Any]:
        """Return a per-pose array at one site: (k, ...)."""
        ...

    def summary(self) -> Mapping[str, Any]:
        """Return the figures of the study."""
        ...


def require_map(reach_map: object) -> None:
    """Raise InputError unless `reach_map` reads like a ReachMap."""
    if not isinstance(reach_map, MapReading):
        raise InputError(f"reach_map: got {type(reach_map).__name__}, expected a ReachMap")
