"""The study file: every key means what the reference says, every mistake is found, and a study comes back from it."""

from __future__ import annotations

import json
import math
import tomllib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import repose_jit as rj
from repose_jit.errors import ConfigError, InputError, ReposeError
from repose_jit.reach.placement.grid import ExcludedBox, PlacementGrid
from repose_jit.reach.solving.metrics import DEFAULT_METRICS
from repose_jit.reach.study import ReachStudy
from repose_jit.reach.study_file import read_study, study_config
from repose_jit.reach.targets.kinds import GridTargets, SurfaceTargets
from repose_jit.reach.targets.orientations import RULES, Orientations
from repose_jit.toml_writer import to_toml
from tests.anything import anything
from tests.cli.conftest import URDF
from tests.reach.robots import gantry

MINIMAL = {"schema": 1, "robot": {"preset": "igus_rebel"}}
BOX = {"kind": "grid", "box_min": [0, 0, 0], "box_max": ["200mm", 0.2, "20cm"], "spacing": "100mm"}


def problems(source, **options):
    with pytest.raises(ConfigError) as caught:
        read_study(source, **options)
    return list(caught.value.problems)


@pytest.fixture
def folder(tmp_path):
    """Make a folder with a file of every kind that a study may name."""
    (tmp_path / "two.urdf").write_text(URDF.replace('upper="0.2"', 'upper="0.2" velocity="1"'))
    (tmp_path / "arm.toml").write_text(to_toml(gantry().to_config()))
    (tmp_path / "points.csv").write_text("x,y,z,nx,ny,nz\n100,0,0,0,0,2\n0,200,0,0,0,1\n")
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[:, 0, 3] = 100.0, 200.0, 300.0
    np.save(tmp_path / "poses.npy", poses)
    return tmp_path


def write(folder: Path, study: dict[str, object]) -> Path:
    path = folder / "study.toml"
    path.write_text(to_toml(study))
    return path


def test_the_least_study_has_the_defaults_of_a_study():
    file = read_study(MINIMAL)
    study = file.study
    assert study_config(study) == study_config(ReachStudy(rj.preset("igus_rebel").chain()))
    assert (file.store, file.threads, file.placement) == (None, None, None)
    assert (study.metrics, study.length_scale, study.save_q) == (DEFAULT_METRICS, 1.0, False)
    assert study.solve == rj.MultiSeedParams()


def test_every_key_is_read():
    file = read_study(
        {
            "schema": 1,
            "robot": {"preset": "ur5", "tool_offset": {"translation": [0, 0, "5cm"], "rpy": [0, 0, "90deg"]}},
            "targets": BOX,
            "orientations": {"kind": "directions", "n": 20, "n_roll": 3, "tool_axis": "-z"},
            "solve": {
                "max_attempts": 5,
                "max_iterations": 20,
                "position_tolerance": "1mm",
                "orientation_tolerance": "1deg",
                "step_rule": "fixed",
                "selection": "nearest",
                "reference": [0, "-90deg", "90deg", 0, 0, 0],
                "rng_seed": 7,
                "threads": 2,
            },
            "metrics": {"names": ["sigma_min", "n_solutions"], "length_scale": "250mm"},
            "store": {"path": "maps/a.zarr", "save_q": True},
            "placement": {"x": [-1, 1], "y": [0, 1], "exclude": [{"min": [0, 0], "max": [0.3, "300mm"]}]},
        },
        directory="/somewhere",
    )
    study = file.study
    tool = np.eye(4)
    tool[:3] = [[math.cos(math.pi / 2), -1, 0, 0], [1, math.cos(math.pi / 2), 0, 0], [0, 0, 1, 0.05]]
    np.testing.assert_allclose(study.chain.tool_offset, tool, atol=1e-15)
    assert study.targets == GridTargets(spacing=0.1, box_min=(0, 0, 0), box_max=(0.2, 0.2, 0.2))
    assert study.orientations == Orientations(kind="directions", n=20, n_roll=3, tool_axis="-z")
    assert study.n_poses == 2**3 * 60
    assert study.solve == rj.MultiSeedParams(
        max_attempts=5,
        max_iterations=20,
        position_tolerance=1e-3,
        orientation_tolerance=math.radians(1),
        step_rule="fixed",
        selection="nearest",
        reference=(0.0, -math.pi / 2, math.pi / 2, 0.0, 0.0, 0.0),
        rng_seed=7,
    )
    assert study.solve.threads is None
    assert (study.metrics, study.length_scale, study.save_q) == (("sigma_min", "n_solutions"), 0.25, True)
    assert (file.threads, file.store) == (2, Path("/somewhere/maps/a.zarr"))
    assert file.placement == PlacementGrid(x=(-1, 1), y=(0, 1), exclude=[ExcludedBox(min=(0, 0), max=(0.3, 0.3))])


