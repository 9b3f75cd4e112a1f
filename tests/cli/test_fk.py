from __future__ import annotations

import json
import math

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.robots import preset
from tests.arms import odd_arm, random_configurations

Q = [0.3, -0.4, 0.5, -0.6, 0.7, -0.8]


def as_text(values):
    return ",".join(map(repr, values))


@pytest.fixture(scope="module")
def rebel():
    return preset("igus_rebel").chain()


def matrices(done):
    return np.array([pose["matrix"] for pose in done.json()["poses"]])


def test_one_configuration(run, rebel):
    done = run("fk", "igus_rebel", "--q", as_text(Q), "--json")
    assert done.code == 0
    assert done.err == ""
    document = done.json()
    assert document["robot"] == "igus_rebel"
    assert document["joint_names"] == list(rebel.joint_names)
    assert document["poses"][0]["q"] == Q
    np.testing.assert_array_equal(matrices(done)[0], rj.forward_kinematics(rebel, Q))


def test_home_is_the_default(run, rebel):
    np.testing.assert_array_equal(
        matrices(run("fk", "igus_rebel", "--json"))[0], rj.forward_kinematics(rebel, rebel.home)
    )


def test_negative_numbers_are_values_not_options(run, rebel):
    q = [-x for x in Q]
    expected = rj.forward_kinematics(rebel, q)
    for arguments in (["--q", as_text(q)], [f"--q={as_text(q)}"], ["--q", " ".join(map(repr, q))]):
        np.testing.assert_array_equal(matrices(run("fk", "igus_rebel", *arguments, "--json"))[0], expected)


def test_degrees_go_in_and_come_out(run, odd):
    chain = odd_arm()
    units = run("info", odd, "--degrees", "--json").json()["joints"]
    q = random_configurations(chain, np.random.default_rng(1), 1)[0]
    scale = np.array([1.0 if joint["unit"] == "m" else 180.0 / math.pi for joint in units])
    done = run("fk", odd, "--degrees", "--q", as_text((q * scale).tolist()), "--json")
    np.testing.assert_allclose(matrices(done)[0], rj.forward_kinematics(chain, q), atol=1e-14)
    (pose,) = done.json()["poses"]
    np.testing.assert_allclose(pose["q"], q * scale, rtol=1e-14)
    in_radians = run("fk", odd, "--q", as_text(q.tolist()), "--json").json()["poses"][0]
    np.testing.assert_allclose(pose["rpy"], np.degrees(in_radians["rpy"]), atol=1e-12)


@pytest.mark.parametrize("kind", ["npy", "csv", "names", "json", "document"])
@pytest.mark.parametrize("source", ["file", "stdin"])
def test_many_configurations(run, rebel, tmp_path, kind, source):
    q = random_configurations(rebel, np.random.default_rng(2), 20)
    path = tmp_path / "q"
    if kind == "npy":
        np.save(path, q)
        path = path.with_suffix(".npy")
    elif kind == "csv":
        np.savetxt(path, q, fmt="%.17g", delimiter=",")
    elif kind == "names":
        names = list(reversed(rebel.joint_names))
        np.savetxt(path, q[:, ::-1], fmt="%.17g", delimiter=",", header=",".join(names), comments="")
    elif kind == "json":
        path.write_text(json.dumps(q.tolist()))
    else:
        path.write_text(json.dumps({"angle_unit": "deg", "results": [{"q": row} for row in np.degrees(q).tolist()]}))
    if source == "file":
        done = run("fk", "igus_rebel", "--q-file", path, "--json")
    else:
        done = run("fk", "igus_rebel", "--q-file", "-", "--json", stdin=path.read_bytes())
    np.testing.assert_allclose(matrices(done), rj.forward_kinematics(rebel, q), atol=1e-14)


def test_the_screen_of_one(run, rebel):
    done = run("fk", "igus_rebel", "--q", as_text(Q))
    numbers = [
        [float(word) for word in line.split() if word.strip("-")[:1].isdigit()] for line in done.out.splitlines()
    ]
    np.testing.assert_allclose(numbers[:4], rj.forward_kinematics(rebel, Q), atol=6e-7)
    assert "quat_xyzw" in done.out
    assert "rpy [rad]" in done.out
    assert "rpy [deg]" in run("fk", "igus_rebel", "--degrees").out
    assert max(map(len, done.out.splitlines())) <= 80


def test_the_screen_of_many(run):
    done = run("fk", "igus_rebel", "--q-file", "-", stdin="0 0 0 0 0 0\n" * 120)
    header, *rows = done.out.splitlines()
    assert header.split() == ["#", "x", "[m]", "y", "[m]", "z", "[m]", "qx", "qy", "qz", "qw"]
    assert [int(row.split()[0]) for row in rows] == list(range(120))
    assert {len(row) for row in (header, *rows)} == {len(header)}
    assert len(header) <= 80


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--q", "1,2,3"], "--q: got 3 numbers, expected 6: joint1, joint2"),
        (["--q", "1,2,x,4,5,6"], "Invalid value for '--q': got 'x', expected a finite number"),
        (["--q", "1,2,nan,4,5,6"], "got 'nan', expected a finite number"),
        (["--q", as_text(Q), "--q-file", "-"], "--q and --q-file exclude one another"),
        (["--q-file", "nowhere.csv"], "nowhere.csv: No such file or directory"),
        (["--q-file", "."], ".: Is a directory"),
    ],
)
def test_mistakes(run, arguments, message):
    done = run("fk", "igus_rebel", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1,2,3", r"standard input: got shape (1, 3), expected (..., 6)"),
        ("joint1,joint2,joint3,joint4,joint5,joint7\n1,2,3,4,5,6", "unknown column 'joint6' in standard input"),
        ("[[1,2,3,4,5,NaN]]", "standard input[0, 5]: got nan, expected a finite number"),
        ('{"q": [1,2,3,4,5,6], "angle_unit": "grad"}', "angle_unit: got 'grad'"),
        ('{"poses": [1]}', "got an object with poses, expected a list, q or results"),
        ("", "standard input: got no numbers"),
    ],
)
def test_mistakes_in_data(run, content, message):
    done = run("fk", "igus_rebel", "--q-file", "-", stdin=content)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("unit", ["[]", "{}", '"turn"', "null", "3"])
def test_a_unit_that_is_none_is_named(run, unit):
    done = run("fk", "igus_rebel", "--q-file", "-", stdin=f'{{"angle_unit": {unit}, "q": [0, 0, 0, 0, 0, 0]}}')
    assert done.code == 2
    assert "standard input: angle_unit: got" in done.err
