"""Quantities with a unit."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repose_jit.errors import InputError, UnknownNameError
from repose_jit.units import ALL, ANGLE, ANGULAR_SPEED, LENGTH, SPEED, Quantity, as_metres, parse_quantity


@pytest.mark.parametrize(
    ("text", "quantity", "expected"),
    [
        ("90deg", ANGLE, math.pi / 2),
        ("-180 deg", ANGLE, -math.pi),
        ("1.5rad", ANGLE, 1.5),
        ("150mm", LENGTH, 0.15),
        ("  2.5e1 cm ", LENGTH, 0.25),
        ("0.2m", LENGTH, 0.2),
        (".5m", LENGTH, 0.5),
        ("5.m", LENGTH, 5.0),
        ("+1e-3m", LENGTH, 0.001),
        ("10deg/s", ANGULAR_SPEED, math.radians(10)),
        ("2rad/s", ANGULAR_SPEED, 2.0),
        ("30rpm", ANGULAR_SPEED, math.pi),
        ("250mm/s", SPEED, 0.25),
        ("25cm/s", SPEED, 0.25),
        ("1m/s", SPEED, 1.0),
    ],
)
def test_a_number_with_a_unit_becomes_si(text: str, quantity: Quantity, expected: float) -> None:
    assert parse_quantity(text, [quantity]) == expected


@given(st.floats(-1e6, 1e6), st.sampled_from(ALL))
def test_the_first_unit_is_si_itself(value: float, quantity: Quantity) -> None:
    assert parse_quantity(f"{value!r}{next(iter(quantity.units))}", [quantity]) == value


@given(st.integers(-(10**6), 10**6))
def test_millimetres_are_exact_thousandths(value: int) -> None:
    assert parse_quantity(f"{value}mm", [LENGTH]) == float(f"{value}e-3")


def test_examples_in_messages_can_be_written() -> None:
    for quantity in ALL:
        assert math.isfinite(parse_quantity(quantity.example, [quantity]))


def test_a_value_may_be_one_of_several_quantities() -> None:
    assert parse_quantity("90deg", [LENGTH, ANGLE]) == math.pi / 2
    assert parse_quantity("2mm", [LENGTH, ANGLE]) == 0.002


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90deg", "got '90deg', an angle; expected a length: a number [m] or a string such as '150mm'"),
        ("3m/s", "got '3m/s', a speed; expected a length"),
        ("90", "got '90' without a unit, expected a length"),
        ("1e5", "got '1e5' without a unit, expected a length"),
        ("90 mmm", "got '90 mmm' with the unknown unit 'mmm'; did you mean 'mm'?"),
        ("3parsec", "got '3parsec' with the unknown unit 'parsec'; expected a length"),
        ("mm", "got 'mm', expected a length"),
        ("", "got '', expected a length"),
        ("inf", "got 'inf', expected a length"),
        ("1 2 m", "got '1 2 m', expected a length"),
        ("1,5m", "got '1,5m' with the unknown unit ',5m'"),
        ("٣m", "got '٣m', expected a length"),
    ],
)
def test_a_bad_quantity_is_named(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_quantity(text, [LENGTH])
    assert str(caught.value).startswith(expected)


@given(st.text())
def test_any_text_is_a_quantity_or_refused(text: str) -> None:
    with suppress(InputError):
        assert isinstance(parse_quantity(text, ALL), float)


@pytest.mark.parametrize(("units", "expected"), [("m", 254.0), ("cm", 2.54), ("mm", 0.254), ("in", 6.4516)])
def test_lengths_of_a_file_become_the_nearest_metres(units: str, expected: float) -> None:
    assert as_metres(np.array([254.0]), units).tolist() == [expected]


def test_unknown_units_are_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown units 'mm '; did you mean 'mm'"):
        as_metres(np.zeros(1), "mm ")
