"""The oracle itself: published numbers, laws, and pinocchio."""

from __future__ import annotations

from itertools import pairwise
from math import pi
from types import SimpleNamespace

import numpy as np
import pinocchio
import pytest
from numpy.typing import ArrayLike

from tests import reference as ref
from tests.reference import Array, Frame, Joint, Limits, Mimic, ReferenceChain, Slot, Solver, Table

FRAMES: tuple[Frame, ...] = ("base", "body", "spatial")
SOLVERS: tuple[Solver, ...] = ("damped_least_squares", "pseudoinverse")
AXES = {
    "pos_x": (1, 0, 0),
    "neg_x": (-1, 0, 0),
    "pos_y": (0, 1, 0),
    "neg_y": (0, -1, 0),
    "pos_z": (0, 0, 1),
    "neg_z": (0, 0, -1),
    "oblique": (2 / 7, -3 / 7, 6 / 7),
    "negative": (-1 / 3, -2 / 3, -2 / 3),
    "tied": (0.5**0.5, -(0.5**0.5), 0),
}
PINOCCHIO_FRAMES = {
    "base": pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    "body": pinocchio.ReferenceFrame.LOCAL,
    "spatial": pinocchio.ReferenceFrame.WORLD,
}


def vector(rng: np.random.Generator, size: float) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in rng.uniform(-size, size, 3))
    return x, y, z


def random_table(rng: np.random.Generator, n: int) -> Table:
    """Return n entries of ``q`` of every kind, and up to three mimics, also of mimics, at random places."""
    joints = []
    for i in range(n):
        kind = str(rng.choice(["revolute", "revolute", "prismatic", "fixed"])) if i else "revolute"
        limits = Limits() if rng.random() < 0.2 else Limits(-float(rng.uniform(0, 2)), float(rng.uniform(0, 2)))
        joints.append(Joint(f"j{i}", kind, vector(rng, 0.4), vector(rng, pi), vector(rng, 1.0), limits))
    sources = [joint.name for joint in joints if joint.joint_type != "fixed"]
    slots = list(joints)
    for i in range(int(rng.integers(0, 4))):
        kind = str(rng.choice(["revolute", "prismatic"]))
        mimic = Mimic(str(rng.choice(sources)), float(rng.uniform(-2, 2)), float(rng.uniform(-0.3, 0.3)))
        joint = Joint(f"m{i}", kind, vector(rng, 0.4), vector(rng, pi), vector(rng, 1.0), Limits(), mimic)
        slots.insert(int(rng.integers(0, len(slots) + 1)), joint)
        sources.append(joint.name)
    return Table(tuple(joints), tuple(slots), ref.transform(vector(rng, 0.3), vector(rng, pi)))


CHAINS = {
    "rebel": ref.rebel(),
    "odd_arm": ref.odd_arm(),
    **{f"random_{n}": ref.from_chain(random_table(np.random.default_rng(n), n)) for n in range(1, 13)},
}


@pytest.fixture(params=CHAINS)
def chain(request: pytest.FixtureRequest) -> ReferenceChain:
    return CHAINS[request.param]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240229)


def close(actual: ArrayLike, expected: ArrayLike, tolerance: float) -> None:
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=0, atol=tolerance)


# ------------------------------------------------------------------------------------------- rotations and poses
def test_rpy_turns_about_the_fixed_axes_roll_first() -> None:
    close(ref.rotation_rpy((pi / 2, 0, pi / 2)) @ [0, 1, 0], [0, 0, 1], 1e-15)
    close(ref.rotation_rpy((0, pi / 2, pi / 2)) @ [0, 0, 1], [0, 1, 0], 1e-15)
    R = pinocchio.rpy.rpyToMatrix(0.3, -1.1, 2.5)
    close(ref.rotation_rpy((0.3, -1.1, 2.5)), R, 1e-15)


def test_rodrigues_agrees_with_pinocchio(rng: np.random.Generator) -> None:
    for angle in (*rng.uniform(-6, 6, 20), 0.0, 1e-9, pi, -pi):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        expected = pinocchio.AngleAxis(float(angle), axis).toRotationMatrix()
        close(ref.rodrigues(axis, float(angle)), expected, 2e-15)  # ten roundings of numbers up to 2


