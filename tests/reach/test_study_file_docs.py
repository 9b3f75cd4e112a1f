"""The reference of the study file: its examples are read as they stand, and it leaves no key out."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from repose_jit.multi_seed import MultiSeedParams
from repose_jit.reach.placement.grid import PlacementGrid
from repose_jit.reach.solving.metrics import METRICS
from repose_jit.reach.study_file import read_study
from repose_jit.reach.targets.orientations import RULES, Orientations
from tests.cli.conftest import URDF

PAGE = (Path(__file__).parents[2] / "docs" / "study_file.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
STL = """solid part
facet normal 0 0 1
outer loop
vertex 300 0 100
vertex 400 0 100
vertex 300 100 100
endloop
endfacet
endsolid part
"""


def section(title: str) -> str:
    """Return the part of the page below a heading."""
    start = PAGE.index(f"## `{title}`")
    end = PAGE.find("\n## ", start)
    return PAGE[start:end]


def keys(title: str) -> set[str]:
    """Return the keys in the first column of the tables of a section."""
    cells = re.findall(r"^\| (`[^|]*`) \|", section(title), re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`(\w+)`", cell)}


def names(cls: type) -> set[str]:
    return {field.name for field in fields(cls) if field.init}


def test_there_is_an_example_of_each_kind() -> None:
    kinds = {tomllib.loads(text).get("targets", {}).get("kind", "grid") for text in EXAMPLES}
    assert kinds == {"grid", "surface", "poses"}


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_are_read_as_they_stand(text: str, tmp_path: Path) -> None:
    if "part.stl" in text:
        pytest.importorskip("trimesh")
    (tmp_path / "arm.urdf").write_text(URDF.replace('upper="0.2"', 'upper="0.2" velocity="1"'))
    (tmp_path / "part.stl").write_text(STL)
    (tmp_path / "welds.csv").write_text("x,y,z,qx,qy,qz,qw\n400,0,300,1,0,0,0\n")
    (tmp_path / "study.toml").write_text(text)
    file = read_study(tmp_path / "study.toml")
    assert file.study.n_poses > 0
    if "welds" in text:
        np.testing.assert_allclose(file.study.targets.poses[0, :3, 3], [0.4, 0.0, 0.3])  # type: ignore[union-attr]
        assert file.placement is not None


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("[robot]", {"preset", "urdf", "chain", "base_link", "tip_link", "locked_joints", "tool_offset"}),
        ("[targets]", {"kind", "spacing", "box_min", "box_max", "file", "units"}),
        ("[solve]", names(MultiSeedParams) - {"free_axis", "axis_mask"}),
        ("[metrics]", {"names", "length_scale"}),
        ("[store]", {"path", "save_q"}),
        ("[placement]", names(PlacementGrid)),
    ],
)
def test_every_key_is_there_and_no_other(title: str, expected: set[str]) -> None:
    assert keys(title) == expected


def test_orientations_and_what_goes_with_what() -> None:
    assert keys("[orientations]") == names(Orientations)
    rows = re.findall(r"^\| (grid|surface|poses) \| `(\w+)`[^|]*\|(.*)\|$", section("[orientations]"), re.MULTILINE)
    stated = {}
    for targets, kind, cells in rows:
        values = [cell.strip() for cell in cells.split("|")]
        settings = dict(zip(("n", "n_roll", "tool_axis", "approach"), values, strict=True))
        stated[targets, kind] = {name: value for name, value in settings.items() if value != "-"}
    assert stated == {pair: {name: str(value) for name, value in rule.items()} for pair, rule in RULES.items()}


@pytest.mark.parametrize(
    ("title", "cls", "count"), [("[solve]", MultiSeedParams, 7), ("[placement]", PlacementGrid, 3)]
)
def test_defaults_are_those_of_the_package(title: str, cls: type, count: int) -> None:
    defaults = {field.name: field.default for field in fields(cls)}
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| `?\"?([\d.]+|adaptive|first)\"?`? \|", section(title), re.MULTILINE)
    assert len(rows) == count
    for name, value in rows:
        assert defaults[name] == (value if value.isalpha() else float(value)), name


def test_every_metric_is_named() -> None:
    assert all(f"`{name}`" in section("[metrics]") for name in METRICS)
