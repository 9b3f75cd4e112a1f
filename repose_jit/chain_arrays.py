"""Turn the joints of a chain into the flat arrays that kernels read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from repose_jit.joints import JointSpec, JointType
from repose_jit.kernels.arrays import FIXED, PRISMATIC, REVOLUTE, ChainArrays
from repose_jit.mimic import Drive

__all__ = ["compile_arrays"]

FloatArray = NDArray[np.float64]

CODES = {JointType.FIXED: FIXED, JointType.REVOLUTE: REVOLUTE, JointType.PRISMATIC: PRISMATIC}


def compile_arrays(
    slots: Sequence[JointSpec], entries: Sequence[JointSpec], drives: Sequence[Drive], tool_offset: FloatArray
) -> ChainArrays:
    """Fold axes into the constant transforms, so that every joint moves about or along +z.

    Parameters
    ----------
    slots, drives
        The joints on the path and the entry of `q` that drives each.
    entries
        One joint per entry of `q`.
    tool_offset
        (4, 4) last joint frame → tool [m].
    """
    n, m = len(slots), len(entries)
    transforms, alignments = np.empty((n + 1, 12)), np.empty((n, 9))
    codes, gains = np.empty((n, 2), np.int64), np.empty((n, 2))
    before = np.eye(3)
    for i, (joint, drive) in enumerate(zip(slots, drives, strict=True)):
        origin, A = joint.origin_transform(), alignment(joint.axis)
        transforms[i] = _flat(before.T @ origin[:3, :3] @ A, before.T @ origin[:3, 3])
        alignments[i] = A.ravel()
        codes[i] = CODES[joint.joint_type], drive.entry
        gains[i] = drive.multiplier, drive.offset
        before = A
    transforms[n] = _flat(before.T @ tool_offset[:3, :3], before.T @ tool_offset[:3, 3])

    limits = np.zeros((3, m))
    moving = np.zeros(m, np.int64)
    for joint, drive in zip(slots, drives, strict=True):
        if joint.joint_type is not JointType.FIXED and drive.multiplier != 0.0:
            moving[drive.entry] = CODES[entries[drive.entry].joint_type]
    for j, joint in enumerate(entries):
        if joint.limits is not None:
            speed = joint.limits.max_velocity
            limits[:, j] = joint.limits.lower, joint.limits.upper, np.inf if speed is None else speed
    arrays = ChainArrays(transforms, codes, gains, alignments, limits, moving)
    for array in arrays:
        array.flags.writeable = False
    return arrays


def alignment(axis: FloatArray) -> FloatArray:
    """Return a (3, 3) rotation that takes z to the unit vector `axis`; a signed permutation for a coordinate axis."""
    largest = int(np.argmax(np.abs(axis)))
    x = np.zeros(3)
    # A direction at least 45° away from the axis, so that the cross products lose no digits; for ±z it is x itself.
    x[(largest + 1) % 3] = 1.0
    x -= (x @ axis) * axis
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _flat(R: FloatArray, p: FloatArray) -> FloatArray:
    return np.concatenate([R.ravel(), p])
