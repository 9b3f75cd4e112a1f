"""Write a map for other programs: tables, and point clouds."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

import numpy as np

from repose_jit.errors import InputError
from repose_jit.reach.export.rows import Rows, pose_rows, site_rows, status_words
from repose_jit.reach.reach_map import ReachMap, require_map
from repose_jit.validation import as_flag, as_path
from repose_jit.whole_file import require_writable, whole_file

__all__ = ["export_map"]

ROWS = 2**14
"""Rows of a CSV file that are turned into text at a time: some megabytes."""
TABLES = (".csv", ".parquet")
CLOUD = ".ply"
PLY_TYPES = {"int": "<i4", "float": "<f4"}
LONGEST_COUNT = 12
"""Digits of the largest number of points."""


def export_map(
    reach_map: ReachMap,
    path: str | os.PathLike[str],
    *,
    poses: bool = False,
    only_reached: bool = False,
    overwrite: bool = False,
) -> Path:
    """Write a map as a table or a point cloud, whole or not at all; blocks that are not done are left out.

    Parameters
    ----------
    reach_map
        What to write; a block of it is in memory at a time.
    path
        By its ending: ``.csv``; ``.parquet``, which takes pyarrow; ``.ply``, a point cloud of the sites in binary, with
        the reachability index as ``reachability`` [%], ``n_reached`` and the means of the metrics.
    poses
        One row for each pose, not for each site; not as a point cloud.
    only_reached
        Of the poses, only those that are reached.
    overwrite
        Replace a file that is there.

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    InputError
        If the ending is another one, the options do not go together, a package is missing, no block is done, or a file
        is there.
    OSError
        If it cannot be written.

    Notes
    -----
    Columns are those of :func:`~repose_jit.reach.export.rows.site_rows` and
    :func:`~repose_jit.reach.export.rows.pose_rows`, with the status in words. Rows come block by block; sorted by
    ``site`` they are in the order of the arrays of the store. What is not known is NaN.
    """
    require_map(reach_map)
    path = as_path(path)
    suffix = path.suffix.lower()
    if suffix not in (*TABLES, CLOUD):
        raise InputError(f"{path}: got the ending {path.suffix!r}, expected one of {', '.join((*TABLES, CLOUD))}")
    if as_flag(poses, name="poses") and suffix == CLOUD:
        raise InputError(f"{path}: a point cloud has one point for each site, expected {' or '.join(TABLES)} for poses")
    if as_flag(only_reached, name="only_reached") and not poses:
        raise InputError("only_reached: got True for a table of sites, expected it with poses")
    if suffix == ".parquet" and find_spec("pyarrow") is None:
        raise InputError(f"{path}: Parquet needs pyarrow: pip install 'repose_jit[table]', or write .csv")
    if reach_map.n_done == 0:
        raise InputError(f"{reach_map.path}: no chunk is done yet, expected some to export")
    require_writable(path, overwrite=overwrite)
    rows = pose_rows(reach_map, only_reached=only_reached) if poses else site_rows(reach_map)
    with whole_file(path, overwrite=overwrite) as file:
        {".csv": _write_csv, ".parquet": _write_parquet, CLOUD: _write_ply}[suffix](file, rows)
    return path


def _write_csv(file: BinaryIO, blocks: Iterator[Rows]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    words = np.array(status_words())
    for number, rows in enumerate(blocks):
        if number == 0:
            writer.writerow(rows)
        for start in range(0, len(rows["site"]), ROWS):
            columns = []
            for name, column in rows.items():
                part = column[start : start + ROWS]
                if name == "status":
                    part = words[part]
                elif part.dtype == np.float32:
                    part = part.astype(np.str_)  # as many digits as it has, not those of a float64
                columns.append(part.tolist())
            writer.writerows(zip(*columns, strict=True))
    text.detach()


def _write_parquet(file: BinaryIO, blocks: Iterator[Rows]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    words = pa.array(status_words())

    def table(rows: Rows) -> pa.Table:
        columns = {name: pa.array(np.ascontiguousarray(column)) for name, column in rows.items()}
        if "status" in columns:
            columns["status"] = pa.DictionaryArray.from_arrays(columns["status"], words)
        return pa.table(columns)

    first = table(next(blocks))
    with pq.ParquetWriter(file, first.schema) as writer:
        writer.write_table(first)
        for rows in blocks:
            writer.write_table(table(rows))


def _write_ply(file: BinaryIO, blocks: Iterator[Rows]) -> None:
    header, count = b"", 0
    for rows in blocks:
        columns = _ply_columns(rows)
        if not header:
            header = _ply_header(list(columns), 0)
            file.write(header)
        vertices = np.empty(len(rows["site"]), [(name, PLY_TYPES[_ply_type(name)]) for name in columns])
        for name, column in columns.items():
            vertices[name] = rows[column]
        file.write(vertices.tobytes())
        count += len(vertices)
    # How many there are is known only now: another process may be adding chunks.
    file.seek(0)
    file.write(_ply_header(list(columns), count))


def _ply_columns(rows: Rows) -> dict[str, str]:
    """Return the column that each property of a point is from."""
    columns = {name: f"base_{name}" if f"base_{name}" in rows else name for name in ("x", "y", "z", "yaw")}
    columns |= {name: name for name in ("nx", "ny", "nz")}
    columns |= {"reachability": "reachability_index", "n_reached": "n_reached"}
    columns |= {name: name for name in rows if name.endswith("_mean")}
    return {name: column for name, column in columns.items() if column in rows}


def _ply_header(names: list[str], count: int) -> bytes:
    """Return the header of a file of points, of the same length whatever their number."""
    padding = " " * (LONGEST_COUNT - len(str(count)))
    properties = [f"property {_ply_type(name)} {name}" for name in names]
    lines = ["ply", "format binary_little_endian 1.0", f"comment repose_jit reachability map{padding}"]
    return "\n".join([*lines, f"element vertex {count}", *properties, "end_header", ""]).encode()


def _ply_type(name: str) -> str:
    return "int" if name == "n_reached" else "float"
