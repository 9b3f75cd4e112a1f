"""``repose-jit reach status``: how far studies are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from repose_jit.cli.screen import echo_json, echo_lines, echo_table, json_option, size_words

__all__ = ["status"]

KEPT = (
    "robot",
    "kind",
    "sites",
    "orientations",
    "poses",
    "complete",
    "chunks_done",
    "reached",
    "not_found",
    "proven_unreachable",
)
"""What there is to say of the figures of a study."""


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
            size_words(document["bytes"]),
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
    from repose_jit.reach.engine.run import shard_chunks
    from repose_jit.reach.reach_map import ReachMap
    from repose_jit.reach.store.reach_store import open_store
    from repose_jit.reach.store.resume import shard_of

    store, figures = open_store(path), ReachMap.open(path).summary()
    part = shard_of(store.attributes)
    chunks = len(shard_chunks(store.blocks.count, part))
    is_done = figures["complete"] if part is None else figures["chunks_done"] == chunks
    return {
        "store": str(path),
        "shard": store.attributes["shard"],
        "state": _state(store, is_done=is_done),
        **{name: figures[name] for name in KEPT},
        "chunks": chunks,
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
