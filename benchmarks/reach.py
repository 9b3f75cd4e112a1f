"""How fast a map is made, and what rejection and looking up neighbours' solutions gain: ``python -m benchmarks.reach``.

One thread; chunks drawn from the map of a preset with the usual study. Every figure is measured in the same run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import fields

import numpy as np

import repose_jit as rj
from repose_jit.reach.solving.attempts import Attempts
from repose_jit.reach.solving.chunk import ReachJob, solve_chunk, warm_up
from repose_jit.reach.status import ReachStatus
from repose_jit.reach_bound import ReachBound

CHUNKS = 12
"""Chunks measured of each robot."""


def variant(job: ReachJob, *, rejects: bool, looks_up: bool) -> ReachJob:
    """Return a study that solves the same poses without one or both of its short cuts."""
    other = ReachJob(**{field.name: getattr(job, field.name) for field in fields(job)})
    if not rejects:
        other.__dict__["bound"] = ReachBound(centre=job.bound.centre, radius=np.inf, point=np.zeros(3))
    if not looks_up:
        other.__dict__["neighbourhood"] = None
    return other


def timed(work: Callable[[], object]) -> float:
    """Return how long a call takes [s]."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(name: str, spacing: float | None, n: int) -> None:
    """Print the rates of one robot."""
    targets, orientations = rj.GridTargets(spacing), rj.Orientations(kind="super_fibonacci", n=n)
    job = rj.ReachStudy(rj.preset(name).chain(), targets=targets, orientations=orientations, metrics=()).job
    warm_up(job)
    chunks = np.random.default_rng(0).permutation(job.blocks.count)[:CHUNKS].tolist()
    sites = np.concatenate([job.blocks.sites(number).reshape(-1) for number in chunks])
    status = np.concatenate([solve_chunk(job, number)["status"].reshape(-1) for number in chunks])
    poses = status.size
    print(f"\n{name}: {poses:,} poses in {len(chunks)} of {job.blocks.count} chunks, one thread")
    T = job.targets.poses(sites).reshape(-1, 4, 4)
    for outcome in (ReachStatus.REACHED, ReachStatus.NOT_FOUND, ReachStatus.PROVEN_UNREACHABLE):
        some = np.flatnonzero(status == outcome)
        share = 100.0 * some.size / poses
        some = np.random.default_rng(0).permutation(some)[:50_000]
        attempts = Attempts(job.chain, job.solve, T[some])
        seconds = timed(lambda a=attempts: a.make(np.arange(len(a.T)), 0, job.solve.max_attempts))
        word = outcome.name.lower().replace("_", " ")
        print(f"  {word:<20} {share:5.1f} %  {1e6 * seconds / max(1, some.size):6.2f} us each with the full budget")
    for words, rejects, looks_up in (
        ("full budget for every pose", False, False),
        ("proven unreachable rejected", True, False),
        ("and neighbours looked up", True, True),
    ):
        other = variant(job, rejects=rejects, looks_up=looks_up)
        seconds = timed(lambda o=other: [solve_chunk(o, number) for number in chunks])
        print(f"  {words:<28} {1e6 * seconds / poses:6.2f} us a pose, {poses / seconds:12,.0f} poses/s and core")


def main() -> None:
    """Measure the robots named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reach", description=__doc__)
    parser.add_argument("robots", nargs="*", default=["igus_rebel", "franka_panda", "ur5"], metavar="PRESET")
    parser.add_argument("--spacing", type=float, metavar="M", help="edge of a voxel [default: that of the usual study]")
    parser.add_argument("--orientations", type=int, default=256, metavar="N", help="per voxel [default: 256]")
    arguments = parser.parse_args()
    for name in arguments.robots:
        measure(name, arguments.spacing, arguments.orientations)


if __name__ == "__main__":
    main()
