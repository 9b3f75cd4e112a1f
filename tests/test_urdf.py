"""URDF import: every doubtful thing that a file can contain, and what we make of it."""

from __future__ import annotations

import io
import math
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import urchin
from hypothesis import given, settings
from hypothesis import strategies as st

from repose_jit.errors import InputError, ModelError, ReposeError, UrdfWarning
from repose_jit.model import RobotModel
from repose_jit.urdf import UrdfJoint, UrdfTree, load_urdf
from repose_jit.urdf.checks import MAX_LINKS
from repose_jit.urdf.xml import MAX_BYTES, MAX_DEPTH

LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'
AXIS = '<axis xyz="0 0 1"/>'

ARM = """
<robot name="arm">
  <material name="grey"/>
  <link name="base">
    <visual><geometry><mesh filename="package://nowhere/base.dae"/></geometry></visual>
    <inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/>
      <mass value="2.5"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="3"/>
    </inertial>
    <collision><origin xyz="0 0 0.5"/><geometry><box size="1 2 3"/></geometry></collision>
    <collision><geometry><sphere radius="0.25"/></geometry></collision>
    <collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision>
    <collision><geometry><mesh filename="package://nowhere/base.stl" scale="0.001 0.001 0.002"/></geometry></collision>
  </link>
  <link name="upper"/>
  <link name="slide"/>
  <link name="flange"/>
  <joint name="turn" type="revolute">
    <parent link="base"/> <child link="upper"/>
    <origin xyz="0 0.1 0.4" rpy="0.3 -0.2 0.1"/>
    <axis xyz="0 2 0"/>
    <limit lower="-1.5" upper="1.25" velocity="2" effort="10"/>
    <dynamics damping="0.1"/>
  </joint>
  <joint name="push" type="prismatic">
    <parent link="upper"/> <child link="slide"/>
    <axis xyz="1 1 0"/>
    <limit lower="0" upper="0.5" velocity="0.5" effort="10"/>
    <mimic joint="turn" multiplier="0.2" offset="0.1"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="slide"/><child link="flange"/><origin xyz="0 0 0.05"/></joint>
  <transmission name="t"><joint name="not a joint of ours"/></transmission>
  <gazebo reference="upper"><link name="nor this"/></gazebo>
</robot>
"""


def joint(
    name: str = "j", kind: str = "revolute", parent: str = "a", child: str = "b", inside: str = AXIS + LIMIT
) -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(*joints: str, links: str = "a b") -> str:
    return f'<robot name="r">{"".join(f"<link name={name!r}/>" for name in links.split())}{"".join(joints)}</robot>'


def load_joint(inside: str, kind: str = "revolute", *, strict: bool = True) -> UrdfJoint:
    return load_urdf(robot(joint(kind=kind, inside=inside)), strict=strict).joints[0]


@contextmanager
def refused(*parts: str, error: type[ReposeError] = ModelError) -> Iterator[None]:
    """Expect an error whose message contains all parts."""
    with pytest.raises(error) as caught:
        yield
    for part in parts:
        assert part in str(caught.value)


@contextmanager
def warned(*parts: str) -> Iterator[None]:
    """Expect exactly one warning, whose message contains all parts."""
    with pytest.warns(UrdfWarning) as caught:
        yield
    assert len(caught) == 1
    for part in parts:
        assert part in str(caught[0].message)


# --------------------------------------------------------------------------------------------------- what is read


def test_importing_does_not_load_the_parser() -> None:
    code = "import sys, repose_jit.urdf, repose_jit.model; sys.exit('urchin' in sys.modules or 'lxml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_joints_become_records_with_the_numbers_of_the_file() -> None:
    tree = load_urdf(ARM)
    turn, push, mount = tree.joints
    assert (tree.name, tree.source, tree.root_link) == ("arm", "URDF text", "base")
    assert (turn.name, turn.joint_type, turn.parent_link, turn.child_link) == ("turn", "revolute", "base", "upper")
    assert (turn.lower, turn.upper, turn.max_velocity, turn.mimic) == (-1.5, 1.25, 2.0, None)
    np.testing.assert_array_equal(turn.axis, [0, 1, 0])
    np.testing.assert_array_equal(turn.origin[:3, 3], [0, 0.1, 0.4])
    assert turn.rpy == (0.3, -0.2, 0.1)
    np.testing.assert_allclose(push.axis, [0.5**0.5, 0.5**0.5, 0], atol=1e-15)
    assert push.mimic is not None
    assert (push.mimic.joint, push.mimic.multiplier, push.mimic.offset) == ("turn", 0.2, 0.1)
    assert (mount.joint_type, mount.lower, mount.upper, mount.max_velocity) == ("fixed", -math.inf, math.inf, None)


