"""What a study aims at: the voxels of a grid, the points of a surface, or given poses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.errors import InputError, ShapeError, shown
from repose_jit.reach.targets.grid import as_box, as_spacing
from repose_jit.reach.targets.pose_file import read_poses
from repose_jit.reach.targets.rotations import unit_vectors
from repose_jit.reach.targets.surface_file import read_surface
from repose_jit.validation import MAX_POSITION, as_array, as_transform, require_finite, require_rigid

__all__ = ["GridTargets", "PoseTargets", "SurfaceTargets", "Targets"]

FloatArray = NDArray[np.float64]
Corner = tuple[float, float, float]


@dataclass(frozen=True)
class GridTargets:
    """The centres of cubic voxels that cover a box of the base frame.

    Attributes
    ----------
    spacing
        Edge of a voxel [m]; a voxel is judged by its centre. By default a 26th of the box's longest side, rounded to
        one digit: 50 mm for the igus ReBeL.
    box_min, box_max
        Lower and upper corner [m], both or neither. By default the cube around the ball that the tool cannot leave:
        :func:`~repose_jit.reach_bound.reach_bound`.

    Raises
    ------
    ShapeError, InputError
        If a value is not allowed, or one corner is given without the other.
    """

    spacing: float | None = None
    box_min: Corner | None = None
    box_max: Corner | None = None

    def __post_init__(self) -> None:
        if self.spacing is not None:
            object.__setattr__(self, "spacing", as_spacing(self.spacing))
        if self.box_min is None or self.box_max is None:
            if self.box_min is self.box_max:
                return
            given, missing = ("box_max", "box_min") if self.box_min is None else ("box_min", "box_max")
            raise InputError(f"{missing}: got none beside {given}, expected both corners of the box or neither")
        low, high = as_box((self.box_min, self.box_max), names=("box_min", "box_max"))
        object.__setattr__(self, "box_min", low)
        object.__setattr__(self, "box_max", high)


@dataclass(frozen=True, eq=False)
class SurfaceTargets:
    """Points of a surface with the direction that is outward there.

    Attributes
    ----------
    points
        (N, 3) in the base frame [m].
    normals
        (N, 3) outward, of any length; kept at length 1.
    source
        The file they are from, for messages and reports; None if from memory.

    Raises
    ------
    ShapeError, InputError
        If there are no points, not as many normals, an entry is not finite, a coordinate is beyond 10⁹ m, or a normal
        is zero.
    """

    points: FloatArray
    normals: FloatArray
    source: str | None = None

    def __post_init__(self) -> None:
        where = _prefix(self.source)
        points, normals = (_as_rows(getattr(self, name), name=f"{where}{name}") for name in ("points", "normals"))
        if len(points) == 0:
            raise InputError(f"{where}points: got 0 points, expected at least one")
        if len(normals) != len(points):
            raise ShapeError(f"{where}normals: got {len(normals)}, expected {len(points)}: one for each point")
        far = np.abs(points).max(axis=1) > MAX_POSITION
        if far.any():
            i = int(np.argmax(far))
            raise InputError(f"{where}points[{i}]: got {shown(points[i].tolist())}, expected at most 1e9 m (metres?)")
        zero = ~normals.any(axis=1)
        if zero.any():
            raise InputError(f"{where}normals[{int(np.argmax(zero))}]: got a zero vector, expected a direction")
        object.__setattr__(self, "points", _fixed(points))
        object.__setattr__(self, "normals", _fixed(unit_vectors(normals)))

    @classmethod
    def from_file(cls, path: str | Path, *, units: str = "m", spacing: float | None = None) -> SurfaceTargets:
        """Return the points of a table, point cloud or mesh.

        See :func:`~repose_jit.reach.targets.surface_file.read_surface`.

        Parameters
        ----------
        path
            ``.csv``, ``.txt`` or ``.npy`` with x, y, z, nx, ny, nz; ``.ply``, ``.stl`` or ``.obj``.
        units
            What the file measures in: ``"m"``, ``"cm"``, ``"mm"`` or ``"in"``.
        spacing
            Of a mesh: about how far apart its points shall be [m]; one in the middle of every face if None.

        Raises
        ------
        ReposeError
            If the file is something else, or has no points or no normals.
        OSError
            If there is no such file.
        """
        points, normals = read_surface(path, units=units, spacing=spacing)
        return cls(points, normals, source=str(path))


@dataclass(frozen=True, eq=False)
class PoseTargets:
    """Poses of the tool, each asked for as it is.

    Attributes
    ----------
    poses
        (N, 4, 4) ``T_base_tool``; other leading dimensions are laid flat.
    source
        The file they are from, for messages and reports; None if from memory.

    Raises
    ------
    ShapeError, InputError
        If there are no poses, or one is not a rigid transform.
    """

    poses: FloatArray
    source: str | None = None

    def __post_init__(self) -> None:
        name = f"{_prefix(self.source)}poses"
        poses = as_transform(self.poses, name=name)
        if poses.size == 0:
            raise InputError(f"{name}: got 0 poses, expected at least one")
        require_rigid(poses, name=name)
        poses = poses.reshape(-1, 4, 4).copy()
        poses[:, 3] = 0.0, 0.0, 0.0, 1.0  # to the last bit: the check allows rounding there
        object.__setattr__(self, "poses", _fixed(poses))

    @classmethod
    def from_file(cls, path: str | Path, *, units: str = "m") -> PoseTargets:
        """Return the poses of a file: see :func:`~repose_jit.reach.targets.pose_file.read_poses`.

        Parameters
        ----------
        path
            ``.npy``, ``.csv`` or JSON.
        units
            What positions are measured in: ``"m"``, ``"cm"``, ``"mm"`` or ``"in"``.

        Raises
        ------
        ReposeError
            If the file is something else, or a pose is not a rigid transform.
        OSError
            If there is no such file.
        """
        return cls(read_poses(path, units=units), source=str(path))


Targets = GridTargets | SurfaceTargets | PoseTargets


def _as_rows(values: ArrayLike, *, name: str) -> FloatArray:
    array = as_array(values, name=name)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ShapeError(f"{name}: got shape {array.shape}, expected (N, 3)")
    require_finite(array, name=name)
    return array.copy()


def _fixed(array: FloatArray) -> FloatArray:
    array.setflags(write=False)
    return array


def _prefix(source: str | None) -> str:
    return "" if source is None else f"{source}: "
