"""Solve the poses of a study in chunks on a pool of threads: the same result whatever their number."""

from __future__ import annotations

import threading
from collections.abc import Generator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.ik import IkParams, inverse_kinematics
from repose_jit.kernels import lane_ik
from repose_jit.kernels.arrays import CONVERGED
from repose_jit.kernels.lane_attempt import N_CODES
from repose_jit.kernels.lane_goal import LaneIkParams
from repose_jit.kernels.lanes import WIDTH
from repose_jit.reach_bound import ReachBound
from repose_jit.threads import run_chunks

__all__ = ["ReachJob", "ReachStatus", "solve_all", "solve_chunk"]

FloatArray = NDArray[np.float64]

CHUNK_POSES = 8192
"""Poses per chunk: a few megabytes."""
CHUNK_ITERATIONS = 2**21
"""Iterations per chunk at most, some tenths of a second: with a large budget a chunk has fewer poses."""


class ReachStatus(IntEnum):
    """What became of a pose."""

    UNINITIALIZED = 0
    """Not tried yet."""
    REACHED = 1
    """A configuration takes the pose within the tolerances, and within the limits where they are enforced."""
    NOT_FOUND = 2
    """The budget is spent: the pose may be reachable or not."""
    PROVEN_UNREACHABLE = 3
    """The pose is further away than the arm can stretch."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, kw_only=True, eq=False)
class ReachJob:
    """The poses of a study and how to solve them.

    Pose number i is orientation ``i % k`` at voxel ``i // k``, voxels counted with z fastest.

    Attributes
    ----------
    chain, params
        The robot, and the solve of each attempt.
    axes
        The x, y and z coordinates of the voxel centres [m].
    rotations
        (k, 3, 3) orientations of the tool at every voxel.
    seeds
        (a, n) one configuration per attempt [rad or m].
    bound
        Poses that it excludes are not tried.
    """

    chain: KinematicChain
    params: IkParams
    axes: tuple[FloatArray, FloatArray, FloatArray]
    rotations: FloatArray
    seeds: FloatArray
    bound: ReachBound

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Voxels along x, y and z, and orientations."""
        x, y, z = self.axes
        return len(x), len(y), len(z), len(self.rotations)

    def targets(self, start: int, stop: int) -> FloatArray:
        """Return the poses start to stop − 1, (stop − start, 4, 4) in the base frame [m]."""
        *voxel, orientation = np.unravel_index(np.arange(start, stop), self.shape)
        T = np.zeros((stop - start, 4, 4))
        T[:, :3, :3] = self.rotations[orientation]
        for i in range(3):
            T[:, i, 3] = self.axes[i][voxel[i]]
        T[:, 3, 3] = 1.0
        return T


def solve_chunk(job: ReachJob, start: int, stop: int, *, cancelled: threading.Event | None = None) -> NDArray[np.int8]:
    """Return the status (stop − start,) of the poses start to stop − 1.

    Each pose sees the same seeds and is solved on its own, so its status does not depend on which others are in the
    chunk.

    Parameters
    ----------
    job, start, stop
        What to solve.
    cancelled
        Once it is set the rest is not worth solving, for nobody will read it.
    """
    T = job.targets(start, stop)
    excluded = job.bound.excludes(
        T[:, :3, :3],
        T[:, :3, 3],
        position_tolerance=job.params.position_tolerance,
        orientation_tolerance=job.params.orientation_tolerance,
    )
    status = np.where(excluded, ReachStatus.PROVEN_UNREACHABLE, ReachStatus.NOT_FOUND).astype(np.int8)
    unsolved = np.flatnonzero(~excluded)
    T = T[unsolved]
    if job.params.step_rule == "adaptive":
        status[unsolved[_reached_adaptively(job, T)]] = ReachStatus.REACHED
        return status
    # Every attempt goes through the poses that no earlier one reached.
    for seed in job.seeds:
        if not unsolved.size or (cancelled is not None and cancelled.is_set()):
            break
        reached = np.asarray(inverse_kinematics(job.chain, T, seed, job.params).converged)
        status[unsolved[reached]] = ReachStatus.REACHED
        unsolved, T = unsolved[~reached], T[~reached]
    return status


def _reached_adaptively(job: ReachJob, T: FloatArray) -> NDArray[np.bool_]:
    """Tell which of the poses (N, 4, 4) some attempt reaches, all attempts in one kernel call."""
    count, none = len(T), np.empty(0)
    params = LaneIkParams(*job.params._kernel)._replace(max_attempts=len(job.seeds))
    q, errors, codes = np.empty(count * job.chain.n_joints), np.empty(2 * count), np.empty((count, N_CODES), np.int64)
    lane_ik.solve_from_many_seeds(
        tuple(job.chain.arrays),
        tuple(params),
        T.reshape(-1),
        none,
        0,
        0,
        job.seeds.reshape(-1),
        none,
        q,
        errors,
        codes.reshape(-1),
    )
    reached: NDArray[np.bool_] = codes[:, 0] == CONVERGED
    return reached


def solve_all(job: ReachJob, status_out: NDArray[np.int8], *, threads: int) -> Generator[int]:
    """Fill the flat `status_out` and yield the number of poses done after every chunk.

    Closing the iterator, or an exception in it (KeyboardInterrupt included), ends the work within a chunk.
    """
    count = status_out.size
    iterations = len(job.seeds) * job.params.max_iterations
    size = min(CHUNK_POSES, max(WIDTH, CHUNK_ITERATIONS // iterations // WIDTH * WIDTH))

    def work(start: int, stop: int, cancelled: threading.Event) -> None:
        status_out[start:stop] = solve_chunk(job, start, stop, cancelled=cancelled)

    yield from run_chunks(work, count, size, threads=threads)
