"""``repose-jit reach verify``: check a store by what did not write it."""

from __future__ import annotations

from pathlib import Path

import click

from repose_jit.cli.progress import progress_bar
from repose_jit.cli.reach.store_argument import store_argument
from repose_jit.cli.screen import echo_json, echo_lines, json_option

__all__ = ["verify"]

NOT_SOUND = 1
"""Exit code when something is wrong with the store."""


@click.command(
    epilog="""Every configuration that is kept ("save_q = true") is put through forward kinematics that share no code
    with the solver, every record is held against the others, and what a killed run left lying about is removed.

    \b
    Examples:
      repose-jit reach verify igus_rebel-reach.zarr
      repose-jit reach verify map.zarr --repeat 3"""
)
@store_argument
@click.option(
    "--repeat", type=int, default=0, metavar="N", help="Also solve N chunks again: the same bits? [default: 0]"
)
@json_option
@click.pass_context
def verify(ctx: click.Context, /, store: Path, repeat: int, as_json: bool) -> None:
    """Check that a store is sound. The exit code is 1 if not."""
    from repose_jit.reach.verify.verification import verify_store

    after = "estimating again what was missed" if repeat else ""
    with progress_bar("chunks", leave=False, after=after) as progress:
        report = verify_store(store, repeat=repeat, progress=progress)
    if as_json:
        echo_json(report.to_dict())
    else:
        echo_lines(report.summary_text())
    if not report.is_sound:
        ctx.exit(NOT_SOUND)
