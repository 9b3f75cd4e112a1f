"""``repose-jit reach place``: where to put the base for a task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from repose_jit.cli.reach.destination import destination, echo_merge, require_room, shard_option
from repose_jit.cli.reach.execution import Execution, execution_options, resumable
from repose_jit.cli.reach.outputs import Outputs, echo_outcome, output_options, remove_earlier
from repose_jit.cli.reach.source import SUFFIXES
from repose_jit.cli.screen import json_option

if TYPE_CHECKING:
    from repose_jit.reach.placement.grid import PlacementGrid
    from repose_jit.reach.study_file import StudyFile

__all__ = ["place"]


@click.command(
    epilog="""The targets of STUDY are the task, in a frame of the cell; its section [placement] says where the base may
    stand. What is made is a store like any other: of every pose of the task, from which placements it is reached.

    \b
    Examples:
      repose-jit reach place study.toml
      repose-jit reach place study.toml --out placements.zarr --json"""
)
@click.argument("study")
@click.option(
    "--out", metavar="STORE", help="Directory to make [default: NAME-place.zarr, NAME that of the file's store]."
)
@execution_options
@shard_option
@output_options
@json_option
def place(
    study: str, out: str | None, execution: Execution, part: tuple[int, int] | None, outputs: Outputs, as_json: bool
) -> None:
    """Find where to put the base so that a task is reached."""
    from repose_jit.reach.placement.placing import place as solve
    from repose_jit.reach.study_file import read_study

    if Path(study).suffix.lower() not in SUFFIXES:
        raise click.UsageError(f"{study}: expected a study file (.toml, .json): with a task, and [placement].")
    file = read_study(study)
    grid = _grid(file, study)
    # Not the store that the file names: that is the map of the study, as "reach run" makes it.
    beside = file.store and file.store.with_name(f"{file.store.name.removesuffix('.zarr')}-place.zarr")
    store = destination(out, beside, f"{Path(study).stem}-place.zarr", part)
    outputs = outputs.of_part(part)
    require_room(store, "placements", overwrite=outputs.overwrite)
    execution.require()
    outputs.require(store)
    if outputs.overwrite:
        remove_earlier(store)
    options = [*execution.options(), *outputs.options()]
    with resumable(store, options, replaces=outputs.overwrite), execution.watched() as watching:
        arguments = {"shard": part, "overwrite": outputs.overwrite, **execution.arguments(file.threads)}
        result = solve(file.study, grid, store, **watching, **arguments)
    made = outputs.write(result.reach_map, store)
    echo_outcome(result.summary(), result.summary_text(), store, made, as_json=as_json)
    if part is not None and not as_json:
        echo_merge(store, part)


def _grid(file: StudyFile, study: str) -> PlacementGrid:
    from repose_jit.errors import ConfigError

    if file.placement is None:
        raise ConfigError(
            ["placement: missing; expected [placement] with x and y, where the base may stand"], source=study
        )
    return file.placement