def test_roll_pitch_yaw_turn_about_x_then_y_then_z_of_the_parent() -> None:
    origin = load_urdf(ARM).joints[0].origin
    (sr, sp, sy), (cr, cp, cy) = np.sin([0.3, -0.2, 0.1]), np.cos([0.3, -0.2, 0.1])
    Rx = [[1, 0, 0], [0, cr, -sr], [0, sr, cr]]
    Ry = [[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]]
    Rz = [[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]
    np.testing.assert_allclose(origin[:3, :3], np.array(Rz) @ Ry @ Rx, atol=1e-15)


def test_masses_are_turned_into_the_axes_of_the_link() -> None:
    base, upper, *_ = load_urdf(ARM).links
    assert upper.inertial is None
    assert base.inertial is not None
    assert base.inertial.mass == 2.5
    np.testing.assert_array_equal(base.inertial.com, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(base.inertial.inertia, np.diag([2, 1, 3]), atol=1e-15)


def test_collision_shapes_are_named_and_meshes_not_opened() -> None:
    box, sphere, cylinder, mesh = load_urdf(ARM).links[0].collisions
    assert (box.shape, box.size) == ("box", (1, 2, 3))
    np.testing.assert_array_equal(box.origin[:3, 3], [0, 0, 0.5])
    assert (sphere.shape, sphere.size) == ("sphere", (0.25,))
    assert (cylinder.shape, cylinder.size) == ("cylinder", (0.1, 0.4))
    assert (mesh.shape, mesh.filename, mesh.scale) == ("mesh", "package://nowhere/base.stl", (0.001, 0.001, 0.002))


def test_a_capsule_is_a_collision_shape() -> None:
    text = ARM.replace("<cylinder", "<capsule")
    shape = load_urdf(text).links[0].collisions[2]
    assert (shape.shape, shape.size) == ("capsule", (0.1, 0.4))


def test_records_are_read_only_and_can_be_pickled() -> None:
    tree = load_urdf(ARM)
    with pytest.raises(ValueError, match="read-only"):
        tree.joints[0].origin[0, 0] = 2.0
    assert tree.leaf_links() == ("flange",)
    assert pickle.loads(pickle.dumps(tree)).leaf_links() == ("flange",)


def same_robot(tree: UrdfTree, other: UrdfTree) -> None:
    assert (tree.name, tree.root_link) == (other.name, other.root_link)
    for ours, theirs in zip(tree.joints, other.joints, strict=True):
        for key, value in vars(ours).items():
            if key == "rpy":
                continue  # what a loaded object does not know
            if isinstance(value, np.ndarray):
                np.testing.assert_allclose(getattr(theirs, key), value, atol=2e-16)
            else:
                assert getattr(theirs, key) == value
    for link, their_link in zip(tree.links, other.links, strict=True):
        assert link.name == their_link.name
        assert (link.inertial is None) == (their_link.inertial is None)
        for shape, their_shape in zip(link.collisions, their_link.collisions, strict=True):
            np.testing.assert_equal(vars(their_shape), vars(shape))


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_is_the_same_as_its_text(tmp_path: Path, kind: type) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    tree = load_urdf(kind(path))
    assert tree.source == "arm.urdf"
    same_robot(tree, load_urdf(ARM))


@pytest.mark.parametrize(
    "data",
    [
        ARM.encode(),
        b"\xef\xbb\xbf" + ARM.strip().encode(),
        "\ufeff" + ARM.strip(),
        ('<?xml version="1.0" encoding="utf-16"?>' + ARM).encode("utf-16"),
        '<?xml version="1.0" encoding="iso-8859-1"?><!-- \xe9 -->'.encode("latin-1") + ARM.encode(),
        '\n\n<?xml version="1.0"?>' + ARM,
        ARM.replace("<robot", '<robot xmlns="http://www.ros.org"'),
    ],
    ids=["bytes", "utf-8 mark", "mark in text", "utf-16", "latin-1", "blank lines before", "default namespace"],
)
def test_encodings_and_beginnings_do_not_matter(data: str | bytes) -> None:
    same_robot(load_urdf(data), load_urdf(ARM))


def loaded(text: str) -> Any:
    # urchin alone cannot load the text with its transmission.
    file = io.BytesIO(re.sub(r"<transmission.*</transmission>", "", text).strip().encode())
    file.name = "arm.urdf"
    return urchin.URDF.load(file, lazy_load_meshes=True)


def test_an_object_of_urchin_is_the_same_as_its_text() -> None:
    tree = load_urdf(loaded(ARM))
    assert tree.source == "URDF object 'arm'"
    same_robot(tree, load_urdf(ARM))


@pytest.mark.parametrize("value", [None, 5, math.nan, "x", object(), np.eye(3)])
@pytest.mark.parametrize("part", ["_joints", "_links", "_name"])
def test_an_object_that_was_changed_by_hand_is_refused_or_read(part: str, value: object) -> None:
    robot = loaded(ARM)
    setattr(robot, part, value)
    try:
        load_urdf(robot)
    except ReposeError as error:
        assert "URDF object" in str(error)
    else:
        assert part == "_name"


def test_an_object_of_urdfpy_is_taken_by_its_class() -> None:
    """Urdfpy cannot be installed on a supported Python; its objects have the attributes that urchin's have."""
    robot_of_urdfpy = type("URDF", (), {"__module__": "urdfpy.urdf"})()
    vars(robot_of_urdfpy).update({key: getattr(loaded(ARM), key) for key in ("name", "links", "joints")})
    same_robot(load_urdf(robot_of_urdfpy), load_urdf(ARM))


def test_an_object_is_checked_too() -> None:
    robot_object = loaded(ARM)
    robot_object.joints[0].axis = np.array([np.nan, 0, 1])
    with refused("URDF object 'arm'", "joint 'turn'", "axis", "nan"):
        load_urdf(robot_object)
    robot_object = loaded(ARM)
    robot_object.joints[0].origin = np.diag([1.0, 1.0, 2.0, 1.0])
    with refused("joint 'turn'", "origin", "orthonormal"):
        load_urdf(robot_object)
    for shape in ((0,), (3, 3), (2, 4, 4)):
        robot_object = loaded(ARM)
        robot_object.joints[0]._origin = np.zeros(shape)
        with refused("joint 'turn'", "origin", "shape"):
            load_urdf(robot_object)
    robot_object = loaded(ARM)
    robot_object.joints[1].mimic.offset = math.inf
    with refused("joint 'push'", "mimic.offset", "inf"):
        load_urdf(robot_object)


# -------------------------------------------------------------------------------------------- what is not a URDF


@pytest.mark.parametrize("source", [3, None, ["arm.urdf"], object(), io.BytesIO(b"<robot/>")])
def test_another_type_is_refused(source: object) -> None:
    with refused("source: got", "expected a path, the text of a URDF, or a urchin.URDF", error=InputError):
        load_urdf(source)


def test_a_missing_file_is_named_with_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "panda.urdf").write_text(ARM)
    with refused("no file", "pamda.urdf", "did you mean 'panda.urdf'?", error=InputError):
        load_urdf(tmp_path / "pamda.urdf")
    with refused("no file", "a text is taken for a URDF if it contains '<'", error=InputError):
        load_urdf("robot name=r")


def test_a_directory_is_refused_with_what_it_contains(tmp_path: Path) -> None:
    (tmp_path / "panda.urdf").write_text(ARM)
    with refused("is a directory", "'panda.urdf'", error=InputError):
        load_urdf(tmp_path)


@pytest.mark.parametrize("path", ["a" * 5000, "a\0b", "panda.urdf/x"])
def test_an_impossible_path_is_refused(path: str, tmp_path: Path) -> None:
    (tmp_path / "panda.urdf").write_text(ARM)
    with refused("source:", "cannot be read", error=InputError):
        load_urdf(f"{tmp_path}/{path}")


def test_emptiness_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nothing.urdf"
    path.write_bytes(b" \n")
    with refused("nothing.urdf: got an empty document"):
        load_urdf(path)
    with refused("source: got an empty text", error=InputError):
        load_urdf("  ")
    with refused("got no <link>"):
        load_urdf('<robot name="r"/>')


def test_what_is_not_xml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.urdf"
    path.write_text("hello\nworld")
    with refused("notes.urdf", "starts with b'hello", "expected XML"):
        load_urdf(path)
    with refused("line 1, column 34", "mismatched tag", "expected well-formed XML"):
        load_urdf('<robot name="r"><link name="a"></robot>')
    with refused("encoding"):
        load_urdf(b'<?xml version="1.0" encoding="klingon"?><robot/>')
    with refused("not Unicode"):
        load_urdf('<robot name="\ud800"/>')


@pytest.mark.parametrize(("tag", "format_name"), [("mujoco", "MJCF"), ("sdf", "SDFormat"), ("thing", "<thing>")])
def test_another_format_is_named(tag: str, format_name: str) -> None:
    with refused(format_name, "expected URDF's <robot>"):
        load_urdf(f"<{tag}><link name='a'/></{tag}>")


@pytest.mark.parametrize(
    "text",
    [
        robot(joint(inside='<origin xyz="0 0 ${height}"/>' + AXIS + LIMIT)),
        robot('<xacro:include filename="other.xacro"/>', joint()),
        robot(joint(inside='<xacro:limits lower="1"/>' + AXIS)),
        robot(joint(), links="a b ${prefix}c"),
        robot(joint(name="$(arg side)_joint")),
    ],
    ids=["expression", "element", "element in a joint", "link name", "substitution"],
)
def test_xacro_is_recognised_and_its_tool_named(text: str) -> None:
    with refused("unexpanded xacro", "pip install xacro"):
        load_urdf(text)


def test_what_is_skipped_may_contain_xacro() -> None:
    text = robot(joint(), "<!-- ${x} --><gazebo a='${x}'/>").replace('name="r"', 'name="r" xmlns:xacro="http://x"')
    assert len(load_urdf(text).joints) == 1


# ------------------------------------------------------------------------------------------------------- security

BOMB = '<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><robot name="&b;"/>'
EXTERNAL = '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>'


@pytest.mark.parametrize("text", [BOMB, EXTERNAL, "<!DOCTYPE robot SYSTEM 'http://x/y.dtd'><robot name='r'/>"])
def test_document_types_and_so_entities_are_refused(text: str) -> None:
    with refused("<!DOCTYPE robot>", "entities"):
        load_urdf(text)
    with refused("<!DOCTYPE robot>", "entities"):
        load_urdf(text.encode())


def test_absurd_sizes_are_refused(tmp_path: Path) -> None:
    with refused(f"expected at most {MAX_BYTES}"):
        load_urdf("<" + " " * MAX_BYTES)
    path = tmp_path / "large.urdf"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 10)
    with refused("large.urdf", f"expected at most {MAX_BYTES}"):
        load_urdf(path)
    with refused(f"deeper than {MAX_DEPTH} levels"):
        load_urdf('<robot name="r">' + "<gazebo>" * 200)
    with refused(f"got {MAX_LINKS + 1} links"):
        load_urdf(robot(links=" ".join(f"l{i}" for i in range(MAX_LINKS + 1))))
    with refused("more than 200000 elements"):
        load_urdf('<robot name="r"><link name="a">' + "<collision/>" * 200_001 + "</link></robot>")
    for text in (
        robot(links="a" * 2000),
        robot(joint(inside=f'<origin xyz="0 0 {"1" * 2000}x"/>')),
        robot().replace('"r"', f'"{"r" * 2000}"'),
    ):
        with refused("got 200", "characters, expected at most 1000"):
            load_urdf(text)


