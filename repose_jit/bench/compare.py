"""Two reports side by side: what became faster or slower by more than the noise."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum

from repose_jit.bench.report import BenchReport, BenchRow, RowKey
from repose_jit.errors import InputError
from repose_jit.validation import as_positive

__all__ = ["Change", "ReportComparison", "RowComparison", "compare_reports"]

LEAST_REPETITIONS = 3
"""With fewer, nobody knows how much the times of a row vary by themselves."""
NOISE = 1.5
"""Medians that differ by less than this times the distances of the quartiles, of both reports together, count as equal.
(Six quick runs of the same code on a busy machine, each against each: a third of the rows became more than 10 % slower,
3 % also by more than this.)"""


class Change(StrEnum):
    """What became of a row."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    """The change is within the threshold or the noise."""
    UNKNOWN = "unknown"
    """One of the two has too few repetitions to tell a change from noise."""


@dataclass(frozen=True, kw_only=True)
class RowComparison:
    """One row of both reports.

    Attributes
    ----------
    old, new
        The rows, with equal keys.
    change
        Faster or slower if the medians differ by more than the threshold *and* by more than the noise: one and a half
        times the distances of the quartiles of both.
    """

    old: BenchRow
    new: BenchRow
    change: Change

    @property
    def key(self) -> RowKey:
        """What the rows are about."""
        return self.old.key

    @property
    def ratio(self) -> float:
        """New time over old time: above 1 is slower."""
        return self.new.ns / self.old.ns


@dataclass(frozen=True, kw_only=True)
class ReportComparison:
    """Two reports.

    Attributes
    ----------
    rows
        What is in both, in the order of the old one.
    only_old, only_new
        What is in one of them.
    differences
        Why times may differ for other reasons than the code, a sentence each: machine, versions, threads, settings, and
        other programs that ran.
    fewer_solved
        The rows of which a smaller share was solved: their speeds are not worth comparing.
    threshold
        The change of a time, as a share, that counts as one.
    """

    rows: tuple[RowComparison, ...]
    only_old: tuple[RowKey, ...]
    only_new: tuple[RowKey, ...]
    differences: tuple[str, ...]
    fewer_solved: tuple[RowComparison, ...]
    threshold: float

    def of(self, change: Change) -> list[RowComparison]:
        """Return the rows that changed in this way."""
        return [row for row in self.rows if row.change is change]


def compare_reports(old: BenchReport, new: BenchReport, *, threshold: float = 0.1) -> ReportComparison:
    """Compare what both reports measured.

    Parameters
    ----------
    old, new
        The reports.
    threshold
        Times that differ by a smaller factor than ``1 + threshold`` count as equal; 0.1 is 10 %.

    Raises
    ------
    InputError
        If the threshold is not above 0, or the reports have no row in common.
    """
    threshold = as_positive(threshold, name="threshold")
    before, after = ({row.key: row for row in report.rows} for report in (old, new))
    rows = tuple(
        RowComparison(old=row, new=after[key], change=_change(row, after[key], threshold))
        for key, row in before.items()
        if key in after
    )
    if not rows:
        raise InputError("reports: got two without a row in common, expected the same work of the same robots")
    return ReportComparison(
        rows=rows,
        only_old=tuple(key for key in before if key not in after),
        only_new=tuple(key for key in after if key not in before),
        differences=(
            *_differences("", asdict(old.machine), asdict(new.machine), but="commit"),
            *_differences("settings: ", asdict(old.settings), asdict(new.settings)),
            *_busy("old", old),
            *_busy("new", new),
        ),
        fewer_solved=tuple(row for row in rows if (row.new.percent_solved or 0.0) < (row.old.percent_solved or 0.0)),
        threshold=threshold,
    )


def _change(old: BenchRow, new: BenchRow, threshold: float) -> Change:
    if min(len(old.repetitions_ns), len(new.repetitions_ns)) < LEAST_REPETITIONS:
        return Change.UNKNOWN
    (old_lower, old_upper), (new_lower, new_upper) = old.quartiles_ns, new.quartiles_ns
    noise = NOISE * (old_upper - old_lower + new_upper - new_lower)
    slower, faster = max(old.ns, new.ns), min(old.ns, new.ns)
    if slower <= (1.0 + threshold) * faster or slower - faster <= noise:
        return Change.SAME
    return Change.SLOWER if new.ns > old.ns else Change.FASTER


def _differences(where: str, old: dict[str, object], new: dict[str, object], *, but: str | None = None) -> list[str]:
    return [f"{where}{name}: {old[name]} → {new[name]}" for name in old if name != but and old[name] != new[name]]


def _busy(which: str, report: BenchReport) -> list[str]:
    return [f"the {which} run got {100 * report.cpu_share:.0f} % of a CPU"] if report.was_busy else []
