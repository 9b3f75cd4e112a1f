"""How much is missed: the two estimates, counted again; and what is called unreachable, tried a thousand times."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import repose_jit as rj
from repose_jit.reach.solving.miss_rate import miss_rate_from_fk, upper_share
from repose_jit.reach.status import ReachStatus
from tests.reach.robots import gantry, random_chain, shell_arm

DENSE = {"orientations": rj.Orientations(kind="super_fibonacci", n=256), "metrics": ()}


def box_study(robot: str, *, max_attempts: int = 32, side: float = 0.5, spacing: float = 0.05) -> rj.ReachStudy:
    """Return a study of the usual density in a box beside a robot, partly out of its reach."""
    return rj.ReachStudy(
        rj.preset(robot).chain(),
        targets=rj.GridTargets(spacing=spacing, box_min=(0.2, -0.1, 0.1), box_max=(0.2 + side, side - 0.1, 0.1 + side)),
        solve=rj.MultiSeedParams(max_attempts=max_attempts),
        **DENSE,  # type: ignore[arg-type]
    )


def miss_rate(reach_map: rj.ReachMap) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the estimates of a map, from poses known to be reachable and from poses tried again."""
    figures = reach_map.summary()["miss_rate"]
    assert set(figures) == {"from_fk", "from_retry"}
    return figures["from_fk"], figures["from_retry"]


def poses_of(study: rj.ReachStudy, reach_map: rj.ReachMap, outcome: ReachStatus) -> np.ndarray:
    """Return all targets (N, 4, 4) of a study that came to an outcome."""
    status = np.stack([reach_map.pose("status", site) for site in range(reach_map.n_sites)])
    return study.target_set.poses(np.arange(reach_map.n_sites))[status == outcome]


@pytest.mark.slow
@pytest.mark.parametrize(("robot", "most"), [("franka_panda", 0.1), ("igus_rebel", 0.3)])
def test_the_usual_budget_misses_little(robot: str, most: float, tmp_path: Path) -> None:
    study = box_study(robot, side=0.6)
    assert study.job.neighbourhood is not None
    reach_map = study.run(tmp_path / "map.zarr")
    from_fk, from_retry = miss_rate(reach_map)
    assert from_fk["sampled"] >= 1000
    assert from_retry["sampled"] >= 1000
    assert from_fk["rate"] < most
    assert from_retry["rate"] < most
    assert from_retry["attempts"] == 320
    stored = json.loads((tmp_path / "map.zarr" / "zarr.json").read_text())["attributes"]["summary"]["miss_rate"]
    assert stored == {"from_fk": from_fk, "from_retry": from_retry}
    assert rj.ReachMap.open(tmp_path / "map.zarr").summary()["miss_rate"] == stored
    assert "missed:" in rj.ReachMap.open(tmp_path / "map.zarr").summary_text()


@pytest.mark.parametrize("spacing", [0.05, 0.2])
def test_a_budget_of_one_attempt_is_seen_to_miss_much(spacing: float) -> None:
    """By neighbourhood a single attempt at each goes further, and is still seen to miss more."""
    usual, single = (
        miss_rate(box_study("igus_rebel", max_attempts=attempts, side=0.4, spacing=spacing).run())
        for attempts in (32, 1)
    )
    for few, many in zip(single, usual, strict=True):
        assert few["rate"] > 3.0 * many["rate"]
    assert single[0]["rate"] > 5.0
    assert single[1]["rate"] > (2.0 if spacing == 0.2 else 0.1)


def test_what_is_tried_again_is_what_a_batch_finds() -> None:
    study = box_study("ur5e", max_attempts=2, side=0.6, spacing=0.2)
    reach_map = study.run()
    _, from_retry = miss_rate(reach_map)
    missing = poses_of(study, reach_map, ReachStatus.NOT_FOUND)
    assert 0 < len(missing) <= 2000
    again = rj.inverse_kinematics_batch(study.chain, missing, params=rj.MultiSeedParams(max_attempts=20))
    found = int(again.converged.sum())
    assert found > 10
    assert from_retry["sampled"] == len(missing)
    assert from_retry["found"] == found
    reached = reach_map.summary()["reached"]
    assert from_retry["rate"] == pytest.approx(100.0 * found / (reached + found), rel=1e-12)


