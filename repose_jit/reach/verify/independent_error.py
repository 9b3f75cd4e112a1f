"""How far poses are from their targets, a second time: no code of the solver's.

Angles come from sine and cosine together, so they are right to rounding near 0 and near π alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["axis_error", "pose_errors", "rotation_vector", "task_errors"]

FloatArray = NDArray[np.float64]


def pose_errors(T: FloatArray, T_target: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how far poses (N, 4, 4) are from their targets: distance [m] and angle of rotation [rad], (N,) each."""
    return _norm(_offset(T, T_target)), _norm(rotation_vector(_turn(T, T_target)))


def axis_error(T: FloatArray, T_target: FloatArray, axis: Literal["x", "y", "z"]) -> FloatArray:
    """Return the angle between an axis of poses (N, 4, 4) and that of their targets, (N,) [rad]."""
    column = "xyz".index(axis)
    a, b = T[:, :3, column], T_target[:, :3, column]
    angle: FloatArray = np.arctan2(_norm(np.cross(a, b)), (a * b).sum(axis=1))
    return angle


def task_errors(
    T: FloatArray,
    T_target: FloatArray,
    *,
    free_axis: Literal["x", "y", "z"] | None = None,
    axis_mask: Sequence[bool] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the errors of what is asked of a pose: position [m] and orientation [rad], (N,) each.

    Parameters
    ----------
    T, T_target
        (N, 4, 4) poses and their targets [m].
    free_axis
        The tool may turn about this axis of its own: its angle to the target's is the orientation error.
    axis_mask
        x y z rx ry rz of the target's frame: where False, that component of the position difference, or of the rotation
        vector from the pose to its target, is no error. With a free axis the rotation part is not looked at.
    """
    mask = np.ones(6) if axis_mask is None else np.asarray(axis_mask, float)
    position = _norm(mask[:3] * _offset(T, T_target))
    if free_axis is not None:
        return position, axis_error(T, T_target, free_axis)
    # The rotation from the pose to its target has the same vector in the frames of both.
    return position, _norm(mask[3:] * rotation_vector(_turn(T, T_target)))


def rotation_vector(R: FloatArray) -> FloatArray:
    """Return angle · axis of rotations (N, 3, 3), (N, 3) [rad]; at π one of the two axes."""
    # The antisymmetric part is sin θ [a], the symmetric one cos θ I + (1 − cos θ) a aᵀ.
    twist = 0.5 * np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    sine, cosine = _norm(twist), 0.5 * (np.trace(R, axis1=1, axis2=2) - 1.0)
    angle = np.arctan2(sine, cosine)
    vector: FloatArray = twist * np.divide(angle, sine, out=np.ones_like(sine), where=sine > 0.0)[:, None]
    obtuse = np.flatnonzero(cosine < 0.0)  # where the sine fades towards π the axis comes from a aᵀ
    if obtuse.size:
        outer = 0.5 * (R + R.transpose(0, 2, 1))[obtuse] - cosine[obtuse, None, None] * np.eye(3)
        largest = np.einsum("nii->ni", outer).argmax(axis=1)
        axis = outer[np.arange(len(obtuse)), largest]
        axis /= _norm(axis)[:, None]
        sign = np.where((axis * twist[obtuse]).sum(axis=1) < 0.0, -1.0, 1.0)
        vector[obtuse] = (sign * angle[obtuse])[:, None] * axis
    return vector


def _offset(T: FloatArray, T_target: FloatArray) -> FloatArray:
    """Return the target's position less the pose's, in the target's axes."""
    difference = (T_target[:, :3, 3] - T[:, :3, 3])[:, None, :]
    offset: FloatArray = (difference @ T_target[:, :3, :3])[:, 0, :]
    return offset


def _turn(T: FloatArray, T_target: FloatArray) -> FloatArray:
    """Return the rotation that takes the pose to its target, in the axes of either."""
    turn: FloatArray = T[:, :3, :3].transpose(0, 2, 1) @ T_target[:, :3, :3]
    return turn


def _norm(vectors: FloatArray) -> FloatArray:
    norm: FloatArray = np.sqrt((vectors * vectors).sum(axis=-1))
    return norm
