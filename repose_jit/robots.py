"""Robots by name: presets that come with the package, and whatever else a configuration may say for a robot."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path

from repose_jit.chain import KinematicChain, read_kinematic_chain
from repose_jit.chain_spec import read_transform
from repose_jit.config_file import is_file_name, read_config
from repose_jit.errors import ConfigError, ModelError, UnknownNameError, shown
from repose_jit.records import record
from repose_jit.strict import Reader, Table, choice, integer
from repose_jit.validation import as_integer

__all__ = ["Provenance", "RobotPreset", "igus_rebel_chain", "preset", "read_robot", "resolve_chain"]

# In a wheel the presets lie in the package; in the repository, and so in an editable install, beside it.
PACKAGE = Path(__file__).resolve().parent
PRESETS = next(
    (path for path in (PACKAGE / "presets", PACKAGE.parent / "presets") if path.is_dir()), PACKAGE / "presets"
)


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where the numbers of a preset come from.

    Attributes
    ----------
    maker, model
        Who makes the robot, and what it is called.
    source
        The file, package or data sheet that the numbers were taken from.
    licence
        Of that source.
    retrieved
        The day it was read.
    notes
        What a user should know, for example where sources disagree.
    """

    maker: str
    model: str
    source: str
    licence: str
    retrieved: date
    notes: str = ""


@dataclass(frozen=True, kw_only=True)
class RobotPreset:
    """A robot that comes with the package; get one with :func:`preset`.

    Attributes
    ----------
    name
        The name it is asked for by.
    dof
        The number of entries of `q`.
    provenance
        Where its numbers come from.
    """

    name: str
    dof: int
    provenance: Provenance
    _chain: KinematicChain = field(repr=False)

    @staticmethod
    def names() -> tuple[str, ...]:
        """Return the names of all presets in alphabetical order; no file is opened."""
        return _names()

    def chain(self, expected_dof: int | None = None) -> KinematicChain:
        """Return the robot's chain.

        Parameters
        ----------
        expected_dof
            The number of joints that the caller's code is written for, if it is for one number only.

        Raises
        ------
        ModelError
            If the robot has another number of joints.
        InputError
            If `expected_dof` is not an integer.
        """
        if expected_dof is not None and as_integer(expected_dof, name="expected_dof") != self.dof:
            raise ModelError(f"preset {self.name!r}: got {self.dof} joints, expected {shown(expected_dof)}")
        return self._chain


def preset(name: str) -> RobotPreset:
    """Return the preset of that name.

    Raises
    ------
    UnknownNameError
        If there is none, with the nearest names.

    Examples
    --------
    >>> robot = preset("igus_rebel")
    >>> robot.dof, robot.provenance.maker
    (6, 'igus')
    >>> robot.chain(expected_dof=6).joint_names
    ('joint1', 'joint2', 'joint3', 'joint4', 'joint5', 'joint6')
    """
    names = RobotPreset.names()
    if not isinstance(name, str) or name not in names:
        raise UnknownNameError("robot preset", name, names)
    return _load(name)


def igus_rebel_chain() -> KinematicChain:
    """Return the chain of the igus ReBeL, six revolute joints; the tool is the frame of the last one."""
    return preset("igus_rebel").chain(6)


def resolve_chain(spec: str | os.PathLike[str] | Mapping[str, object] | KinematicChain) -> KinematicChain:
    """Return the chain that a configuration or a user means.

    Parameters
    ----------
    spec
        The name of a preset, the path of a ``.toml`` or ``.json`` file, the keys of a chain as a dict, or a chain,
        which is returned as it is. A preset wins over a file of the same name; ``"./name"`` is always a file.

    Raises
    ------
    UnknownNameError
        If it is a name of neither a preset nor a file, with the nearest presets.
    ConfigError
        If the file or the dict does not describe a chain, with every mistake.
    """
    if isinstance(spec, KinematicChain):
        return spec
    if isinstance(spec, str):
        if spec in RobotPreset.names():
            return preset(spec).chain()
        if not is_file_name(spec):
            raise UnknownNameError("robot preset or file", spec, RobotPreset.names())
    elif not isinstance(spec, Mapping | os.PathLike):
        raise ConfigError([f"chain: got {shown(spec)}, expected the name of a preset, a dict, or the path of a file"])
    return read_config(spec, read_kinematic_chain)


def read_robot(table: Table) -> KinematicChain:
    """Read the keys of a task that say which robot: ``chain``, required, and ``tool_offset``, which replaces its own.

    The caller reads its other keys from the same table and then calls ``table.finish()``; until that has passed, the
    result may be None.

    Examples
    --------
    >>> table = Table({"chain": "igus_rebel", "tool_offset": {"translation": [0, 0, "5cm"], "rpy": [0, 0, 0]}})
    >>> chain = read_robot(table)
    >>> table.finish()
    >>> chain.tool_offset[2, 3]
    np.float64(0.05)
    """
    chain = table.need("chain", _read_any_chain)
    tool_offset = table.take("tool_offset", read_transform, None)
    return chain if chain is None or tool_offset is None else chain.with_tool_offset(tool_offset)


def _read_any_chain(value: object, path: str) -> KinematicChain:
    return read_kinematic_chain(value, path) if isinstance(value, Mapping) else resolve_chain(value)  # type: ignore[arg-type]


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in PRESETS.glob("*.toml")))


@cache
def _load(name: str) -> RobotPreset:
    return read_config(PRESETS / f"{name}.toml", _preset_reader(name))


def _preset_reader(name: str) -> Reader[RobotPreset]:
    def read_named_chain(value: object, path: str) -> KinematicChain:
        return read_kinematic_chain({"name": name, **value} if isinstance(value, Mapping) else value, path)

    def read(value: object, path: str) -> RobotPreset:
        table = Table(value, path)
        table.need("name", choice([name]))
        dof = table.need("dof", integer)
        provenance = table.need("provenance", record(Provenance))
        chain = table.need("chain", read_named_chain)
        if chain is not None and dof is not None and dof != chain.n_joints:
            table.reject("dof", f"got {dof}, expected {chain.n_joints}: the number of joints of the chain")
        table.finish()
        return RobotPreset(name=name, dof=dof, provenance=provenance, _chain=chain)

    return read