def test_of_many_a_sample_is_tried_again_that_speaks_for_all() -> None:
    study = box_study("igus_rebel", max_attempts=1, side=0.7, spacing=0.12)
    reach_map = study.run()
    _, from_retry = miss_rate(reach_map)
    missing = poses_of(study, reach_map, ReachStatus.NOT_FOUND)
    assert from_retry["sampled"] == 2000 < len(missing)
    again = rj.inverse_kinematics_batch(study.chain, missing, params=rj.MultiSeedParams(max_attempts=10))
    share = float(again.converged.mean())
    deviation = math.sqrt(share * (1.0 - share) / 2000)
    assert abs(from_retry["found"] / 2000 - share) < 4.0 * deviation


def test_poses_known_to_be_reachable_are_those_of_random_configurations() -> None:
    study = box_study("ur5e", max_attempts=2, spacing=0.25)
    from_fk, _ = miss_rate(study.run())
    chain = study.chain
    q = np.random.default_rng(17).uniform(chain.lower_limits, chain.upper_limits, (400_000, chain.n_joints))
    T = rj.forward_kinematics(chain, q)
    inside = ((T[:, :3, 3] >= (0.2, -0.1, 0.1)) & (T[:, :3, 3] <= (0.7, 0.4, 0.6))).all(axis=1)
    # Twenty times as many are drawn at most, and this box has few of them.
    assert from_fk["sampled"] == pytest.approx(inside.sum(), rel=0.2)
    missed = ~rj.inverse_kinematics_batch(chain, T[inside], params=rj.MultiSeedParams(max_attempts=2)).converged
    share = float(missed.mean())
    deviation = math.sqrt(share * (1.0 - share) * (1.0 / from_fk["sampled"] + 1.0 / inside.sum()))
    assert abs(from_fk["missed"] / from_fk["sampled"] - share) < 4.0 * deviation
    assert from_fk["rate"] == pytest.approx(100.0 * from_fk["missed"] / from_fk["sampled"])


def test_where_all_is_reached_nothing_is_missed() -> None:
    targets = rj.GridTargets(spacing=0.1, box_min=(0.05, 0.05, 0.05), box_max=(0.55, 0.35, 0.25))
    orientations = rj.Orientations(kind="super_fibonacci", n=20)
    reach_map = rj.ReachStudy(gantry(), targets=targets, orientations=orientations).run()
    assert reach_map.summary()["percent_reached"] == 100.0
    from_fk, from_retry = miss_rate(reach_map)
    assert from_retry == {"sampled": 0, "found": 0, "attempts": 320, "rate": 0.0, "below": 0.0}
    assert from_fk["sampled"] > 1000
    assert from_fk["missed"] == 0


@pytest.mark.parametrize("box", [(5.0, 6.0), (-0.06, 0.06)], ids=["proven", "not found"])
def test_where_nothing_is_reached_no_rate_is_made_up(box: tuple[float, float]) -> None:
    low, high = box
    targets = rj.GridTargets(spacing=0.04, box_min=(low, low, low + 0.4), box_max=(high, high, high + 0.4))
    orientations = rj.Orientations(kind="super_fibonacci", n=20)
    reach_map = rj.ReachStudy(shell_arm(0.3, 0.1), targets=targets, orientations=orientations).run()
    figures = reach_map.summary()
    assert figures["reached"] == 0
    assert (figures["not_found"] > 0) == (low < 0.0)
    from_fk, from_retry = miss_rate(reach_map)
    assert from_fk == {"sampled": 0, "missed": 0, "rate": None, "below": None}
    assert from_retry == {"sampled": figures["not_found"], "found": 0, "attempts": 320, "rate": None, "below": None}
    assert "nan" not in reach_map.summary_text()


