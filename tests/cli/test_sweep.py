from __future__ import annotations

import json
import re
import sys
from dataclasses import fields

import click
import numpy as np
import pytest

import repose_jit as rj
from repose_jit import multi_seed
from repose_jit.cli import sweep_file
from repose_jit.cli.sweep import AXES, axis_mask
from repose_jit.joints import JointSpec
from repose_jit.poses import pose_document
from tests.arms import odd_arm

NUMBERS = ("status", "position_error", "orientation_error", "iterations", "attempts", "seed_index")
FAR = (3, 17)
"""Targets that are out of reach."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Run in an empty folder, where default names and accidents go."""
    path = tmp_path / "work"
    path.mkdir()
    monkeypatch.chdir(path)
    return path


@pytest.fixture(scope="module")
def chain():
    return rj.preset("igus_rebel").chain()


@pytest.fixture(scope="module")
def reachable(chain):
    return rj.forward_kinematics(chain, rj.spread_seeds(chain, 40, rng_seed=5))


@pytest.fixture
def mixed(reachable):
    targets = reachable.copy()
    targets[FAR, 0, 3] += 2.0
    return targets


@pytest.fixture
def no_solve(monkeypatch):
    monkeypatch.setattr(multi_seed, "inverse_kinematics_batch", lambda *_, **__: pytest.fail("it solved"))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def loaded(path):
    with np.load(path) as file:
        return dict(file)


def test_results_are_those_of_the_batch(run, folder, chain, reachable):
    np.save("targets.npy", reachable)
    done = run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz")
    assert (done.code, done.err) == (0, "")
    assert names(folder) == ["results.npz", "targets.npy"]
    expected = rj.inverse_kinematics_batch(chain, reachable)
    results = loaded("results.npz")
    for name in ("q", *NUMBERS):
        np.testing.assert_array_equal(results[name], getattr(expected, name), err_msg=name)
        assert results[name].dtype == getattr(expected, name).dtype
    assert tuple(results["joint_names"]) == chain.joint_names
    assert set(results) == {"q", *NUMBERS, "joint_names", "metadata"}


def test_the_metadata_says_what_was_solved_and_with_what(run, chain, reachable):
    np.save("targets.npy", reachable)
    run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz", "--attempts", "7", "--axis-mask", "111110")
    metadata = json.loads(str(loaded("results.npz")["metadata"]))
    assert metadata["robot"] == "igus_rebel"
    assert rj.KinematicChain.from_config(metadata["chain"]).to_config() == chain.to_config()
    assert rj.MultiSeedParams(**metadata["parameters"]) == rj.MultiSeedParams(
        max_attempts=7, axis_mask=[True] * 5 + [False]
    )
    assert metadata["versions"]["repose_jit"] == rj.__version__
    assert metadata["versions"]["numpy"] == np.__version__


def test_equal_sweeps_give_equal_files(run, mixed):
    np.save("targets.npy", mixed)
    for kind in ("npz", "csv"):
        run("sweep", "igus_rebel", "targets.npy", "-o", f"one.{kind}")
        run("sweep", "igus_rebel", "targets.npy", "-o", f"other.{kind}", "--threads", "1")
        with open(f"one.{kind}", "rb") as one, open(f"other.{kind}", "rb") as other:
            assert one.read() == other.read()


def as_rows(T, order):
    documents = [pose_document(one, degrees=False) for one in T]
    if order == "rpy":
        return "roll,pitch,yaw,x,y,z", [(*one["rpy"], *one["xyz"]) for one in documents]
    quat = np.array([one["quat_xyzw"] for one in documents])
    if order == "quat_wxyz":
        return "x,y,z,qw,qx,qy,qz", np.hstack([T[:, :3, 3], np.roll(quat, 1, axis=1)])
    return "x,y,z,qx,qy,qz,qw", np.hstack([T[:, :3, 3], quat])