@pytest.mark.parametrize("axis", AXES.values(), ids=AXES)
@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-160, 1e-12, 1e-7, 1e-3, 1.0, 2.0, 3.0, pi - 1e-6, pi - 1e-10])
def test_log_inverts_exp(axis: tuple[float, float, float], angle: float) -> None:
    w = angle * np.array(axis)
    close(ref.log_so3(ref.exp_so3(w)), w, 1e-15 * max(1.0, angle) * 4)
    # A small rotation keeps its relative precision, so a converging solver sees the true error.
    if 1e-150 < angle < 1e-3:
        np.testing.assert_allclose(np.linalg.norm(ref.log_so3(ref.exp_so3(w))), angle, rtol=1e-14)


def test_exp_inverts_log(rng: np.random.Generator) -> None:
    for _ in range(200):
        R = ref.exp_so3(rng.uniform(-4, 4, 3))
        close(ref.exp_so3(ref.log_so3(R)), R, 5e-15)
        assert np.linalg.norm(ref.log_so3(R)) <= pi


def test_log_agrees_with_pinocchio_away_from_half_a_turn(rng: np.random.Generator) -> None:
    for _ in range(200):
        w = rng.normal(size=3)
        w *= rng.uniform(0, 3.0) / np.linalg.norm(w)
        R = ref.exp_so3(w)
        close(ref.log_so3(R), pinocchio.log3(R), 1e-13)


@pytest.mark.parametrize("axis", AXES.values(), ids=AXES)
def test_log_of_half_a_turn_has_norm_pi_and_one_axis_for_both_signs(axis: tuple[float, float, float]) -> None:
    exact = 2.0 * np.outer(axis, axis) - np.eye(3)
    for R in (exact, ref.rodrigues(axis, pi), ref.rodrigues(axis, -pi), ref.exp_so3(pi * np.array(axis))):
        w = ref.log_so3(R)
        assert abs(np.linalg.norm(w) - pi) < 1e-12
        assert w[np.argmax(np.abs(w))] > 0
        close(np.cross(w, axis), 0, 1e-11)
        close(ref.exp_so3(w), R, 1e-12)


@pytest.mark.parametrize("axis", [AXES[name] for name in AXES if name != "tied"])
def test_log_of_half_a_turn_ignores_rounding(axis: tuple[float, float, float], rng: np.random.Generator) -> None:
    exact = 2.0 * np.outer(axis, axis) - np.eye(3)
    w = ref.log_so3(exact)
    for _ in range(50):
        close(ref.log_so3(exact + rng.uniform(-2e-15, 2e-15, (3, 3))), w, 1e-11)


@pytest.mark.parametrize("axis", AXES.values(), ids=AXES)
def test_log_past_half_a_turn_comes_back_the_other_way(axis: tuple[float, float, float]) -> None:
    close(ref.log_so3(ref.rodrigues(axis, pi + 0.01)), (0.01 - pi) * np.array(axis), 1e-13)


def test_pose_error_is_the_base_axes_move_to_the_target(rng: np.random.Generator) -> None:
    for _ in range(50):
        T = ref.transform(vector(rng, 1), vector(rng, pi))
        T_target = ref.transform(vector(rng, 1), vector(rng, pi))
        e = ref.pose_error(T, T_target)
        close(T[:3, 3] + e[:3], T_target[:3, 3], 1e-15)
        close(ref.exp_so3(e[3:]) @ T[:3, :3], T_target[:3, :3], 1e-14)
        close(ref.pose_error(T_target, T), -e, 1e-13)
        close(ref.pose_error(T, T), 0, 1e-15)


def test_is_rigid_accepts_poses_only(rng: np.random.Generator) -> None:
    T = ref.transform(vector(rng, 1), vector(rng, pi))
    assert ref.is_rigid(T)
    scaled, mirrored, sheared, row, infinite, nan = (T.copy() for _ in range(6))
    scaled[:3, :3] *= 1.01
    mirrored[:3, 0] *= -1
    sheared[0, 1] += 0.01
    row[3, 0] = 0.01
    infinite[0, 3] = np.inf
    nan[1, 1] = np.nan
    for bad in (scaled, mirrored, sheared, row, infinite, nan, T[:3]):
        assert not ref.is_rigid(bad)


