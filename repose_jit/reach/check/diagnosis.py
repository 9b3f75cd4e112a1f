"""What ``reach check`` tells of a study before it runs: how large it is, how long it takes, what is likely wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from repose_jit.errors import InputError
from repose_jit.reach.check.calibration import Calibration, calibrate
from repose_jit.reach.check.evidence import Evidence
from repose_jit.reach.check.findings import Finding, findings
from repose_jit.reach.placement.grid import PlacementGrid
from repose_jit.reach.placement.placing import placement_job
from repose_jit.reach.solving.chunk import ReachJob
from repose_jit.reach.status import ReachStatus
from repose_jit.reach.store.schema import variables
from repose_jit.reach.study import ReachStudy
from repose_jit.threads import available_cpus
from repose_jit.validation import as_positive

__all__ = ["StudyCheck", "check_study"]

CODED = {"status": 0.1, "attempts": 0.6, "seed_index": 0.6}
"""Bytes that a pose takes of variables that compress well."""
FLOATS = 0.9
"""What is left of the bytes of floats."""
PROGRAM = 200_000_000
"""Bytes of the interpreter, the compiler and the kernels."""


@dataclass(frozen=True, kw_only=True)
class StudyCheck:
    """What a study asks for, and what a sample of it shows.

    Attributes
    ----------
    robot
        Name of the robot.
    kind, shape
        What it aims at, and sites along each dimension.
    n_sites, n_orientations, n_poses, n_chunks
        How much there is to do.
    store_bytes, most_store_bytes
        What the store will about take, and most that it can.
    memory_bytes
        What a run on all available CPUs about takes.
    sampled, reached, not_found, proven_unreachable
        Poses solved here, spread over the whole study, and what became of them.
    seconds
        (least, most) time of the whole study by number of threads [s]; they differ where the study spends less on poses
        far from any that is reached.
    basis
        What the time is computed from, in words.
    findings
        What is likely wrong, the gravest first.
    """

    robot: str
    kind: str
    shape: tuple[int, ...]
    n_sites: int
    n_orientations: int
    n_poses: int
    n_chunks: int
    store_bytes: int
    most_store_bytes: int
    memory_bytes: int
    sampled: int
    reached: int
    not_found: int
    proven_unreachable: int
    seconds: Mapping[int, tuple[float, float]]
    basis: str
    findings: tuple[Finding, ...]


def check_study(study: ReachStudy, *, placement: PlacementGrid | None = None, seconds: float = 2.0) -> StudyCheck:
    """Solve a sample of a study, and tell how large it is, how long it takes and what is likely wrong.

    Parameters
    ----------
    study
        What to check.
    placement
        Where the base may stand, if the study is the task of :func:`~repose_jit.reach.placement.placing`.
    seconds
        About how long the sample is solved; compiling is not counted.

    Returns
    -------
    StudyCheck

    Raises
    ------
    InputError
        If an argument is something else, or the base is looked for and the study is of a grid.

    Examples
    --------
    >>> import repose_jit as rj
    >>> targets = rj.GridTargets(20, (300, 0, 300), (400, 100, 400))  # millimetres, by mistake
    >>> none = rj.Orientations(kind="none")
    >>> check = check_study(rj.ReachStudy(rj.preset("ur5").chain(), targets=targets, orientations=none), seconds=0.1)
    >>> [finding.name for finding in check.findings]
    ['units']
    """
    if not isinstance(study, ReachStudy):
        raise InputError(f"study: got {type(study).__name__}, expected a ReachStudy")
    job, cpus = study.job if placement is None else placement_job(study, placement), available_cpus()
    calibration = calibrate(job, seconds=as_positive(seconds, name="seconds", unit="seconds"))
    times = {threads: _times(job, calibration, threads) for threads in sorted({1, cpus})}
    counts = {
        status.name.lower(): calibration.count(status)
        for status in (ReachStatus.REACHED, ReachStatus.NOT_FOUND, ReachStatus.PROVEN_UNREACHABLE)
    }
    about, most = _store_bytes(job, calibration)
    evidence = Evidence(study, job, calibration, times[cpus][1], cpus)
    return StudyCheck(
        robot=job.chain.name or "robot",
        kind=job.targets.kind,
        shape=job.targets.shape,
        n_sites=job.targets.n_sites,
        n_orientations=job.targets.n_orientations,
        n_poses=job.targets.n_poses,
        n_chunks=job.blocks.count,
        store_bytes=about,
        most_store_bytes=most,
        memory_bytes=_memory_bytes(job, cpus),
        sampled=len(calibration.status),
        **counts,
        seconds=times,
        basis=_basis(calibration),
        findings=tuple(findings(evidence)),
    )


def _times(job: ReachJob, calibration: Calibration, threads: int) -> tuple[float, float]:
    """Return the least and the most seconds of a study: there is no more to share out than there are chunks."""
    n, usable = job.targets.n_poses, min(threads, job.blocks.count)
    finish = calibration.finish_seconds / threads
    return n * calibration.low / usable + finish, n * calibration.high / usable + finish


def _basis(calibration: Calibration) -> str:
    words = f"{len(calibration.status):,} poses spread over the study, timed on one thread without other work"
    if calibration.high > calibration.low:
        words += "; nearer the lower figure, the fewer of those not reached lie beside reached ones"
    return words


def _store_bytes(job: ReachJob, calibration: Calibration) -> tuple[int, int]:
    """Return about how many bytes the store takes, compressed, and how many it would take as it is."""
    n, sampled = job.targets.n_poses, len(calibration.status)
    reached, tried = (
        (calibration.count(ReachStatus.REACHED) + others) / sampled
        for others in (0, calibration.count(ReachStatus.NOT_FOUND))
    )
    about = most = 0.0
    for variable in variables(job):
        per_pose = "orientation" in variable.dims
        count = n if per_pose else job.targets.n_sites
        size = np.dtype(variable.dtype).itemsize * (job.chain.n_joints if "joint" in variable.dims else 1)
        most += count * size
        if variable.name in CODED:
            about += count * tried * CODED[variable.name]
        elif not per_pose:
            about += count * size * FLOATS
        else:
            about += count * size * FLOATS * (tried if variable.name.endswith("_error") else reached)
    frames = 128.0 * (job.targets.n_orientations + (0 if job.targets.site_poses is None else job.targets.n_sites))
    overhead = 200.0 * job.blocks.count * len(variables(job))
    return math.ceil(about + frames + overhead), math.ceil(most + frames + overhead)


def _memory_bytes(job: ReachJob, threads: int) -> int:
    """Return about how many bytes a run takes: the chunks that are solved at a time, and what all of them share."""
    poses = math.prod(job.blocks.block_shape) * job.targets.n_orientations
    # Two copies of a pose, of its configuration and of what is stored of it.
    stored = sum(np.dtype(v.dtype).itemsize for v in variables(job) if "orientation" in v.dims)
    per_pose = 2 * (128 + 8 * job.chain.n_joints + 24 + stored + (8 * job.chain.n_joints if job.save_q else 0))
    shared = 128 * job.targets.n_orientations + (0 if job.targets.site_poses is None else 2 * 128 * job.targets.n_sites)
    whole = 16 * job.targets.n_sites * (4 + 2 * len(job.metrics))
    return PROGRAM + min(threads, job.blocks.count) * poses * per_pose + shared + whole
