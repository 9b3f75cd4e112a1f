"""``repose-jit ik``: joint values that put the tool at a pose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from repose_jit.cli.numeric_input import numbers
from repose_jit.cli.robot import Robot, robot_argument
from repose_jit.cli.screen import angle_unit, degrees_option, echo_json, echo_table, echo_text, json_option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from repose_jit.chain import KinematicChain
    from repose_jit.ik import IkResult

    FloatArray = NDArray[np.float64]

__all__ = ["ik"]

NOT_CONVERGED = 1
"""Exit code when not every target is reached."""
EXPLAINED = 3
"""How many failures are explained on the screen; JSON explains all."""


@click.command(
    epilog="""A target file is .npy (N,4,4); CSV whose first line names the columns x,y,z and qx,qy,qz,qw or
    roll,pitch,yaw; or JSON, such as "fk --json" prints. The exit code is 1 if a target is not reached.

    \b
    Examples:
      repose-jit ik igus_rebel --degrees --xyz 0.35,0.1,0.3 --rpy 180,0,0
      repose-jit ik igus_rebel --xyz 0.3,-0.2,0.3 --quat-xyzw 1,0,0,0
      repose-jit ik igus_rebel --target-file poses.csv --seed 0,0,1,0,1,0"""
)
@robot_argument
@click.option("--xyz", type=numbers(3), metavar="X,Y,Z", help="Position of the tool [m].")
@click.option("--rpy", type=numbers(3), metavar="R,P,Y", help="Its roll, pitch, yaw.")
@click.option("--quat-xyzw", type=numbers(4), metavar="X,Y,Z,W", help="Or its quaternion, scalar last.")
@click.option("--quat-wxyz", type=numbers(4), metavar="W,X,Y,Z", help="Or its quaternion, scalar first.")
@click.option("--target-file", metavar="FILE", help="Many poses; - is standard input.")
@click.option("--seed", type=numbers(), metavar="Q1,Q2,...", help="Where to start [default: home].")
@click.option("--attempts", type=int, metavar="N", help="More than 1: from so many seeds, as sweep solves.")
@click.option("--solver", metavar="NAME", help="damped_least_squares [default] or pseudoinverse.")
@click.option("--max-iterations", type=int, metavar="N", help="Most steps [default: 64].")
@click.option("--position-tolerance", type=float, metavar="M", help="Error that counts as reached [default: 1e-4 m].")
@click.option("--orientation-tolerance", type=float, metavar="ANGLE", help="And of the angle [default: 1e-3 rad].")
@click.option("--damping", type=float, metavar="λ", help="More is calmer and slower [default: 0.05].")
@click.option("--max-step", type=float, metavar="ANGLE", help="Largest step of a revolute joint [default: 0.25 rad].")
@click.option("--max-linear-step", type=float, metavar="M", help="Of a prismatic joint [default: 0.025 m].")
@click.option("--limits/--no-limits", "enforce_joint_limits", default=True, help="Keep joints within their limits.")
@degrees_option
@json_option
@click.pass_context
def ik(
    ctx: click.Context,
    /,
    robot: Robot,
    xyz: tuple[float, ...] | None,
    target_file: str | None,
    seed: tuple[float, ...] | None,
    attempts: int | None,
    degrees: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Solve for the joint values of a pose (inverse kinematics).

    The search starts at one seed and its answer is near it; if there is none, try other seeds, or --attempts 32.
    """
    orientations = {kind: options.pop(kind) for kind in ("rpy", "quat_xyzw", "quat_wxyz")}
    given = {kind: values for kind, values in orientations.items() if values is not None}
    _check_target(xyz, given, target_file)
    from repose_jit.cli.configurations import one_configuration
    from repose_jit.cli.poses import read_poses
    from repose_jit.poses import pose

    chain = robot.chain()
    if target_file is not None:
        targets = read_poses(target_file, degrees=degrees)
    else:
        ((kind, values),) = given.items()
        targets = pose(xyz or (), kind, values, degrees=degrees, where="")[None]
    start = chain.home if seed is None else one_configuration(chain, seed, degrees=degrees, option="--seed")
    if attempts is None or attempts == 1:
        from repose_jit.ik import IkParams, inverse_kinematics

        # As a batch also for one target: a singular Jacobian is then a status like any other, not an error.
        result = inverse_kinematics(chain, targets, start, IkParams(**_given(options, degrees=degrees)))
    else:
        from repose_jit.multi_seed import MultiSeedParams, inverse_kinematics_batch

        params = MultiSeedParams(max_attempts=attempts, **_given_for_many_seeds(options, degrees=degrees))
        result = inverse_kinematics_batch(chain, targets, seeds=start, params=params)
    if as_json:
        _echo_document(chain, result, degrees=degrees)
    elif len(targets) == 1:
        _echo_one(chain, result[0], degrees=degrees)
    else:
        _echo_many(chain, result, degrees=degrees)
    if not all(result.converged):  # type: ignore[arg-type]
        ctx.exit(NOT_CONVERGED)


