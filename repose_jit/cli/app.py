"""The group of all commands, and what they share: short errors and warnings, and exit codes."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from typing import Any

import click

from repose_jit import __version__
from repose_jit.cli.bench import bench
from repose_jit.cli.convert import convert
from repose_jit.cli.fk import fk
from repose_jit.cli.ik import ik
from repose_jit.cli.info import info
from repose_jit.cli.reach import reach
from repose_jit.cli.robots import robots
from repose_jit.cli.sweep import sweep
from repose_jit.cli.view import view
from repose_jit.cli.warmup import warmup
from repose_jit.errors import ReposeError

__all__ = ["BAD_INPUT", "INTERRUPTED", "NOT_CONVERGED", "app", "main"]

NOT_CONVERGED = 1
"""The command ran, but not every target was reached; or a store is not sound, an answer wrong, something slower."""
BAD_INPUT = 2
"""A mistake in what was typed or in a file; click uses the same code."""
INTERRUPTED = 130
"""Ctrl-C: what shells report for a program that ends by SIGINT."""
BROKEN_PIPE = 141
"""The reader of our output has gone: what shells report for a program that ends by SIGPIPE."""


class Mistake(click.ClickException):
    """The user's mistake: shown as one message, without a traceback."""

    exit_code = BAD_INPUT


class Application(click.Group):
    """A group whose commands may raise ReposeError and OSError."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line; λ and ³ are escaped where the output does not know them, as a file under Windows."""
        if reconfigure := getattr(sys.stdout, "reconfigure", None):
            reconfigure(errors="backslashreplace")
        return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; show mistakes as messages, and warnings as one line each on stderr."""
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            if not sys.warnoptions:
                warnings.resetwarnings()
                warnings.simplefilter("ignore")
                for category in (UserWarning, RuntimeWarning):
                    warnings.simplefilter("default", category)
            try:
                return super().invoke(ctx)
            except ReposeError as error:
                raise Mistake(str(error)) from None
            except BrokenPipeError:
                _discard_output()
                ctx.exit(BROKEN_PIPE)
            except OSError as error:
                place = f"{error.filename}: " if error.filename is not None else ""
                raise Mistake(f"{place}{error.strerror or error}") from None
            except KeyboardInterrupt:
                click.echo("\nInterrupted.", err=True)
                ctx.exit(INTERRUPTED)


@click.group(
    cls=Application,
    epilog="""Exit codes: 0 done, 1 not every target was reached (reach verify: the store is not sound; bench: a wrong
    answer, or slower than before), 2 a mistake in the input.

    \b
    Example:
      repose-jit fk igus_rebel --q 0,0,0.5,0,0.5,0""",
)
@click.version_option(__version__, prog_name="repose-jit")
def app() -> None:
    """Robot kinematics: look at robots, move them, solve for poses, map what they reach.

    ROBOT is the name of a preset (see "robots"), a URDF file (.urdf, .xml), or a chain file (.toml, .json). Lengths are
    metres, angles radians unless --degrees is given. With --json a command prints one JSON document and nothing else on
    standard output; what is not a number there is null.
    """


for command in (robots, info, fk, ik, sweep, convert, reach, view, bench, warmup):
    app.add_command(command)


def main() -> None:
    """Run the command line and exit."""
    sys.unraisablehook = _interrupt_again
    app(prog_name="repose-jit")


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Repeat a Ctrl-C that came while the compiler was calling back, from where no exception gets out."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        # A moment later, when the callback is over; as a real signal, which also wakes a main thread that waits.
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(unraisable)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Stand in for warnings.showwarning; category, file and line are of no use to who types a command."""
    click.echo(f"Warning: {' '.join(str(message).split())}", err=True)


def _discard_output() -> None:
    """Send what is still buffered nowhere, so that the interpreter's last flush does not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
