"""Surfaces from tables, point clouds and meshes."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh

from repose_jit.errors import InputError, ReposeError, ShapeError, UnknownNameError
from repose_jit.reach.targets.kinds import SurfaceTargets
from repose_jit.reach.targets.mesh_sampling import sample_faces
from repose_jit.reach.targets.surface_file import read_surface

Write = Callable[[str, str | bytes], Path]
ROWS = np.array([[0.1, -0.2, 0.3, 0, 0, 1], [0.4, 0.5, -0.6, 0.6, 0.8, 0]])


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def lines(rows: np.ndarray) -> str:
    return "".join(",".join(map(repr, row)) + "\n" for row in rows.tolist())


def ply(names: str, rows: np.ndarray, *, binary: bool = False) -> bytes:
    kind = "binary_little_endian" if binary else "ascii"
    properties = "".join(f"property double {name}\n" for name in names.split())
    header = f"ply\nformat {kind} 1.0\nelement vertex {len(rows)}\n{properties}end_header\n".encode()
    body = rows.astype("<f8").tobytes() if binary else lines(rows).replace(",", " ").encode()
    return header + body


NAMES = "x y z nx ny nz"
SHUFFLED = [5, 0, 3, 1, 4, 2]
FILES: dict[str, str | bytes] = {
    "plain.csv": lines(ROWS),
    "named.csv": "nz,x,nx,y,ny,z,colour\n" + lines(np.hstack([ROWS[:, SHUFFLED], [[7], [8]]])),
    "spaces.txt": NAMES + "\n" + lines(ROWS).replace(",", " "),
    "rows.npy": npy(ROWS),
    "cloud.ply": ply(NAMES, ROWS),
    "BINARY.PLY": ply(NAMES, ROWS, binary=True),
    "mixed.ply": ply("nz x nx y ny z", ROWS[:, SHUFFLED], binary=True),
}


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_gives_its_points(write: Write, name: str) -> None:
    path = write(name, FILES[name])
    points, normals = read_surface(path)
    np.testing.assert_array_equal(points, ROWS[:, :3])
    np.testing.assert_array_equal(normals, ROWS[:, 3:])
    targets = SurfaceTargets.from_file(str(path))
    assert targets.source == str(path)
    np.testing.assert_array_equal(targets.points, points)


@pytest.mark.parametrize("name", ["plain.csv", "cloud.ply"])
@pytest.mark.parametrize(("units", "metre"), [("m", 1.0), ("cm", 1e2), ("mm", 1e3), ("in", 1 / 0.0254)])
def test_units_scale_points_and_not_normals(write: Write, name: str, units: str, metre: float) -> None:
    scaled = ROWS * ([metre] * 3 + [1] * 3)
    path = write(name, lines(scaled) if name.endswith("csv") else ply(NAMES, scaled))
    points, normals = read_surface(path, units=units)
    np.testing.assert_allclose(points, ROWS[:, :3], rtol=4e-16)
    np.testing.assert_array_equal(normals, ROWS[:, 3:])


CUBE = trimesh.creation.box((0.2, 0.4, 0.6))


@pytest.mark.parametrize("suffix", [".stl", ".obj", ".ply"])
def test_faces_of_a_mesh_have_a_point_and_their_normal(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"cube{suffix}"
    CUBE.export(path)
    points, normals = read_surface(path)
    tolerance = 1e-7 if suffix == ".stl" else 1e-15  # STL has single precision
    np.testing.assert_allclose(points, CUBE.triangles_center, atol=tolerance)
    np.testing.assert_allclose(normals, CUBE.face_normals, atol=tolerance)
    # Outward: away from the middle.
    assert np.all((points * normals).sum(axis=1) > 0.09)


def test_a_mesh_is_sampled_in_metres_whatever_its_units(tmp_path: Path) -> None:
    path = tmp_path / "cube.ply"
    CUBE.copy().apply_scale(1000.0).export(path)
    points, normals = read_surface(path, units="mm", spacing=0.02)
    assert len(points) == pytest.approx(CUBE.area / 0.02**2, abs=1)
    expected, _ = sample_faces(CUBE.triangles, 0.02)
    np.testing.assert_allclose(points, expected, atol=1e-6)
    targets = SurfaceTargets.from_file(path, units="mm", spacing=0.02)
    np.testing.assert_array_equal(targets.points, points)
    np.testing.assert_array_equal(targets.normals, normals)


def test_parts_of_one_file_are_one_surface_and_squares_two_triangles(write: Write) -> None:
    path = write(
        "parts.obj",
        "mtllib missing.mtl\no a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nusemtl red\nf 1 2 3 4\n"
        "o b\nv 0 0 1\nv 1 0 1\nv 1 1 1\nf 7 6 5\n",
    )
    points, normals = read_surface(path)
    assert normals.tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, -1]]
    assert points[:, 2].tolist() == [0, 0, 1]


SLIVER = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 1\n"


@pytest.mark.parametrize("spacing", [None, 0.1])
def test_triangles_without_an_area_are_left_out_and_counted(write: Write, spacing: float | None) -> None:
    path = write("some.obj", SLIVER + "f 1 2 4\n")
    with pytest.warns(UserWarning, match=r"some.obj: left out 2 of 3 triangles: without an area"):
        _, normals = read_surface(path, spacing=spacing)
    assert len(normals) == (1 if spacing is None else 50)
    assert np.all(normals == (0, 0, 1))
    with pytest.raises(InputError, match=r"none.obj: got 2 triangles without an area, expected a surface"):
        read_surface(write("none.obj", SLIVER), spacing=spacing)


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("bare.ply", ply("x y z", ROWS[:, :3]), InputError, "got 2 points with neither faces nor normals.*nx, ny, nz"),
        ("bare.obj", "v 0 0 0\nv 1 0 0\nvn 0 0 1\n", InputError, "got 2 points with neither faces nor normals"),
        ("empty.ply", b"", InputError, "cannot be read as .ply"),
        ("short.ply", ply(NAMES, ROWS, binary=True)[:-9], InputError, "cannot be read as .ply"),
        ("text.stl", "hello", InputError, "got 0 points, expected a mesh or a point cloud"),
        ("far.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", ReposeError, "far.obj"),
        ("zero.ply", ply(NAMES, ROWS * ([1] * 3 + [0] * 3)), InputError, r"normals\[0\]: got a zero vector"),
        ("five.csv", "1,2,3,4,5\n", ShapeError, r"got shape \(1, 5\), expected \(N, 6\): x, y, z, nx"),
        (
            "named.csv",
            "x,y,z,nx,ny,n_z\n1,2,3,0,0,1\n",
            UnknownNameError,
            "unknown column 'nz' in .*; did you mean 'n_z'",
        ),
        (
            "nonorm.csv",
            "x,y,z\n1,2,3\n",
            InputError,
            "got columns x, y, z, without nx, ny, nz: a surface needs the outward normal",
        ),
        ("word.csv", "1,2,3,0,0,1\n1,2,x,0,0,1\n", InputError, "line 2: got 'x'"),
        ("header.csv", "x,y,z,nx,ny,nz\n", InputError, "got no numbers"),
        ("poses.csv", "[1, 2]", InputError, "got JSON, expected a table"),
        ("none.npy", npy(np.zeros((0, 6))), InputError, "points: got 0 points"),
        ("poses.npy", npy(np.zeros((2, 4, 4))), ShapeError, r"got shape \(2, 4, 4\), expected \(N, 6\)"),
        ("part.step", "ISO-10303-21;", UnknownNameError, r"unknown file type '.step' in .*part.step"),
    ],
)
def test_what_is_no_surface_is_said(
    write: Write, name: str, content: str | bytes, error: type[Exception], message: str
) -> None:
    path = write(name, content)
    with pytest.raises(error, match=message) as caught:
        SurfaceTargets.from_file(path)
    assert str(path) in str(caught.value)


def test_wrong_settings_are_said(write: Write, tmp_path: Path) -> None:
    path = write("plain.csv", lines(ROWS))
    with pytest.raises(InputError, match=r"spacing: got 0.1, but .*plain.csv has no faces: its points are taken"):
        read_surface(path, spacing=0.1)
    with pytest.raises(InputError, match="spacing: got -1, expected a finite number of metres > 0"):
        read_surface(path, spacing=-1)
    with pytest.raises(UnknownNameError, match="unknown units 'millimetres'; expected one of 'm', 'cm', 'mm', 'in'"):
        read_surface(path, units="millimetres")
    for missing in ("none.csv", "none.ply"):
        with pytest.raises(FileNotFoundError):
            read_surface(tmp_path / missing)
    with pytest.raises(InputError, match="path: got 5, expected a path"):
        read_surface(5)  # type: ignore[arg-type]


def test_without_trimesh_a_mesh_says_what_to_install(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(InputError, match=r"cube.stl: needs trimesh to be read: pip install 'repose_jit\[mesh\]'"):
        read_surface(write("cube.stl", ""))
    read_surface(write("plain.csv", lines(ROWS)))
