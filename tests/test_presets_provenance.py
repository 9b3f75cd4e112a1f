"""Every preset against a source other than its own, with plain NumPy forward kinematics from the TOML alone."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.preset_chain import (
    AXES,
    NAMES,
    PRESETS,
    Array,
    fixed,
    fk,
    jacobian,
    joint_frames,
    limits,
    load_preset,
    rodrigues,
    sample,
)
from tests.preset_originals import GOLDEN, ORIGINALS, Original, OriginalModel
from tests.preset_references import REACHES, REFERENCES, Reach, Reference

GOLDEN_RECORDS = json.loads(GOLDEN.read_text(encoding="utf-8"))["records"]
KEYS = {
    "preset": {"name", "dof", "provenance", "chain"},
    "provenance": {"maker", "model", "source", "licence", "retrieved", "notes"},
    "chain": {"name", "home", "tool_offset", "joints"},
    "tool_offset": {"translation", "rpy"},
    "joint": {"name", "joint_type", "origin_translation", "origin_rpy", "axis", "limits"},
}


def record_id(record: Any) -> str:
    """Return a test id that names the preset and what it is compared with."""
    fields = record if isinstance(record, dict) else record._asdict()
    return "-".join(str(fields[key]) for key in ("preset", "distribution", "document", "end") if key in fields)


def worst(chain: dict[str, Any], q: Array, expected: Array) -> float:
    """Return the largest difference between the preset's pose and the expected one, rows 0 to 2."""
    return float(np.abs(fk(chain, q)[:3] - expected[:3]).max())


@pytest.mark.parametrize("name", NAMES)
def test_schema(name: str) -> None:
    preset = load_preset(name)
    chain = preset["chain"]
    assert set(preset) == KEYS["preset"]
    assert set(preset["provenance"]) == KEYS["provenance"]
    assert set(chain) == KEYS["chain"]
    assert set(chain["tool_offset"]) == KEYS["tool_offset"]
    assert preset["name"] == chain["name"] == name
    assert preset["dof"] == len(chain["joints"]) == len(chain["home"])
    assert isinstance(preset["provenance"]["retrieved"], datetime.date)
    assert all(preset["provenance"][key] for key in ("maker", "model", "source", "licence", "notes"))
    assert len({joint["name"] for joint in chain["joints"]}) == preset["dof"]
    for joint in chain["joints"]:
        assert set(joint) == KEYS["joint"]
        assert joint["axis"] in AXES
        ((kind, limit),) = joint["limits"].items()
        assert (joint["joint_type"], kind) in {
            ("revolute", "revolute"),
            ("revolute", "continuous"),
            ("prismatic", "prismatic"),
        }
        assert set(limit) == ({"max_velocity"} if kind == "continuous" else {"lower", "upper", "max_velocity"})
        assert limit["max_velocity"] > 0.0
        numbers = [*joint["origin_translation"], *joint["origin_rpy"], *limit.values()]
        assert all(isinstance(number, float) and math.isfinite(number) for number in numbers)


@pytest.mark.parametrize("name", NAMES)
def test_home_is_inside_the_limits_and_not_singular(name: str) -> None:
    chain = load_preset(name)["chain"]
    home = np.array(chain["home"])
    lower, upper = limits(chain)
    assert np.all(lower < upper)
    assert np.all(lower < home)
    assert np.all(home < upper)
    assert np.linalg.matrix_rank(jacobian(chain, home), tol=1e-2) == min(6, len(home))


@pytest.mark.parametrize("name", NAMES)
def test_is_checked_against_another_source(name: str) -> None:
    others = [original.preset for original in ORIGINALS if not original.own]
    others += [reference.preset for reference in REFERENCES]
    assert name in [*others, "igus_rebel"]


@pytest.mark.parametrize("reference", REFERENCES, ids=record_id)
def test_fk_equals_reference(reference: Reference) -> None:
    chain = load_preset(reference.preset)["chain"]
    for q in sample(chain, count=50, seed=1):
        assert worst(chain, q, reference.fk(q.tolist())) <= reference.tolerance


@pytest.mark.parametrize("record", GOLDEN_RECORDS, ids=record_id)
def test_fk_equals_frozen_pinocchio(record: dict[str, Any]) -> None:
    chain = load_preset(record["preset"])["chain"]
    for q, pose in zip(record["q"], record["T_base_tool"], strict=True):
        assert worst(chain, np.array(q), np.array(pose)) <= record["tolerance"]


@pytest.mark.parametrize("record", GOLDEN_RECORDS, ids=record_id)
def test_limits_equal_the_frozen_ones(record: dict[str, Any]) -> None:
    for joint, frozen in zip(load_preset(record["preset"])["chain"]["joints"], record["limits"], strict=True):
        if frozen is None:
            assert set(joint["limits"]) == {"continuous"}
            continue
        limit = joint["limits"]["revolute"]
        lower, upper, velocity = frozen
        # the coarsest file cuts 170 deg to 2.9668
        assert (limit["lower"], limit["upper"]) == pytest.approx((lower, upper), abs=3e-4)
        # older Universal Robots files write 2.16 for 120 deg/s
        assert limit["max_velocity"] == pytest.approx(velocity, rel=0.035)


