"""Stores: opened by xarray without this package, equal for equal studies, never half written."""

from __future__ import annotations

import errno
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

import repose_jit as rj
from repose_jit.errors import InputError, ReposeError
from repose_jit.reach.engine.run import resume_study
from repose_jit.reach.solving.metrics import METRICS
from repose_jit.reach.store import reach_store as store
from repose_jit.reach.store.creation import create_store, remove_orphans, require_destination
from repose_jit.reach.store.reach_store import open_store
from tests.reach.robots import rebel
from tests.reach.stores import cut_fine, files, names, small_study

NOTHING_THERE = rj.GridTargets(0.5, (5, 5, 5), (6, 6, 5))


def test_a_map_comes_back_as_it_was(tmp_path: Path) -> None:
    made = small_study().run(tmp_path / "map.zarr")
    opened = rj.ReachMap.open(tmp_path / "map.zarr")
    assert opened.path == made.path == tmp_path / "map.zarr"
    assert opened.attributes == made.attributes
    assert opened.is_complete
    assert opened.n_done == opened.n_chunks
    np.testing.assert_array_equal(opened.site("n_reached"), made.site("n_reached"))
    of_the_run = {"seconds", "threads", "poses_per_second"}
    known = {key: value for key, value in made.summary().items() if key not in of_the_run}
    assert opened.summary() == known | dict.fromkeys(of_the_run)
    assert made.summary()["poses_per_second"] > 0.0
    assert "poses/s" not in opened.summary_text()
    assert names(tmp_path) == ["map.zarr"]


def test_xarray_opens_it_without_this_package(tmp_path: Path) -> None:
    reach_map = small_study().run(tmp_path / "map.zarr")
    code = (
        "import sys, xarray\n"
        "data = xarray.open_zarr(sys.argv[1])\n"
        "best = float(data.reachability_index.where(data.n_reached > 0).max())\n"
        "print(best, *data.reachability_index.dims, *data.q.dims, sorted(data.coords), data.x.attrs['units'])\n"
        "assert not [name for name in sys.modules if 'repose' in name]\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, tmp_path / "map.zarr"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    best = reach_map.site("reachability_index").max()
    assert run.stdout.strip() == f"{best} x y z x y z orientation joint ['orientation', 'x', 'y', 'z'] m"


def test_xarray_selects_by_metres(tmp_path: Path) -> None:
    reach_map = small_study().run(tmp_path / "map.zarr")
    data = xarray.open_zarr(tmp_path / "map.zarr")
    x, y, z = (reach_map.coordinates[dim] for dim in "xyz")
    at = data.sel(x=x[1], y=y[2], z=z[3])
    np.testing.assert_array_equal(at.status, reach_map.pose("status", (1, 2, 3)))
    assert at.status.dtype == np.int8
    assert at.reachability_index == reach_map.site("reachability_index")[1, 2, 3]
    assert data.attrs["robot"] == "igus_rebel"
    assert data.status.attrs["flag_meanings"].split()[:4] == [
        "uninitialized",
        "reached",
        "not_found",
        "proven_unreachable",
    ]
    assert (data.status == 1).sum() == data.n_reached.sum()
    for name in reach_map.metrics:
        assert data[name].attrs["long_name"] == METRICS[name].meaning
        assert bool((data[name].notnull() == (data.status == 1)).all())
    assert data.attrs["summary"]["reached"] == int(data.n_reached.sum())


def test_in_memory_it_is_the_same_map(tmp_path: Path) -> None:
    stored, held = small_study().run(tmp_path / "map.zarr"), small_study().run()
    assert held.path is None
    assert held.attributes == stored.attributes
    assert held.to_xarray().equals(stored.to_xarray())


@pytest.mark.parametrize(
    ("targets", "orientations"),
    [
        (rj.GridTargets(0.3), rj.Orientations(kind="none")),
        (rj.GridTargets(0.3), rj.Orientations(kind="free_axis", n=5, tool_axis="z")),
        (
            rj.SurfaceTargets(np.array([[0.3, 0.1, 0.4], [0.3, 0.1, 4.0]]), np.array([[0, 0, 1.0], [0, 1, 1]])),
            rj.Orientations(kind="directions", n_roll=3, tool_axis="z", approach="-normal"),
        ),
        (rj.PoseTargets(rj.forward_kinematics(rebel(), [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]])), None),
        (NOTHING_THERE, None),
    ],
    ids=["position only", "free axis", "surface", "poses", "nothing reached"],
)
def test_every_kind_of_targets_is_written_resumed_and_opened(
    targets: rj.GridTargets, orientations: rj.Orientations | None, tmp_path: Path
) -> None:
    study = small_study(targets=targets, orientations=orientations)
    reach_map = study.run(tmp_path / "map.zarr")
    data = xarray.open_zarr(tmp_path / "map.zarr")
    assert int((data.status == 1).sum()) == reach_map.summary()["reached"]
    assert bool((data.status != 0).all())
    assert reach_map.n_poses == study.n_poses
    np.testing.assert_array_equal(reach_map.targets.poses(np.arange(1)), study.target_set.poses(np.arange(1)))
    before = files(tmp_path / "map.zarr")
    next(file for file in (tmp_path / "map.zarr" / "status" / "c").rglob("*") if file.is_file()).unlink()
    resume_study(tmp_path / "map.zarr")
    assert files(tmp_path / "map.zarr") == before