# ------------------------------------------------------------------------------------------------- golden values
def test_rebel_at_zero() -> None:
    close(ref.fk(ref.rebel(), np.zeros(6))[:3, 3], (0.478430508176, 0.000003514747, 0.692858908250), 1e-9)


def test_rebel_pose_and_manipulability() -> None:
    q = (0.3, -0.4, 0.5, -0.6, 0.7, -0.8)
    T = ref.fk(ref.rebel(), q)
    close(T[:3, 3], (0.377034944418, -0.161861570144, 0.617015958440), 1e-9)
    rows = (
        (0.641118957300, -0.008199982729, 0.767397708411),
        (0.736369073387, -0.275079986222, -0.618135574886),
        (0.216164452094, 0.961386374702, -0.170320780257),
    )
    close(T[:3, :3], rows, 1e-9)
    assert ref.manipulability_squared(ref.rebel(), q) == pytest.approx(1.3495144619016733e-4, rel=1e-9)


def test_rebel_base_jacobian() -> None:
    q = (1.0, 0.5, -1.0, 2.0, 1.2, -2.5)
    close(ref.fk(ref.rebel(), q)[:3, 3], (0.268776575248, -0.232244240583, 0.716553092761), 1e-9)
    rows = (
        (-0.232244240583, 0.236413649814, 0.169395563274, -0.085230139046, -0.006455483209, 0),
        (-0.268776575248, -0.36818649509, -0.26381369593, 0.047454325448, 0.082500284354, 0),
        (0, -0.340648132877, -0.13705585963, 0.052385220957, -0.085237725322, 0),
        (0, 0.841467015503, 0.841467015503, 0.281121487346, -0.76973747523, 0.636043617332),
        (0, 0.540308487645, 0.540308487645, -0.437813701543, 0.428573425645, 0.577986511976),
        (-1, 0, 0, 0.853984702494, 0.473105736657, 0.511253468276),
    )
    close(ref.jacobian(ref.rebel(), q), rows, 1e-9)
    assert ref.manipulability_squared(ref.rebel(), q) == pytest.approx(1.1633641757760405e-4, rel=1e-9)


def test_rebel_housing_folds_into_joint3() -> None:
    joint3 = ref.rebel().slots[2]
    close(joint3.origin[:3, 3], (-0.11920266, 0, 0.20645979), 5e-9)
    close(joint3.origin[:3, :3], ref.rotation_rpy((0, -1.0472, 0)), 0)


def test_three_quarters_of_rebel_poses_are_below_the_servo_threshold(rng: np.random.Generator) -> None:
    # Expected 74-78 %. One sample of 400 strays by 4 standard deviations, 4 sqrt(0.76 0.24 / 400) = 8.5 %, hardly ever.
    rebel = ref.rebel()
    w_squared = [ref.manipulability_squared(rebel, ref.random_configuration(rebel, rng)) for _ in range(400)]
    assert 0.74 - 0.085 < np.mean(np.array(w_squared) < 1e-4) < 0.78 + 0.085


# --------------------------------------------------------------------------------------------- chains from tables
def test_odd_arm_is_odd() -> None:
    chain = ref.odd_arm()
    assert len(chain.lower) == 7
    assert len(chain.slots) == 8
    assert [slot.source for slot in chain.slots] == [0, 1, 2, 4, 3, 4, 5, 6]
    assert chain.is_prismatic.tolist() == [False, False, False, True, False, False, False]
    assert ref.moving_entries(chain) == [0, 2, 3, 4, 5, 6]
    # The coupler's own [-0.9, 0.9] maps to [-1.4, 2.2] of the elbow.
    close(chain.upper[4], 2.2, 1e-15)
    assert chain.lower[4] == 0.3
    assert np.sum((chain.lower > 0) | (chain.upper < 0)) == 3


