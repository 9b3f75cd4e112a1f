"""Sites cut into blocks: every site once, blocks close to cubes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repose_jit.reach.solving.blocks import Blocks, block_shape

shapes = st.lists(st.integers(1, 30), min_size=1, max_size=3).map(tuple)


@given(shapes, st.integers(0, 500))
def test_every_site_is_in_one_block(shape: tuple[int, ...], most: int) -> None:
    blocks = Blocks(shape, block_shape(shape, most))
    sites = [blocks.sites(number) for number in range(blocks.count)]
    flat = np.concatenate([part.reshape(-1) for part in sites])
    np.testing.assert_array_equal(np.sort(flat), np.arange(np.prod(shape)))
    numbers = np.arange(np.prod(shape)).reshape(shape)
    for number, part in enumerate(sites):
        assert part.size == blocks.size(number) <= max(1, most)
        np.testing.assert_array_equal(numbers[blocks.slices(number)], part)


@given(shapes, st.integers(1, 500), st.data())
def test_a_site_is_found_in_its_block(shape: tuple[int, ...], most: int, data: st.DataObject) -> None:
    blocks = Blocks(shape, block_shape(shape, most))
    site = data.draw(st.integers(0, int(np.prod(shape)) - 1))
    number, within = blocks.find(site)
    assert blocks.sites(number)[within] == site


@pytest.mark.parametrize(
    ("shape", "most", "expected"),
    [
        ((40, 40, 40), 512, (8, 8, 8)),
        ((1, 1, 5000), 512, (1, 1, 500)),
        ((27, 27, 27), 512, (7, 7, 9)),
        ((10_000,), 3000, (2500,)),
        ((3, 2, 4), 10**6, (3, 2, 4)),
        ((5, 5, 5), 0, (1, 1, 1)),
    ],
)
def test_blocks_are_close_to_cubes_and_of_equal_size(
    shape: tuple[int, ...], most: int, expected: tuple[int, ...]
) -> None:
    assert block_shape(shape, most) == expected
