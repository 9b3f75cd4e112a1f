"""Seeds: within the limits, well spread, and determined by the chain, the rng_seed and the attempt alone."""

from __future__ import annotations

import sys
from math import pi

import numpy as np
import pytest

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError
from repose_jit.joints import JointLimits, JointMimic, JointSpec
from repose_jit.seeds import spread_seeds
from tests.reach.robots import ORIGIN, gantry, random_chain, rebel


@pytest.mark.parametrize("seed", range(20))
def test_seeds_are_within_the_limits(seed: int) -> None:
    chain = random_chain(np.random.default_rng(seed))
    q = spread_seeds(chain, 50, rng_seed=seed)
    assert q.shape == (50, chain.n_joints)
    assert np.all(chain.is_within_limits(q))
    endless = np.isinf(chain.upper_limits)
    assert np.all(np.abs(q[:, endless]) <= pi)


def test_a_longer_list_starts_with_the_shorter_one() -> None:
    chain = gantry()
    q = spread_seeds(chain, 40, rng_seed=5)
    for count in range(40):
        np.testing.assert_array_equal(spread_seeds(chain, count, rng_seed=5), q[:count])


def test_home_comes_first_and_mid_range_second_if_it_differs() -> None:
    joint = JointSpec.revolute(ORIGIN, ORIGIN, "pos_z", JointLimits.revolute(-1, 3))
    q = spread_seeds(KinematicChain([joint], home=[2.5]), 3)
    assert q[:2, 0].tolist() == [2.5, 1.0]
    q = spread_seeds(KinematicChain([joint]), 3)
    assert q[0, 0] == 1.0
    assert q[1, 0] != 1.0


def test_every_joint_sees_its_whole_range() -> None:
    chain = rebel()
    q = spread_seeds(chain, 64)
    u = (q - chain.lower_limits) / (chain.upper_limits - chain.lower_limits)
    for column in u.T:
        # A random column leaves a gap of 0.07 to 0.12.
        assert np.diff(np.sort([0.0, *column, 1.0])).max() < 0.06


def test_seeds_stay_apart() -> None:
    chain = rebel()
    range_ = chain.upper_limits - chain.lower_limits

    def closest(u: np.ndarray) -> float:
        d = np.linalg.norm(u[:, None] - u[None], axis=-1)
        return float(d[np.triu_indices(len(u), 1)].min())

    rng = np.random.default_rng(0)
    random = np.median([closest(rng.random((128, 6))) for _ in range(20)])
    assert closest((spread_seeds(chain, 130)[2:] - chain.lower_limits) / range_) > 1.3 * random


def test_rng_seed_moves_all_but_home_and_mid_range() -> None:
    chain = rebel()
    a, b = spread_seeds(chain, 30, rng_seed=0), spread_seeds(chain, 30, rng_seed=1)
    assert np.all(np.abs(a - b)[1:].min(axis=1) > 1e-3)
    np.testing.assert_array_equal(a[0], b[0])


def test_fixed_entries_are_zero_and_idle_ones_stay_at_home() -> None:
    arm = JointSpec.revolute(ORIGIN, ORIGIN, "pos_z", JointLimits.revolute(-1, 1), name="arm")
    fixed = JointSpec.fixed(ORIGIN, ORIGIN)
    source = JointSpec.revolute(ORIGIN, ORIGIN, "pos_z", JointLimits.revolute(1, 2), name="far")
    idle = JointSpec.revolute(ORIGIN, ORIGIN, "pos_z", name="idle", mimic=JointMimic("far", 0.0))
    chain = KinematicChain([fixed, arm, idle], off_path_sources=[source])
    q = spread_seeds(chain, 10)
    np.testing.assert_array_equal(q[:, 0], 0.0)
    np.testing.assert_array_equal(q[:, 2], 1.5)
    assert len(np.unique(q[:, 1])) == 10


def test_seeds_never_change() -> None:
    """A stored study names its rng_seed: the numbers belong to the format."""
    joint = JointSpec.revolute(ORIGIN, ORIGIN, "pos_z", JointLimits.revolute(0, 1))
    q = spread_seeds(KinematicChain([joint] * 3), 4, rng_seed=7)
    frozen = [[0.5] * 3, [0.20900226178743586, 0.6878319012319453, 0.4504611585088536]]
    frozen.append([0.028174775183600342, 0.3588755079357344, 0.0001616364108238])
    np.testing.assert_allclose(q[:3], frozen, rtol=0, atol=1e-14)


def test_a_slide_without_limits_is_an_error_that_names_it() -> None:
    chain = KinematicChain([JointSpec.prismatic(ORIGIN, ORIGIN, name="rail")])
    with pytest.raises(InputError, match=r"joint 'rail': got limits \[-inf, inf\] on a prismatic joint"):
        spread_seeds(chain, 1)


@pytest.mark.parametrize("bound", [1e16, sys.float_info.max])
def test_bounds_that_mean_none_are_bounds(bound: float) -> None:
    """Some exporters write the largest float for "no limit": the width of such a range is no float."""
    limits = JointLimits.revolute(-bound, bound), JointLimits.prismatic(-bound, bound)
    chain = KinematicChain(
        [
            JointSpec.revolute(ORIGIN, ORIGIN, "pos_z", limits[0]),
            JointSpec.prismatic(ORIGIN, ORIGIN, "pos_z", limits[1]),
        ]
    )
    q = spread_seeds(chain, 50)
    assert chain.is_within_limits(q).all()  # type: ignore[union-attr]
    assert (q.max(axis=0) > 0.9 * bound).all()
    assert (q.min(axis=0) < -0.9 * bound).all()


@pytest.mark.parametrize(
    "arguments", [{"count": -1}, {"count": 1.5}, {"count": 1, "rng_seed": -1}, {"count": 1, "rng_seed": 2**64}]
)
def test_numbers_out_of_range_are_errors(arguments: dict[str, int]) -> None:
    with pytest.raises(InputError, match="expected"):
        spread_seeds(rebel(), **arguments)
