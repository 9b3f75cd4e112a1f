"""A solve on a system that is short of threads, forks, shuts down or checks every index."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from typing import Any

import pytest

import repose_jit as rj
from repose_jit.threads import run_chunks
from tests import arms
from tests.multi_seed.attempts import assert_same, far_away, reachable

REBEL = arms.rebel()


@pytest.mark.parametrize("granted", [0, 1, 2])
def test_a_system_that_grants_fewer_threads(granted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    targets = reachable(REBEL, 700)
    expected = rj.inverse_kinematics_batch(REBEL, targets, params=rj.MultiSeedParams(threads=1))
    start, started = threading.Thread.start, []

    def refuse(thread: threading.Thread) -> None:
        if len(started) >= granted:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    result = rj.inverse_kinematics_batch(REBEL, targets, params=rj.MultiSeedParams(threads=8))
    assert len(started) == granted
    assert_same(result, expected)
    assert not any(thread.name.startswith("repose-jit") for thread in threading.enumerate())


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("threads", [1, 3])
def test_whatever_progress_raises_comes_through_and_leaves_no_thread(error: Any, threads: int) -> None:
    def fail(done: int, total: int) -> None:
        raise error

    with pytest.raises(error):
        rj.inverse_kinematics_batch(REBEL, far_away(2000), params=rj.MultiSeedParams(threads=threads), progress=fail)
    assert not any(thread.name.startswith("repose-jit") for thread in threading.enumerate())


def test_an_error_in_a_thread_keeps_nothing_alive() -> None:
    class Result:
        pass

    def fail(start: int, stop: int, cancelled: threading.Event) -> None:
        held = Result()
        references.append(weakref.ref(held))
        raise MemoryError

    references: list[weakref.ref[Result]] = []
    gc.disable()
    try:
        with pytest.raises(MemoryError) as info:
            list(run_chunks(fail, 100, 1, threads=2))
        del info
        assert [reference() for reference in references] == [None] * len(references)
    finally:
        gc.enable()


def run(program: str, **environment: str) -> str:
    """Run a program that starts as this module does, and return what it prints."""
    start = "import numpy as np, repose_jit as rj\nfrom tests import arms\nREBEL = arms.rebel()\n"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", start + program],
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
    )
    assert done.stderr == ""
    return done.stdout


def test_a_solve_while_the_interpreter_shuts_down() -> None:
    assert (
        run(
            "import atexit\n"
            "def solve():\n"
            "    T = rj.forward_kinematics(REBEL, rj.spread_seeds(REBEL, 1000))\n"
            "    params = rj.MultiSeedParams(threads=3)\n"
            "    print(rj.inverse_kinematics_batch(REBEL, T, params=params).converged.sum())\n"
            "atexit.register(solve)\n"
        )
        == "1000\n"
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_after_a_call() -> None:
    assert (
        run(
            "import os\n"
            "T = rj.forward_kinematics(REBEL, rj.spread_seeds(REBEL, 1000))\n"
            "params = rj.MultiSeedParams(threads=3)\n"
            "before = rj.inverse_kinematics_batch(REBEL, T, params=params)\n"
            "child = os.fork()\n"
            "after = rj.inverse_kinematics_batch(REBEL, T, params=params)\n"
            "same = np.array_equal(before.q, after.q)\n"
            "if not child:\n"
            "    os._exit(0 if same else 1)\n"
            "print(same, os.waitpid(child, 0)[1])\n"
        )
        == "True 0\n"
    )


def test_no_row_of_scratch_is_read_or_written_beyond_its_end() -> None:
    """With the JIT disabled, and for every part of the scratch an array of its own, which checks its bounds."""
    assert (
        run(
            "from repose_jit.kernels import lane_ik\n"
            "from repose_jit.kernels.lane_attempt import LaneWork\n"
            "from repose_jit.kernels.lane_goal import LaneIkParams\n"
            "from repose_jit.kernels.lane_queue import LaneQueue\n"
            "sizes = {}\n"
            "def make_work(chain, _):\n"
            "    m, n = chain.m, chain.n\n"
            "    return LaneWork(*(np.zeros(8 * k) for k in (m, m, 2 * m, 6 * m, 12, 7, 6 * n)))\n"
            "def make_queue(*_):\n"
            "    rows = [np.full(8, -1) for _ in range(7)]\n"
            "    return LaneQueue(*rows, np.zeros(8), np.full(8 * sizes['A'], -1), np.zeros(9 * sizes['m']))\n"
            "solve = lane_ik.solve_from_many_seeds\n"
            "def measured(chain, params, *rest):\n"
            "    sizes.update(A=LaneIkParams(*params).max_attempts, m=len(chain[5]))\n"
            "    return solve(chain, params, *rest)\n"
            "lane_ik.make_work, lane_ik.make_queue, lane_ik.solve_from_many_seeds = make_work, make_queue, measured\n"
            "rng = np.random.default_rng(0)\n"
            "for slots in (1, 3, 8):\n"
            "    chain = arms.random_chain(rng, slots)\n"
            "    T = rj.forward_kinematics(chain, arms.random_configurations(chain, rng, 9))\n"
            "    for count, attempts in ((0, 1), (1, 1), (1, 9), (3, 2), (9, 3)):\n"
            "        for more in ({}, {'selection': 'max_limit_margin'}, {'free_axis': 'y', 'step_rule': 'fixed'}):\n"
            "            params = rj.MultiSeedParams(max_attempts=attempts, max_iterations=4, threads=1, **more)\n"
            "            seeds = np.zeros((count, attempts - 1, chain.n_joints))\n"
            "            result = rj.inverse_kinematics_batch(chain, T[:count], seeds=seeds, params=params)\n"
            "            assert np.isfinite(result.q).all() and set(result.status.tolist()) <= {1, 2}\n"
            "    print(len(rj.all_solutions(chain, T[0], params=rj.MultiSeedParams(max_attempts=9))) > 0)\n",
            NUMBA_DISABLE_JIT="1",
        )
        == "True\n" * 3
    )
