"""``repose-jit reach export``: a map as a table or a point cloud."""

from __future__ import annotations

from pathlib import Path

import click

from repose_jit.cli.reach.store_argument import store_argument
from repose_jit.cli.screen import echo_json, json_option

__all__ = ["export"]


@click.command(
    epilog="""FILE is .csv or .parquet, a row for each site or, with --poses, for each pose; or .ply, a point cloud of
    the sites with the scalar "reachability". What is not done yet is left out.

    \b
    Examples:
      repose-jit reach export map.zarr map.ply
      repose-jit reach export map.zarr poses.parquet --poses --only-reached"""
)
@store_argument
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--poses", is_flag=True, help="A row for each pose instead of each site.")
@click.option("--only-reached", is_flag=True, help="Of the poses, those that are reached.")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@json_option
def export(store: Path, file: Path, poses: bool, only_reached: bool, overwrite: bool, as_json: bool) -> None:
    """Write a map for other programs: CSV, Parquet or PLY."""
    from repose_jit.reach.export.files import export_map
    from repose_jit.reach.reach_map import ReachMap

    export_map(ReachMap.open(store), file, poses=poses, only_reached=only_reached, overwrite=overwrite)
    if as_json:
        echo_json({"store": str(store), "file": str(file)})
    else:
        click.echo(file)
