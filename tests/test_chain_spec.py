"""Chains as configuration: keys, units, every mistake at once, and there and back to the last bit."""

from __future__ import annotations

import copy
import json
import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repose_jit.chain import KinematicChain
from repose_jit.chain_spec import read_chain, read_joint, read_transform
from repose_jit.errors import ConfigError
from repose_jit.joints import JointLimits, JointMimic, JointSpec
from repose_jit.toml_writer import to_toml
from tests import reference
from tests.anything import anything, chains, joints, vectors

Config = dict[str, Any]
ZERO = [0.0, 0.0, 0.0]


def shoulder(**changes: object) -> Config:
    limits = {"revolute": {"lower": -3.0, "upper": 3.0, "max_velocity": 1.0}}
    config = {"joint_type": "revolute", "origin_translation": [0.0, 0.0, 0.1], "origin_rpy": ZERO, "limits": limits}
    return {**config, **changes}


def slide(**changes: object) -> Config:
    return shoulder(joint_type="prismatic", limits={"prismatic": {"lower": 0.1, "upper": 0.5}}, **changes)


def fixed(**changes: object) -> Config:
    return {"joint_type": "fixed", "origin_translation": [0.0, 0.2, 0.0], "origin_rpy": ZERO, **changes}


def problems_of(config: object) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        KinematicChain.from_config(config)  # type: ignore[arg-type]
    return caught.value.problems


# ----------------------------------------------------------------------------------------------------- what it means
def test_an_inline_joint_is_the_joint() -> None:
    chain = KinematicChain.from_config({"joints": [shoulder(axis="neg_y", name="hip")]})
    expected = JointSpec.revolute((0, 0, 0.1), ZERO, "neg_y", JointLimits.revolute(-3, 3, 1), name="hip")
    assert chain == KinematicChain([expected])


def test_every_key_is_understood() -> None:
    chain = KinematicChain.from_config(
        {
            "name": "arm",
            "home": ["10deg", 0, "150mm", 0.25],
            "tool_offset": {"translation": [0, 0, "5cm"], "rpy": [0, "90deg", 0]},
            "joints": [
                shoulder(name="a", axis=[0, 3, 4]),
                fixed(name="b", axis="pos_x"),
                slide(name="c"),
                shoulder(name="d", mimic={"joint": "a", "multiplier": -0.5, "offset": "1deg"}),
                slide(name="e", mimic={"joint": "far", "multiplier": 0.5, "offset": "1mm"}),
            ],
            "off_path_sources": [shoulder(name="far")],
        }
    )
    limits = JointLimits.revolute(-3, 3, 1)
    bounds = JointLimits.prismatic(0.1, 0.5)
    origin = (0, 0, 0.1)
    assert chain == KinematicChain(
        [
            JointSpec.revolute(origin, ZERO, (0, 0.6, 0.8), limits, name="a"),
            JointSpec("fixed", (0, 0.2, 0), ZERO, "pos_x", None, "b"),  # type: ignore[arg-type]
            JointSpec.prismatic(origin, ZERO, "pos_z", bounds, name="c"),
            JointSpec.revolute(origin, ZERO, limits=limits, name="d", mimic=JointMimic("a", -0.5, math.radians(1))),
            JointSpec.prismatic(origin, ZERO, limits=bounds, name="e", mimic=JointMimic("far", 0.5, 0.001)),
        ],
        name="arm",
        home=[math.radians(10), 0, 0.15, 0.25],
        tool_offset=reference.transform((0, 0, 0.05), (0, math.pi / 2, 0)),
        off_path_sources=[JointSpec.revolute(origin, ZERO, limits=limits, name="far")],
    )


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"revolute": {"lower": "-90deg", "upper": "1.5rad"}}, JointLimits.revolute(-math.pi / 2, 1.5)),
        ({"revolute": {"lower": 0, "upper": 1, "max_velocity": "180deg/s"}}, JointLimits.revolute(0, 1, math.pi)),
        ({"continuous": {}}, JointLimits.continuous()),
        ({"continuous": {"max_velocity": "30rpm"}}, JointLimits.continuous(math.pi)),
    ],
)
def test_limits_of_a_turning_joint(limits: Config, expected: JointLimits) -> None:
    assert KinematicChain.from_config({"joints": [shoulder(limits=limits)]}).slots[0].limits == expected


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({"lower": "-10cm", "upper": "150mm", "max_velocity": "250mm/s"}, JointLimits.prismatic(-0.1, 0.15, 0.25)),
        ({"lower": "-inf", "upper": "0.5m"}, JointLimits.prismatic(-math.inf, 0.5)),
        ({"lower": -math.inf, "upper": "inf"}, JointLimits.prismatic(-math.inf, math.inf)),
    ],
)
def test_limits_of_a_sliding_joint(bounds: Config, expected: JointLimits) -> None:
    assert (
        KinematicChain.from_config({"joints": [{**slide(), "limits": {"prismatic": bounds}}]}).slots[0].limits
        == expected
    )


