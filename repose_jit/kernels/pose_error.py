"""The error between a pose and its target over lanes: position difference and rotation vector, base axes."""

from __future__ import annotations

from repose_jit.kernels._jit import inlined
from repose_jit.kernels.lanes import Lanes, absolute, sqrt, where
from repose_jit.kernels.trig import atan2_first_quadrant

# Below this square the vector part of a quaternion is zero but for rounding, and 2·atan2(s, w)/s is 2/w.
SMALLEST_SQUARE = 1e-280


@inlined
def rotation_log(
    r00: Lanes, r01: Lanes, r02: Lanes,
    r10: Lanes, r11: Lanes, r12: Lanes,
    r20: Lanes, r21: Lanes, r22: Lanes,
) -> tuple[Lanes, Lanes, Lanes]:  # fmt: skip
    """Return the rotation vector (angle · axis, angle ≤ π) of rotation matrices.

    By way of the quaternion whose largest component is computed first (Shepperd, 1978), so that no digit is lost at
    any angle: accurate at 0 and at π, where the norm is π and the axis one of the two.
    """
    tw, tx = 1.0 + r00 + r11 + r22, 1.0 + r00 - r11 - r22
    ty, tz = 1.0 - r00 + r11 - r22, 1.0 - r00 - r11 + r22
    w, x, y, z = tw, r21 - r12, r02 - r20, r10 - r01
    best = tw
    larger = tx > best
    w, x, y, z = (
        where(larger, r21 - r12, w),
        where(larger, tx, x),
        where(larger, r10 + r01, y),
        where(larger, r02 + r20, z),
    )
    best = where(larger, tx, best)
    larger = ty > best
    w, x, y, z = (
        where(larger, r02 - r20, w),
        where(larger, r10 + r01, x),
        where(larger, ty, y),
        where(larger, r21 + r12, z),
    )
    best = where(larger, ty, best)
    larger = tz > best
    w, x, y, z = (
        where(larger, r10 - r01, w),
        where(larger, r02 + r20, x),
        where(larger, r21 + r12, y),
        where(larger, tz, z),
    )
    square = x * x + y * y + z * z
    s = sqrt(square)
    distant = square > SMALLEST_SQUARE
    factor = where(distant, atan2_first_quadrant(s, absolute(w)) / where(distant, s, 1.0), 1.0 / absolute(w))
    factor = where(w < 0.0, -2.0 * factor, 2.0 * factor)
    return factor * x, factor * y, factor * z


@inlined
def pose_error(T: tuple[Lanes, ...], target: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """Return ``[p* − p; log(R* Rᵀ)]`` [m, rad] of eight frames and their targets, six lanes."""
    rx, ry, rz = rotation_log(
        target[0] * T[0] + target[1] * T[1] + target[2] * T[2],
        target[0] * T[3] + target[1] * T[4] + target[2] * T[5],
        target[0] * T[6] + target[1] * T[7] + target[2] * T[8],
        target[3] * T[0] + target[4] * T[1] + target[5] * T[2],
        target[3] * T[3] + target[4] * T[4] + target[5] * T[5],
        target[3] * T[6] + target[4] * T[7] + target[5] * T[8],
        target[6] * T[0] + target[7] * T[1] + target[8] * T[2],
        target[6] * T[3] + target[7] * T[4] + target[8] * T[5],
        target[6] * T[6] + target[7] * T[7] + target[8] * T[8],
    )
    return target[9] - T[9], target[10] - T[10], target[11] - T[11], rx, ry, rz