def test_nothing_reached_has_figures_like_any_other(tmp_path: Path) -> None:
    summary = small_study(targets=NOTHING_THERE).run(tmp_path / "map.zarr").summary()
    assert summary["reached"] == 0
    assert summary["percent_reached"] == 0.0
    assert summary["reachable_volume"] == 0.0
    assert summary["metrics"]["sigma_min"] == {"mean": None, "max": None}
    assert summary["miss_rate"]["from_retry"]["rate"] is None
    assert summary["miss_rate"]["from_fk"] == {"sampled": 0, "missed": 0, "rate": None, "below": None}


def test_equal_studies_give_equal_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_fine(monkeypatch)
    small_study().run(tmp_path / "a.zarr", threads=1)
    small_study().run(tmp_path / "b.zarr", threads=5)
    small_study(max_attempts=5).run(tmp_path / "c.zarr")
    assert rj.ReachMap.open(tmp_path / "a.zarr").n_chunks == 8
    assert files(tmp_path / "a.zarr") == files(tmp_path / "b.zarr")
    assert files(tmp_path / "a.zarr") != files(tmp_path / "c.zarr")


def test_attributes_hold_no_time_host_or_path(tmp_path: Path) -> None:
    small_study().run(tmp_path / "map.zarr", threads=2)
    text = (tmp_path / "map.zarr" / "zarr.json").read_text()
    attributes = json.loads(text)["attributes"]
    assert set(attributes) == {
        *("repose_jit.reach_schema", "study", "study_hash", "robot", "robot_hash", "targets_hash", "kind", "spacing"),
        *("n_sites", "n_orientations", "n_poses", "free_axis", "axis_mask", "budget", "rng_seed", "metrics"),
        *("length_scale", "save_q", "block_shape", "versions", "cpu_has_fma", "collision_checked", "shard"),
        *("complete", "summary"),
    }
    assert set(attributes["versions"]) == {"repose_jit", "numba", "llvmlite", "numpy", "zarr", "numcodecs"}
    assert str(tmp_path) not in text
    assert "threads" not in text


