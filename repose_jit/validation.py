"""Checks of arrays that callers hand in: right shape, real numbers, finite, rigid; the message names the bad entry."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.errors import InputError, ModelError, ShapeError, shown

__all__ = [
    "MAX_POSITION",
    "MAX_VALUE",
    "RIGID_TOLERANCE",
    "as_array",
    "as_configuration",
    "as_flag",
    "as_integer",
    "as_number",
    "as_one_transform",
    "as_out",
    "as_path",
    "as_positive",
    "as_transform",
    "as_twist",
    "as_vector",
    "require_configuration",
    "require_finite",
    "require_rigid",
]

RIGID_TOLERANCE = 1e-6
"""Largest entry of ``|RᵀR − I|`` that still counts as a rotation: float32 matrices pass, four printed digits do not."""

MAX_POSITION = 1e9
"""Largest coordinate [m] accepted in a pose: squares stay far from overflow, and no robot reaches further."""

MAX_VALUE = 1e18
"""Largest joint value [rad or m] accepted: beyond the limits of any real file, and the sixfold product w² is finite."""

FloatArray = NDArray[np.float64]


def as_number(value: object, *, name: str, error: type[InputError | ModelError] = InputError) -> float:
    """Return `value` as a float; infinite and NaN pass, booleans do not count as numbers.

    Raises
    ------
    InputError
        Or the `error` asked for, if `value` is not a real number.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise error(f"{name}: got {shown(value)}, expected a number")
    try:
        return float(value)
    except OverflowError:
        raise error(f"{name}: got an integer too large for a float") from None


def as_positive(value: object, *, name: str, unit: str = "") -> float:
    """Return `value` as a float; `unit`, such as ``"metres"``, is for the message.

    Raises
    ------
    InputError
        If `value` is not a finite real number above 0.
    """
    number = as_number(value, name=name)
    if not 0.0 < number < math.inf:
        raise InputError(f"{name}: got {shown(value)}, expected a finite number {f'of {unit} ' if unit else ''}> 0")
    return number


