"""Numbers in the contents of files."""

from __future__ import annotations

import io

import numpy as np
import pytest

from repose_jit.errors import InputError, UnknownNameError
from repose_jit.tables import Table, parse_data


def parse(content):
    return parse_data(content if isinstance(content, bytes) else content.encode(), where="data.txt")


def as_npy(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_numpy_format_becomes_float64(dtype):
    read = parse(as_npy(np.arange(6, dtype=dtype).reshape(2, 3)))
    assert read.dtype == np.float64
    assert read.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_lines_of_numbers_become_a_table():
    table = parse("\ufeff# a comment\n1,2\n\n 3 , 4  # the end\n")
    assert isinstance(table, Table)
    assert table.names == ()
    assert table.rows.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("header", ["b,a", '"b", "a"', "b a"])
def test_a_first_line_of_names_lets_columns_come_in_any_order(header):
    table = parse(f"{header}\n1,2\n")
    assert table.columns(("a", "b"), where="x").tolist() == [[2, 1]]
    with pytest.raises(UnknownNameError, match="unknown column 'c' in x"):
        table.columns(("a", "c"), where="x")


@pytest.mark.parametrize("line", ["1,-2.5,3e-1", "1 -2.5 0.3", "1;-2.5;.3", " 1, -2.5\t0.3 # or", "1 , -2.5;.3"])
def test_lines_may_have_any_separators(line):
    assert parse(f"4,5,6\r\n{line}\r\n").rows.tolist() == [[4, 5, 6], [1, -2.5, 0.3]]


def test_numbers_near_the_largest_are_read():
    assert parse("1e308,1e308\n").rows.tolist() == [[1e308, 1e308]]


def test_a_text_that_starts_with_a_bracket_is_json():
    assert parse(' \n {"q": [1, 2]}') == {"q": [1, 2]}
    assert parse("[[1], [2]]") == [[1], [2]]


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
def test_what_cannot_be_read_is_said(content, message):
    with pytest.raises(InputError, match=message) as caught:
        parse(content)
    assert str(caught.value).startswith("data.txt: ")
