"""Configurations as people and files write them: angles in radians or degrees, columns in any order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from repose_jit.cli.numeric_input import data_name, read_data
from repose_jit.errors import InputError, ShapeError, nearest_names, shown
from repose_jit.joints import JointType
from repose_jit.tables import Table
from repose_jit.validation import as_configuration, require_finite

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from repose_jit.chain import KinematicChain

    FloatArray = NDArray[np.float64]

__all__ = ["joint_units", "one_configuration", "printed", "read_configurations"]

UNITS = {"rad": False, "deg": True}


def joint_units(chain: KinematicChain, *, degrees: bool) -> tuple[str, ...]:
    """Return the unit in which each entry of `q` is read and printed."""
    angle = "deg" if degrees else "rad"
    return tuple("m" if joint.joint_type is JointType.PRISMATIC else angle for joint in chain.joints)


def printed(chain: KinematicChain, q: FloatArray, *, degrees: bool) -> FloatArray:
    """Return `q` (..., n) [rad or m] in the units of :func:`joint_units`."""
    return q / _radians_per_unit(chain, degrees)


def one_configuration(chain: KinematicChain, numbers: Sequence[float], *, degrees: bool, option: str) -> FloatArray:
    """Return the configuration (n,) [rad or m] that an option gives.

    Raises
    ------
    ShapeError
        If there are not n numbers.
    """
    if len(numbers) != chain.n_joints:
        raise ShapeError(
            f"{option}: got {len(numbers)} numbers, expected {chain.n_joints}: {', '.join(chain.joint_names)}"
        )
    return np.array(numbers) * _radians_per_unit(chain, degrees)


def read_configurations(chain: KinematicChain, path: str, *, degrees: bool) -> FloatArray:
    """Read configurations (N, n) [rad or m] from a file, or from standard input for ``-``.

    Parameters
    ----------
    chain
        The robot.
    path
        NumPy's format: (..., n). Text: n numbers a line, in the order of the joints or below a line with their names.
        JSON: a list of numbers or of such lists, or what ``ik --json`` prints.
    degrees
        Whether angles are degrees; JSON that states its ``angle_unit`` is read in that.

    Raises
    ------
    ReposeError
        If the contents are something else.
    OSError
        If there is no such file.
    """
    data, where = read_data(path), data_name(path)
    if isinstance(data, Mapping):
        data, degrees = _from_document(data, degrees, where)
    elif isinstance(data, Table):
        data = data.rows if not data.names else data.columns(chain.joint_names, where=where)
    q = as_configuration(data, chain.n_joints, name=where).reshape(-1, chain.n_joints)
    require_finite(q, name=where)
    return q * _radians_per_unit(chain, degrees)


def _from_document(document: Mapping[str, Any], degrees: bool, where: str) -> tuple[Any, bool]:
    """Return the numbers of a JSON object, and whether its angles are degrees."""
    unit = document.get("angle_unit", "deg" if degrees else "rad")
    if not isinstance(unit, str) or unit not in UNITS:
        raise InputError(f"{where}: angle_unit: got {shown(unit)}; {nearest_names(unit, list(UNITS))}")
    if "q" in document:
        return document["q"], UNITS[unit]
    results = document.get("results", document.get("poses"))
    if isinstance(results, list) and all(isinstance(result, Mapping) and "q" in result for result in results):
        return [result["q"] for result in results], UNITS[unit]
    raise InputError(f"{where}: got an object with {', '.join(document) or 'nothing'}, expected a list, q or results")


def _radians_per_unit(chain: KinematicChain, degrees: bool) -> FloatArray:
    units = joint_units(chain, degrees=degrees)
    return np.array([math.pi / 180.0 if unit == "deg" else 1.0 for unit in units])
