"""Small stores of every kind of study, in several chunks each, and how to compare and damage them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import repose_jit as rj
from repose_jit.reach.solving import chunk, miss_rate
from tests.reach.robots import rebel
from tests.reference import transform

CHUNK_POSES = 300


def make_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make chunks of some hundred poses, and estimates of the miss rate from few."""
    monkeypatch.setattr(chunk, "CHUNK_POSES", CHUNK_POSES)
    monkeypatch.setattr(miss_rate, "FK_SAMPLES", 100)
    monkeypatch.setattr(miss_rate, "RETRY_SAMPLES", 20)


def study(kind: str = "grid", **settings: Any) -> rj.ReachStudy:
    """Return a study of the ReBeL: of a dense or coarse grid, a surface, poses, with a free axis or position only."""
    rng = np.random.default_rng(0)
    box: dict[str, Any] = {"box_min": (-0.6, -0.6, -0.1), "box_max": (0.6, 0.6, 0.8)}
    surface = rj.SurfaceTargets(rng.uniform(-0.6, 0.6, (60, 3)), rng.normal(size=(60, 3)))
    poses = [transform(rng.uniform(-0.6, 0.6, 3), rng.uniform(-3, 3, 3)) for _ in range(500)]
    targets, orientations = {
        "grid": (rj.GridTargets(spacing=0.3, **box), rj.Orientations(kind="super_fibonacci", n=12)),
        "dense grid": (
            rj.GridTargets(spacing=0.05, box_min=(0.2, -0.1, 0.3), box_max=(0.4, 0.1, 0.4)),
            rj.Orientations(kind="super_fibonacci", n=64),
        ),
        "surface": (surface, rj.Orientations(kind="directions", tool_axis="z", approach="-normal")),
        "poses": (rj.PoseTargets(np.array(poses)), None),
        "free axis": (rj.GridTargets(spacing=0.3, **box), rj.Orientations(kind="free_axis", tool_axis="-x", n=20)),
        "position only": (rj.GridTargets(spacing=0.1, **box), rj.Orientations(kind="none")),
        "nothing reached": (
            rj.GridTargets(spacing=0.5, box_min=(2, 2, 2), box_max=(4, 4, 4)),
            rj.Orientations(kind="super_fibonacci", n=12),
        ),
    }[kind]
    settings = {"solve": rj.MultiSeedParams(max_attempts=6), "save_q": True} | settings
    return rj.ReachStudy(rebel(), targets=targets, orientations=orientations, **settings)


KINDS = ("grid", "dense grid", "surface", "poses", "free axis", "position only", "nothing reached")


def files(path: Path) -> dict[str, bytes]:
    """Return the bytes of every file below a folder."""
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def chunk_files(path: Path, name: str) -> list[Path]:
    """Return the files of the chunks of an array."""
    return sorted(file for file in (path / name / "c").rglob("*") if file.is_file())


def rewrite(path: Path, name: str, index: Any, value: Any) -> None:
    """Change entries of an array the proper way, so that its checksums are right."""
    array = zarr.open_group(path, mode="r+", use_consolidated=False)[name]
    assert isinstance(array, zarr.Array)
    array[index] = value
