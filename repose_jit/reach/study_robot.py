"""The robot of a study file: a preset, a URDF or a chain, with its tool."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain, read_kinematic_chain
from repose_jit.chain_spec import read_transform
from repose_jit.config_file import file_reader, read_config
from repose_jit.errors import ConfigError, ReposeError, UnknownNameError, shown
from repose_jit.fold import lock_joints
from repose_jit.robots import RobotPreset, preset
from repose_jit.strict import Reader, Table, quantity, text
from repose_jit.units import ANGLE, LENGTH
from repose_jit.urdf import UrdfTree, load_urdf

__all__ = ["robot_reader"]

FloatArray = NDArray[np.float64]


def robot_reader(directory: Path) -> Reader[KinematicChain]:
    """Return a reader of ``[robot]``."""

    def read(value: object, path: str) -> KinematicChain:
        table = Table(value, path)
        sources = {
            "preset": table.take("preset", _read_preset, None),
            "urdf": table.take("urdf", file_reader(directory, must_exist=True), None),
            "chain": table.take("chain", _chain_reader(directory), None),
        }
        links = {name: table.take(name, text, None) for name in ("base_link", "tip_link")}
        tool_offset = table.take("tool_offset", read_transform, None)
        locked = table.take("locked_joints", _read_table, {})
        given = [name for name in sources if table.has(name)]
        if len(given) != 1:
            table.problems.append(
                f"{path}: got {' and '.join(given) or 'no robot'}, expected one of preset, urdf, chain"
            )
        if given and given != ["urdf"]:
            for name in ("base_link", "tip_link", "locked_joints"):
                if table.has(name):
                    table.reject(
                        name, f"got it beside {given[0]}, expected a urdf: only that has links and more joints"
                    )
        table.finish()
        if (urdf := sources["urdf"]) is not None:
            assert isinstance(urdf, Path)
            return _read_urdf(urdf, path, links=links, tool_offset=tool_offset, locked=locked)
        chain = sources["preset"] or sources["chain"]
        assert isinstance(chain, KinematicChain)
        return chain if tool_offset is None else chain.with_tool_offset(tool_offset)

    return read


def _read_urdf(
    urdf: Path,
    path: str,
    *,
    links: Mapping[str, str | None],
    tool_offset: FloatArray | None,
    locked: Mapping[str, object],
) -> KinematicChain:
    try:
        tree = load_urdf(urdf)
        values = lock_joints(tree, _read_locked(locked, f"{path}.locked_joints", tree))
        return KinematicChain.from_tree(tree, **links, tool_offset=tool_offset, locked=values)
    except ConfigError:
        raise
    except ReposeError as error:
        raise ConfigError([_of_urdf(error, path)]) from None


def _of_urdf(error: ReposeError, path: str) -> str:
    """Return the message of an error of a URDF, after the key that has to be changed."""
    message = str(error).replace("(strict=False:", "(repose-jit convert --no-strict makes a chain file:")
    if isinstance(error, UnknownNameError):
        key = {"base link": "base_link", "tip link": "tip_link", "joint": "locked_joints"}.get(error.kind, "urdf")
        return f"{path}.{key}: {message}"
    is_placed = message.startswith(("base_link", "tip_link", "locked_joints"))
    return f"{path}.{message}" if is_placed else f"{path}.urdf: {message}"


def _read_preset(value: object, path: str) -> KinematicChain:
    name = text(value, path)
    if name not in RobotPreset.names() and Path(name).suffix:
        raise ConfigError(
            [f"{path}: got the file {shown(name)}, expected the name of a preset; a file goes to urdf or chain"]
        )
    return preset(name).chain()


def _chain_reader(directory: Path) -> Reader[KinematicChain]:
    read_file = file_reader(directory)

    def read(value: object, path: str) -> KinematicChain:
        if isinstance(value, Mapping):
            return read_kinematic_chain(value, path)
        if isinstance(value, str) and value in RobotPreset.names() and not (directory / value).exists():
            raise ConfigError([f"{path}: got {shown(value)}, the name of a preset; expected it in preset"])
        return read_config(read_file(value, path), read_kinematic_chain)

    return read


def _read_table(value: object, path: str) -> dict[str, object]:
    Table(value, path)
    return dict(value)  # type: ignore[call-overload, no-any-return]


def _read_locked(locked: Mapping[str, object], path: str, tree: UrdfTree) -> dict[str, float]:
    """Return the values of joints to lock: each in the unit of its joint."""
    measured = {joint.name: LENGTH if joint.joint_type == "prismatic" else ANGLE for joint in tree.joints}
    table = Table(locked, path)
    # A joint that is not there is found, with the nearest names, when it is locked.
    values = {name: table.need(name, quantity(measured.get(name, ANGLE))) for name in locked}
    table.finish()
    return values
