"""What the comparison was measured on: this machine, and the versions of the peers."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from benchmarks.peers.solvers import PEERS
from repose_jit.bench.machine import this_machine

PACKAGES = ("pin", *(peer.distribution for peer in PEERS))


def versions() -> dict[str, str | None]:
    """Return the version of every peer, None where it is missing."""
    return {package: _version(package) for package in PACKAGES}


def description() -> dict[str, Any]:
    """Return what a table was measured on, ready for JSON; ``threads`` counts those that may be used."""
    return asdict(this_machine()) | {"peers": versions()}


def line() -> str:
    """Return the same on one line."""
    machine = this_machine()
    ours = f"repose_jit {machine.repose_jit}, numba {machine.numba}, numpy {machine.numpy}"
    peers = ", ".join(f"{name} {number}" for name, number in versions().items() if number is not None)
    return f"{machine.cpu}, Python {machine.python}; {ours}; {peers}; commit {machine.commit or 'unknown'}; one thread"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
