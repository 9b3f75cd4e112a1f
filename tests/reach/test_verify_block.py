"""Sound results pass, and every kind of damage is found, at its pose and by its name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import repose_jit as rj
from repose_jit.reach.verify.configurations import ROUNDING, Finding, check_block
from tests import arms, reference
from tests.reach.robots import random_chain, shell_arm

NOT_FOUND = 2
TOLERANCES = {"position_tolerance": 1e-4, "orientation_tolerance": 1e-3}
POSITION_ONLY = (True, True, True, False, False, False)
TASKS: list[dict[str, Any]] = [
    {},
    {"free_axis": "x"},
    {"free_axis": "z"},
    {"axis_mask": POSITION_ONLY},
    {"axis_mask": (True, False, True, True, True, False)},
    {"free_axis": "y", "axis_mask": (True, True, False, True, True, True)},
]
CHAINS = {
    "odd": arms.odd_arm(),
    "shell": shell_arm(tool=0.1),
    "panda": rj.preset("franka_panda").chain(),
    "two joints": arms.random_chain(np.random.default_rng(2), 2),
    "twelve": arms.random_chain(np.random.default_rng(12), 12),
    "mimics": random_chain(np.random.default_rng(3)),
}


def solved(chain: rj.KinematicChain, count: int = 400, **task: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return targets, half of them reachable, and what a study would keep of their solutions."""
    rng = np.random.default_rng(0)
    T = rj.forward_kinematics(chain, arms.random_configurations(chain, rng, count))
    T[::2] = [reference.transform(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3)) for _ in T[::2]]
    result = rj.inverse_kinematics_batch(chain, T, params=rj.MultiSeedParams(max_attempts=8, **TOLERANCES, **task))
    q = np.where(result.converged[:, None], result.q, np.nan)
    return T, q, np.where(result.converged, 1, NOT_FOUND).astype(np.int8)


@pytest.mark.parametrize("task", TASKS, ids=str)
@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_sound_results_pass(chain: rj.KinematicChain, task: dict[str, Any]) -> None:
    T, q, status = solved(chain, **task)
    assert np.count_nonzero(status == 1) > 20
    assert check_block(chain.to_config(), T, q, status, **TOLERANCES, **task) == []


def test_solutions_at_the_limits_and_at_the_tolerance_pass() -> None:
    chain = CHAINS["odd"]
    q = np.vstack([np.where(np.isfinite(bound), bound, 0.3) for bound in (chain.lower_limits, chain.upper_limits)])
    T = rj.forward_kinematics(chain, q)
    T[:, 0, 3] += 1e-4
    assert check_block(chain.to_config(), T, q, [1, 1], **TOLERANCES) == []


@pytest.fixture(scope="module")
def sound() -> tuple[dict[str, Any], np.ndarray, np.ndarray, np.ndarray]:
    return (CHAINS["odd"].to_config(), *solved(CHAINS["odd"], 60))


Damage = Callable[[np.ndarray, np.ndarray, np.ndarray, int], object]


def set_q(value: float, joint: int = 3) -> Damage:
    def damage(T: np.ndarray, q: np.ndarray, status: np.ndarray, i: int) -> None:
        q[i, joint] = value

    return damage


def move_target(distance: float) -> Damage:
    def damage(T: np.ndarray, q: np.ndarray, status: np.ndarray, i: int) -> None:
        T[i] = rj.forward_kinematics(CHAINS["odd"], q[i])
        T[i, :3, 3] += distance * np.array([0.0, 0.6, -0.8])

    return damage


def turn_target(angle: float) -> Damage:
    def damage(T: np.ndarray, q: np.ndarray, status: np.ndarray, i: int) -> None:
        T[i] = rj.forward_kinematics(CHAINS["odd"], q[i])
        T[i, :3, :3] = reference.rodrigues((0.6, 0.0, 0.8), angle) @ T[i, :3, :3]

    return damage


def set_status(value: int) -> Damage:
    def damage(T: np.ndarray, q: np.ndarray, status: np.ndarray, i: int) -> None:
        status[i] = value

    return damage


