"""``reach run``: what becomes a study, what is written, what is refused beforehand, and what Ctrl-C leaves."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import pytest

import repose_jit as rj
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.study_file import read_study, study_config
from repose_jit.toml_writer import to_toml
from tests.reach.stores import files

SMALL = ["--spacing", "0.3", "--orientations", "8", "--attempts", "2"]
TINY = ["--box", "0.3,0,0.3,0.3,0,0.3", "--orientations", "2", "--attempts", "1"]
STUDY = {
    "schema": 1,
    "robot": {"preset": "igus_rebel"},
    "targets": {"kind": "grid", "spacing": "300mm"},
    "orientations": {"kind": "super_fibonacci", "n": 8},
    "solve": {"max_attempts": 2},
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Run in an empty folder, where default names and accidents go."""
    path = tmp_path / "work"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


@pytest.fixture
def study(tmp_path):
    """Write a study file in another folder."""
    path = tmp_path / "study.toml"
    path.write_text(to_toml(STUDY))
    return path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def small_study():
    solve = rj.MultiSeedParams(max_attempts=2)
    way = rj.Orientations(kind="super_fibonacci", n=8)
    return rj.ReachStudy(rj.preset("igus_rebel").chain(), targets=rj.GridTargets(0.3), orientations=way, solve=solve)


# ------------------------------------------------------------------------------------------------ what is made


def test_a_robot_writes_a_map_and_a_picture_and_says_what_is_in_them(run, folder):
    done = run("reach", "run", "igus_rebel", *SMALL)
    assert (done.code, done.err) == (0, "")
    assert names(folder) == ["igus_rebel-reach.png", "igus_rebel-reach.zarr"]
    small_study().run(folder / "expected")
    assert files(folder / "igus_rebel-reach.zarr") == files(folder / "expected")
    reach_map = ReachMap.open("igus_rebel-reach.zarr")
    assert (folder / "igus_rebel-reach.png").read_bytes().startswith(b"\x89PNG")
    assert f"{reach_map.n_poses:,} poses" in done.out
    assert re.search(rf"reached +{reach_map.summary()['reached']:,} ", done.out)
    assert "map     igus_rebel-reach.zarr" in done.out
    assert "picture igus_rebel-reach.png" in done.out


def test_a_study_file_says_it_all(run, folder, study):
    done = run("reach", "run", study, "--no-plot")
    assert (done.code, done.err) == (0, "")
    assert names(folder) == ["study-reach.zarr"]
    small_study().run(folder / "expected")
    assert files(folder / "study-reach.zarr") == files(folder / "expected")


def test_where_it_goes_is_said_by_the_option_then_by_the_file(run, folder, study):
    study.write_text(to_toml({**STUDY, "store": {"path": "maps/a.zarr"}}))
    (study.parent / "maps").mkdir()
    assert run("reach", "run", study, "--report").code == 0
    assert names(study.parent / "maps") == ["a.html", "a.png", "a.zarr"]
    assert run("reach", "run", study, "--no-plot", "--out", "b").code == 0
    assert names(folder) == ["b"]


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
    study = rj.ReachStudy(
        rj.preset("igus_rebel").chain(),
        targets=rj.GridTargets(0.15, (-0.1, -0.2, 0.3), (0.2, 0.1, 0.6)),
        orientations=rj.Orientations(kind="super_fibonacci", n=3),
        solve=rj.MultiSeedParams(
            max_attempts=5, max_iterations=9, position_tolerance=2e-4, orientation_tolerance=3e-3, rng_seed=7
        ),
    )
    assert ReachMap.open("cell").attributes["study"] == to_toml(study_config(study))


@pytest.mark.parametrize("robot", ["two.urdf", "odd.toml"])
def test_other_robots(run, folder, urdf, odd, robot):
    path = urdf if robot == urdf.name else odd
    done = run("reach", "run", path, "--spacing", "0.5", "--orientations", "2", "--attempts", "1", "--no-plot")
    assert done.code == 0
    assert names(folder) == [f"{path.stem}-reach.zarr"]


def test_the_exit_code_is_0_when_nothing_is_reached(run):
    done = run("reach", "run", "igus_rebel", "--box", "3,3,3,3.1,3.1,3.1", "--spacing", "0.1", "--orientations", "2")
    assert done.code == 0
    assert re.search(r"reached +0 +0\.0 %", done.out)


def test_a_shard_goes_beside_and_says_how_to_merge(run, folder, study):
    done = run("reach", "run", study, "--shard", "1/2", "--out", "map.zarr")
    assert done.code == 0
    assert names(folder) == ["map.zarr.shard-1-of-2"]
    assert "repose-jit reach merge map.zarr map.zarr.shard-*" in done.out
    assert ReachMap.open("map.zarr.shard-1-of-2").attributes["shard"] == "1/2"


