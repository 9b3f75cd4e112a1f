"""A chain as configuration: the keys that TOML, JSON and dicts use, and the plain records that they stand for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain as chained
from itertools import product
from typing import cast, get_args

import numpy as np
from numpy.typing import NDArray

from repose_jit.errors import ConfigError, InputError, ModelError, shown
from repose_jit.joints import (
    LIMIT_KINDS,
    JointLimits,
    JointMimic,
    JointSpec,
    JointType,
    LimitKind,
    Vector,
    name_joints,
    rotation_from_rpy,
    rpy_from_rotation,
    unit_axis,
)
from repose_jit.mimic import drive_slots, follow_mimics
from repose_jit.strict import Reader, Table, attempt, below, choice, items, list_of, number, quantity, text
from repose_jit.units import ANGLE, ANGULAR_SPEED, LENGTH, SPEED, Quantity
from repose_jit.validation import require_rigid

__all__ = ["ChainSpec", "chain_config", "read_chain", "read_joint", "read_transform"]

FloatArray = NDArray[np.float64]

POSITION: dict[JointType | None, tuple[Quantity, ...]] = {
    JointType.REVOLUTE: (ANGLE,),
    JointType.PRISMATIC: (LENGTH,),
    JointType.FIXED: (ANGLE, LENGTH),
    None: (ANGLE, LENGTH),  # the type itself is wrong: units cannot be judged
}
"""What the value of a joint measures."""

LIMIT_QUANTITIES: dict[LimitKind, tuple[Quantity, Quantity]] = {
    "revolute": (ANGLE, ANGULAR_SPEED),
    "prismatic": (LENGTH, SPEED),
    "continuous": (ANGLE, ANGULAR_SPEED),
}

RIGHT_ANGLES = (0.0, math.pi / 2, -math.pi / 2, math.pi, -math.pi)


@dataclass(frozen=True, kw_only=True, eq=False)
class ChainSpec:
    """What a chain is made of, see :class:`repose_jit.chain.KinematicChain`.

    Attributes
    ----------
    joints, off_path_sources
        The joints on the path, mimics in place, and those that drive mimics from outside it.
    name
        Name of the robot.
    home
        (n,) home configuration [rad or m]; None for the default.
    tool_offset
        (4, 4) last joint frame → tool [m]; None for the identity.
    """

    joints: tuple[JointSpec, ...]
    off_path_sources: tuple[JointSpec, ...] = ()
    name: str | None = None
    home: tuple[float, ...] | None = None
    tool_offset: FloatArray | None = None


def read_chain(value: object, path: str = "") -> ChainSpec:
    """Read a chain; a reader in the sense of :mod:`repose_jit.strict`.

    Raises
    ------
    ConfigError
        With every mistake: keys, types, units, joints, names, mimics, and the home configuration.
    """
    table = Table(value, path)

    def read_joints(value: object, path: str) -> tuple[JointSpec | None, ...]:
        # A wrong joint leaves a gap, so that names and everything else are still checked.
        return tuple(
            attempt(table.problems, read_joint, entry, f"{path}[{i}]") for i, entry in enumerate(items(value, path))
        )

    name = table.take("name", text, None)
    slots = table.need("joints", read_joints)
    sources = table.take("off_path_sources", read_joints, ())
    entries = _drive(table, slots, sources) if slots is not None else None
    home = table.take("home", _home_reader(entries), None)
    tool_offset = table.take("tool_offset", read_transform, None)
    table.finish()
    return ChainSpec(
        joints=tuple(joint for joint in slots if joint),
        off_path_sources=tuple(joint for joint in sources if joint),
        name=name,
        home=home,
        tool_offset=tool_offset,
    )


def _drive(
    table: Table, slots: Sequence[JointSpec | None], sources: Sequence[JointSpec | None]
) -> tuple[JointSpec, ...] | None:
    """Return the joint of each entry of `q`, or None with all mistakes between joints noted in `table`."""
    if not slots:
        table.reject("joints", "got none, expected at least one joint")
        return None
    named = [joint.name or f"joint{i}" for i, joint in enumerate(slots, start=1) if joint]
    counts = Counter([*named, *(joint.name for joint in sources if joint)])
    wrong = [f"the name {name!r} is used {n} times, expected unique names" for name, n in counts.items() if n > 1]
    joints = name_joints(joint for joint in slots if joint)
    others = [joint for joint in sources if joint]
    wrong += ["off_path_sources: got a joint without a name" for joint in others if joint.name is None]
    if not wrong and len(joints) + len(others) == len(slots) + len(sources):
        by_name = {str(joint.name): joint for joint in (*joints, *others)}
        for joint in by_name.values():
            try:
                follow_mimics(joint, by_name)
            except ModelError as error:
                wrong.append(str(error))
        if not wrong:
            try:
                return drive_slots(joints, others)[0]
            except ModelError as error:
                wrong.append(str(error))
    for problem in dict.fromkeys(wrong):
        table.reject("joints", problem)
    return None


def read_joint(value: object, path: str) -> JointSpec:
    """Read a joint; a reader in the sense of :mod:`repose_jit.strict`."""
    table = Table(value, path)
    name = table.take("name", text, None)
    joint_type = table.need("joint_type", choice(list(JointType)))
    translation = table.need("origin_translation", list_of([quantity(LENGTH)] * 3))
    rpy = table.need("origin_rpy", list_of([quantity(ANGLE)] * 3))
    axis = table.take("axis", _read_axis, unit_axis("pos_z", "axis"))
    mimic, limits = None, None
    if joint_type is JointType.FIXED:
        for key in ("mimic", "limits"):
            table.take(key, _refuse("a fixed joint has none"), None)
    else:
        mimic = table.take("mimic", _mimic_reader(joint_type), None)
        limits = table.need("limits", _limits_reader(joint_type))
    table.finish()
    try:
        joint = JointSpec(joint_type, translation, rpy, axis, limits, None, mimic)  # type: ignore[arg-type]
    except ModelError as error:
        raise ConfigError([below(path, str(error))]) from None
    return joint if name is None else joint.renamed(name)


def read_transform(value: object, path: str) -> FloatArray:
    """Read ``{translation, rpy}``, or ``{translation, rotation}`` with a 3 × 3 matrix, as a (4, 4) transform."""
    table = Table(value, path)
    translation = table.need("translation", list_of([quantity(LENGTH)] * 3))
    rows = table.take("rotation", list_of([list_of([number] * 3)] * 3), None)
    if not table.has("rotation"):
        rpy = table.need("rpy", list_of([quantity(ANGLE)] * 3))
    elif table.take("rpy", list_of([quantity(ANGLE)] * 3), None) is not None:
        table.reject("rotation", "got it beside rpy, expected one of the two")
    table.finish()
    T = np.eye(4)
    T[:3, :3] = rotation_from_rpy(rpy) if rows is None else rows
    T[:3, 3] = translation
    try:
        require_rigid(T, name=path)
    except InputError as error:
        raise ConfigError([str(error)]) from None
    return T


def _read_axis(value: object, path: str) -> Vector:
    axis = value if isinstance(value, str) else list_of([number] * 3)(value, path)
    try:
        return unit_axis(axis, path)
    except ModelError as error:
        raise ConfigError([str(error)]) from None


def _mimic_reader(joint_type: JointType | None) -> Reader[JointMimic]:
    def read(value: object, path: str) -> JointMimic:
        table = Table(value, path)
        joint = table.need("joint", text)
        multiplier = table.take("multiplier", number, 1.0)
        offset = table.take("offset", quantity(*POSITION[joint_type]), 0.0)
        table.finish()
        return JointMimic(joint, multiplier, offset)

    return read


def _limits_reader(joint_type: JointType | None) -> Reader[JointLimits]:
    kinds: tuple[LimitKind, ...] = get_args(LimitKind)
    fitting = kinds if joint_type is None else LIMIT_KINDS[joint_type]

    def read(value: object, path: str) -> JointLimits:
        table = Table(value, path)
        found = {kind: table.take(kind, _bounds_reader(kind), None) for kind in kinds}
        written = [kind for kind in kinds if table.has(kind)]
        for kind in written:
            if kind not in fitting:
                table.reject(kind, f"got it on a {joint_type} joint, expected {' or '.join(fitting)}")
        table.finish()
        if len(written) != 1:
            raise ConfigError([f"{path}: got {' and '.join(written) or 'none'}, expected one of {', '.join(fitting)}"])
        return cast(JointLimits, found[written[0]])

    return read


def _bounds_reader(kind: LimitKind) -> Reader[JointLimits]:
    position, speed = LIMIT_QUANTITIES[kind]

    def read(value: object, path: str) -> JointLimits:
        table = Table(value, path)
        lower, upper = -math.inf, math.inf
        if kind != "continuous":
            bound = quantity(position, infinite=kind == "prismatic")
            lower, upper = table.need("lower", bound), table.need("upper", bound)
        max_velocity = table.take("max_velocity", quantity(speed), None)
        table.finish()
        problems: list[str] = []
        # Bounds and speed each on their own first: the constructor stops at the first mistake.
        for parts in ((kind, lower, upper, None), ("continuous", -math.inf, math.inf, max_velocity)):
            try:
                JointLimits(*parts)
            except ModelError as error:
                problems.append(path + str(error).removeprefix("limits"))
        if problems:
            raise ConfigError(problems)
        return JointLimits(kind, lower, upper, max_velocity)

    return read


def _refuse(reason: str) -> Reader[None]:
    def read(value: object, path: str) -> None:
        raise ConfigError([f"{path}: got {shown(value)}, but {reason}"])

    return read


def _home_reader(entries: Sequence[JointSpec] | None) -> Reader[tuple[float, ...]]:
    if entries is None:
        return list_of(quantity(ANGLE, LENGTH))
    return list_of([_value_reader(joint) for joint in entries])


def _value_reader(joint: JointSpec) -> Reader[float]:
    measured, limits = quantity(*POSITION[joint.joint_type]), joint.limits

    def read(value: object, path: str) -> float:
        q = measured(value, path)
        if limits is not None and not limits.lower <= q <= limits.upper:
            raise ConfigError(
                [f"{path}: joint {joint.name!r}: got {q:g}, expected a value in [{limits.lower:g}, {limits.upper:g}]"]
            )
        return q

    return read


def chain_config(spec: ChainSpec) -> dict[str, object]:
    """Return the configuration of a chain: plain JSON values that :func:`read_chain` reads back to the last bit."""
    config: dict[str, object] = {}
    if spec.name is not None:
        config["name"] = spec.name
    if spec.home is not None:
        config["home"] = list(spec.home)
    if spec.tool_offset is not None:
        config["tool_offset"] = _transform_config(spec.tool_offset)
    config["joints"] = [_joint_config(joint) for joint in spec.joints]
    if spec.off_path_sources:
        config["off_path_sources"] = [_joint_config(joint) for joint in spec.off_path_sources]
    return config


def _joint_config(joint: JointSpec) -> dict[str, object]:
    config: dict[str, object] = {} if joint.name is None else {"name": joint.name}
    config["joint_type"] = joint.joint_type.value
    config["origin_translation"] = list(joint.origin_translation)
    config["origin_rpy"] = list(joint.origin_rpy)
    if joint.joint_type is not JointType.FIXED or joint.axis_name != "pos_z":
        config["axis"] = joint.axis_name or joint.axis.tolist()
    if joint.mimic is not None:
        mimic = joint.mimic
        config["mimic"] = {"joint": mimic.joint, "multiplier": mimic.multiplier, "offset": mimic.offset}
    if joint.limits is not None:
        config["limits"] = {joint.limits.kind: _bounds_config(joint.limits)}
    return config


def _bounds_config(limits: JointLimits) -> dict[str, object]:
    config: dict[str, object] = {}
    if limits.kind != "continuous":
        for key, bound in (("lower", limits.lower), ("upper", limits.upper)):
            config[key] = str(bound) if math.isinf(bound) else bound  # JSON has no infinity
    if limits.max_velocity is not None:
        config["max_velocity"] = limits.max_velocity
    return config


def _transform_config(T: FloatArray) -> dict[str, object]:
    rpy = _exact_rpy(T[:3, :3])
    rotation = {"rotation": T[:3, :3].tolist()} if rpy is None else {"rpy": list(rpy)}
    return {"translation": T[:3, 3].tolist(), **rotation}


def _exact_rpy(R: FloatArray) -> Vector | None:
    """Return roll, pitch, yaw that give the rotation `R` back to the last bit, if there are any near the usual ones.

    The angles computed from R miss those it was made from by a rounding or two, and at a pitch of ±90° by more; so
    right angles and the neighbouring floats are tried.
    """
    usual = rpy_from_rotation(R)
    roll, pitch, yaw = map(_neighbours, usual)
    tried = chained([usual], product(RIGHT_ANGLES, RIGHT_ANGLES, RIGHT_ANGLES), product(roll, pitch, yaw))
    return next((rpy for rpy in tried if np.array_equal(rotation_from_rpy(rpy), R)), None)


def _neighbours(value: float) -> list[float]:
    floats = [value]
    for direction in (-math.inf, math.inf):
        once = math.nextafter(value, direction)
        floats += [once, math.nextafter(once, direction)]
    return floats
