from __future__ import annotations

from repose_jit.robots import RobotPreset


def test_every_preset_is_a_line_that_fits(run):
    done = run("robots")
    lines = done.out.splitlines()
    assert done.code == 0
    assert [line.split()[0] for line in lines[1:]] == list(RobotPreset.names())
    assert max(map(len, lines)) <= 80


def test_json(run):
    robots = run("robots", "--json").json()["robots"]
    assert [robot["name"] for robot in robots] == list(RobotPreset.names())
    (rebel,) = (robot for robot in robots if robot["name"] == "igus_rebel")
    assert rebel["dof"] == 6
    assert "igus" in rebel["maker"]
    assert "ReBeL" in rebel["model"]