def test_the_store_appears_with_all_that_resuming_takes(tmp_path: Path) -> None:
    study = small_study()
    create_store(study.job, study.to_config(), tmp_path / "map.zarr")
    assert names(tmp_path) == ["map.zarr"]
    reach_map = rj.ReachMap.open(tmp_path / "map.zarr")
    assert not reach_map.is_complete
    assert reach_map.n_done == 0
    assert "not finished: 0 of 1 chunk done" in reach_map.summary_text()
    assert reach_map.summary()["percent_reached"] is None
    assert bool((xarray.open_zarr(tmp_path / "map.zarr").status == 0).all())
    study.run(tmp_path / "whole.zarr")
    resume_study(tmp_path / "map.zarr")
    assert files(tmp_path / "map.zarr") == files(tmp_path / "whole.zarr")


def test_an_existing_path_is_refused_and_a_store_only_overwritten_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "map.zarr"
    small_study().run(path)
    before = files(path)
    with pytest.raises(InputError, match=r"map\.zarr: there is the store of a study already.*resume goes on with it"):
        small_study(max_attempts=5).run(path)
    assert files(path) == before
    small_study(max_attempts=5).run(path, overwrite=True)
    assert rj.ReachMap.open(path).attributes["budget"]["max_attempts"] == 5
    assert names(tmp_path) == ["map.zarr"]


def test_nothing_but_a_store_is_ever_overwritten(tmp_path: Path) -> None:
    small_study().run(tmp_path / "map.zarr")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("years of work")
    zarr.open_group(tmp_path / "foreign.zarr", mode="w", attributes={"title": "somebody else's"})
    (tmp_path / "link.zarr").symlink_to(tmp_path / "map.zarr")
    for name in ("thesis", "thesis/chapter1.tex", "foreign.zarr", "link.zarr"):
        with pytest.raises(InputError, match="there is something already that is no store"):
            small_study().run(tmp_path / name, overwrite=True)
    assert (tmp_path / "thesis" / "chapter1.tex").read_text() == "years of work"


def test_a_place_that_cannot_be_written_is_found_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write into .*nowhere \(No such file or directory\)"):
        small_study().run(tmp_path / "nowhere" / "map.zarr")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write into .*file \(Not a directory\)"):
        require_destination(tmp_path / "file" / "map.zarr")
    assert require_destination(tmp_path / "map.zarr") == tmp_path / "map.zarr"
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_directory_is_found_before_anything_runs(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="Permission denied"):
        require_destination(tmp_path / "map.zarr")


def test_a_full_disk_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_fine(monkeypatch)
    small_study().run(tmp_path / "whole.zarr")
    write, calls = store.ReachStore.write, []

    def fill(self: store.ReachStore, number: int, chunk: dict[str, np.ndarray]) -> None:
        calls.append(number)
        if len(calls) > 5:
            monkeypatch.setattr(zarr.Array, "__setitem__", full)
        write(self, number, chunk)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as context:
        context.setattr(store.ReachStore, "write", fill)
        with pytest.raises(ReposeError, match=r"chunk \d+ cannot be written \(No space left on device\).*make room"):
            small_study().run(tmp_path / "map.zarr", threads=1)
    monkeypatch.undo()
    cut_fine(monkeypatch)
    assert rj.ReachMap.open(tmp_path / "map.zarr").n_done == 5
    resume_study(tmp_path / "map.zarr")
    assert files(tmp_path / "map.zarr") == files(tmp_path / "whole.zarr")


def test_a_failed_creation_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(zarr.Group, "create_array", full)
    with pytest.raises(InputError, match=r"cannot be made \(No space left on device\)"):
        small_study().run(tmp_path / "map.zarr")
    assert names(tmp_path) == []


