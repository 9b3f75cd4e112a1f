"""One joint: where it sits, how it moves, how far and how fast it may go."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.errors import InputError, ModelError, nearest_names, shown
from repose_jit.validation import as_number

__all__ = [
    "AXES",
    "LIMIT_KINDS",
    "JointLimits",
    "JointMimic",
    "JointSpec",
    "JointType",
    "LimitKind",
    "name_joints",
    "rotation_about",
    "rotation_from_rpy",
    "rpy_from_rotation",
    "unit_axis",
]

FloatArray = NDArray[np.float64]
Vector = tuple[float, float, float]
LimitKind = Literal["revolute", "prismatic", "continuous"]

AXES: dict[str, Vector] = {
    "pos_x": (1.0, 0.0, 0.0),
    "neg_x": (-1.0, 0.0, 0.0),
    "pos_y": (0.0, 1.0, 0.0),
    "neg_y": (0.0, -1.0, 0.0),
    "pos_z": (0.0, 0.0, 1.0),
    "neg_z": (0.0, 0.0, -1.0),
}
"""The axes that have a name."""


class JointType(StrEnum):
    """How a joint moves."""

    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    FIXED = "fixed"


LIMIT_KINDS: dict[JointType, tuple[LimitKind, ...]] = {
    JointType.REVOLUTE: ("revolute", "continuous"),
    JointType.PRISMATIC: ("prismatic",),
    JointType.FIXED: (),
}
"""The kinds of limits that fit a type of joint; a fixed joint has none."""


@dataclass(frozen=True)
class JointLimits:
    """Position bounds and maximum speed of a joint, in the joint's own unit; make one with a named constructor.

    Attributes
    ----------
    kind
        ``"revolute"`` [rad], ``"prismatic"`` [m] or ``"continuous"`` (revolute without bounds).
    lower, upper
        Bounds [rad or m]; −inf and +inf where there is none.
    max_velocity
        Largest speed [rad/s or m/s], > 0; None if unlimited.
    """

    kind: LimitKind
    lower: float
    upper: float
    max_velocity: float | None = None

    def __post_init__(self) -> None:
        kinds = get_args(LimitKind)
        if not isinstance(self.kind, str) or self.kind not in kinds:
            raise ModelError(f"limits.kind: got {shown(self.kind)}; {nearest_names(self.kind, kinds)}")
        for name in ("lower", "upper", "max_velocity"):
            value = getattr(self, name)
            if value is not None or name != "max_velocity":
                # Adding 0 turns -0 into 0: NumPy's samplers take a range that ends at -0 for an empty one.
                object.__setattr__(self, name, as_number(value, name=f"limits.{name}", error=ModelError) + 0.0)
        if math.isnan(self.lower) or self.lower == math.inf:
            raise ModelError(f"limits.lower: got {self.lower}, expected a number")
        if math.isnan(self.upper) or self.upper == -math.inf:
            raise ModelError(f"limits.upper: got {self.upper}, expected a number")
        if self.kind == "revolute" and not (math.isfinite(self.lower) and math.isfinite(self.upper)):
            raise ModelError(
                f"limits: got lower {self.lower} and upper {self.upper}, expected finite revolute bounds; "
                "a joint that turns without end has continuous limits"
            )
        if self.kind == "continuous" and not (math.isinf(self.lower) and math.isinf(self.upper)):
            raise ModelError(
                f"limits: got lower {self.lower} and upper {self.upper}, expected no bounds on a continuous joint"
            )
        if self.lower > self.upper:
            raise ModelError(f"limits: got lower {self.lower} > upper {self.upper}, expected lower ≤ upper")
        if self.max_velocity is not None and not 0.0 < self.max_velocity < math.inf:
            raise ModelError(
                f"limits.max_velocity: got {self.max_velocity}, expected a finite number > 0, or none if unlimited"
            )

    @property
    def middle(self) -> float:
        """The middle of the bounds [rad or m]; 0, or the bound nearest to it, where they are not finite."""
        if math.isfinite(self.lower) and math.isfinite(self.upper):
            return min(max(0.5 * self.lower + 0.5 * self.upper, self.lower), self.upper)
        return min(max(0.0, self.lower), self.upper)

    @classmethod
    def revolute(cls, lower: float, upper: float, max_velocity: float | None = None) -> JointLimits:
        """Bounds of a revolute joint [rad] and its largest speed [rad/s]."""
        return cls("revolute", lower, upper, max_velocity)

    @classmethod
    def prismatic(cls, lower: float, upper: float, max_velocity: float | None = None) -> JointLimits:
        """Bounds of a prismatic joint [m], ±inf where there is none, and its largest speed [m/s]."""
        return cls("prismatic", lower, upper, max_velocity)

    @classmethod
    def continuous(cls, max_velocity: float | None = None) -> JointLimits:
        """No bounds: a revolute joint that turns without end, and its largest speed [rad/s]."""
        return cls("continuous", -math.inf, math.inf, max_velocity)


@dataclass(frozen=True)
class JointMimic:
    """A joint that follows another one: its value is ``multiplier · source + offset``.

    Attributes
    ----------
    joint
        Name of the source joint.
    multiplier
        Factor on the source's value (a revolute source that drives a prismatic joint: m/rad).
    offset
        Added value, in the unit of the joint that follows [rad or m].
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.joint, str) or not self.joint:
            raise ModelError(f"mimic.joint: got {shown(self.joint)}, expected the name of a joint")
        for name in ("multiplier", "offset"):
            value = as_number(getattr(self, name), name=f"mimic.{name}", error=ModelError)
            if not math.isfinite(value):
                raise ModelError(f"mimic.{name}: got {value}, expected a finite number")
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class JointSpec:
    """A joint relative to the frame of the joint before it (URDF conventions); make one with a named constructor.

    The joint's frame is the parent frame moved by the origin; its motion is about or along `axis` in that frame.

    Attributes
    ----------
    joint_type
        Revolute, prismatic or fixed. A fixed joint keeps a slot in the chain and an ignored entry in `q`.
    origin_translation
        Position of the joint in the parent frame [m].
    origin_rpy
        Roll, pitch, yaw of the joint frame in the parent frame [rad], R = Rz(yaw) Ry(pitch) Rx(roll).
    axis
        (3,) unit vector in the joint's own frame; read-only.
    limits
        Bounds and speed; None for a fixed joint.
    name
        Unique in its chain; the chain gives ``joint1``, ``joint2``, ... to joints without one.
    mimic
        The joint that this one follows, if any.
    """

    joint_type: JointType
    origin_translation: Vector
    origin_rpy: Vector
    axis: FloatArray = field(compare=False)
    limits: JointLimits | None
    name: str | None = None
    mimic: JointMimic | None = None
    _axis_key: Vector = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.name is not None and (not isinstance(self.name, str) or not self.name):
            raise ModelError(f"name: got {shown(self.name)}, expected a non-empty string or None")
        where = f"joint {self.name!r}: " if self.name else ""
        options = [str(kind) for kind in JointType]
        if not isinstance(self.joint_type, str) or self.joint_type not in options:
            raise ModelError(
                f"{where}joint_type: got {shown(self.joint_type)}; {nearest_names(self.joint_type, options)}"
            )
        object.__setattr__(self, "joint_type", JointType(self.joint_type))
        for key in ("origin_translation", "origin_rpy"):
            object.__setattr__(self, key, _as_vector(getattr(self, key), f"{where}{key}"))
        axis = np.array(unit_axis(self.axis, f"{where}axis")) + 0.0  # no −0.0, which a named axis could not give back
        axis.flags.writeable = False
        object.__setattr__(self, "axis", axis)
        object.__setattr__(self, "_axis_key", tuple(axis.tolist()))
        self._check_limits(where)
        if self.mimic is not None and not isinstance(self.mimic, JointMimic):
            raise ModelError(f"{where}mimic: got {shown(self.mimic)}, expected a JointMimic or None")
        if self.mimic is not None and self.joint_type is JointType.FIXED:
            raise ModelError(f"{where}mimic: got a mimic on a fixed joint, expected one on a joint that moves")

    def _check_limits(self, where: str) -> None:
        if self.limits is not None and not isinstance(self.limits, JointLimits):
            raise ModelError(
                f"{where}limits: got {type(self.limits).__name__}, expected JointLimits.revolute(...), "
                ".prismatic(...) or .continuous(...)"
            )
        kinds = LIMIT_KINDS[self.joint_type]
        fits = self.limits.kind in kinds if self.limits is not None else not kinds
        if not fits:
            got = "none" if self.limits is None else self.limits.kind
            raise ModelError(
                f"{where}limits: got {got} on a {self.joint_type.value} joint, expected {' or '.join(kinds) or 'none'}"
            )

    def __reduce__(self) -> tuple[object, ...]:
        # Rebuilt, not copied: an array that is pickled or deep-copied on its own comes back writeable.
        arguments = (self.joint_type, self.origin_translation, self.origin_rpy, self._axis_key)
        return (JointSpec, (*arguments, self.limits, self.name, self.mimic))

    @classmethod
    def revolute(
        cls,
        origin_translation: ArrayLike,
        origin_rpy: ArrayLike,
        axis: str | ArrayLike = "pos_z",
        limits: JointLimits | None = None,
        *,
        name: str | None = None,
        mimic: JointMimic | None = None,
    ) -> JointSpec:
        """Make a joint that turns about `axis`; without `limits` it is continuous.

        Parameters
        ----------
        origin_translation, origin_rpy
            (3,) position [m] and roll-pitch-yaw [rad] of the joint in the parent frame.
        axis
            A name (``"pos_x"``, ``"neg_z"``, ...) or a (3,) vector, which is normalised.
        limits
            ``JointLimits.revolute(...)`` or ``JointLimits.continuous(...)``.
        name, mimic
            See the class.

        Raises
        ------
        ModelError
            If a number is not finite, the axis is zero, or the limits are of another kind.
        """
        limits = JointLimits.continuous() if limits is None else limits
        return cls(JointType.REVOLUTE, origin_translation, origin_rpy, axis, limits, name, mimic)  # type: ignore[arg-type]

    @classmethod
    def prismatic(
        cls,
        origin_translation: ArrayLike,
        origin_rpy: ArrayLike,
        axis: str | ArrayLike = "pos_z",
        limits: JointLimits | None = None,
        *,
        name: str | None = None,
        mimic: JointMimic | None = None,
    ) -> JointSpec:
        """Make a joint that slides along `axis`, unbounded without `limits`. Parameters as in :meth:`revolute`."""
        limits = JointLimits.prismatic(-math.inf, math.inf) if limits is None else limits
        return cls(JointType.PRISMATIC, origin_translation, origin_rpy, axis, limits, name, mimic)  # type: ignore[arg-type]

    @classmethod
    def fixed(cls, origin_translation: ArrayLike, origin_rpy: ArrayLike, *, name: str | None = None) -> JointSpec:
        """Make a rigid offset that keeps a slot in the chain. Parameters as in :meth:`revolute`."""
        return cls(JointType.FIXED, origin_translation, origin_rpy, "pos_z", None, name)  # type: ignore[arg-type]

    def origin_transform(self) -> FloatArray:
        """Return the static transform parent frame → joint frame at rest, (4, 4)."""
        T = np.eye(4)
        T[:3, :3] = rotation_from_rpy(self.origin_rpy)
        T[:3, 3] = self.origin_translation
        return T

    def motion_transform(self, q: float) -> FloatArray:
        """Return the transform caused by the joint value `q` [rad or m], (4, 4); the identity for a fixed joint.

        Raises
        ------
        InputError
            If `q` is not a finite number.
        """
        value = as_number(q, name="q")
        if not math.isfinite(value):
            raise InputError(f"q: got {value}, expected a finite number")
        T = np.eye(4)
        if self.joint_type is JointType.REVOLUTE:
            T[:3, :3] = rotation_about(self.axis, value)
        elif self.joint_type is JointType.PRISMATIC:
            T[:3, 3] = value * self.axis
        return T

    def renamed(self, name: str) -> JointSpec:
        """Return the same joint under another name."""
        return replace(self, name=name)

    @property
    def axis_name(self) -> str | None:
        """The name of the axis if it is a coordinate axis, else None."""
        return next((name for name, axis in AXES.items() if axis == self._axis_key), None)


