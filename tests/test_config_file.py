"""Configuration files: decoding, and messages with the file and the line."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repose_jit.config_file import decode_file, file_reader, is_file_name, read_config
from repose_jit.errors import ConfigError, ReposeError
from repose_jit.strict import Table, integer
from tests.anything import anything


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read_a(value: object, path: str) -> int:
    table = Table(value, path)
    a = table.need("a", integer)
    table.finish()
    return a


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c.toml", "a = 3"),
        ("c.json", '{"a": 3}'),
        ("C.TOML", "a = 3 # three"),
        ("bom.toml", "\ufeffa = 3"),
        ("bom.json", '\ufeff{"a": 3}'),
    ],
)
def test_files_are_decoded_by_suffix(tmp_path: Path, name: str, content: str) -> None:
    path = write(tmp_path, name, content)
    assert decode_file(path) == {"a": 3}
    assert read_config(path, read_a) == read_config(str(path), read_a) == read_config({"a": 3}, read_a) == 3


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("c.toml", "b = 1\na = \n", "line 2"),
        ("c.toml", "a = 1\na = 2\nb = 3", "line 2"),
        ("c.json", '{"b": 1,\n "a": }', "at line 2, column 7"),
        ("c.json", '{\n"a": 1', "at line 2"),
        ("c.json", '{"a": NaN}', "at line 1, column 7"),
        ("c.json", '{"a": 1, "b": {"c": 1, "c": 2}}', "the key 'c' is there twice"),
        ("c.json", "", "at line 1"),
        ("c.json", '{"a": 1e999}', "out of range"),
        ("c.json", '{"a": ' + "9" * 5000 + "}", "out of range"),
        ("c.toml", "a = " + "9" * 5000, "Exceeds the limit"),
        ("c.json", "[" * 100_000, "nested too deeply"),
        ("c.toml", "a = " + "[" * 100_000, "nested too deeply"),
        ("c.toml", b"a = '\xff'", "cannot be read"),
        ("c.yaml", "a: 3", "got '.yaml', expected a file that ends in .toml or .json"),
        (
            "c.urdf",
            "<robot/>",
            "got '.urdf', expected a file that ends in .toml or .json; a URDF file is read by Kinematic",
        ),
        ("c", "a = 3", "got '', expected a file that ends in .toml or .json"),
    ],
)
def test_a_file_that_cannot_be_decoded_is_named(tmp_path: Path, name: str, content: str | bytes, expected: str) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(ConfigError) as caught:
        decode_file(path)
    assert caught.value.source == str(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert expected in str(caught.value)


def test_mistakes_in_a_file_name_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "c.toml", "a = 1.5\nb = 2")
    with pytest.raises(ConfigError) as caught:
        read_config(path, read_a)
    assert caught.value.source == str(path)
    assert caught.value.problems == ("b: unknown key; expected one of 'a'", "a: got 1.5, expected a whole number")


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"missing.toml: no such file$"):
        read_config("missing.toml", read_a)
    (tmp_path / "folder.toml").mkdir()
    for name in (tmp_path / "folder.toml", "nul\0.toml", "x" * 5000 + ".toml", "\ud800.json"):
        with pytest.raises(ConfigError, match=r"cannot be read|no such file"):
            read_config(name, read_a)


@pytest.mark.parametrize("source", [None, 3, [("a", 3)], b"c.toml"])
def test_only_dicts_and_paths_are_configurations(source: object) -> None:
    with pytest.raises(ConfigError, match=r"^configuration: got .*, expected a dict or the path of a file$"):
        read_config(source, read_a)  # type: ignore[arg-type]


def test_names_of_files_are_told_from_other_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "arm", "")
    assert all(map(is_file_name, ["arm", "arm.toml", "ARM.JSON", "robots/arm", "./arm2", "arm.urdf", "arm.xacro"]))
    assert not any(map(is_file_name, ["arm2", "igus_rebel", "ur5e", "arm.v2", "", "nul\0"]))


@given(st.one_of(anything, st.text()))
def test_sources_raise_only_config_errors(source: object) -> None:
    with suppress(ConfigError):
        read_config(source, read_a)  # type: ignore[arg-type]


def test_names_of_files_start_from_a_folder(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "")
    assert file_reader(tmp_path)("a.csv", "file") == path
    assert file_reader(tmp_path)(str(path), "file") == path
    assert file_reader(tmp_path)("b.csv", "file") == tmp_path / "b.csv"
    with pytest.raises(ConfigError, match=r"file: .*b\.csv: no such file"):
        file_reader(tmp_path, must_exist=True)("b.csv", "file")


@given(anything)
def test_names_of_files_are_texts(value: object) -> None:
    with suppress(ReposeError):
        file_reader(Path("/"), must_exist=True)(value, "file")
