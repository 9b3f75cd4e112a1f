from __future__ import annotations

import json
import math

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.robots import preset
from tests.arms import odd_arm, random_configurations

DOWN = ["--xyz", "0.3,-0.2,0.3", "--quat-xyzw", "1,0,0,0"]
FAR = ["--xyz", "3,0,0", "--rpy", "0,0,0"]


@pytest.fixture(scope="module")
def rebel():
    return preset("igus_rebel").chain()


def test_a_target_that_is_reached(run, rebel):
    done = run("ik", "igus_rebel", *DOWN, "--json")
    assert (done.code, done.err) == (0, "")
    document = done.json()
    (result,) = document["results"]
    assert (document["targets"], document["converged"]) == (1, 1)
    assert (result["status"], result["converged"], result["explanation"]) == ("CONVERGED", True, None)
    T = rj.forward_kinematics(rebel, result["q"])
    np.testing.assert_allclose(T[:3, 3], [0.3, -0.2, 0.3], atol=1e-4)
    np.testing.assert_allclose(T[:3, :3], np.diag([1.0, -1.0, -1.0]), atol=1e-3)
    same = rj.inverse_kinematics(rebel, [[1, 0, 0, 0.3], [0, -1, 0, -0.2], [0, 0, -1, 0.3], [0, 0, 0, 1]], rebel.home)
    assert result["q"] == same.q.tolist()
    assert result["iterations"] == same.iterations
    assert result["position_error"] == same.position_error


@pytest.mark.parametrize(
    "orientation",
    [
        ["--rpy", f"{math.pi},0,0"],
        ["--rpy=-3.141592653589793,0,0"],
        ["--quat-wxyz", "0,1,0,0"],
        ["--quat-xyzw", "-1,0,0,0"],
        ["--rpy", "180,0,0", "--degrees"],
    ],
)
def test_an_orientation_can_be_given_in_several_ways(run, orientation):
    expected = run("ik", "igus_rebel", *DOWN, "--json").json()["results"][0]
    done = run("ik", "igus_rebel", "--xyz", "0.3,-0.2,0.3", *orientation, "--json")
    q = np.array(done.json()["results"][0]["q"])
    np.testing.assert_allclose(np.radians(q) if "--degrees" in orientation else q, expected["q"], atol=1e-9)


def test_negative_numbers_are_values_not_options(run):
    one = run("ik", "igus_rebel", "--xyz", "-0.35,0.1,0.3", "--rpy", "-3,0,0", "--json")
    other = run("ik", "igus_rebel", "--xyz=-0.35,0.1,0.3", "--rpy=-3,0,0", "--json")
    assert one.code in (0, 1)
    assert one.out == other.out


def test_a_target_that_is_not_reached_is_code_1_and_explained(run):
    done = run("ik", "igus_rebel", *FAR, "--json")
    assert (done.code, done.err) == (1, "")
    (result,) = done.json()["results"]
    assert result["status"] == "MAX_ITERATIONS_REACHED"
    assert result["converged"] is False
    assert "out of reach" in result["explanation"]
    screen = run("ik", "igus_rebel", *FAR)
    assert screen.code == 1
    assert "out of reach" in screen.out
    assert "Traceback" not in screen.err


def test_a_singular_jacobian_is_an_outcome_not_an_error(run, tmp_path):
    joints = [rj.JointSpec.revolute([0.5 * i, 0, 0], [0, 0, 0]) for i in range(3)]
    path = tmp_path / "straight.json"
    path.write_text(json.dumps(rj.KinematicChain(joints).to_config()))
    done = run("ik", path, "--xyz", "0.5,0,0", "--rpy", "0,0,0", "--solver", "pseudoinverse", "--json")
    assert done.code == 1
    assert done.json()["results"][0]["status"] == "SINGULAR"
    assert "singular" in done.json()["results"][0]["explanation"]


