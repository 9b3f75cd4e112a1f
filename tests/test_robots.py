"""Presets and everything else that may stand for a robot."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from repose_jit import robots
from repose_jit.chain import KinematicChain
from repose_jit.errors import ConfigError, ModelError, ReposeError, UnknownNameError
from repose_jit.ik import IkParams
from repose_jit.kinematics import forward_kinematics, jacobian
from repose_jit.records import record
from repose_jit.robots import RobotPreset, igus_rebel_chain, preset, read_robot, resolve_chain
from repose_jit.strict import Table
from repose_jit.toml_writer import to_toml
from tests import reference
from tests.anything import anything

PROVENANCE = {"maker": "us", "model": "arm", "source": "made up", "licence": "none", "retrieved": "2026-01-31"}
SLIDE = {
    "joint_type": "prismatic",
    "origin_translation": [0, 0, 1],
    "origin_rpy": [0, 0, 0],
    "limits": {"prismatic": {"lower": 0, "upper": 1}},
}


@pytest.fixture
def presets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return an empty folder that the presets are read from."""
    monkeypatch.setattr(robots, "PRESETS", tmp_path)
    robots._names.cache_clear()
    robots._load.cache_clear()
    yield tmp_path
    robots._names.cache_clear()
    robots._load.cache_clear()


def write(folder: Path, stem: str, **changes: object) -> None:
    table = {"name": stem, "dof": 1, "provenance": PROVENANCE, "chain": {"joints": [SLIDE]}, **changes}
    (folder / f"{stem}.toml").write_text(to_toml(table))


# ------------------------------------------------------------------------------------------------------------ presets
@pytest.mark.parametrize("name", RobotPreset.names())
def test_every_preset_is_complete(name: str) -> None:
    robot = preset(name)
    chain = robot.chain()
    assert robot.name == chain.name == name
    assert robot.dof == chain.n_joints
    assert chain.is_within_limits(chain.home)
    assert robot.provenance.retrieved <= date.today()
    assert KinematicChain.from_config(chain.to_config()) == chain


def test_names_are_sorted_and_no_file_is_opened(presets: Path) -> None:
    for name in ("b", "a", "c"):
        (presets / f"{name}.toml").write_text("not TOML at all")
    (presets / "notes.txt").write_text("")
    assert RobotPreset.names() == ("a", "b", "c")


def test_a_preset_is_read_once() -> None:
    assert preset("igus_rebel") is preset("igus_rebel")
    assert preset("igus_rebel").chain() is igus_rebel_chain()


def test_a_preset_must_have_the_joints_that_are_expected() -> None:
    assert preset("igus_rebel").chain(6) is preset("igus_rebel").chain()
    with pytest.raises(ModelError, match=r"^preset 'igus_rebel': got 6 joints, expected 7$"):
        preset("igus_rebel").chain(7)


@pytest.mark.parametrize("name", ["igus_rebl", "IGUS_REBEL", "igus"])
def test_the_nearest_preset_is_offered(name: str) -> None:
    for call in (preset, resolve_chain):
        with pytest.raises(UnknownNameError, match=r"did you mean 'igus_rebel'"):
            call(name)


def test_a_preset_says_where_it_comes_from(presets: Path) -> None:
    write(presets, "slide", provenance={**PROVENANCE, "notes": "short"}, chain={"name": "my slide", "joints": [SLIDE]})
    robot = preset("slide")
    assert robot.provenance.maker == "us"
    assert robot.provenance.retrieved == date(2026, 1, 31)
    assert robot.provenance.notes == "short"
    assert robot.chain().name == "my slide"


def test_mistakes_in_a_preset_are_all_listed(presets: Path) -> None:
    source = {**PROVENANCE, "license": "MIT", "retrieved": "yesterday"}
    write(presets, "slide", name="slid", dof=2, provenance=source, chain={"joints": [SLIDE], "hom": []}, version=1)
    with pytest.raises(ConfigError) as caught:
        preset("slide")
    assert caught.value.source == str(presets / "slide.toml")
    assert caught.value.problems == (
        "version: unknown key; expected one of 'name', 'dof', 'provenance', 'chain'",
        "name: got 'slid'; did you mean 'slide'?",
        "provenance.license: unknown key; did you mean 'licence'?",
        "provenance.retrieved: got 'yesterday', expected a date such as 2026-01-31",
        "chain.hom: unknown key; did you mean 'home'?",
    )


