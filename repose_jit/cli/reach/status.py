"""``repose-jit reach status``: how far studies are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from repose_jit.cli.screen import echo_json, echo_lines, echo_table, json_option

__all__ = ["status"]


@click.command(
    epilog="""\b
    Examples:
      repose-jit reach status igus_rebel-reach.zarr
      repose-jit reach status map.zarr.shard-*"""
)
@click.argument("stores", metavar="STORE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
def status(stores: tuple[Path, ...], as_json: bool) -> None:
    """Say how far studies are, and what they have found so far."""
    from repose_jit.reach.reach_map import ReachMap

    documents = [_document(store) for store in stores]
    if as_json:
        echo_json({"stores": documents})
        return
    rows = [
        (
            document["store"],
            f"{document['chunks_done']:,} of {document['chunks']:,}",
            _percent(document["chunks_done"], document["chunks"]),
            f"{document['reached']:,}",
            _size(document["bytes"]),
            document["state"],
        )
        for document in documents
    ]
    echo_table(("store", "chunks", "%", "reached", "size", ""), rows, left=(0, 5))
    if len(stores) == 1:
        click.echo()
        echo_lines(ReachMap.open(stores[0]).summary_text())
        if documents[0]["state"] == "interrupted":
            click.echo(f"to go on: repose-jit reach resume {stores[0]}")


def _document(path: Path) -> dict[str, Any]:
    from repose_jit.reach.engine import shard_chunks
    from repose_jit.reach.reach_map import ReachMap
    from repose_jit.reach.store import open_store

    store, reach_map = open_store(path), ReachMap.open(path)
    shard = store.attributes["shard"]
    part = None if shard is None else tuple(map(int, shard.split("/")))
    figures = reach_map.summary()
    chunks = len(shard_chunks(store.blocks.count, part))  # type: ignore[arg-type]
    kept = ("robot", "kind", "sites", "orientations", "poses", "chunks_done", "reached", "not_found")
    document = {"store": str(path), "shard": shard, "chunks": chunks, **{name: figures[name] for name in kept}}
    return {
        **document,
        "proven_unreachable": figures["proven_unreachable"],
        "complete": figures["complete"],
        "state": _state(store, is_done=figures["complete"] or figures["chunks_done"] == chunks),
        "bytes": _bytes(path),
    }


def _state(store: Any, *, is_done: bool) -> str:
    from repose_jit.errors import InputError

    try:
        with store.locked():
            return "done" if is_done else "interrupted"
    except InputError:
        return "running"


def _bytes(path: Path) -> int:
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def _percent(part: int, whole: int) -> str:
    """Return a percentage, cut rather than rounded: 100 means all."""
    return f"{1000 * part // whole / 10 if whole else 100.0:.1f}"


def _size(count: int) -> str:
    """Return a number of bytes with three digits and the unit that suits it."""
    value, units = float(count), ["B", "kB", "MB", "GB", "TB"]
    while value >= 999.5 and len(units) > 1:
        value, units = value / 1000.0, units[1:]
    return f"{value:.3g} {units[0]}"