@pytest.mark.parametrize(
    ("damage", "check", "message"),
    [
        (set_q(math.nan), "configuration", r"expected finite numbers: the pose is reached"),
        (set_q(math.inf, 0), "configuration", r"q: got \[inf, "),
        (
            move_target(1e-4 + 2 * ROUNDING),
            "position",
            r"position error: got 0\.000100002 m, expected at most 0\.0001 m",
        ),
        (move_target(0.3), "position", r"position error: got 0\.3 m"),
        (
            turn_target(1e-3 + 2 * ROUNDING),
            "orientation",
            r"orientation error: got 0\.001000002 rad, expected at most 0\.001 rad",
        ),
        (turn_target(math.pi), "orientation", r"orientation error: got 3\.14159265 rad"),
        (set_status(NOT_FOUND), "configuration", "expected NaN: the pose is not reached"),
        (set_status(5), "configuration", "expected NaN"),
        (set_status(0), "status", "status: got 0, expected one of 1 to 5"),
        (set_status(-1), "status", "status: got -1"),
        (set_status(6), "status", "status: got 6"),
    ],
)
def test_damage_to_a_reached_pose_is_found(
    sound: tuple[dict[str, Any], np.ndarray, np.ndarray, np.ndarray], damage: Damage, check: str, message: str
) -> None:
    config, *rest = sound
    for i in np.flatnonzero(rest[2] == 1)[[0, 7, -1]].tolist():
        T, q, status = (array.copy() for array in rest)
        damage(T, q, status, i)
        findings = check_block(config, T, q, status, **TOLERANCES)
        assert {finding.pose for finding in findings} == {i}
        assert check in {finding.check for finding in findings}
        assert re.search(message, "\n".join(map(str, findings)))
        assert str(findings[0]).startswith(f"pose {i}: ")


@pytest.mark.parametrize("distance", [1e-4 - 2 * ROUNDING, 1e-4 + 0.5 * ROUNDING])
def test_what_rounding_explains_is_not_damage(
    sound: tuple[dict[str, Any], np.ndarray, np.ndarray, np.ndarray], distance: float
) -> None:
    config, T, q, status = (array.copy() for array in sound)
    move_target(distance)(T, q, status, int(np.argmax(status == 1)))
    assert check_block(config, T, q, status, **TOLERANCES) == []


def test_an_unreached_pose_may_have_no_configuration(
    sound: tuple[dict[str, Any], np.ndarray, np.ndarray, np.ndarray],
) -> None:
    config, T, q, status = (array.copy() for array in sound)
    i = int(np.argmax(status == NOT_FOUND))
    q[i, 4] = 0.0  # one number is enough
    (finding,) = check_block(config, T, q, status, **TOLERANCES)
    assert (finding.pose, finding.check) == (i, "configuration")
    q[i] = math.nan
    status[i] = 1
    (finding,) = check_block(config, T, q, status, **TOLERANCES)
    assert finding == Finding(
        pose=i, check="configuration", what=f"q: got {[math.nan] * 7}, expected finite numbers: the pose is reached"
    )


def test_every_joint_is_kept_to_its_own_limits() -> None:
    """To the last bit, but for a mimic, whose limits were mapped to its source; the target moves along."""
    chain = random_chain(np.random.default_rng(3))
    assert chain.mimic_joints
    q = np.tile(chain.home, (2, 1))
    for j, joint in enumerate(chain.joints):
        if joint.limits is None or not math.isfinite(joint.limits.upper):
            continue
        for bound, away in ((chain.lower_limits[j], -math.inf), (chain.upper_limits[j], math.inf)):
            spoiled = q.copy()
            spoiled[0, j], spoiled[1, j] = bound, bound + math.copysign(1e-6, away)
            findings = check_block(
                chain.to_config(), rj.forward_kinematics(chain, spoiled), spoiled, [1, 1], **TOLERANCES
            )
            assert findings
            assert {(finding.pose, finding.check) for finding in findings} == {(1, "limits")}
    limited = rj.preset("ur5").chain()
    beyond = np.vstack([limited.upper_limits, np.nextafter(limited.upper_limits, math.inf)])
    T = rj.forward_kinematics(limited, beyond)
    findings = check_block(limited.to_config(), T, beyond, [1, 1], **TOLERANCES)
    assert [finding.pose for finding in findings] == [1] * 6
    assert f"joint {limited.joint_names[0]!r}: got {float(beyond[1, 0])!r}, expected a value within [" in str(
        findings[0]
    )


