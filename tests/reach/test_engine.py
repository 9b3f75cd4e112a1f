"""Chunks, threads, cancelling: never a different result."""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import replace

import numpy as np
import pytest

from repose_jit.chain import KinematicChain
from repose_jit.ik import IkParams, IkResult, inverse_kinematics
from repose_jit.multi_seed import MultiSeedParams, inverse_kinematics_batch
from repose_jit.reach import engine
from repose_jit.reach.engine import ReachJob, ReachStatus, solve_all, solve_chunk
from repose_jit.reach.grid import voxel_grid
from repose_jit.reach.rotations import super_fibonacci
from repose_jit.reach.study import STUDY_PARAMS, ReachStudy
from repose_jit.reach_bound import reach_bound
from repose_jit.seeds import spread_seeds
from tests import reference as ref
from tests.reach.robots import rebel

FIXED_RULE = IkParams(max_iterations=20, damping=0.005, max_step=1.0, max_linear_step=0.1)


def make_job(
    chain: KinematicChain, attempts: int = 4, params: IkParams = STUDY_PARAMS, spacing: float = 0.15
) -> ReachJob:
    return ReachJob(
        chain=chain,
        params=params,
        axes=voxel_grid((-0.7, -0.4, -0.4), (0.7, 0.4, 0.9), spacing),
        rotations=super_fibonacci(7),
        seeds=spread_seeds(chain, attempts),
        bound=reach_bound(chain, enforce_joint_limits=params.enforce_joint_limits),
    )


def solve(job: ReachJob, threads: int = 1) -> np.ndarray:
    status = np.zeros(job.shape, np.int8)
    for _ in solve_all(job, status.reshape(-1), threads=threads):
        pass
    return status


def no_threads_left() -> bool:
    return not [thread for thread in threading.enumerate() if thread.name.startswith("repose-jit")]