@pytest.mark.parametrize("kind", ["free_axis", "none"])
def test_what_of_the_pose_counts_comes_from_the_orientations(kind):
    axis = {"tool_axis": "-y"} if kind == "free_axis" else {}
    targets = read_study({**MINIMAL, "targets": BOX, "orientations": {"kind": kind, **axis}}).study.target_set
    assert targets.free_axis == ("y" if kind == "free_axis" else None)
    assert targets.axis_mask == (None if kind == "free_axis" else (True,) * 3 + (False,) * 3)


def test_files_are_looked_for_beside_the_study_file(folder, monkeypatch):
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    study = {"schema": 1, "robot": {"chain": "arm.toml"}, "targets": {"kind": "poses", "file": "poses.npy"}}
    file = read_study(write(folder, {**study, "store": {"path": "map.zarr"}}))
    assert file.study.chain == gantry()
    assert file.store == folder / "map.zarr"
    assert read_study(study, directory=folder).study.chain == gantry()
    monkeypatch.chdir(folder)
    assert read_study(study).study.chain == gantry()
    (entry,) = problems({**study, "robot": {"chain": "arm.toml"}}, directory=folder / "elsewhere")[:1]
    assert entry.startswith(f"robot.chain: {folder / 'elsewhere' / 'arm.toml'}: no such file")


def test_json_says_the_same_as_toml(folder):
    study = {**MINIMAL, "targets": BOX, "orientations": {"kind": "super_fibonacci", "n": 4}}
    path = folder / "study.json"
    path.write_text(json.dumps({**study, "store": None}))
    assert study_config(read_study(path).study) == study_config(read_study(write(folder, study)).study)


@pytest.mark.parametrize(
    ("robot", "joints"),
    [
        ({"preset": "ur5"}, 6),
        ({"urdf": "two.urdf"}, 2),
        ({"urdf": "two.urdf", "base_link": "upper", "tip_link": "tool"}, 1),
        ({"urdf": "two.urdf", "locked_joints": {"slide": "100mm"}}, 1),
        ({"chain": "arm.toml"}, 6),
        ({"chain": gantry().to_config()}, 6),
    ],
)
def test_every_source_of_a_robot(folder, robot, joints):
    chain = read_study({"schema": 1, "robot": robot, "targets": BOX}, directory=folder).study.chain
    assert chain.n_joints == joints
    if "locked_joints" in robot:
        expected = rj.KinematicChain.from_urdf(folder / "two.urdf", locked_joints={"slide": 0.1})
        assert chain == expected


@pytest.mark.parametrize("source", ["urdf", "chain"])
def test_the_tool_offset_is_beyond_the_tip_of_a_urdf_and_in_place_of_that_of_a_chain(folder, source):
    chain = rj.KinematicChain.from_urdf(folder / "two.urdf")
    offset = {"translation": [0, 0, 0.25], "rpy": [0, 0, 0]}
    robot = {"urdf": "two.urdf"} if source == "urdf" else {"chain": chain.to_config()}
    read = read_study({"schema": 1, "robot": {**robot, "tool_offset": offset}, "targets": BOX}, directory=folder)
    assert read.study.chain.tool_offset[2, 3] == pytest.approx(0.25 - (0.1 if source == "urdf" else 0.0))