def written(form, T, path):
    """Write targets in one of the forms that can be read."""
    if form == "npy":
        with path.open("wb") as file:  # NumPy would add an ending
            np.save(file, T.reshape(5, 8, 4, 4))
    elif form == "fk --json":
        path.write_text(json.dumps({"poses": [pose_document(one, degrees=False) for one in T]}))
    elif form == "matrix":
        np.savetxt(path, T.reshape(-1, 16), delimiter=",", fmt="%.17g")
    else:
        header, rows = as_rows(T, form)
        np.savetxt(path, rows, delimiter=",", fmt="%.17g", header=header, comments="")


@pytest.mark.parametrize("form", ["npy", "matrix", "quat_xyzw", "quat_wxyz", "rpy", "fk --json"])
def test_every_form_of_targets(run, folder, chain, reachable, form):
    written(form, reachable, folder / "targets")
    assert run("sweep", "igus_rebel", "targets", "-o", "results.npz").code == 0
    q = loaded("results.npz")["q"]
    T = rj.forward_kinematics(chain, q)
    np.testing.assert_allclose(T[:, :3, 3], reachable[:, :3, 3], atol=2e-4)
    np.testing.assert_allclose(T[:, :3, :3], reachable[:, :3, :3], atol=2e-3)


def test_targets_from_standard_input(run, reachable):
    text = json.dumps(reachable.tolist())
    assert run("sweep", "igus_rebel", "-", "-o", "results.npz", stdin=text).code == 0
    assert loaded("results.npz")["q"].shape == (40, 6)


def test_degrees_are_those_of_what_is_read(run, chain, reachable):
    header, rows = as_rows(reachable, "rpy")
    rows = np.array(rows)
    rows[:, :3] = np.degrees(rows[:, :3])
    np.savetxt("targets.csv", rows, delimiter=",", fmt="%.17g", header=header, comments="")
    np.savetxt("seeds.csv", np.degrees(chain.home)[None], delimiter=",", fmt="%.17g")
    given = ["--seeds", "seeds.csv", "--orientation-tolerance", "0.05", "--reference", "10,20,30,40,50,60"]
    assert run("sweep", "igus_rebel", "targets.csv", "-o", "results.npz", "--degrees", *given).code == 0
    results = loaded("results.npz")
    parameters = json.loads(str(results["metadata"]))["parameters"]
    assert parameters["orientation_tolerance"] == pytest.approx(np.radians(0.05))
    np.testing.assert_allclose(parameters["reference"], np.radians([10, 20, 30, 40, 50, 60]))
    T = rj.forward_kinematics(chain, results["q"])
    np.testing.assert_allclose(T[:, :3, :3], reachable[:, :3, :3], atol=2e-3)
    expected = rj.inverse_kinematics_batch(chain, reachable, seeds=chain.home, params=rj.MultiSeedParams(**parameters))
    np.testing.assert_allclose(results["q"], expected.q, atol=1e-9)


@pytest.mark.parametrize("form", ["npy", "csv"])
def test_seeds_for_all_targets_or_one_each(run, chain, reachable, form):
    np.save("targets.npy", reachable)
    each = rj.spread_seeds(chain, 40, rng_seed=9)
    for seeds in (each[7], each):
        if form == "npy":
            np.save("seeds.npy", seeds)
        else:
            np.savetxt("seeds.csv", np.atleast_2d(seeds), delimiter=",", fmt="%.17g")
        run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz", "--seeds", f"seeds.{form}", "--overwrite")
        expected = rj.inverse_kinematics_batch(chain, reachable, seeds=seeds)
        np.testing.assert_array_equal(loaded("results.npz")["q"], expected.q)


def test_one_seed_for_one_target(run, chain, reachable):
    np.save("targets.npy", reachable[:1])
    np.save("seeds.npy", chain.home[None])
    assert run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz", "--seeds", "seeds.npy").code == 0
    expected = rj.inverse_kinematics_batch(chain, reachable[:1], seeds=chain.home)
    np.testing.assert_array_equal(loaded("results.npz")["q"], expected.q)


