"""A file that appears whole or not at all, and a check beforehand that it can."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from repose_jit.errors import InputError

__all__ = ["require_replaceable", "require_writable", "whole_file"]


def require_writable(path: Path, *, overwrite: bool) -> None:
    """Check that a file can be written; call it before a long run.

    Raises
    ------
    InputError
        If something is there that may not be replaced, or the directory cannot be written.
    """
    require_replaceable(path, overwrite=overwrite)
    final = path.resolve()  # a link stays a link
    trial = _sibling(final)
    try:
        trial.open("xb").close()
        trial.unlink()
    except OSError as error:
        raise InputError(
            f"{path}: cannot write into {final.parent} ({error.strerror}), expected a directory that can be written"
        ) from None


def require_replaceable(path: Path, *, overwrite: bool) -> None:
    """Raise InputError if something is at `path` that may not be replaced."""
    if path.is_dir():
        raise InputError(f"{path}: is no file: it is a directory, expected the name of a file to make")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is no regular file, so it is not replaced; expected a new name")
    if not overwrite and (path.exists() or path.is_symlink()):
        raise InputError(f"{path}: exists; give --overwrite (overwrite=True) to replace it")


@contextlib.contextmanager
def whole_file(path: Path, *, overwrite: bool) -> Iterator[BinaryIO]:
    """Open a file to write; it takes its name when the block ends, and does not exist if the block raises.

    Raises
    ------
    InputError
        If the file has been made in the meantime and may not be replaced.
    OSError
        If it cannot be written.
    """
    final = path.resolve()
    partial = _sibling(final)
    try:
        try:
            with partial.open("xb") as file:
                yield file
            if overwrite:
                with contextlib.suppress(OSError):
                    partial.chmod(final.stat().st_mode)
                partial.replace(final)
            else:
                _take_new_name(partial, final)
        except FileExistsError:
            raise InputError(f"{path}: another program has made it in the meantime, expected a new name") from None
        except OSError as error:
            error.filename, error.filename2 = str(path), None
            raise
    finally:
        partial.unlink(missing_ok=True)


def _take_new_name(partial: Path, final: Path) -> None:
    """Rename a file unless the new name is taken: a link, unlike a rename, never replaces anything."""
    try:
        os.link(partial, final)
    except FileExistsError:
        raise
    except OSError:  # not every file system has links
        if final.exists():
            raise FileExistsError from None
        partial.rename(final)


def _sibling(final: Path) -> Path:
    """Return a new path beside `final`: on the same file system, so that one rename brings it there."""
    return final.with_name(f".{final.name}.{uuid.uuid4().hex[:12]}.partial")