# ---------------------------------------------------------------------------------------------------- mimic joints

FOLLOWER = joint("f", parent="b", child="c", inside=AXIS + LIMIT + '<mimic joint="{}" multiplier="2"/>')


def test_a_missing_mimic_source_is_an_error_naming_both() -> None:
    text = robot(joint(), FOLLOWER.format("jj"), links="a b c")
    with refused("joint 'f'", "mimic", "source joint 'jj' does not exist", "did you mean 'j'?"):
        load_urdf(text)
    with warned("mimic", "left out", "joint 'f'"):
        assert load_urdf(text, strict=False).joints[1].mimic is None


@pytest.mark.parametrize("kind", ["fixed", "floating", "planar"])
def test_a_mimic_source_without_one_number_is_as_good_as_missing(kind: str) -> None:
    text = robot(joint(kind=kind), FOLLOWER.format("j"), links="a b c")
    with refused("joint 'f'", f"source joint 'j' is {kind}"):
        load_urdf(text)
    with warned("mimic", "left out", "joint 'f'"):
        assert load_urdf(text, strict=False).joints[1].mimic is None


@pytest.mark.parametrize("strict", [True, False])
def test_mimics_in_a_circle_are_an_error_naming_all(strict: bool) -> None:
    with refused("'f' → 'f'"):
        load_urdf(robot(joint(), FOLLOWER.format("f"), links="a b c"), strict=strict)
    first = joint("e", inside=AXIS + LIMIT + '<mimic joint="f"/>')
    with refused("'e' → 'f' → 'e'"):
        load_urdf(robot(first, FOLLOWER.format("e"), links="a b c"), strict=strict)


