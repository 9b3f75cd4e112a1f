"""What a run of the benchmark measured, and its file: one JSON document, read back strictly."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from os import PathLike
from typing import Any

from repose_jit.bench.machine import Machine
from repose_jit.bench.settings import BenchSettings
from repose_jit.config_file import read_config
from repose_jit.errors import ConfigError, InputError, shown
from repose_jit.records import record
from repose_jit.validation import as_path, as_positive
from repose_jit.whole_file import whole_file

__all__ = ["BenchReport", "BenchRow", "RowKey", "Work", "read_report", "require_destination", "write_report"]

SCHEMA = 1
"""Version of the file; one of another version is refused."""
PERCENTILES = 101
"""How many percentiles a row has, from the least (0) to the largest (100)."""


BUSY = 0.9
"""A process that gets a smaller share of its CPU than this measures what else is running."""


class Work(StrEnum):
    """What is timed."""

    FIRST_CALL = "first_call"
    """The first batch solve of a process that finds no compiled kernels."""
    CACHED_START = "cached_start"
    """Import and first batch solve of a fresh process that finds its kernels in the cache."""
    SOLVE_ONE = "solve_one"
    """One cold target a call, with a result object."""
    SOLVE_ONE_OUT = "solve_one_out"
    """The same into an array of the caller."""
    BATCH = "batch"
    """Cold targets, many a call."""
    FORWARD_KINEMATICS = "forward_kinematics"
    JACOBIAN = "jacobian"


@dataclass(frozen=True, kw_only=True)
class RowKey:
    """What a row is about; rows of two reports with equal keys are compared.

    Attributes
    ----------
    work
        What is timed.
    robot
        Name of the robot.
    batch
        Targets or poses a call.
    threads
        How many threads the call may use.
    position_tolerance, orientation_tolerance
        Errors that count as solved [m, rad]; None where nothing is solved.
    """

    work: Work
    robot: str
    batch: int
    threads: int
    position_tolerance: float | None = None
    orientation_tolerance: float | None = None

    def __str__(self) -> str:
        threads = f"{self.threads} thread" if self.threads == 1 else f"{self.threads} threads"
        parts = [self.work, self.robot, f"batch of {self.batch}", threads]
        if self.position_tolerance is not None:
            parts.append(f"{self.position_tolerance:g} m, {self.orientation_tolerance:g} rad")
        return ", ".join(parts)


@dataclass(frozen=True, kw_only=True)
class BenchRow(RowKey):
    """What was measured for one key.

    Attributes
    ----------
    ns
        Median of the repetitions [ns] for one target or pose; for the two starts, of the whole start.
    repetitions_ns
        The same for every repetition, in the order in which they ran: the spread of these is the noise.
    percentiles_ns
        Percentiles 0 to 100 of all single calls [ns], where calls are timed one by one; else empty.
    solved, targets
        Of how many solves, repetitions included, how many gave an answer that was verified. None where nothing is
        solved.
    """

    ns: float
    repetitions_ns: tuple[float, ...]
    percentiles_ns: tuple[float, ...] = ()
    solved: int | None = None
    targets: int | None = None

    def __post_init__(self) -> None:
        if not self.repetitions_ns or not min(self.repetitions_ns) > 0.0:
            raise InputError(f"repetitions_ns: got {shown(self.repetitions_ns)}, expected at least one time > 0")
        median = statistics.median(self.repetitions_ns)
        if abs(self.ns - median) > 1e-9 * median:
            raise InputError(f"ns: got {self.ns}, expected the median of repetitions_ns, {median}")
        if len(self.percentiles_ns) not in (0, PERCENTILES) or list(self.percentiles_ns) != sorted(self.percentiles_ns):
            raise InputError(f"percentiles_ns: got {shown(self.percentiles_ns)}, expected {PERCENTILES} rising times")
        if (self.solved is None) != (self.targets is None):
            raise InputError(f"solved: got {self.solved} of {self.targets} targets, expected both or neither")
        if self.solved is not None and self.targets is not None and not 0 <= self.solved <= self.targets > 0:
            raise InputError(f"solved: got {self.solved} of {self.targets} targets, expected 0 to all of at least one")

    @property
    def key(self) -> RowKey:
        """What the row is about."""
        return RowKey(**{field.name: getattr(self, field.name) for field in fields(RowKey)})

    @property
    def quartiles_ns(self) -> tuple[float, float]:
        """Between these two [ns] lies the middle half of the repetitions."""
        if len(self.repetitions_ns) == 1:
            return self.ns, self.ns
        lower, _, upper = statistics.quantiles(self.repetitions_ns, n=4, method="inclusive")
        return lower, upper

    @property
    def spread(self) -> float:
        """Half the distance of the quartiles, as a share of the median."""
        lower, upper = self.quartiles_ns
        return 0.5 * (upper - lower) / self.ns

    @property
    def per_second(self) -> float:
        """Targets or poses a second."""
        return 1e9 / self.ns

    @property
    def percent_solved(self) -> float | None:
        """Share of the targets with a verified answer [%], None where nothing is solved."""
        return None if self.solved is None or self.targets is None else 100.0 * self.solved / self.targets


@dataclass(frozen=True, kw_only=True)
class BenchReport:
    """A whole run.

    Attributes
    ----------
    created
        When it ended, ISO 8601 in UTC.
    machine
        What it ran on.
    settings
        How much was measured.
    rows
        What was measured; no key is there twice.
    cpu_share
        How much of a CPU the process got while it worked on one thread: CPU time over time, 1 where nothing else runs.
    schema
        Version of the file.
    """

    created: str
    machine: Machine
    settings: BenchSettings
    rows: tuple[BenchRow, ...]
    cpu_share: float
    schema: int = SCHEMA

    def __post_init__(self) -> None:
        as_positive(self.cpu_share, name="cpu_share")
        keys = [row.key for row in self.rows]
        for i, key in enumerate(keys):
            if key in keys[:i]:
                raise InputError(f"rows: got {key} twice, expected every key once")

    @property
    def was_busy(self) -> bool:
        """Whether others took so much of the CPU that the times are not those of the work."""
        return self.cpu_share < BUSY

    def of(self, *works: Work) -> list[BenchRow]:
        """Return the rows of these kinds of work."""
        return [row for row in self.rows if row.work in works]

    def to_json(self) -> str:
        """Return the JSON document, a line for each row."""
        document: dict[str, Any] = asdict(self)
        rows = ",\n".join(f"    {json.dumps(row, allow_nan=False)}" for row in document.pop("rows"))
        head = json.dumps(document, indent=2, allow_nan=False).removesuffix("\n}")
        return f'{head},\n  "rows": [\n{rows}\n  ]\n}}\n'


def write_report(report: BenchReport, path: str | PathLike[str], *, overwrite: bool = False) -> None:
    """Write a report as JSON.

    Raises
    ------
    InputError
        If the file exists and is not to be replaced, or its name does not end in ``.json``.
    OSError
        If it cannot be written.
    """
    require_destination(path, overwrite=overwrite)
    with whole_file(as_path(path), overwrite=overwrite) as file:
        file.write(report.to_json().encode())


def require_destination(path: str | PathLike[str], *, overwrite: bool = False) -> None:
    """Refuse before a run what could not be written after it; see :func:`write_report`."""
    destination = as_path(path)
    if destination.suffix.lower() != ".json":
        raise InputError(f"{destination}: expected a file that ends in .json")
    if not destination.parent.is_dir():
        raise InputError(f"{destination}: there is no directory {destination.parent}")
    if destination.is_dir() or (destination.exists() and not overwrite):
        raise InputError(f"{destination} exists, expected a new file or leave to overwrite it")


def read_report(path: str | PathLike[str]) -> BenchReport:
    """Read what :func:`write_report` wrote.

    Raises
    ------
    ConfigError
        If there is no such file, or it is something else; with every mistake in it.
    """
    return read_config(as_path(path), _report)


def _report(value: object, path: str) -> BenchReport:
    # First, so that a file of another kind or version is one mistake and not one for each key.
    if not isinstance(value, Mapping) or "schema" not in value:
        raise ConfigError(["got no schema, expected a report that `repose-jit bench run` wrote"])
    if value["schema"] != SCHEMA:
        raise ConfigError([f"schema: got {shown(value['schema'])}, expected {SCHEMA}: written by another version"])
    return record(BenchReport)(value, path)
