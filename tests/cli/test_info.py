from __future__ import annotations

import json
import math

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.robots import RobotPreset, preset
from repose_jit.toml_writer import to_toml
from tests.arms import odd_arm


def test_a_preset_with_its_provenance(run):
    document = run("info", "igus_rebel", "--json").json()
    chain = preset("igus_rebel").chain()
    assert document["name"] == "igus_rebel"
    assert document["dof"] == 6
    assert [joint["name"] for joint in document["joints"]] == list(chain.joint_names)
    assert [joint["lower"] for joint in document["joints"]] == chain.lower_limits.tolist()
    assert [joint["upper"] for joint in document["joints"]] == chain.upper_limits.tolist()
    assert [joint["home"] for joint in document["joints"]] == chain.home.tolist()
    assert {joint["unit"] for joint in document["joints"]} == {"rad"}
    assert set(document["provenance"]) == {"maker", "model", "source", "licence", "retrieved", "notes"}


@pytest.mark.parametrize("name", RobotPreset.names())
def test_every_preset_fits_the_screen(run, name):
    done = run("info", name, "--degrees")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80


def test_degrees_scale_angles_and_leave_lengths(run, odd):
    radians = run("info", odd, "--json").json()
    degrees = run("info", odd, "--json", "--degrees").json()
    assert {joint["unit"] for joint in radians["joints"]} == {"rad", "m"}
    assert {joint["unit"] for joint in degrees["joints"]} == {"deg", "m"}
    for a, b in zip(radians["joints"], degrees["joints"], strict=True):
        scale = 1.0 if a["unit"] == "m" else 180.0 / math.pi
        for key in ("lower", "upper", "home"):
            assert (a[key] is None) == (b[key] is None)
            assert a[key] is None or b[key] == pytest.approx(scale * a[key])


def test_mimic_joints_are_listed_apart(run, odd):
    chain = odd_arm()
    document = run("info", odd, "--json").json()
    assert [joint["name"] for joint in document["joints"]] == list(chain.joint_names)
    assert [mimic["name"] for mimic in document["mimic_joints"]] == [joint.name for joint in chain.mimic_joints]
    assert [mimic["joint"] for mimic in document["mimic_joints"]] == [joint.mimic.joint for joint in chain.mimic_joints]
    screen = run("info", odd).out
    assert all(f"\n{joint.name} " in screen for joint in chain.mimic_joints)


def test_what_has_no_limit_is_null_and_a_dash(run, tmp_path):
    chain = rj.KinematicChain(
        [rj.JointSpec.prismatic([0, 0, 0.1], [0, 0, 0]), rj.JointSpec.revolute([1, 0, 0], [0, 0, 0])]
    )
    path = tmp_path / "free.toml"
    path.write_text(to_toml(chain.to_config()))
    document = run("info", path, "--json").json()
    assert document["reach"] is None
    for joint in document["joints"]:
        assert (joint["lower"], joint["upper"], joint["max_velocity"]) == (None, None, None)
    assert [joint["type"] for joint in document["joints"]] == ["prismatic", "continuous"]
    assert "unlimited" in run("info", path).out


def test_tool_offset(run, tmp_path):
    chain = preset("igus_rebel").chain().with_tool_offset([[0, -1, 0, 0.1], [1, 0, 0, 0], [0, 0, 1, 0.2], [0, 0, 0, 1]])
    path = tmp_path / "tool.json"
    path.write_text(json.dumps(chain.to_config()))
    np.testing.assert_array_equal(run("info", path, "--json").json()["tool_offset"]["matrix"], chain.tool_offset)
    assert "xyz 0.1000 0.0000 0.2000 m, rpy 0.0000 0.0000 90.0000 deg" in run("info", path, "--degrees").out
    assert "\ntool offset  none\n" in run("info", "igus_rebel").out
