"""Slow, obvious kinematics in NumPy and Python loops: the independent oracle of the tests.

Nothing here imports the package. Every function is the definition written down, one problem at a time, so that it
can be checked by reading. Units are metres and radians; twists and Jacobian rows are linear first, ``[v; w]``.
"""

from __future__ import annotations

from math import atan2, cos, inf, isfinite, pi, sin
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Frame = Literal["base", "body", "spatial"]
Solver = Literal["damped_least_squares", "pseudoinverse"]

CONVERGED, MAX_ITERATIONS_REACHED, SINGULAR = 1, 2, 3

# A rotation this close to half a turn has no numerical sign left in its axis: products of a dozen rotations carry
# errors near 1e-15, and fixing the sign here changes the logarithm's length by less than 1e-11.
HALF_TURN = 1e-12


# ---------------------------------------------------------------------------------------------------- data model
class Slot(NamedTuple):
    """One place in a chain: an origin, then a motion by ``multiplier * q[source] + offset``."""

    origin: Array  # (4, 4), previous slot's frame after its motion -> this joint's frame
    kind: str  # "revolute", "prismatic" or "fixed"
    axis: Array  # (3,), unit, in the joint's frame
    source: int
    multiplier: float = 1.0
    offset: float = 0.0


class ReferenceChain(NamedTuple):
    """Slots in chain order and, for each of the n entries of ``q``, its limits and kind."""

    slots: tuple[Slot, ...]
    lower: Array  # (n,), -inf where unlimited and for fixed slots
    upper: Array  # (n,), +inf where unlimited and for fixed slots
    is_prismatic: NDArray[np.bool_]  # (n,)
    tool: Array  # (4, 4), last slot's frame -> tool


class Limits(NamedTuple):
    """Position limits of a joint, in its own unit."""

    lower: float = -inf
    upper: float = inf


class Mimic(NamedTuple):
    """``value = multiplier * value of joint + offset``."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


class Joint(NamedTuple):
    """One row of a robot's table, with the attribute names that `from_chain` reads from a package joint."""

    name: str
    joint_type: str
    origin_translation: tuple[float, float, float]
    origin_rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    limits: Limits = Limits()
    mimic: Mimic | None = None


class Table(NamedTuple):
    """A robot written down: entries of ``q``, slots in chain order, tool offset."""

    joints: tuple[Joint, ...]
    slots: tuple[Joint, ...]
    tool_offset: Array


def from_chain(chain: Any) -> ReferenceChain:
    """Build the oracle's chain from anything with ``joints``, ``slots`` and ``tool_offset``, as `Table` has."""
    entry = {joint.name: index for index, joint in enumerate(chain.joints)}
    by_name = {joint.name: joint for joint in (*chain.slots, *chain.joints)}
    n = len(chain.joints)
    if len(entry) != n or None in by_name:
        raise ValueError(f"the oracle finds joints by name: expected {n} distinct names, got {list(by_name)}")

    def drive(joint: Any) -> tuple[int, float, float]:
        multiplier, offset = 1.0, 0.0
        while joint.mimic is not None:
            offset += multiplier * joint.mimic.offset
            multiplier *= joint.mimic.multiplier
            joint = by_name[joint.mimic.joint]
        return entry[joint.name], multiplier, offset

    lower, upper = np.full(n, -inf), np.full(n, inf)
    for joint in (*chain.joints, *chain.slots):
        index, multiplier, offset = drive(joint)
        if _kind(joint) != "fixed" and multiplier != 0.0:
            bounds = sorted((bound - offset) / multiplier for bound in (joint.limits.lower, joint.limits.upper))
            lower[index], upper[index] = max(lower[index], bounds[0]), min(upper[index], bounds[1])
    slots = []
    for joint in chain.slots:
        axis = np.zeros(3) if _kind(joint) == "fixed" else np.array(joint.axis) / np.linalg.norm(joint.axis)
        origin = transform(joint.origin_translation, joint.origin_rpy)
        slots.append(Slot(origin, _kind(joint), axis, *drive(joint)))
    is_prismatic = np.array([_kind(joint) == "prismatic" for joint in chain.joints], dtype=bool)
    return ReferenceChain(tuple(slots), lower, upper, is_prismatic, np.array(chain.tool_offset, float))


def _kind(joint: Any) -> str:
    return str(getattr(joint.joint_type, "value", joint.joint_type))


