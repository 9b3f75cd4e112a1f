"""What users of other tools complain about, each as they would meet it: it must not happen here."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.errors import InputError, ReposeError
from repose_jit.reach.check.diagnosis import check_study
from repose_jit.reach.engine.chunk_report import ChunkReport
from repose_jit.reach.plot import plot
from repose_jit.reach.report import report
from tests.reach.processes import digests, orphans
from tests.reach.processes import small_study as shell_study
from tests.reach.robots import ORIGIN, rebel, shell_arm
from tests.reach.stores import cut_fine, small_study

# ------------------------------------------------------------------------------------------ everything is "unreachable"


def wall(distance: float = 0.35) -> tuple[np.ndarray, np.ndarray]:
    """Return points of a wall in front of the robot, and its normals, which point back at the robot."""
    y, z = np.meshgrid(np.linspace(-0.15, 0.15, 10), np.linspace(0.25, 0.5, 10))
    points = np.stack([np.full_like(y, distance), y, z], axis=-1).reshape(-1, 3)
    return points, np.tile([-1.0, 0.0, 0.0], (len(points), 1))


def wall_study(approach: str, points: np.ndarray | None = None) -> rj.ReachStudy:
    at, normals = wall()
    return rj.ReachStudy(
        rebel(),
        targets=rj.SurfaceTargets(at if points is None else points, normals),
        orientations=rj.Orientations(kind="free_axis", tool_axis="z", approach=approach),  # type: ignore[arg-type]
    )


def test_a_tool_axis_the_wrong_way_round_is_found_and_the_remedy_helps() -> None:
    wrong = check_study(wall_study("+normal"), seconds=0.2)
    assert wrong.reached < 0.3 * wrong.sampled
    finding = next(finding for finding in wrong.findings if finding.name == "opposed")
    assert "opposed in" in finding.message
    assert 'approach = "-normal"' in finding.message
    right = check_study(wall_study("-normal"), seconds=0.2)
    assert right.reached > 0.9 * right.sampled
    assert right.findings == ()


def test_millimetres_for_metres_are_found_and_the_remedy_helps(tmp_path: Path) -> None:
    points, normals = wall()
    finding = check_study(wall_study("-normal", 1e3 * points), seconds=0.2).findings[0]
    assert finding.name == "units"
    assert "millimetres?" in finding.message
    assert 'units = "mm"' in finding.message
    file = tmp_path / "wall.csv"
    rows = np.hstack([1e3 * points, normals])
    file.write_text("x,y,z,nx,ny,nz\n" + "\n".join(",".join(map(str, row)) for row in rows.tolist()))
    mended = rj.SurfaceTargets.from_file(file, units="mm")
    np.testing.assert_allclose(mended.points, points, rtol=1e-12, atol=1e-15)


# --------------------------------------------------------------------- 0.5 % or 50 %, by the threads and the first seed


def turned_zero(turn: float, home: list[float] | None = None) -> rj.KinematicChain:
    """Return one and the same arm, the zeros of its joints turned back by `turn` [rad]."""
    joints = [
        rj.JointSpec.revolute(
            place, tuple(-turn * np.array(axis)), name, rj.JointLimits.revolute(low + turn, high + turn)
        )
        for place, axis, name, low, high in (
            ((0, 0, 0.3), (0, 0, 1), "pos_z", -1.0, 2.5),
            ((0, 0, 0.1), (0, 1, 0), "pos_y", -0.4, 1.9),
            ((0.3, 0, 0), (0, 1, 0), "pos_y", -2.2, 0.3),
            ((0.25, 0, 0), (0, 0, 1), "pos_z", -2.0, 2.0),
            (ORIGIN, (0, 1, 0), "pos_y", -2.0, 2.1),
            (ORIGIN, (0, 0, 1), "pos_z", -1.0, 2.9),
        )
    ]
    return rj.KinematicChain(joints, home=home)


def test_zero_outside_the_limits_changes_nothing() -> None:
    targets = rj.GridTargets(spacing=0.1, box_min=(-0.2, -0.3, 0.0), box_max=(0.6, 0.6, 0.8))
    orientations = rj.Orientations(kind="super_fibonacci", n=20)
    maps = []
    for turn, home in ((0.0, None), (3.0, None), (3.0, [2.1, 4.8, 3.2, 4.9, 1.1, 5.8]), (-7.0, None)):
        chain = turned_zero(turn, home)
        assert chain.is_within_limits(np.zeros(6)) == (turn == 0.0)
        maps.append(rj.ReachStudy(chain, targets=targets, orientations=orientations, metrics=()).run())
    first = maps[0].site("n_reached")
    assert 0.05 < first.sum() / maps[0].n_poses < 0.95
    for other in maps[1:]:
        np.testing.assert_array_equal(other.site("n_reached"), first)


def test_one_thread_and_two_make_the_same_files(tmp_path: Path) -> None:
    study = rj.ReachStudy(
        rebel(),
        targets=rj.GridTargets(spacing=0.05, box_min=(0.2, 0.0, 0.2), box_max=(0.4, 0.2, 0.6)),
        orientations=rj.Orientations(kind="super_fibonacci", n=2048),
    )
    for threads in (1, 2):
        reach_map = study.run(tmp_path / f"{threads}.zarr", threads=threads)
        assert reach_map.n_chunks > 1
        assert reach_map.threads == threads
    assert digests(tmp_path / "1.zarr") == digests(tmp_path / "2.zarr")


# ------------------------------------------------------------------------------------------------ a crash loses the run


def test_a_place_that_cannot_be_written_is_found_before_anything_is_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        pytest.fail("it solved")

    monkeypatch.setattr("repose_jit.reach.engine.chunk_report.solve_chunk", never)
    file = tmp_path / "file"
    file.write_text("in the way")
    for path in (file / "map.zarr", tmp_path / "missing" / "map.zarr", file, Path("/proc/map.zarr")):
        with pytest.raises(InputError, match=rf"{path}: .*expected a (new path|directory that can be written)"):
            small_study().run(path)
    assert [child.name for child in tmp_path.iterdir()] == ["file"]
    assert file.read_text() == "in the way"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a file system of its own with few megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("only root may mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def after(chunks: int, do: Callable[[], object]) -> Callable[[ChunkReport], None]:
    """Return a progress callback that does something once when so many chunks are done."""

    def progress(report: ChunkReport) -> None:
        if report.n_done == chunks:
            do()

    return progress


def fill(file: Path) -> None:
    """Write to a file until there is no room."""
    with file.open("wb", buffering=0) as ballast, contextlib.suppress(OSError):
        while True:
            ballast.write(b"\1" * 4096)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_disk_that_fills_up_keeps_what_is_done(
    threads: int, small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_fine(monkeypatch, 300)
    small_study().run(tmp_path / "whole.zarr", threads=1)
    path, ballast = small_disk / "map.zarr", small_disk / "ballast"
    with pytest.raises(ReposeError, match=r"No space left on device.*are kept: make room and resume") as error:
        small_study().run(path, threads=threads, progress=after(3, lambda: fill(ballast)))
    assert str(path) in str(error.value)
    done = rj.ReachMap.open(path).n_done
    assert 3 <= done < rj.ReachMap.open(path).n_chunks
    assert not rj.ReachMap.open(path).is_complete
    with pytest.raises(ReposeError, match="No space left"):
        rj.resume_study(path, threads=threads)
    ballast.unlink()
    assert rj.resume_study(path, threads=threads).is_complete
    assert digests(path) == digests(tmp_path / "whole.zarr")
    assert orphans(path) == []


def test_a_disk_that_is_full_from_the_start_is_named(small_disk: Path) -> None:
    fill(small_disk / "ballast")
    with pytest.raises(InputError, match="No space left on device"):
        small_study().run(small_disk / "map.zarr")
    assert [child.name for child in small_disk.iterdir()] == ["ballast"]


def test_files_that_may_not_grow_keep_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a quota; and without being root."""
    cut_fine(monkeypatch, 300)
    small_study().run(tmp_path / "whole.zarr", threads=1)
    path = tmp_path / "map.zarr"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with pytest.raises(ReposeError, match=r"File too large.*are kept: .*resume"):
            small_study().run(
                path, threads=1, progress=after(3, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40, hard)))
            )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert rj.ReachMap.open(path).n_done == 3
    rj.resume_study(path)
    assert digests(path) == digests(tmp_path / "whole.zarr")
    assert orphans(path) == []


