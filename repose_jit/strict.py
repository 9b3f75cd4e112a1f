"""Read plain values strictly: every mistake is found in one pass, with the path of its key and the nearest valid one.

A *reader* takes a value and the path it was found at, and returns what the value means or raises a ConfigError with
every mistake in it. Readers compose: :func:`list_of`, :class:`Table`, and :func:`repose_jit.records.record` for a
dataclass. :func:`repose_jit.config_file.read_config` applies one to a dict or a file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, TypeVar, cast

import numpy as np

from repose_jit.errors import ConfigError, InputError, ReposeError, near_matches, nearest_names, shown
from repose_jit.units import Quantity, expected, parse_quantity
from repose_jit.validation import as_number

__all__ = [
    "Reader",
    "Table",
    "at",
    "attempt",
    "below",
    "boolean",
    "choice",
    "day",
    "integer",
    "items",
    "list_of",
    "number",
    "quantity",
    "text",
]

T = TypeVar("T")
D = TypeVar("D")
Reader = Callable[[object, str], T]


class Table:
    """The keys of one table of a configuration, read one by one; mistakes gather until :meth:`finish`.

    Parameters
    ----------
    value
        A mapping; anything else raises ConfigError at once.
    path
        Where the table stands, ``""`` for the whole configuration.

    Attributes
    ----------
    problems
        The mistakes found so far.

    Examples
    --------
    >>> table = Table({"lower": "1", "uper": 2}, "limits")
    >>> lower, upper = table.need("lower", number), table.need("upper", number)
    >>> table.finish()
    Traceback (most recent call last):
        ...
    repose_jit.errors.ConfigError: 2 mistakes in the configuration:
      limits.uper: unknown key; did you mean 'upper'?
      limits.lower: got '1', expected a number
    """

    def __init__(self, value: object, path: str = "") -> None:
        if not isinstance(value, Mapping):
            raise ConfigError([f"{path or 'configuration'}: got {shown(value)}, expected a table of keys and values"])
        self.path = path
        self.problems: list[str] = []
        self._values: dict[Any, object] = dict(value)
        self._known: dict[str, bool] = {}

    def need(self, key: str, read: Reader[T]) -> T:
        """Read a key that must be there. After a mistake the result is None, and :meth:`finish` raises."""
        self._known[key] = True
        result = attempt(self.problems, read, self._values[key], at(self.path, key)) if key in self._values else None
        return cast(T, result)

    def take(self, key: str, read: Reader[T], default: D) -> T | D:
        """Read a key that may be left out or null; `default` stands for it then, and after a mistake."""
        self._known[key] = False
        if self._values.get(key) is None:
            return default
        result = attempt(self.problems, read, self._values[key], at(self.path, key))
        return default if result is None else result

    def has(self, key: str) -> bool:
        """Tell whether the key is written."""
        return self._values.get(key) is not None

    def reject(self, key: str, problem: str) -> None:
        """Note a mistake at `key` that only shows beside other keys."""
        self.problems.append(f"{at(self.path, key)}: {problem}")

    def finish(self) -> None:
        """Raise ConfigError with all mistakes in the table, if there are any: unknown and missing keys first."""
        known = list(self._known)
        unknown = [key for key in self._values if key not in self._known]
        # A misspelt key is one mistake, not two: the key it stands for is not reported as missing.
        meant = {match for key in unknown for match in near_matches(key, known)[:1]}
        missing = [
            key for key, needed in self._known.items() if needed and key not in self._values and key not in meant
        ]
        problems = [f"{at(self.path, key)}: unknown key; {nearest_names(key, known, most=12)}" for key in unknown]
        problems += [f"{at(self.path, key)}: missing" for key in missing]
        if problems or self.problems:
            raise ConfigError(problems + self.problems)


def attempt(problems: list[str], read: Reader[T], value: object, path: str) -> T | None:
    """Return what `read` makes of a value, or add its mistakes to `problems` and return None."""
    try:
        return read(value, path)
    except ConfigError as error:
        # A file that the value refers to has its own paths, so its name goes in front of them.
        problems += [f"{path}: {error.source}: {problem}" if error.source else problem for problem in error.problems]
    except ReposeError as error:
        problems.append(f"{path or 'configuration'}: {error}")
    return None


def at(path: str, key: object) -> str:
    """Return the path of a key of the table at `path`."""
    plain = isinstance(key, str) and key.replace("-", "_").isidentifier() and len(key) <= 80
    name = str(key) if plain else shown(key)
    return below(path, name)


def below(path: str, message: str) -> str:
    """Put `path` before a message that starts with the name of a key of the table there."""
    return f"{path}.{message}" if path else message


def number(value: object, path: str) -> float:
    """Read a finite number."""
    try:
        result = as_number(value, name=path)
    except InputError as error:
        raise ConfigError([str(error)]) from None
    if not math.isfinite(result):
        raise ConfigError([f"{path}: got {result}, expected a finite number"])
    return result


def integer(value: object, path: str) -> int:
    """Read a whole number, written without a point."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ConfigError([f"{path}: got {shown(value)}, expected a whole number"])
    return int(value)