@pytest.mark.parametrize("original", ORIGINALS, ids=record_id)
def test_fk_equals_pinocchio_on_the_original(original: Original) -> None:
    pytest.importorskip("pinocchio")
    try:
        model = OriginalModel(original)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{original.distribution} is not installed")
    chain = load_preset(original.preset)["chain"]
    names = model.joint_names(len(chain["joints"]))
    for q in sample(chain, count=50, seed=2):
        assert worst(chain, q, model.fk(dict(zip(names, q.tolist(), strict=True)))) <= original.tolerance


@pytest.mark.parametrize("reach", REACHES, ids=record_id)
def test_reach_is_the_data_sheets(reach: Reach) -> None:
    chain = load_preset(reach.preset)["chain"]
    scara = reach.preset == "mitsubishi_rh6frh5520"
    # the joint that straightens the arm: the second of a SCARA, the third of a vertical arm
    bend = 1 if scara else 2
    lower, upper = limits(chain)
    longest = 0.0
    for angle in np.linspace(lower[bend], upper[bend], 4001):
        q = np.zeros(len(lower))
        q[bend] = angle
        frames = joint_frames(chain, q)
        end = frames[4] if reach.end == "wrist" else frames[-1]
        shoulder = frames[0] if scara else frames[1]
        span = end[:3, 3] - shoulder[:3, 3]
        # leave out the offset along the axis, which turns with the arm
        axis = shoulder[:3, :3] @ np.array(AXES[chain["joints"][0 if scara else 1]["axis"]])
        span -= axis * (axis @ span)
        longest = max(longest, float(np.hypot(*shoulder[:2, 3]) + np.linalg.norm(span)))
    # data sheets round to a millimetre
    assert longest == pytest.approx(reach.distance, abs=6e-4)


@pytest.mark.parametrize(("name", "height"), [("kuka_iiwa7", 1.266), ("kuka_iiwa14", 1.306)])
def test_iiwa_stands_as_high_as_its_drawing(name: str, height: float) -> None:
    assert fk(load_preset(name)["chain"], np.zeros(7))[:3, 3] == pytest.approx([0.0, 0.0, height], abs=1e-12)


def test_igus_rebel_golden() -> None:
    # pinocchio 4.1.0 on the unfolded chain, tool = joint6 frame
    chain = load_preset("igus_rebel")["chain"]
    at_zero = fk(chain, np.zeros(6))
    assert at_zero[:3, 3] == pytest.approx([0.478430508176, 0.000003514747, 0.692858908250], abs=1e-11)
    pose = fk(chain, np.array([0.3, -0.4, 0.5, -0.6, 0.7, -0.8]))
    expected = [
        [0.641118957300, -0.008199982729, 0.767397708411, 0.377034944418],
        [0.736369073387, -0.275079986222, -0.618135574886, -0.161861570144],
        [0.216164452094, 0.961386374702, -0.170320780257, 0.617015958440],
    ]
    assert np.abs(pose[:3] - expected).max() < 1e-11
    q = np.array([1.0, 0.5, -1.0, 2.0, 1.2, -2.5])
    assert fk(chain, q)[:3, 3] == pytest.approx([0.268776575248, -0.232244240583, 0.716553092761], abs=1e-11)
    assert np.linalg.det(jacobian(chain, q)) ** 2 == pytest.approx(1.1633641757760405e-4, rel=1e-9)


def test_igus_rebel_equals_its_unfolded_chain() -> None:
    chain = load_preset("igus_rebel")["chain"]
    first, second, _, *rest = chain["joints"]
    for q in sample(chain, count=20, seed=3):
        head = joint_frames({"joints": [first, second], "tool_offset": chain["tool_offset"]}, q[:2])[-1]
        tail = joint_frames({"joints": rest, "tool_offset": chain["tool_offset"]}, q[3:])[-1]
        housing = (
            fixed([0.0, -0.025, 0.1], [0.0, 0.0, 0.0])
            @ fixed([-0.0326, 0.0, 0.05646], [0.0, -1.0472, 0.0])
            @ fixed([0.0, 0.025, 0.1], [0.0, 0.0, 0.0])
        )
        bend = np.eye(4)
        bend[:3, :3] = rodrigues(np.array([0.0, -1.0, 0.0]), q[2])
        assert worst(chain, q, head @ housing @ bend @ tail) < 1e-12


def test_files_match_their_sources() -> None:
    result = subprocess.run(
        [sys.executable, str(PRESETS / "generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("pitch", [0.0, 0.7, -1.2, np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, np.pi / 2 - 1e-7, 2.5])
def test_rpy_of_a_matrix_loses_nothing(pitch: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PRESETS))
    from chains import rpy_from_matrix

    for roll, yaw in np.random.default_rng(4).uniform(-np.pi, np.pi, (100, 2)):
        rotation = fixed([0.0, 0.0, 0.0], [roll, pitch, yaw])[:3, :3]
        again = fixed([0.0, 0.0, 0.0], list(rpy_from_matrix(rotation)))[:3, :3]
        assert np.abs(again - rotation).max() < 1e-14
