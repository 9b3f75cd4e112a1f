"""What a solve drives to zero: the pose error, or the part of it that the task asks for."""

from __future__ import annotations

import math

from repose_jit.kernels._jit import inlined, jit
from repose_jit.kernels.lanes import Lanes, absolute, maximum, product_difference, sqrt, where
from repose_jit.kernels.pose_error import pose_error
from repose_jit.kernels.trig import atan2_first_quadrant

# What a task controls.
FULL_POSE = 0
AXIS_MASK = 1
FREE_AXIS = 2

PI = math.pi
# Below this cosine of half the angle the quick error loses its direction; it stays bounded, and other seeds take over.
SMALLEST_COSINE = 1e-3
SMALLEST_SINE = 1e-150


@inlined
def quick_error(T: tuple[Lanes, ...], target: tuple[Lanes, ...]) -> tuple[tuple[Lanes, ...], Lanes]:
    """Return ``[p* − p; 2 sin(θ/2) · axis]`` of frames and their targets, and the squared norm of the second half.

    The vector part of R* Rᵀ divided by cos(θ/2): one square root where the logarithm takes an arctangent. Near θ = π
    the vector fades, the norm does not: it comes from the trace there.
    """
    x = (
        target[6] * T[3]
        + target[7] * T[4]
        + target[8] * T[5]
        - (target[3] * T[6] + target[4] * T[7] + target[5] * T[8])
    )
    y = (
        target[0] * T[6]
        + target[1] * T[7]
        + target[2] * T[8]
        - (target[6] * T[0] + target[7] * T[1] + target[8] * T[2])
    )
    z = (
        target[3] * T[0]
        + target[4] * T[1]
        + target[5] * T[2]
        - (target[0] * T[3] + target[1] * T[4] + target[2] * T[5])
    )
    trace = target[0] * T[0] + target[1] * T[1] + target[2] * T[2]
    trace += target[3] * T[3] + target[4] * T[4] + target[5] * T[5]
    trace += target[6] * T[6] + target[7] * T[7] + target[8] * T[8]
    # 1 + tr R = 4 cos²(θ/2), and the differences above are 2 sin θ · axis.
    scale = 1.0 / sqrt(maximum(1.0 + trace, 4.0 * SMALLEST_COSINE * SMALLEST_COSINE))
    x, y, z = x * scale, y * scale, z * scale
    square = where(trace < 0.0, 3.0 - trace, x * x + y * y + z * z)
    return (target[9] - T[9], target[10] - T[10], target[11] - T[11], x, y, z), square


@inlined
def tool_axis(T: tuple[Lanes, ...], axis: int) -> tuple[Lanes, Lanes, Lanes]:
    """Return axis 0, 1 or 2 of eight frames."""
    if axis == 0:
        return T[0], T[3], T[6]
    if axis == 1:
        return T[1], T[4], T[7]
    return T[2], T[5], T[8]


@jit
def axis_error(T: tuple[Lanes, ...], target: tuple[Lanes, ...], axis: int) -> tuple[Lanes, ...]:
    """Return ``[p* − p; angle · normal]``, the shortest rotation that takes the tool's axis to the target's."""
    ax, ay, az = tool_axis(T, axis)
    bx, by, bz = tool_axis(target, axis)
    x, y, z = (
        product_difference(ay, bz, az, by),
        product_difference(az, bx, ax, bz),
        product_difference(ax, by, ay, bx),
    )
    sine = sqrt(x * x + y * y + z * z)
    cosine = ax * bx + ay * by + az * bz
    angle = atan2_first_quadrant(sine, absolute(cosine))
    angle = where(cosine < 0.0, PI - angle, angle)
    # Opposed axes: about any normal, such as the target's next axis.
    nx, ny, nz = tool_axis(target, (axis + 1) % 3)
    opposed = (sine < SMALLEST_SINE) & (cosine < 0.0)
    factor = where(sine < SMALLEST_SINE, 1.0, angle / maximum(sine, SMALLEST_SINE))
    return (
        target[9] - T[9],
        target[10] - T[10],
        target[11] - T[11],
        where(opposed, PI * nx, factor * x),
        where(opposed, PI * ny, factor * y),
        where(opposed, PI * nz, factor * z),
    )


