"""The viewer: what is shown as arrays and text, and a server that starts, serves and ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Self

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import to_rgb

import repose_jit as rj
from repose_jit.errors import InputError, ReposeError
from repose_jit.reach import view as view_room
from repose_jit.reach.figures.outcomes import OUTCOMES
from repose_jit.reach.plot import plot
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.report import report
from repose_jit.reach.status import ReachStatus
from repose_jit.reach.view import Viewer, view
from repose_jit.reach.viewing import cloud as cloud_room
from repose_jit.reach.viewing.cloud import INDEX, OUTCOME, PALE, Cloud, Cut
from repose_jit.reach.viewing.panel import colour_key, map_text, site_text, solution_text
from repose_jit.reach.viewing.skeleton import skeleton
from repose_jit.reach.viewing.solutions import SAVED, SOLVED_AGAIN, Solutions
from tests.reach.synthetic import (
    grid_poses,
    painted,
    rotations_as_poses,
    write_solved_store,
    write_store,
)

REACHED, NOT_FOUND, PROVEN = ReachStatus.REACHED, ReachStatus.NOT_FOUND, ReachStatus.PROVEN_UNREACHABLE


def gradient(path: Path) -> ReachMap:
    """A grid of 6 × 5 × 4 voxels: i of 5 orientations reached at x = 0.1 i, none at x = 0 and proven so at y = 0."""
    status = np.full((6, 5, 4, 5), NOT_FOUND)
    for i in range(6):
        status[i, :, :, :i] = REACHED
    status[0, 0] = PROVEN
    metrics = {"sigma_min": np.where(status == REACHED, 0.3, np.nan)}
    return write_store(path, status, metrics=metrics)


def solved(path: Path, *, save_q: bool = True) -> ReachMap:
    axes = {"x": np.array([0.25, 0.35]), "y": np.array([0.0, 0.1]), "z": np.array([0.1])}
    rotations = rj.super_fibonacci(24)
    poses = grid_poses(axes, rotations)
    return write_solved_store(
        path,
        rj.igus_rebel_chain(),
        poses,
        coordinates=axes,
        local_poses=rotations_as_poses(rotations),
        save_q=save_q,
    )


def test_only_reached_sites_are_shown_unless_asked(tmp_path: Path) -> None:
    cloud = Cloud(gradient(tmp_path / "map"))
    index = cloud.quantity(INDEX)
    assert len(cloud.shown(index).sites) == 100
    everything = cloud.shown(index, only_reached=False)
    assert len(everything.sites) == 120
    np.testing.assert_array_equal(everything.points, cloud.points)
    assert everything.has_proven
    assert not cloud.shown(index).has_proven


def test_colours_are_those_of_the_map_and_grey_where_proven(tmp_path: Path) -> None:
    cloud = Cloud(gradient(tmp_path / "map"))
    shown = cloud.shown(cloud.quantity(INDEX), only_reached=False)
    colours = shown.colours.reshape(6, 5, 4, 3)
    for i, part in enumerate(np.linspace(0.0, 1.0, 6)):
        expected = np.rint(255 * np.array(colormaps["viridis"](part)[:3]))
        assert (colours[i, 1:] == expected).all()
    grey = np.rint(255 * np.array(to_rgb(OUTCOMES[PROVEN].colour)))
    assert (colours[0, 0] == grey).all()


def test_a_threshold_hides_what_is_below_and_what_has_no_value(tmp_path: Path) -> None:
    reach_map = gradient(tmp_path / "map")
    cloud, proven = Cloud(reach_map), reach_map.site("n_proven_unreachable") == 5
    shown = cloud.shown(cloud.quantity(INDEX), threshold=60.0, only_reached=False)
    assert shown.points[:, 0].min() == pytest.approx(0.3)
    mean = cloud.quantity("least singular value σ_min, mean")
    assert mean.top == pytest.approx(0.3)
    assert len(cloud.shown(mean, threshold=0.1, only_reached=False).sites) == 100
    everything = cloud.shown(mean, only_reached=False)
    assert len(everything.sites) == 120
    # Without a value is not the same as with a value of 0.
    pale = np.all(everything.colours == np.rint(255 * np.array(to_rgb(PALE))), axis=1)
    np.testing.assert_array_equal(pale.reshape(6, 5, 4), np.isnan(mean.values.reshape(6, 5, 4)) & ~proven)
    assert "pale: no value" in colour_key(mean, everything, reach_map)


@pytest.mark.parametrize(("is_layer", "n"), [(False, 4 * 20), (True, 20)])
def test_a_cut_hides_what_is_beyond(is_layer: bool, n: int, tmp_path: Path) -> None:
    cloud = Cloud(gradient(tmp_path / "map"))
    shown = cloud.shown(cloud.quantity(INDEX), only_reached=False, cut=Cut(axis=0, at=0.3, is_layer=is_layer))
    assert len(shown.sites) == n
    assert shown.points[:, 0].max() == pytest.approx(0.3)


def test_many_sites_are_thinned_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cloud_room, "MOST_POINTS", 30)
    reach_map = gradient(tmp_path / "map")
    cloud = Cloud(reach_map)
    shown = cloud.shown(cloud.quantity(INDEX))
    assert (len(shown.sites), shown.step) == (25, 4)
    assert "25 voxels shown, one of 4" in colour_key(cloud.quantity(INDEX), shown, reach_map)


def test_what_is_not_computed_is_not_shown(tmp_path: Path) -> None:
    status = np.full((4, 3, 2, 1), REACHED)
    status[2:] = ReachStatus.UNINITIALIZED
    cloud = Cloud(write_store(tmp_path / "map", status))
    assert cloud.labels()[0] == OUTCOME
    shown = cloud.shown(cloud.quantity(OUTCOME), only_reached=False)
    assert shown.points[:, 0].max() == pytest.approx(0.1)
    assert (shown.colours == np.rint(255 * np.array(to_rgb(OUTCOMES[REACHED].colour)))).all()


def test_a_ray_meets_the_first_site_on_its_way(tmp_path: Path) -> None:
    cloud = Cloud(gradient(tmp_path / "map"))
    shown = cloud.shown(cloud.quantity(INDEX))
    towards = np.array([0.2, 0.0, 0.0])
    site = cloud.pick(shown, np.array([5.0, 0.21, 0.11]), -towards)
    assert site is not None
    assert cloud.site_index(site) == (5, 2, 1)
    site = cloud.pick(shown, np.array([-5.0, 0.21, 0.11]), towards)
    assert site is not None
    assert cloud.site_index(site) == (1, 2, 1)  # nothing is reached at x = 0, so nothing is drawn there
    assert cloud.pick(shown, np.array([5.0, 0.21, 0.11]), towards) is None
    assert cloud.pick(shown, np.array([5.0, 0.21, 0.9]), -towards) is None


@pytest.mark.parametrize("save_q", [True, False])
def test_every_solution_takes_its_pose(save_q: bool, tmp_path: Path) -> None:
    reach_map = solved(tmp_path / "map", save_q=save_q)
    solutions = Solutions(reach_map)
    seen = 0
    for index in np.ndindex(*reach_map.shape):
        site = solutions.site(index)
        assert site.reached == np.flatnonzero(reach_map.pose("status", index) == REACHED).tolist()
        for orientation in site.reached:
            solution = solutions.solution(index, orientation)
            assert solution.source == (SAVED if save_q else SOLVED_AGAIN)
            assert solution.q is not None
            T = rj.forward_kinematics(reach_map.chain, solution.q)
            np.testing.assert_allclose(T[:3, 3], site.position, atol=2e-4)
            np.testing.assert_allclose(T, solution.target, atol=2e-3)
            assert dict(solution.metrics).keys() == {
                "manipulability w",
                "least singular value σ_min",
                "inverse condition σ_min/σ_max",
                "joint limit margin",
            }
            seen += 1
    assert seen > 5


def test_a_pose_that_is_not_found_again_says_so(tmp_path: Path) -> None:
    site_poses = np.eye(4)[None].copy()
    site_poses[0, :3, 3] = 9.0, 0.0, 0.0
    reach_map = write_store(tmp_path / "map", np.full((1, 1), REACHED), kind="poses", site_poses=site_poses)
    solution = Solutions(reach_map).solution((0,), 0)
    assert solution.q is None
    assert "not found again" in solution_text(solution, reach_map.chain)


def test_a_free_axis_is_solved_for_again(tmp_path: Path) -> None:
    chain = rj.igus_rebel_chain()
    T = rj.forward_kinematics(chain, chain.home)
    orientations = {"kind": "free_axis", "tool_axis": "z"}
    reach_map = write_store(
        tmp_path / "map",
        np.full((1, 1), REACHED),
        kind="poses",
        site_poses=T[None],
        orientations=orientations,
        free_axis="z",
    )
    solution = Solutions(reach_map).solution((0,), 0)
    assert solution.q is not None
    reached = rj.forward_kinematics(chain, solution.q)
    np.testing.assert_allclose(reached[:3, 2], T[:3, 2], atol=2e-3)
    np.testing.assert_allclose(reached[:3, 3], T[:3, 3], atol=2e-4)


def test_a_skeleton_is_the_robot_from_the_base_to_the_tool() -> None:
    chain = rj.igus_rebel_chain()
    q = np.full(chain.n_joints, 0.3)
    robot = skeleton(chain, q)
    np.testing.assert_array_equal(robot.tool, rj.forward_kinematics(chain, q))
    np.testing.assert_array_equal(robot.sticks[0, 0], 0.0)
    np.testing.assert_array_equal(robot.sticks[-1, 1], robot.tool[:3, 3])
    np.testing.assert_array_equal(robot.sticks[1:, 0], robot.sticks[:-1, 1])
    assert len(robot.joints) == len(chain.slots)


def test_texts_escape_what_the_study_holds(tmp_path: Path) -> None:
    reach_map = painted(tmp_path / "map", REACHED)
    reach_map.attributes["robot"] = "<script>{alert(1)}"
    assert "<script>" not in map_text(reach_map)
    text = site_text(Solutions(reach_map).site((5, 1, 2)), reach_map)
    assert "Voxel at x 0.5, y 0.1, z 0.2 m" in text
    assert "8 orientations: 8 reached" in text
    assert "orientation 0, 1, 2, 3, 4, 5, 6, 7" in text


@pytest.fixture
def viewer(tmp_path: Path) -> object:
    with Viewer(solved(tmp_path / "map"), port=0) as viewer:
        yield viewer


def test_a_viewer_serves_chooses_steps_and_slices(viewer: Viewer) -> None:
    with urllib.request.urlopen(viewer.address, timeout=10) as answer:
        assert answer.status == 200
        assert b"<html" in answer.read(5_000)
    n = len(viewer.shown.sites)
    assert n > 2
    place = viewer.shown.points[0]
    viewer.click((place + (0.0, 0.0, 3.0)).tolist(), (0.0, 0.0, -1.0))
    assert viewer.site is not None
    np.testing.assert_allclose(viewer.site.position, place)
    viewer.click((0.0, 0.0, 50.0), (0.0, 0.0, 1.0))  # past everything: nothing changes
    np.testing.assert_allclose(viewer.site.position, place)
    reached = viewer.site.reached
    assert len(reached) > 1
    assert f"<b>Orientation {reached[0]}</b>" in viewer._solution_text.content
    viewer._step.value = 2
    assert f"<b>Orientation {reached[1]}</b>" in viewer._solution_text.content
    np.testing.assert_allclose(viewer._tool.position, place, atol=2e-4)
    viewer._cut_axis.value = "x"
    assert viewer._plane.visible
    viewer._cut_at.value = 0.25
    assert 0 < len(viewer.shown.sites) < n
    np.testing.assert_allclose(viewer.shown.points[:, 0], 0.25)
    np.testing.assert_allclose(viewer._plane.position[0], 0.25)
    viewer._cut_axis.value = "off"
    assert len(viewer.shown.sites) == n
    assert not viewer._plane.visible
    viewer._colour_by.value = "joint limit margin, largest"
    assert "joint limit margin, largest" in viewer._key.content


def test_a_map_with_nothing_reached_shows_what_was_tried(tmp_path: Path) -> None:
    with Viewer(painted(tmp_path / "map", NOT_FOUND), port=0) as viewer:
        assert len(viewer.shown.sites) == 120
        viewer.choose((0, 0, 0))
        assert "8 not found" in viewer._site_text.content
        assert not viewer._solution_text.visible
        assert not viewer._tool.visible


def test_a_lone_voxel_is_shown_and_cut(tmp_path: Path) -> None:
    with Viewer(painted(tmp_path / "map", REACHED, (1, 1, 1, 1)), port=0) as viewer:
        viewer._cut_axis.value = "z"
        assert len(viewer.shown.sites) == 1


def test_ctrl_c_ends_it_cleanly(tmp_path: Path) -> None:
    painted(tmp_path / "map", REACHED)
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from repose_jit.reach.view import view\n"
        "import repose_jit as rj\n"
        "view(rj.ReachMap.open(sys.argv[1]), port=0, say=lambda text: print(text, flush=True))\n"
        "print('after')\n"
    )
    command = [sys.executable, "-c", code, tmp_path / "map"]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "shows the map" in line:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    assert out.startswith("closed")
    assert out.rstrip().endswith("after")
    assert "Traceback" not in err


def test_a_path_is_opened_and_the_browser_if_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reach_map, opened, said = painted(tmp_path / "map", REACHED), [], []

    def open_map(path: Path) -> ReachMap:
        opened.append(path)
        return reach_map

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ReachMap, "open", open_map)
    monkeypatch.setattr(view_room.threading, "Event", lambda: type("Event", (), {"wait": lambda self: interrupt()})())
    monkeypatch.setattr(view_room, "Viewer", StillViewer)
    monkeypatch.setattr(view_room.webbrowser, "open", said.append)
    view(tmp_path / "map", open_browser=True, say=said.append)
    assert opened == [tmp_path / "map"]
    assert said == ["here shows the map; Ctrl-C ends it", "here", "closed"]


class StillViewer:
    """Stands in for the viewer where no server is needed."""

    address = "here"

    def __init__(self, reach_map: ReachMap, *, host: str, port: int) -> None:
        assert (host, port) == ("127.0.0.1", 8080)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass


@pytest.mark.parametrize("save_q", [True, False])
def test_a_study_as_it_is_run_is_drawn_reported_and_viewed(save_q: bool, tmp_path: Path) -> None:
    orientations = rj.Orientations(kind="free_axis", tool_axis="-z", n=12)
    study = rj.ReachStudy(
        rj.preset("igus_rebel").chain(), targets=rj.GridTargets(spacing=0.25), orientations=orientations, save_q=save_q
    )
    study.run(tmp_path / "map")
    reach_map = ReachMap.open(tmp_path / "map")
    assert plot(reach_map, tmp_path / "map.png").stat().st_size > 10_000
    assert "−z axis points in 12 directions" in report(reach_map, tmp_path / "map.html").read_text(encoding="utf-8")
    solutions, cloud = Solutions(reach_map), Cloud(reach_map)
    shown = cloud.shown(cloud.quantity(INDEX))
    assert len(shown.sites) > 20
    for site in shown.sites[::7]:
        index = cloud.site_index(int(site))
        for orientation in solutions.site(index).reached:
            solution = solutions.solution(index, orientation)
            assert solution.q is not None
            T = rj.forward_kinematics(reach_map.chain, solution.q)
            np.testing.assert_allclose(T[:3, 2:], solution.target[:3, 2:], atol=2e-3)  # the axis and the place


def test_wrong_arguments_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    placements = write_store(tmp_path / "placements", np.full((2, 2, 2, 3), 1), kind="placements")
    with pytest.raises(InputError, match="got a map of placements, expected a grid, a surface or poses"):
        view(placements)
    with pytest.raises(InputError, match="reach_map: got int, expected a ReachMap"):
        view(5)  # type: ignore[arg-type]
    reach_map = painted(tmp_path / "map", REACHED)
    with pytest.raises(InputError, match="port: got 70000"):
        view(reach_map, port=70_000)
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(ReposeError, match=r"pip install 'repose_jit\[view\]'"):
        view(reach_map)