def test_a_table_of_results_is_one_of_seeds_and_configurations(run, chain, reachable):
    """The solutions of one sweep are where the next one starts, and there is nothing left to do."""
    np.save("targets.npy", reachable)
    run("sweep", "igus_rebel", "targets.npy", "-o", "results.csv")
    assert run("sweep", "igus_rebel", "targets.npy", "-o", "again.npz", "--seeds", "results.csv").code == 0
    again = loaded("again.npz")
    assert not again["iterations"].any()
    np.testing.assert_array_equal(again["q"], rj.inverse_kinematics_batch(chain, reachable).q)
    poses = run("fk", "igus_rebel", "--q-file", "results.csv", "--json").json()["poses"]
    np.testing.assert_allclose([pose["xyz"] for pose in poses], reachable[:, :3, 3], atol=2e-4)


def test_csv_round_trip(run, chain, mixed, monkeypatch):
    monkeypatch.setattr(sweep_file, "ROWS", 7)  # several parts, the last one short
    np.save("targets.npy", mixed)
    assert run("sweep", "igus_rebel", "targets.npy", "-o", "results.csv").code == 1
    expected = rj.inverse_kinematics_batch(chain, mixed)
    with open("results.csv", encoding="utf-8") as file:
        header = file.readline().rstrip("\n").split(",")
        rows = np.loadtxt(file, delimiter=",")
    assert header == [*NUMBERS, *chain.joint_names]
    np.testing.assert_array_equal(rows[:, len(NUMBERS) :], expected.q)
    for i, name in enumerate(NUMBERS):
        np.testing.assert_array_equal(rows[:, i], getattr(expected, name), err_msg=name)


def test_parquet_round_trip(run, chain, mixed):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    np.save("targets.npy", mixed)
    assert run("sweep", "igus_rebel", "targets.npy", "-o", "results.parquet").code == 1
    table = pandas.read_parquet("results.parquet")
    expected = rj.inverse_kinematics_batch(chain, mixed)
    pandas.testing.assert_frame_equal(table, expected.to_pandas())
    assert table.attrs["parameters"]["max_attempts"] == 32
    assert table.attrs["robot"] == "igus_rebel"


@pytest.mark.parametrize("package", ["pandas", "pyarrow"])
def test_without_a_package_for_parquet_it_says_so_before_the_run(run, folder, monkeypatch, no_solve, package):
    monkeypatch.setitem(sys.modules, package, None)
    done = run("sweep", "igus_rebel", "targets.npy", "-o", "results.parquet")
    assert (done.code, names(folder)) == (2, [])
    assert package in done.err
    assert "pip install 'repose_jit[table]'" in done.err


def test_options_become_parameters(run, chain, reachable):
    np.save("targets.npy", reachable)
    options = {
        "attempts": 5, "iterations": 9, "position-tolerance": 2e-4, "orientation-tolerance": 3e-3, "step-rule": "fixed",
        "selection": "nearest", "reference": "0.1,0.2,0.3,0.4,0.5,0.6", "free-axis": "z", "rng-seed": 4, "threads": 1,
    }  # fmt: skip
    given = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    assert run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz", *given).code in (0, 1)
    params = rj.MultiSeedParams(
        max_attempts=5, max_iterations=9, position_tolerance=2e-4, orientation_tolerance=3e-3, step_rule="fixed",
        selection="nearest", reference=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], free_axis="z", rng_seed=4,
    )  # fmt: skip
    results = loaded("results.npz")
    assert rj.MultiSeedParams(**json.loads(str(results["metadata"]))["parameters"]) == params
    np.testing.assert_array_equal(results["q"], rj.inverse_kinematics_batch(chain, reachable, params=params).q)