def test_a_mimic_on_a_fixed_joint_is_ignored_and_on_others_refused() -> None:
    assert load_joint('<mimic joint="nobody"/>', "fixed").mimic is None
    for kind in ("floating", "planar"):
        with refused("joint 'j'", "mimic", kind):
            load_joint('<mimic joint="j"/>', kind)


def test_a_mimic_defaults_to_the_value_of_its_source() -> None:
    follower = joint("f", parent="b", child="c", inside=AXIS + LIMIT + '<mimic joint="j"/>')
    mimic = load_urdf(robot(joint(), follower, links="a b c")).joints[1].mimic
    assert mimic is not None
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("j", 1.0, 0.0)


# ------------------------------------------------------------------------------------------------------------ axis


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_a_zero_axis_is_an_error_on_a_joint_that_moves(kind: str) -> None:
    with refused("joint 'j'", "axis", "got [0.0, 0.0, 0.0]", "direction"):
        load_joint('<axis xyz="0 0 0"/>' + LIMIT, kind)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999"])
def test_an_axis_that_is_not_finite_is_an_error_on_a_joint_that_moves(value: str) -> None:
    with refused("joint 'j'", "axis", f"got '0 {value} 1'"):
        load_joint(f'<axis xyz="0 {value} 1"/>' + LIMIT)