def test_from_chain_reads_attributes_only() -> None:
    table = ref.rebel_table()
    joint_type = SimpleNamespace(value="revolute")
    joints = [SimpleNamespace(**{**joint._asdict(), "joint_type": joint_type}) for joint in table.joints]
    chain = ref.from_chain(SimpleNamespace(joints=joints, slots=joints, tool_offset=np.eye(4)))
    q = np.linspace(-1, 1, 6)
    close(ref.fk(chain, q), ref.fk(ref.rebel(), q), 0)


def test_from_chain_refuses_joints_it_cannot_tell_apart() -> None:
    joint = Joint("a", "revolute", (0, 0, 0))
    with pytest.raises(ValueError, match="expected 2 distinct names"):
        ref.from_chain(Table((joint, joint), (joint, joint), np.eye(4)))


def test_mimic_of_a_mimic_follows_both_lines() -> None:
    a = Joint("a", "revolute", (0, 0, 0.1), limits=Limits(-1, 3))
    b = Joint("b", "revolute", (0.3, 0, 0), limits=Limits(-1, 1), mimic=Mimic("a", 2.0, 0.5))
    c = Joint("c", "revolute", (0.3, 0, 0), limits=Limits(-9, 9), mimic=Mimic("b", -3.0, 0.25))
    chain = ref.from_chain(Table((a,), (a, b, c), np.eye(4)))
    q = 0.125
    angle_b = 2.0 * q + 0.5
    angle = q + angle_b + (-3.0 * angle_b + 0.25)
    close(ref.fk(chain, [q])[:3, :3], ref.rodrigues((0, 0, 1), angle), 1e-15)
    close(ref.jacobian(chain, [q])[3:, 0], (0, 0, 1 + 2 - 6), 1e-15)
    # b allows [-0.75, 0.25]; c allows [-1.7083, 1.2917].
    close((chain.lower[0], chain.upper[0]), (-0.75, 0.25), 1e-15)


def test_mimic_source_off_the_path_keeps_its_entry() -> None:
    source = Joint("finger", "prismatic", (9, 9, 9), limits=Limits(0, 0.04))
    slot = Joint("thumb", "prismatic", (0, 0, 0.1), axis=(0, 1, 0), limits=Limits(-1, 1), mimic=Mimic("finger", -2.0))
    chain = ref.from_chain(Table((source,), (slot,), np.eye(4)))
    close(ref.fk(chain, [0.03])[:3, 3], (0, -0.06, 0.1), 1e-15)
    close((chain.lower[0], chain.upper[0]), (0, 0.04), 1e-15)
    assert chain.is_prismatic.tolist() == [True]


def test_axes_are_normalised() -> None:
    def arm(axis: tuple[float, float, float]) -> ReferenceChain:
        joints = (Joint("a", "prismatic", (0, 0, 0), axis=axis), Joint("b", "revolute", (0, 0, 1), axis=axis))
        return ref.from_chain(Table(joints, joints, ref.transform((0.3, 0, 0))))

    close(ref.fk(arm((0, 3, -4)), [0.5, 1.0]), ref.fk(arm((0, 0.6, -0.8)), [0.5, 1.0]), 1e-15)


# ---------------------------------------------------------------------------------------------------- kinematics
def test_fk_is_a_pose_and_the_last_link_transform(chain: ReferenceChain, rng: np.random.Generator) -> None:
    q = ref.random_configuration(chain, rng)
    frames = ref.link_transforms(chain, q)
    assert frames.shape == (len(chain.slots) + 1, 4, 4)
    assert all(ref.is_rigid(T, 1e-13) for T in frames)
    close(ref.fk(chain, q), frames[-1], 0)
    close(frames[-2] @ chain.tool, frames[-1], 0)


@pytest.mark.parametrize("frame", FRAMES)
def test_jacobian_equals_finite_differences(chain: ReferenceChain, frame: Frame, rng: np.random.Generator) -> None:
    for _ in range(5):
        q = ref.random_configuration(chain, rng)
        close(ref.jacobian(chain, q, frame), ref.numeric_jacobian(chain, q, frame), 5e-9)


