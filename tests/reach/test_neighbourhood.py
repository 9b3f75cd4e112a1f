"""Neighbouring poses: which they are, and that lending configurations reaches more for less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.kernels import neighbours
from repose_jit.multi_seed import inverse_kinematics_batch
from repose_jit.reach.solving.chunk import ReachJob, solve_chunk
from repose_jit.reach.solving.neighbourhood import ATTEMPTS_ALONE, neighbourhood
from repose_jit.reach.status import ReachStatus
from tests.arms import rebel


def dense_job(**solve: object) -> ReachJob:
    study = rj.ReachStudy(
        rebel(),
        targets=rj.GridTargets(0.06, (0.1, -0.2, 0.0), (0.5, 0.2, 0.4)),
        orientations=rj.Orientations(kind="super_fibonacci", n=128),
        solve=rj.MultiSeedParams(**solve),  # type: ignore[arg-type]
        metrics=(),
        save_q=True,
    )
    assert study.job.neighbourhood is not None
    return study.job


@pytest.mark.parametrize(("d", "k"), [(9, 40), (3, 33), (3, 2)])
def test_the_nearest_directions_have_the_largest_dot_products(d: int, k: int) -> None:
    vectors = rj.super_fibonacci(k).reshape(k, 9) if d == 9 else rj.fibonacci_sphere(k)
    m = min(5, k - 1)
    nearest = np.empty((k, m), np.int64)
    least = neighbours.nearest_directions(vectors.reshape(-1), d, nearest.reshape(-1))
    dots = vectors @ vectors.T
    np.fill_diagonal(dots, -np.inf)
    expected = -np.sort(-dots, axis=1)[:, :m]
    np.testing.assert_allclose(np.take_along_axis(dots, nearest, axis=1), expected, atol=1e-12)
    assert least == pytest.approx(expected[:, 0].min())
    assert np.all(nearest != np.arange(k)[:, None])


def test_lenders_are_neighbours_that_lend_and_whoever_has_one_is_found() -> None:
    rng = np.random.default_rng(5)
    shape, k = (3, 4, 2), 6
    nearest = np.array([rng.permutation([j for j in range(k) if j != i])[:2] for i in range(k)])
    for share in (0.0, 0.05, 0.4, 1.0):
        lends = rng.random((*shape, k)) < share
        pending = np.sort(rng.permutation(lends.size)[:70])
        lenders, borrowers = np.full(140, -7), np.full(70, -7)
        count = neighbours.list_lenders(lends.reshape(-1), shape, nearest.reshape(-1), pending, lenders, borrowers)
        found = {}
        for row in range(count):
            found[int(pending[borrowers[row]])] = set(lenders[2 * row : 2 * row + 2].tolist())
        for pose in pending.tolist():
            *site, orientation = (int(i) for i in np.unravel_index(pose, lends.shape))
            candidates = [(*site, int(other)) for other in nearest[orientation]]
            for axis in range(3):
                for step in (-1, 1):
                    moved = list(site)
                    moved[axis] += step
                    if 0 <= moved[axis] < shape[axis]:
                        candidates.append((*moved, orientation))
            may = {int(np.ravel_multi_index(index, lends.shape)) for index in candidates if lends[index]}
            assert found.get(pose, set()) <= may
            assert bool(found.get(pose)) == bool(may)
            assert len(found.get(pose, set())) == min(2, len(may))


def test_it_reaches_nearly_all_that_the_full_budget_reaches_with_fewer_attempts() -> None:
    job = dense_job()
    alone = replace(job)
    object.__setattr__(alone, "neighbourhood", None)
    together, separate = ([solve_chunk(one, i) for i in range(job.blocks.count)] for one in (job, alone))
    reached = [np.concatenate([c["status"].ravel() for c in chunks]) == 1 for chunks in (together, separate)]
    attempts = [sum(int(c["attempts"].sum()) for c in chunks) for chunks in (together, separate)]
    assert np.count_nonzero(reached[1] & ~reached[0]) <= 0.001 * np.count_nonzero(reached[1])
    assert attempts[0] < 0.9 * attempts[1]
    assert any((c["seed_index"] == -2).any() for c in together)
    assert not any((c["seed_index"] == -2).any() for c in separate)


def test_far_from_anything_reached_only_a_few_attempts_are_made() -> None:
    study = rj.ReachStudy(
        rebel(),
        targets=rj.GridTargets(0.05, (0.0, 0.0, 0.2), (0.1, 0.1, 0.3)),  # inside the column of the robot
        orientations=rj.Orientations(kind="super_fibonacci", n=128),
        metrics=(),
    )
    chunk = solve_chunk(study.job, 0)
    unreached = chunk["attempts"][chunk["status"] == ReachStatus.NOT_FOUND]
    assert unreached.min() == ATTEMPTS_ALONE
    assert unreached.max() >= study.solve.max_attempts


def test_a_small_budget_is_kept_where_nothing_lends() -> None:
    for attempts in (1, 3, 4):
        chunk = solve_chunk(dense_job(max_attempts=attempts), 0)
        by_seed = chunk["seed_index"][chunk["seed_index"] >= 0]
        assert by_seed.max() < attempts


def test_every_configuration_is_checked_by_forward_kinematics() -> None:
    job = dense_job()
    for number in range(job.blocks.count):
        chunk = solve_chunk(job, number)
        T = job.targets.poses(job.blocks.sites(number).reshape(-1)).reshape(*chunk["status"].shape, 4, 4)
        reached = chunk["status"] == ReachStatus.REACHED
        q = chunk["q"][reached]
        error = rj.forward_kinematics(job.chain, q) - T[reached]
        assert np.abs(error[:, :3, 3]).max() <= job.solve.position_tolerance
        assert np.abs(error[:, :3, :3]).max() <= job.solve.orientation_tolerance
        assert np.all(job.chain.is_within_limits(q))
        assert np.isnan(chunk["q"][~reached]).all()


@pytest.mark.parametrize(
    ("spacing", "orientations", "is_dense"),
    [
        (0.05, rj.Orientations(kind="super_fibonacci", n=256), True),
        (0.05, rj.Orientations(kind="super_fibonacci", n=4), False),
        (0.05, rj.Orientations(kind="super_fibonacci", n=1), False),
        (0.3, rj.Orientations(kind="super_fibonacci", n=256), False),
        (0.05, rj.Orientations(kind="free_axis", n=50, tool_axis="-x"), True),
        (0.05, rj.Orientations(kind="directions", n=50, n_roll=8, tool_axis="z"), True),
        (0.05, rj.Orientations(kind="directions", n=3, n_roll=2, tool_axis="z"), False),
        (0.05, rj.Orientations(kind="none"), True),
    ],
)
def test_only_dense_grids_have_neighbours(spacing: float, orientations: rj.Orientations, is_dense: bool) -> None:
    study = rj.ReachStudy(rebel(), targets=rj.GridTargets(spacing), orientations=orientations)
    assert (study.job.neighbourhood is not None) == is_dense


def test_given_poses_have_no_neighbours_and_are_solved_like_a_batch() -> None:
    chain = rebel()
    T = rj.forward_kinematics(chain, np.random.default_rng(0).uniform(-1.5, 1.5, (300, 6)))
    T[::3, :3, 3] += 0.3
    study = rj.ReachStudy(chain, targets=rj.PoseTargets(T), metrics=(), save_q=True)
    assert neighbourhood(study.target_set, 1.0) is None
    chunk = solve_chunk(study.job, 0)
    result = inverse_kinematics_batch(chain, T)
    reached = chunk["status"][:, 0] == ReachStatus.REACHED
    np.testing.assert_array_equal(reached, result.converged)
    np.testing.assert_array_equal(chunk["q"][reached, 0], result.q[reached])
    np.testing.assert_array_equal(chunk["seed_index"][reached, 0], result.seed_index[reached])
    np.testing.assert_array_equal(chunk["position_error"][reached, 0], result.position_error[reached].astype("f4"))


@pytest.mark.parametrize("selection", ["nearest", "max_manipulability", "max_limit_margin"])
def test_where_the_best_of_all_attempts_is_asked_for_no_neighbour_is(selection: str) -> None:
    """Each attempt is reported then: rounds of lending have no room for that."""
    study = rj.ReachStudy(
        rebel(),
        targets=rj.GridTargets(spacing=0.05, box_min=(0.3, 0.0, 0.3), box_max=(0.4, 0.1, 0.4)),
        solve=rj.MultiSeedParams(selection=selection, reference=(0.0,) * 6),  # type: ignore[arg-type]
    )
    assert study.job.neighbourhood is None
