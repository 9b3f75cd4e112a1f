"""The poses of a placement study: a task, as each placement of the base sees it."""

from __future__ import annotations

import numpy as np

from repose_jit.errors import InputError
from repose_jit.reach.placement.grid import PlacementGrid
from repose_jit.reach.targets.rotations import rolls
from repose_jit.reach.targets.target_set import TargetSet

__all__ = ["MAX_TASK", "placement_targets"]

MAX_TASK = 10**6
"""Most poses of a task: they are all solved in every chunk."""


def placement_targets(task: TargetSet, grid: PlacementGrid) -> TargetSet:
    """Return the poses of a task in the frames of all placements of the base.

    Parameters
    ----------
    task
        Poses of a surface or given ones, in the frame that the base is placed in: the world.
    grid
        Where the base may stand.

    Returns
    -------
    TargetSet
        Sites are the placements, (x, y, yaw); the frame of each is the world as seen from its base, the inverse of
        ``T_world_base``. Orientations are the poses of the task, the sites of `task` one after the other. Placements in
        a box are excluded in every heading.

    Raises
    ------
    InputError
        If the task is a grid, has more than a million poses, or placements × poses are more than 10¹⁰.

    Notes
    -----
    For a base at p that is turned by ψ about z, the inverse has the rotation Rz(ψ)ᵀ and the position −Rz(ψ)ᵀ p. Sines
    and cosines are those of :func:`~repose_jit.reach.targets.rotations.rolls`: quarters of a turn are exact.
    """
    if task.kind not in ("surface", "poses"):
        raise InputError(f"targets: got a task of kind {task.kind!r}, expected the points of a surface or poses")
    if task.n_poses > MAX_TASK:
        raise InputError(f"targets: got a task of {task.n_poses:,} poses, expected at most {MAX_TASK:,}")
    x, y = grid.axes
    R = rolls("z", grid.n_yaw)
    cosine, sine = R[:, 0, 0], R[:, 1, 0]
    site_poses = np.zeros((*grid.shape, 4, 4))
    site_poses[..., :3, :3] = R.transpose(0, 2, 1)
    x_of, y_of = x[:, None, None], y[:, None]
    site_poses[..., 0, 3] = 0.0 - (cosine * x_of + sine * y_of)
    site_poses[..., 1, 3] = sine * x_of - cosine * y_of
    site_poses[..., 2, 3] = 0.0 - grid.z
    site_poses[..., 3, 3] = 1.0
    excluded = None
    if grid.exclude:
        excluded = np.broadcast_to(grid.excluded[..., None], grid.shape).reshape(-1)
    return TargetSet(
        kind="placements",
        dims=("x", "y", "yaw"),
        coordinates={"x": x, "y": y, "yaw": grid.yaws},
        local_poses=task.poses(np.arange(task.n_sites)).reshape(-1, 4, 4),
        site_poses=site_poses.reshape(-1, 4, 4),
        free_axis=task.free_axis,
        axis_mask=task.axis_mask,
        excluded=excluded,
    )