def test_base_transform_commutes(chain: ReferenceChain, rng: np.random.Generator) -> None:
    B = ref.transform(vector(rng, 1), vector(rng, pi))
    R, q = B[:3, :3], ref.random_configuration(chain, rng)
    moved = chain._replace(slots=(chain.slots[0]._replace(origin=B @ chain.slots[0].origin), *chain.slots[1:]))
    close(ref.link_transforms(moved, q), B @ ref.link_transforms(chain, q), 1e-13)
    close(ref.jacobian(moved, q), np.kron(np.eye(2), R) @ ref.jacobian(chain, q), 1e-13)
    close(ref.jacobian(moved, q, "body"), ref.jacobian(chain, q, "body"), 1e-13)
    adjoint = np.block([[R, ref.hat(B[:3, 3]) @ R], [np.zeros((3, 3)), R]])
    close(ref.jacobian(moved, q, "spatial"), adjoint @ ref.jacobian(chain, q, "spatial"), 1e-13)
    close(ref.singular_values(moved, q), ref.singular_values(chain, q), 1e-13)


def test_folding_a_fixed_slot_changes_nothing_else(rng: np.random.Generator) -> None:
    chain = ref.odd_arm()
    bracket, shoulder = chain.slots[1:3]
    shoulder = shoulder._replace(origin=bracket.origin @ shoulder.origin)
    folded = chain._replace(slots=(chain.slots[0], shoulder, *chain.slots[3:]))
    for _ in range(5):
        q = ref.random_configuration(chain, rng)
        close(ref.fk(folded, q), ref.fk(chain, q), 1e-14)
        close(ref.jacobian(folded, q), ref.jacobian(chain, q), 1e-14)


def test_entry_of_a_fixed_slot_is_ignored(rng: np.random.Generator) -> None:
    chain = ref.odd_arm()
    q = ref.random_configuration(chain, rng)
    other = q.copy()
    other[1] = 123.0
    close(ref.fk(chain, other), ref.fk(chain, q), 0)
    close(ref.jacobian(chain, q)[:, 1], 0, 0)


def test_manipulability_is_the_determinant_of_the_moving_columns(
    chain: ReferenceChain, rng: np.random.Generator
) -> None:
    J = ref.jacobian(chain, q := ref.random_configuration(chain, rng))
    J = J[:, np.abs(J).max(axis=0) > 0]
    gram = J @ J.T if J.shape[1] >= 6 else J.T @ J
    assert ref.manipulability_squared(chain, q) == pytest.approx(float(np.linalg.det(gram)), rel=1e-9)
    assert len(ref.singular_values(chain, q)) == min(6, len(ref.moving_entries(chain)))


def test_mimic_with_zero_multiplier_moves_nothing() -> None:
    source = Joint("a", "revolute", (0, 0, 0))
    slot = Joint("b", "revolute", (0, 0, 0.1), limits=Limits(-1, 1), mimic=Mimic("a", 0.0, 0.5))
    chain = ref.from_chain(Table((source,), (slot,), np.eye(4)))
    assert ref.moving_entries(chain) == []
    close(ref.fk(chain, [3.0]), ref.fk(chain, [-1.0]), 0)


# ----------------------------------------------------------------------------------------------------- pinocchio
def pinocchio_kinematics(chain: ReferenceChain, q: Array) -> tuple[Array, dict[Frame, Array]]:
    """Return pinocchio's slot and tool frames and its Jacobians; every moving slot is a joint of its own there."""
    model = pinocchio.Model()
    parent, T = 0, np.eye(4)
    placements: list[tuple[int, Array]] = []
    moving: list[Slot] = []
    for slot in chain.slots:
        T = T @ slot.origin
        if slot.kind != "fixed":
            kinds = {
                "revolute": pinocchio.JointModelRevoluteUnaligned,
                "prismatic": pinocchio.JointModelPrismaticUnaligned,
            }
            parent = model.addJoint(parent, kinds[slot.kind](slot.axis), pinocchio.SE3(T), f"joint{len(moving)}")
            moving.append(slot)
            T = np.eye(4)
        placements.append((parent, T))
    T = T @ chain.tool
    frame = model.addFrame(pinocchio.Frame("tool", parent, pinocchio.SE3(T), pinocchio.FrameType.OP_FRAME))
    data = model.createData()
    values = np.array([slot.multiplier * q[slot.source] + slot.offset for slot in moving])
    pinocchio.computeJointJacobians(model, data, values)
    pinocchio.updateFramePlacements(model, data)
    frames = [data.oMi[joint].homogeneous @ T for joint, T in (*placements, (parent, T))]
    selection = np.zeros((len(moving), len(q)))
    for row, slot in enumerate(moving):
        selection[row, slot.source] = slot.multiplier
    jacobians = {
        name: pinocchio.getFrameJacobian(model, data, frame, PINOCCHIO_FRAMES[name]) @ selection for name in FRAMES
    }
    return np.array(frames), jacobians


