"""``repose-jit reach resume``: go on with a study that was interrupted."""

from __future__ import annotations

from pathlib import Path

import click

from repose_jit.cli.reach.execution import Execution, execution_options, resumable
from repose_jit.cli.reach.outputs import Outputs, echo_outcome, output_options
from repose_jit.cli.reach.store_argument import store_argument
from repose_jit.cli.screen import json_option

__all__ = ["resume"]


@click.command(
    epilog="""The study is in the store. In the end the store has the bytes that it would have without the interruption;
    going on with another version of repose-jit, or on another kind of CPU, is therefore refused.

    \b
    Example:
      repose-jit reach resume igus_rebel-reach.zarr"""
)
@store_argument
@execution_options
@output_options
@json_option
def resume(store: Path, execution: Execution, outputs: Outputs, as_json: bool) -> None:
    """Go on with a study that was interrupted."""
    from repose_jit.reach.engine.run import resume_study
    from repose_jit.reach.store.reach_store import open_store

    outputs = outputs.of_part(open_store(store).attributes["shard"])
    execution.require()
    outputs.require(store)
    with resumable(store, [*execution.options(), *outputs.options()]), execution.watched() as watching:
        reach_map = resume_study(store, **watching, **execution.arguments())
    echo_outcome(reach_map.summary(), reach_map.summary_text(), store, outputs.write(reach_map, store), as_json=as_json)
