"""Reports made by hand."""

from __future__ import annotations

import statistics
from dataclasses import replace
from typing import Any

from repose_jit.bench import BenchReport, BenchRow, BenchSettings, Machine, Work

MACHINE = Machine(
    cpu="Abacus (wood)",
    cores=10,
    threads=4,
    os="Beads 1.0 frame",
    python="3.11.0",
    numba="0.68.1",
    llvmlite="0.50.0",
    numpy="2.4.6",
    repose_jit="0.1.0",
    commit="0123456789abcdef0123456789abcdef01234567",
)


def row(*repetitions_ns: float, **fields: Any) -> BenchRow:
    """Return a row of a batch of one robot with these times."""
    given: dict[str, Any] = {
        "work": Work.BATCH,
        "robot": "arm",
        "batch": 64,
        "threads": 1,
        "position_tolerance": 1e-4,
        "orientation_tolerance": 1e-3,
        "solved": 50,
        "targets": 50,
        **fields,
    }
    return BenchRow(ns=statistics.median(repetitions_ns), repetitions_ns=repetitions_ns, **given)


def kinematics_row(*repetitions_ns: float, **fields: Any) -> BenchRow:
    """Return a row of a work that solves nothing."""
    nothing = dict.fromkeys(("position_tolerance", "orientation_tolerance", "solved", "targets"))
    return row(*repetitions_ns, **{"work": Work.FORWARD_KINEMATICS, **nothing, **fields})


def report(
    *rows: BenchRow, settings: BenchSettings | None = None, cpu_share: float = 1.0, **machine: Any
) -> BenchReport:
    """Return a report of these rows, from a machine that differs in `machine`."""
    return BenchReport(
        created="2026-01-31T12:00:00+00:00",
        machine=replace(MACHINE, **machine),
        settings=settings or BenchSettings(),
        rows=rows,
        cpu_share=cpu_share,
    )
