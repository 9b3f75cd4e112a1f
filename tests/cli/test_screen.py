from __future__ import annotations

import json
import math

import numpy as np
import pytest

from repose_jit.cli.screen import echo_fields, echo_lines, echo_table, json_text, size_words


def test_json_is_what_went_in():
    value = {"a": [1, 2.5, None, "ü"], "b": [[1, 2], []], "c": {}, "d": {"e": [{"f": True}]}, "g": 0.1 + 0.2}
    assert json.loads(json_text(value)) == value


def test_arrays_become_lists():
    value = {"a": np.arange(6.0).reshape(2, 3), "b": np.float64(0.5), "c": np.int8(3), "d": np.bool_(True)}
    assert json.loads(json_text(value)) == {"a": [[0, 1, 2], [3, 4, 5]], "b": 0.5, "c": 3, "d": True}


def test_what_json_does_not_have_becomes_null():
    value = {"a": math.nan, "b": [1.0, math.inf, -math.inf], "c": np.array([[math.nan, 1.0]]), "d": [{"e": math.nan}]}
    assert json.loads(json_text(value)) == {"a": None, "b": [1, None, None], "c": [[None, 1]], "d": [{"e": None}]}


def test_a_list_of_numbers_is_one_line():
    assert json_text({"q": [1, 2, 3], "T": [[1, 0], [0, 1]]}) == (
        '{\n  "q": [1, 2, 3],\n  "T": [\n    [1, 0],\n    [0, 1]\n  ]\n}'
    )


def test_columns_are_aligned(capsys):
    echo_table(("#", "name", "x\n[m]"), [("0", "a", "-1.5"), ("10", "longer", "2")], left=(1,))
    assert capsys.readouterr().out == "               x\n #  name     [m]\n 0  a       -1.5\n10  longer     2\n"


def test_fields_are_aligned_and_wrapped(capsys):
    echo_fields([("a", "short"), ("longer", "word " * 30)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "a       short"
    assert lines[1].startswith("longer  word")
    assert all(line.startswith("        word") for line in lines[2:])
    assert len(lines) == 4
    assert max(map(len, lines)) <= 80


def test_lines_are_wrapped_below_their_indentation(capsys):
    echo_lines("short\n  indented " + "word " * 20 + "\n\nlast")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "short"
    assert lines[1].startswith("  indented word")
    assert lines[2].startswith("    word")
    assert lines[3:] == ["", "last"]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (999_600, "1 MB"), (23_300_000, "23.3 MB"), (5 * 10**15, "5e+03 TB")],
)
def test_sizes(count, words):
    assert size_words(count) == words
