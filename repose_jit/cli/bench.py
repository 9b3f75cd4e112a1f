"""``repose-jit bench``: how fast this machine solves, and what changed since."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from repose_jit.cli.progress import progress_bar
from repose_jit.cli.robot import Robot, robots_argument
from repose_jit.cli.screen import echo_json, json_option

if TYPE_CHECKING:
    from repose_jit.bench.compare import ReportComparison, RowComparison
    from repose_jit.bench.report import RowKey

__all__ = ["bench"]

ROBOTS = ("ur5", "franka_panda", "igus_rebel")
"""What is measured if nobody says otherwise: six joints of two turns, seven, and six of less than one."""
FAILED = 1
"""Exit code when an answer is wrong, or a report is slower than the one before."""


@click.group()
def bench() -> None:
    """Measure how fast this machine solves, and compare."""


@bench.command(
    epilog="""Times are medians of repetitions, the spread is half the distance of their quartiles. Targets are poses of
    random configurations within the limits, solved without seeds. Every answer is checked by forward kinematics; if one
    is claimed to be a solution and is none, the exit code is 1.

    \b
    Examples:
      repose-jit bench run --quick
      repose-jit bench run igus_rebel ur5 -o before.json
      repose-jit bench run arm.urdf --tip tool0 --threads 4"""
)
@robots_argument(*ROBOTS)
@click.option("--quick", is_flag=True, help="Fewer repetitions, and no first call: ten seconds.")
@click.option("--threads", type=int, metavar="N", help="Most threads [default: all CPUs].")
@click.option("--rng-seed", type=int, metavar="N", help="Chooses the targets [default: 0].")
@click.option("-o", "--output", metavar="FILE", help="Also write the report to a .json file.")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@json_option
def run(
    robots: list[Robot],
    quick: bool,
    threads: int | None,
    rng_seed: int | None,
    output: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Measure latency, throughput and start-up.

    Without ROBOT: ur5, franka_panda and igus_rebel. A full run takes minutes, for it also starts processes that have to
    compile everything.
    """
    names = [robot.name for robot in robots]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"two robots are called {name!r}; give each of them once.")
    from repose_jit.bench.problems import WrongAnswerError
    from repose_jit.bench.report import require_destination, write_report
    from repose_jit.bench.run import run_bench
    from repose_jit.bench.settings import BenchSettings, thread_counts
    from repose_jit.threads import available_cpus

    if output is not None:
        if not overwrite and Path(output).is_file():
            raise click.UsageError(f"{output} exists; give --overwrite to replace it.")
        require_destination(output, overwrite=overwrite)
    counts = thread_counts(available_cpus() if threads is None else threads)
    settings = BenchSettings.quick(threads=counts) if quick else BenchSettings(threads=counts)
    if rng_seed is not None:
        settings = replace(settings, rng_seed=rng_seed)
    chains = {robot.name: robot.chain() for robot in robots}
    try:
        with progress_bar(leave=False) as progress:
            report = run_bench(chains, settings, progress=progress)
    except WrongAnswerError as error:
        raise _Failed(str(error)) from None
    if report.was_busy:
        share = f"{100 * report.cpu_share:.0f} %"
        click.echo(f"Warning: this process got {share} of a CPU, others had the rest: times are too long", err=True)
    if output is not None:
        write_report(report, output, overwrite=overwrite)
    if as_json:
        click.echo(report.to_json(), nl=False)
        return
    from repose_jit.cli.bench_screen import echo_report

    echo_report(report)
    if output is not None:
        click.echo(f"\nreport  {output}")


@bench.command(
    epilog="""A row is faster or slower if its median changed by more than the threshold and by more than the noise: one
    and a half times the distances of the quartiles of both. The exit code is 1 if a row is slower, 2 if a file cannot
    be read.

    \b
    Example:
      repose-jit bench compare before.json after.json --threshold 0.05"""
)
@click.argument("old")
@click.argument("new")
@click.option("--threshold", type=float, default=0.1, metavar="X", help="Change that counts [default: 0.1, 10 %].")
@json_option
@click.pass_context
def compare(ctx: click.Context, /, old: str, new: str, threshold: float, as_json: bool) -> None:
    """Compare two reports of "bench run"."""
    from repose_jit.bench.compare import Change, compare_reports
    from repose_jit.bench.report import read_report

    comparison = compare_reports(read_report(old), read_report(new), threshold=threshold)
    if as_json:
        echo_json(_document(comparison))
    else:
        from repose_jit.cli.bench_screen import echo_comparison

        for difference in comparison.differences:
            click.echo(f"Warning: not the same conditions: {difference}", err=True)
        echo_comparison(comparison)
    if comparison.of(Change.SLOWER):
        ctx.exit(FAILED)


class _Failed(click.ClickException):
    """What was measured is of no use: shown as one message, without a traceback."""

    exit_code = FAILED


def _document(comparison: ReportComparison) -> dict[str, object]:
    def row(each: RowComparison) -> dict[str, Any]:
        return {
            **asdict(each.key),
            "old_ns": each.old.ns,
            "new_ns": each.new.ns,
            "ratio": each.ratio,
            "change": str(each.change),
            "old_percent_solved": each.old.percent_solved,
            "new_percent_solved": each.new.percent_solved,
        }

    def keys(some: tuple[RowKey, ...]) -> list[dict[str, Any]]:
        return [asdict(key) for key in some]

    return {
        "threshold": comparison.threshold,
        "differences": list(comparison.differences),
        "rows": [row(each) for each in comparison.rows],
        "only_old": keys(comparison.only_old),
        "only_new": keys(comparison.only_new),
    }
