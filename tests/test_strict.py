"""Strict reading: what each reader takes, and that one pass finds every mistake."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime
from enum import StrEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repose_jit.errors import ConfigError, InputError
from repose_jit.strict import Table, at, boolean, choice, day, integer, items, list_of, number, quantity, text
from repose_jit.units import ANGLE, LENGTH
from tests.anything import anything


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def problems_of(call: Callable[[], object]) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        call()
    return caught.value.problems


@pytest.mark.parametrize(
    ("reader", "value", "expected"),
    [
        (number, 3, 3.0),
        (number, np.float32(0.5), 0.5),
        (integer, 3, 3),
        (integer, np.int64(3), 3),
        (boolean, False, False),
        (boolean, np.True_, True),
        (text, "a", "a"),
        (day, date(2026, 1, 31), date(2026, 1, 31)),
        (day, "2026-01-31", date(2026, 1, 31)),
        (choice(["a", "b"]), "b", "b"),
        (choice(list(Colour)), "green", Colour.GREEN),
        (quantity(ANGLE), "90deg", math.pi / 2),
        (quantity(ANGLE), 2, 2.0),
        (quantity(LENGTH, infinite=True), "-inf", -math.inf),
        (quantity(LENGTH, infinite=True), math.inf, math.inf),
        (list_of(integer), [], ()),
        (list_of(integer), (1, 2), (1, 2)),
        (list_of([integer, text]), [1, "a"], (1, "a")),
        (list_of([number] * 3), np.arange(3), (0.0, 1.0, 2.0)),
        (items, [1, {}], (1, {})),
    ],
)
def test_readers_return_the_value(reader: Callable[[object, str], object], value: object, expected: object) -> None:
    result = reader(value, "key")
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("reader", "value", "expected"),
    [
        (number, True, "key: got True, expected a number"),
        (number, "1", "key: got '1', expected a number"),
        (number, math.nan, "key: got nan, expected a finite number"),
        (number, -math.inf, "key: got -inf, expected a finite number"),
        (number, 10**400, "key: got an integer too large for a float"),
        (integer, 3.0, "key: got 3.0, expected a whole number"),
        (integer, False, "key: got False, expected a whole number"),
        (boolean, 1, "key: got 1, expected true or false"),
        (boolean, "true", "key: got 'true', expected true or false"),
        (text, "", "key: got '', expected a non-empty string"),
        (text, b"a", "key: got b'a', expected a non-empty string"),
        (day, "31.1.2026", "key: got '31.1.2026', expected a date such as 2026-01-31"),
        (day, NOON, f"key: got {NOON!r}, expected a date such as 2026-01-31"),
        (choice(["fast", "slow"]), "fsat", "key: got 'fsat'; did you mean 'fast'?"),
        (choice(["fast", "slow"]), 1, "key: got 1; expected one of 'fast', 'slow'"),
        (
            quantity(ANGLE),
            "1m",
            "key: got '1m', a length; expected an angle: a number [rad] or a string such as '90deg'",
        ),
        (quantity(ANGLE), True, "key: got True, expected an angle: a number [rad] or a string such as '90deg'"),
        (quantity(ANGLE), math.inf, "key: got inf, expected a finite number"),
        (quantity(ANGLE), "1e999rad", "key: got '1e999rad', expected a finite number"),
        (quantity(LENGTH, infinite=True), math.nan, "key: got nan, expected a finite number"),
        (list_of(integer), "12", "key: got '12', expected a list"),
        (list_of(integer), {}, "key: got {}, expected a list"),
        (list_of([integer] * 2), [1], "key: got a list of length 1, expected 2"),
    ],
)
def test_readers_name_what_is_wrong(reader: Callable[[object, str], object], value: object, expected: str) -> None:
    assert problems_of(lambda: reader(value, "key")) == (expected,)


def test_every_entry_of_a_list_is_read() -> None:
    assert problems_of(lambda: list_of(integer)([1, "a", 2, None], "list")) == (
        "list[1]: got 'a', expected a whole number",
        "list[3]: got None, expected a whole number",
    )


def read_point(value: object, path: str) -> tuple[float, float, str | None]:
    table = Table(value, path)
    x, y = table.need("x", number), table.need("y", number)
    colour = table.take("colour", choice(list(Colour)), None)
    table.finish()
    return x, y, colour


def test_a_table_gives_its_values_and_defaults() -> None:
    assert read_point({"x": 1, "y": 2, "colour": "red"}, "") == (1.0, 2.0, Colour.RED)
    assert read_point({"x": 1, "y": 2, "colour": None}, "") == (1.0, 2.0, None)


def test_a_table_reports_every_mistake_at_once_with_its_path() -> None:
    points = [{"x": 1}, {"x": "1", "y": True, "colour": "blue", "z": 3}, 4, {"x": 0, "y": 0}]
    assert problems_of(lambda: list_of(read_point)(points, "points")) == (
        "points[0].y: missing",
        "points[1].z: unknown key; expected one of 'x', 'y', 'colour'",
        "points[1].x: got '1', expected a number",
        "points[1].y: got True, expected a number",
        "points[1].colour: got 'blue'; expected one of 'red', 'green'",
        "points[2]: got 4, expected a table of keys and values",
    )


def test_a_misspelt_key_is_one_mistake() -> None:
    def read(value: object, path: str) -> float:
        table = Table(value, path)
        lower, upper = table.need("lower", number), table.need("upper", number)
        table.finish()
        return lower + upper

    assert problems_of(lambda: read({"lower": 1, "uper": 2}, "a.b")) == (
        "a.b.uper: unknown key; did you mean 'upper'?",
    )
    assert problems_of(lambda: read({"Lower": 1, "upper": 2}, "")) == ("Lower: unknown key; did you mean 'lower'?",)


def test_other_errors_of_ours_get_the_path() -> None:
    def refuse(value: object, path: str) -> None:
        raise InputError("no")

    table = Table({"a": 1}, "task")
    assert table.need("a", refuse) is None
    assert problems_of(table.finish) == ("task.a: no",)


def test_paths_are_readable_for_any_key() -> None:
    assert at("", "a") == "a"
    assert at("a[0]", "max-step") == "a[0].max-step"
    assert at("a", "b c") == "a.'b c'"
    assert at("a", 3) == "a.3"
    assert at("a", "") == "a.''"


@given(anything)
def test_readers_raise_only_config_errors(value: object) -> None:
    readers = [number, integer, boolean, text, day, choice(list(Colour)), quantity(ANGLE, LENGTH, infinite=True)]
    readers += [items, list_of(number), list_of([text] * 2), read_point]
    for reader in readers:
        with suppress(ConfigError):
            reader(value, "key")


@given(st.dictionaries(st.text(max_size=3) | st.integers(), anything, max_size=4))
def test_tables_raise_only_config_errors(value: dict[object, object]) -> None:
    with pytest.raises(ConfigError):
        read_point(value, "")
