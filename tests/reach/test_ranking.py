"""The ranking of placements against one written as a sort of tuples."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from repose_jit.reach.placement.ranking import best_placements, placement_ranks

SHAPE = (4, 3, 2)


@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from([0.0, 0.1, 0.2, 0.25, 1.0]))
def test_it_is_the_ranking_by_tuples(seed: int, has_merit: bool, apart: float) -> None:
    rng = np.random.default_rng(seed)
    n_reached = rng.integers(-1, 3, SHAPE).astype(np.int32)
    merit = rng.choice([0.5, 0.25, np.nan], SHAPE).astype(np.float32) if has_merit else None
    x, y = 0.1 * np.arange(SHAPE[0]), 0.1 * np.arange(SHAPE[1])

    def key(index: tuple[int, ...]) -> tuple[float, ...]:
        value = 0.0 if merit is None else float(merit[index])
        return (-int(n_reached[index]), math.inf if math.isnan(value) else -value, *index)

    order = sorted(np.ndindex(SHAPE), key=key)
    ranks = placement_ranks(n_reached, merit)
    assert [order[rank] for rank in ranks.flat] == list(np.ndindex(SHAPE))
    chosen: list[tuple[int, ...]] = []
    for index in order:
        far = all(math.dist((x[index[0]], y[index[1]]), (x[other[0]], y[other[1]])) > apart - 1e-6 for other in chosen)
        if n_reached[index] > 0 and far:
            chosen.append(index)
    assert best_placements(ranks, n_reached, x, y, 100, apart=apart) == chosen
    assert best_placements(ranks, n_reached, x, y, 2, apart=apart) == chosen[:2]
