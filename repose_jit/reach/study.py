"""A reachability study: what is asked of which robot, checked before anything runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from repose_jit.chain import KinematicChain, require_chain
from repose_jit.errors import InputError, shown
from repose_jit.multi_seed import MultiSeedParams
from repose_jit.reach.engine.chunk_report import ChunkReport
from repose_jit.reach.engine.run import run_job
from repose_jit.reach.reach_map import ReachMap
from repose_jit.reach.solving.chunk import ReachJob
from repose_jit.reach.solving.metrics import DEFAULT_METRICS, as_length_scale, as_metrics
from repose_jit.reach.store.schema import targets_digest
from repose_jit.reach.targets.kinds import GridTargets, Targets
from repose_jit.reach.targets.orientations import Orientations, orientations_for
from repose_jit.reach.targets.target_set import TargetSet, target_set
from repose_jit.seeds import spread_seeds
from repose_jit.validation import as_flag

__all__ = ["ReachStudy"]


@dataclass(frozen=True, init=False, eq=False)
class ReachStudy:
    """Inverse kinematics for every pose of a workspace.

    Attributes
    ----------
    chain
        The robot.
    targets
        What it aims at: the voxels of a grid, the points of a surface, or given poses. By default a grid over all that
        the arm could reach.
    orientations
        In which orientations; by default all of them at every voxel, and the whole of given poses.
    solve
        How each pose is solved. Its `threads` are those of :meth:`run`, and `free_axis` and `axis_mask` follow from
        the orientations.
    metrics
        What to compute for every pose reached: names from :data:`repose_jit.reach.solving.metrics.METRICS`.
    length_scale
        What linear rows of the Jacobian are divided by where they meet angular ones [m].
    save_q
        Keep the configurations that reach the poses.

    Raises
    ------
    ShapeError, InputError, UnknownNameError
        If a value is not allowed, or nothing limits how far a joint slides.

    Examples
    --------
    >>> import repose_jit as rj
    >>> study = rj.ReachStudy(
    ...     rj.preset("igus_rebel").chain(),
    ...     targets=rj.GridTargets(spacing=0.2),
    ...     orientations=rj.Orientations(kind="super_fibonacci", n=16),
    ... )
    >>> study.n_poses
    5488
    >>> reach_map = study.run()
    >>> reach_map.site("n_reached").shape
    (7, 7, 7)
    """

    chain: KinematicChain
    targets: Targets
    orientations: Orientations | None
    solve: MultiSeedParams
    metrics: tuple[str, ...]
    length_scale: float
    save_q: bool

    def __init__(
        self,
        chain: KinematicChain,
        *,
        targets: Targets | None = None,
        orientations: Orientations | None = None,
        solve: MultiSeedParams | None = None,
        metrics: Sequence[str] = DEFAULT_METRICS,
        length_scale: float = 1.0,
        save_q: bool = False,
    ) -> None:
        require_chain(chain)
        solve = MultiSeedParams() if solve is None else solve
        _require_solve(solve)
        values: dict[str, object] = {
            "chain": chain,
            "targets": GridTargets() if targets is None else targets,
            "orientations": orientations,
            "solve": solve,
            "metrics": as_metrics(metrics),
            "length_scale": as_length_scale(length_scale),
            "save_q": as_flag(save_q, name="save_q"),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        poses = self.target_set
        object.__setattr__(self, "orientations", orientations_for(poses.kind, orientations))
        spread_seeds(chain, 0, rng_seed=solve.rng_seed)  # refuses joints without a range
        _require_encodable(self.to_config(), "")
        if solve.reference is not None and len(solve.reference) != chain.n_joints:
            raise InputError(f"solve.reference: got {len(solve.reference)} values, expected {chain.n_joints}")

    @classmethod
    def from_config(cls, source: Mapping[str, object] | str | os.PathLike[str]) -> ReachStudy:
        """Read a study from a dict, or from a ``.toml`` or ``.json`` file; files it names lie beside it.

        Raises
        ------
        ConfigError
            With every mistake found, and where.
        """
        from repose_jit.reach.study_file import read_study

        return read_study(source).study

    def to_config(self) -> dict[str, object]:
        """Return the study as plain values, the robot inline: what is stored with a map."""
        from repose_jit.reach.study_file import study_config

        return study_config(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ReachStudy):
            return NotImplemented
        return self.to_config() == other.to_config() and targets_digest(self.target_set) == targets_digest(
            other.target_set
        )

    def __hash__(self) -> int:
        return hash((self.n_poses, self.solve, self.metrics))

    @cached_property
    def target_set(self) -> TargetSet:
        """The poses asked for."""
        return target_set(self.targets, self.orientations, self.chain)

    @property
    def n_poses(self) -> int:
        """Sites × orientations."""
        return self.target_set.n_poses

    @cached_property
    def job(self) -> ReachJob:
        """What the chunks are solved from."""
        poses = self.target_set
        return ReachJob(
            chain=self.chain,
            targets=poses,
            solve=replace(self.solve, free_axis=poses.free_axis, axis_mask=poses.axis_mask, threads=1),
            metrics=self.metrics,
            length_scale=self.length_scale,
            save_q=self.save_q,
        )

    def run(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        resume: bool = False,
        overwrite: bool = False,
        threads: int | None = None,
        engine: Literal["threads", "dask"] = "threads",
        scheduler: str | None = None,
        shard: tuple[int, int] | None = None,
        progress: Callable[[ChunkReport], object] | None = None,
        phase: Callable[[str], object] | None = None,
    ) -> ReachMap:
        """Solve all poses.

        Parameters
        ----------
        path
            Directory of the store to make; each chunk is in it as soon as it is solved, and
            :func:`repose_jit.resume_study` goes on with what a run left. None: the map is kept in memory.
        resume
            Go on with the store at `path` if there is one.
        overwrite
            Replace the store at `path`, if there is one; nothing else is ever replaced.
        threads
            Threads, or workers of a local Dask cluster; all available CPUs if None. No influence on the map.
        engine
            ``"threads"``, or ``"dask"``.
        scheduler
            Address of a running Dask scheduler, whose workers see `path`; None for a cluster of its own.
        shard
            (i, N): only every N-th chunk, from the i-th of 1 to N; :func:`repose_jit.merge_stores` joins the stores.
        progress
            Called from this thread after every chunk.
        phase
            Called with a few words when something else begins: ``"compiling kernels"``, ``"solving"``, ``"estimating
            what was missed"``.

        Returns
        -------
        ReachMap
            The same bits for every engine, number of threads and sequence of interruptions.

        Raises
        ------
        InputError
            If there is something at `path` already, or a store of another study, robot or version; naming what differs.
        ReposeError
            If the store cannot be written to: chunks that are done are kept.
        KeyboardInterrupt
            After Ctrl-C, when the chunks that have begun are done.
        """
        return run_job(
            self.job,
            path,
            config=self.to_config(),
            resume=resume,
            overwrite=overwrite,
            threads=threads,
            engine=engine,
            scheduler=scheduler,
            shard=shard,
            progress=progress,
            phase=phase,
        )


def _require_encodable(value: object, path: str) -> None:
    """Raise InputError, naming where, if a text of a study is one that no file can hold."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            _require_encodable(entry, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            _require_encodable(entry, f"{path}[{i}]")
    elif isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{path}: got {shown(value)}, expected another name: half a surrogate pair is no character, and the "
                "study could not be stored"
            ) from None


def _require_solve(solve: Any) -> None:
    if not isinstance(solve, MultiSeedParams):
        raise InputError(f"solve: got {type(solve).__name__}, expected MultiSeedParams")
    for name, instead in (
        ("free_axis", "Orientations(kind='free_axis', ...)"),
        ("axis_mask", "Orientations(kind='none') for the position alone"),
        ("threads", "the argument of run"),
    ):
        if getattr(solve, name) is not None:
            raise InputError(f"solve.{name}: got {getattr(solve, name)!r}, expected none: use {instead}")