def test_agrees_with_pinocchio(chain: ReferenceChain, rng: np.random.Generator) -> None:
    for _ in range(10):
        q = ref.random_configuration(chain, rng)
        frames, jacobians = pinocchio_kinematics(chain, q)
        close(ref.link_transforms(chain, q), frames, 1e-13)
        for frame in FRAMES:
            close(ref.jacobian(chain, q, frame), jacobians[frame], 1e-13)


# --------------------------------------------------------------------------------------------- inverse kinematics
def assert_own_errors(chain: ReferenceChain, target: Array, result: ref.ReferenceIk) -> None:
    e = ref.pose_error(ref.fk(chain, result.q), target)
    assert result.position_error == np.linalg.norm(e[:3])
    assert result.orientation_error == np.linalg.norm(e[3:])


def near_problems(chain: ReferenceChain, count: int, rng: np.random.Generator) -> list[tuple[Array, Array]]:
    problems = []
    for _ in range(count):
        q = ref.random_configuration(chain, rng)
        problems.append((ref.fk(chain, q), q + rng.uniform(-0.2, 0.2, len(q))))
    return problems


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["odd_arm", "rebel", "random_4", "random_12"])
def test_converged_means_within_tolerances_and_limits(name: str, solver: Solver, rng: np.random.Generator) -> None:
    chain = CHAINS[name]
    statuses = []
    for target, seed in near_problems(chain, 20, rng):
        result = ref.inverse_kinematics(chain, target, seed, solver=solver)
        assert_own_errors(chain, target, result)
        assert np.all((chain.lower <= result.q) & (result.q <= chain.upper))
        within = result.position_error <= 1e-4 and result.orientation_error <= 1e-3
        assert within == (result.status == ref.CONVERGED)
        assert 0 <= result.iterations <= 64
        statuses.append(result.status)
    assert statuses.count(ref.CONVERGED) > 10


def test_seed_at_the_target_takes_no_step(chain: ReferenceChain, rng: np.random.Generator) -> None:
    q = ref.random_configuration(chain, rng)
    result = ref.inverse_kinematics(chain, ref.fk(chain, q), q)
    assert (result.status, result.iterations) == (ref.CONVERGED, 0)
    moving = ref.moving_entries(chain)
    close(result.q[moving], q[moving], 0)


def test_seed_is_clamped_before_the_first_test() -> None:
    rebel = ref.rebel()
    q = np.array([0.1, rebel.upper[1], 0.4, 0.2, 0.7, rebel.lower[5]])
    outside = q + np.array([0, 0.3, 0, 0, 0, -0.2])
    given = outside.copy()
    result = ref.inverse_kinematics(rebel, ref.fk(rebel, q), outside)
    assert (result.status, result.iterations) == (ref.CONVERGED, 0)
    close(result.q, q, 0)
    assert result.limited_joints.tolist() == [False, True, False, False, False, True]
    close(outside, given, 0)
    free = ref.inverse_kinematics(rebel, ref.fk(rebel, outside), outside, enforce_joint_limits=False)
    assert (free.status, free.iterations) == (ref.CONVERGED, 0)
    close(free.q, outside, 0)
    assert free.limited_joints.tolist() == [False, True, False, False, False, True]