@pytest.mark.parametrize(
    ("units", "scale"), [(None, 1.0), ("m", 1.0), ("cm", 100.0), ("mm", 1000.0), ("in", 1 / 0.0254)]
)
def test_units_scale_positions(folder, units, scale):
    given = {} if units is None else {"units": units}
    way = {"kind": "free_axis", "tool_axis": "z", "approach": "-normal"}
    surface = {"kind": "surface", "file": "points.csv", **given}
    study = read_study({**MINIMAL, "targets": surface, "orientations": way}, directory=folder).study
    np.testing.assert_allclose(study.targets.points, np.array([[100, 0, 0], [0, 200, 0]]) / scale)
    np.testing.assert_array_equal(study.targets.normals, [[0, 0, 1]] * 2)
    study = read_study({**MINIMAL, "targets": {"kind": "poses", "file": "poses.npy", **given}}, directory=folder).study
    np.testing.assert_allclose(study.targets.poses[:, 0, 3], np.array([100, 200, 300]) / scale)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"schema": None}, ["schema: got None, expected a whole number"]),
        ({"schema": 2}, ["schema: got 2, expected 1: the one that this version"]),
        ({"robot": {}}, ["robot: got no robot, expected one of preset, urdf, chain"]),
        (
            {"robot": {"preset": "igus_rebl"}},
            ["robot.preset: unknown robot preset 'igus_rebl'; did you mean 'igus_rebel'?"],
        ),
        ({"robot": {"preset": "arm.toml"}}, ["robot.preset: got the file 'arm.toml', expected the name of a preset"]),
        ({"robot": {"chain": "ur5"}}, ["robot.chain: got 'ur5', the name of a preset; expected it in preset"]),
        ({"robot": {"chain": {"joints": [{}]}}}, ["robot.chain.joints[0].joint_type: missing"]),
        ({"robot": {"urdf": "three.urdf"}}, ["robot.urdf: three.urdf: no such file"]),
        (
            {"robot": {"preset": "ur5", "urdf": "a.urdf"}},
            ["robot.urdf: a.urdf: no such file", "robot: got preset and urdf"],
        ),
        ({"robot": {"preset": "ur5", "tip_link": "a"}}, ["robot.tip_link: got it beside preset, expected a urdf"]),
        ({"robot": {"preset": "ur5", "tool_offset": {}}}, ["robot.tool_offset.translation: missing"]),
        (
            {"robot": {"preset": "ur5", "tool_ofset": {}}},
            ["robot.tool_ofset: unknown key; did you mean 'tool_offset'?"],
        ),
        ({"targets": {"spacing": "50mm"}}, ["targets.kind: missing"]),
        ({"targets": {"kind": "voxels"}}, ["targets.kind: got 'voxels'; expected one of 'grid', 'surface', 'poses'"]),
        (
            {"targets": {"kind": "grid", "file": "a"}},
            ["targets.file: got it beside kind 'grid', which takes spacing, box_min"],
        ),
        (
            {"targets": {"kind": "poses", "spacing": 1}},
            ["targets.spacing: got it beside kind 'poses'", "targets.file: missing"],
        ),
        ({"targets": {"kind": "grid", "box_min": [0, 0, 0]}}, ["targets.box_max: got none beside box_min"]),
        ({"targets": {**BOX, "box_max": [-1, 1, 1]}}, ["targets.box: got x from 0 to -1"]),
        ({"targets": {**BOX, "spacing": "1um"}}, ["targets.spacing: got '1um' with the unknown unit 'um'"]),
        (
            {"targets": {**BOX, "spacing": "0.1mm"}},
            ["targets.spacing: got voxels of 0.0001 m in a box of 0.2 × 0.2 × 0.2 m"],
        ),
        ({"targets": {**BOX, "count": 3}}, ["targets.count: this is the record of a study"]),
        ({"targets": {"kind": "surface", "file": "a.csv"}}, ["orientations: missing; a surface needs"]),
        ({"orientations": {"n": 3}}, ["orientations.kind: missing"]),
        ({"orientations": {"kind": "euler"}}, ["orientations.kind: got 'euler'; expected one of 'super_fibonacci'"]),
        (
            {"orientations": {"kind": "directions", "approach": "-normal"}},
            [
                "orientations.tool_axis: got none",
                "orientations.approach: got '-normal', but orientations 'directions' on",
            ],
        ),
        (
            {"orientations": {"kind": "free_axis", "n_roll": 4, "tool_axis": "w", "n": 0}},
            ["orientations.tool_axis", "orientations.n:"],
        ),
        (
            {"solve": {"free_axis": "z"}},
            ["solve.free_axis: what of a pose counts is not said here; write kind = 'free_axis'"],
        ),
        (
            {"solve": {"axis_mask": [True] * 6}},
            ["solve.axis_mask: what of a pose counts is not said here; write kind = 'none'"],
        ),
        ({"solve": {"max_attempt": 3, "rng_seed": -1}}, ["solve.max_attempt: unknown key", "solve.rng_seed: got -1"]),
        ({"solve": {"max_attempts": 10**6, "max_iterations": 10**4}}, ["solve.max_attempts × max_iterations"]),
        ({"solve": {"position_tolerance": "1deg"}}, ["solve.position_tolerance: got '1deg', an angle"]),
        ({"solve": {"selection": "nearest"}}, ["solve.reference: got none"]),
        (
            {"solve": {"selection": "nearest", "reference": [0]}},
            ["solve.reference: got a list of length 1, expected 6"],
        ),
        (
            {"solve": {"selection": "nearest", "reference": ["1m"] * 6, "threads": 0}},
            ["solve.reference[0]: got '1m'"] * 1,
        ),
        ({"metrics": {"names": ["dexterity"]}}, ["metrics.names[0]: got 'dexterity'"]),
        (
            {"metrics": {"names": ["sigma_min"] * 2, "length_scale": -1}},
            ["metrics.names[1]: got 'sigma_min' a second", "metrics.length_scale"],
        ),
        (
            {"store": {"path": "", "save_q": "yes"}},
            ["store.path: got ''", "store.save_q: got 'yes', expected true or false"],
        ),
        ({"placement": {"x": [0, 1]}}, ["placement.y: missing"]),
        (
            {"placement": {"x": [0, 1], "y": [0, 1], "n_yaw": 0, "z": "1deg"}},
            ["placement.z: got '1deg'", "placement.n_yaw: got 0"],
        ),
        ({"target": {}}, ["target: unknown key; did you mean 'targets'?"]),
    ],
)
def test_mistakes(change, expected):
    found = problems({**MINIMAL, **change})
    for start in expected:
        assert any(problem.startswith(start) for problem in found), found


