"""Fresh processes: real ones, which take seconds, and pretended ones."""

from __future__ import annotations

import json
import subprocess
from types import SimpleNamespace

import numba
import pytest

import repose_jit as rj
from repose_jit.bench import StartError, WrongAnswerError, starts
from repose_jit.bench.measure import measure_batch
from repose_jit.bench.problems import Problems, sampled_configurations
from repose_jit.bench.starts import CacheError, measure_cached_start, measure_first_call
from repose_jit.multi_seed import MultiSeedParams
from tests.arms import odd_arm, rebel


def problems_of(chain, count=16):
    q = sampled_configurations(chain, count, rng_seed=2)
    T = rj.forward_kinematics(chain, q)
    return Problems(chain=chain, targets=T, params=MultiSeedParams(threads=1), what="a start")


compiles = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@pytest.mark.slow
@compiles
def test_a_start_from_the_cache_compiles_nothing_and_solves_as_this_process_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    problems = problems_of(odd_arm())  # mimic and fixed joints travel too
    here = measure_batch(
        Problems(chain=problems.chain, targets=problems.targets[None], params=problems.params, what="here")
    )
    there = measure_cached_start(problems)
    assert (there.solved, there.targets) == (here.solved, 16)
    assert there.solved > 0
    assert there.ns > 1e6


@pytest.mark.slow
@compiles
def test_the_first_call_compiles_and_leaves_no_cache_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(starts.tempfile, "tempdir", str(tmp_path))
    one = measure_first_call(problems_of(rebel()))
    assert one.targets == 16
    assert one.solved > 0
    assert list(tmp_path.iterdir()) == []


def pretend(monkeypatch, outcome=None, *, code=0, err=""):
    """Let fresh processes end like this, and return what they are started with."""
    started = []

    def run(command, **options):
        started.append((command, options))
        return SimpleNamespace(returncode=code, stdout=json.dumps(outcome), stderr=err)

    monkeypatch.setattr(subprocess, "run", run)
    return started


def outcome_of(problems, **changes):
    q = sampled_configurations(problems.chain, len(problems.targets), rng_seed=2)
    converged = [True] * len(q)
    return {"import_ns": 700, "solve_ns": 30, "q": q.tolist(), "converged": converged, "compiled": 0, **changes}


def test_a_cached_start_is_import_and_first_batch(monkeypatch):
    problems = problems_of(rebel())
    started = pretend(monkeypatch, outcome_of(problems))
    one = measure_cached_start(problems)
    assert (one.ns, one.solved, one.targets) == (730, 16, 16)
    ((_, options),) = started
    job = json.loads(options["input"])
    assert rj.KinematicChain.from_config(job["chain"]) == problems.chain
    assert (job["position_tolerance"], job["orientation_tolerance"]) == (1e-4, 1e-3)


def test_a_first_call_is_the_first_batch_with_an_empty_cache(monkeypatch):
    problems = problems_of(rebel())
    started = pretend(monkeypatch, outcome_of(problems, compiled=4))
    assert measure_first_call(problems).ns == 30
    ((_, options),) = started
    assert "repose-bench-" in options["env"]["NUMBA_CACHE_DIR"]


def test_a_cached_start_that_compiles_is_none(monkeypatch):
    problems = problems_of(rebel())
    pretend(monkeypatch, outcome_of(problems, compiled=3))
    with pytest.raises(CacheError, match=r"a start: a fresh process compiled 3 kernels.*NUMBA_CACHE_DIR"):
        measure_cached_start(problems)


def test_a_first_call_that_compiles_nothing_is_none(monkeypatch):
    problems = problems_of(rebel())
    pretend(monkeypatch, outcome_of(problems))
    with pytest.raises(CacheError, match="compiled no kernel"):
        measure_first_call(problems)


@pytest.mark.parametrize(("measure", "compiled"), [(measure_cached_start, 0), (measure_first_call, 1)])
def test_answers_of_fresh_processes_are_checked(monkeypatch, measure, compiled):
    problems = problems_of(rebel())
    outcome = outcome_of(problems, compiled=compiled)
    outcome["q"][3][0] += 0.01
    pretend(monkeypatch, outcome)
    with pytest.raises(WrongAnswerError, match=r"a start: 1 of 16 answers .* Target 3:"):
        measure(problems)


def test_a_process_that_fails_says_why(monkeypatch):
    pretend(monkeypatch, code=1, err="Traceback\n  ...\nImportError: no module\n")
    with pytest.raises(StartError, match="a start: a fresh process ended with code 1: ImportError: no module"):
        measure_cached_start(problems_of(rebel()))
    pretend(monkeypatch, code=-9)
    with pytest.raises(StartError, match="code -9: it said nothing"):
        measure_cached_start(problems_of(rebel()))
