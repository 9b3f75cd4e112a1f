"""The address of an array's first number: what kernels pass on instead of the array.

Numba counts references to arrays, with an atomic instruction, whenever one is passed on or read from a tuple, and hands
it to a function that is not inlined as seven numbers. In the solver of many seeds that took 30 % of the time. A pointer
is one number and counts nothing, so whoever makes one keeps the array: it belongs to the caller of the kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import lower_builtin, type_callable
from numpy.typing import NDArray

__all__ = ["Floats", "Integers", "pointer"]

Floats = NDArray[np.float64]
"""A pointer to float64, indexed like a flat array; with the JIT disabled it is one."""
Integers = NDArray[np.int64]
"""A pointer to int64."""


def pointer(array: NDArray[Any]) -> NDArray[Any]:
    """Return the address of a C-contiguous array, to be indexed like the array laid flat."""
    return array.reshape(-1)


@type_callable(pointer)
def _type_pointer(context: Any) -> Any:
    def typer(array: Any) -> Any:
        if isinstance(array, types.Array) and array.layout == "C":
            return types.CPointer(array.dtype)
        return None

    return typer


@lower_builtin(pointer, types.Array)  # type: ignore[untyped-decorator]
def _lower_pointer(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.make_array(sig.args[0])(context, builder, args[0]).data