def test_every_mistake_is_found_at_once():
    study = {
        "schema": "1",
        "robot": {"preset": "igus_rebl"},
        "targets": {"kind": "grid", "spacing": "90deg"},
        "orientations": {"kind": "free_axis", "n": 0},
        "solve": {"free_axis": "z", "max_attempts": 0},
        "metrics": {"names": "sigma_min"},
        "store": {"save": True},
        "placement": [],
    }
    assert [problem.partition(":")[0] for problem in problems(study)] == [
        "schema",
        "robot.preset",
        "targets.spacing",
        "orientations.n",
        "solve.free_axis",
        "solve.max_attempts",
        "metrics.names",
        "store.save",
        "placement",
    ]


def test_a_file_is_named_in_front_of_its_mistakes(folder):
    path = write(folder, {**MINIMAL, "metric": {}})
    with pytest.raises(ConfigError, match="metric: unknown key") as caught:
        read_study(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("robot", "message"),
    [
        ({"urdf": "two.urdf", "tip_link": "tol"}, "robot.tip_link: unknown tip link 'tol' in"),
        ({"urdf": "two.urdf", "locked_joints": {"slid": 0}}, "robot.locked_joints: unknown joint 'slid'"),
        ({"urdf": "two.urdf", "locked_joints": {"slide": "1deg"}}, "robot.locked_joints"),
        ({"urdf": "two.urdf", "locked_joints": [1]}, "robot.locked_joints: got [1], expected a table"),
        ({"urdf": "arm.toml"}, "robot.urdf: "),
        ({"chain": "two.urdf"}, "robot.chain: "),
    ],
)
def test_mistakes_in_a_robots_file(folder, robot, message):
    found = problems({"schema": 1, "robot": robot, "targets": BOX}, directory=folder)
    assert len(found) == 1
    assert found[0].startswith(message)