@pytest.mark.parametrize(
    ("text", "axes"),
    [("111001", "x y z rz"), ("1,1,1,0,0,1", "x y z rz"), ("x,y,z,rx", "x y z rx"), ("RZ y", "y rz"), ("x;x", "x")],
)
def test_an_axis_mask_is_digits_or_names(text, axes):
    assert axis_mask(text) == tuple(axis in axes.split() for axis in AXES)


@pytest.mark.parametrize("text", ["11100", "1110011", "111002", "x,y,w", "", "x,,y"])
def test_what_is_no_axis_mask_is_refused(text):
    with pytest.raises(click.BadParameter, match="expected six digits 0 or 1"):
        axis_mask(text)


def test_the_summary_is_that_of_the_results(run, chain, mixed):
    np.save("targets.npy", mixed)
    done = run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz", "--attempts", "12", "--json")
    assert (done.code, done.err) == (1, "")
    document, results = done.json(), loaded("results.npz")
    converged = results["status"] == rj.IkStatus.CONVERGED
    assert (document["targets"], document["converged"]) == (40, converged.sum())
    assert not converged[list(FAR)].any()
    assert document["proven_unreachable"] == 2
    assert document["percent_converged"] == int(10_000 * converged.sum() / 40) / 100
    assert document["targets_per_second"] == pytest.approx(40 / document["seconds"])
    assert document["iterations"]["median"] == np.median(results["iterations"])
    assert document["iterations"]["p99"] == pytest.approx(np.percentile(results["iterations"], 99))
    rows = document["success_by_attempt"]
    assert [row["attempts"] for row in rows] == [1, 2, 4, 8, 12]
    assert rows[-1]["solved"] == converged.sum()
    expected = rj.inverse_kinematics_batch(chain, mixed, params=rj.MultiSeedParams(max_attempts=12))
    for row in rows:
        fewer = rj.inverse_kinematics_batch(chain, mixed, params=rj.MultiSeedParams(max_attempts=row["attempts"]))
        assert row["solved"] == fewer.converged.sum()
        assert row["percent"] == int(10_000 * row["solved"] / 40) / 100
    assert rows[0]["solved"] < rows[-1]["solved"]  # the table has something to tell
    assert [failure["target"] for failure in document["failures"]] == np.flatnonzero(~converged)[:3].tolist()
    first = document["failures"][0]
    assert first["explanation"] == expected[3].explain()
    assert first["status"] == "MAX_ITERATIONS_REACHED"
    assert document["output"] == "results.npz"
    assert document["parameters"]["max_attempts"] == 12


def test_the_screen_has_the_summary(run, mixed):
    np.save("targets.npy", mixed)
    document = run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz", "--json").json()
    done = run("sweep", "igus_rebel", "targets.npy", "-o", "results.csv")
    assert (done.code, done.err) == (1, "")
    assert f"{document['converged']} of 40 targets ({document['percent_converged']:.2f} %)" in done.out
    assert "2 of the others are out of reach, by proof" in done.out
    assert re.search(r"targets/s on this machine \(\d+ threads?\)", done.out)
    for row in document["success_by_attempt"]:
        assert re.search(rf"^ *{row['attempts']} +{row['solved']} +{row['percent']:.2f}$", done.out, re.MULTILINE)
    assert "target 3: Not converged in 32 attempts" in done.out
    assert " ".join(document["advice"].split()) in " ".join(done.out.split())
    assert done.out.endswith("results.csv\n")
    assert max(map(len, done.out.splitlines())) <= 80


def test_all_but_one_is_not_100_percent(run, chain, reachable):
    targets = np.tile(reachable[:1], (30_000, 1, 1))
    targets[-1, 0, 3] += 2.0
    np.save("targets.npy", targets)
    done = run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz")
    assert done.code == 1
    assert "29,999 of 30,000 targets (99.99 %)" in done.out


def advice_for(run, *arguments):
    return run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz", "--overwrite", "--json", *arguments).json()[
        "advice"
    ]


