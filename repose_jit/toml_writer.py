"""Write plain values as TOML that a person likes to read and that gives every float back to the last bit."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from repose_jit.errors import InputError, shown

__all__ = ["to_toml"]

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def to_toml(table: Mapping[str, object]) -> str:
    """Return the TOML text of a table of plain values.

    Tables directly in `table` become ``[sections]``, lists of tables ``[[sections]]``; those in a section of a list
    stay on one line, so that a joint reads as a block of lines.

    Parameters
    ----------
    table
        Strings, numbers, booleans, lists and dicts of them, such as :meth:`KinematicChain.to_config` returns.

    Raises
    ------
    InputError
        If a value is none of these.

    Examples
    --------
    >>> print(to_toml({"joints": [{"name": "hip", "limits": {"continuous": {"max_velocity": 2.0}}}]}), end="")
    [[joints]]
    name = "hip"
    limits = { continuous = { max_velocity = 2.0 } }
    """
    return "\n".join(_section(table, "")).lstrip("\n") + "\n"


def _section(table: Mapping[str, object], path: str) -> list[str]:
    nested = {key: value for key, value in table.items() if isinstance(value, Mapping) or _is_table_list(value)}
    lines = [f"{_key(key)} = {_value(value, key)}" for key, value in table.items() if key not in nested]
    for key, value in nested.items():
        name = f"{path}.{_key(key)}" if path else _key(key)
        if isinstance(value, Mapping):
            lines += ["", f"[{name}]", *_section(value, name)]
        else:
            for entry in value:  # type: ignore[attr-defined]
                lines += [
                    "",
                    f"[[{name}]]",
                    *(f"{_key(inner)} = {_value(item, inner)}" for inner, item in entry.items()),
                ]
    return lines


def _is_table_list(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(entry, Mapping) for entry in value)


def _value(value: object, key: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return "nan" if math.isnan(value) else repr(float(value))  # Python's shortest form is valid TOML
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(entry, key) for entry in value) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {_value(entry, name)}" for name, entry in value.items()) + " }"
    raise InputError(f"{key}: got {shown(value)}, expected a string, number, boolean, list or dict")


def _key(key: str) -> str:
    return key if BARE_KEY.fullmatch(key) else _string(key)


def _string(text: str) -> str:
    return '"' + "".join(_character(character) for character in text) + '"'


def _character(character: str) -> str:
    if character in ESCAPES:
        return ESCAPES[character]
    code = ord(character)
    return f"\\u{code:04X}" if code < 0x20 or code == 0x7F else character