@pytest.mark.parametrize("axis", ["0 0 0", "nan 0 0", "x", ""])
def test_the_axis_of_a_fixed_joint_is_ignored(axis: str) -> None:
    assert load_joint(f'<axis xyz="{axis}"/>', "fixed").joint_type == "fixed"


@pytest.mark.parametrize("scale", ["2", "1e-5", "1e-300", "1e300", "-7"])
def test_axes_are_normalised(scale: str) -> None:
    axis = load_joint(f'<axis xyz="0 0 {scale}"/>' + LIMIT).axis
    np.testing.assert_array_equal(axis, [0, 0, math.copysign(1, float(scale))])


def test_an_oblique_axis_has_length_one() -> None:
    np.testing.assert_allclose(load_joint('<axis xyz="0 3e-6 4e-6"/>' + LIMIT).axis, [0, 0.6, 0.8], atol=1e-16)


def test_a_missing_axis_is_x() -> None:
    np.testing.assert_array_equal(load_joint(LIMIT).axis, [1, 0, 0])
    with refused("joint 'j'", "<axis> without `xyz`"):
        load_joint("<axis/>" + LIMIT)


# ---------------------------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("limit", ["", '<limit velocity="1" effort="1"/>'], ids=["no limit", "no bounds"])
def test_missing_position_limits_are_an_error_or_none(kind: str, limit: str) -> None:
    with refused("joint 'j'", "no limit.lower and limit.upper", kind):
        load_joint(AXIS + limit, kind)
    with pytest.warns(UrdfWarning) as caught:
        read = load_joint(AXIS + limit, kind, strict=False)
    assert "position limits missing, read as unlimited: joint 'j'" in str(caught[0].message)
    assert (read.lower, read.upper) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    ("limit", "bounds"), [('lower="-2"', (-2.0, 0.0)), ('upper="0.04"', (0.0, 0.04))], ids=["lower", "upper"]
)
def test_a_single_bound_leaves_the_other_at_0_as_urdf_says(limit: str, bounds: tuple[float, float]) -> None:
    with warned("one position limit missing", "joint 'j'"):
        read = load_joint(f'{AXIS}<limit {limit} velocity="1"/>', "prismatic")
    assert (read.lower, read.upper) == bounds


@pytest.mark.parametrize("limit", ['<limit lower="-1" upper="1"/>', '<limit lower="-1" upper="1" velocity="0"/>'])
def test_a_missing_velocity_is_no_limit_with_a_warning(limit: str) -> None:
    with warned("velocity limit missing or 0", "joint 'j'"):
        assert load_joint(AXIS + limit).max_velocity is None


