"""``repose-jit convert``: from a URDF to a chain file that can be read and edited."""

from __future__ import annotations

import contextlib
import uuid
from pathlib import Path

import click

from repose_jit.cli.robot import Robot, robot_argument
from repose_jit.cli.screen import echo_json, json_option, json_text

__all__ = ["convert"]


@click.command(
    epilog="""\b
    Example:
      repose-jit convert arm.urdf --base base_link --tip tool0 -o arm.toml"""
)
@robot_argument
@click.option("--format", "form", type=click.Choice(("toml", "json")), help="[default: that of FILE, else toml]")
@click.option("-o", "--output", metavar="FILE", help="Where to write [default: standard output].")
@click.option("--overwrite", is_flag=True, help="Replace FILE if it exists.")
@json_option
def convert(robot: Robot, form: str | None, output: str | None, overwrite: bool, as_json: bool) -> None:
    """Write a robot, usually a URDF, as a chain file.

    Fixed joints are folded into their neighbours; the chain file reads back as the same chain to the last bit.
    """
    if as_json and not output and form == "toml":
        raise click.UsageError("--json prints JSON, --format toml does not; give one of them, or --output.")
    suffix = Path(output).suffix.lower() if output else ""
    if output and suffix not in (".toml", ".json"):
        raise click.UsageError(f"--output {output}: a chain file ends in .toml or .json.")
    form = form or suffix.removeprefix(".") or ("json" if as_json else "toml")
    if output and form != suffix.removeprefix("."):
        raise click.UsageError(f"--output {output} and --format {form} do not fit together.")
    chain = robot.chain()
    config = chain.to_config()
    if form == "toml":
        from repose_jit.toml_writer import to_toml

        text = to_toml(config)
    else:
        text = json_text(config) + "\n"
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        _write(Path(output), text, overwrite=overwrite)
    except FileExistsError:
        if overwrite:
            raise click.UsageError(f"{output} is no file, so it is not replaced.") from None
        raise click.UsageError(f"{output} exists; give --overwrite to replace it.") from None
    if as_json:
        echo_json({"output": output, "format": form, "robot": chain.name, "dof": chain.n_joints})
    else:
        click.echo(f"{output}: {chain.n_joints} joints", err=True)


def _write(path: Path, text: str, *, overwrite: bool) -> None:
    """Write a file as a whole or not at all: what was there stays if the disk is full.

    Raises
    ------
    OSError
        FileExistsError if there is one that may not be replaced.
    """
    if not (overwrite and path.is_file()):
        with path.open("x", encoding="utf-8") as file:
            try:
                file.write(text)
                file.flush()
            except OSError:
                path.unlink()
                raise
        return
    final = path.resolve()  # a link stays a link
    partial = final.with_name(f".{final.name}.{uuid.uuid4().hex[:12]}.partial")
    try:
        _write(partial, text, overwrite=False)
        with contextlib.suppress(OSError):
            partial.chmod(final.stat().st_mode)
        partial.replace(final)
    except OSError as error:
        error.filename = str(path)
        raise
    finally:
        partial.unlink(missing_ok=True)
