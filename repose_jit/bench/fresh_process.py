"""Run as a script by :mod:`repose_jit.bench.starts`: import the package and solve one batch, and say how long it took.

Standard input: a JSON object with ``chain`` (a configuration), ``targets`` (matrices), ``position_tolerance`` and
``orientation_tolerance``. Standard output: one with ``import_ns``, ``solve_ns``, ``q``, ``converged``, and
``compiled``, the number of kernels that were not in the cache.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter_ns
from typing import Any


def first_batch(job: dict[str, Any]) -> dict[str, Any]:
    """Import the package, solve, and return what goes to standard output."""
    start = perf_counter_ns()
    import numpy as np

    from repose_jit.chain import KinematicChain
    from repose_jit.multi_seed import MultiSeedParams, inverse_kinematics_batch

    chain = KinematicChain.from_config(job["chain"])
    params = MultiSeedParams(
        position_tolerance=job["position_tolerance"], orientation_tolerance=job["orientation_tolerance"], threads=1
    )
    imported = perf_counter_ns()
    from numba.core.event import install_recorder

    # Numba tells of what it compiles; what it finds in the cache is not among it.
    with install_recorder("numba:compile") as compilations:
        before = perf_counter_ns()
        result = inverse_kinematics_batch(chain, job["targets"], params=params)
        solved = perf_counter_ns()
    return {
        "import_ns": imported - start,
        "solve_ns": solved - before,
        "q": result.q.tolist(),
        "converged": np.asarray(result.converged).tolist(),
        "compiled": sum(1 for _, event in compilations.buffer if event.is_start),
    }


if __name__ == "__main__":
    json.dump(first_batch(json.load(sys.stdin)), sys.stdout)
