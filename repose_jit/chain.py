"""A serial chain of joints from a robot's base to its tool, and the arrays that kernels read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.chain_arrays import compile_arrays
from repose_jit.chain_spec import ChainSpec, chain_config, read_chain
from repose_jit.config_file import read_config
from repose_jit.errors import InputError, ModelError, shown
from repose_jit.fold import fold_path, lock_joints, only_leaf
from repose_jit.joints import JointSpec, JointType, name_joints
from repose_jit.kernels.arrays import ChainArrays
from repose_jit.mimic import Drive, drive_slots
from repose_jit.urdf import UrdfTree, load_urdf
from repose_jit.validation import as_configuration, as_one_transform, as_vector, require_finite

__all__ = ["KinematicChain", "read_kinematic_chain", "require_chain"]

FloatArray = NDArray[np.float64]


class KinematicChain:
    """Joints from base to flange, and the fixed transform from the flange to the tool; immutable.

    ``T_base_tool(q) = Π Origin_i · Motion_i(q_i) · ToolOffset``, metres and radians.

    Parameters
    ----------
    joints
        The joints in order, mimic joints in their place. Joints without a name become ``joint1``, ``joint2``, ...
    tool_offset
        (4, 4) last joint frame → tool; the identity if left out.
    name
        Name of the robot, for messages.
    home
        (n,) a configuration within the limits; mid-range if left out, 0 for joints without bounds.
    off_path_sources
        Joints that are not on the chain but that a mimic joint on it follows. Each gets an entry of `q`, at the place
        of the first joint that follows it.

    Raises
    ------
    ModelError
        If names repeat, a mimic has no source, or limits of joints driven together exclude one another.
    ShapeError, InputError
        If `tool_offset` is not a rigid transform, or `home` is not a configuration within the limits.
    """

    def __init__(
        self,
        joints: Iterable[JointSpec],
        *,
        tool_offset: ArrayLike | None = None,
        name: str | None = None,
        home: ArrayLike | None = None,
        off_path_sources: Iterable[JointSpec] = (),
    ) -> None:
        self._slots = name_joints(_joint_list(joints, "joints"))
        self._off_path_sources = _joint_list(off_path_sources, "off_path_sources")
        if name is not None and not (isinstance(name, str) and name):
            raise InputError(f"name: got {shown(name)}, expected a non-empty string or None")
        self._name = name
        tool_offset = np.eye(4) if tool_offset is None else tool_offset
        self._tool_offset = _frozen(as_one_transform(tool_offset, name="tool_offset"))
        self._joints, self._drives = self._drive()
        self._arrays = compile_arrays(self._slots, self._joints, self._drives, self._tool_offset)
        middle = [joint.limits.middle if joint.limits else 0.0 for joint in self._joints]
        given = as_vector(middle if home is None else home, self.n_joints, name="home")
        self._home = _frozen(np.where(self._is_fixed, 0.0, given))
        self._home_given = home is not None
        self.validate()

    @classmethod
    def from_urdf(
        cls,
        source: object,
        *,
        base_link: str | None = None,
        tip_link: str | None = None,
        tool_offset: ArrayLike | None = None,
        locked_joints: Mapping[str, float] | None = None,
        strict: bool = True,
    ) -> KinematicChain:
        """Read the chain between two links of a URDF; fixed joints are folded into the origins and the tool offset.

        Parameters
        ----------
        source, strict
            A path, text, or loaded object, and whether to refuse doubtful files; see :func:`repose_jit.urdf.load_urdf`.
        base_link, tip_link
            Any two links: the root, and the only leaf below the base, if left out.
        tool_offset
            (4, 4) tip link → tool; the identity if left out. The chain's own `tool_offset` also contains the fixed
            joints after the last one that moves.
        locked_joints
            Value [rad or m] of each joint that shall not move; their mimics stand still with them.

        Raises
        ------
        UnknownNameError
            If a link or a joint to lock does not exist.
        InputError
            If there is no such file, there are several leaves and no `tip_link`, a joint cannot be locked at its value,
            or `tool_offset` is not rigid.
        ModelError
            If the URDF makes no kinematic sense, nothing moves between the links, or a floating or planar joint is
            between them.

        Warns
        -----
        UrdfWarning
            Once for each kind of thing that the URDF lacks or has wrong and that was read all the same.
        """
        tree = load_urdf(source, strict=strict)
        locked = lock_joints(tree, locked_joints, strict=strict)
        return cls.from_tree(tree, base_link=base_link, tip_link=tip_link, tool_offset=tool_offset, locked=locked)

    @classmethod
    def from_tree(
        cls,
        tree: UrdfTree,
        *,
        base_link: str | None = None,
        tip_link: str | None = None,
        tool_offset: ArrayLike | None = None,
        locked: Mapping[str, float] | None = None,
    ) -> KinematicChain:
        """Make the chain between two links of a loaded robot; as :meth:`from_urdf`, but `locked` has the mimics too."""
        base = tree.root_link if base_link is None else base_link
        tip = only_leaf(tree, base) if tip_link is None else tip_link
        path = fold_path(tree, base, tip, locked or {})
        tool = path.tool_offset
        if tool_offset is not None:
            tool = tool @ as_one_transform(tool_offset, name="tool_offset")
        return cls(path.joints, tool_offset=tool, name=tree.name or None, off_path_sources=path.off_path_sources)

    def _drive(self) -> tuple[tuple[JointSpec, ...], tuple[Drive, ...]]:
        if not self._slots:
            raise ModelError("joints: got none, expected at least one joint")
        names: set[str] = set()
        for joint in (*self._slots, *self._off_path_sources):
            if joint.name is None:
                raise ModelError(
                    "off_path_sources: got a joint without a name, expected the name that a mimic refers to"
                )
            if joint.name in names:
                raise ModelError(f"joint {joint.name!r}: the name is used twice, expected unique names")
            names.add(joint.name)
        return drive_slots(self._slots, self._off_path_sources)

    def validate(self) -> None:
        """Check the chain as a whole; construction has done so already, so a chain you hold passes.

        Raises
        ------
        InputError
            If the home configuration is outside the limits.
        """
        for i, (value, joint) in enumerate(zip(self._home.tolist(), self._joints, strict=True)):
            if joint.limits is not None and not joint.limits.lower <= value <= joint.limits.upper:
                raise InputError(
                    f"home[{i}]: joint {joint.name!r}: got {value:g}, "
                    f"expected a value within [{joint.limits.lower:g}, {joint.limits.upper:g}]"
                )

    @property
    def joints(self) -> tuple[JointSpec, ...]:
        """One joint for each entry of `q`; its limits also keep the joints that follow it within theirs."""
        return self._joints

    @property
    def slots(self) -> tuple[JointSpec, ...]:
        """All joints on the path in order, mimic joints included, as they were given."""
        return self._slots

    @property
    def mimic_joints(self) -> tuple[JointSpec, ...]:
        """The joints on the path that follow another one and have no entry in `q`."""
        return tuple(joint for joint in self._slots if joint.mimic is not None)

    @property
    def off_path_sources(self) -> tuple[JointSpec, ...]:
        """The joints that drive mimics on the path without being on it."""
        return self._off_path_sources

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The name of the joint of each entry of `q`."""
        return tuple(str(joint.name) for joint in self._joints)

    @property
    def n_joints(self) -> int:
        """The number of entries of `q`."""
        return len(self._joints)

    @property
    def name(self) -> str | None:
        """The robot's name, if it has one."""
        return self._name

    @property
    def tool_offset(self) -> FloatArray:
        """(4, 4) last joint frame → tool; read-only."""
        return self._tool_offset

    @property
    def home(self) -> FloatArray:
        """(n,) the home configuration [rad or m]; read-only."""
        return self._home

    @property
    def lower_limits(self) -> FloatArray:
        """(n,) lower position limits [rad or m]: −inf where there is none, 0 for fixed joints; read-only."""
        lower: FloatArray = self._arrays.limits[0]
        return lower

    @property
    def upper_limits(self) -> FloatArray:
        """(n,) upper position limits [rad or m]: +inf where there is none, 0 for fixed joints; read-only."""
        upper: FloatArray = self._arrays.limits[1]
        return upper

    @property
    def arrays(self) -> ChainArrays:
        """The chain as the flat read-only arrays that kernels take."""
        return self._arrays

    def is_within_limits(self, q: ArrayLike) -> bool | NDArray[np.bool_]:
        """Tell whether configurations are inside the position limits (bounds included).

        Parameters
        ----------
        q
            (..., n) configurations [rad or m]; entries of fixed joints are ignored.

        Returns
        -------
        bool or array
            A bool for one configuration, a boolean array (...) for a batch.

        Raises
        ------
        ShapeError, InputError
            If the last dimension is not n, or an entry is not a finite number.
        """
        array = as_configuration(q, self.n_joints)
        require_finite(array, name="q")
        inside = (array >= self.lower_limits) & (array <= self.upper_limits) | self._is_fixed
        return bool(inside.all()) if array.ndim == 1 else np.all(inside, axis=-1)

    def clamp_to_limits(self, q: ArrayLike) -> FloatArray:
        """Return a copy of `q` (..., n) with every entry moved into its limits; entries of fixed joints become 0.

        Raises
        ------
        ShapeError, InputError
            If the last dimension is not n, or an entry is not a finite number.
        """
        array = as_configuration(q, self.n_joints)
        require_finite(array, name="q")
        return np.clip(array, self.lower_limits, self.upper_limits)

    def with_tool_offset(self, tool_offset: ArrayLike) -> KinematicChain:
        """Return a chain with another tool: `tool_offset` (4, 4), last joint frame → tool, replaces the present one.

        Raises
        ------
        ShapeError, InputError
            If it is not a rigid transform.
        """
        return KinematicChain(
            self._slots,
            tool_offset=tool_offset,
            name=self._name,
            home=self._home if self._home_given else None,
            off_path_sources=self._off_path_sources,
        )

    @classmethod
    def from_config(cls, source: Mapping[str, object] | str | PathLike[str]) -> KinematicChain:
        """Build a chain from a dict, or from a ``.toml`` or ``.json`` file.

        Numbers are SI; strings with a unit (``"90deg"``, ``"150mm"``) stand wherever a length, angle or speed does.

        Raises
        ------
        ConfigError
            With every mistake found: unknown keys at any depth, types, units, and what makes no kinematic sense.

        Examples
        --------
        >>> chain = KinematicChain.from_config(
        ...     {
        ...         "joints": [
        ...             {
        ...                 "joint_type": "prismatic",
        ...                 "origin_translation": [0, 0, "150mm"],
        ...                 "origin_rpy": [0, "90deg", 0],
        ...                 "limits": {"prismatic": {"lower": 0, "upper": "40cm"}},
        ...             }
        ...         ]
        ...     }
        ... )
        >>> chain.home
        array([0.2])
        """
        return read_config(source, read_kinematic_chain)

    def to_config(self) -> dict[str, object]:
        """Return the chain as plain JSON values; :meth:`from_config` gives an equal chain, floats to the last bit."""
        is_identity = np.array_equal(self._tool_offset, np.eye(4))
        spec = ChainSpec(
            joints=self._slots,
            off_path_sources=self._off_path_sources,
            name=self._name,
            home=tuple(self._home.tolist()) if self._home_given else None,
            tool_offset=None if is_identity else self._tool_offset,
        )
        return chain_config(spec)

    @cached_property
    def _is_fixed(self) -> NDArray[np.bool_]:
        return np.array([joint.joint_type is JointType.FIXED for joint in self._joints])

    def _key(self) -> tuple[object, ...]:
        return (self._name, self._slots, self._off_path_sources, self._tool_offset.tobytes(), self._home.tobytes())

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, KinematicChain) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[object, ...]:
        home = self._home if self._home_given else None
        return (_rebuild, (self._slots, self._tool_offset, self._name, home, self._off_path_sources))

    def __repr__(self) -> str:
        mimics = f", {len(self.mimic_joints)} mimic" if self.mimic_joints else ""
        name = f"{self._name!r}, " if self._name else ""
        return f"KinematicChain({name}{self.n_joints} joints: {', '.join(self.joint_names)}{mimics})"


