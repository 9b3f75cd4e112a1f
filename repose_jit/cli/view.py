"""``repose-jit view``: a map in the browser."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["view"]


@click.command(
    epilog="""Points are coloured by the reachability index or a metric. Drag the plane to slice them; click one to step
    through the robot's solutions there. Needs viser: pip install 'repose_jit[view]'.

    \b
    Examples:
      repose-jit view igus_rebel-reach.zarr --open
      repose-jit view map.zarr --host 0.0.0.0 --port 9000"""
)
@click.argument("store", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="To serve on [default: this computer alone].")
@click.option("--port", type=int, default=8080, metavar="N", help="The next free one if it is taken [default: 8080].")
@click.option("--open", "open_browser", is_flag=True, help="Point the browser to it.")
def view(store: Path, host: str, port: int, open_browser: bool) -> None:
    """Show the map of a study in the browser, until Ctrl-C."""
    from repose_jit.reach.view import view as show

    show(store, host=host, port=port, open_browser=open_browser, say=click.echo)