# ------------------------------------------------------------------ nothing can be resumed, or it is resumed with other


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a store that an interruption has left."""
    cut_fine(monkeypatch, 300)

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small_study().run(tmp_path / "map.zarr", threads=1, progress=after(2, stop))
    return tmp_path / "map.zarr"


def shifted_rebel() -> rj.KinematicChain:
    """Return the ReBeL with one limit less than a thousandth of a degree off."""
    joints = list(rebel().joints)
    joint = joints[2]
    limits = rj.JointLimits.revolute(joint.limits.lower, joint.limits.upper - 1e-6)
    joints[2] = rj.JointSpec.revolute(joint.origin_translation, joint.origin_rpy, joint.axis, limits, name=joint.name)
    return rj.KinematicChain(joints, name="igus_rebel")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"spacing": 0.29}, r"study\.targets\.spacing"),
        ({"n": 11}, r"study\.orientations\.n"),
        ({"max_attempts": 5}, r"study\.solve\.max_attempts"),
        ({"solve": rj.MultiSeedParams(max_attempts=4, rng_seed=1)}, r"study\.solve\.rng_seed"),
        ({"solve": rj.MultiSeedParams(max_attempts=4, position_tolerance=2e-4)}, r"study\.solve\.position_tolerance"),
        ({"metrics": ("sigma_min",)}, r"study\.metrics\.names"),
        ({"length_scale": 0.5}, r"study\.metrics\.length_scale"),
        ({"save_q": False}, r"study\.store\.save_q"),
    ],
)
def test_another_study_does_not_go_on(changes: dict[str, Any], field: str, begun: Path) -> None:
    before = digests(begun)
    with pytest.raises(InputError, match=field):
        small_study(**changes).run(begun, resume=True)
    assert digests(begun) == before


def test_another_robot_does_not_go_on(begun: Path) -> None:
    study = small_study()
    other = rj.ReachStudy(
        shifted_rebel(), targets=study.targets, orientations=study.orientations, solve=study.solve, save_q=True
    )
    before = digests(begun)
    with pytest.raises(InputError, match=r"robot.*joints\[2\].*upper"):
        other.run(begun, resume=True)
    assert digests(begun) == before


@pytest.mark.parametrize("package", ["repose_jit", "numba", "llvmlite", "numpy", "zarr", "numcodecs", "fma"])
def test_another_version_or_kind_of_cpu_does_not_go_on(package: str, begun: Path) -> None:
    file = begun / "zarr.json"
    metadata = json.loads(file.read_text())
    if package == "fma":
        metadata["attributes"]["cpu_has_fma"] = not metadata["attributes"]["cpu_has_fma"]
        field = "cpu_has_fma"
    else:
        metadata["attributes"]["versions"][package] = "0.0.1"
        field = rf"versions\.{package} = .*0\.0\.1"
    file.write_text(json.dumps(metadata))
    before = digests(begun)
    for go_on in (lambda: rj.resume_study(begun), lambda: small_study().run(begun, resume=True)):
        with pytest.raises(InputError, match=field):
            go_on()
    assert digests(begun) == before
    assert rj.ReachMap.open(begun).summary()["chunks_done"] == 2  # it can still be read


# ------------------------------------------------------------------------------------- nothing to aim at, or no normals


def test_nothing_to_aim_at_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="got 0 points, expected at least one"):
        rj.SurfaceTargets(np.zeros((0, 3)), np.zeros((0, 3)))
    with pytest.raises(InputError, match="got 0 poses, expected at least one"):
        rj.PoseTargets(np.zeros((0, 4, 4)))
    for name, text in (
        ("surface.csv", "x,y,z,nx,ny,nz\n"),
        ("empty.csv", ""),
        ("empty.ply", "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nend_header\n"),
    ):
        file = tmp_path / name
        file.write_text(text)
        with pytest.raises(ReposeError, match=name):
            rj.SurfaceTargets.from_file(file)
    np.save(tmp_path / "poses.npy", np.zeros((0, 4, 4)))
    with pytest.raises(ReposeError, match=r"poses\.npy: ?.*got 0 poses"):
        rj.PoseTargets.from_file(tmp_path / "poses.npy")


PLY = """ply
format ascii 1.0
element vertex 3
property float x
property float y
property float z
{faces}end_header
0.3 0 0.3
0.3 0.1 0.3
0.3 0.1 0.4
{rows}"""


def test_a_mesh_without_normals_has_those_of_its_faces_and_points_without_are_refused(tmp_path: Path) -> None:
    mesh, cloud = tmp_path / "mesh.ply", tmp_path / "cloud.ply"
    mesh.write_text(PLY.format(faces="element face 1\nproperty list uchar int vertex_indices\n", rows="3 0 1 2\n"))
    cloud.write_text(PLY.format(faces="", rows=""))
    targets = rj.SurfaceTargets.from_file(mesh)
    np.testing.assert_allclose(targets.normals, [[1.0, 0.0, 0.0]], atol=1e-12)
    with pytest.raises(InputError, match=r"cloud\.ply: got 3 points with neither faces nor normals"):
        rj.SurfaceTargets.from_file(cloud)
    with pytest.raises(InputError, match=r"normals\[1\]: got a zero vector"):
        rj.SurfaceTargets(np.zeros((2, 3)), np.array([[0, 0, 1.0], [0, 0, 0]]))


# ---------------------------------------------------------------------------------- zero reached poses crash the writer


def lost_study(kind: str) -> rj.ReachStudy:
    """Return a study of which nothing is reached: all proven unreachable, or all tried in vain."""
    if kind == "proven":
        targets = rj.GridTargets(spacing=0.5, box_min=(5, 5, 5), box_max=(6, 6, 6))
        return rj.ReachStudy(rebel(), targets=targets, orientations=rj.Orientations(kind="super_fibonacci", n=5))
    # Around the shoulder, where a long upper arm and a short fore arm leave a hole.
    targets = rj.GridTargets(spacing=0.05, box_min=(-0.1, -0.1, 0.3), box_max=(0.1, 0.1, 0.5))
    orientations = rj.Orientations(kind="super_fibonacci", n=5)
    return rj.ReachStudy(shell_arm(0.4, 0.1), targets=targets, orientations=orientations)


@pytest.mark.parametrize("kind", ["proven", "not found"])
def test_a_map_of_nothing_reached_is_a_map(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "map.zarr"
    reach_map = lost_study(kind).run(path)
    figures = reach_map.summary()
    assert figures["reached"] == 0
    assert figures["percent_reached"] == 0.0
    assert figures["proven_unreachable" if kind == "proven" else "not_found"] == figures["poses"]
    assert figures["metrics"]["manipulability"] == {"mean": None, "max": None}
    code = (
        "import sys, numpy, xarray\n"
        "data = xarray.open_zarr(sys.argv[1])\n"
        "assert float(data.n_reached.sum()) == 0.0\n"
        "assert float(data.reachability_index.max()) == 0.0\n"
        "assert not numpy.isfinite(data.manipulability).any()\n"
        "assert not numpy.isfinite(data.manipulability_mean).any()\n"
        "assert set(numpy.unique(data.status)) == {int(sys.argv[2])}\n"
        "assert data.attrs['complete'] is True\n"
        "assert not [name for name in sys.modules if 'repose' in name]\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    opened = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code, path, "3" if kind == "proven" else "2"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    assert opened.returncode == 0, opened.stderr
    again = rj.ReachMap.open(path)
    assert again.summary_text()
    assert plot(again, tmp_path / "map.png").stat().st_size > 1000
    page = report(again, tmp_path / "map.html").read_text()
    assert not re.search(r"\bnan\b", page)
    assert rj.resume_study(path).is_complete


def test_a_killed_study_can_be_read_before_it_is_resumed(begun: Path, tmp_path: Path) -> None:
    part = rj.ReachMap.open(begun)
    assert part.summary()["chunks_done"] == 2
    assert "not finished" in part.summary_text()
    assert part.summary()["miss_rate"] is None
    assert sum(1 for _ in part.blocks("status")) == 2
    assert plot(part, tmp_path / "part.png").exists()
    assert report(part, tmp_path / "part.html").exists()


def test_metrics_that_cannot_be_computed_are_nan_and_never_a_stand_in() -> None:
    reach_map = shell_study().run()
    for _, values in reach_map.blocks("status", "sigma_min", "limit_margin", "q"):
        reached = values["status"] == rj.ReachStatus.REACHED
        np.testing.assert_array_equal(np.isfinite(values["sigma_min"]), reached)
        assert np.isnan(values["limit_margin"]).all()  # no joint has limits
        np.testing.assert_array_equal(np.isfinite(values["q"]).all(axis=-1), reached)
    assert reach_map.summary()["metrics"]["limit_margin"] == {"mean": None, "max": None}
