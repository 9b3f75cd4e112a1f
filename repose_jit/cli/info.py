"""``repose-jit info``: everything about one robot."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from repose_jit.cli.robot import Robot, robot_argument
from repose_jit.cli.screen import angle_unit, degrees_option, echo_fields, echo_json, echo_table, json_option

if TYPE_CHECKING:
    from repose_jit.chain import KinematicChain
    from repose_jit.joints import JointMimic, JointSpec

__all__ = ["info"]


@click.command(
    epilog="""\b
    Examples:
      repose-jit info igus_rebel --degrees
      repose-jit info arm.urdf --base base_link --tip tool0"""
)
@robot_argument
@degrees_option
@json_option
def info(robot: Robot, degrees: bool, as_json: bool) -> None:
    """Show the joints, limits, home, tool and reach of a robot."""
    chain, preset = robot.chain(), robot.preset()
    provenance = {key: str(value) for key, value in asdict(preset.provenance).items()} if preset else None
    document = _document(chain, degrees=degrees) | {"provenance": provenance}
    if as_json:
        echo_json(document)
    else:
        _echo_screen(document)


def _document(chain: KinematicChain, *, degrees: bool) -> dict[str, Any]:
    """Return what there is to say about a chain as plain values; None stands for "no limit"."""
    from repose_jit.cli.configurations import joint_units, printed
    from repose_jit.poses import pose_document
    from repose_jit.reach_bound import reach_bound

    units = joint_units(chain, degrees=degrees)
    home = printed(chain, chain.home, degrees=degrees).tolist()
    bound = reach_bound(chain)
    return {
        "name": chain.name,
        "dof": chain.n_joints,
        "angle_unit": angle_unit(degrees),
        "reach": bound.tool_radius,
        "reach_centre": bound.centre.tolist(),
        "tool_offset": pose_document(chain.tool_offset, degrees=degrees),
        "joints": [_joint_document(*each) for each in zip(chain.joints, units, home, strict=True)],
        "mimic_joints": [
            _mimic_document(joint, joint.mimic, degrees=degrees) for joint in chain.mimic_joints if joint.mimic
        ],
    }


def _joint_document(joint: JointSpec, unit: str, home: float) -> dict[str, object]:
    limits, scale = joint.limits, math.degrees(1.0) if unit == "deg" else 1.0
    bounds = (limits.lower, limits.upper, limits.max_velocity) if limits else (None, None, None)
    lower, upper, max_velocity = (None if x is None or math.isinf(x) else x * scale for x in bounds)
    return {
        "name": joint.name,
        "type": "continuous" if limits and limits.kind == "continuous" else str(joint.joint_type),
        "unit": unit,
        "lower": lower,
        "upper": upper,
        "max_velocity": max_velocity,
        "home": home,
    }


def _mimic_document(joint: JointSpec, mimic: JointMimic, *, degrees: bool) -> dict[str, object]:
    unit = "m" if joint.joint_type == "prismatic" else angle_unit(degrees)
    offset = math.degrees(mimic.offset) if unit == "deg" else mimic.offset
    return {
        "name": joint.name,
        "joint": mimic.joint,
        "multiplier": mimic.multiplier,
        "offset": offset,
        "unit": unit,
    }


def _echo_screen(document: dict[str, Any]) -> None:
    provenance, reach, angle = document["provenance"], document["reach"], document["angle_unit"]
    offset, joints, mimics = document["tool_offset"], document["joints"], document["mimic_joints"]
    name = document["name"] or "(no name)"
    centre = _row(document["reach_centre"])
    moved = any(offset["xyz"]) or any(offset["rpy"])
    echo_fields(
        [
            ("robot", f"{name}: {provenance['maker']} {provenance['model']}" if provenance else name),
            ("dof", str(document["dof"])),
            ("reach", f"within {reach:.3f} m of {centre} m (a bound)" if math.isfinite(reach) else "unlimited"),
            (
                "tool offset",
                f"xyz {_row(offset['xyz'])} m, rpy {_row(offset['rpy'])} {angle}" if moved else "none",
            ),
        ]
    )
    click.echo()
    units = {joint["unit"] for joint in joints}
    unit = units.pop() if len(units) == 1 else "unit"
    columns = ["lower", "upper", "max_velocity", "home"]
    rows = [
        [str(i), joint["name"], joint["type"], *(_cell(joint[key]) for key in columns), joint["unit"]]
        for i, joint in enumerate(joints)
    ]
    headers = ["#", "joint", "type", f"lower\n[{unit}]", f"upper\n[{unit}]", f"velocity\n[{unit}/s]", f"home\n[{unit}]"]
    if unit == "unit":
        echo_table([*headers, "unit"], rows, left=(1, 2, 7))
    else:
        echo_table(headers, [row[:-1] for row in rows], left=(1, 2))
    if mimics:
        click.echo()
        rows = [
            [mimic["name"], mimic["joint"], f"{mimic['multiplier']:g}", f"{mimic['offset']:g}", mimic["unit"]]
            for mimic in mimics
        ]
        echo_table(("mimic joint", "follows", "multiplier", "offset\n[unit]", "unit"), rows, left=(0, 1, 4))
    if provenance:
        click.echo()
        echo_fields((key, value) for key, value in provenance.items() if value)


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:z.4f}"


def _row(values: list[float]) -> str:
    return " ".join(f"{value:z.4f}" for value in values)
