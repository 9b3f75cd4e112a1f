"""What a sweep found, in figures: computed once, for the screen and for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import numpy as np

from repose_jit.cli.screen import echo_fields, echo_table, echo_text
from repose_jit.ik import IkStatus
from repose_jit.reach_bound import reach_bound
from repose_jit.seeds import can_spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from repose_jit.chain import KinematicChain
    from repose_jit.multi_seed import IkBatchResult, MultiSeedParams

    FloatArray = NDArray[np.float64]

__all__ = ["echo_summary", "summarise"]

EXPLAINED = 3
"""How many failures are explained."""
TELLING = 8
"""So many attempts in vain make it unlikely that a few more help."""
LET_GO = (
    "check the targets (metres? this robot's base and tool?), or ask for less of the pose: --free-axis, --axis-mask"
)


def summarise(
    chain: KinematicChain, targets: FloatArray, result: IkBatchResult, params: MultiSeedParams, *, seconds: float
) -> dict[str, Any]:
    """Return the figures of a sweep as plain values; None where there is nothing to compute one from.

    Parameters
    ----------
    chain, targets, result, params
        The robot, (N, 4, 4) targets [m], and what was found with which parameters.
    seconds
        What the solve took.
    """
    count = len(targets)
    converged = np.asarray(result.converged)
    failed = np.flatnonzero(~converged)
    solved = count - len(failed)
    # Without a range for every joint there are no attempts after the seeds that are given.
    most = params.max_attempts if can_spread(chain) else 1
    # Other selections make every attempt, and which of them converge is not kept.
    by_attempt = _success_by_attempt(np.asarray(result.seed_index)[converged], most, count)
    iterations = np.asarray(result.iterations)
    return {
        "targets": count,
        "converged": solved,
        "percent_converged": _percent(solved, count),
        "proven_unreachable": _n_proven(chain, targets[failed], params),
        "seconds": seconds,
        "targets_per_second": count / seconds if count and seconds > 0.0 else None,
        "iterations": {
            "median": float(np.median(iterations)) if count else None,
            "p99": float(np.percentile(iterations, 99)) if count else None,
        },
        "success_by_attempt": by_attempt if params.selection == "first" else None,
        "failures": [_failure(result[i], i) for i in failed[:EXPLAINED].tolist()],
    }


def echo_summary(summary: dict[str, Any], params: MultiSeedParams, *, threads: int) -> None:
    """Print the figures of :func:`summarise`, and what to try."""
    count, solved = summary["targets"], summary["converged"]
    fields = [("converged", f"{solved:,} of {count:,} targets{_in_brackets(summary['percent_converged'])}")]
    if summary["proven_unreachable"]:
        fields.append(("", f"{summary['proven_unreachable']:,} of the others are out of reach, by proof"))
    speed = summary["targets_per_second"]
    rate = (
        ""
        if speed is None
        else f", {speed:,.0f} targets/s on this machine ({threads} thread{'s' if threads != 1 else ''})"
    )
    fields.append(("time", f"{summary['seconds']:.3g} s{rate}"))
    if count:
        steps = summary["iterations"]
        fields.append(("iterations", f"median {steps['median']:g}, p99 {steps['p99']:g}: of all attempts at a target"))
    echo_fields(fields)
    if count and summary["success_by_attempt"]:
        click.echo("\nSuccess by attempt: how many seeds are enough?")
        rows = [
            (f"{row['attempts']:,}", f"{row['solved']:,}", f"{row['percent']:.2f}")
            for row in summary["success_by_attempt"]
        ]
        echo_table(("attempts", "solved", "%"), rows)
    if summary["failures"]:
        click.echo()
    for failure in summary["failures"]:
        echo_text(f"target {failure['target']}: {failure['explanation']}")
    more = count - solved - len(summary["failures"])
    if more:
        click.echo(f"... and {more:,} more")
    if remedy := advice(summary, params):
        click.echo()
        echo_text(f"To try: {remedy}.")


def advice(summary: dict[str, Any], params: MultiSeedParams) -> str | None:
    """Return what to try so that more targets are reached, None if all are."""
    failed = summary["targets"] - summary["converged"]
    if not failed:
        return None
    if summary["proven_unreachable"] == failed:
        return f"all that is missing is out of reach whatever the budget; {LET_GO}"
    more = f"more attempts, --attempts {max(4 * params.max_attempts, 32)}"
    rows = summary["success_by_attempt"]
    if rows is None:
        return f"{more}; or {LET_GO}"
    if len(rows) < 2:
        return f"{more}, or other seeds; or {LET_GO}"
    before, last = rows[-2:]
    gained = last["solved"] - before["solved"]
    step = f"the step from {before['attempts']:,} to {last['attempts']:,}"
    if gained:
        return f"{more}, as {step} still reached {gained:,} targets; or {LET_GO}"
    if last["attempts"] - before["attempts"] < TELLING:
        return f"{more}; or {LET_GO}"
    return f"{LET_GO}; more attempts hardly help, as {step} reached no further target"


def _success_by_attempt(solved_in: NDArray[np.int32], most: int, count: int) -> list[dict[str, Any]]:
    """Return how many targets 1, 2, 4, ... attempts would have reached, from the attempts that reached them."""
    budgets = [2**i for i in range(most.bit_length()) if 2**i < most] + [most]
    solved = [int(np.count_nonzero(solved_in < budget)) for budget in budgets]
    return [
        {"attempts": budget, "solved": one, "percent": _percent(one, count)}
        for budget, one in zip(budgets, solved, strict=True)
    ]


def _n_proven(chain: KinematicChain, targets: FloatArray, params: MultiSeedParams) -> int:
    excluded = (
        reach_bound(chain)
        .of_task(params.free_axis, params.axis_mask)
        .excludes(
            targets[:, :3, :3],
            targets[:, :3, 3],
            position_tolerance=params.position_tolerance,
            orientation_tolerance=params.orientation_tolerance,
        )
    )
    return int(np.count_nonzero(excluded))


def _failure(one: IkBatchResult, target: int) -> dict[str, Any]:
    return {
        "target": target,
        "status": str(IkStatus(int(one.status))),
        "position_error": one.position_error,
        "orientation_error": one.orientation_error,
        "explanation": one.explain(),
    }


def _percent(part: int, whole: int) -> float | None:
    """Return a percentage with two digits, cut rather than rounded: 100 means all."""
    return 10_000 * part // whole / 100 if whole else None


def _in_brackets(percent: float | None) -> str:
    return "" if percent is None else f" ({percent:.2f} %)"
