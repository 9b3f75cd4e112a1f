"""The lane type: every operation equals NumPy on rows of eight, in machine code and with the JIT disabled."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from repose_jit.kernels import lanes
from repose_jit.kernels._jit import jit
from repose_jit.kernels.lanes import (
    absolute,
    all_lanes,
    any_lane,
    gather,
    get_lane,
    load,
    maximum,
    minimum,
    product_difference,
    rint,
    set_lane,
    splat,
    sqrt,
    store,
    store_transposed,
    where,
)

X = np.array([1.5, -2.25, 0.5, 7.0, -0.0, 3.5, 2.5, -8.0])
Y = np.array([0.5, 4.0, -0.5, 7.0, 1.0, -3.5, 0.25, -9.0])


@jit
def arithmetic(x, y, out):
    a, b = load(x, 0), load(y, 0)
    store(out, 0, a + b)
    store(out, 8, a - b)
    store(out, 16, a * b)
    store(out, 24, a / b)
    store(out, 32, -a)
    store(out, 40, 2.0 * a + 1 - b / 4)
    total = splat(1.0)
    total += a
    total *= b
    total -= 3
    total /= 2.0
    store(out, 48, total)


def test_arithmetic() -> None:
    out = np.empty(56)
    arithmetic(X, Y, out)
    expected = [X + Y, X - Y, X * Y, X / Y, -X, 2 * X + 1 - Y / 4, ((1 + X) * Y - 3) / 2]
    assert np.array_equal(out.reshape(7, 8), expected)


@jit
def functions(x, y, out):
    a, b = load(x, 0), load(y, 0)
    store(out, 0, sqrt(absolute(a)))
    store(out, 8, rint(a))
    store(out, 16, minimum(a, b))
    store(out, 24, maximum(a, b))
    store(out, 32, where((a < b) | (a >= 3.5), a, 0.0))
    store(out, 40, where(~(a <= b) & (b > -1.0), 1.0, b))
    store(out, 48, set_lane(a, 3, get_lane(b, 5)))
    store(out, 56, gather(x, 7, -1))


def test_functions() -> None:
    out = np.empty(64)
    functions(X, Y, out)
    swapped = X.copy()
    swapped[3] = Y[5]
    expected = [
        np.sqrt(np.abs(X)),
        np.rint(X),
        np.minimum(X, Y),
        np.maximum(X, Y),
        np.where((X < Y) | (X >= 3.5), X, 0),
        np.where(~(X <= Y) & (Y > -1), 1, Y),
        swapped,
        X[::-1],
    ]
    assert np.array_equal(out.reshape(8, 8), expected)


@jit
def reductions(x, bound):
    below = load(x, 0) < bound
    return any_lane(below), all_lanes(below), get_lane(below, 7)


def test_reductions() -> None:
    assert reductions(X, -8.0) == (False, False, False)
    assert reductions(X, -7.0) == (True, False, True)
    assert reductions(X, 7.5) == (True, True, True)


@jit
def comparisons_with_nan(x, out):
    a = load(x, 0)
    nothing = splat(np.nan)
    store(out, 0, where(a < nothing, 1.0, 0.0))
    store(out, 8, where(a >= nothing, 1.0, 0.0))
    store(out, 16, minimum(nothing, a))
    store(out, 24, maximum(nothing, a))


def test_comparisons_with_nan_are_false() -> None:
    out = np.empty(32)
    comparisons_with_nan(X, out)
    assert np.array_equal(out.reshape(4, 8), [np.zeros(8), np.zeros(8), X, X])


@jit
def transpose(x, out):
    store_transposed(
        out, 1, 9, load(x, 0), load(x, 8), load(x, 16), load(x, 24), load(x, 32), load(x, 40), load(x, 48), load(x, 56)
    )


def test_store_transposed() -> None:
    x, out = np.arange(64.0), np.zeros(73)
    transpose(x, out)
    assert np.array_equal(out[1:].reshape(8, 9)[:, :8], x.reshape(8, 8).T)
    assert np.all(out[1:].reshape(8, 9)[:7, 8] == 0.0)


@jit
def differences(a, b, c, d, out):
    store(out, 0, product_difference(load(a, 0), load(b, 0), load(c, 0), load(d, 0)))


def test_of_a_difference_of_products_the_first_is_not_rounded() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        a, b, c, d = rng.normal(size=(4, 8))
        out = np.empty(8)
        differences(a, b, c, d, out)
        exact = [float(Fraction(x) * Fraction(y) - Fraction(z * w)) for x, y, z, w in zip(a, b, c, d, strict=True)]
        assert out.tolist() == exact


def test_the_same_functions_run_on_numpy_rows() -> None:
    """With the JIT disabled, forward kinematics is the same source on rows of eight."""
    program = (
        "import numpy as np, repose_jit as rj\n"
        "from tests import arms, reference\n"
        "chain = arms.odd_arm()\n"
        "Q = arms.random_configurations(chain, np.random.default_rng(0), 9)\n"
        "T = rj.forward_kinematics(chain, Q)\n"
        "oracle = reference.from_chain(chain)\n"
        "assert np.abs(T - [reference.fk(oracle, q) for q in Q]).max() < 1e-12\n"
        "J = rj.jacobian(chain, Q)\n"
        "assert np.abs(J - [reference.jacobian(oracle, q) for q in Q]).max() < 1e-12\n"
        "result = rj.inverse_kinematics(chain, T, Q + 0.01)\n"
        "assert result.converged.all()\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, timeout=120)


def test_lanes_refuse_what_they_cannot_do() -> None:
    with pytest.raises(Exception, match="where"):
        jit(lambda x: where(load(x, 0), 1.0, 2.0))(X)
    assert lanes.WIDTH == 8
