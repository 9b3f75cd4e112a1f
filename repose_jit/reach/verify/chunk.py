"""Check one chunk of a store: its arrays against each other, and its configurations against the poses asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repose_jit.reach.solving.chunk import Chunk, ReachJob
from repose_jit.reach.solving.metrics import compute_metrics, site_statistics
from repose_jit.reach.solving.neighbourhood import MAX_LOANS
from repose_jit.reach.status import ReachStatus
from repose_jit.reach.verify.configurations import check_block
from repose_jit.reach.verify.report import Findings
from repose_jit.seeds import spread_seeds

__all__ = ["ChunkCheck"]

AnyArray = NDArray[Any]
BoolArray = NDArray[np.bool_]

LENT = -2
SOLUTIONS = "n_solutions"
COUNTED = (ReachStatus.REACHED, ReachStatus.NOT_FOUND, ReachStatus.PROVEN_UNREACHABLE)


@dataclass(frozen=True, eq=False)
class ChunkCheck:
    """The checks of the chunks of one study.

    Attributes
    ----------
    job
        The study.
    config
        Its robot, as ``KinematicChain.to_config()`` writes it.
    is_same_machinery
        Whether the versions and the kind of CPU are those that the store was made with: then what is computed again
        has the same bits.
    findings
        Where to note what is wrong.
    """

    job: ReachJob
    config: Mapping[str, Any]
    is_same_machinery: bool
    findings: Findings

    @cached_property
    def has_value(self) -> dict[str, bool]:
        """Which metrics this robot has at all: that none is there follows from its joints, not from where they are."""
        names = [name for name in self.job.metrics if name != SOLUTIONS]
        q = spread_seeds(self.job.chain, 1, rng_seed=self.job.solve.rng_seed)
        values = compute_metrics(self.job.chain, q, names, length_scale=self.job.length_scale)
        return {SOLUTIONS: True, **{name: not np.isnan(values[name]).any() for name in names}}

    def check(self, number: int, chunk: Chunk) -> int:
        """Check the arrays of a chunk, as many as could be read; return how many configurations were checked."""
        status = chunk.get("status")
        if status is None:
            return 0
        self._check_status(number, status)
        self._check_counts(number, chunk, status)
        self._check_errors(number, chunk, status)
        self._check_attempts(number, chunk, status)
        self._check_metrics(number, chunk, status)
        return self._check_configurations(number, chunk["q"], chunk, status) if "q" in chunk else 0

    def compare(self, number: int, chunk: Chunk, again: Chunk) -> None:
        """Compare the arrays of a chunk, as many as could be read, with those that a second solve gave."""
        for name, values in chunk.items():
            self._expect(number, name, values, again[name], "of a second solve")

    def _check_status(self, number: int, status: AnyArray) -> None:
        excluded = self.job.targets.excluded
        if excluded is None:
            left_out = np.zeros(status.shape, np.bool_)
        else:
            sites = self.job.blocks.sites(number)
            left_out = np.broadcast_to(excluded[sites][..., None], status.shape)
        is_wrong = np.where(left_out, status != ReachStatus.EXCLUDED, ~np.isin(status, COUNTED))

        def expected(i: int) -> str:
            return "5: the site is excluded" if left_out.flat[i] else "1, 2 or 3"

        self._note(number, "status", is_wrong, status, expected)

    def _check_counts(self, number: int, chunk: Chunk, status: AnyArray) -> None:
        k = self.job.targets.n_orientations
        counts = {f"n_{kind.name.lower()}": np.count_nonzero(status == kind, axis=-1) for kind in COUNTED}
        for name, count in counts.items():
            self._expect(number, name, chunk.get(name), count.astype(np.int32), "counted in status")
        index = (100.0 * counts["n_reached"].astype(np.float64) / k).astype(np.float32)
        self._expect(number, "reachability_index", chunk.get("reachability_index"), index, "from status")

    def _check_errors(self, number: int, chunk: Chunk, status: AnyArray) -> None:
        is_reached, is_tried = _reached_and_tried(status)
        solve = self.job.solve
        for name, tolerance in (
            ("position_error", solve.position_tolerance),
            ("orientation_error", solve.orientation_tolerance),
        ):
            errors = chunk.get(name)
            if errors is None:
                continue
            most = np.where(is_reached, np.float32(tolerance), np.float32(np.inf))
            is_wrong = np.where(is_tried, ~((errors >= 0.0) & (errors <= most)), ~np.isnan(errors))

            def expected(i: int, most: AnyArray = most) -> str:
                if not is_tried.flat[i]:
                    return f"NaN: the pose was not tried, status {status.flat[i]}"
                return f"0 to {most.flat[i]:g}, status {status.flat[i]}"

            self._note(number, name, is_wrong, errors, expected)

    def _check_attempts(self, number: int, chunk: Chunk, status: AnyArray) -> None:
        is_reached, is_tried = _reached_and_tried(status)
        budget = self.job.solve.max_attempts
        lends = self.job.neighbourhood is not None
        # Two configurations are lent in each round, and after each of the two stretches of attempts.
        most = budget + (4 * MAX_LOANS if lends else 0)
        attempts, seeds = chunk.get("attempts"), chunk.get("seed_index")
        if attempts is not None:
            is_wrong = np.where(is_tried, (attempts < 1) | (attempts > most), attempts != 0)
            self._note(
                number,
                "attempts",
                is_wrong,
                attempts,
                lambda i: f"{f'1 to {most}' if is_tried.flat[i] else '0'}, status {status.flat[i]}",
            )
        if seeds is not None:
            known = budget if attempts is None else np.minimum(budget, attempts)
            is_seed = ((seeds >= 0) & (seeds < known)) | (lends & (seeds == LENT))
            is_wrong = np.where(is_reached, ~is_seed, seeds != -1)
            self._note(
                number,
                "seed_index",
                is_wrong,
                seeds,
                lambda i: f"{'one of the attempts made' if is_reached.flat[i] else '-1'}, status {status.flat[i]}",
            )

    def _check_metrics(self, number: int, chunk: Chunk, status: AnyArray) -> None:
        is_reached, _ = _reached_and_tried(status)
        for name in self.job.metrics:
            values = chunk.get(name)
            if values is None:
                continue
            has_value = is_reached & self.has_value[name]
            self._note(
                number,
                name,
                np.isfinite(values) != has_value,
                values,
                lambda i, has=has_value: f"{'a number' if has.flat[i] else 'NaN'}, status {status.flat[i]}",
            )
            of_sites = site_statistics(values.reshape(-1, values.shape[-1]))
            for kind, expected in zip(("mean", "max"), of_sites, strict=True):
                rounded = expected.astype(np.float32).reshape(values.shape[:-1])
                self._expect(number, f"{name}_{kind}", chunk.get(f"{name}_{kind}"), rounded, f"from {name}")

    def _check_configurations(self, number: int, q: AnyArray, chunk: Chunk, status: AnyArray) -> int:
        job = self.job
        sites = job.blocks.sites(number).reshape(-1)
        rows, outcomes = q.reshape(-1, q.shape[-1]), status.reshape(-1)
        wrong = check_block(
            self.config,
            job.targets.poses(sites).reshape(-1, 4, 4),
            rows,
            outcomes,
            position_tolerance=job.solve.position_tolerance,
            orientation_tolerance=job.solve.orientation_tolerance,
            free_axis=job.targets.free_axis,
            axis_mask=job.targets.axis_mask,
        )
        wrong = [finding for finding in wrong if finding.check != "status"]  # checked above, saved q or not
        self.findings.add_all(
            np.ones(len(wrong), np.bool_),
            lambda i: (self._where(number, "q", wrong[i].pose, status.shape), wrong[i].what),
        )
        reached = np.flatnonzero((outcomes == ReachStatus.REACHED) & np.isfinite(rows).all(axis=1))
        names = [name for name in job.metrics if name in chunk and name != SOLUTIONS]
        if self.is_same_machinery and names:
            values = compute_metrics(job.chain, rows[reached], names, length_scale=job.length_scale)
            for name in names:
                again = chunk[name].copy()
                again.reshape(-1)[reached] = values[name]
                self._expect(number, name, chunk[name], again, "computed from q")
        return len(reached)

    def _expect(self, number: int, name: str, values: AnyArray | None, expected: AnyArray, source: str) -> None:
        """Note where an array, if it could be read, has other bits than expected; one NaN is as good as another."""
        if values is None:
            return
        is_wrong = _bits(values) != _bits(expected)
        if values.dtype.kind == "f":
            is_wrong &= ~(np.isnan(values) & np.isnan(expected))
        self._note(number, name, is_wrong, values, lambda i: f"{expected.flat[i]}, {source}")

    def _note(self, number: int, name: str, is_wrong: BoolArray, values: AnyArray, expected: Any) -> None:
        self.findings.add_all(
            is_wrong,
            lambda i: (
                self._where(number, name, i, values.shape),
                f"got {values.flat[i]}, expected {expected(i)}",
            ),
        )

    def _where(self, number: int, name: str, index: int, shape: tuple[int, ...]) -> str:
        """Say where in the store an entry of a chunk is."""
        dims = self.job.targets.dims
        place = [int(i) for i in np.unravel_index(index, shape)]
        for axis, part in enumerate(self.job.blocks.slices(number)):
            place[axis] += part.start
        names = (*dims, "orientation", "joint")
        return f"{name}, chunk {number}, {', '.join(f'{dim} {i}' for dim, i in zip(names, place, strict=False))}"


def _reached_and_tried(status: AnyArray) -> tuple[BoolArray, BoolArray]:
    is_reached: BoolArray = status == ReachStatus.REACHED
    return is_reached, is_reached | (status == ReachStatus.NOT_FOUND)


def _bits(values: AnyArray) -> AnyArray:
    """Return an array of numbers as integers that are equal where every bit is."""
    return np.ascontiguousarray(values).view(f"i{values.dtype.itemsize}")
