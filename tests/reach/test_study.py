"""Maps of robots whose reach is known on paper, parameters, and the figures counted from a map."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.errors import InputError, ShapeError, UnknownNameError
from repose_jit.reach.status import ReachStatus
from tests.reach.robots import ORIGIN, gantry, rebel, shell_arm
from tests.reach.stores import small_study


def rotations(n: int) -> rj.Orientations:
    return rj.Orientations(kind="super_fibonacci", n=n)


def run(chain: rj.KinematicChain, n: int, spacing: float | None = None, box: object = None) -> rj.ReachMap:
    low, high = (None, None) if box is None else box  # type: ignore[misc]
    return rj.ReachStudy(chain, targets=rj.GridTargets(spacing, low, high), orientations=rotations(n)).run()


def statuses(reach_map: rj.ReachMap) -> np.ndarray:
    return np.asarray(reach_map.to_xarray().status)


def test_a_gantry_reaches_its_box_and_nothing_else() -> None:
    sides = np.array([0.6, 0.4, 0.3])
    reach_map = run(gantry(tuple(sides)), 20, 0.1, ((-0.1, -0.1, -0.1), sides + 0.1))
    p = reach_map.site_positions()
    inside = np.all((p > 0) & (p < sides), axis=-1)
    np.testing.assert_array_equal(reach_map.site("reachability_index"), np.where(inside, 100.0, 0.0))
    assert reach_map.summary()["reachable_volume"] == pytest.approx(0.6 * 0.4 * 0.3)


def test_an_arm_of_two_links_reaches_its_shell_in_every_orientation() -> None:
    reach_map = run(shell_arm(0.3, 0.2), 12, 0.11)
    distance = np.linalg.norm(reach_map.site_positions() - [0, 0, 0.4], axis=-1)
    # Straight and folded arms are singular: a solve crawls within a few millimetres of them.
    clear = np.minimum(np.abs(distance - 0.1), np.abs(distance - 0.5)) > 0.005
    inside = (distance > 0.1) & (distance < 0.5)
    assert clear.mean() > 0.9
    np.testing.assert_array_equal(reach_map.site("reachability_index")[clear], np.where(inside, 100.0, 0.0)[clear])
    np.testing.assert_array_equal(reach_map.site("n_proven_unreachable")[clear], np.where(distance > 0.5, 12, 0)[clear])


def test_a_tool_beyond_the_wrist_is_judged_pose_by_pose() -> None:
    reach_map = run(shell_arm(0.3, 0.2, tool=0.15), 30, 0.2)
    wrist = reach_map.site_positions()[..., None, :] - 0.15 * reach_map.local_poses[:, :3, 2]
    distance = np.linalg.norm(wrist - [0, 0, 0.4], axis=-1)
    clear = np.minimum(np.abs(distance - 0.1), np.abs(distance - 0.5)) > 0.005
    expected = np.where(distance < 0.1, ReachStatus.NOT_FOUND, ReachStatus.REACHED)
    expected = np.where(distance > 0.5, ReachStatus.PROVEN_UNREACHABLE, expected)
    np.testing.assert_array_equal(statuses(reach_map)[clear], expected[clear])


@pytest.mark.parametrize(
    "orientations",
    [rj.Orientations(kind="free_axis", n=9, tool_axis="z"), rj.Orientations(kind="free_axis", n=9, tool_axis="-x")],
    ids=["through the wrist", "beside the wrist"],
)
def test_a_free_axis_reaches_what_some_roll_about_it_reaches(orientations: rj.Orientations) -> None:
    chain = shell_arm(0.3, 0.2, tool=0.15)
    reach_map = rj.ReachStudy(chain, targets=rj.GridTargets(0.2), orientations=orientations).run()
    axis = "xyz".index(orientations.tool_axis[-1])  # type: ignore[index]
    status = statuses(reach_map)
    p = reach_map.site_positions()[..., None, None, :]
    R = reach_map.local_poses[:, :3, :3]
    roll = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    # The wrist centre lies 0.15 m behind the tool along its z; turning about the free axis moves it on a circle.
    i, j, k = axis, (axis + 1) % 3, (axis + 2) % 3
    turns = np.zeros((len(roll), 3, 3))
    turns[:, i, i] = 1.0
    turns[:, j, j] = turns[:, k, k] = np.cos(roll)
    turns[:, k, j], turns[:, j, k] = np.sin(roll), -np.sin(roll)
    wrist = p - 0.15 * (R[:, None] @ turns)[..., :, 2]
    distance = np.linalg.norm(wrist - [0, 0, 0.4], axis=-1)
    nearest, furthest = distance.min(axis=-1), distance.max(axis=-1)
    clear = (np.minimum(np.abs(nearest - 0.5), np.abs(furthest - 0.1)) > 0.006) & (np.abs(nearest - 0.1) > 0.006)
    inside = (nearest < 0.5) & (furthest > 0.1)
    assert clear.mean() > 0.9
    np.testing.assert_array_equal((status == ReachStatus.REACHED)[clear], inside[clear])
    assert np.all(nearest[status == ReachStatus.PROVEN_UNREACHABLE] > 0.5)


def test_turning_the_base_by_a_quarter_turns_the_map() -> None:
    """Continuous turret: the map of every horizontal slice is the same along x and along y."""
    n_reached = run(shell_arm(0.3, 0.17), 16, 0.13).site("n_reached")
    np.testing.assert_array_equal(n_reached, n_reached.transpose(1, 0, 2))


def test_a_moved_and_turned_base_reaches_the_moved_and_turned_poses() -> None:
    chain = rebel()
    T = rj.forward_kinematics(chain, np.random.default_rng(1).uniform(-2, 2, (60, 6)))
    T[::4, 2, 3] += 0.6
    # Turns by halves and quarters and moves by powers of two: the poses are the same to the last bit.
    moved = np.array([[0, -1, 0, 2.0], [1, 0, 0, -1.0], [0, 0, 1, 0.5], [0, 0, 0, 1.0]])
    joints = list(chain.joints)
    origin = moved @ joints[0].origin_transform()
    joints[0] = rj.JointSpec.revolute(
        origin[:3, 3], (0.0, 0.0, np.pi / 2), joints[0].axis, joints[0].limits, name=joints[0].name
    )
    maps = [
        rj.ReachStudy(robot, targets=rj.PoseTargets(poses)).run()
        for robot, poses in ((chain, T), (rj.KinematicChain(joints), moved @ T))
    ]
    np.testing.assert_array_equal(statuses(maps[0]) == 1, statuses(maps[1]) == 1)


def test_figures_add_up() -> None:
    study = small_study(spacing=0.25, max_attempts=5)
    reach_map = study.run()
    summary = reach_map.summary()
    counts = [summary[key] for key in ("reached", "not_found", "proven_unreachable")]
    assert min(counts) > 0
    assert sum(counts) == summary["poses"] == study.n_poses == statuses(reach_map).size
    assert summary["sites"] * 10 == study.n_poses
    index = reach_map.site("reachability_index")
    assert summary["percent_reached"] == pytest.approx(index.mean())
    assert summary["poses_per_second"] == pytest.approx(study.n_poses / summary["seconds"])
    assert summary["reachable_volume"] == pytest.approx(0.25**3 * np.sum(index > 0))
    data = reach_map.to_xarray()
    for name, figures in summary["metrics"].items():
        assert figures["mean"] == pytest.approx(float(data[name].mean()), rel=1e-5)
        assert figures["max"] == float(data[name].max())
        np.testing.assert_allclose(data[f"{name}_mean"], data[name].mean("orientation"), rtol=1e-5)
        np.testing.assert_array_equal(data[f"{name}_max"], data[name].max("orientation"))
    text = reach_map.summary_text()
    assert "igus_rebel: 2,160 poses" in text
    assert f"{counts[0]:,}" in text
    assert "5 attempts of 30 iterations" in text
    assert "missed:" in text


def test_metrics_are_those_of_the_configurations() -> None:
    study = small_study(metrics=["sigma_min", "inverse_condition", "n_solutions"], length_scale=0.4, max_attempts=20)
    data = study.run().to_xarray()
    reached = np.asarray(data.status) == ReachStatus.REACHED
    q = np.asarray(data.q)[reached]
    J = rj.jacobian(study.chain, q)
    np.testing.assert_allclose(np.asarray(data.sigma_min)[reached], np.linalg.svd(J)[1][:, -1], rtol=1e-5, atol=1e-7)
    J[:, :3] /= 0.4
    sigma = np.linalg.svd(J)[1]
    np.testing.assert_allclose(np.asarray(data.inverse_condition)[reached], sigma[:, -1] / sigma[:, 0], rtol=1e-4)
    solutions = np.asarray(data.n_solutions)[reached]
    assert solutions.min() >= 1
    assert solutions.max() > 1


def test_every_outcome_is_explained() -> None:
    reach_map = small_study(orientations=rj.Orientations(kind="free_axis", tool_axis="z", n=10)).run()
    status = statuses(reach_map)
    for outcome, words in (
        (ReachStatus.REACHED, "REACHED: Converged in attempt"),
        (ReachStatus.NOT_FOUND, "NOT_FOUND: Not converged in 4 attempts"),
        (ReachStatus.PROVEN_UNREACHABLE, "PROVEN_UNREACHABLE: Not converged"),
    ):
        *site, k = (int(i) for i in np.argwhere(status == outcome)[0])
        text = reach_map.explain(tuple(site), k)
        assert text.startswith(words)
        assert text == reach_map.explain(int(np.ravel_multi_index(site, reach_map.shape)), k)
        assert ("out of reach" in text) == (outcome is ReachStatus.PROVEN_UNREACHABLE)


def test_no_metrics_is_a_study_too() -> None:
    reach_map = small_study(metrics=()).run()
    assert reach_map.metrics == ()
    assert reach_map.summary()["metrics"] == {}


def test_the_default_study_covers_the_whole_reach_in_about_20000_voxels() -> None:
    study = rj.ReachStudy(rebel())
    assert study.target_set.spacing == 0.05
    assert study.n_poses == 27**3 * 256


def test_a_home_beyond_any_target_does_not_matter() -> None:
    slide = rj.JointSpec.prismatic(ORIGIN, ORIGIN, "pos_z", rj.JointLimits.prismatic(0.0, 1e11))
    chain = rj.KinematicChain([slide])
    assert run(chain, 1, 0.1, ((0, 0, 1), (0, 0, 1))).n_poses == 1
    assert rj.ReachStudy(chain, targets=rj.PoseTargets(np.eye(4))).run().n_poses == 1


def test_studies_are_values() -> None:
    study = small_study()
    assert study == small_study()
    assert hash(study) == hash(small_study())
    assert study != small_study(spacing=0.25)
    assert study != small_study(save_q=False)
    assert study != 3
    T = np.eye(4)
    assert rj.ReachStudy(rebel(), targets=rj.PoseTargets(T)) == rj.ReachStudy(rebel(), targets=rj.PoseTargets(T))
    moved = T + np.eye(4, k=3)
    assert rj.ReachStudy(rebel(), targets=rj.PoseTargets(T)) != rj.ReachStudy(rebel(), targets=rj.PoseTargets(moved))
    assert pickle.loads(pickle.dumps(study)) == study
    with pytest.raises(AttributeError):
        study.save_q = True  # type: ignore[misc]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"targets": [0.1]}, InputError, "targets: got list, expected"),
        ({"orientations": "all"}, InputError, "orientations: got str, expected"),
        ({"solve": {}}, InputError, "solve: got dict, expected MultiSeedParams"),
        ({"solve": rj.MultiSeedParams(free_axis="z")}, InputError, r"solve\.free_axis: got 'z', expected none"),
        ({"solve": rj.MultiSeedParams(axis_mask=[True] * 6)}, InputError, r"solve\.axis_mask"),
        ({"solve": rj.MultiSeedParams(threads=2)}, InputError, r"solve\.threads: got 2"),
        ({"solve": rj.MultiSeedParams(reference=[0.0])}, InputError, r"solve\.reference: got 1 values, expected 6"),
        ({"metrics": "sigma_min"}, InputError, "metrics: got 'sigma_min', expected a list"),
        ({"metrics": ["sigma"]}, UnknownNameError, "sigma_min"),
        ({"length_scale": 0.0}, InputError, "length_scale"),
        ({"save_q": 1}, InputError, "save_q: got 1"),
        ({"targets": rj.GridTargets(0.05, (0, 0, 0), (1500, 1500, 1500))}, InputError, r"is everything in metres\?"),
    ],
)
def test_bad_parameters_are_named(arguments: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        rj.ReachStudy(rebel(), **arguments)  # type: ignore[arg-type]


def test_bad_grids_are_named() -> None:
    for arguments, error, message in (
        ((0.0,), InputError, "spacing: got 0.0, expected a finite number of metres > 0"),
        (("5cm",), InputError, "spacing: got '5cm', expected a number"),
        ((0.1, (0, 0, 0), (1, 1)), ShapeError, "box_max"),
    ):
        with pytest.raises(error, match=message):
            rj.GridTargets(*arguments)  # type: ignore[arg-type]


def test_slides_without_end_are_named() -> None:
    rail = rj.KinematicChain([rj.JointSpec.prismatic(ORIGIN, ORIGIN, name="rail")])
    with pytest.raises(InputError, match="box: got none, expected one"):
        rj.ReachStudy(rail)
    with pytest.raises(InputError, match="joint 'rail'"):
        rj.ReachStudy(rail, targets=rj.GridTargets(0.1, (0, 0, 0), (1, 1, 1)))
    wheel = rj.JointSpec.revolute(ORIGIN, ORIGIN, name="wheel")
    rack = rj.JointSpec.prismatic(ORIGIN, ORIGIN, name="rack", mimic=rj.JointMimic("wheel", 0.1))
    with pytest.raises(InputError, match="box: got none"):
        rj.ReachStudy(rj.KinematicChain([wheel, rack]))


def test_a_robot_by_name_is_pointed_to_its_chain() -> None:
    with pytest.raises(InputError, match="expected a KinematicChain"):
        rj.ReachStudy("igus_rebel")  # type: ignore[arg-type]


@pytest.mark.parametrize("part", ["robot", "joint", "file"])
def test_a_name_that_no_file_can_hold_is_refused(part: str) -> None:
    config = rebel().to_config()
    targets: rj.PoseTargets | None = None
    if part == "robot":
        config["name"], where = "re\ud800bel", r"robot\.chain\.name"
    elif part == "joint":
        config["joints"][2]["name"], where = "re\ud800bel", r"robot\.chain\.joints\[2\]\.name"  # type: ignore[index]
    else:
        targets, where = rj.PoseTargets(np.eye(4)[None], source="re\ud800bel"), r"targets\.file"
    chain = rj.KinematicChain.from_config(config)
    with pytest.raises(InputError, match=rf"{where}: got 're\\ud800bel', expected another name"):
        rj.ReachStudy(chain, targets=targets)
    if targets is None:
        with pytest.raises(rj.ConfigError, match=rf"{where}: got") as error:
            rj.ReachStudy.from_config({"schema": 1, "robot": {"chain": config}})
        assert "configuration: robot" not in str(error.value)
