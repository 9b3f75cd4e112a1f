"""RobotModel: the whole tree, its entries of q, and the chains in it; and every robot of a package of real ones."""

from __future__ import annotations

import copy
import importlib.metadata
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio
import pytest

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError, ModelError, UnknownNameError, UrdfWarning
from repose_jit.model import RobotModel
from tests.urdf_oracle import PinocchioRobot, RawRobot, chain_fk, read_text

# Joints are written in an order that is neither depth-first nor that of the links.
HAND = """
<robot name="hand">
  <link name="palm"/> <link name="wrist"/> <link name="left"/> <link name="left_tip"/> <link name="right"/>
  <link name="right_tip"/> <link name="wheel"/>
  <joint name="right_joint" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 -1 0"/>
    <limit lower="-0.01" upper="0.03" velocity="0.1"/><mimic joint="left_joint" multiplier="0.5"/></joint>
  <joint name="left_joint" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.08" velocity="0.4"/></joint>
  <joint name="wrist_joint" type="revolute"><parent link="wrist"/><child link="palm"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="1"/></joint>
  <joint name="left_tip_joint" type="revolute"><parent link="left"/><child link="left_tip"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1.5" velocity="2"/></joint>
  <joint name="right_tip_joint" type="fixed"><parent link="right"/><child link="right_tip"/></joint>
  <joint name="wheel_joint" type="continuous"><parent link="wrist"/><child link="wheel"/><axis xyz="0 0 1"/>
    <limit velocity="inf"/></joint>
</robot>
"""


def test_a_model_names_its_parts() -> None:
    model = RobotModel.from_urdf(HAND)
    assert (model.name, model.root_link) == ("hand", "wrist")
    assert [link.name for link in model.links][:2] == ["palm", "wrist"]
    assert [joint.name for joint in model.joints][:2] == ["right_joint", "left_joint"]
    assert model.leaf_links == ("left_tip", "right_tip", "wheel")
    assert [joint.name for joint in model.mimic_joints] == ["right_joint"]
    assert repr(model) == "RobotModel('hand', 7 links, 4 joints, 1 mimic)"


def test_entries_of_q_are_depth_first_and_in_the_order_of_the_file() -> None:
    model = RobotModel.from_urdf(HAND)
    assert model.joint_names == ("wrist_joint", "left_joint", "left_tip_joint", "wheel_joint")
    assert (model.n_joints, model.nq, model.nv, model.floating_base) == (4, 4, 4, False)


def test_limits_follow_q_and_keep_mimics_within_theirs() -> None:
    model = RobotModel.from_urdf(HAND)
    np.testing.assert_allclose(model.lower_limits, [-2, 0, -1, -np.inf])
    np.testing.assert_allclose(model.upper_limits, [2, 0.06, 1.5, np.inf])
    np.testing.assert_allclose(model.velocity_limits, [1, 0.2, 2, np.inf])
    with pytest.raises(ValueError, match="read-only"):
        model.lower_limits[0] = 0.0


def test_a_chain_of_the_model_is_the_chain_of_its_urdf() -> None:
    model = RobotModel.from_urdf(HAND)
    tool = np.eye(4)
    tool[:3, 3] = 1, 2, 3
    for base, tip in ((None, "left_tip"), ("palm", "right_tip"), ("wheel", "left_tip")):
        expected = KinematicChain.from_urdf(HAND, base_link=base, tip_link=tip, tool_offset=tool)
        assert model.chain(base, tip, tool_offset=tool) == expected
    assert model.chain("left").joint_names == ("left_tip_joint",)
    with pytest.raises(InputError, match="'left_tip', 'right_tip', 'wheel'"):
        model.chain()
    with pytest.raises(UnknownNameError, match="did you mean 'palm'"):
        model.chain("Palm", "left")
    with pytest.raises(ModelError, match="no joint moves between links 'right' and 'right_tip'"):
        model.chain("right")


def test_locked_joints_have_no_entry_and_do_not_move_in_chains() -> None:
    model = RobotModel.from_urdf(HAND, locked_joints={"left_joint": 0.04})
    assert model.joint_names == ("wrist_joint", "left_tip_joint", "wheel_joint")
    assert model.locked_joints == {"left_joint": 0.04, "right_joint": 0.02}
    assert model.mimic_joints == ()
    assert model.chain(tip_link="right_tip").joint_names == ("wrist_joint",)
    np.testing.assert_allclose(model.chain(tip_link="right_tip").tool_offset[:3, 3], [0, -0.02, 0])
    with pytest.raises(UnknownNameError, match="did you mean 'left_joint'"):
        RobotModel.from_urdf(HAND, locked_joints={"left_joind": 0.04})


def test_a_floating_base_comes_before_the_joints() -> None:
    model = RobotModel.from_urdf(HAND, floating_base=True)
    assert (model.n_joints, model.nq, model.nv, model.floating_base) == (4, 11, 10, True)
    assert model.joint_names[0] == "wrist_joint"
    assert "floating base" in repr(model)


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_joints_of_several_numbers_stay_at_zero(kind: str) -> None:
    text = HAND.replace('name="wheel_joint" type="continuous"', f'name="wheel_joint" type="{kind}"')
    model = RobotModel.from_urdf(text)
    assert model.joint_names == ("wrist_joint", "left_joint", "left_tip_joint")
    with pytest.raises(ModelError, match="'wheel_joint'"):
        model.chain(tip_link="wheel")
    assert model.chain(tip_link="left_tip").n_joints == 3


