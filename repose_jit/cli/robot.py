"""The ROBOT arguments: a preset, a URDF or a chain file, and the options that belong to it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from repose_jit.errors import InputError

if TYPE_CHECKING:
    from repose_jit.chain import KinematicChain
    from repose_jit.robots import RobotPreset

__all__ = ["Robot", "link_options", "robot_argument", "robots_argument"]

URDF_SUFFIXES = (".urdf", ".xml", ".xacro")


@dataclass(frozen=True)
class Robot:
    """What was typed for ROBOT; loaded on request.

    Attributes
    ----------
    given
        Name of a preset, or a path.
    base_link, tip_link
        Links of a URDF; None for its root and its only leaf.
    strict
        Whether doubtful URDF files are refused.
    """

    given: str
    base_link: str | None
    tip_link: str | None
    strict: bool

    @property
    def is_urdf(self) -> bool:
        """Whether the robot is a URDF file."""
        return Path(self.given).suffix.lower() in URDF_SUFFIXES

    @property
    def name(self) -> str:
        """The name of the preset, or of the file without folder and suffix."""
        return Path(self.given).stem

    def preset(self) -> RobotPreset | None:
        """Return the preset of that name, None if there is none."""
        from repose_jit.robots import RobotPreset, preset

        return preset(self.given) if self.given in RobotPreset.names() else None

    def chain(self) -> KinematicChain:
        """Load the chain.

        Raises
        ------
        ReposeError
            If there is no such robot, or its file is wrong.
        click.UsageError
            If link names are given for something that has none.
        """
        if self.is_urdf:
            from repose_jit.chain import KinematicChain

            if not Path(self.given).exists():
                raise InputError(f"{self.given}: no such file")
            try:
                return KinematicChain.from_urdf(
                    Path(self.given), base_link=self.base_link, tip_link=self.tip_link, strict=self.strict
                )
            except InputError as error:
                # The option has another name than the argument that the message speaks of.
                raise InputError(str(error).replace("tip_link: got none", "--tip: got none")) from None
        for option, link in (("--base", self.base_link), ("--tip", self.tip_link)):
            if link is not None:
                raise click.UsageError(f"{option} {link}: only a URDF has links to choose from, got {self.given!r}")
        from repose_jit.robots import resolve_chain

        return resolve_chain(self.given)


def robot_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the ROBOT argument and its options; the command receives a :class:`Robot` as `robot`."""

    @click.argument("robot")
    @link_options
    @functools.wraps(function)
    def command(robot: str, base: str | None, tip: str | None, strict: bool, **others: Any) -> Any:
        return function(robot=Robot(robot, base, tip, strict), **others)

    return command


def robots_argument(*default: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command any number of ROBOT arguments and their options; it receives a list of :class:`Robot` as `robots`.

    Without an argument it is those of `default`. Names of links are for the URDF files among them.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @click.argument("robots", nargs=-1, metavar="[ROBOT]...")
        @link_options
        @functools.wraps(function)
        def command(robots: tuple[str, ...], base: str | None, tip: str | None, strict: bool, **others: Any) -> Any:
            given = [Robot(robot, base, tip, strict) for robot in robots or default]
            if any(robot.is_urdf for robot in given):
                given = [robot if robot.is_urdf else Robot(robot.given, None, None, strict) for robot in given]
            return function(robots=given, **others)

        return command

    return decorate


def link_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options `base`, `tip` and `strict` of a robot."""
    for option in (
        click.option("--strict/--no-strict", default=True, help="Refuse a doubtful URDF, or read it with warnings."),
        click.option("--tip", metavar="LINK", help="Last link of a URDF [default: its only leaf]."),
        click.option("--base", metavar="LINK", help="First link of a URDF [default: its root]."),
    ):
        function = option(function)
    return function
