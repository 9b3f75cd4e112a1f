"""``reach check``: what it prints of the figures of a check."""

from __future__ import annotations

import re

import pytest

from repose_jit.toml_writer import to_toml


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


SMALL = ["--spacing", "0.3", "--orientations", "8"]


def test_it_says_how_much_there_is_to_do_and_how_long_it_takes(run, folder):
    done = run("reach", "check", "igus_rebel", *SMALL)
    assert (done.code, done.err) == (0, "")
    assert "1,000: 125 voxels (5 × 5 × 5) × 8 orientations" in done.out
    for label in ("robot", "poses", "chunks", "store", "memory", "time"):
        assert re.search(rf"^{label} +\S", done.out, re.MULTILINE), label
    assert re.search(r"s on 1 thread$", done.out, re.MULTILINE)
    assert re.search(r"^reached +\d+ +\d+\.\d$", done.out, re.MULTILINE)
    assert done.out.endswith("Nothing looks wrong.\n")
    assert max(map(len, done.out.splitlines())) <= 80
    assert list(folder.iterdir()) == []


def test_what_looks_wrong_is_numbered(run):
    done = run("reach", "check", "igus_rebel", "--box", "300,0,0,600,300,300", "--spacing", "50")
    assert done.code == 0
    assert re.search(r"^1\. Targets span 4\d\d m, and the arm reaches 0\.653 m: millimetres\?", done.out, re.MULTILINE)
    assert "Nothing looks wrong" not in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_json(run):
    document = run("reach", "check", "igus_rebel", *SMALL, "--json").json()
    assert document["n_poses"] == document["sampled"] == 1000
    assert document["sampled"] == document["reached"] + document["not_found"] + document["proven_unreachable"]
    assert document["findings"] == []
    assert document["seconds"][0]["threads"] == 1
    assert all(0.0 < time["least"] <= time["most"] for time in document["seconds"])


def test_a_study_file(run, folder):
    study = {
        "schema": 1,
        "robot": {"preset": "ur5"},
        "targets": {"kind": "poses", "file": "poses.csv", "units": "mm"},
        "store": {"path": "map.zarr"},
    }
    (folder / "study.toml").write_text(to_toml(study))
    (folder / "poses.csv").write_text("x,y,z,qx,qy,qz,qw\n" + "0.3,0.2,0.4,1,0,0,0\n0.3,0.25,0.4,1,0,0,0\n")
    document = run("reach", "check", "study.toml", "--json").json()
    assert document["n_poses"] == 2
    assert document["store"] == "map.zarr"
    assert [finding["name"] for finding in document["findings"]] == ["tiny_targets"]
    assert "2: 2 poses\n" in run("reach", "check", "study.toml").out


def test_a_study_with_a_placement_says_what_was_checked(run, folder):
    study = {
        "schema": 1,
        "robot": {"preset": "ur5"},
        "targets": {"kind": "poses", "file": "poses.csv"},
        "placement": {"x": [-0.2, 0.2], "y": [0.0, 0.0], "spacing": 0.2, "n_yaw": 1},
    }
    (folder / "study.toml").write_text(to_toml(study))
    (folder / "poses.csv").write_text("x,y,z,qx,qy,qz,qw\n0.3,0.2,0.4,1,0,0,0\n")
    out = run("reach", "check", "study.toml").out
    assert "study   where the base may stand: [placement], as reach place solves it\n" in out
    assert "2: 2 placements (2 × 1 × 1)" in out
    assert "[placement]" not in run("reach", "check", "igus_rebel", *SMALL).out
