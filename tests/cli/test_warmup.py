from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import repose_jit
from repose_jit.cli.warmup import workout

PACKAGE = Path(repose_jit.__file__).parent

CHECK = """
import importlib, json, sys
from numba.core.dispatcher import Dispatcher
import numpy as np
import repose_jit as rj
from repose_jit.cli.warmup import workout
from repose_jit.reach.solving import metrics
from tests.arms import odd_arm

named = {f"{module}.{name}": getattr(importlib.import_module(module), name) for module, name in json.loads(sys.argv[1])}
kernels = {name: kernel for name, kernel in named.items() if isinstance(kernel, Dispatcher)}
for call in workout().values():
    call()
before = {name: len(kernel.signatures) for name, kernel in kernels.items()}
chain = odd_arm()
q = np.tile(chain.home, (20, 1))
rj.link_transforms(chain, q), rj.jacobian(chain, q), rj.singular_values(chain, q), rj.singular_values(chain, q[0])
for solver in ("damped_least_squares", "pseudoinverse"):
    rj.inverse_kinematics(chain, rj.forward_kinematics(chain, q), q, rj.IkParams(solver=solver))
    rj.inverse_kinematics(chain, rj.forward_kinematics(chain, q[0]), q, rj.IkParams(solver=solver))
rj.inverse_kinematics(chain, rj.forward_kinematics(chain, q[0]), q[0])
rj.inverse_kinematics(chain, rj.forward_kinematics(chain, chain.home), chain.home)  # read-only
rj.inverse_kinematics(chain, rj.forward_kinematics(chain, q), q, rj.IkParams(step_rule="adaptive"))
targets = rj.forward_kinematics(chain, q)
rj.solve_one(chain, targets[0]), rj.solve_one(chain, targets[0], seeds=chain.home), rj.all_solutions(chain, targets[0])
for kw in ({}, {"selection": "nearest", "reference": chain.home}, {"free_axis": "z"}, {"step_rule": "fixed"}):
    rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(**kw))
    rj.inverse_kinematics_batch(chain, targets, seeds=q, params=rj.MultiSeedParams(**kw))
names = [name for name in metrics.METRICS if name != "n_solutions"]
metrics.compute_metrics(chain, q, names, length_scale=2), metrics.site_statistics(q[:, ::2])
after = {name: len(kernel.signatures) for name, kernel in kernels.items()}
print(json.dumps([before, after]))
"""


def kernels_called_from_outside() -> list[tuple[str, str]]:
    """Return module and name of everything in a kernel module that the rest of the package mentions."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        if path.is_relative_to(PACKAGE / "kernels") or path.is_relative_to(PACKAGE / "cli"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == "repose_jit.kernels":
                modules |= {name.asname or name.name: f"repose_jit.kernels.{name.name}" for name in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("repose_jit.kernels."):
                found |= {(node.module, name.name) for name in node.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                found.add((modules[node.value.id], node.attr))
    return sorted(found)


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_every_kernel_is_compiled_and_nothing_later_compiles_another_signature():
    named = kernels_called_from_outside()
    assert ("repose_jit.kernels.fk", "forward_kinematics") in named
    done = subprocess.run(
        [sys.executable, "-c", CHECK, json.dumps(named)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    before, after = json.loads(done.stdout)
    assert len(before) >= 5
    assert [name for name, count in before.items() if count == 0] == []
    assert after == before


def test_the_screen_and_json(run):
    document = run("warmup", "--json").json()
    assert set(workout()) < set(document["steps"])
    assert sum(document["steps"].values()) <= document["seconds"]
    assert document["cache"] is None or Path(document["cache"]).is_dir()
    done = run("warmup")
    assert (done.code, done.err) == (0, "")
    assert all(f"\n{name} " in done.out for name in workout())
    assert "\ntotal " in done.out
    assert "\ncache: " in done.out


@pytest.mark.slow
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_second_process_finds_every_kernel_in_the_cache(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DEBUG_CACHE": "1"}
    command = [sys.executable, "-m", "repose_jit", "warmup"]
    first, second = (
        subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout for _ in range(2)
    )
    # The first one also saves the kernels that those call; a kernel from the cache holds them compiled in.
    called = len([name for _, name in kernels_called_from_outside() if name.islower()])
    assert first.count("data saved") >= called > 0
    assert second.count("data loaded") == called
    assert "saved" not in second
