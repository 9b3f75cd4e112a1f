"""How dexterous a robot is where it reaches a pose: one number per pose and metric, and what a site has of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.chain import KinematicChain, require_chain
from repose_jit.errors import InputError, ShapeError, UnknownNameError, shown
from repose_jit.kernels import checks
from repose_jit.kernels import metrics as kernels
from repose_jit.multi_seed import MultiSeedParams, all_solutions
from repose_jit.multi_seed.selection import limit_margin, limited_joints
from repose_jit.validation import as_array, as_configuration, as_positive, as_transform, require_configuration

__all__ = [
    "DEFAULT_METRICS",
    "METRICS",
    "Metric",
    "as_length_scale",
    "as_metrics",
    "compute_metrics",
    "count_solutions",
    "site_statistics",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

LENGTH_SCALES = (1e-6, 1e6)
"""Least and largest length scale [m]: beyond them one half of the rows is rounding beside the other."""

SOLUTIONS = "n_solutions"
MARGIN = "limit_margin"

CODES = {
    "manipulability": kernels.MANIPULABILITY,
    "sigma_min": kernels.SIGMA_MIN,
    "inverse_condition": kernels.INVERSE_CONDITION,
    "inverse_condition_linear": kernels.INVERSE_CONDITION_LINEAR,
    "inverse_condition_angular": kernels.INVERSE_CONDITION_ANGULAR,
}
"""The metrics of the Jacobian, and what the kernel calls them; in rising order."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """What a metric says.

    Attributes
    ----------
    meaning
        In one line.
    unit
        ``"1"`` for a ratio or a count; ``"mixed"`` where metres and radians meet as they are.
    """

    meaning: str
    unit: str


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "manipulability": Metric(
            meaning="w, the product of the singular values of the Jacobian (Yoshikawa 1985)", unit="mixed"
        ),
        "sigma_min": Metric(meaning="the least singular value of the Jacobian", unit="mixed"),
        "inverse_condition": Metric(
            meaning="least by largest singular value of the Jacobian, linear rows divided by the length scale", unit="1"
        ),
        "inverse_condition_linear": Metric(
            meaning="least by largest singular value of the linear rows of the Jacobian", unit="1"
        ),
        "inverse_condition_angular": Metric(
            meaning="least by largest singular value of the angular rows of the Jacobian", unit="1"
        ),
        MARGIN: Metric(
            meaning="least distance of a joint to its nearer limit, as a part of half its range: 1 mid-range, 0 at it",
            unit="1",
        ),
        SOLUTIONS: Metric(meaning="distinct configurations found that reach the pose, whole turns included", unit="1"),
    }
)
"""Every metric by its name. Whatever it measures, more is better."""

DEFAULT_METRICS = ("manipulability", "sigma_min", "inverse_condition", "limit_margin")


def as_metrics(names: object) -> tuple[str, ...]:
    """Return names of metrics, checked, in the order given; there may be none.

    Raises
    ------
    InputError
        If it is no list of names, or one is named twice.
    UnknownNameError
        If there is no such metric.
    """
    if isinstance(names, str | bytes | Mapping) or not isinstance(names, Iterable):
        raise InputError(f"metrics: got {shown(names)}, expected a list of names")
    result: list[str] = []
    for i, name in enumerate(_as_list(names)):
        if not isinstance(name, str) or name not in METRICS:
            raise UnknownNameError("metric", name, METRICS, where=f"metrics[{i}]")
        if name in result:
            raise InputError(f"metrics[{i}]: got {name!r} a second time, expected each metric once")
        result.append(name)
    return tuple(result)


def _as_list(names: Iterable[object]) -> list[object]:
    try:
        return list(names)
    except TypeError:  # an array of no dimensions
        raise InputError(f"metrics: got {shown(names)}, expected a list of names") from None


def as_length_scale(value: object) -> float:
    """Return a length scale [m], checked.

    Raises
    ------
    InputError
        If it is not a number from 1e-6 to 1e6.
    """
    scale = as_positive(value, name="length_scale", unit="metres")
    least, most = LENGTH_SCALES
    if not least <= scale <= most:
        raise InputError(f"length_scale: got {scale:g}, expected {least:g} to {most:g} metres")
    return scale


def compute_metrics(
    chain: KinematicChain, q: ArrayLike, names: Iterable[str], *, length_scale: float = 1.0
) -> dict[str, FloatArray]:
    """Return metrics of every configuration, by name in the order asked for.

    Parameters
    ----------
    chain
        The robot.
    q
        (N, n) configurations [rad or m].
    names
        Some of METRICS, but not ``"n_solutions"``, which is about a target: see :func:`count_solutions`.
    length_scale
        What the linear rows of the Jacobian are divided by for ``"inverse_condition"`` [m].

    Returns
    -------
    dict
        A (N,) array for each. NaN where there is nothing to compute: everything of the Jacobian where no joint moves
        the tool; an inverse condition where no singular value is above 1e-12, such as the angular one of slides alone;
        the limit margin of a chain in which no joint that moves has a range between two limits.

    Raises
    ------
    ShapeError, InputError, UnknownNameError
        If an argument has the wrong shape, is not finite, or is no metric.

    Notes
    -----
    Of the m entries of `q` that move the tool, r rows of the Jacobian have min(r, m) singular values (Yoshikawa 1985;
    inverse condition: Salisbury and Craig 1982). So an arm of few joints is judged by the motions it has: its inverse
    condition does not say whether it spans all six, or three. The bits are those of any CPU with fused multiply-add.

    Examples
    --------
    >>> import repose_jit as rj
    >>> chain = rj.preset("ur5").chain()
    >>> metrics = compute_metrics(chain, [[0.0, -1.2, 1.5, -0.3, 1.0, 0.0]], ["sigma_min", "limit_margin"])
    >>> {name: values.round(3).tolist() for name, values in metrics.items()}
    {'sigma_min': [0.214], 'limit_margin': [0.523]}
    """
    require_chain(chain)
    names, scale = as_metrics(names), as_length_scale(length_scale)
    if SOLUTIONS in names:
        raise InputError(f"names: got {SOLUTIONS!r}, which is about a target: count_solutions counts them")
    q = as_configuration(q, chain.n_joints)
    if q.ndim != 2:
        raise ShapeError(f"q: got shape {q.shape}, expected (N, {chain.n_joints})")
    if checks.first_unusable(q.reshape(-1)) >= 0:
        require_configuration(q, name="q")
    values = dict.fromkeys(names, np.empty(0))
    kinematic = [name for name in CODES if name in values]
    if kinematic:
        codes = np.array([CODES[name] for name in kinematic], np.int64)
        rows = np.empty((len(codes), len(q)))
        kernels.metrics(tuple(chain.arrays), q.reshape(-1), codes, 1.0 / scale, rows.reshape(-1))
        values.update(zip(kinematic, rows, strict=True))
    if MARGIN in values:
        is_limited = bool(limited_joints(chain).any())
        values[MARGIN] = limit_margin(chain, q) if is_limited else np.full(len(q), np.nan)
    return values


def count_solutions(
    chain: KinematicChain, T: ArrayLike, params: MultiSeedParams | None = None, *, q: ArrayLike | None = None
) -> IntArray:
    """Return how many distinct configurations reach each target, as :func:`repose_jit.all_solutions` finds them.

    Parameters
    ----------
    chain
        The robot.
    T
        (N, 4, 4) targets, ``T_base_tool`` [m].
    params
        As in :func:`repose_jit.inverse_kinematics_batch`; all `max_attempts` are made, on one thread.
    q
        (N, n) a solution of each that is known already [rad or m], where the first attempt starts: it is among those
        counted then, however small the budget.

    Returns
    -------
    (N,) int64 array
        Windings within the limits count each; configurations that differ by less than 1e-3 rad or m count once. An arm
        with joints to spare has infinitely many, of which this is as many as the attempts happened to find. 0 where
        none converges.

    Raises
    ------
    ShapeError, InputError
        If an argument has the wrong shape, is not finite or not rigid, or a target has more than 100,000 windings.
    """
    targets = as_transform(T, name="T")
    if targets.ndim != 3:
        raise ShapeError(f"T: got shape {targets.shape}, expected (N, 4, 4)")
    if q is None:
        return np.array([len(all_solutions(chain, target, params=params)) for target in targets], np.int64)
    require_chain(chain)
    seeds = as_configuration(q, chain.n_joints)
    if seeds.shape != (len(targets), chain.n_joints):
        raise ShapeError(f"q: got shape {seeds.shape}, expected {(len(targets), chain.n_joints)}: one for each target")
    counts = [
        len(all_solutions(chain, target, seeds=seed, params=params))
        for target, seed in zip(targets, seeds, strict=True)
    ]
    return np.array(counts, np.int64)


def site_statistics(values: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return mean and maximum of a metric at each site, over the poses that have one.

    Parameters
    ----------
    values
        (S, k) one metric; NaN where a pose has none.

    Returns
    -------
    mean, maximum
        (S,) each, NaN where all k are NaN. The same bits on every CPU: values are added from first to last.

    Raises
    ------
    ShapeError, InputError
        If the shape is another one, or the entries are not real numbers.
    """
    array = as_array(values, name="values")
    if array.ndim != 2:
        raise ShapeError(f"values: got shape {array.shape}, expected (S, k): sites and poses of each")
    mean, largest = np.empty(len(array)), np.empty(len(array))
    kernels.site_statistics(array.reshape(-1), array.shape[1], mean, largest)
    return mean, largest