def test_the_number_of_joints_is_checked(presets: Path) -> None:
    write(presets, "slide", dof=2)
    with pytest.raises(ConfigError, match=r"dof: got 2, expected 1: the number of joints of the chain$"):
        preset("slide")


def test_presets_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        preset("igus_rebel").dof = 7  # type: ignore[misc]


def test_names_come_without_numba_or_a_decoder() -> None:
    code = (
        "import sys; from repose_jit.robots import RobotPreset; RobotPreset.names();"
        "print([name for name in ('numba', 'msgspec', 'tomllib') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


# ------------------------------------------------------------------------------------------------------ the igus ReBeL
def test_rebel_is_the_oracles() -> None:
    chain, oracle = igus_rebel_chain(), reference.rebel()
    np.testing.assert_array_equal(chain.lower_limits, oracle.lower)
    np.testing.assert_array_equal(chain.upper_limits, oracle.upper)
    assert [joint.limits.max_velocity for joint in chain.joints if joint.limits] == [2.16] * 6
    np.testing.assert_array_equal(chain.tool_offset, np.eye(4))
    rng = np.random.default_rng(2)
    for _ in range(20):
        q = reference.random_configuration(oracle, rng)
        np.testing.assert_allclose(forward_kinematics(chain, q), reference.fk(oracle, q), atol=1e-14)


def test_rebel_has_its_motor_housing_folded_in() -> None:
    (third,) = [joint for joint in igus_rebel_chain().joints if joint.name == "joint3"]
    housing = reference.transform((-0.0326, 0, 0.05646), (0, -1.0472, 0))
    folded = reference.transform((0, -0.025, 0.1)) @ housing @ reference.transform((0, 0.025, 0.1))
    np.testing.assert_allclose(third.origin_transform(), folded, atol=1e-16)
    np.testing.assert_allclose(third.origin_translation, (-0.11920266, 0, 0.20645979), atol=5e-9)


@pytest.mark.parametrize(
    ("q", "p"),
    [
        ((0.0,) * 6, (0.478430508176, 0.000003514747, 0.692858908250)),
        ((0.3, -0.4, 0.5, -0.6, 0.7, -0.8), (0.377034944418, -0.161861570144, 0.617015958440)),
        ((1.0, 0.5, -1.0, 2.0, 1.2, -2.5), (0.268776575248, -0.232244240583, 0.716553092761)),
    ],
)
def test_rebel_reaches_the_golden_positions(q: tuple[float, ...], p: tuple[float, ...]) -> None:
    np.testing.assert_allclose(forward_kinematics(igus_rebel_chain(), q)[:3, 3], p, atol=1e-12)


def test_rebel_has_the_golden_jacobian() -> None:
    expected = [
        (-0.232244240583, 0.236413649814, 0.169395563274, -0.085230139046, -0.006455483209, 0),
        (-0.268776575248, -0.36818649509, -0.26381369593, 0.047454325448, 0.082500284354, 0),
        (0, -0.340648132877, -0.13705585963, 0.052385220957, -0.085237725322, 0),
        (0, 0.841467015503, 0.841467015503, 0.281121487346, -0.76973747523, 0.636043617332),
        (0, 0.540308487645, 0.540308487645, -0.437813701543, 0.428573425645, 0.577986511976),
        (-1, 0, 0, 0.853984702494, 0.473105736657, 0.511253468276),
    ]
    np.testing.assert_allclose(jacobian(igus_rebel_chain(), (1.0, 0.5, -1.0, 2.0, 1.2, -2.5)), expected, atol=1e-12)


# -------------------------------------------------------------------------------------------------- what may be meant
def test_a_robot_may_be_named_written_out_or_in_a_file(tmp_path: Path) -> None:
    chain = igus_rebel_chain()
    config = chain.to_config()
    (tmp_path / "arm.toml").write_text(to_toml(config))
    for spec in ("igus_rebel", config, tmp_path / "arm.toml", str(tmp_path / "arm.toml"), chain):
        assert resolve_chain(spec) == chain  # type: ignore[arg-type]
    assert resolve_chain(chain) is chain


def test_a_preset_wins_over_a_file_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "igus_rebel").write_text("")
    assert resolve_chain("igus_rebel") is igus_rebel_chain()
    with pytest.raises(ConfigError, match=r"expected a file that ends in .toml or .json"):
        resolve_chain("./igus_rebel")


