"""What a check tells: counts, bytes and time that a run confirms, and a finding for every common mistake."""

from __future__ import annotations

import math
import re
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import repose_jit as rj
from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError
from repose_jit.joints import JointLimits, JointSpec
from repose_jit.multi_seed import MultiSeedParams
from repose_jit.reach.check.calibration import Calibration, sampled_poses
from repose_jit.reach.check.diagnosis import check_study
from repose_jit.reach.check.wording import duration, vector
from repose_jit.reach.placement.grid import PlacementGrid
from repose_jit.reach.placement.placing import place
from repose_jit.reach.study import ReachStudy
from repose_jit.reach.targets.kinds import GridTargets, PoseTargets, SurfaceTargets
from repose_jit.reach.targets.orientations import Orientations
from tests.reach.robots import gantry, random_chain, rebel, shell_arm

QUICK = 0.05
FREE_Z = Orientations(kind="free_axis", tool_axis="z", approach="-normal")


@pytest.fixture(scope="module")
def reachable():
    """Return the ReBeL and 300 poses that it reaches."""
    chain = rebel()
    return chain, rj.forward_kinematics(chain, rj.spread_seeds(chain, 300))


def check(chain, *, seconds=QUICK, **study):
    return check_study(ReachStudy(chain, **study), seconds=seconds)


def found(chain, **study):
    return {finding.name: finding.message for finding in check(chain, **study).findings}


def moved(T, p=(0.0, 0.0, 0.0), scale=1.0):
    result = T.copy()
    result[:, :3, 3] = scale * T[:, :3, 3] + p
    return result


def surface_of(T, sign):
    return SurfaceTargets(T[:, :3, 3], sign * T[:, :3, 2])


# ------------------------------------------------------------------------------------------------ figures


def test_a_check_counts_what_a_run_counts():
    study = ReachStudy(rebel(), targets=GridTargets(0.3), orientations=Orientations(kind="super_fibonacci", n=16))
    result = check_study(study)
    reach_map = study.run()
    assert (result.n_sites, result.n_orientations, result.n_poses) == (125, 16, 2000)
    assert (result.kind, result.shape, result.n_chunks) == ("grid", (5, 5, 5), reach_map.n_chunks)
    summary = reach_map.summary()
    # So few poses are all in the sample.
    assert result.sampled == 2000
    assert result.proven_unreachable == summary["proven_unreachable"]
    assert result.reached == summary["reached"]
    assert result.findings == ()


def test_a_sample_tells_the_outcome_of_the_study_in_per_cent():
    study = ReachStudy(rebel(), targets=GridTargets(0.1), orientations=Orientations(kind="super_fibonacci", n=64))
    result, summary = check_study(study), study.run().summary()
    assert result.sampled < result.n_poses
    for name in ("reached", "proven_unreachable"):
        assert abs(getattr(result, name) / result.sampled - summary[name] / result.n_poses) < 0.01


@pytest.mark.parametrize("save_q", [False, True])
def test_bytes_are_those_of_the_store(tmp_path, save_q):
    study = ReachStudy(
        shell_arm(), targets=GridTargets(0.2), orientations=Orientations(kind="super_fibonacci", n=256), save_q=save_q
    )
    result = check_study(study, seconds=0.3)
    study.run(tmp_path / "map")
    bytes_there = sum(path.stat().st_size for path in (tmp_path / "map").rglob("*") if path.is_file())
    assert bytes_there / 2 < result.store_bytes < 2 * bytes_there
    assert result.store_bytes <= result.most_store_bytes
    assert bytes_there < result.most_store_bytes + 100_000  # the text about it


def test_time_is_about_that_of_one_thread():
    study = ReachStudy(rebel(), targets=GridTargets(0.1), orientations=Orientations(kind="super_fibonacci", n=128))
    least, most = check_study(study).seconds[1]
    study.run(threads=1)  # loads all that is compiled
    before = time.process_time()
    study.run(threads=1)
    taken = time.process_time() - before
    assert 0.0 < least <= most
    assert least / 3 < taken < 3 * most


