"""Stored maps: opened by xarray without this package, equal for equal studies, never half written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import xarray
import zarr

from repose_jit.errors import InputError
from repose_jit.ik import IkParams
from repose_jit.reach import store
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.store import load, require_destination, save
from repose_jit.reach.study import ReachStudy
from tests.reach.robots import rebel


def make_map(threads: int = 2, rng_seed: object = 0, **kwargs: object) -> ReachMap:
    kwargs = {"spacing": 0.3, "n_orientations": 10, "attempts": 4} | kwargs
    return ReachStudy(rebel(), threads=threads, rng_seed=rng_seed, **kwargs).run()  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def reach_map() -> ReachMap:
    return make_map()


def names(path: Path) -> list[str]:
    return sorted(child.name for child in path.iterdir())


def files(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def test_a_map_comes_back_as_it_was(reach_map: ReachMap, tmp_path: Path) -> None:
    path = save(reach_map, tmp_path / "map.zarr")
    assert path == tmp_path / "map.zarr"
    loaded = load(path)
    for name in ("x", "y", "z", "rotations", "status", "reachability_index", "n_reached"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(reach_map, name))
        assert getattr(loaded, name).dtype == getattr(reach_map, name).dtype
    assert loaded.attributes == reach_map.attributes
    known = {
        key: value
        for key, value in reach_map.summary().items()
        if key not in ("seconds", "threads", "poses_per_second")
    }
    assert loaded.summary() == known | {"seconds": None, "threads": None, "poses_per_second": None}
    assert "poses/s" not in loaded.summary_text()
    assert names(tmp_path) == ["map.zarr"]


def test_xarray_opens_it_without_this_package(reach_map: ReachMap, tmp_path: Path) -> None:
    path = save(reach_map, tmp_path / "map.zarr")
    code = (
        "import sys, xarray\n"
        "data = xarray.open_zarr(sys.argv[1])\n"
        "best = data.reachability_index.where(data.n_proven_unreachable < data.sizes['orientation']).max().item()\n"
        "print(best, *data.reachability_index.dims, *data.status.dims, sorted(data.coords), data.x.attrs['units'])\n"
        "assert not [name for name in sys.modules if 'repose' in name]\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code, path],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    best = reach_map.reachability_index.max()
    assert run.stdout.strip() == f"{best} x y z x y z orientation ['orientation', 'x', 'y', 'z'] m"


def test_xarray_selects_by_metres(reach_map: ReachMap, tmp_path: Path) -> None:
    data = xarray.open_zarr(save(reach_map, tmp_path / "map.zarr"))
    at = data.sel(x=reach_map.x[1], y=reach_map.y[2], z=reach_map.z[3])
    np.testing.assert_array_equal(at.status, reach_map.status[1, 2, 3])
    assert at.status.dtype == np.int8
    assert at.reachability_index == reach_map.reachability_index[1, 2, 3]
    assert data.attrs["robot"] == "igus_rebel"
    assert data.attrs["max_iterations"] == 30
    assert data.status.attrs["flag_meanings"].split()[1:] == ["reached", "not_found", "proven_unreachable"]
    assert (data.status == 1).sum() == data.n_reached.sum()


def test_numpy_reads_it_through_zarr(reach_map: ReachMap, tmp_path: Path) -> None:
    group = zarr.open_group(save(reach_map, tmp_path / "map.zarr"), mode="r")
    np.testing.assert_array_equal(np.asarray(group["reachability_index"]), reach_map.reachability_index)


def test_equal_studies_give_equal_files(tmp_path: Path) -> None:
    a = files(save(make_map(threads=1), tmp_path / "a.zarr"))
    b = files(save(make_map(threads=5), tmp_path / "b.zarr"))
    assert a == b
    assert a != files(save(make_map(rng_seed=1), tmp_path / "c.zarr"))


def test_attributes_hold_no_time_host_or_path(reach_map: ReachMap, tmp_path: Path) -> None:
    attributes = json.loads((save(reach_map, tmp_path / "map.zarr") / "zarr.json").read_text())["attributes"]
    assert set(attributes) == {
        *(
            "repose_jit.reach_schema",
            "robot",
            "chain",
            "box_min",
            "box_max",
            "spacing",
            "n_orientations",
            "orientations",
        ),
        *(
            "attempts",
            "rng_seed",
            "solver",
            "step_rule",
            "max_iterations",
            "position_tolerance",
            "orientation_tolerance",
            "damping",
        ),
        *("max_step", "max_linear_step", "enforce_joint_limits", "versions"),
    }
    assert set(attributes["versions"]) == {"repose_jit", "numba", "llvmlite", "numpy"}


@pytest.mark.parametrize("chunk_bytes", [1, 300, 10**9])
def test_large_maps_are_written_in_parts(
    chunk_bytes: int, reach_map: ReachMap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "CHUNK_BYTES", chunk_bytes)
    path = save(reach_map, tmp_path / "map.zarr")
    np.testing.assert_array_equal(load(path).status, reach_map.status)
    slab = reach_map.status[0].size
    expected = min(len(reach_map.x), max(1, chunk_bytes // slab))
    assert zarr.open_group(path, mode="r")["status"].chunks[0] == expected  # type: ignore[union-attr]


def test_nothing_reached_is_written_and_opened(tmp_path: Path) -> None:
    empty = make_map(box=((5, 5, 5), (6, 6, 5)))
    path = save(empty, tmp_path / "map.zarr")
    np.testing.assert_array_equal(load(path).status, empty.status)
    assert float(xarray.open_zarr(path).reachability_index.max()) == 0.0


def test_an_existing_path_is_refused(reach_map: ReachMap, tmp_path: Path) -> None:
    path = save(reach_map, tmp_path / "map.zarr")
    before = files(path)
    with pytest.raises(InputError, match=r"map\.zarr: exists already, expected a new path, or overwrite=True"):
        save(reach_map, path)
    with pytest.raises(InputError, match="exists already"):
        require_destination(path)
    assert files(path) == before


def test_overwrite_replaces_a_map_and_nothing_else(reach_map: ReachMap, tmp_path: Path) -> None:
    path = save(reach_map, tmp_path / "map.zarr")
    other = make_map(rng_seed=1)
    save(other, path, overwrite=True)
    assert load(path).attributes["rng_seed"] == 1
    assert names(tmp_path) == ["map.zarr"]
    for name in ("thesis", "foreign.zarr"):
        (tmp_path / name).mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("years of work")
    zarr.open_group(tmp_path / "foreign.zarr", attributes={"title": "somebody else's"})
    (tmp_path / "link.zarr").symlink_to(path)
    for name in ("thesis", "thesis/chapter1.tex", "foreign.zarr", "link.zarr"):
        with pytest.raises(InputError, match="is no reach map, so it is not overwritten"):
            save(other, tmp_path / name, overwrite=True)
    assert (tmp_path / "thesis" / "chapter1.tex").read_text() == "years of work"


def test_a_place_that_cannot_be_written_is_found_without_a_map(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write into .*nowhere \(No such file or directory\)"):
        require_destination(tmp_path / "nowhere" / "map.zarr")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write into .*file \(Not a directory\)"):
        require_destination(tmp_path / "file" / "map.zarr")
    assert require_destination(tmp_path / "map.zarr") == tmp_path / "map.zarr"
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_directory_is_found_without_a_map(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="Permission denied"):
        require_destination(tmp_path / "map.zarr")


def test_a_failed_write_leaves_nothing_behind(
    reach_map: ReachMap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save(reach_map, tmp_path / "map.zarr")
    before = files(path)

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "_write_arrays", full)
    with pytest.raises(OSError, match="No space left"):
        save(reach_map, tmp_path / "other.zarr")
    with pytest.raises(OSError, match="No space left"):
        save(reach_map, path, overwrite=True)
    assert names(tmp_path) == ["map.zarr"]
    assert files(path) == before


def test_what_is_no_map_is_not_loaded(reach_map: ReachMap, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.zarr: found nothing, expected a map"):
        load(tmp_path / "nothing.zarr")
    zarr.open_group(tmp_path / "foreign.zarr", attributes={"title": "somebody else's"})
    with pytest.raises(InputError, match="found something else"):
        load(tmp_path / "foreign.zarr")
    path = save(reach_map, tmp_path / "map.zarr")
    meta = json.loads((path / "zarr.json").read_text())
    meta["attributes"]["repose_jit.reach_schema"] = 99
    (path / "zarr.json").write_text(json.dumps(meta))
    with pytest.raises(InputError, match="got schema version 99, expected 1"):
        load(path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: shutil.rmtree(path / "status" / "c"),
        lambda path: shutil.rmtree(path / "status"),
        lambda path: shutil.rmtree(path / "x" / "c"),
        lambda path: shutil.rmtree(path / "rotation" / "c"),
        lambda path: next(f for f in (path / "status" / "c").rglob("*") if f.is_file()).write_bytes(b"\x00garbage"),
        lambda path: (path / "status" / "zarr.json").write_text("{}"),
        lambda path: (path / "zarr.json").write_text(f'{{"attributes": {{"{store.SCHEMA}": 1}}}}'),
        lambda path: (path / "zarr.json").write_text(
            f'{{"zarr_format": 3, "node_type": "group", "attributes": {{"{store.SCHEMA}": 1}}}}'
        ),
    ],
)
def test_a_map_with_parts_missing_is_not_loaded(
    damage: Callable[[Path], object], reach_map: ReachMap, tmp_path: Path
) -> None:
    """As after a copy that was broken off: zeros for outcomes would count as poses that were not reached."""
    path = save(reach_map, tmp_path / "map.zarr")
    damage(path)
    with pytest.raises(InputError, match=r"map\.zarr: .*expected a whole one"):
        load(path)


@pytest.mark.parametrize("path", [None, 5, b"map", "a\0b", "/", "", "."])
def test_what_is_no_new_path_is_named(path: object, reach_map: ReachMap) -> None:
    for overwrite in (False, True):
        with pytest.raises(InputError, match=r"expected a (new )?path"):
            save(reach_map, path, overwrite=overwrite)  # type: ignore[arg-type]
    if not isinstance(path, str):
        with pytest.raises(InputError, match="expected a path"):
            load(path)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="reach_map: got int, expected a ReachMap"):
        save(3, path)  # type: ignore[arg-type]


def test_a_map_that_appeared_meanwhile_is_not_replaced(
    reach_map: ReachMap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_map(rng_seed=1)
    write = store._write_arrays

    def slow(group: zarr.Group, written: ReachMap) -> None:
        write(group, written)
        if written is reach_map:
            save(other, tmp_path / "map.zarr")

    monkeypatch.setattr(store, "_write_arrays", slow)
    with pytest.raises(InputError, match="another program has made it in the meantime"):
        save(reach_map, tmp_path / "map.zarr")
    assert load(tmp_path / "map.zarr").attributes["rng_seed"] == 1
    assert names(tmp_path) == ["map.zarr"]


def test_a_study_of_numpy_numbers_can_be_stored(tmp_path: Path) -> None:
    params = IkParams(max_iterations=np.int64(5), damping=np.float32(0.01), enforce_joint_limits=np.True_)  # type: ignore[arg-type]
    numbers = {
        "n_orientations": np.int16(3),
        "attempts": np.int8(2),
        "rng_seed": np.uint64(3),
        "spacing": np.float32(0.5),
    }
    assert load(save(make_map(params=params, **numbers), tmp_path / "map.zarr")).attributes["rng_seed"] == 3