@pytest.mark.parametrize(
    ("spec", "error", "expected"),
    [
        ("arm.toml", ConfigError, "arm.toml: no such file"),
        ("robot.urdf", ConfigError, "a URDF file is read by KinematicChain.from_urdf"),
        ("", UnknownNameError, "unknown robot preset or file ''"),
        (None, ConfigError, "chain: got None, expected the name of a preset, a dict, or the path of a file"),
        ({"joints": []}, ConfigError, "joints: got none, expected at least one joint"),
    ],
)
def test_what_means_no_robot_is_named(spec: object, error: type[Exception], expected: str) -> None:
    with pytest.raises(error) as caught:
        resolve_chain(spec)  # type: ignore[arg-type]
    assert expected in str(caught.value)


@given(anything)
def test_any_object_is_a_robot_or_our_error(spec: object) -> None:
    for call in (resolve_chain, preset):
        with suppress(ReposeError):
            call(spec)  # type: ignore[operator]


# -------------------------------------------------------------------------------------------------------------- tasks
def read_task(value: object) -> tuple[KinematicChain, IkParams]:
    """Read a task the way ``ServoTask`` and others do."""
    table = Table(value)
    chain = read_robot(table)
    params = table.take("ik", record(IkParams), IkParams())
    table.finish()
    return chain, params


def test_a_task_names_its_robot_and_its_tool() -> None:
    chain, params = read_task({"chain": "igus_rebel"})
    assert chain is igus_rebel_chain()
    assert params == IkParams()
    tool = {"translation": [0, 0, "5cm"], "rpy": [0, 0, "90deg"]}
    chain, params = read_task({"chain": chain.to_config(), "tool_offset": tool, "ik": {"damping": 0.1}})
    T = reference.transform((0, 0, 0.05), (0, 0, math.pi / 2))
    assert chain == igus_rebel_chain().with_tool_offset(T)
    assert params.damping == 0.1


def test_all_mistakes_of_a_task_are_listed(tmp_path: Path) -> None:
    (tmp_path / "arm.toml").write_text("hom = []\njoints = 3")
    cases = {
        "igus_rebl": ["chain: unknown robot preset or file 'igus_rebl'; did you mean 'igus_rebel'?"],
        str(tmp_path / "arm.toml"): [
            f"chain: {tmp_path / 'arm.toml'}: hom: unknown key; did you mean 'home'?",
            f"chain: {tmp_path / 'arm.toml'}: joints: got 3, expected a list",
        ],
    }
    for chain, problems in cases.items():
        with pytest.raises(ConfigError) as caught:
            read_task({"chain": chain, "tool_offset": {}, "ik": {"dampng": 1}, "speed": 1})
        assert caught.value.problems == (
            "speed: unknown key; expected one of 'chain', 'tool_offset', 'ik'",
            *problems,
            "tool_offset.translation: missing",
            "tool_offset.rpy: missing",
            "ik.dampng: unknown key; did you mean 'damping'?",
        )
    with pytest.raises(ConfigError) as caught:
        read_task({"chain": {"joints": [{**SLIDE, "axis": "up"}]}})
    assert caught.value.problems[0].startswith("chain.joints[0].axis: got 'up'")


def test_a_task_without_a_robot_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^chain: missing$"):
        read_task({"ik": {}})