def test_time_falls_with_threads_and_is_never_shared_out_beyond_the_chunks():
    small = check(gantry(), targets=GridTargets(0.3), orientations=Orientations(kind="none"))
    assert small.n_chunks == 1
    large = check(rebel())
    for result in (small, large):
        (first, *others) = sorted(result.seconds)
        assert first == 1
        for threads in others:
            ratio = result.seconds[1][1] / result.seconds[threads][1]
            assert 1.0 <= ratio <= threads * (1 + 1e-9)


@pytest.mark.parametrize("kind", ["grid", "surface", "poses"])
def test_the_sample_is_all_of_a_small_study_once(kind, reachable):
    chain, T = reachable
    targets = {
        "grid": GridTargets(0.1, (0, 0, 0), (0.3, 0.2, 0.1)),
        "surface": surface_of(T[:7], -1),
        "poses": PoseTargets(T[:7]),
    }[kind]
    way = {"grid": Orientations(kind="super_fibonacci", n=5), "surface": FREE_Z, "poses": None}[kind]
    job = ReachStudy(chain, targets=targets, orientations=way).job
    n = job.targets.n_poses
    whole = job.targets.poses(np.arange(job.targets.n_sites)).reshape(-1, 16)
    sample = np.concatenate([sampled_poses(job, 0, 3), sampled_poses(job, 3, n + 9)]).reshape(-1, 16)
    assert len(sample) == n
    np.testing.assert_allclose(sample[np.lexsort(sample.T)], whole[np.lexsort(whole.T)], atol=1e-12)


def test_the_sample_of_a_large_study_is_spread_over_sites_and_orientations():
    job = ReachStudy(rebel(), targets=GridTargets(0.02)).job
    p = sampled_poses(job, 0, 4096)[:, :3, 3]
    for axis, dim in enumerate("xyz"):
        edges = np.quantile(job.targets.coordinates[dim], np.linspace(0, 1, 5))
        share = np.histogram(p[:, axis], edges)[0] / 4096
        np.testing.assert_allclose(share, 0.25, atol=0.03)


def test_what_is_excluded_is_not_sampled():
    job = ReachStudy(rebel(), targets=GridTargets(0.2), orientations=Orientations(kind="none")).job
    excluded = np.ones(job.targets.n_sites, bool)
    excluded[5] = False
    part = replace(job, targets=replace(job.targets, excluded=excluded))
    assert len(sampled_poses(part, 0, 100)) == 1


def test_seconds_are_positive():
    with pytest.raises(InputError, match="seconds: got 0"):
        check_study(ReachStudy(rebel()), seconds=0)
    with pytest.raises(InputError, match="study: got str, expected a ReachStudy"):
        check_study("igus_rebel")


# ------------------------------------------------------------------------------------------------ findings


def test_a_sound_study_has_none(reachable):
    chain, T = reachable
    assert found(chain) == {}
    assert found(chain, targets=PoseTargets(T)) == {}
    assert found(chain, targets=surface_of(T, -1), orientations=FREE_Z) == {}
    assert found(gantry(), targets=GridTargets(0.05)) == {}


@pytest.mark.parametrize("kind", ["directions", "free_axis"])
def test_a_tool_axis_the_wrong_way_round(reachable, kind):
    chain, T = reachable
    approach = Orientations(kind=kind, tool_axis="z", approach="-normal")
    messages = found(chain, targets=surface_of(T, 1), orientations=approach)
    assert list(messages) == ["opposed"]
    message = messages["opposed"]
    assert "sampled targets reached; with the tool axis reversed" in message
    assert "tool z and target normal are opposed in" in message
    assert 'approach = "+normal", or tool_axis = "-z", in [orientations]' in message
    # What it says to write is right.
    for way in ({"approach": "+normal"}, {"tool_axis": "-z"}):
        assert found(chain, targets=surface_of(T, 1), orientations=replace(approach, **way)) == {}


def test_poses_with_the_tool_axis_the_wrong_way_round(reachable):
    chain, T = reachable
    reversed_z = T @ np.diag([1.0, -1.0, -1.0, 1.0])
    message = found(chain, targets=PoseTargets(reversed_z))["opposed"]
    assert re.search(r"\((9\d|100) %\) once the tool is turned by 180° about its own x axis", message)
    way = Orientations(kind="free_axis", tool_axis="z")
    message = found(chain, targets=PoseTargets(reversed_z), orientations=way)["opposed"]
    assert "tool z and target z are opposed in" in message


