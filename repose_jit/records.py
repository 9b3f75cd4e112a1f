"""Readers for dataclasses, made from their annotations: parameter objects and sections of configuration files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from enum import Enum
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from repose_jit.errors import ConfigError, ReposeError
from repose_jit.strict import Reader, Table, below, boolean, choice, day, integer, list_of, number, quantity, text
from repose_jit.units import Quantity

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["reader_of", "record"]

R = TypeVar("R", bound="DataclassInstance")

PLAIN: dict[object, Reader[Any]] = {float: number, int: integer, bool: boolean, str: text, date: day}


def record(cls: type[R]) -> Reader[R]:
    """Return a reader of a table that has one key for each field of a dataclass.

    A field with a default may be left out. ``Annotated[float, LENGTH]`` lets a value be written with a unit. What the
    dataclass itself checks on construction is reported with the path, for each field that is wrong on its own.

    Examples
    --------
    A section of a task, with the keys of its parameter object:

    >>> from repose_jit.ik import IkParams
    >>> table = Table({"ik": {"max_iterations": 20}})
    >>> params = table.take("ik", record(IkParams), IkParams())
    >>> table.finish()
    >>> params.max_iterations
    20
    """
    hints = get_type_hints(cls, include_extras=True)
    needed = {
        field.name: field.default is MISSING and field.default_factory is MISSING for field in fields(cls) if field.init
    }

    def read(value: object, path: str) -> R:
        table = Table(value, path)
        given: dict[str, object] = {}
        for name, required in needed.items():
            reader = reader_of(hints[name])
            result = table.need(name, reader) if required else table.take(name, reader, None)
            if result is not None:
                given[name] = result
        try:
            table.finish()
        except ConfigError as error:
            raise ConfigError([*error.problems, *_mistakes_alone(cls, given, path, needed)]) from None
        try:
            return cls(**given)
        except ReposeError as error:
            alone = _mistakes_alone(cls, given, path, needed)
            raise ConfigError(alone or [_placed(error, path, needed)]) from None

    return read


def reader_of(hint: Any) -> Reader[Any]:
    """Return the reader of values that a type annotation allows; one that takes anything where it says nothing."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        kinds = [extra for extra in arguments[1:] if isinstance(extra, Quantity)]
        return quantity(*kinds) if kinds else reader_of(arguments[0])
    if origin in (Union, UnionType):
        # Only "or None" is understood: a key that is left out, or null in JSON, never reaches the reader.
        rest = [argument for argument in arguments if argument is not type(None)]
        return reader_of(rest[0]) if len(rest) == 1 else _anything
    if origin is Literal:
        return choice(arguments)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return list_of(reader_of(arguments[0]))
        return list_of([reader_of(argument) for argument in arguments])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return choice(list(hint))
    if isinstance(hint, type) and is_dataclass(hint):
        return record(hint)
    return PLAIN.get(hint, _anything)


def _anything(value: object, _path: str) -> object:
    return value


def _mistakes_alone(cls: type[R], given: Mapping[str, object], path: str, needed: Mapping[str, bool]) -> list[str]:
    """Construct with one field at a time, all others at their defaults: a constructor stops at the first mistake.

    Nothing can be told of the fields of a class while one that it needs is missing, or wrong.
    """
    base = {name: given[name] for name, required in needed.items() if required and name in given}
    if len(base) < sum(needed.values()):
        return []
    problems = []
    for tried in [None, *(name for name in given if name not in base)]:
        try:
            cls(**base if tried is None else {**base, tried: given[tried]})
        except ReposeError as error:
            # Alone a field may lack the company of another that is there.
            about = next((name for name in needed if str(error).startswith(name)), tried)
            if tried is None or about == tried or about not in given:
                problems.append(_placed(error, path, needed))
    return list(dict.fromkeys(problems))


def _placed(error: ReposeError, path: str, names: Mapping[str, object]) -> str:
    """Put the path before a message, as part of it where the message starts with the name of a field."""
    message = str(error)
    return below(path, message) if message.startswith(tuple(names)) else f"{path or 'configuration'}: {message}"
