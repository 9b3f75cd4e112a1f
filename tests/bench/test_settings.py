from __future__ import annotations

import pytest

from repose_jit.bench import BenchSettings, thread_counts
from repose_jit.errors import InputError


@pytest.mark.parametrize(
    ("most", "expected"), [(1, (1,)), (2, (1, 2)), (3, (1, 2, 3)), (8, (1, 2, 4, 8)), (12, (1, 2, 4, 8, 12))]
)
def test_numbers_of_threads_double_up_to_the_most(most, expected):
    assert thread_counts(most) == expected


@pytest.mark.parametrize("most", [0, -1, 4097, 1.0, True])
def test_the_most_threads_are_checked(most):
    with pytest.raises(InputError, match="threads: got"):
        thread_counts(most)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"batches": ()}, "batches: got"),
        ({"batches": [1, 2]}, "batches: got"),
        ({"batches": (0, 1)}, r"batches\[0\]: got 0"),
        ({"batches": (8, 1)}, "batches: got .*, expected rising integers"),
        ({"batches": (8, 8)}, "expected rising integers"),
        ({"threads": (1, 1.5)}, r"threads\[1\]: got 1.5"),
        ({"tolerances": ()}, "tolerances: got"),
        ({"tolerances": (1e-4, 1e-3)}, "tolerances: got"),
        ({"tolerances": ((1e-4,),)}, r"tolerances\[0\]: got .*two numbers"),
        ({"tolerances": ((1e-4, 0.0),)}, r"tolerances\[0\]\[1\]: got 0.0"),
        ({"tolerances": ((1e-4, 1e-3), (1e-4, 1e-3))}, "expected different pairs"),
        ({"calls": 0}, "calls: got 0"),
        ({"repetitions": 0}, "repetitions: got 0"),
        ({"cached_starts": -1}, "cached_starts: got -1"),
        ({"first_calls": None}, "first_calls: got None"),
        ({"rng_seed": -1}, "rng_seed: got -1"),
    ],
)
def test_values_are_checked(fields, message):
    with pytest.raises(InputError, match=message):
        BenchSettings(**fields)


def test_a_quick_run_has_the_same_rows_but_the_first_call():
    quick, usual = BenchSettings.quick(threads=(1, 2)), BenchSettings(threads=(1, 2))
    assert (quick.batches, quick.threads, quick.tolerances) == (usual.batches, usual.threads, usual.tolerances)
    assert quick.first_calls == 0 < usual.first_calls
    assert quick.repetitions < usual.repetitions
    assert quick.calls < usual.calls
