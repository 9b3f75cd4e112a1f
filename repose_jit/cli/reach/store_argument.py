"""The STORE argument: the directory of a study that was run."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["store_argument"]

store_argument = click.argument("store", type=click.Path(path_type=Path))
