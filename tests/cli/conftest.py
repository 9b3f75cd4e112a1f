"""What the tests of the command line share: runs in this process and in real ones, and files to run them on."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click.testing
import pytest

from repose_jit.cli import app
from repose_jit.toml_writer import to_toml
from tests.arms import odd_arm

# Before click 8.2 the two streams are mixed unless told otherwise.
OLD_CLICK = {"mix_stderr": False} if "mix_stderr" in inspect.signature(click.testing.CliRunner).parameters else {}

URDF = """
<robot name="two">
  <link name="base"/><link name="upper"/><link name="lower"/><link name="tool"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.5"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="1.5"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="lower"/><origin xyz="0.3 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.2"/>
  </joint>
  <joint name="flange" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0 0 -0.1"/></joint>
</robot>
"""
"""A revolute and a prismatic joint; that the latter has no velocity limit is worth a warning."""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Return the one document on standard output; NaN and Infinity, which are not JSON, fail."""
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process; an exception that would be a traceback is raised."""
    monkeypatch.setattr(sys, "warnoptions", [])

    def run_command(*arguments: str | Path, stdin: str | bytes | None = None) -> Done:
        runner = click.testing.CliRunner(**OLD_CLICK)
        result = runner.invoke(app, [str(argument) for argument in arguments], input=stdin, prog_name="repose-jit")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout, result.stderr)

    return run_command


@pytest.fixture
def spawn() -> Callable[[Sequence[str | Path]], subprocess.Popen[str]]:
    """Start a command as a process of its own."""

    def start(arguments: Sequence[str | Path]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "repose_jit", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )

    return start


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    """Write a URDF that is read with a warning."""
    path = tmp_path / "two.urdf"
    path.write_text(URDF)
    return path


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """Write a chain file of the arm with a prismatic, a mimic and a fixed joint."""
    path = tmp_path / "odd.toml"
    path.write_text(to_toml(odd_arm().to_config()))
    return path
