"""Going on with a study: only with the same one, whoever asks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.errors import InputError
from repose_jit.reach.engine.run import resume_study
from repose_jit.reach.store.reach_store import open_store
from repose_jit.reach.store.resume import job_of
from tests.reach.robots import gantry, rebel
from tests.reach.stores import cut_fine, files, small_study


def begin(path: Path, study: rj.ReachStudy, chunks: int) -> None:
    """Run a study until some chunks are done."""

    def stop(report: rj.ChunkReport) -> None:
        if report.n_done >= chunks:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        study.run(path, threads=1, progress=stop)


@pytest.mark.parametrize("chunks", [1, 4, 7])
def test_what_was_interrupted_goes_on_to_the_same_files(
    chunks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_fine(monkeypatch)
    small_study().run(tmp_path / "whole.zarr")
    begin(tmp_path / "map.zarr", small_study(), chunks)
    assert rj.ReachMap.open(tmp_path / "map.zarr").n_done == chunks
    reports: list[rj.ChunkReport] = []
    reach_map = resume_study(tmp_path / "map.zarr", threads=2, progress=reports.append)
    assert len(reports) == reach_map.n_chunks - chunks
    assert reports[0].n_done == chunks + 1
    assert reports[-1].n_done == reports[-1].n_chunks == reach_map.n_chunks
    assert reports[-1].poses_done == reports[-1].n_poses == reach_map.n_poses
    assert files(tmp_path / "map.zarr") == files(tmp_path / "whole.zarr")


def test_the_study_itself_may_ask_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_fine(monkeypatch)
    study = small_study()
    begin(tmp_path / "map.zarr", study, 3)
    study.run(tmp_path / "map.zarr", resume=True)
    before = files(tmp_path / "map.zarr")
    study.run(tmp_path / "map.zarr", resume=True)
    study.run(tmp_path / "new.zarr", resume=True)
    assert files(tmp_path / "map.zarr") == files(tmp_path / "new.zarr") == before


def test_a_complete_store_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "map.zarr"
    small_study().run(path)
    before = {file: file.stat().st_mtime_ns for file in path.rglob("*")}
    resume_study(path)
    assert {file: file.stat().st_mtime_ns for file in path.rglob("*")} == before


def test_the_job_of_a_store_is_that_of_its_study(tmp_path: Path) -> None:
    study = small_study(
        solve=rj.MultiSeedParams(selection="nearest", reference=[0.1] * 6, max_attempts=3, rng_seed=2**63),
        orientations=rj.Orientations(kind="free_axis", tool_axis="-y", n=4),
        metrics=["n_solutions", "limit_margin"],
        length_scale=0.3,
    )
    study.run(tmp_path / "map.zarr")
    job = job_of(open_store(tmp_path / "map.zarr"))
    assert job.solve == study.job.solve
    assert job.chain == study.chain
    assert (job.metrics, job.length_scale, job.save_q) == (study.metrics, 0.3, True)
    sites = np.arange(study.target_set.n_sites)
    np.testing.assert_array_equal(job.targets.poses(sites), study.target_set.poses(sites))
    assert job.blocks == study.job.blocks


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: small_study(max_attempts=7), r"study\.solve\.max_attempts = 4, and this one has 7"),
        (lambda: small_study(spacing=0.25), r"study\.targets\.spacing = 0\.3, and this one has 0\.25"),
        (lambda: small_study(n=11), r"study\.orientations\.n = 10, and this one has 11"),
        (lambda: small_study(metrics=[]), r"study\.metrics\.names = "),
        (lambda: small_study(save_q=False), r"study\.store\.save_q = True, and this one has False"),
        (lambda: small_study(orientations=rj.Orientations(kind="none")), r"study\.orientations\.kind"),
    ],
)
def test_another_study_is_refused_and_the_field_named(
    other: Callable[[], rj.ReachStudy], message: str, tmp_path: Path
) -> None:
    small_study().run(tmp_path / "map.zarr")
    with pytest.raises(InputError, match=message):
        other().run(tmp_path / "map.zarr", resume=True)


def test_another_robot_is_refused_and_the_joint_named(tmp_path: Path) -> None:
    study = small_study(targets=rj.GridTargets(0.3, (0, 0, 0), (0.6, 0.6, 0.6)))
    study.run(tmp_path / "map.zarr")
    joints = list(rebel().joints)
    joints[2] = replace(joints[2], limits=rj.JointLimits.revolute(-1.0, 1.0))
    for chain, message in (
        (gantry(), r"robot\.name = 'igus_rebel', and this one has 'gantry'"),
        (rj.KinematicChain(joints, name="igus_rebel"), r"robot\.joints\[2\]\.limits\.revolute\.lower"),
    ):
        other = rj.ReachStudy(
            chain, targets=study.targets, orientations=study.orientations, solve=study.solve, save_q=True
        )
        with pytest.raises(InputError, match=message):
            other.run(tmp_path / "map.zarr", resume=True)


def test_other_targets_of_the_same_number_are_refused(tmp_path: Path) -> None:
    T = rj.forward_kinematics(rebel(), np.full((3, 6), 0.4))
    small_study(targets=rj.PoseTargets(T), orientations=None).run(tmp_path / "map.zarr")
    T[1, 0, 3] += 1e-9
    with pytest.raises(InputError, match="targets_hash"):
        small_study(targets=rj.PoseTargets(T), orientations=None).run(tmp_path / "map.zarr", resume=True)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda what: what["versions"].update(numba="0.1"), r"versions\.numba = '0\.1', and this one has"),
        (lambda what: what.update(cpu_has_fma=False), "cpu_has_fma = False, and this one has True"),
        (lambda what: what.update(robot_hash="0" * 64), "robot"),
        (lambda what: what.update(block_shape=[1, 1, 1]), "block_shape"),
        (lambda what: what.update(study=what["study"].replace("max_attempts = 4", "max_attempts = 9")), "study_hash"),
    ],
)
def test_a_store_of_another_version_or_that_contradicts_itself_is_refused(
    edit: Callable[[dict[str, Any]], object], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "map.zarr"
    small_study().run(path)
    meta = json.loads((path / "zarr.json").read_text())
    edit(meta["attributes"])
    (path / "zarr.json").write_text(json.dumps(meta))
    before = files(path)
    with pytest.raises(InputError, match=message):
        resume_study(path)
    assert files(path) == before


def test_resuming_without_a_store_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found nothing, expected the store"):
        resume_study(tmp_path / "map.zarr")
    with pytest.raises(InputError, match="resume: got True without a path"):
        small_study().run(resume=True)
