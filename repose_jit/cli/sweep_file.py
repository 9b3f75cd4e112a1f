"""Files that a sweep's results are written to, one row per target: NumPy's .npz, CSV, Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from repose_jit.errors import InputError
from repose_jit.whole_file import require_writable, whole_file

if TYPE_CHECKING:
    from repose_jit.chain import KinematicChain
    from repose_jit.multi_seed import IkBatchResult

__all__ = ["require_column_names", "require_destination", "save"]

COLUMNS = ("status", "position_error", "orientation_error", "iterations", "attempts", "seed_index")
"""What there is of every target beside `q`; the names in all kinds of files."""
ROWS = 2**14
"""Rows of a CSV file that are turned into Python's numbers at a time: some megabytes."""


def require_destination(path: Path, *, overwrite: bool) -> None:
    """Check that results can be written at `path`, as what its ending says; call it before a long run.

    Raises
    ------
    InputError
        If the ending is none of the three, a package is missing, or as :func:`~whole_file.require_writable`.
    """
    if path.suffix.lower() not in WRITERS:
        raise InputError(f"{path}: got the ending {path.suffix!r}, expected one of {', '.join(WRITERS)}")
    if path.suffix.lower() == ".parquet":
        missing = [package for package in ("pandas", "pyarrow") if find_spec(package) is None]
        if missing:
            raise InputError(
                f"{path}: Parquet needs {' and '.join(missing)}: pip install 'repose_jit[table]', or write .npz or .csv"
            )
    require_writable(path, overwrite=overwrite)


def require_column_names(path: Path, chain: KinematicChain) -> None:
    """Refuse a table in which a joint would have the name of another column.

    Raises
    ------
    InputError
        With the joint.
    """
    for name in chain.joint_names:
        if path.suffix.lower() != ".npz" and name in (*COLUMNS, "converged"):
            raise InputError(f"{path}: joint {name!r} has the name of another column, expected .npz for this robot")


def save(
    path: Path, chain: KinematicChain, result: IkBatchResult, description: Mapping[str, Any], *, overwrite: bool
) -> None:
    """Write the results of a batch, whole or not at all: equal sweeps give equal files.

    Parameters
    ----------
    path
        Where to, and by its ending as what. ``.npz``: the arrays of :class:`~repose_jit.IkBatchResult`, `joint_names`
        and `metadata`, a JSON text. ``.csv``: columns for the same numbers, then one per joint. ``.parquet``:
        ``IkBatchResult.to_pandas()``, the metadata in its ``attrs``. Angles are radians in all of them.
    chain, result
        The robot, and what was found; a batch with one leading dimension.
    description
        Plain JSON values that say what was solved, and how.
    overwrite
        Whether a file may be replaced.
    """
    with whole_file(path, overwrite=overwrite) as file:
        WRITERS[path.suffix.lower()](file, chain, result, description)


def _write_npz(file: BinaryIO, chain: KinematicChain, result: IkBatchResult, description: Mapping[str, Any]) -> None:
    columns: dict[str, Any] = {name: getattr(result, name) for name in COLUMNS}
    metadata = json.dumps(description, ensure_ascii=False)
    np.savez(file, q=result.q, **columns, joint_names=np.array(chain.joint_names, np.str_), metadata=np.array(metadata))


def _write_csv(file: BinaryIO, chain: KinematicChain, result: IkBatchResult, _: Mapping[str, Any]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*COLUMNS, *chain.joint_names))
    columns = [np.asarray(getattr(result, name)) for name in COLUMNS]
    for start in range(0, len(result.q), ROWS):
        part = slice(start, start + ROWS)
        writer.writerows(zip(*(column[part].tolist() for column in (*columns, *result.q.T)), strict=True))
    text.detach()


def _write_parquet(file: BinaryIO, _: KinematicChain, result: IkBatchResult, description: Mapping[str, Any]) -> None:
    table = result.to_pandas()
    table.attrs = dict(description)
    table.to_parquet(file, engine="pyarrow", index=False)


WRITERS: dict[str, Callable[[BinaryIO, KinematicChain, IkBatchResult, Mapping[str, Any]], None]] = {
    ".npz": _write_npz,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}