def test_every_pose_is_tried_once_whatever_the_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    job = make_job(rebel())
    whole = solve_chunk(job, 0, int(np.prod(job.shape)))
    assert set(np.unique(whole)) == {ReachStatus.REACHED, ReachStatus.NOT_FOUND, ReachStatus.PROVEN_UNREACHABLE}
    for size in (100, 337, 10**6):
        monkeypatch.setattr(engine, "CHUNK_POSES", size)
        for threads in (1, 2, 5):
            status = np.zeros(job.shape, np.int8)
            counts = list(solve_all(job, status.reshape(-1), threads=threads))
            np.testing.assert_array_equal(status.ravel(), whole)
            assert counts[-1] == whole.size
            assert len(counts) == -(-whole.size // size)
            assert counts == sorted(set(counts))
    assert no_threads_left()


def test_targets_are_the_grid_with_z_faster_than_x_and_orientations_fastest() -> None:
    job = make_job(rebel())
    T = job.targets(0, int(np.prod(job.shape))).reshape(*job.shape, 4, 4)
    for i, (x, y, z) in (((0, 0, 0), (0, 0, 0)), ((3, 2, 5), (3, 2, 5))):
        p = job.axes[0][x], job.axes[1][y], job.axes[2][z]
        np.testing.assert_array_equal(T[i][:, :3, 3], [p] * 7)
        np.testing.assert_array_equal(T[i][:, :3, :3], job.rotations)
        np.testing.assert_array_equal(T[i][:, 3], [[0, 0, 0, 1]] * 7)


def test_the_order_of_the_targets_does_not_matter() -> None:
    job = make_job(rebel())
    status = solve(job)
    x, y, z = job.axes
    permuted = replace(job, axes=(x[::-1].copy(), y, np.roll(z, 3)), rotations=job.rotations[::-1])
    np.testing.assert_array_equal(solve(permuted), np.roll(status, 3, axis=2)[::-1, :, :, ::-1])


def test_more_attempts_never_reach_less() -> None:
    few, more = (solve(make_job(rebel(), attempts)) == ReachStatus.REACHED for attempts in (2, 12))
    assert np.all(few <= more)
    assert few.sum() < more.sum()


def test_reached_is_what_the_solver_of_many_seeds_reaches_and_a_configuration_is_there() -> None:
    chain = rebel()
    oracle = ref.from_chain(chain)
    job = make_job(chain)
    count = int(np.prod(job.shape))
    status, targets = solve_chunk(job, 0, count), job.targets(0, count)
    tried = status != ReachStatus.PROVEN_UNREACHABLE
    result = inverse_kinematics_batch(chain, targets[tried], params=MultiSeedParams(max_attempts=4))
    np.testing.assert_array_equal(result.converged, status[tried] == ReachStatus.REACHED)
    for q, target in list(zip(result.q[result.converged], targets[tried][result.converged], strict=True))[::50]:
        error = ref.pose_error(ref.fk(oracle, q), target)
        assert np.linalg.norm(error[:3]) <= job.params.position_tolerance * (1 + 1e-9)
        assert np.linalg.norm(error[3:]) <= job.params.orientation_tolerance * (1 + 1e-9)
        assert np.all((oracle.lower <= q) & (q <= oracle.upper))


def test_by_the_fixed_rule_reached_means_that_one_seed_leads_there_and_not_found_that_none_does() -> None:
    chain = rebel()
    oracle = ref.from_chain(chain)
    job = make_job(chain, params=FIXED_RULE)
    count = int(np.prod(job.shape))
    status, targets = solve_chunk(job, 0, count), job.targets(0, count)
    for kind in (ReachStatus.REACHED, ReachStatus.NOT_FOUND):
        for i in np.random.default_rng(0).permutation(np.flatnonzero(status == kind))[:100]:
            solved = [inverse_kinematics(chain, targets[i], seed, job.params) for seed in job.seeds]
            solved = [result for result in solved if result.converged]
            assert bool(solved) == (kind is ReachStatus.REACHED)
            for result in solved:
                error = ref.pose_error(ref.fk(oracle, result.q), targets[i])
                assert np.linalg.norm(error[:3]) <= job.params.position_tolerance * (1 + 1e-9)
                assert np.linalg.norm(error[3:]) <= job.params.orientation_tolerance * (1 + 1e-9)
                assert np.all((oracle.lower <= result.q) & (result.q <= oracle.upper))


def test_what_is_proven_unreachable_is_not_found_without_the_proof() -> None:
    job = make_job(rebel(), attempts=8, spacing=0.25)
    proven = solve(job) == ReachStatus.PROVEN_UNREACHABLE
    believed = replace(job, bound=replace(job.bound, radius=np.inf))
    tried = solve(believed)
    assert proven.any()
    assert np.all(tried[proven] == ReachStatus.NOT_FOUND)
    np.testing.assert_array_equal(tried[~proven], solve(job)[~proven])


def test_ctrl_c_ends_the_run_at_once() -> None:
    study = ReachStudy(rebel(), spacing=0.02, attempts=1000, threads=2)
    seen = []
    started = threading.Event()

    def progress(done: int, total: int) -> None:
        seen.append(done)
        started.set()

    def interrupt() -> None:
        started.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        study.run(progress)
    assert 0 < seen[-1] < study.n_poses / 2
    assert no_threads_left()


def test_closing_ends_the_work_within_an_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def count(chain: KinematicChain, target: np.ndarray, seed: np.ndarray, params: IkParams) -> IkResult:
        calls.append(len(target))
        return inverse_kinematics(chain, target, seed, params)

    monkeypatch.setattr(engine, "inverse_kinematics", count)
    job = make_job(rebel(), attempts=2000, spacing=0.04, params=FIXED_RULE)
    counts = solve_all(job, np.zeros(job.shape, np.int8).reshape(-1), threads=2)
    next(counts)
    before = len(calls)
    counts.close()
    assert len(calls) - before < 50
    assert no_threads_left()


def test_a_large_budget_of_iterations_makes_small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def count(job: ReachJob, start: int, stop: int, **kwargs: object) -> np.ndarray:
        sizes.append(stop - start)
        return np.ones(stop - start, np.int8)

    monkeypatch.setattr(engine, "solve_chunk", count)
    job = make_job(rebel(), spacing=0.04)
    for iterations, largest in ((20, 8192), (1_000_000, 8)):
        sizes.clear()
        job = replace(job, params=replace(job.params, max_iterations=iterations))
        for _ in solve_all(job, np.zeros(800, np.int8), threads=2):
            pass
        assert sum(sizes) == 800
        assert max(sizes) <= largest


def test_an_error_in_the_callback_ends_the_run() -> None:
    def progress(done: int, total: int) -> None:
        raise ValueError("no terminal")

    with pytest.raises(ValueError, match="no terminal"):
        ReachStudy(rebel(), spacing=0.05, threads=2).run(progress)
    assert no_threads_left()


def test_an_error_in_a_chunk_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise MemoryError("none left")

    monkeypatch.setattr(engine, "solve_chunk", fail)
    with pytest.raises(MemoryError, match="none left"):
        solve(make_job(rebel()), threads=2)
    assert no_threads_left()
