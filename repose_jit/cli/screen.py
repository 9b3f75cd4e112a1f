"""What commands print: aligned tables for people, one JSON document for programs."""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

__all__ = [
    "angle_unit",
    "degrees_option",
    "echo_fields",
    "echo_json",
    "echo_lines",
    "echo_table",
    "echo_text",
    "json_option",
    "json_text",
    "size_words",
]

WIDTH = 80
"""Columns of the narrowest terminal that everything should fit."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
degrees_option = click.option("--degrees", is_flag=True, help="Read and print angles in degrees instead of radians.")


def angle_unit(degrees: bool) -> str:
    """Return the unit that angles are printed in."""
    return "deg" if degrees else "rad"


def echo_json(document: Mapping[str, object]) -> None:
    """Print a JSON document; see :func:`json_text`. What the output cannot encode is escaped."""
    text = json_text(document)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        # Only strings have such characters, and JSON has an escape for each.
        text = "".join(character if character.isascii() else json.dumps(character)[1:-1] for character in text)
    click.echo(text)


def json_text(value: object, indent: int = 0) -> str:
    """Return JSON with lists of numbers on one line; arrays become lists, and what is not a finite number null."""
    value = _plain(value)
    inner = " " * (indent + 2)
    if isinstance(value, dict) and value:
        lines = [f"{inner}{json.dumps(str(key))}: {json_text(entry, indent + 2)}" for key, entry in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + " " * indent + "}"
    if isinstance(value, list) and any(isinstance(entry, dict | list | tuple) for entry in value):
        lines = [inner + json_text(entry, indent + 2) for entry in value]
        return "[\n" + ",\n".join(lines) + "\n" + " " * indent + "]"
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Return one level of `value` as a dict, list or scalar that JSON has."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple):
        return [entry if isinstance(entry, Mapping | list | tuple) else _plain(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def echo_fields(fields: Iterable[tuple[str, str]]) -> None:
    """Print labelled values, one per line, the values aligned and wrapped."""
    fields = list(fields)
    width = max((len(label) for label, _ in fields), default=0) + 2
    for label, value in fields:
        body = textwrap.wrap(value, WIDTH - width, break_long_words=False, break_on_hyphens=False) or [""]
        click.echo(f"{label:<{width}}{body[0]}".rstrip())
        for line in body[1:]:
            click.echo(" " * width + line)


def echo_lines(text: str) -> None:
    """Print lines, the long ones wrapped below their own indentation."""
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        for part in textwrap.wrap(
            line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        ) or [""]:
            click.echo(part)


def echo_table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, left: Iterable[int] = ()) -> None:
    """Print rows under headers, which may have several lines; columns end at the right, those in `left` do not."""
    titles = [header.split("\n") for header in headers]
    tallest = max(map(len, titles))
    heads = zip(*([""] * (tallest - len(title)) + title for title in titles), strict=True)
    cells = [*map(list, heads), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    aligned = [str.ljust if i in set(left) else str.rjust for i in range(len(headers))]
    for row in cells:
        line = "  ".join(align(cell, width) for align, cell, width in zip(aligned, row, widths, strict=True))
        click.echo(line.rstrip())


def echo_text(text: str) -> None:
    """Print sentences, wrapped."""
    click.echo(textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False))


def size_words(count: int) -> str:
    """Return a number of bytes with three digits and the unit that suits it."""
    value, units = float(count), ["B", "kB", "MB", "GB", "TB"]
    while value >= 999.5 and len(units) > 1:
        value, units = value / 1000.0, units[1:]
    return f"{value:.3g} {units[0]}"
