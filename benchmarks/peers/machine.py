"""What a measurement depends on: processor, versions, commit."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import repose_jit as rj
from benchmarks.peers.solvers import PEERS

PACKAGES = ("numba", "llvmlite", "numpy", "pin", *(peer.distribution for peer in PEERS))


def versions() -> dict[str, str | None]:
    """Return the version of everything that is timed or that times, None where it is missing."""
    return {"repose_jit": rj.__version__} | {package: _version(package) for package in PACKAGES}


def description() -> dict[str, Any]:
    """Return what a table was measured on, ready for JSON."""
    return {
        "cpu": cpu_name(),
        "cpus": cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "threads": 1,  # of every row that does not name another number; each side's `cpus` are measured
        "versions": versions(),
        "commit": commit(),
    }


def line() -> str:
    """Return the same on one line."""
    numbers = ", ".join(f"{name} {number}" for name, number in versions().items() if number is not None)
    return f"{cpu_name()}, Python {platform.python_version()}; {numbers}; commit {commit()}; one thread"


def cpu_count() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def cpu_name() -> str:
    """Return the name that the processor gives itself."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def commit() -> str:
    """Return the commit of this checkout, marked if files differ from it; "unknown" without git."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
