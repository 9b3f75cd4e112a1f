"""The picture and the report of a map: where they go, and whether they can, before a long run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from repose_jit.cli.screen import echo_json, echo_lines
from repose_jit.whole_file import require_writable

if TYPE_CHECKING:
    from repose_jit.reach.reach_map import ReachMap

__all__ = ["Outputs", "beside", "echo_outcome", "output_options", "remove_earlier", "require_matplotlib"]


@dataclass(frozen=True)
class Outputs:
    """What is made of a map when a run ends.

    Attributes
    ----------
    plot, report
        Whether there is a picture, and a report.
    overwrite
        Whether they may replace earlier ones.
    """

    plot: bool
    report: bool
    overwrite: bool

    def of_part(self, part: object | None) -> Outputs:
        """Return what is made of a shard, if it is one: there is nothing to see in a part of a map."""
        return self if part is None else replace(self, plot=False, report=False)

    def paths(self, store: Path) -> dict[str, Path]:
        """Return where they go: beside the store."""
        wanted = {"picture": (self.plot, ".png"), "report": (self.report, ".html")}
        return {name: beside(store, suffix) for name, (is_wanted, suffix) in wanted.items() if is_wanted}

    def require(self, store: Path) -> None:
        """Refuse before a long run what would fail after it.

        Raises
        ------
        click.UsageError, InputError
            If matplotlib is missing, or a file cannot be made.
        """
        for path in self.paths(store).values():
            require_matplotlib("the picture" if path.suffix == ".png" else "the report", hint=", or give --no-plot")
            require_writable(path, overwrite=self.overwrite)

    def write(self, reach_map: ReachMap, store: Path) -> dict[str, Path]:
        """Make them; return where they are."""
        paths = self.paths(store)
        if "picture" in paths:
            from repose_jit.reach.plot import plot

            plot(reach_map, paths["picture"])
        if "report" in paths:
            from repose_jit.reach.report import report

            report(reach_map, paths["report"])
        return paths

    def options(self) -> list[str]:
        """Return what was typed, to be typed again."""
        return [*([] if self.plot else ["--no-plot"]), *(["--report"] if self.report else [])]


def output_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of what is made of a map; the command receives :class:`Outputs` as `outputs`."""

    @click.option("--plot/--no-plot", "plot", default=True, help="Also draw NAME.png [default: yes].")
    @click.option("--report", is_flag=True, help="Also write the page NAME.html.")
    @click.option("--overwrite", is_flag=True, help="Replace what was made earlier.")
    @functools.wraps(function)
    def command(plot: bool, report: bool, overwrite: bool, **others: Any) -> Any:
        return function(outputs=Outputs(plot, report, overwrite), **others)

    return command


def remove_earlier(store: Path) -> None:
    """Remove the picture and the report of a store that is to be replaced: they would not be those of the new one."""
    for suffix in (".png", ".html"):
        path = beside(store, suffix)
        if path.is_file():
            path.unlink()


def beside(store: Path, suffix: str) -> Path:
    """Return the path of a file about a store: its name, but for ``.zarr``, with a suffix."""
    return store.with_name(store.name.removesuffix(".zarr") + suffix)


def require_matplotlib(what: str, *, hint: str = "") -> None:
    """Raise UsageError if matplotlib is missing."""
    if find_spec("matplotlib") is None:
        raise click.UsageError(f"{what} needs matplotlib: pip install 'repose_jit[plot]'{hint}.")


def echo_outcome(
    figures: Mapping[str, Any], text: str, store: Path, made: Mapping[str, Path], *, as_json: bool
) -> None:
    """Print what a run found, as figures or as text, and where it is."""
    if as_json:
        files = {name: str(made[name]) if name in made else None for name in ("picture", "report")}
        echo_json({**figures, "store": str(store), **files})
        return
    echo_lines(text)
    for name, path in {"map": store, **made}.items():
        click.echo(f"  {name:<8}{path}")
