"""Folding: the chain between two links moves its tool as the whole tree does, whatever is folded into it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pinocchio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError, ModelError, ReposeError, UnknownNameError, UrdfWarning
from repose_jit.joints import JointLimits, JointSpec, JointType
from tests.urdf_oracle import MOVING, PinocchioRobot, RawRobot, chain_fk, origin

LIMIT = '<limit lower="-2" upper="2" velocity="3" effort="1"/>'

# The housing of joint 3 is three fixed joints, so that its origin has to be folded.
REBEL_JOINTS = (
    ("joint1", "revolute", "0 0 0.126", "0 0 3.1416", "0 0 -1", "-3.12414", "3.12414"),
    ("joint2", "revolute", "0 0.025 0.153", "0 0 0", "0 -1 0", "-1.48353", "2.44346"),
    ("housing3a", "fixed", "0 -0.025 0.1", "0 0 0", "1 0 0", "", ""),
    ("housing3b", "fixed", "-0.0326 0 0.05646", "0 -1.0472 0", "1 0 0", "", ""),
    ("joint3", "revolute", "0 0.025 0.1", "0 0 0", "0 -1 0", "-1.39626", "2.61799"),
    ("joint4", "revolute", "0 -0.025 0.153", "0 0 0", "0 0 1", "-3.12414", "3.12414"),
    ("joint5", "revolute", "0 0.029 0.143", "0 0 0", "0 -1 0", "-1.65806", "1.65806"),
    ("joint6", "revolute", "0 -0.029 0.1188", "0 0 0", "0 0 1", "-3.12414", "3.12414"),
)


def rebel(*, housing: bool = True) -> str:
    used = [joint for joint in REBEL_JOINTS if housing or joint[1] == "revolute"]
    names = ["base", *(f"after_{name}" for name, *_ in used)]
    joints = [
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="after_{name}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>'
        + (f'<limit lower="{lower}" upper="{upper}" velocity="2.16"/></joint>' if lower else "</joint>")
        for parent, (name, kind, xyz, rpy, axis, lower, upper) in zip(names, used, strict=False)
    ]
    return f'<robot name="rebel">{"".join(f"<link name={name!r}/>" for name in names)}{"".join(joints)}</robot>'


# A tree with everything: two branches, a slide, fixed joints at both ends, mimics of mimics across the branches.
TREE = f"""
<robot name="tree">
  <link name="root"/> <link name="a"/> <link name="b"/> <link name="c"/> <link name="tool"/>
  <link name="d"/> <link name="e"/> <link name="eye"/>
  <joint name="stand" type="fixed"><parent link="root"/><child link="a"/>
    <origin xyz="0.1 0 0.5" rpy="0.2 0 0.4"/></joint>
  <joint name="turn" type="revolute"><parent link="a"/><child link="b"/>
    <origin xyz="0 0.2 0.1" rpy="0 0.5 0"/><axis xyz="1 2 2"/>{LIMIT}</joint>
  <joint name="slide" type="prismatic"><parent link="b"/><child link="c"/>
    <origin xyz="0.3 0 0" rpy="0.1 0.2 0.3"/><axis xyz="0 0.6 0.8"/>{LIMIT}
    <mimic joint="nod" multiplier="-0.5" offset="0.1"/></joint>
  <joint name="flange" type="fixed"><parent link="c"/><child link="tool"/><origin xyz="0 0 0.25" rpy="0 0 1"/></joint>
  <joint name="look" type="continuous"><parent link="a"/><child link="d"/>
    <origin xyz="-0.2 0 0.3" rpy="0.3 0 0"/><axis xyz="0 1 0"/><limit velocity="1" effort="1"/></joint>
  <joint name="nod" type="revolute"><parent link="d"/><child link="e"/>
    <origin xyz="0 0 0.2"/><axis xyz="1 0 0"/>{LIMIT}<mimic joint="look" multiplier="0.75" offset="-0.2"/></joint>
  <joint name="lens" type="fixed"><parent link="e"/><child link="eye"/><origin xyz="0.05 0 0"/></joint>