def test_fixed_entries_are_zero_and_never_limited(rng: np.random.Generator) -> None:
    chain = ref.odd_arm()
    for target, seed in near_problems(chain, 5, rng):
        result = ref.inverse_kinematics(chain, target, seed)
        assert result.q[1] == 0.0
        assert not result.limited_joints[1]


@pytest.mark.parametrize("solver", SOLVERS)
def test_more_budget_is_never_worse(solver: Solver, rng: np.random.Generator) -> None:
    chain = ref.odd_arm()
    wandered = 0
    for _ in range(5):
        target = ref.fk(chain, ref.random_configuration(chain, rng))
        seed = ref.random_configuration(chain, rng)
        results = [
            ref.inverse_kinematics(chain, target, seed, solver=solver, max_iterations=budget) for budget in range(1, 40)
        ]
        scores = [max(result.position_error / 1e-4, result.orientation_error / 1e-3) for result in results]
        assert all(later <= earlier for earlier, later in pairwise(scores))
        assert all(result.iterations <= budget for budget, result in enumerate(results, start=1))
        for earlier, later in pairwise(results):
            wandered += later.iterations > earlier.iterations and np.array_equal(later.q, earlier.q)
    assert wandered > 0, "some step must have been for the worse, or returning the last one would pass as well"


@pytest.mark.parametrize("solver", SOLVERS)
def test_whole_step_is_scaled_by_the_worst_ratio(solver: Solver, rng: np.random.Generator) -> None:
    chain = ref.odd_arm()
    caps = np.array([0.25, 0.25, 0.25, 0.025, 0.25, 0.25, 0.25])
    moved = 0
    for _ in range(20):
        seed = ref.random_configuration(chain, rng)
        target = ref.fk(chain, ref.random_configuration(chain, rng))
        loose = {"solver": solver, "max_iterations": 1, "enforce_joint_limits": False}
        capped = ref.inverse_kinematics(chain, target, seed, **loose)  # type: ignore[arg-type]
        whole = ref.inverse_kinematics(chain, target, seed, max_step=1e9, max_linear_step=1e9, **loose)  # type: ignore[arg-type]
        step, full = capped.q - seed, whole.q - seed
        step[1] = full[1] = 0.0  # the fixed slot's entry
        if not step.any() or not full.any():
            continue  # the seed was the better of the two tested
        moved += 1
        assert np.max(np.abs(step) / caps) <= 1 + 1e-12
        if np.max(np.abs(full) / caps) > 1:
            assert np.max(np.abs(step) / caps) == pytest.approx(1, rel=1e-9)
        close(step / np.linalg.norm(step), full / np.linalg.norm(full), 1e-9)
    assert moved > 2


def test_damped_step_minimises_the_damped_error(rng: np.random.Generator) -> None:
    """One damped step solves ``min |J dq - e|² + λ² |dq|²``, here by least squares on the stacked system."""
    chain = ref.odd_arm()
    for target, seed in near_problems(chain, 10, rng):
        seed[1] = 0.0
        e = ref.pose_error(ref.fk(chain, seed), target)
        stacked = np.concatenate([ref.jacobian(chain, seed), 0.3 * np.eye(7)])
        dq = np.linalg.lstsq(stacked, np.concatenate([e, np.zeros(7)]), rcond=None)[0]
        result = ref.inverse_kinematics(
            chain,
            target,
            seed,
            max_iterations=1,
            damping=0.3,
            max_step=9,
            max_linear_step=9,
            enforce_joint_limits=False,
        )
        assert result.iterations == 1
        close(result.q, seed + dq, 1e-12)


@pytest.mark.parametrize("name", ["random_3", "odd_arm", "random_12"])
def test_pseudoinverse_step_is_the_least_norm_least_squares_step(name: str, rng: np.random.Generator) -> None:
    """Below six, at six and above six moving entries."""
    chain = CHAINS[name]
    moving = ref.moving_entries(chain)
    q = ref.random_configuration(chain, rng)
    fixed = [slot.source for slot in chain.slots if slot.kind == "fixed"]
    q[fixed] = 0.0
    seed = q + 1e-3 * np.isin(np.arange(len(q)), moving)
    target = ref.fk(chain, q)
    dq = np.linalg.pinv(ref.jacobian(chain, seed)) @ ref.pose_error(ref.fk(chain, seed), target)
    result = ref.inverse_kinematics(
        chain,
        target,
        seed,
        solver="pseudoinverse",
        max_iterations=1,
        position_tolerance=1e-12,
        orientation_tolerance=1e-12,
        enforce_joint_limits=False,
    )
    assert result.iterations == 1
    close(result.q, seed + dq, 1e-11)


