"""The same bits on any number of threads, in any split, order and company, in any process."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

import repose_jit as rj
from tests import arms
from tests.multi_seed.attempts import FIELDS, assert_same, reachable
from tests.multi_seed.repeatable import CASES, digest, problem

Array = np.ndarray
AVX2 = "+avx2,+fma,+avx,+f16c,+bmi,+bmi2,+lzcnt,+movbe,+popcnt,+sse4.2,+sse4.1,+ssse3,+sse3,+cx16"
AVX512 = f"{AVX2},+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl"


def solve(chain: rj.KinematicChain, targets: Array, name: str, **changes: Any) -> rj.IkBatchResult:
    return rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(**{**CASES[name], **changes}))


def parts_of(results: list[rj.IkBatchResult]) -> dict[str, Array]:
    return {name: np.concatenate([np.asarray(getattr(each, name)) for each in results]) for name in FIELDS}


@pytest.mark.parametrize("name", CASES)
def test_any_number_of_threads(name: str) -> None:
    chain, targets = problem()
    whole = solve(chain, targets, name, threads=1)
    assert 20 < whole.converged.sum() < len(targets)
    for threads in (2, 3, 7, None):
        assert_same(solve(chain, targets, name, threads=threads), whole, threads)


@pytest.mark.parametrize("name", CASES)
def test_any_split(name: str) -> None:
    chain, targets = problem()
    whole = solve(chain, targets, name)
    for size in (1, 3, 8, 100):
        pieces = [solve(chain, targets[i : i + size], name) for i in range(0, len(targets), size)]
        for field, values in parts_of(pieces).items():
            assert values.tobytes() == np.asarray(getattr(whole, field)).tobytes(), (size, field)


@pytest.mark.parametrize("name", ["first", "nearest"])
def test_any_size_of_chunks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chain, targets = problem()
    whole = solve(chain, targets, name)
    for size in (8, 24, 2048):
        monkeypatch.setattr("repose_jit.multi_seed.solve.CHUNK", size)
        monkeypatch.setattr("repose_jit.multi_seed.solve.LEAST_CHUNK", 8)
        assert_same(solve(chain, targets, name), whole, size)


@pytest.mark.parametrize("name", CASES)
def test_any_order(name: str) -> None:
    chain, targets = problem()
    whole = solve(chain, targets, name)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(targets))
        assert_same(solve(chain, targets[order], name), whole[order])
    assert_same(solve(chain, targets[::-1], name), whole[::-1])


@pytest.mark.parametrize("name", CASES)
def test_duplicates_are_alike(name: str) -> None:
    chain, targets = problem()
    whole = solve(chain, targets, name)
    for i in range(5, len(targets), 17):
        if i % 23 and 3 % 23:
            assert_same(whole[i], whole[3], i)
    assert_same(solve(chain, np.tile(targets[3], (50, 1, 1)), name), whole[np.full(50, 3)])


@pytest.mark.parametrize("name", CASES)
def test_one_alone_is_as_in_a_batch(name: str) -> None:
    chain, targets = problem(60)
    params = rj.MultiSeedParams(**CASES[name])
    whole = solve(chain, targets, name)
    for i, target in enumerate(targets):
        one = rj.solve_one(chain, target, params=params)
        assert_same(one, whole[i], i)
        assert_same(rj.inverse_kinematics_batch(chain, target[None], params=params)[0], one, i)
        assert_same(rj.inverse_kinematics_batch(chain, target, params=params), one, i)
        q = np.full(7, np.nan)
        assert rj.solve_one(chain, target, params=params, out=q) == one.status
        assert q.tobytes() == one.q.tobytes()


def test_seeds_of_each_target_go_with_it() -> None:
    chain, targets = problem()
    seeds = arms.random_configurations(chain, np.random.default_rng(0), 3 * len(targets)).reshape(-1, 3, 7)
    params = rj.MultiSeedParams(max_attempts=8)
    whole = rj.inverse_kinematics_batch(chain, targets, seeds=seeds, params=params)
    for threads in (1, 3):
        again = rj.inverse_kinematics_batch(chain, targets, seeds=seeds, params=replace(params, threads=threads))
        assert_same(again, whole, threads)
    order = np.random.default_rng(1).permutation(len(targets))
    assert_same(rj.inverse_kinematics_batch(chain, targets[order], seeds=seeds[order], params=params), whole[order])
    for i in (0, 1, 9, 77):
        assert_same(rj.solve_one(chain, targets[i], seeds=seeds[i], params=params), whole[i], i)
    assert len({int(index) for index in whole.seed_index}) > 3


@pytest.mark.parametrize("name", ["ur5", "franka_panda"])
def test_real_arms_on_threads_and_in_pieces(name: str) -> None:
    chain = rj.preset(name).chain()
    targets = reachable(chain, 3000)
    whole = rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(threads=1))
    for threads in (2, 7):
        assert_same(rj.inverse_kinematics_batch(chain, targets, params=rj.MultiSeedParams(threads=threads)), whole)
    order = np.random.default_rng(0).permutation(len(targets))
    assert_same(rj.inverse_kinematics_batch(chain, targets[order]), whole[order])


def test_callers_in_several_threads_do_not_meet() -> None:
    chain, targets = problem()
    names = [*CASES, *CASES]
    alone = [solve(chain, targets, name) for name in names]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda name: solve(chain, targets, name, threads=2), names))
    for a, b, name in zip(alone, together, names, strict=True):
        assert_same(a, b, name)


def test_all_solutions_repeat() -> None:
    chain, targets = problem()
    for target in targets[1:4]:
        a, b = (rj.all_solutions(chain, target, params=rj.MultiSeedParams(threads=n)) for n in (1, 3))
        assert a.q.tobytes() == b.q.tobytes()
        assert np.array_equal(a.seed_index, b.seed_index)


# --- other processes, other instructions -----------------------------------------------------------------------------


def hashes(*names: str, **environment: str) -> dict[str, str]:
    """Return what a new process prints for the cases."""
    root = Path(__file__).parents[2]
    path = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "tests.multi_seed.repeatable", *names],
        cwd=root,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(reversed(line.split(maxsplit=1)) for line in done.stdout.splitlines())


def expected_hashes() -> dict[str, str]:
    chain, targets = problem()
    return {name: digest(solve(chain, targets, name)) for name in CASES}


def test_another_process_has_the_same_bits() -> None:
    found = hashes()
    found.pop("cpu")
    assert found == expected_hashes()
    assert len(set(expected_hashes().values())) == len(CASES)


def has(*features: str) -> bool:
    host = llvm.get_host_cpu_features()
    return all(host.get(feature, False) for feature in features)


@pytest.mark.slow
@pytest.mark.skipif(not has("avx2", "fma", "bmi2"), reason="this CPU cannot run AVX2 with fused multiply-add")
def test_vectors_of_four_have_the_same_bits() -> None:
    """On a CPU with AVX-512 that is another width; on others another schedule of the same width."""
    found = hashes(NUMBA_CPU_NAME="haswell", NUMBA_CPU_FEATURES=AVX2)
    assert found.pop("cpu") == "haswell"
    assert found == expected_hashes()


@pytest.mark.slow
@pytest.mark.skipif(
    not has("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"), reason="this CPU cannot run AVX-512"
)
def test_vectors_of_eight_have_the_same_bits() -> None:
    found = hashes(NUMBA_CPU_NAME="skylake-avx512", NUMBA_CPU_FEATURES=AVX512)
    assert found.pop("cpu") == "skylake-avx512"
    assert found == expected_hashes()