def test_fk_pipes_into_ik_and_back(run):
    """Through JSON, with degrees on both ends of the first pipe and radians at the end of the second."""
    q = [10.0, -20.0, 30.0, -30.0, 40.0, -40.0]
    pose = run("fk", "igus_rebel", "--q", ",".join(map(str, q)), "--json", "--degrees").out
    seed = ",".join(str(x + 3.0) for x in q)
    solved = run("ik", "igus_rebel", "--target-file", "-", "--seed", seed, "--json", "--degrees", stdin=pose)
    assert solved.code == 0
    again = run("fk", "igus_rebel", "--q-file", "-", "--json", stdin=solved.out).json()["poses"][0]
    np.testing.assert_allclose(again["xyz"], json.loads(pose)["poses"][0]["xyz"], atol=1e-4)


def test_the_seed_decides_where_the_search_starts(run, rebel):
    q = [0.3, -0.4, 0.5, -0.6, 0.7, -0.8]
    pose = run("fk", "igus_rebel", "--q", ",".join(map(str, q)), "--json").out
    done = run("ik", "igus_rebel", "--target-file", "-", "--seed", ",".join(map(str, q)), "--json", stdin=pose)
    (result,) = done.json()["results"]
    assert (result["iterations"], result["q"]) == (0, q)


def test_options_become_parameters_of_the_solve(run, rebel):
    target = np.diag([1.0, -1.0, -1.0, 1.0])
    target[:3, 3] = 0.3, -0.2, 0.3
    options = {
        "max_iterations": 7,
        "position_tolerance": 1e-5,
        "orientation_tolerance": 1e-4,
        "damping": 0.1,
        "max_step": 0.1,
        "max_linear_step": 0.01,
    }
    expected = rj.inverse_kinematics(rebel, target, rebel.home, rj.IkParams(**options, enforce_joint_limits=False))
    given = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    (result,) = run("ik", "igus_rebel", *DOWN, *given, "--no-limits", "--json").json()["results"]
    assert (result["q"], result["iterations"]) == (expected.q.tolist(), expected.iterations)
    assert result["iterations"] == 7
    given[given.index("--max-step") + 1] = repr(math.degrees(0.1))
    given[given.index("--orientation-tolerance") + 1] = repr(math.degrees(1e-4))
    (in_degrees,) = run("ik", "igus_rebel", *DOWN, *given, "--no-limits", "--degrees", "--json").json()["results"]
    np.testing.assert_allclose(np.radians(in_degrees["q"]), expected.q, atol=1e-12)
    assert in_degrees["orientation_error"] == pytest.approx(math.degrees(result["orientation_error"]))


def test_many_attempts_find_what_one_does_not(run, rebel, tmp_path):
    targets = rj.forward_kinematics(rebel, np.random.default_rng(3).uniform(-1.6, 1.6, (12, 6)))
    np.save(tmp_path / "targets.npy", targets)
    arguments = ["ik", "igus_rebel", "--target-file", tmp_path / "targets.npy", "--json"]
    one = run(*arguments)
    assert one.code == 1
    assert run(*arguments, "--attempts", "1").out == one.out
    seed, options = "0.1,0.2,0.3,0.4,0.5,0.6", ["--position-tolerance", "1e-5", "--max-iterations", "25"]
    many = run(*arguments, "--attempts", "32", "--seed", seed, *options)
    assert many.code == 0
    params = rj.MultiSeedParams(position_tolerance=1e-5, max_iterations=25)
    expected = rj.inverse_kinematics_batch(rebel, targets, seeds=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], params=params)
    assert [result["q"] for result in many.json()["results"]] == expected.q.tolist()


def test_many_attempts_say_which_one_it_was(run):
    done = run("ik", "igus_rebel", *DOWN, "--attempts", "8")
    assert done.code == 0
    assert "Converged in attempt" in done.out
    far = run("ik", "igus_rebel", *FAR, "--attempts", "8")
    assert far.code == 1
    assert "Not converged in 8 attempts" in far.out


@pytest.mark.parametrize(
    "option", [["--solver", "pseudoinverse"], ["--damping", "0.1"], ["--max-step", "1"], ["--no-limits"]]
)
def test_many_attempts_have_a_solver_of_their_own(run, option):
    done = run("ik", "igus_rebel", *DOWN, "--attempts", "8", *option)
    assert (done.code, done.out) == (2, "")
    assert f"--attempts and {option[0]} exclude one another" in done.err


