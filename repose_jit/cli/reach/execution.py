"""How a study is run: threads, engine, progress; and what is said when Ctrl-C ends it."""

from __future__ import annotations

import functools
import json
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from repose_jit.cli.progress import set_total

if TYPE_CHECKING:
    from repose_jit.reach.engine.chunk_report import ChunkReport

__all__ = ["Execution", "execution_options", "program", "resumable"]

INTERRUPTED = 130
"""Exit code after Ctrl-C: what shells report for a program that ends by SIGINT."""


@dataclass(frozen=True)
class Execution:
    """What was typed about how to run; nothing of it has influence on the map.

    Attributes
    ----------
    threads, engine, scheduler
        As of :meth:`repose_jit.ReachStudy.run`.
    progress
        ``"bar"``, ``"json"``, ``"none"``, or None for a bar if standard error is a terminal.
    """

    threads: int | None
    engine: str
    scheduler: str | None
    progress: str | None

    def arguments(self, threads: int | None = None) -> dict[str, Any]:
        """Return the arguments of a run; `threads` if none were typed."""
        threads = threads if self.threads is None else self.threads
        return {"threads": threads, "engine": self.engine, "scheduler": self.scheduler}

    def require(self) -> None:
        """Refuse what cannot be run, before anything is removed or made.

        Raises
        ------
        click.UsageError, InputError
            If the number of threads is none, there is a scheduler without Dask, or Dask is not installed.
        """
        from repose_jit.threads import as_threads

        as_threads(self.threads)
        if self.engine == "dask":
            if find_spec("distributed") is None:
                raise click.UsageError("--engine dask needs distributed: pip install 'repose_jit[dask]'.")
        elif self.scheduler is not None:
            raise click.UsageError(f"--scheduler {self.scheduler}: only --engine dask has one.")

    def options(self) -> list[str]:
        """Return what was typed, to be typed again."""
        given = {"threads": self.threads, "scheduler": self.scheduler, "progress": self.progress}
        if self.engine != "threads":
            given["engine"] = self.engine
        return [word for name, value in given.items() if value is not None for word in (f"--{name}", str(value))]

    @contextmanager
    def watched(self) -> Iterator[dict[str, Any]]:
        """Yield the arguments of a run by which it says how far it is; none if nobody watches."""
        if self.progress == "json":
            yield {"progress": _report_json}
        elif self.progress == "bar" or (self.progress is None and sys.stderr.isatty()):
            with _bar() as watching:
                yield watching
        else:
            yield {}


def execution_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a run; the command receives an :class:`Execution` as `execution`."""

    @click.option("--threads", type=int, metavar="N", help="No influence on the map [default: all CPUs].")
    @click.option(
        "--engine", type=click.Choice(["threads", "dask"]), default="threads", help="Where chunks are solved."
    )
    @click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster that runs already: tcp://...")
    @click.option(
        "--progress",
        type=click.Choice(["bar", "json", "none"]),
        help="On standard error [default: bar on a terminal]; json is a line for each chunk.",
    )
    @functools.wraps(function)
    def command(threads: int | None, engine: str, scheduler: str | None, progress: str | None, **others: Any) -> Any:
        return function(execution=Execution(threads, engine, scheduler, progress), **others)

    return command


@contextmanager
def resumable(store: Path, options: Sequence[str], *, replaces: bool = False) -> Iterator[None]:
    """Turn Ctrl-C into how far the run got and the command that goes on with it.

    Parameters
    ----------
    store
        Where the run writes to.
    options
        What has to be typed again.
    replaces
        Whether there may be an earlier store at first.
    """
    earlier = store.stat().st_ino if replaces and store.exists() else None
    try:
        yield
    except KeyboardInterrupt:
        from repose_jit.errors import ReposeError
        from repose_jit.reach.engine.run import shard_chunks
        from repose_jit.reach.store.reach_store import open_store
        from repose_jit.reach.store.resume import shard_of
        from repose_jit.reach.summary_text import counted

        try:
            opened = open_store(store)
        except ReposeError:  # Ctrl-C came before it was made
            raise KeyboardInterrupt from None
        if store.stat().st_ino == earlier:  # Ctrl-C came before it was replaced
            raise
        total = len(shard_chunks(opened.blocks.count, shard_of(opened.attributes)))
        done = f"{len(opened.done()):,} of {counted(total, 'chunk')} done and kept"
        again = shlex.join([program(), "reach", "resume", str(store), *options])
        click.echo(f"\nInterrupted: {done}. To go on:\n  {again}", err=True)
        click.get_current_context().exit(INTERRUPTED)


def program() -> str:
    """Return how this program was called, to be called again: by its path if that was typed."""
    typed = Path(sys.argv[0])
    is_path = typed.name == "repose-jit" and len(typed.parts) > 1
    return str(typed) if is_path and not _is_found_by_name(typed) else "repose-jit"


def _is_found_by_name(typed: Path) -> bool:
    """Tell whether the shell finds this very program by its name alone."""
    found = shutil.which(typed.name)
    return found is not None and Path(found).resolve() == typed.resolve()


def _report_json(report: ChunkReport) -> None:
    click.echo(json.dumps(asdict(report)), err=True)


@contextmanager
def _bar() -> Iterator[dict[str, Any]]:
    """Show what a run does in words until the first chunk is done, and a bar from then on."""
    from tqdm import tqdm

    with tqdm(unit=" poses", file=sys.stderr, dynamic_ncols=True, bar_format="{desc}") as bar:
        reached = asked = 0

        def phase(words: str) -> None:
            if bar.total is None:
                bar.reset()  # compiling is no part of the speed
            bar.set_description_str(words)

        def progress(chunk: ChunkReport) -> None:
            nonlocal reached, asked
            solved = chunk.reached + chunk.not_found + chunk.proven_unreachable
            reached, asked = reached + chunk.reached, asked + solved
            if bar.total is None:
                bar.set_description_str("", refresh=False)
                bar.bar_format = None
                # What an earlier run has done counts for the bar, but not for its speed.
                bar.initial = chunk.poses_done - solved
                bar.n = bar.last_print_n = bar.initial
                set_total(bar, chunk.n_poses)
            bar.set_postfix_str(f"{100.0 * reached / asked:.1f} % reached" if asked else "", refresh=False)
            bar.update(chunk.poses_done - bar.n)

        try:
            yield {"progress": progress, "phase": phase}
        finally:
            bar.leave = bar.total is not None
            bar.set_description_str("")
