"""Read the points and normals of a surface from a table, a point cloud or a mesh."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.errors import InputError, ShapeError, UnknownNameError
from repose_jit.reach.targets.grid import as_spacing
from repose_jit.reach.targets.mesh_sampling import face_centres, face_normals, sample_faces
from repose_jit.tables import Table, parse_data
from repose_jit.units import as_metres
from repose_jit.validation import as_path, require_finite

__all__ = ["MESH_SUFFIXES", "TABLE_SUFFIXES", "read_surface"]

FloatArray = NDArray[np.float64]

MESH_SUFFIXES = (".ply", ".stl", ".obj")
TABLE_SUFFIXES = (".csv", ".txt", ".npy")
NORMAL = ("nx", "ny", "nz")
COLUMNS = ("x", "y", "z", *NORMAL)


def read_surface(path: str | Path, *, units: str = "m", spacing: float | None = None) -> tuple[FloatArray, FloatArray]:
    """Read points of a surface and its normals there.

    Parameters
    ----------
    path
        ``.csv`` or ``.txt``: columns named x, y, z, nx, ny, nz in a first line, or these six without one. ``.npy``:
        (N, 6). ``.ply``: a point cloud with normals. ``.ply``, ``.stl`` or ``.obj`` with faces: a mesh, whose normals
        are those of its faces, outward where their corners run anticlockwise; needs trimesh.
    units
        What the file measures in: ``"m"``, ``"cm"``, ``"mm"`` or ``"in"``.
    spacing
        Of a mesh: about how far apart its points shall be [m], see :func:`sample_faces`. One in the middle of every
        face if None.

    Returns
    -------
    points, normals : (N, 3) arrays
        [m], and of the file's length.

    Raises
    ------
    InputError, ShapeError, UnknownNameError
        If the file is something else, has no normals, or has points of its own that `spacing` cannot apply to.
    OSError
        If there is no such file.

    Warns
    -----
    UserWarning
        If triangles without an area were left out.
    """
    path = as_path(path)
    if spacing is not None:
        as_spacing(spacing)
    suffix = path.suffix.lower()
    if suffix in TABLE_SUFFIXES:
        rows = _rows(parse_data(path.read_bytes(), where=str(path)), where=str(path))
        points, normals, faces = as_metres(rows[:, :3], units), rows[:, 3:], None
    elif suffix in MESH_SUFFIXES:
        vertices, normals, faces = _load(path, suffix)
        points = as_metres(vertices, units)
    else:
        known = (*TABLE_SUFFIXES, *MESH_SUFFIXES)
        raise UnknownNameError("file type", suffix, known, where=str(path))
    if faces is not None:
        return _from_faces(points[faces], spacing, where=str(path))
    if spacing is not None:
        raise InputError(f"spacing: got {spacing!r}, but {path} has no faces: its points are taken as they are")
    return points, normals


def _rows(data: Any, *, where: str) -> FloatArray:
    if isinstance(data, Table):
        if data.names:
            if not set(NORMAL) & set(data.names):
                raise InputError(
                    f"{where}: got columns {', '.join(data.names)}, without {', '.join(NORMAL)}: a surface needs the "
                    "outward normal of every point"
                )
            return data.columns(COLUMNS, where=where)
        data = data.rows
    if not isinstance(data, np.ndarray):
        raise InputError(f"{where}: got JSON, expected a table of {', '.join(COLUMNS)}")
    if data.ndim != 2 or data.shape[1] != len(COLUMNS):
        raise ShapeError(f"{where}: got shape {data.shape}, expected (N, 6): {', '.join(COLUMNS)}")
    return data


def _load(path: Path, suffix: str) -> tuple[FloatArray, FloatArray, NDArray[np.int64] | None]:
    """Return vertices, their normals if there are no faces, and the faces if there are any."""
    try:
        import trimesh
    except ImportError:
        raise InputError(f"{path}: needs trimesh to be read: pip install 'repose_jit[mesh]'") from None
    with path.open("rb") as file:
        try:
            # Unprocessed: corners that are merged or moved would be another mesh. From the open file: materials that
            # it names are not looked for.
            loaded = trimesh.load(file, file_type=suffix[1:], process=False)
        except Exception as error:  # whatever a damaged file makes of the parser
            raise InputError(f"{path}: cannot be read as {suffix}: {error}") from None
    faces = np.asarray(getattr(loaded, "faces", ()), dtype=np.int64)
    vertices = np.asarray(getattr(loaded, "vertices", np.zeros((0, 3))), dtype=np.float64)
    if len(vertices) == 0:
        raise InputError(f"{path}: got 0 points, expected a mesh or a point cloud")
    require_finite(vertices, name=f"{path}: points")
    if faces.size:
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise InputError(f"{path}: got a triangle with the corner {faces.max()}, but {len(vertices)} points")
        return vertices, np.zeros((0, 3)), faces
    normals = _point_normals(loaded)
    if normals is None:
        raise InputError(
            f"{path}: got {len(vertices):,} points with neither faces nor normals, expected one of them: export the "
            "mesh with its triangles, or a .ply or .csv of points with nx, ny, nz"
        )
    return vertices, normals, None


def _point_normals(cloud: Any) -> FloatArray | None:
    """Return the normals of a point cloud, which trimesh keeps only as it has read them, and only of .ply."""
    vertex = cloud.metadata.get("_ply_raw", {}).get("vertex", {})
    if not all(name in vertex.get("properties", ()) for name in NORMAL):
        return None
    data = vertex["data"]
    return np.stack([np.asarray(data[name], dtype=np.float64).reshape(-1) for name in NORMAL], axis=1)


def _from_faces(triangles: FloatArray, spacing: float | None, *, where: str) -> tuple[FloatArray, FloatArray]:
    normals, areas = face_normals(triangles)
    sound = areas > 0.0
    dropped = len(sound) - int(np.count_nonzero(sound))
    if dropped == len(sound):
        raise InputError(f"{where}: got {dropped:,} triangles without an area, expected a surface")
    if dropped:
        warnings.warn(f"{where}: left out {dropped:,} of {len(sound):,} triangles: without an area", stacklevel=4)
    if spacing is not None:
        return sample_faces(triangles[sound], spacing)
    return face_centres(triangles[sound]), normals[sound]