@pytest.mark.parametrize("value", [1e300, -1e300, 1e18, 5e-324])
def test_damage_of_any_size_is_found_without_a_warning(
    sound: tuple[dict[str, Any], np.ndarray, np.ndarray, np.ndarray], value: float
) -> None:
    config, T, q, status = (array.copy() for array in sound)
    reached = np.flatnonzero(status == 1)[:7]
    moving = [j for j in range(7) if j != 1]  # what is in a fixed slot does not matter
    for i, j in zip(reached, moving, strict=False):
        q[i, j] = value
    T[reached[6]] = value
    assert {finding.pose for finding in check_block(config, T, q, status, **TOLERANCES)} == set(reached.tolist())


def test_a_free_axis_and_a_mask_still_have_errors() -> None:
    chain = CHAINS["panda"]
    T, q, status = solved(chain, 100, free_axis="z")
    config = chain.to_config()
    found = check_block(config, T, q, status, **TOLERANCES)
    assert {finding.check for finding in found} == {"orientation"}  # the roll, when it is asked for
    assert check_block(config, T, q, status, **TOLERANCES, free_axis="x")
    i = int(np.argmax(status == 1))
    T[i] = rj.forward_kinematics(chain, q[i]) @ reference.transform((0, 0, 0), (0.01, 0, 0))
    (finding,) = check_block(config, T, q, status, **TOLERANCES, free_axis="z")
    assert (finding.pose, finding.check) == (i, "orientation")
    T[i] = rj.forward_kinematics(chain, q[i]) @ reference.transform((0.001, 0, 0), (0, 0, 1.0))
    (finding,) = check_block(config, T, q, status, **TOLERANCES, free_axis="z")
    assert (finding.pose, finding.check) == (i, "position")


def test_a_wrong_tool_or_robot_is_found_everywhere(
    sound: tuple[dict[str, Any], np.ndarray, np.ndarray, np.ndarray],
) -> None:
    _, T, q, status = sound
    longer = CHAINS["odd"].with_tool_offset(CHAINS["odd"].tool_offset @ reference.transform((0, 0, 0.01)))
    findings = check_block(longer.to_config(), T, q, status, **TOLERANCES)
    assert [finding.pose for finding in findings if finding.check == "position"] == np.flatnonzero(status == 1).tolist()


def test_findings_come_in_the_order_of_the_poses(
    sound: tuple[dict[str, Any], np.ndarray, np.ndarray, np.ndarray],
) -> None:
    config, T, q, status = (array.copy() for array in sound)
    T[:, 2, 3] += 0.5
    q[status == NOT_FOUND] = 0.0
    status[[3, 30]] = 9
    poses = [finding.pose for finding in check_block(config, T, q, status, **TOLERANCES)]
    assert poses == sorted(poses)
    assert set(poses) == set(range(60))


def test_many_poses_at_once() -> None:
    chain = CHAINS["panda"]
    q = arms.random_configurations(chain, np.random.default_rng(1), 100_000)
    T, status = rj.forward_kinematics(chain, q), np.ones(100_000, np.int8)
    T[77_777, 1, 3] += 0.001
    (finding,) = check_block(chain.to_config(), T, q, status, **TOLERANCES)
    assert (finding.pose, finding.check) == (77_777, "position")
    assert check_block(chain.to_config(), T[:0], q[:0], status[:0], **TOLERANCES) == []


@pytest.mark.parametrize(
    ("T", "q", "status", "message"),
    [
        (np.eye(4), np.zeros((1, 7)), [1], r"T: got shape \(4, 4\), expected \(N, 4, 4\)"),
        (np.eye(4)[None], np.zeros((1, 6)), [1], r"q: got shape \(1, 6\), expected \(\.\.\., 7\)"),
        (np.eye(4)[None], np.zeros((2, 7)), [1], r"q: got shape \(2, 7\), expected \(1, 7\): one for each of the 1"),
        (np.eye(4)[None], np.zeros((1, 7)), 1, r"status: got shape \(\), expected \(1,\)"),
    ],
)
def test_arrays_that_do_not_fit(T: np.ndarray, q: np.ndarray, status: object, message: str) -> None:
    with pytest.raises(rj.ShapeError, match=message):
        check_block(CHAINS["odd"].to_config(), T, q, status, **TOLERANCES)  # type: ignore[arg-type]