def test_what_to_try_depends_on_what_was_found(run, reachable, mixed):
    np.save("targets.npy", reachable)
    assert advice_for(run) is None
    assert "more attempts, --attempts 32, or other seeds; or check" in advice_for(run, "--attempts", "1")
    assert advice_for(run, "--attempts", "2").startswith("more attempts, --attempts 32; or check")
    gained = advice_for(run, "--attempts", "4", "--iterations", "12")
    assert re.match(r"more attempts, --attempts 32, as the step from 2 to 4 still reached \d+ targets; or", gained)
    np.save("targets.npy", mixed)
    assert "out of reach whatever the budget" in advice_for(run)
    assert "out of reach whatever the budget" in advice_for(run, "--axis-mask", "111000")
    # Where only part of the position counts, nothing is proven.
    position = ["--axis-mask", "110000", "--attempts", "64"]
    assert "as the step from 32 to 64 reached no further target" in advice_for(run, *position)
    assert advice_for(run, *position, "--selection", "max_limit_margin").startswith("more attempts, --attempts 256; or")


def test_other_selections_do_not_know_which_attempts_would_do(run, reachable):
    np.save("targets.npy", reachable)
    done = run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz", "--selection", "max_manipulability")
    assert "how many seeds" not in done.out
    done = run("sweep", "igus_rebel", "targets.npy", "-o", "r.npz", "--selection", "max_limit_margin", "--json")
    assert done.json()["success_by_attempt"] is None


def test_no_targets_are_all_reached(run):
    np.save("targets.npy", np.empty((0, 4, 4)))
    done = run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz", "--json")
    assert done.code == 0
    document = done.json()
    assert (document["targets"], document["percent_converged"], document["iterations"]["median"]) == (0, None, None)
    assert loaded("results.npz")["q"].shape == (0, 6)
    assert run("sweep", "igus_rebel", "targets.npy", "-o", "results.csv").code == 0


def test_a_robot_from_a_chain_file(run, odd):
    chain = odd_arm()
    np.save("targets.npy", rj.forward_kinematics(chain, rj.spread_seeds(chain, 9)))
    assert run("sweep", odd, "targets.npy", "-o", "results.npz").code == 0
    results = loaded("results.npz")
    assert tuple(results["joint_names"]) == chain.joint_names
    assert results["q"].shape == (9, chain.n_joints)


def test_a_robot_from_a_urdf_has_links_to_choose_from(run, urdf):
    np.save("targets.npy", np.eye(4))
    done = run("sweep", urdf, "targets.npy", "-o", "results.npz", "--base", "base", "--tip", "upper")
    assert tuple(loaded("results.npz")["joint_names"]) == ("shoulder",)
    assert "velocity limit missing" in done.err
    assert run("sweep", urdf, "targets.npy", "-o", "other.npz", "--tip", "uper").code == 2


def test_a_slide_without_limits_makes_one_attempt_from_the_seed_given(run, folder):
    slide = rj.KinematicChain([JointSpec.prismatic([0, 0, 0], [0, 0, 0])])
    (folder / "slide.json").write_text(json.dumps(slide.to_config()))
    np.save("targets.npy", rj.forward_kinematics(slide, [[0.3], [0.4]]))
    arguments = ["sweep", "slide.json", "targets.npy", "-o", "results.npz", "--json"]
    done = run(*arguments)
    assert done.code == 2
    assert "prismatic joint, expected finite ones" in done.err
    np.save("seeds.npy", [0.0])
    (row,) = run(*arguments, "--seeds", "seeds.npy").json()["success_by_attempt"]
    assert row == {"attempts": 1, "solved": 2, "percent": 100.0}


# ------------------------------------------------------------------------------------------------------ the file