def test_warnings_of_a_kind_come_together_and_from_the_callers_line() -> None:
    bare = AXIS + '<limit lower="-1" upper="1"/>'
    text = robot(joint("i", inside=bare), joint("j", parent="b", child="c", inside=bare), links="a b c")
    with warned("URDF text: velocity", ": joint 'i', joint 'j'"):
        RobotModel.from_urdf(text)
    with pytest.warns(UrdfWarning) as caught:
        RobotModel.from_urdf(text)
    assert caught[0].filename == __file__


def test_an_infinite_velocity_is_no_limit() -> None:
    assert load_joint(AXIS + '<limit lower="-1" upper="1" velocity="inf"/>').max_velocity is None


@pytest.mark.parametrize("velocity", ["-1", "nan", "-inf"])
def test_a_negative_velocity_is_an_error(velocity: str) -> None:
    with refused("joint 'j'", "limit.velocity", velocity):
        load_joint(f'{AXIS}<limit lower="-1" upper="1" velocity="{velocity}"/>')


@pytest.mark.parametrize("strict", [True, False])
def test_lower_above_upper_is_an_error_naming_the_values(strict: bool) -> None:
    with refused("joint 'j'", "lower 1.5 > upper -2"):
        load_joint(AXIS + '<limit lower="1.5" upper="-2" velocity="1"/>', strict=strict)


def test_zero_width_limits_are_limits() -> None:
    read = load_joint(AXIS + '<limit lower="0.5" upper="0.5" velocity="1"/>')
    assert (read.lower, read.upper) == (0.5, 0.5)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    ("inside", "where"),
    [
        (AXIS + '<limit lower="nan" upper="1" velocity="1"/>', "limit.lower"),
        (AXIS + '<limit lower="-1" upper="nan" velocity="1"/>', "limit.upper"),
        (AXIS + '<limit lower="-1" upper="1" velocity="nan"/>', "limit.velocity"),
        ('<origin xyz="0 nan 0"/>' + AXIS + LIMIT, "origin.xyz"),
        ('<origin rpy="0 0 nan"/>' + AXIS + LIMIT, "origin.rpy"),
        ('<origin rpy="0 0 inf"/>' + AXIS + LIMIT, "origin.rpy"),
        (AXIS + LIMIT + '<mimic joint="i" multiplier="nan"/>', "mimic.multiplier"),
        (AXIS + LIMIT + '<mimic joint="i" offset="nan"/>', "mimic.offset"),
    ],
    ids=lambda value: value if value and not value.startswith("<") else "",
)
def test_nan_is_an_error_naming_joint_and_value(inside: str, where: str, strict: bool) -> None:
    text = robot(joint("i"), joint("j", parent="b", child="c", inside=inside), links="a b c")
    with refused(f"joint 'j': {where}: got '", "nan" if "nan" in inside else "inf"):
        load_urdf(text, strict=strict)


def test_nan_in_masses_and_shapes_is_an_error_naming_the_link() -> None:
    for old, new in (('mass value="2.5"', 'mass value="nan"'), ('radius="0.25"', 'radius="nan"')):
        with refused("link 'base'", "got 'nan'"):
            load_urdf(ARM.replace(old, new))


@pytest.mark.parametrize("lower_upper", ["-inf 1", "-1 inf", "inf inf", "-inf -inf"])
def test_half_infinite_bounds_are_an_error_on_a_joint_that_turns(lower_upper: str) -> None:
    lower, upper = lower_upper.split()
    with refused("joint 'j'", "limit", f"lower {lower} and upper {upper}"):
        load_joint(f'{AXIS}<limit lower="{lower}" upper="{upper}" velocity="1"/>')


def test_infinite_bounds_mean_unlimited_and_a_slide_may_have_one() -> None:
    read = load_joint(AXIS + '<limit lower="-inf" upper="inf" velocity="1"/>')
    assert (read.lower, read.upper) == (-math.inf, math.inf)
    slide = load_joint(AXIS + '<limit lower="0" upper="inf" velocity="1"/>', "prismatic")
    assert (slide.lower, slide.upper) == (0.0, math.inf)


