"""Sine, cosine and arctangent over lanes against NumPy's extended precision."""

from __future__ import annotations

import numpy as np

from repose_jit.kernels import trig
from repose_jit.kernels._jit import jit
from repose_jit.kernels.lanes import load, store


@jit
def sincos(x, s_out, c_out):
    for i in range(0, x.size, 8):
        s, c = trig.sincos(load(x, i))
        store(s_out, i, s)
        store(c_out, i, c)


@jit
def atan2(y, x, out):
    for i in range(0, x.size, 8):
        store(out, i, trig.atan2_first_quadrant(load(y, i), load(x, i)))


def both(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    s, c = np.empty_like(x), np.empty_like(x)
    sincos(x, s, c)
    return s, c


def test_error_is_below_4e_16_up_to_a_thousand_radians() -> None:
    rng = np.random.default_rng(0)
    quarter_turns = np.arange(-636, 636) * (np.pi / 2)
    near_zeros = np.concatenate(
        [np.nextafter(quarter_turns, 1e4), quarter_turns, quarter_turns + 1e-9, quarter_turns + 0.7]
    )
    x = np.concatenate([rng.uniform(-4, 4, 80_000), rng.uniform(-1000, 1000, 80_000), near_zeros, np.zeros(8)])
    x = x[: x.size // 8 * 8]
    s, c = both(x)
    exact = x.astype(np.longdouble)
    assert np.finfo(np.longdouble).eps < 1e-18, "this machine has no extended precision to compare with"
    assert np.abs(s - np.sin(exact)).max() < 4e-16
    assert np.abs(c - np.cos(exact)).max() < 4e-16


def test_large_and_non_finite_angles_take_their_own_path_and_leave_the_others_alone() -> None:
    x = np.array([0.1, 1e3, 1.0001e3, 3e7, -1e300, np.nan, np.inf, 2.0])
    s, c = both(x)
    with np.errstate(invalid="ignore"):
        assert np.allclose(s, np.sin(x), rtol=0, atol=2e-16, equal_nan=True)
        assert np.allclose(c, np.cos(x), rtol=0, atol=2e-16, equal_nan=True)
    alone, _ = both(np.full(8, 0.1))
    assert s[0] == alone[0]


def test_arctangent() -> None:
    rng = np.random.default_rng(1)
    y, x = rng.uniform(0, 1, 80_000) ** 6, rng.uniform(0, 1, 80_000) ** 6
    y[:8], x[:8] = 0.0, 1.0
    y[8:16], x[8:16] = 1.0, 0.0
    y[16:24], x[16:24] = np.sqrt(2) - 1, 1.0
    out = np.empty_like(x)
    atan2(y, x, out)
    assert np.abs(out - np.arctan2(y.astype(np.longdouble), x.astype(np.longdouble))).max() < 4e-16
    small = (out < 1e-3) & (y > 0.0)
    assert small.sum() > 1000
    assert np.abs(out[small] / np.arctan2(y[small], x[small]) - 1.0).max() < 5e-16
