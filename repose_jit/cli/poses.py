"""Poses of the command line: from a file, or from standard input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repose_jit.cli.numeric_input import data_name, read_data
from repose_jit.poses import parse_poses

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["read_poses"]


def read_poses(path: str, *, degrees: bool) -> NDArray[np.float64]:
    """Read poses (N, 4, 4) from a file, or from standard input for ``-``; see :func:`~repose_jit.poses.parse_poses`.

    Raises
    ------
    ReposeError
        If the contents are no poses.
    OSError
        If there is no such file.
    """
    return parse_poses(read_data(path), degrees=degrees, where=data_name(path))
