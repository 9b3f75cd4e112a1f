from __future__ import annotations

import gc

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.bench import BenchSettings, RowKey, Work, WrongAnswerError, read_report, run, run_bench, write_report
from repose_jit.bench.measure import Measurement
from repose_jit.bench.starts import CacheError
from repose_jit.errors import InputError
from tests.arms import odd_arm, rebel

TINY = BenchSettings(batches=(1, 5), threads=(1, 2), calls=6, repetitions=3, cached_starts=0, first_calls=0)
LOOSE, TIGHT = TINY.tolerances


@pytest.fixture
def _few_targets(monkeypatch):
    """Solve as few targets as one batch has in a repetition."""
    monkeypatch.setattr(run, "TARGETS_PER_REPETITION", 5)


pytestmark = pytest.mark.usefixtures("_few_targets")


def expected_keys(robot):
    def key(work, batch, threads, tolerances=(None, None)):
        position, orientation = tolerances
        return RowKey(
            work=work,
            robot=robot,
            batch=batch,
            threads=threads,
            position_tolerance=position,
            orientation_tolerance=orientation,
        )

    return [
        *(key(work, 1, 1, t) for t in (LOOSE, TIGHT) for work in (Work.SOLVE_ONE, Work.SOLVE_ONE_OUT)),
        key(Work.BATCH, 1, 1, LOOSE),
        key(Work.BATCH, 5, 1, LOOSE),
        key(Work.BATCH, 5, 2, LOOSE),
        key(Work.BATCH, 5, 1, TIGHT),
        *(key(work, batch, 1) for work in (Work.FORWARD_KINEMATICS, Work.JACOBIAN) for batch in (1, 5)),
    ]


def test_a_report_has_all_rows_of_all_robots():
    report = run_bench({"rebel": rebel(), "odd": odd_arm()}, TINY)
    assert [row.key for row in report.rows] == expected_keys("rebel") + expected_keys("odd")
    assert report.settings == TINY
    assert report.cpu_share > 0.0
    for row in report.rows:
        assert len(row.repetitions_ns) == 3
        assert len(row.percentiles_ns) == (101 if row.work in (Work.SOLVE_ONE, Work.SOLVE_ONE_OUT) else 0)
        assert (row.solved is None) is (row.work in (Work.FORWARD_KINEMATICS, Work.JACOBIAN))
    assert {row.targets for row in report.of(Work.SOLVE_ONE)} == {18}
    assert {row.targets for row in report.of(Work.BATCH)} == {15}


def test_what_is_solved_repeats():
    first, again = (run_bench({"rebel": rebel()}, TINY) for _ in range(2))
    assert [row.key for row in first.rows] == [row.key for row in again.rows]
    assert [(row.solved, row.targets) for row in first.rows] == [(row.solved, row.targets) for row in again.rows]


def test_a_report_survives_its_file(tmp_path):
    report = run_bench({"rebel": rebel()}, TINY)
    write_report(report, tmp_path / "report.json")
    assert read_report(tmp_path / "report.json") == report


def test_progress_counts_up_to_the_total():
    calls = []
    run_bench({"rebel": rebel()}, TINY, progress=lambda done, total: calls.append((done, total)))
    total = 4 * len(expected_keys("rebel"))  # the first time does not count as a repetition
    assert calls == [(done, total) for done in range(1, total + 1)]


def test_no_robot_is_a_mistake():
    with pytest.raises(InputError, match="robots: got none"):
        run_bench({}, TINY)
    with pytest.raises(InputError, match="chain"):
        run_bench({"rebel": "igus_rebel"}, TINY)


def test_targets_are_poses_of_configurations_and_the_same_for_all_rows(monkeypatch):
    seen = []
    monkeypatch.setattr(run, "measure_batch", lambda problems: seen.append(problems) or Measurement(ns=1.0, targets=1))
    run_bench({"rebel": rebel()}, TINY)
    shapes = {problems.targets.shape for problems in seen}
    assert shapes == {(5, 1, 4, 4), (1, 5, 4, 4)}
    flat = [problems.targets.reshape(-1, 4, 4) for problems in seen]
    for targets in flat:
        np.testing.assert_array_equal(targets, flat[0])
    result = rj.inverse_kinematics(rebel(), flat[0], run.sampled_configurations(rebel(), 5, rng_seed=0))
    np.testing.assert_array_equal(result.iterations, 0)


def test_a_wrong_answer_ends_the_run(monkeypatch):
    def wrong(problems):
        raise WrongAnswerError("wrong")

    monkeypatch.setattr(run, "measure_one_out", wrong)
    with pytest.raises(WrongAnswerError):
        run_bench({"rebel": rebel()}, TINY)


def test_repetitions_take_turns_without_the_garbage_collector(monkeypatch):
    turns = []

    def recorded(name):
        def measure(*_):
            turns.append((name, gc.isenabled()))
            return Measurement(ns=1.0)

        return measure

    for name in ("measure_one", "measure_one_out", "measure_batch", "measure_kinematics"):
        monkeypatch.setattr(run, name, recorded(name))
    run_bench({"rebel": rebel()}, TINY)
    rounds = np.array([name for name, _ in turns]).reshape(4, -1)
    assert len(set(rounds[0])) == 4
    assert np.all(rounds == rounds[0])
    timed = turns[rounds.shape[1] :]
    assert not any(is_on for _, is_on in timed)


# ----------------------------------------------------------------------------------------------------------- starts


def test_starts_are_those_of_the_first_robot_and_as_many_as_asked(monkeypatch):
    started = []
    monkeypatch.setattr(run, "measure_first_call", lambda p: started.append(p) or Measurement(ns=9.0))
    monkeypatch.setattr(run, "measure_cached_start", lambda p: started.append(p) or Measurement(ns=2.0))
    settings = BenchSettings(batches=(1,), calls=1, repetitions=1, cached_starts=4, first_calls=2)
    report = run_bench({"rebel": rebel(), "odd": odd_arm()}, settings)
    assert [(row.work, row.robot, row.batch, row.threads) for row in report.rows[:2]] == [
        (Work.FIRST_CALL, "rebel", 64, 1),
        (Work.CACHED_START, "rebel", 64, 1),
    ]
    assert [row.repetitions_ns for row in report.rows[:2]] == [(9.0, 9.0), (2.0, 2.0, 2.0, 2.0)]
    assert {row.robot for row in report.rows[2:]} == {"rebel", "odd"}
    assert all(problems.chain == rebel() and problems.targets.shape == (64, 4, 4) for problems in started)


def test_a_start_without_its_cache_is_left_out_after_one_warning(monkeypatch):
    attempts = []

    def cold(problems):
        attempts.append(problems)
        raise CacheError("compiled 3 kernels")

    monkeypatch.setattr(run, "measure_cached_start", cold)
    settings = BenchSettings(batches=(1,), calls=1, repetitions=1, cached_starts=3, first_calls=0)
    with pytest.warns(RuntimeWarning, match="compiled 3 kernels. It is left out"):
        report = run_bench({"rebel": rebel()}, settings)
    assert report.of(Work.CACHED_START) == []
    assert len(report.rows) > 0
    assert len(attempts) == 1