def test_arrays_and_tuples_are_lists() -> None:
    config = {
        "joints": (shoulder(origin_translation=np.array([0, 0, 0.1]), axis=np.array([0, 0, 1])),),
        "home": np.zeros(1),
    }
    assert KinematicChain.from_config(config) == KinematicChain.from_config({"joints": [shoulder()], "home": [0]})


def test_reading_leaves_the_dict_alone() -> None:
    config = {"joints": [shoulder(mimic=None)], "home": None, "tool_offset": {"translation": ZERO, "rpy": ZERO}}
    before = copy.deepcopy(config)
    KinematicChain.from_config(config)
    assert config == before


def test_a_tool_may_be_turned_by_a_matrix() -> None:
    T = reference.transform((0.1, 0, 0), (0.1, 0.2, 0.3))
    config = {"translation": T[:3, 3].tolist(), "rotation": T[:3, :3].tolist()}
    np.testing.assert_array_equal(read_transform(config, "tool_offset"), T)


# ------------------------------------------------------------------------------------------------------ what is wrong
@pytest.mark.parametrize(
    ("joint", "expected"),
    [
        (
            shoulder(limits={"revolute": {"lower": 0, "uper": 1}}),
            ".limits.revolute.uper: unknown key; did you mean 'upper'?",
        ),
        (shoulder(limit={}), ".limit: unknown key; did you mean 'limits'"),
        (shoulder(nmae="a"), ".nmae: unknown key; did you mean 'name'?"),
        (shoulder(mimic={"joint": "a", "mult": 1}), ".mimic.mult: unknown key; did you mean 'multiplier'?"),
        (shoulder(joint_type="revolut"), ".joint_type: got 'revolut'; did you mean 'revolute'?"),
        (
            shoulder(joint_type="continuous"),
            ".joint_type: got 'continuous'; expected one of 'revolute', 'prismatic', 'fix",
        ),
        (shoulder(axis="pos_w"), ".axis: got 'pos_w'; did you mean 'pos_"),
        (shoulder(axis=[0, 0, 0]), ".axis: got [0, 0, 0], expected a vector with a direction"),
        (shoulder(axis=[0, "1", 0]), ".axis[1]: got '1', expected a number"),
        (shoulder(axis=[0, math.nan, 0]), ".axis[1]: got nan, expected a finite number"),
        (shoulder(axis=3), ".axis: got 3, expected a list"),
        (shoulder(origin_translation=[0, 0]), ".origin_translation: got a list of length 2, expected 3"),
        (
            shoulder(origin_translation=[0, "1deg", 0]),
            ".origin_translation[1]: got '1deg', an angle; expected a length",
        ),
        (
            shoulder(origin_translation=[0, 1e10, 0]),
            ".origin_translation[1]: got 10000000000.0, expected a finite number of",
        ),
        (shoulder(origin_translation="0 0 1"), ".origin_translation: got '0 0 1', expected a list"),
        (shoulder(origin_rpy=[0, 0, math.inf]), ".origin_rpy[2]: got inf, expected a finite number"),
        (shoulder(origin_rpy=[True, 0, 0]), ".origin_rpy[0]: got True, expected an angle"),
        (shoulder(origin_rpy=None), ".origin_rpy: got None, expected a list"),
        (shoulder(name=3), ".name: got 3, expected a non-empty string"),
        (shoulder(limits={}), ".limits: got none, expected one of revolute, continuous"),
        (shoulder(limits=[-1, 1]), ".limits: got [-1, 1], expected a table of keys and values"),
        (slide(mimic={"joint": "a", "offset": "1deg"}), ".mimic.offset: got '1deg', an angle; expected a length"),
        (shoulder(mimic={"joint": "a", "multiplier": "1rad"}), ".mimic.multiplier: got '1rad', expected a number"),
        (shoulder(mimic={"multiplier": 1}), ".mimic.joint: missing"),
        (shoulder(mimic="a"), ".mimic: got 'a', expected a table of keys and values"),
        (fixed(limits={"continuous": {}}), ".limits: got {'continuous': {}}, but a fixed joint has none"),
        (fixed(mimic={"joint": "a"}), ".mimic: got {'joint': 'a'}, but a fixed joint has none"),
        ("joint1", ": got 'joint1', expected a table of keys and values"),
    ],
)
def test_a_mistake_in_a_joint_is_named(joint: object, expected: str) -> None:
    (problem,) = problems_of({"joints": [shoulder(name="a"), joint]})
    assert problem.startswith("joints[1]" + expected)


