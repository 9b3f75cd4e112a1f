"""``reach place``: from a study file with a task to the best places for the base."""

from __future__ import annotations

import json

import pytest

from repose_jit.reach.placement.placing import PlacementResult, place
from repose_jit.reach.study_file import read_study
from repose_jit.toml_writer import to_toml
from tests.reach.stores import files, names

STUDY = {
    "schema": 1,
    "robot": {"preset": "igus_rebel"},
    "targets": {"kind": "poses", "file": "task.csv", "units": "mm"},
    "placement": {"x": [-0.5, 0.5], "y": [-0.5, 0.5], "spacing": "250mm", "n_yaw": 4},
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "task.csv").write_text("x,y,z,qx,qy,qz,qw\n400,-250,200,1,0,0,0\n400,250,200,1,0,0,0\n")
    (tmp_path / "study.toml").write_text(to_toml(STUDY))
    return tmp_path


def test_it_makes_the_store_of_the_package_and_names_the_best(run, folder):
    done = run("reach", "place", "study.toml")
    assert (done.code, done.err) == (0, "")
    assert names(folder) == ["study-place.png", "study-place.zarr", "study.toml", "task.csv"]
    file = read_study("study.toml")
    assert file.placement is not None
    place(file.study, file.placement, folder / "expected")
    assert files(folder / "study-place.zarr") == files(folder / "expected")
    best = PlacementResult.open("study-place.zarr").best(1)[0]
    assert f"2 of 2: x {best.x:.3f} m, y {best.y:.3f} m" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_json(run):
    document = run("reach", "place", "study.toml", "--no-plot", "--json").json()
    assert document["best"][0]["reached"] == 2
    assert (document["kind"], document["tasks"], document["store"]) == ("placements", 2, "study-place.zarr")


def test_a_run_says_that_it_places_nothing(run):
    done = run("reach", "run", "study.toml", "--no-plot")
    assert done.code == 0
    assert done.err.startswith("Warning: [placement] is for reach place")


def test_a_check_is_of_the_placements(run):
    done = run("reach", "check", "study.toml")
    assert "128: 64 placements (4 × 4 × 4) × 2 poses of the task" in done.out
    assert run("reach", "check", "study.toml", "--json").json()["kind"] == "placements"


def test_shards_are_merged_and_resumed_like_any_other(run, folder):
    for shard in ("1/2", "2/2"):
        done = run("reach", "place", "study.toml", "--shard", shard, "--out", "map", "--progress", "json")
        assert done.code == 0
        assert all("n_done" in json.loads(line) for line in done.err.splitlines())
    assert "repose-jit reach merge map map.shard-*" in done.out
    assert run("reach", "merge", "map", *sorted(folder.glob("map.shard-*"))).code == 0
    assert run("reach", "place", "study.toml", "--no-plot").code == 0
    assert files(folder / "map") == files(folder / "study-place.zarr")
    assert run("reach", "resume", "map", "--report").code == 0
    assert {"map.html", "map.png"} <= set(names(folder))
    assert run("reach", "verify", "map").code == 0


@pytest.mark.parametrize(
    ("study", "message"),
    [
        (
            {name: value for name, value in STUDY.items() if name != "placement"},
            "placement: missing; expected [placement]",
        ),
        ({**STUDY, "targets": {"kind": "grid"}}, "grid"),
        ({**STUDY, "placement": {"x": [0, 1]}}, "placement.y: missing"),
    ],
)
def test_mistakes_in_the_study(run, folder, study, message):
    (folder / "study.toml").write_text(to_toml(study))
    done = run("reach", "place", "study.toml")
    assert (done.code, done.out, names(folder)) == (2, "", ["study.toml", "task.csv"])
    assert message in done.err


def test_what_exists_is_refused_and_replaced_on_request(run):
    assert run("reach", "place", "study.toml", "--no-plot").code == 0
    done = run("reach", "place", "study.toml", "--no-plot")
    assert (done.code, done.out) == (2, "")
    assert "reach resume study-place.zarr" in done.err
    assert run("reach", "place", "study.toml", "--no-plot", "--overwrite").code == 0


def test_a_robot_alone_has_no_task(run):
    done = run("reach", "place", "igus_rebel")
    assert (done.code, done.out) == (2, "")
    assert "expected a study file" in done.err


def test_the_map_and_the_placements_of_one_study_are_two_stores(run, folder):
    (folder / "study.toml").write_text(to_toml({**STUDY, "store": {"path": "cell.zarr"}}))
    for command in ("run", "place"):
        assert run("reach", command, "study.toml", "--no-plot").code == 0
    assert {"cell.zarr", "cell-place.zarr"} <= set(names(folder))
    for arguments, message in (
        (
            ["place", "study.toml", "--out", "cell.zarr"],
            "holds the map of a study, which is not replaced by placements",
        ),
        (
            ["run", "study.toml", "--out", "cell-place.zarr"],
            "holds placements, which is not replaced by the map of a study",
        ),
    ):
        done = run("reach", *arguments, "--no-plot", "--overwrite")
        assert done.code == 2
        assert message in done.err