def test_a_continuous_joint_has_no_position_limits() -> None:
    read = load_joint(AXIS + LIMIT, "continuous")
    assert (read.lower, read.upper, read.max_velocity) == (-math.inf, math.inf, 3.0)
    with warned("velocity limit missing or 0", "joint 'j'"):
        assert load_joint(AXIS, "continuous").max_velocity is None


# ------------------------------------------------------------------------------------------------------- the tree


def test_several_roots_are_an_error_naming_the_links() -> None:
    with refused("links 'a', 'c' have no parent joint", "single root"):
        load_urdf(robot(joint(), links="a b c"))


def test_a_loop_is_an_error_naming_the_links() -> None:
    loop = [joint("i", "fixed", "a", "b"), joint("j", "fixed", "b", "c"), joint("k", "fixed", "c", "a")]
    with refused("loop", "'a' → 'b' → 'c' → 'a'"):
        load_urdf(robot(*loop, links="a b c"))
    with refused("loop", "'a' → 'b' → 'c' → 'a'"):
        load_urdf(robot(*loop, joint("l", "fixed", "r", "s"), links="r s a b c"))
    with refused("joint 'j'", "link 'a' is its own parent"):
        load_urdf(robot(joint(child="a")))


def test_two_parents_are_an_error_naming_links_and_joints() -> None:
    text = robot(joint("i", child="c"), joint("j", parent="b", child="c"), links="a b c")
    with refused("link 'c' has two parents", "'i'", "'a'", "'j'", "'b'"):
        load_urdf(text)
    with refused("joint 'j'", "got 2 <parent> elements"):
        load_urdf(robot(joint(inside='<parent link="b"/>')))


def test_a_name_used_twice_is_an_error() -> None:
    with refused("link 'b'", "used 2 times"):
        load_urdf(robot(joint(), links="a b b"))
    with refused("joint 'j'", "used 2 times"):
        load_urdf(robot(joint(), joint(parent="b", child="c"), links="a b c"))


def test_an_unknown_joint_type_is_an_error_with_the_nearest() -> None:
    with refused("joint 'j'", "type", "got 'Revolute'", "did you mean 'revolute'?"):
        load_joint(AXIS + LIMIT, "Revolute")


def test_an_unknown_link_is_an_error_with_the_nearest() -> None:
    with refused("joint 'j'", "parent", "link 'base_lnk' does not exist", "did you mean 'base_link'?"):
        load_urdf(robot(joint(parent="base_lnk"), links="base_link b"))


@pytest.mark.parametrize(
    ("old", "message"),
    [
        ('name="j" ', "a joint: got <joint> without `name`"),
        (' type="revolute"', "joint 'j': got <joint> without `type`"),
        ('<parent link="a"/>', "joint 'j': got no <parent>"),
        ('<child link="b"/>', "joint 'j': got no <child>"),
        (' link="b"', "joint 'j': got <child> without `link`"),
        (" name='b'", "a link: got <link> without `name`"),
    ],
)
def test_what_a_joint_needs_and_lacks_is_named(old: str, message: str) -> None:
    text = robot(joint())
    assert old in text
    with refused(message):
        load_urdf(text.replace(old, ""))


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_floating_and_planar_joints_are_read(kind: str) -> None:
    assert load_joint("", kind).joint_type == kind


def test_a_single_link_is_a_robot_without_joints() -> None:
    tree = load_urdf('<robot><link name="a"/></robot>')
    assert (tree.name, tree.root_link, tree.joints, tree.leaf_links()) == ("", "a", (), ("a",))


# --------------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("text", ["0, 0.1, 0.2", "0,0.1,0.2", "0, 0.1 0.2"])
def test_commas_are_an_error_or_read_with_a_warning(text: str) -> None:
    inside = f'<origin xyz="{text}"/>' + AXIS + LIMIT
    with refused("joint 'j': origin.xyz", f"got '{text}'", "separated by spaces"):
        load_joint(inside)
    with warned("commas", "joint 'j': origin.xyz"):
        np.testing.assert_array_equal(load_joint(inside, strict=False).origin[:3, 3], [0, 0.1, 0.2])


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    "text", ["0 0", "0 0 0 0", "", "a b c", "0 0 pi/2", "0 0 1_000", "0 0 0x10", "0 0 １", "0,1 0 0"]
)
def test_what_is_not_three_numbers_is_an_error(text: str, strict: bool) -> None:
    with refused("joint 'j': origin.xyz", f"got {text!r}"):
        load_joint(f'<origin xyz="{text}"/>' + AXIS + LIMIT, strict=strict)


