"""Sine and cosine of arrays of angles, in radians and in turns, against NumPy's extended precision."""

from __future__ import annotations

import numpy as np
import pytest

from repose_jit.kernels.angles import sincos_of_angles, sincos_of_turns


def call(kernel, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    s, c = np.full_like(x, np.nan), np.full_like(x, np.nan)
    kernel(x, s, c)
    return s, c


def exact(turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    # Whole turns are taken off first: they are exact, and π is not.
    angle = (turns - np.rint(turns)).astype(np.longdouble) * (8 * np.arctan(np.longdouble(1)))
    return np.sin(angle), np.cos(angle)


def test_turns_lose_no_digits_however_many_they_are() -> None:
    assert np.finfo(np.longdouble).eps < 1e-18, "this machine has no extended precision to compare with"
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-0.5, 0.5, 20_000), rng.uniform(-1e9, 1e9, 20_000), np.arange(-40, 40) / 16])
    for ours, theirs in zip(call(sincos_of_turns, x), exact(x), strict=True):
        assert np.abs(ours - theirs).max() < 4e-16


def test_quarters_of_a_turn_are_exact() -> None:
    s, c = call(sincos_of_turns, np.array([0, 0.25, 0.5, 0.75, 1, -0.25, 1e6 + 0.25, 2.0**40 + 0.5]))
    assert s.tolist() == [0, 1, 0, -1, 0, -1, 1, 0]
    assert c.tolist() == [1, 0, -1, 0, 1, 0, 0, -1]


def test_radians() -> None:
    x = np.random.default_rng(1).uniform(-20, 20, 20_003)
    s, c = call(sincos_of_angles, x)
    assert np.abs(s - np.sin(x.astype(np.longdouble))).max() < 4e-16
    assert np.abs(c - np.cos(x.astype(np.longdouble))).max() < 4e-16


@pytest.mark.parametrize("kernel", [sincos_of_angles, sincos_of_turns])
@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 23])
def test_every_entry_is_written_and_its_place_does_not_matter(kernel, size: int) -> None:
    x = np.random.default_rng(2).uniform(-3, 3, 23)
    for part, whole in zip(call(kernel, x[23 - size :].copy()), call(kernel, x), strict=True):
        np.testing.assert_array_equal(part, whole[23 - size :])
