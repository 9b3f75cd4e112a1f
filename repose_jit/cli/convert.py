"""``repose-jit convert``: from a URDF to a chain file that can be read and edited."""

from __future__ import annotations

from pathlib import Path

import click

from repose_jit.cli.robot import Robot, robot_argument
from repose_jit.cli.screen import echo_json, json_option, json_text
from repose_jit.whole_file import require_replaceable, whole_file

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
    require_replaceable(Path(output), overwrite=overwrite)
    with whole_file(Path(output), overwrite=overwrite) as file:
        file.write(text.encode())
    if as_json:
        echo_json({"output": output, "format": form, "robot": chain.name, "dof": chain.n_joints})
    else:
        click.echo(f"{output}: {chain.n_joints} joints", err=True)
