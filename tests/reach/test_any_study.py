"""Any study of any robot: interrupted, resumed, sharded or spread over workers, it makes the same files."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import repose_jit as rj
from repose_jit.reach.solving import chunk
from repose_jit.reach.solving.metrics import METRICS
from tests import arms
from tests.reach import robots
from tests.reach.processes import digests, orphans

MOST_POSES = 3000
AXES = st.sampled_from(["x", "y", "z", "-x", "-y", "-z"])
TOLERANCES = st.sampled_from([1e-9, 1e-4, 1e-4, 1e-3, 0.1, 10.0])


@st.composite
def chains(draw: st.DrawFn) -> rj.KinematicChain:
    """Draw a chain of one to twelve slots: turning, sliding, endless, fixed, following others."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        return robots.random_chain(rng)
    return arms.random_chain(rng, draw(st.integers(1, 12)))


@st.composite
def aims(draw: st.DrawFn, chain: rj.KinematicChain) -> dict[str, Any]:
    """Draw what a study aims at, and in which orientations."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["grid", "grid", "surface", "poses"]))
    n, n_roll, axis = draw(st.integers(1, 12)), draw(st.integers(1, 3)), draw(AXES)
    none = rj.Orientations(kind="none")
    if kind == "grid":
        low = rng.uniform(-0.5, 0.2, 3)
        high = low + draw(st.sampled_from([0.0, 0.2, 1.0])) * rng.random(3)
        spacing = draw(st.sampled_from([0.06, 0.15, 0.4, 50.0]))
        targets: Any = rj.GridTargets(spacing=spacing, box_min=tuple(low), box_max=tuple(high))
        ways = [
            rj.Orientations(kind="super_fibonacci", n=n),
            rj.Orientations(kind="directions", n=n, n_roll=n_roll, tool_axis=axis),
            rj.Orientations(kind="free_axis", n=n, tool_axis=axis),
            none,
        ]
    elif kind == "surface":
        targets = rj.SurfaceTargets(rng.uniform(-0.5, 0.5, (n, 3)), rng.normal(size=(n, 3)))
        approach = draw(st.sampled_from(["-normal", "+normal"]))
        ways = [
            rj.Orientations(kind="super_fibonacci", n=n_roll),
            rj.Orientations(kind="directions", n_roll=n_roll, tool_axis=axis, approach=approach),
            rj.Orientations(kind="free_axis", tool_axis=axis, approach=approach),
            none,
        ]
    else:
        targets = rj.PoseTargets(rj.forward_kinematics(chain, arms.random_configurations(chain, rng, n)))
        ways = [None, rj.Orientations(kind="free_axis", tool_axis=axis), none]  # type: ignore[list-item]
    return {"targets": targets, "orientations": draw(st.sampled_from(ways))}


@st.composite
def studies(draw: st.DrawFn) -> rj.ReachStudy:
    """Draw a study of few poses."""
    chain = draw(chains())
    aim = draw(aims(chain))
    solve = rj.MultiSeedParams(
        max_attempts=draw(st.sampled_from([1, 3, 6, 32])),
        max_iterations=draw(st.sampled_from([1, 10, 30])),
        position_tolerance=draw(TOLERANCES),
        orientation_tolerance=draw(TOLERANCES),
        selection=draw(st.sampled_from(["first", "first", "nearest", "max_manipulability", "max_limit_margin"])),
        reference=tuple(chain.home),
        step_rule=draw(st.sampled_from(["adaptive", "adaptive", "fixed"])),
        rng_seed=draw(st.sampled_from([0, 2**64 - 1])),
    )
    metrics = draw(st.sampled_from([(), ("sigma_min",), tuple(METRICS)]))
    study = rj.ReachStudy(chain, **aim, solve=solve, metrics=metrics, length_scale=0.3, save_q=draw(st.booleans()))
    assume(study.n_poses <= (MOST_POSES if "n_solutions" not in metrics else 100))
    return study


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """Return the address of workers that share this process."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": ":0"},
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=15)
@given(study=studies(), pieces=st.integers(1, 6), part=st.floats(0.0, 1.0), N=st.integers(1, 4))
def test_every_way_to_run_it_makes_the_same_files(
    study: rj.ReachStudy, pieces: int, part: float, N: int, scheduler: str
) -> None:
    folder = Path(tempfile.mkdtemp())
    poses = max(1, study.n_poses // pieces) * (100 if "n_solutions" in study.metrics else 1)
    try:
        with mock.patch.object(chunk, "CHUNK_POSES", poses):
            whole = study.run(folder / "whole", threads=1)
            expected = digests(folder / "whole")
            stop = 1 + round(part * (whole.n_chunks - 1))

            def progress(report: rj.ChunkReport) -> None:
                if report.n_done == stop:
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                study.run(folder / "resumed", threads=2, progress=progress)
            rj.resume_study(folder / "resumed", threads=3)
            assert digests(folder / "resumed") == expected

            study.run(folder / "dask", engine="dask", scheduler=scheduler)
            assert digests(folder / "dask") == expected

            shards = [folder / f"shard{i}" for i in range(1, N + 1)]
            for i, shard in enumerate(shards, start=1):
                study.run(shard, shard=(i, N))
            rj.merge_stores(folder / "merged", shards[::-1])
            assert digests(folder / "merged") == expected
            assert orphans(folder / "merged") == []

            report = rj.verify_store(folder / "whole", repeat=1)
            assert report.findings == ()
            kept = study.run()
            for name in ("n_reached", "reachability_index", *(f"{metric}_max" for metric in study.metrics)):
                np.testing.assert_array_equal(kept.site(name), whole.site(name))
            figures = whole.summary()
            outcomes = (figures[name] for name in ("reached", "not_found", "proven_unreachable"))
            assert sum(outcomes) == study.n_poses
    finally:
        shutil.rmtree(folder)
