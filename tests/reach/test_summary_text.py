"""The figures of a study in words: one wording of the budget, and shares of what was tried."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from repose_jit.reach.figures.words import budget_words
from repose_jit.reach.page.elements import markup
from repose_jit.reach.plot import title_lines
from repose_jit.reach.report import report
from repose_jit.reach.status import ReachStatus
from repose_jit.reach.summary_text import summary_text
from tests.reach.synthetic import painted, write_store

REACHED, NOT_FOUND, EXCLUDED = ReachStatus.REACHED, ReachStatus.NOT_FOUND, ReachStatus.EXCLUDED

LENT = "32 attempts of 30 iterations, 4 where nothing near is reached, and solutions lent by neighbours"


@pytest.mark.parametrize(
    ("max_attempts", "near", "words"),
    [
        (32, {"attempts_alone": 4, "max_loans": 20}, LENT),
        (3, {"attempts_alone": 4, "max_loans": 20}, "3 attempts of 30 iterations and solutions lent by neighbours"),
        (1, None, "1 attempt of 30 iterations"),
    ],
)
def test_the_budget_has_the_same_words_everywhere(
    max_attempts: int, near: dict[str, int] | None, words: str, tmp_path: Path
) -> None:
    reach_map = painted(tmp_path / "map", REACHED)
    reach_map.attributes["budget"] = {"max_attempts": max_attempts, "max_iterations": 30, "by_neighbourhood": near}
    assert budget_words(reach_map) == words
    lines = reach_map.summary_text().splitlines()
    assert f"budget: {words}" in " ".join(line.strip() for line in lines)
    assert max(map(len, lines)) <= 80
    assert f"budget: {words}" in title_lines(reach_map)
    assert f"<dd>{markup(words)}</dd>" in report(reach_map, tmp_path / "a.html").read_text(encoding="utf-8")


def test_shares_are_of_the_poses_tried(tmp_path: Path) -> None:
    """Of 40 placements × 5 poses 10 × 5 are excluded and 6 × 5 reached: 20 % of those tried, 15 % of all."""
    status = np.full((5, 4, 2, 5), NOT_FOUND)
    status[0], status[1, :3] = EXCLUDED, REACHED
    status[1, 3] = EXCLUDED
    reach_map = write_store(tmp_path / "map", status, kind="placements")
    text = reach_map.summary_text()
    assert "reached                       30   20.0 %" in text
    assert "not found                    120   80.0 %" in text
    page = report(reach_map, tmp_path / "a.html").read_text(encoding="utf-8")
    assert '<td class="number">30</td><td class="number">20.0 %</td>' in page
    assert '<td class="number">120</td><td class="number">80.0 %</td>' in page
    assert '<td class="number">50</td><td class="number"></td>' in page
    assert "15.0 %" not in page


@pytest.mark.parametrize(("seconds", "is_said"), [(0.04, False), (0.1, True), (12.0, True)])
def test_a_speed_is_said_where_it_says_something(seconds: float, is_said: bool, tmp_path: Path) -> None:
    figures: dict[str, Any] = painted(tmp_path / "map", REACHED).summary()
    text = summary_text({**figures, "seconds": seconds, "threads": 2, "poses_per_second": 1000.0})
    assert ("poses/s" in text) == is_said
