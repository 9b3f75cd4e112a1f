"""A whole robot: the tree of its links and joints, and the serial chains in it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError
from repose_jit.fold import joint_spec, lock_joints
from repose_jit.joints import JointSpec
from repose_jit.mimic import drive_slots
from repose_jit.urdf import UrdfJoint, UrdfLink, UrdfTree, load_urdf
from repose_jit.validation import as_flag

__all__ = ["RobotModel"]

FloatArray = NDArray[np.float64]


class RobotModel:
    """A robot as its URDF describes it; immutable. Make one with :meth:`from_urdf`.

    A configuration `q` has one entry for each of `joint_names`: the joints that move on their own, depth-first from the
    root link, joints on the same link in the file's order. Fixed and locked joints have no entry, nor have mimics, nor
    floating and planar joints, which stay at zero. With a floating base, seven entries come first: position [m] and
    quaternion (x, y, z, w) of the root link in the world.

    Parameters
    ----------
    tree
        The checked description.
    floating_base
        Whether the root link moves freely in the world.
    locked_joints
        Value [rad or m] of each joint that shall not move.
    strict
        If false, a joint may be locked outside its limits, with a warning.

    Raises
    ------
    UnknownNameError, InputError
        If a joint to lock does not exist or cannot be locked at its value, or an option is not True or False.
    ModelError
        If the limits of joints that are driven together exclude one another.
    """

    def __init__(
        self,
        tree: UrdfTree,
        *,
        floating_base: bool = False,
        locked_joints: Mapping[str, float] | None = None,
        strict: bool = True,
    ) -> None:
        if not isinstance(tree, UrdfTree):
            raise InputError(
                f"tree: got {type(tree).__name__}, expected a UrdfTree; RobotModel.from_urdf(...) makes one"
            )
        self._tree = tree
        self._floating_base = as_flag(floating_base, name="floating_base")
        self._locked = lock_joints(tree, locked_joints, strict=strict)
        moving = [joint for joint in tree.joints_in_depth if joint.moves and joint.name not in self._locked]
        self._entries, _ = drive_slots([joint_spec(joint) for joint in moving])
        self._mimic_joints = tuple(joint for joint in moving if joint.mimic is not None)
        self._lower, self._upper, self._velocity = _limits(self._entries)

    @classmethod
    def from_urdf(
        cls,
        source: object,
        *,
        strict: bool = True,
        floating_base: bool = False,
        locked_joints: Mapping[str, float] | None = None,
    ) -> RobotModel:
        """Read a robot from a URDF.

        Parameters
        ----------
        source, strict
            A path, text, or loaded object, and whether to refuse doubtful files; see :func:`repose_jit.urdf.load_urdf`.
        floating_base, locked_joints
            See the class.

        Raises
        ------
        ReposeError
            Any of the errors of `load_urdf` and of the class.
        """
        tree = load_urdf(source, strict=strict)
        return cls(tree, floating_base=floating_base, locked_joints=locked_joints, strict=strict)

    def chain(
        self, base_link: str | None = None, tip_link: str | None = None, *, tool_offset: ArrayLike | None = None
    ) -> KinematicChain:
        """Return the serial chain from one link to another, with this robot's joints locked.

        The chain's limits heed the mimics on its path, those of the model all mimics.

        Parameters
        ----------
        base_link, tip_link
            Any two links: the root, and the only leaf below the base, if left out.
        tool_offset
            (4, 4) tip link → tool; the identity if left out.

        Raises
        ------
        UnknownNameError
            If a link does not exist.
        InputError
            If there are several leaves and no `tip_link`, or `tool_offset` is not rigid.
        ModelError
            If nothing moves between the links, or a floating or planar joint is between them.
        """
        return KinematicChain.from_tree(
            self._tree, base_link=base_link, tip_link=tip_link, tool_offset=tool_offset, locked=self._locked
        )

    @property
    def tree(self) -> UrdfTree:
        """The description that the model was made from."""
        return self._tree

    @property
    def name(self) -> str:
        """The robot's name, empty if the URDF gives none."""
        return self._tree.name

    @property
    def links(self) -> tuple[UrdfLink, ...]:
        """All links, in the file's order."""
        return self._tree.links

    @property
    def joints(self) -> tuple[UrdfJoint, ...]:
        """All joints of whatever type, in the file's order."""
        return self._tree.joints

    @property
    def root_link(self) -> str:
        """The name of the link without a parent."""
        return self._tree.root_link

    @property
    def leaf_links(self) -> tuple[str, ...]:
        """The names of the links without children, in the file's order."""
        return self._tree.leaf_links()

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The name of the joint of each entry of `q`, without the entries of a floating base."""
        return tuple(str(joint.name) for joint in self._entries)

    @property
    def n_joints(self) -> int:
        """The number of joints that have an entry in `q`."""
        return len(self._entries)

    @property
    def mimic_joints(self) -> tuple[UrdfJoint, ...]:
        """The joints that follow another one that moves, depth-first."""
        return self._mimic_joints

    @property
    def locked_joints(self) -> dict[str, float]:
        """The value [rad or m] of each locked joint, and of the mimics that stand still with it."""
        return dict(self._locked)

    @property
    def floating_base(self) -> bool:
        """Whether the root link moves freely in the world."""
        return self._floating_base

    @property
    def nq(self) -> int:
        """The number of entries of `q`: `n_joints`, and 7 more for a floating base."""
        return self.n_joints + (7 if self._floating_base else 0)

    @property
    def nv(self) -> int:
        """The number of velocities: `n_joints`, and 6 more for a floating base."""
        return self.n_joints + (6 if self._floating_base else 0)

    @property
    def lower_limits(self) -> FloatArray:
        """(n_joints,) lower position limits [rad or m], −inf where there is none, mimics' included; read-only."""
        return self._lower

    @property
    def upper_limits(self) -> FloatArray:
        """(n_joints,) upper position limits [rad or m], +inf where there is none, mimics' included; read-only."""
        return self._upper

    @property
    def velocity_limits(self) -> FloatArray:
        """(n_joints,) largest speeds [rad/s or m/s], +inf where there is none, mimics' included; read-only."""
        return self._velocity

    def __setstate__(self, state: dict[str, object]) -> None:
        # An array that is pickled or deep-copied comes back writeable.
        self.__dict__.update(state)
        for array in (self._lower, self._upper, self._velocity):
            array.flags.writeable = False

    def __repr__(self) -> str:
        base = ", floating base" if self._floating_base else ""
        mimics = f", {len(self._mimic_joints)} mimic" if self._mimic_joints else ""
        return f"RobotModel({self.name!r}, {len(self.links)} links, {self.n_joints} joints{mimics}{base})"


def _limits(entries: tuple[JointSpec, ...]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Lower and upper position limits and largest speeds, one entry each."""
    limits = np.empty((3, len(entries)))
    for j, joint in enumerate(entries):
        assert joint.limits is not None  # every joint that moves has some
        speed = joint.limits.max_velocity
        limits[:, j] = joint.limits.lower, joint.limits.upper, np.inf if speed is None else speed
    limits.flags.writeable = False
    lower, upper, velocity = limits
    return lower, upper, velocity
