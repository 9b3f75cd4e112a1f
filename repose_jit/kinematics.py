"""Forward kinematics, Jacobians and measures of dexterity, for one configuration or millions."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from repose_jit.chain import KinematicChain, require_chain
from repose_jit.errors import UnknownNameError
from repose_jit.kernels import checks, fk, svd
from repose_jit.kernels import jacobian as jacobian_kernels
from repose_jit.kernels.arrays import FIXED
from repose_jit.validation import as_configuration, as_out, require_configuration

__all__ = [
    "condition_number",
    "forward_kinematics",
    "jacobian",
    "link_transforms",
    "manipulability_squared",
    "singular_values",
]

FloatArray = NDArray[np.float64]
Frame = Literal["base", "body", "spatial"]

FRAMES = {"base": jacobian_kernels.BASE, "body": jacobian_kernels.BODY, "spatial": jacobian_kernels.SPATIAL}


def forward_kinematics(chain: KinematicChain, q: ArrayLike, *, out: FloatArray | None = None) -> FloatArray:
    """Return the pose of the tool in the base frame, ``T_base_tool``.

    Parameters
    ----------
    chain
        The robot.
    q
        (..., n) configurations [rad or m]; any leading dimensions, also none or zero-length ones. Position limits are
        not enforced.
    out
        (..., 4, 4) float64 array to write to and return: nothing is allocated then.

    Returns
    -------
    (..., 4, 4) array
        Homogeneous matrices [m].

    Raises
    ------
    ShapeError, InputError
        If the last dimension is not n, an entry is not a finite number of at most 1e18, or `out` does not fit.

    Notes
    -----
    ``T = Π Origin_i · Motion_i(q_i) · ToolOffset``.
    """
    q, flat = _flat_configurations(chain, q)
    shape = (*q.shape[:-1], 4, 4)
    T = np.empty(shape) if out is None else as_out(out, shape)
    if out is not None and np.may_share_memory(flat, T):
        flat = flat.copy()  # rows are written before the last are read
    fk.forward_kinematics(tuple(chain.arrays), flat, T.reshape(-1))
    return T


def link_transforms(chain: KinematicChain, q: ArrayLike) -> FloatArray:
    """Return the frame of every joint after its motion, and the tool last, in the base frame.

    Parameters
    ----------
    chain
        The robot; the frames follow ``chain.slots``, mimic joints included.
    q
        (..., n) configurations [rad or m].

    Returns
    -------
    (..., n_slots + 1, 4, 4) array
        Homogeneous matrices [m].

    Raises
    ------
    ShapeError, InputError
        If the last dimension is not n, or an entry is not a finite number of at most 1e18.
    """
    q, flat = _flat_configurations(chain, q)
    T = np.empty((*q.shape[:-1], len(chain.slots) + 1, 4, 4))
    fk.link_transforms(tuple(chain.arrays), flat, T.reshape(-1))
    return T


def jacobian(chain: KinematicChain, q: ArrayLike, *, frame: Frame = "base") -> FloatArray:
    """Return the geometric Jacobian of the tool, ``[v; w] = J(q) q̇``, linear rows first.

    Parameters
    ----------
    chain
        The robot.
    q
        (..., n) configurations [rad or m].
    frame
        ``"base"``: velocity of the tool point in base axes. ``"body"``: the same in tool axes. ``"spatial"``: velocity
        of the point of the tool body that is at the base origin, in base axes.

    Returns
    -------
    (..., 6, n) array
        Rows [m/s, rad/s] per [rad/s or m/s]. The column of a fixed joint is zero; joints that follow an entry of `q`
        add to its column.

    Raises
    ------
    ShapeError, InputError
        If the last dimension is not n, or an entry is not a finite number of at most 1e18.
    UnknownNameError
        If `frame` is none of the three.

    Notes
    -----
    Siciliano et al. (2009), section 3.1; Lynch and Park (2017), section 5.1, for body and spatial.
    """
    code = FRAMES.get(frame) if isinstance(frame, str) else None
    if code is None:
        raise UnknownNameError("frame", frame, FRAMES)
    q, flat = _flat_configurations(chain, q)
    J = np.empty((*q.shape[:-1], 6, chain.n_joints))
    jacobian_kernels.jacobian(tuple(chain.arrays), flat, code, J.reshape(-1))
    return J


def singular_values(chain: KinematicChain, q: ArrayLike) -> FloatArray:
    """Return the singular values of the Jacobian, largest first; the same in the base and body frames.

    Parameters
    ----------
    chain
        The robot.
    q
        (..., n) configurations [rad or m].

    Returns
    -------
    (..., k) array
        k = min(6, m), m the number of entries of `q` that move the tool. Metres and radians are mixed as they are.

    Raises
    ------
    ShapeError, InputError
        If the last dimension is not n, or an entry is not a finite number of at most 1e18.
    """
    q, flat = _flat_configurations(chain, q)
    sigma = np.empty((*q.shape[:-1], min(6, int(np.count_nonzero(chain.arrays.entries != FIXED)))))
    svd.singular_values(tuple(chain.arrays), flat, sigma.reshape(-1))
    return sigma


def manipulability_squared(chain: KinematicChain, q: ArrayLike) -> float | FloatArray:
    """Return the squared manipulability w², the product of the squared singular values (Yoshikawa 1985).

    That is det(J Jᵀ) for six or more moving joints and det(Jᵀ J) below, so that neither a short arm nor a fixed joint
    makes it zero everywhere; it is 0 for a chain in which nothing moves.

    Parameters
    ----------
    chain
        The robot.
    q
        (..., n) configurations [rad or m].

    Returns
    -------
    float or (...) array
        A float for one configuration.

    Raises
    ------
    ShapeError, InputError
        If the last dimension is not n, or an entry is not a finite number of at most 1e18.
    """
    sigma = singular_values(chain, q)
    w_squared = np.prod(sigma * sigma, axis=-1) if sigma.shape[-1] else np.zeros(sigma.shape[:-1])
    return float(w_squared) if sigma.ndim == 1 else w_squared


def condition_number(chain: KinematicChain, q: ArrayLike) -> float | FloatArray:
    """Return the ratio of the largest to the smallest singular value of the Jacobian; inf where the smallest is 0.

    Parameters, results and errors as in :func:`manipulability_squared`.
    """
    sigma = singular_values(chain, q)
    if not sigma.shape[-1]:
        ratio = np.full(sigma.shape[:-1], np.inf)
    else:
        regular = sigma[..., -1] > 0.0
        ratio = np.divide(sigma[..., 0], sigma[..., -1], out=np.full(sigma.shape[:-1], np.inf), where=regular)
    return float(ratio) if sigma.ndim == 1 else ratio


def _flat_configurations(chain: KinematicChain, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Check `q` and return it with its shape, and flat as kernels take it."""
    require_chain(chain)
    q = as_configuration(q, chain.n_joints)
    flat = q.reshape(-1)
    if checks.first_unusable(flat) >= 0:
        require_configuration(q, name="q")
    return q, flat