def test_a_doubtful_urdf_is_refused_with_the_way_to_read_it(folder):
    (folder / "two.urdf").write_text(URDF.replace('lower="0" upper="0.2"', ""))
    (found,) = problems({"schema": 1, "robot": {"urdf": "two.urdf"}, "targets": BOX}, directory=folder)
    assert found.startswith("robot.urdf: ")
    assert "repose-jit convert --no-strict" in found


@pytest.mark.parametrize("file", ["points.csv", "nothing.csv", "study.md"])
def test_mistakes_in_a_file_of_targets(folder, file):
    (folder / "points.csv").write_text("x,y,z,nx,ny,nz\n0,0,0,0,0,0\n")
    (folder / "study.md").write_text("")
    targets = {"kind": "surface", "file": file}
    orientations = {"kind": "free_axis", "tool_axis": "z", "approach": "-normal"}
    (found,) = problems({**MINIMAL, "targets": targets, "orientations": orientations}, directory=folder)
    assert found.startswith("targets.file: ")
    assert str(folder / file) in found


def test_a_table_of_points_has_no_spacing(folder):
    targets = {"kind": "surface", "file": "points.csv", "spacing": "5mm"}
    orientations = {"kind": "none"}
    (found,) = problems({**MINIMAL, "targets": targets, "orientations": orientations}, directory=folder)
    assert found.startswith("targets.spacing: got 0.005, but ")


@pytest.mark.parametrize(("kind", "way"), list(RULES))
def test_all_that_goes_together_is_read(folder, kind, way):
    rule = RULES[kind, way]
    required = {"tool_axis": "z", "approach": "-normal"}
    orientations = {"kind": way, **{name: required[name] for name, value in rule.items() if value == "required"}}
    file = {"grid": {}, "surface": {"file": "points.csv"}, "poses": {"file": "poses.npy"}}[kind]
    targets = {**(BOX if kind == "grid" else {"kind": kind}), **file}
    study = read_study({**MINIMAL, "targets": targets, "orientations": orientations}, directory=folder).study
    expected = {"grid": 8, "surface": 2, "poses": 3}[kind]
    assert study.target_set.n_sites == expected
    config = study_config(study)
    assert config["orientations"] == {**orientations, **{name: rule[name] for name in rule if name not in required}}
    assert config["targets"]["kind"] == kind
    if kind != "grid":
        assert config["targets"] == {"kind": kind, **file, "count": expected}


@given(
    st.builds(
        rj.MultiSeedParams,
        max_attempts=st.integers(1, 100),
        position_tolerance=st.floats(1e-9, 1.0),
        orientation_tolerance=st.floats(1e-9, 1.0),
        rng_seed=st.integers(0, 2**63 - 1),
        selection=st.sampled_from(["first", "nearest"]),
        reference=st.lists(st.floats(-3, 3), min_size=6, max_size=6),
    ),
    st.floats(0.05, 0.5),
    st.sampled_from([None, ((0.0, 0.0, 0.0), (0.1, 0.2, 0.3))]),
    st.booleans(),
)
def test_a_study_comes_back_from_its_toml_text(solve, spacing, box, save_q):
    low, high = box or (None, None)
    study = ReachStudy(
        rj.preset("ur5").chain(),
        targets=GridTargets(spacing, low, high),
        orientations=Orientations(kind="free_axis", tool_axis="-z", n=3),
        solve=solve,
        metrics=("sigma_min",),
        length_scale=0.3,
        save_q=save_q,
    )
    text = to_toml(study_config(study))
    back = read_study(tomllib.loads(text)).study
    assert to_toml(study_config(back)) == text
    assert (back.chain, back.solve, back.metrics) == (study.chain, study.solve, study.metrics)
    for dim in "xyz":
        np.testing.assert_array_equal(back.target_set.coordinates[dim], study.target_set.coordinates[dim])
    np.testing.assert_array_equal(back.target_set.local_poses, study.target_set.local_poses)


