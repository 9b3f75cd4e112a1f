"""``repose-jit reach``: which poses a robot can take, from the plan of a study to its map."""

from __future__ import annotations

import click

from repose_jit.cli.reach.check import check
from repose_jit.cli.reach.export import export
from repose_jit.cli.reach.merge import merge
from repose_jit.cli.reach.place import place
from repose_jit.cli.reach.plot import plot
from repose_jit.cli.reach.report import report
from repose_jit.cli.reach.resume import resume
from repose_jit.cli.reach.run import run
from repose_jit.cli.reach.status import status
from repose_jit.cli.reach.verify import verify

__all__ = ["reach"]


@click.group()
def reach() -> None:
    """Study which poses a robot reaches.

    STUDY is a study file (.toml, .json), or simply a robot: the name of a preset, a URDF or a chain file. STORE is the
    directory that a run makes: a Zarr group that xarray opens, too.
    """


for command in (check, run, place, resume, status, verify, plot, report, export, merge):
    reach.add_command(command)
