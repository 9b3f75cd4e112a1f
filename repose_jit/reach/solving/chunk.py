"""Solve one chunk of a study: a pure function of the study and the number of the chunk, whoever calls it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.kernels import candidates
from repose_jit.multi_seed import MultiSeedParams, inverse_kinematics_batch
from repose_jit.reach.solving.attempts import Attempts
from repose_jit.reach.solving.blocks import Blocks, block_shape
from repose_jit.reach.solving.metrics import compute_metrics, count_solutions, site_statistics
from repose_jit.reach.solving.neighbourhood import Neighbourhood, neighbourhood
from repose_jit.reach.status import ReachStatus
from repose_jit.reach.targets.target_set import TargetSet
from repose_jit.reach_bound import ReachBound, reach_bound

__all__ = ["Chunk", "ReachJob", "solve_chunk", "warm_up"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Chunk = dict[str, NDArray[Any]]

CHUNK_POSES = 2**17
"""Poses of a chunk: some tenths of a second if most are reached, some seconds if none is."""
USUAL_ITERATIONS = 32 * 30
"""The most that a pose may take with the usual budget; with a larger one a chunk has fewer poses."""
SOLUTIONS_COST = 100
"""Counting the solutions of a reached pose takes about as long as reaching so many."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReachJob:
    """What has to be known to solve any chunk of a study.

    Attributes
    ----------
    chain
        The robot.
    targets
        The poses asked for.
    solve
        How each is solved, with what is free of a pose.
    metrics, length_scale
        What to compute for every reached pose: :mod:`repose_jit.reach.solving.metrics`.
    save_q
        Keep the configurations.
    """

    chain: KinematicChain
    targets: TargetSet
    solve: MultiSeedParams
    metrics: tuple[str, ...]
    length_scale: float
    save_q: bool

    @cached_property
    def blocks(self) -> Blocks:
        """The chunks; they follow from the study alone."""
        poses = (
            CHUNK_POSES * USUAL_ITERATIONS / max(USUAL_ITERATIONS, self.solve.max_attempts * self.solve.max_iterations)
        )
        if "n_solutions" in self.metrics:
            poses /= SOLUTIONS_COST
        shape = self.targets.shape
        return Blocks(shape, block_shape(shape, int(poses) // self.targets.n_orientations))

    @cached_property
    def bound(self) -> ReachBound:
        """The ball that every reached pose has a point of the tool in."""
        return reach_bound(self.chain).of_task(self.solve.free_axis, self.solve.axis_mask)

    @cached_property
    def neighbourhood(self) -> Neighbourhood | None:
        """Which poses are neighbours; None where they are too far apart to tell anything, or all attempts are made."""
        if self.solve.selection != "first":
            return None
        return neighbourhood(self.targets, self.bound.tool_radius)


def solve_chunk(job: ReachJob, number: int) -> Chunk:
    """Solve the poses of a chunk and compute all that is stored of it.

    Every pose sees the same seeds, and those of its neighbours within the chunk: the result depends on the study and
    the number of the chunk, and on nothing else.

    Parameters
    ----------
    job, number
        What to solve.

    Returns
    -------
    dict
        One array for every variable of the store, in the shape of the block: per pose (*block, k), ``q``
        (*block, k, n), per site (*block).
    """
    return _solve_sites(job, job.blocks.sites(number))


def warm_up(job: ReachJob) -> None:
    """Compile every kernel that the chunks of a study need."""
    one = TargetSet(
        kind="poses",
        dims=("pose",),
        coordinates={"pose": np.arange(1)},
        local_poses=np.eye(4)[None],
        site_poses=np.eye(4)[None],
        free_axis=job.targets.free_axis,
        axis_mask=job.targets.axis_mask,
    )
    quick = replace(job.solve, max_attempts=1, max_iterations=1)
    _solve_sites(replace(job, targets=one, solve=quick), np.arange(1))
    if job.neighbourhood is not None:
        alone = Neighbourhood(np.empty((1, 0), np.int64))
        alone.solve(Attempts(job.chain, replace(quick, max_attempts=5), np.eye(4)[None]), np.arange(1), (1, 1, 1))


def _solve_sites(job: ReachJob, sites: IntArray) -> Chunk:
    """Solve the poses at some sites, in the shape that they are given in."""
    k = job.targets.n_orientations
    shape = (*sites.shape, k)
    status, numbers, T = _candidates(job, sites.reshape(-1))
    found = _solve(job, T, numbers, sites.shape)
    status[numbers] = np.where(found.is_reached, ReachStatus.REACHED, ReachStatus.NOT_FOUND)

    chunk: Chunk = {"status": status.reshape(shape)}
    for name, values, fill in (
        ("position_error", found.errors[:, 0].astype(np.float32), np.nan),
        ("orientation_error", found.errors[:, 1].astype(np.float32), np.nan),
        ("attempts", found.attempts, 0),
        ("seed_index", found.seed_index, -1),
    ):
        chunk[name] = _spread(values, numbers, shape, fill)
    reached = numbers[found.is_reached]
    q = found.q[found.is_reached]
    metrics = compute_metrics(
        job.chain, q, [m for m in job.metrics if m != "n_solutions"], length_scale=job.length_scale
    )
    if "n_solutions" in job.metrics:
        metrics["n_solutions"] = count_solutions(job.chain, T[found.is_reached], job.solve, q=q).astype(np.float64)
    for name in job.metrics:
        # Rounded first: what a site has of a metric follows from what is stored of its poses.
        values = _spread(metrics[name].astype(np.float32), reached, (sites.size, k), np.nan)
        chunk[name] = values.reshape(shape)
        mean, highest = site_statistics(values)
        chunk[f"{name}_mean"] = mean.astype(np.float32).reshape(sites.shape)
        chunk[f"{name}_max"] = highest.astype(np.float32).reshape(sites.shape)
    if job.save_q:
        chunk["q"] = _spread(q, reached, (*shape, job.chain.n_joints), np.nan)
    for outcome in (ReachStatus.REACHED, ReachStatus.NOT_FOUND, ReachStatus.PROVEN_UNREACHABLE):
        count = np.count_nonzero(status.reshape(shape) == outcome, axis=-1)
        chunk[f"n_{outcome.name.lower()}"] = count.astype(np.int32)
    chunk["reachability_index"] = (100.0 * chunk["n_reached"].astype(np.float64) / k).astype(np.float32)
    return chunk


def _candidates(job: ReachJob, sites: IntArray) -> tuple[NDArray[np.int8], IntArray, FloatArray]:
    """Return the status of all poses at some sites, and the numbers and targets of those worth a solve."""
    k = job.targets.n_orientations
    status = np.full(len(sites) * k, ReachStatus.PROVEN_UNREACHABLE, np.int8)
    asked = np.arange(len(sites))
    if job.targets.excluded is not None:
        left_out = job.targets.excluded[sites]
        status.reshape(-1, k)[left_out] = ReachStatus.EXCLUDED
        asked = np.flatnonzero(~left_out)
    solve, bound = job.solve, job.bound
    limit = bound.limit(
        position_tolerance=solve.position_tolerance, orientation_tolerance=min(solve.orientation_tolerance, math.pi)
    )
    T, numbers = np.empty((len(asked) * k, 4, 4)), np.empty(len(asked) * k, np.int64)
    count = candidates.list_candidates(
        job.targets.site_frames(sites[asked]).reshape(-1),
        job.targets.local_poses.reshape(-1).copy(),  # a kernel takes a read-only array for another type
        bound.point,
        bound.centre,
        limit,
        T.reshape(-1),
        numbers,
    )
    numbers = numbers[:count]
    return status, asked[numbers // k] * k + numbers % k, T[:count]


def _solve(job: ReachJob, T: FloatArray, numbers: IntArray, block: tuple[int, ...]) -> Attempts:
    attempts = Attempts(job.chain, job.solve, T)
    if job.solve.selection != "first":
        attempts.take(inverse_kinematics_batch(job.chain, T, params=job.solve))
    elif job.neighbourhood is None:
        attempts.make(np.arange(len(T)), 0, job.solve.max_attempts)
    else:
        job.neighbourhood.solve(attempts, numbers, block)
    return attempts


def _spread(values: NDArray[Any], numbers: IntArray, shape: tuple[int, ...], fill: float) -> NDArray[Any]:
    """Return an array of `shape` that holds rows of `values` at their numbers and `fill` elsewhere."""
    whole = np.full((math.prod(shape) // max(1, math.prod(values.shape[1:])), *values.shape[1:]), fill, values.dtype)
    whole[numbers] = values
    return whole.reshape(shape)
