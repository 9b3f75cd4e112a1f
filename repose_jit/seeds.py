"""Configurations to start a solve from: the same well spread ones for every target."""

from __future__ import annotations

import weakref

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain, require_chain
from repose_jit.errors import InputError
from repose_jit.kernels.arrays import FIXED, PRISMATIC
from repose_jit.validation import as_integer

__all__ = ["MAX_RNG_SEED", "can_spread", "seed_table", "spread_seeds"]

FloatArray = NDArray[np.float64]

MAX_RNG_SEED = 2**64 - 1
MAX_COUNT = 10**7
"""Most seeds: some gigabytes while they are made; beyond it memory ends without a word on many machines."""


def spread_seeds(chain: KinematicChain, count: int, *, rng_seed: int = 0) -> FloatArray:
    """Return the seeds of attempts 0 to count − 1, spread out over the joint ranges.

    Attempt 0 is home, attempt 1 mid-range if that differs, and the others follow a low-discrepancy sequence. Each seed
    depends on the chain, `rng_seed` and the number of its attempt alone, so a longer list starts with the shorter one.

    Parameters
    ----------
    chain
        The robot. Joints that turn without end are sampled in [−π, π]; entries of fixed joints are 0.
    count
        How many, 0 to 10⁷.
    rng_seed
        Shifts the whole sequence, 0 to 2⁶⁴ − 1.

    Returns
    -------
    (count, n) array
        Configurations within the limits [rad or m].

    Raises
    ------
    InputError
        If a number is out of range, or a joint slides without limits: there is no range to spread over.

    Notes
    -----
    The R-sequence (Roberts 2018): u_k = frac(shift + k · (1/g, 1/g², ..., 1/gᵈ)) with g > 1 the root of gᵈ⁺¹ = g + 1, a
    Kronecker sequence whose points stay far apart in any number of dimensions d.
    """
    require_chain(chain)
    count = as_integer(count, name="count", least=0, most=MAX_COUNT)
    rng_seed = as_integer(rng_seed, name="rng_seed", least=0, most=MAX_RNG_SEED)
    lower, upper = _sampled_range(chain)
    moving = chain.arrays.entries != FIXED
    home = chain.clamp_to_limits(chain.home)
    middle = np.where(moving, 0.5 * lower + 0.5 * upper, home)
    named = [home] if np.array_equal(middle, home) else [home, middle]
    attempts = np.arange(len(named), max(count, len(named)))[:, None]
    d = int(np.count_nonzero(moving))
    u = (_shift(rng_seed, d) + attempts * _steps(d)) % 1.0
    spread = np.tile(home, (len(attempts), 1))
    spread[:, moving] = _between(lower[moving], upper[moving], u)
    seeds = np.concatenate([named, spread])[:count]
    # Rounding may leave the range by a unit in the last place.
    return chain.clamp_to_limits(seeds)


def can_spread(chain: KinematicChain) -> bool:
    """Tell whether every joint of a chain has a range to spread seeds over: not so if one slides without limits."""
    slides = chain.arrays.entries == PRISMATIC
    return bool(np.all(np.isfinite(chain.lower_limits[slides]) & np.isfinite(chain.upper_limits[slides])))


_TABLES: dict[tuple[int, int], tuple[weakref.ref[KinematicChain], FloatArray]] = {}
"""The seeds made last for living chains and rng_seeds: a single solve takes less time than making them."""
MOST_TABLES, MOST_HELD = 256, 2**23
"""How many there are at most, and how many numbers in all of them, 64 MB: beyond it the oldest are dropped."""


def seed_table(chain: KinematicChain, count: int, *, rng_seed: int = 0) -> FloatArray:
    """Return what :func:`spread_seeds` does, made once for a chain, flat (count · n); not to be written to."""
    key = (id(chain), rng_seed)
    held = _TABLES.get(key)
    if held is None or held[0]() is not chain or held[1].size < count * chain.n_joints:
        table = spread_seeds(chain, count, rng_seed=rng_seed).reshape(-1)
        held = weakref.ref(chain, lambda _: _TABLES.pop(key, None)), table
        _TABLES.pop(key, None)
        _TABLES[key] = held
        _drop_oldest()
    return held[1][: count * chain.n_joints]


def _drop_oldest() -> None:
    """Drop tables until the rest, of which the newest is always one, is small enough to keep."""
    tables = list(_TABLES.items())  # a copy: a chain that dies, or another thread, may change the dictionary
    count, size = len(tables), sum(table.size for _, (_, table) in tables)
    for key, (_, table) in tables[:-1]:
        if count <= MOST_TABLES and size <= MOST_HELD:
            return
        _TABLES.pop(key, None)
        count, size = count - 1, size - table.size


def _between(lower: FloatArray, upper: FloatArray, u: FloatArray) -> FloatArray:
    """Return the values that lie at `u` in [0, 1) between the bounds; those may be as far apart as floats go."""
    with np.errstate(over="ignore"):
        width = upper - lower
    wide = np.isinf(width)
    values: FloatArray = lower + u * np.where(wide, 0.0, width)
    return np.where(wide, (1.0 - u) * lower + u * upper, values)


def _sampled_range(chain: KinematicChain) -> tuple[FloatArray, FloatArray]:
    lower, upper = chain.lower_limits.copy(), chain.upper_limits.copy()
    endless = ~(np.isfinite(lower) & np.isfinite(upper))
    for i in np.flatnonzero(endless & (chain.arrays.entries == PRISMATIC)):
        raise InputError(
            f"joint {chain.joint_names[i]!r}: got limits [{lower[i]:g}, {upper[i]:g}] on a prismatic joint, "
            "expected finite ones: seeds are spread over the range"
        )
    lower[endless], upper[endless] = -np.pi, np.pi
    return lower, upper


def _steps(d: int) -> FloatArray:
    g = 2.0
    for _ in range(64):
        g = (1.0 + g) ** (1.0 / (d + 1))
    return np.array([g**-i % 1.0 for i in range(1, d + 1)])


def _shift(rng_seed: int, d: int) -> FloatArray:
    """Return d numbers in [0, 1) from the mixing function of SplitMix64 (Steele, Lea and Flood 2014)."""
    shift = np.empty(d)
    for i in range(d):
        z = (rng_seed + (i + 1) * 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        shift[i] = ((z ^ (z >> 31)) >> 11) / 2**53
    return shift
