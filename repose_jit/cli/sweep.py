"""``repose-jit sweep``: joint values for every pose of a file, each from many seeds."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from repose_jit.cli.numeric_input import numbers
from repose_jit.cli.progress import progress_bar
from repose_jit.cli.robot import Robot, robot_argument
from repose_jit.cli.screen import echo_json, json_option
from repose_jit.errors import ShapeError
from repose_jit.tables import SEPARATOR

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from repose_jit.chain import KinematicChain
    from repose_jit.multi_seed import IkBatchResult, MultiSeedParams

    FloatArray = NDArray[np.float64]

__all__ = ["axis_mask", "sweep"]

NOT_CONVERGED = 1
"""Exit code when not every target is reached."""
AXES = ("x", "y", "z", "rx", "ry", "rz")


def axis_mask(text: str) -> tuple[bool, ...]:
    """Return the six booleans that an option gives: ``"111001"``, or the controlled axes such as ``"x,y,z,rz"``."""
    words = SEPARATOR.split(text.strip().lower())
    if re.fullmatch("[01]{6}", "".join(words)):
        return tuple(digit == "1" for digit in "".join(words))
    for word in words:
        if word not in AXES:
            raise click.BadParameter(
                f"got {word!r}, expected six digits 0 or 1 such as 111001, or names out of {', '.join(AXES)}"
            )
    return tuple(axis in words for axis in AXES)


@click.command(
    epilog="""TARGETS is .npy (...,4,4), the last of leading dimensions running fastest; CSV of 16 numbers a line (the
    matrix row by row), or whose first line names the columns x,y,z and qx,qy,qz,qw or roll,pitch,yaw in any order; or
    JSON, such as "fk --json" prints. - is standard input.

    RESULTS has a row per target, angles in radians: status (1 converged, 2 not), errors, iterations, attempts,
    seed_index (the attempt that q is from) and q. A .npz also has joint_names and, as JSON, the metadata: robot,
    parameters and versions. A .csv has a column per joint, which "fk --q-file" and --seeds read. Nothing is written
    before the end.

    \b
    Examples:
      repose-jit sweep ur5e targets.npy -o results.npz
      repose-jit sweep ur5e poses.csv -o results.csv --attempts 128
      repose-jit sweep arm.urdf poses.csv -o r.parquet --tip tool0 --free-axis z"""
)
@robot_argument
@click.argument("targets_file", metavar="TARGETS")
@click.option("-o", "--output", metavar="RESULTS", required=True, help="File to make: .npz, .csv or .parquet.")
@click.option("--seeds", metavar="FILE", help="Where to start: .npy or CSV, one row for all targets or one each.")
@click.option("--attempts", "max_attempts", type=int, metavar="N", help="Most seeds per target [default: 32].")
@click.option("--iterations", "max_iterations", type=int, metavar="N", help="Most steps of an attempt [default: 30].")
@click.option("--position-tolerance", type=float, metavar="M", help="Error that counts as reached [default: 1e-4 m].")
@click.option("--orientation-tolerance", type=float, metavar="ANGLE", help="And of the angle [default: 1e-3 rad].")
@click.option("--step-rule", metavar="NAME", help="adaptive [default] or fixed.")
@click.option(
    "--selection",
    metavar="NAME",
    help="Which solution: first [default], nearest, max_manipulability or max_limit_margin.",
)
@click.option("--reference", type=numbers(), metavar="Q1,Q2,...", help="What nearest measures from.")
@click.option("--axis-mask", type=axis_mask, metavar="AXES", help="Axes of the target that count: 111001 or x,y,z,rz.")
@click.option("--free-axis", metavar="AXIS", help="Tool axis that it may turn about: x, y or z.")
@click.option("--rng-seed", type=int, metavar="N", help="Shifts the sequence of seeds [default: 0].")
@click.option("--threads", type=int, metavar="N", help="No influence on results [default: all CPUs].")
@click.option("--degrees", is_flag=True, help="Read angles in degrees: of options, TARGETS and seeds.")
@click.option("--overwrite", is_flag=True, help="Replace RESULTS if it exists.")
@json_option
@click.pass_context
def sweep(
    ctx: click.Context,
    /,
    robot: Robot,
    targets_file: str,
    output: str,
    seeds: str | None,
    degrees: bool,
    overwrite: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Solve for every pose of a file, each from many seeds.

    What is found is written to RESULTS. The exit code is 1 if a target is not reached.
    """
    if targets_file == "-" == seeds:
        raise click.UsageError("TARGETS and --seeds cannot both be standard input.")
    from repose_jit.cli import sweep_file
    from repose_jit.cli.poses import read_poses
    from repose_jit.cli.sweep_summary import advice, echo_summary, summarise
    from repose_jit.threads import available_cpus

    path = Path(output)
    sweep_file.require_destination(path, overwrite=overwrite)
    chain = robot.chain()
    sweep_file.require_column_names(path, chain)
    params = _params(chain, options, degrees=degrees)
    targets = read_poses(targets_file, degrees=degrees)
    starts = None if seeds is None else _read_seeds(chain, seeds, len(targets), degrees=degrees)
    result, seconds = _solve(chain, targets, starts, params)
    description = _describe(chain, params)
    sweep_file.save(path, chain, result, description, overwrite=overwrite)
    summary = summarise(chain, targets, result, params, seconds=seconds)
    threads = params.threads or available_cpus()
    if as_json:
        extra = {"advice": advice(summary, params), "threads": threads, "output": output}
        echo_json({"robot": chain.name, **summary, **extra, **description})
    else:
        echo_summary(summary, params, threads=threads)
        click.echo(f"\nresults     {output}")
    if summary["converged"] < summary["targets"]:
        ctx.exit(NOT_CONVERGED)


