"""``repose-jit reach merge``: one store of all the shards of a study."""

from __future__ import annotations

from pathlib import Path

import click

from repose_jit.cli.progress import progress_bar
from repose_jit.cli.reach.outputs import echo_outcome
from repose_jit.cli.screen import json_option

__all__ = ["merge"]


@click.command(
    epilog="""OUT has the bytes that a run without shards would have made. The shards are left as they are.

    \b
    Example:
      repose-jit reach merge map.zarr map.zarr.shard-*"""
)
@click.argument("out", type=click.Path(path_type=Path))
@click.argument("stores", metavar="STORE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
def merge(out: Path, stores: tuple[Path, ...], as_json: bool) -> None:
    """Join the stores of all the shards of a study."""
    from repose_jit.reach.store.merge import merge_stores

    with progress_bar("chunks", leave=False, after="estimating what was missed") as progress:
        reach_map = merge_stores(out, stores, progress=progress)
    echo_outcome(reach_map.summary(), reach_map.summary_text(), out, {}, as_json=as_json)
