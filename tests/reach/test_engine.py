"""Chunks, threads, shards, workers, interruptions: never a different map."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.errors import InputError, ReposeError, UnknownNameError
from repose_jit.reach.engine import chunk_report
from repose_jit.reach.engine.run import shard_chunks
from repose_jit.reach.solving import chunk
from repose_jit.reach.solving.chunk import ReachJob, solve_chunk
from repose_jit.reach.status import ReachStatus
from tests import reference as ref
from tests.reach.robots import rebel
from tests.reach.stores import cut_fine, files, small_study


def statuses(reach_map: rj.ReachMap) -> np.ndarray:
    return np.asarray(reach_map.to_xarray().status)


def no_threads_left() -> bool:
    return not [thread for thread in threading.enumerate() if thread.name.startswith("repose-jit")]


def test_the_map_is_the_same_for_every_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_fine(monkeypatch)
    maps = [small_study().run(threads=threads) for threads in (1, 2, 7)]
    for other in maps[1:]:
        assert maps[0].to_xarray().equals(other.to_xarray())
        assert maps[0].attributes == other.attributes
    assert [reach_map.threads for reach_map in maps] == [1, 2, 7]
    assert no_threads_left()


def test_where_poses_are_not_neighbours_the_size_of_chunks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = statuses(small_study().run())
    assert set(np.unique(whole)) == {ReachStatus.REACHED, ReachStatus.NOT_FOUND, ReachStatus.PROVEN_UNREACHABLE}
    for poses in (1, 100, 337):
        cut_fine(monkeypatch, poses)
        np.testing.assert_array_equal(statuses(small_study().run()), whole)


def test_more_attempts_never_reach_less() -> None:
    few, more = (statuses(small_study(max_attempts=n).run()) == ReachStatus.REACHED for n in (2, 12))
    assert np.all(few <= more)
    assert few.sum() < more.sum()


@pytest.mark.parametrize("step_rule", ["adaptive", "fixed"])
def test_reached_is_checked_by_a_plain_forward_kinematics(step_rule: str) -> None:
    solve = rj.MultiSeedParams(step_rule=step_rule, max_attempts=4)  # type: ignore[arg-type]
    job = small_study(solve=solve).job
    found = solve_chunk(job, 0)
    oracle = ref.from_chain(rebel())
    T = job.targets.poses(np.arange(job.targets.n_sites)).reshape(*found["status"].shape, 4, 4)
    reached = np.argwhere(found["status"] == ReachStatus.REACHED)
    assert len(reached) > 50
    for index in map(tuple, reached[::20]):
        error = ref.pose_error(ref.fk(oracle, found["q"][index]), T[index])
        for part, name in ((error[:3], "position"), (error[3:], "orientation")):
            size = np.linalg.norm(part)
            assert size <= getattr(solve, f"{name}_tolerance") * (1 + 1e-9)
            assert found[f"{name}_error"][index] == pytest.approx(size, rel=1e-6, abs=1e-12)
        assert np.all((oracle.lower <= found["q"][index]) & (found["q"][index] <= oracle.upper))


def test_what_is_proven_unreachable_is_not_found_without_the_proof() -> None:
    job = small_study(max_attempts=8).job
    believed = ReachJob(**{name: getattr(job, name) for name in job.__dataclass_fields__})
    believed.__dict__["bound"] = type(job.bound)(centre=job.bound.centre, radius=np.inf, point=job.bound.point)
    proven, tried = (solve_chunk(one, 0)["status"] for one in (job, believed))
    is_proven = proven == ReachStatus.PROVEN_UNREACHABLE
    assert is_proven.any()
    assert np.all(tried[is_proven] == ReachStatus.NOT_FOUND)
    np.testing.assert_array_equal(tried[~is_proven], proven[~is_proven])


def test_the_best_of_all_attempts_is_kept_where_that_is_asked_for() -> None:
    first, best = (
        solve_chunk(small_study(solve=rj.MultiSeedParams(selection=selection, max_attempts=8)).job, 0)  # type: ignore[arg-type]
        for selection in ("first", "max_manipulability")
    )
    np.testing.assert_array_equal(first["status"], best["status"])
    reached = first["status"] == ReachStatus.REACHED
    # Stored as float32.
    assert np.all(best["manipulability"][reached] >= first["manipulability"][reached] * (1 - 1e-6))
    assert np.any(best["manipulability"][reached] > 1.1 * first["manipulability"][reached])


def test_shards_share_out_every_chunk_once() -> None:
    for count in (0, 1, 5, 64):
        for N in (1, 3, 7, 100):
            chunks = sorted(number for i in range(1, N + 1) for number in shard_chunks(count, (i, N)))
            assert chunks == list(range(count))


def test_a_shard_solves_its_chunks_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_fine(monkeypatch)
    small_study().run(tmp_path / "whole.zarr")
    whole = files(tmp_path / "whole.zarr")
    shared: dict[str, bytes] = {}
    for i in (1, 2, 3):
        path = tmp_path / f"shard-{i}.zarr"
        reach_map = small_study().run(path, shard=(i, 3))
        assert not reach_map.is_complete
        assert reach_map.attributes["shard"] == f"{i}/3"
        before = files(path)
        rj.resume_study(path)
        assert files(path) == before
        chunks = {
            name: data for name, data in before.items() if "/c/" in name and name.split("/")[0] in ("q", "status")
        }
        assert not shared.keys() & chunks.keys()
        shared |= chunks
    assert shared == {
        name: data for name, data in whole.items() if "/c/" in name and name.startswith(("q/", "status/"))
    }


@pytest.mark.slow
def test_dask_workers_write_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    study = small_study(spacing=0.15)
    study.run(tmp_path / "threads.zarr")
    reports: list[rj.ChunkReport] = []
    study.run(tmp_path / "dask.zarr", engine="dask", threads=2, progress=reports.append)
    assert files(tmp_path / "threads.zarr") == files(tmp_path / "dask.zarr")
    assert reports[-1].n_done == reports[-1].n_chunks


def test_an_interruption_finishes_the_chunks_that_have_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_fine(monkeypatch)
    begun: list[int] = []

    def solve(job: ReachJob, number: int) -> chunk.Chunk:
        begun.append(number)
        return solve_chunk(job, number)

    monkeypatch.setattr(chunk_report, "solve_chunk", solve)

    def interrupt(report: rj.ChunkReport) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        small_study(spacing=0.1).run(tmp_path / "map.zarr", threads=2, progress=interrupt)
    reach_map = rj.ReachMap.open(tmp_path / "map.zarr")
    assert 0 < reach_map.n_done < reach_map.n_chunks / 2
    assert reach_map.n_done == len(begun)
    assert no_threads_left()


def test_an_error_in_the_callback_ends_the_run() -> None:
    def progress(report: rj.ChunkReport) -> None:
        raise ValueError("no terminal")

    with pytest.raises(ValueError, match="no terminal"):
        small_study().run(progress=progress)
    assert no_threads_left()


def test_an_error_in_a_chunk_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_fine(monkeypatch)

    def fail(*args: object, **kwargs: object) -> None:
        raise MemoryError("none left")

    monkeypatch.setattr(chunk_report, "solve_chunk", fail)
    with pytest.raises(MemoryError, match="none left"):
        small_study().run(threads=2)
    assert no_threads_left()


def test_a_report_says_what_came_of_each_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_fine(monkeypatch)
    reports: list[rj.ChunkReport] = []
    reach_map = small_study().run(threads=3, progress=reports.append)
    summary = reach_map.summary()
    assert sorted(report.chunk for report in reports) == list(range(reach_map.n_chunks))
    for name in ("reached", "not_found", "proven_unreachable"):
        assert sum(getattr(report, name) for report in reports) == summary[name]
    assert [report.n_done for report in reports] == list(range(1, reach_map.n_chunks + 1))
    assert reports[-1].poses_done == reach_map.n_poses
    assert all(report.seconds > 0 for report in reports)


def test_a_large_budget_makes_small_chunks() -> None:
    usual = small_study(spacing=0.05, n=256).job.blocks
    large = small_study(spacing=0.05, n=256, max_attempts=3200).job.blocks
    counted = small_study(spacing=0.05, n=256, metrics=["n_solutions"]).job.blocks
    assert large.count > 50 * usual.count
    assert counted.count > 20 * usual.count


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"engine": "mpi"}, UnknownNameError, "engine"),
        ({"engine": "dask", "path": None}, InputError, "engine: got 'dask' without a path"),
        ({"scheduler": "tcp://x:1"}, InputError, "scheduler: got 'tcp://x:1' with engine 'threads'"),
        ({"shard": (0, 3)}, InputError, r"shard\[0\]: got 0, expected an integer ≥ 1"),
        ({"shard": (4, 3)}, InputError, r"shard\[0\]: got 4, expected at most 3"),
        ({"shard": "1/3"}, InputError, "shard: got '1/3', expected"),
        ({"shard": (1, 2), "path": None}, InputError, "shard: got one without a path"),
        ({"threads": 0}, InputError, "threads: got 0"),
        ({"progress": 5}, InputError, "progress: got 5, expected a function"),
        ({"engine": "dask", "scheduler": "tcp://127.0.0.1:1"}, ReposeError, "does not answer"),
    ],
)
def test_bad_options_are_named_before_anything_is_made(
    arguments: dict[str, object], error: type[Exception], message: str, tmp_path: Path
) -> None:
    path = arguments.pop("path", tmp_path / "map.zarr")
    with pytest.raises(error, match=message):
        small_study().run(path, **arguments)  # type: ignore[arg-type]


def test_the_same_bits_in_a_fresh_process(tmp_path: Path) -> None:
    small_study().run(tmp_path / "here.zarr")
    code = "import sys\nfrom tests.reach.stores import small_study\nsmall_study().run(sys.argv[1], threads=1)\n"
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code, tmp_path / "there.zarr"], check=True, cwd=root)
    assert files(tmp_path / "here.zarr") == files(tmp_path / "there.zarr")


def test_on_one_thread_too_an_interruption_finishes_the_chunk_that_has_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_fine(monkeypatch)
    begun: list[int] = []

    def solve(job: ReachJob, number: int) -> chunk.Chunk:
        begun.append(number)
        if len(begun) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return solve_chunk(job, number)

    monkeypatch.setattr(chunk_report, "solve_chunk", solve)
    with pytest.raises(KeyboardInterrupt):
        small_study(spacing=0.1).run(tmp_path / "map.zarr", threads=1)
    assert rj.ReachMap.open(tmp_path / "map.zarr").n_done == len(begun)
    assert 3 <= len(begun) <= 5
    assert no_threads_left()


def test_a_dask_cluster_does_not_need_the_port_of_another(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with socket.socket() as page:
        with contextlib.suppress(OSError):  # it is taken as it is
            page.bind(("", 8787))
            page.listen()
        assert small_study().run(tmp_path / "map.zarr", engine="dask", threads=1).is_complete  # warnings are errors


def test_it_says_what_it_is_doing(tmp_path: Path) -> None:
    said: list[str] = []
    small_study().run(tmp_path / "map.zarr", phase=said.append, progress=lambda report: said.append("chunk"))
    assert list(dict.fromkeys(said)) == ["compiling kernels", "solving", "chunk", "estimating what was missed"]
    said.clear()
    rj.resume_study(tmp_path / "map.zarr", phase=said.append)
    assert said == ["compiling kernels", "solving"]
    small_study().run(tmp_path / "part.zarr", shard=(1, 2), phase=said.append)
    assert "estimating what was missed" not in said
    with pytest.raises(InputError, match="phase: got 3, expected a function of a text"):
        small_study().run(phase=3)  # type: ignore[arg-type]