def test_the_record_fills_in_every_default():
    config = study_config(read_study(MINIMAL).study)
    assert config["orientations"] == {"kind": "super_fibonacci", "n": 256}
    assert set(config["targets"]) == {"kind", "box_min", "box_max", "spacing"}
    assert set(config["solve"]) == {
        "max_attempts",
        "max_iterations",
        "position_tolerance",
        "orientation_tolerance",
        "step_rule",
        "selection",
        "rng_seed",
    }
    assert config["store"] == {"save_q": False}
    assert "preset" not in config["robot"]


def test_where_it_goes_and_on_how_many_threads_is_not_in_the_record():
    plain = {**MINIMAL, "targets": BOX}
    other = {
        **plain,
        "solve": {"threads": 3},
        "store": {"path": "elsewhere.zarr"},
        "placement": {"x": [0, 1], "y": [0, 1]},
    }
    assert study_config(read_study(plain).study) == study_config(read_study(other).study)


def test_targets_from_memory_are_recorded_by_their_number():
    way = Orientations(kind="free_axis", tool_axis="z", approach="+normal")
    study = ReachStudy(rj.preset("ur5").chain(), targets=SurfaceTargets(np.eye(3), np.eye(3)), orientations=way)
    config = study_config(study)
    assert config["targets"] == {"kind": "surface", "count": 3}
    assert problems(config) == [
        "targets.count: this is the record of a study, whose targets are in its store; expected a study file"
    ]


def test_a_slide_without_limits_is_the_robots_fault():
    slide = {"joint_type": "prismatic", "origin_translation": [0] * 3, "origin_rpy": [0] * 3}
    chain = {"joints": [{**slide, "limits": {"prismatic": {"lower": 0, "upper": "inf"}}}]}
    (found,) = problems({"schema": 1, "robot": {"chain": chain}, "targets": BOX})
    assert found.startswith("robot")
    assert "prismatic joint" in found
    (found,) = problems({"schema": 1, "robot": {"chain": chain}})
    assert found.startswith(("robot", "targets.box"))


SECTIONS = ["schema", "robot", "targets", "orientations", "solve", "metrics", "store", "placement"]


@given(st.dictionaries(st.sampled_from(SECTIONS), anything))
def test_whatever_is_in_a_section_ends_in_a_message(change):
    with suppress(ReposeError):
        read_study({**MINIMAL, "targets": BOX, **change})


@given(
    st.sampled_from(
        [
            ("robot", "preset"),
            ("robot", "urdf"),
            ("robot", "chain"),
            ("robot", "tool_offset"),
            ("robot", "locked_joints"),
            ("targets", "kind"),
            ("targets", "file"),
            ("targets", "units"),
            ("targets", "box_min"),
            ("targets", "spacing"),
            ("orientations", "kind"),
            ("orientations", "n"),
            ("orientations", "tool_axis"),
            ("solve", "reference"),
            ("solve", "max_attempts"),
            ("solve", "threads"),
            ("solve", "rng_seed"),
            ("metrics", "names"),
            ("metrics", "length_scale"),
            ("store", "path"),
            ("placement", "x"),
            ("placement", "exclude"),
        ]
    ),
    anything,
)
def test_whatever_a_key_has_ends_well_or_in_a_message(key, value):
    section, name = key
    base = {**MINIMAL, "targets": BOX, "orientations": {"kind": "none"}, "placement": {"x": [0, 1], "y": [0, 1]}}
    with suppress(ReposeError):
        read_study({**base, section: {**base.get(section, {}), name: value}})


@pytest.mark.parametrize("source", [None, 3, [], object()])
def test_what_is_no_study_is_refused(source):
    with pytest.raises((ConfigError, InputError)):
        read_study(source)