# ------------------------------------------------------------------------------------------------ progress


def test_a_line_of_json_per_chunk(run, study):
    done = run("reach", "run", study, "--no-plot", "--progress", "json")
    (line,) = map(json.loads, done.err.splitlines())
    reach_map = ReachMap.open("study-reach.zarr")
    assert (line["n_done"], line["n_chunks"], line["poses_done"], line["n_poses"]) == (1, 1, 1000, 1000)
    assert line["reached"] == reach_map.summary()["reached"]


PHASES = ["compiling kernels", "solving", "estimating what was missed"]


@pytest.mark.parametrize(("progress", "shows"), [("bar", True), ("none", False)])
def test_a_bar_on_request(run, study, progress, shows):
    err = run("reach", "run", study, "--no-plot", "--progress", progress).err
    assert ("1.00k/1.00k" in err) == shows
    assert ("% reached" in err) == shows
    assert "? poses/s" not in err
    words = re.findall("|".join(PHASES), err)
    assert list(dict.fromkeys(words)) == (PHASES if shows else [])
    assert bool(err) == shows


# ------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize("existing", ["cell.zarr", "cell.png", "cell.html"])
def test_what_exists_is_refused_before_the_run_and_replaced_on_request(run, folder, monkeypatch, existing):
    arguments = ["reach", "run", "igus_rebel", *TINY, "--report", "--out", "cell.zarr"]
    assert run(*arguments).code == 0
    assert names(folder) == ["cell.html", "cell.png", "cell.zarr"]
    for other in names(folder):
        if other != existing:
            (folder / other).rename(folder.parent / other)
    with monkeypatch.context() as patch:
        patch.setattr(rj.ReachStudy, "run", lambda *_, **__: pytest.fail("it ran"))
        done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert f"{existing}" in done.err
    assert "exists" in done.err
    assert "--overwrite" in done.err
    assert ("reach resume cell.zarr" in done.err) == (existing == "cell.zarr")
    assert run(*arguments, "--overwrite").code == 0
    assert names(folder) == ["cell.html", "cell.png", "cell.zarr"]


def test_a_store_of_another_version_is_replaced_on_request(run, folder):
    (folder / "old").mkdir()
    (folder / "old" / "zarr.json").write_text('{"attributes": {"repose_jit.reach_schema": 1}}')
    arguments = ["reach", "run", "igus_rebel", *TINY, "--no-plot", "--out", "old"]
    assert run(*arguments).code == 2
    assert run(*arguments, "--overwrite").code == 0
    assert ReachMap.open("old").is_complete


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_what_is_no_store_is_never_replaced(run, folder, overwrite):
    (folder / "precious").mkdir()
    (folder / "precious" / "file").write_text("data")
    done = run("reach", "run", "igus_rebel", *TINY, "--out", "precious", *overwrite)
    assert done.code == 2
    assert "no store of a study" in done.err
    assert names(folder / "precious") == ["file"]


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_a_directory_in_the_place_of_the_picture_is_found_beforehand(run, tmp_path, overwrite):
    (tmp_path / "map.png").mkdir()
    done = run("reach", "run", "igus_rebel", *TINY, "--out", tmp_path / "map", *overwrite)
    assert done.code == 2
    assert "is a directory" in done.err
    assert not (tmp_path / "map").exists()
    assert run("reach", "run", "igus_rebel", *TINY, "--out", tmp_path / "map", *overwrite, "--no-plot").code == 0


def test_a_store_that_another_process_writes_to_is_not_replaced(run, folder):
    from repose_jit.reach.store.reach_store import open_store

    assert run("reach", "run", "igus_rebel", *TINY, "--no-plot").code == 0
    before = files(folder / "igus_rebel-reach.zarr")
    with open_store("igus_rebel-reach.zarr").locked():
        done = run("reach", "run", "igus_rebel", *TINY, "--no-plot", "--overwrite")
    assert done.code == 2
    assert "another process is writing to it" in done.err
    assert files(folder / "igus_rebel-reach.zarr") == before


def test_a_mistake_in_the_run_costs_no_earlier_map(run, folder):
    assert run("reach", "run", "igus_rebel", *TINY, "--no-plot").code == 0
    before = files(folder / "igus_rebel-reach.zarr")
    for mistake in (["--threads", "0"], ["--scheduler", "tcp://x:1"], ["--shard", "2/1"], ["--spacing", "0"]):
        assert run("reach", "run", "igus_rebel", *TINY, "--no-plot", "--overwrite", *mistake).code == 2
        assert files(folder / "igus_rebel-reach.zarr") == before


