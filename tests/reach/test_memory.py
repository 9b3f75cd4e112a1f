"""Memory does not grow with a study: ten million poses, and the plan of a hundred million, in less than a gigabyte."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import repose_jit as rj
from repose_jit.reach.store.creation import create_store
from tests.reach.processes import CONTEXT, start

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc"),
]

GIGABYTE = 2**30
EDGE = 0.05


def study_of(n_poses: float, orientations: rj.Orientations) -> rj.ReachStudy:
    """Return a study of about so many poses, in a box of which a corner is within reach."""
    k = 1 if orientations.n is None else orientations.n
    side = round((n_poses / k) ** (1.0 / 3.0)) * EDGE
    low = (0.3, 0.0, 0.2)
    high = (low[0] + side, low[1] + side, low[2] + side)
    targets = rj.GridTargets(spacing=EDGE, box_min=low, box_max=high)
    return rj.ReachStudy(rj.preset("igus_rebel").chain(), targets=targets, orientations=orientations)


TURNED = rj.Orientations(kind="super_fibonacci", n=256)
POSITIONS = rj.Orientations(kind="none")


def solve(n_poses: float, orientations: rj.Orientations, path: Path) -> None:
    """Run a study into a store, and read its figures."""
    reach_map = study_of(n_poses, orientations).run(path, threads=2)
    figures = reach_map.summary()
    assert reach_map.is_complete
    assert figures["poses"] == pytest.approx(n_poses, rel=0.1)
    assert figures["reached"] > 100


def plan(n_poses: float, orientations: rj.Orientations, path: Path) -> None:
    """Make the store of a study, and read all that is known before anything is solved."""
    study = study_of(n_poses, orientations)
    assert study.n_poses == pytest.approx(n_poses, rel=0.1)
    create_store(study.job, study.to_config(), path)
    reach_map = rj.ReachMap.open(path)
    figures = reach_map.summary()
    assert (figures["chunks_done"], figures["reached"], figures["percent_reached"]) == (0, 0, None)
    assert figures["chunks"] > 700
    assert reach_map.summary_text()
    for name in ("reachability_index", "n_reached", "manipulability_mean"):
        assert reach_map.site(name).shape == reach_map.shape
    if reach_map.n_sites < 10**7:
        assert reach_map.site_positions().shape == (*reach_map.shape, 3)


def peak_of(run: Callable[[], object]) -> int:
    """Return the most memory that a process of its own held while it ran something [bytes]."""
    receiver, sender = CONTEXT.Pipe(duplex=False)
    process = start(_report_peak, sender, run)
    sender.close()
    try:
        peak: int = receiver.recv()
    except EOFError:
        pytest.fail(f"it ended with code {process.exitcode}")
    process.join()
    return peak


def _report_peak(result: Connection, run: Callable[[], object]) -> None:
    run()
    status = Path("/proc/self/status").read_text()
    result.send(1024 * int(status.split("VmHWM:")[1].split()[0]))


@pytest.mark.parametrize("orientations", [TURNED, POSITIONS], ids=["turned", "positions"])
def test_ten_million_poses_take_hardly_more_than_one_million(orientations: rj.Orientations, tmp_path: Path) -> None:
    few, many = (peak_of(partial(solve, n, orientations, tmp_path / f"{n:.0e}.zarr")) for n in (1e6, 1e7))
    assert many < 0.5 * GIGABYTE
    assert many < few + 0.1 * GIGABYTE


@pytest.mark.parametrize("orientations", [TURNED, POSITIONS], ids=["turned", "positions"])
def test_the_plan_of_a_hundred_million_poses(orientations: rj.Orientations, tmp_path: Path) -> None:
    """What there is of a site is read whole: without orientations, 400 megabytes for each variable."""
    assert peak_of(partial(plan, 1e8, orientations, tmp_path / "map.zarr")) < GIGABYTE
