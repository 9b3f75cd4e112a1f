"""A reachability study: its parameters, checked, and the run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import repose_jit
from repose_jit.chain import KinematicChain, require_chain
from repose_jit.errors import InputError
from repose_jit.ik import IkParams, inverse_kinematics
from repose_jit.reach.engine import ReachJob, solve_all
from repose_jit.reach.grid import Box, as_box, as_spacing, voxel_grid
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.rotations import super_fibonacci
from repose_jit.reach_bound import reach_bound
from repose_jit.seeds import MAX_RNG_SEED, spread_seeds
from repose_jit.threads import as_threads, available_cpus
from repose_jit.validation import as_integer

__all__ = ["STUDY_PARAMS", "ReachStudy"]

FloatArray = NDArray[np.float64]

STUDY_PARAMS = IkParams(step_rule="adaptive", max_iterations=30)
"""The solve of one attempt. A study asks whether any seed gets there, not for the solution nearest to one."""

MAX_POSES = 10**10
"""Most poses of a study, a byte each; beyond it a box in millimetres is likelier than patience."""

MAX_ORIENTATIONS, MAX_ATTEMPTS = 10**6, 10**6
"""Both are tables in memory: some hundreds of megabytes at most."""

VOXELS_PER_SIDE = 26
"""About how many voxels the default spacing puts along the longest side of the box."""


@dataclass(frozen=True, init=False)
class ReachStudy:
    """Inverse kinematics for every orientation at every voxel of a grid.

    Attributes
    ----------
    chain
        The robot.
    spacing
        Edge of a voxel [m]; a voxel is judged by its centre. By default a 26th of the box's longest side, rounded to
        one digit: 50 mm for the igus ReBeL.
    n_orientations
        Orientations at every voxel, spread evenly: :func:`~repose_jit.reach.rotations.super_fibonacci`.
    box
        Lower and upper corner of the grid in the base frame [m]. By default the cube around the ball that the tool
        cannot leave: :func:`~repose_jit.reach_bound.reach_bound`.
    attempts
        Seeds tried for a pose before it counts as not found.
    params
        The solve of one attempt.
    rng_seed
        Shifts the sequence of seeds. Equal studies give equal maps.
    threads
        Threads to run on, all available CPUs if None; no influence on the map.

    Raises
    ------
    ShapeError, InputError
        If a value is not allowed, or nothing limits how far a joint slides.
    """

    chain: KinematicChain
    spacing: float
    n_orientations: int
    box: Box
    attempts: int
    params: IkParams
    rng_seed: int
    threads: int | None = field(compare=False)

    def __init__(
        self,
        chain: KinematicChain,
        *,
        spacing: float | None = None,
        n_orientations: int = 256,
        box: Sequence[ArrayLike] | None = None,
        attempts: int = 32,
        params: IkParams = STUDY_PARAMS,
        rng_seed: int = 0,
        threads: int | None = None,
    ) -> None:
        require_chain(chain)
        if not isinstance(params, IkParams):
            raise InputError(f"params: got {type(params).__name__}, expected IkParams")
        corners = _default_box(chain) if box is None else as_box(box)
        values = {
            "chain": chain,
            "spacing": _default_spacing(corners) if spacing is None else as_spacing(spacing),
            "n_orientations": as_integer(n_orientations, name="n_orientations", least=1, most=MAX_ORIENTATIONS),
            "box": corners,
            "attempts": as_integer(attempts, name="attempts", least=1, most=MAX_ATTEMPTS),
            "params": params,
            "rng_seed": as_integer(rng_seed, name="rng_seed", least=0, most=MAX_RNG_SEED),
            "threads": as_threads(threads),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        spread_seeds(chain, 0, rng_seed=rng_seed)  # refuses joints without a range
        self._require_feasible()

    def _require_feasible(self) -> None:
        low, high = self.box
        voxels = math.prod(max(1.0, (b - a) / self.spacing) for a, b in zip(low, high, strict=True))
        poses = voxels * self.n_orientations
        if poses > MAX_POSES:
            sides = " × ".join(f"{b - a:g}" for a, b in zip(low, high, strict=True))
            raise InputError(
                f"spacing: got voxels of {self.spacing:g} m in a box of {sides} m: with {self.n_orientations} "
                f"orientations each {poses:.1e} poses, expected at most {MAX_POSES:.0e} (is everything in metres?)"
            )

    @cached_property
    def axes(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The x, y and z coordinates of the voxel centres [m]."""
        return voxel_grid(*self.box, self.spacing)

    @property
    def n_poses(self) -> int:
        """Voxels × orientations."""
        return math.prod(len(axis) for axis in self.axes) * self.n_orientations

    def run(self, progress: Callable[[int, int], object] | None = None) -> ReachMap:
        """Solve all poses.

        Parameters
        ----------
        progress
            Called as ``progress(done, total)``, in poses, after every chunk and from this thread.

        Returns
        -------
        ReachMap
            The same for every number of threads.

        Raises
        ------
        KeyboardInterrupt
            Within one attempt of Ctrl-C.
        """
        chain, params = self.chain, self.params
        job = ReachJob(
            chain=chain,
            params=params,
            axes=self.axes,
            rotations=super_fibonacci(self.n_orientations),
            seeds=spread_seeds(chain, self.attempts, rng_seed=self.rng_seed),
            bound=reach_bound(chain, enforce_joint_limits=params.enforce_joint_limits),
        )
        status = np.zeros(job.shape, np.int8)
        threads = available_cpus() if self.threads is None else self.threads
        # Compiled here, once, and not on the clock. Any pose will do; that of home may be beyond what a target can be.
        inverse_kinematics(chain, np.eye(4)[None], chain.home, replace(params, max_iterations=1))
        start = time.perf_counter()
        with closing(solve_all(job, status.reshape(-1), threads=threads)) as counts:
            for done in counts:
                if progress is not None:
                    progress(done, status.size)
        seconds = time.perf_counter() - start
        x, y, z = self.axes
        return ReachMap(
            x=x,
            y=y,
            z=z,
            rotations=job.rotations,
            status=status,
            attributes=self.describe(),
            seconds=seconds,
            threads=threads,
        )

    def describe(self) -> dict[str, Any]:
        """Return what determines the map, as plain JSON values: the robot, the targets, the budget and the versions."""
        return {
            "robot": self.chain.name,
            "chain": self.chain.to_config(),
            "box_min": list(self.box[0]),
            "box_max": list(self.box[1]),
            "spacing": self.spacing,
            "n_orientations": self.n_orientations,
            "orientations": "super_fibonacci",
            "attempts": self.attempts,
            "rng_seed": self.rng_seed,
            **{item.name: getattr(self.params, item.name) for item in fields(self.params) if item.init},
            "versions": {
                "repose_jit": repose_jit.__version__,
                **{package: version(package) for package in ("numba", "llvmlite", "numpy")},
            },
        }


def _default_box(chain: KinematicChain) -> Box:
    bound = reach_bound(chain)
    if math.isinf(bound.tool_radius):
        raise InputError("box: got none, expected one: nothing limits how far a joint of this chain slides")
    return as_box((bound.centre - bound.tool_radius, bound.centre + bound.tool_radius))


def _default_spacing(box: Box) -> float:
    longest = max(b - a for a, b in zip(*box, strict=True))
    return float(f"{longest / VOXELS_PER_SIDE:.0e}") or 0.05  # also where the quotient is too small for a float
