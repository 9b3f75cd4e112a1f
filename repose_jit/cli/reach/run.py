"""``repose-jit reach run``: solve a study into a store."""

from __future__ import annotations

from dataclasses import replace

import click

from repose_jit.cli.reach.destination import destination, echo_merge, require_room, shard_option
from repose_jit.cli.reach.execution import Execution, execution_options, program, resumable
from repose_jit.cli.reach.outputs import Outputs, echo_outcome, output_options, remove_earlier
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
@click.option("--resume", is_flag=True, help="Go on with the store if it is there, of this very study.")
@output_options
@json_option
def run(
    source: StudySource,
    out: str | None,
    execution: Execution,
    part: tuple[int, int] | None,
    resume: bool,
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
    replaces = outputs.overwrite
    if resume and not replaces and store.exists():
        outputs = replace(outputs, overwrite=True)  # the picture and the report are of this store
    else:
        require_room(store, file.study.target_set.kind, overwrite=replaces)
    execution.require()
    outputs.require(store)
    if replaces:
        remove_earlier(store)
    options = [*execution.options(), *outputs.options()]
    with resumable(store, options, replaces=replaces), execution.watched() as watching:
        arguments = {"shard": part, "overwrite": replaces, **execution.arguments(file.threads)}
        reach_map = file.study.run(store, resume=not replaces and resume, **watching, **arguments)
    figures = reach_map.summary()
    echo_outcome(figures, reach_map.summary_text(), store, outputs.write(reach_map, store), as_json=as_json)
    if reach_map.is_complete and not figures["reached"]:
        click.echo(f"Nothing was reached; what may be wrong: {program()} reach check {source.robot.given}", err=True)
    if part is not None and not as_json:
        echo_merge(store, part)
