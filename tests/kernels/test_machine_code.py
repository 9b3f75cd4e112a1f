"""What the compiler made of the kernels: vector instructions, and no scalar sine in the way."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

import repose_jit as rj
from repose_jit.kernels import angles, dls, fk, jacobian, lane_ik, metrics
from repose_jit.reach.solving.metrics import DEFAULT_METRICS, compute_metrics
from tests import arms
from tests.kernels.compiled import assembly_by_function, inspectable


def packed_instructions(assembly: str) -> int:
    """Count packed double multiplications and fused multiply-adds."""
    return len(re.findall(r"\b(v?mulpd|vfn?m(?:add|sub)\d*pd|fmul\s+v\d+\.2d|fml[as]\s+v\d+\.2d)\b", assembly))


def scalar_instructions(assembly: str) -> int:
    return len(re.findall(r"\b(v?mulsd|vfn?m(?:add|sub)\d*sd)\b", assembly))


@pytest.mark.parametrize("name", ["forward_kinematics", "jacobian", "metrics", "solve_from_seeds"])
def test_kernels_are_vector_code(name: str) -> None:
    chain = arms.rebel()
    Q = arms.random_configurations(chain, np.random.default_rng(0), 16)
    T = rj.forward_kinematics(chain, Q)
    rj.jacobian(chain, Q)
    compute_metrics(chain, Q, DEFAULT_METRICS)
    rj.inverse_kinematics(chain, T, Q)
    kernel = {
        "forward_kinematics": fk.forward_kinematics,
        "jacobian": jacobian.jacobian,
        "metrics": metrics.metrics,
        "solve_from_seeds": dls.solve_from_seeds,
    }[name]
    assembly = "\n".join(inspectable(kernel).inspect_asm().values())
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


def many_seeds() -> Any:
    """Return the kernel of many seeds, to be inspected."""
    chain = arms.rebel()
    rj.inverse_kinematics_batch(chain, rj.forward_kinematics(chain, np.zeros((1, 6))))
    return inspectable(lane_ik.solve_from_many_seeds)


def all_metrics() -> Any:
    """Return the kernel of metrics, to be inspected."""
    compute_metrics(arms.rebel(), np.zeros((1, 6)), DEFAULT_METRICS)
    return inspectable(metrics.metrics)


def turns() -> Any:
    """Return the kernel behind spread rotations, to be inspected."""
    rj.super_fibonacci(1)
    return inspectable(angles.sincos_of_turns)


def test_the_loop_of_many_seeds_is_vector_code() -> None:
    """Function by function: where the time goes, nearly nothing is scalar."""
    functions = assembly_by_function("\n".join(many_seeds().inspect_asm().values()))
    loop = [functions[name] for name in ("run_lanes", "check_results", "exact_error", "project_normal")]
    for assembly, least in zip(loop, (300, 60, 100, 50), strict=True):
        assert packed_instructions(assembly) > least
    scalar = sum(map(scalar_instructions, loop))
    assert scalar < 0.05 * sum(map(packed_instructions, loop))
    # The bookkeeping between attempts was told apart from the loop.
    assert packed_instructions(functions["settle"]) == 0


OPERATIONS = {
    "fused": r"vfn?m(?:add|sub)\d+",
    "multiply": "vmul",
    "add": "v(?:add|sub)",
    "divide": "vdiv",
    "root": "vsqrt",
}
ELEMENTS = {"xmm": 2, "ymm": 4, "zmm": 8}


def operations(ir: str, cpu: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return how many numbers packed instructions of each kind work on in the code for a CPU, and scalar ones."""
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(cpu=cpu, features="", opt=3, reloc="pic", codemodel="default")
    assembly = machine.emit_assembly(llvm.parse_assembly(ir))
    packed, scalar = {}, {}
    for name, pattern in OPERATIONS.items():
        # The destination comes last, behind it at most a mask.
        registers = re.findall(rf"^\s*{pattern}pd\b.*%([xyz]mm)\d+[^%\n]*(?:\{{.*)?$", assembly, re.MULTILINE)
        packed[name] = sum(ELEMENTS[register] for register in registers)
        scalar[name] = len(re.findall(rf"^\s*{pattern}sd\b", assembly, re.MULTILINE))
    return packed, scalar


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="compares the x86 code of one module")
@pytest.mark.parametrize(
    ("kernel", "least"),
    [(many_seeds, 1000), (all_metrics, 400), (turns, 20)],
    ids=["many seeds", "metrics", "turns"],
)
def test_vectors_of_four_and_of_eight_do_the_same_arithmetic(kernel: Callable[[], Any], least: int) -> None:
    """Why CPUs with AVX2 and with AVX-512 agree to the bit: the same operations are fused for both.

    The module that this machine optimised is translated for both, whatever it can run. An operation on eight numbers is
    one instruction or two; where a product was fused with a sum on one side alone, the counts would differ.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    ir = "\n".join(kernel().inspect_llvm().values())
    with_avx2, with_avx512 = operations(ir, "x86-64-v3"), operations(ir, "x86-64-v4")
    assert with_avx2 == with_avx512
    assert with_avx2[0]["fused"] > least
    # Without fused instructions the arithmetic is another one.
    without = operations(ir, "sandybridge")
    assert without[0]["fused"] == 0
    assert without[0]["multiply"] > with_avx2[0]["multiply"]