@pytest.mark.parametrize("kind", ["npz", "csv"])
def test_what_exists_is_refused_before_the_run_and_replaced_on_request(run, folder, reachable, monkeypatch, kind):
    np.save("targets.npy", reachable)
    path = folder / f"results.{kind}"
    path.write_text("precious")
    arguments = ["sweep", "igus_rebel", "targets.npy", "-o", path.name]
    with monkeypatch.context() as patch:
        patch.setattr(multi_seed, "inverse_kinematics_batch", lambda *_, **__: pytest.fail("it solved"))
        done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "exists; give --overwrite" in done.err
    assert path.read_text() == "precious"
    assert run(*arguments, "--overwrite").code == 0
    assert path.read_bytes()[:8] != b"precious"
    assert names(folder) == [path.name, "targets.npy"]


def test_a_file_made_in_the_meantime_is_not_replaced(run, folder, reachable, monkeypatch):
    np.save("targets.npy", reachable)
    solve = rj.inverse_kinematics_batch

    def slow(*arguments, **options):
        (folder / "results.npz").write_text("precious")
        return solve(*arguments, **options)

    monkeypatch.setattr(multi_seed, "inverse_kinematics_batch", slow)
    done = run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz")
    assert done.code == 2
    assert "another program has made it in the meantime" in done.err
    assert (folder / "results.npz").read_text() == "precious"
    assert names(folder) == ["results.npz", "targets.npy"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need privileges under Windows")
def test_a_link_stays_a_link(run, folder, reachable):
    np.save("targets.npy", reachable)
    (folder / "real.npz").write_text("old")
    (folder / "results.npz").symlink_to("real.npz")
    assert run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz").code == 2
    assert run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz", "--overwrite").code == 0
    assert (folder / "results.npz").is_symlink()
    assert loaded("real.npz")["q"].shape == (40, 6)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("nowhere/results.npz", "nowhere"),
        ("file/results.npz", "cannot write into"),
        ("folder.npz", "is a directory"),
        ("results", "got the ending '', expected one of .npz, .csv, .parquet"),
        ("results.zarr", "got the ending '.zarr'"),
        ("x" * 300 + ".npz", ""),
    ],
)
@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_what_cannot_be_written_is_said_before_the_run(run, folder, no_solve, output, message, overwrite):
    (folder / "file").write_text("")
    (folder / "folder.npz").mkdir()
    np.save("targets.npy", np.eye(4)[None])
    done = run("sweep", "igus_rebel", "targets.npy", "-o", output, *overwrite)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err
    assert names(folder) == ["file", "folder.npz", "targets.npy"]


def test_a_joint_that_is_called_like_a_column_has_no_table(run, folder, no_solve):
    arm = rj.KinematicChain([JointSpec.revolute([0, 0, 0], [0, 0, 0], name="status")])
    (folder / "arm.json").write_text(json.dumps(arm.to_config()))
    done = run("sweep", "arm.json", "targets.npy", "-o", "results.csv")
    assert done.code == 2
    assert "joint 'status' has the name of another column, expected .npz" in done.err


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
@pytest.mark.parametrize("kind", ["npz", "csv"])
@pytest.mark.parametrize("when", ["solving", "writing"])
@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (OSError(28, "No space left on device"), 2)])
def test_what_is_broken_off_leaves_no_part(run, folder, reachable, monkeypatch, when, kind, overwrite, error, code):
    def broken(*_, **__):
        raise error

    def half(file, *_):
        file.write(b"half")
        file.flush()
        raise error

    np.save("targets.npy", reachable)
    output = folder / f"results.{kind}"
    if overwrite:
        output.write_text("old")
    if when == "solving":
        monkeypatch.setattr(multi_seed, "inverse_kinematics_batch", broken)
    else:
        monkeypatch.setitem(sweep_file.WRITERS, f".{kind}", half)
    before = names(folder)
    done = run("sweep", "igus_rebel", "targets.npy", "-o", output.name, *overwrite)
    assert (done.code, done.out) == (code, "")
    assert ("Interrupted." if code == 130 else "No space left on device") in done.err
    assert names(folder) == before
    assert not overwrite or output.read_text() == "old"