def test_pseudoinverse_stops_at_a_singular_configuration() -> None:
    rebel = ref.rebel()
    aligned_wrist = np.array([0.2, 0.3, 0.4, 0.5, 0.0, 0.6])
    target = ref.fk(rebel, aligned_wrist + 0.1)
    result = ref.inverse_kinematics(rebel, target, aligned_wrist, solver="pseudoinverse")
    assert (result.status, result.iterations) == (ref.SINGULAR, 0)
    close(result.q, aligned_wrist, 0)
    assert_own_errors(rebel, target, result)
    assert ref.inverse_kinematics(rebel, target, aligned_wrist).status == ref.CONVERGED


def test_short_arm_is_not_singular_for_being_short(rng: np.random.Generator) -> None:
    joints = tuple(Joint(f"j{i}", "revolute", (0.3, 0, 0), limits=Limits(-2, 2)) for i in range(2))
    planar = ref.from_chain(Table(joints, joints, ref.transform((0.25, 0, 0))))
    result = ref.inverse_kinematics(planar, ref.fk(planar, [0.4, 1.1]), [0.1, 0.8], solver="pseudoinverse")
    assert result.status == ref.CONVERGED
    straight = ref.inverse_kinematics(planar, ref.fk(planar, [0.4, 1.1]), [0.1, 0.0], solver="pseudoinverse")
    assert straight.status == ref.CONVERGED, "two parallel axes apart from each other keep rank two"


def test_chain_that_cannot_move_is_singular() -> None:
    joints = (Joint("plate", "fixed", (0, 0, 0.1)),)
    chain = ref.from_chain(Table(joints, joints, np.eye(4)))
    target = ref.transform((0, 0, 0.2))
    assert ref.inverse_kinematics(chain, target, [0.0], solver="pseudoinverse").status == ref.SINGULAR
    damped = ref.inverse_kinematics(chain, target, [7.0], max_iterations=3)
    assert (damped.status, damped.iterations) == (ref.MAX_ITERATIONS_REACHED, 3)
    assert damped.q.tolist() == [0.0]


def test_unreachable_target_spends_the_budget() -> None:
    rebel = ref.rebel()
    target = ref.transform((3, 0, 0))
    result = ref.inverse_kinematics(rebel, target, np.full(6, 0.3), max_iterations=7)
    assert (result.status, result.iterations) == (ref.MAX_ITERATIONS_REACHED, 7)
    assert_own_errors(rebel, target, result)


@pytest.mark.parametrize(
    ("kind", "count", "low", "high"),
    [
        # Rates of 10 x 2,000 targets: 90-92 %, 60-62 % and 24-26 %. A sample strays from the true rate p by
        # sqrt(p (1 - p) / count): 1.7 %, 4.9 % and 4.4 %. The bounds are three of those outside the expected rates.
        ("near", 300, 0.90 - 0.052, 0.92 + 0.052),
        ("mid_range", 100, 0.60 - 0.147, 0.62 + 0.147),
        ("random", 100, 0.24 - 0.132, 0.26 + 0.132),
    ],
    ids=["near", "mid_range", "random"],
)
def test_convergence_rates_of_the_constant_damping_rule(kind: str, count: int, low: float, high: float) -> None:
    rebel = ref.rebel()
    rng = np.random.default_rng(7)
    converged = 0
    for target, near in near_problems(rebel, count, rng):
        seeds = {
            "near": near,
            "mid_range": (rebel.lower + rebel.upper) / 2,
            "random": ref.random_configuration(rebel, rng),
        }
        converged += ref.inverse_kinematics(rebel, target, seeds[kind]).status == ref.CONVERGED
    assert low <= converged / count <= high