# ------------------------------------------------------------------------------------------- rotations and poses
def rotation_rpy(rpy: ArrayLike) -> Array:
    """Return ``Rz(yaw) Ry(pitch) Rx(roll)``."""
    roll, pitch, yaw = np.asarray(rpy, float)
    rx = np.array([[1, 0, 0], [0, cos(roll), -sin(roll)], [0, sin(roll), cos(roll)]])
    ry = np.array([[cos(pitch), 0, sin(pitch)], [0, 1, 0], [-sin(pitch), 0, cos(pitch)]])
    rz = np.array([[cos(yaw), -sin(yaw), 0], [sin(yaw), cos(yaw), 0], [0, 0, 1]])
    return np.array(rz @ ry @ rx)


def transform(translation: ArrayLike, rpy: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the (4, 4) pose of a frame at ``translation`` [m], turned by ``rpy`` [rad]."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation_rpy(rpy), translation
    return T


def hat(v: ArrayLike) -> Array:
    """Return the matrix of ``v x``."""
    x, y, z = np.asarray(v, float)
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def rodrigues(axis: ArrayLike, angle: float) -> Array:
    """Return the rotation by ``angle`` [rad] about the unit ``axis``."""
    K = hat(axis)
    return np.eye(3) + sin(angle) * K + 2.0 * sin(0.5 * angle) ** 2 * (K @ K)


def exp_so3(w: ArrayLike) -> Array:
    """Return the rotation by ``|w|`` [rad] about ``w``."""
    w = np.asarray(w, float)
    angle = float(np.linalg.norm(w))
    return np.eye(3) if angle == 0.0 else rodrigues(w / angle, angle)


def log_so3(R: Array) -> Array:
    """Return the rotation vector of ``R``, of length at most pi.

    Half a turn has two logarithms; the one whose largest component is positive is returned.
    """
    # 4 q qᵀ for the unit quaternion q = (x, y, z, w): its largest column, normalised, is q to full precision.
    Q = np.empty((4, 4))
    Q[:3, :3] = R + R.T + (1.0 - np.trace(R)) * np.eye(3)
    Q[:3, 3] = Q[3, :3] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    Q[3, 3] = 1.0 + np.trace(R)
    column = Q[:, int(np.argmax(np.diag(Q)))]
    v, w = column[:3] / np.linalg.norm(column), column[3] / np.linalg.norm(column)
    sign = v[np.argmax(np.abs(v))] if abs(w) < HALF_TURN else w
    if sign < 0.0:
        v = -v
    length = float(np.linalg.norm(v))
    return np.zeros(3) if length == 0.0 else np.array(2.0 * atan2(length, abs(w)) / length * v)


def pose_error(T: Array, T_target: Array) -> Array:
    """Return ``[p* - p; log(R* Rᵀ)]`` in base axes."""
    return np.concatenate([T_target[:3, 3] - T[:3, 3], log_so3(T_target[:3, :3] @ T[:3, :3].T)])


def is_rigid(T: Array, tolerance: float = 1e-6) -> bool:
    """Tell whether ``T`` is a finite pose: a proper rotation, a translation and the row 0 0 0 1."""
    if T.shape != (4, 4) or not all(isfinite(x) for x in T.ravel()):
        return False
    R = T[:3, :3]
    orthonormal = np.abs(R @ R.T - np.eye(3)).max() <= tolerance
    return bool(orthonormal and np.linalg.det(R) > 0.0 and np.abs(T[3] - [0, 0, 0, 1]).max() <= tolerance)


# ---------------------------------------------------------------------------------------------------- kinematics
def motion(slot: Slot, q: Array) -> Array:
    """Return the (4, 4) motion of a slot's joint at the configuration ``q``."""
    T = np.eye(4)
    value = slot.multiplier * q[slot.source] + slot.offset
    if slot.kind == "revolute":
        T[:3, :3] = rodrigues(slot.axis, value)
    elif slot.kind == "prismatic":
        T[:3, 3] = value * slot.axis
    return T


def link_transforms(chain: ReferenceChain, q: ArrayLike) -> Array:
    """Return each slot's frame after its motion, then the tool, in the base frame, (n_slots + 1, 4, 4)."""
    T, frames = np.eye(4), []
    for slot in chain.slots:
        T = T @ slot.origin @ motion(slot, np.asarray(q, float))
        frames.append(T)
    return np.array([*frames, T @ chain.tool])


def fk(chain: ReferenceChain, q: ArrayLike) -> Array:
    """Return the pose of the tool in the base frame, (4, 4)."""
    return np.array(link_transforms(chain, q)[-1])


def jacobian(chain: ReferenceChain, q: ArrayLike, frame: Frame = "base") -> Array:
    """Return the (6, n) Jacobian, linear rows first."""
    frames = link_transforms(chain, q)
    R, p = frames[-1, :3, :3], frames[-1, :3, 3]
    J = np.zeros((6, len(chain.lower)))
    for slot, T in zip(chain.slots, frames, strict=False):
        axis = T[:3, :3] @ slot.axis  # a joint's own motion leaves its axis where it is
        if slot.kind == "revolute":
            J[:3, slot.source] += slot.multiplier * np.cross(axis, p - T[:3, 3])
            J[3:, slot.source] += slot.multiplier * axis
        elif slot.kind == "prismatic":
            J[:3, slot.source] += slot.multiplier * axis
    if frame == "body":
        return np.concatenate([R.T @ J[:3], R.T @ J[3:]])
    if frame == "spatial":
        return np.concatenate([J[:3] + hat(p) @ J[3:], J[3:]])
    return J


def numeric_jacobian(chain: ReferenceChain, q: ArrayLike, frame: Frame = "base", step: float = 1e-5) -> Array:
    """Return the (6, n) Jacobian by central differences of `fk`; good to about 1e-9 at robot size."""
    q = np.array(q, float)
    T = fk(chain, q)
    columns = []
    for i in range(len(q)):
        forward, backward = q.copy(), q.copy()
        forward[i] += step
        backward[i] -= step
        T_forward, T_backward = fk(chain, forward), fk(chain, backward)
        v = (T_forward[:3, 3] - T_backward[:3, 3]) / (2 * step)
        w = log_so3(T_forward[:3, :3] @ T_backward[:3, :3].T) / (2 * step)
        if frame == "body":
            v = T[:3, :3].T @ v
            w = log_so3(T_backward[:3, :3].T @ T_forward[:3, :3]) / (2 * step)
        elif frame == "spatial":
            v = v - np.cross(w, T[:3, 3])
        columns.append(np.concatenate([v, w]))
    return np.array(columns).T


def moving_entries(chain: ReferenceChain) -> list[int]:
    """Return the entries of ``q`` that move the tool structurally."""
    return sorted({slot.source for slot in chain.slots if slot.kind != "fixed" and slot.multiplier != 0.0})


def singular_values(chain: ReferenceChain, q: ArrayLike) -> Array:
    """Return the min(6, m) singular values of the base Jacobian's m moving columns, largest first."""
    return np.array(np.linalg.svd(jacobian(chain, q)[:, moving_entries(chain)], compute_uv=False))


def manipulability_squared(chain: ReferenceChain, q: ArrayLike) -> float:
    """Return w²: the product of the squared `singular_values`."""
    return float(np.prod(singular_values(chain, q) ** 2))


# --------------------------------------------------------------------------------------------- inverse kinematics
class ReferenceIk(NamedTuple):
    """Outcome of `inverse_kinematics`: the best tested ``q`` and its own errors."""

    q: Array  # (n,)
    status: int
    position_error: float  # [m]
    orientation_error: float  # [rad]
    iterations: int  # steps taken
    limited_joints: NDArray[np.bool_]  # (n,)


def inverse_kinematics(
    chain: ReferenceChain,
    target: Array,
    seed: ArrayLike,
    *,
    solver: Solver = "damped_least_squares",
    max_iterations: int = 64,
    position_tolerance: float = 1e-4,
    orientation_tolerance: float = 1e-3,
    damping: float = 0.05,
    max_step: float = 0.25,
    max_linear_step: float = 0.025,
    enforce_joint_limits: bool = True,
) -> ReferenceIk:
    """Solve from one seed with a constant damping, testing before each step and after the last."""
    caps = np.where(chain.is_prismatic, max_linear_step, max_step)
    moving = moving_entries(chain)
    q = np.array(seed, float)
    for slot in chain.slots:
        if slot.kind == "fixed":
            q[slot.source] = 0.0
    if enforce_joint_limits:
        q = np.clip(q, chain.lower, chain.upper)

    best_score, best = inf, (q, inf, inf)
    status = MAX_ITERATIONS_REACHED
    iterations = 0
    while True:
        e = pose_error(fk(chain, q), target)
        position_error, orientation_error = float(np.linalg.norm(e[:3])), float(np.linalg.norm(e[3:]))
        score = max(position_error / position_tolerance, orientation_error / orientation_tolerance)
        if score < best_score:
            best_score, best = score, (q, position_error, orientation_error)
        if position_error <= position_tolerance and orientation_error <= orientation_tolerance:
            status = CONVERGED
            break
        if iterations == max_iterations:
            break
        J = jacobian(chain, q)
        if solver == "damped_least_squares":
            dq = J.T @ np.linalg.solve(J @ J.T + damping**2 * np.eye(6), e)
        else:
            U, sigma, Vt = np.linalg.svd(J[:, moving], full_matrices=False)
            if len(sigma) == 0 or sigma[-1] <= 1e-6 * sigma[0]:
                status = SINGULAR
                break
            dq = np.zeros(len(q))
            dq[moving] = Vt.T @ ((U.T @ e) / sigma)
        q = q + dq / max(1.0, float((np.abs(dq) / caps).max(initial=0.0)))
        if enforce_joint_limits:
            q = np.clip(q, chain.lower, chain.upper)
        iterations += 1
    q, position_error, orientation_error = best
    limited = (q <= chain.lower) | (q >= chain.upper)
    return ReferenceIk(q, status, position_error, orientation_error, iterations, limited)


# ------------------------------------------------------------------------------------------------------- fixtures
def random_configuration(chain: ReferenceChain, rng: np.random.Generator) -> Array:
    """Return a uniform configuration within limits; unlimited entries in [-pi, pi]."""
    return rng.uniform(np.maximum(chain.lower, -pi), np.minimum(chain.upper, pi))


def rebel_table() -> Table:
    """Return the igus ReBeL, tool at joint6, with the motor housing before joint3 folded here."""
    housing = transform((-0.0326, 0, 0.05646), (0, -1.0472, 0))
    x, y, z = (transform((0, -0.025, 0.1)) @ housing @ transform((0, 0.025, 0.1)))[:3, 3]
    joints = (
        Joint("joint1", "revolute", (0, 0, 0.126), (0, 0, 3.1416), (0, 0, -1), Limits(-3.12414, 3.12414)),
        Joint("joint2", "revolute", (0, 0.025, 0.153), (0, 0, 0), (0, -1, 0), Limits(-1.48353, 2.44346)),
        Joint("joint3", "revolute", (x, y, z), (0, -1.0472, 0), (0, -1, 0), Limits(-1.39626, 2.61799)),
        Joint("joint4", "revolute", (0, -0.025, 0.153), (0, 0, 0), (0, 0, 1), Limits(-3.12414, 3.12414)),
        Joint("joint5", "revolute", (0, 0.029, 0.143), (0, 0, 0), (0, -1, 0), Limits(-1.65806, 1.65806)),
        Joint("joint6", "revolute", (0, -0.029, 0.1188), (0, 0, 0), (0, 0, 1), Limits(-3.12414, 3.12414)),
    )
    return Table(joints, joints, np.eye(4))


def odd_arm_table() -> Table:
    """Return an arm with seven entries of ``q`` that hides few mistakes.

    A fixed slot shifts the entries; a mimic comes before its source, turns against it, tightens its limits; one axis is
    oblique, one joint slides, the limits of three joints exclude zero; a second fixed offset is folded into the tool.
    """
    a = Joint("turret", "revolute", (0.02, -0.01, 0.35), (0, 0, 0.3), (0, 0, 1), Limits(-2.8, 2.6))
    b = Joint("bracket", "fixed", (0.06, -0.03, 0.11), (0.2, -0.4, 0.1))
    c = Joint("shoulder", "revolute", (0.0, 0.08, 0.14), (-0.5, 0.1, 0.7), (1 / 3, 2 / 3, -2 / 3), Limits(-1.9, 2.3))
    mimic = Mimic("elbow", -0.5, 0.2)
    m = Joint("coupler", "revolute", (0.05, 0.02, 0.21), (0.1, 0, -0.2), (0, 1, 0), Limits(-0.9, 0.9), mimic)
    d = Joint("slide", "prismatic", (-0.03, 0.04, 0.1), (0.3, 0.2, 0), (0, 0, 1), Limits(0.1, 0.4))
    e = Joint("elbow", "revolute", (0.01, 0, 0.12), (0, 0.4, 0), (0, -1, 0), Limits(0.3, 2.4))
    f = Joint("forearm", "revolute", (0, 0.05, 0.18), (0, 0, -0.6), (1, 0, 0), Limits(-2.9, 2.9))
    g = Joint("wrist", "revolute", (0.09, -0.07, 0.02), (1.2, 0, 0.1), (0, -1, 0), Limits(-2.2, -0.2))
    tool = transform((0.03, 0.01, 0.05), (0.4, 0, -0.3)) @ transform((-0.02, 0.06, 0.11), (-0.7, 0.5, 0.9))
    return Table((a, b, c, d, e, f, g), (a, b, c, m, d, e, f, g), tool)


def rebel() -> ReferenceChain:
    """Return the oracle's chain of `rebel_table`."""
    return from_chain(rebel_table())


def odd_arm() -> ReferenceChain:
    """Return the oracle's chain of `odd_arm_table`, limits of the mimic intersected."""
    return from_chain(odd_arm_table())