def rotation_from_rpy(rpy: Sequence[float]) -> FloatArray:
    """Return the (3, 3) rotation Rz(yaw) Ry(pitch) Rx(roll) of roll, pitch, yaw [rad]."""
    return rotation_from_rpy_sines(np.sin(rpy), np.cos(rpy))


def rotation_from_rpy_sines(sines: FloatArray, cosines: FloatArray) -> FloatArray:
    """Return what :func:`rotation_from_rpy` does from (3, ...) sines and cosines of the angles, as (3, 3, ...)."""
    (sr, sp, sy), (cr, cp, cy) = sines, cosines
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_from_rotation(R: FloatArray) -> Vector:
    """Return roll, pitch, yaw [rad] of a (3, 3) rotation, so that :func:`rotation_from_rpy` gives it back.

    Yaw comes first and pitch and roll from the matrix turned back by it: roll and yaw taken independently are wrong by
    1e-16/cos(pitch) near a pitch of ±π/2, where only their sum or difference is defined.
    """
    yaw = math.atan2(R[1, 0], R[0, 0]) if math.hypot(R[1, 0], R[0, 0]) > 1e-15 else 0.0
    s, c = math.sin(yaw), math.cos(yaw)
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    return roll, pitch, yaw


def rotation_about(axis: FloatArray, angle: float) -> FloatArray:
    """Return the (3, 3) rotation by `angle` [rad] about a unit `axis` (Rodrigues' formula)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    R: FloatArray = np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)
    return R


def unit_axis(axis: object, where: str) -> Vector:
    """Return the unit vector of an axis given by name (``"pos_x"``, ...) or as three numbers.

    Raises
    ------
    ModelError
        Starting with `where`, if there is no such name, or the vector is zero or not finite.
    """
    if isinstance(axis, str):
        if axis not in AXES:
            raise ModelError(f"{where}: got {shown(axis)}; {nearest_names(axis, list(AXES), most=6)}")
        return AXES[axis]
    x, y, z = _as_vector(axis, where)
    # Scaled by the largest entry first, so that 1e-200 does not underflow to "zero".
    largest = max(abs(x), abs(y), abs(z))
    if largest == 0.0:
        raise ModelError(f"{where}: got [0, 0, 0], expected a vector with a direction")
    x, y, z = x / largest, y / largest, z / largest
    norm = math.sqrt(x * x + y * y + z * z)
    # A unit vector stays as it is to the last bit, so that a chain and its written configuration are the same chain.
    if abs(norm * largest - 1.0) < 4e-16 and largest <= 1.0:
        return _as_vector(axis, where)
    return x / norm, y / norm, z / norm


def name_joints(joints: Iterable[JointSpec]) -> tuple[JointSpec, ...]:
    """Return the joints of a chain in order, those without a name as ``joint1``, ``joint2``, ... by their place."""
    return tuple(
        joint if joint.name is not None else joint.renamed(f"joint{i}") for i, joint in enumerate(joints, start=1)
    )


def _as_vector(values: object, where: str) -> Vector:
    items = values.tolist() if isinstance(values, np.ndarray) else values
    if isinstance(items, str | bytes | bytearray | memoryview) or not isinstance(items, Sequence) or len(items) != 3:
        raise ModelError(f"{where}: got {shown(values)}, expected three numbers")
    x, y, z = (as_number(item, name=f"{where}[{i}]", error=ModelError) for i, item in enumerate(items))
    for i, value in enumerate((x, y, z)):
        if not abs(value) <= 1e9:
            raise ModelError(f"{where}[{i}]: got {value}, expected a finite number of at most 1e9")
    return x, y, z
