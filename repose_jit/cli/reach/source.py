"""The STUDY argument: a study file, or a robot with the options that make a study of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from repose_jit.cli.numeric_input import numbers
from repose_jit.cli.robot import Robot, link_options

if TYPE_CHECKING:
    from repose_jit.reach.study import ReachStudy
    from repose_jit.reach.study_file import StudyFile

__all__ = ["SUFFIXES", "StudySource", "study_argument"]

SUFFIXES = (".toml", ".json")
"""Of study files, and of chain files."""

OPTIONS = (
    click.option("--spacing", type=float, metavar="M", help="Edge of a voxel [default: a 26th of the box]."),
    click.option("--orientations", type=int, metavar="N", help="Per voxel [default: 256]."),
    click.option(
        "--box",
        type=numbers(6),
        metavar="X,Y,Z,X,Y,Z",
        help="Lower and upper corner [m] [default: all that the arm could reach].",
    ),
    click.option("--attempts", type=int, metavar="N", help="Seeds tried for a pose [default: 32]."),
    click.option("--max-iterations", type=int, metavar="N", help="Most steps of an attempt [default: 30]."),
    click.option("--position-tolerance", type=float, metavar="M", help="[default: 1e-4 m]"),
    click.option("--orientation-tolerance", type=float, metavar="RAD", help="[default: 1e-3 rad]"),
    click.option("--rng-seed", type=int, metavar="N", help="Shifts the sequence of seeds [default: 0]."),
    click.option("--save-q", is_flag=True, default=None, help="Keep the configurations, which verify and view use."),
)
"""What a study of a robot can be told here; for anything else there is the study file."""

NAMES = ("spacing", "orientations", "box", "attempts", "max_iterations", "position_tolerance", "orientation_tolerance")
NAMES_OF_OPTIONS = (*NAMES, "rng_seed", "save_q")
SOLVE = {"attempts": "max_attempts"}


@dataclass(frozen=True)
class StudySource:
    """What was typed for STUDY; read on request.

    Attributes
    ----------
    robot
        The argument as a robot.
    options
        The options of the study that were given.
    """

    robot: Robot
    options: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of the file without folder and suffix, or of the preset."""
        return self.robot.name

    def read(self) -> StudyFile:
        """Read the study.

        Raises
        ------
        ReposeError
            If there is something wrong with the file, the robot or an option.
        click.UsageError
            If there are options beside a study file.
        """
        from repose_jit.reach.study_file import StudyFile, read_study

        if not self._is_study_file():
            return StudyFile(study=self._study())
        given = [*self.options, *self._robot_options()]
        if given:
            option = f"--{given[0].replace('_', '-')}"
            raise click.UsageError(f"{option}: STUDY is the file {self.robot.given}, which says that itself.")
        return read_study(self.robot.given)

    def _is_study_file(self) -> bool:
        """Tell a study file from a chain file: both are TOML or JSON."""
        if Path(self.robot.given).suffix.lower() not in SUFFIXES:
            return False
        from repose_jit.config_file import decode_file

        values = decode_file(self.robot.given)
        return not (isinstance(values, Mapping) and "joints" in values)

    def _robot_options(self) -> list[str]:
        given = {"base": self.robot.base_link, "tip": self.robot.tip_link, "no_strict": not self.robot.strict or None}
        return [name for name, value in given.items() if value is not None]

    def _study(self) -> ReachStudy:
        from repose_jit.errors import InputError
        from repose_jit.multi_seed import MultiSeedParams
        from repose_jit.reach.study import ReachStudy
        from repose_jit.reach.targets.kinds import GridTargets
        from repose_jit.reach.targets.orientations import Orientations

        given = dict(self.options)
        box = given.pop("box", None)
        targets = GridTargets(
            given.pop("spacing", None), box and (box[0], box[1], box[2]), box and (box[3], box[4], box[5])
        )
        orientations = None
        if "orientations" in given:
            try:
                orientations = Orientations(kind="super_fibonacci", n=given.pop("orientations"))
            except InputError as error:
                raise InputError(f"--orientations: {str(error).partition(': ')[2]}") from None
        save_q = given.pop("save_q", False)
        solve = MultiSeedParams(**{SOLVE.get(name, name): value for name, value in given.items()})
        return ReachStudy(self.robot.chain(), targets=targets, orientations=orientations, solve=solve, save_q=save_q)


def study_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the STUDY argument and its options; the command receives a :class:`StudySource` as `source`."""

    @click.argument("study")
    @link_options
    @functools.wraps(function)
    def command(study: str, base: str | None, tip: str | None, strict: bool, **others: Any) -> Any:
        options = {name: value for name in NAMES_OF_OPTIONS if (value := others.pop(name)) is not None}
        return function(source=StudySource(Robot(study, base, tip, strict), options), **others)

    for option in reversed(OPTIONS):
        command = option(command)
    return command
