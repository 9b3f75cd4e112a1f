"""Placements of the base: laws of moving the world, each placement a study of its own, an arm on paper."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.errors import InputError
from repose_jit.reach.placement import targets as module
from repose_jit.reach.placement.grid import ExcludedBox, PlacementGrid
from repose_jit.reach.placement.placing import PlacementResult, place, placement_config, placement_job
from repose_jit.reach.placement.targets import placement_targets
from repose_jit.records import record
from tests.reach.robots import rebel, shell_arm
from tests.reach.small_stores import files, make_small
from tests.reference import transform

FEW = rj.MultiSeedParams(max_attempts=8)


@pytest.fixture(autouse=True, scope="module")
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_small(monkeypatch)
        yield


def task_poses(n: int = 10, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([transform(rng.uniform(-0.5, 0.5, 3) + (0, 0, 0.5), rng.uniform(-3, 3, 3)) for _ in range(n)])


def pose_study(T: np.ndarray, **settings: Any) -> rj.ReachStudy:
    return rj.ReachStudy(rebel(), targets=rj.PoseTargets(T), **({"solve": FEW} | settings))


GRID = PlacementGrid(x=(-0.75, 0.75), y=(-0.5, 0.5), z=0.125, spacing=0.25, n_yaw=4)


@pytest.fixture(scope="module")
def result() -> PlacementResult:
    return place(pose_study(task_poses(), save_q=True), GRID, threads=2)


def statuses(result: PlacementResult) -> np.ndarray:
    return np.array([result.reach_map.pose("status", site) for site in range(result.reach_map.n_sites)]).reshape(
        *result.reach_map.shape, -1
    )


def test_the_map_is_one_of_placements(result: PlacementResult) -> None:
    reach_map = result.reach_map
    assert reach_map.kind == "placements"
    assert reach_map.dims == ("x", "y", "yaw")
    assert reach_map.shape == GRID.shape == (6, 4, 4)
    assert result.n_tasks == reach_map.n_orientations == 10
    assert result.spacing == 0.25
    np.testing.assert_array_equal(reach_map.coordinates["yaw"], [0, math.pi / 2, math.pi, 1.5 * math.pi])
    np.testing.assert_array_equal(reach_map.site_positions()[:, :, 0], GRID.positions)
    assert reach_map.n_chunks > 2
    assert reach_map.is_complete
    assert 0 < reach_map.summary()["reached"] < reach_map.n_poses


def test_the_poses_are_those_of_the_task_seen_from_the_base() -> None:
    task = pose_study(task_poses()).target_set
    grid = replace(GRID, n_yaw=7)
    targets = placement_targets(task, grid)
    T = targets.poses(np.arange(targets.n_sites)).reshape(*grid.shape, 10, 4, 4)
    for i, x in enumerate(grid.axes[0]):
        for j, y in enumerate(grid.axes[1]):
            for k, yaw in enumerate(grid.yaws):
                seen = np.linalg.inv(transform((x, y, grid.z), (0, 0, yaw))) @ task_poses()
                np.testing.assert_allclose(T[i, j, k], seen, atol=1e-14)


def test_quarter_turns_are_exact() -> None:
    targets = placement_targets(pose_study(task_poses()).target_set, GRID)
    assert targets.site_poses is not None
    R = targets.site_poses[:4, :3, :3]
    np.testing.assert_array_equal(
        R, [[[c, s, 0], [-s, c, 0], [0, 0, 1]] for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    )


@pytest.mark.parametrize("shift", [(0.5, -0.25, 0.0), (-1024.0, 64.0, 8.0)])
def test_moving_the_task_and_the_bases_together_changes_nothing(
    shift: tuple[float, float, float], result: PlacementResult
) -> None:
    T = task_poses()
    T[:, :3, 3] = np.round(T[:, :3, 3] * 2**30) / 2**30  # so that sums are exact, near and far
    here = place(pose_study(T), GRID)
    T[:, :3, 3] += shift
    x, y, z = shift
    (x0, x1), (y0, y1) = GRID.x, GRID.y
    there = place(pose_study(T), replace(GRID, x=(x0 + x, x1 + x), y=(y0 + y, y1 + y), z=GRID.z + z))
    np.testing.assert_array_equal(statuses(here), statuses(there))
    for name in ("manipulability_mean", "limit_margin_max"):
        np.testing.assert_array_equal(here.reach_map.site(name), there.reach_map.site(name))


def test_turning_the_task_and_the_bases_together_changes_nothing(result: PlacementResult) -> None:
    quarter = transform((0, 0, 0), (0, 0, math.pi / 2)).round()
    turned = place(pose_study(quarter @ task_poses()), replace(GRID, x=(-0.5, 0.5), y=(-0.75, 0.75)))

    def back(values: np.ndarray) -> np.ndarray:
        """Bring (x, y, yaw) to (−y, x, yaw + 90°)."""
        return np.roll(values, 1, axis=2).swapaxes(0, 1)[::-1]

    np.testing.assert_array_equal(back(statuses(result)), statuses(turned))
    mean = back(result.reach_map.site("manipulability_mean"))
    np.testing.assert_array_equal(mean, turned.reach_map.site("manipulability_mean"))


@pytest.mark.parametrize("site", [0, 37, 58, 95])
def test_a_placement_is_a_study_of_the_moved_poses(site: int, result: PlacementResult) -> None:
    i, j, k = np.unravel_index(site, GRID.shape)
    base = transform((GRID.axes[0][i], GRID.axes[1][j], GRID.z), (0, 0, GRID.yaws[k]))
    alone = pose_study(np.linalg.inv(base) @ task_poses()).run()
    np.testing.assert_array_equal(alone.site("n_reached"), result.reach_map.pose("status", site) == 1)
    np.testing.assert_allclose(
        np.nanmean(alone.site("manipulability_mean")) if alone.site("n_reached").any() else np.nan,
        result.reach_map.site("manipulability_mean")[i, j, k],
        rtol=1e-3,
    )
    assert int(result.n_reached[i, j, k]) == alone.summary()["reached"]


def test_an_arm_on_paper_is_placed_on_its_ring() -> None:
    """The wrist of the shell arm reaches what is 0.1 to 0.5 m from its shoulder, in every orientation."""
    at = np.array([3.0, -2.0, 0.55])
    study = rj.ReachStudy(shell_arm(0.3, 0.2), targets=rj.PoseTargets(transform(at, (0.3, 1.0, -0.5))[None]))
    grid = PlacementGrid(x=(2.3, 3.7), y=(-2.7, -1.3), z=0.1, spacing=0.05, n_yaw=3)
    result = place(study, grid)
    distance = np.linalg.norm(grid.positions + (0, 0, 0.4) - at, axis=-1)
    clear = np.minimum(np.abs(distance - 0.1), np.abs(distance - 0.5)) > 0.005
    assert clear.mean() > 0.9
    inside = (distance > 0.1) & (distance < 0.5)
    for yaw in range(3):
        np.testing.assert_array_equal(result.n_reached[..., yaw][clear], inside[clear])
    assert 0 < inside.sum() < inside.size
    (best,) = result.best(1)
    assert 0.1 < math.dist((best.x, best.y, 0.5), at) < 0.5


def test_bases_in_a_box_are_excluded(result: PlacementResult) -> None:
    boxes = (ExcludedBox(min=(-0.7, -0.5), max=(-0.2, 0.0)), ExcludedBox(min=(0.6, 0.3), max=(0.7, 0.4)))
    grid = replace(GRID, exclude=boxes)
    with_boxes = place(pose_study(task_poses()), grid)
    left_out = np.broadcast_to(grid.excluded[..., None], grid.shape)
    assert 0 < left_out.sum() < left_out.size
    status = statuses(with_boxes)
    assert np.all(status[left_out] == rj.ReachStatus.EXCLUDED)
    np.testing.assert_array_equal(status[~left_out], statuses(result)[~left_out])
    assert np.all(with_boxes.n_reached[left_out] == 0)
    for one in with_boxes.best(50, spacing=0.0):
        assert not any(b.min[0] <= one.x <= b.max[0] and b.min[1] <= one.y <= b.max[1] for b in boxes)
    summary = with_boxes.reach_map.summary()
    assert summary["excluded"] == left_out.sum() * 10
    assert "excluded" in with_boxes.summary_text()


def test_the_best_reach_most_and_of_equals_the_most_dexterous(result: PlacementResult) -> None:
    mean = result.reach_map.site("manipulability_mean")
    every = result.best(10_000, spacing=0.0)
    assert len(every) == np.count_nonzero(result.n_reached)
    keys = [(-one.reached, -one.metrics["manipulability"]) for one in every]
    assert keys == sorted(keys)
    x, y, yaw = (result.reach_map.coordinates[name] for name in ("x", "y", "yaw"))
    for one in every[::7]:
        index = (np.argmin(np.abs(x - one.x)), np.argmin(np.abs(y - one.y)), np.argmin(np.abs(yaw - one.yaw)))
        assert one.reached == result.n_reached[index]
        assert one.metrics["manipulability"] == mean[index]
        assert set(one.metrics) == set(result.reach_map.metrics)


def test_without_manipulability_the_first_of_equals_comes_first() -> None:
    result = place(pose_study(task_poses(), metrics=("limit_margin",)), GRID)
    every = result.best(10_000, spacing=0.0)
    keys = [(-one.reached, one.x, one.y, one.yaw) for one in every]
    assert keys == sorted(keys)


@pytest.mark.parametrize("spacing", [None, 0.25, 0.26, 0.75, 10.0])
def test_the_best_stand_apart(spacing: float | None, result: PlacementResult) -> None:
    chosen = result.best(1000, spacing=spacing)
    least = 0.5 if spacing is None else spacing
    for i, one in enumerate(chosen):
        assert all(math.dist((one.x, one.y), (other.x, other.y)) >= least * (1 - 1e-9) for other in chosen[:i])
    # Whatever was left out stands near one that is at least as good.
    for other in result.best(10_000, spacing=0.0):
        near = [one for one in chosen if math.dist((one.x, one.y), (other.x, other.y)) < least * (1 - 1e-9)]
        assert other in chosen or any(one.reached >= other.reached for one in near)
    assert chosen[0] == result.best(1)[0]
    assert (len(chosen) == 1) == (spacing == 10.0)


def test_of_ten_poses_one_is_out_of_reach_from_everywhere(result: PlacementResult) -> None:
    T = task_poses()
    T[7, 2, 3] = 5.0  # five metres high
    high = place(pose_study(T), GRID)
    counts = high.placements_per_task()
    assert counts[7] == 0
    before = result.placements_per_task()
    np.testing.assert_array_equal(np.delete(counts, 7), np.delete(before, 7))
    assert before[7] > 0
    assert high.summary()["never_reached"] == [int(i) for i in np.flatnonzero(counts == 0)]
    assert 7 in high.summary()["never_reached"]
    assert high.best(1)[0].reached <= 9
    text = high.summary_text()
    assert "reached from no placement: " in text
    assert text.splitlines()[1].strip() == "96 placements of the base × 10 poses of the task"
    assert "collisions are not checked" in text


def test_a_task_out_of_reach_has_no_best_placement() -> None:
    T = task_poses(3)
    T[:, 2, 3] = 50.0
    result = place(pose_study(T), GRID)
    assert result.best() == []
    assert "best placements: none reaches a pose of the task" in result.summary_text()


def test_interrupted_and_resumed_is_the_same_to_the_byte(tmp_path: Path) -> None:
    study, grid = pose_study(task_poses(), save_q=True), replace(GRID, exclude=(ExcludedBox(min=(0, 0), max=(1, 1)),))
    place(study, grid, tmp_path / "whole.zarr", threads=2)

    def stop(report: rj.ChunkReport) -> None:
        if report.n_done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        place(study, grid, tmp_path / "map.zarr", threads=1, progress=stop)
    partly = PlacementResult.open(tmp_path / "map.zarr")
    assert not partly.reach_map.is_complete
    assert "not finished" in partly.summary_text()
    assert all(one.reached > 0 for one in partly.best())
    place(study, grid, tmp_path / "map.zarr", resume=True)
    assert files(tmp_path / "map.zarr") == files(tmp_path / "whole.zarr")
    with pytest.raises(InputError, match=r"study\.placement\.n_yaw = 4, and this one has 5"):
        place(study, replace(grid, n_yaw=5), tmp_path / "map.zarr", resume=True)


def test_a_store_of_placements_resumes_by_itself_merges_verifies_and_exports(tmp_path: Path) -> None:
    import pandas as pd

    study, grid = pose_study(task_poses(), save_q=True), replace(GRID, exclude=(ExcludedBox(min=(0, 0), max=(1, 1)),))
    result = place(study, grid, tmp_path / "whole.zarr", threads=2)
    paths = [tmp_path / f"{i}.zarr" for i in (1, 2, 3)]
    for i, path in enumerate(paths, start=1):
        place(study, grid, path, shard=(i, 3))
    rj.merge_stores(tmp_path / "merged.zarr", paths)
    assert files(tmp_path / "merged.zarr") == files(tmp_path / "whole.zarr")
    report = rj.verify_store(tmp_path / "merged.zarr", repeat=2)
    assert report.findings == ()
    assert report.n_configurations == result.reach_map.summary()["reached"] > 0
    rj.resume_study(tmp_path / "merged.zarr")
    table = pd.read_csv(rj.export_map(result.reach_map, tmp_path / "sites.csv")).sort_values("site")
    places = np.broadcast_to(grid.positions[:, :, None], (*grid.shape, 3)).reshape(-1, 3)
    np.testing.assert_array_equal(table[["base_x", "base_y", "base_z"]], places)
    np.testing.assert_array_equal(table.base_yaw.to_numpy().reshape(grid.shape)[0, 0], grid.yaws)
    poses = pd.read_csv(rj.export_map(result.reach_map, tmp_path / "poses.csv", poses=True))
    assert {"base_x", "x", "qw", "q_joint1"} <= set(poses)
    assert (poses.status == "excluded").sum() == result.reach_map.summary()["excluded"]
    assert rj.export_map(result.reach_map, tmp_path / "sites.ply").stat().st_size > 4 * 8 * result.reach_map.n_sites


def test_what_counts_of_a_pose_is_kept() -> None:
    rng = np.random.default_rng(3)
    surface = rj.SurfaceTargets(rng.uniform(-0.3, 0.3, (5, 3)) + (0, 0, 0.4), rng.normal(size=(5, 3)))
    for targets, orientations, k in (
        (surface, rj.Orientations(kind="directions", tool_axis="z", approach="-normal", n_roll=6), 30),
        (surface, rj.Orientations(kind="free_axis", tool_axis="-x", approach="+normal"), 5),
        (surface, rj.Orientations(kind="none"), 5),
        (rj.PoseTargets(task_poses(4)), rj.Orientations(kind="free_axis", tool_axis="y"), 4),
    ):
        study = rj.ReachStudy(rebel(), targets=targets, orientations=orientations, solve=FEW)
        result = place(study, GRID)
        assert result.n_tasks == k
        for name in ("free_axis", "axis_mask"):
            assert getattr(result.reach_map.targets, name) == getattr(study.target_set, name)
            assert getattr(placement_job(study, GRID).solve, name) == getattr(study.target_set, name)
        np.testing.assert_array_equal(
            result.reach_map.local_poses, study.target_set.poses(np.arange(study.target_set.n_sites)).reshape(-1, 4, 4)
        )
        # The base at the origin of the world is the study itself.
        home = place(study, PlacementGrid(x=(0, 0), y=(0, 0), spacing=0.1, n_yaw=1))
        alone = study.run()
        assert home.reach_map.summary()["reached"] == alone.summary()["reached"]
        assert home.n_reached[0, 0, 0] == alone.site("n_reached").sum()


@pytest.mark.parametrize(
    "exclude", [(), (ExcludedBox(min=(0, 0), max=(1, 1)), ExcludedBox(min=(-1, 0), max=(-0.5, 1)))]
)
def test_what_is_stored_reads_back_as_the_study_and_the_grid(exclude: Any, tmp_path: Path) -> None:
    study, grid = pose_study(task_poses()), replace(GRID, exclude=exclude)
    result = place(study, grid, tmp_path / "map.zarr")
    config = tomllib.loads(result.reach_map.attributes["study"])
    assert config == placement_config(study, grid)
    assert config | {"placement": 0} == study.to_config() | {"placement": 0}
    assert record(PlacementGrid)(config["placement"], "placement") == grid
    opened = PlacementResult.open(tmp_path / "map.zarr")
    assert opened.best() == result.best()
    assert opened.spacing == grid.spacing


def test_it_is_drawn_with_its_own_best(
    result: PlacementResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from repose_jit.reach.figures import placements as room

    marked: list[np.ndarray] = []
    mark = room._mark
    monkeypatch.setattr(room, "_mark", lambda *args: (marked.append(args[1]), mark(*args)))
    path = result.plot(tmp_path / "bases.png", best=3)
    assert path.read_bytes().startswith(b"\x89PNG")
    np.testing.assert_array_equal(marked[0], [(one.x, one.y, one.yaw) for one in result.best(3)])


def test_what_is_no_task_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    grid_study = rj.ReachStudy(rebel(), targets=rj.GridTargets(spacing=0.5))
    with pytest.raises(InputError, match="got a task of kind 'grid', expected the points of a surface or poses"):
        place(grid_study, GRID)
    with pytest.raises(InputError, match="study: got KinematicChain, expected a ReachStudy"):
        place(rebel(), GRID)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="grid: got dict, expected a PlacementGrid"):
        place(pose_study(task_poses()), {})  # type: ignore[arg-type]
    monkeypatch.setattr(module, "MAX_TASK", 9)
    with pytest.raises(InputError, match="got a task of 10 poses, expected at most 9"):
        place(pose_study(task_poses()), GRID)
    fine = PlacementGrid(x=(0, 10), y=(0, 10), spacing=0.01, n_yaw=10)
    monkeypatch.setattr(module, "MAX_TASK", 10**6)
    with pytest.raises(InputError, match="expected at most 1e"):
        placement_targets(pose_study(np.tile(task_poses(1), (1001, 1, 1))).target_set, fine)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "n: got 0, expected an integer ≥ 1"),
        ({"spacing": -0.1}, r"spacing: got -0\.1, expected a finite number of metres ≥ 0"),
        ({"spacing": math.nan}, "spacing: got nan"),
        ({"spacing": "1m"}, "spacing: got '1m', expected a number"),
    ],
)
def test_bad_wishes_are_named(arguments: dict[str, Any], message: str, result: PlacementResult) -> None:
    with pytest.raises(InputError, match=message):
        result.best(**arguments)


def test_a_map_of_something_else_is_refused() -> None:
    other = pose_study(task_poses(2)).run()
    with pytest.raises(InputError, match="got a map of kind 'poses', expected 'placements'"):
        PlacementResult(other)
    with pytest.raises(InputError, match="got ReachStudy, expected a ReachMap"):
        PlacementResult(pose_study(task_poses(2)))  # type: ignore[arg-type]
