"""Where a run writes to: the whole of a study, or one shard of it."""

from __future__ import annotations

import re
from pathlib import Path

import click

from repose_jit.cli.reach.execution import program

__all__ = ["destination", "echo_merge", "require_room", "shard", "shard_option"]

Part = tuple[int, int]


def shard(text: str) -> Part:
    """Return the part of a study that an option gives, (i, N) for ``"i/N"``."""
    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text.strip())
    if match is None:
        raise click.BadParameter(f"got {text!r}, expected I/N such as 3/64: the third of 64 parts")
    number, count = int(match[1]), int(match[2])
    if not 1 <= number <= count:
        raise click.BadParameter(f"got {text!r}, expected I from 1 to N")
    return number, count


shard_option = click.option(
    "--shard", "part", type=shard, metavar="I/N", help="Solve the I-th of N parts only; see merge."
)


def destination(out: str | None, of_file: Path | None, default: str, part: Part | None) -> Path:
    """Return the store to make: what was typed, else what the study file says, else the default.

    Raises
    ------
    click.UsageError
        If what was typed is no name.
    """
    store = Path(out) if out is not None else of_file or Path(default)
    if not store.name:
        raise click.UsageError(f"--out {out}: expected the name of a directory to make.")
    return store if part is None else store.with_name(f"{store.name}.shard-{part[0]}-of-{part[1]}")


def require_room(store: Path, kind: str, *, overwrite: bool) -> None:
    """Check that a store can be made, or replaced by one of a kind of targets.

    Raises
    ------
    InputError
        If something is there that may not be replaced, or the place cannot be written.
    """
    from repose_jit.errors import InputError
    from repose_jit.reach.store.creation import require_destination
    from repose_jit.reach.store.reach_store import is_store

    if is_store(store):
        there = _kind_at(store)
        if there is not None and (there == "placements") != (kind == "placements"):
            what, other = "the map of a study", "placements"
            if there == "placements":
                what, other = other, what
            raise InputError(f"{store}: holds {what}, which is not replaced by {other}; expected a new --out")
        if not overwrite:
            raise InputError(
                f"{store}: exists; {program()} reach resume {store} goes on with it, and --overwrite replaces it"
            )
    require_destination(store, overwrite=overwrite)


def _kind_at(store: Path) -> str | None:
    """Return what kind of targets a store has; None if it cannot be opened, and may be replaced by any."""
    from repose_jit.errors import InputError
    from repose_jit.reach.store.reach_store import open_store

    try:
        return str(open_store(store).attributes["kind"])
    except InputError:
        return None


def echo_merge(store: Path, part: Part) -> None:
    """Say what is to be done with the store of a shard."""
    whole = str(store).rpartition(".shard-")[0]
    click.echo(f"When all {part[1]} are done: {program()} reach merge {whole} {whole}.shard-*")
