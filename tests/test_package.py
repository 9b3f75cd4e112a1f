"""The wheel: what is in it, and that it works where nothing but its files is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PARTS = ("LICENSE", "README.md", "presets", "pyproject.toml", "repose_jit")


def run(*command: str, cwd: Path) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | {"PYTHONPATH": ""}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of a copy of the project that has one more preset, and a script beside it."""
    source = tmp_path_factory.mktemp("source")
    for part in (ROOT / name for name in PARTS):
        if part.is_dir():
            shutil.copytree(part, source / part.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif part.exists():
            shutil.copy(part, source)
    presets = source / "presets"
    presets.mkdir(exist_ok=True)
    (presets / "probe.toml").write_text("schema = 1\n")
    (presets / "probe.py").write_text("")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist", cwd=source)
    (built,) = (source / "dist").iterdir()
    return built


@pytest.fixture(scope="module")
def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel by pip, offline and alone, into a folder of its own."""
    target = tmp_path_factory.mktemp("installed")
    offline = ("--no-index", "--no-deps", "--disable-pip-version-check", "--no-compile")
    run(sys.executable, "-m", "pip", "install", "--quiet", *offline, "--target", str(target), str(wheel), cwd=target)
    return target


def test_wheel_is_pure_python(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")


def test_wheel_holds_the_package_and_nothing_else(contents: dict[str, bytes]) -> None:
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "repose_jit").rglob("*") if path.is_file()}
    presets = {f"repose_jit/presets/{path.name}" for path in (ROOT / "presets").glob("*.toml")}
    files = {name for name in contents if ".dist-info/" not in name}
    assert files == {name for name in package if "__pycache__" not in name} | presets | {
        "repose_jit/presets/probe.toml"
    }
    assert "repose_jit/py.typed" in files


def test_metadata_names_the_licence_and_the_command(contents: dict[str, bytes]) -> None:
    metadata = {Path(name).name: text.decode() for name, text in contents.items() if ".dist-info/" in name}
    assert "License-Expression: Apache-2.0" in metadata["METADATA"]
    assert "Apache License" in metadata["LICENSE"]
    assert "repose-jit = repose_jit.cli:main" in metadata["entry_points.txt"]


def test_version_is_that_of_the_package(installed: Path) -> None:
    code = """
import importlib.metadata, json, sys
sys.path.insert(0, ".")
import repose_jit
print(json.dumps([repose_jit.__file__, repose_jit.__version__, importlib.metadata.version("repose_jit")]))
"""
    file, version, of_the_metadata = json.loads(run(sys.executable, "-c", code, cwd=installed))
    assert Path(file).parent.parent.samefile(installed)
    assert version == of_the_metadata


def test_installed_presets_are_package_data(installed: Path) -> None:
    code = """
import sys
sys.path.insert(0, ".")
from importlib.resources import files
print((files("repose_jit") / "presets" / "probe.toml").read_text())
"""
    assert "schema = 1" in run(sys.executable, "-c", code, cwd=installed)