def require_chain(chain: object) -> None:
    """Raise InputError unless `chain` is a KinematicChain."""
    if not isinstance(chain, KinematicChain):
        hint = f"; rj.resolve_chain({shown(chain)}) makes one" if isinstance(chain, str) else ""
        raise InputError(f"chain: got {type(chain).__name__}, expected a KinematicChain{hint}")


def read_kinematic_chain(value: object, path: str = "") -> KinematicChain:
    """Read a chain; a reader in the sense of :mod:`repose_jit.strict`, for configurations that contain one.

    Raises
    ------
    ConfigError
        With every mistake found.
    """
    spec = read_chain(value, path)
    return KinematicChain(
        spec.joints,
        tool_offset=spec.tool_offset,
        name=spec.name,
        home=spec.home,
        off_path_sources=spec.off_path_sources,
    )


def _rebuild(
    slots: tuple[JointSpec, ...],
    tool_offset: FloatArray,
    name: str | None,
    home: FloatArray | None,
    off_path_sources: tuple[JointSpec, ...],
) -> KinematicChain:
    return KinematicChain(slots, tool_offset=tool_offset, name=name, home=home, off_path_sources=off_path_sources)


def _joint_list(joints: Iterable[JointSpec], where: str) -> tuple[JointSpec, ...]:
    if isinstance(joints, str | Mapping) or not isinstance(joints, Iterable):
        raise InputError(f"{where}: got {type(joints).__name__}, expected a list of JointSpec")
    try:
        result = tuple(joints)
    except TypeError:  # a zero-dimensional array calls itself iterable
        raise InputError(f"{where}: got {type(joints).__name__}, expected a list of JointSpec") from None
    for i, joint in enumerate(result):
        if not isinstance(joint, JointSpec):
            raise InputError(f"{where}[{i}]: got {type(joint).__name__}, expected a JointSpec")
    return result


def _frozen(array: FloatArray) -> FloatArray:
    frozen = array + 0.0  # a copy, and −0.0 becomes 0.0: chains that are equal in value have equal bytes
    frozen.flags.writeable = False
    return frozen