# ------------------------------------------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--attempts", "0"], "max_attempts: got 0"),
        (["--iterations", "0"], "max_iterations: got 0"),
        (["--position-tolerance", "-1"], "position_tolerance: got -1"),
        (["--step-rule", "dls"], "unknown step_rule 'dls'"),
        (["--selection", "near"], "unknown selection 'near'; did you mean 'nearest'"),
        (["--selection", "nearest"], "reference: got none"),
        (["--reference", "0,0"], "--reference: got 2 numbers, expected 6"),
        (["--axis-mask", "xyz"], "'--axis-mask': got 'xyz'"),
        (["--axis-mask", "000000"], "axis_mask: got six times False"),
        (["--free-axis", "w"], "unknown free_axis 'w'"),
        (["--threads", "0"], "threads: got 0"),
        (["--rng-seed", "-1"], "rng_seed: got -1"),
        (["--seeds", "nowhere.npy"], "nowhere.npy: No such file"),
        (["--seeds", "targets.npy"], "targets.npy: got shape (40, 4, 4)"),
        (["--seeds", "three.npy"], "three.npy: got 3 seeds, expected 1 for all targets, or 40: one each"),
        (["--tip", "tool0"], "--tip tool0: only a URDF has links"),
    ],
)
def test_mistakes(run, folder, reachable, arguments, message):
    np.save("targets.npy", reachable)
    np.save("three.npy", np.zeros((3, 6)))
    done = run("sweep", "igus_rebel", "targets.npy", "-o", "results.npz", *arguments)
    assert (done.code, done.out, names(folder)) == (2, "", ["targets.npy", "three.npy"])
    assert message in done.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,1\n0,0,0,0,0,0,2\n", "targets: pose 1: quat_xyzw: got a quaternion of norm 2"),
        ("x,y,z,qx,qy,qz\n0,0,0,0,0,0\n", "unknown column 'qw' in targets"),
        ("0,0,0\n", "got 3 numbers a line, expected 16"),
        ("1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1\n1,0,0,0,0,2,0,0,0,0,1,0,0,0,0,1\n", "targets[1]"),
        ("x,y,z,roll,pitch,yaw\n0,0,0,0,0,0\n0,0,nan,0,0,0\n", "targets: line 3: got 'nan'"),
        ("x,y,z,roll,pitch,yaw\n0,0,0,0,0,0\n0,0,0,0,0\n", "targets: line 3: got 5 numbers, expected 6"),
    ],
)
def test_bad_rows_are_named(run, folder, content, message):
    (folder / "targets").write_text(content)
    done = run("sweep", "igus_rebel", "targets", "-o", "results.npz")
    assert (done.code, done.out, names(folder)) == (2, "", ["targets"])
    assert message in done.err


def test_targets_that_are_not_there(run, folder):
    done = run("sweep", "igus_rebel", "nowhere.npy", "-o", "results.npz")
    assert (done.code, done.out, names(folder)) == (2, "", [])
    assert "nowhere.npy: No such file" in done.err


def test_one_standard_input_is_not_two(run):
    done = run("sweep", "igus_rebel", "-", "--seeds", "-", "-o", "results.npz")
    assert done.code == 2
    assert "cannot both be standard input" in done.err


def test_the_help_tells_the_defaults_that_hold(run):
    defaults = {item.name: item.default for item in fields(rj.MultiSeedParams) if item.init}
    defaults |= {"attempts": defaults["max_attempts"], "iterations": defaults["max_iterations"]}
    text = " ".join(run("sweep", "--help").out.split())
    stated = re.findall(r"--([a-z-]+) [A-Z]+ (?:(?! --)[^\[])*\[default: ([\d.e-]+)", text)
    assert len(stated) == 5
    for option, value in stated:
        assert float(value) == defaults[option.replace("-", "_")], option
    assert f"{defaults['step_rule']} [default]" in text
    assert f"{defaults['selection']} [default]" in text