def test_without_dask_it_says_so_before_the_run(run, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = run("reach", "run", "igus_rebel", *TINY, "--no-plot", "--engine", "dask")
    assert (done.code, names(folder)) == (2, [])
    assert "pip install 'repose_jit[dask]'" in done.err


def test_without_matplotlib_it_says_so_before_the_run(run, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(rj.ReachStudy, "run", lambda *_, **__: pytest.fail("it ran"))
    done = run("reach", "run", "igus_rebel", *SMALL)
    assert (done.code, names(folder)) == (2, [])
    assert "--no-plot" in done.err


@pytest.mark.parametrize(
    "option", [("--spacing", "0.1"), ("--rng-seed", "0"), ("--tip", "tool"), ("--base", "base"), ("--no-strict",)]
)
@pytest.mark.parametrize("command", ["run", "check"])
def test_a_study_file_takes_no_options_of_a_robot(run, folder, study, command, option):
    done = run("reach", command, study, *option)
    assert (done.code, done.out, names(folder)) == (2, "", [])
    assert f"{option[0]}: STUDY is the file" in done.err
    assert "says that itself" in " ".join(done.err.split())


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--spacing", "0"], "spacing: got 0"),
        (["--spacing", "1e-6"], "is everything in metres?"),
        (["--orientations", "0"], "--orientations: got 0, expected an integer"),
        (["--orientations", 9 * 10**9], "expected at most"),
        (["--attempts", "0"], "attempts: got 0"),
        (["--attempts", 10**12], "expected at most"),
        (["--max-iterations", "0"], "max_iterations: got 0"),
        (["--position-tolerance", "nan"], "position_tolerance: got nan"),
        (["--box", "0,0,0,1,1"], "'--box': got 5 numbers, expected 6"),
        (["--box", "0,0,1,1,1,0"], "expected the lower corner first"),
        (["--box", "0,0,0,1e308,1,1"], "expected at most"),
    ],
)
def test_mistakes_in_the_study(run, folder, command, arguments, message):
    done = run("reach", command, "igus_rebel", *arguments)
    assert (done.code, done.out, names(folder)) == (2, "", [])
    assert message in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--threads", "0"], "threads: got 0"),
        (["--threads", 10**6], "expected at most"),
        (["--out", "nowhere/map"], "nowhere"),
        (["--out", ""], "--out : expected the name of a directory to make"),
        (["--out", "."], "--out .: expected the name of a directory to make"),
        (["--out", "/"], "--out /: expected the name of a directory to make"),
        (["--shard", "3"], "got '3', expected I/N such as 3/64"),
        (["--shard", "3/2"], "got '3/2', expected I from 1 to N"),
        (["--shard", "0/2"], "got '0/2', expected I from 1 to N"),
        (["--scheduler", "tcp://x:1"], "--scheduler tcp://x:1: only --engine dask has one"),
        (["--engine", "spark"], "'spark' is not one of"),
        (["--progress", "loud"], "'loud' is not one of"),
    ],
)
def test_mistakes_in_the_run(run, folder, arguments, message):
    done = run("reach", "run", "igus_rebel", *TINY, "--no-plot", *arguments)
    assert (done.code, done.out, names(folder)) == (2, "", [])
    assert message in " ".join(done.err.split())


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (to_toml({**STUDY, "metric": {}}), "metric: unknown key; did you mean 'metrics'?"),
        ("schema = ", "study.toml: "),
        ("", "2 mistakes in the configuration"),
    ],
)
def test_mistakes_in_a_study_file(run, folder, study, command, text, message):
    study.write_text(text)
    done = run("reach", command, study)
    assert (done.code, done.out, names(folder)) == (2, "", [])
    assert message in done.err
    assert str(study) in done.err


def test_a_study_file_that_is_not_there(run):
    done = run("reach", "run", "nothing.toml")
    assert (done.code, done.err) == (2, "Error: nothing.toml: no such file\n")


def test_the_help_tells_the_defaults_of_the_study(run):
    text = " ".join(run("reach", "run", "--help").out.split())
    stated = dict(re.findall(r"--([a-z-]+) [A-Zλ]+ [^\[]*\[default: ([\d.e-]+)", text))
    config = study_config(read_study({"schema": 1, "robot": {"preset": "igus_rebel"}}).study)
    assert float(stated.pop("orientations")) == config["orientations"]["n"]
    assert float(stated.pop("attempts")) == config["solve"]["max_attempts"]
    assert len(stated) == 4
    for option, value in stated.items():
        assert float(value) == config["solve"][option.replace("-", "_")], option


