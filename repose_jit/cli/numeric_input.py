"""Numbers on the command line: ``0.1,-0.2`` in options, and files or standard input for ``-``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from repose_jit.errors import InputError
from repose_jit.tables import parse_data, parse_numbers

__all__ = ["data_name", "numbers", "read_data"]


def numbers(count: int | None = None) -> Callable[[str], tuple[float, ...]]:
    """Return a type for options: finite numbers separated by commas or spaces, `count` of them if that is given."""

    def convert(text: str) -> tuple[float, ...]:
        try:
            values = parse_numbers(text)
        except InputError as error:
            raise click.BadParameter(str(error)) from None
        if count is not None and len(values) != count:
            raise click.BadParameter(f"got {len(values)} numbers, expected {count}")
        return values

    return convert


def data_name(path: str) -> str:
    """Return how messages call a file of data."""
    return "standard input" if path == "-" else path


def read_data(path: str) -> Any:
    """Read a file, or standard input for ``-``; see :func:`~repose_jit.tables.parse_data`.

    Raises
    ------
    InputError
        If the contents are no numbers, or standard input is closed.
    OSError
        If there is no such file.
    """
    return parse_data(_read_standard_input() if path == "-" else Path(path).read_bytes(), where=data_name(path))


def _read_standard_input() -> bytes:
    if sys.stdin is None:  # what Python makes of a descriptor that is closed
        raise InputError("standard input: is closed, expected data")
    return sys.stdin.buffer.read()
