"""``repose-jit reach``: which poses of a workspace a robot can take."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from repose_jit.cli.numeric_input import numbers
from repose_jit.cli.progress import progress_bar
from repose_jit.cli.robot import Robot, robot_argument
from repose_jit.cli.screen import echo_json, json_option

__all__ = ["reach"]

SOLVE_OPTIONS = ("max_iterations", "position_tolerance", "orientation_tolerance")
"""The options that are parameters of the solve rather than of the study."""


@click.group()
def reach() -> None:
    """Study which poses a robot reaches."""


@reach.command(
    epilog="""The map is a Zarr group that xarray opens; the picture lies beside it. Nothing is written before the end.

    \b
    Examples:
      repose-jit reach run igus_rebel
      repose-jit reach run igus_rebel --spacing 0.1 --orientations 64 --no-plot
      repose-jit reach run arm.urdf --tip tool0 --box 0,-0.5,0,1,0.5,1 --out cell"""
)
@robot_argument
@click.option("--spacing", type=float, metavar="M", help="Edge of a voxel [default: a 26th of the box].")
@click.option("--orientations", "n_orientations", type=int, metavar="N", help="Per voxel [default: 256].")
@click.option(
    "--box",
    type=numbers(6),
    metavar="X,Y,Z,X,Y,Z",
    help="Lower and upper corner [m] [default: all that the arm could reach].",
)
@click.option("--attempts", type=int, metavar="N", help="Seeds tried for a pose [default: 32].")
@click.option("--max-iterations", type=int, metavar="N", help="Most steps of an attempt [default: 30].")
@click.option("--position-tolerance", type=float, metavar="M", help="[default: 1e-4 m]")
@click.option("--orientation-tolerance", type=float, metavar="RAD", help="[default: 1e-3 rad]")
@click.option("--rng-seed", type=int, metavar="N", help="Shifts the sequence of seeds [default: 0].")
@click.option("--threads", type=int, metavar="N", help="No influence on the map [default: all CPUs].")
@click.option("--out", metavar="DIR", help="Where the map goes [default: ROBOT-reach.zarr].")
@click.option("--plot/--no-plot", "draws", default=True, help="Also draw DIR.png.")
@click.option("--overwrite", is_flag=True, help="Replace an earlier map and picture.")
@json_option
def run(robot: Robot, out: str | None, draws: bool, overwrite: bool, as_json: bool, **options: Any) -> None:
    """Map the poses that a robot reaches.

    Every orientation at every voxel of a grid is solved for. The exit code is 0 whatever was reached.
    """
    store = Path(out or f"{Path(robot.given).stem}-reach.zarr")
    if not store.name:
        raise click.UsageError(f"--out {out}: expected the name of a directory to make.")
    picture = store.with_name(store.name.removesuffix(".zarr") + ".png") if draws else None
    if picture:
        _check_picture(picture, overwrite=overwrite)
    from repose_jit.reach.store import require_destination, save
    from repose_jit.reach.study import STUDY_PARAMS, ReachStudy

    if store.exists() and not overwrite:
        raise click.UsageError(f"{store} exists; give --overwrite to replace it.")
    require_destination(store, overwrite=overwrite)
    given = {name: value for name, value in options.items() if value is not None}
    if "box" in given:
        given["box"] = (given["box"][:3], given["box"][3:])
    params = replace(STUDY_PARAMS, **{name: given.pop(name) for name in SOLVE_OPTIONS if name in given})
    study = ReachStudy(robot.chain(), params=params, **given)
    with progress_bar("poses") as progress:
        reach_map = study.run(progress)
    save(reach_map, store, overwrite=overwrite)
    if picture:
        from repose_jit.reach.plot import plot

        plot(reach_map, picture)
    if as_json:
        echo_json({**reach_map.summary(), "store": str(store), "picture": str(picture) if picture else None})
        return
    click.echo(reach_map.summary_text())
    click.echo(f"  map     {store}")
    if picture:
        click.echo(f"  picture {picture}")


def _check_picture(picture: Path, *, overwrite: bool) -> None:
    """Refuse before a long run what would fail after it."""
    if find_spec("matplotlib") is None:
        raise click.UsageError("the picture needs matplotlib: pip install 'repose_jit[plot]', or give --no-plot.")
    if picture.is_dir():
        raise click.UsageError(f"{picture} is a directory; give another --out, or --no-plot.")
    if picture.exists() and not overwrite:
        raise click.UsageError(f"{picture} exists; give --overwrite to replace it, or --no-plot.")
