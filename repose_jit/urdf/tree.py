"""The plain records that a URDF becomes: links and joints with numbers, and the tree they form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from repose_jit.errors import UnknownNameError
from repose_jit.joints import JointMimic

__all__ = ["CollisionGeometry", "Inertial", "UrdfJoint", "UrdfLink", "UrdfTree"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Inertial:
    """The mass of a link.

    Attributes
    ----------
    mass
        Mass [kg].
    com
        (3,) centre of mass in the link's frame [m].
    inertia
        (3, 3) inertia about the centre of mass, in axes parallel to the link's [kg m²].
    """

    mass: float
    com: FloatArray
    inertia: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class CollisionGeometry:
    """One collision shape of a link, as the file names it; a mesh is referred to, not opened.

    Attributes
    ----------
    shape
        ``"box"``, ``"sphere"``, ``"cylinder"``, ``"capsule"`` or ``"mesh"``.
    size
        Box: lengths along x, y, z [m]; sphere: radius; cylinder, capsule: radius and length along z; mesh: empty.
    filename
        The mesh file as it is written, ``package://`` included; None for other shapes.
    scale
        Factors on the mesh's x, y, z.
    origin
        (4, 4) shape → link.
    """

    shape: str
    size: tuple[float, ...]
    filename: str | None
    scale: tuple[float, float, float]
    origin: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class UrdfLink:
    """A rigid body: its name, its mass if the file tells it, and its collision shapes."""

    name: str
    inertial: Inertial | None
    collisions: tuple[CollisionGeometry, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class UrdfJoint:
    """How a child link sits on and moves relative to its parent link.

    Attributes
    ----------
    name
        Unique in the file.
    joint_type
        ``"revolute"``, ``"continuous"``, ``"prismatic"``, ``"fixed"``, ``"floating"`` or ``"planar"``.
    parent_link, child_link
        Names of the links.
    origin
        (4, 4) child link at rest → parent link; its translation in metres.
    rpy
        Roll, pitch, yaw of the origin [rad] as the file writes them; None if only the matrix is known.
    axis
        (3,) unit vector in the child link's frame; x for joints without one.
    lower, upper
        Position limits [rad or m]; ∓inf where there is none.
    max_velocity
        Largest speed [rad/s or m/s]; None if there is no limit.
    mimic
        The joint that this one follows, if any.
    """

    name: str
    joint_type: str
    parent_link: str
    child_link: str
    origin: FloatArray
    rpy: tuple[float, float, float] | None
    axis: FloatArray
    lower: float
    upper: float
    max_velocity: float | None
    mimic: JointMimic | None

    @property
    def moves(self) -> bool:
        """Whether one number moves the joint: revolute, continuous and prismatic joints."""
        return self.joint_type in ("revolute", "continuous", "prismatic")


@dataclass(frozen=True, kw_only=True, eq=False)
class UrdfTree:
    """A checked robot description: one root, every other link with exactly one parent joint.

    Attributes
    ----------
    name
        The robot's name, empty if the file gives none.
    source
        File name, or what stands for it in messages.
    links, joints
        In the file's order.
    root_link
        The link without a parent joint.
    """

    name: str
    source: str
    links: tuple[UrdfLink, ...]
    joints: tuple[UrdfJoint, ...]
    root_link: str

    @cached_property
    def parent_joints(self) -> Mapping[str, UrdfJoint]:
        """The joint above each link but the root."""
        return {joint.child_link: joint for joint in self.joints}

    @cached_property
    def child_joints(self) -> Mapping[str, tuple[UrdfJoint, ...]]:
        """The joints below each link, in the file's order; empty for leaves."""
        below: dict[str, list[UrdfJoint]] = {link.name: [] for link in self.links}
        for joint in self.joints:
            below[joint.parent_link].append(joint)
        return {link: tuple(joints) for link, joints in below.items()}

    @cached_property
    def joints_in_depth(self) -> tuple[UrdfJoint, ...]:
        """All joints depth-first from the root, siblings in the file's order."""
        found: list[UrdfJoint] = []
        waiting = list(reversed(self.child_joints[self.root_link]))
        while waiting:
            joint = waiting.pop()
            found.append(joint)
            waiting.extend(reversed(self.child_joints[joint.child_link]))
        return tuple(found)

    def leaf_links(self, below: str | None = None) -> tuple[str, ...]:
        """Return the links without child joints at or below a link (the root if left out), in the file's order.

        Raises
        ------
        UnknownNameError
            If there is no link `below`.
        """
        waiting, leaves = [self.require_link("link", self.root_link if below is None else below)], set()
        while waiting:
            link = waiting.pop()
            joints = self.child_joints[link]
            waiting.extend(joint.child_link for joint in joints)
            if not joints:
                leaves.add(link)
        return tuple(link.name for link in self.links if link.name in leaves)

    def require_link(self, kind: str, name: str) -> str:
        """Return `name` if it is a link's.

        Raises
        ------
        UnknownNameError
            If it is not; `kind` says in the message what it should have named, such as ``"tip link"``.
        """
        if not isinstance(name, str) or name not in self.child_joints:
            raise UnknownNameError(kind, name, list(self.child_joints), where=self.source)
        return name

    def joints_to_root(self, link: str) -> list[UrdfJoint]:
        """Return the joints from `link` up to the root, nearest first."""
        path: list[UrdfJoint] = []
        while (joint := self.parent_joints.get(link)) is not None:
            path.append(joint)
            link = joint.parent_link
        return path
