"""Tables and point clouds hold what the map holds, open elsewhere, and are there whole or not at all."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import trimesh

import repose_jit as rj
from repose_jit.errors import InputError
from repose_jit.reach.export import files as export
from repose_jit.reach.export.files import export_map
from repose_jit.reach.export.rows import site_rows, status_words
from tests.reach.small_stores import KINDS, make_small, study


@pytest.fixture(autouse=True, scope="module")
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_small(monkeypatch)
        yield


@pytest.fixture(scope="module")
def maps() -> dict[str, rj.ReachMap]:
    return {kind: study(kind).run(threads=2) for kind in KINDS}


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_sites_holds_the_map(kind: str, suffix: str, maps: dict[str, rj.ReachMap], tmp_path: Path) -> None:
    reach_map = maps[kind]
    path = export_map(reach_map, tmp_path / f"sites{suffix}")
    table = read(path).sort_values("site")
    assert table.site.tolist() == list(range(reach_map.n_sites))
    np.testing.assert_array_equal(table[["x", "y", "z"]], reach_map.site_positions().reshape(-1, 3))
    for name in ("n_reached", "n_not_found", "n_proven_unreachable"):
        np.testing.assert_array_equal(table[name], reach_map.site(name).reshape(-1))
    for name in ("reachability_index", "manipulability_mean", "limit_margin_max"):
        np.testing.assert_array_equal(table[name].astype(np.float32), reach_map.site(name).reshape(-1))
    if kind == "surface":
        targets = study(kind).targets
        assert isinstance(targets, rj.SurfaceTargets)
        np.testing.assert_allclose(table[["nx", "ny", "nz"]], targets.normals, atol=1e-15)
    if kind == "poses":
        R = reach_map.targets.site_frames(np.arange(reach_map.n_sites))[:, :3, :3]
        from scipy.spatial.transform import Rotation

        np.testing.assert_allclose(
            Rotation.from_quat(table[["qx", "qy", "qz", "qw"]].to_numpy()).as_matrix(), R, atol=1e-12
        )
    assert ("nx" in table) == (kind == "surface")
    assert ("qx" in table) == (kind == "poses")
    assert "excluded" not in table


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_poses_holds_the_map(kind: str, suffix: str, maps: dict[str, rj.ReachMap], tmp_path: Path) -> None:
    from scipy.spatial.transform import Rotation

    reach_map = maps[kind]
    table = read(export_map(reach_map, tmp_path / f"poses{suffix}", poses=True)).sort_values(["site", "orientation"])
    assert len(table) == reach_map.n_poses
    T = reach_map.targets.poses(np.arange(reach_map.n_sites)).reshape(-1, 4, 4)
    np.testing.assert_array_equal(table[["x", "y", "z"]], T[:, :3, 3])
    quaternions = table[["qx", "qy", "qz", "qw"]].to_numpy()
    np.testing.assert_allclose(Rotation.from_quat(quaternions).as_matrix(), T[:, :3, :3], atol=1e-12)
    rows = table.set_index(["site", "orientation"])
    reached = rows[rows.status == "reached"]
    assert len(reached) == reach_map.summary()["reached"]
    for site, orientation in reached.index[::50]:
        for name in ("position_error", "orientation_error", "attempts", "seed_index", "sigma_min"):
            assert np.float32(rows.loc[(site, orientation), name]) == np.float32(
                reach_map.pose(name, site)[orientation]
            )
        q = rows.loc[(site, orientation), [f"q_{name}" for name in reach_map.chain.joint_names]].to_numpy(float)
        np.testing.assert_array_equal(q, reach_map.pose("q", site)[orientation])
    for status, word in enumerate(status_words()):
        count = sum(int((arrays["status"] == status).sum()) for _, arrays in reach_map.blocks("status"))
        assert (rows.status == word).sum() == count
    only = read(export_map(reach_map, tmp_path / f"reached{suffix}", poses=True, only_reached=True))
    assert len(only) == len(reached)
    assert list(only) == list(read(tmp_path / f"poses{suffix}"))
    assert set(only.status) <= {"reached"}


def test_a_csv_file_writes_each_number_with_its_own_digits(maps: dict[str, rj.ReachMap], tmp_path: Path) -> None:
    lines = export_map(maps["grid"], tmp_path / "poses.csv", poses=True).read_text().splitlines()
    header = lines[0].split(",")
    assert header[:10] == ["site", "orientation", "x", "y", "z", "qx", "qy", "qz", "qw", "status"]
    cells = next(line.split(",") for line in lines if ",reached," in line)
    value = cells[header.index("manipulability")]
    assert str(np.float32(value)) == value


@pytest.mark.parametrize("kind", KINDS)
def test_a_point_cloud_opens_in_trimesh(kind: str, maps: dict[str, rj.ReachMap], tmp_path: Path) -> None:
    reach_map = maps[kind]
    path = export_map(reach_map, tmp_path / "sites.ply")
    cloud = trimesh.load(path)
    assert isinstance(cloud, trimesh.PointCloud)
    rows = list(site_rows(reach_map))
    sites = np.concatenate([block["site"] for block in rows])
    positions = reach_map.site_positions().reshape(-1, 3)[sites]
    np.testing.assert_array_equal(cloud.vertices, positions.astype(np.float32))
    data = cloud.metadata["_ply_raw"]["vertex"]["data"]
    for name, of in (("reachability", "reachability_index"), ("n_reached", "n_reached")):
        np.testing.assert_array_equal(np.ravel(data[name]), reach_map.site(of).reshape(-1)[sites])
    np.testing.assert_array_equal(np.ravel(data["sigma_min_mean"]), reach_map.site("sigma_min_mean").reshape(-1)[sites])
    assert ("nx" in data.dtype.names) == (kind == "surface")


def test_a_point_cloud_is_what_the_format_says(maps: dict[str, rj.ReachMap], tmp_path: Path) -> None:
    reach_map = maps["surface"]
    header, _, body = export_map(reach_map, tmp_path / "sites.PLY").read_bytes().partition(b"end_header\n")
    lines = header.decode("ascii").splitlines()
    assert lines[:2] == ["ply", "format binary_little_endian 1.0"]
    assert f"element vertex {reach_map.n_sites}" in lines
    properties = [tuple(line.split()[1:]) for line in lines if line.startswith("property")]
    assert [name for _, name in properties[:8]] == ["x", "y", "z", "nx", "ny", "nz", "reachability", "n_reached"]
    assert len(body) == 4 * len(properties) * reach_map.n_sites
    vertices = np.frombuffer(body, [(name, {"int": "<i4", "float": "<f4"}[kind]) for kind, name in properties])
    assert sorted(vertices["n_reached"]) == sorted(reach_map.site("n_reached"))


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".ply"])
def test_a_map_that_is_not_finished_is_written_as_far_as_it_is(suffix: str, tmp_path: Path) -> None:
    def stop(report: Any) -> None:
        if report.n_done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study().run(tmp_path / "map.zarr", threads=1, progress=stop)
    reach_map = rj.ReachMap.open(tmp_path / "map.zarr")
    expected = int(np.count_nonzero(reach_map.site("n_reached") >= 0))
    assert 0 < expected < reach_map.n_sites
    path = export_map(reach_map, tmp_path / f"sites{suffix}")
    assert (len(trimesh.load(path).vertices) if suffix == ".ply" else len(read(path))) == expected


def test_a_map_without_a_chunk_is_refused(tmp_path: Path) -> None:
    def stop(store: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("repose_jit.reach.engine.run.warm_up", stop)
        with pytest.raises(KeyboardInterrupt):
            study().run(tmp_path / "map.zarr")
    with pytest.raises(InputError, match="no chunk is done yet"):
        export_map(rj.ReachMap.open(tmp_path / "map.zarr"), tmp_path / "sites.csv")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("sites.txt", {}, r"got the ending '\.txt', expected one of \.csv, \.parquet, \.ply"),
        ("sites", {}, "got the ending ''"),
        ("poses.ply", {"poses": True}, "a point cloud has one point for each site"),
        ("sites.csv", {"only_reached": True}, "only_reached: got True for a table of sites"),
        ("sites.csv", {"poses": 1}, "poses: got 1, expected True or False"),
        ("nowhere/sites.csv", {}, "cannot write into"),
    ],
)
def test_what_cannot_be_written_is_refused(
    name: str, options: dict[str, Any], message: str, maps: dict[str, rj.ReachMap], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        export_map(maps["grid"], tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_only_on_purpose(maps: dict[str, rj.ReachMap], tmp_path: Path) -> None:
    path = tmp_path / "sites.csv"
    path.write_text("mine")
    with pytest.raises(InputError, match="exists"):
        export_map(maps["grid"], path)
    assert path.read_text() == "mine"
    export_map(maps["grid"], path, overwrite=True)
    assert path.read_text().startswith("site,x,y,z,n_reached,")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".ply"])
def test_a_failure_leaves_nothing(
    suffix: str, maps: dict[str, rj.ReachMap], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(reach_map: rj.ReachMap) -> Iterator[Any]:
        yield next(site_rows(reach_map))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export, "site_rows", broken)
    with pytest.raises(OSError, match="No space left"):
        export_map(maps["grid"], tmp_path / f"sites{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_without_pyarrow_it_says_how_to_get_it(
    maps: dict[str, rj.ReachMap], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'repose_jit\[table\]'"):
        export_map(maps["grid"], tmp_path / "sites.parquet")
    export_map(maps["grid"], tmp_path / "sites.csv")


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_memory_is_that_of_a_block(suffix: str) -> None:
    """Sixteen times as many blocks take no more: what is written goes to the file."""
    block = {"site": np.arange(10_000), **{f"c{i}": np.zeros(10_000) for i in range(10)}}

    class Nowhere(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            return len(data)

    def peak(count: int) -> int:
        writer = {".csv": export._write_csv, ".parquet": export._write_parquet}[suffix]
        tracemalloc.start()
        writer(Nowhere(), (dict(block) for _ in range(count)))  # type: ignore[arg-type]
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1)
    assert peak(32) < 1.5 * peak(2)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_placements_that_are_excluded_are_marked(suffix: str, tmp_path: Path) -> None:
    grid = rj.PlacementGrid(
        x=(-0.4, 0.4), y=(-0.4, 0.4), spacing=0.2, n_yaw=2, exclude=(rj.ExcludedBox(min=(0, -1), max=(1, 0)),)
    )
    result = rj.place(study("poses"), grid)
    table = read(export_map(result.reach_map, tmp_path / f"sites{suffix}"))
    assert table.excluded.dtype == bool
    assert table.excluded.sum() == 2 * grid.excluded.sum() > 0
    assert (table.excluded == ((table.base_x > 0) & (table.base_y < 0))).all()
    assert (table.n_reached[~table.excluded] > 0).any()
