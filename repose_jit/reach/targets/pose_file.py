"""Read the poses that a study asks for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from repose_jit.poses import parse_poses
from repose_jit.tables import parse_data
from repose_jit.units import as_metres
from repose_jit.validation import as_path

__all__ = ["read_poses"]


def read_poses(path: str | Path, *, units: str = "m") -> NDArray[np.float64]:
    """Read poses from a file; not yet checked to be rigid.

    Parameters
    ----------
    path
        What :func:`~repose_jit.poses.parse_poses` knows, whatever the file is called. NumPy's format: (N, 4, 4). Text:
        16 numbers a line (the matrix row by row), or below a line with the names x, y, z and either qx, qy, qz, qw or
        roll, pitch, yaw [rad]. JSON. A quaternion without the names of its parts is refused: half of all programs
        write its scalar first, the other half last.
    units
        What positions are measured in: ``"m"``, ``"cm"``, ``"mm"`` or ``"in"``.

    Returns
    -------
    (N, 4, 4) array
        Positions in metres.

    Raises
    ------
    ReposeError
        If the contents are something else, or the units are unknown.
    OSError
        If there is no such file.
    """
    path = as_path(path)
    poses = parse_poses(parse_data(path.read_bytes(), where=str(path)), degrees=False, where=str(path)).copy()
    poses[:, :3, 3] = as_metres(poses[:, :3, 3], units)
    return poses
