"""The kernels' checks agree with the ones in validation, which name what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import repose_jit as rj
from repose_jit import validation
from repose_jit.kernels import checks
from tests import reference


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 16, 40])
def test_first_unusable(size: int) -> None:
    values = np.linspace(-1.0, 1.0, size) * 1e18
    assert checks.first_unusable(values) == -1
    for bad in (np.nan, np.inf, -np.inf, 1.0001e18, -1e300):
        for at in range(size):
            spoiled = values.copy()
            spoiled[at:] = bad
            assert checks.first_unusable(spoiled) == at


def test_the_limits_are_those_of_validation() -> None:
    assert checks.RIGID_TOLERANCE == validation.RIGID_TOLERANCE
    assert checks.MAX_POSITION == validation.MAX_POSITION
    assert checks.MAX_VALUE == validation.MAX_VALUE


def test_rigid_or_not_is_the_same_in_both() -> None:
    rng = np.random.default_rng(0)
    for k in range(2000):
        T = reference.transform(rng.uniform(-2, 2, 3), rng.uniform(-3, 3, 3))
        i, j = rng.integers(0, 4, 2)
        T[i, j] += 10.0 ** rng.uniform(-12, 3) * rng.choice([-1, 0, 1])
        if k % 10 == 0:
            T[i, j] = rng.choice([np.nan, np.inf, 1e200, -1e200, 0.0])
        if k % 7 == 0:
            T[:3, 0] *= -1
        try:
            validation.require_rigid(T, name="T")
            is_rigid = True
        except rj.InputError:
            is_rigid = False
        poses = np.concatenate([np.eye(4).ravel(), T.ravel()])
        assert (checks.first_non_rigid(poses) == -1) == is_rigid
        assert checks.first_non_rigid(poses) in (-1, 1)
