from __future__ import annotations

import pytest

import repose_jit as rj


def test_a_urdf_gives_its_chain_and_a_warning_of_one_line(run, urdf):
    done = run("info", urdf, "--json")
    assert [joint["name"] for joint in done.json()["joints"]] == ["shoulder", "slide"]
    (line,) = done.err.splitlines()
    assert line.startswith("Warning: two.urdf: ")
    assert "slide" in line


def test_base_and_tip_choose_the_chain(run, urdf):
    document = run("info", urdf, "--base", "upper", "--tip", "lower", "--json").json()
    assert [joint["name"] for joint in document["joints"]] == ["slide"]


def test_an_unknown_link_names_the_nearest(run, urdf):
    done = run("info", urdf, "--tip", "tol")
    assert done.code == 2
    assert "did you mean 'tool'?" in done.err


def test_strict_refuses_what_no_strict_reads(run, urdf):
    urdf.write_text(urdf.read_text().replace('lower="0" upper="0.2"', ""))
    strict = run("info", urdf)
    assert strict.code == 2
    assert "slide" in strict.err
    lenient = run("info", urdf, "--no-strict", "--json")
    assert lenient.code == 0
    assert lenient.json()["joints"][1]["upper"] is None
    assert all(line.startswith("Warning: ") for line in lenient.err.splitlines())


@pytest.mark.parametrize(
    ("robot", "message"),
    [
        ("igus_rebl", "did you mean 'igus_rebel'?"),
        ("nowhere.urdf", "nowhere.urdf: no such file"),
        ("nowhere.toml", "nowhere.toml: no such file"),
        ("nowhere.json", "nowhere.json: no such file"),
    ],
)
def test_a_robot_that_does_not_exist(run, robot, message):
    done = run("info", robot)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("option", ["--base", "--tip"])
def test_links_are_for_urdfs_only(run, option):
    done = run("info", "igus_rebel", option, "tool0")
    assert done.code == 2
    assert f"{option} tool0: only a URDF has links" in done.err


def test_every_mistake_in_a_chain_file_is_listed(run, tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(
        'nam = "arm"\n[[joints]]\njoint_type = "revolut"\norigin_translation = [0, 0]\norigin_rpy = [0, 0, 0]\n'
    )
    done = run("info", path)
    assert done.code == 2
    assert all(word in done.err for word in ("arm.toml", "nam", "joint_type", "origin_translation"))


def test_a_broken_urdf(run, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text("<robot>")
    done = run("info", path)
    assert done.code == 2
    assert "arm.urdf" in done.err


def test_a_chain_file_is_the_chain_it_was_written_from(run, odd):
    assert rj.KinematicChain.from_config(odd).n_joints == run("info", odd, "--json").json()["dof"]
