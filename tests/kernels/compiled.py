"""A kernel compiled in this process: code loaded from the disk cache has neither assembly nor LLVM's language left."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numba

from repose_jit.kernels._jit import FAST_MATH

__all__ = ["assembly_by_function", "inspectable"]


@cache
def inspectable(kernel: Any) -> Any:
    """Return a dispatcher with the code of a kernel that has been called, to be inspected."""
    if any(overload.library._disable_inspection for overload in kernel.overloads.values()):
        again = numba.njit(nogil=True, error_model="numpy", fastmath=set(FAST_MATH))(kernel.py_func)
        for signature in kernel.signatures:
            again.compile(signature)
        return again
    return kernel


def assembly_by_function(assembly: str) -> dict[str, str]:
    """Return the assembly of each kernel by its name, callees that were not inlined included."""
    functions: dict[str, str] = {}
    parts = re.split(r'^"?([^\s":]+)"?:.*$', assembly, flags=re.MULTILINE)
    name = None
    for label, body in zip(parts[1::2], parts[2::2], strict=True):
        if not label.startswith((".L", "L")):  # jump targets, as Linux and macOS write them
            found = re.fullmatch(r"_+ZN10repose_jit7kernels\d+[a-z_]+?\d+([a-z_]\w*?)B\d*v\d+.*", label)
            name = found[1] if found else None
        if name is not None:
            functions[name] = functions.get(name, "") + body
    return functions
