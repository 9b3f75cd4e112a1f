from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import click
import pytest

import repose_jit
from repose_jit.cli import app
from repose_jit.cli.numeric_input import read_data
from repose_jit.errors import InputError, ModelError

REACH = ("check", "run", "resume", "status", "verify", "plot", "report", "export", "merge", "place")
COMMANDS = (
    *("robots", "info", "fk", "ik", "sweep", "convert", "view", "bench run", "bench compare", "warmup"),
    *(f"reach {command}" for command in REACH),
)


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules that are loaded after a statement in a fresh process."""
    code = f"{statement}\nimport sys, json; print(json.dumps(list(sys.modules)))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return {name.partition(".")[0] for name in json.loads(done.stdout)}


@pytest.mark.parametrize("module", ["repose_jit", "repose_jit.cli"])
def test_importing_loads_nothing_heavy(module):
    loaded = modules_after(f"import {module}")
    assert module.partition(".")[0] in loaded
    assert not loaded & {"numba", "numpy", "msgspec", "tqdm", "urchin", "zarr", "matplotlib"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(run, command):
    done = run(*command.split(), "--help")
    assert done.code == 0
    assert re.search(rf"Examples?:\n +repose-jit {command}", done.out)
    assert ("--json" in done.out) == (command != "view")
    assert max(map(len, done.out.splitlines())) <= 80


def test_help_names_every_command(run):
    done = run("--help")
    assert done.code == 0
    assert all(f"\n  {command.split()[0]} " in done.out for command in COMMANDS)
    assert "..." not in done.out.partition("Commands:")[2]  # click cuts what does not fit


def test_version(run):
    assert run("--version").out == f"repose-jit, version {repose_jit.__version__}\n"


def test_the_module_runs_as_a_program(spawn):
    process = spawn(["robots", "--json"])
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(out)["robots"]
    assert err == ""


def test_a_mistake_ends_a_program_with_code_2_and_no_traceback(spawn):
    process = spawn(["fk", "no_such_robot"])
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert out == ""
    assert err.startswith("Error: unknown robot")
    assert "Traceback" not in err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGPIPE")
def test_a_reader_that_has_gone_is_no_mistake(spawn):
    process = spawn(["robots"])
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 141
    process.stderr.close()


IN_A_CALLBACK = """
import ctypes, signal, sys, threading
import click
from repose_jit.cli import app, main

def wait():
    ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGINT))()
    threading.Event().wait(30)

app.add_command(click.Command("wait", callback=wait))
sys.argv = ["repose-jit", "wait"]
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="os.kill is another thing on Windows")
def test_ctrl_c_is_not_lost_where_exceptions_do_not_get_out():
    done = subprocess.run(
        [sys.executable, "-c", IN_A_CALLBACK],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=25,
    )
    assert (done.returncode, done.stderr) == (130, "\nInterrupted.\n")


@pytest.mark.parametrize("arguments", [("frobnicate",), ("fk",), ("fk", "igus_rebel", "--josn"), ("reach", "run")])
def test_wrong_usage_is_code_2(run, arguments):
    done = run(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert "Usage:" in done.err


@pytest.fixture
def command():
    """Put a command in the group for as long as a test lasts."""

    def add(function):
        app.add_command(click.Command("temporary", callback=function))

    yield add
    app.commands.pop("temporary", None)


def raising(error):
    def function():
        raise error

    return function


def test_the_packages_own_errors_are_messages(run, command):
    command(raising(ModelError("joint 'a': wrong")))
    done = run("temporary")
    assert (done.code, done.out, done.err) == (2, "", "Error: joint 'a': wrong\n")


def test_errors_of_files_are_messages(run, command):
    command(raising(PermissionError(13, "Permission denied", "secret.npy")))
    done = run("temporary")
    assert (done.code, done.err) == (2, "Error: secret.npy: Permission denied\n")


def test_ctrl_c_is_one_short_line_and_130(run, command):
    command(raising(KeyboardInterrupt()))
    done = run("temporary")
    assert (done.code, done.out, done.err) == (130, "", "\nInterrupted.\n")


def test_other_exceptions_are_not_hidden(run, command):
    command(raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        run("temporary")


def test_a_warning_is_one_line_on_stderr(run, command):
    def warn():
        warnings.warn("first\n  second", UserWarning, stacklevel=1)
        click.echo("result")

    command(warn)
    done = run("temporary")
    assert (done.code, done.out, done.err) == (0, "result\n", "Warning: first second\n")


def test_deprecations_are_for_developers(run, command):
    command(lambda: warnings.warn("old", DeprecationWarning, stacklevel=1))
    assert run("temporary").err == ""


def test_warnings_are_as_before_afterwards(run, command):
    before = warnings.showwarning, list(warnings.filters)
    command(lambda: None)
    run("temporary")
    assert (warnings.showwarning, list(warnings.filters)) == before


def test_warnings_that_the_user_made_errors_stay_errors(run, command, monkeypatch):
    monkeypatch.setattr(sys, "warnoptions", ["error"])
    command(lambda: warnings.warn("first", UserWarning, stacklevel=1))
    with pytest.raises(UserWarning):
        run("temporary")


def test_presets_in_the_folder_do_not_matter(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("igus_rebel").write_text("nonsense")
    assert run("info", "igus_rebel", "--json").json()["dof"] == 6


def test_a_standard_input_that_is_closed_is_a_mistake(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)  # what Python makes of `<&-`
    with pytest.raises(InputError, match="standard input: is closed, expected data"):
        read_data("-")


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8"])  # click itself turns ASCII into UTF-8
@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_printed_in_every_encoding(command, encoding):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": encoding}
    arguments = [sys.executable, "-m", "repose_jit", *command.split(), "--help"]
    done = subprocess.run(arguments, capture_output=True, check=True, env=environment)
    assert done.stdout.decode(encoding).startswith("Usage: repose-jit")
    assert done.stderr == b""


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_json_is_json_in_every_encoding(tmp_path, encoding):
    name = "Stäubli λ³ \U0001f916"
    path = tmp_path / "robot.json"
    config = {"name": name, "joints": [{"joint_type": "fixed", "origin_translation": [0] * 3, "origin_rpy": [0] * 3}]}
    path.write_text(json.dumps(config))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": encoding}
    arguments = [sys.executable, "-m", "repose_jit", "info", str(path), "--json"]
    done = subprocess.run(arguments, capture_output=True, check=True, env=environment)
    assert json.loads(done.stdout.decode(encoding))["name"] == name
