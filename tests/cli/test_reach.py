from __future__ import annotations

import inspect
import io
import re
import sys
from dataclasses import fields

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.cli.progress import progress_bar
from repose_jit.reach import store
from repose_jit.reach.study import STUDY_PARAMS

SMALL = ["--spacing", "0.3", "--orientations", "8", "--attempts", "2"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Run in an empty folder, where default names and accidents go."""
    path = tmp_path / "work"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_study_writes_a_map_and_a_picture_and_says_what_is_in_them(run, folder):
    done = run("reach", "run", "igus_rebel", *SMALL)
    assert (done.code, done.err) == (0, "")
    assert names(folder) == ["igus_rebel-reach.png", "igus_rebel-reach.zarr"]
    reach_map = store.load("igus_rebel-reach.zarr")
    expected = rj.ReachStudy(rj.preset("igus_rebel").chain(), spacing=0.3, n_orientations=8, attempts=2).run()
    np.testing.assert_array_equal(reach_map.status, expected.status)
    assert (folder / "igus_rebel-reach.png").read_bytes().startswith(b"\x89PNG")
    assert f"{reach_map.n_poses:,} poses" in done.out
    assert re.search(rf"reached +{reach_map.n_reached.sum():,} ", done.out)
    assert "igus_rebel-reach.zarr" in done.out
    assert "igus_rebel-reach.png" in done.out


def test_json(run, folder):
    document = run("reach", "run", "igus_rebel", *SMALL, "--no-plot", "--json").json()
    assert names(folder) == ["igus_rebel-reach.zarr"]
    assert document["store"] == "igus_rebel-reach.zarr"
    assert document["picture"] is None
    assert document["poses"] == document["reached"] + document["not_found"] + document["proven_unreachable"]


def test_options_become_the_study(run):
    done = run(
        "reach", "run", "igus_rebel", "--box", "-0.1,-0.2,0.3,0.2,0.1,0.6", "--spacing", "0.15", "--orientations", "3",
        "--attempts", "5", "--max-iterations", "9", "--position-tolerance", "2e-4", "--orientation-tolerance", "3e-3",
        "--rng-seed", "7", "--threads", "1", "--out", "cell", "--no-plot",
    )  # fmt: skip
    assert done.code == 0
    attributes = store.load("cell").attributes
    assert attributes == {
        **attributes,
        "box_min": [-0.1, -0.2, 0.3],
        "box_max": [0.2, 0.1, 0.6],
        "spacing": 0.15,
        "n_orientations": 3,
        "attempts": 5,
        "max_iterations": 9,
        "position_tolerance": 2e-4,
        "orientation_tolerance": 3e-3,
        "rng_seed": 7,
    }


@pytest.mark.parametrize("command", ["reach run", "ik"])
def test_help_states_the_defaults_that_hold(run, command):
    if command == "ik":
        defaults = {field.name: field.default for field in fields(rj.IkParams) if field.init}
    else:
        study = inspect.signature(rj.ReachStudy.__init__).parameters
        defaults = {name: parameter.default for name, parameter in study.items()} | {
            "orientations": study["n_orientations"].default,
            "max_iterations": STUDY_PARAMS.max_iterations,
            "position_tolerance": STUDY_PARAMS.position_tolerance,
            "orientation_tolerance": STUDY_PARAMS.orientation_tolerance,
        }
    text = " ".join(run(*command.split(), "--help").out.split())
    stated = re.findall(r"--([a-z-]+) [A-Zλ]+ [^\[]*\[default: ([\d.e-]+)", text)
    assert len(stated) >= 6
    for option, value in stated:
        assert float(value) == defaults[option.replace("-", "_")], option


@pytest.mark.parametrize("existing", ["cell.zarr", "cell.png"])
def test_what_exists_is_refused_before_the_run_and_replaced_on_request(run, folder, monkeypatch, existing):
    arguments = ["reach", "run", "igus_rebel", *SMALL, "--out", "cell.zarr"]
    assert run(*arguments).code == 0
    assert names(folder) == ["cell.png", "cell.zarr"]
    other = next(folder / name for name in names(folder) if name != existing)
    other.rename(folder / "away")
    with monkeypatch.context() as patch:
        patch.setattr(rj.ReachStudy, "run", lambda *_: pytest.fail("it ran"))
        done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert f"{existing} exists" in done.err
    assert "--overwrite" in done.err
    assert run(*arguments, "--overwrite").code == 0
    assert names(folder) == ["away", "cell.png", "cell.zarr"]


def test_what_is_no_map_is_never_replaced(run, folder):
    (folder / "precious").mkdir()
    (folder / "precious" / "file").write_text("data")
    done = run("reach", "run", "igus_rebel", *SMALL, "--out", "precious", "--overwrite")
    assert done.code == 2
    assert "no reach map" in done.err
    assert names(folder / "precious") == ["file"]


def test_without_matplotlib_it_says_so_before_the_run(run, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(rj.ReachStudy, "run", lambda *_: pytest.fail("it ran"))
    done = run("reach", "run", "igus_rebel", *SMALL)
    assert (done.code, names(folder)) == (2, [])
    assert "--no-plot" in done.err


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_is_for_terminals(monkeypatch, is_terminal):
    stream = io.StringIO()
    stream.isatty = lambda: is_terminal
    monkeypatch.setattr(sys, "stderr", stream)
    with progress_bar("poses") as progress:
        progress(250, 1000)
        progress(1000, 1000)
    assert ("1.00k/1.00k" in stream.getvalue()) == is_terminal
    assert bool(stream.getvalue()) == is_terminal


@pytest.mark.parametrize("robot", ["two.urdf", "odd.toml"])
def test_other_robots(run, folder, urdf, odd, robot):
    path = urdf if robot == urdf.name else odd
    done = run("reach", "run", path, "--spacing", "0.5", "--orientations", "2", "--attempts", "1", "--no-plot")
    assert done.code == 0
    assert names(folder) == [f"{path.stem}-reach.zarr"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--spacing", "0"], "spacing: got 0"),
        (["--spacing", "1e-6"], "is everything in metres?"),
        (["--orientations", "0"], "n_orientations: got 0"),
        (["--attempts", "0"], "attempts: got 0"),
        (["--threads", "0"], "threads: got 0"),
        (["--max-iterations", "0"], "max_iterations: got 0"),
        (["--box", "0,0,0,1,1"], "'--box': got 5 numbers, expected 6"),
        (["--box", "0,0,1,1,1,0"], "expected the lower corner first"),
        (["--out", "nowhere/map"], "nowhere"),
    ],
)
def test_mistakes(run, folder, arguments, message):
    done = run("reach", "run", "igus_rebel", *arguments, "--no-plot")
    assert (done.code, done.out, names(folder)) == (2, "", [])
    assert message in done.err
