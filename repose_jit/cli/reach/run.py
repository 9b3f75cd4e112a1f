"""``repose-jit reach run``: solve a study into a store."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from repose_jit.cli.reach.execution import Execution, execution_options, resumable
from repose_jit.cli.reach.outputs import Outputs, output_options
from repose_jit.cli.reach.source import StudySource, study_argument
from repose_jit.cli.screen import echo_json, echo_lines, json_option

if TYPE_CHECKING:
    from repose_jit.reach.reach_map import ReachMap
    from repose_jit.reach.study_file import StudyFile

__all__ = ["echo_outcome", "run"]


def shard(text: str) -> tuple[int, int]:
    """Return the part of a study that an option gives, (i, N) for ``"i/N"``."""
    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text.strip())
    if match is None:
        raise click.BadParameter(f"got {text!r}, expected I/N such as 3/64: the third of 64 parts")
    number, count = int(match[1]), int(match[2])
    if not 1 <= number <= count:
        raise click.BadParameter(f"got {text!r}, expected I from 1 to N")
    return number, count


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
@click.option("--shard", "part", type=shard, metavar="I/N", help="Solve the I-th of N parts only; see merge.")
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
    store = _destination(source, file, out, part)
    if part is not None:
        outputs = replace(outputs, plot=False, report=False)  # of a part there is nothing to see
    _require_room(store, overwrite=outputs.overwrite)
    execution.require()
    outputs.require(store)
    if store.exists():
        _remove(store)
    with resumable(store, [*execution.options(), *outputs.options()]), execution.report() as progress:
        reach_map = file.study.run(store, shard=part, progress=progress, **execution.arguments(file.threads))
    echo_outcome(reach_map, store, outputs.write(reach_map, store), as_json=as_json)
    if part is not None and not as_json:
        whole = store.name.rpartition(".shard-")[0]
        click.echo(f"When all {part[1]} are done: repose-jit reach merge {whole} {whole}.shard-*")


def echo_outcome(reach_map: ReachMap, store: Path, made: dict[str, Path], *, as_json: bool) -> None:
    """Print what a run found, and where it is."""
    if as_json:
        files = {name: str(made[name]) if name in made else None for name in ("picture", "report")}
        echo_json({**reach_map.summary(), "store": str(store), **files})
        return
    echo_lines(reach_map.summary_text())
    for name, path in {"map": store, **made}.items():
        click.echo(f"  {name:<8}{path}")


def _destination(source: StudySource, file: StudyFile, out: str | None, part: tuple[int, int] | None) -> Path:
    store = Path(out) if out is not None else file.store or Path(f"{source.name}-reach.zarr")
    if not store.name:
        raise click.UsageError(f"--out {out}: expected the name of a directory to make.")
    return store if part is None else store.with_name(f"{store.name}.shard-{part[0]}-of-{part[1]}")


def _require_room(store: Path, *, overwrite: bool) -> None:
    """Check that a store can be made, or made again.

    Raises
    ------
    InputError
        If something is there that may not be replaced, or the place cannot be written.
    """
    from repose_jit.errors import InputError
    from repose_jit.reach.store import is_store, require_destination

    if not store.exists() and not store.is_symlink():
        require_destination(store)
    elif store.is_symlink() or not is_store(store):
        raise InputError(f"{store}: exists and is no store of a study, so it is not replaced; expected a new path")
    elif not overwrite:
        raise InputError(
            f"{store}: exists; repose-jit reach resume {store} goes on with it, and --overwrite replaces it"
        )


def _remove(path: Path) -> None:
    """Remove a store that nobody writes to."""
    from repose_jit.errors import InputError
    from repose_jit.reach.store import open_store

    try:
        store = open_store(path)
    except InputError:  # of another version of this package, which does not write to it any more
        shutil.rmtree(path)
        return
    with store.locked():
        shutil.rmtree(path)