@pytest.mark.parametrize("text", ["1", "1.", ".5", "+1e-3", "1E5", "-0"])
def test_every_way_to_write_a_number_is_read(text: str) -> None:
    x, y, z = load_joint(f'<origin xyz="  {text}\t{text}\n{text} "/>' + AXIS + LIMIT).origin[:3, 3]
    assert x == y == z == float(text)


def test_a_joint_too_far_away_is_an_error() -> None:
    with refused("joint 'j': origin", "m away"):
        load_joint('<origin xyz="1e10 0 0"/>' + AXIS + LIMIT)


# ------------------------------------------------------------------------------------------------ what is left out


def test_undeclared_prefixes_are_left_out_with_a_warning() -> None:
    text = ARM.replace('effort="10"/>', 'effort="10" drake:acceleration="3"/>', 1)
    text = text.replace(
        "</robot>", "<drake:collision_filter_group/><vendor:x a='1'><link name='q'/></vendor:x></robot>"
    )
    with warned("prefix", "not declared", "'drake', 'vendor'"):
        same_robot(load_urdf(text), load_urdf(ARM))


def test_declared_prefixes_are_left_out_silently() -> None:
    text = ARM.replace("<robot", "<robot xmlns:v='http://v'").replace("</robot>", "<v:link name='q'/></robot>")
    same_robot(load_urdf(text), load_urdf(ARM))


@pytest.mark.parametrize(
    "inertial",
    ['<mass value="1"/>', '<inertia ixx="1"/>', '<mass value="1"/><inertia ixx="1"/>', '<mass value="heavy"/>', ""],
)
def test_incomplete_masses_are_left_out_with_a_warning(inertial: str) -> None:
    text = robot().replace("<link name='b'/>", "").replace("'a'/>", f"'a'><inertial>{inertial}</inertial></link>")
    with warned("inertial data incomplete", "link 'a'"):
        assert load_urdf(text).links[0].inertial is None


@pytest.mark.parametrize(
    "geometry",
    [
        "",
        "<geometry/>",
        "<geometry><box/></geometry>",
        "<geometry><mesh/></geometry>",
        "<geometry><torus/></geometry>",
        '<geometry><box size="1 1 1"/><sphere radius="1"/></geometry>',
    ],
)
def test_incomplete_shapes_are_left_out_with_a_warning(geometry: str) -> None:
    text = f'<robot name="r"><link name="a"><collision>{geometry}</collision></link></robot>'
    with warned("collision geometry incomplete", "link 'a'"):
        assert load_urdf(text).links[0].collisions == ()


def test_the_first_of_two_masses_counts() -> None:
    second = '<inertial><mass value="9"/></inertial></link>'
    link = load_urdf(ARM.replace("</link>", second, 1)).links[0]
    assert link.inertial is not None
    assert link.inertial.mass == 2.5


# ------------------------------------------------------------------------------------------------------------ fuzz

VALUES = [*re.findall(r'"([^"]*)"', ARM), "nan", "inf", "1e308", "1e-320", "", "0,1", "${x}", "&x;", "<", "é", "\0"]
PIECES = [
    *VALUES,
    "<!DOCTYPE r>",
    "<a:b/>",
    "<!--",
    "</robot>",
    "<joint/>",
    '<link name="z"/>',
    '<mimic joint="push"/>',
]


@given(data=st.data())
@settings(max_examples=300, deadline=None)
def test_no_damage_raises_anything_but_our_errors(data: st.DataObject) -> None:
    text = ARM.strip()
    for _ in range(data.draw(st.integers(1, 3))):
        spans = [match.span(1) for match in re.finditer(r'"([^"]*)"', text)]
        if spans and data.draw(st.booleans()):
            start, end = data.draw(st.sampled_from(spans))
            piece = data.draw(st.sampled_from(VALUES))
        else:
            start = data.draw(st.integers(0, len(text)))
            end = min(len(text), start + data.draw(st.sampled_from([0, 1, 7, 60])))
            piece = data.draw(st.sampled_from(PIECES))
        text = text[:start] + piece + text[end:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UrdfWarning)
        try:
            model = RobotModel.from_urdf("<" + text.lstrip("<"), strict=data.draw(st.booleans()))
            for link in model.links:
                model.chain(tip_link=link.name)
        except ReposeError:
            pass
