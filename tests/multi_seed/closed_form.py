"""An arm with the geometry of a UR5, and all its solutions in closed form."""

from __future__ import annotations

from math import acos, asin, atan2, hypot, pi

import numpy as np
from numpy.typing import NDArray

import repose_jit as rj
from tests import reference

__all__ = ["arm", "solutions"]

Array = NDArray[np.float64]

# Denavit-Hartenberg parameters as Universal Robots publishes them [m, rad].
D = (0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823)
A = (0.0, -0.425, -0.39225, 0.0, 0.0, 0.0)
ALPHA = (0.5 * pi, 0.0, 0.0, 0.5 * pi, -0.5 * pi, 0.0)


def arm(limit: float) -> rj.KinematicChain:
    """Return the arm with all joints limited to ±limit [rad]."""
    limits = rj.JointLimits.revolute(-limit, limit)
    links = [((a, 0.0, d), (alpha, 0.0, 0.0)) for a, d, alpha in zip(A, D, ALPHA, strict=True)]
    origins = [((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), *links[:-1]]
    joints = [rj.JointSpec.revolute(*origin, "pos_z", limits) for origin in origins]
    return rj.KinematicChain(joints, tool_offset=reference.transform(*links[-1]))


def solutions(T: Array) -> Array:
    """Return the (k, 6) solutions for the tool at T, up to eight, angles in (−π, π].

    Hawkins (2013), "Analytic Inverse Kinematics for the Universal Robots UR-5/UR-10 Arms": shoulder left or right,
    wrist flipped or not, elbow up or down. T is no singular pose.
    """
    found = []
    wrist = T[:3, 3] - D[5] * T[:3, 2]
    azimuth, reach = atan2(wrist[1], wrist[0]), hypot(wrist[0], wrist[1])
    if reach < D[3]:
        return np.empty((0, 6))
    for q1 in (azimuth + asin(D[3] / reach), azimuth + pi - asin(D[3] / reach)):
        # The frame after joint 1: joints 2, 3 and 4 turn about its z by θ, then the wrist is Ry(−q5) Rz(q6).
        T01 = reference.transform((0, 0, 0), (0, 0, q1)) @ reference.transform((A[0], 0, D[0]), (ALPHA[0], 0, 0))
        R, p = T01[:3, :3].T @ T[:3, :3], T01[:3, :3].T @ (wrist - T01[:3, 3])
        for sign in (1.0, -1.0):
            q5 = sign * acos(R[2, 2])
            q6 = atan2(-sign * R[2, 1], sign * R[2, 0])
            theta = atan2(-sign * R[1, 2], -sign * R[0, 2])
            x, y = p[0] - D[4] * np.sin(theta), p[1] + D[4] * np.cos(theta)
            cosine = (x * x + y * y - A[1] ** 2 - A[2] ** 2) / (2.0 * A[1] * A[2])
            if abs(cosine) > 1.0:
                continue
            for q3 in (acos(cosine), -acos(cosine)):
                q2 = atan2(y, x) - atan2(A[2] * np.sin(q3), A[1] + A[2] * np.cos(q3))
                found.append([q1, q2, q3, theta - q2 - q3, q5, q6])
    q = np.array(found).reshape(-1, 6)
    return q - 2.0 * pi * np.ceil((q - pi) / (2.0 * pi))
