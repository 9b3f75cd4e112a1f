from __future__ import annotations

import io

import click
import numpy as np
import pytest

from repose_jit.cli.numeric_input import Table, numbers, read_data
from repose_jit.errors import InputError, UnknownNameError


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


def as_file(tmp_path, content):
    path = tmp_path / "data"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def as_npy(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_numpy_format_becomes_float64(tmp_path, dtype):
    read = read_data(as_file(tmp_path, as_npy(np.arange(6, dtype=dtype).reshape(2, 3))))
    assert read.dtype == np.float64
    assert read.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_lines_of_numbers_become_a_table(tmp_path):
    table = read_data(as_file(tmp_path, "\ufeff# a comment\n1,2\n\n 3 , 4  # the end\n"))
    assert isinstance(table, Table)
    assert table.names == ()
    assert table.rows.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("header", ["b,a", '"b", "a"', "b a"])
def test_a_first_line_of_names_lets_columns_come_in_any_order(tmp_path, header):
    table = read_data(as_file(tmp_path, f"{header}\n1,2\n"))
    assert table.columns(("a", "b"), where="x").tolist() == [[2, 1]]
    with pytest.raises(UnknownNameError, match="unknown column 'c' in x"):
        table.columns(("a", "c"), where="x")


@pytest.mark.parametrize("line", ["1,-2.5,3e-1", "1 -2.5 0.3", "1;-2.5;.3", " 1, -2.5\t0.3 # or", "1 , -2.5;.3"])
def test_lines_may_have_any_separators(tmp_path, line):
    assert read_data(as_file(tmp_path, f"4,5,6\r\n{line}\r\n")).rows.tolist() == [[4, 5, 6], [1, -2.5, 0.3]]


def test_numbers_near_the_largest_are_read(tmp_path):
    assert read_data(as_file(tmp_path, "1e308,1e308\n")).rows.tolist() == [[1e308, 1e308]]


def test_a_text_that_starts_with_a_bracket_is_json(tmp_path):
    assert read_data(as_file(tmp_path, ' \n {"q": [1, 2]}')) == {"q": [1, 2]}
    assert read_data(as_file(tmp_path, "[[1], [2]]")) == [[1], [2]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1,2\n3\n", "line 2: got 1 numbers, expected 2"),
        ("a,b\n1,2,3\n", "line 2: got 3 numbers, expected 2"),
        ("1,2\na,b\n", "line 2: got 'a'"),
        ("1,nan\n", "line 1: got 'nan'"),
        ("1,2\n" * 40_000 + "1,inf\n1,x\n", "line 40001: got 'inf', expected a finite number"),
        (b"1,2\n" * 40_000 + b"\xff\n", "binary data"),
        ("a,a\n1,2\n", "line 1: the column 'a' is there twice"),
        ("", "got no numbers"),
        ("a,b\n", "got no numbers"),
        ("[1, 2", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        (b"\xff\xfe\x00\x01", "binary data"),
        (b"\x93NUMPY but not really", "cannot be read as .npy"),
        (as_npy(np.ones((2, 2)))[:-3], "cannot be read as .npy"),
        (as_npy(np.array([{}]), allow_pickle=True), "cannot be read as .npy"),
        (as_npy(np.ones((3, 6))).replace(b"}", b" "), "cannot be read as .npy"),
        (as_npy(np.ones((3, 6))).replace(b"(3, 6), }            ", b"(1000000000000, 6), }"), "cannot be read as .npy"),
        (as_npy(np.ones(2, complex)), "entries of type complex128"),
        (as_npy(np.ones(2, bool)), "entries of type bool"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, content, message):
    path = as_file(tmp_path, content)
    with pytest.raises(InputError, match=message) as caught:
        read_data(path)
    assert str(caught.value).startswith(path)