def _params(chain: KinematicChain, options: Mapping[str, Any], *, degrees: bool) -> MultiSeedParams:
    from repose_jit.cli.configurations import one_configuration
    from repose_jit.multi_seed import MultiSeedParams

    given = {name: value for name, value in options.items() if value is not None}
    if degrees and "orientation_tolerance" in given:
        given["orientation_tolerance"] = math.radians(given["orientation_tolerance"])
    if "reference" in given:
        given["reference"] = one_configuration(chain, given["reference"], degrees=degrees, option="--reference")
    return MultiSeedParams(**given)


def _read_seeds(chain: KinematicChain, path: str, count: int, *, degrees: bool) -> FloatArray:
    """Return seeds (n,) for all targets, or (count, n) one for each."""
    from repose_jit.cli.configurations import read_configurations
    from repose_jit.cli.numeric_input import data_name

    seeds = read_configurations(chain, path, degrees=degrees)
    if len(seeds) == 1:
        return seeds.reshape(-1)
    if len(seeds) != count:
        raise ShapeError(f"{data_name(path)}: got {len(seeds)} seeds, expected 1 for all targets, or {count}: one each")
    return seeds


def _solve(
    chain: KinematicChain, targets: FloatArray, seeds: FloatArray | None, params: MultiSeedParams
) -> tuple[IkBatchResult, float]:
    """Return what was found, and the seconds that took without loading or compiling kernels."""
    from repose_jit.multi_seed import inverse_kinematics_batch

    with progress_bar("targets") as progress:
        first = seeds[:1] if seeds is not None and seeds.ndim == 2 else seeds
        once = replace(params, max_attempts=1, max_iterations=1)
        inverse_kinematics_batch(chain, targets[:1], seeds=first, params=once)
        start = time.perf_counter()
        result = inverse_kinematics_batch(chain, targets, seeds=seeds, params=params, progress=progress)
        return result, time.perf_counter() - start


def _describe(chain: KinematicChain, params: MultiSeedParams) -> dict[str, Any]:
    """Return what determines the results, apart from targets and seeds, as plain JSON values."""
    import repose_jit

    kept = [item.name for item in fields(params) if item.init and item.name != "threads"]
    packages = ("numba", "llvmlite", "numpy")
    return {
        "robot": chain.name,
        "chain": chain.to_config(),
        "angle_unit": "rad",
        "parameters": {name: getattr(params, name) for name in kept},
        "versions": {"repose_jit": repose_jit.__version__, **{package: version(package) for package in packages}},
    }
