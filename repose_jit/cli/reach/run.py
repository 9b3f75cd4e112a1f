"""``repose-jit reach run``: solve a study into a store."""

from __future__ import annotations

import click

from repose_jit.cli.reach.destination import destination, echo_merge, require_room, shard_option
from repose_jit.cli.reach.execution import Execution, execution_options, resumable
from repose_jit.cli.reach.outputs import Outputs, echo_outcome, output_options
from repose_jit.cli.reach.source import StudySource, study_argument
from repose_jit.cli.screen import json_option

__all__ = ["run"]


@click.command(
    epilog="""STUDY is a study file, or a robot: a preset, a URDF or a chain file, whose whole reach is studied then.
    Every chunk is in the store as soon as it is solved: after Ctrl-C, or a kill, "reach resume" goes on.

    \b
    Examples:
      repose-jit reach run study.toml --report
      repose-jit reach run igus_rebel --spacing 0.1 --orientations 64 --no-plot
      repose-jit reach run arm.urdf --tip tool0 --box 0,-0.5,0,1,0.5,1 --out cell
      repose-jit reach run study.toml --shard 3/64"""
)
@study_argument
@click.option("--out", metavar="STORE", help="Directory to make [default: that of the file, or NAME-reach.zarr].")
@execution_options
@shard_option
@output_options
@json_option
def run(
    source: StudySource,
    out: str | None,
    execution: Execution,
    part: tuple[int, int] | None,
    outputs: Outputs,
    as_json: bool,
) -> None:
    """Solve a study: find which poses the robot reaches.

    The exit code is 0 whatever was reached.
    """
    file = source.read()
    if file.placement is not None:
        click.echo(
            "Warning: [placement] is for reach place; here the base stands at the origin of the targets.", err=True
        )
    store = destination(out, file.store, f"{source.name}-reach.zarr", part)
    outputs = outputs.of_part(part)
    require_room(store, overwrite=outputs.overwrite)
    execution.require()
    outputs.require(store)
    options = [*execution.options(), *outputs.options()]
    with resumable(store, options, replaces=outputs.overwrite), execution.watched() as watching:
        arguments = {"shard": part, "overwrite": outputs.overwrite, **execution.arguments(file.threads)}
        reach_map = file.study.run(store, **watching, **arguments)
    echo_outcome(reach_map.summary(), reach_map.summary_text(), store, outputs.write(reach_map, store), as_json=as_json)
    if part is not None and not as_json:
        echo_merge(store, part)