SPEED = {"lower": 0, "upper": 1, "max_velocity": 0}


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"revolute": {"lower": 2, "upper": 1}}, ".revolute: got lower 2.0 > upper 1.0, expected lower ≤ upper"),
        ({"revolute": SPEED}, ".revolute.max_velocity: got 0.0, expected a finite number > 0"),
        (
            {"revolute": {**SPEED, "max_velocity": "1deg"}},
            ".revolute.max_velocity: got '1deg', an angle; expected an ang",
        ),
        ({"revolute": {"lower": "0mm", "upper": 1}}, ".revolute.lower: got '0mm', a length; expected an angle"),
        ({"revolute": {"lower": "-inf", "upper": 1}}, ".revolute.lower: got '-inf', expected an angle"),
        ({"revolute": {"lower": -math.inf, "upper": 1}}, ".revolute.lower: got -inf, expected a finite number"),
        ({"revolute": {"lower": 0, "upper": math.nan}}, ".revolute.upper: got nan, expected a finite number"),
        ({"revolute": {"upper": 1}}, ".revolute.lower: missing"),
        (
            {"prismatic": {"lower": 0, "upper": 1}},
            ".prismatic: got it on a revolute joint, expected revolute or contin",
        ),
        ({"continuous": {"lower": 0}}, ".continuous.lower: unknown key; expected one of 'max_velocity'"),
        (
            {"revolute": {"lower": 0, "upper": 1}, "continuous": {}},
            ": got revolute and continuous, expected one of rev",
        ),
    ],
)
def test_a_mistake_in_limits_is_named(limits: Config, expected: str) -> None:
    (problem,) = problems_of({"joints": [shoulder(limits=limits)]})
    assert problem.startswith("joints[0].limits" + expected)


