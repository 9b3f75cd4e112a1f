"""Read the XML of a URDF safely and keep only what kinematics, masses and collisions need."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from xml.parsers import expat

from repose_jit.errors import ModelError
from repose_jit.urdf.findings import Findings, Note

__all__ = ["NotNumbersError", "attribute", "numbers", "parse_urdf", "place"]

MAX_BYTES = 64 << 20
"""Largest document: the longest robot description known has 0.3 MB."""

MAX_DEPTH = 100
"""Deepest nesting of elements: robot descriptions use about ten levels."""

MAX_ELEMENTS = 200_000
"""Largest number of elements kept, which bounds the memory of documents made of very many short elements."""

MAX_LENGTH = 1_000
"""Longest name and longest list of numbers: the search for the nearest name takes time quadratic in it."""

KEPT: dict[str, frozenset[str]] = {
    "robot": frozenset({"link", "joint"}),
    "joint": frozenset({"parent", "child", "origin", "axis", "limit", "mimic"}),
    "link": frozenset({"inertial", "collision"}),
    "inertial": frozenset({"origin", "mass", "inertia"}),
    "collision": frozenset({"origin", "geometry"}),
    "geometry": frozenset({"box", "sphere", "cylinder", "capsule", "mesh"}),
}
"""The children of each element that are kept; all else (visual, material, transmission, gazebo, ...) is skipped."""

OTHER_FORMATS = {"mujoco": "MuJoCo's MJCF", "sdf": "SDFormat", "COLLADA": "COLLADA", "html": "a web page"}

NUMBER = re.compile(r"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)", re.IGNORECASE | re.ASCII)


class NotNumbersError(ModelError):
    """A text is not the numbers it should be."""


def parse_urdf(data: str | bytes, findings: Findings) -> ET.Element:
    """Parse a document into its ``robot`` element, stripped of what is not needed.

    Document types are refused, and with them every entity; so are absurd sizes and depths. Prefixed elements and
    attributes are left out, with a note where the prefix is not declared.

    Raises
    ------
    ModelError
        If the document is empty, not XML, not a URDF, an unexpanded xacro, or refused.
    """
    if len(data) > MAX_BYTES:
        raise findings.error(f"got {len(data)} bytes or more, expected at most {MAX_BYTES} for a robot description")
    document = data.lstrip()
    if not document:
        raise findings.error("got an empty document, expected a URDF")
    if isinstance(document, str):
        try:
            document = document.removeprefix("\ufeff").encode()
        except UnicodeEncodeError as error:
            raise findings.error(f"got text that is not Unicode ({error.reason}), expected a URDF") from None
        parser = expat.ParserCreate("utf-8")
    else:
        parser = expat.ParserCreate()
    # The byte order marks of UTF-8 and UTF-16 may come first.
    if not document.startswith((b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise findings.error(f"got text that starts with {document[:20]!r}, expected XML (<robot ...>)")
    builder = _Builder(findings)
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.StartDoctypeDeclHandler = builder.refuse_doctype
    try:
        parser.Parse(document, True)
    except expat.ExpatError as error:
        raise findings.error(
            f"line {error.lineno}, column {error.offset + 1}: {expat.ErrorString(error.code)}, expected well-formed XML"
        ) from None
    except (ValueError, LookupError) as error:
        if isinstance(error, ModelError):
            raise
        raise findings.error(f"got XML in an encoding that cannot be read ({error})") from None
    assert builder.root is not None  # expat has refused a document without elements
    return builder.root


class _Builder:
    """Receives expat's events; `_open` holds the open elements, None from the first skipped one on."""

    def __init__(self, findings: Findings) -> None:
        self.root: ET.Element | None = None
        self._findings = findings
        self._open: list[ET.Element | None] = []
        self._declared: list[frozenset[str]] = [frozenset({"xml", "xmlns"})]
        self._n_kept = 0

    def refuse_doctype(self, name: str, *_: object) -> None:
        raise self._findings.error(
            f"got a document type declaration (<!DOCTYPE {name}>), which may define entities; expected none"
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise self._findings.error(f"got elements nested deeper than {MAX_DEPTH} levels")
        declared = {name[6:] for name in attributes if name.startswith("xmlns:")}
        self._declared.append(self._declared[-1] | declared if declared else self._declared[-1])
        self._note_prefixes(tag, attributes)
        self._open.append(self._keep(tag, attributes))

    def end(self, _tag: str) -> None:
        self._open.pop()
        self._declared.pop()

    def _note_prefixes(self, tag: str, attributes: dict[str, str]) -> None:
        for name in (tag, *attributes):
            prefix, colon, _ = name.partition(":")
            if colon and prefix != "xacro" and prefix not in self._declared[-1]:
                self._findings.note(Note.PREFIXES, repr(prefix))

    def _keep(self, tag: str, attributes: dict[str, str]) -> ET.Element | None:
        if not self._open:
            self.root = self._root(tag, attributes)
            return self.root
        parent = self._open[-1]
        if parent is None:
            return None
        if tag.startswith("xacro:"):
            raise self._xacro(f"<{tag}>")
        if tag not in KEPT.get(parent.tag, ()):
            return None
        self._n_kept += 1
        if self._n_kept > MAX_ELEMENTS:
            raise self._findings.error(f"got more than {MAX_ELEMENTS} elements")
        for name, value in attributes.items():
            # The name of a mesh file does not matter before somebody opens it.
            if name != "filename" and ("${" in value or "$(" in value):
                raise self._xacro(f"{name}={value!r} of <{tag}>")
        return ET.SubElement(parent, tag, {name: value for name, value in attributes.items() if ":" not in name})

    def _root(self, tag: str, attributes: dict[str, str]) -> ET.Element:
        if tag != "robot":
            kind = OTHER_FORMATS.get(tag)
            raise self._findings.error(f"got a <{tag}> document{f' ({kind})' if kind else ''}, expected URDF's <robot>")
        name = attributes.get("name", "")
        if len(name) > MAX_LENGTH:
            raise self._findings.error(f"robot: name: got {len(name)} characters, expected at most {MAX_LENGTH}")
        return ET.Element(tag, name=name)

    def _xacro(self, what: str) -> ModelError:
        return self._findings.error(
            f"got {what}, an unexpanded xacro file, expected URDF; the tool xacro (pip install xacro) expands it: "
            "xacro robot.urdf.xacro > robot.urdf"
        )


def place(element: ET.Element) -> str:
    """Name a joint or link element in a message."""
    return f"{element.tag} {element.get('name', '')!r}"


def attribute(element: ET.Element, name: str, where: str, findings: Findings) -> str:
    """Return a required attribute that is not empty.

    Raises
    ------
    ModelError
        If it is missing, empty or absurdly long.
    """
    value = element.get(name)
    if not value:
        raise findings.error(f"{where}: got <{element.tag}> without `{name}`, expected one")
    if len(value) > MAX_LENGTH:
        raise findings.error(f"{where}: {name}: got {len(value)} characters, expected at most {MAX_LENGTH}")
    return value


def numbers(text: str, count: int, where: str, findings: Findings, *, infinite: bool = False) -> list[float]:
    """Read `count` numbers separated by spaces; `infinite` lets infinities through.

    Raises
    ------
    NotNumbersError
        If they are not numbers, or not as many.
    ModelError
        If one is NaN or infinite, or, in strict mode, if commas separate them.
    """
    if len(text) > MAX_LENGTH:
        raise findings.error(f"{where}: got {len(text)} characters, expected at most {MAX_LENGTH}")
    if "," in text:
        findings.tolerate(Note.COMMAS, where, f"{where}: got {text!r}, expected numbers separated by spaces")
    words = text.replace(",", " ").split()
    if len(words) != count or not all(NUMBER.fullmatch(word) for word in words):
        expected = "a number" if count == 1 else f"{count} numbers separated by spaces"
        raise NotNumbersError(f"{findings.where}: {where}: got {text!r}, expected {expected}")
    values = [float(word) for word in words]
    if not all(math.isfinite(value) or (infinite and not math.isnan(value)) for value in values):
        raise findings.error(f"{where}: got {text!r}, expected {'a number' if infinite else 'finite numbers'}")
    return values
