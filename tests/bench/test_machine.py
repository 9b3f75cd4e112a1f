from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import repose_jit
from repose_jit.bench import this_machine
from repose_jit.bench.machine import git_commit

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="Git is not installed")


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True, env=os.environ
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    """Make a checkout with one file in it, and return that."""
    file = tmp_path / "package" / "file.py"
    file.parent.mkdir()
    file.write_text("")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    return file


def test_the_machine_names_what_counts():
    machine = this_machine()
    assert machine.python == ".".join(map(str, sys.version_info[:3]))
    assert (machine.numba, machine.llvmlite, machine.numpy) == tuple(map(version, ("numba", "llvmlite", "numpy")))
    assert machine.repose_jit == repose_jit.__version__
    assert machine.threads >= 1
    assert machine.cores == os.cpu_count()
    name, _, architecture = machine.cpu.partition(" (")
    assert name
    assert architecture.endswith(")")


@needs_git
def test_the_commit_of_a_checkout(checkout):
    head = git(checkout.parent, "rev-parse", "HEAD")
    assert git_commit(checkout) == head
    checkout.write_text("changed")
    assert git_commit(checkout) == f"{head}-dirty"


@needs_git
def test_a_tag_does_not_stand_for_the_commit(checkout):
    git(checkout.parent, "tag", "-a", "v1", "-m", "one")
    assert git_commit(checkout) == git(checkout.parent, "rev-parse", "HEAD")


@needs_git
def test_a_package_that_only_lies_in_a_checkout_has_no_commit(checkout):
    installed = checkout.with_name("installed.py")
    installed.write_text("")
    assert git_commit(installed) is None


def test_no_checkout_has_no_commit(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert git_commit(tmp_path / "file.py") is None


@needs_git
def test_without_git_there_is_no_commit(checkout, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert git_commit(checkout) is None
