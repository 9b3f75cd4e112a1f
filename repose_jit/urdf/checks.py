"""Checks of a robot description as a whole: names, tree, mimics. They know names only, so every reader can use them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from repose_jit.errors import nearest_names
from repose_jit.urdf.findings import Findings, Note

__all__ = ["JointNames", "check_tree", "unusable_mimics"]

MAX_LINKS = 5_000
"""Most links accepted: urchin's graph takes time and memory quadratic in the depth of the tree, 10 s at this size."""


class JointNames(NamedTuple):
    """A joint as far as the structure is concerned; `source` is the joint it mimics."""

    name: str
    joint_type: str
    parent: str
    child: str
    source: str | None


def check_tree(links: Sequence[str], joints: Sequence[JointNames], findings: Findings) -> str:
    """Check that links and joints form one tree, and return its root link.

    Raises
    ------
    ModelError
        For repeated names, links that do not exist or have two parent joints, loops, and several roots.
    """
    if not links:
        raise findings.error("got no <link>, expected at least one")
    if len(links) > MAX_LINKS:
        raise findings.error(f"got {len(links)} links, expected at most {MAX_LINKS}")
    _check_repeated("link", links, findings)
    _check_repeated("joint", [joint.name for joint in joints], findings)
    known = set(links)
    above: dict[str, JointNames] = {}
    for joint in joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in known:
                raise findings.error(
                    f"joint {joint.name!r}: {role}: link {link!r} does not exist; {nearest_names(link, links)}"
                )
        if joint.parent == joint.child:
            raise findings.error(f"joint {joint.name!r}: link {joint.parent!r} is its own parent")
        if (other := above.get(joint.child)) is not None:
            raise findings.error(
                f"link {joint.child!r} has two parents: joint {other.name!r} from link {other.parent!r} and "
                f"joint {joint.name!r} from link {joint.parent!r}, expected one"
            )
        above[joint.child] = joint
    _check_loops(links, above, findings)
    roots = [link for link in links if link not in above]
    if len(roots) > 1:
        raise findings.error(f"links {_listed(roots)} have no parent joint, expected a single root link")
    return roots[0]


def unusable_mimics(joints: Iterable[JointNames], findings: Findings) -> set[str]:
    """Return the joints whose mimic cannot be followed because of its source and is left out, if not in strict mode.

    Raises
    ------
    ModelError
        If the mimics go round in a circle; in strict mode also if a source is missing or does not move by one number.
    """
    by_name = {joint.name: joint for joint in joints}
    unusable: set[str] = set()
    for joint in by_name.values():
        if joint.source is None:
            continue
        source = by_name.get(joint.source)
        if source is None:
            others = [name for name in by_name if name != joint.name]
            problem = f"source joint {joint.source!r} does not exist; {nearest_names(joint.source, others)}"
        elif source.joint_type in ("fixed", "floating", "planar"):
            problem = f"source joint {joint.source!r} is {source.joint_type}, expected one that one number moves"
        else:
            _check_circle(joint, by_name, findings)
            continue
        findings.tolerate(Note.MIMIC_LEFT_OUT, f"joint {joint.name!r}", f"joint {joint.name!r}: mimic: {problem}")
        unusable.add(joint.name)
    return unusable


def _check_repeated(kind: str, names: Sequence[str], findings: Findings) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise findings.error(f"{kind} {name!r}: the name is used {count} times, expected once")


def _check_loops(links: Sequence[str], above: Mapping[str, JointNames], findings: Findings) -> None:
    ends_at_root: set[str] = set()
    for start in links:
        link, path = start, dict[str, None]()
        while link in above and link not in ends_at_root:
            if link in path:
                walked = list(path)
                loop = [link, *reversed(walked[walked.index(link) + 1 :]), link]
                raise findings.error(f"the links form a loop: {' → '.join(map(repr, loop))}, expected a tree")
            path[link] = None
            link = above[link].parent
        ends_at_root.update(path)


def _check_circle(joint: JointNames, by_name: Mapping[str, JointNames], findings: Findings) -> None:
    seen = {joint.name: None}
    source = joint.source
    while source is not None and source in by_name:
        if source in seen:
            raise findings.error(
                f"joint {joint.name!r}: mimic: the joints follow one another: {' → '.join(map(repr, [*seen, source]))}"
            )
        seen[source] = None
        source = by_name[source].source


def _listed(names: Sequence[str], most: int = 10) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return f"{shown}, ... ({len(names)} in all)" if len(names) > most else shown
