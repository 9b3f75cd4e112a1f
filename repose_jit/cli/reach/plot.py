"""``repose-jit reach plot``: draw a map."""

from __future__ import annotations

from pathlib import Path

import click

from repose_jit.cli.reach.outputs import beside, require_matplotlib
from repose_jit.cli.reach.store_argument import store_argument
from repose_jit.cli.screen import echo_json, json_option
from repose_jit.whole_file import require_writable

__all__ = ["plot"]


@click.command(
    epilog="""A map that is not finished is drawn as far as it is.

    \b
    Examples:
      repose-jit reach plot igus_rebel-reach.zarr
      repose-jit reach plot igus_rebel-reach.zarr -o figure.svg --overwrite"""
)
@store_argument
@click.option("-o", "--output", metavar="FILE", help=".png, .svg or .pdf [default: NAME.png beside STORE].")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@json_option
def plot(store: Path, output: str | None, overwrite: bool, as_json: bool) -> None:
    """Draw where the robot reaches, and how well."""
    require_matplotlib("the picture")
    from repose_jit.reach.plot import plot as draw
    from repose_jit.reach.reach_map import ReachMap

    reach_map = ReachMap.open(store)
    path = Path(output) if output else beside(store, ".png")
    require_writable(path, overwrite=overwrite)
    draw(reach_map, path)
    if as_json:
        echo_json({"store": str(store), "picture": str(path)})
    else:
        click.echo(path)
