"""Small studies to run, and the files of a store to compare."""

from __future__ import annotations

from pathlib import Path

import pytest

import repose_jit as rj
from repose_jit.reach.solving import chunk
from tests.reach.robots import rebel


def small_study(**kwargs: object) -> rj.ReachStudy:
    """Return a study of the igus ReBeL, coarse but with every outcome."""
    targets = rj.GridTargets(kwargs.pop("spacing", 0.3))  # type: ignore[arg-type]
    orientations = rj.Orientations(kind="super_fibonacci", n=kwargs.pop("n", 10))  # type: ignore[arg-type]
    solve = rj.MultiSeedParams(max_attempts=kwargs.pop("max_attempts", 4))  # type: ignore[arg-type]
    defaults = {"targets": targets, "orientations": orientations, "solve": solve, "save_q": True}
    return rj.ReachStudy(rebel(), **(defaults | kwargs))  # type: ignore[arg-type]


def files(path: Path) -> dict[str, bytes]:
    """Return the bytes of every file of a store by its name within it."""
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def names(path: Path) -> list[str]:
    """Return what a folder holds."""
    return sorted(child.name for child in path.iterdir())


def cut_fine(monkeypatch: pytest.MonkeyPatch, poses: int = 300) -> None:
    """Give chunks few poses."""
    monkeypatch.setattr(chunk, "CHUNK_POSES", poses)
