from __future__ import annotations

import click
import pytest

from repose_jit.cli.numeric_input import data_name, numbers, read_data
from repose_jit.errors import InputError


@pytest.mark.parametrize("text", ["1,-2.5,3e-1", "1 -2.5 0.3", " 1, -2.5 ,\t0.3 ", "1;-2.5;.3"])
def test_numbers_are_separated_by_commas_or_spaces(text):
    assert numbers(3)(text) == (1.0, -2.5, 0.3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,x,3", "got 'x', expected a finite number"),
        ("1,,3", "got '', expected a finite number"),
        ("", "got '', expected a finite number"),
        ("1,nan,3", "got 'nan', expected a finite number"),
        ("1,inf,3", "got 'inf', expected a finite number"),
        ("1,2", "got 2 numbers, expected 3"),
    ],
)
def test_wrong_numbers_are_named(text, message):
    with pytest.raises(click.BadParameter, match=message):
        numbers(3)(text)


def test_a_file_is_read_and_named(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("a,b\n1,2\n")
    assert read_data(str(path)).columns(("b", "a"), where="").tolist() == [[2, 1]]
    path.write_text("1,x\n")
    with pytest.raises(InputError, match=r"numbers.csv: line 1: got 'x'"):
        read_data(str(path))
    with pytest.raises(FileNotFoundError):
        read_data(str(tmp_path / "none.csv"))
    assert data_name("-") == "standard input"
