"""The kernels of metrics: any company, any lane, no compiler; means that are added in one order."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest

from repose_jit.kernels import metrics
from tests import arms

CODES = np.arange(5)


def values_of(q: np.ndarray, codes: np.ndarray = CODES, scale: float = 2.0) -> np.ndarray:
    out = np.full((len(codes), len(q)), math.inf)
    metrics.metrics(tuple(arms.odd_arm().arrays), q.reshape(-1), codes, scale, out.reshape(-1))
    return out


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 16, 23])
def test_a_pose_does_not_depend_on_its_company(count: int) -> None:
    Q = arms.random_configurations(arms.odd_arm(), np.random.default_rng(0), count)
    values = values_of(Q)
    assert np.isfinite(values).all()
    for i in range(count):
        assert np.array_equal(values[:, i], values_of(Q[i : i + 1])[:, 0])
    assert np.array_equal(values[:, ::-1], values_of(np.ascontiguousarray(Q[::-1])))


@pytest.mark.parametrize("scale", [1.0, 3.0])
@pytest.mark.parametrize("count", [3, 20])
def test_a_measure_does_not_depend_on_the_others(scale: float, count: int) -> None:
    Q = arms.random_configurations(arms.odd_arm(), np.random.default_rng(1), count)
    together = values_of(Q, scale=scale)
    for code in CODES:
        assert np.array_equal(values_of(Q, np.array([code]), scale)[0], together[code])
    assert np.array_equal(values_of(Q, np.array([0, 2, 4]), scale), together[[0, 2, 4]])
    assert values_of(Q, CODES[:0], scale).shape == (0, count)


def test_the_same_source_runs_without_the_compiler() -> None:
    program = (
        "import numpy as np, repose_jit as rj\n"
        "from repose_jit.reach.solving.metrics import compute_metrics, site_statistics\n"
        "from tests import arms\n"
        "chain = arms.odd_arm()\n"
        "Q = arms.random_configurations(chain, np.random.default_rng(0), 9)\n"
        "J = rj.jacobian(chain, Q)[:, 3:, chain.arrays.entries != 0]\n"
        "sigma = np.linalg.svd(J, compute_uv=False)\n"
        "found = compute_metrics(chain, Q, ['inverse_condition_angular'])['inverse_condition_angular']\n"
        "assert np.abs(found - sigma[:, -1] / sigma[:, 0]).max() < 1e-13\n"
        "assert site_statistics([[1.0, np.nan, 2.0]]) == (1.5, 2.0)\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, timeout=120)


@pytest.mark.parametrize("count", [1, 5, 8, 33, 256])
def test_values_are_added_from_first_to_last(count: int) -> None:
    rng = np.random.default_rng(count)
    values = rng.normal(size=(40, count)) * 10.0 ** rng.uniform(-12, 12, (40, count))
    values[rng.random(values.shape) < 0.2] = np.nan
    values[3] = np.nan
    mean, largest = np.full(40, math.inf), np.full(40, math.inf)
    metrics.site_statistics(values.reshape(-1), count, mean, largest)
    for row, got_mean, got_largest in zip(values, mean, largest, strict=True):
        known = [x for x in row.tolist() if not math.isnan(x)]
        total = 0.0
        for x in known:
            total += x
        assert np.array_equal(got_mean, total / len(known) if known else math.nan, equal_nan=True)
        assert np.array_equal(got_largest, max(known, default=math.nan), equal_nan=True)
