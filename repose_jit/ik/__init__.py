"""Inverse kinematics from one seed."""

from repose_jit.ik.params import IkParams, IkStatus
from repose_jit.ik.result import IkResult
from repose_jit.ik.solve import inverse_kinematics

__all__ = ["IkParams", "IkResult", "IkStatus", "inverse_kinematics"]
