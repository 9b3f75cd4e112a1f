"""A file appears whole or not at all, and never in place of another unless that is asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repose_jit.errors import InputError
from repose_jit.whole_file import require_replaceable, require_writable, whole_file


def names(path: Path) -> list[str]:
    return sorted(child.name for child in path.iterdir())


@pytest.mark.parametrize("overwrite", [False, True])
def test_it_takes_its_name_when_the_block_ends(overwrite: bool, tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    with whole_file(path, overwrite=overwrite) as file:
        file.write(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    assert names(tmp_path) == ["map.csv"]


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt])
@pytest.mark.parametrize("is_there", [False, True])
def test_a_failure_leaves_all_as_it_was(error: type[BaseException], is_there: bool, tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    if is_there:
        path.write_text("earlier")

    def write() -> None:
        with whole_file(path, overwrite=True) as file:
            file.write(b"half")
            raise error

    with pytest.raises(error):
        write()
    assert names(tmp_path) == (["map.csv"] if is_there else [])
    assert not is_there or path.read_text() == "earlier"


def test_what_was_made_in_the_meantime_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"

    def write() -> None:
        with whole_file(path, overwrite=False) as file:
            file.write(b"ours")
            path.write_text("theirs")

    with pytest.raises(InputError, match="another program has made it in the meantime"):
        write()
    assert path.read_text() == "theirs"
    assert names(tmp_path) == ["map.csv"]


def test_replacing_keeps_the_mode_and_follows_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "map.csv", tmp_path / "link.csv"
    path.write_text("earlier")
    path.chmod(0o640)
    link.symlink_to(path)
    with whole_file(link, overwrite=True) as file:
        file.write(b"later")
    assert link.is_symlink()
    assert path.read_text() == "later"
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "link"), reason="no links here")
def test_a_file_system_without_links_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*args: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    with whole_file(tmp_path / "map.csv", overwrite=False) as file:
        file.write(b"whole")
    assert names(tmp_path) == ["map.csv"]


def test_what_cannot_be_written_is_found_before(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "map.csv").write_text("earlier")
    for path, message in (
        (tmp_path / "folder.csv", "it is a directory"),
        (tmp_path / "map.csv", "exists; give --overwrite"),
        (tmp_path / "nowhere" / "map.csv", r"cannot write into .*nowhere"),
    ):
        with pytest.raises(InputError, match=message):
            require_writable(path, overwrite=False)
    require_writable(tmp_path / "map.csv", overwrite=True)
    require_replaceable(tmp_path / "new.csv", overwrite=False)
    assert names(tmp_path) == ["folder.csv", "map.csv"]
