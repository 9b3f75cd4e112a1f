"""TOML text: what is written is what is read."""

from __future__ import annotations

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repose_jit.errors import InputError
from repose_jit.toml_writer import to_toml

texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), texts)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=10
)


@given(st.dictionaries(texts, values, max_size=4))
def test_tables_come_back_as_they_were(table: dict[str, object]) -> None:
    back = tomllib.loads(to_toml(table))
    assert back == table
    assert _types(back) == _types(table)


def _types(value: object) -> object:
    if isinstance(value, dict):
        return {key: _types(entry) for key, entry in value.items()}
    return [_types(entry) for entry in value] if isinstance(value, list) else type(value)


@given(st.floats(allow_nan=False))
def test_floats_come_back_to_the_last_bit(value: float) -> None:
    back = tomllib.loads(to_toml({"x": value}))["x"]
    assert back == value
    assert math.copysign(1.0, back) == math.copysign(1.0, value)


def test_nan_is_written_too() -> None:
    assert math.isnan(tomllib.loads(to_toml({"x": math.nan}))["x"])


def test_tables_are_laid_out_for_people() -> None:
    joint = {"name": "a", "limits": {"revolute": {"lower": -1.0}}, "empty": {}}
    table = {"chain": {"home": [0.0, 1], "joints": [joint, joint]}, "name": "arm", "on": True, "free key": 'a"\\\n\x7f'}
    assert to_toml(table) == (
        "\n".join(
            [
                'name = "arm"',
                "on = true",
                '"free key" = "a\\"\\\\\\n\\u007F"',
                "",
                "[chain]",
                "home = [0.0, 1]",
                *2
                * [
                    "",
                    "[[chain.joints]]",
                    'name = "a"',
                    "limits = { revolute = { lower = -1.0 } }",
                    "empty = {  }",
                ],
            ]
        )
        + "\n"
    )


@pytest.mark.parametrize("value", [None, b"a", {1, 2}, object()])
def test_what_toml_cannot_say_is_named(value: object) -> None:
    with pytest.raises(InputError, match=r"^inner: got .*, expected a string, number, boolean, list or dict$"):
        to_toml({"outer": [{"inner": value}]})
