"""The disk cache of compiled kernels, each in fresh processes: found again, renewed by any edit, never in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import repose_jit

# The quickest kernel to compile that calls others in another file: dls.py calls checks.py.
PROGRAM = """
import numpy as np
from repose_jit.kernels import dls
target = np.eye(4)
target[0, 3] = 0.5
print(dls.are_sound(target.reshape(-1), np.zeros(3)))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a folder that holds a copy of the package without compiled kernels."""
    source = Path(repose_jit.__file__).parent
    shutil.copytree(source, tmp_path / "site" / "repose_jit", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "site"


def run(package: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    clean.update(PYTHONPATH=str(package), PYTHONDONTWRITEBYTECODE="1", **environment)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=package,
        env=clean,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def answers(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stdout.splitlines() if not line.startswith("[cache]")]


def test_a_second_process_finds_every_kernel(package: Path) -> None:
    first = run(package, NUMBA_DEBUG_CACHE="1")
    assert "data saved to" in first.stdout
    second = run(package, NUMBA_DEBUG_CACHE="1")
    assert "data loaded from" in second.stdout
    assert "saved" not in second.stdout
    assert answers(first) == answers(second) == ["True"]


def test_an_edited_helper_in_another_file_is_noticed(package: Path) -> None:
    assert answers(run(package)) == ["True"]
    helper = package / "repose_jit" / "kernels" / "checks.py"
    text = helper.read_text()
    assert "MAX_POSITION = 1e9\n" in text
    helper.write_text(text.replace("MAX_POSITION = 1e9\n", "MAX_POSITION = 0.1\n"))
    assert answers(run(package)) == ["False"]
    helper.write_text(text)
    assert answers(run(package)) == ["True"]


def test_old_files_do_not_pile_up(package: Path) -> None:
    run(package)
    helper = package / "repose_jit" / "kernels" / "trig.py"
    count = len(list(package.rglob("*.nbi")))
    helper.write_text(helper.read_text() + "\n# edited\n")
    run(package)
    moved = package / "repose_jit" / "kernels" / "dls.py"
    moved.write_text(moved.read_text().replace("import annotations\n", "import annotations\n\n\n", 1))
    run(package)
    assert len(list(package.rglob("*.nbi"))) == count > 0


@pytest.mark.parametrize("kept", [0, 40])
def test_a_damaged_cache_costs_a_compilation_and_no_more(package: Path, kept: int) -> None:
    run(package)
    for path in [*package.rglob("*.nbc"), *package.rglob("*.nbi")]:
        path.write_bytes(path.read_bytes()[:kept])
    assert answers(run(package)) == ["True"]


@pytest.mark.parametrize("content", [b"", b"not a pickle", b"\x80"])
def test_a_damaged_index_is_repaired(package: Path, content: bytes) -> None:
    run(package)
    for path in package.rglob("*.nbi"):
        path.write_bytes(content)
    done = run(package)
    assert answers(done) == ["True"]
    assert done.stderr == ""
    again = run(package, NUMBA_DEBUG_CACHE="1")
    assert "data loaded from" in again.stdout
    assert "saved" not in again.stdout


def test_nowhere_to_write_gives_one_warning(package: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for folder in (package / "repose_jit", package / "repose_jit" / "kernels"):
        (folder / "__pycache__").write_text("")  # a file where the directory would be: also root cannot write there
    done = run(package, XDG_CACHE_HOME=str(file / "cache"), HOME=str(file / "home"))
    assert answers(done) == ["True"]
    assert done.stderr.count("RuntimeWarning") == 1
    assert "NUMBA_CACHE_DIR" in done.stderr


def test_a_read_only_install_uses_the_cache_of_the_user(package: Path, tmp_path: Path) -> None:
    for folder in (package / "repose_jit", package / "repose_jit" / "kernels"):
        (folder / "__pycache__").write_text("")
    done = run(package, XDG_CACHE_HOME=str(tmp_path / "cache"), HOME=str(tmp_path))
    assert answers(done) == ["True"]
    assert done.stderr.count("Warning") <= 1
    assert list((tmp_path / "cache").rglob("*.nbc"))
