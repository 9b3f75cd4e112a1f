"""Maps of robots whose reach is known on paper, parameters, and the figures counted from a map."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError, ShapeError
from repose_jit.ik import IkParams
from repose_jit.joints import JointLimits, JointMimic, JointSpec
from repose_jit.reach.engine import ReachStatus
from repose_jit.reach.study import ReachStudy
from tests.reach.robots import ORIGIN, gantry, rebel, shell_arm


def centres(study: ReachStudy) -> np.ndarray:
    return np.stack(np.meshgrid(*study.axes, indexing="ij"), axis=-1)


def test_a_gantry_reaches_its_box_and_nothing_else() -> None:
    sides = np.array([0.6, 0.4, 0.3])
    study = ReachStudy(gantry(tuple(sides)), box=((-0.1, -0.1, -0.1), sides + 0.1), spacing=0.1, n_orientations=20)
    reach_map = study.run()
    p = centres(study)
    inside = np.all((p > 0) & (p < sides), axis=-1)
    np.testing.assert_array_equal(reach_map.reachability_index, np.where(inside, 100.0, 0.0))
    assert reach_map.reachable_volume == pytest.approx(0.6 * 0.4 * 0.3)


def test_an_arm_of_two_links_reaches_its_shell_in_every_orientation() -> None:
    study = ReachStudy(shell_arm(0.3, 0.2), n_orientations=12)
    np.testing.assert_allclose(study.box, ((-0.5, -0.5, -0.1), (0.5, 0.5, 0.9)), atol=1e-12)
    assert study.spacing == 0.04
    study = ReachStudy(shell_arm(0.3, 0.2), n_orientations=12, spacing=0.11)
    reach_map = study.run()
    distance = np.linalg.norm(centres(study) - [0, 0, 0.4], axis=-1)
    # Straight and folded arms are singular: a solve crawls within a few millimetres of them.
    clear = np.minimum(np.abs(distance - 0.1), np.abs(distance - 0.5)) > 0.005
    inside = (distance > 0.1) & (distance < 0.5)
    assert clear.mean() > 0.9
    np.testing.assert_array_equal(reach_map.reachability_index[clear], np.where(inside, 100.0, 0.0)[clear])
    np.testing.assert_array_equal(reach_map.n_proven_unreachable[clear], np.where(distance > 0.5, 12, 0)[clear])


def test_a_tool_beyond_the_wrist_is_judged_pose_by_pose() -> None:
    study = ReachStudy(shell_arm(0.3, 0.2, tool=0.15), n_orientations=30, spacing=0.2)
    reach_map = study.run()
    wrist = centres(study)[..., None, :] - 0.15 * reach_map.rotations[:, :, 2]
    distance = np.linalg.norm(wrist - [0, 0, 0.4], axis=-1)
    clear = np.minimum(np.abs(distance - 0.1), np.abs(distance - 0.5)) > 0.005
    expected = np.where(distance < 0.1, ReachStatus.NOT_FOUND, ReachStatus.REACHED)
    expected = np.where(distance > 0.5, ReachStatus.PROVEN_UNREACHABLE, expected)
    np.testing.assert_array_equal(reach_map.status[clear], expected[clear])


def test_the_map_is_the_same_for_every_number_of_threads() -> None:
    maps = [
        ReachStudy(rebel(), spacing=0.2, n_orientations=40, attempts=6, threads=threads).run() for threads in (1, 2, 7)
    ]
    for other in maps[1:]:
        np.testing.assert_array_equal(maps[0].status, other.status)
        assert maps[0].attributes == other.attributes
    assert [reach_map.threads for reach_map in maps] == [1, 2, 7]


def test_turning_the_base_by_a_quarter_turns_the_map() -> None:
    """Continuous turret: the map of every horizontal slice is the same along x and along y."""
    reach_map = ReachStudy(shell_arm(0.3, 0.17), n_orientations=16, spacing=0.13).run()
    np.testing.assert_array_equal(reach_map.n_reached, reach_map.n_reached.transpose(1, 0, 2))


def test_figures_add_up() -> None:
    study = ReachStudy(rebel(), spacing=0.25, n_orientations=10, attempts=5)
    calls: list[tuple[int, int]] = []
    reach_map = study.run(lambda done, total: calls.append((done, total)))
    assert calls[-1] == (study.n_poses, study.n_poses)
    summary = reach_map.summary()
    counts = [summary[key] for key in ("reached", "not_found", "proven_unreachable")]
    assert min(counts) > 0
    assert sum(counts) == summary["poses"] == study.n_poses == reach_map.status.size
    assert summary["voxels"] * 10 == study.n_poses
    assert summary["percent_reached"] == pytest.approx(reach_map.reachability_index.mean())
    assert summary["poses_per_second"] == pytest.approx(study.n_poses / summary["seconds"])
    assert summary["reachable_volume"] == pytest.approx(0.25**3 * np.sum(reach_map.reachability_index > 0))
    text = reach_map.summary_text()
    assert "igus_rebel: 2,160 poses" in text
    assert f"{counts[0]:,}" in text
    assert "5 attempts of 30 iterations" in text


def test_nothing_reached_is_a_map_like_any_other() -> None:
    reach_map = ReachStudy(rebel(), box=((5, 5, 5), (6, 6, 6)), spacing=0.5, n_orientations=3).run()
    assert reach_map.summary()["reached"] == 0
    assert reach_map.summary()["percent_reached"] == 0.0
    assert reach_map.reachable_volume == 0.0
    assert np.all(reach_map.status == ReachStatus.PROVEN_UNREACHABLE)


def test_limits_that_are_not_enforced_never_reach_less_of_a_gantry() -> None:
    kwargs = {"box": ((-0.2, 0.1, 0.1), (0.8, 0.1, 0.1)), "spacing": 0.1, "n_orientations": 4}
    free = ReachStudy(
        gantry(), **kwargs, params=IkParams(damping=0.01, max_linear_step=0.1, enforce_joint_limits=False)
    )
    assert np.all(free.run().status == ReachStatus.REACHED)


def test_the_default_study_covers_the_whole_reach_in_about_20000_voxels() -> None:
    study = ReachStudy(rebel())
    assert study.spacing == 0.05
    assert study.n_poses == 27**3 * 256


def test_a_home_beyond_any_target_does_not_matter() -> None:
    slide = JointSpec.prismatic(ORIGIN, ORIGIN, "pos_z", JointLimits.prismatic(0.0, 1e11))
    study = ReachStudy(KinematicChain([slide]), box=((0, 0, 1), (0, 0, 1)), spacing=0.1, n_orientations=1, attempts=1)
    assert study.run().summary()["poses"] == 1


def test_studies_are_values() -> None:
    study = ReachStudy(rebel(), spacing=0.1, threads=1)
    assert study == ReachStudy(rebel(), spacing=0.1, threads=2)
    assert study != ReachStudy(rebel(), spacing=0.1, rng_seed=1)
    assert pickle.loads(pickle.dumps(study)) == study
    with pytest.raises(AttributeError):
        study.spacing = 0.2  # type: ignore[misc]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"spacing": 0.0}, InputError, "spacing: got 0.0, expected a finite number of metres > 0"),
        ({"spacing": "5cm"}, InputError, "spacing: got '5cm', expected a number"),
        ({"n_orientations": 0}, InputError, "n_orientations: got 0, expected an integer ≥ 1"),
        ({"attempts": 1.5}, InputError, "attempts: got 1.5, expected an integer ≥ 1"),
        ({"threads": 0}, InputError, "threads: got 0, expected an integer ≥ 1"),
        ({"rng_seed": -1}, InputError, "rng_seed: got -1"),
        ({"params": {}}, InputError, "params: got dict, expected IkParams"),
        ({"box": ((0, 0, 0), (1, 1))}, ShapeError, r"box\[1\]"),
        ({"box": ((0, 0, 0), (1500, 1500, 1500))}, InputError, r"is everything in metres\?"),
    ],
)
def test_bad_parameters_are_named(arguments: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ReachStudy(rebel(), **({"spacing": 0.05} | arguments))  # type: ignore[arg-type]


def test_slides_without_end_are_named() -> None:
    rail = KinematicChain([JointSpec.prismatic(ORIGIN, ORIGIN, name="rail")])
    with pytest.raises(InputError, match="box: got none, expected one"):
        ReachStudy(rail)
    with pytest.raises(InputError, match="joint 'rail'"):
        ReachStudy(rail, box=((0, 0, 0), (1, 1, 1)))
    wheel = JointSpec.revolute(ORIGIN, ORIGIN, name="wheel")
    rack = JointSpec.prismatic(ORIGIN, ORIGIN, name="rack", mimic=JointMimic("wheel", 0.1))
    with pytest.raises(InputError, match="box: got none"):
        ReachStudy(KinematicChain([wheel, rack]))


def test_a_robot_by_name_is_pointed_to_its_chain() -> None:
    with pytest.raises(InputError, match="expected a KinematicChain"):
        ReachStudy("igus_rebel")  # type: ignore[arg-type]