def test_infinite_sliding_bounds_must_point_outwards() -> None:
    limits = {"prismatic": {"lower": "inf", "upper": "inf"}}
    assert problems_of({"joints": [{**slide(), "limits": limits}]}) == (
        "joints[0].limits.prismatic.lower: got inf, expected a number",
    )


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, "joints: missing"),
        ({"joints": []}, "joints: got none, expected at least one joint"),
        ({"joints": {}}, "joints: got {}, expected a list"),
        ({"joints": [shoulder()], "tool": {}}, "tool: unknown key; did you mean 'tool_offset'?"),
        ({"joints": [shoulder()], "name": ""}, "name: got '', expected a non-empty string"),
        ({"joints": [shoulder()], "home": [0, 0]}, "home: got a list of length 2, expected 1"),
        ({"joints": [shoulder()], "home": ["1m"]}, "home[0]: got '1m', a length; expected an angle"),
        ({"joints": [slide()], "home": ["1deg"]}, "home[0]: got '1deg', an angle; expected a length"),
        ({"joints": [shoulder()], "home": [4]}, "home[0]: joint 'joint1': got 4, expected a value in [-3, 3]"),
        ({"joints": [shoulder()], "home": [math.nan]}, "home[0]: got nan, expected a finite number"),
        ({"joints": [shoulder()], "home": 0}, "home: got 0, expected a list"),
        ({"joints": [shoulder()], "tool_offset": {"translation": ZERO}}, "tool_offset.rpy: missing"),
        (
            {"joints": [shoulder()], "tool_offset": {"translation": ["1rad", 0, 0], "rpy": ZERO}},
            "tool_offset.translation[0]:",
        ),
        (
            {"joints": [shoulder()], "tool_offset": {"translation": [2e9, 0, 0], "rpy": ZERO}},
            "tool_offset: got a position",
        ),
        (
            {"joints": [shoulder()], "tool_offset": {"translation": ZERO, "rpy": ZERO, "rotation": np.eye(3).tolist()}},
            "tool_offset.rotation: got it beside rpy, expected one of the two",
        ),
        (
            {
                "joints": [shoulder()],
                "tool_offset": {"translation": ZERO, "rotation": [[2, 0, 0], [0, 1, 0], [0, 0, 1]]},
            },
            "tool_offset: got a rotation part that is not orthonormal",
        ),
        (
            {"joints": [shoulder(name="a"), slide(name="a")]},
            "joints: the name 'a' is used 2 times, expected unique names",
        ),
        ({"joints": [shoulder(name="joint2"), slide()]}, "joints: the name 'joint2' is used 2 times"),
        (
            {"joints": [shoulder(name="elbow"), shoulder(mimic={"joint": "elbo"})]},
            "joints: joint 'joint2': mimic.joint: its source 'elbo' does not exist; did you mean 'elbow'?",
        ),
        (
            {"joints": [shoulder(name="a"), shoulder(mimic={"joint": "a", "offset": 9})]},
            "joints: joint 'a': limits [-3, 3] and those of its mimic 'joint2', mapped to [-12, -6], have no",
        ),
        (
            {"joints": [shoulder()], "off_path_sources": [shoulder()]},
            "joints: off_path_sources: got a joint without a name",
        ),
        (
            {"joints": [shoulder()], "off_path_sources": [shoulder(name="x")]},
            "joints: joint 'x': off_path_sources: no joint",
        ),
    ],
)
def test_a_mistake_in_a_chain_is_named(config: Config, expected: str) -> None:
    (problem,) = problems_of(config)
    assert problem.startswith(expected)


AN_ANGLE = "an angle: a number [rad] or a string such as '90deg'"
A_LENGTH = "a length: a number [m] or a string such as '150mm'"


def test_all_mistakes_are_listed_at_once() -> None:
    bounds = {"lower": 2, "upper": 1, "max_velocity": -1}
    config = {
        "hom": [0],
        "home": [0, "1 meter"],
        "tool_offset": {"translation": [0, 0, 0, 0], "rpy": ["1m", 0, 0]},
        "joints": [
            shoulder(name="a", limits={"revolute": bounds}, axis=[0, 0, 0]),
            {"joint_typ": "revolute", "origin_translation": ["1deg", None, True], "limits": {"revolut": {}}},
            shoulder(name="a", origin_rpy=[0, 0]),
            slide(name="b", mimic={"joint": 3, "factor": 2}),
            slide(name="b"),
            7,
        ],
    }
    assert problems_of(config) == (
        "hom: unknown key; did you mean 'home'?",
        "joints[0].axis: got [0, 0, 0], expected a vector with a direction",
        "joints[0].limits.revolute: got lower 2.0 > upper 1.0, expected lower ≤ upper",
        "joints[0].limits.revolute.max_velocity: got -1.0, expected a finite number > 0, or none if unlimited",
        "joints[1].joint_typ: unknown key; did you mean 'joint_type'?",
        "joints[1].origin_rpy: missing",
        "joints[1].origin_translation[0]: got '1deg', an angle; expected " + A_LENGTH,
        "joints[1].origin_translation[1]: got None, expected " + A_LENGTH,
        "joints[1].origin_translation[2]: got True, expected " + A_LENGTH,
        "joints[1].limits.revolut: unknown key; did you mean 'revolute'?",
        "joints[2].origin_rpy: got a list of length 2, expected 3",
        "joints[3].mimic.factor: unknown key; expected one of 'joint', 'multiplier', 'offset'",
        "joints[3].mimic.joint: got 3, expected a non-empty string",
        "joints[5]: got 7, expected a table of keys and values",
        f"home[1]: got '1 meter' with the unknown unit 'meter'; expected {AN_ANGLE} or {A_LENGTH}",
        "tool_offset.translation: got a list of length 4, expected 3",
        "tool_offset.rpy[0]: got '1m', a length; expected " + AN_ANGLE,
    )


