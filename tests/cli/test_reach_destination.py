from __future__ import annotations

import pytest

SMALL = ("--box", "0.3,0,0.3,0.3,0,0.3", "--orientations", "2", "--attempts", "1")


@pytest.mark.parametrize("out", [".", "/", "./"])
def test_what_names_no_directory_to_make_is_a_mistake(run, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    done = run("reach", "run", "igus_rebel", *SMALL, "--out", out)
    assert done.code == 2
    assert f"--out {out}: expected the name of a directory to make" in " ".join(done.err.split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("overwrite", [[], ["--overwrite"]])
def test_a_directory_in_the_place_of_the_picture_is_found_beforehand(run, tmp_path, overwrite):
    (tmp_path / "map.png").mkdir()
    done = run("reach", "run", "igus_rebel", *SMALL, "--out", tmp_path / "map", *overwrite)
    assert done.code == 2
    assert "is a directory" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["map.png"]
    assert run("reach", "run", "igus_rebel", *SMALL, "--out", tmp_path / "map", *overwrite, "--no-plot").code == 0


@pytest.mark.parametrize(
    "size", [("--attempts", 10**12), ("--orientations", 9 * 10**9), ("--box", "0,0,0,1e308,1,1"), ("--threads", 10**6)]
)
def test_what_no_machine_can_do_is_refused_beforehand(run, tmp_path, size):
    done = run("reach", "run", "igus_rebel", *SMALL, *size, "--no-plot", "--out", tmp_path / "map")
    assert done.code == 2
    assert "expected at most" in done.err
    assert list(tmp_path.iterdir()) == []


def test_the_help_tells_the_defaults_of_the_study(run):
    from inspect import signature

    from repose_jit.reach.study import STUDY_PARAMS, ReachStudy

    text = " ".join(run("reach", "run", "--help").out.split())
    defaults = signature(ReachStudy).parameters
    assert f"Per voxel [default: {defaults['n_orientations'].default}]" in text
    assert f"Seeds tried for a pose [default: {defaults['attempts'].default}]" in text
    assert f"Most steps of an attempt [default: {STUDY_PARAMS.max_iterations}]" in text
