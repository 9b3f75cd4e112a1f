"""Numbers in files: NumPy's format, lines of numbers, JSON; what is in a file tells its kind."""

from __future__ import annotations

import codecs
import io
import json
import math
import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from repose_jit.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

__all__ = ["SEPARATOR", "Table", "parse_data", "parse_numbers"]

NPY_START = b"\x93NUMPY"
SEPARATOR = re.compile(r"\s*[,;]\s*|\s+")


def parse_numbers(text: str) -> tuple[float, ...]:
    """Return the numbers of a text such as ``"0.1, -0.2"``.

    Raises
    ------
    InputError
        If one is not a finite number.
    """
    values = []
    for word in SEPARATOR.split(text.strip()):
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InputError(f"got {word!r}, expected a finite number")
        values.append(number)
    return tuple(values)


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of numbers in a text.

    Attributes
    ----------
    names
        The names of the columns from the first line; empty if it has none.
    rows
        (N, k) numbers.
    """

    names: tuple[str, ...]
    rows: FloatArray

    def columns(self, wanted: tuple[str, ...], *, where: str) -> FloatArray:
        """Return the columns of these names, in this order.

        Raises
        ------
        UnknownNameError
            If one is missing.
        """
        for name in wanted:
            if name not in self.names:
                raise UnknownNameError("column", name, self.names, where=where)
        return self.rows[:, [self.names.index(name) for name in wanted]]


def parse_data(data: bytes, *, where: str) -> Any:
    """Return the numbers in the contents of a file.

    Parameters
    ----------
    data
        The contents; what they are tells their kind.
    where
        What messages start with: the name of the file.

    Returns
    -------
    array, Table or JSON value
        From NumPy's format, from lines of numbers, and from a text that starts with ``[`` or ``{``.

    Raises
    ------
    InputError
        If the contents are none of the three; with the line.
    """
    if data.startswith(NPY_START):
        return _read_npy(data, where)
    try:
        if _starts_as_json(data):
            return _read_json(data.decode("utf-8-sig"), where)
        # Decoded as it is read: a million lines would take three times their size as one text cut into lines.
        return _read_lines(io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig"), where)
    except UnicodeDecodeError:
        raise InputError(f"{where}: got binary data, expected .npy, CSV or JSON") from None


def _starts_as_json(data: bytes) -> bool:
    return data.removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"[", b"{")


def _read_json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON: {error}") from None


def _read_npy(data: bytes, where: str) -> FloatArray:
    import numpy as np

    try:
        array = np.load(io.BytesIO(data), allow_pickle=False)
    except Exception as error:  # a damaged header is Python text to NumPy: any error of the tokenizer, or no memory
        raise InputError(f"{where}: cannot be read as .npy: {error}") from None
    if array.dtype.kind not in "fiu":
        raise InputError(f"{where}: got entries of type {array.dtype}, expected real numbers")
    return np.asarray(array, dtype=np.float64)


def _read_lines(lines: Iterable[str], where: str) -> Table:
    import numpy as np

    names: tuple[str, ...] = ()
    expected = 0
    values = array("d")
    for number, full_line in enumerate(lines, start=1):
        line = full_line.partition("#")[0].strip()
        if not line:
            continue
        if not expected and _is_header(line):
            names = _column_names(line, f"{where}: line {number}")
            expected = len(names)
            continue
        try:
            row = _row(line)
        except InputError as error:
            raise InputError(f"{where}: line {number}: {error}") from None
        expected = expected or len(row)
        if len(row) != expected:
            raise InputError(f"{where}: line {number}: got {len(row)} numbers, expected {expected}")
        values.extend(row)
    if not values:
        raise InputError(f"{where}: got no numbers")
    return Table(names, np.frombuffer(values).reshape(-1, expected))


def _row(line: str) -> tuple[float, ...]:
    """Return what :func:`parse_numbers` does, faster where all separators are commas, or all spaces."""
    try:
        row = tuple(map(float, line.split(",") if "," in line else line.split()))
    except ValueError:
        return parse_numbers(line)
    # A sum that overflows only costs the closer look.
    return row if math.isfinite(sum(row)) else parse_numbers(line)


def _column_names(line: str, where: str) -> tuple[str, ...]:
    words = re.split(r"[,;]" if "," in line or ";" in line else r"\s+", line)
    names = tuple(word.strip().strip('"') for word in words)
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{where}: the column {name!r} is there twice")
    return names


def _is_header(line: str) -> bool:
    """Tell whether no word of the line is a number."""
    words = SEPARATOR.split(line)
    return not any(re.match(r"[+-]?[\d.]", word) for word in words) and words[0].lower() not in ("nan", "inf", "-inf")
