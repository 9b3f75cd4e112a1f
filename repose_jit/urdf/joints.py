"""Joints of a URDF: from its XML to XML that urchin reads right, and from urchin's joints to plain records."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from repose_jit.errors import InputError, nearest_names
from repose_jit.joints import JointMimic
from repose_jit.urdf.checks import JointNames
from repose_jit.urdf.findings import Findings, Note
from repose_jit.urdf.links import origin_from_xml
from repose_jit.urdf.tree import UrdfJoint
from repose_jit.urdf.xml import attribute, numbers, place
from repose_jit.validation import require_rigid

__all__ = ["clean_joint", "joint_from_object", "names_from_object", "names_from_xml", "with_written_rpy"]

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
MOVING = frozenset({"revolute", "continuous", "prismatic"})


def names_from_xml(element: ET.Element, findings: Findings) -> JointNames:
    """Read the names in a joint element: its own, its type's, its links', its mimic source's.

    Raises
    ------
    ModelError
        If one is missing, the type is unknown, or a child element is there twice.
    """
    name = attribute(element, "name", "a joint", findings)
    where = place(element)
    tags = [child.tag for child in element]
    for tag in tags:
        if tags.count(tag) > 1:
            raise findings.error(f"{where}: got {tags.count(tag)} <{tag}> elements, expected one")
    joint_type = attribute(element, "type", where, findings)
    if joint_type not in JOINT_TYPES:
        raise findings.error(f"{where}: type: got {joint_type!r}; {nearest_names(joint_type, JOINT_TYPES, most=6)}")
    ends = [element.find("parent"), element.find("child")]
    for tag, end in zip(("parent", "child"), ends, strict=True):
        if end is None:
            raise findings.error(f"{where}: got no <{tag}>, expected one")
    parent, child = (attribute(end, "link", where, findings) for end in ends if end is not None)
    mimic = element.find("mimic")
    source = None if mimic is None else attribute(mimic, "joint", where, findings)
    return _with_meant_mimic(JointNames(name, joint_type, parent, child, source), findings)


def names_from_object(joint: Any, findings: Findings) -> JointNames:
    """Take the same names from a joint of a loaded object."""
    source = None if joint.mimic is None else joint.mimic.joint
    names = JointNames(joint.name, joint.joint_type, joint.parent, joint.child, source)
    return _with_meant_mimic(names, findings)


def _with_meant_mimic(joint: JointNames, findings: Findings) -> JointNames:
    """Drop a mimic from a fixed joint, where it means nothing, and refuse it on joints that it cannot move."""
    if joint.joint_type == "fixed":
        return joint._replace(source=None)
    if joint.source is not None and joint.joint_type not in MOVING:
        raise findings.error(
            f"joint {joint.name!r}: mimic: got one on a {joint.joint_type} joint, which one number cannot move"
        )
    return joint


def clean_joint(element: ET.Element, names: JointNames, findings: Findings) -> ET.Element:
    """Write a joint anew so that urchin understands it as it is meant.

    urchin takes an axis shorter than 1e-4 for x, misreads or refuses comma-separated numbers, fails without velocity
    and effort; so axes are normalised, numbers written plainly, and 0 stands for what a limit lacks.

    Raises
    ------
    ModelError
        For malformed or non-finite numbers, and for a zero axis of a joint that moves.
    """
    where = place(element)
    joint = ET.Element("joint", name=names.name, type=names.joint_type)
    ET.SubElement(joint, "parent", link=names.parent)
    ET.SubElement(joint, "child", link=names.child)
    xyz, rpy = origin_from_xml(element, where, findings)
    ET.SubElement(joint, "origin", xyz=_text(xyz), rpy=_text(rpy))
    if names.joint_type not in MOVING:
        return joint
    axis = element.find("axis")
    if axis is not None:
        values = numbers(attribute(axis, "xyz", where, findings), 3, f"{where}: axis", findings)
        ET.SubElement(joint, "axis", xyz=_text(_unit(values, where, findings)))
    given = element.find("limit")
    limit = ET.SubElement(joint, "limit", effort="0", velocity="0")
    for key in ("lower", "upper", "velocity"):
        text = None if given is None else given.get(key)
        if text is not None:
            limit.set(key, _text(numbers(text, 1, f"{where}: limit.{key}", findings, infinite=True)))
    mimic = element.find("mimic")
    if mimic is not None and names.source is not None:
        copy = ET.SubElement(joint, "mimic", joint=names.source)
        for key in ("multiplier", "offset"):
            text = mimic.get(key)
            if text is not None:
                copy.set(key, _text(numbers(text, 1, f"{where}: mimic.{key}", findings)))
    return joint


def joint_from_object(joint: Any, names: JointNames, findings: Findings) -> UrdfJoint:
    """Convert and check a joint of a loaded ``urchin.URDF`` or ``urdfpy.URDF``.

    Raises
    ------
    ModelError
        If the origin is not rigid, the axis is zero or not finite, or the limits contradict themselves; in strict mode
        also if position limits are missing.
    """
    where = f"joint {names.name!r}"
    origin = np.array(joint.origin, np.float64)
    if origin.shape != (4, 4):
        raise findings.error(f"{where}: origin: got shape {origin.shape}, expected (4, 4)")
    try:
        require_rigid(origin, name=f"{findings.where}: {where}: origin")
    except InputError as error:
        raise findings.error(str(error).removeprefix(f"{findings.where}: ")) from None
    moves = names.joint_type in MOVING
    axis = np.array(_unit(joint.axis, where, findings) if moves else (1.0, 0.0, 0.0))
    origin.flags.writeable = axis.flags.writeable = False
    lower, upper, max_velocity = -math.inf, math.inf, None
    if moves:
        lower, upper = _bounds(joint.limit, names.joint_type, where, findings)
        max_velocity = _max_velocity(joint.limit, where, findings)
    mimic = None
    if moves and names.source is not None:
        multiplier, offset = float(joint.mimic.multiplier), float(joint.mimic.offset)
        for key, value in (("multiplier", multiplier), ("offset", offset)):
            if not math.isfinite(value):
                raise findings.error(f"{where}: mimic.{key}: got {value}, expected a finite number")
        mimic = JointMimic(names.source, multiplier, offset)
    return UrdfJoint(
        name=names.name,
        joint_type=names.joint_type,
        parent_link=names.parent,
        child_link=names.child,
        origin=origin,
        rpy=None,
        axis=axis,
        lower=lower,
        upper=upper,
        max_velocity=max_velocity,
        mimic=mimic,
    )


def _bounds(limit: Any, joint_type: str, where: str, findings: Findings) -> tuple[float, float]:
    if joint_type == "continuous":
        return -math.inf, math.inf
    lower, upper = (None, None) if limit is None else (limit.lower, limit.upper)
    if lower is None and upper is None:
        problem = f"{where}: got no limit.lower and limit.upper, which a {joint_type} joint needs"
        if joint_type == "revolute":
            problem += ' (type="continuous" if it turns without end)'
        findings.tolerate(Note.NO_BOUNDS, where, problem)
        return -math.inf, math.inf
    if lower is None or upper is None:
        findings.note(Note.ONE_BOUND, where)
    lower, upper = float(lower or 0.0), float(upper or 0.0)
    if math.isnan(lower) or math.isnan(upper):
        raise findings.error(f"{where}: limit: got lower {lower} and upper {upper}, expected numbers")
    if lower > upper:
        raise findings.error(f"{where}: limit: got lower {lower:g} > upper {upper:g}, expected lower ≤ upper")
    # Half-open intervals mean something for a slide only.
    if lower == math.inf or upper == -math.inf or (joint_type == "revolute" and math.isinf(lower) != math.isinf(upper)):
        raise findings.error(f"{where}: limit: got lower {lower:g} and upper {upper:g}, expected finite numbers")
    return lower, upper


def _max_velocity(limit: Any, where: str, findings: Findings) -> float | None:
    velocity = 0.0 if limit is None else float(limit.velocity)
    if math.isnan(velocity) or velocity < 0.0:
        raise findings.error(f"{where}: limit.velocity: got {velocity:g}, expected a number > 0")
    if velocity == 0.0:
        findings.note(Note.NO_VELOCITY, where)
    return velocity if 0.0 < velocity < math.inf else None


def _unit(axis: Sequence[float], where: str, findings: Findings) -> list[float]:
    values = [float(value) for value in axis]
    largest = max(map(abs, values))
    if not all(map(math.isfinite, values)) or largest == 0.0:
        raise findings.error(f"{where}: axis: got {values}, expected a vector with a direction")
    # Divided by the largest entry first, so that neither 1e-200 nor 1e200 leaves the range of squares.
    scaled = [value / largest for value in values]
    norm = math.hypot(*scaled)
    # What is a unit vector already stays as it is to the last bit.
    return values if abs(norm * largest - 1.0) < 4e-16 else [value / norm for value in scaled]


def with_written_rpy(joint: UrdfJoint, element: ET.Element) -> UrdfJoint:
    """Return `joint` with the roll, pitch, yaw that :func:`clean_joint` wrote; urchin keeps only their matrix."""
    roll, pitch, yaw = (float(word) for origin in element.iter("origin") for word in origin.attrib["rpy"].split())
    return replace(joint, rpy=(roll, pitch, yaw))


def _text(values: Sequence[float]) -> str:
    return " ".join(map(repr, values))