def test_all_mistakes_between_joints_are_listed_at_once() -> None:
    config = {
        "joints": [
            shoulder(name="a", mimic={"joint": "x"}),
            shoulder(name="b", mimic={"joint": "y"}),
            shoulder(name="c", mimic={"joint": "b"}),
        ]
    }
    assert [problem.split(";")[0] for problem in problems_of(config)] == [
        "joints: joint 'a': mimic.joint: its source 'x' does not exist",
        "joints: joint 'b': mimic.joint: its source 'y' does not exist",
    ]
    twice = [shoulder(name="a"), shoulder(name="a"), shoulder(name="b"), shoulder(name="b"), shoulder(axis=3)]
    assert [problem[:22] for problem in problems_of({"joints": twice})] == [
        "joints[4].axis: got 3,",
        "joints: the name 'a' i",
        "joints: the name 'b' i",
    ]


def test_the_message_lists_the_problems_below_the_file(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text("hom = [0]\n[[joints]]\nname = 3\n")
    with pytest.raises(ConfigError) as caught:
        KinematicChain.from_config(path)
    assert caught.value.source == str(path)
    assert str(caught.value).splitlines()[:3] == [
        f"{path}: 6 mistakes in the configuration:",
        "  hom: unknown key; did you mean 'home'?",
        "  joints[0].joint_type: missing",
    ]


def test_a_name_is_no_configuration() -> None:
    with pytest.raises(
        ConfigError, match=r"^igus_rebel: got '', expected a file that ends in .toml or .json; presets are"
    ):
        KinematicChain.from_config("igus_rebel")


# ------------------------------------------------------------------------------------------------------ there and back
def test_the_configuration_reads_well() -> None:
    joints = [
        JointSpec.revolute((0, 0, 0.1), ZERO, "neg_y", JointLimits.revolute(-1, 2, 3), name="hip"),
        JointSpec.fixed(ZERO, ZERO),
        JointSpec.prismatic(ZERO, ZERO, (0, 3, 4), JointLimits.prismatic(-math.inf, 0.5), mimic=JointMimic("hip", 0.1)),
        JointSpec.revolute(ZERO, ZERO, limits=JointLimits.continuous(1.0)),
    ]
    T = reference.transform((0, 0, 0.05), (0, math.pi / 2, 0))
    config = KinematicChain(joints, name="arm", home=[0.25, 0, 0], tool_offset=T).to_config()
    origin = {"origin_translation": ZERO, "origin_rpy": ZERO}
    assert config == {
        "name": "arm",
        "home": [0.25, 0.0, 0.0],
        "tool_offset": {"translation": [0.0, 0.0, 0.05], "rpy": [0.0, math.pi / 2, 0.0]},
        "joints": [
            {
                "name": "hip",
                "joint_type": "revolute",
                "origin_translation": [0.0, 0.0, 0.1],
                "origin_rpy": ZERO,
                "axis": "neg_y",
                "limits": {"revolute": {"lower": -1.0, "upper": 2.0, "max_velocity": 3.0}},
            },
            {"name": "joint2", "joint_type": "fixed", **origin},
            {
                "name": "joint3",
                "joint_type": "prismatic",
                **origin,
                "axis": [0.0, 0.6, 0.8],
                "mimic": {"joint": "hip", "multiplier": 0.1, "offset": 0.0},
                "limits": {"prismatic": {"lower": "-inf", "upper": 0.5}},
            },
            {
                "name": "joint4",
                "joint_type": "revolute",
                **origin,
                "axis": "pos_z",
                "limits": {"continuous": {"max_velocity": 1.0}},
            },
        ],
    }


def test_what_was_not_given_is_not_written() -> None:
    config = KinematicChain.from_config({"joints": [shoulder()]}).to_config()
    assert list(config) == ["joints"]


@settings(max_examples=60)
@given(chains())
def test_a_written_chain_is_the_chain(chain: KinematicChain) -> None:
    config = chain.to_config()
    assert KinematicChain.from_config(config) == chain
    assert KinematicChain.from_config(config).to_config() == config


@settings(max_examples=30)
@given(chains())
def test_a_chain_survives_json_and_toml_files(tmp_path_factory: pytest.TempPathFactory, chain: KinematicChain) -> None:
    folder = tmp_path_factory.mktemp("chains")
    config = chain.to_config()
    try:
        json.dumps(config, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        return  # half a surrogate pair is no text that a file could hold
    (folder / "c.json").write_text(json.dumps(config, allow_nan=False), encoding="utf-8")
    (folder / "c.toml").write_text(to_toml(config), encoding="utf-8")
    for name in ("c.json", "c.toml"):
        back = KinematicChain.from_config(folder / name)
        assert back == chain
        assert back.tool_offset.tobytes() == chain.tool_offset.tobytes()
        for mine, theirs in zip(chain.arrays, back.arrays, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_off_path_sources_survive() -> None:
    far = JointSpec.revolute(ZERO, ZERO, limits=JointLimits.revolute(-2, 1), name="far")
    near = JointSpec.revolute(ZERO, ZERO, name="near", mimic=JointMimic("far", 2.0, 0.5))
    chain = KinematicChain([near], off_path_sources=[far])
    assert KinematicChain.from_config(chain.to_config()) == chain


@given(vectors)
def test_a_tool_made_from_rpy_is_written_to_the_last_bit(rpy: tuple[float, float, float]) -> None:
    joint = JointSpec.fixed((0.1, 0.2, 0.3), rpy)
    chain = KinematicChain([joint], tool_offset=joint.origin_transform())
    config = chain.to_config()
    assert KinematicChain.from_config(config).tool_offset.tobytes() == chain.tool_offset.tobytes()


@pytest.mark.parametrize("pitch", [0.0, math.pi / 2, -math.pi / 2, math.pi])
@pytest.mark.parametrize("yaw", [0.0, math.pi / 2, -math.pi / 2, math.pi])
def test_tools_at_right_angles_are_written_as_angles(pitch: float, yaw: float) -> None:
    T = JointSpec.fixed((0, 0, 0.1), (0, pitch, yaw)).origin_transform()
    tool = KinematicChain([JointSpec.revolute(ZERO, ZERO)], tool_offset=T).to_config()["tool_offset"]
    assert isinstance(tool, dict)
    assert list(tool) == ["translation", "rpy"]


@given(joints(name="a"))
def test_a_joint_is_read_as_it_was_written(joint: JointSpec) -> None:
    (config,) = KinematicChain([joint]).to_config()["joints"]  # type: ignore[misc]
    assert read_joint(config, "") == joint


# --------------------------------------------------------------------------------------------------------------- fuzz
KEYS = ["joints", "name", "home", "tool_offset", "off_path_sources", "joint_type", "origin_translation", "origin_rpy"]
KEYS += ["axis", "mimic", "limits", "revolute", "prismatic", "lower", "upper", "joint", "offset", "rpy", "translation"]


@given(st.dictionaries(st.sampled_from(KEYS), anything) | anything)
def test_any_object_is_a_chain_or_a_config_error(config: object) -> None:
    for call in (
        lambda: KinematicChain.from_config(config),  # type: ignore[arg-type]
        lambda: KinematicChain.from_config({"joints": config}),
        lambda: KinematicChain.from_config({"joints": [config]}),
        lambda: read_chain(config),
        lambda: read_transform(config, "tool_offset"),
    ):
        with suppress(ConfigError):
            call()


@given(st.data())
def test_one_wrong_value_anywhere_is_a_config_error_or_harmless(data: st.DataObject) -> None:
    config: Any = data.draw(chains()).to_config()
    node = config
    while True:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        key = data.draw(st.sampled_from(list(keys)))
        if not isinstance(node[key], dict | list) or not node[key] or data.draw(st.booleans()):
            node[key] = data.draw(anything)
            break
        node = node[key]
    with suppress(ConfigError):
        KinematicChain.from_config(config)
