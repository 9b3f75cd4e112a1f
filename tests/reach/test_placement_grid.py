"""The grid of placements: where bases stand, what is excluded, what is refused."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repose_jit.errors import ConfigError, InputError, ReposeError
from repose_jit.reach.placement.grid import ExcludedBox, PlacementGrid
from repose_jit.records import record
from tests.anything import anything

ends = st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0)).map(sorted).map(tuple)


@given(ends, ends, st.floats(0.05, 1.0), st.integers(1, 9))
def test_cells_cover_the_area_and_are_centred_on_it(x, y, spacing, n_yaw):
    grid = PlacementGrid(x=x, y=y, spacing=spacing, n_yaw=n_yaw)
    assert grid.shape == (*map(len, grid.axes), n_yaw)
    for axis, (low, high) in zip(grid.axes, (x, y), strict=True):
        assert math.isclose(axis[0] + axis[-1], low + high, abs_tol=1e-9)
        np.testing.assert_allclose(np.diff(axis), spacing, atol=1e-9)
        assert len(axis) * spacing >= high - low - 1e-9
        assert len(axis) * spacing < high - low + spacing + 1e-9 or len(axis) == 1


def test_positions_are_those_of_the_axes_at_the_height():
    grid = PlacementGrid(x=(0, 0.6), y=(-1, 1), z=0.7, spacing=0.2)
    x, y = grid.axes
    assert grid.positions.shape == (3, 10, 3)
    np.testing.assert_array_equal(grid.positions[2, 1], [x[2], y[1], 0.7])
    assert not grid.excluded.any()


def test_headings_are_equal_steps_of_a_turn():
    np.testing.assert_allclose(
        PlacementGrid(x=(0, 1), y=(0, 1), n_yaw=4).yaws, [0, math.pi / 2, math.pi, 1.5 * math.pi]
    )
    assert PlacementGrid(x=(0, 1), y=(0, 1), n_yaw=1).yaws.tolist() == [0.0]


@given(st.lists(st.tuples(ends, ends), max_size=3))
def test_a_base_is_excluded_if_it_is_in_a_box(boxes):
    exclude = [ExcludedBox(min=(x[0], y[0]), max=(x[1], y[1])) for x, y in boxes]
    try:
        grid = PlacementGrid(x=(-2, 2), y=(-1, 1), spacing=0.25, exclude=exclude)
    except InputError as error:
        assert "cover every base" in str(error)
        return
    for i, j in np.ndindex(grid.excluded.shape):
        px, py, _ = grid.positions[i, j]
        inside = any(x[0] <= px <= x[1] and y[0] <= py <= y[1] for x, y in boxes)
        assert grid.excluded[i, j] == inside


def test_the_edge_of_a_box_belongs_to_it():
    grid = PlacementGrid(x=(0, 1), y=(0, 1), spacing=0.5, exclude=(ExcludedBox(min=(0.25, 0.0), max=(0.5, 0.25)),))
    assert grid.excluded.tolist() == [[True, False], [False, False]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": (1, 0)}, "x: got 1 to 0, expected the lower end first"),
        ({"x": (0, math.nan)}, "x[1]: got nan"),
        ({"y": (0, 1e12)}, "y[1]: got 1e+12, expected at most 1e+09 m (metres?)"),
        ({"y": (0, 1, 2)}, "y: got shape (3,), expected (2,)"),
        ({"z": math.inf}, "z: got inf, expected at most 1e+09 m"),
        ({"spacing": 0}, "spacing: got 0, expected a finite number of metres > 0"),
        ({"spacing": 1e-5}, "spacing: got cells of 1e-05 m, 1e+10 of them in 8 headings each"),
        ({"n_yaw": 0}, "n_yaw: got 0, expected an integer ≥ 1"),
        ({"n_yaw": 2.0}, "n_yaw: got 2.0"),
        ({"exclude": [((0, 0), (1, 1))]}, "exclude[0]: got ((0, 0), (1, 1)), expected an ExcludedBox"),
        ({"exclude": "all"}, "exclude: got 'all', expected a list"),
        ({"exclude": [ExcludedBox(min=(-1, -1), max=(2, 2))]}, "exclude: got boxes that cover every base"),
    ],
)
def test_mistakes(change, message):
    with pytest.raises(ReposeError) as caught:
        PlacementGrid(**{"x": (0, 1), "y": (0, 1), **change})
    assert str(caught.value).startswith(message)


def test_a_box_has_its_lower_corner_first():
    with pytest.raises(InputError, match="max: got y from 1 to 0, expected the lower corner in min"):
        ExcludedBox(min=(0, 1), max=(1, 0))


@given(anything, anything, anything)
def test_whatever_is_handed_in_ends_well_or_in_a_message(x, spacing, exclude):
    with suppress(ReposeError):
        PlacementGrid(x=x, y=(0, 1), spacing=spacing, exclude=exclude)


def test_equal_grids_are_equal():
    box = ExcludedBox(min=(0, 0), max=(0.1, 0.1))
    assert PlacementGrid(x=(0, 1), y=(0, 1), exclude=[box]) == PlacementGrid(x=[0, 1.0], y=np.arange(2), exclude=(box,))


def test_it_reads_from_plain_values_with_units():
    read = record(PlacementGrid)
    box = {"min": ["10cm", 0], "max": [0.2, "500mm"]}
    values = {"x": ["-50cm", 1], "y": [0, 1], "z": "40mm", "spacing": "5cm", "n_yaw": 2, "exclude": [box]}
    boxes = (ExcludedBox(min=(0.1, 0), max=(0.2, 0.5)),)
    expected = PlacementGrid(x=(-0.5, 1), y=(0, 1), z=0.04, spacing=0.05, n_yaw=2, exclude=boxes)
    assert read(values, "placement") == expected
    with pytest.raises(ConfigError) as caught:
        read({"x": [0, 1], "y": [0, 1], "spacing": "90deg", "n_yaw": 0, "exclud": [box]}, "placement")
    assert [problem.partition(":")[0] for problem in caught.value.problems] == [
        "placement.exclud",
        "placement.spacing",
        "placement.n_yaw",
    ]
