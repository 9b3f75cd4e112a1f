"""The box, the voxels that cover it, and what they are by default."""

from __future__ import annotations

import math

import numpy as np
import pytest

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError, ShapeError
from repose_jit.joints import JointSpec
from repose_jit.reach.targets.grid import as_box, default_box, default_spacing, voxel_grid
from repose_jit.reach_bound import reach_bound
from tests.reach.robots import gantry, rebel, shell_arm


def test_voxels_are_centred_and_cover_the_box() -> None:
    x, y, z = voxel_grid((0.0, -0.1, 0.2), (1.0, 0.15, 0.2), 0.1)
    np.testing.assert_allclose(x, np.arange(0.05, 1.0, 0.1), atol=1e-12)
    np.testing.assert_allclose(y, [-0.075, 0.025, 0.125], atol=1e-12)  # 0.25 is no multiple: out by 25 mm on both sides
    np.testing.assert_array_equal(z, [0.2])


@pytest.mark.parametrize("count", [1, 3, 10, 333])
@pytest.mark.parametrize("spacing", [0.1, 1 / 3, 0.07])
def test_a_multiple_of_the_spacing_gets_no_voxel_more(count: int, spacing: float) -> None:
    x, _, _ = voxel_grid((0.7, 0, 0), (0.7 + count * spacing, 0, 0), spacing)
    assert len(x) == count


def test_bad_boxes_are_named() -> None:
    with pytest.raises(InputError, match=r"box: got y from 1 to 0, expected the lower corner first"):
        as_box(((0, 1, 0), (1, 0, 1)))
    with pytest.raises(ShapeError, match=r"box\[1\]: got shape \(2,\)"):
        as_box(((0, 0, 0), (1, 1)))
    with pytest.raises(InputError, match=r"box\[0\]\[2\]: got nan"):
        as_box(((0, 0, np.nan), (1, 1, 1)))
    with pytest.raises(InputError, match="expected two corners"):
        as_box("cube")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="spacing: got 0"):
        voxel_grid((0, 0, 0), (1, 1, 1), 0)
    with pytest.raises(InputError, match=r"box_max\[1\]: got 2e\+09, expected at most 1e\+09 m"):
        as_box(((0, 0, 0), (1, 2e9, 1)), names=("box_min", "box_max"))


@pytest.mark.parametrize("chain", [rebel(), gantry(), shell_arm(), shell_arm(3e-4, 2e-4), shell_arm(4e3, 300.0)])
def test_the_default_box_is_the_cube_around_the_reach_in_round_numbers(chain: KinematicChain) -> None:
    bound = reach_bound(chain)
    low, high = (np.array(corner) for corner in default_box(chain))
    side = 2 * bound.tool_radius
    # Outward, but for the thousandth of a step that makes the rounding repeat.
    assert np.all(low <= bound.centre - bound.tool_radius + 1e-6 * side)
    assert np.all(high >= bound.centre + bound.tool_radius - 1e-6 * side)
    assert np.all(high - low <= 1.003 * side)
    assert all(float(f"{value:.4g}") == value for value in (*low.tolist(), *high.tolist()) if value)


def test_round_bounds_stay_what_they_are() -> None:
    arm = shell_arm(0.3, 0.2)
    assert default_box(arm) == ((-0.5, -0.5, -0.1), (0.5, 0.5, 0.9))


def test_without_an_end_there_is_no_box() -> None:
    slide = KinematicChain([JointSpec.prismatic((0, 0, 0), (0, 0, 0))])
    with pytest.raises(InputError, match="box: got none, expected one: nothing limits how far a joint"):
        default_box(slide)


@pytest.mark.parametrize(("side", "spacing"), [(1.3, 0.05), (0.026, 0.001), (0.0, 0.05)])
def test_the_default_spacing_is_a_26th_in_one_digit(side: float, spacing: float) -> None:
    assert math.isclose(default_spacing(((0, 0, 0), (side / 2, side, 0))), spacing)