@inlined
def diagonal_in(R: tuple[Lanes, ...], a: float, b: float, c: float) -> tuple[Lanes, ...]:
    """Return ``R diag(a, b, c) Rᵀ`` row by row; R is the rotation of a frame."""
    x0, x1, x2 = R[0] * a, R[1] * b, R[2] * c
    y0, y1, y2 = R[3] * a, R[4] * b, R[5] * c
    xy = x0 * R[3] + x1 * R[4] + x2 * R[5]
    xz = x0 * R[6] + x1 * R[7] + x2 * R[8]
    yz = y0 * R[6] + y1 * R[7] + y2 * R[8]
    return (
        x0 * R[0] + x1 * R[1] + x2 * R[2], xy, xz,
        xy, y0 * R[3] + y1 * R[4] + y2 * R[5], yz,
        xz, yz, R[6] * R[6] * a + R[7] * R[7] * b + R[8] * R[8] * c,
    )  # fmt: skip


@inlined
def projectors(
    T: tuple[Lanes, ...], target: tuple[Lanes, ...], kind: int, mask: tuple[float, ...], axis: int
) -> tuple[tuple[Lanes, ...], tuple[Lanes, ...]]:
    """Return the matrices (3 × 3, row by row, base axes) that keep the controlled part of a position and of a rotation.

    `mask` holds 1 for a controlled axis x y z rx ry rz of the target's frame and 0 for a free one. Free to turn about a
    tool axis is the rotation about that axis of the tool as it stands.
    """
    P = diagonal_in(target, mask[0], mask[1], mask[2])
    if kind == FREE_AXIS:
        x, y, z = tool_axis(T, axis)
        return P, (1.0 - x * x, -(x * y), -(x * z), -(x * y), 1.0 - y * y, -(y * z), -(x * z), -(y * z), 1.0 - z * z)
    return P, diagonal_in(target, mask[3], mask[4], mask[5])


@inlined
def rotate(A: tuple[Lanes, ...], x: Lanes, y: Lanes, z: Lanes) -> tuple[Lanes, Lanes, Lanes]:
    """Return A v for 3 × 3 matrices."""
    return (
        A[0] * x + A[1] * y + A[2] * z,
        A[3] * x + A[4] * y + A[5] * z,
        A[6] * x + A[7] * y + A[8] * z,
    )


@jit
def exact_error(
    T: tuple[Lanes, ...], target: tuple[Lanes, ...], kind: int, mask: tuple[float, ...], axis: int
) -> tuple[Lanes, ...]:
    """Return the controlled part of ``[p* − p; log(R* Rᵀ)]`` in base axes [m, rad], six lanes."""
    if kind == FULL_POSE:
        return pose_error(T, target)
    e = axis_error(T, target, axis) if kind == FREE_AXIS else pose_error(T, target)
    P, O = projectors(T, target, kind, mask, axis)  # noqa: E741
    px, py, pz = rotate(P, e[0], e[1], e[2])
    if kind == FREE_AXIS:
        # Normal to the free axis as it is; a projection would lose the error of opposed axes to rounding.
        return px, py, pz, e[3], e[4], e[5]
    ox, oy, oz = rotate(O, e[3], e[4], e[5])
    return px, py, pz, ox, oy, oz


@inlined
def multiply3(A: tuple[Lanes, ...], B: tuple[Lanes, ...]) -> tuple[Lanes, ...]:
    """Return A B for 3 × 3 matrices, row by row."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@jit
def project_normal(a: tuple[Lanes, ...], P: tuple[Lanes, ...], O: tuple[Lanes, ...]) -> tuple[Lanes, ...]:  # noqa: E741
    """Return ``D A D`` with D = diag(P, O), for the lower triangle of a symmetric 6 × 6 matrix (21 lanes)."""
    top = multiply3(P, multiply3((a[0], a[1], a[3], a[1], a[2], a[4], a[3], a[4], a[5]), P))
    low = multiply3(O, multiply3((a[9], a[13], a[18], a[13], a[14], a[19], a[18], a[19], a[20]), O))
    mid = multiply3(O, multiply3((a[6], a[7], a[8], a[10], a[11], a[12], a[15], a[16], a[17]), P))
    return (
        top[0],
        top[3], top[4],
        top[6], top[7], top[8],
        mid[0], mid[1], mid[2], low[0],
        mid[3], mid[4], mid[5], low[3], low[4],
        mid[6], mid[7], mid[8], low[6], low[7], low[8],
    )  # fmt: skip