</robot>
"""
LINKS = ("root", "a", "b", "c", "tool", "d", "e", "eye")


def expected_fk(text: str, base: str, tip: str, free: dict[str, float]) -> np.ndarray:
    raw = RawRobot(text)
    by_xml = np.linalg.inv(raw.fk(base, free)) @ raw.fk(tip, free)
    frames = PinocchioRobot(text).fk({name: raw.value(name, free) for name in raw.joints})
    np.testing.assert_allclose(np.linalg.inv(frames[base]) @ frames[tip], by_xml, atol=1e-12)
    return by_xml


# ------------------------------------------------------------------------------------------------- frozen numbers


def test_the_rebel_folds_to_its_published_numbers() -> None:
    chain = KinematicChain.from_urdf(rebel())
    assert chain.name == "rebel"
    assert chain.joint_names == ("joint1", "joint2", "joint3", "joint4", "joint5", "joint6")
    joint3 = chain.joints[2]
    np.testing.assert_allclose(joint3.origin_translation, [-0.11920266, 0, 0.20645979], atol=5e-9)
    assert joint3.origin_rpy == pytest.approx((0.0, -1.0472, 0.0), abs=1e-15)
    assert chain.joints[0].origin_rpy == (0.0, 0.0, 3.1416)
    np.testing.assert_array_equal(chain.tool_offset, np.eye(4))
    np.testing.assert_array_equal(chain.lower_limits[:3], [-3.12414, -1.48353, -1.39626])
    np.testing.assert_array_equal([joint.limits.max_velocity for joint in chain.joints if joint.limits], [2.16] * 6)


@pytest.mark.parametrize(
    ("q", "position"),
    [
        ((0, 0, 0, 0, 0, 0), (0.478430508176, 0.000003514747, 0.692858908250)),
        ((0.3, -0.4, 0.5, -0.6, 0.7, -0.8), (0.377034944418, -0.161861570144, 0.617015958440)),
        ((1.0, 0.5, -1.0, 2.0, 1.2, -2.5), (0.268776575248, -0.232244240583, 0.716553092761)),
    ],
)
def test_the_rebel_reaches_its_golden_positions(q: tuple[float, ...], position: tuple[float, ...]) -> None:
    chain = KinematicChain.from_urdf(rebel())
    T = chain_fk(chain, dict(zip(chain.joint_names, q, strict=True)))
    np.testing.assert_allclose(T[:3, 3], position, atol=1e-12)


# ------------------------------------------------------------------------------------------------------------ laws


@pytest.mark.parametrize("tip", LINKS)
@pytest.mark.parametrize("base", LINKS)
def test_a_folded_chain_moves_as_the_unfolded_tree(base: str, tip: str) -> None:
    """Between any two links, up and down the tree, with mimics on, off and across the path."""
    try:
        chain = KinematicChain.from_urdf(TREE, base_link=base, tip_link=tip)
    except ModelError:
        assert base == tip or {base, tip} in ({"root", "a"}, {"c", "tool"}, {"e", "eye"})
        return
    assert all(joint.joint_type is not JointType.FIXED for joint in chain.slots)
    rng = np.random.default_rng(1)
    for _ in range(3):
        free = {"turn": rng.uniform(-2, 2), "look": rng.uniform(-2, 2)}
        np.testing.assert_allclose(chain_fk(chain, free), expected_fk(TREE, base, tip, free), atol=1e-13)


def test_a_chain_and_its_reverse_are_inverse_to_each_other() -> None:
    there = KinematicChain.from_urdf(TREE, base_link="tool", tip_link="eye")
    back = KinematicChain.from_urdf(TREE, base_link="eye", tip_link="tool")
    free = {"turn": 0.7, "look": -1.1}
    np.testing.assert_allclose(chain_fk(there, free) @ chain_fk(back, free), np.eye(4), atol=1e-14)
    assert [joint.name for joint in there.slots] == [joint.name for joint in reversed(back.slots)]


@st.composite
def trees(draw: st.DrawFn) -> str:
    """Random trees of up to eight joints of all kinds, whose mimics follow any joint before or after them."""
    n = draw(st.integers(1, 8))
    number = st.floats(-2, 2, allow_subnormal=False).map(lambda x: round(x, 3))
    vector = st.tuples(number, number, number)
    kinds = [draw(st.sampled_from(["fixed", *MOVING])) for _ in range(n)]
    order = draw(st.permutations(range(n)))
    text = "".join(f'<link name="l{i}"/>' for i in range(n + 1))
    for i, kind in enumerate(kinds):
        xyz, rpy = (" ".join(map(str, draw(vector))) for _ in range(2))
        x, y, z = draw(vector.filter(lambda axis: max(map(abs, axis)) > 0.01))
        mimic = ""
        sources = [j for j in order[: order.index(i)] if kinds[j] != "fixed"]
        if kind != "fixed" and sources and draw(st.booleans()):
            multiplier = draw(st.sampled_from([-1.5, -0.3, 0.5, 1, 2]))
            mimic = (
                f'<mimic joint="j{draw(st.sampled_from(sources))}" multiplier="{multiplier}" offset="{draw(number)}"/>'
            )
        text += (
            f'<joint name="j{i}" type="{kind}"><parent link="l{draw(st.integers(0, i))}"/><child link="l{i + 1}"/>'
            f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{x} {y} {z}"/>'
            f'<limit lower="-1e6" upper="1e6" velocity="1" effort="0"/>{mimic}</joint>'
        )
    return f'<robot name="random">{text}</robot>'


@given(text=trees(), data=st.data())
@settings(max_examples=150, deadline=None)
def test_random_trees_fold_with_random_joints_locked(text: str, data: st.DataObject) -> None:
    raw = RawRobot(text)
    links = [link.attrib["name"] for link in raw.root.findall("link")]
    base, tip = data.draw(st.sampled_from(links)), data.draw(st.sampled_from(links))
    free = {name: data.draw(st.floats(-3, 3)) for name in raw.free_joints()}
    locked = {name: value for name, value in free.items() if data.draw(st.booleans())}
    try:
        chain = KinematicChain.from_urdf(text, base_link=base, tip_link=tip, locked_joints=locked)
    except ModelError as error:
        if "no joint moves" in str(error):
            return
        raise
    moving = {name: value for name, value in free.items() if name not in locked}
    assert not set(chain.joint_names) & set(locked)
    np.testing.assert_allclose(chain_fk(chain, moving), expected_fk(text, base, tip, free), atol=1e-10)


# --------------------------------------------------------------------------------------------- what becomes of what


def test_fixed_joints_go_into_the_next_origin_and_into_the_tool() -> None:
    chain = KinematicChain.from_urdf(TREE, tip_link="tool")
    stand, turn = origin((0.1, 0, 0.5), (0.2, 0, 0.4)), origin((0, 0.2, 0.1), (0, 0.5, 0))
    np.testing.assert_allclose(chain.slots[0].origin_transform(), stand @ turn, atol=1e-15)
    np.testing.assert_allclose(chain.tool_offset, origin((0, 0, 0.25), (0, 0, 1)), atol=1e-16)
    with pytest.raises(ValueError, match="read-only"):
        chain.tool_offset[0, 0] = 0.0


def test_a_tool_offset_comes_after_the_fixed_joints_at_the_tip() -> None:
    tool = origin((0.01, 0.02, 0.03), (0.4, 0.5, 0.6))
    bare = KinematicChain.from_urdf(TREE, tip_link="tool")
    chain = KinematicChain.from_urdf(TREE, tip_link="tool", tool_offset=tool)
    np.testing.assert_allclose(chain.tool_offset, bare.tool_offset @ tool, atol=1e-15)
    np.testing.assert_array_equal(chain.with_tool_offset(tool).tool_offset, tool)
    with pytest.raises(InputError, match="tool_offset"):
        KinematicChain.from_urdf(TREE, tip_link="tool", tool_offset=2 * np.eye(4))


def test_a_mimic_keeps_an_entry_for_its_source_off_the_path() -> None:
    chain = KinematicChain.from_urdf(TREE, tip_link="tool")
    assert chain.joint_names == ("turn", "look")
    assert [joint.name for joint in chain.mimic_joints] == ["slide"]
    assert [joint.name for joint in chain.off_path_sources] == ["nod", "look"]
    slide = 1  # follows nod at -0.5, which follows look at 0.75
    np.testing.assert_allclose(chain.arrays.gains[slide], [-0.5 * 0.75, -0.5 * -0.2 + 0.1])
    assert chain.joints[1].limits is not None
    # Those of nod, which are narrower here than those of slide, [-1.8, 2.2] / 0.375.
    assert (chain.joints[1].limits.lower, chain.joints[1].limits.upper) == pytest.approx((-1.8 / 0.75, 2.2 / 0.75))


def test_unlimited_joints_are_continuous() -> None:
    chain = KinematicChain.from_urdf(TREE, base_link="a", tip_link="d")
    assert chain.joints[0].limits is not None
    assert chain.joints[0].limits.kind == "continuous"
    text = TREE.replace('type="continuous"', 'type="revolute"')
    with pytest.warns(UrdfWarning, match="unlimited"):
        revolute = KinematicChain.from_urdf(text, base_link="a", tip_link="d", strict=False)
    assert revolute.joints == chain.joints


def test_locked_joints_stand_still_and_their_mimics_with_them() -> None:
    chain = KinematicChain.from_urdf(TREE, tip_link="tool", locked_joints={"look": 0.8})
    assert chain.joint_names == ("turn",)
    assert chain.mimic_joints == chain.off_path_sources == ()
    free = {"turn": 0.3, "look": 0.8}
    np.testing.assert_allclose(chain_fk(chain, free), expected_fk(TREE, "root", "tool", free), atol=1e-14)
    with pytest.raises(ModelError, match="no joint moves between links 'root' and 'tool'"):
        KinematicChain.from_urdf(TREE, tip_link="tool", locked_joints={"look": 0.8, "turn": 0})


def test_without_fixed_joints_the_import_is_a_copy_of_the_numbers() -> None:
    by_hand = KinematicChain(
        [
            JointSpec.revolute(
                [float(word) for word in xyz.split()],
                [float(word) for word in rpy.split()],
                [float(word) for word in axis.split()],
                JointLimits.revolute(float(lower), float(upper), 2.16),
                name=name,
            )
            for name, kind, xyz, rpy, axis, lower, upper in REBEL_JOINTS
            if kind == "revolute"
        ],
        name="rebel",
    )
    assert KinematicChain.from_urdf(rebel(housing=False)) == by_hand


# ---------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("locked", "error", "message"),
    [
        ({"turm": 0.0}, UnknownNameError, "unknown joint 'turm' .*did you mean 'turn'"),
        ({"stand": 0.0}, InputError, "the joint is fixed"),
        ({"slide": 0.0}, InputError, "the joint follows 'nod'"),
        ({"turn": math.nan}, InputError, "got nan, expected a finite number"),
        ({"turn": True}, InputError, "got True, expected a number"),
        ({"turn": "0"}, InputError, "got '0', expected a number"),
        ({"turn": 10**400}, InputError, "too large"),
        ({"turn": 90}, InputError, r"got 90, expected a value within the limits \[-2, 2\]"),
        (["turn"], InputError, "locked_joints: got list, expected a dict"),
    ],
)
def test_joints_that_cannot_be_locked(locked: dict[str, float], error: type[ReposeError], message: str) -> None:
    with pytest.raises(error, match=message):
        KinematicChain.from_urdf(TREE, tip_link="tool", locked_joints=locked)


def test_locking_outside_the_limits_is_a_warning_if_not_strict() -> None:
    with pytest.warns(UrdfWarning, match="outside their limits: joint 'turn' at 90"):
        KinematicChain.from_urdf(TREE, tip_link="tool", locked_joints={"turn": 90}, strict=False)


def test_unknown_links_are_errors_with_the_nearest_names() -> None:
    with pytest.raises(UnknownNameError, match="unknown base link 'rooot' in URDF text; did you mean 'root'"):
        KinematicChain.from_urdf(TREE, base_link="rooot", tip_link="tool")
    with pytest.raises(UnknownNameError, match="unknown tip link 'Tool' in URDF text; did you mean 'tool'"):
        KinematicChain.from_urdf(TREE, tip_link="Tool")
    with pytest.raises(UnknownNameError, match="unknown tip link"):
        KinematicChain.from_urdf(TREE, tip_link=["tool"])  # type: ignore[arg-type]


def test_the_tip_is_the_only_leaf_below_the_base_or_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "tree.urdf"
    path.write_text(TREE)
    with pytest.raises(InputError, match=r"tip_link: got none.*leaf links of tree.urdf.*'tool', 'eye'"):
        KinematicChain.from_urdf(path)
    assert KinematicChain.from_urdf(path, base_link="b") == KinematicChain.from_urdf(
        path, base_link="b", tip_link="tool"
    )


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_a_chain_through_a_joint_of_several_numbers_is_an_error(kind: str) -> None:
    text = TREE.replace('name="stand" type="fixed"', f'name="stand" type="{kind}"')
    for base, tip in (("root", "tool"), ("eye", "root")):
        with pytest.raises(ModelError, match=f"joint 'stand' between links '{base}' and '{tip}': got a {kind} joint"):
            KinematicChain.from_urdf(text, base_link=base, tip_link=tip)
    assert KinematicChain.from_urdf(text, base_link="eye", tip_link="tool").n_joints == 2
    with pytest.raises(InputError, match=f"the joint is {kind}"):
        KinematicChain.from_urdf(text, base_link="a", tip_link="tool", locked_joints={"stand": 0.0})


def test_pinocchio_agrees_about_plain_mimics() -> None:
    """Its own mimics, on a robot without a mimic of a mimic (wrong there) and of a continuous joint (refused there)."""
    text = TREE.replace('mimic joint="nod"', 'mimic joint="look"')
    text = text.replace('type="continuous"', 'type="revolute"').replace('<limit velocity="1" effort="1"/>', LIMIT)
    model = pinocchio.buildModelFromXML(text, mimic=True)
    data = model.createData()
    chain = KinematicChain.from_urdf(text, tip_link="tool")
    values = {"turn": 0.4, "look": -0.9}
    q = pinocchio.neutral(model)
    for name, value in values.items():
        joint = model.joints[model.getJointId(name)]
        q[joint.idx_q] = value
    pinocchio.framesForwardKinematics(model, data, q)
    expected = data.oMf[model.getFrameId("tool")].homogeneous
    np.testing.assert_allclose(chain_fk(chain, values), expected, atol=1e-14)


def test_the_oracles_regard_every_joint() -> None:
    """Each joint's value shows in the oracle's result, so that agreement with it means something."""
    raw, names = RawRobot(TREE), re.findall(r'<joint name="(\w+)" type="(?:revolute|continuous|prismatic)"', TREE)
    assert names == ["turn", "slide", "look", "nod"]
    for free, tip in (({"turn": 1.0, "look": 0.0}, "tool"), ({"turn": 0.0, "look": 1.0}, "tool"),
                      ({"turn": 0.0, "look": 1.0}, "eye")):  # fmt: skip
        assert np.abs(raw.fk(tip, free) - raw.fk(tip, {"turn": 0.0, "look": 0.0})).max() > 0.1
