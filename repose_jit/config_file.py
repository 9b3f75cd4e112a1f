"""Configuration files: TOML or JSON by suffix, decoded to plain values; messages name the file and the line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from repose_jit.errors import ConfigError, shown
from repose_jit.strict import Reader, text
from repose_jit.validation import as_path

__all__ = ["decode_file", "file_reader", "is_file_name", "read_config"]

T = TypeVar("T")

CONFIG_SUFFIXES = (".toml", ".json")
URDF_SUFFIXES = (".urdf", ".xacro", ".xml")


def read_config(source: Mapping[str, object] | str | os.PathLike[str], read: Reader[T]) -> T:
    """Read a configuration from a dict or a file.

    Parameters
    ----------
    source
        A dict of plain values, or the path of a ``.toml`` or ``.json`` file.
    read
        What the values mean.

    Raises
    ------
    ConfigError
        With every mistake found, and the name of the file.
    """
    if isinstance(source, Mapping):
        return read(source, "")
    if not isinstance(source, str | os.PathLike):
        raise ConfigError([f"configuration: got {shown(source)}, expected a dict or the path of a file"])
    values = decode_file(source)
    try:
        return read(values, "")
    except ConfigError as error:
        raise ConfigError(error.problems, source=os.fspath(source)) from None


def decode_file(path: str | os.PathLike[str]) -> object:
    """Return the plain values of a ``.toml`` or ``.json`` file.

    Raises
    ------
    ConfigError
        If the file cannot be read, has another suffix, or is not well-formed; with the line.
    """
    name = str(path)
    suffix = Path(name).suffix.lower()
    if suffix not in CONFIG_SUFFIXES:
        hint = "; a URDF file is read by KinematicChain.from_urdf" if suffix in URDF_SUFFIXES else ""
        hint = hint or ("" if suffix else "; presets are found by resolve_chain")
        raise ConfigError([f"got {shown(suffix)}, expected a file that ends in .toml or .json{hint}"], source=name)
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(["no such file"], source=name) from None
    except (OSError, ValueError) as error:
        raise ConfigError([f"cannot be read: {error}"], source=name) from None
    try:
        return _decode_toml(text) if suffix == ".toml" else _decode_json(text)
    except RecursionError:
        raise ConfigError(["nested too deeply"], source=name) from None
    except ValueError as error:
        raise ConfigError([str(error)], source=name) from None


def file_reader(directory: Path, *, must_exist: bool = False) -> Reader[Path]:
    """Return a reader of the name of a file: one that is not absolute starts from `directory`."""

    def read(value: object, path: str) -> Path:
        file = directory / as_path(text(value, path), name=path)
        if must_exist and not os.path.isfile(file):  # Path.is_file raises for a name that no file system would take
            raise ConfigError([f"{path}: {file}: no such file"])
        return file

    return read


def is_file_name(name: str) -> bool:
    """Tell whether a string means a file: it exists, has a folder in front, or ends like a robot description."""
    ends = Path(name).suffix.lower() in CONFIG_SUFFIXES + URDF_SUFFIXES
    # Path.is_file raises for a name that no file system would take.
    return ends or Path(name).name != name or os.path.isfile(name)


def _decode_toml(text: str) -> object:
    import msgspec

    return msgspec.toml.decode(text)


def _decode_json(text: str) -> object:
    import msgspec

    try:
        values: object = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise ValueError(_with_line(str(error), text)) from None
    # Of two equal keys msgspec silently keeps the last, which TOML forbids and a reader of the file cannot expect.
    json.loads(text, object_pairs_hook=_unique)
    return values


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is there twice")
    return table


def _with_line(message: str, text: str) -> str:
    """Say the line where msgspec gives the number of a byte."""
    match = re.search(r"\(byte (\d+)\)", message)
    if match is None:
        return f"{message} (at line {text.count(chr(10)) + 1})" if "truncated" in message else message
    before = text.encode(errors="replace")[: int(match[1])]
    line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
    return message.replace(match[0], f"(at line {line}, column {column})")