def _check_target(
    xyz: tuple[float, ...] | None, orientations: dict[str, tuple[float, ...]], target_file: str | None
) -> None:
    """Refuse no target, half a target and two targets."""
    kinds = "--rpy, --quat-xyzw or --quat-wxyz"
    if target_file is not None:
        if xyz is not None or orientations:
            raise click.UsageError(f"--target-file and --xyz, {kinds} exclude one another.")
    elif xyz is None:
        raise click.UsageError(f"no target; give --xyz and one of {kinds}, or --target-file.")
    elif len(orientations) != 1:
        got = "got none" if not orientations else "got more"
        raise click.UsageError(f"--xyz needs one orientation, {kinds}; {got}.")


def _given(options: Mapping[str, Any], *, degrees: bool) -> dict[str, Any]:
    """Return the options that were given, in radians."""
    given = {name: value for name, value in options.items() if value is not None}
    for name in ("orientation_tolerance", "max_step"):
        if degrees and name in given:
            given[name] = math.radians(given[name])
    return given


def _given_for_many_seeds(options: Mapping[str, Any], *, degrees: bool) -> dict[str, Any]:
    """Return :func:`_given`; refuse what only the solver from one seed has."""
    given = _given(options, degrees=degrees)
    if not given.pop("enforce_joint_limits"):
        raise click.UsageError("--attempts and --no-limits exclude one another.")
    for name in ("solver", "damping", "max_step", "max_linear_step"):
        if name in given:
            raise click.UsageError(f"--attempts and --{name.replace('_', '-')} exclude one another.")
    return given


def _echo_document(chain: KinematicChain, result: IkResult, *, degrees: bool) -> None:
    from repose_jit.cli.configurations import printed

    q = printed(chain, result.q, degrees=degrees).tolist()
    results = []
    for i, row in enumerate(q):
        one = result[i]
        angle = float(one.orientation_error)
        results.append(
            {
                "q": row,
                "status": str(one.status),
                "converged": bool(one.converged),
                "position_error": one.position_error,
                "orientation_error": math.degrees(angle) if degrees else angle,
                "iterations": one.iterations,
                "limited_joints": _limited(chain, one),
                "explanation": None if one.converged else one.explain(),
            }
        )
    echo_json(
        {
            "robot": chain.name,
            "joint_names": list(chain.joint_names),
            "angle_unit": angle_unit(degrees),
            "targets": len(q),
            "converged": sum(entry["converged"] is True for entry in results),
            "results": results,
        }
    )


def _echo_one(chain: KinematicChain, result: IkResult, *, degrees: bool) -> None:
    from repose_jit.cli.configurations import joint_units, printed

    limited = _limited(chain, result)
    q = printed(chain, result.q, degrees=degrees).tolist()
    rows = [
        (name, f"{value:z.6f}", unit, "at a limit" if name in limited else "")
        for name, value, unit in zip(chain.joint_names, q, joint_units(chain, degrees=degrees), strict=True)
    ]
    click.echo(f"{result.status}")
    echo_table(("joint", "q", "unit", ""), rows, left=(0, 2, 3))
    click.echo()
    echo_text(result.explain())
    click.echo("q = " + ",".join(f"{value:.9g}" for value in q))


def _echo_many(chain: KinematicChain, result: IkResult, *, degrees: bool) -> None:
    import numpy as np

    from repose_jit.cli.configurations import joint_units, printed

    units = joint_units(chain, degrees=degrees)
    q = printed(chain, result.q, degrees=degrees).tolist()
    converged = np.asarray(result.converged).tolist()
    digits = 3 if degrees else 4  # seven joints fit 80 columns
    rows = [
        [str(i), "yes" if reached else "no", *(f"{value:z.{digits}f}" for value in row)]
        for i, (reached, row) in enumerate(zip(converged, q, strict=True))
    ]
    echo_table(("#", "found", *(f"q{i}\n[{unit}]" for i, unit in enumerate(units))), rows)
    failed = [i for i, reached in enumerate(converged) if not reached]
    click.echo()
    click.echo(f"{len(rows) - len(failed)} of {len(rows)} converged")
    for i in failed[:EXPLAINED]:
        echo_text(f"target {i}: {result[i].explain()}")
    if len(failed) > EXPLAINED:
        click.echo(f"... and {len(failed) - EXPLAINED} more (--json explains all)")


def _limited(chain: KinematicChain, result: IkResult) -> list[str]:
    return [name for name, limited in zip(chain.joint_names, result.limited_joints.tolist(), strict=True) if limited]