def as_integer(value: object, *, name: str, least: int | None = None, most: int | None = None) -> int:
    """Return `value`, a Python or NumPy integer, as an int; booleans and floats do not count as integers.

    Raises
    ------
    InputError
        If `value` is not an integer, or not in the range.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or not _at_least(value, least):
        raise InputError(f"{name}: got {shown(value)}, expected an integer{f' ≥ {least}' if least is not None else ''}")
    if most is not None and value > most:
        raise InputError(f"{name}: got {shown(value)}, expected at most {most:,}")
    return int(value)


def as_flag(value: object, *, name: str) -> bool:
    """Return `value` as a bool; 0, 1 and texts do not count as one.

    Raises
    ------
    InputError
        If `value` is not True or False.
    """
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name}: got {shown(value)}, expected True or False")
    return bool(value)


def as_path(value: object, *, name: str = "path") -> Path:
    """Return `value` as a path.

    Raises
    ------
    InputError
        If it is neither a string nor a path, or one that no file system knows.
    """
    if not isinstance(value, str | os.PathLike) or isinstance(os.fspath(value), bytes) or "\0" in os.fspath(value):
        raise InputError(f"{name}: got {shown(value)}, expected a path")
    return Path(value)


def as_array(values: ArrayLike, *, name: str) -> FloatArray:
    """Return `values` as contiguous float64 of any shape; not a copy where it need not be one.

    Raises
    ------
    InputError
        If the entries are not real numbers.
    """
    array: NDArray[Any]
    if type(values) is np.ndarray and values.dtype == np.float64:
        array = np.ascontiguousarray(values) if values.ndim else values
        # Kernels are compiled for writable arrays: a read-only one, such as chain.home, would compile them again.
        return array if array.flags.writeable else array.copy()
    try:
        array = np.asarray(values)
    except Exception as error:  # whatever the __array__ of a foreign type raises, such as a tensor on a GPU
        raise InputError(f"{name}: got something that is not an array of numbers ({error})") from None
    if array.size == 0 and array.dtype.kind in "fiu":
        return np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.kind not in "fiu":
        kind = type(values).__name__ if array.ndim == 0 else f"entries of type {array.dtype}"
        raise InputError(f"{name}: got {kind}, expected real numbers")
    with np.errstate(over="ignore"):
        result = array.astype(np.float64, order="C")
    if isinstance(values, np.ma.MaskedArray):
        # What lies under a mask is not meant: as NaN it is found and named like any other missing number.
        result[np.ma.getmaskarray(values)] = np.nan
    return np.ascontiguousarray(result) if result.ndim else result


def as_configuration(q: ArrayLike, n_joints: int, *, name: str = "q") -> FloatArray:
    """Return `q` as contiguous float64 of shape (..., n_joints).

    Finiteness is not checked here: kernels do that while they read, and :func:`require_finite` then names the entry.

    Raises
    ------
    ShapeError
        If the last dimension is not `n_joints`.
    InputError
        If the entries are not real numbers.
    """
    array = as_array(q, name=name)
    if array.ndim == 0 or array.shape[-1] != n_joints:
        raise ShapeError(
            f"{name}: got shape {array.shape}, expected (..., {n_joints}): one entry for each of the {n_joints} joints"
        )
    return array


def as_transform(T: ArrayLike, *, name: str = "target") -> FloatArray:
    """Return `T` as contiguous float64 of shape (..., 4, 4).

    Raises
    ------
    ShapeError
        If the last two dimensions are not 4 × 4.
    InputError
        If the entries are not real numbers.
    """
    array = as_array(T, name=name)
    if array.ndim < 2 or array.shape[-2:] != (4, 4):
        raise ShapeError(f"{name}: got shape {array.shape}, expected (..., 4, 4): homogeneous matrices")
    return array


def as_one_transform(T: ArrayLike, *, name: str) -> FloatArray:
    """Return a copy of one rigid transform as float64 of shape (4, 4), its last row exactly [0 0 0 1].

    Raises
    ------
    ShapeError, InputError
        If the shape is another one, or the matrix is not a rigid transform.
    """
    array = as_transform(T, name=name)
    if array.ndim != 2:
        raise ShapeError(f"{name}: got shape {array.shape}, expected (4, 4): one homogeneous matrix")
    require_rigid(array, name=name)
    one = array.copy()
    one[3] = 0.0, 0.0, 0.0, 1.0  # to the last bit: the check allows rounding there
    return one


def as_out(out: object, shape: tuple[int, ...]) -> FloatArray:
    """Return `out` if results of this shape can be written to it.

    Raises
    ------
    InputError
        If it is not a writable, contiguous float64 array of that shape.
    """
    if isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == shape:
        if out.flags.c_contiguous and out.flags.writeable:
            return out
        got = "a strided array" if out.flags.writeable else "a read-only array"
    else:
        got = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
    raise InputError(f"out: got {got}, expected a writable, contiguous float64 array of shape {shape}")


def as_twist(twist: ArrayLike, *, name: str = "twist") -> FloatArray:
    """Return `twist` as contiguous float64 of shape (..., 6), linear part [m/s] first, then angular [rad/s].

    Raises
    ------
    ShapeError
        If the last dimension is not 6.
    InputError
        If the entries are not real numbers.
    """
    array = as_array(twist, name=name)
    if array.ndim == 0 or array.shape[-1] != 6:
        raise ShapeError(f"{name}: got shape {array.shape}, expected (..., 6): [vx vy vz wx wy wz]")
    return array


def as_vector(values: ArrayLike, length: int, *, name: str) -> FloatArray:
    """Return `values` as a finite contiguous float64 vector of shape (length,).

    Raises
    ------
    ShapeError
        If the shape is another one.
    InputError
        If an entry is not a finite real number.
    """
    array = as_array(values, name=name)
    if array.shape != (length,):
        raise ShapeError(f"{name}: got shape {array.shape}, expected ({length},)")
    require_finite(array, name=name)
    return array


def require_finite(array: FloatArray, *, name: str) -> None:
    """Raise InputError naming the first entry of `array` that is NaN or infinite."""
    finite = np.isfinite(array)
    if not finite.all():
        index = tuple(int(i) for i in np.unravel_index(int(np.argmin(finite)), array.shape))
        raise InputError(f"{name}{_subscript(index)}: got {array[index]}, expected a finite number")


def require_configuration(q: FloatArray, *, name: str) -> None:
    """Raise InputError naming the first entry of `q` that is not finite or is beyond MAX_VALUE."""
    require_finite(q, name=name)
    far = np.abs(q) > MAX_VALUE
    if far.any():
        index = tuple(int(i) for i in np.unravel_index(int(np.argmax(far)), q.shape))
        raise InputError(f"{name}{_subscript(index)}: got {q[index]:g}, expected at most {MAX_VALUE:.0e} in magnitude")


def require_rigid(T: FloatArray, *, name: str) -> None:
    """Raise InputError naming the first matrix of `T` (..., 4, 4) that is not a rigid transform.

    Checked are, in this order: finite entries, last row [0 0 0 1], coordinates within MAX_POSITION, RᵀR = I within
    RIGID_TOLERANCE, and det R > 0.
    """
    require_finite(T, name=name)
    flat = T.reshape(-1, 4, 4)
    R, p = flat[:, :3, :3], flat[:, :3, 3]
    far = np.abs(p).max(axis=1, initial=0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        skew = np.abs(R.transpose(0, 2, 1) @ R - np.eye(3)).max(axis=(1, 2), initial=0.0)
        bottom = np.abs(flat[:, 3] - (0.0, 0.0, 0.0, 1.0)).max(axis=1, initial=0.0)
    bad = ~((bottom <= RIGID_TOLERANCE) & (far <= MAX_POSITION) & (skew <= RIGID_TOLERANCE))
    handed = np.zeros_like(bad)
    handed[~bad] = np.linalg.det(R[~bad]) < 0.0
    bad |= handed
    if not bad.any():
        return
    k = int(np.argmax(bad))
    where = f"{name}{_subscript(tuple(int(i) for i in np.unravel_index(k, T.shape[:-2])))}"
    if bottom[k] > RIGID_TOLERANCE:
        row = np.array2string(flat[k, 3], separator=", ")
        raise InputError(f"{where}: got last row {row}, expected [0, 0, 0, 1]")
    if far[k] > MAX_POSITION:
        raise InputError(
            f"{where}: got a position {far[k]:.3g} m away, expected at most {MAX_POSITION:.0e} m (metres?)"
        )
    if handed[k]:
        raise InputError(f"{where}: got a left-handed rotation part (determinant −1), expected a rotation")
    raise InputError(
        f"{where}: got a rotation part that is not orthonormal (|RᵀR − I| = {skew[k]:.3g}), "
        f"expected at most {RIGID_TOLERANCE:.0e}"
    )


def _at_least(value: int | np.integer[Any], least: int | None) -> bool:
    return least is None or bool(value >= least)


def _subscript(index: Sequence[int]) -> str:
    return "[" + ", ".join(str(i) for i in index) + "]" if index else ""
