"""Masses and collision shapes of links, from XML or from a loaded object; meshes are never opened."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.joints import rotation_from_rpy
from repose_jit.urdf.findings import Findings, Note
from repose_jit.urdf.tree import CollisionGeometry, Inertial, UrdfLink
from repose_jit.urdf.xml import NotNumbersError, attribute, numbers, place

__all__ = ["link_from_object", "link_from_xml", "origin_from_xml"]

FloatArray = NDArray[np.float64]
Record = TypeVar("Record")

SIZES = {"box": (("size", 3),), "sphere": (("radius", 1),), "cylinder": (("radius", 1), ("length", 1))}
SIZES["capsule"] = SIZES["cylinder"]


def link_from_xml(element: ET.Element, findings: Findings) -> UrdfLink:
    """Read a link; what is incomplete in its mass or shapes is left out with a note, since kinematics needs neither.

    Raises
    ------
    ModelError
        If it has no name, or contains NaN or infinite numbers.
    """
    name = attribute(element, "name", "a link", findings)

    def read(reader: Callable[[ET.Element, str, Findings], Record], part: ET.Element, note: Note) -> Record | None:
        try:
            return reader(part, f"{place(element)}: {part.tag}", findings)
        except NotNumbersError:
            findings.note(note, place(element))
            return None

    inertial = element.find("inertial")
    shapes = [read(_collision, part, Note.COLLISION) for part in element.findall("collision")]
    return UrdfLink(
        name=name,
        inertial=None if inertial is None else read(_inertial, inertial, Note.INERTIAL),
        collisions=tuple(shape for shape in shapes if shape is not None),
    )


def origin_from_xml(element: ET.Element, where: str, findings: Findings) -> tuple[list[float], list[float]]:
    """Return xyz [m] and rpy [rad] of an element's ``origin`` child, zeros where it says nothing.

    Raises
    ------
    NotNumbersError, ModelError
        See :func:`repose_jit.urdf.xml.numbers`.
    """
    origin = element.find("origin")
    if origin is None:
        return [0.0] * 3, [0.0] * 3
    xyz, rpy = (numbers(origin.get(key, "0 0 0"), 3, f"{where}: origin.{key}", findings) for key in ("xyz", "rpy"))
    return xyz, rpy


def link_from_object(link: Any) -> UrdfLink:
    """Convert a link of a loaded ``urchin.URDF`` or ``urdfpy.URDF``."""
    return UrdfLink(
        name=link.name,
        inertial=_inertial_from_object(link.inertial),
        collisions=tuple(_collision_from_object(collision) for collision in link.collisions),
    )


def _inertial(element: ET.Element, where: str, findings: Findings) -> Inertial:
    xyz, rpy = origin_from_xml(element, where, findings)
    mass, inertia = element.find("mass"), element.find("inertia")
    if mass is None or inertia is None:
        raise NotNumbersError(where)
    (m,) = numbers(mass.get("value", ""), 1, f"{where}: mass", findings)
    xx, xy, xz, yy, yz, zz = (
        numbers(inertia.get(key, ""), 1, f"{where}: {key}", findings)[0]
        for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    return _turned(m, xyz, rotation_from_rpy(rpy), [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _turned(mass: float, com: ArrayLike, R: FloatArray, inertia: ArrayLike) -> Inertial:
    with np.errstate(over="ignore", invalid="ignore"):
        about_com = R @ np.asarray(inertia, np.float64) @ R.T
    return Inertial(mass=float(mass), com=_frozen(com), inertia=_frozen(about_com))


def _collision(element: ET.Element, where: str, findings: Findings) -> CollisionGeometry:
    xyz, rpy = origin_from_xml(element, where, findings)
    geometry = element.find("geometry")
    if geometry is None or len(geometry) != 1:
        raise NotNumbersError(where)
    shape = geometry[0]
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation_from_rpy(rpy), xyz
    size: list[float] = []
    for key, count in SIZES.get(shape.tag, ()):
        size += numbers(shape.get(key, ""), count, f"{where}: {shape.tag}.{key}", findings)
    if shape.tag != "mesh":
        return _shape(shape.tag, size, None, (1, 1, 1), T)
    if not shape.get("filename"):
        raise NotNumbersError(where)
    scale = numbers(shape.get("scale", "1 1 1"), 3, f"{where}: mesh.scale", findings)
    return _shape("mesh", (), shape.get("filename"), scale, T)


def _shape(shape: str, size: Any, filename: str | None, scale: Any, origin: ArrayLike) -> CollisionGeometry:
    x, y, z = (float(factor) for factor in scale)
    sizes = tuple(float(length) for length in size)
    return CollisionGeometry(shape=shape, size=sizes, filename=filename, scale=(x, y, z), origin=_frozen(origin))


def _inertial_from_object(inertial: Any) -> Inertial | None:
    # The libraries put this in the place of inertial data that the file does not have.
    made_up = inertial.mass == 1.0 and np.array_equal(inertial.inertia, np.eye(3))
    if made_up and np.array_equal(inertial.origin, np.eye(4)):
        return None
    return _turned(inertial.mass, inertial.origin[:3, 3], inertial.origin[:3, :3], inertial.inertia)


def _collision_from_object(collision: Any) -> CollisionGeometry:
    geometry, origin = collision.geometry, collision.origin
    if geometry.box is not None:
        return _shape("box", geometry.box.size, None, (1, 1, 1), origin)
    if geometry.sphere is not None:
        return _shape("sphere", (geometry.sphere.radius,), None, (1, 1, 1), origin)
    if geometry.cylinder is not None:
        cylinder = geometry.cylinder
        return _shape("cylinder", (cylinder.radius, cylinder.length), None, (1, 1, 1), origin)
    mesh = geometry.mesh
    return _shape("mesh", (), mesh.filename, (1, 1, 1) if mesh.scale is None else mesh.scale, origin)


def _frozen(values: ArrayLike) -> FloatArray:
    array = np.array(values, np.float64)
    array.flags.writeable = False
    return array
