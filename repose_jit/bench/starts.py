"""How long a fresh process takes to its first batch of solutions, with compiled kernels in the cache and without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from repose_jit.bench import fresh_process
from repose_jit.bench.measure import Measurement
from repose_jit.bench.problems import Problems
from repose_jit.errors import ReposeError

__all__ = ["CacheError", "StartError", "measure_cached_start", "measure_first_call"]

TIMEOUT = 600
"""Seconds after which a fresh process counts as hanging."""


class StartError(ReposeError, RuntimeError):
    """A fresh process failed."""


class CacheError(StartError):
    """A fresh process compiled what it should have found in the cache, or the reverse."""


def measure_cached_start(problems: Problems) -> Measurement:
    """Start a process that finds its kernels in the cache; the time is that of its import and its first batch.

    What Python itself needs to start is not in it. This process, or an earlier one, must have solved a batch before.
    The targets (N, 4, 4) are solved on one thread.

    Raises
    ------
    CacheError
        If the process compiles anything.
    StartError
        If it fails.
    WrongAnswerError
        If a claimed solution is none.
    """
    outcome = _run(problems, os.environ)
    if outcome["compiled"]:
        raise CacheError(
            f"{problems.what}: a fresh process compiled {outcome['compiled']} kernels, expected all of them in the "
            "cache; can that be written? NUMBA_CACHE_DIR names another"
        )
    return _measurement(problems, outcome, outcome["import_ns"] + outcome["solve_ns"])


def measure_first_call(problems: Problems) -> Measurement:
    """Start a process with an empty cache; the time is that of its first batch, which compiles.

    Raises
    ------
    CacheError
        If the process compiles nothing.
    StartError
        If it fails.
    WrongAnswerError
        If a claimed solution is none.
    """
    with tempfile.TemporaryDirectory(prefix="repose-bench-") as cache:
        outcome = _run(problems, os.environ | {"NUMBA_CACHE_DIR": cache})
    if not outcome["compiled"]:
        raise CacheError(
            f"{problems.what}: a fresh process with an empty cache compiled no kernel; is NUMBA_DISABLE_JIT set?"
        )
    return _measurement(problems, outcome, outcome["solve_ns"])


def _run(problems: Problems, environment: os._Environ[str] | dict[str, str]) -> dict[str, Any]:
    job = {
        "chain": problems.chain.to_config(),
        "targets": problems.targets.tolist(),
        "position_tolerance": problems.params.position_tolerance,
        "orientation_tolerance": problems.params.orientation_tolerance,
    }
    # What this process has imported is what the other one shall import, wherever it came from.
    search = os.pathsep.join(path or os.getcwd() for path in sys.path)
    done = subprocess.run(  # noqa: S603 (nothing of it comes from outside)
        [sys.executable, "-P", str(Path(fresh_process.__file__))],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
        env={**environment, "PYTHONPATH": search},
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise StartError(f"{problems.what}: a fresh process ended with code {done.returncode}: {last}")
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def _measurement(problems: Problems, outcome: dict[str, Any], ns: int) -> Measurement:
    solved = problems.count_verified(outcome["q"], outcome["converged"])
    return Measurement(ns=ns, solved=solved, targets=len(outcome["converged"]))