def boolean(value: object, path: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool | np.bool_):
        raise ConfigError([f"{path}: got {shown(value)}, expected true or false"])
    return bool(value)


def text(value: object, path: str) -> str:
    """Read a string that is not empty."""
    if not isinstance(value, str) or not value:
        raise ConfigError([f"{path}: got {shown(value)}, expected a non-empty string"])
    return value


def day(value: object, path: str) -> date:
    """Read a date: TOML's own, or a string ``"2026-01-31"``."""
    try:
        result = date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        result = None
    if not isinstance(result, date) or isinstance(result, datetime):
        raise ConfigError([f"{path}: got {shown(value)}, expected a date such as 2026-01-31"])
    return result


def choice(options: Sequence[T]) -> Reader[T]:
    """Return a reader of one of a few words: strings, or the members of a string enumeration."""
    words = {str(option): option for option in options}

    def read(value: object, path: str) -> T:
        if not isinstance(value, str) or value not in words:
            raise ConfigError([f"{path}: got {shown(value)}; {nearest_names(value, list(words), most=12)}"])
        return words[value]

    return read


def quantity(*quantities: Quantity, infinite: bool = False) -> Reader[float]:
    """Return a reader of a number in SI units, or a string with a unit of one of `quantities`.

    Parameters
    ----------
    quantities
        What the value may measure.
    infinite
        Also take ±inf, as a number or (JSON has none) as the string ``"inf"`` or ``"-inf"``.
    """

    def read(value: object, path: str) -> float:
        if infinite and isinstance(value, str) and value in ("inf", "+inf", "-inf"):
            return float(value)
        try:
            result = parse_quantity(value, quantities) if isinstance(value, str) else as_number(value, name="")
        except InputError as error:
            given = str(error) if isinstance(value, str) else f"got {shown(value)}, expected {expected(quantities)}"
            raise ConfigError([f"{path}: {given}"]) from None
        if math.isnan(result) or (math.isinf(result) and not infinite):
            raise ConfigError([f"{path}: got {shown(value)}, expected a finite number"])
        return result

    return read


def items(value: object, path: str, *, length: int | None = None) -> tuple[object, ...]:
    """Read a list of anything, or an array."""
    values = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(values, list | tuple):
        raise ConfigError([f"{path}: got {shown(value)}, expected a list"])
    if length is not None and len(values) != length:
        raise ConfigError([f"{path}: got a list of length {len(values)}, expected {length}"])
    return tuple(values)


def list_of(read: Reader[T] | Iterable[Reader[T]]) -> Reader[tuple[T, ...]]:
    """Return a reader of a list.

    Parameters
    ----------
    read
        The reader of every entry; or one reader for each, which also fixes the length.
    """
    each = None if callable(read) else tuple(read)

    def read_list(value: object, path: str) -> tuple[T, ...]:
        values = items(value, path, length=None if each is None else len(each))
        readers: Iterable[Reader[T]] = each if each is not None else [cast("Reader[T]", read)] * len(values)
        problems: list[str] = []
        results = [
            attempt(problems, read_entry, entry, f"{path}[{i}]")
            for i, (read_entry, entry) in enumerate(zip(readers, values, strict=True))
        ]
        if problems:
            raise ConfigError(problems)
        return tuple(cast("list[T]", results))

    return read_list
