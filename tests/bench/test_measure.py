from __future__ import annotations

import gc
import time
from types import SimpleNamespace

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.bench import WrongAnswerError, measure
from repose_jit.bench.problems import Problems, sampled_configurations
from repose_jit.bench.stopwatch import CpuShare, no_garbage_collection, time_each, time_together
from repose_jit.ik import IkStatus
from repose_jit.multi_seed import MultiSeedParams
from tests.arms import rebel


@pytest.fixture
def problems():
    """Return ten targets that all have solutions."""
    chain = rebel()
    q = sampled_configurations(chain, 10, rng_seed=1)
    return Problems(chain=chain, targets=rj.forward_kinematics(chain, q), params=MultiSeedParams(threads=1))


def batched(problems):
    return Problems(chain=problems.chain, targets=problems.targets.reshape(2, 5, 4, 4), params=problems.params)


def test_one_target_a_call(problems):
    one = measure.measure_one(problems)
    assert (one.targets, len(one.calls_ns)) == (10, 10)
    assert 0 < one.solved <= 10
    assert one.ns == np.median(one.calls_ns) > 0


def test_an_array_of_the_caller_gives_as_many_solutions(problems):
    assert measure.measure_one_out(problems).solved == measure.measure_one(problems).solved


def test_batches(problems):
    one = measure.measure_batch(batched(problems))
    assert one.targets == 10
    assert one.solved > 0
    assert one.calls_ns == ()
    assert one.ns > 0


def test_nothing_about_the_solutions_is_left_to_chance(problems):
    assert measure.measure_batch(batched(problems)).solved == measure.measure_batch(batched(problems)).solved
    assert measure.measure_one(problems).solved == measure.measure_one(problems).solved


@pytest.mark.parametrize("poses", [1, 3, 1000])
def test_kinematics_call_the_function_with_the_whole_batch(poses):
    chain, calls = rebel(), []
    q = sampled_configurations(chain, poses, rng_seed=0)
    one = measure.measure_kinematics(lambda *arguments: calls.append(arguments), chain, q)
    assert 100 < len(calls) <= 1024
    assert all(given is chain and batch is q for given, batch in calls)
    assert one.ns > 0
    assert (one.solved, one.targets, one.calls_ns) == (0, 0, ())


# ---------------------------------------------------------------------------------------------------- wrong answers


def a_little_off(q):
    moved = np.array(q)
    moved[..., 0] += 0.01
    return moved


def test_a_wrong_answer_of_a_batch_is_found(problems, monkeypatch):
    def lying(chain, targets, *, params):
        return SimpleNamespace(q=np.tile(chain.home, (len(targets), 1)), converged=np.ones(len(targets), bool))

    monkeypatch.setattr(measure, "inverse_kinematics_batch", lying)
    with pytest.raises(WrongAnswerError, match="10 of 10 answers"):
        measure.measure_batch(batched(problems))


def test_answers_that_are_almost_right_are_found(problems, monkeypatch):
    solve = measure.inverse_kinematics_batch

    def careless(chain, targets, *, params):
        result = solve(chain, targets, params=params)
        return SimpleNamespace(q=a_little_off(result.q), converged=result.converged)

    monkeypatch.setattr(measure, "inverse_kinematics_batch", careless)
    with pytest.raises(WrongAnswerError, match="answers that are claimed to be solutions are none"):
        measure.measure_batch(batched(problems))


def test_answers_to_the_wrong_targets_are_found(problems, monkeypatch):
    solve = measure.inverse_kinematics_batch
    monkeypatch.setattr(measure, "inverse_kinematics_batch", lambda chain, T, *, params: solve(chain, T[::-1]))
    with pytest.raises(WrongAnswerError):
        measure.measure_batch(batched(problems))


def test_wrong_single_answers_are_found(problems, monkeypatch):
    def lying(chain, target, *, params, out=None):
        if out is None:
            return SimpleNamespace(q=chain.home, converged=True)
        out[:] = chain.home
        return IkStatus.CONVERGED

    monkeypatch.setattr(measure, "solve_one", lying)
    for function in (measure.measure_one, measure.measure_one_out):
        with pytest.raises(WrongAnswerError, match="10 of 10 answers"):
            function(problems)


def test_failures_that_are_admitted_are_only_counted(problems, monkeypatch):
    def giving_up(chain, target, *, params, out=None):
        if out is None:
            return SimpleNamespace(q=chain.home, converged=False)
        return IkStatus.MAX_ITERATIONS_REACHED

    monkeypatch.setattr(measure, "solve_one", giving_up)
    for function in (measure.measure_one, measure.measure_one_out):
        one = function(problems)
        assert (one.solved, one.targets) == (0, 10)


# -------------------------------------------------------------------------------------------------------- stopwatch


def test_each_call_has_its_time():
    results, times = time_each(divmod, [7, 8, 9], [2, 3, 5])
    assert results == [(3, 1), (2, 2), (1, 4)]
    assert len(times) == 3
    assert min(times) >= 0
    with pytest.raises(ValueError, match="shorter"):
        time_each(divmod, [7, 8], [2])


def test_calls_together_have_one_time():
    results, time = time_together(str, range(3))
    assert results == ["0", "1", "2"]
    assert time >= 0


@pytest.mark.parametrize("is_on", [True, False])
def test_the_garbage_collector_is_off_and_then_as_before(is_on):
    was_on, inside = gc.isenabled(), []

    def fail():
        with no_garbage_collection():
            inside.append(gc.isenabled())
            raise KeyError

    (gc.enable if is_on else gc.disable)()
    try:
        with pytest.raises(KeyError):
            fail()
        assert inside == [False]
        assert gc.isenabled() is is_on
    finally:
        (gc.enable if was_on else gc.disable)()


def test_the_share_of_a_cpu_is_that_of_what_is_watched(monkeypatch):
    clocks = {"perf_counter_ns": iter([0, 100, 1000, 1100]), "process_time_ns": iter([0, 40, 40, 120])}
    for name, times in clocks.items():
        monkeypatch.setattr(f"repose_jit.bench.stopwatch.{name}", times.__next__)
    share = CpuShare()
    assert share.value == 1.0
    with share.watched():
        pass
    assert share.value == pytest.approx(0.4)
    with share.watched():
        pass
    assert share.value == pytest.approx(0.6)


def test_a_process_that_sleeps_gets_no_cpu():
    share = CpuShare()
    with share.watched():
        time.sleep(0.2)
    assert share.value < 0.5