# ------------------------------------------------------------------------------------------------ Ctrl-C


def interrupted(spawn, arguments):
    """Run until the first chunk is done, press Ctrl-C, and return how it ended."""
    process = spawn(["reach", "run", *arguments, "--no-plot", "--progress", "json"])
    first = process.stderr.readline()
    assert json.loads(first)["n_done"] == 1
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, "".join(line for line in err.splitlines(True) if not line.startswith("{"))


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to a whole console")
def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(spawn, folder):
    # Eight chunks, so that there is something left after the first.
    arguments = ["igus_rebel", "--spacing", "0.1", "--threads", "1", "--out", "a map"]
    code, out, err = interrupted(spawn, arguments)
    assert (code, out) == (130, "")
    done, total = map(int, re.search(r"Interrupted: (\d+) of (\d+) chunks done and kept", err).groups())
    assert 1 <= done < total
    assert ReachMap.open("a map").n_done == done
    command = err.splitlines()[-1].strip()
    assert command == "repose-jit reach resume 'a map' --threads 1 --progress json --no-plot"
    rest = subprocess.run(
        f"{sys.executable} -m repose_jit{command.removeprefix('repose-jit')}",
        shell=True,
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert len(rest.stderr.splitlines()) == total - done
    assert json.loads(rest.stderr.splitlines()[0])["n_done"] == done + 1
    assert ReachMap.open("a map").is_complete
    study = rj.ReachStudy(rj.preset("igus_rebel").chain(), targets=rj.GridTargets(0.1))
    study.run(folder / "uninterrupted")
    assert files(folder / "a map") == files(folder / "uninterrupted")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to a whole console")
def test_ctrl_c_reaches_dask_workers_too_and_they_finish_their_chunks(folder):
    arguments = ["reach", "run", "igus_rebel", "--spacing", "0.05", "--out", "map", "--engine", "dask", "--no-plot"]
    process = subprocess.Popen(
        [sys.executable, "-m", "repose_jit", *arguments, "--threads", "2", "--progress", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )
    assert json.loads(process.stderr.readline())["n_done"] == 1
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    done, total = map(int, re.search(r"Interrupted: (\d+) of (\d+) chunks done and kept", err).groups())
    assert 1 <= done < total
    options = "--threads 2 --progress json --engine dask --no-plot"
    assert err.splitlines()[-1].strip() == f"repose-jit reach resume map {options}"
    assert ReachMap.open("map").n_done == done
    assert not list((folder / "map").rglob("*.partial"))


def test_ctrl_c_before_there_is_a_store_is_short(run, monkeypatch):
    def press(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(rj.ReachStudy, "run", press)
    done = run("reach", "run", "igus_rebel", *TINY, "--no-plot")
    assert (done.code, done.out, done.err) == (130, "", "\nInterrupted.\n")


# ------------------------------------------------------------------------------------------------ again


def test_resume_goes_on_with_what_is_there_and_begins_where_nothing_is(run, folder):
    first = run("reach", "run", "igus_rebel", *TINY, "--resume", "--json").json()
    before = files(folder / first["store"])
    (folder / first["store"] / "zarr.json").touch()
    again = run("reach", "run", "igus_rebel", *TINY, "--resume", "--json")
    assert again.code == 0
    assert again.json()["seconds"] is not None
    assert files(folder / first["store"]) == before
    other = run("reach", "run", "igus_rebel", *TINY, "--resume", "--attempts", "3")
    assert other.code == 2
    assert "study.solve.max_attempts" in other.err
    assert run("reach", "run", "igus_rebel", *TINY, "--resume", "--attempts", "3", "--overwrite").code == 0
    assert files(folder / first["store"]) != before


def test_overwriting_removes_the_picture_and_the_report_of_the_old_store(run, folder):
    assert run("reach", "run", "igus_rebel", *TINY, "--report").code == 0
    assert (folder / "igus_rebel-reach.html").exists()
    assert run("reach", "run", "igus_rebel", *TINY, "--no-plot", "--overwrite").code == 0
    assert not (folder / "igus_rebel-reach.html").exists()
    assert not (folder / "igus_rebel-reach.png").exists()
    assert run("reach", "resume", "igus_rebel-reach.zarr").code == 0


def test_nothing_reached_points_to_check(run):
    done = run("reach", "run", "igus_rebel", "--box", "5,5,5,6,6,6", "--spacing", "0.5", "--no-plot")
    assert done.code == 0
    assert "Nothing was reached; what may be wrong: repose-jit reach check igus_rebel" in done.err
    assert "Nothing was reached" not in run("reach", "run", "igus_rebel", *TINY, "--no-plot").err