def test_a_store_that_another_process_writes_to_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "map.zarr"
    small_study().run(path)
    code = (
        "import sys, time\n"
        "from repose_jit.reach.store.reach_store import open_store\n"
        "with open_store(sys.argv[1]).locked():\n"
        "    print('locked', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        for attempt in (lambda: resume_study(path), lambda: small_study().run(path, overwrite=True)):
            with pytest.raises(InputError, match="another process is writing to it"):
                attempt()
        holder.kill()
    assert names(tmp_path) == ["map.zarr"]
    resume_study(path)


def test_orphans_of_killed_writers_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "map.zarr"
    small_study().run(path)
    before = files(path)
    (path / "status" / "c" / "0.deadbeef.partial").write_bytes(b"half")
    (path / "zarr.json.deadbeef.partial").write_bytes(b"half")
    (tmp_path / ".map.zarr.deadbeef0123.partial").mkdir()
    (tmp_path / ".map.zarr.deadbeef0123.partial" / "zarr.json").write_text("{")
    (tmp_path / ".other.zarr.deadbeef0123.partial").mkdir()
    assert remove_orphans(path) == 3
    assert files(path) == before
    assert names(tmp_path) == [".other.zarr.deadbeef0123.partial", "map.zarr"]


def test_what_is_no_store_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.zarr: found nothing, expected the store of a reachability study"):
        rj.ReachMap.open(tmp_path / "nothing.zarr")
    zarr.open_group(tmp_path / "foreign.zarr", mode="w", attributes={"title": "somebody else's"})
    with pytest.raises(InputError, match="found something else"):
        rj.ReachMap.open(tmp_path / "foreign.zarr")
    small_study().run(tmp_path / "map.zarr")
    meta = json.loads((tmp_path / "map.zarr" / "zarr.json").read_text())
    meta["attributes"]["repose_jit.reach_schema"] = 99
    (tmp_path / "map.zarr" / "zarr.json").write_text(json.dumps(meta))
    with pytest.raises(InputError, match="got schema version 99, expected 2"):
        rj.ReachMap.open(tmp_path / "map.zarr")


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: shutil.rmtree(path / "status"),
        lambda path: (path / "status" / "zarr.json").write_text("{}"),
        lambda path: (path / "status" / "zarr.json").write_text("{"),
        lambda path: (path / "zarr.json").write_text(f'{{"attributes": {{"{store.SCHEMA}": 2}}}}'),
    ],
)
def test_a_damaged_store_is_named(damage: Callable[[Path], object], tmp_path: Path) -> None:
    small_study().run(tmp_path / "map.zarr")
    damage(tmp_path / "map.zarr")
    with pytest.raises(InputError, match=r"map\.zarr: .*damaged.*expected a whole one"):
        open_store(tmp_path / "map.zarr")


@pytest.mark.parametrize("path", [5, b"map", "a\0b", "/", "", "."])
def test_what_is_no_new_path_is_named(path: object) -> None:
    for overwrite in (False, True):
        with pytest.raises(InputError, match=r"expected a (new )?path"):
            small_study().run(path, overwrite=overwrite)  # type: ignore[arg-type]


@pytest.mark.parametrize("site", [-1, 10**6, True, 1.5, "1", (0, 0), (0, 0, 99), (0, 0, -1), None])
def test_a_site_that_is_none_is_named(site: object) -> None:
    with pytest.raises(InputError, match="site"):
        small_study().run().pose("status", site)  # type: ignore[arg-type]


def test_the_figures_of_a_part_are_those_of_the_chunks_that_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_fine(monkeypatch)
    small_study().run(tmp_path / "map.zarr")
    whole = rj.ReachMap.open(tmp_path / "map.zarr")
    (tmp_path / "map.zarr" / "status" / "c" / "0" / "0" / "0" / "0").unlink()  # as if killed just before it was written
    whole._store.update(complete=False, summary=None)
    part = rj.ReachMap.open(tmp_path / "map.zarr")
    figures = part.summary()
    assert figures["chunks_done"] == figures["chunks"] - 1
    status = np.concatenate([values["status"].ravel() for _, values in part.blocks("status")])
    for outcome in (rj.ReachStatus.REACHED, rj.ReachStatus.NOT_FOUND, rj.ReachStatus.PROVEN_UNREACHABLE):
        assert figures[outcome.name.lower()] == np.count_nonzero(status == outcome)


