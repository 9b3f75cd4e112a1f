"""What the compiler made of the kernels: vector instructions, and no scalar sine in the way."""

from __future__ import annotations

import platform
import re

import llvmlite.binding as llvm
import numpy as np
import pytest

import repose_jit as rj
from repose_jit.kernels import dls, fk, jacobian
from tests import arms


def packed_instructions(assembly: str) -> int:
    """Count packed double multiplications and fused multiply-adds."""
    return len(re.findall(r"\b(v?mulpd|vfn?m(?:add|sub)\d*pd|fmul\s+v\d+\.2d|fml[as]\s+v\d+\.2d)\b", assembly))


def scalar_instructions(assembly: str) -> int:
    return len(re.findall(r"\b(v?mulsd|vfn?m(?:add|sub)\d*sd)\b", assembly))


@pytest.mark.parametrize("name", ["forward_kinematics", "jacobian", "solve_from_seeds"])
def test_kernels_are_vector_code(name: str) -> None:
    chain = arms.rebel()
    Q = arms.random_configurations(chain, np.random.default_rng(0), 16)
    T = rj.forward_kinematics(chain, Q)
    rj.jacobian(chain, Q)
    rj.inverse_kinematics(chain, T, Q)
    kernel = {
        "forward_kinematics": fk.forward_kinematics,
        "jacobian": jacobian.jacobian,
        "solve_from_seeds": dls.solve_from_seeds,
    }[name]
    assembly = "\n".join(_assembly(kernel))
    packed, scalar = packed_instructions(assembly), scalar_instructions(assembly)
    assert packed > 100
    if platform.machine() in ("x86_64", "AMD64"):
        # What is scalar: the checks of the input and the way out for angles beyond 1e3 rad.
        assert scalar < 0.15 * packed
        features = llvm.get_host_cpu_features()
        if features.get("avx512f"):
            assert assembly.count("zmm") > 100
        elif features.get("avx2"):
            assert assembly.count("ymm") > 100
        if features.get("fma"):
            assert re.search(r"vfn?madd\d+pd", assembly)


def _assembly(kernel: object) -> list[str]:
    overloads = kernel.overloads.values()  # type: ignore[attr-defined]
    # Code loaded from the disk cache has no assembly left: compile it again.
    for compiled in overloads:
        if compiled.library._disable_inspection:
            fresh = kernel.py_func  # type: ignore[attr-defined]
            import numba

            again = numba.njit(nogil=True, error_model="numpy", fastmath={"contract", "nsz", "arcp"})(fresh)
            again.compile(compiled.signature)
            return list(again.inspect_asm().values())
    return list(kernel.inspect_asm().values())  # type: ignore[attr-defined]
