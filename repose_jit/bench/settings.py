"""How much a run of the benchmark measures."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from repose_jit.errors import InputError, shown
from repose_jit.threads import MAX_THREADS
from repose_jit.validation import as_integer, as_positive

__all__ = ["BenchSettings", "thread_counts"]

MAX_BATCH = 10**7
"""Most targets a call: some gigabytes of results."""
MAX_COUNT = 10**6
"""Most calls or repetitions: beyond it a mistake is likelier than patience."""


@dataclass(frozen=True, kw_only=True)
class BenchSettings:
    """What is measured, and how often; checked on construction.

    Attributes
    ----------
    batches
        Targets a call, rising. Threads and tolerances are varied at the largest.
    threads
        Numbers of threads, rising; the first is used where batches and tolerances are varied.
    tolerances
        Pairs of errors that count as solved [m, rad]; the first is used where batches and threads are varied.
    calls
        How many targets are solved one a call, in every repetition.
    repetitions
        How often everything is measured; a row reports the median.
    cached_starts, first_calls
        How many fresh processes are started that find compiled kernels, and that find none; 0 leaves the row out.
    rng_seed
        Chooses the targets, ≥ 0.

    Raises
    ------
    InputError
        If a value is not allowed.
    """

    batches: tuple[int, ...] = (1, 8, 64, 1024, 16384)
    threads: tuple[int, ...] = (1,)
    tolerances: tuple[tuple[float, float], ...] = ((1e-4, 1e-3), (1e-6, 1e-6))
    calls: int = 1000
    repetitions: int = 15
    cached_starts: int = 5
    first_calls: int = 3
    rng_seed: int = 0

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "batches", _rising("batches", self.batches, MAX_BATCH))
        set_field(self, "threads", _rising("threads", self.threads, MAX_THREADS))
        for name, least in (("calls", 1), ("repetitions", 1), ("cached_starts", 0), ("first_calls", 0)):
            set_field(self, name, as_integer(getattr(self, name), name=name, least=least, most=MAX_COUNT))
        set_field(self, "rng_seed", as_integer(self.rng_seed, name="rng_seed", least=0))
        set_field(self, "tolerances", _pairs(self.tolerances))

    @classmethod
    def quick(cls, *, threads: tuple[int, ...] = (1,)) -> BenchSettings:
        """Return settings of a run that takes seconds: the same rows but the first call, fewer repetitions."""
        return cls(threads=threads, calls=200, repetitions=5, cached_starts=1, first_calls=0)


def thread_counts(most: int) -> tuple[int, ...]:
    """Return 1, 2, 4, ... and `most`."""
    most = as_integer(most, name="threads", least=1, most=MAX_THREADS)
    return (*takewhile(lambda count: count < most, (2**i for i in range(13))), most)


def _rising(name: str, values: tuple[int, ...], most: int) -> tuple[int, ...]:
    if not isinstance(values, tuple) or not values:
        raise InputError(f"{name}: got {shown(values)}, expected a tuple of at least one integer")
    counts = tuple(as_integer(value, name=f"{name}[{i}]", least=1, most=most) for i, value in enumerate(values))
    if list(counts) != sorted(set(counts)):
        raise InputError(f"{name}: got {shown(counts)}, expected rising integers")
    return counts


def _pairs(values: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    if not isinstance(values, tuple) or not values or not all(isinstance(pair, tuple) for pair in values):
        raise InputError(f"tolerances: got {shown(values)}, expected a tuple of at least one pair")
    for i, pair in enumerate(values):
        if len(pair) != 2:
            raise InputError(f"tolerances[{i}]: got {shown(pair)}, expected two numbers: metres and radians")
    pairs = tuple(
        (as_positive(p, name=f"tolerances[{i}][0]"), as_positive(o, name=f"tolerances[{i}][1]"))
        for i, (p, o) in enumerate(values)
    )
    if len(set(pairs)) < len(pairs):
        raise InputError(f"tolerances: got {shown(pairs)}, expected different pairs")
    return pairs