def test_a_store_killed_at_its_summary_is_read_without_a_word(tmp_path: Path) -> None:
    small_study().run(tmp_path / "map.zarr")
    (tmp_path / "map.zarr" / "zarr.json.0123456789abcdef0123456789abcdef.partial").write_text("{")
    reach_map = rj.ReachMap.open(tmp_path / "map.zarr")
    assert reach_map.summary()["reached"] == reach_map.site("n_reached").sum()
    reach_map.to_xarray()


def test_only_the_orphans_of_a_store_itself_are_removed(tmp_path: Path) -> None:
    uuid = "0123456789ab"
    for name in ("a[1].zarr", "*", "map"):
        path = tmp_path / name
        small_study().run(path)
        mine, others = tmp_path / f".{name}.{uuid}.partial", tmp_path / f".{name}.zarr.{uuid}.partial"
        mine.mkdir()
        others.mkdir()
        resume_study(path)
        assert not mine.exists()
        assert others.exists()


def test_a_store_that_is_removed_in_mid_run_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_fine(monkeypatch)
    path = tmp_path / "map.zarr"
    with pytest.raises(ReposeError, match=r"map\.zarr: chunk 1 cannot be written .* removed the store"):
        small_study().run(path, threads=1, progress=lambda _: shutil.rmtree(path))


def test_a_summary_that_cannot_be_written_is_not_in_memory_either(tmp_path: Path) -> None:
    path = tmp_path / "map.zarr"
    small_study().run(path)
    opened = store.open_store(path)
    shutil.rmtree(path)
    with pytest.raises(ReposeError, match=r"zarr\.json: cannot be written"):
        opened.update(complete=False)
    assert opened.attributes["complete"] is True


def test_a_store_that_cannot_be_replaced_is_still_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "map.zarr"
    small_study().run(path)
    before, rename, calls = files(path), Path.rename, []

    def fail(source: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == 2:  # the first takes the old one aside
            raise OSError(errno.EACCES, "Permission denied")
        return rename(source, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(InputError, match=r"map\.zarr: cannot be made \(Permission denied\)"):
        small_study(max_attempts=2).run(path, overwrite=True)
    assert names(tmp_path) == ["map.zarr"]
    assert files(path) == before


@pytest.mark.parametrize("kept", [0, 1, 400])
def test_cut_metadata_is_damage(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "map.zarr"
    small_study().run(path)
    metadata = (path / "zarr.json").read_bytes()
    (path / "zarr.json").write_bytes(metadata[:kept])
    with pytest.raises(InputError, match=r"map\.zarr: the store is damaged \(zarr\.json: .*, expected a whole one"):
        rj.ReachMap.open(path)
    report = rj.verify_store(path)
    assert not report.is_sound
    assert "NOT SOUND: 1 finding\n" in report.summary_text()
    (path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {}}')
    with pytest.raises(InputError, match="found something else"):
        rj.verify_store(path)


def test_it_says_in_one_line_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_fine(monkeypatch)
    study = small_study()
    reach_map = study.run(tmp_path / "map.zarr")
    n = f"{study.n_poses:,}"
    assert repr(reach_map) == f"ReachMap(igus_rebel, grid, {n} poses, complete, {tmp_path / 'map.zarr'})"
    part = study.run(tmp_path / "part.zarr", shard=(1, 2))
    assert f", {part.n_done} of {part.n_chunks} chunks done, " in repr(part)
    assert repr(small_study().run()) == f"ReachMap(igus_rebel, grid, {n} poses, complete, in memory)"


def test_it_draws_and_reports_itself(tmp_path: Path) -> None:
    from repose_jit.reach.plot import plot
    from repose_jit.reach.report import report

    reach_map = small_study().run(tmp_path / "map.zarr")
    for name, own, write in (("a.png", reach_map.plot, plot), ("a.html", reach_map.report, report)):
        path = own(tmp_path / name)
        assert path == tmp_path / name
        assert path.read_bytes() == write(reach_map, tmp_path / f"other-{name}").read_bytes()