def test_limits_that_exclude_one_another_are_an_error_naming_both_joints() -> None:
    with pytest.raises(ModelError, match=r"joint 'left_joint'.*mimic 'right_joint'"):
        RobotModel.from_urdf(HAND.replace('lower="-0.01" upper="0.03"', 'lower="-0.03" upper="-0.01"'))


def test_a_robot_of_one_link_has_no_entries() -> None:
    model = RobotModel.from_urdf('<robot name="stone"><link name="a"/></robot>')
    assert (model.n_joints, model.joint_names, model.leaf_links) == (0, (), ("a",))
    assert model.lower_limits.shape == (0,)
    with pytest.raises(ModelError, match="no joint moves"):
        model.chain()


def test_a_model_is_made_of_a_tree_and_can_be_pickled() -> None:
    model = RobotModel.from_urdf(HAND)
    assert RobotModel(model.tree).joint_names == model.joint_names
    assert pickle.loads(pickle.dumps(model)).chain("left") == model.chain("left")


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_is_as_immutable_as_the_model(copied: Callable[[RobotModel], RobotModel]) -> None:
    model = copied(RobotModel.from_urdf(HAND))
    for limits in (model.lower_limits, model.upper_limits, model.velocity_limits):
        with pytest.raises(ValueError, match="read-only"):
            limits[0] = 0.0
    with pytest.raises(InputError, match="tree: got str, expected a UrdfTree"):
        RobotModel(HAND)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------- real robots


def real_robots() -> list[Path]:
    """Return the URDFs of the package example-robot-data, if it is installed; one of them has no link at all."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    paths = {str(file): Path(str(file.locate())) for file in files if file.suffix == ".urdf"}
    return [path for _, path in sorted(paths.items()) if b"<link" in path.read_bytes()]


# What keeps a file from being loaded strictly, with the joint that the message names.
DOUBTFUL = {
    "alex_psyonic_hands.urdf": "mimic: source joint 'index_q1' does not exist",
    "centauro.urdf": "no limit.lower",
    "quadruped.urdf": "no limit.lower",
}

robots = pytest.mark.parametrize("path", real_robots(), ids=lambda path: path.stem)
installed = pytest.mark.skipif(not real_robots(), reason="the package example-robot-data is not installed")


def load_real_robot(path: Path) -> RobotModel:
    if path.name in DOUBTFUL:
        with pytest.raises(ModelError, match=DOUBTFUL[path.name]):
            RobotModel.from_urdf(path)
    return RobotModel.from_urdf(path, strict=path.name not in DOUBTFUL)


@installed
def test_there_are_many_real_robots() -> None:
    assert len(real_robots()) >= 60


@robots
@pytest.mark.filterwarnings("ignore::repose_jit.errors.UrdfWarning")
def test_every_leaf_of_a_real_robot_moves_as_pinocchio_says(path: Path) -> None:
    model, text = load_real_robot(path), read_text(path)
    raw, oracle = RawRobot(text), PinocchioRobot(text)
    for joint in model.joints:  # mimics that were left out
        mimic = raw.joints[joint.name].find("mimic")
        if mimic is not None and joint.mimic is None:
            raw.joints[joint.name].remove(mimic)
    rng = np.random.default_rng(7)
    for _ in range(2):
        free = raw.sample(rng)
        frames = oracle.fk({name: raw.value(name, free) for name in raw.joints})
        for leaf in model.leaf_links:
            try:
                chain = model.chain(tip_link=leaf)
            except ModelError as error:
                if "no joint moves" in str(error) or "floating" in str(error):
                    continue
                raise
            np.testing.assert_allclose(chain_fk(chain, free), frames[leaf], atol=1e-9)


@robots
@pytest.mark.filterwarnings("ignore::repose_jit.errors.UrdfWarning")
def test_the_limits_of_a_real_robot_are_those_pinocchio_reads(path: Path) -> None:
    model = load_real_robot(path)
    oracle = pinocchio.buildModelFromXML(read_text(path))
    followed = {joint.mimic.joint for joint in model.mimic_joints if joint.mimic is not None}
    for i, name in enumerate(model.joint_names):
        joint = oracle.joints[oracle.getJointId(name)]
        if joint.nq == 1 and name not in followed and np.isfinite(model.lower_limits[i]):
            assert model.lower_limits[i] == oracle.lowerPositionLimit[joint.idx_q]
            assert model.upper_limits[i] == oracle.upperPositionLimit[joint.idx_q]
            if np.isfinite(model.velocity_limits[i]):
                assert model.velocity_limits[i] == oracle.velocityLimit[joint.idx_v]


@installed
def test_missing_velocities_of_a_real_robot_make_one_warning() -> None:
    path = next(path for path in real_robots() if path.stem == "centauro")
    with pytest.warns(UrdfWarning) as caught:
        RobotModel.from_urdf(path, strict=False)
    assert len({str(warning.message).split(":")[1] for warning in caught}) == len(caught)