def test_many_targets(run, rebel, tmp_path):
    targets = rj.forward_kinematics(rebel, np.random.default_rng(3).uniform(-1.6, 1.6, (12, 6)))
    path = tmp_path / "targets.npy"
    np.save(path, targets)
    expected = rj.inverse_kinematics(rebel, targets, rebel.home)
    done = run("ik", "igus_rebel", "--target-file", path, "--json")
    document = done.json()
    assert done.code == (0 if expected.converged.all() else 1)
    assert document["converged"] == expected.converged.sum()
    assert [result["q"] for result in document["results"]] == expected.q.tolist()
    assert 0 < document["converged"] < 12  # both kinds are on the screen below
    screen = run("ik", "igus_rebel", "--target-file", path)
    assert screen.code == done.code
    rows = screen.out.splitlines()[2:14]
    assert [row.split()[1] == "yes" for row in rows] == expected.converged.tolist()
    assert f"{document['converged']} of 12 converged" in screen.out
    assert max(map(len, screen.out.splitlines())) <= 80


@pytest.mark.parametrize("degrees", [[], ["--degrees"]])
def test_the_screen_of_many_fits_seven_joints(run, tmp_path, degrees):
    panda = rj.preset("franka_panda").chain()
    q = random_configurations(panda, np.random.default_rng(0), 100)
    np.save(tmp_path / "targets.npy", rj.forward_kinematics(panda, q))
    done = run("ik", "franka_panda", "--target-file", tmp_path / "targets.npy", *degrees)
    assert max(map(len, done.out.splitlines())) <= 80


def test_the_screen_of_one(run, odd):
    chain = odd_arm()
    T = rj.forward_kinematics(chain, chain.home)
    done = run("ik", odd, "--target-file", "-", stdin=json.dumps(T.tolist()))
    assert done.code == 0
    assert done.out.startswith("CONVERGED\n")
    assert all(f"\n{name} " in done.out for name in chain.joint_names)
    assert max(map(len, done.out.splitlines()[:-1])) <= 80
    q = done.out.splitlines()[-1].removeprefix("q = ")
    np.testing.assert_allclose([float(x) for x in q.split(",")], chain.home, atol=1e-8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no target; give --xyz"),
        (["--xyz", "1,2,3"], "--xyz needs one orientation"),
        (["--xyz", "1,2,3", "--rpy", "0,0,0", "--quat-xyzw", "0,0,0,1"], "--xyz needs one orientation"),
        (["--rpy", "0,0,0"], "no target; give --xyz"),
        ([*FAR, "--target-file", "-"], "exclude one another"),
        (["--xyz", "1,2", "--rpy", "0,0,0"], "'--xyz': got 2 numbers, expected 3"),
        (["--xyz", "1,2,3", "--quat-xyzw", "1,2,3,4"], "quat_xyzw: got a quaternion of norm 5.477, expected 1"),
        ([*FAR, "--seed", "0,0"], "--seed: got 2 numbers, expected 6"),
        ([*FAR, "--max-iterations", "0"], "max_iterations: got 0"),
        ([*FAR, "--damping", "-1"], "damping: got -1"),
        ([*FAR, "--attempts", "0"], "max_attempts: got 0"),
        ([*FAR, "--position-tolerance", "nan"], "position_tolerance: got nan"),
        ([*FAR, "--solver", "dls"], "unknown solver 'dls'"),
        (["--target-file", "nowhere.npy"], "nowhere.npy: No such file"),
    ],
)
def test_mistakes(run, arguments, message):
    done = run("ik", "igus_rebel", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_target_that_is_not_rigid_is_named(run):
    done = run(
        "ik", "igus_rebel", "--target-file", "-", stdin=json.dumps([np.eye(4).tolist(), np.ones((4, 4)).tolist()])
    )
    assert done.code == 2
    assert "target[1]" in done.err


def test_no_targets_are_all_reached(run, tmp_path):
    np.save(tmp_path / "none.npy", np.empty((0, 4, 4)))
    done = run("ik", "igus_rebel", "--target-file", tmp_path / "none.npy", "--json")
    assert (done.code, done.json()["results"]) == (0, [])
