"""Reports of the benchmark, and comparisons of two, as tables of 80 columns."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING

import click

from repose_jit.bench.compare import Change, ReportComparison
from repose_jit.bench.report import BenchReport, BenchRow, RowKey, Work
from repose_jit.cli.screen import WIDTH, echo_fields, echo_table, echo_text

if TYPE_CHECKING:
    from repose_jit.bench.machine import Machine

__all__ = ["duration", "echo_comparison", "echo_report", "histogram"]

NAMES = {
    Work.FIRST_CALL: "first call",
    Work.CACHED_START: "cached start",
    Work.SOLVE_ONE: "one target",
    Work.SOLVE_ONE_OUT: "one, out=",
    Work.BATCH: "batch",
    Work.FORWARD_KINEMATICS: "FK",
    Work.JACOBIAN: "Jacobian",
}
BINS = 9
"""Lines of a histogram."""
BAR = 12
"""Longest bar of a histogram."""


def echo_report(report: BenchReport) -> None:
    """Print what a run measured."""
    _echo_machine(report.machine)
    for echo in (_echo_starts, _echo_calls, _echo_histograms, _echo_batches, _echo_kinematics):
        echo(report)


def echo_comparison(comparison: ReportComparison) -> None:
    """Print two reports side by side, robot by robot."""
    headers = ("", "batch", "threads", "tolerance", "old", "new", "new/old", "")
    for robot, group in groupby(comparison.rows, key=lambda row: row.key.robot):
        click.echo(robot)
        rows = [
            (
                NAMES[row.key.work],
                str(row.key.batch),
                str(row.key.threads),
                _tolerance(row.key),
                duration(row.old.ns),
                duration(row.new.ns),
                f"{row.ratio:.2f}",
                "" if row.change is Change.SAME else str(row.change),
            )
            for row in group
        ]
        echo_table(headers, rows, left=(0, 3, 7))
        click.echo()
    for row in comparison.fewer_solved:
        echo_text(f"Fewer solved: {_solved(row.old)} became {_solved(row.new)} %: {row.key}")
    for where, keys in (("old", comparison.only_old), ("new", comparison.only_new)):
        for key in keys:
            echo_text(f"Only in the {where} report: {key}")
    counts = [f"{len(comparison.of(change))} {change}" for change in Change]
    echo_text(f"{', '.join(counts)}; a change counts from {100 * comparison.threshold:g} % and beyond the noise")


def duration(ns: float) -> str:
    """Return a time with three digits and the unit that suits it."""
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        # 999.6 would be shown as 1000.
        if ns >= 0.9995 * scale:
            return f"{_three_digits(ns / scale)} {unit}"
    return f"{_three_digits(ns)} ns"


def _rate(per_second: float) -> str:
    """Return a number of targets a second with three digits, in thousands or millions."""
    unit, scale = ("M", 1e6) if per_second >= 0.9995e6 else ("k", 1e3)
    return f"{_three_digits(per_second / scale)} {unit}"


def histogram(rows: list[BenchRow]) -> list[tuple[str, list[float]]]:
    """Return lines of a histogram of the single calls of each row: the times of a bin, and each row's share [%].

    The bins grow by a constant factor from the least time to the largest 99th percentile; the last one has the rest.
    """
    low = max(1.0, min(row.percentiles_ns[0] for row in rows))  # a coarse clock may say 0
    high = max(row.percentiles_ns[99] for row in rows)
    factor = max(high / low, 1.01) ** (1.0 / (BINS - 1))
    edges = [low * factor**i for i in range(BINS)]
    below = [[_share_below(row.percentiles_ns, edge) for edge in edges] + [100.0] for row in rows]
    lines = []
    for i, edge in enumerate(edges):
        last = i == len(edges) - 1
        label = f"{_three_digits(edge / 1e3)} - {'' if last else _three_digits(edges[i + 1] / 1e3):<4}"
        lines.append((label, [shares[i + 1] - (shares[i] if i else 0.0) for shares in below]))
    return lines


def _share_below(percentiles: tuple[float, ...], time: float) -> float:
    """Return the percentage of calls that took less than `time`, straight lines between the percentiles."""
    if time <= percentiles[0]:
        return 0.0
    for i, upper in enumerate(percentiles[1:]):
        if time <= upper:
            return i + (time - percentiles[i]) / (upper - percentiles[i])
    return 100.0


def _echo_machine(machine: Machine) -> None:
    packages = (f"{name} {getattr(machine, name)}" for name in ("numba", "llvmlite", "numpy", "repose_jit"))
    echo_fields(
        [
            ("CPU", f"{machine.cpu}, {machine.cores} cores, {machine.threads} for this process"),
            ("system", f"{machine.os}, Python {machine.python}"),
            ("packages", ", ".join(packages)),
            *([("commit", machine.commit)] if machine.commit else []),
        ]
    )


def _echo_starts(report: BenchReport) -> None:
    rows = report.of(Work.FIRST_CALL, Work.CACHED_START)
    if not rows:
        return
    robot, batch = rows[0].robot, rows[0].batch
    labels = {
        Work.FIRST_CALL: "first call: compiles",
        Work.CACHED_START: "cached start: import and first call",
    }
    lines = [(labels[row.work], duration(row.ns), _spread(row)) for row in rows]
    steady = [row for row in report.of(Work.BATCH) if row.robot == robot and row.batch == batch]
    lines += [("steady state", duration(row.ns * batch), _spread(row)) for row in steady[:1]]
    click.echo(f"\nFresh processes, {robot}, a batch of {batch}")
    echo_table(("", "time", "±\n[%]"), lines, left=(0,))


def _echo_calls(report: BenchReport) -> None:
    click.echo("\nOne cold target a call [µs]")
    headers = ("robot", "tolerance\n[m]/[rad]", "returns", "p50", "p95", "p99", "max", "solved\n[%]")
    rows = [
        (
            row.robot,
            _tolerance(row),
            "result" if row.work is Work.SOLVE_ONE else "out=",
            *(_three_digits(row.percentiles_ns[percentile] / 1e3) for percentile in (50, 95, 99, 100)),
            _solved(row),
        )
        for row in report.of(Work.SOLVE_ONE, Work.SOLVE_ONE_OUT)
    ]
    echo_table(headers, rows, left=(0, 1, 2))


def _echo_histograms(report: BenchReport) -> None:
    tolerance = report.settings.tolerances[0]
    rows = [row for row in report.of(Work.SOLVE_ONE) if _pair(row) == tolerance]
    robots_a_block = (WIDTH - 14) // (BAR + 8)
    for start in range(0, len(rows), robots_a_block):
        block = rows[start : start + robots_a_block]
        lines = histogram(block)
        longest = max(share for _, shares in lines for share in shares)
        click.echo(f"\nTheir distribution, {_tolerance(block[0])}, with a result")
        cells = [
            (label, *(f"{'#' * round(BAR * share / longest):<{BAR}} {share:3.0f} %" for share in shares))
            for label, shares in lines
        ]
        headers = ("[µs]", *(row.robot for row in block))
        echo_table(headers, cells, left=range(len(headers)))


def _echo_batches(report: BenchReport) -> None:
    click.echo("\nBatches of cold targets")
    headers = (
        "robot",
        "tolerance\n[m]/[rad]",
        "batch",
        "threads",
        "per\ntarget",
        "±\n[%]",
        "per\nsecond",
        "solved\n[%]",
    )
    rows = [
        (
            row.robot,
            _tolerance(row),
            str(row.batch),
            str(row.threads),
            duration(row.ns),
            _spread(row),
            _rate(row.per_second),
            _solved(row),
        )
        for row in report.of(Work.BATCH)
    ]
    echo_table(headers, rows, left=(0, 1))


def _echo_kinematics(report: BenchReport) -> None:
    click.echo("\nForward kinematics and Jacobians")
    fk, jacobians = report.of(Work.FORWARD_KINEMATICS), report.of(Work.JACOBIAN)
    rows = [
        (T.robot, str(T.batch), duration(T.ns), _spread(T), duration(J.ns), _spread(J))
        for T, J in zip(fk, jacobians, strict=True)
    ]
    echo_table(("robot", "batch", "pose", "±\n[%]", "Jacobian", "±\n[%]"), rows, left=(0,))


def _three_digits(value: float) -> str:
    """Return a number ≥ 0 with three digits, all those before the point, and at most three behind it."""
    rounded = float(f"{value:.3g}")  # 9.996 is 10.0, not 10.00
    behind = 2 - math.floor(math.log10(rounded)) if rounded > 0.0 else 0
    return f"{value:.{min(max(behind, 0), 3)}f}"


def _tolerance(key: RowKey) -> str:
    return "/".join(f"{number:.0e}".replace("e-0", "e-") for number in _pair(key) if number is not None)


def _pair(key: RowKey) -> tuple[float | None, float | None]:
    return key.position_tolerance, key.orientation_tolerance


def _spread(row: BenchRow) -> str:
    return "" if len(row.repetitions_ns) == 1 else f"{100 * row.spread:.0f}"


def _solved(row: BenchRow) -> str:
    """Return the share of solved targets; 100 only if it is all of them."""
    percent = row.percent_solved
    return "" if percent is None else f"{percent:.2f}" if percent < 99.995 else "100" if percent == 100.0 else ">99.99"
