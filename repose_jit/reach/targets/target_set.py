"""The poses of a study, made from what it aims at and how: sites times orientations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from repose_jit.chain import KinematicChain
from repose_jit.errors import InputError, ShapeError
from repose_jit.reach.targets.grid import default_box, default_spacing, voxel_grid
from repose_jit.reach.targets.kinds import GridTargets, PoseTargets, SurfaceTargets, Targets
from repose_jit.reach.targets.orientations import Orientations, orientations_for
from repose_jit.reach.targets.rotations import (
    axis_rotations,
    compose_rotations,
    fibonacci_sphere,
    rolls,
    super_fibonacci,
)

__all__ = ["MAX_POSES", "TargetSet", "target_set"]

FloatArray = NDArray[np.float64]

MAX_POSES = 10**10
"""Most poses of a study, a byte each; beyond it a box in millimetres is likelier than patience."""

FreeAxis = Literal["x", "y", "z"]

POSITION_ONLY = (True, True, True, False, False, False)
KINDS = {GridTargets: "grid", SurfaceTargets: "surface", PoseTargets: "poses"}


@dataclass(frozen=True, kw_only=True, eq=False)
class TargetSet:
    """Poses asked for, ``T_base_tool[s, k] = site frame s @ local_poses[k]``; never all of them in memory.

    Attributes
    ----------
    kind
        ``"grid"``, ``"surface"``, ``"poses"`` or ``"placements"``.
    dims
        Names of the dimensions that the sites are laid out in.
    coordinates
        The sites along each dimension: ascending [m; yaw in rad], or their numbers where they have no order in space.
    local_poses
        (k, 4, 4) the orientations: the tool in the frame of a site.
    site_poses
        (S, 4, 4) the frames of the sites in the base frame, in C order of the dimensions; None for a grid, whose
        frames are its coordinates.
    free_axis
        The axis of the tool about which its turn is left to the solve, or None.
    axis_mask
        What of a pose counts, as in ``MultiSeedParams``; None for all.
    excluded
        (S,) sites that are not solved, or None.
    spacing
        Edge of a voxel of a grid [m], else None.

    Raises
    ------
    ShapeError, InputError
        If the parts do not fit together, or there are more than 10¹⁰ poses.
    """

    kind: str
    dims: tuple[str, ...]
    coordinates: Mapping[str, NDArray[np.float64] | NDArray[np.int64]]
    local_poses: FloatArray
    site_poses: FloatArray | None = None
    free_axis: FreeAxis | None = None
    axis_mask: tuple[bool, ...] | None = None
    excluded: NDArray[np.bool_] | None = None
    spacing: float | None = None

    def __post_init__(self) -> None:
        if tuple(self.coordinates) != self.dims:
            raise InputError(f"coordinates: got {', '.join(self.coordinates)}, expected {', '.join(self.dims)}")
        expected = {"local_poses": (self.n_orientations, 4, 4), "excluded": (self.n_sites,)}
        if self.kind != "grid":
            expected["site_poses"] = (self.n_sites, 4, 4)
        for name, shape in expected.items():
            array = getattr(self, name)
            if array is not None and array.shape != shape:
                raise ShapeError(f"{name}: got shape {array.shape}, expected {shape}")
        if self.kind != "grid" and self.site_poses is None:
            raise InputError(f"site_poses: got none, expected {expected['site_poses']} for {self.kind}")
        if self.n_poses > MAX_POSES:
            raise InputError(self._too_many())

    @property
    def shape(self) -> tuple[int, ...]:
        """Sites along each dimension."""
        return tuple(len(self.coordinates[dim]) for dim in self.dims)

    @property
    def n_sites(self) -> int:
        """Sites in all."""
        return math.prod(self.shape)

    @property
    def n_orientations(self) -> int:
        """Orientations at every site."""
        return len(self.local_poses)

    @property
    def n_poses(self) -> int:
        """Sites × orientations."""
        return self.n_sites * self.n_orientations

    def site_frames(self, sites: NDArray[np.int64]) -> FloatArray:
        """Return the frames of some sites.

        Parameters
        ----------
        sites
            (N,) their numbers, in C order of the dimensions.

        Returns
        -------
        (N, 4, 4) array
            In the base frame.
        """
        if self.site_poses is not None:
            return self.site_poses[sites]
        frames = np.zeros((len(sites), 4, 4))
        frames[:, [0, 1, 2, 3], [0, 1, 2, 3]] = 1.0
        for axis, index in enumerate(np.unravel_index(sites, self.shape)):
            frames[:, axis, 3] = self.coordinates[self.dims[axis]][index]
        return frames

    def poses(self, sites: NDArray[np.int64]) -> FloatArray:
        """Return all the poses at some sites, (N, k, 4, 4) for their (N,) numbers."""
        return _products(self.site_frames(sites)[:, None], self.local_poses[None])

    def poses_at(self, sites: NDArray[np.int64], orientations: NDArray[np.int64]) -> FloatArray:
        """Return one pose at each of some sites, (N, 4, 4) for the (N,) numbers of sites and orientations."""
        return _products(self.site_frames(sites), self.local_poses[orientations])

    def _too_many(self) -> str:
        expected = (
            f"{self.n_orientations} orientations each {self.n_poses:.1e} poses, expected at most {MAX_POSES:.0e} "
            "(is everything in metres?)"
        )
        if self.spacing is None:
            return f"targets: got {' × '.join(map(str, self.shape))} {self.kind}: with {expected}"
        sides = " × ".join(f"{count * self.spacing:g}" for count in self.shape)
        return f"spacing: got voxels of {self.spacing:g} m in a box of {sides} m: with {expected}"


def target_set(targets: Targets, orientations: Orientations | None, chain: KinematicChain) -> TargetSet:
    """Return the poses that a study asks for.

    Parameters
    ----------
    targets
        What it aims at.
    orientations
        In which orientations; None for the usual ones (not for a surface).
    chain
        The robot, whose reach is the box of a grid without one.

    Returns
    -------
    TargetSet

    Raises
    ------
    InputError
        If the two do not go together, there are too many poses, or a grid has no box and the robot no bounds.

    Notes
    -----
    The site of a voxel is its centre, in the axes of the base; that of a pose is the pose. That of a point is the
    point, and in its axes if the orientations come from the normal: z is the normal, and x and y are those of the base
    turned by the smallest rotation that takes z there.
    """
    kind = KINDS.get(type(targets))
    if kind is None:
        expected = ", ".join(known.__name__ for known in KINDS)
        raise InputError(f"targets: got {type(targets).__name__}, expected one of {expected}")
    wanted = orientations_for(kind, orientations)
    rotations = np.eye(3)[None] if wanted is None or kind == "poses" else _local_rotations(wanted)
    local_poses = _poses(rotations, np.zeros(3))
    local_poses.setflags(write=False)
    free_axis, axis_mask = _what_is_free(wanted)
    if isinstance(targets, GridTargets):
        x, y, z, spacing = _voxels(targets, chain)
        return TargetSet(
            kind="grid",
            dims=("x", "y", "z"),
            coordinates={"x": x, "y": y, "z": z},
            local_poses=local_poses,
            free_axis=free_axis,
            axis_mask=axis_mask,
            spacing=spacing,
        )
    if isinstance(targets, SurfaceTargets):
        by_normal = wanted is not None and wanted.approach is not None
        frames = axis_rotations("z", targets.normals) if by_normal else np.eye(3)
        dim, site_poses = "point", _poses(frames, targets.points)
    else:
        dim, site_poses = "pose", targets.poses
    site_poses.setflags(write=False)
    return TargetSet(
        kind=kind,
        dims=(dim,),
        coordinates={dim: np.arange(len(site_poses), dtype=np.int64)},
        local_poses=local_poses,
        site_poses=site_poses,
        free_axis=free_axis,
        axis_mask=axis_mask,
    )


def _what_is_free(orientations: Orientations | None) -> tuple[FreeAxis | None, tuple[bool, ...] | None]:
    """Return the `free_axis` and the `axis_mask` of the solve."""
    if orientations is None or orientations.kind not in ("free_axis", "none"):
        return None, None
    if orientations.tool_axis is None:
        return None, POSITION_ONLY
    return cast(FreeAxis, orientations.tool_axis[-1]), None


def _local_rotations(orientations: Orientations) -> FloatArray:
    """Return the (k, 3, 3) rotations of the tool in the frame of a site."""
    # The table of rules has left exactly the settings that count.
    n, n_roll, tool_axis = orientations.n, orientations.n_roll, orientations.tool_axis
    if tool_axis is None:
        return np.eye(3)[None] if n is None else super_fibonacci(n)
    if n is None:
        directions = np.array([[0.0, 0.0, 1.0 if orientations.approach == "+normal" else -1.0]])
    else:
        directions = fibonacci_sphere(n)
    pointed = axis_rotations(tool_axis, directions)
    if n_roll is None:
        return pointed
    # Direction by direction, all rolls of one together.
    return compose_rotations(pointed[:, None], rolls(tool_axis, n_roll)).reshape(-1, 3, 3)


def _voxels(targets: GridTargets, chain: KinematicChain) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    if targets.box_min is None or targets.box_max is None:
        box = default_box(chain)
    else:
        box = targets.box_min, targets.box_max
    spacing = default_spacing(box) if targets.spacing is None else targets.spacing
    return *voxel_grid(*box, spacing), spacing


def _products(frames: FloatArray, local: FloatArray) -> FloatArray:
    """Return the products of (..., 4, 4) frames and poses in them; leading dimensions broadcast."""
    R, p = frames[..., :3, :3], local[..., :3, 3]
    T = np.zeros(np.broadcast_shapes(frames.shape, local.shape))
    T[..., :3, :3] = compose_rotations(R, local[..., :3, :3])
    T[..., :3, 3] = frames[..., :3, 3] + (
        R[..., 0] * p[..., 0, None] + R[..., 1] * p[..., 1, None] + R[..., 2] * p[..., 2, None]
    )
    T[..., 3, 3] = 1.0
    return T


def _poses(R: FloatArray, p: FloatArray) -> FloatArray:
    """Return (N, 4, 4) poses of rotations and positions, either of them one for all."""
    T = np.zeros((*np.broadcast_shapes(R.shape[:-2], p.shape[:-1]), 4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R, p, 1.0
    return T