def test_poses_that_are_inverses(reachable):
    chain, T = reachable
    message = found(chain, targets=PoseTargets(np.linalg.inv(T)))["opposed"]
    assert re.search(
        r"\d+ of 200 sampled targets reached, and (19\d|200) of their inverses: are these T_tool_", message
    )


def test_positions_that_are_reached_in_other_orientations():
    # Two joints about z: the tool lies in a plane and its z axis stays upright.
    chain = KinematicChain(
        [
            JointSpec.revolute((0, 0, 0), (0, 0, 0), "pos_z", name="a"),
            JointSpec.revolute((0.5, 0, 0), (0, 0, 0), "pos_z", name="b"),
        ],
        tool_offset=[[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
    )
    T = rj.forward_kinematics(chain, rj.spread_seeds(chain, 50))
    turn = np.array([[0.0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
    assert found(chain, targets=PoseTargets(T)) == {}
    message = found(chain, targets=PoseTargets(T @ turn))["orientation"]
    assert message.startswith("0 of 50 sampled targets reached, and 50 in position alone")


@pytest.mark.parametrize(("unit", "scale"), [("mm", 1000.0), ("cm", 100.0), ("in", 1 / 0.0254)])
def test_targets_in_another_unit(reachable, unit, scale):
    chain, T = reachable
    message = found(chain, targets=PoseTargets(moved(T, scale=scale)))["units"]
    assert stated_span(message) == pytest.approx(scale * span_of(T), rel=0.01)
    name = {"mm": "millimetres", "cm": "centimetres", "in": "inches"}[unit]
    # A few centimetres may be many millimetres, too: then both are named.
    assert name in message
    assert f'units = "{unit}"' in message
    assert message.endswith("in [targets]")


def stated_span(message):
    return float(message.split()[2].replace(",", ""))


def span_of(T):
    return float(np.linalg.norm(np.ptp(T[:, :3, 3], axis=0)))


def test_a_single_target_in_millimetres(reachable):
    chain, T = reachable
    message = found(chain, targets=PoseTargets(moved(T[:1], scale=1000.0)))["units"]
    assert re.match(r"all targets are \d+ m away, and the arm reaches 0.653 m: millimetres", message)


def test_a_box_in_millimetres():
    messages = found(rebel(), targets=GridTargets(50, (300, -200, 0), (600, 200, 400)))
    assert 'millimetres? Write lengths with their unit, such as "50mm"' in messages["units"]


def test_targets_a_thousand_times_too_small(reachable):
    chain, T = reachable
    messages = found(chain, targets=PoseTargets(moved(T, scale=1e-4)))
    assert 'write units = "m"' in messages["tiny_targets"]
    assert "tiny_targets" in found(chain, targets=GridTargets(1e-4, (0, 0, 0.3), (4e-4, 4e-4, 0.3)))
    assert found(chain, targets=PoseTargets(T[:1])) == {}
    assert "tiny_targets" not in found(chain, targets=PoseTargets(T[[0, 0]]))


def test_targets_in_another_frame(reachable):
    chain, T = reachable
    message = found(chain, targets=PoseTargets(moved(T, p=(3.0, 0.0, 1.0))))["base_frame"]
    assert "all 300 sampled targets are out of reach, by proof" in message
    vector = np.array([float(word) for word in message.rpartition("Moved by (")[2].partition(")")[0].split(",")])
    assert found(chain, targets=PoseTargets(moved(T, p=(3.0, 0.0, 1.0) + vector))) == {}
    assert "base_frame" in found(chain, targets=GridTargets(0.1, (2, 2, 0), (3, 3, 0.5)))
    # Too far for the arm by far, but nothing that another unit would explain.
    assert list(found(chain, targets=PoseTargets(moved(T, p=(30.0, 0.0, 0.0))))) == ["base_frame"]


def test_targets_that_are_turned_are_not_said_to_lie_elsewhere(reachable):
    """The proof is of whole poses: near the border those with the tool turned outward are beyond the arm."""
    chain, _ = reachable
    p = np.array([[0.6, 0.0, 0.252], [0.0, 0.6, 0.252], [0.59, 0.1, 0.252]])
    inward = SurfaceTargets(p, -p * (1, 1, 0))
    study = ReachStudy(chain, targets=inward, orientations=FREE_Z)
    result = check_study(study, seconds=QUICK)
    assert result.reached == 3
    outward = check(chain, targets=SurfaceTargets(p, p * (1, 1, 0)), orientations=FREE_Z)
    assert outward.proven_unreachable == 3
    assert [finding.name for finding in outward.findings] == ["opposed"]


def test_what_lies_within_the_arm_is_not_to_be_moved():
    """Targets all around, each out of reach, have their centroid in the middle of the reach."""
    angles = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    T = np.tile(np.eye(4), (12, 1, 1))
    T[:, :3, 3] = np.stack([np.cos(angles), np.sin(angles), np.full(12, 0.3)], axis=1)
    messages = found(rebel(), targets=PoseTargets(T))
    assert list(messages) == ["nothing_reached"]
    start = "0 of 12 sampled poses reached: 0 not found, 12 proven out of reach; and"
    assert messages["nothing_reached"].startswith(f"{start} 0 of 12 in position alone. Does the tool get to any")
    T[0] = [[0, 0, -1, 0.6], [0, 1, 0, 0], [1, 0, 0, 0.252], [0, 0, 0, 1]]  # the flange would be further out
    message = found(rebel(), targets=PoseTargets(T))["nothing_reached"]
    assert message.startswith(f"{start} 1 of 12 in position alone. Ask for less, with kind = ")
    assert 'kind = "none" (position only) or kind = "free_axis" in [orientations]' in message


@pytest.mark.parametrize(
    ("orientations", "words"),
    [
        (None, "0 of 200 in position alone. Does the tool get to any of these places?"),
        (
            Orientations(kind="none"),
            "proven out of reach. Are there targets within the arm's reach? If there are, look",
        ),
    ],
)
def test_a_study_of_which_nothing_is_reached_never_looks_sound(orientations, words):
    """A slider moves on a line, beside which the centres of voxels lie."""
    rail = JointSpec.prismatic((0, 0, 0.5), (0, 0, np.pi / 2), "pos_x", JointLimits.prismatic(0.0, 1.2), name="rail")
    result = check(KinematicChain([rail]), orientations=orientations)
    assert result.reached == 0
    assert result.findings[0].name == "nothing_reached"
    assert f"0 of {result.sampled:,} sampled poses reached" in result.findings[0].message
    assert words in result.findings[0].message


def test_a_slider_asked_for_places_on_its_rail():
    rail = JointSpec.prismatic((0, 0, 0.5), (0, 0, np.pi / 2), "pos_x", JointLimits.prismatic(0.0, 1.2), name="rail")
    on_it = GridTargets(0.1, (0, 0, 0.5), (0, 1.2, 0.5))
    (finding,) = check(KinematicChain([rail]), targets=on_it).findings
    assert finding.name == "orientation"
    assert re.match(r"0 of 200 sampled targets reached, and 200 in position alone", finding.message)


def test_a_joint_that_cannot_move():
    stuck = JointSpec.revolute((0, 0, 0), (0, 0, 0), "pos_z", JointLimits.revolute(0.3, 0.3), name="stuck")
    joints = [stuck, *gantry().slots]
    message = found(KinematicChain(joints), targets=GridTargets(0.2))["immovable"]
    assert message.startswith("joint 'stuck' cannot move: its limits are 0.3 and 0.3")
    fixed = JointSpec.fixed((0, 0, 0), (0, 0, 0), name="weld")
    assert found(KinematicChain([fixed, *gantry().slots]), targets=GridTargets(0.2)) == {}


def test_a_reference_outside_the_limits():
    chain = rebel()
    reference = chain.home.copy()
    reference[2] = chain.upper_limits[2] + 1.0
    solve = MultiSeedParams(selection="nearest", reference=reference.tolist(), max_attempts=4)
    targets = GridTargets(0.3)
    message = found(chain, targets=targets, solve=solve)["reference"]
    assert message.startswith("reference[2] is ")
    assert repr(chain.joint_names[2]) in message
    inside = replace(solve, reference=chain.home.tolist())
    assert "reference" not in found(chain, targets=targets, solve=inside)


def test_tolerances_that_let_everything_pass(reachable):
    chain, T = reachable
    loose = MultiSeedParams(orientation_tolerance=1.0, position_tolerance=0.1)
    messages = found(chain, targets=PoseTargets(T), solve=loose)
    assert messages["loose_orientation"].startswith("orientation_tolerance is 1 rad, 57°")
    assert messages["loose_position"].startswith("position_tolerance is 0.1 m, and the arm reaches 0.65")
    none = Orientations(kind="none")
    assert "loose_orientation" not in found(chain, targets=PoseTargets(T), orientations=none, solve=loose)


def test_targets_that_are_there_twice(reachable):
    chain, T = reachable
    message = found(chain, targets=PoseTargets(T[[0, 1, 2, 1, 0, 3]]))["duplicates"]
    assert message.startswith("2 of the 6 targets are there already, the first of them number 3:")
    again = surface_of(T[[0, 1, 1]], -1)
    assert "duplicates" in found(chain, targets=again, orientations=FREE_Z)


def test_voxels_as_large_as_the_arm():
    message = found(rebel(), targets=GridTargets(0.6))["coarse"]
    assert message.startswith("spacing is 0.6 m, and the arm reaches 0.65")
    spacing = float(message.rpartition("= ")[2])
    assert found(rebel(), targets=GridTargets(spacing)) == {}


def test_more_poses_than_anyone_waits_for():
    message = found(rebel(), targets=GridTargets(0.01))["large"]
    assert message.startswith("575,511,296 poses take up to ")
    assert "an eighth with spacing = 0.02" in message
    assert "--shard I/N" in message


def test_placements_are_checked_as_they_are_solved(reachable):
    chain, T = reachable
    study, area = (
        ReachStudy(chain, targets=PoseTargets(moved(T[:20], p=(1, 0, 0)))),
        {"y": (-0.5, 0.5), "spacing": 0.25},
    )
    near, far = (PlacementGrid(x=x, **area) for x in ((0.5, 1.5), (9, 10)))
    result = check_study(study, placement=near, seconds=QUICK)
    summary = place(study, near).summary()
    assert (result.kind, result.shape, result.n_orientations) == ("placements", (4, 4, 8), 20)
    assert (result.sampled, result.reached) == (result.n_poses, summary["reached"])
    assert result.findings == ()
    (finding,) = check_study(study, placement=far, seconds=QUICK).findings
    assert finding.name == "base_frame"
    assert "Is the area in [placement] in the frame of the targets?" in finding.message
    millimetres = ReachStudy(chain, targets=PoseTargets(moved(T[:20], scale=1000)))
    (finding,) = check_study(millimetres, placement=near, seconds=QUICK).findings
    assert finding.message.endswith('millimetres? Write units = "mm" in [targets]')
    # A small part, which in centimetres would stick out far beyond whatever is reached from the area.
    small = ReachStudy(chain, targets=PoseTargets(moved(moved(T[:20], scale=0.4, p=(0.5, 0, 0)), scale=1000)))
    (finding,) = check_study(small, placement=near, seconds=QUICK).findings
    assert "reaches 0.653 m: millimetres? Write" in finding.message
    twice = ReachStudy(chain, targets=PoseTargets(moved(T[[0, 0, 1]], p=(1, 0, 0))))
    assert [finding.name for finding in check_study(twice, placement=near, seconds=QUICK).findings] == ["duplicates"]
    with pytest.raises(InputError):
        check_study(ReachStudy(chain), placement=near)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0123, "0.012 s"),
        (89.0, "89 s"),
        (91.0, "1.5 min"),
        (7200.0, "2 h"),
        (200_000.0, "2 days"),
        (1e9, "32 years"),
        (1e15, "32,000,000 years"),
    ],
)
def test_durations(seconds, words):
    assert duration(seconds) == words


# ------------------------------------------------------------------------------------------------ never slow


@pytest.mark.parametrize(
    "solve",
    [
        MultiSeedParams(max_attempts=10**6, max_iterations=100),
        MultiSeedParams(max_attempts=100, max_iterations=10**6, step_rule="fixed"),
        MultiSeedParams(selection="max_manipulability", max_attempts=10**4),
        MultiSeedParams(position_tolerance=1e-300, orientation_tolerance=1e-300),
    ],
)
def test_no_budget_makes_it_slow(solve):
    study = ReachStudy(rebel(), targets=GridTargets(0.2), orientations=Orientations(kind="none"), solve=solve)
    check_study(study, seconds=QUICK)  # compiles
    before = time.process_time()
    result = check_study(study, seconds=QUICK)
    assert time.process_time() - before < 10.0
    assert result.seconds[1][1] > 0.0


@pytest.mark.parametrize(
    "joints",
    [
        [JointSpec.revolute((0, 0, 0), (0, 0, 0), "pos_z", name="a")],
        [JointSpec.fixed((0, 0, 1), (0, 0, 0), name="a")],
        [JointSpec.prismatic((0, 0, 0), (0, 0, 0), "pos_z", JointLimits.prismatic(0.0, 0.0), name="a")],
        [JointSpec.prismatic((0, 0, 0), (0, 0, 0), "pos_z", JointLimits.prismatic(-1e6, 1e6), name="a")],
    ],
)
@pytest.mark.parametrize("kind", ["super_fibonacci", "none"])
def test_odd_robots_are_checked_like_any_other(joints, kind):
    targets = GridTargets(0.1, (-0.1, -0.1, 0), (0.1, 0.1, 0.1))
    result = check(KinematicChain(joints), targets=targets, orientations=Orientations(kind=kind))
    assert result.sampled == result.n_poses
    assert all(math.isfinite(value) for pair in result.seconds.values() for value in pair)


@settings(max_examples=25)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["grid", "poses", "surface"]),
    st.sampled_from([1e-4, 1.0, 1e3, 1e8]),
    st.sampled_from(["first", "max_limit_margin"]),
)
def test_whatever_is_studied_is_checked(number, kind, scale, selection):
    rng = np.random.default_rng(number)
    T = np.array([JointSpec.fixed(scale * p, rpy).origin_transform() for p, rpy in rng.normal(size=(5, 2, 3))])
    targets = {
        "grid": GridTargets(scale, (0, 0, 0), (scale, scale, 0)),
        "poses": PoseTargets(T),
        "surface": SurfaceTargets(T[:, :3, 3], T[:, :3, 0]),
    }[kind]
    solve = MultiSeedParams(selection=selection, max_attempts=3)
    way = FREE_Z if kind == "surface" else None
    result = check(random_chain(rng), targets=targets, orientations=way, solve=solve, seconds=0.01)
    assert result.sampled == result.reached + result.not_found + result.proven_unreachable
    assert all(finding.message for finding in result.findings)


def test_a_single_target_is_checked():
    chain = rebel()
    result = check(chain, targets=PoseTargets(rj.forward_kinematics(chain, chain.home)))
    assert (result.sampled, result.reached, result.findings) == (1, 1, ())


def test_no_time_means_a_few_poses():
    assert check(rebel(), seconds=1e-9).sampled >= 1


def test_metrics_that_take_long_are_counted():
    targets, way = GridTargets(0.3), Orientations(kind="super_fibonacci", n=8)
    plain = check(rebel(), targets=targets, orientations=way, metrics=())
    slow = check(rebel(), targets=targets, orientations=way, metrics=("n_solutions",))
    assert slow.seconds[1][0] > plain.seconds[1][0]


def test_a_calibration_counts():
    status = np.array([1, 2, 2, 3], np.int8)
    calibration = Calibration(T=np.empty((4, 4, 4)), status=status, low=1.0, high=1.0, finish_seconds=0.0)
    assert [calibration.count(outcome) for outcome in (1, 2, 3)] == [1, 2, 1]


def test_no_minus_stands_before_a_zero():
    assert vector(np.array([-0.0004, -0.0, -0.0006])) == "(0.000, 0.000, -0.001)"
