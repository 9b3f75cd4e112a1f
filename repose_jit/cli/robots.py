"""``repose-jit robots``: which presets there are."""

from __future__ import annotations

import click

from repose_jit.cli.screen import echo_json, echo_table, json_option

__all__ = ["robots"]


@click.command(
    epilog="""\b
    Example:
      repose-jit robots --json"""
)
@json_option
def robots(as_json: bool) -> None:
    """List the robots that come with the package."""
    from repose_jit.robots import RobotPreset, preset

    presets = [preset(name) for name in RobotPreset.names()]
    if as_json:
        entries = [
            {"name": one.name, "dof": one.dof, "maker": one.provenance.maker, "model": one.provenance.model}
            for one in presets
        ]
        echo_json({"robots": entries})
        return
    # Maker and model share a column: apart, the longest of each do not fit 80 columns together.
    rows = [(one.name, str(one.dof), f"{one.provenance.maker} {one.provenance.model}") for one in presets]
    echo_table(("name", "dof", "maker and model"), rows, left=(0, 2))
