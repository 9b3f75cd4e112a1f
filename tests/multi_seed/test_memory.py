"""A million targets need little more memory than what is returned."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Prints how far the largest resident set grew during a solve, and the size of the arrays it returned [bytes].
PROGRAM = """
import sys
import numpy as np
import repose_jit as rj

def largest():
    # Not getrusage: what it says of a new process begins with the size of the one that started it.
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))

count, attempts, selection = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
chain = rj.preset("ur5").chain()
some = rj.forward_kinematics(chain, rj.spread_seeds(chain, 1000))
params = rj.MultiSeedParams(max_attempts=attempts, selection=selection, threads=2)
rj.inverse_kinematics_batch(chain, some, params=params)
targets = np.empty((count, 4, 4))
targets.reshape(-1, 1000, 4, 4)[:] = some
before = largest()
result = rj.inverse_kinematics_batch(chain, targets, params=params)
after = largest()
names = ("q", "status", "converged", "position_error", "orientation_error", "iterations", "attempts", "seed_index")
print((after - before) * 1024, sum(getattr(result, name).nbytes for name in names))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("count", "attempts", "selection"), [(1_000_000, 32, "first"), (1_000_000, 2, "max_manipulability")]
)
def test_memory_is_at_most_twice_what_is_returned(count: int, attempts: int, selection: str) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", PROGRAM, str(count), str(attempts), selection]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    growth, returned = map(int, done.stdout.split())
    assert returned > 80 * count
    # The arrays themselves were touched within the measurement: less than that would mean nothing was measured.
    assert 0.9 * returned < growth < 2.0 * returned
