"""``repose-jit fk``: where the tool is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from repose_jit.cli.numeric_input import numbers
from repose_jit.cli.robot import Robot, robot_argument
from repose_jit.cli.screen import angle_unit, degrees_option, echo_fields, echo_json, echo_table, json_option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from repose_jit.chain import KinematicChain

    FloatArray = NDArray[np.float64]

__all__ = ["fk"]


@click.command(
    epilog="""A file has one configuration per line (CSV, the first line may name the joints), or is .npy or JSON.

    \b
    Examples:
      repose-jit fk igus_rebel --degrees --q 0,-20,45,0,60,0
      repose-jit fk igus_rebel --q-file configurations.csv --json
      echo 0 0 0.5 0 0.5 0 | repose-jit fk igus_rebel --q-file -"""
)
@robot_argument
@click.option("--q", type=numbers(), metavar="Q1,Q2,...", help="One configuration [default: home].")
@click.option("--q-file", metavar="FILE", help="Many configurations; - is standard input.")
@degrees_option
@json_option
def fk(robot: Robot, q: tuple[float, ...] | None, q_file: str | None, degrees: bool, as_json: bool) -> None:
    """Compute the pose of the tool in the base frame."""
    if q is not None and q_file is not None:
        raise click.UsageError("--q and --q-file exclude one another.")
    from repose_jit.cli.configurations import one_configuration, read_configurations

    chain = robot.chain()
    if q_file is not None:
        configurations = read_configurations(chain, q_file, degrees=degrees)
    elif q is not None:
        configurations = one_configuration(chain, q, degrees=degrees, option="--q")[None]
    else:
        configurations = chain.home[None]
    from repose_jit.kinematics import forward_kinematics

    T = forward_kinematics(chain, configurations)
    if as_json:
        _echo_document(chain, configurations, T, degrees=degrees)
    elif len(T) == 1:
        _echo_pose(T[0], degrees=degrees)
    else:
        _echo_poses(T)


def _echo_document(chain: KinematicChain, q: FloatArray, T: FloatArray, *, degrees: bool) -> None:
    from repose_jit.cli.configurations import printed
    from repose_jit.poses import pose_document

    rows = printed(chain, q, degrees=degrees).tolist()
    poses = [{"q": row} | pose_document(one, degrees=degrees) for row, one in zip(rows, T, strict=True)]
    echo_json(
        {
            "robot": chain.name,
            "joint_names": list(chain.joint_names),
            "angle_unit": angle_unit(degrees),
            "poses": poses,
        }
    )


def _echo_pose(T: FloatArray, *, degrees: bool) -> None:
    from repose_jit.poses import pose_document

    document = pose_document(T, degrees=degrees)
    label = "T_base_tool"
    for row in T.tolist():
        click.echo(f"{label:<13}" + _cells(row))
        label = ""
    click.echo()
    echo_fields(
        [
            ("xyz [m]", _cells(document["xyz"])),
            ("quat_xyzw", _cells(document["quat_xyzw"])),
            (f"rpy [{angle_unit(degrees)}]", _cells(document["rpy"])),
        ]
    )


def _echo_poses(T: FloatArray) -> None:
    from repose_jit.poses import quat_xyzw_from_rotation

    rows = [
        [str(i), *(f"{x:z.6f}" for x in (*one[:3, 3].tolist(), *quat_xyzw_from_rotation(one[:3, :3]).tolist()))]
        for i, one in enumerate(T)
    ]
    echo_table(("#", "x [m]", "y [m]", "z [m]", "qx", "qy", "qz", "qw"), rows)


def _cells(values: object) -> str:
    return " ".join(f"{value:z11.6f}" for value in values)  # type: ignore[attr-defined]
