"""Load a URDF from wherever it is: a file, text, or an object that urdfpy or urchin has loaded."""

from __future__ import annotations

import io
import os
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from repose_jit.errors import InputError, ModelError, ReposeError, nearest_names, shown
from repose_jit.urdf.checks import JointNames, check_tree, unusable_mimics
from repose_jit.urdf.findings import Findings
from repose_jit.urdf.joints import clean_joint, joint_from_object, names_from_object, names_from_xml, with_written_rpy
from repose_jit.urdf.links import link_from_object, link_from_xml
from repose_jit.urdf.tree import UrdfLink, UrdfTree
from repose_jit.urdf.xml import MAX_BYTES, NotNumbersError, parse_urdf
from repose_jit.validation import as_flag

__all__ = ["load_urdf"]


def load_urdf(source: object, *, strict: bool = True) -> UrdfTree:
    """Load and check a robot description.

    Parameters
    ----------
    source
        A path; or the text itself, which a string or bytes with a ``<`` is taken for; or a loaded ``urchin.URDF`` or
        ``urdfpy.URDF``. Prefer the file to the object: those libraries replace a zero axis by x and, on older NumPy,
        read comma-separated numbers wrongly, without saying so; afterwards it cannot be seen.
    strict
        If false, missing position limits (unlimited), comma-separated numbers (read) and mimics without a usable source
        (left out) are warnings instead of errors.

    Returns
    -------
    UrdfTree
        Links and joints as plain records.

    Raises
    ------
    InputError
        If there is no such file, `source` is of another type, or `strict` not True or False.
    ModelError
        If the description makes no kinematic sense; the message names file and joint or link.

    Warns
    -----
    UrdfWarning
        Once for each kind of thing that is missing or wrong and was read all the same.
    """
    strict = as_flag(strict, name="strict")
    if _is_loaded_object(source):
        findings = Findings(f"URDF object {_robot_name(source)!r}", strict=strict)
        try:
            tree = _from_object(source, findings, None)
        except ReposeError:
            raise
        except Exception as error:  # an object can be changed in ways that no file can say
            raise findings.error(
                f"got parts that no URDF has ({error}), expected an object as it was loaded"
            ) from error
    elif isinstance(source, str | bytes | os.PathLike):
        data, findings = _read(source, strict)
        try:
            tree = _from_xml(parse_urdf(data, findings), findings)
        except NotNumbersError as error:
            raise ModelError(str(error)) from None
    else:
        raise InputError(
            f"source: got {type(source).__name__}, expected a path, the text of a URDF, or a urchin.URDF or urdfpy.URDF"
        )
    findings.warn()
    return tree


def _is_loaded_object(source: object) -> bool:
    modules = {kind.__module__.partition(".")[0] for kind in type(source).__mro__ if kind.__name__ == "URDF"}
    return not modules.isdisjoint({"urchin", "urdfpy"})


def _robot_name(robot: Any) -> str:
    return str(getattr(robot, "name", ""))


def _read(source: str | bytes | os.PathLike[Any], strict: bool) -> tuple[str | bytes, Findings]:
    """Return the document and the findings that name it."""
    if isinstance(source, str | bytes):
        if (b"<" if isinstance(source, bytes) else "<") in source:  # type: ignore[operator]
            return source, Findings("URDF text", strict=strict)
        if not source.strip():
            raise InputError("source: got an empty text, expected a path or the text of a URDF")
    path = Path(os.fsdecode(source))
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1), Findings(path.name, strict=strict)
    except FileNotFoundError:
        advice = nearest_names(path.name, _urdfs_in(path.parent))
        problem = (
            f"there is no file {shown(str(path), most=200)}; {advice} (a text is taken for a URDF if it contains '<')"
        )
    except IsADirectoryError:
        problem = f"{str(path)!r} is a directory, expected a file; {nearest_names(path.name, _urdfs_in(path))}"
    except (OSError, ValueError) as error:
        problem = f"{shown(str(path), most=200)} cannot be read: {error}"
    raise InputError(f"source: {problem}")


def _urdfs_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.glob("*.urdf")) if folder.is_dir() else []


def _from_xml(robot: ET.Element, findings: Findings) -> UrdfTree:
    links = tuple(link_from_xml(element, findings) for element in robot.findall("link"))
    elements = robot.findall("joint")
    _, joints = _checked(links, [names_from_xml(element, findings) for element in elements], findings)
    clean = ET.Element("robot", name=robot.get("name", ""))
    for link in links:
        ET.SubElement(clean, "link", name=link.name)
    clean.extend([clean_joint(element, names, findings) for element, names in zip(elements, joints, strict=True)])
    tree = _from_object(_parse_with_urchin(ET.tostring(clean), findings), findings, links)
    written = tuple(with_written_rpy(*pair) for pair in zip(tree.joints, clean.findall("joint"), strict=True))
    return replace(tree, joints=written)


def _checked(
    links: Sequence[UrdfLink], joints: Sequence[JointNames], findings: Findings
) -> tuple[str, list[JointNames]]:
    """Check tree and mimics; return the root link, and the joints without the mimics that cannot be followed."""
    root = check_tree([link.name for link in links], joints, findings)
    unusable = unusable_mimics(joints, findings)
    return root, [joint._replace(source=None) if joint.name in unusable else joint for joint in joints]


def _parse_with_urchin(document: bytes, findings: Findings) -> Any:
    # It takes a second to import, so not before it is needed.
    import urchin  # type: ignore[import-untyped, unused-ignore]

    try:
        return urchin.URDF.load(_NamedFile(document), lazy_load_meshes=True)
    except Exception as error:  # whatever another package finds wrong with the file is our caller's ModelError
        raise findings.error(f"urchin cannot read it: {error}") from error


class _NamedFile(io.BytesIO):
    """A file in memory; urchin asks files for their name to find the folder of the meshes."""

    name = "robot.urdf"


def _from_object(robot: Any, findings: Findings, links: tuple[UrdfLink, ...] | None) -> UrdfTree:
    """Convert a loaded object; `links` that were read from the XML know more than the object does."""
    if links is None:
        links = tuple(link_from_object(link) for link in robot.links)
    root, joints = _checked(links, [names_from_object(joint, findings) for joint in robot.joints], findings)
    return UrdfTree(
        name=_robot_name(robot),
        source=findings.where,
        links=links,
        joints=tuple(joint_from_object(*pair, findings) for pair in zip(robot.joints, joints, strict=True)),
        root_link=root,
    )