FREE = {
    "whole pose": rj.Orientations(kind="super_fibonacci", n=12),
    "free axis": rj.Orientations(kind="free_axis", n=12, tool_axis="-y"),
    "position only": rj.Orientations(kind="none"),
}


@pytest.mark.parametrize("free", FREE)
@pytest.mark.parametrize("robot", ["igus_rebel", "franka_panda", "mitsubishi_rh6frh5520", 3, 7, 8])
def test_a_thousand_attempts_find_nothing_that_is_proven_unreachable(robot: str | int, free: str) -> None:
    """Those nearest to what is not proven are tried: they are the likeliest to be proven by mistake."""
    chain = rj.preset(robot).chain() if isinstance(robot, str) else random_chain(np.random.default_rng(robot))
    wide = rj.ReachStudy(chain).target_set.coordinates
    low, high = (tuple(float(wide[dim][end]) * 1.1 for dim in "xyz") for end in (0, -1))
    study = rj.ReachStudy(
        chain,
        targets=rj.GridTargets(
            spacing=max(b - a for a, b in zip(low, high, strict=True)) / 12, box_min=low, box_max=high
        ),  # type: ignore[arg-type]
        orientations=FREE[free],
        solve=rj.MultiSeedParams(max_attempts=1),
        metrics=(),
    )
    reach_map = study.run()
    proven = poses_of(study, reach_map, ReachStatus.PROVEN_UNREACHABLE)
    centre = study.job.bound.centre - proven[:, :3, :3] @ study.job.bound.point
    nearest = np.argsort(np.linalg.norm(proven[:, :3, 3] - centre, axis=1))[:40]
    assert len(nearest) == 40
    poses = study.target_set
    params = rj.MultiSeedParams(max_attempts=1000, free_axis=poses.free_axis, axis_mask=poses.axis_mask)
    assert not rj.inverse_kinematics_batch(chain, proven[nearest], params=params).converged.any()


@given(seed=st.integers(0, 10_000), kind=st.sampled_from([None, "free_axis", "none"]))
def test_what_a_configuration_reaches_is_never_proven_unreachable(seed: int, kind: str | None) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng)
    q = chain.clamp_to_limits(rng.choice([-10.0, -0.5, 0.0, 0.3, 10.0], (50, chain.n_joints)))  # many at the limits
    orientations = None if kind is None else rj.Orientations(kind=kind, tool_axis="x" if kind == "free_axis" else None)  # type: ignore[arg-type]
    study = rj.ReachStudy(
        chain,
        targets=rj.PoseTargets(rj.forward_kinematics(chain, q)),
        orientations=orientations,
        solve=rj.MultiSeedParams(max_attempts=1, max_iterations=1),
        metrics=(),
    )
    assert study.run(threads=1).summary()["proven_unreachable"] == 0


@pytest.mark.parametrize("n", [200, 2_000, 20_000])
def test_a_share_is_below_its_bound_in_95_of_100_samples(n: int) -> None:
    bounds = np.array([upper_share(k, n) for k in range(n + 1)])
    assert bounds[0] == pytest.approx(3 / (n + 3))
    assert np.all(np.diff(bounds) >= 0)
    assert np.all(bounds >= np.arange(n + 1) / n)
    for share in (0.5 / n, 2.9 / n, 10.3 / n, 0.05, 0.37, 0.9):
        if share < 1:
            misses = binom.cdf(np.searchsorted(bounds, share) - 1, n, share)
            assert misses <= 0.052


def test_a_small_box_is_sampled_until_there_is_enough() -> None:
    study = rj.ReachStudy(
        rj.preset("igus_rebel").chain(),
        targets=rj.GridTargets(0.1, (0.2, 0.1, 0.2), (0.4, 0.3, 0.4)),
        orientations=rj.Orientations(kind="super_fibonacci", n=4),
    )
    from_fk = miss_rate_from_fk(study.job)
    assert from_fk["sampled"] > 1_000
    assert from_fk["rate"] <= from_fk["below"] < 0.5
