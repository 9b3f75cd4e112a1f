"""``repose-jit reach report``: a map on one page."""

from __future__ import annotations

from pathlib import Path

import click

from repose_jit.cli.reach.outputs import beside, require_matplotlib
from repose_jit.cli.reach.store_argument import store_argument
from repose_jit.cli.screen import echo_json, json_option
from repose_jit.whole_file import require_writable

__all__ = ["report"]


@click.command(
    epilog="""The page has everything in it and can be mailed as it is.

    \b
    Example:
      repose-jit reach report igus_rebel-reach.zarr"""
)
@store_argument
@click.option("-o", "--output", metavar="FILE", help=".html [default: NAME.html beside STORE].")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@json_option
def report(store: Path, output: str | None, overwrite: bool, as_json: bool) -> None:
    """Write the figures, the pictures and the study as one page."""
    require_matplotlib("the report")
    from repose_jit.reach.reach_map import ReachMap
    from repose_jit.reach.report import report as write

    reach_map = ReachMap.open(store)
    path = Path(output) if output else beside(store, ".html")
    require_writable(path, overwrite=overwrite)
    write(reach_map, path)
    if as_json:
        echo_json({"store": str(store), "report": str(path)})
    else:
        click.echo(path)
